//! Causes of loss on a direction of a link, from the scenario's keys.

use std::sync::Arc;

use farpath_element::impair::{GilbertElliott, Loss, LossSpec};
use farpath_scenario::{Loss as LossModel, Scenario};
use farpath_units::Time;
use farpath_wire::FlowDir;

use crate::wan::Wan;

impl Wan {
    /// Causes of loss at work. Each has its own luck, keyed by what it is and, when an event put it
    /// there, by when: neither another cause beside it nor another event before it changes it.
    pub fn losses(
        &self,
        scenario: &Scenario,
        port: usize,
        models: &[LossModel],
        since: Option<Time>,
    ) -> Vec<Loss> {
        let key = self.port_key(scenario, port).with("loss");
        let key = since.map_or(key, |at| key.with("event").with_number(at.as_ps()));
        let at_work = |model: &LossModel| {
            // A scripted loss names a flow that may not be part of this run (`--only`).
            let spec = self.loss_spec(scenario, model)?;
            let loss = Loss::new(spec, key.with(purpose(model)));
            Some(loss.with_flow_names(Arc::clone(&self.flow_names)))
        };
        // Wrong bits on a link of cells are the circuits' affair.
        let framing = scenario.links[self.plan.ports[port].link.0].framing;
        let frames = models
            .iter()
            .filter(|m| !(framing.is_atm() && matches!(m, LossModel::BitError(_))));
        frames.filter_map(at_work).collect()
    }

    fn loss_spec(&self, scenario: &Scenario, model: &LossModel) -> Option<LossSpec> {
        Some(match model {
            LossModel::EveryNth(n) => LossSpec::EveryNth(*n),
            LossModel::Bernoulli(p) => LossSpec::Bernoulli(p.get()),
            LossModel::BitError(ber) => LossSpec::BitError(*ber),
            LossModel::GilbertElliott {
                p,
                r,
                loss_good,
                loss_bad,
            } => LossSpec::GilbertElliott(GilbertElliott {
                p: p.get(),
                r: r.get(),
                loss_good: loss_good.get(),
                loss_bad: loss_bad.get(),
            }),
            LossModel::Scripted {
                test,
                stream,
                segment,
            } => {
                let hit = |f: &farpath_scenario::plan::Flow| {
                    scenario.tests[f.test].name == *test && f.stream == *stream
                };
                let number = self.plan.flows.iter().position(hit)?;
                let ordinal = segment.saturating_sub(1);
                let flow = &self.plan.flows[number];
                let (unit, header) = match scenario.tests[flow.test].kind.tcp() {
                    Some(_) => (
                        u64::from(self.plan.mss(scenario, number)),
                        flow.header_bytes,
                    ),
                    None => (1, u16::MAX),
                };
                LossSpec::Scripted {
                    flow: FlowDir::forward(number as u16),
                    seq: ordinal.saturating_mul(unit),
                    header,
                }
            }
        })
    }
}

/// What a cause of loss draws its luck for; at most one of each random kind is at work at a time.
fn purpose(model: &LossModel) -> &'static str {
    match model {
        LossModel::Scripted { .. } => "scripted",
        LossModel::EveryNth(_) => "every",
        LossModel::Bernoulli(_) => "bernoulli",
        LossModel::GilbertElliott { .. } => "gilbert-elliott",
        LossModel::BitError(_) => "bit-error",
    }
}
