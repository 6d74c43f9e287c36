//! A receiver whose processor is full: its program reads slowly, so that its window is small and its Recv-Q stays. All of that is one cause.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::hosts::machine::FULL;
use crate::items::{Item, step};
use crate::seen::Side;

/// A window that is known otherwise than by what was announced may hold as well where it leaves so many times the rate at most.
const MET: f64 = 1.3;

/// A round trip of so many times the least, while the receiving program is the limit, is of its reading, and not of the path. A choice.
const STRETCHED: f64 = 10.0;

impl Evidence {
    /// Whether a ceiling is a window over a round trip that a slow reader made, where this cause limits: once the program reads, the round
    /// trip is another.
    pub(crate) fn is_of_reading(&self, cause: Cause, limit: &Limit) -> bool {
        let windows = [
            Cause::ReceiveWindow,
            Cause::SendBuffer,
            Cause::NoWindowScaling,
        ];
        let reads = cause == Cause::Client || cause == Cause::Disk && self.disk_receives();
        let both = self.rtt_by_itself().zip(self.rtt_floor.as_ref());
        let stretched = both.is_some_and(|(rtt, floor)| rtt.value > STRETCHED * floor.value);
        reads && stretched && !self.udp && windows.contains(&limit.cause)
    }

    /// How surely a processor of the receiver is full, 0 to 1; 0 of datagrams, whose receiver announces no window.
    pub(crate) fn reads_slowly(&self) -> f64 {
        let of = |(side, _): &(Option<Side>, String)| *side == Some(Side::Receiver) && !self.udp;
        match (&self.cpu, self.cpu_of.as_ref().is_some_and(of)) {
            (Some(cpu), true) => step(cpu.value, FULL[0], FULL[1]),
            _ => 0.0,
        }
    }
}

/// What speaks for a program that does not read speaks for the processor that it fills. The program and its window are its symptoms.
pub(crate) fn by_slow_reader(e: &Evidence, items: &mut Vec<Item>) {
    let holds = e.reads_slowly();
    if holds <= 0.0 {
        return;
    }
    let mut shown = false;
    for item in items.iter_mut() {
        let client = item.weights.iter().find(|(c, _)| *c == Cause::Client);
        if let Some(weight) = client.map(|(_, w)| *w).filter(|w| *w > 0.0) {
            shown |= item.holds > 0.0;
            item.weights.push((Cause::HostCpu, weight * holds));
        }
    }
    let held = e.is_met_by_settings(MET);
    items.push(Item {
        holds,
        weights: vec![
            (Cause::Client, -20.0),
            (Cause::ReceiveWindow, if held { 0.0 } else { -30.0 }),
        ],
        sentence: String::new(),
    });
    items.push(Item {
        holds: if shown { holds } else { 0.0 },
        weights: vec![(Cause::HostCpu, 0.1)],
        sentence: "the receiver's processor is full, so that its program reads slowly: its window and its Recv-Q show that, and not a second cause".to_owned(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ceiling::limit;
    use crate::fact::{Figure, Place};

    /// A capture over a path of 23 us, whose round trips took 14 ms as the program read now and then.
    #[test]
    fn a_round_trip_of_a_slow_reader_bounds_no_window() {
        let figure = |value: f64| Figure::exact(value, Place::You);
        let of = |rtt: f64, floor: f64| Evidence {
            rtt: Some(figure(rtt)),
            rtt_floor: Some(figure(floor)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        let window = limit(Cause::ReceiveWindow, figure(37.68e6), String::new());
        let line = limit(Cause::Link, figure(1e9), String::new());
        let slow = of(14e-3, 23e-6);
        assert!(slow.is_of_reading(Cause::Client, &window));
        assert!(!slow.is_of_reading(Cause::Client, &line));
        assert!(!slow.is_of_reading(Cause::ReceiveWindow, &window));
        // Over a path as long as the round trip the window bounds what the program can get.
        assert!(!of(14e-3, 13e-3).is_of_reading(Cause::Client, &window));
    }
}
