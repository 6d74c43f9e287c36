//! Connections that a program opens anew for each request: each spends round trips on its handshake, and begins slow start again.

use std::collections::BTreeMap;

use farpath_record::trace::TraceConnection;
use farpath_trace::DirectionFound;

use crate::advice::{End, Remedy};
use crate::captured::{Captured, Vantage, end};
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::items::{Item, step};
use crate::lines::bloat::ms;
use crate::seen::{End as Named, Report, Side, Test};

/// What the set-up of connections is worth where no capture shows several, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where one does.
const SEEN: f64 = 200.0;

/// Fewer connections to one service are not a habit.
const LEAST: usize = 3;

/// So many of them begin after another has ended: those side by side are one transfer.
const LATER: usize = 2;

/// A connection that lasts for more round trips than this spends its time on data.
const ROUNDS_MOST: u64 = 6;

/// What leaves at once on a new connection, segments (RFC 6928 §2).
const WINDOW: f64 = 10.0;

/// Short connections of one client to one service.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opened {
    count: usize,
    port: Option<u16>,
    /// Means of each, seconds: its round trip, until its last data had arrived, and of that its handshakes.
    rtt_s: f64,
    lasted_s: f64,
    set_up_s: f64,
    /// Mean of what one carried the way with more of it, bytes, and the payload of a segment.
    bytes: f64,
    mss: f64,
    /// Share of all the time in which none was open.
    idle: f64,
    /// TLS is part of it.
    secured: bool,
    /// The end that opens them.
    pub(crate) client: Side,
}

/// Short connections, and what they come to as one flow.
pub(crate) struct Set {
    /// The numbers of the connections.
    pub(crate) ids: Vec<u64>,
    /// All of them together.
    pub(crate) captured: Captured,
}

/// One of them, nanoseconds.
struct Short<'c> {
    connection: &'c TraceConnection,
    lasted: u64,
    handshake: u64,
    set_up: u64,
}

impl Short<'_> {
    fn of<'c>(connection: &'c TraceConnection, found: &[DirectionFound; 2]) -> Option<Short<'c>> {
        let handshake = connection.handshake_rtt_ns.filter(|ns| *ns > 0)?;
        let each = found.iter().filter_map(|d| d.observed.as_ref()?.lasted);
        let lasted = each.max()?.as_ns();
        let tls = connection.tls.as_ref().and_then(|t| t.handshake_ns);
        let set_up = handshake.saturating_add(tls.unwrap_or(0));
        let short = lasted
            <= handshake
                .saturating_mul(ROUNDS_MOST - 1)
                .saturating_add(set_up)
            && set_up < lasted;
        (short && connection.same_as.is_none()).then_some(Short {
            connection,
            lasted,
            handshake,
            set_up,
        })
    }

    fn until(&self) -> i64 {
        self.connection
            .start_ns
            .saturating_add_unsigned(self.lasted)
    }
}

/// The sets of short connections in one source.
pub(crate) fn sets(
    source: u32,
    connections: &[TraceConnection],
    found: &[[DirectionFound; 2]],
) -> Vec<Set> {
    let mut all: BTreeMap<(String, &str), Vec<Short>> = BTreeMap::new();
    for (connection, found) in connections.iter().zip(found) {
        if let Some(short) = Short::of(connection, found) {
            let key = (end(&connection.a).host, connection.b.as_str());
            all.entry(key).or_default().push(short);
        }
    }
    let each = all.into_values().filter(|of| is_habit(of));
    each.map(|of| set(source, &of)).collect()
}

/// Whether one was opened after the other.
fn is_habit(all: &[Short]) -> bool {
    let first = all.iter().map(Short::until).min();
    let later = |s: &&Short| first.is_some_and(|first| s.connection.start_ns >= first);
    all.len() >= LEAST && all.iter().filter(later).count() >= LATER
}

