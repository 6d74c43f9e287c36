//! Requests and responses on a connection whose ends take turns.

mod outstanding;

use farpath_record::trace::{Request, RequestTotals};

use crate::room::Room;

/// Requests listed of one connection; of further ones the totals are kept.
const LISTED_MAX: usize = 1000;
/// Turns in a hundred that may begin before the other end's data was acknowledged.
const OVERLAPS_PERCENT: u64 = 20;

/// A request and its response, in times of the capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exchange {
    at: i64,
    request_bytes: u64,
    request_last: i64,
    response_first: i64,
    response_last: i64,
    response_bytes: u64,
    /// When all of the response so far was acknowledged without data beside it; 0 before.
    acknowledged: i64,
    /// The last round trip from here to the client within the response: the acknowledgement left more of it in flight, so
    /// that the client had no reason to hold it back.
    trip: i64,
    /// Time for which the client's window was closed, when the response began and at its end.
    closed: [i64; 2],
    is_repeated: bool,
    /// When the server was first seen to have sent some of the response, none of which had come; 0 where it was not.
    unseen: i64,
}

/// From the capture to the client and back, and to the server and back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turns {
    pub(crate) client: i64,
    pub(crate) server: i64,
}

/// A segment with data, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) at: i64,
    /// Bytes of it that were not seen before.
    pub(crate) new: u64,
    /// The other end's data is not acknowledged yet.
    pub(crate) is_early: bool,
    /// This end's own data is not acknowledged yet.
    pub(crate) is_waiting: bool,
    /// How long the client's window has been closed in all.
    pub(crate) closed: i64,
}

/// Requests of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchanges {
    open: Option<Exchange>,
    list: Vec<Exchange>,
    /// Of what is not listed, where there is any.
    beyond: Option<Box<RequestTotals>>,
    greeting: u64,
    turns: u64,
    early: u64,
}

impl Exchanges {
    /// Takes in data of the client; the exchange that ends with it, if one does.
    #[inline]
    pub(crate) fn ask(&mut self, turn: Turn) -> Option<Exchange> {
        match &mut self.open {
            Some(open) if open.response_bytes == 0 => {
                if turn.new > 0 {
                    open.request_bytes += turn.new;
                    open.request_last = turn.at;
                } else if turn.is_waiting {
                    open.request_last = turn.at;
                    open.is_repeated = true;
                }
                None
            }
            _ if turn.new == 0 => None,
            _ => {
                self.turns += 1;
                self.early += u64::from(turn.is_early);
                self.open.replace(Exchange {
                    at: turn.at,
                    request_bytes: turn.new,
                    request_last: turn.at,
                    ..Exchange::default()
                })
            }
        }
    }

    /// Takes in that the client acknowledged data of the server, without data of its own: all that there is of it, or a part,
    /// so much after it was seen here (nanoseconds; 0 where that is unknown).
    #[inline]
    pub(crate) fn acknowledged(&mut self, at: i64, is_all: bool, trip: i64) {
        let Some(open) = self.open.as_mut().filter(|e| e.response_bytes > 0) else {
            return;
        };
        if is_all {
            open.acknowledged = at;
        } else if trip > 0 {
            open.trip = trip;
        }
    }

    /// Takes in that the server has sent data that has not come.
    pub(crate) fn sent_unseen(&mut self, at: i64) {
        if let Some(open) = self.open.as_mut().filter(|e| e.response_bytes == 0) {
            open.unseen = if open.unseen > 0 { open.unseen } else { at };
        }
    }

    /// Responses that were lost before they came, and for how long in all they were waited for after that was seen, nanoseconds: of the requests
    /// that are listed.
    pub(crate) fn lost(&self, turns: Turns) -> (u64, u64) {
        let waits = self.list.iter().chain(&self.open);
        let waits = waits.map(|e| e.response_first - first(e, turns));
        let lost = waits.filter(|wait| *wait > 0);
        lost.fold((0, 0), |(n, sum), wait| (n + 1, sum + wait as u64))
    }

    /// Lists an exchange that is over; the next one begins at `next`.
    pub(crate) fn list(&mut self, done: Exchange, next: i64, turns: Turns, room: &mut Room) {
        if self.list.len() < LISTED_MAX && room.requests > 0 {
            room.requests -= 1;
            self.list.push(done);
        } else {
            let beyond = self.beyond.get_or_insert_default();
            beyond.add(&described(&done, Some(next), turns, done.at));
            beyond.left_out += 1;
        }
    }

