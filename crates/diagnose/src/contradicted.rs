//! What texts and figures say that cannot both be true.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps};
use crate::document::Contradiction;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::paths::known_rtt;
use crate::read::Facts;

/// What cannot both be true.
pub(crate) fn contradict(
    facts: &Facts,
    flow: &Flow,
    e: &Evidence,
    limits: &[Limit],
    all: &mut Vec<Contradiction>,
) {
    if let Some(rate) = e.rate.as_ref().filter(|_| !e.left_at_once()) {
        // A window may be larger than a setting says; more than a line leaves for payload does not pass it.
        let above = |l: &&Limit| {
            let slack = if l.cause == Cause::Link { 1.0 } else { 1.15 };
            // Of losses that come in bursts the law knows only the number: what is left may be more.
            let law = l.bursts.is_some() && e.idle_loss.as_ref().is_none_or(|l| l.low <= 0.0);
            // What a page cache took at first does not contradict its disk.
            let cached = l.cause == Cause::Disk && e.lasts_at_disk().is_some();
            !law && !cached && rate.low > l.rate.high * slack
        };
        for limit in limits.iter().filter(above) {
            let text = format!(
                "{}: measured {}, above what {} would allow ({}: {})",
                flow.name(),
                bps(rate.value),
                limit.cause.words(),
                bps(limit.rate.high),
                limit.formula
            );
            let from = places(facts, [rate, &limit.rate]);
            all.push(Contradiction { text, from });
        }
    }
    all.extend(e.exceeded_in_words(facts, flow));
    all.extend(e.unmissed_in_words(facts, flow));
    if let Some((text, figures)) = e.stated_in_vain() {
        let from = places(facts, figures);
        let text = format!("{}: {text}", flow.name());
        all.push(Contradiction { text, from });
    }
    all.extend(known_rtt::contradicted(facts, flow));
    if let Some(recounted) = &e.recounted {
        let from = recounted.from.iter().map(|at| facts.place(*at)).collect();
        let text = format!("{}: {}", flow.name(), recounted.sentence());
        all.push(Contradiction { text, from });
    }
    ends_differ(facts, flow, e, all);
}

/// Where two figures were read.
fn places(facts: &Facts, figures: [&Figure; 2]) -> Vec<String> {
    let all = figures.into_iter().flat_map(|figure| &figure.from);
    all.map(|at| facts.place(*at)).collect()
}

/// That the sender reports more than the receiver.
fn ends_differ(facts: &Facts, flow: &Flow, e: &Evidence, all: &mut Vec<Contradiction>) {
    let reports = flow
        .test
        .as_ref()
        .and_then(|t| t.sent.as_ref().zip(t.received.as_ref()));
    if let Some((sent, received)) = reports
        && sent.goodput.value > received.goodput.value * 1.05
        && !e.udp
        && e.filled.is_none()
    {
        let text = format!(
            "{}: the sender reports {}, the receiver {}: the receiver's is what was delivered",
            flow.name(),
            bps(sent.goodput.value),
            bps(received.goodput.value)
        );
        let from = places(facts, [&sent.goodput, &received.goodput]);
        all.push(Contradiction { text, from });
    }
}
