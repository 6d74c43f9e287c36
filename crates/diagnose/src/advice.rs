//! What to change, how to undo it, what may go wrong, and what rate to expect then.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::document::{Change, Then};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flow::Flow;
use crate::known::System;

/// The buffer that is suggested where no rate is known: 4 MiB.
const MODEST: f64 = 4_194_304.0;

/// What to change against a cause, and against a second that holds besides; nothing where it is not a host's to change.
pub(crate) fn changes(
    cause: Cause,
    second: Option<Cause>,
    e: &Evidence,
    flow: &Flow,
    ceilings: &[Limit],
) -> Vec<Change> {
    let mut gone = Vec::new();
    let mut all = Vec::new();
    for cause in [Some(cause), second].into_iter().flatten() {
        let Some(mut change) = change(cause, e, flow) else {
            continue;
        };
        gone.push(cause);
        let next = next(&gone, second, e, ceilings);
        if let Some((next, figure)) = next {
            change.predicted_bps = Some(figure.value);
            (change.low_bps, change.high_bps) = (Some(figure.low), Some(figure.high));
            change.then = Some(Then {
                cause: next.name(),
                limit_bps: figure.value,
            });
        }
        all.push(change);
    }
    all
}

/// What to change against one cause.
fn change(cause: Cause, e: &Evidence, flow: &Flow) -> Option<Change> {
    let end = match cause {
        Cause::ReceiveWindow | Cause::NoWindowScaling => 1,
        Cause::SendBuffer
        | Cause::Application
        | Cause::ShallowBuffer
        | Cause::Policer
        | Cause::RandomLoss
        | Cause::CongestionLoss => 0,
        _ => return None,
    };
    let host = [&flow.from.host, &flow.to.host][end];
    let host = match (host.as_str(), end) {
        ("", 0) => "the sender".to_owned(),
        ("", _) => "the receiver".to_owned(),
        (name, _) => name.to_owned(),
    };
    let system = e.systems[end];
    let (commands, undo, risk) = match cause {
        Cause::ReceiveWindow => buffer(system, wanted(e), true),
        Cause::SendBuffer => buffer(system, wanted(e), false),
        Cause::NoWindowScaling => scaling(system),
        Cause::Application => program(),
        _ if system.is_none_or(|s| s == System::Linux) => pacing(cause),
        _ => return None,
    };
    Some(Change {
        host,
        os: system.map_or("", System::name),
        commands,
        undo,
        risk,
        predicted_bps: None,
        low_bps: None,
        high_bps: None,
        then: None,
    })
}

/// What is left once some causes are gone: the lowest of the other ceilings that the rate does not contradict. A sender
/// that had pauses goes on, without them, as fast as it was between them, where a second cause without a ceiling held it then.
fn next(
    gone: &[Cause],
    second: Option<Cause>,
    e: &Evidence,
    ceilings: &[Limit],
) -> Option<(Cause, Figure)> {
    let rate = e.rate.as_ref()?;
    let is_gone =
        |c: Cause| gone.contains(&c) || c == Cause::RandomLoss && gone.iter().any(|g| g.is_loss());
    let others = ceilings
        .iter()
        .filter(|c| !is_gone(c.cause) && c.cause != Cause::Ramp)
        .filter(|c| c.rate.high.max(c.bursts.unwrap_or(0.0)) > rate.value * 0.95);
    let stated = second.filter(|s| others.clone().any(|c| c.cause == *s));
    let known = ceilings.iter().any(|c| c.cause == Cause::Link);
    let least = others.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    let mut least = least.map(|next| {
        let mut figure = next.rate.clone();
        // A ceiling of the other end alone bounds nothing from below: the path in between is not known.
        if !known {
            figure.low = rate.value;
        }
        figure.value = figure.value.max(rate.value);
        figure.high = figure.high.max(figure.value);
        (next.cause, figure)
    });
    let paused = gone.first() == Some(&Cause::Application);
    if let (true, Some(second), Some(idle)) = (paused, second, e.share(Cause::Application))
        && !is_gone(second)
        && stated.is_none()
        && idle < 0.95
    {
        let between = rate.times(1.0 / (1.0 - idle));
        if least.as_ref().is_none_or(|(_, l)| between.value < l.value) {
            least = Some((second, between));
        }
    }
    least
}

/// Bytes in flight that fill the line, or the target.
fn wanted(e: &Evidence) -> f64 {
    let goal = e
        .target
        .as_ref()
        .or(e.line.as_ref().map(|(l, _)| l))
        .map(|f| f.value);
    match (goal, &e.rtt) {
        (Some(goal), Some(rtt)) => goal * rtt.high / 8.0 / e.streams,
        _ => MODEST,
    }
}

