//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation): how fast data arrived, from
//! what had been delivered when a segment was sent and what is when it is acknowledged.
//!
//! One entry for each instant of sending, not for each segment: segments sent at one instant share
//! everything the estimate reads.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

/// What was known when the bytes from `seq` on were sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    at: Time,
    /// When the first segment of the flight it belongs to was sent.
    first: Time,
    delivered: u64,
    delivered_at: Time,
    app_limited: bool,
}

/// A sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Delivery {
    /// Bytes a second; `None` when the interval was shorter than a round trip, which says nothing.
    pub(crate) rate: Option<f64>,
    /// Bytes delivered in all when the acknowledged segment was sent.
    pub(crate) prior: u64,
    /// Whether the sender had too little to send then.
    pub(crate) app_limited: bool,
}

/// The estimator of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deliveries {
    /// Bytes delivered in all.
    delivered: u64,
    delivered_at: Time,
    first: Time,
    /// What is sent is app-limited until more than this is delivered; 0 where it is not.
    app_limited_to: u64,
    /// First transmissions, sorted by sequence and time.
    sent: VecDeque<Sent>,
    /// Retransmissions, sorted by sequence; what was repeated again loses its older entry.
    resent: VecDeque<(Sent, u64)>,
}

/// The entry that holds `byte`, of entries sorted by where they begin.
fn holding(sent: &VecDeque<Sent>, byte: u64) -> Option<Sent> {
    // The front is right nearly always: acknowledgements come in order.
    let at = match (sent.front(), sent.get(1)) {
        (Some(first), Some(second)) if first.seq <= byte && byte < second.seq => 0,
        _ => sent.partition_point(|s| s.seq <= byte).checked_sub(1)?,
    };
    sent.get(at).copied()
}

