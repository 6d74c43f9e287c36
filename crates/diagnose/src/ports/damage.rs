//! Frames that arrived damaged at a port, beside what a flow lost.

use super::{Counted, PART};
use crate::evidence::Evidence;
use crate::hosts::machine::alike;
use crate::items::step;
use crate::paths::around::{DAMAGED_LEAST, MORE};

/// A share of all packets that is from so many times to so many times what a flow lost is of another time, or of other flows. Choices.
const FAR_MORE: [f64; 2] = [8.0, 16.0];

/// What such a share says less of the flow. A choice.
const OF_OTHERS: f64 = 0.6;

/// What a share of all packets says that is so many times what a flow lost, 0 to 1.
pub(super) fn says(times: f64) -> f64 {
    let others = OF_OTHERS * step(times, FAR_MORE[0], FAR_MORE[1]);
    step(times, 0.1, 0.4) * (1.0 - others)
}

impl Counted {
    /// Whether so large a share of all packets would have lost far more of a flow that arrives there than it sent again.
    pub(super) fn is_far_more(&self, e: &Evidence) -> bool {
        let lost = e.again.as_ref().filter(|lost| !e.udp && lost.value > 0.0);
        let both = self.share().zip(lost);
        both.is_some_and(|(share, lost)| share / lost.value > FAR_MORE[1])
            && as_many(e, self) <= 0.5
    }
}

/// How surely a port counts as many damaged frames as the flow sent segments again, 0 to 1.
pub(super) fn as_many(e: &Evidence, damaged: &Counted) -> f64 {
    match e.udp {
        true => 0.0,
        false => (damaged.alone(e) * alike(e, &damaged.count)).max(grown(e, damaged)),
    }
}

/// How surely what a port's damaged frames grew by between two readings is what the flow sent again, 0 to 1, however few these were: others
/// cross a port, too, so that many more are not the flow's.
pub(super) fn grown(e: &Evidence, damaged: &Counted) -> f64 {
    let again = e.sent_again().filter(|again| *again > 0.0);
    let grew = damaged.grew && damaged.count.value >= DAMAGED_LEAST;
    let Some(again) = again.filter(|_| grew) else {
        return 0.0;
    };
    let part = damaged.count.value / again;
    step(part, PART, 0.7) * (1.0 - step(part, MORE, 2.0 * MORE))
}

/// The damaged frames of a port beside what the flow lost.
pub(super) fn of_damage(e: &Evidence, damaged: &Counted) -> String {
    let begin = format!(
        "at {} {:.0} frames arrived damaged{}",
        damaged.port.named("a router's port"),
        damaged.count.value,
        damaged.since()
    );
    let Some(share) = damaged.share() else {
        let again = e.retransmits.as_ref();
        let again = again.filter(|_| as_many(e, damaged) > 0.5);
        let again = again.map(|r| format!("; this flow sent {:.0} segments again", r.value));
        return begin + again.as_deref().unwrap_or("");
    };
    match e.again.as_ref().filter(|_| !e.udp) {
        Some(again) => format!(
            "{begin}, {share:.1e} of all; of this flow's segments {:.1e} were sent again{}",
            again.value,
            match damaged.is_far_more(e) {
                true =>
                    ", far fewer: these frames are of another time, or this flow does not arrive there",
                false => "",
            }
        ),
        None => format!("{begin}, {share:.1e} of all"),
    }
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn a_share_says_most_where_it_is_what_a_flow_lost() {
        assert!(says(0.05) < 0.01);
        assert!(says(1.0) > 0.99);
        assert!((0.3..0.5).contains(&says(900.0)));
    }
}
