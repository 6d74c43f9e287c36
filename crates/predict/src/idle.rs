//! Answers of one size on a connection that is idle before each of them, round by round.
//!
//! A rounds model, as [`crate::slow_start`]: an answer of S segments takes a round trip for each window that is too small for
//! what is left of it and for the path. The last part goes at the path's rate, or in whole flights where the ends hold the window.
//! Nothing is lost, and slow start goes on. Answers that are asked for before others are there go segment by segment, see [`Answers::several`].

use std::collections::VecDeque;

use crate::slow_start;

/// What an idle time longer than the retransmission timeout does to the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Nothing.
    Never,
    /// It falls to the initial window at most (RFC 5681 §4.1).
    Initial,
    /// It is halved for each timeout in the idle time, and not below the initial window (Linux, after RFC 2861 §3.2, obsoleted by RFC 7661).
    Halved,
}

/// Flights of a window that the ends hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flights {
    /// Time of a segment within a flight, at the line's rate, in seconds; above 0.
    pub segment_s: f64,
    /// From a full flight to the next one, in seconds.
    pub apart_s: f64,
}

/// So many answers are followed one by one at most.
const LOOKED_AT: u64 = 10_000;

/// So many segments are followed one by one at most.
const SEGMENTS: u64 = 100_000;

/// Answers that follow each other on one connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// Segments of an answer; above 0.
    pub segments: f64,
    /// Initial window in segments; above 0.
    pub initial: f64,
    /// Segments for each ACK that lets the window grow by one; above 0.
    pub segments_per_ack: f64,
    /// From where on slow start is limited, in segments (RFC 3742), if it is.
    pub max_ssthresh: Option<f64>,
    /// Window that fills the path, or what the ends let be in flight where that is less, in segments; above 0.
    pub full: f64,
    /// Round trip of a full segment, in seconds.
    pub rtt_s: f64,
    /// Time of a segment at the path's rate, in seconds.
    pub segment_s: f64,
    /// How flights leave where the ends let less be in flight than the path holds; `None` where the path is full before.
    pub flights: Option<Flights>,
    /// From the end of an answer's sending to the next request, nothing waiting: a round trip and the thinking, in seconds.
    pub pause_s: f64,
    /// Retransmission timeout of a path with nothing waiting, in seconds; above 0.
    pub timeout_s: f64,
    /// What a longer pause does.
    pub restart: Restart,
}

impl Answers {
    /// Mean time from the first segment of an answer to the last, in seconds, once the windows of answers recur.
    pub fn mean_s(&self) -> f64 {
        let mut begun: Vec<f64> = Vec::new();
        let mut times = Vec::new();
        let mut window = self.initial;
        loop {
            if let Some(first) = begun.iter().position(|w| *w == window) {
                let cycle = &times[first..];
                return cycle.iter().sum::<f64>() / cycle.len() as f64;
            }
            begun.push(window);
            let (time, next) = self.answer(window);
            times.push(time);
            window = next;
        }
    }

    /// Mean time from the first segment of an answer to the last, in seconds, of those of the first `most` on the connection that end
    /// between `from_s` and `until_s` after the first one's first segment; `between_s` passes from the end of one to the first segment
    /// of the next. Where none does, that of the first. Beyond ten thousand the windows recur.
    pub fn mean_between(&self, (from_s, until_s): (f64, f64), between_s: f64, most: u64) -> f64 {
        let (mut window, mut elapsed) = (self.initial, 0.0);
        let (mut sum, mut count) = (0.0, 0_u64);
        let first = self.answer(window).0;
        for _ in 0..most.min(LOOKED_AT) {
            let (time, next) = self.answer(window);
            window = next;
            elapsed += time;
            if elapsed >= until_s {
                break;
            }
            if elapsed >= from_s {
                (sum, count) = (sum + time, count + 1);
            }
            elapsed += between_s;
        }
        match count {
            0 => first,
            LOOKED_AT => self.mean_s(),
            count => sum / count as f64,
        }
    }

