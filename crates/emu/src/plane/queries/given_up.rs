//! Queries that arrived, to which nothing came back, and that were followed by another one: by their times alone, whatever their bytes are.
//!
//! A program that asks again as soon as it is answered has waited for an answer where it sends after a silence. Who sends at times of its own is
//! seldom prompt, and waits for none. A datagram that is not to be answered, between queries, has the same shape.

use farpath_units::{Duration, Time};

/// An end that asks so soon after an answer, as a part of the time since it last asked, has waited for it.
const PROMPT: u64 = 8;

/// A silence is that of an answer which does not come where it is so many times the longest that an answer took.
const LONG: u64 = 4;

/// Silences are of queries where for each of them so many were answered and followed at once, at least one in two.
const PER_PROMPT: u64 = 2;

/// So many are kept: further ones are not counted.
const KEPT: usize = 1 << 10;

/// What a host sent to an end that answers.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenUp {
    /// When it last asked, whether that has arrived, and when it had the answer.
    asked: Option<Time>,
    is_there: bool,
    heard: Option<Time>,
    /// The longest that an answer took, and how often the host asked as soon as it had one.
    longest: Duration,
    prompt: u64,
    /// From when until when nothing came back.
    silences: Vec<(Time, Time)>,
}

impl GivenUp {
    /// The host sends a datagram: one of the same bytes as one before it, or not.
    pub(super) fn asks(&mut self, is_again: bool, now: Time) {
        if let Some(asked) = self.asked {
            match self.heard {
                Some(heard) if now.since(heard).times(PROMPT) <= now.since(asked) => {
                    self.prompt += 1;
                }
                None if self.is_there && !is_again && self.silences.len() < KEPT => {
                    self.silences.push((asked, now));
                }
                _ => {}
            }
        }
        (self.asked, self.is_there, self.heard) = (Some(now), false, None);
    }

    /// What it sent has arrived.
    pub(super) fn arrived(&mut self) {
        self.is_there = true;
    }

    /// The answer to what it asked at an instant has come.
    pub(super) fn hears(&mut self, asked: Time, now: Time) {
        self.longest = self.longest.max(now.since(asked));
        if self.asked == Some(asked) {
            self.heard = Some(now);
        }
    }

    /// The silences of queries, where so many datagrams that arrived have no answer, at most.
    pub(super) fn known(&self, most: u64) -> Vec<(Time, Time)> {
        let least = self.longest.times(LONG);
        let silences = self.silences.iter().copied();
        let long: Vec<(Time, Time)> = silences
            .filter(|(from, to)| to.since(*from) >= least)
            .collect();
        let count = long.len() as u64;
        match count <= most && count <= self.prompt * PER_PROMPT {
            true => long,
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Twenty queries that are answered after 80 ms, each followed so long after its answer by one to which nothing comes back for a time.
    fn silent(pauses: u64, silence: u64) -> GivenUp {
        let mut given_up = GivenUp::default();
        let mut t = 7;
        for _ in 0..20 {
            given_up.asks(false, at(t));
            given_up.arrived();
            given_up.hears(at(t), at(t + 80));
            t += 80 + pauses;
            given_up.asks(false, at(t));
            given_up.arrived();
            t += silence;
        }
        given_up
    }

    #[test]
    fn a_silence_of_a_program_that_asks_at_once_is_a_query_without_an_answer() {
        let known = |pauses, silence, most| silent(pauses, silence).known(most).len();
        assert_eq!(known(1, 500, 20), 19);
        assert_eq!(known(1, 500, 3), 0, "they were answered late");
        assert_eq!(known(300, 500, 20), 0, "at times of its own");
        assert_eq!(known(1, 200, 20), 0, "an answer may take so long");
        let first = silent(1, 500).known(20)[0];
        assert_eq!(first, (at(7 + 81), at(7 + 581)));
    }

    /// What is lost on its way, and what is asked again by the same bytes, which is counted by these.
    #[test]
    fn what_has_another_reason_is_no_silence() {
        let of = |is_there: bool, is_again: bool| {
            let mut given_up = silent(1, 500);
            let before = given_up.silences.len();
            given_up.asks(false, at(100_000));
            if is_there {
                given_up.arrived();
            }
            given_up.asks(is_again, at(100_500));
            given_up.silences.len() - before - 1
        };
        assert_eq!(
            (of(true, false), of(false, false), of(true, true)),
            (1, 0, 0)
        );
    }
}
