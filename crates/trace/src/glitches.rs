//! Glitches: bounded intervals that cost throughput, and what each cost.

use farpath_record::trace::Glitch;

use crate::flights::Interval;
use crate::observed::{Direction, Repair};
use crate::{probe_rtt, work};

/// Rounds before a glitch that say what the rate was.
const BEFORE: usize = 8;
/// Where the last of them had so many times their median, the rate was still rising, as it does in slow start.
const RISING: f64 = 1.5;
/// The rate is back from this share of it on.
const BACK: f64 = 0.95;
/// A rate below this share of what it was, for [`COLLAPSED`] rounds, has collapsed.
const COLLAPSE: f64 = 0.5;
const COLLAPSED: usize = 3;
/// Shortest stall, nanoseconds, and in round trips.
const STALL_NS: i64 = 200_000_000;
const STALL_ROUNDS: i64 = 4;
/// Most glitches listed of one direction.
const GLITCHES_MAX: usize = 1000;
/// A round is this long at least, nanoseconds.
const ROUND_LEAST: i64 = 10_000_000;
/// A sender that is idle for this share of the time is not a bulk transfer: its pauses are its own.
const IDLE_SHARE: f64 = 0.5;

/// The kind of a glitch that an answer to marks begins.
const REDUCTION: &str = "reduction";

/// What was delivered in a round trip or a little more.
#[derive(Clone, Copy, Debug)]
struct Round {
    from: i64,
    until: i64,
    delivered: u64,
    sent: u64,
    /// It belongs to a stall.
    still: bool,
    idle: i64,
    window: i64,
    /// The shortest time that a round takes.
    least: i64,
}

impl Round {
    /// How long what was delivered was under way: where a stall or the end cuts a round short, as long as a whole one. A burst without the
    /// pause behind it has no rate of its own.
    fn lasted(&self) -> i64 {
        (self.until - self.from).max(self.least).max(1)
    }

    fn is_cut_short(&self) -> bool {
        self.until - self.from < self.least
    }

    /// Bytes a nanosecond.
    fn rate(&self) -> f64 {
        self.delivered as f64 / self.lasted() as f64
    }

    /// The same of its own time, however short: whether a rate is back, a part of a round says as well.
    fn momentary(&self) -> f64 {
        self.delivered as f64 / (self.until - self.from).max(1) as f64
    }
}

/// A span that something went wrong in.
struct Wrong {
    from: i64,
    /// Until it was over; the rate may come back later.
    until: i64,
    kind: &'static str,
    cause: &'static str,
    segments: u64,
}

impl Wrong {
    /// Whether it is why something of this kind and cause began, in which it lies: what was repaired is, and an answer to marks is where
    /// nobody else is known to be.
    fn explains(&self, kind: &str, cause: &str) -> bool {
        match self.kind {
            "recovery" => true,
            REDUCTION => kind == "rate_collapse" && cause == "unknown",
            _ => false,
        }
    }
}

