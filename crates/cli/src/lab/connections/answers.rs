//! An answer in many pieces at the end of a connection, as of a server that sends word by word: whether the command waited for them.
//!
//! Frames do not say it: a program that does other work meanwhile sends as little as one that waits for the rest. The call that the
//! command's program slept in says it.

use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::Watched;
use crate::lab::cause::Cause;
use crate::lab::sender::SENDERS;
use crate::lab::waits::Waits;

/// A shorter time between pieces is not named.
const NAMED: Duration = Duration::from_secs(1);

/// An answer of the server in many pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    /// Time that the server took between them.
    paused: Duration,
    /// The command's program slept until something came; none where nobody saw what it slept in.
    is_awaited: Option<bool>,
    /// What the command's end waited for, with these pieces where it is known that it waited for them.
    judged: Waits,
}

impl Pieces {
    /// Of the end of a host that has this number, and the command's end; none where the server did not answer it so.
    pub(super) fn of((host, waits): (usize, &Waits), command: Option<&Watched>) -> Option<Pieces> {
        let streamed = waits.streamed().filter(|_| host == 0)?;
        let is_awaited = command.and_then(|c| c.slept_for_data(streamed.from, streamed.until));
        Some(Pieces {
            paused: streamed.handing.paused,
            is_awaited,
            judged: match is_awaited {
                Some(true) => waits.with_streamed(),
                _ => *waits,
            },
        })
    }

    /// What the command's end waited for.
    pub(super) fn judged(&self) -> &Waits {
        &self.judged
    }

    /// That it is unknown, beside the largest cause, in words; empty where it is not.
    pub(super) fn words(&self, cause: Option<Cause>) -> String {
        let is_idle = cause == Some(Cause::Limit(Limit::Application));
        if self.is_awaited.is_some() || self.paused < NAMED || !is_idle {
            return String::new();
        }
        let [command, server] = SENDERS;
        format!(
            "; for {:.1} s {server} had its last request, and answered in pieces; whether {command} waited for them is unknown: nobody saw what \
             it slept in",
            self.paused.as_secs_f64()
        )
    }
}

impl Watched {
    /// Whether its program slept until something came, in half of the samples between two instants or more that say it; none where none does.
    fn slept_for_data(&self, from: Time, until: Time) -> Option<bool> {
        let samples = self.samples.iter().zip(&self.ends);
        let within = samples.filter(|(sample, _)| (from..=until).contains(&sample.t));
        let seen: Vec<bool> = within.filter_map(|(_, end)| end.awaits).collect();
        let waited = seen.iter().filter(|awaits| **awaits).count();
        (!seen.is_empty()).then_some(2 * waited >= seen.len())
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Handing, Streamed, Turns};

    use super::*;
    use crate::lab::connections::Connections;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A request of 10 kB and thirty words of an answer, 100 ms apart, by samples of the command's end each 100 ms: its program `awaits` data in
    /// them, or not, or nobody sees it.
    fn told(awaits: Option<bool>) -> String {
        let mut connections = Connections::across([500_000; 2]);
        let ends = ["198.18.0.1:40000", "198.18.0.2:8080"];
        for n in 1..=31 {
            let text = format!(
                "ESTAB 0 0 {} {}\n\t cubic mss:1428 cwnd:10 bytes_sent:10000 bytes_acked:10000 busy:90ms app_limited\n",
                ends[0], ends[1]
            );
            let mut listed = read_all(at(100 * n), &text);
            (listed[0].1.end.awaits, listed[0].1.end.is_left) = (awaits, false);
            connections.note(at(100 * n), 0, listed);
        }
        connections.take_turns(&Turns {
            begun: Some(at(10)),
            span: Duration::from_ms(3090),
            way: Duration::from_ms(40),
            streamed: Some(Streamed {
                end: 1,
                from: at(100),
                until: at(3000),
                handing: Handing {
                    paused: Duration::from_ms(2900),
                    ..Handing::default()
                },
            }),
            ..Turns::between(ends.map(|end| end.parse().expect(end)))
        });
        connections.told([None, None]).expect("there is one").line
    }

    #[test]
    fn a_server_that_answers_word_by_word_is_waited_for() {
        let waited = told(Some(true));
        assert!(
            waited.contains("your command waited for the server 9"),
            "{waited}"
        );
        let busy = told(Some(false));
        assert!(busy.contains("your command limited it"), "{busy}");
        assert!(!busy.contains("unknown"), "{busy}");
        let unseen = told(None);
        let words = "; for 2.9 s the server had its last request, and answered in pieces; whether your command waited for them is unknown";
        assert!(unseen.contains(words), "{unseen}");
    }
}
