//! Acknowledgements of what is out of order that are held back, so that one speaks for many (Linux's compressed SACKs).

use farpath_units::{Duration, Time};

use super::Receiver;
use crate::Config;

/// The first of them, by which a sender knows of a loss, leave at once (RFC 5681 §3.2).
const AT_ONCE: u8 = 3;
/// Held for this part of a round trip at most.
const PART: u64 = 20;
/// And for no longer than this (`tcp_comp_sack_delay_ns`).
const LONGEST: Duration = Duration::from_ms(1);

/// What one receiver holds back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compressed {
    /// Acknowledgements that one may stand for.
    most: u32,
    delay: Duration,
    held: u32,
    /// The next byte expected when the first left at once, and how many have.
    next: u64,
    at_once: u8,
}

impl Compressed {
    pub(super) fn of(config: &Config) -> Option<Box<Compressed>> {
        let is_on = config.sack && config.compressed_sacks > 0;
        is_on.then(|| {
            Box::new(Compressed {
                most: config.compressed_sacks,
                delay: Duration::ZERO,
                held: 0,
                next: 0,
                at_once: 0,
            })
        })
    }

    /// The handshake took so long.
    pub(super) fn on_round_trip(&mut self, rtt: Duration) {
        self.delay = LONGEST.min(Duration::from_ps(rtt.as_ps() / PART));
    }
}

impl Receiver {
    /// A segment came while others are missing, and there is no other reason to acknowledge it at once: whether that waits.
    #[cold]
    pub(super) fn holds_back(&mut self, now: Time) -> bool {
        let at_once = self.above.is_empty()
            || self.quick > 0
            || self.twice.is_some()
            || self.next - self.acked > self.segment;
        let Some(compressed) = self.compressed.as_mut().filter(|_| !at_once) else {
            return false;
        };
        if compressed.delay == Duration::ZERO || compressed.held >= compressed.most {
            return false;
        }
        if compressed.next != self.next {
            (compressed.next, compressed.at_once) = (self.next, 0);
        }
        if compressed.at_once < AT_ONCE {
            compressed.at_once += 1;
            return false;
        }
        if compressed.held == 0 {
            self.deadline = self.deadline.min(now + compressed.delay);
        }
        compressed.held += 1;
        true
    }

    /// Whether acknowledgements are held back.
    pub(super) fn holds(&self) -> bool {
        self.compressed.as_ref().is_some_and(|c| c.held > 0)
    }

    /// An acknowledgement speaks for all that were held back.
    #[inline]
    pub(super) fn let_go(&mut self) {
        if let Some(compressed) = &mut self.compressed {
            compressed.held = 0;
        }
    }
}