fn set(source: u32, all: &[Short]) -> Set {
    let first = all[0].connection;
    let sum = |of: &dyn Fn(&Short) -> u64| all.iter().map(of).sum::<u64>() as f64;
    let mean = |of: &dyn Fn(&Short) -> u64| sum(of) / all.len() as f64 / 1e9;
    let ways = [
        sum(&|s| s.connection.a2b.unique_bytes),
        sum(&|s| s.connection.b2a.unique_bytes),
    ];
    let reverse = ways[1] > ways[0];
    let bytes = ways[usize::from(reverse)];
    let begin = all.iter().map(|s| s.connection.start_ns).min();
    let until = all.iter().map(Short::until).max();
    let wall = begin
        .zip(until)
        .map_or(0, |(b, u)| u.saturating_sub(b))
        .max(1) as f64
        / 1e9;
    let mss = match reverse {
        true => first.b2a.mss,
        false => first.a2b.mss,
    };
    let opened = Opened {
        count: all.len(),
        port: end(&first.b).port,
        rtt_s: mean(&|s| s.handshake),
        lasted_s: mean(&|s| s.lasted),
        set_up_s: mean(&|s| s.set_up),
        bytes: bytes / all.len() as f64,
        mss: mss.map_or(crate::known::SEGMENT, f64::from),
        idle: (1.0 - sum(&|s| s.lasted) / 1e9 / wall).clamp(0.0, 1.0),
        secured: all.iter().any(|s| s.set_up > s.handshake),
        client: if reverse {
            Side::Receiver
        } else {
            Side::Sender
        },
    };
    let at = Place::Connection(source, first.id);
    let vantage = Vantage::of(first, reverse);
    let mut test = opened.test(at, [end(&first.a).host, end(&first.b).host]);
    let report = Some(Report {
        goodput: Figure::exact(bytes * 8.0 / wall, at),
        bytes: Some(Figure::exact(bytes, at)),
        seconds: wall,
    });
    match vantage {
        Vantage::Receiver => test.received = report,
        _ => test.sent = report,
    }
    let handshakes = || all.iter().map(|s| s.handshake as f64);
    let least = handshakes().fold(f64::INFINITY, f64::min);
    let most = handshakes().fold(0.0, f64::max);
    let trips = Figure::between(opened.rtt_s * 1e9, least, most, at);
    test.set("handshake_rtt_ns", trips);
    let mut captured = Captured::plain(test, source, vantage, first.start_ns, bytes);
    captured.opened = Some(opened);
    Set {
        ids: all.iter().map(|s| s.connection.id).collect(),
        captured,
    }
}

impl Opened {
    fn test(&self, at: Place, [client, server]: [String; 2]) -> Test {
        let mut test = Test::new("capture", at);
        let named = |host: String, port| Named { host, port };
        (test.from, test.to) = (named(client, None), named(server, self.port));
        if self.client == Side::Receiver {
            core::mem::swap(&mut test.from, &mut test.to);
        }
        test.client = self.client;
        let port = self.port.map_or(String::new(), |p| format!(" to port {p}"));
        test.name = format!("{} connections{port}", self.count);
        test.set("mss_bytes", Figure::exact(self.mss, at));
        test
    }

    /// The share of each connection's time that its set-up took, 0 to 1.
    fn part(&self) -> f64 {
        self.set_up_s / self.lasted_s
    }

    /// The same of all the time.
    pub(crate) fn share(&self) -> f64 {
        self.part() * (1.0 - self.idle)
    }

    /// Whether what one carries takes more than what leaves at once.
    fn grows(&self) -> bool {
        self.bytes > WINDOW * self.mss
    }

    fn sentence(&self) -> String {
        let rounds = |s: f64| format!("{:.1}", s / self.rtt_s);
        let of_tls = if self.secured { " and TLS" } else { "" };
        let rest = match self.grows() {
            true => "the request, and its answer in slow start, which each begins anew",
            false => "the request and its answer",
        };
        format!(
            "{} connections were opened, one after the other, for {} each: {} round trips of {} until the last byte, of which {} ({:.0} %) set it up{of_tls}. The rest is {rest}",
            self.count,
            crate::ceiling::bytes(self.bytes),
            rounds(self.lasted_s),
            ms(self.rtt_s),
            rounds(self.set_up_s),
            100.0 * self.part()
        )
    }

    /// Connections that stay open.
    pub(crate) fn remedy(&self) -> Remedy {
        let mut commands = vec![format!(
            "keep connections open for the next request (HTTP keep-alive, a pool of connections): each then takes {} less of {}",
            ms(self.set_up_s),
            ms(self.lasted_s)
        )];
        if self.grows() {
            commands.push("on one that stays open slow start does not begin anew, and an answer takes fewer round trips".to_owned());
        }
        if self.secured {
            commands.push("where each must be new: TLS 1.3, and sessions that are resumed, take fewer round trips".to_owned());
        }
        Remedy {
            commands,
            risk: "a server ends connections that rest for too long: the client opens another then"
                .to_owned(),
            ..Remedy::default()
        }
    }

    /// The end that opens them.
    pub(crate) fn end(&self) -> End {
        End::from(self.client)
    }
}

/// Weighs them: how long their handshakes took, and how long none was open.
pub(crate) fn by_opening(e: &Evidence, items: &mut Vec<Item>) {
    let Some(opened) = &e.opened else { return };
    let idle = step(opened.idle, 0.5, 0.8);
    items.push(Item {
        holds: 1.0 - idle,
        weights: vec![(Cause::SetUp, SEEN)],
        sentence: opened.sentence(),
    });
    items.push(Item {
        holds: idle,
        weights: vec![(Cause::Application, 40.0)],
        sentence: format!(
            "for {:.0} % of the time no connection was open: the program asked for nothing",
            100.0 * opened.idle
        ),
    });
}
