//! What bounds a gain besides the ceilings: buffers as they are set, OpenSSH's own window, and processors.

use super::{Buffers, ROOMS, asked, at_end, changed};
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::read::Facts;
use crate::windows::channel::left_by_channel;

/// What bounds a gain over SSH.
const OF_CHANNEL: &str = "; OpenSSH lets 2 MiB of a channel be in flight, whatever TCP's window: several transfers side by side, or a tool that copies without ssh, get more";

/// What is left after a change, and no more than OpenSSH's own window gives, which stands behind all others.
pub(super) fn within_channel(
    cause: Cause,
    next: (Cause, Figure),
    e: &Evidence,
    change: &mut Change,
) -> (Cause, Figure) {
    let Some(channel) = left_by_channel(e).filter(|_| cause != Cause::Application) else {
        return next;
    };
    change.risk.push_str(OF_CHANNEL);
    match channel.1.value < next.1.value {
        true => channel,
        false => next,
    }
}

/// What is left after a change, and no more than the buffers give that it sets. The first, which the flow fills now, gives as much more than
/// was measured as it is larger; another gives its bytes each round trip.
pub(super) fn within_set(
    (mut cause, mut figure): (Cause, Figure),
    set: &[(Cause, u64)],
    e: &Evidence,
    of: (&Facts, &Flow),
) -> (Cause, Figure) {
    let rtt = e.rtt_by_itself().map_or(0.0, |rtt| rtt.value);
    for (n, (own, bytes)) in set.iter().enumerate() {
        let most = *bytes as f64 * 8.0 * e.streams / rtt;
        let was = filled(*own, e, of).filter(|_| n == 0);
        let likely = was.and_then(|was| as_much_more(e, rtt, [was, *bytes as f64]));
        let [value, high] = likely.map_or([most; 2], |gives| {
            [gives.value, gives.high].map(|bps| libm::fmin(bps, most))
        });
        if value < figure.value {
            (cause, figure.value) = (*own, value);
        }
        figure.low = libm::fmin(figure.low, figure.value);
        figure.high = libm::fmin(figure.high, libm::fmax(high, figure.value));
    }
    (cause, figure)
}

/// A flow that has this part of a buffer in flight fills it: the rest is the kernel's own (`docs/models/diagnosis.md`).
const FILLED: core::ops::RangeInclusive<f64> = 0.49..=1.0;

/// What a buffer gives where the flow fills the one before it, of both in bytes: the same part of each is in flight.
fn as_much_more(e: &Evidence, rtt: f64, [was, bytes]: [f64; 2]) -> Option<Figure> {
    let rate = e.settled()?;
    let part = rate.value * rtt / 8.0 / e.streams / was;
    FILLED.contains(&part).then(|| rate.times(bytes / was))
}

/// The largest buffer that an end's settings give now, bytes; none where a program asked for its own, or it does not grow.
fn filled(cause: Cause, e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<f64> {
    let end = changed(cause, e).filter(|_| ROOMS.contains(&cause))?;
    let (hosts, _) = at_end(e, (facts, flow), end);
    let now = Buffers::of(facts, &hosts, end);
    let stays = now.untuned || now.fixed;
    let own = asked(facts, flow) || e.memory.both || e.memory.set.is_some() || stays;
    now.most.filter(|_| !own).map(|most| most as f64)
}

/// The lower of two limits.
pub(super) fn lower(
    one: Option<(Cause, Figure)>,
    other: Option<(Cause, Figure)>,
) -> Option<(Cause, Figure)> {
    let both = one.into_iter().chain(other);
    both.min_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

/// What the busiest processor of the other end carries once the one that is full is not: it had so much left.
pub(super) fn other_core(e: &Evidence) -> Option<(Cause, Figure)> {
    Some((Cause::HostCpu, e.other_end_carries()?))
}

/// The same, and no more than the busiest processor carries that was seen: that of the other end where the fullest one is dealt with.
/// A share of several processors, which connections side by side may have (`shared` is false), bounds nothing.
pub(super) fn within_processor(
    next: (Cause, Figure),
    gone: &[Cause],
    e: &Evidence,
    shared: bool,
) -> (Cause, Figure) {
    let carries = match gone.contains(&Cause::HostCpu) {
        true => e.other_end_carries(),
        false => e.processor_carries(),
    };
    let Some(most) = carries.filter(|most| shared && most.value < next.1.value) else {
        return next;
    };
    (Cause::HostCpu, most)
}
