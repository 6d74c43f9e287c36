//! Programs that take turns, as a capture shows it: requests wait for answers, one after the other or a few at a time.

use farpath_observe::Connection as Seen;
use farpath_record::trace::{TraceConnection, TraceDirection};

use crate::advice::{End, NO_RISK, Remedy};
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, step};
use crate::lines::bloat::ms;
use crate::seen::Side;

/// What is on its way at a time on a connection whose ends wait for each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turns {
    /// Requests, or answers, at most.
    at_a_time: f64,
    /// The same on average: what passes in a round trip.
    each_round: f64,
    /// Round trip, seconds.
    rtt_s: f64,
    /// Where the ends take turns strictly: the part of the time in which a request or its answer was on its way, and the requests.
    on_their_way: Option<(f64, u64)>,
    /// Where they do, and wait for the server: the part of the time in which it had a request and had not answered, the requests that it answered,
    /// and how long it took for each, seconds.
    works: Option<(f64, u64, f64)>,
    /// The end that asks.
    pub(crate) asker: Side,
    /// Share of the time in which nothing new was there to send.
    idle: f64,
}

/// Fewer requests, or small segments, than these show no turns.
const TURNS_LEAST: u64 = 3;
const SEGMENTS_LEAST: u64 = 20;

/// A request or its answer is on its way for this part of the time.
const ON_THEIR_WAY: f64 = 0.5;

/// A server has requests for this part of the time.
const AT_WORK: f64 = 0.5;

/// No congestion window holds back less than ten segments (RFC 6928 §2), and requests are smaller than half of one.
const WINDOW: f64 = 10.0;
const SMALL: f64 = 0.5;

/// As much as ever is at a time is on average, within this.
const AS_MANY: [f64; 2] = [0.6, 1.3];

/// The other end's segments are at least this part of one's own: each asks or answers.
const OTHERS: u64 = 4;

/// Small writes that waited for so much of the time are a cause of their own.
const WAITED: f64 = 0.15;

impl Turns {
    /// Of what one end sent; `far` has the round trip where it was not captured there.
    pub(crate) fn of(
        connection: &TraceConnection,
        reverse: bool,
        seen: &Seen,
        far: Option<u64>,
    ) -> Option<Turns> {
        let mut ways = [&connection.a2b, &connection.b2a];
        if reverse {
            ways.swap(0, 1);
        }
        let [own, other] = ways;
        let totals = connection.request_totals.as_ref();
        let asks_first = totals.is_none_or(|t| t.client_is_a);
        let share = |word: &str| own.limit_shares.get(word).copied().unwrap_or(0.0);
        let rtt_ns = far
            .map(|ns| ns as f64)
            .or(seen.rtt.as_ref().map(|r| r.avg_ns));
        let mut turns = Turns {
            at_a_time: 1.0,
            each_round: 1.0,
            rtt_s: rtt_ns.filter(|ns| *ns > 0.0)? / 1e9,
            on_their_way: None,
            works: None,
            asker: match asks_first == reverse {
                true => Side::Receiver,
                false => Side::Sender,
            },
            idle: share("application"),
        };
        if other.unique_bytes == 0 || share("small_writes") >= WAITED {
            return None;
        }
        if let Some(t) = totals.filter(|t| t.requests >= TURNS_LEAST) {
            let rest = t.client_sending_ns + t.server_thinking_ns + t.response_ns;
            let all = (t.wire_ns + rest + t.client_thinking_ns) as f64;
            let part_of = |ns: u64| ns as f64 / all.max(1.0);
            let (part, work) = (part_of(t.wire_ns), part_of(t.server_thinking_ns));
            let answered = t.requests.saturating_sub(t.unanswered);
            if work >= AT_WORK && answered >= TURNS_LEAST {
                let each = t.server_thinking_ns as f64 / 1e9 / answered as f64;
                turns.works = Some((work, answered, each));
                return Some(turns);
            }
            turns.on_their_way = Some((part, t.requests));
            return (part >= ON_THEIR_WAY).then_some(turns);
        }
        turns.side_by_side(own, other)
    }

