//! Bounds of a bucket's size, for senders that keep a policer busy.
//!
//! At each rate what passed is a bound of the size from below, and what was lost, a packet more, is one from above. BBR sends at what it
//! has seen pass and a quarter more, and lets the bucket fill seldom. Of a rate that is wrong by a thousandth the backlogs then drift by
//! packets a second, and the bounds cross: among rates in steps none may be right. A higher one with a part of the bucket explains the
//! same losses roughly. Here rates are divided until a step is less than a drift, and the one counts whose bounds leave the most room.

use super::{Fit, Replay, SIZE_LEAST, Step, ranked};
use crate::work;

/// A policer is kept busy where at least this share of packets is lost.
const LOSSY: f64 = 0.01;
/// The lowest and the highest rate, as shares of what passes.
const RATES: [f64; 2] = [0.9, 4.0];
/// Rates that are tried at most.
const TRIALS_MAX: usize = 160;
/// Two rates are apart whose backlogs differ by this share of a packet in the end.
const APART: f64 = 0.125;
/// Of the bounds such shares are left out, of what passed with the highest backlogs and of what was lost with the lowest: some was judged
/// wrongly, and what is lost last is not sent again in a capture that ends.
const ABOVE: f64 = 0.005;
const BELOW: f64 = 0.03;
/// Bounds may cross by so many packets, or by more where packets were joined, and by this share of the bucket: times of a capture are
/// not those at the policer.
const CROSSED: f64 = 0.5;
const CROSSED_JOINED: f64 = 1.5;
const CROSSED_SHARE: f64 = 0.02;
/// The smallest bucket, packets: in a smaller one nothing passes with room, or all does at a rate that is too high.
const PACKETS_LEAST: f64 = 6.0;
/// A sender that keeps a policer busy leaves its rate open by this factor at most.
const NARROW: f64 = 1.05;
/// Chance would lose while the bucket has room: in so many round trips at least, and what is lost there is at most this share of that.
const EXPECTED: f64 = 10.0;
const ROOMY: f64 = 0.25;

/// What rates are tried on.
pub(super) struct Trials<'a> {
    pub(super) steps: &'a [Step],
    /// A full packet with its headers, bytes.
    pub(super) packet: f64,
    /// The steps begin with the connection.
    pub(super) from_start: bool,
    /// Packets were joined that did not pass at once.
    pub(super) joined: bool,
    /// Round trips that have losses.
    pub(super) slices: usize,
}

/// The bounds at one rate, bytes.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    rate: f64,
    least: f64,
    most: f64,
}

impl Bounds {
    fn size(&self) -> f64 {
        f64::midpoint(self.least, self.most)
    }

    /// Below zero they cross.
    fn room(&self) -> f64 {
        self.most - self.least
    }
}

