//! What an end of a connection waited for beside it: answers over UDP, and other connections which its host had opened: a server that calls back before it answers, a command
//! that asks elsewhere between two requests.

use farpath_emu::plane::Errand;
use farpath_observe::Limit;
use farpath_units::Duration;

use super::Waits;
use crate::lab::cause::{self, Cause, add, take};

/// A smaller part of a connection's time is not named where samples are few.
const NAMED: f64 = 0.2;

impl Waits {
    /// Names what a program waited for beside a connection: the other side's turn, or the time of the host of this number without anything
    /// to send, is that of answers over UDP where these were waited for.
    pub(in crate::lab) fn share_elsewhere(
        &self,
        host: usize,
        time: Duration,
        causes: &mut Vec<(Cause, f64)>,
    ) {
        let [own, other] = self.elsewhere.map(|t| t.as_secs_f64() / self.all(time));
        let is_idle = |cause: Cause| matches!(cause, Cause::Limit(Limit::Application));
        let of_own = take(causes, is_idle, own);
        add(causes, Cause::Queries(host), of_own);
        let of_other = take(causes, |cause| cause == Cause::Other, other);
        add(causes, Cause::Queries(1 - host), of_other);
    }

    /// Names what a program waited for on other connections: the other side's turn, or the time of the host of this number without anything to send,
    /// was theirs.
    pub(in crate::lab) fn share_errands(
        &self,
        host: usize,
        time: Duration,
        causes: &mut Vec<(Cause, f64)>,
    ) {
        let all = self.all(time);
        let [own, other] = self.errands.map(|errand| errand.time.as_secs_f64() / all);
        let is_idle = |cause: Cause| matches!(cause, Cause::Limit(Limit::Application));
        let of_own = take(causes, is_idle, own);
        add(causes, self.cause(host, 0), of_own);
        let of_other = take(causes, |cause| cause == Cause::Other, other);
        add(causes, self.cause(1 - host, 1), of_other);
    }

    /// The part of a connection's `time` in which either side waited for other connections, or for answers over UDP, and the larger of these in words;
    /// where this is the end of a host that has this number. None where it is not worth naming.
    pub(in crate::lab) fn beside_words(
        &self,
        host: usize,
        time: Duration,
    ) -> Option<(f64, String)> {
        let all = self.all(time);
        let said = |time: Duration, words: &dyn Fn(&str) -> String| {
            let share = time.as_secs_f64() / all;
            (share, words(&format!("{:.0} % of the time", 100.0 * share)))
        };
        let ends = [(0, host), (1, 1 - host)];
        let queries = ends.map(|(end, who)| {
            said(self.elsewhere[end], &|percent| {
                cause::elsewhere(who, percent)
            })
        });
        let errands = ends.map(|(end, who)| {
            let Errand { time, to } = self.errands[end];
            said(time, &|percent| cause::errand(who, to, percent))
        });
        let all = queries.into_iter().chain(errands);
        let most = all.max_by(|a, b| a.0.total_cmp(&b.0));
        most.filter(|(share, _)| *share >= NAMED)
    }

    /// How long the server waited so, where this is the end of a host that has this number, seconds.
    pub(in crate::lab) fn errand_of_server(&self, host: usize) -> f64 {
        self.errands[usize::from(host == 0)].time.as_secs_f64()
    }

    /// The cause of what this end, 0, or the other one waited for so, which is that of this host.
    fn cause(&self, host: usize, end: usize) -> Cause {
        let Errand { to, .. } = self.errands[end];
        Cause::Errand { host, to }
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;

    use super::*;

    /// Three requests in a second, of which the server had 800 ms, and called back for 700 of these.
    fn waits(end: usize, is_several: bool) -> Waits {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"].map(|end| end.parse().expect(end));
        let errand = Errand {
            time: Duration::from_ms(700),
            to: Some("198.18.0.1:9000".parse().expect("an end")).filter(|_| !is_several),
        };
        let turns = Turns {
            span: Duration::from_ms(1000),
            at: [0, 800].map(Duration::from_ms),
            errands: [Errand::default(), errand],
            way: Duration::from_ms(200),
            ..Turns::between(ends)
        };
        Waits::of(&turns, end)
    }

    #[test]
    fn time_on_another_connection_is_not_the_servers() {
        let time = Duration::from_ms(1000);
        let to = Some("198.18.0.1:9000".parse().expect("an end"));
        let idle = Cause::Limit(Limit::Application);
        for (end, of) in [(0, Cause::Other), (1, idle)] {
            let mut causes = vec![(of, 0.8), (Cause::Way, 0.2)];
            waits(end, false).share_errands(end, time, &mut causes);
            assert_eq!(causes[0].0, Cause::Errand { host: 1, to }, "{causes:?}");
            assert!((causes[0].1 - 0.7).abs() < 1e-9, "{causes:?}");
            let words = waits(end, false).beside_words(end, time).map(|w| w.1);
            let wanted = "the server waited 70 % of the time for another connection of its own, to 198.18.0.1:9000";
            assert_eq!(words.as_deref(), Some(wanted));
        }
        let asked = Waits {
            elsewhere: [Duration::ZERO, Duration::from_ms(750)],
            ..waits(0, false)
        };
        let words = asked.beside_words(0, time).map(|w| w.1);
        let wanted = "the server waited for answers to queries over UDP 75 % of the time";
        assert_eq!(words.as_deref(), Some(wanted));
        let several = waits(0, true).beside_words(0, time).map(|w| w.1);
        let wanted = "the server waited 70 % of the time for other connections of its own";
        assert_eq!(several.as_deref(), Some(wanted));
        assert_eq!(
            waits(0, false).beside_words(0, Duration::from_secs(4)),
            None
        );
    }
}
