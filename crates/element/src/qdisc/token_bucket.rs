//! The token bucket, exact: tokens are bits times 10¹², so that a rate fills whole ones each
//! picosecond and nothing is ever rounded.

use farpath_units::{Duration, Rate, Time};

/// Tokens of one bit.
const BIT: u128 = 1_000_000_000_000;

/// A bucket that fills at a rate and holds a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    rate: u128,
    most: u128,
    tokens: u128,
    /// When it was filled last.
    filled: Time,
}

fn tokens(bytes: u64) -> u128 {
    u128::from(bytes) * 8 * BIT
}

impl TokenBucket {
    /// A full bucket of `burst` bytes.
    pub fn new(rate: Rate, burst: u64) -> TokenBucket {
        TokenBucket {
            rate: u128::from(rate.as_bps()),
            most: tokens(burst),
            tokens: tokens(burst),
            filled: Time::ZERO,
        }
    }

    /// Fills it up to `now`; returns the tokens that did not fit.
    #[inline]
    pub(crate) fn fill(&mut self, now: Time) -> u128 {
        let passed = now.since(self.filled).as_ps();
        self.filled = now;
        self.add(self.rate * u128::from(passed))
    }

    /// Adds tokens; returns those that did not fit.
    #[inline]
    pub(crate) fn add(&mut self, more: u128) -> u128 {
        let all = self.tokens + more;
        self.tokens = all.min(self.most);
        all - self.tokens
    }

    /// Whether there are tokens for `bytes`, as of the last filling.
    #[inline]
    pub(crate) fn holds(&self, bytes: u32) -> bool {
        self.tokens >= tokens(bytes.into())
    }

    /// Takes tokens for `bytes`, or all there are.
    #[inline]
    pub(crate) fn take(&mut self, bytes: u32) {
        self.tokens = self.tokens.saturating_sub(tokens(bytes.into()));
    }

    /// When there will be tokens for `bytes`, not before `now`; for more than the bucket holds, when
    /// it is full.
    pub(crate) fn ready(&self, now: Time, bytes: u32) -> Time {
        let missing = tokens(bytes.into())
            .min(self.most)
            .saturating_sub(self.tokens);
        let wait = missing.div_ceil(self.rate.max(1));
        let wait = Duration::from_ps(u64::try_from(wait).unwrap_or(u64::MAX / 4));
        now.max(self.filled + wait)
    }

    /// Fills it up to `now` and takes tokens for `bytes`.
    pub(crate) fn spend(&mut self, now: Time, bytes: u32) {
        self.fill(now);
        self.take(bytes);
    }
}
