//! Windows and buffers that the settings of hosts allow.

use farpath_predict::window;

use super::cap;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::asked_option;
use crate::flows::flow::{Flow, number, word};
use crate::known::System;
use crate::read::Facts;
use crate::windows::memory::beyond;
use crate::windows::room::Room;

/// What the settings of hosts allow.
pub(crate) fn rooms(
    e: &mut Evidence,
    (facts, flow): (&Facts, &Flow),
    senders: &[Of],
    receivers: &[Of],
) {
    if let Some(room) = known(
        facts,
        Of::Receiver,
        "window_known_bytes",
        "the window you gave",
    ) {
        e.windows.push(room);
    }
    if let Some(room) = known(
        facts,
        Of::Sender,
        "send_buffer_known_bytes",
        "the send buffer you gave",
    ) {
        e.buffers.push(room);
    }
    let typed = || number(facts, Of::Receiver, "window_requested_bytes").cloned();
    let asked = asked_option::of_copy(flow, 1).or_else(typed);
    e.tuned = receiving(facts, receivers, e.systems[1], asked);
    if e.windows.is_empty() {
        e.windows.clone_from(&e.tuned);
    }
    if !e.buffers.iter().any(|b| b.asked) {
        let typed = || crate::flows::typed::option(facts, flow, "window_requested_bytes").cloned();
        let asked = asked_option::of_copy(flow, 0).or_else(typed);
        let more = sending(facts, senders, asked);
        e.buffers.extend(more);
    }
}

