//! A test of which the mean rate alone is known: slow start holds it down. A window or buffer that leaves more at least does not.

use crate::cause::Cause;
use crate::ceiling::{bps, in_flight, rounds};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::infer::UNDER;
use crate::items::Item;
use crate::windows::room::Room;

/// A part of a test's time below the first is lost in rounding. Above the second slow start is much of the test, and weighed as that.
const PART: [f64; 2] = [0.02, 0.2];

/// What slow start may take of a test of which nobody knows how long it was.
const UNSAID: f64 = 0.15;

/// Settings that usually leave so many times their least say nothing for a rate below that.
const USUALLY: f64 = 1.2;

/// A window or buffer that is full shows in even intervals as so many times less at most, and by so many segments, which need not be whole. Choices.
const LESS: f64 = 1.08;
const SEGMENTS: f64 = 4.0;

/// A round trip under load may be so much longer than pings found it, seconds, though no queue shows. A choice.
const LATER_S: f64 = 1e-3;

/// Most that is said of a window or buffer that leaves more than was measured: it is not a verdict.
const ABOVE: f64 = 0.39;

/// What such settings say less, decibans.
const AGAINST: f64 = -9.0;

impl Evidence {
    /// The part of a test's time in which slow start carries nothing of its rate, where the mean alone is known and nothing was lost. While a
    /// window doubles it sends as much as one round trip does later on.
    pub(crate) fn start_part(&self) -> Option<f64> {
        let lossless = self.retransmits.as_ref().is_some_and(|r| r.value <= 1.0);
        let mean_only = lossless && self.late().is_none() && !self.udp;
        let seconds = self.seconds.filter(|_| mean_only)?;
        let (rate, rtt) = (self.rate.as_ref()?, self.rtt_by_itself()?);
        let bytes = rate.value * rtt.value / 8.0;
        let part = rtt.value * (rounds(self, bytes) - 1.0) / seconds;
        (part > PART[0] && part < PART[1]).then_some(part)
    }

    /// The rate behind slow start, where the mean alone is known, bit/s.
    pub(crate) fn behind_start(&self) -> Option<f64> {
        Some(self.rate.as_ref()?.value / (1.0 - self.start_part()?))
    }

    /// What slow start takes of such a test, for people.
    pub(crate) fn start_in_words(&self) -> String {
        self.start_part().map_or_else(String::new, |part| {
            format!(
                "; slow start takes some {:.0} % of the test's time on this path",
                100.0 * part
            )
        })
    }

    /// What a window or buffer leaves by its settings, where that is more at its least than was measured, and nothing shows that it was waited
    /// for. It is a little more, though it usually is far more, or it is more than a full one shows in even intervals.
    fn leaves_more(&self, cause: Cause) -> Option<Figure> {
        let (rooms, waited) = match cause {
            Cause::SendBuffer => {
                let own = self.memory.set.is_some() || self.memory.at_usual_most;
                (&self.buffers, own || self.sndbuf_share.is_some())
            }
            Cause::ReceiveWindow => (&self.windows, self.waits_for_window()),
            _ => return None,
        };
        let (rate, rtt) = (self.settled()?, self.rtt_by_itself()?);
        let start = match self.late() {
            Some(_) => 0.0,
            None => self.start_part().unwrap_or(UNSAID),
        };
        let shown = self.late().is_some() && self.is_even() && !self.udp;
        let later = rtt.high / (rtt.high + LATER_S);
        let more = |(room, limit): &(&Room, Figure)| {
            let usually = (1.0 - start) * limit.value > USUALLY * limit.low;
            let less = LESS + SEGMENTS * self.mss / room.bytes.low.max(1.0);
            let full = !shown || room.asked || less * rate.high >= later * limit.low;
            rate.high < limit.low && (usually || !full)
        };
        let all = rooms.iter();
        let all = all.map(|r| (r, in_flight(cause, self, rtt, r).rate));
        let all: Vec<(&Room, Figure)> = all.collect();
        if waited || self.account.is_some() || !all.iter().all(more) {
            return None;
        }
        let rates = all.into_iter().map(|(_, limit)| limit);
        let least = rates.min_by(|a, b| a.low.total_cmp(&b.low));
        // What leaves far more does not meet the rate.
        least.filter(|least| rate.high >= UNDER * least.low)
    }

    /// The most that is said of a window or buffer: little where its settings leave more than was measured.
    pub(crate) fn at_most_of_room(&self, cause: Cause) -> f64 {
        match self.leaves_more(cause) {
            Some(_) => ABOVE,
            None => 1.0,
        }
    }
}

