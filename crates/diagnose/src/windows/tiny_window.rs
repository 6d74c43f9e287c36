//! A window or buffer that no text names, and that would have to be smaller than hosts of today come with: it is not what holds a flow
//! until something shows it.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::is_beside_line;
use crate::items::{Item, of};
use crate::known::{DEFAULT_WINDOWS, System};

/// Hosts of today come with more than this, bytes. A choice, below the 65 535 that need no scaling (RFC 7323 §2), which show as a tenth less
/// at most.
const TINY: f64 = 56_000.0;

/// Slower flows, bit/s, and smaller ones, bytes, may be of old hosts, or of little that was to be sent.
const RATE_LEAST: f64 = 1e6;
const BYTES_LEAST: f64 = 1e6;

/// The most that is said of such a window or buffer: it is not a verdict.
const UNSHOWN: f64 = 0.39;

/// What speaks against it, decibans.
const AGAINST: f64 = -9.0;

/// Whose it would be.
const ROOMS: [Cause; 2] = [Cause::ReceiveWindow, Cause::SendBuffer];

impl Evidence {
    /// Whether a window or buffer that leaves the rate would have to be tiny, and nothing shows one.
    fn needs_tiny_room(&self) -> bool {
        let rooms = self.windows.is_empty() && self.buffers.is_empty() && self.unscaled.is_none();
        let kernel = self.rwnd_share.is_none() && self.sndbuf_share.is_none();
        let socket = self.unsent.is_none() && self.queued.is_none() && self.full_window.is_none();
        let captured = self.account.is_none() && self.turns.is_none() && self.filled.is_none();
        let unseen = rooms && kernel && socket && captured;
        let other = self.udp || self.systems.iter().any(is_old);
        let large = self.bytes.as_ref().is_some_and(|b| b.value >= BYTES_LEAST);
        let Some(flight) = self.settled_flight().filter(|_| unseen && !other && large) else {
            return false;
        };
        let fast = self.rate.as_ref().is_some_and(|r| r.low >= RATE_LEAST);
        // One that is a default of old hosts to the byte is theirs.
        let old = |bytes: &f64| is_beside_line(flight.value, *bytes);
        fast && flight.high < TINY && !DEFAULT_WINDOWS.iter().any(old)
    }

    /// The most that is said of a window or buffer: little where it would have to be tiny, and nothing shows it.
    pub(crate) fn at_most_of_tiny_room(&self, cause: Cause) -> f64 {
        // A receiver whose kernel is out of memory announces little.
        let is_tiny = self.needs_tiny_room() && !self.lacks_memory(cause);
        match ROOMS.contains(&cause) && is_tiny {
            true => UNSHOWN,
            false => 1.0,
        }
    }
}

/// Whether a system has come with such windows (`DEFAULT_WINDOWS`).
fn is_old(system: &Option<System>) -> bool {
    let olds = [
        System::OpenBsd,
        System::NetBsd,
        System::Bsd,
        System::Solaris,
    ];
    system.is_some_and(|system| olds.contains(&system))
}

/// Weighs a window or buffer that would have to be tiny.
pub(crate) fn by_tiny_room(e: &Evidence, items: &mut Vec<Item>) {
    items.push(Item {
        holds: f64::from(u8::from(e.needs_tiny_room())),
        weights: of(&ROOMS, AGAINST),
        sentence: String::new(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// 100 MB at so many Mbit/s over so many milliseconds, and nothing besides.
    fn evidence(mbit: f64, ms: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(mbit * 1e6, Place::You)),
            rtt: Some(Figure::exact(ms * 1e-3, Place::You)),
            bytes: Some(Figure::exact(1e8, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn hosts_of_today_have_no_such_window() {
        // 4770, 20 362 and 51 815 bytes.
        for (mbit, ms) in [(4.77, 8.0), (9.0, 18.1), (17.2, 24.1)] {
            let e = evidence(mbit, ms);
            assert!(e.at_most_of_tiny_room(Cause::ReceiveWindow) < 0.4);
            assert!(e.at_most_of_tiny_room(Cause::SendBuffer) < 0.4);
            assert!(e.at_most_of_tiny_room(Cause::Link) > 0.9);
        }
    }

    #[test]
    fn several_connections_and_lossy_ones_have_no_such_window_either() {
        let several = Evidence {
            streams: 4.0,
            again: Some(Figure::exact(1.6e-3, Place::You)),
            ..evidence(58.0, 11.4)
        };
        for cause in ROOMS {
            assert!(several.at_most_of_tiny_room(cause) < 0.4);
        }
    }

    #[test]
    fn what_is_shown_or_usual_stays() {
        // 119 250 and 60 000 bytes, and 17 500 of the 17 520 of Windows XP.
        for (mbit, ms) in [(9.54, 100.0), (4.8, 100.0), (1.4, 100.0)] {
            assert!(!evidence(mbit, ms).needs_tiny_room(), "{mbit} {ms}");
        }
        let waited = Evidence {
            rwnd_share: Some(Figure::exact(0.9, Place::You)),
            ..evidence(9.0, 18.1)
        };
        assert!(!waited.needs_tiny_room());
        // 119 250 bytes of each of four.
        let several = Evidence {
            streams: 4.0,
            ..evidence(38.2, 100.0)
        };
        assert!(!several.needs_tiny_room());
        let openbsd = Evidence {
            systems: [None, Some(System::OpenBsd)],
            ..evidence(9.0, 18.1)
        };
        assert!(!openbsd.needs_tiny_room());
    }
}
