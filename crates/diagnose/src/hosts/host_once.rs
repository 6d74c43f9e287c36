//! Counters of hosts that were read once, and for which a cause is named: they count since the host was started, and may be of any time.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::hosts::machine::alike;

/// The most that is said of a cause for which such a count speaks, as of a port's. A choice.
const OF_ANY_TIME: f64 = 0.7;

/// A sender that waits for the receiver's window for so much of its time shows a full socket by itself.
const WAITS: f64 = 0.5;

impl Evidence {
    /// The most that is said of a cause for which a host's count speaks that was read once: no number decides it.
    pub(crate) fn at_most_of_host_once(&self, cause: Cause) -> f64 {
        let counted = &self.counted_else;
        let waits = self.rwnd_share.as_ref().is_some_and(|s| s.value > WAITS);
        let full = cause == self.fills_socket();
        // Memory that is full now says of when the count is.
        let lacks = cause == Cause::ReceiveWindow;
        let by_socket = full && !lacks && counted.overran_once() && counted.is_open() && !waits;
        let by_datagrams = self.udp && cause == Cause::Client && counted.datagrams_once();
        let drops = self.nic_drops.as_ref().filter(|d| !d.grew && !self.udp);
        let as_many = drops.is_some_and(|d| d.count.value > 0.0 && alike(self, &d.count) > 0.5);
        let by_interface = cause == Cause::Nic && as_many;
        let once = match by_socket || by_datagrams || by_interface {
            true => OF_ANY_TIME,
            false => 1.0,
        };
        libm::fmin(once, self.at_most_of_usb(cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::hosts::tally::Tally;

    /// As many as were sent again were 96 % where the counter may be of weeks.
    #[test]
    fn as_many_as_were_sent_again_are_of_any_time_where_they_were_read_once() {
        let of = |dropped: f64, grew: bool| {
            let dropped = Figure::exact(dropped, Place::You);
            let e = Evidence {
                retransmits: Some(Figure::exact(190.0, Place::You)),
                nic_drops: Some(Tally {
                    grew,
                    ..Tally::once(&dropped)
                }),
                ..Evidence::default()
            };
            [Cause::Nic, Cause::RandomLoss].map(|cause| e.at_most_of_host_once(cause))
        };
        assert_eq!(of(188.0, false), [OF_ANY_TIME, 1.0]);
        assert_eq!(of(188.0, true), [1.0, 1.0]);
        // Of far more it is another sign that names an interface.
        assert_eq!(of(120_031.0, false), [1.0, 1.0]);
    }
}
