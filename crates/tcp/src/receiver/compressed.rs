//! Acknowledgements of what is out of order that are held back, so that one speaks for many (Linux's compressed SACKs).

use farpath_units::{Duration, Time};

use super::{AckOut, Receiver};
use crate::Config;
use crate::ranges::Range;
use crate::sack::{MAX_SACK_BLOCKS, SackBlock};

/// The first of them, by which a sender knows of a loss, leave at once (RFC 5681 §3.2).
const AT_ONCE: u8 = 3;
/// Held for this part of a round trip at most.
const PART: u64 = 20;
/// And for no longer than this (`tcp_comp_sack_delay_ns`).
const LONGEST: Duration = Duration::from_ms(1);
/// The timer runs out so much later, unless the processor is awake before (`tcp_comp_sack_slack_ns`).
const SLACK: Duration = Duration::from_us(100);
/// So many blocks may be changed while something is held (`TCP_SACK_BLOCKS_EXPECTED`).
const EXPECTED: usize = 2;

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
    /// What was held and leaves now, with the blocks as they were.
    ahead: Option<Ahead>,
}

#[derive(Clone, Copy, Debug)]
struct Ahead {
    ack: u64,
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    count: u8,
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
                ahead: None,
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
            self.deadline = self.deadline.min(now + compressed.delay + SLACK);
        }
        compressed.held += 1;
        true
    }

    /// Bytes out of order came: they change the block in this place of the list, the first being 0, or begin one there. From
    /// the third on, what is held leaves first: an acknowledgement has room for three blocks and may be lost, so each
    /// block is in the first two of one. A block that grows is said as it is now, one that begins not yet. In Linux that
    /// acknowledgement is the only one for these bytes, too: what is new of them is named by the next.
    #[cold]
    pub(super) fn let_go_before(&mut self, place: usize, came: Range) {
        let (mut blocks, count) = (self.recent, self.recent_count);
        if let Some(compressed) = &mut self.compressed
            && compressed.held > 0
            && place >= EXPECTED
        {
            if place < usize::from(count) {
                let grown = &mut blocks[place];
                grown.start = grown.start.min(came.start);
                grown.end = grown.end.max(came.end);
            }
            compressed.held = 0;
            let ack = self.next;
            compressed.ahead = Some(Ahead { ack, blocks, count });
            self.acked = self.next;
            self.set_timer(Time::MAX);
        }
    }

    /// Whether an acknowledgement that was held leaves before any other.
    pub(super) fn has_ahead(&self) -> bool {
        self.compressed.as_ref().is_some_and(|c| c.ahead.is_some())
    }

    /// That acknowledgement.
    #[cold]
    pub(super) fn poll_ahead(&mut self, now: Time) -> Option<AckOut<'_>> {
        let ahead = self.compressed.as_mut()?.ahead.take()?;
        if self.tuned.is_some() {
            self.note_acknowledged(now);
        }
        self.blocks = ahead.blocks;
        self.stats.acks += 1;
        Some(AckOut {
            syn_ack: false,
            ack: ahead.ack,
            window: self.offer() + (self.next - ahead.ack),
            window_known: self.is_window_known(),
            echo_retransmit: self.echo_retransmit,
            sack: &self.blocks[..usize::from(ahead.count.min(self.sack_limit))],
            ecn_echo: self.echo.echoing,
        })
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
            compressed.ahead = None;
        }
    }
}