    /// Takes in data of the server.
    #[inline]
    pub(crate) fn answer(&mut self, turn: Turn) {
        let Some(open) = &mut self.open else {
            self.greeting += turn.new;
            return;
        };
        if turn.new == 0 {
            return;
        }
        if open.response_bytes == 0 {
            self.turns += 1;
            self.early += u64::from(turn.is_early);
            open.response_first = turn.at;
            open.closed[0] = turn.closed;
        }
        if open.acknowledged > 0 {
            // All was there: what queued before says nothing of what comes now.
            (open.acknowledged, open.trip) = (0, 0);
        }
        open.response_bytes += turn.new;
        open.response_last = turn.at;
        open.closed[1] = turn.closed;
    }

    /// Whether its ends take turns.
    fn alternates(&self) -> bool {
        let answered = self.beyond.as_ref().is_some_and(|b| b.response_bytes > 0)
            || self
                .list
                .iter()
                .chain(&self.open)
                .any(|e| e.response_bytes > 0);
        answered && self.early * 100 <= self.turns * OVERLAPS_PERCENT
    }

    /// How many requests are outstanding at a time, where several are though the ends seem to take turns.
    pub(crate) fn outstanding(&self) -> Option<u64> {
        let several = || outstanding::outstanding(&self.list, self.open.as_ref());
        self.alternates().then(several).flatten()
    }

    /// The requests, their times since `started`, and the totals; none where the ends do not take turns, or several requests are outstanding.
    pub(crate) fn stated(
        &mut self,
        turns: Turns,
        started: i64,
        secured: Option<i64>,
    ) -> (Vec<Request>, Option<RequestTotals>) {
        if !self.alternates() || self.outstanding().is_some() {
            return (Vec::new(), None);
        }
        let mut totals = self.beyond.as_deref().copied().unwrap_or_default();
        let mut all = Vec::new();
        // The one that is open is the last; those that found no room lie between.
        let after_list = match totals.left_out {
            0 => self.open.map(|e| e.at),
            _ => None,
        };
        for (n, exchange) in self.list.iter().enumerate() {
            let next = self.list.get(n + 1).map(|e| e.at).or(after_list);
            all.push(described(exchange, next, turns, started));
        }
        if let Some(open) = &self.open {
            all.push(described(open, None, turns, started));
        }
        let exchanges = self.list.iter().chain(&self.open);
        for (request, exchange) in all.iter_mut().zip(exchanges) {
            request.tls_handshake = secured.is_some_and(|at| exchange.at < at);
            totals.add(request);
        }
        totals.greeting_bytes = self.greeting;
        (all, Some(totals))
    }
}

/// How much later the response's last byte was at the client than the shortest way allows: it waited in a queue. An acknowledgement
/// that the client holds back is as late (RFC 1122 §4.2.3.2), so that it counts to twice what one within the response took.
fn queued(e: &Exchange, turns: Turns) -> i64 {
    if e.acknowledged <= e.response_last {
        return 0;
    }
    let late = e.acknowledged.saturating_sub(e.response_last) - turns.client;
    let most = 2 * (e.trip - turns.client).max(0);
    late.clamp(0, most)
}

/// When the response began: where the server was seen to have sent some of it a round trip or more before any came, that was lost, and it began
/// then. What comes sooner may have been overtaken.
fn first(e: &Exchange, turns: Turns) -> i64 {
    let round_trip = (turns.client + turns.server).max(1);
    let seen = e.unseen.max(e.request_last);
    let is_lost = e.unseen > 0 && e.response_first.saturating_sub(seen) >= round_trip;
    if is_lost { seen } else { e.response_first }
}

/// One exchange, its time divided. `next` is when the next one begins.
fn described(e: &Exchange, next: Option<i64>, turns: Turns, started: i64) -> Request {
    let ns = |v: i64| v.max(0) as u64;
    let is_answered = e.response_bytes > 0;
    let first = first(e, turns);
    let gap = if is_answered {
        (first - e.request_last).max(0)
    } else {
        0
    };
    let wire = turns.server.clamp(0, gap);
    let thinking = next.filter(|_| is_answered);
    let queued = queued(e, turns);
    Request {
        at_ns: ns(e.at - started),
        request_bytes: e.request_bytes,
        response_bytes: e.response_bytes,
        client_sending_ns: ns(e.request_last - e.at),
        wire_ns: if is_answered {
            ns(wire + turns.client)
        } else {
            0
        },
        server_thinking_ns: ns(gap - wire),
        response_ns: ns(e.response_last - first + queued),
        slow_reader_ns: ns(e.closed[1] - e.closed[0]),
        client_thinking_ns: thinking.map(|next| ns(next - e.response_last - turns.client - queued)),
        repeated: e.is_repeated,
        tls_handshake: false,
    }
}