/// Finds the glitches of a direction, in order of time; `started` is the connection's first packet, and `full` the payload of a full
/// segment.
pub(crate) fn glitches(direction: &Direction, started: i64, full: u32) -> Vec<Glitch> {
    let rounds = rounds(&direction.intervals, direction.round_trip);
    let mut wrong: Vec<Wrong> = direction.repairs.iter().map(recovery).collect();
    wrong.extend(direction.cuts.iter().map(reduction));
    let idle: i64 = rounds.iter().map(|r| r.idle).sum();
    let whole: i64 = rounds.iter().map(|r| r.until - r.from).sum();
    if (idle as f64) < IDLE_SHARE * whole as f64 {
        stalls(&rounds, direction.round_trip, &mut wrong);
        collapses(&rounds, &mut wrong);
    }
    let wrong = joined(wrong, direction.round_trip.max(ROUND_LEAST));
    let best = Best::of(&rounds);
    let mut found: Vec<Glitch> = Vec::new();
    let mut over = i64::MIN;
    for (n, w) in wrong.iter().enumerate() {
        if w.from < over {
            // It happened before the rate was back from the last one, and is part of it.
            if let Some(last) = found.last_mut() {
                last.retransmitted_segments += w.segments;
                if w.explains(&last.kind, &last.cause) {
                    (last.kind, last.cause) = (w.kind.to_owned(), w.cause.to_owned());
                }
            }
            continue;
        }
        if found.len() >= GLITCHES_MAX {
            break;
        }
        let (back, cost) = match w.kind {
            "recovery" | REDUCTION => price(&rounds, best, w),
            _ => price_pause(&rounds, best, w, wrong.get(n + 1).map(|next| next.from)),
        };
        if matches!(w.kind, "rate_collapse" | REDUCTION) && cost == 0 {
            // A few slow rounds, which those after them made good, or a window with room to spare.
            continue;
        }
        over = back;
        found.push(Glitch {
            kind: w.kind.to_owned(),
            start_ns: (w.from - started).max(0) as u64,
            duration_ns: (back - w.from).max(0) as u64,
            cost_bytes: cost,
            cause: w.cause.to_owned(),
            retransmitted_segments: w.segments,
        });
    }
    probe_rtt::name(&mut found, direction, started, full);
    found
}

fn rounds(intervals: &[Interval], round_trip: i64) -> Vec<Round> {
    work::count(intervals.len());
    let least = round_trip.max(ROUND_LEAST);
    let still = still(intervals, stall_least(round_trip));
    let mut all: Vec<Round> = Vec::new();
    for (i, still) in intervals.iter().zip(still) {
        match all.last_mut() {
            Some(last) if last.until - last.from < least && last.still == still => {
                last.until = i.until;
                last.delivered += i.delivered;
                last.sent += i.sent;
                last.idle += i.idle;
                last.window += i.window;
            }
            _ => all.push(Round {
                from: i.from,
                until: i.until,
                delivered: i.delivered,
                sent: i.sent,
                still,
                idle: i.idle,
                window: i.window,
                least,
            }),
        }
    }
    all
}

/// Whether each interval belongs to a stall. A shorter pause is part of a round: elsewhere than at the sender a window comes
/// as a burst, and nothing follows until the next round trip.
fn still(intervals: &[Interval], least: i64) -> Vec<bool> {
    // What ended a long silence was counted to the interval that it ended.
    let silent = |i: &Interval| i.sent + i.delivered + i.again == 0 || i.until - i.from >= least;
    let runs = intervals.chunk_by(|a, b| silent(a) == silent(b));
    let each = runs.flat_map(|run| {
        let lasted = run[run.len() - 1].until - run[0].from;
        std::iter::repeat_n(silent(&run[0]) && lasted >= least, run.len())
    });
    each.collect()
}

/// Puts spans in order of time. What follows another within a round belongs to it: what was repaired is why it began.
fn joined(mut wrong: Vec<Wrong>, round: i64) -> Vec<Wrong> {
    wrong.sort_by_key(|w| w.from);
    let mut all: Vec<Wrong> = Vec::new();
    for next in wrong {
        match all.last_mut() {
            Some(last) if last.kind != "recovery" && next.from <= last.until + round => {
                last.until = last.until.max(next.until);
                last.segments += next.segments;
                if next.explains(last.kind, last.cause) {
                    (last.kind, last.cause) = (next.kind, next.cause);
                }
            }
            _ => all.push(next),
        }
    }
    all
}

fn recovery(repair: &Repair) -> Wrong {
    Wrong {
        from: repair.from,
        until: repair.until,
        kind: "recovery",
        cause: "loss",
        segments: repair.segments,
    }
}

/// A window was made smaller for marks.
fn reduction(cut: &(i64, i64)) -> Wrong {
    Wrong {
        from: cut.0,
        until: cut.1,
        kind: REDUCTION,
        cause: Glitch::MARKS,
        segments: 0,
    }
}

