//! The Generic Cell Rate Algorithm (ITU-T I.371 §A, ATM Forum TM 4.0 §4.4.2), a train of cells at a time.
//!
//! Virtual scheduling: a cell conforms unless it comes earlier than L before its theoretical arrival
//! time; a cell that conforms moves that time to I after the later of the two. A contract has one
//! pair (I, L) for the peak rate and may have one for the sustained rate; a cell conforms to both or
//! counts for neither.
//!
//! Time is counted in a unit in which both increments and the spacing of the line's cells are whole,
//! so nothing drifts. (Rates that share no unit above 2⁻⁵⁰ ps are rounded to 2⁻⁴⁰ ps: less than 1 ps in
//! 10¹² cells.)

use farpath_predict::atm::CELL_BITS;
use farpath_units::{Duration, Rate, Time};

/// What a circuit may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Peak cell rate, in bit/s of whole cells.
    pub peak: Rate,
    /// Cell delay variation tolerance: how much earlier than its turn a cell may come.
    pub tolerance: Duration,
    /// Sustained rate and bursts, if any.
    pub sustained: Option<Sustained>,
}

/// The second half of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sustained {
    /// Sustained cell rate, in bit/s of whole cells; at most the peak.
    pub rate: Rate,
    /// Most cells in a burst at the peak rate; at least 1.
    pub burst: u64,
}

/// Units of time in a picosecond that are tried before rounding.
const FINEST: u128 = 1 << 50;

/// Units in a picosecond where the rates share none.
const ROUNDED: u128 = 1 << 40;

/// One pair (I, L). Times are in units, relative to [`Gcra::since`].
#[derive(Clone, Copy, Debug)]
struct Bucket {
    increment: i128,
    limit: i128,
    /// Theoretical arrival time of the next cell; never before `since`.
    theoretical: i128,
}

/// A contract watched or kept by what stands on a line.
#[derive(Clone, Debug)]
pub struct Gcra {
    /// Units in a picosecond.
    unit: i128,
    /// From one cell of a train to the next.
    spacing: i128,
    peak: Bucket,
    sustained: Option<Bucket>,
    since: Time,
}

/// What a train of cells looked like to a policer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conformance {
    /// Cells that did not conform.
    pub failed: u32,
    /// Ordinal of the first of them, if any.
    pub first: Option<u32>,
    /// Whether the last cell of the train was one of them.
    pub last: bool,
}

impl Gcra {
    /// The contract on a line of `line` bit/s, before the first cell.
    pub fn new(contract: &Contract, line: Rate) -> Gcra {
        let rates = [
            line,
            contract.peak,
            contract.sustained.map_or(line, |s| s.rate),
        ];
        let unit = unit_of(&rates);
        let ticks = |rate: Rate| ticks(rate, unit);
        let peak = Bucket {
            increment: ticks(contract.peak),
            limit: (u128::from(contract.tolerance.as_ps()) * unit) as i128,
            theoretical: 0,
        };
        let sustained = contract.sustained.map(|s| {
            let increment = ticks(s.rate);
            // BT = (MBS − 1) (1/SCR − 1/PCR).
            let burst = i128::from(s.burst.saturating_sub(1));
            let tolerance = burst.saturating_mul((increment - peak.increment).max(0));
            Bucket {
                increment,
                limit: peak.limit.saturating_add(tolerance).min(i128::MAX / 4),
                theoretical: 0,
            }
        });
        Gcra {
            unit: unit as i128,
            spacing: ticks(line),
            peak,
            sustained,
            since: Time::ZERO,
        }
    }

    fn buckets(&mut self) -> impl Iterator<Item = &mut Bucket> {
        [Some(&mut self.peak), self.sustained.as_mut()]
            .into_iter()
            .flatten()
    }

