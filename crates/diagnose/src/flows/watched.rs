//! Two readings of a socket, and how long its user waited between them, by `sleep` or by two lines of `date`: what it carried in that time, and
//! for how much of it it was at work.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Figure, Of, Place};
use crate::flows::flow::Flow;
use crate::items::{Item, step};
use crate::read::Facts;
use crate::read::ss::SLEPT;
use crate::seen::Side;

/// What the commands beside the waiting take at most, seconds.
const BESIDE_S: f64 = 0.5;

/// By how much the whole seconds of two dates are off at most, and from how many on they say a rate.
const GRAIN_S: f64 = 1.0;
const DATED_LEAST_S: f64 = 5.0;

/// Less than this says no rate, bytes.
const BYTES_LEAST: f64 = 1e5;

/// What a socket did between two readings.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    bytes: f64,
    /// How long its user waited, and for how long of that it had something to send, seconds.
    seconds: f64,
    busy_s: Option<f64>,
}

/// The last two figures of this name that were said of a socket.
fn last_two<'f>(facts: &'f Facts, of: Of, name: &str) -> Option<[&'f Figure; 2]> {
    let own = facts.facts.iter().filter(|f| f.of == of && f.name == name);
    let mut figures = own.filter_map(Fact::number).rev();
    let last = figures.next()?;
    Some([figures.next()?, last])
}

/// How long was waited between two figures of one text, seconds: at least, by what is said, and at most.
fn waited(facts: &Facts, both: [&Figure; 2]) -> Option<[f64; 3]> {
    if let Some(slept) = slept(facts, both) {
        return Some([slept, slept, slept + BESIDE_S]);
    }
    let at = |figure: &Figure| figure.from.first().copied();
    let seconds = facts.moments.seconds_between(at(both[0])?, at(both[1])?)?;
    (seconds >= DATED_LEAST_S).then_some([seconds - GRAIN_S, seconds, seconds + GRAIN_S])
}

/// How long `sleep` waited between two figures of one text, seconds.
fn slept(facts: &Facts, [before, last]: [&Figure; 2]) -> Option<f64> {
    let line = |at: Place| match at {
        Place::Line(source, line) => Some((source, line)),
        _ => None,
    };
    let place = |f: &Figure| f.from.first().and_then(|at| line(*at));
    let ((source, from), (other, until)) = (place(before)?, place(last)?);
    let is_between = |at: Place| {
        let own = |(s, n): (u32, u32)| s == source && n > from && n < until;
        line(at).is_some_and(own)
    };
    let waits = facts.facts.iter().filter(|f| f.name == SLEPT);
    let waits = waits.filter(|f| is_between(f.at)).filter_map(Fact::number);
    let seconds: f64 = waits.map(|f| f.value).sum();
    (source == other && seconds > 0.0).then_some(seconds)
}

impl Evidence {
    /// Takes the rate of a flow's only socket from two readings, where its user waited between them; whether that is known.
    pub(crate) fn between_readings(&mut self, facts: &Facts, flow: &Flow) -> bool {
        let watched = self.watch(facts, flow);
        self.watched = watched;
        self.watched.is_some()
    }

    fn watch(&mut self, facts: &Facts, flow: &Flow) -> Option<Watched> {
        if facts.latest(Of::Path, SLEPT).is_none() && facts.moments.is_empty() {
            return None;
        }
        let [socket] = flow.sockets[..] else {
            return None;
        };
        let of = Of::Socket(socket);
        let acked = last_two(facts, of, "bytes_acked")?;
        let [least, seconds, most] = waited(facts, acked)?;
        let grew = |[before, last]: [&Figure; 2]| last.value - before.value;
        let bytes = Some(grew(acked)).filter(|b| *b > BYTES_LEAST)?;
        let busy = last_two(facts, of, "busy_ns").map(|both| grew(both) * NS);
        let busy_s = busy.filter(|s| *s >= 0.0).map(|s| s.min(seconds));
        let at = acked[1].from.first().copied()?;
        let rate = |seconds: f64| bytes * 8.0 / seconds;
        self.rate = Some(Figure::between(rate(seconds), rate(most), rate(least), at));
        self.side = Some(Side::Sender);
        self.bytes = Some(Figure::exact(bytes, at));
        self.busy_share = busy_s.map(|busy| Figure::exact(busy / seconds, at));
        Some(Watched {
            bytes,
            seconds,
            busy_s,
        })
    }
}

/// What two readings show, and what the only rate is of where there is one.
pub(crate) fn by_readings(e: &Evidence, items: &mut Vec<Item>) {
    let alone = e.worked.filter(|(_, busy)| e.seconds == Some(*busy));
    let (holds, weights, sentence) = match (&e.watched, alone) {
        (Some(of), _) => {
            let Some(busy) = of.busy_s.filter(|busy| *busy > 0.0) else {
                return;
            };
            let text = format!(
                "between two readings {:.0} s apart it carried {}, {}: it had something to send for {busy:.1} s of that, and went at {} meanwhile",
                of.seconds,
                bytes(of.bytes),
                bps(of.bytes * 8.0 / of.seconds),
                bps(of.bytes * 8.0 / busy)
            );
            let idle = 1.0 - step(busy / of.seconds, 0.5, 0.8);
            (idle, vec![(Cause::Application, 10.0)], text)
        }
        (None, Some((_, busy))) if e.app_limited.is_some() => (
            1.0,
            Vec::new(),
            format!(
                "the rate is of the {busy:.1} s in which the socket was busy: over all its time, which no text says, it is less. sleep 10 between two ss shows it"
            ),
        ),
        _ => return,
    };
    items.push(Item {
        holds,
        weights,
        sentence,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 912 MB in 31.2 s of work: that is not all the time, and is said where the kernel marks it.
    #[test]
    fn a_rate_of_the_busy_time_is_said_to_be_one() {
        let of = |app_limited: Option<Place>| {
            let e = Evidence {
                worked: Some((912e6, 31.2)),
                seconds: Some(31.2),
                app_limited,
                ..Evidence::default()
            };
            let mut items = Vec::new();
            by_readings(&e, &mut items);
            items.pop().map_or(String::new(), |item| item.sentence)
        };
        let text = of(Some(Place::You));
        assert!(
            text.contains("31.2 s in which the socket was busy"),
            "{text}"
        );
        assert_eq!(of(None), "");
    }
}
