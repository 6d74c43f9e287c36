//! What is diagnosed of a case.

use farpath_diagnose::{Facts, FlowReport};

/// The connection of a diagnosis: what datagrams gave stands beside it.
pub(super) fn judged(facts: &Facts) -> Result<FlowReport, String> {
    let diagnosis = farpath_diagnose::diagnose(facts, "0");
    // A captured connection comes after all that texts report.
    let captured = facts.tests.first().is_some_and(|first| first.udp);
    let mut flows = diagnosis.flows.into_iter();
    let flow = if captured {
        flows.next_back()
    } else {
        flows.next()
    };
    flow.ok_or_else(|| "a diagnosis without a flow".to_owned())
}
