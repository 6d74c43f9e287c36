//! How large segments are, and what share of them was sent again.

use farpath_predict::{IpVersion, Timestamps};

use crate::ceiling::{FRAME, headers, payload_share};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::{Flow, number};
use crate::known::SEGMENT;
use crate::lines::exceeded::HANDED;
use crate::losses::holes::MtuBy;
use crate::read::{Facts, MEAN};
use crate::seen::{Side, Test};

/// Fixed headers of IPv4 and TCP, bytes.
pub(crate) const FIXED_HEADERS: f64 = IpVersion::V4.fixed_headers() as f64;

/// Bytes of a segment that timestamps take.
pub(crate) const STAMPS: f64 = Timestamps::On.option() as f64;

/// Both.
pub(crate) const HEADERS: f64 = FIXED_HEADERS + STAMPS;

/// Headers of IPv4, and of UDP, bytes.
const OF_DATAGRAMS: [f64; 2] = [20.0, 8.0];

/// Frames of an interface that are so large on average are nearly all jumbo frames of 9000 bytes: larger ones are those that a host has
/// not cut up yet.
const FRAMES: core::ops::RangeInclusive<f64> = 8000.0..=9018.0;

/// Datagrams that fill a jumbo frame of 9000 bytes, or nearly: they were made for it.
const JUMBO: core::ops::RangeInclusive<f64> = 8800.0..=8972.0;

/// What of an Ethernet line's rate is left for the payload of datagrams of so many bytes; those that are larger than a packet of `mtu`
/// bytes are cut up.
pub(crate) fn datagram_share(bytes: f64, mtu: f64) -> f64 {
    let [ip, udp] = OF_DATAGRAMS;
    let packets = ((bytes + udp) / (mtu - ip).max(8.0)).ceil();
    bytes / (bytes + udp + packets * (ip + FRAME))
}

/// How large the datagrams of a test are, bytes: what was sent, over how many they were.
fn datagram(test: &Test) -> Option<f64> {
    let sent = test.numbers.get("datagrams")?.value;
    let lost = test.numbers.get("datagrams_lost").map_or(0.0, |l| l.value);
    let of = |bytes: Option<&Figure>, count: f64| {
        let bytes = bytes.filter(|b| b.high - b.low < 0.02 * b.value)?;
        (count > 0.0).then(|| (bytes.value / count).round())
    };
    let bytes = of(test.sent.as_ref().and_then(|r| r.bytes.as_ref()), sent).or_else(|| {
        of(
            test.received.as_ref().and_then(|r| r.bytes.as_ref()),
            sent - lost,
        )
    });
    bytes.filter(|b| (16.0..=65_507.0).contains(b))
}

/// The MTU that Ethernet usually has, bytes: segments are assumed by it.
const USUAL_MTU: f64 = 1500.0;

/// A rate that is so many times what a size of segments leaves is more than rounding.
const BEYOND: f64 = 1.005;

/// The MTU of the interfaces of these hosts, where their texts have one and no other.
fn interfaces(facts: &Facts, is: impl Fn(u32) -> bool) -> Option<f64> {
    let is_own = |of: Of| matches!(of, Of::Host(h) if is(h));
    let said = facts.facts.iter();
    let said = said.filter(|f| f.name == "interface_mtu_bytes" && is_own(f.of));
    let mut mtus = said.filter_map(|f| f.number()).map(|f| f.value);
    let first = mtus.next()?;
    mtus.all(|mtu| mtu == first).then_some(first)
}

impl Evidence {
    /// What of the line's rate is left for this flow's payload.
    pub(crate) fn payload_share(&self) -> f64 {
        self.datagram_share
            .unwrap_or_else(|| payload_share(self.mss))
    }

    /// The same of a flow of datagrams, by their size; packets are as large as those of TCP between the same hosts.
    fn of_datagram_size(&mut self, flow: &Flow) {
        let Some(bytes) = flow.test.as_ref().filter(|t| t.udp).and_then(datagram) else {
            return;
        };
        let beside = flow
            .beside
            .iter()
            .filter_map(|t| t.numbers.get("mss_bytes"));
        let of_tcp = beside.map(|m| m.value).fold(0.0, f64::max);
        let mtu = match (self.mss_said, of_tcp) {
            (true, _) => self.mss + headers(self.mss),
            (false, mss) if mss > 0.0 => mss + headers(mss),
            _ if JUMBO.contains(&bytes) => 9000.0,
            _ => 1500.0,
        };
        self.datagram_share = Some(datagram_share(bytes, mtu));
    }