    /// Of requests that do not wait for the one before, but are never more than a few.
    fn side_by_side(mut self, own: &TraceDirection, other: &TraceDirection) -> Option<Turns> {
        let mss = f64::from(own.mss?);
        let each = own.unique_bytes as f64 / own.segments.max(1) as f64;
        let peak = own.flight_max_bytes as f64;
        let both = own.segments >= SEGMENTS_LEAST && other.segments * OTHERS >= own.segments;
        if !both || each <= 0.0 || each > SMALL * mss || peak > WINDOW * mss {
            return None;
        }
        self.at_a_time = peak / each;
        self.each_round = own.goodput_bps as f64 / 8.0 * self.rtt_s / each;
        let part = self.each_round / self.at_a_time;
        (AS_MANY[0]..AS_MANY[1]).contains(&part).then_some(self)
    }

    /// Why, for people.
    fn sentence(&self) -> String {
        let rtt = ms(self.rtt_s);
        if let Some((part, requests, each)) = self.works {
            return format!(
                "the server took {} for each of {requests} requests, one after the other: for {:.0} % of the time it had one and had not answered, beside the way of {rtt} there and back",
                ms(each),
                100.0 * part
            );
        }
        match self.on_their_way {
            Some((part, requests)) => format!(
                "{requests} requests went one after the other: for {:.0} % of the time one of them, or its answer, was on its way ({rtt} there and back)",
                100.0 * part
            ),
            None => format!(
                "at most {:.0} small requests or answers were on their way at a time, and {:.1} passed in each round trip of {rtt}: they wait for the path, not for a program",
                self.at_a_time, self.each_round
            ),
        }
    }

    /// What helps: more at a time, or fewer of them.
    pub(crate) fn remedy(&self) -> Remedy {
        if let Some((.., each)) = self.works {
            return at_work(each);
        }
        let first = match self.on_their_way {
            Some(_) => "send the next request before the answer to the last has come (pipelining, several connections): now there is one at a time".to_owned(),
            None => format!(
                "let more requests be under way at a time than the {:.0} that there are now: the rate grows as their number does",
                self.at_a_time
            ),
        };
        let fewer = format!(
            "or ask for more in each request, so that there are fewer: each takes a round trip of {}",
            ms(self.rtt_s)
        );
        Remedy {
            commands: vec![first, fewer],
            risk: NO_RISK.to_owned(),
            ..Remedy::default()
        }
    }

    /// The end that is to ask otherwise, or to answer sooner.
    pub(crate) fn end(&self) -> End {
        match (self.works, self.asker) {
            (Some(_), Side::Sender) | (None, Side::Receiver) => End::Receiver,
            (Some(_), Side::Receiver) | (None, Side::Sender) => End::Sender,
        }
    }
}

/// Against a server that takes so many seconds for each request.
fn at_work(each: f64) -> Remedy {
    let slow = format!(
        "what the server does for {} with each request: by the log of its program, and what that waits for, such as a database, another service, a lock or a disk",
        ms(each)
    );
    Remedy {
        commands: vec![
            slow,
            "top -H and vmstat 1 5 on the server while a request waits: whether a processor or a disk is busy. Where neither is, its program waits for something else".to_owned(),
            "or several requests at a time, where the server works at them side by side: now there is one".to_owned(),
            "nothing on the path: more bandwidth, or larger windows and buffers, do not shorten that wait".to_owned(),
        ],
        risk: NO_RISK.to_owned(),
        ..Remedy::default()
    }
}

/// Weighs them: it is how the programs use the connection, or what a server does with a request, and not what windows and buffers hold back.
pub(crate) fn by_turns(e: &Evidence, items: &mut Vec<Item>) {
    let Some(turns) = &e.turns else { return };
    items.push(Item {
        holds: step(turns.idle, 0.3, 0.6),
        weights: vec![
            (Cause::Application, 40.0),
            (Cause::ReceiveWindow, -10.0),
            (Cause::SendBuffer, -10.0),
        ],
        sentence: turns.sentence(),
    });
}
