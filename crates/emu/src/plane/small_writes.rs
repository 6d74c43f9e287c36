//! Whether small writes of an end waited for acknowledgements, as Nagle's algorithm has them wait (RFC 1122 §4.2.3.4), or left beside one
//! by chance.
//!
//! With that algorithm an end never has two small segments under way, but for its last one, with the FIN. An end that has had two does not
//! use it. Of any other, a small write that leaves with an acknowledgement waited for it where that is the rule, and not the exception.

use farpath_units::{Duration, Time};

use super::message::{Handing, PROMPT, is_small};

/// A shorter segment is small whatever the path, bytes: the default MSS with timestamps (RFC 9293 §3.7.1, RFC 7323 §3).
const SMALL: u32 = 524;

/// Fewer writes that seem to wait say nothing, unless the end has few small ones in all.
const REPEATED: u64 = 3;

/// They are one in so many of all small writes, at least; so many are few.
const ONE_IN: u64 = 10;

/// An end that hears nothing sends what it holds back after two round trips, as a probe (RFC 8985 §7.2). Each takes longer than the way of
/// a segment.
const PROBES: u64 = 2;

/// What one end's small writes did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SmallWrites {
    /// The length of the segment that it sent last, bytes, and when.
    before: Option<(u32, Time)>,
    /// It sends its FIN, and what it held back with it.
    is_closing: bool,
    /// It has had two small segments under way.
    is_eager: bool,
    /// All of them, and those that left with the acknowledgement of a small one before.
    all: u64,
    held: u64,
}

impl SmallWrites {
    /// The end sends its FIN, or a reset, now.
    pub(super) fn closes(&mut self) {
        self.is_closing = true;
    }

    /// It sends so many bytes of new data `now`. All before has been there since an instant, if it is, and the end has heard of the other one
    /// last at another. Where something of it is lost, it says nothing of what is under way: a timer sends what was held back, too.
    pub(super) fn sends(
        &mut self,
        length: u32,
        now: Time,
        (there, heard): (Option<Time>, Time),
        is_lost: bool,
    ) {
        self.all += u64::from(is_small(length));
        let Some((before, then)) = self.before.replace((length, now)) else {
            return;
        };
        let is_under_way = there.is_none_or(|there| {
            let way = there.since(then);
            heard < there && now.since(then) < way.times(PROBES)
        });
        let is_forced = is_lost || self.is_closing;
        self.is_eager |= is_under_way && !is_forced && before.max(length) < SMALL;
    }

    /// How long so many bytes, sent `now`, have waited for the acknowledgement of the segment before, if both are small and they leave as soon as
    /// it comes. All before has been there since an instant, if it is, and the end has heard of the other one last at another.
    pub(super) fn waited(
        &self,
        length: u32,
        now: Time,
        (there, heard): (Option<Time>, Time),
    ) -> Option<Duration> {
        let (before, then) = self.before?;
        let free = there.filter(|there| heard >= *there).map(|_| heard)?;
        let free = free.clamp(then, now.max(then));
        let (waited, paused) = (free.since(then), now.max(free).since(free));
        let is_held = is_small(length) && is_small(before) && paused.times(PROMPT) <= waited;
        is_held.then_some(waited)
    }

    /// The small segment just sent left with the acknowledgement of a small one before.
    pub(super) fn waits(&mut self) {
        self.held += 1;
    }

    /// How the end handed over its messages, with what of that is known of small writes.
    pub(super) fn known(&self, handing: Handing) -> Handing {
        let is_repeated = self.held >= REPEATED || self.all <= ONE_IN;
        if self.is_eager {
            // They left as they were written.
            let own = handing.held.min(handing.way);
            Handing {
                way: handing.way.saturating_sub(own),
                paused: handing.paused + own,
                held: Duration::ZERO,
                is_open: false,
            }
        } else if is_repeated && ONE_IN * self.held >= self.all {
            handing
        } else {
            handing.unknown()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn handing() -> Handing {
        Handing {
            held: Duration::from_ms(150),
            ..Handing::default()
        }
    }

    /// 200 B, 75 ms on the way, and another piece that seems to have waited for their acknowledgement.
    #[test]
    fn who_has_two_small_segments_under_way_holds_none_back() {
        let known = |length: u32, sent: u64, heard: u64, is_lost: bool, closes: bool| {
            let mut writes = SmallWrites::default();
            writes.sends(200, at(0), (None, at(0)), false);
            if closes {
                writes.closes();
            }
            writes.sends(length, at(sent), (Some(at(75)), at(heard)), is_lost);
            writes.waits();
            writes.known(handing())
        };
        assert_eq!(known(200, 100, 50, false, false), Handing::default());
        // It was acknowledged; the second may be a full one; a probe, what a timer sends, and the last one go all the same.
        assert_eq!(known(200, 150, 150, false, false), handing());
        assert_eq!(known(600, 100, 50, false, false), handing());
        assert_eq!(known(200, 160, 50, false, false), handing());
        assert_eq!(known(200, 100, 50, true, false), handing());
        assert_eq!(known(200, 100, 50, false, true), handing());
    }

    /// Thirty pieces a second apart, and of some of them an acknowledgement came just before.
    #[test]
    fn what_seems_to_wait_once_in_thirty_is_unknown() {
        let known = |is_held: fn(u64) -> bool| {
            let mut writes = SmallWrites::default();
            for n in 1..=30 {
                let t = 1000 * n;
                writes.sends(200, at(t), (Some(at(t - 900)), at(t - 800)), false);
                if is_held(n) {
                    writes.waits();
                }
            }
            writes.known(handing())
        };
        let open = Handing {
            is_open: true,
            ..Handing::default()
        };
        assert_eq!(known(|n| n == 7), open);
        assert_eq!(known(|n| n % 6 == 0), handing());
    }
}
