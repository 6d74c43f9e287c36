//! What limits once a cause is gone.

use crate::cause::Cause;
use crate::ceiling::{Limit, in_flight};
use crate::evidence::Evidence;
use crate::fact::Figure;

use super::ROOMS;
use super::plateau::within_plateau;

/// A kernel that waited for a window or a buffer for more than this share of the time was held by that, and by no losses. A choice.
const WAITED: f64 = 0.5;

/// What is left once some causes are gone: the lowest of the other ceilings that the rate does not contradict. A sender
/// that had pauses goes on, without them, as fast as it was between them, where a second cause without a ceiling held it then.
pub(super) fn next(
    gone: &[Cause],
    second: Option<Cause>,
    e: &Evidence,
    ceilings: &[Limit],
) -> Option<(Cause, Figure)> {
    let rate = &e.settled()?;
    // A window that a send buffer never filled, and that only a capture shows, grows with what is sent.
    let tuned = gone == [Cause::SendBuffer] && e.announced && e.windows.len() == 1;
    // With scaling a window is no longer the one that was announced without.
    let unscaled = ceilings.iter().find(|c| c.cause == Cause::NoWindowScaling);
    let unscaled = unscaled.filter(|u| gone.contains(&u.cause));
    let as_small = |c: &Limit| {
        let small = unscaled.is_some_and(|u| c.rate.value <= u.rate.value * 1.02);
        c.cause == Cause::ReceiveWindow && small
    };
    // A window that a program left small by not reading is not what is left once it reads.
    let slow = e.reads_slowly() > 0.5;
    let reads = |g: &Cause| match g {
        Cause::HostCpu => slow,
        cause => matches!(cause, Cause::Client | Cause::Disk),
    };
    let unread =
        gone.iter().any(reads) || gone.contains(&Cause::ReceiveWindow) && e.left_small() > 0.5;
    let left_small = |c: &Limit| {
        let met = c.rate.low <= 1.15 * rate.value;
        let shown = e.rwnd_share.is_some() && met || slow && c.is_announced();
        unread && c.cause == Cause::ReceiveWindow && shown
    };
    let settings: Vec<Limit> = e.rtt_by_itself().map_or(Vec::new(), |rtt| {
        let each = e.tuned.iter().filter(|_| unread);
        each.map(|room| in_flight(Cause::ReceiveWindow, e, rtt, room))
            .collect()
    });
    let is_gone = |c: Cause| {
        gone.contains(&c) && !(c == Cause::ReceiveWindow && unread)
            || c == Cause::RandomLoss && gone.iter().any(|g| g.is_loss() || *g == Cause::Nic)
            || c == Cause::ReceiveWindow && tuned
            || e.memory.grows(c)
    };
    let of_reading = |c: &Limit| gone.iter().any(|g| e.is_of_reading(*g, c));
    let others = ceilings
        .iter()
        .chain(&settings)
        .filter(|c| !of_reading(c))
        .filter(|c| !is_gone(c.cause) && !as_small(c) && !left_small(c) && c.cause != Cause::Ramp)
        .filter(|c| c.rate.high.max(c.bursts.unwrap_or(0.0)) > rate.value * 0.95);
    let second = second.filter(|s| !is_gone(*s) && !others.clone().any(|c| c.cause == *s));
    let has = |cause: Cause| ceilings.iter().any(|c| c.cause == cause);
    // A window or buffer of which nothing was seen may be the next.
    let unseen = |r: &Cause| !gone.contains(r) && (e.memory.grows(*r) || !has(*r));
    let bounded = has(Cause::Link) && !tuned && !ROOMS.iter().any(unseen);
    let waited = gone.first().and_then(|g| e.share(*g)).unwrap_or(0.0);
    let least = lowest(others, waited > WAITED, rate.value).map(|(next, bound)| {
        let mut figure = next.rate.clone();
        figure.value = bound;
        // A ceiling bounds nothing from below where the path, a window or a buffer is not known.
        if !bounded {
            figure.low = rate.value;
        }
        figure.value = figure.value.max(rate.value);
        figure.high = figure.high.max(figure.value);
        (next.cause, figure)
    });
    let then = match (gone.first(), second) {
        (Some(&Cause::Application), Some(second)) => between_pauses(second, rate, e, least),
        _ => least,
    };
    then.map(|next| within_plateau(next, e))
}

/// The lowest of some ceilings, and what it bounds, bit/s. Where the kernel `waited` for what is gone, and more was had than a law of losses
/// leaves, they came in bursts.
fn lowest<'l>(
    all: impl Iterator<Item = &'l Limit>,
    waited: bool,
    rate: f64,
) -> Option<(&'l Limit, f64)> {
    let bounds = all.map(|limit| match limit.bursts {
        Some(most) if waited && limit.rate.high < rate => (limit, most),
        _ => (limit, limit.rate.value),
    });
    bounds.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What held a sender between its pauses goes on, without them; where something else leaves less, that.
fn between_pauses(
    second: Cause,
    rate: &Figure,
    e: &Evidence,
    least: Option<(Cause, Figure)>,
) -> Option<(Cause, Figure)> {
    let idle = e.share(Cause::Application).filter(|idle| *idle < 0.95);
    let Some(idle) = idle else { return least };
    let between = rate.times(1.0 / (1.0 - idle));
    match least {
        Some((_, ref other)) if other.value <= between.value => least,
        _ => Some((second, between)),
    }
}