/// The shortest stall on a path of this round trip.
fn stall_least(round_trip: i64) -> i64 {
    STALL_NS.max(STALL_ROUNDS * round_trip)
}

/// Nothing new was sent and nothing acknowledged.
fn stalls(rounds: &[Round], round_trip: i64, wrong: &mut Vec<Wrong>) {
    let least = stall_least(round_trip);
    let mut at = 0;
    while at < rounds.len() {
        let still = rounds[at..].iter().take_while(|r| r.still).count();
        // What ends with the capture is its end, and what begins it its start.
        if still > 0 && at > 0 && at + still < rounds.len() {
            let span = &rounds[at..at + still];
            let (from, until) = (span[0].from, span[still - 1].until);
            if until - from >= least {
                let cause = cause(span);
                wrong.push(Wrong {
                    from,
                    until,
                    kind: "stall",
                    cause,
                    segments: 0,
                });
            }
        }
        work::count(1 + still);
        at += still.max(1);
    }
}

/// What took most of the rounds, as far as that was seen.
fn cause(span: &[Round]) -> &'static str {
    let whole: i64 = span.iter().map(|r| r.until - r.from).sum();
    let idle: i64 = span.iter().map(|r| r.idle).sum();
    let window: i64 = span.iter().map(|r| r.window).sum();
    if window * 2 > whole {
        "receive_window"
    } else if idle * 2 > whole {
        "application"
    } else {
        "unknown"
    }
}

/// The rate fell to less than half without a loss.
fn collapses(rounds: &[Round], wrong: &mut Vec<Wrong>) {
    let mut at = BEFORE;
    while at < rounds.len() {
        let usual = median(&rounds[at - BEFORE..at]);
        let low = rounds[at..]
            .iter()
            .take_while(|r| r.rate() < COLLAPSE * usual)
            .count();
        work::count(1 + low);
        if usual <= 0.0 || low < COLLAPSED || at + low >= rounds.len() {
            at += 1;
            continue;
        }
        let span = &rounds[at..at + low];
        wrong.push(Wrong {
            from: span[0].from,
            until: span[low - 1].until,
            kind: "rate_collapse",
            cause: cause(span),
            segments: 0,
        });
        at += low;
    }
}

/// The median of what rounds delivered in a nanosecond.
fn median(rounds: &[Round]) -> f64 {
    let mut rates: Vec<f64> = rounds.iter().map(Round::rate).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(0.0)
}

/// The rate that rounds had come to: the median of eight. While it rises, the median is of a connection that had hardly begun:
/// then it is what the last of them sent, though no more than the path ever delivered. Never is it more than the path sustained:
/// acknowledgements that come together make a round or two faster than any line.
fn rate_before(rounds: &[Round], best: Best) -> f64 {
    // Of a round that was cut short nobody knows what it would have had.
    let whole = match rounds {
        [before @ .., last] if last.is_cut_short() && !before.is_empty() => before,
        all => all,
    };
    let before = &whole[whole.len().saturating_sub(BEFORE)..];
    let usual = median(before);
    let rate = match before.last() {
        Some(last) if last.rate() > RISING * usual && rises(before) => {
            let sent = last.sent as f64 / last.lasted() as f64;
            sent.min(best.few).max(last.rate())
        }
        _ => usual,
    };
    rate.min(best.sustained)
}

/// The most that rounds in a row delivered in a nanosecond.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// Of three.
    few: f64,
    /// Of eight, which the path sustains; of three where there are less than sixteen, and infinite where there are not even three.
    sustained: f64,
}

impl Best {
    fn of(rounds: &[Round]) -> Best {
        let most = |count: usize| {
            work::count(rounds.len());
            rounds.windows(count).map(mean).fold(0.0, f64::max)
        };
        Best {
            few: most(COLLAPSED),
            sustained: match rounds.len() {
                count if count >= 2 * BEFORE => most(BEFORE),
                count if count >= COLLAPSED => most(COLLAPSED),
                _ => f64::INFINITY,
            },
        }
    }
}

