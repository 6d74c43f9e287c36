//! What frames say of how a connection was opened, and what came until its first request.

use farpath_observe::Limit;
use farpath_units::Duration;

use super::Waits;
use crate::lab::cause::{Cause, add, take, take_idle};

impl Waits {
    /// Gives the time before the first request to the end that opened the connection: samples had it as time without anything to send. Of it, no
    /// more counts than samples have beside the frames.
    pub(in crate::lab) fn share_unasked(&self, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        if self.is_opener {
            return;
        }
        let unasked = self.unasked.min(time.saturating_sub(self.span));
        let [unasked, _] = take_idle(causes, [unasked.as_secs_f64() / self.all(time), 0.0]);
        add(causes, Cause::Other, unasked);
    }

    /// Leaves open what limited a subflow of Multipath TCP where its kernel's account alone says it. What is written, and what has come and is not
    /// read, waits at the sockets above: a subflow that nothing waits at may stand behind a window that is closed.
    pub(in crate::lab) fn doubt_multipath(&self, causes: &mut Vec<(Cause, f64)>) {
        if self.is_multipath {
            let by_account = [Limit::Application, Limit::SendBuffer].map(Cause::Limit);
            let share = take(causes, |cause| by_account.contains(&cause), 1.0);
            add(causes, Cause::Limit(Limit::Unknown), share);
        }
    }

    /// What its opening says of a connection of this `time`, in words: that a kernel kept it from its program, and that it is such a subflow.
    pub(in crate::lab) fn opened_words(&self, time: Duration) -> String {
        self.deferred_words(time) + self.multipath_words()
    }

    /// That it is such a subflow, behind what is said of it; empty where it is none.
    fn multipath_words(&self) -> &'static str {
        match self.is_multipath {
            true => {
                "; it is a connection of Multipath TCP (MPTCP): whether its program, its send buffer or a slow reader holds data back, the kernel's \
                 account of one subflow does not say"
            }
            false => "",
        }
    }

    /// Whether it is a subflow of Multipath TCP.
    pub(in crate::lab) fn is_multipath(&self) -> bool {
        self.is_multipath
    }

    /// Whether it is a further subflow of such a connection: no connection of a program.
    pub(in crate::lab) fn joins(&self) -> bool {
        self.joins
    }

    /// Whether its SYN carried data, so that a request was on the way while it was set up.
    pub(in crate::lab) fn is_fast(&self) -> bool {
        self.is_fast
    }

    /// How long the command had it open, had nothing to wait for on it and did not ask, where this is the end of a host that has this number,
    /// seconds.
    pub(in crate::lab) fn idle_of_command(&self, host: usize) -> f64 {
        let turns = match host {
            0 => self.own,
            _ => self.other,
        };
        let unasked = match self.is_commands(host) {
            true => self.unasked,
            false => Duration::ZERO,
        };
        (turns + unasked).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;
    use farpath_units::Time;

    use super::*;

    fn turns() -> Turns {
        let ends = ["198.18.0.1:4000", "198.18.0.2:25"].map(|end| end.parse().expect(end));
        Turns {
            span: Duration::from_ms(300),
            at: [50, 0].map(Duration::from_ms),
            unasked: Duration::from_secs(2),
            ..Turns::between(ends)
        }
    }

    const IDLE: Cause = Cause::Limit(Limit::Application);

    /// A client that connects, works for 2 s, and then asks for 0.3 s: what its server sends waits for it, and what it sends itself does not.
    #[test]
    fn the_time_before_the_first_request_is_the_clients() {
        let shared = |end: usize, ms: u64| {
            let mut causes = vec![(IDLE, 0.9), (Cause::Way, 0.1)];
            let time = Duration::from_ms(ms);
            Waits::of(&turns(), end).share_unasked(time, &mut causes);
            causes
        };
        let server = shared(1, 2500);
        assert_eq!(server[0].0, Cause::Other);
        assert!((server[0].1 - 0.8).abs() < 1e-9, "{server:?}");
        assert_eq!(shared(0, 2500)[0], (IDLE, 0.9));
        // Nobody sampled it before the request.
        assert_eq!(shared(1, 300)[0], (IDLE, 0.9));
        // It was open from its SYN on.
        let begun = |ms| Time::ZERO + Duration::from_ms(ms);
        let late = Turns {
            begun: Some(begun(2160)),
            set_up: Some(Duration::from_ms(60)),
            ..turns()
        };
        let open = Waits::of(&late, 0).open(Duration::from_ms(60));
        assert_eq!(open, Some((begun(100), begun(2460))));
        let own = [0, 1].map(|end| Waits::of(&turns(), end).idle_of_command(end));
        assert_eq!(own, [2.05, 2.05]);
    }

    #[test]
    fn an_account_of_a_subflow_is_not_taken_for_its_connections() {
        let judged = |is_multipath: bool| {
            let turns = Turns {
                is_multipath,
                ..turns()
            };
            let mut causes = vec![
                (Cause::Limit(Limit::SendBuffer), 0.6),
                (Cause::Way, 0.2),
                (Cause::Limit(Limit::ReceiveWindow), 0.15),
                (IDLE, 0.05),
            ];
            let waits = Waits::of(&turns, 0);
            waits.doubt_multipath(&mut causes);
            let words = waits.multipath_words();
            (causes, words.contains("MPTCP"))
        };
        let (causes, is_named) = judged(true);
        assert_eq!(causes[0].0, Cause::Limit(Limit::Unknown));
        assert!((causes[0].1 - 0.65).abs() < 1e-9 && is_named, "{causes:?}");
        assert_eq!(causes.len(), 3);
        let (causes, is_named) = judged(false);
        assert_eq!(causes[0], (Cause::Limit(Limit::SendBuffer), 0.6));
        assert!(!is_named);
    }
}
