//! Against slow start: what makes transfers shorter that it takes most of, and how a test is made longer than it.

use super::systems::{self, Remedy};
use crate::cause::Cause;
use crate::ceiling::rounds;
use crate::evidence::Evidence;
use crate::known::System;
use crate::lines::bloat::ms;

/// A transfer that takes more times as long as slow start by itself was not short.
const SHORT: f64 = 3.0;

/// Segments that a connection begins with (RFC 6928 §2), and those of a larger initial window. The larger number is a choice.
const INITIAL: [f64; 2] = [10.0, 32.0];

impl Evidence {
    /// The round trip of a program's own short transfer, and its bytes: seconds and bytes. None of a tool that only tests, which can send for
    /// longer, and of one whose window begins anew after pauses.
    fn brief(&self) -> Option<[f64; 2]> {
        let rtt = self.rtt_by_itself()?.value;
        let bytes = self.bytes.as_ref()?.value;
        let took = rtt * (rounds(self, bytes) + 1.0);
        let own = !self.tester && !self.udp && !self.begins_anew(Cause::Ramp);
        (own && self.seconds? <= SHORT * took).then_some([rtt, bytes])
    }

    /// Whether no ceiling says what is left once this cause is gone: pauses, what its settings do not hold, a file that is over, a part of a loss, and requests
    /// that wait for one another, or for their server.
    pub(super) fn leaves_unsaid(&self, cause: Cause) -> bool {
        let over = cause == Cause::Ramp && self.brief().is_some();
        let waits = cause == Cause::Application && self.around.one_by_one.is_some();
        let server = [Cause::Application, Cause::Client].contains(&cause);
        let waits = waits || server && self.waits_at_server();
        let part = !self.other_parts_of_loss(cause).is_empty();
        over || waits || part || self.begins_anew(cause) || self.is_left(cause)
    }
}

/// Against slow start; `host` is the one that the data goes to, and `system` the sender's.
pub(super) fn against(e: &Evidence, system: Option<System>, host: &str) -> Remedy {
    let linux = system.is_none_or(|s| s == System::Linux);
    match e.brief() {
        _ if linux && e.left_start_early() => opened_early(e, host),
        Some(of) => shorter(e, of, system),
        None if e.begins_anew(Cause::Ramp) => systems::restart(),
        None => systems::longer(host),
    }
}

/// Against slow start that a threshold of earlier connections or HyStart ends early, of a sender on Linux.
fn opened_early(e: &Evidence, host: &str) -> Remedy {
    let again = format!("then test again, for longer: iperf3 -c {host} -t 60");
    let key = "net.ipv4.tcp_no_metrics_save";
    if e.kept_threshold().is_none() {
        let show = format!(
            "ip tcp_metrics show {host}: where it has an ssthresh, earlier connections left it; ip tcp_metrics flush {host} forgets it, and {key} = 1 keeps no other. Where it has none, HyStart ended slow start"
        );
        return Remedy::without_risk([&*show, &again]);
    }
    Remedy {
        commands: vec![
            format!("ip tcp_metrics flush {host}"),
            format!("sysctl -w {key}=1"),
            again,
        ],
        undo: vec![format!("sysctl -w {key}=0")],
        persist: systems::kept(&[(key, "1")]),
        risk: "new connections begin without what earlier ones learnt of their paths: the first round trips are measured anew, and slow start may overshoot a short queue".to_owned(),
        room: None,
    }
}

/// What makes short transfers shorter: fewer round trips, or shorter ones.
fn shorter(e: &Evidence, [rtt_s, bytes]: [f64; 2], system: Option<System>) -> Remedy {
    let mut remedy = Remedy::without_risk([
        "keep one connection open for several files (HTTP keep-alive, HTTP/2): its window is open from the files before, and its set-up is spared",
    ]);
    // What begins with one segment, as SYNs were lost, begins so with any setting.
    let begins = e.first_segments() >= INITIAL[0];
    if begins && system.is_none_or(|s| s == System::Linux) {
        larger(e, bytes, &mut remedy);
    }
    remedy.commands.extend([
        format!(
            "a cache near to those who fetch (a CDN): each step of slow start and of the set-up costs a round trip of {}",
            ms(rtt_s)
        ),
        "where connections must be new: TLS 1.3 spares a round trip of TLS 1.2, and 0-RTT of a session that is resumed another (RFC 8446 §2.3)".to_owned(),
    ]);
    remedy
}

