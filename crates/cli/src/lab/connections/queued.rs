//! How long a connection waited until the server's program took it: in the accept queue, where no program holds it yet.

use farpath_units::{Duration, Time};

use super::Watched;
use crate::lab::cause::Cause;
use crate::lab::seen::End;
use farpath_observe::Limit;

/// A wait that took a smaller share of a connection's time is not named.
const NAMED: f64 = 0.1;

/// What samples of one end say of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queued {
    /// The first and the last sample in which it waited, from its first sample on.
    waits: Option<(Time, Time)>,
    /// It has been taken, or it has ended.
    is_over: bool,
    /// How long it waited at least, where it was taken.
    time: Duration,
}

impl Queued {
    /// Another sample of it was taken at an instant.
    pub(super) fn sees(&mut self, now: Time, end: &End) {
        if self.is_over {
            return;
        }
        // What a program has closed is held by none as well, and has sent a FIN.
        let has_sent = end.acked > 0 || end.sent.is_some_and(|sent| sent > 0);
        match self.waits {
            waits if end.is_left && !has_sent => {
                self.waits = Some((waits.map_or(now, |(from, _)| from), now));
            }
            waits => {
                self.is_over = true;
                if let Some((from, until)) = waits.filter(|_| !end.is_left) {
                    self.time = until.since(from);
                }
            }
        }
    }

    /// How long it waited at least until it was taken.
    pub(super) fn time(&self) -> Duration {
        self.time
    }

    /// How long it waited at least until an instant, where it never was taken: 0 where it was, or was over before that was seen.
    pub(super) fn untaken(&self, end: Time) -> Duration {
        let waits = self.waits.filter(|_| !self.is_over);
        waits.map_or(Duration::ZERO, |(from, until)| {
            let until = until.min(end);
            until.since(from.min(until))
        })
    }
}

impl Watched {
    /// That it waited to be taken, in words, where the command waited for the server and that was a part of it; empty otherwise. `server` is the
    /// server's end of it.
    pub(super) fn in_queue(&self, cause: Option<Cause>, server: Option<&Watched>) -> String {
        let is_server = match (cause, self.host) {
            (Some(Cause::Other), 0) | (Some(Cause::Asked), _) => true,
            (Some(Cause::Limit(Limit::Application)), host) => host == 1,
            _ => false,
        };
        let Some(server) = server.filter(|_| is_server) else {
            return String::new();
        };
        let [taken, never] = [
            server.queued.time(),
            server.queued.untaken(self.last.sample.t),
        ]
        .map(Duration::as_secs_f64);
        let least = NAMED * self.time().as_secs_f64();
        match () {
            () if taken > 0.0 && taken >= least => format!(
                "; for {taken:.1} s at least it was in the accept queue of the server, whose program had not taken it"
            ),
            () if never > 0.0 && never >= least => format!(
                "; the server's program never took it from its accept queue, in {never:.1} s at least: what came was acknowledged by the kernel alone"
            ),
            () => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn end(is_left: bool, sent: u64) -> End {
        End {
            is_left,
            sent: Some(sent),
            acked: sent,
            ..End::default()
        }
    }

    /// The time of these samples, 100 ms apart, that a connection waited.
    fn waited(ends: &[End]) -> Duration {
        let mut queued = Queued::default();
        for (ms, end) in (1..).map(|n| 100 * n).zip(ends) {
            queued.sees(at(ms), end);
        }
        queued.time()
    }

    #[test]
    fn a_connection_waits_until_a_program_holds_it() {
        let [waits, taken, left] = [end(true, 0), end(false, 0), end(true, 200)];
        let all = [waits, waits, waits, taken, left];
        assert_eq!(waited(&all), Duration::from_ms(200));
        assert_eq!(waited(&all[3..]), Duration::ZERO, "it was taken at once");
        // It was never taken, or was over before it was seen to be.
        let never = |ends: &[End], end: u64| {
            let mut queued = Queued::default();
            for (ms, end) in (1..).map(|n| 100 * n).zip(ends) {
                queued.sees(at(ms), end);
            }
            queued.untaken(at(end))
        };
        assert_eq!(never(&all[..3], 1000), Duration::from_ms(200));
        assert_eq!(never(&all[..3], 250), Duration::from_ms(150));
        assert_eq!(never(&all, 1000), Duration::ZERO, "it was taken");
        assert_eq!(never(&[waits, waits, left], 1000), Duration::ZERO);
        assert_eq!(waited(&all[..3]), Duration::ZERO);
        assert_eq!(waited(&[waits, waits, left]), Duration::ZERO);
    }

    #[test]
    fn the_accept_queue_is_named_as_a_part_of_the_servers_time() {
        let mut server = Watched {
            host: 1,
            ..Watched::default()
        };
        for (ms, sample) in [
            (100, end(true, 0)),
            (900, end(true, 0)),
            (950, end(false, 0)),
        ] {
            server.queued.sees(at(ms), &sample);
        }
        let mut command = Watched::default();
        command.last.sample.t = at(1000);
        let said = |cause| command.in_queue(Some(cause), Some(&server));
        assert!(said(Cause::Other).contains("for 0.8 s at least it was in the accept queue"));
        assert_eq!(said(Cause::Way), "");
        assert_eq!(command.in_queue(Some(Cause::Other), None), "");
        // The same without the sample in which a program holds it.
        let mut never = Watched::default();
        never.queued.sees(at(100), &end(true, 0));
        never.queued.sees(at(900), &end(true, 0));
        let words = command.in_queue(Some(Cause::Other), Some(&never));
        assert!(
            words.contains(
                "the server's program never took it from its accept queue, in 0.8 s at least"
            ),
            "{words}"
        );
    }
}