/// Whether no round delivered less than the one before it but for a little.
fn rises(rounds: &[Round]) -> bool {
    rounds.windows(2).all(|w| w[1].rate() >= BACK * w[0].rate())
}

/// The same of a stall or a collapse: until the rate was what it was before, or what it then kept if that is less. What
/// follows lasts until `next` goes wrong.
fn price_pause(rounds: &[Round], best: Best, wrong: &Wrong, next: Option<i64>) -> (i64, u64) {
    let at = |time: i64| rounds.partition_point(|r| r.until <= time);
    let (first, low) = (at(wrong.from), at(wrong.until - 1) + 1);
    let until = next.map_or(rounds.len(), at).max(low);
    // Where the sender has nothing to send, the rate is no longer what the glitch left.
    let busy = |r: &&Round| r.idle * 2 <= r.until - r.from;
    let last = low + rounds[low..until].iter().take_while(busy).count();
    let before = rate_before(&rounds[..first], best);
    let (mut over, mut cost) = (low, 0);
    // What it keeps is known once its end is: the second time without what led there.
    for _ in 0..2 {
        let usual = match last - over {
            0..COLLAPSED => before,
            _ => before.min(mean(&rounds[over..last])),
        };
        (over, cost) = deficit(&rounds[first..last], low - first, usual);
        over += first;
        work::count(2 * (last - first));
    }
    (rounds[over - 1].until.max(wrong.until), cost)
}

/// After how many rounds, `low` at least, most is missing beside a little less than the usual rate, and how much beside that rate.
fn deficit(rounds: &[Round], low: usize, usual: f64) -> (usize, u64) {
    let (mut missing, mut cost) = (0.0, 0.0);
    let (mut most, mut found) = (f64::MIN, (low, 0));
    for (n, round) in rounds.iter().enumerate() {
        let due = usual * (round.until - round.from) as f64;
        missing += BACK * due - round.delivered as f64;
        cost += due - round.delivered as f64;
        if n + 1 >= low && missing > most {
            (most, found) = (missing, (n + 1, cost.max(0.0) as u64));
        }
    }
    found
}

/// What rounds delivered in a nanosecond, together.
fn mean(rounds: &[Round]) -> f64 {
    let delivered: u64 = rounds.iter().map(|r| r.delivered).sum();
    let lasted: i64 = rounds.iter().map(Round::lasted).sum();
    delivered as f64 / lasted.max(1) as f64
}

/// Until when the rate was not what it had been before, and the bytes that were not delivered for it.
fn price(rounds: &[Round], best: Best, wrong: &Wrong) -> (i64, u64) {
    let first = rounds.partition_point(|r| r.until <= wrong.from);
    let usual = rate_before(&rounds[..first], best);
    let mut back = wrong.until;
    let (mut expected, mut delivered) = (0.0, 0.0);
    let is_back = |n: usize| {
        let is_as_usual = |r: &Round| r.momentary() >= BACK * usual;
        is_as_usual(&rounds[n]) && rounds.get(n + 1).is_none_or(is_as_usual)
    };
    for (n, round) in rounds.iter().enumerate().skip(first) {
        work::count(1);
        // Where the sender has nothing to send, the rate is no longer what the glitch left.
        let over = is_back(n) || round.idle * 2 > round.until - round.from;
        if round.from >= wrong.until && over {
            break;
        }
        let from = round.from.max(wrong.from);
        let share = (round.until - from) as f64 / (round.until - round.from).max(1) as f64;
        expected += usual * (round.until - from) as f64;
        delivered += round.delivered as f64 * share;
        back = back.max(round.until);
    }
    (back, (expected - delivered).max(0.0) as u64)
}

