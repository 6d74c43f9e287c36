//! The figures of a comparison: the kernel's curve against the simulator's, and against itself.

use serde::Serialize;

use crate::case::Case;
use crate::curve::{Curve, nrmse};
use crate::forward::Lateness;
use crate::kernel::KernelRun;
use crate::model::ModelRun;

/// One curve's landmarks.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Landmarks {
    /// When the window was cut for the first time, in seconds since the SYN.
    pub(crate) cut_s: Option<f64>,
    /// Segments before the cut.
    pub(crate) before: Option<f64>,
    /// Segments once the recovery was over: the smallest value in the two round trips after the cut.
    pub(crate) after: Option<f64>,
    /// From the cut until the window is as large as before it.
    pub(crate) epoch_s: Option<f64>,
    /// Segments at the end.
    pub(crate) last: f64,
    /// Bits a second delivered to the application, from the SYN to the end.
    pub(crate) goodput_bps: f64,
    pub(crate) retransmits: u64,
}

/// Kernel and model side by side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) case: String,
    pub(crate) kernel: Landmarks,
    pub(crate) model: Landmarks,
    /// Before the cut, from the SYN on.
    pub(crate) nrmse_before: Option<f64>,
    /// From two round trips after the cut, aligned at it.
    pub(crate) nrmse_after: Option<f64>,
    /// Everything, aligned at the cut.
    pub(crate) nrmse_all: Option<f64>,
    /// The last for two runs of the kernel.
    pub(crate) nrmse_repeat: Option<f64>,
    pub(crate) fidelity: Fidelity,
    pub(crate) kernel_cwnd: Curve,
    pub(crate) model_cwnd: Curve,
    pub(crate) kernel_srtt_ms: Curve,
    pub(crate) model_srtt_ms: Curve,
}

/// How good the path between the kernel's hosts was.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fidelity {
    pub(crate) late_p50_us: f64,
    pub(crate) late_p99_us: f64,
    pub(crate) late_max_us: f64,
    pub(crate) deliveries: usize,
    pub(crate) samples: usize,
    pub(crate) hidden_drops: u64,
    pub(crate) queue_drops: u64,
    pub(crate) oversized: u64,
    pub(crate) strangers: u64,
    pub(crate) window_limited_us: u64,
    pub(crate) buffer_limited_us: u64,
    pub(crate) real_time: bool,
}

impl Fidelity {
    fn of(run: &KernelRun) -> Fidelity {
        let mut late: Lateness = run.path.lateness.clone();
        let mut us = |share| late.quantile(share) as f64 / 1000.0;
        let last = run.last();
        Fidelity {
            late_p50_us: us(0.5),
            late_p99_us: us(0.99),
            late_max_us: us(1.0),
            deliveries: late.count(),
            samples: run.samples.len(),
            hidden_drops: run.hidden_drops,
            queue_drops: run.path.dropped + run.path.dropped_back,
            oversized: run.path.oversized,
            strangers: run.path.strangers,
            window_limited_us: last.map_or(0, |i| i.window_limited_us),
            buffer_limited_us: last.map_or(0, |i| i.buffer_limited_us),
            real_time: run.prompt,
        }
    }

    /// Why the run says nothing about the kernel's TCP; `None` when it does.
    pub(crate) fn fault(&self) -> Option<String> {
        let faults = [
            (self.hidden_drops > 0, "packets were lost at a device"),
            (self.oversized > 0, "packets were larger than the MTU"),
            (
                self.late_p99_us > 2000.0,
                "one delivery in a hundred was more than 2 ms late",
            ),
            (
                self.window_limited_us > 0,
                "the receiver's window was the limit",
            ),
            (self.samples == 0, "there are no samples"),
        ];
        let named: Vec<_> = faults
            .iter()
            .filter(|(bad, _)| *bad)
            .map(|(_, why)| *why)
            .collect();
        (!named.is_empty()).then(|| named.join("; "))
    }
}

