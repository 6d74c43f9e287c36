//! What a sender does when it begins again with nothing in flight.

use farpath_units::Time;

use super::Sender;
use crate::Flavour;

impl Sender {
    /// The application writes with nothing in flight. After an idle time, counted from the last
    /// segment sent, longer than the RTO, cwnd falls to the initial window at most (RFC 5681 §4.1).
    ///
    /// By the kernel's rules it is halved for each RTO, in whole segments, and slow start then leads
    /// back to three quarters of it at least (RFC 2861 §3.2, obsoleted by RFC 7661), but it does not fall
    /// below the initial window. Deviation from RFC 5681 §4.1: as in Linux 6.18.
    #[cold]
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let rto = self.rtt.timeout();
        let idle = now.since(self.last_sent());
        if idle <= rto {
            return;
        }
        let floor = self.cwnd.min(self.initial_window);
        if self.flavour == Flavour::Rfc {
            self.cwnd = floor;
            return;
        }
        let segment = self.segment as f64;
        let mut windows = (self.cwnd / segment).floor();
        self.ssthresh = self
            .ssthresh
            .max(((windows * 0.5).floor() + (windows * 0.25).floor()) * segment);
        let mut halvings = (idle.as_ps() - 1) / rto.as_ps();
        while halvings > 0 && windows * segment > floor {
            halvings -= 1;
            windows = (windows * 0.5).floor();
        }
        self.cwnd = floor.max(windows * segment);
    }

    /// New data leaves with nothing in flight before it; the timer runs from now.
    #[cold]
    pub(super) fn begin_flight(&mut self, now: Time) {
        let rate = self.control.resume(now, self.last_sent());
        if let (Some(rate), Some(paced)) = (rate, &mut self.paced) {
            paced.pacer.order(rate);
        }
        self.arm_behind(now, now);
    }

    /// When data was sent last, a retransmission included; before any, when the connection opened.
    pub fn last_sent(&self) -> Time {
        self.log.newest().max(self.repair.sent_at)
    }
}
