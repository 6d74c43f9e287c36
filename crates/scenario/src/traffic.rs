//! Tests: what is sent.

mod load;

use farpath_tcp::{DelayedAck, Flavour, Profile};
use farpath_units::{Duration, Size, Time};

use crate::congestion::congestion;
use crate::decode::{Fields, octets};
use crate::diagnostic::Diagnostic;
use crate::model::{
    LinkId, NodeId, Protocol, Request, Scenario, Tcp, Test, TestKind, Tool, Transfer,
};
use crate::names::Names;
use crate::recovery;
use crate::source::Beside;
use crate::stack::Stack;

pub(crate) use load::{cells, flows, udp};

/// How long a host of `linux-6` gathers: what the data plane of a lab writes as one spans as much.
const GATHERED: Duration = Duration::from_us(50);
/// Acknowledgements of what is out of order that one stands for (Linux's `tcp_comp_sack_nr`).
const COMPRESSED: u32 = 44;
/// Longest a receiver may hold back an acknowledgement (RFC 9293 §3.8.6.3).
const LONGEST_DELAYED_ACK: Duration = Duration::from_ms(500);

/// A test; its ends are two different nodes, and the sender's link is one of its own.
pub(crate) fn test(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<Test> {
    let name: String = f.get("name")?;
    if ["link", "search"].contains(&name.as_str()) {
        let title = format!("a test cannot be called `{name}`");
        let help = "the word begins the metrics of links and searches: choose another name";
        faults.push(Diagnostic::new(f.place("name"), title).help(help));
    }
    let (from, to, via) = ends(f, &name, names, faults)?;
    let ip = if f.get::<i64>("ip") == Some(6) { 6 } else { 4 };
    if let Some(n) = f.get::<i64>("ip").filter(|n| *n == 5) {
        let d = Diagnostic::new(f.place("ip"), format!("there is no IP version {n}"));
        faults.push(d.help("write ip = 4 or ip = 6"));
    }
    let kind = TestKind::read(f, &name, (scenario, [from, to]), folder, faults)?;
    for (key, host) in [("from", from), ("to", to)] {
        if kind.protocol() != Protocol::Icmp && host.0 >= scenario.hosts.len() {
            let router = names.node_name(host);
            let title = format!("`{router}` is a router, and test `{name}` needs a host");
            let d = Diagnostic::new(f.place(key), title);
            faults.push(d.help("routers answer pings only; join a [[host]] to it"));
        }
    }
    let duration = duration(f, &kind);
    Some(Test {
        name,
        from,
        to,
        via,
        start: Time::ZERO + f.get("start").unwrap_or(Duration::ZERO),
        start_spread: f.get("start_spread").unwrap_or(Duration::ZERO),
        later: Vec::new(),
        duration,
        omit: f.get("omit").unwrap_or(Duration::ZERO),
        class: f
            .get::<i64>("class")
            .and_then(|c| u8::try_from(c).ok())
            .unwrap_or(0),
        ip,
        group: f.get("group"),
        tool: match f.get::<String>("tool").as_deref() {
            Some("iperf3") => Tool::Iperf3,
            _ => Tool::Farpath,
        },
        kind,
    })
}

/// How long a test is measured: what has an end of its own needs no other.
fn duration(f: &Fields, kind: &TestKind) -> Option<Duration> {
    let replay = kind.udp().and_then(|udp| udp.replay.as_ref());
    let usual = match (kind.work(0), replay) {
        (Some(_), _) => None,
        // The last line is part of it.
        (None, Some(replay)) => Some(replay.total().0 + Duration::from_ns(1)),
        (None, None) => Some(Duration::from_secs(10)),
    };
    f.get("duration").or(usual)
}

/// The two nodes of a test and the sender's link, if one was named.
fn ends(
    f: &Fields,
    test: &str,
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) -> Option<(NodeId, NodeId, Option<LinkId>)> {
    let (from, to) = (
        names.node(&f.at("from")?, faults),
        names.node(&f.at("to")?, faults),
    );
    let written = f.at::<String>("via");
    let via = match &written {
        Some(link) => Some(names.link(link, faults)?),
        None => None,
    };
    let (from, to) = (from?, to?);
    let sender = names.node_name(from);
    if from == to {
        let title = format!("test `{test}` goes from `{sender}` to itself");
        faults.push(Diagnostic::new(f.place("to"), title).help("name two different nodes"));
        return None;
    }
    let of_sender = |link: LinkId| {
        let ends = names.link_ends.get(link.0);
        ends.is_some_and(|e| e.iter().any(|n| n == sender))
    };
    if let (Some(link), Some(written)) = (via, &written)
        && !of_sender(link)
    {
        let title = format!(
            "link `{}` is not an interface of `{sender}`",
            written.get_ref()
        );
        let help = "name a link that has the sender as one of its `ends`";
        faults.push(Diagnostic::new(written.span(), title).help(help));
        return None;
    }
    Some((from, to, via))
}

/// A whole number of at least 1.
fn count(f: &Fields, key: &str) -> Option<u64> {
    f.get::<i64>(key).map(i64::unsigned_abs)
}

/// Files, one after the other.
pub(crate) fn transfer(
    f: &Fields,
    ends: [Stack; 2],
    faults: &mut Vec<Diagnostic>,
) -> Option<Transfer> {
    Some(Transfer {
        tcp: tcp(f, ends, faults),
        files: count(f, "files").unwrap_or(1),
        file_size: f.get("file_size")?,
        pipelining: count(f, "pipelining").unwrap_or(1),
    })
}

/// Blocks; the ends are the host that answers and the one that asks.
pub(crate) fn request(f: &Fields, ends: [Stack; 2], faults: &mut Vec<Diagnostic>) -> Request {
    Request {
        tcp: tcp(f, ends, faults),
        block: f.get("block").unwrap_or(Size::from_bytes(65_536)),
        request_size: f.get("request_size").unwrap_or(Size::from_bytes(100)),
        outstanding: count(f, "outstanding").unwrap_or(1),
        think_time: f.get("think_time").unwrap_or_default(),
        requests: count(f, "requests"),
    }
}

/// Connections between two such hosts.
pub(crate) fn tcp(f: &Fields, [sender, receiver]: [Stack; 2], faults: &mut Vec<Diagnostic>) -> Tcp {
    let cc = congestion(f, sender, faults);
    // Who counts segments for an ACK, or asks for the RFC's way, is not given what the card of a host makes of it.
    let counts = f.get::<i64>("delayed_ack").is_some() || cc.flavour == Flavour::Rfc;
    let gro = receiver.gro.unwrap_or(match receiver.profile {
        Profile::Linux6 if !counts => GATHERED,
        _ => Duration::ZERO,
    });
    // Nor is the RFC's way given what a kernel makes of its own host.
    let kernel = cc.flavour == Flavour::Linux;
    let offloads = sender.profile == Profile::Linux6;
    let tso = sender.tso.unwrap_or(kernel && offloads);
    let compressed_sacks = receiver.comp_sack_nr.unwrap_or(match receiver.profile {
        Profile::Linux6 if !counts => COMPRESSED,
        _ => 0,
    });
    let (profile, receiver) = (sender.profile, receiver.profile);
    let timeout = f
        .get("delayed_ack_timeout")
        .unwrap_or(receiver.delayed_ack_timeout());
    if timeout > LONGEST_DELAYED_ACK {
        faults.push(
            Diagnostic::new(
                f.place("delayed_ack_timeout"),
                format!("a delayed ACK after {timeout}"),
            )
            .help("a receiver must not wait longer than 500 ms (RFC 9293 §3.8.6.3)"),
        );
    }
    let sack = f.get("sack").unwrap_or(profile.sack() && receiver.sack());
    let timestamps = f.get("timestamps").unwrap_or(true);
    let recovery = recovery::recovery(f, (profile, cc.algorithm), (sack, timestamps), faults);
    let (rto, rto_min) = recovery::rto(f, profile, faults);
    Tcp {
        window: f.get("window"),
        socket_buffer: f.get("socket_buffer"),
        cc,
        parallel: octets(f, "parallel").unwrap_or(1),
        bytes: f.get("bytes"),
        sack,
        timestamps,
        initial_window: octets(f, "initial_window").unwrap_or(profile.initial_window()),
        initial_ssthresh: octets(f, "initial_ssthresh"),
        delayed_ack: DelayedAck {
            every: f
                .get::<i64>("delayed_ack")
                .and_then(|n| u8::try_from(n).ok())
                .unwrap_or(2),
            timeout,
        },
        gro,
        tso,
        compressed_sacks,
        recovery,
        rto_min,
        rto,
        quick_acks: f
            .get::<i64>("quick_acks")
            .and_then(|n| u8::try_from(n).ok())
            .unwrap_or(receiver.quick_acks()),
        reverse: f.get("reverse").unwrap_or(false),
    }
}
