//! Congestion controls that an emulated test wants and the kernel does not have: registered for the run.

use std::collections::BTreeMap;

use farpath_emu::bpf::{self, Place, Registered, Source};
use farpath_probe::Planned;
use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;

use crate::exit::{Failure, note};

/// Registers what `planned` needs and tells its jobs the names. The kernel forgets them when the result is
/// dropped.
pub(crate) fn provide(
    scenario: &Scenario,
    plan: &Plan,
    planned: &mut Planned,
) -> Result<Vec<Registered>, Failure> {
    let available = bpf::available().map_err(|e| Failure::environment(e.to_string()))?;
    let mut registered: BTreeMap<&str, Registered> = BTreeMap::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        let test = &scenario.tests[flow.test];
        let Some(tcp) = test.kind.tcp() else { continue };
        let (algorithm, flavour) = (tcp.cc.algorithm, tcp.cc.flavour);
        if available.iter().any(|a| a == algorithm.name()) {
            continue;
        }
        let Some(name) = bpf::name(algorithm, flavour) else {
            return Err(Failure::environment(format!(
                "test `{}`: this kernel has no congestion control `{}`, and there is no BPF program for it",
                test.name,
                algorithm.name()
            ))
            .hint(format!("it has: {}", available.join(", "))));
        };
        if !registered.contains_key(name) {
            let source = Source::Ours(algorithm, flavour);
            let ours = bpf::register(&Place::default(), source)
                .map_err(|e| Failure::environment(format!("test `{}`: {e}", test.name)))?;
            note(&format!(
                "`{}` is the BPF program {name} for this run",
                algorithm.name()
            ));
            registered.insert(name, ours);
        }
        planned.set_algorithm(number, name);
    }
    Ok(registered.into_values().collect())
}
