//! The figures of a comparison: the kernel's curve against the simulator's, and against itself.

use serde::Serialize;

use crate::case::Case;
use crate::curve::{Curve, Distance};
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
    /// Segments once the recovery was over: the smallest value in the three round trips after the cut.
    pub(crate) after: Option<f64>,
    /// The kernel's window before its cut.
    pub(crate) level: Option<f64>,
    /// From the cut until the window is `level`; where there are several cuts, the mean time between them.
    pub(crate) epoch_s: Option<f64>,
    /// Segments at the end.
    pub(crate) last: f64,
    /// Bits a second delivered to the application, from the SYN to the end.
    pub(crate) goodput_bps: f64,
    pub(crate) retransmits: u64,
}

/// What one flavour of the model gave, and its distance from the kernel.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Beside {
    pub(crate) flavour: &'static str,
    pub(crate) landmarks: Landmarks,
    pub(crate) errors: Errors,
    pub(crate) cwnd: Curve,
    pub(crate) srtt_ms: Curve,
}

/// The kernel, and each flavour of the model beside it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) case: String,
    pub(crate) kernel: Landmarks,
    pub(crate) models: Vec<Beside>,
    /// Two runs of the kernel.
    pub(crate) repeat: Option<Errors>,
    pub(crate) fidelity: Fidelity,
    pub(crate) cwnd: Curve,
    pub(crate) srtt_ms: Curve,
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

/// Compares the first run of the kernel with each of the model's, and with the kernel's second.
pub(crate) fn compare(case: &Case, kernel: &[KernelRun], models: Vec<ModelRun>) -> Comparison {
    let run = &kernel[0];
    let curve = run.cwnd();
    let cuts = cuts_of(case, &curve, run.cut());
    let end = (case.seconds as f64).min(curve.end());
    let level = cuts.first().map(|t| curve.peak_before(*t, base_rtt(case)));
    let retransmits = run.last().map_or(0, |i| u64::from(i.retransmits));
    let delivered = run.delivered();
    let repeat = kernel.get(1).map(|second| {
        let other = second.cwnd();
        let other_cuts = cuts_of(case, &other, second.cut());
        Errors::of(case, (&curve, &cuts), (&other, &other_cuts), end)
    });
    let models = models.into_iter().map(|model| {
        let model_cuts = cuts_of(case, &model.cwnd, model.cut);
        let end = end.min(model.cwnd.end());
        Beside {
            flavour: model.flavour,
            landmarks: Landmarks {
                retransmits: model.retransmits,
                ..landmarks(case, &model.cwnd, &model.delivered, &model_cuts, level, end)
            },
            errors: Errors::of(case, (&curve, &cuts), (&model.cwnd, &model_cuts), end),
            cwnd: model.cwnd,
            srtt_ms: model.srtt_ms,
        }
    });
    Comparison {
        case: case.name.to_owned(),
        kernel: Landmarks {
            retransmits,
            ..landmarks(case, &curve, &delivered, &cuts, level, end)
        },
        models: models.collect(),
        repeat,
        fidelity: Fidelity::of(run),
        srtt_ms: run.srtt_ms(),
        cwnd: curve,
    }
}

/// When the window was cut: `exact`, where it is known when the one lost segment was repaired.
fn cuts_of(case: &Case, curve: &Curve, exact: Option<f64>) -> Vec<f64> {
    exact.map_or_else(|| curve.cuts(10.0 * base_rtt(case)), |t| vec![t])
}

/// How far a curve lies from the kernel's: root mean square over the kernel's mean.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Errors {
    /// From the first round-trip time to the first cut, as it happened.
    pub(crate) before: Option<f64>,
    /// From three round trips after each cut to the next, aligned at it.
    pub(crate) after: Option<f64>,
    /// Everything, aligned at the first cut.
    pub(crate) all: Option<f64>,
}

impl Errors {
    fn of(case: &Case, kernel: (&Curve, &[f64]), other: (&Curve, &[f64]), end: f64) -> Errors {
        let ((kernel, kernel_cuts), (other, other_cuts)) = (kernel, other);
        // Both know their first round-trip time one after the SYN.
        let from = base_rtt(case) + 0.02;
        let span = |from, to, shift| {
            let mut distance = Distance::default();
            distance.add(kernel, other, from, to, shift);
            distance.nrmse()
        };
        let (Some(first), Some(other_first)) = (kernel_cuts.first(), other_cuts.first()) else {
            let all = span(from, end, 0.0);
            return Errors {
                before: all,
                after: None,
                all,
            };
        };
        let shift = other_first - first;
        let mut after = Distance::default();
        for (n, (one, two)) in kernel_cuts.iter().zip(other_cuts).enumerate() {
            let next = |cuts: &[f64], cut: f64| cuts.get(n + 1).copied().unwrap_or(end) - cut;
            let length = next(kernel_cuts, *one).min(next(other_cuts, *two));
            after.add(kernel, other, one + settle(case), one + length, two - one);
        }
        Errors {
            before: span(from, first.min(*other_first) - 0.02, 0.0),
            after: after.nrmse(),
            all: span((from - shift).max(from), end - shift.max(0.0), shift),
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
    cuts: &[f64],
    level: Option<f64>,
    end: f64,
) -> Landmarks {
    let cut = cuts.first().copied();
    let between = cuts.last().zip(cut).filter(|_| cuts.len() > 1);
    let between = between.map(|(last, first)| (last - first) / (cuts.len() - 1) as f64);
    let after = cut.map(|t| {
        let near = cwnd.t.iter().zip(&cwnd.v);
        let span = t..=t + settle(case);
        near.filter(|(x, _)| span.contains(*x))
            .map(|(_, v)| *v)
            .fold(f64::INFINITY, f64::min)
    });
    Landmarks {
        cut_s: cut,
        before: cut.map(|t| cwnd.peak_before(t, base_rtt(case))),
        after,
        level,
        epoch_s: between.or_else(|| cwnd.regained(cut?, level?)),
        last: cwnd.at(end),
        goodput_bps: delivered.at(end) * 8.0 / end,
        retransmits: 0,
    }
}
