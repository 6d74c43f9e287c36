//! What bounds a gain besides the ceilings: buffers as they are set, OpenSSH's own window, and processors.

use crate::cause::Cause;
use crate::channel::left_by_channel;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Figure;

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

/// What is left after a change, and no more than the buffers give that it sets.
pub(super) fn within_set(
    (mut cause, mut figure): (Cause, Figure),
    set: &[(Cause, u64)],
    e: &Evidence,
) -> (Cause, Figure) {
    let rtt = e.rtt_by_itself().map_or(0.0, |rtt| rtt.value);
    for (own, bytes) in set {
        let most = *bytes as f64 * 8.0 * e.streams / rtt;
        if most < figure.value {
            (cause, figure.value) = (*own, most);
        }
        figure.high = libm::fmin(figure.high, libm::fmax(most, figure.value));
    }
    (cause, figure)
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
