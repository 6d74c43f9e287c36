//! What tests that ask and are answered measured, beyond what every TCP test does.

use farpath_scenario::Test;
use farpath_units::Duration;
use farpath_wire::FlowDir;

use super::{Metrics, put};
use crate::build::Built;
use crate::exchange::Asker;
use crate::station::Program;

/// Requests answered within the measurement, how many that is a second, and how long they took.
pub(super) fn metrics(built: &Built, flows: &[usize], test: &Test, m: &mut Metrics) {
    let askers: Vec<&Asker> = flows.iter().filter_map(|f| asker(built, *f)).collect();
    let answered: u64 = askers.iter().map(|a| a.measured).sum();
    put(m, "requests", answered as f64);
    let last = askers.iter().map(|a| a.last).max().unwrap_or_default();
    let seconds = match test.duration {
        Some(duration) => duration.as_secs_f64(),
        None => last.since(test.start + test.omit).as_secs_f64(),
    };
    let rate = if seconds > 0.0 {
        answered as f64 / seconds
    } else {
        0.0
    };
    put(m, "request_rate", rate);
    if answered == 0 {
        return;
    }
    let least = askers
        .iter()
        .map(|a| a.response[0])
        .min()
        .unwrap_or_default();
    let most = askers
        .iter()
        .map(|a| a.response[1])
        .max()
        .unwrap_or_default();
    let sum: f64 = askers.iter().map(|a| a.response[2].as_secs_f64()).sum();
    put(m, "response_min_ns", ns(least));
    put(m, "response_max_ns", ns(most));
    put(m, "response_avg_ns", (sum / answered as f64 * 1e9).round());
}

fn ns(time: Duration) -> f64 {
    (time.as_ps() as f64 / 1000.0).round()
}

fn asker(built: &Built, flow: usize) -> Option<&Asker> {
    let station = built.station(built.wan.plan.flows[flow].sink.0);
    match station.program(FlowDir::forward(flow as u16))? {
        Program::Asker(asker) => Some(asker),
        _ => None,
    }
}