impl Trials<'_> {
    /// The bucket whose rate and size explain what was lost, and the next rates below and above it that do not; `passes` is what passes on.
    pub(super) fn bucket(&self, passes: f64) -> Option<(Fit, [f64; 2])> {
        if !self.is_lossy() {
            return None;
        }
        let tried = self.tried(passes)?;
        let fit = self.fit(self.best(&tried)?)?;
        let first = tried.iter().position(|b| self.holds(b))?;
        let last = tried.iter().rposition(|b| self.holds(b))?;
        let least = tried[first.checked_sub(1)?].rate;
        let most = tried.get(last + 1)?.rate;
        (most <= NARROW * least).then_some((fit, [least, most]))
    }

    fn is_lossy(&self) -> bool {
        let lost: u64 = self.steps.iter().map(|s| u64::from(s.losses)).sum();
        let passed: f64 = self.steps.iter().map(|s| s.passed).sum();
        lost as f64 >= LOSSY * (passed / self.packet + lost as f64)
    }

    /// Rates and their bounds, the lowest rate first. Those are divided first that may leave the most room.
    fn tried(&self, passes: f64) -> Option<Vec<Bounds>> {
        let ends = [
            self.bounds(RATES[0] * passes)?,
            self.bounds(RATES[1] * passes)?,
        ];
        let mut tried = ends.to_vec();
        let mut spans = vec![ends];
        while tried.len() < TRIALS_MAX {
            let most = self.best(&tried).map_or(f64::NEG_INFINITY, Bounds::room);
            let Some(next) = self.roomiest(&spans, most) else {
                break;
            };
            let [low, high] = spans.swap_remove(next);
            let middle = self.bounds(libm::sqrt(low.rate * high.rate))?;
            tried.push(middle);
            spans.push([low, middle]);
            spans.push([middle, high]);
        }
        tried.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        Some(tried)
    }

    /// Among pairs of rates the one between which some rate may leave the most room; none where all is tried, or leaves no more than `most`.
    fn roomiest(&self, spans: &[[Bounds; 2]], most: f64) -> Option<usize> {
        let lasted = (self.steps.last()?.at - self.steps[0].at) as f64;
        let apart = APART * self.packet;
        let may_leave = |(n, span): (usize, &[Bounds; 2])| {
            let [low, high] = span;
            // At a higher rate no backlog is higher.
            let room = low.most - high.least;
            let holds = self.is_large(low) && room >= -self.slack(low.size());
            let is_new = room > most + apart && (high.rate - low.rate) * lasted > apart;
            (holds && is_new).then_some((n, room))
        };
        let all = spans.iter().enumerate().filter_map(may_leave);
        all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|span| span.0)
    }

    fn bounds(&self, rate: f64) -> Option<Bounds> {
        let mut replay = self.replay(rate);
        work::count(replay.at_passes.len());
        let last = replay.at_passes.len().checked_sub(1)?;
        let rank = (last as f64 * (1.0 - ABOVE)) as usize;
        let (_, least, _) = replay
            .at_passes
            .select_nth_unstable_by(rank, f64::total_cmp);
        let least = *least;
        let lowest = ranked(&replay.at_losses, (replay.losses as f64 * BELOW) as u64);
        Some(Bounds {
            rate,
            least,
            most: lowest + self.packet,
        })
    }

    fn replay(&self, rate: f64) -> Replay {
        Replay::of(self.steps, rate, (self.packet, self.from_start))
    }

    fn best<'b>(&self, tried: &'b [Bounds]) -> Option<&'b Bounds> {
        let large = tried.iter().filter(|b| self.is_large(b));
        large.max_by(|a, b| a.room().total_cmp(&b.room()))
    }

    fn is_large(&self, bounds: &Bounds) -> bool {
        bounds.size() >= f64::max(SIZE_LEAST, PACKETS_LEAST * self.packet)
    }

    fn holds(&self, bounds: &Bounds) -> bool {
        self.is_large(bounds) && bounds.room() >= -self.slack(bounds.size())
    }

    /// How far the bounds of a bucket of this size may cross.
    fn slack(&self, size: f64) -> f64 {
        let packets = match self.joined {
            true => CROSSED_JOINED,
            false => CROSSED,
        };
        f64::max(packets * self.packet, CROSSED_SHARE * size)
    }

    /// The bucket that these bounds hold; none where they cross, or where chance may have lost the same.
    fn fit(&self, bounds: &Bounds) -> Option<Fit> {
        if !self.holds(bounds) {
            return None;
        }
        let size = bounds.size();
        let replay = self.replay(bounds.rate);
        let edge = size - self.packet - self.slack(size);
        let before = replay.at_losses.partition_point(|l| l.0 < edge);
        let early = replay.at_losses[..before].iter().map(|l| u64::from(l.1));
        let early = early.sum::<u64>() as f64 / replay.losses.max(1) as f64;
        let with_room = replay.at_passes.iter().filter(|b| **b < edge).count();
        let chance = with_room as f64 / replay.at_passes.len().max(1) as f64;
        let shows = chance * self.slices as f64 >= EXPECTED && early <= ROOMY * chance;
        shows.then(|| Fit {
            rate: bounds.rate,
            size,
            wrong: replay.roomy(size, self.packet) + replay.overdrawn(size, self.packet),
        })
    }
}