/// The next power of two.
fn power(bytes: f64) -> u64 {
    (bytes.clamp(65_536.0, 2_147_483_647.0) as u64)
        .next_power_of_two()
        .min(2_147_483_647)
}

/// Commands that give a socket a larger buffer.
fn buffer(
    system: Option<System>,
    wanted: f64,
    receive: bool,
) -> (Vec<String>, Vec<String>, String) {
    let twice = power(wanted * 2.0);
    let once = power(wanted);
    let (way, space) = if receive {
        ("r", "recv")
    } else {
        ("w", "send")
    };
    let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let memory = format!("each connection may then use up to {twice} bytes of kernel memory");
    match system {
        Some(System::FreeBsd) => (
            vec![
                format!("sysctl kern.ipc.maxsockbuf={}", twice.saturating_mul(2)),
                format!("sysctl net.inet.tcp.{space}buf_max={twice}"),
            ],
            owned(&["set both back to the values that sysctl printed before"]),
            memory,
        ),
        Some(System::OpenBsd | System::NetBsd | System::Bsd) => (
            vec![
                format!("sysctl net.inet.tcp.{space}space={once}"),
                "if that is refused: the kernel's limit on socket buffers (SB_MAX, 262144 in old kernels) has to be raised, or the system renewed".to_owned(),
            ],
            vec![format!("sysctl net.inet.tcp.{space}space=16384, or what it was")],
            "every connection of the host starts with this buffer; a kernel with little memory for mbufs may run out of them".to_owned(),
        ),
        Some(System::MacOs) => (
            vec![
                format!("sysctl kern.ipc.maxsockbuf={}", twice.saturating_mul(2)),
                format!("sysctl net.inet.tcp.auto{}bufmax={twice}", if receive { "rcv" } else { "snd" }),
            ],
            owned(&["set both back to the values that sysctl printed before"]),
            memory,
        ),
        Some(System::Windows) => (
            owned(&["netsh interface tcp set global autotuninglevel=normal"]),
            owned(&["netsh interface tcp set global autotuninglevel=disabled"]),
            "old firewalls may not pass window scaling".to_owned(),
        ),
        _ => {
            let default = if receive { "131072" } else { "16384" };
            (
                vec![
                    format!("sysctl -w net.core.{way}mem_max={twice}"),
                    format!("sysctl -w net.ipv4.tcp_{way}mem=\"4096 {default} {twice}\""),
                    "leave -w out of the test: a buffer that is asked for ends the kernel's own tuning".to_owned(),
                ],
                owned(&["set both back to the values that sysctl printed before"]),
                format!("{memory}; with pfifo_fast a larger window may overflow short queues: use fq"),
            )
        }
    }
}

fn scaling(system: Option<System>) -> (Vec<String>, Vec<String>, String) {
    let (on, off) = match system {
        Some(System::Linux) | None => (
            "sysctl -w net.ipv4.tcp_window_scaling=1",
            "sysctl -w net.ipv4.tcp_window_scaling=0",
        ),
        Some(System::Windows) => (
            "netsh interface tcp set global autotuninglevel=normal",
            "netsh interface tcp set global autotuninglevel=disabled",
        ),
        Some(_) => (
            "sysctl net.inet.tcp.rfc1323=1",
            "sysctl net.inet.tcp.rfc1323=0",
        ),
    };
    let risk = "if both hosts offer it already, a firewall on the way takes the option out: that is to be changed instead";
    (vec![on.to_owned()], vec![off.to_owned()], risk.to_owned())
}

/// A program that leaves pauses: what to do about it is in its own hands.
fn program() -> (Vec<String>, Vec<String>, String) {
    let commands = [
        "ask for larger pieces, or for the next before the last has come: each pause costs a round trip",
        "iperf3 between the same hosts shows what the path gives without the program",
    ];
    (
        commands.map(str::to_owned).to_vec(),
        Vec::new(),
        "none known".to_owned(),
    )
}

fn pacing(cause: Cause) -> (Vec<String>, Vec<String>, String) {
    let mut commands = vec!["tc qdisc replace dev INTERFACE root fq".to_owned()];
    let mut undo = vec!["tc qdisc del dev INTERFACE root".to_owned()];
    let risk = match cause {
        Cause::RandomLoss => {
            commands.push("sysctl -w net.ipv4.tcp_congestion_control=bbr".to_owned());
            undo.push("sysctl -w net.ipv4.tcp_congestion_control=cubic".to_owned());
            "BBR takes more than its share from others on a shared path; finding and repairing what loses is the cure"
        }
        Cause::Policer => {
            "pacing helps only below the policer's rate: ask who runs the policer for a higher one, or a larger burst"
        }
        _ => "none known",
    };
    (commands, undo, risk.to_owned())
}