    /// Counts time from `now` on.
    fn advance(&mut self, now: Time) {
        let gone = i128::from(now.since(self.since).as_ps()) * self.unit;
        self.since = now;
        for bucket in self.buckets() {
            bucket.theoretical = (bucket.theoretical - gone).max(0);
        }
    }

    /// Judges `cells` cells, the first of which begins at `start`; trains come in order.
    pub fn police(&mut self, start: Time, cells: u32) -> Conformance {
        self.advance(start);
        let spacing = self.spacing;
        let whole = self
            .buckets()
            .map(|b| b.conforming(spacing, cells))
            .min()
            .unwrap_or(cells);
        for bucket in self.buckets() {
            bucket.take(spacing, whole);
        }
        let mut found = Conformance::default();
        for n in whole..cells {
            let at = i128::from(n) * spacing;
            found.last = self.buckets().any(|b| at < b.theoretical - b.limit);
            if found.last {
                found.first = found.first.or(Some(n));
                found.failed += 1;
            } else {
                for bucket in self.buckets() {
                    bucket.theoretical = bucket.theoretical.max(at) + bucket.increment;
                }
            }
        }
        found
    }

    /// Sends `cells` cells as early as the contract and the line allow, the first not before `ready`.
    /// Returns when the first begins and when the last ends, rounded up to a picosecond.
    pub fn shape(&mut self, ready: Time, cells: u32) -> (Time, Time) {
        self.advance(ready);
        let spacing = self.spacing;
        let first = self
            .buckets()
            .map(|b| b.theoretical - b.limit)
            .fold(0, i128::max);
        let after = i128::from(cells.saturating_sub(1));
        let mut last = first + after * spacing;
        if after > 0 {
            for b in self.buckets() {
                let second = b.theoretical.max(first) + b.increment;
                last = last.max(second + (after - 1) * b.increment - b.limit);
            }
        }
        for b in self.buckets() {
            // Cells never come closer than before as a train goes on, so its ends decide.
            let steady = b.theoretical.max(first) + (after + 1) * b.increment;
            b.theoretical = steady.max(last + b.increment);
        }
        let unit = self.unit;
        let at = |units: i128| {
            let ps = (units + unit - 1) / unit;
            ready + Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
        };
        (at(first), at(last + spacing))
    }
}

impl Bucket {
    /// How many of `cells` cells `spacing` apart, the first at 0, conform before one does not:
    /// j ≤ (L − X) / (I − spacing), X being the bucket the first one finds.
    fn conforming(&self, spacing: i128, cells: u32) -> u32 {
        if self.theoretical > self.limit {
            return 0;
        }
        if spacing >= self.increment {
            return cells;
        }
        let more = (self.limit - self.theoretical) / (self.increment - spacing);
        cells.min(u32::try_from(more).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// `cells` cells `spacing` apart, the first at 0, have conformed.
    fn take(&mut self, spacing: i128, cells: u32) {
        let Some(after) = cells.checked_sub(1).map(i128::from) else {
            return;
        };
        let steady = self.theoretical + (after + 1) * self.increment;
        self.theoretical = steady.max(after * spacing + self.increment);
    }
}

/// The coarsest division of a picosecond in which a cell at each rate takes a whole number of units.
pub(super) fn unit_of(rates: &[Rate]) -> u128 {
    let mut unit: u128 = 1;
    for rate in rates {
        let rate = u128::from(rate.as_bps());
        let parts = rate / gcd(CELL_PS_BPS, rate);
        unit = unit / gcd(unit, parts) * parts;
        if unit > FINEST {
            return ROUNDED;
        }
    }
    unit
}

/// Picoseconds of a cell times its rate in bit/s.
const CELL_PS_BPS: u128 = CELL_BITS as u128 * 1_000_000_000_000;

pub(super) fn ticks(rate: Rate, unit: u128) -> i128 {
    let rate = u128::from(rate.as_bps());
    ((CELL_PS_BPS * unit + rate / 2) / rate) as i128
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests;
