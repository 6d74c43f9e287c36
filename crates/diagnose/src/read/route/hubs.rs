//! mtr's report in JSON (`mtr --json`): its hops, as the text of `mtr --report` has them.

use serde_json::Value as Json;

use super::{Hop, Routes};
use crate::fact::{Figure, Place};
use crate::read::Facts;

/// A number of a hop.
fn number(hub: &Json, key: &str) -> Option<f64> {
    let value = hub.get(key)?.as_f64()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// A hop; none of one without its losses.
fn hop(hub: &Json, at: Place) -> Option<Hop> {
    let loss = number(hub, "Loss%").filter(|loss| *loss <= 100.0)?;
    let sent = number(hub, "Snt")?;
    let times = ["Best", "Avg", "Wrst"].map(|key| number(hub, key));
    let times = match times {
        [Some(best), Some(mean), Some(worst)] if loss < 100.0 => vec![best, mean, worst],
        _ => Vec::new(),
    };
    let name = hub.get("host").and_then(Json::as_str).unwrap_or("");
    Some(Hop {
        times: times.iter().map(|ms| Figure::exact(*ms, at)).collect(),
        loss: Some((sent, sent * loss / 100.0)),
        name: name.to_owned(),
        at,
    })
}

/// Takes a report; `false` of one without hops, or with a hop that does not count what was lost.
pub(in crate::read) fn take(report: &Json, at: Place, facts: &mut Facts) -> bool {
    let hubs = report.get("hubs").and_then(Json::as_array);
    let goal = report.get("mtr").and_then(|mtr| mtr.get("dst"));
    let mut routes = Routes {
        kind: "mtr",
        at: Some(at),
        goal: goal.and_then(Json::as_str).map(str::to_owned),
        ..Routes::default()
    };
    for (n, hub) in (1_u32..).zip(hubs.into_iter().flatten()) {
        let Some(hop) = hop(hub, at) else {
            return false;
        };
        let is_target = routes.may_end_at(&hop.name);
        routes.take(hop, Some(n), is_target);
    }
    let any = routes.hops > 0.0;
    routes.close(facts);
    any
}
