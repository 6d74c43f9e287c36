//! A running connection that was watched from outside, as facts: what a test's log and `ss` would have said of it.

use std::collections::BTreeMap;

use super::{Facts, Read};
use crate::fact::{Figure, Of, Place};
use crate::seen::{End, Report, Row, Side, Test};

/// A connection as one of its hosts saw it while it was watched. What its kernel does not say is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveFlow {
    /// The end on this host.
    pub own: End,
    /// The other end.
    pub peer: End,
    /// This host sends most of what it carries.
    pub sends: bool,
    /// How long it carried data while it was watched, seconds, above 0.
    pub seconds: f64,
    /// Payload that was delivered meanwhile, bytes.
    pub bytes: f64,
    /// It had carried data before.
    pub is_old: bool,
    /// Its intervals.
    pub rows: Vec<LiveRow>,
    /// Congestion control of this host.
    pub cc: Option<String>,
    /// Payload of a segment, bytes.
    pub mss_bytes: Option<f64>,
    /// Smoothed round-trip time: what a tenth was below, the mean, what a tenth was above, nanoseconds.
    pub rtt_ns: Option<[f64; 3]>,
    /// The smallest round trip of its life, nanoseconds.
    pub rtt_min_ns: Option<f64>,
    /// Largest congestion window, bytes.
    pub cwnd_bytes: Option<f64>,
    /// Most bytes in flight.
    pub flight_bytes: Option<f64>,
    /// Largest window that the peer announced, bytes.
    pub window_bytes: Option<f64>,
    /// Memory that the send buffer may take, bytes.
    pub send_buffer_bytes: Option<f64>,
    /// Memory that the receive buffer may take, bytes.
    pub receive_buffer_bytes: Option<f64>,
    /// Bytes sent while it was watched, again or not.
    pub sent_bytes: Option<f64>,
    /// Bytes sent again.
    pub resent_bytes: Option<f64>,
    /// Segments sent again.
    pub retransmits: f64,
    /// Rate of the last delivery, bit/s.
    pub delivery_bps: Option<f64>,
    /// Rate that the program set as the most, bit/s.
    pub pacing_limit_bps: Option<f64>,
    /// Times that segments were found to have overtaken others.
    pub reordered: f64,
    /// Window scaling was offered by both.
    pub is_scaled: bool,
    /// Shares of the time by what limited the sender, by the words of `limited_by`; empty where the kernel keeps no account.
    pub shares: BTreeMap<String, f64>,
    /// Share of the samples in which a receiving program had left data unread.
    pub unread_ratio: f64,
}

/// An interval of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiveRow {
    /// Its start, seconds since that of the watch.
    pub from: f64,
    /// Its end.
    pub until: f64,
    /// Payload delivered in it, bytes.
    pub bytes: f64,
    /// Segments sent again in it.
    pub retransmits: f64,
    /// Congestion window at its end, bytes.
    pub cwnd_bytes: f64,
}

/// From this share of the time on the buffer that was full is a ceiling.
const FULL: f64 = 0.2;

impl Facts {
    /// Adds a connection that was watched.
    pub fn live(&mut self, flow: &LiveFlow) {
        let at = self.file("sock_diag of this host");
        let before = self.count();
        self.live_test(flow, at);
        self.live_socket(flow, at);
        let gained = self.count().saturating_sub(before);
        let Place::Line(source, line) = at else {
            return;
        };
        match self.pieces.iter_mut().find(|p| p.tool == "sock_diag") {
            Some(piece) => piece.facts += gained,
            None => self.pieces.push(Read {
                source,
                first: line,
                last: line,
                tool: "sock_diag",
                facts: gained,
            }),
        }
    }