    /// Answers that are asked for before others are there: `outstanding` at first, and one more for each that has come, `between_s` after the
    /// end of its sending. The window is of all together: what is asked for and does not fit it waits for a round trip. Short ones share a
    /// segment. Both counts are at least 1. How many of `count` were followed, those of the first hundred thousand segments, and the time from
    /// the first segment to the last one of these, in seconds.
    pub fn several(&self, outstanding: u64, count: u64, between_s: f64) -> (u64, f64) {
        let together = libm::floor(1.0 / self.segments).clamp(1.0, SEGMENTS as f64) as u64;
        let segments = self.segments * together as f64;
        let whole = libm::ceil(segments - 1e-9).max(1.0) as u64;
        let line_s = self.flights.map_or(self.segment_s, |f| f.segment_s);
        let mut sending = Sending::of(self, line_s * segments / whole as f64);
        let under_way = outstanding.div_ceil(together);
        let (mut ends, mut followed) = (VecDeque::new(), 0);
        while followed < count && sending.left.len() as u64 + whole <= SEGMENTS {
            let asked = match ends.len() as u64 >= under_way {
                true => ends.pop_front().map_or(0.0, |end: f64| end + between_s),
                false => 0.0,
            };
            (0..whole).for_each(|_| sending.send(asked));
            ends.push_back(sending.free_s());
            followed = count.min(followed + together);
        }
        let first = sending.left.first().copied().unwrap_or(0.0);
        (followed, sending.free_s() - first)
    }

    /// The time of an answer that begins with `window` segments, and the window of the next one.
    fn answer(&self, mut window: f64) -> (f64, f64) {
        let growth = |window, acked| {
            slow_start::growth(window, acked, self.segments_per_ack, self.max_ssthresh)
        };
        let (mut left, mut rounds) = (self.segments, 0.0);
        while window < self.full && window < left {
            left -= window;
            rounds += 1.0;
            window += growth(window, window);
        }
        let time = rounds * self.rtt_s + self.rest_s(left);
        let held = self.flights.is_some();
        let in_flight = if held { left.min(self.full) } else { left };
        // What waits in front of the path when the last segment is sent.
        let queued_s = match self.flights {
            Some(flights) => in_flight * flights.segment_s,
            None if window < left => (window - self.full) * self.segment_s,
            None => left * self.segment_s,
        };
        // What follows other flights of its answer goes as cwnd lets it, and all of it makes cwnd grow. Where an answer is one flight, or
        // the ends hold it back, slow start goes on to twice what has been in flight (Linux, after RFC 7661).
        let by_cwnd = rounds > 0.0 && !(held && left > self.full);
        let most = match by_cwnd {
            true => f64::INFINITY,
            false => window.max(2.0 * in_flight),
        };
        let grown = (window + growth(window, left)).min(most);
        (time, self.restarted(grown, queued_s))
    }

    /// From the first of the last `left` segments to the last one, in a window that holds them or is full.
    fn rest_s(&self, left: f64) -> f64 {
        let Some(flights) = self.flights else {
            return (left - 1.0).max(0.0) * self.segment_s;
        };
        let full = libm::round(self.full).max(1.0);
        let more = (libm::ceil(left / full) - 1.0).max(0.0);
        more * flights.apart_s + (left - more * full - 1.0).max(0.0) * flights.segment_s
    }

    /// The window after an idle time. The queue that the last segment met is in the idle time, and also in the smoothed round
    /// trip, an eighth of which comes from each sample (RFC 6298 §2.3), and so in the timeout.
    fn restarted(&self, window: f64, queued_s: f64) -> f64 {
        self.after_idle(window, self.pause_s + queued_s, self.timeout_s + queued_s)
    }

    /// The window after an idle time with this timeout.
    fn after_idle(&self, window: f64, idle_s: f64, timeout_s: f64) -> f64 {
        if idle_s <= timeout_s {
            return window;
        }
        let floor = window.min(self.initial);
        match self.restart {
            Restart::Never => window,
            Restart::Initial => floor,
            Restart::Halved => {
                let halvings = libm::ceil(idle_s / timeout_s) - 1.0;
                floor.max(libm::floor(window * libm::exp2(-halvings)))
            }
        }
    }
}

/// A connection that sends segments when they are asked for, as its window and the path let it.
struct Sending<'a> {
    answers: &'a Answers,
    segment_s: f64,
    window: f64,
    /// When each segment was sent as a whole, in seconds.
    left: Vec<f64>,
    /// Of how many the ACKs have come.
    acked: usize,
    /// Most that were in flight.
    most: f64,
    /// When the last segment was handed to the path.
    sent_s: f64,
}