    /// The path MTU that the host of the pings knows, where it opened the connection and sent the data.
    fn known_mtu(&self, flow: &Flow) -> Option<Figure> {
        let sends = flow.test.as_ref().is_none_or(|t| t.client == Side::Sender);
        let (mtu, by) = self.found_mtu.as_ref()?;
        let known = sends && *by == MtuBy::Host && self.large_lost.is_none();
        known.then(|| mtu.clone())
    }

    /// How large segments are, where no connection says it, and what share of them was sent again.
    pub(crate) fn of_segments(&mut self, facts: &Facts, flow: &Flow) {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let mut said = hosts.filter_map(|h| number(facts, Of::Host(*h), "timestamps"));
        // They are sent where both ends offer them.
        let stamps = if said.any(|on| on.value == 0.0) {
            0.0
        } else {
            STAMPS
        };
        let mtu = facts
            .along(flow, "mtu_bytes")
            .cloned()
            .reduce(|a, b| a.with(&b))
            .or_else(|| self.known_mtu(flow));
        let mean = |hosts: &[u32], way: usize| {
            let each = hosts.iter();
            let mut each = each.filter_map(|h| number(facts, Of::Host(*h), MEAN[way]));
            each.any(|mean| FRAMES.contains(&mean.value))
        };
        if let Some(mtu) = mtu.filter(|m| m.value > 100.0 && !self.mss_said) {
            (self.mss, self.mss_said) = (mtu.value - FIXED_HEADERS - stamps, true);
        } else if !self.mss_said && (mean(&flow.receivers, 0) || mean(&flow.senders, 1)) {
            (self.mss, self.mss_said) = (9000.0 - FIXED_HEADERS - stamps, true);
        } else if !self.mss_said {
            self.mss = SEGMENT + STAMPS - stamps;
        }
        self.of_datagram_size(flow);
        if self.again.is_none() {
            self.again = self.retransmits.clone().and_then(|r| self.share_of(&r));
        }
    }

    /// How large segments are by the interfaces of both ends, or of one where the rate is more than smaller ones leave of the line.
    pub(crate) fn of_interfaces(&mut self, facts: &Facts, flow: &Flow) {
        if self.mss_said || self.udp || self.smaller_mtu.is_some() {
            return;
        }
        let (senders, receivers) = (&flow.senders, &flow.receivers);
        let ends = |h: u32| [senders.contains(&h), receivers.contains(&h)];
        let mtus = [
            interfaces(facts, |h| ends(h) == [true, false]),
            interfaces(facts, |h| ends(h) == [false, true]),
        ];
        // What may be of either end is of one of them.
        let open = || interfaces(facts, |h| ends(h) == [true, true]);
        let (both, either) = match mtus {
            [Some(a), Some(b)] => (true, a.min(b)),
            [Some(one), None] | [None, Some(one)] => (false, one),
            [None, None] => match open() {
                Some(one) => (false, one),
                None => return,
            },
        };
        // Headers and options take as much of larger packets.
        let mss = either - (USUAL_MTU - self.mss);
        if either <= USUAL_MTU || !both && !self.is_beyond_usual(mss) {
            return;
        }
        (self.mss, self.mss_said) = (mss, true);
        if self.again.is_some()
            && let Some(again) = self.retransmits.clone()
        {
            self.again = self.share_of(&again);
        }
    }

    /// What the intervals after the start carried, bit/s, without what a sender may only have handed over; 0 where none are known.
    fn later(&self) -> f64 {
        let lasted = self.interval_s * self.steady.len() as f64;
        if lasted <= 0.0 {
            return 0.0;
        }
        let mean = self.steady.iter().sum::<f64>() / self.steady.len() as f64;
        let handed = match self.peak_grain > 0.0 {
            true => HANDED * self.streams * 8.0 / lasted,
            false => 0.0,
        };
        mean - handed
    }

    /// Whether the rate, or that after the start, is more than segments of the size that is assumed leave of the line, and no more than
    /// those of `mss` bytes do.
    fn is_beyond_usual(&self, mss: f64) -> bool {
        let (Some((line, _)), Some(rate)) = (&self.line, &self.rate) else {
            return false;
        };
        let [usual, larger] = [self.mss, mss].map(|mss| payload_share(mss) * line.high);
        let rate = rate.low.max(self.later());
        rate > BEYOND * usual && rate <= larger
    }

    /// Segments sent again as a share of all segments.
    pub(crate) fn share_of(&self, again: &Figure) -> Option<Figure> {
        let bytes = self.bytes.as_ref()?;
        let segments = bytes.value / self.mss;
        (segments >= 1.0).then(|| {
            let share = again.value / (segments + again.value);
            // Counts of few are uncertain by their root.
            let spread = 2.0 * (again.value + 1.0).sqrt() / segments;
            let mut figure =
                Figure::between(share, (share - spread).max(0.0), share + spread, Place::You);
            figure.from = again.from.clone();
            figure
        })
    }
}
