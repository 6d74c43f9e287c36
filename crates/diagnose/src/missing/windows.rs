//! What is missing of windows, their scaling and the hosts' buffers.

use super::settings;
use crate::advice::{Buffers, End, asked, scales};
use crate::asking::captured;
use crate::cause::Cause;
use crate::ceiling::UNSCALED;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::flows::placed::is_windows;
use crate::known::System;
use crate::read::Facts;
use crate::verdict::{NARROW, within};
use crate::windows::room::Room;

/// Whether windows are scaled, where as much is in flight as one without scaling lets be, and no smaller window is known: larger buffers do
/// nothing without it (RFC 7323 §2.2).
pub(super) fn of_scaling(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    likely: &[Cause],
) -> Option<MissingFact> {
    const ROOMS: [Cause; 3] = [
        Cause::ReceiveWindow,
        Cause::SendBuffer,
        Cause::NoWindowScaling,
    ];
    let says = |texts: &[u32]| texts.iter().any(|n| scales(facts, *n).is_some());
    let blamed = likely.first() == Some(&Cause::NoWindowScaling) && e.left_out.is_none();
    if blamed && !says(&flow.senders) && !says(&flow.receivers) {
        return Some(MissingFact {
            fact: "window_scaling",
            would_decide: "which end leaves window scaling out, or whether what lies between them takes it out of a SYN: the change is made there".to_owned(),
            command: silent_ends(e, flow, says),
        });
    }
    let flight = e.settled_flight()?;
    let near = flight.high < NARROW * flight.low && within(&flight, UNSCALED);
    let known = e.scaled || e.unscaled.is_some() || e.beyond_unscaled();
    let small = |room: &Room| room.bytes.value < 1.02 * UNSCALED;
    if !near || known || e.windows.iter().any(small) || !likely.iter().any(|c| ROOMS.contains(c)) {
        return None;
    }
    Some(MissingFact {
        fact: "window_scaling",
        would_decide: format!(
            "whether windows are scaled: {:.0} bytes in flight are as many as a window without scaling lets be, and larger buffers do nothing without it (RFC 7323)",
            flight.value
        ),
        command: silent_ends(e, flow, says),
    })
}

/// What prints whether the ends scale windows of which no text says it, and what shows the SYNs.
fn silent_ends(e: &Evidence, flow: &Flow, says: impl Fn(&[u32]) -> bool) -> String {
    let ends = [
        (&flow.senders, "sender", 0),
        (&flow.receivers, "receiver", 1),
    ];
    let silent = ends.iter().filter(|(texts, ..)| !says(texts));
    let each = silent.map(|(_, host, n)| format!("on the {host}: {}; ", scaling(e.systems[*n])));
    let each: String = each.collect();
    let syns = "tcpdump -vni INTERFACE 'tcp[tcpflags] & tcp-syn != 0' | grep Flags";
    format!("{each}of a new connection, {}", captured(e.systems, syns))
}

/// The command that prints whether a host offers window scaling.
fn scaling(system: Option<System>) -> &'static str {
    match system {
        Some(System::Linux) => "sysctl net.ipv4.tcp_window_scaling",
        Some(System::Windows) => "netsh interface tcp show global",
        Some(System::Solaris) => "ndd /dev/tcp tcp_wscale_always",
        Some(_) => "sysctl net.inet.tcp.rfc1323",
        None => "sysctl -a | grep -E 'tcp_window_scaling|rfc1323'",
    }
}

/// What is missing of the hosts' windows and buffers. What is to be changed has to be known, though it is known to be the limit.
pub(super) fn of_buffers(
    e: &Evidence,
    (facts, flow): (&Facts, &Flow),
    likely: &[Cause],
    sure: bool,
) -> Vec<MissingFact> {
    // A buffer that the test asked for goes first, and no setting rules it.
    let own = asked(facts, flow);
    let blind = |cause, end| {
        likely.first() == Some(&cause) && Buffers::are_unknown(facts, flow, end) && !own
    };
    let lacks_buffer = likely.contains(&Cause::SendBuffer)
        && e.buffers.is_empty()
        && e.sndbuf_share.is_none()
        && !e.has_far_more_room()
        && !sure;
    let receiver = lacks_window(e, likely) && !e.has_far_more_room()
        || blind(Cause::ReceiveWindow, End::Receiver);
    // What is left of another cause's rate goes by it.
    let next = e.memory.at_usual_most && Buffers::are_unknown(facts, flow, End::Sender);
    let sender = lacks_buffer || next || blind(Cause::SendBuffer, End::Sender);
    let ask = |fact, host: &str, what: &str, system, receive| MissingFact {
        fact,
        would_decide: match sure {
            true => format!("what the {host} allows now, which the change has to go beyond"),
            false => format!("whether the {host}'s {what} is the limit"),
        },
        command: format!("on the {host}: {}", settings(system, receive)),
    };
    let [sends_on, receives_on] = [
        of_texts(facts, e.systems[0], &flow.senders),
        of_texts(facts, e.systems[1], &flow.receivers),
    ];
    let window = ask(
        "receive_window_bytes",
        "receiver",
        "window",
        receives_on,
        true,
    );
    let buffer = ask("send_buffer_bytes", "sender", "buffer", sends_on, false);
    let each = [(receiver, window), (sender, buffer)].into_iter();
    each.filter(|(asked, _)| *asked)
        .map(|(_, fact)| fact)
        .collect()
}

/// The system of an end, or else Windows where all texts that may be of it are.
fn of_texts(facts: &Facts, known: Option<System>, hosts: &[u32]) -> Option<System> {
    let windows = !hosts.is_empty() && hosts.iter().all(|n| is_windows(facts, *n));
    known.or(windows.then_some(System::Windows))
}

/// Whether the receiver's window, or its setting, would decide.
fn lacks_window(e: &Evidence, likely: &[Cause]) -> bool {
    let windows = [Cause::ReceiveWindow, Cause::NoWindowScaling];
    likely.iter().any(|c| windows.contains(c)) && e.windows.is_empty() && e.rwnd_share.is_none()
}