impl<'a> Sending<'a> {
    /// Nothing is sent yet; a segment takes `segment_s` on the path.
    fn of(answers: &'a Answers, segment_s: f64) -> Sending<'a> {
        Sending {
            answers,
            segment_s,
            window: answers.initial,
            left: Vec::new(),
            acked: 0,
            most: 0.0,
            sent_s: 0.0,
        }
    }

    /// When the path has sent all of it, in seconds.
    fn free_s(&self) -> f64 {
        self.left.last().copied().unwrap_or(0.0)
    }

    /// Sends the next segment, which is there at `asked`.
    fn send(&mut self, asked: f64) {
        let answers = self.answers;
        let held = answers.flights.map_or(f64::INFINITY, |_| answers.full);
        let mut at = asked.max(self.sent_s);
        while let Some(left) = self.left.get(self.acked) {
            let heard = left - self.segment_s + answers.rtt_s;
            let in_flight = (self.left.len() - self.acked) as f64;
            let fits = in_flight < libm::floor(self.window.min(held)).max(1.0);
            if fits && heard > at {
                break;
            }
            at = at.max(heard);
            self.acked += 1;
            // Slow start goes on to twice what has been in flight (Linux, after RFC 7661).
            if self.window < 2.0 * self.most {
                let (each, most) = (answers.segments_per_ack, answers.max_ssthresh);
                self.window += slow_start::growth(self.window, 1.0, each, most);
            }
        }
        if self.acked == self.left.len() {
            let queued_s = (self.free_s() - self.sent_s).max(0.0);
            let timeout_s = answers.timeout_s + queued_s;
            self.window = answers.after_idle(self.window, at - self.sent_s, timeout_s);
        }
        self.left.push(at.max(self.free_s()) + self.segment_s);
        self.sent_s = at;
        self.most = self.most.max((self.left.len() - self.acked) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 141 segments over 600 ms at 50 Mbit/s with a pause of 1.6 s and a timeout of 0.8 s: a request each second of thinking.
    const SATELLITE: Answers = Answers {
        segments: 141.0,
        initial: 10.0,
        segments_per_ack: 1.0,
        max_ssthresh: None,
        full: 2438.0,
        rtt_s: 0.6,
        segment_s: 0.000_246,
        flights: None,
        pause_s: 1.6,
        timeout_s: 0.8,
        restart: Restart::Halved,
    };

    fn rounds(answers: Answers) -> f64 {
        (answers.mean_s() / answers.rtt_s).floor()
    }

    #[test]
    fn an_idle_time_costs_the_rounds_of_its_restart() {
        // 141 fit a window that has grown beyond them.
        let never = Answers {
            restart: Restart::Never,
            ..SATELLITE
        };
        assert_eq!(never.mean_s(), 140.0 * never.segment_s);
        // RFC 5681 §4.1: 10, 20, 40, and then 71 of 80.
        let initial = Answers {
            restart: Restart::Initial,
            ..SATELLITE
        };
        assert_eq!(rounds(initial), 3.0);
        // No timeout in the pause: nothing restarts.
        let short = Answers {
            pause_s: 0.7,
            ..initial
        };
        assert_eq!(short.mean_s(), never.mean_s());
    }

    #[test]
    fn a_window_is_halved_for_each_timeout_and_not_below_the_initial_one() {
        let paused = |pause_s| {
            rounds(Answers {
                pause_s,
                ..SATELLITE
            })
        };
        // Twice 141 at most: half of that is an answer.
        assert!(paused(0.9) <= 1.0);
        assert!((1.0..=2.0).contains(&paused(1.8)));
        assert!(paused(1.8) <= paused(3.0));
        // As many halvings as there could be: RFC 5681's rounds.
        assert_eq!(paused(60.0), 3.0);
    }

    /// 10, 20, 40 and then 71 of 80 segments: the first answer takes three rounds and 70 segments, and those after it 140 segments.
    #[test]
    fn the_first_answers_count_as_they_are() {
        let never = Answers {
            restart: Restart::Never,
            ..SATELLITE
        };
        let first = 3.0 * 0.6 + 70.0 * never.segment_s;
        let all = (0.0, f64::INFINITY);
        assert!((never.mean_between(all, 1.6, 1) - first).abs() < 1e-12);
        let four = (first + 3.0 * 140.0 * never.segment_s) / 4.0;
        assert!((never.mean_between(all, 1.6, 4) - four).abs() < 1e-12);
        // The second ends 1.6 s and its own time after the first; what ends later does not count, nor what ended before.
        let until = first + 1.7;
        assert!(
            (never.mean_between((0.0, until), 1.6, 9) - (first + 140.0 * never.segment_s) / 2.0)
                .abs()
                < 1e-12
        );
        assert!((never.mean_between((2.0, until), 1.6, 9) - 140.0 * never.segment_s).abs() < 1e-12);
        assert_eq!(never.mean_between((0.0, 0.1), 1.6, 9), first);
        assert_eq!(never.mean_between(all, 1.6, u64::MAX), never.mean_s());
    }

    /// 346 segments over 100 ms: 310 in flights of 10 to 160, and 36 of 320. All 346 are acknowledged and make cwnd 356, which holds the
    /// second answer. It was taken for 320, and each second answer had a round trip too many. What is one flight of 300 lets cwnd of 310
    /// grow to 600 at most.
    #[test]
    fn the_last_flight_of_an_answer_makes_the_window_grow() {
        let line = Answers {
            segments: 346.0,
            full: 8000.0,
            rtt_s: 0.1,
            segment_s: 12.5e-6,
            restart: Restart::Never,
            ..SATELLITE
        };
        let (first, window) = line.answer(10.0);
        assert!((first - 0.5 - 35.0 * 12.5e-6).abs() < 1e-12, "{first}");
        assert_eq!(window, 356.0);
        assert!((line.answer(window).0 - 345.0 * 12.5e-6).abs() < 1e-12);
        let one_flight = Answers {
            segments: 300.0,
            ..line
        };
        assert_eq!(one_flight.answer(310.0).1, 600.0);
    }

    /// A window of 100 segments that the ends hold, of 1000 that fill the path: 80 go at the line's rate at once, and 250 are three
    /// flights, of which the last has 50.
    #[test]
    fn a_window_that_the_ends_hold_leaves_in_flights() {
        let of = |segments: f64| {
            let held = Answers {
                segments,
                full: 100.0,
                rtt_s: 0.1,
                segment_s: 0.001,
                flights: Some(Flights {
                    segment_s: 0.0001,
                    apart_s: 0.101,
                }),
                restart: Restart::Never,
                ..SATELLITE
            };
            held.mean_s()
        };
        assert!((of(80.0) - 79.0 * 0.0001).abs() < 1e-12);
        assert!((of(250.0) - 2.0 * 0.101 - 49.0 * 0.0001).abs() < 1e-12);
    }

    /// 30 answers of 14 segments at once are 420: 10, 20, 40, 80, 160 and 110, each a round trip after the one before.
    #[test]
    fn answers_asked_for_at_once_share_a_slow_start() {
        let page = Answers {
            segments: 14.0,
            segment_s: 1e-6,
            restart: Restart::Never,
            ..SATELLITE
        };
        let (all, seconds) = page.several(30, 30, 0.6);
        assert_eq!(all, 30);
        assert!((seconds - 5.0 * 0.6).abs() < 1e-3, "{seconds}");
        // More than are asked for in all change nothing.
        assert_eq!(page.several(60, 30, 0.6), (30, seconds));
        // Six at a time: 10, 20, 40 and 80, then what the answers of the round before have asked for, in eight rounds.
        let (_, six) = page.several(6, 30, 0.6);
        assert!((six - 7.0 * 0.6).abs() < 1e-3, "{six}");
        // A window that holds all of them at once: each six take a round trip.
        let wide = Answers {
            initial: 1000.0,
            ..page
        };
        let (_, rounds) = wide.several(6, 30, 0.6);
        assert!((rounds - 4.0 * 0.6).abs() < 1e-3, "{rounds}");
        // A hundred short ones are two segments.
        let short = Answers {
            segments: 0.02,
            ..page
        };
        let (all, at_once) = short.several(100, 100, 0.6);
        assert!(all == 100 && at_once < 1e-3, "{all}, {at_once}");
    }

    /// One at a time is as without others.
    #[test]
    fn one_answer_at_a_time_is_the_same_round_by_round_and_segment_by_segment() {
        let never = Answers {
            restart: Restart::Never,
            ..SATELLITE
        };
        let by_round = never.mean_between((0.0, f64::INFINITY), 1.6, 4) * 4.0 + 3.0 * 1.6;
        let (_, by_segment) = never.several(1, 4, 1.6);
        assert!(
            (by_round / by_segment - 1.0).abs() < 0.02,
            "{by_round}, {by_segment}"
        );
    }

    #[test]
    fn a_full_path_is_the_limit_whatever_the_window() {
        let long = Answers {
            segments: 100_000.0,
            restart: Restart::Never,
            ..SATELLITE
        };
        assert_eq!(long.mean_s(), 99_999.0 * long.segment_s);
    }
}