/// Repairs that a pattern is made of, and lost segments where one repair goes over into the next.
const REPAIRS_LEAST: usize = 8;
const LOST_LEAST: usize = 50;

/// A repair of so many segments is of a burst.
const BURST: u64 = 8;

/// Chance takes a segment and the next one with the square of its ratio: where so large a part of the lost ones follow another, and so many
/// times the ratio, they were lost together.
const FOLLOWING: f64 = 0.25;
const FOLLOWING_TIMES: f64 = 4.0;

/// How losses lie: `lost` are the first bytes of lost segments, of `all` bytes that were sent in segments of `full` bytes.
pub(crate) fn pattern(
    repairs: &[Repair],
    lost: &[u64],
    (all, full): (u64, u32),
) -> Option<&'static str> {
    if repairs.len() < REPAIRS_LEAST {
        return spread(lost, all);
    }
    let segments: u64 = repairs.iter().map(|r| r.segments).sum();
    let bursts = repairs.iter().filter(|r| r.segments >= BURST);
    let in_bursts: u64 = bursts.map(|r| r.segments).sum();
    match starts(repairs) {
        // As a queue drops at the end of slow start, and chance for the rest of the time.
        Some("random") if in_bursts * 4 >= segments => Some("mixed"),
        Some("random") if follow(lost, (all, full)) => Some("clustered"),
        other => other,
    }
}

/// Whether lost segments follow one another more often than chance has it.
fn follow(lost: &[u64], (all, full): (u64, u32)) -> bool {
    let mut lost = lost.to_vec();
    lost.sort_unstable();
    lost.dedup();
    let next = |two: &&[u64]| two[1] - two[0] <= u64::from(full);
    let following = lost.windows(2).filter(next).count() as f64 / lost.len().max(1) as f64;
    let ratio = lost.len() as f64 * f64::from(full) / all.max(1) as f64;
    following >= FOLLOWING && following >= FOLLOWING_TIMES * ratio
}

/// Where losses are so many that repairs hardly end, only where the lost bytes lie says something: all over what was sent, as
/// chance has it, or nothing.
fn spread(lost: &[u64], all: u64) -> Option<&'static str> {
    if lost.len() < LOST_LEAST {
        return None;
    }
    let mut lost = lost.to_vec();
    lost.sort_unstable();
    lost.dedup();
    let (first, last) = (lost.first()?, lost.last()?);
    if (last - first) * 2 < all {
        return None;
    }
    by_chance(variation(lost.windows(2).map(|w| (w[1] - w[0]) as f64))).then_some("random")
}

/// Whether gaps vary as those of independent losses do.
fn by_chance(variation: f64) -> bool {
    (0.7..=1.3).contains(&variation)
}

/// How the starts of repairs lie, in time and in bytes. A rate that changes makes losses by chance look dense in time where it is
/// high, as at the end of slow start: so clusters are those that are dense in both.
fn starts(repairs: &[Repair]) -> Option<&'static str> {
    let in_time = variation(repairs.windows(2).map(|w| (w[1].from - w[0].from) as f64));
    let in_bytes = variation(
        repairs
            .windows(2)
            .map(|w| w[1].seq as f64 - w[0].seq as f64),
    );
    match in_time.min(in_bytes) {
        v if v < 0.25 => Some("periodic"),
        v if v > 1.6 => Some("clustered"),
        _ if by_chance(in_time) || by_chance(in_bytes) => Some("random"),
        _ => None,
    }
}