/// A larger initial window of a sender on Linux.
fn larger(e: &Evidence, bytes: f64, remedy: &mut Remedy) {
    let [usual, more] = INITIAL;
    let now = rounds(e, bytes);
    // Ten segments of each connection are what `rounds` begins with.
    let then = rounds(e, bytes * usual / more);
    remedy.commands.push(format!(
        "a larger initial window where it sends: ip route show default; ip route change default via GATEWAY dev INTERFACE initcwnd {more:.0}, with what the first printed: {then:.1} round trips of slow start in place of {now:.1}"
    ));
    remedy
        .undo
        .push("ip route change ROUTE, with what `ip route show default` printed before".to_owned());
    remedy.risks("more segments leave at once on each new connection, which a short queue on the way may drop");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::NO_RISK;
    use crate::fact::{Figure, Place};
    use crate::seen::Row;
    use crate::windows::remembered::Thresholds;

    /// 1.5 MiB in 2.25 s over 280 ms: 6.8 round trips of slow start.
    fn picture(tester: bool) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(5.6e6, Place::You)),
            rtt: Some(Figure::exact(0.28, Place::You)),
            bytes: Some(Figure::exact(1_572_864.0, Place::You)),
            seconds: Some(2.254),
            tester,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_small_file_is_fetched_in_fewer_round_trips() {
        let of = |system| against(&picture(false), system, "b");
        let remedy = of(None);
        let commands = remedy.commands.join("\n");
        for says in [
            "keep one connection open",
            "initcwnd 32",
            "a cache near to those",
            "TLS 1.3",
            "5.1 round trips of slow start in place of 6.8",
        ] {
            assert!(commands.contains(says), "{says}: {commands}");
        }
        assert!(!commands.contains("iperf3"), "{commands}");
        assert_eq!(remedy.undo.len(), 1);
        assert_ne!(remedy.risk, NO_RISK);
        let windows = of(Some(System::Windows));
        assert!(!windows.commands.join("\n").contains("initcwnd"));
        assert_eq!(windows.risk, NO_RISK);
        assert!(picture(false).leaves_unsaid(Cause::Ramp));
    }

    /// 17 to 85 segments over 281 ms within 20 s, and nothing was lost.
    #[test]
    fn a_threshold_that_is_kept_is_forgotten() {
        let rows = (0..20_u8).map(|n| {
            let window = 1448.0 * (17.0 + 3.56 * f64::from(n));
            (window * 8.0 / 0.281, 0.0, Some(window))
        });
        let mut e = Evidence {
            rtt: Some(Figure::exact(0.281, Place::You)),
            counted: Row::intervals(1.0, rows),
            ..picture(true)
        };
        let remedy = against(&e, None, "b");
        assert!(remedy.commands[0].contains("ip tcp_metrics show b"));
        assert!(remedy.undo.is_empty(), "{remedy:?}");
        e.thresholds = Thresholds {
            socket: None,
            kept: Some(14.0),
        };
        let remedy = against(&e, Some(System::Linux), "b");
        assert_eq!(remedy.commands[0], "ip tcp_metrics flush b");
        assert_eq!(remedy.undo, ["sysctl -w net.ipv4.tcp_no_metrics_save=0"]);
        assert_ne!(remedy.risk, NO_RISK);
        let windows = against(&e, Some(System::Windows), "b");
        assert!(!windows.commands.join("\n").contains("tcp_metrics"));
    }

    #[test]
    fn a_test_is_made_longer() {
        let remedy = against(&picture(true), None, "b");
        assert!(remedy.commands[0].contains("iperf3 -c b"), "{remedy:?}");
        assert!(!picture(true).leaves_unsaid(Cause::Ramp));
        // Ten seconds are longer than a short transfer.
        let long = Evidence {
            seconds: Some(10.0),
            ..picture(false)
        };
        assert!(against(&long, None, "b").commands[0].contains("iperf3"));
    }
}
