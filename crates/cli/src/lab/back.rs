//! What a full way back takes: acknowledgements that wait there hold back whoever waits for them.

use farpath_observe::limit::{Stretch, WORDS};
use farpath_observe::{Limit, Path};
use farpath_units::{Duration, Time};

use super::cause::Cause;

/// What the congestion window accounts for, or nobody, where nothing was lost but in queues.
pub(super) const WINDOW: [Limit; 4] = [
    Limit::CwndSlowStart,
    Limit::CwndRecovery,
    Limit::Loss,
    Limit::Unknown,
];

/// What of it still grows: losses have no part in that.
pub(super) const GROWTH: [Limit; 2] = [Limit::CwndSlowStart, Limit::Unknown];

/// Whether the way back is full is judged over no less than this.
const LONG: Duration = Duration::from_secs(1);

/// A share that rounding alone leaves.
const NOTHING: f64 = 1e-9;

/// Shares of all these stretches by what limited a connection in them, the largest first. While the way back was full, what counts
/// under `waiting` limits is of that way: acknowledgements came as late as its queue is long, and as seldom as it let them through.
pub(super) fn causes(
    stretches: &[Stretch],
    path: Option<&Path<'_>>,
    waiting: &[Limit],
) -> Vec<(Cause, f64)> {
    let back = path.map(|path| Path {
        every: path.every,
        hops: path.back.clone(),
        back: Vec::new(),
        down: Vec::new(),
        notes: Vec::new(),
    });
    let (mut spent, mut of_back) = ([0.0; WORDS.len()], 0.0);
    for stretch in stretches {
        let taken = back
            .as_ref()
            .map_or(0.0, |back| taken(stretch, back, waiting));
        for (limit, ..) in WORDS {
            let part = if waiting.contains(&limit) { taken } else { 0.0 };
            spent[limit as usize] += (1.0 - part) * stretch.spent(limit);
            of_back += part * stretch.spent(limit);
        }
    }
    let all = spent.iter().sum::<f64>() + of_back;
    let own = WORDS.map(|(limit, ..)| (Cause::Limit(limit), spent[limit as usize]));
    let mut causes = [&own[..], &[(Cause::Back, of_back)]].concat();
    causes
        .iter_mut()
        .for_each(|(_, seconds)| *seconds /= all.max(f64::MIN_POSITIVE));
    causes.retain(|(_, share)| *share > NOTHING);
    causes.sort_by(|a, b| b.1.total_cmp(&a.1));
    causes
}

/// The part of a stretch's time under `waiting` limits in which the way back was full.
fn taken(stretch: &Stretch, back: &Path<'_>, waiting: &[Limit]) -> f64 {
    let there: f64 = waiting.iter().map(|limit| stretch.spent(*limit)).sum();
    if there <= 0.0 {
        return 0.0;
    }
    // A slow link carries few frames in a short stretch, and one more or less.
    let age = stretch.until.since(Time::ZERO);
    let from = stretch.from.min(Time::ZERO + age.saturating_sub(LONG));
    let full = back.full(from, stretch.until, LONG);
    let full: f64 = full.values().sum();
    (full * stretch.total() / there).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_observe::{Dropped, Hop, Interval};
    use farpath_units::Rate;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A way back of 64 kbit/s that is full for two of four seconds.
    #[test]
    fn a_full_way_back_takes_the_windows_time_and_no_other() {
        let interval = |n: u64| Interval {
            bytes: if n < 20 { 800 } else { 80 },
            queue_bytes: u64::from(n < 20) * 300,
        };
        let intervals: Vec<Interval> = (0..40).map(interval).collect();
        let hop = Hop {
            name: "access s>c",
            own: false,
            waits_unseen: false,
            rates: vec![(Time::ZERO, Rate::from_bps(64_000).expect("a rate"))],
            intervals: &intervals,
            dropped: Dropped::default(),
            frame_bytes: 0,
        };
        let path = Path {
            every: Duration::from_ms(100),
            hops: Vec::new(),
            back: vec![hop],
            down: Vec::new(),
            notes: Vec::new(),
        };
        let found = |limits: [Limit; 4], path: Option<&Path<'_>>, waiting: &[Limit]| {
            let second =
                |(n, limit): (u64, Limit)| Stretch::whole(at(n * 1000), at(n * 1000 + 1000), limit);
            let all: Vec<Stretch> = (0..).zip(limits).map(second).collect();
            causes(&all, path, waiting)
        };
        let [grows, cut, idle] = [
            Limit::CwndSlowStart,
            Limit::CwndRecovery,
            Limit::Application,
        ]
        .map(|l| (l, Cause::Limit(l)));
        let cause = |all: &[(Cause, f64)], cause: Cause| {
            let found = all.iter().find(|c| c.0 == cause);
            found.map_or(0.0, |c| (c.1 * 1e9).round() / 1e9)
        };
        let window = found([grows.0, cut.0, cut.0, idle.0], Some(&path), &WINDOW);
        assert_eq!(cause(&window, Cause::Back), 0.5, "{window:?}");
        assert_eq!(
            (cause(&window, grows.1), cause(&window, cut.1)),
            (0.0, 0.25)
        );
        assert_eq!(window[0].0, Cause::Back);
        // Who waits for its program waits for no acknowledgement.
        let program = found([idle.0; 4], Some(&path), &WINDOW);
        assert_eq!(program, [(idle.1, 1.0)]);
        // Losses by chance on the way there keep a window small by themselves.
        let lossy = found([cut.0, grows.0, cut.0, cut.0], Some(&path), &GROWTH);
        assert_eq!(cause(&lossy, Cause::Back), 0.25, "{lossy:?}");
        let unknown = found([cut.0; 4], None, &WINDOW);
        assert_eq!(unknown, [(cut.1, 1.0)]);
    }
}
