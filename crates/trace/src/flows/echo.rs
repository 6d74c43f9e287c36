//! Echo requests and replies (RFC 792, RFC 4443 §4).

use std::collections::BTreeMap;

use farpath_record::trace::EchoFound;

use crate::rtt::Samples;

/// The same number again within this time is the same packet, seen twice: nanoseconds.
const COPY_NS: i64 = 50_000;

/// The last request of a number.
#[derive(Clone, Copy, Debug)]
struct Request {
    at: i64,
    is_answered: bool,
}

/// Requests of one identifier, and their replies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echo {
    identifier: u16,
    requests: u64,
    replies: u64,
    duplicates: u64,
    times: Samples,
    sent: BTreeMap<u16, Request>,
    last_request: Option<(u16, i64)>,
    last_reply: Option<(u16, i64)>,
}

impl Echo {
    pub(crate) fn new(identifier: u16) -> Echo {
        Echo {
            identifier,
            ..Echo::default()
        }
    }

    pub(crate) fn request(&mut self, number: u16, at: i64) {
        let copied = |r: (u16, i64)| r.0 == number && at - r.1 <= COPY_NS;
        if self.last_request.is_some_and(copied) {
            return;
        }
        self.requests += 1;
        self.last_request = Some((number, at));
        let request = Request {
            at,
            is_answered: false,
        };
        self.sent.insert(number, request);
    }

    pub(crate) fn reply(&mut self, number: u16, at: i64) {
        let copied = |r: (u16, i64)| r.0 == number && at - r.1 <= COPY_NS;
        if self.last_reply.is_some_and(copied) {
            return;
        }
        self.last_reply = Some((number, at));
        let Some(request) = self.sent.get_mut(&number) else {
            return;
        };
        if request.is_answered {
            self.duplicates += 1;
            return;
        }
        request.is_answered = true;
        self.replies += 1;
        self.times.add(at - request.at);
    }

    /// `end` is when the capture ends: a request that had less than the longest round trip until then may be answered yet.
    pub(crate) fn stated(&self, end: i64) -> EchoFound {
        let times = self.times.stated();
        let longest = times.map(|t| t.max_ns.cast_signed());
        let waits = |r: &&Request| !r.is_answered && longest.is_some_and(|ns| end - r.at <= ns);
        let waiting = self.sent.values().filter(waits).count() as u64;
        EchoFound {
            identifier: self.identifier,
            requests: self.requests,
            replies: self.replies,
            lost: (self.requests - self.replies).saturating_sub(waiting),
            duplicates: self.duplicates,
            rtt_min_ns: times.map(|t| t.min_ns),
            rtt_avg_ns: times.map(|t| t.avg_ns),
            rtt_max_ns: times.map(|t| t.max_ns),
        }
    }
}
