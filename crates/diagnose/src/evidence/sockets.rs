//! What the sockets of a flow say (`ss -tin`).

use super::{Evidence, NS, SMALLEST_FULL};
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::losses::marked::Delivered;
use crate::programs::held_small::HeldSmall;
use crate::reach::stuck::Stuck;
use crate::read::Facts;
use crate::seen::Side;
use crate::windows::room::Room;
use crate::windows::shut_window::ShutWindow;

/// A send queue that holds so many segments more than are in flight holds some that wait. A choice.
const BEYOND: f64 = 20.0;

impl Evidence {
    pub(super) fn of_sockets(&mut self, facts: &Facts, flow: &Flow) {
        let all = |name: &'static str| -> Vec<Figure> {
            let of = |s: &u32| number(facts, Of::Socket(*s), name).cloned();
            flow.sockets.iter().filter_map(of).collect()
        };
        let mean = |name: &'static str| all(name).into_iter().reduce(|a, b| a.with(&b));
        let most = |name: &'static str| {
            all(name)
                .into_iter()
                .max_by(|a, b| a.value.total_cmp(&b.value))
        };
        let sum = |name: &'static str| all(name).into_iter().reduce(|a, b| a.plus(&b));
        if let Some(mss) = most("mss_bytes").filter(|m| (64.0..65_536.0).contains(&m.value)) {
            (self.mss, self.mss_said) = (mss.value, true);
        }
        let seconds =
            |name: &'static str| mean(name).filter(|r| r.value > 0.0).map(|r| r.times(NS));
        self.rtt_loaded = seconds("rtt_loaded_ns").or(self.rtt_loaded.take());
        self.rtt_floor = seconds("rtt_min_ns").or(self.rtt_floor.take());
        self.words_of_sockets(facts, flow);
        self.of_far_sockets(facts, flow);
        self.of_thresholds(facts, flow);
        self.rwnd_share = mean("rwnd_limited_ratio");
        self.sndbuf_share = mean("sndbuf_limited_ratio");
        self.busy_share = mean("busy_ratio");
        self.busy(flow.test.as_ref(), sum("bytes_acked"), most("busy_ns"));
        self.smaller_mtu = most("mtu_discovered_bytes");
        self.delivery = sum("delivery_bps");
        self.flight = sum("flight_bytes").or(self.flight.take());
        self.cwnd = sum("cwnd_bytes").or(self.cwnd.take());
        self.queued = sum("send_queue_bytes").filter(|q| q.value > 0.0);
        self.unsent = sum("unsent_bytes").or_else(|| self.beyond_flight(sum("flight_bytes")));
        self.pacing = sum("pacing_limit_bps").or(self.pacing.take());
        self.reordered = sum("reordered").or(self.reordered.take());
        let counted = sum("retransmits_dsack").zip(sum("retransmits_counted"));
        self.duplicates =
            counted.and_then(|(arrived, again)| crate::losses::duplicates::share(&arrived, &again));
        self.socket_losses(
            flow.test.as_ref(),
            sum("bytes_retransmitted"),
            sum("bytes_sent"),
        );
        self.delivered = Delivered::of(sum("delivered_segments"), sum("delivered_marked"));
        self.stuck = Stuck::of(facts, flow, self.mss);
        self.shut = ShutWindow::of(facts, flow);
        if let Some(window) = most("window_bytes") {
            self.windows.push(Room::announced(window));
        }
        self.of_shrunk(facts, flow);
        let announced = sum("window_announced_bytes").zip(sum("flight_bytes"));
        let largest = self.at_largest(facts, flow);
        self.window_at_once(largest.or(announced), flow.sockets.len());
        self.socket_rate(facts, flow, &sum("bytes_acked"), &most("busy_ns"));
    }

    /// What sockets hold beyond what is in flight (`unacked`), where an older ss does not print it as `notsent`. A socket whose program sends
    /// too little holds nothing back.
    fn beyond_flight(&self, flight: Option<Figure>) -> Option<Figure> {
        let (queued, flight) = (self.queued.as_ref()?, flight?);
        let beyond = queued.value - flight.value;
        let place = queued.from.first().copied()?;
        (self.app_limited.is_none() && beyond > BEYOND * self.mss)
            .then(|| Figure::exact(beyond, place))
    }

    /// What the receiver's sockets say of the path: its shortest round trip, and how large the segments are that arrive. Their windows,
    /// and what they have in flight, are of the other way.
    fn of_far_sockets(&mut self, facts: &Facts, flow: &Flow) {
        let all = |name: &'static str| -> Vec<Figure> {
            let of = |s: &u32| number(facts, Of::Socket(*s), name).cloned();
            flow.far_sockets.iter().filter_map(of).collect()
        };
        let floors = all("rtt_min_ns").into_iter().filter(|r| r.value > 0.0);
        if self.rtt_floor.is_none() {
            let floor = floors.reduce(|a, b| a.with(&b));
            self.rtt_floor = floor.map(|r| r.times(NS));
        }
        let arrive = all("mss_received_bytes").into_iter();
        let arrive = arrive.filter(|m| (SMALLEST_FULL..65_536.0).contains(&m.value));
        if let Some(mss) = arrive.max_by(|a, b| a.value.total_cmp(&b.value))
            && !self.mss_said
        {
            (self.mss, self.mss_said) = (mss.value, true);
        }
    }

    /// What sockets say in words: congestion control, scaling, and that a program sends too little.
    fn words_of_sockets(&mut self, facts: &Facts, flow: &Flow) {
        for of in flow.sockets.iter().map(|s| Of::Socket(*s)) {
            self.cc = self
                .cc
                .take()
                .or_else(|| word(facts, of, "cc").map(|(w, _)| w.to_owned()));
            self.app_limited = self
                .app_limited
                .or(word(facts, of, "app_limited").map(|(_, at)| at));
            self.unscaled = self
                .unscaled
                .or(word(facts, of, "unscaled").map(|(_, at)| at));
            self.scaled |= word(facts, of, "scaled").is_some();
        }
    }

    /// Without a test the socket's own figures are the rate: bytes over the time it was busy, or the last delivery.
    fn socket_rate(
        &mut self,
        facts: &Facts,
        flow: &Flow,
        acked: &Option<Figure>,
        busy: &Option<Figure>,
    ) {
        // Of what stands still every rate is an old one.
        let known = self.rate.is_some() || self.shut.is_some();
        if known || self.between_readings(facts, flow) {
            return;
        }
        // What waits again and again carries little, and its last delivery is that of a moment.
        let held = |s: &u32| HeldSmall::of(facts, *s).is_some();
        let little = flow.sockets.iter().any(held);
        if let Some((bytes, busy)) = acked
            .as_ref()
            .zip(busy.as_ref())
            .filter(|(b, t)| (b.value > 1e5 || little) && t.value > 0.0)
        {
            self.rate = Some(bytes.times(8e9).over(busy));
            self.side = Some(Side::Sender);
            self.seconds = Some(busy.value * NS);
            self.bytes = Some(bytes.clone());
        } else if let Some(delivery) = self.delivery.as_ref().filter(|_| self.stuck.is_none()) {
            self.rate = Some(delivery.clone());
            self.side = Some(Side::Sender);
        } else if let Some(of) = flow.far_sockets.first() {
            self.rate = number(facts, Of::Socket(*of), "receive_bps").cloned();
            self.side = Some(Side::Receiver);
        }
    }
}
