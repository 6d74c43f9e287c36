//! Ethernet ports that chose a lower speed than the line's: a rate that is what such a port leaves for payload shows one on the way.

use crate::cause::Cause;
use crate::ceiling::{bps, payload_share};
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::items::{Item, JUMBO};
use crate::lines::group::MEMBERS;

/// Speeds that Ethernet ports choose between, bit/s.
pub(crate) const SPEEDS: [f64; 7] = [10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9];

/// A full port leaves for payload what its frames have room for, within this: rounding, a first second, and the 12 bytes of timestamps,
/// 0.8 %, which not every host sends.
const FULL_PORT: [f64; 2] = [0.985, 1.01];

impl Evidence {
    /// The speed, half the line's at most, of an Ethernet port that this rate fills to the percent, bit/s; none where the rate jumps. Datagrams
    /// fill it by what arrives of them.
    pub(crate) fn lower_port(&self) -> Option<f64> {
        if self.udp {
            return self.slower_line_of_datagrams();
        }
        // A shaper that is stated, and full, needs no port of its rate.
        let free = self.is_even() && !self.is_shaped();
        let line = self.line.as_ref()?.0.value;
        let rate = self.rate.as_ref().filter(|_| free)?.value;
        // A sender may count what its socket took.
        let late = self.late().filter(|late| *late < 1.1 * rate);
        let rate = late.unwrap_or(rate);
        let most = self.steady.iter().copied().fold(0.0, f64::max) - self.peak_grain;
        let fills = |speed: f64, mss: f64| {
            let leaves = payload_share(mss);
            let share = rate / (speed * leaves);
            // No interval is faster than the port, whatever the middle one is.
            let near = share > FULL_PORT[0] && share < FULL_PORT[1];
            near && most < (leaves + SLACK) * speed && !self.is_near_by_chance(leaves * speed)
        };
        let fills = |speed: &f64| self.segments(*speed).any(|mss| fills(*speed, mss));
        let all = SPEEDS.into_iter().rev();
        let lower = all.filter(|speed| speed * 2.0 <= line).find(fills)?;
        // A port at half duplex leaves any rate: that it is what a port of another speed leaves is chance.
        let ports = &self.around.ports;
        let other = self.half_duplex.is_some() && ports.run_at_others(lower);
        // So it is where one that is faster drops what is sent again, and has room.
        let other = other || ports.drop_below_full(self) > 0.5;
        // Who gave the line knows of no slower port, and a full processor explains the rate without one.
        let given = self.line.as_ref()?.0.from.contains(&Place::You);
        let other = other || given && self.is_held_by_core();
        (!other).then_some(lower)
    }

    /// How large segments may be on a port of this speed, bytes: where nobody said it, and intervals show the rate, those of jumbo
    /// frames, too.
    pub(crate) fn segments(&self, speed: f64) -> impl Iterator<Item = f64> + use<> {
        let jumbo = !self.mss_said && speed >= MEMBERS && self.late().is_some();
        [self.mss].into_iter().chain(jumbo.then_some(JUMBO))
    }
}

/// An interval may be so much of a port's speed above what it leaves for payload, by where writes end.
const SLACK: f64 = 0.03;

/// The rate is what a port of a lower speed leaves: one on the way chose it.
pub(crate) fn by_lower_port(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(speed), Some((line, _)), Some(rate)) = (e.lower_port(), &e.line, &e.rate) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Link, 3.0)],
        sentence: format!(
            "{} is what Ethernet at {} leaves for payload: {}",
            bps(e.settled().map_or(rate.value, |r| r.value)),
            bps(speed),
            e.lower_port_in_words(speed, line.value)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Figure;

    /// 9.41 Gbit/s beneath a line of 25 Gbit/s: what a port of 10 Gbit/s leaves.
    #[test]
    fn beneath_a_line_that_was_given_a_full_processor_needs_no_slower_port() {
        let of = |from: Place, busy: f64| Evidence {
            rate: Some(Figure::exact(9.41e9, Place::Line(0, 1))),
            line: Some((Figure::exact(25e9, from), "the line")),
            cpu: Some(Figure::exact(busy, Place::Line(0, 2))),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        assert_eq!(of(Place::You, 1.0).lower_port(), None);
        assert_eq!(of(Place::You, 0.4).lower_port(), Some(10e9));
        assert_eq!(of(Place::Line(0, 3), 1.0).lower_port(), Some(10e9));
    }
}
