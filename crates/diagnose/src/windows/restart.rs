//! Windows that begin anew after each pause of a program, as Linux's `tcp_slow_start_after_idle` has it.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number};
use crate::items::Item;
use crate::read::Facts;
use crate::seen::Side;

/// A program that pauses, and whose sender then begins anew: after a pause of a retransmission timeout (RFC 5681 §4.1).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Restart {
    /// The congestion window is below the slow-start threshold though nothing was lost: both, bytes.
    Below([f64; 2]),
    /// Nothing was sent for longer than the timeout: both, seconds.
    Silent([f64; 2]),
    /// The program gave nothing to send for a good part of the time.
    Idle,
}

/// A program that was busy for less of the time than this has pauses that count.
const BUSY: f64 = 0.8;

impl Restart {
    /// What a socket shows of it.
    fn of(facts: &Facts, socket: Of) -> Option<Restart> {
        let get = |name: &'static str| number(facts, socket, name).map(|f| f.value);
        let both = |a, b| Some([get(a)?, get(b)?]);
        let lost = get("bytes_retransmitted").is_none_or(|bytes| bytes > 0.0);
        let below = both("cwnd_bytes", "threshold_bytes").filter(|[w, t]| w < t && !lost);
        let waits = get("unacked_segments").is_some_and(|n| n > 0.0);
        let silent = both("pause_ns", "timeout_ns").filter(|[p, t]| p > t && !waits);
        let silent = silent.map(|both| Restart::Silent(both.map(|ns| ns * 1e-9)));
        below.map(Restart::Below).or(silent)
    }

    fn sentence(&self, mss: f64) -> String {
        match self {
            Restart::Below(bytes) => {
                let [window, threshold] = bytes.map(|bytes| bytes / mss);
                format!(
                    ": its window of {window:.0} segments is below its slow-start threshold of {threshold:.0}, though nothing was sent again"
                )
            }
            Restart::Silent(both) => {
                let [pause, timeout] = both.map(crate::lines::bloat::ms);
                format!(": nothing was sent for {pause}, and its timeout is {timeout}")
            }
            Restart::Idle => String::new(),
        }
    }
}

impl Evidence {
    /// Whether a cause is slow start that pauses begin anew: how long these are nobody said.
    pub(crate) fn begins_anew(&self, cause: Cause) -> bool {
        cause == Cause::Ramp && self.restart.is_some()
    }

    /// Whether the sender is set to begin anew after pauses, and its program, which no tool that tests is, pauses.
    pub(crate) fn of_pauses(&mut self, facts: &Facts, flow: &Flow) {
        let setting = |n| number(facts, Of::Host(n), "slow_start_after_idle");
        let on = flow
            .said(Side::Sender, setting)
            .is_some_and(|f| f.value > 0.0);
        if !on || self.udp || self.tester || self.app_limited.is_none() {
            return;
        }
        let sockets = flow.sockets.iter().map(|s| Of::Socket(*s));
        let mut seen = sockets.filter_map(|socket| Restart::of(facts, socket));
        let idle = self
            .busy_share
            .as_ref()
            .is_some_and(|busy| busy.value < BUSY);
        self.restart = seen.next().or(idle.then_some(Restart::Idle));
    }
}

/// Weighs it: what seems to be the program may be slow start, which each answer goes through.
pub(crate) fn by_restart(e: &Evidence, items: &mut Vec<Item>) {
    let Some(restart) = &e.restart else { return };
    let ramp = match restart {
        Restart::Below(_) => 14.0,
        Restart::Silent(_) | Restart::Idle => 8.0,
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Ramp, ramp), (Cause::Application, -3.0)],
        sentence: format!(
            "the program pauses, and after a pause longer than its retransmission timeout the sender begins anew at 10 segments (net.ipv4.tcp_slow_start_after_idle = 1){}",
            restart.sentence(e.mss)
        ),
    });
}
