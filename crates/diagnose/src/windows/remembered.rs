//! The slow-start threshold that a kernel keeps of earlier connections to a host, and begins new ones with (`ip tcp_metrics` of Linux).

use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number};
use crate::read::Facts;

/// The threshold of a socket is the one that is kept within this part of it.
const SAME: f64 = 0.1;

/// Behind slow start a window is no smaller than the threshold; so many times it, by rounding. A choice, as the one before.
const REACHED: f64 = 1.1;

/// What a host keeps of another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Remembered {
    /// The host that keeps it, by its number.
    pub(crate) host: u32,
    /// The address of the other one.
    pub(crate) to: String,
    /// The threshold, segments.
    pub(crate) segments: f64,
}

/// Slow-start thresholds of a flow, segments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Thresholds {
    /// That of its socket.
    pub(crate) socket: Option<f64>,
    /// The one that its sender's kernel keeps of earlier connections to the receiver.
    pub(crate) kept: Option<f64>,
}

impl Thresholds {
    /// The threshold that is kept, where slow start ended at it: no later window is smaller, of which this is the first, segments, and its
    /// socket has the same.
    pub(crate) fn ended_at(self, window: f64) -> Option<f64> {
        let kept = self.kept.filter(|kept| *kept <= REACHED * window)?;
        let same = |own: f64| (own / kept - 1.0).abs() < SAME;
        self.socket.is_none_or(same).then_some(kept)
    }
}

impl Evidence {
    /// Takes the thresholds of a flow's socket and of its sender's kernel.
    pub(crate) fn of_thresholds(&mut self, facts: &Facts, flow: &Flow) {
        let of_socket = |socket: &u32| number(facts, Of::Socket(*socket), "threshold_bytes");
        let bytes = flow.sockets.iter().find_map(of_socket).map(|t| t.value);
        let names = flow.test.as_ref().map(|test| &test.aliases[1]);
        let is_peer = |to: &str| {
            let known = names.is_some_and(|names| names.iter().any(|name| name == to));
            known || flow.to.host == to
        };
        let mut kept = facts.remembered.iter().rev();
        let own = kept.find(|kept| flow.senders.contains(&kept.host) && is_peer(&kept.to));
        self.thresholds = Thresholds {
            socket: bytes.map(|bytes| bytes / self.mss),
            kept: own.map(|kept| kept.segments),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_threshold_ended_slow_start_where_window_and_socket_say_so() {
        let ended = |socket: Option<f64>, kept: f64, window: f64| {
            let kept = Some(kept);
            Thresholds { socket, kept }.ended_at(window)
        };
        assert_eq!(ended(Some(14.0), 14.0, 17.0), Some(14.0));
        assert_eq!(ended(None, 14.0, 17.0), Some(14.0));
        // Its socket left slow start elsewhere, or its window was still below.
        assert_eq!(ended(Some(700.0), 14.0, 900.0), None);
        assert_eq!(ended(None, 700.0, 17.0), None);
        assert_eq!(Thresholds::default().ended_at(17.0), None);
    }
}