/// Weighs windows and buffers that leave more at least than was measured.
pub(crate) fn by_room(e: &Evidence, items: &mut Vec<Item>) {
    for cause in [Cause::ReceiveWindow, Cause::SendBuffer] {
        let Some((left, rate)) = e.leaves_more(cause).zip(e.settled()) else {
            continue;
        };
        items.push(Item {
            holds: 1.0,
            weights: vec![(cause, AGAINST)],
            sentence: format!(
                "{} leaves {} at least by its settings, and {} was measured: something else holds this flow, or held it for a part of the test",
                cause.words(),
                bps(left.low),
                bps(rate.value)
            ),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// 860 Mbit/s on average of 30 s over 241 ms, nothing lost, and a send buffer of 64 MiB of which 45 to 100 % is data.
    fn evidence() -> Evidence {
        let memory = 67_108_864.0;
        let bytes = Figure::between(0.7 * memory, 0.45 * memory, memory, Place::You);
        Evidence {
            rate: Some(Figure::exact(860e6, Place::You)),
            rtt: Some(Figure::exact(0.241, Place::You)),
            retransmits: Some(Figure::exact(0.0, Place::You)),
            seconds: Some(30.0),
            streams: 1.0,
            mss: 1448.0,
            buffers: vec![Room {
                bytes,
                memory: None,
                what: "net.ipv4.tcp_wmem".to_owned(),
                asked: false,
            }],
            ..Evidence::default()
        }
    }

    #[test]
    fn slow_start_takes_a_part_of_a_test_of_which_the_mean_is_known() {
        // 25.9 MB in flight are 1789 first windows of 14 480 bytes: 10.8 round trips of 241 ms, and as much as one of them sends.
        let part = evidence().start_part().expect("a part");
        assert!((part - 0.0788).abs() < 0.001, "{part}");
        let behind = evidence().behind_start().expect("a rate");
        assert!((behind / 933.5e6 - 1.0).abs() < 0.002, "{behind}");
        // Later intervals show the rate themselves, and losses end slow start.
        let logged = Evidence {
            steady: vec![900e6; 6],
            ..evidence()
        };
        assert_eq!(logged.start_part(), None);
        let lossy = Evidence {
            retransmits: Some(Figure::exact(40.0, Place::You)),
            ..evidence()
        };
        assert_eq!(lossy.start_part(), None);
    }

    /// 7.89 Gbit/s in even seconds over 60.02 ms, and a window of 64 to 96 MiB, which leaves 8.94 Gbit/s at least.
    #[test]
    fn a_window_that_leaves_more_than_even_intervals_show_is_not_named() {
        let window = |rate: f64, asked: bool| Evidence {
            rate: Some(Figure::exact(rate, Place::You)),
            rtt: Some(Figure::exact(0.060_02, Place::You)),
            steady: vec![rate; 8],
            buffers: Vec::new(),
            windows: vec![Room {
                bytes: Figure::between(73.8e6, 67_108_864.0, 100_663_296.0, Place::You),
                memory: None,
                what: "net.ipv4.tcp_rmem".to_owned(),
                asked,
            }],
            ..evidence()
        };
        let most = |e: &Evidence| e.at_most_of_room(Cause::ReceiveWindow);
        assert!(most(&window(7.8e9, false)) < 0.4);
        // A full one shows as a little less; what a program asked for is not known as well.
        assert_eq!(most(&window(8.6e9, false)), 1.0);
        assert_eq!(most(&window(7.8e9, true)), 1.0);
    }

    #[test]
    fn a_buffer_that_leaves_more_than_was_measured_is_not_named() {
        assert!(evidence().at_most_of_room(Cause::SendBuffer) < 0.4);
        let faster = Evidence {
            rate: Some(Figure::exact(1.1e9, Place::You)),
            ..evidence()
        };
        assert_eq!(faster.at_most_of_room(Cause::SendBuffer), 1.0);
        // What is far slower meets no such ceiling: nothing is said of it.
        let slower = Evidence {
            rate: Some(Figure::exact(200e6, Place::You)),
            ..evidence()
        };
        assert!(slower.leaves_more(Cause::SendBuffer).is_none());
        // A kernel that says that it was full is believed.
        let full = Evidence {
            sndbuf_share: Some(Figure::exact(0.9, Place::You)),
            ..evidence()
        };
        assert_eq!(full.at_most_of_room(Cause::SendBuffer), 1.0);
    }
}
