//! What to change, how to undo it, what may go wrong, and what rate to expect then.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flow::Flow;
use crate::known::System;

/// The buffer that is suggested where no rate is known: 4 MiB.
const MODEST: f64 = 4_194_304.0;

/// What to change against a cause; nothing where it is not a host's to change.
pub(crate) fn changes(cause: Cause, e: &Evidence, flow: &Flow, ceilings: &[Limit]) -> Vec<Change> {
    if cause == Cause::Duplex {
        return vec![duplex(e)];
    }
    let end = match cause {
        Cause::ReceiveWindow | Cause::NoWindowScaling => 1,
        Cause::SendBuffer
        | Cause::ShallowBuffer
        | Cause::Policer
        | Cause::RandomLoss
        | Cause::CongestionLoss => 0,
        _ => return Vec::new(),
    };
    let host = [&flow.from.host, &flow.to.host][end];
    let host = match (host.as_str(), end) {
        ("", 0) => "the sender".to_owned(),
        ("", _) => "the receiver".to_owned(),
        (name, _) => name.to_owned(),
    };
    let system = e.systems[end];
    let after = predicted(cause, e, ceilings);
    let (commands, undo, risk) = match cause {
        Cause::ReceiveWindow => buffer(system, wanted(e), true),
        Cause::SendBuffer => buffer(system, wanted(e), false),
        Cause::NoWindowScaling => scaling(system),
        _ if system.is_none_or(|s| s == System::Linux) => pacing(cause),
        _ => return Vec::new(),
    };
    vec![Change {
        host,
        os: system.map_or("", System::name),
        commands,
        undo,
        risk,
        predicted_bps: after.as_ref().map(|f| f.value),
        low_bps: after.as_ref().map(|f| f.low),
        high_bps: after.as_ref().map(|f| f.high),
    }]
}

/// The lowest of the other ceilings: what is left once this cause is gone.
fn predicted(cause: Cause, e: &Evidence, ceilings: &[Limit]) -> Option<Figure> {
    let rate = e.rate.as_ref()?.value;
    let others = ceilings
        .iter()
        .filter(|c| c.cause != cause && c.cause != Cause::Ramp);
    let next = others.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value))?;
    let known = next.cause == Cause::Link || ceilings.iter().any(|c| c.cause == Cause::Link);
    // A ceiling of the other end alone bounds nothing from below: the path in between is not known.
    (next.rate.value > rate * 1.05).then(|| {
        let mut figure = next.rate.clone();
        if !known {
            figure.low = rate;
        }
        figure
    })
}

/// Bytes in flight that fill the line, or the target.
pub(crate) fn wanted(e: &Evidence) -> f64 {
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
pub(crate) fn power(bytes: f64) -> u64 {
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

/// Both ends of a cable have to negotiate, or neither.
fn duplex(e: &Evidence) -> Change {
    let line = e.line.as_ref().map(|(l, _)| l);
    let share = e.mss / (e.mss + 90.0);
    Change {
        host: "the host at half duplex, and its switch".to_owned(),
        os: "",
        commands: vec![
            "ethtool -s INTERFACE autoneg on".to_owned(),
            "on the switch: duplex auto, speed auto for its port".to_owned(),
        ],
        undo: vec!["set both back to what ethtool INTERFACE and the switch said before".to_owned()],
        risk: "the link goes down for some seconds; a port that is fixed to full duplex makes the other end choose half".to_owned(),
        predicted_bps: line.map(|l| l.value * share),
        low_bps: line.map(|l| l.low * share * 0.9),
        high_bps: line.map(|l| l.high * 0.985),
    }
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