impl Deliveries {
    /// Bytes delivered in all.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    fn note(&mut self, seq: u64, now: Time, in_flight: u64) -> Sent {
        if in_flight == 0 {
            (self.first, self.delivered_at) = (now, now);
        }
        Sent {
            seq,
            at: now,
            first: self.first,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited_to != 0,
        }
    }

    /// New data from `seq` on is sent from `now` on, with `in_flight` bytes on the way before it.
    pub(crate) fn on_send(&mut self, seq: u64, now: Time, in_flight: u64) {
        let entry = self.note(seq, now, in_flight);
        self.sent.push_back(entry);
    }

    /// The bytes from `seq` to `end` are sent again.
    pub(crate) fn on_resend(&mut self, seq: u64, end: u64, now: Time, in_flight: u64) {
        while self.resent.back().is_some_and(|(s, _)| s.seq >= seq) {
            self.resent.pop_back();
        }
        let entry = self.note(seq, now, in_flight);
        self.resent.push_back((entry, end));
    }

    /// The application, not the network, is the limit: nothing more to send, `in_flight` on the way.
    pub(crate) fn starve(&mut self, in_flight: u64) {
        self.app_limited_to = (self.delivered + in_flight).max(1);
    }

    fn of(&self, byte: u64) -> Option<Sent> {
        let again = self.resent.partition_point(|(s, _)| s.seq <= byte);
        if let Some((entry, end)) = again.checked_sub(1).and_then(|i| self.resent.get(i))
            && byte < *end
        {
            return Some(*entry);
        }
        holding(&self.sent, byte)
    }

    /// An ACK delivered `newly` bytes; `bytes` are offsets among them, the last sent included.
    /// Everything below `una` is then forgotten.
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        newly: u64,
        bytes: [Option<u64>; 2],
        una: u64,
        rtt_min: Duration,
    ) -> Option<Delivery> {
        self.delivered += newly;
        self.delivered_at = now;
        if self.delivered > self.app_limited_to {
            self.app_limited_to = 0;
        }
        let entries = bytes.into_iter().flatten().filter_map(|b| self.of(b));
        let newest = entries.max_by_key(|s| s.at);
        while self.sent.get(1).is_some_and(|s| s.seq <= una) {
            self.sent.pop_front();
        }
        while self.resent.front().is_some_and(|(_, end)| *end <= una) {
            self.resent.pop_front();
        }
        let newest = newest?;
        self.first = newest.at;
        let sending = newest.at.since(newest.first);
        let acking = now.since(newest.delivered_at);
        let span = sending.max(acking);
        let bytes = self.delivered - newest.delivered;
        Some(Delivery {
            rate: (span >= rtt_min && span > Duration::ZERO)
                .then(|| bytes as f64 / span.as_secs_f64()),
            prior: newest.delivered,
            app_limited: newest.app_limited,
        })
    }

    /// Entries kept.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.sent.len() + self.resent.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_ms(100);

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A segment of 1000 bytes each millisecond, 100 ms there and back: 1 MB/s.
    #[test]
    fn a_steady_flow_is_measured_exactly_after_a_round_trip() {
        let mut d = Deliveries::default();
        let mut last = None;
        for ms in 0..300 {
            if ms >= 100 {
                let una = (ms - 99) * 1000;
                last = d.on_ack(at(ms), 1000, [Some(una - 1), None], una, RTT);
            }
            d.on_send(ms * 1000, at(ms), if ms == 0 { 0 } else { 1000 });
        }
        let sample = last.expect("data was delivered");
        let rate = sample.rate.expect("the interval is a round trip");
        assert!((rate / 1e6 - 1.0).abs() < 1e-9, "{rate}");
        assert!(!sample.app_limited);
        assert_eq!(d.delivered() - sample.prior, 100_000);
        assert_eq!(d.len(), 100);
    }

    /// ACKs squeezed together must not look like a faster path: the sending took its time.
    #[test]
    fn compressed_acks_do_not_raise_the_rate() {
        let mut d = Deliveries::default();
        for ms in 0..100 {
            d.on_send(ms * 1000, at(ms), if ms == 0 { 0 } else { 1000 });
        }
        let mut rates = Vec::new();
        for n in 1..=100 {
            let una = n * 1000;
            // All of them arrive within a millisecond, 200 ms after the first left.
            let now = at(200) + Duration::from_us(n * 10);
            rates.extend(
                d.on_ack(now, 1000, [Some(una - 1), None], una, RTT)
                    .and_then(|s| s.rate),
            );
        }
        assert!(rates.iter().all(|r| *r <= 1.01e6), "{rates:?}");
    }

    #[test]
    fn a_sender_with_too_little_to_send_says_so() {
        let mut d = Deliveries::default();
        d.on_send(0, at(0), 0);
        d.starve(1000);
        d.on_send(1000, at(10), 1000);
        let first = d.on_ack(at(100), 1000, [Some(999), None], 1000, RTT);
        assert!(!first.expect("delivered").app_limited);
        let second = d.on_ack(at(110), 1000, [Some(1999), None], 2000, RTT);
        assert!(second.expect("delivered").app_limited);
        d.on_send(2000, at(120), 0);
        let third = d.on_ack(at(220), 1000, [Some(2999), None], 3000, RTT);
        assert!(!third.expect("delivered").app_limited);
    }

    /// One acknowledgement for all that was in flight: what is sent next is of the limited sender still, until it arrives.
    #[test]
    fn a_sender_with_nothing_in_flight_is_limited_until_more_arrives() {
        let mut d = Deliveries::default();
        d.on_send(0, at(0), 0);
        d.on_ack(at(100), 1000, [Some(999), None], 1000, RTT);
        d.starve(0);
        d.on_send(1000, at(100), 0);
        d.on_send(2000, at(100), 1000);
        let limited = d.on_ack(at(200), 1000, [Some(1999), None], 2000, RTT);
        assert!(limited.expect("delivered").app_limited);
        d.on_send(3000, at(200), 1000);
        let free = d.on_ack(at(300), 1000, [Some(3999), None], 4000, RTT);
        assert!(!free.expect("delivered").app_limited);
    }

    #[test]
    fn a_retransmission_counts_from_when_it_was_repeated() {
        let mut d = Deliveries::default();
        d.on_send(0, at(0), 0);
        d.on_send(1000, at(1), 1000);
        d.on_ack(at(101), 1000, [Some(1999), None], 0, RTT);
        d.on_resend(0, 1000, at(101), 1000);
        let sample = d
            .on_ack(at(201), 1000, [Some(0), None], 2000, RTT)
            .expect("delivered");
        assert_eq!(sample.prior, 1000);
        assert_eq!(sample.rate, Some(10_000.0));
    }
}