/// The room of a buffer on a BSD or Windows: what tuning grows it to, where it is on, else what a connection begins with.
fn space(
    facts: &Facts,
    host: Of,
    end: &str,
    [auto, most, first]: [&'static str; 3],
) -> Option<Room> {
    let get = |name: &'static str| number(facts, host, name).cloned();
    let tuned = get(auto).is_none_or(|a| a.value != 0.0);
    let most = get(most).filter(|_| tuned);
    let what = space_of(facts, host, end, most.is_some());
    let bytes = most.or_else(|| get(first))?;
    Some(Room {
        memory: Some(bytes.clone()),
        bytes,
        what,
        asked: false,
    })
}

/// What a host calls the setting that its connections' windows or buffers go by: the most that tuning gives, or what they begin with.
fn space_of(facts: &Facts, host: Of, end: &str, tuned: bool) -> String {
    let system = word(facts, host, "system").map_or("", |(name, _)| name);
    let level = word(facts, host, "tuning_level").map(|(level, _)| level);
    match (system, level) {
        ("windows", Some(level)) => format!("the auto-tuning level {level} of Windows"),
        ("windows", None) => "the window of Windows".to_owned(),
        ("macos", _) if tuned => {
            let way = if end == "recv" { "rcv" } else { "snd" };
            format!("net.inet.tcp.auto{way}bufmax")
        }
        _ if tuned => format!("net.inet.tcp.{end}buf_max"),
        _ => format!("net.inet.tcp.{end}space"),
    }
}

fn known(facts: &Facts, of: Of, name: &'static str, what: &str) -> Option<Room> {
    let bytes = number(facts, of, name)?.clone();
    Some(Room {
        bytes,
        memory: None,
        what: what.to_owned(),
        asked: true,
    })
}

/// What the receiver's settings make of its window. A buffer that was asked for is doubled by Linux and limited by
/// `rmem_max`; the BSDs refuse one above their limit and stay at the default.
pub(crate) fn receiving(
    facts: &Facts,
    hosts: &[Of],
    system: Option<System>,
    asked: Option<Figure>,
) -> Vec<Room> {
    let mut all = Vec::new();
    for host in hosts {
        let get = |name: &'static str| number(facts, *host, name).cloned();
        let scale = get("adv_win_scale").map(|s| s.value);
        let part = window::window_part(scale, kernel(facts, *host));
        let room = |bytes: Figure, what: &str, asked: bool| {
            let mut window = bytes.times(part.usual);
            (window.low, window.high) = (bytes.low * part.least, bytes.high * part.most);
            Room {
                bytes: window,
                memory: Some(bytes),
                what: what.to_owned(),
                asked,
            }
        };
        match (&asked, get("core_rmem_max_bytes"), get("rmem_max_bytes")) {
            (Some(asked), Some(max), _) => {
                let got = doubled(asked, &max);
                let said = most_said(got.value / 2.0);
                let what = "what was asked for, limited by net.core.rmem_max";
                let mut room = room(got, what, true);
                cap(&mut room.bytes, said);
                all.push(room);
            }
            (None, _, Some(auto)) => {
                let auto = match get("moderate_rcvbuf").is_some_and(|m| m.value == 0.0) {
                    true => get("rmem_default_bytes").unwrap_or(auto),
                    false => auto,
                };
                all.push(room(auto, "net.ipv4.tcp_rmem", false));
            }
            _ => {}
        }
        let names = ["recvbuf_auto", "recvbuf_max_bytes", "recvspace_bytes"];
        all.extend(space(facts, *host, "recv", names));
    }
    if all.is_empty()
        && let (Some(asked), Some(System::Linux)) = (asked, system)
    {
        // Without the limit, what was asked for is the most: doubled, and half of it window.
        let mut bytes = asked.clone();
        (bytes.low, bytes.high) = (asked.value * 0.02, asked.value * 1.5);
        all.push(Room {
            bytes,
            memory: Some(asked.times(2.0)),
            what: "what was asked for".to_owned(),
            asked: true,
        });
    }
    all
}

/// What of a socket's buffer is room for data: Linux reports twice what was asked for, and half to three quarters of a
/// receive buffer become window (`tcp_adv_win_scale`); elsewhere the buffer is the window.
pub(crate) fn socket_room(
    got: Option<&Figure>,
    asked: Option<&Figure>,
    system: Option<System>,
    what: &str,
) -> Option<Room> {
    let got = got?;
    let is_linux = match system {
        Some(system) => system == System::Linux,
        // Twice what was asked for is Linux's way.
        None => asked.is_some_and(|a| got.value > 1.9 * a.value),
    };
    let (least, usual, most) = match (is_linux, system) {
        (true, _) => (0.45, 0.5, 1.0),
        (false, None) => (0.45, 1.0, 1.0),
        (false, Some(_)) => (1.0, 1.0, 1.0),
    };
    let mut bytes = got.times(usual);
    bytes.low = got.low * least;
    bytes.high = got.high * most;
    Some(Room {
        bytes,
        memory: Some(got.clone()),
        what: what.to_owned(),
        asked: asked.is_some(),
    })
}

/// The buffer that Linux gives who asks: twice as much, as far as the limit goes.
fn doubled(asked: &Figure, most: &Figure) -> Figure {
    let mut got = asked.with(most);
    got.value = 2.0 * asked.value.min(most.value);
    (got.low, got.high) = (got.value, got.value);
    got
}

/// The largest window that can be said with the scale a SYN has for this much room (RFC 7323 §2.3).
fn most_said(bytes: f64) -> f64 {
    let shift = window::shift_for(bytes).unwrap_or(window::SHIFT_MAX);
    let most = window::largest_window(shift).map_or(u64::MAX, |w| w.as_bytes());
    most as f64
}

/// The release of a host's kernel, if it was said.
pub(crate) fn kernel(facts: &Facts, host: Of) -> Option<(u32, u32)> {
    let (release, _) = word(facts, host, "kernel")?;
    window::release(release)
}

/// What the sender's settings make of its buffer. Linux charges a segment's memory, not its data.
pub(crate) fn sending(facts: &Facts, hosts: &[Of], asked: Option<Figure>) -> Vec<Room> {
    let mut all = Vec::new();
    for host in hosts {
        let get = |name: &'static str| number(facts, *host, name).cloned();
        let (bytes, what) = match (&asked, get("core_wmem_max_bytes"), get("wmem_max_bytes")) {
            (Some(asked), Some(max), _) => {
                let what = "what was asked for, limited by net.core.wmem_max";
                (doubled(asked, &max), what)
            }
            (None, _, Some(auto)) => (auto, "net.ipv4.tcp_wmem"),
            _ => {
                let names = ["sendbuf_auto", "sendbuf_max_bytes", "sendspace_bytes"];
                all.extend(space(facts, *host, "send", names));
                continue;
            }
        };
        let of = window::sent_part(kernel(facts, *host));
        let mut part = bytes.times(of.usual);
        part.low = bytes.low * of.least;
        part.high = bytes.high * of.most + beyond(bytes.high);
        all.push(Room {
            bytes: part,
            memory: Some(bytes),
            what: what.to_owned(),
            asked: asked.is_some(),
        });
    }
    all
}