/// Compares one run of the model with the first of the kernel's, and that with the second.
pub(crate) fn compare(case: &Case, kernel: &[KernelRun], model: &ModelRun) -> Comparison {
    let run = &kernel[0];
    let curve = run.cwnd();
    let scripted = case.lose.is_some();
    let cut = |exact: Option<f64>, curve: &Curve| {
        if scripted { exact } else { curve.first_cut() }
    };
    let kernel_cut = cut(run.cut(), &curve);
    let model_cut = cut(model.cut, &model.cwnd);
    let end = (case.seconds as f64).min(curve.end()).min(model.cwnd.end());
    let retransmits = run.last().map_or(0, |i| u64::from(i.retransmits));
    let errors = Errors::of(case, &curve, kernel_cut, &model.cwnd, model_cut, end);
    let repeat = kernel.get(1).and_then(|second| {
        let other = second.cwnd();
        let other_cut = cut(second.cut(), &other);
        Errors::of(case, &curve, kernel_cut, &other, other_cut, end).all
    });
    Comparison {
        case: case.name.to_owned(),
        kernel: landmarks(case, &curve, &run.delivered(), kernel_cut, retransmits, end),
        model: landmarks(
            case,
            &model.cwnd,
            &model.delivered,
            model_cut,
            model.retransmits,
            end,
        ),
        nrmse_before: errors.before,
        nrmse_after: errors.after,
        nrmse_all: errors.all,
        nrmse_repeat: repeat,
        fidelity: Fidelity::of(run),
        kernel_srtt_ms: run.srtt_ms(),
        model_srtt_ms: model.srtt_ms.clone(),
        kernel_cwnd: curve,
        model_cwnd: model.cwnd.clone(),
    }
}

struct Errors {
    before: Option<f64>,
    after: Option<f64>,
    all: Option<f64>,
}

impl Errors {
    fn of(
        case: &Case,
        kernel: &Curve,
        kernel_cut: Option<f64>,
        other: &Curve,
        other_cut: Option<f64>,
        end: f64,
    ) -> Errors {
        // Both know their first round-trip time one after the SYN.
        let from = base_rtt(case) + 0.02;
        let (Some(kernel_cut), Some(other_cut)) = (kernel_cut, other_cut) else {
            let all = nrmse(kernel, other, from, end, 0.0);
            return Errors {
                before: all,
                after: None,
                all,
            };
        };
        let shift = other_cut - kernel_cut;
        let end = end - shift.max(0.0);
        Errors {
            before: nrmse(kernel, other, from, kernel_cut - 0.02, 0.0),
            after: nrmse(kernel, other, kernel_cut + settle(case), end, shift),
            all: nrmse(kernel, other, (from - shift).max(from), end, shift),
        }
    }
}

fn base_rtt(case: &Case) -> f64 {
    2.0 * case.delay().as_secs_f64()
}

/// A recovery from one loss is over by then, the queue at its fullest included.
fn settle(case: &Case) -> f64 {
    3.0 * base_rtt(case)
}

fn landmarks(
    case: &Case,
    cwnd: &Curve,
    delivered: &Curve,
    cut: Option<f64>,
    retransmits: u64,
    end: f64,
) -> Landmarks {
    let before = cut.map(|t| cwnd.peak_before(t, base_rtt(case)));
    let after = cut.map(|t| {
        let near = cwnd.t.iter().zip(&cwnd.v);
        let span = t..=t + settle(case);
        near.filter(|(x, _)| span.contains(*x))
            .map(|(_, v)| *v)
            .fold(f64::INFINITY, f64::min)
    });
    Landmarks {
        cut_s: cut,
        before,
        after,
        epoch_s: cut
            .zip(before)
            .and_then(|(t, level)| cwnd.regained(t, level)),
        last: cwnd.at(end),
        goodput_bps: delivered.at(end) * 8.0 / end,
        retransmits,
    }
}
