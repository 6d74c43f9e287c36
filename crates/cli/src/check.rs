//! `farpath check`: read a scenario, build it, and show the way its tests take.

use std::io::IsTerminal;

use farpath_config::render;
use farpath_scenario::plan::Plan;
use farpath_wire::FlowDir;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure, print};
use crate::page;
use crate::run::{open, sets};

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let loaded = open(&args.scenario, &sets(&args.sets)?)?;
    let scenario = &loaded.scenario;
    let plan =
        Plan::new(scenario).map_err(|e| Failure::usage(format!("{}: {e}", loaded.source.name)))?;
    let mut shown = format!(
        "{}: ok\n  {} hosts, {} routers, {} links, {} LSPs, {} cross-connects, {} tests, {} expectations\n",
        loaded.source.name,
        scenario.hosts.len(),
        scenario.routers.len(),
        scenario.links.len(),
        scenario.lsps.len(),
        scenario.cccs.len(),
        scenario.tests.len(),
        scenario.expects.len()
    );
    for (number, test) in scenario.tests.iter().enumerate() {
        let Some(flow) = plan.flows.iter().position(|f| f.test == number) else {
            continue;
        };
        let dir = FlowDir::forward(flow as u16);
        let (there, back) = (plan.walk(scenario, dir), plan.walk(scenario, dir.turned()));
        let rtt = plan.propagation(scenario, &there) + plan.propagation(scenario, &back);
        shown.push_str(&format!(
            "\n  {} ({}): {} to {}, {rtt} of propagation there and back\n    there  {}\n    back   {}\n",
            test.name,
            test.kind.name(),
            scenario.node_name(plan.flows[flow].source),
            scenario.node_name(plan.flows[flow].sink),
            page::describe(scenario, &plan, dir),
            page::describe(scenario, &plan, dir.turned()),
        ));
    }
    for bundle in &scenario.bundles {
        shown.push_str(&page::bundle(scenario, &plan, bundle));
    }
    if let Some(configuration) = &scenario.configuration {
        let colour = std::io::stdout().is_terminal();
        let (report, sources) = (&configuration.report, &configuration.sources);
        shown.push_str("\nthe routers' configurations\n\n");
        shown.push_str(&render::text(report, sources, colour));
    }
    print(&shown)?;
    Ok(Exit::Ok)
}
