//! Which of several flows are what somebody complains of: a slow one whose cause is sure comes before those that are far faster and free.

use crate::cause::Cause;
use crate::document::FlowReport;
use crate::programs::unrated::{is_free, leads};

/// From this confidence on a cause explains what is slow. A choice, as the next.
const SURE: f64 = 0.8;

/// A transfer so many times as fast as another shows that the path carries more; from the second on it is another matter altogether.
const FASTER: f64 = 1.5;
const FAR: f64 = 5.0;

/// Up to this confidence a cause is a guess, which need not stand before a sure one. A choice.
const LIKELY: f64 = 0.6;

/// Whether the flow at this position only stands beside what is explained: nothing is known to hold it back, nobody expected more of it, and
/// a slow flow whose cause is sure is what the texts are about. So does one that is far faster, whose own cause is a guess; and one that fills its
/// line beside a far slower one whose cause is likely.
pub fn is_beside(reports: &[FlowReport], n: usize) -> bool {
    let open = |r: &&FlowReport| !r.unrated && r.target.is_none();
    let Some(report) = reports.get(n).filter(open) else {
        return false;
    };
    let rate = report.observed.goodput_bps.unwrap_or(0.0);
    let explained = |times: f64, least: f64| {
        let is_slower = |own: f64| own > 0.0 && times * own <= rate;
        reports.iter().any(|r| {
            let likely = r.verdict.confidence >= least && !r.unrated && !is_free(r);
            likely && r.observed.goodput_bps.is_some_and(is_slower)
        })
    };
    let free = is_free(report);
    let guessed = report.verdict.confidence < LIKELY;
    let full = free && report.verdict.cause != Cause::Unknown.name();
    let beside = free && (leads(reports) || explained(FASTER, SURE))
        || guessed && explained(FAR, SURE)
        || full && explained(FAR, LIKELY);
    rate > 0.0 && beside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Observed, VerdictReport};
    use crate::history::shown;

    fn report(cause: Cause, confidence: f64, bps: f64) -> FlowReport {
        FlowReport {
            name: cause.name().to_owned(),
            unrated: false,
            observed: Observed {
                goodput_bps: Some(bps),
                low_bps: None,
                high_bps: None,
                side: None,
                source: None,
                stalled_ns: None,
                at_utc_ns: None,
                rtt_ns: None,
                implied_flight_bytes: None,
            },
            streams: Vec::new(),
            ceilings: Vec::new(),
            verdict: VerdictReport {
                cause: cause.name(),
                confidence,
                share: None,
                second: None,
                because: Vec::new(),
            },
            missing: Vec::new(),
            changes: Vec::new(),
            target: None,
            verify: None,
        }
    }

    #[test]
    fn what_is_slow_and_explained_comes_before_a_test_that_is_well() {
        for other in [Cause::Link, Cause::Unknown] {
            let all = [
                report(other, 0.4, 9.4e9),
                report(Cause::HostCpu, 0.95, 0.49e9),
            ];
            assert!(is_beside(&all, 0) && !is_beside(&all, 1), "{other:?}");
            let first = shown(&all, &[]).next().map(|r| r.verdict.cause);
            assert_eq!(first, Some("host_cpu"));
        }
    }

    /// A test with a window that may hold it beside a copy that is a tenth as fast; and one way that is full beside the other, which loses.
    #[test]
    fn a_far_faster_test_comes_behind_what_is_slow() {
        let guess = [
            report(Cause::ReceiveWindow, 0.41, 883e6),
            report(Cause::Application, 0.98, 75e6),
        ];
        let full = [
            report(Cause::Link, 0.57, 940e6),
            report(Cause::RandomLoss, 0.67, 4.4e6),
        ];
        for all in [guess, full] {
            assert!(
                is_beside(&all, 0) && !is_beside(&all, 1),
                "{:?}",
                all[0].verdict
            );
        }
        // A sure cause of its own is a matter of its own.
        let sure = [
            report(Cause::ReceiveWindow, 0.9, 883e6),
            report(Cause::Application, 0.98, 75e6),
        ];
        assert!(!is_beside(&sure, 0));
    }

    /// A cause that is not sure explains nothing, and what is as slow, or held itself, is a matter of its own.
    #[test]
    fn what_may_be_a_second_matter_keeps_its_place() {
        let cpu = |confidence| report(Cause::HostCpu, confidence, 0.49e9);
        for all in [
            [report(Cause::Unknown, 0.4, 9.4e9), cpu(0.7)],
            [report(Cause::Unknown, 0.4, 0.5e9), cpu(0.95)],
            [report(Cause::RandomLoss, 0.9, 9.4e9), cpu(0.95)],
        ] {
            assert!(!is_beside(&all, 0), "{:?}", all[0].verdict);
            let first = shown(&all, &[]).next().map(|r| r.verdict.cause);
            assert_eq!(first, Some(all[0].verdict.cause));
        }
    }
}