/// The standard deviation of gaps over their mean.
fn variation(gaps: impl Iterator<Item = f64>) -> f64 {
    let gaps: Vec<f64> = gaps.collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let square = gaps.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / gaps.len() as f64;
    if mean > 0.0 {
        square.sqrt() / mean
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One repair after each gap, of bytes and of time.
    fn after(gaps: &[(f64, f64)]) -> Vec<Repair> {
        let mut at = (0.0, 0.0);
        let each = gaps.iter().map(|(bytes, time)| {
            at = (at.0 + bytes * 1e6, at.1 + time * 1e9);
            Repair {
                from: at.1 as i64,
                waits: at.1 as i64,
                until: at.1 as i64,
                seq: at.0 as u64,
                timeout: false,
                segments: 1,
            }
        });
        each.collect()
    }

    /// Rounds of 10 ms, which deliver so many bytes each.
    fn rounds_of(delivered: &[u64]) -> Vec<Round> {
        let round = |(n, bytes): (i64, &u64)| Round {
            from: 10_000_000 * n,
            until: 10_000_000 * (n + 1),
            delivered: *bytes,
            sent: *bytes,
            still: false,
            idle: 0,
            window: 0,
            least: ROUND_LEAST,
        };
        (0..).zip(delivered).map(round).collect()
    }

    /// Acknowledgements that came at once do not make a rate of the path, however short the connection is.
    #[test]
    fn a_glitch_costs_no_more_than_the_best_rate_would_have_sent() {
        let mut delivered = vec![10_000, 10_000, 10_000, 10_000, 90_000];
        delivered.extend([0, 0, 5000, 5000, 5000, 5000]);
        let rounds = rounds_of(&delivered);
        let best = Best::of(&rounds);
        let wrong = Wrong {
            from: rounds[5].from,
            until: rounds[10].until,
            kind: "recovery",
            cause: "loss",
            segments: 1,
        };
        let (back, cost) = price(&rounds, best, &wrong);
        assert_eq!(back, rounds[10].until);
        // Three rounds in a row delivered 110 kB at most: six have room for twice as much, and 20 kB of it came.
        assert!(cost.abs_diff(200_000) < 10, "{cost}");
    }

    /// A window comes as a burst of 20 ms in each round trip of 100, and the path goes down behind a burst: that is no faster round.
    #[test]
    fn a_burst_before_a_stall_is_not_the_rate_before_it() {
        let ms = 1_000_000;
        let mut intervals = Vec::new();
        let mut end = 0;
        let mut add = |long: i64, delivered: u64| {
            intervals.push(Interval {
                from: end,
                until: end + long,
                delivered,
                sent: delivered,
                ..Interval::default()
            });
            end += long;
        };
        for round in 0..60 {
            add(20 * ms, 20_000);
            add(if round == 19 { 5000 * ms } else { 80 * ms }, 0);
        }
        let rounds = rounds(&intervals, 100 * ms);
        let wrong = Wrong {
            from: 1920 * ms,
            until: 6920 * ms,
            kind: "recovery",
            cause: "loss",
            segments: 1,
        };
        let (back, cost) = price(&rounds, Best::of(&rounds), &wrong);
        assert_eq!(back, 6920 * ms);
        assert!(cost.abs_diff(1_000_000) < 1000, "{cost}");
    }

    /// The window is made smaller, and then the rate falls: one glitch. What a loss began stays a loss's.
    #[test]
    fn marks_explain_a_collapse_and_no_loss() {
        let wrong = |kind, cause| Wrong {
            from: 0,
            until: 1,
            kind,
            cause,
            segments: 0,
        };
        let marks = wrong(REDUCTION, Glitch::MARKS);
        assert!(marks.explains("rate_collapse", "unknown"));
        assert!(!marks.explains("rate_collapse", "application"));
        assert!(!marks.explains("recovery", "loss"));
        assert!(wrong("recovery", "loss").explains(REDUCTION, Glitch::MARKS));
        assert!(!wrong("rate_collapse", "unknown").explains(REDUCTION, Glitch::MARKS));
    }

    #[test]
    fn losses_by_chance_are_not_clustered_where_the_rate_falls() {
        let by_chance = [0.1, 2.3, 0.5, 0.9, 1.6, 0.2, 3.1, 0.7, 0.4, 1.2, 0.3, 2.0];
        let steady: Vec<_> = by_chance.iter().map(|g| (*g, *g)).collect();
        assert_eq!(starts(&after(&steady)), Some("random"));
        let falls = |n: usize, g: f64| if n < 8 { g / 20.0 } else { g };
        let numbered = by_chance.iter().enumerate();
        let falling: Vec<_> = numbered.map(|(n, g)| (*g, falls(n, *g))).collect();
        assert!(variation(falling.iter().skip(1).map(|g| g.1)) > 1.3);
        assert_eq!(starts(&after(&falling)), Some("random"));
        let even = [(1.0, 1.0); 9];
        assert_eq!(starts(&after(&even)), Some("periodic"));
        let mut clusters = [(0.01, 0.01); 16];
        (clusters[5], clusters[11]) = ((9.0, 9.0), (7.0, 7.0));
        assert_eq!(starts(&after(&clusters)), Some("clustered"));
        assert_eq!(pattern(&after(&even[..7]), &[], (0, 1448)), None);
    }

    /// One burst of 18 in a full queue, and 17 that chance took: half of the losses are not random.
    #[test]
    fn a_burst_among_single_losses_is_said() {
        let by_chance = [
            0.1, 2.3, 0.5, 0.9, 1.6, 0.2, 3.1, 0.7, 0.4, 1.2, 0.3, 2.0, 0.8, 0.6, 1.1, 2.4, 0.1,
            1.4,
        ];
        let mut repairs = after(&by_chance.map(|g| (g, g)));
        assert_eq!(pattern(&repairs, &[], (0, 1448)), Some("random"));
        repairs[0].segments = 18;
        assert_eq!(pattern(&repairs, &[], (0, 1448)), Some("mixed"));
        repairs[0].segments = 5;
        assert_eq!(pattern(&repairs, &[], (0, 1448)), Some("random"));
    }

    /// A policer takes one segment behind the other, and its repairs may begin as those of chance do.
    #[test]
    fn losses_that_follow_one_another_are_not_of_chance() {
        let by_chance = [0.1, 2.3, 0.5, 0.9, 1.6, 0.2, 3.1, 0.7, 0.4, 1.2, 0.3, 2.0];
        let repairs = after(&by_chance.map(|g| (g, g)));
        let all = (10_000 * 1448, 1448);
        let alone: Vec<u64> = repairs.iter().map(|r| r.seq).collect();
        assert_eq!(pattern(&repairs, &alone, all), Some("random"));
        let followed = alone.iter().flat_map(|seq| [*seq, seq + 1448, seq + 2896]);
        let followed: Vec<u64> = followed.collect();
        assert_eq!(pattern(&repairs, &followed, all), Some("clustered"));
        // Where every third segment is lost, so is the next one after many of them.
        let few = (45 * 1448, 1448);
        assert_eq!(pattern(&repairs, &followed, few), Some("random"));
    }

    /// Every fifth segment on average, so that one repair goes over into the next: no repair begins alone.
    #[test]
    fn losses_by_chance_are_random_however_many_they_are() {
        let one = after(&[(1.0, 1.0)]);
        // A linear congruential generator (Numerical Recipes), its upper bits.
        let mut state = 1_u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        let segments = (0..4000_u64).map(|n| n * 1448);
        let lost: Vec<u64> = segments.filter(|_| draw() % 100 < 18).collect();
        let all = 4000 * 1448;
        assert_eq!(pattern(&one, &lost, (all, 1448)), Some("random"));
        assert_eq!(pattern(&one, &lost[..49], (all, 1448)), None);
        assert_eq!(
            pattern(&one, &lost, (3 * all, 1448)),
            None,
            "of one part of it"
        );
        let every_other: Vec<u64> = (0..200).map(|n| n * 2896).collect();
        assert_eq!(
            pattern(&one, &every_other, (400 * 1448, 1448)),
            None,
            "the end of a slow start"
        );
    }
}