    /// What a log would have said.
    fn live_test(&mut self, flow: &LiveFlow, at: Place) {
        let mut test = Test::new("sock_diag", at);
        let bps = flow.bytes * 8.0 / flow.seconds;
        let report = Report {
            goodput: Figure::exact(bps, at),
            bytes: Some(Figure::exact(flow.bytes, at)),
            seconds: flow.seconds,
        };
        let side = match flow.sends {
            true => Side::Sender,
            false => Side::Receiver,
        };
        let ends = (flow.own.clone(), flow.peer.clone());
        ((test.from, test.to), test.sent, test.received) = match flow.sends {
            true => (ends, Some(report), None),
            false => ((ends.1, ends.0), None, Some(report)),
        };
        let rows = flow.rows.iter().filter(|r| r.until > r.from).map(|r| Row {
            from: r.from,
            until: r.until,
            bps: r.bytes * 8.0 / (r.until - r.from),
            retransmits: flow.sends.then_some(r.retransmits),
            cwnd: flow.sends.then_some(r.cwnd_bytes),
            side,
            at,
        });
        test.rows = rows.collect();
        if flow.is_old {
            test.set("bytes_before", Figure::exact(1.0, at));
        }
        if flow.sends {
            test.set("retransmits", Figure::exact(flow.retransmits, at));
            let full = flow.shares.get("send_buffer").copied().unwrap_or(0.0);
            if let Some(buffer) = flow.send_buffer_bytes.filter(|_| full > FULL) {
                test.set("send_buffer_bytes", Figure::exact(buffer, at));
            }
        } else {
            if let Some([least, mean, most]) = flow.rtt_ns {
                test.set("rtt_loaded_ns", Figure::between(mean, least, most, at));
            }
            if let Some(buffer) = flow.receive_buffer_bytes {
                test.set("receive_buffer_bytes", Figure::exact(buffer, at));
            }
        }
        self.tests.push(test);
    }

    /// What `ss` would have said, of the time in which it was watched.
    fn live_socket(&mut self, flow: &LiveFlow, at: Place) {
        let of = Of::Socket(self.socket([flow.own.clone(), flow.peer.clone()]));
        let way = if flow.sends {
            "bytes_acked"
        } else {
            "bytes_received"
        };
        self.exact(of, way, flow.bytes, at);
        let scaling = if flow.is_scaled { "scaled" } else { "unscaled" };
        self.word(of, scaling, scaling, at);
        if !flow.sends {
            return;
        }
        if let Some([least, mean, most]) = flow.rtt_ns {
            self.number(of, "rtt_loaded_ns", Figure::between(mean, least, most, at));
        }
        for (name, value) in [
            ("mss_bytes", flow.mss_bytes),
            ("rtt_min_ns", flow.rtt_min_ns),
            ("cwnd_bytes", flow.cwnd_bytes),
            ("flight_bytes", flow.flight_bytes),
            ("window_bytes", flow.window_bytes),
            ("bytes_sent", flow.sent_bytes),
            ("bytes_retransmitted", flow.resent_bytes),
            ("delivery_bps", flow.delivery_bps),
            ("pacing_limit_bps", flow.pacing_limit_bps),
            ("reordered", Some(flow.reordered)),
            ("send_memory_bytes", flow.send_buffer_bytes),
            ("receive_memory_bytes", flow.receive_buffer_bytes),
        ] {
            if let Some(value) = value {
                self.exact(of, name, value, at);
            }
        }
        if let Some(cc) = flow.cc.as_deref().and_then(crate::known::control) {
            self.word(of, "cc", cc, at);
        }
        if flow.shares.is_empty() {
            return;
        }
        let share = |name: &str| flow.shares.get(name).copied().unwrap_or(0.0);
        let busy = (1.0 - share("application")).clamp(0.0, 1.0);
        self.exact(of, "busy_ratio", busy, at);
        for (name, limit) in [
            ("rwnd_limited_ratio", "receive_window"),
            ("sndbuf_limited_ratio", "send_buffer"),
        ] {
            let of_busy = (share(limit) / busy.max(1e-9)).min(1.0);
            self.exact(of, name, of_busy, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::flows::flow::flows;

    /// A kernel that says of a connection whether its windows are scaled leaves nothing of that open.
    #[test]
    fn the_kernel_says_whether_windows_are_scaled() {
        let end = |port| End {
            host: "127.0.0.1".to_owned(),
            port: Some(port),
        };
        for is_scaled in [true, false] {
            let mut facts = Facts::default();
            facts.live(&LiveFlow {
                own: end(40_000),
                peer: end(5201),
                sends: true,
                seconds: 10.0,
                bytes: 1e7,
                is_scaled,
                ..LiveFlow::default()
            });
            let e = Evidence::of(&facts, &flows(&facts)[0]);
            assert_eq!((e.scaled, e.unscaled.is_some()), (is_scaled, !is_scaled));
        }
    }
}
