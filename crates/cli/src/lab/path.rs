//! Where a command of `lab run` runs: two hosts of a scenario, and a ping of the lab's own between them.

use std::net::SocketAddr;

use farpath_experiment::open;
use farpath_record::count_of;
use farpath_scenario::plan::{Plan, PlanError, node_at};
use farpath_scenario::{Change, NodeId, Periodic, Scenario, Test};
use farpath_units::{Duration, Rate};
use farpath_wire::FlowDir;

use super::one_path;
use crate::args::LabRunArgs;
use crate::exit::{Failure, note};
use crate::run::sets;

/// The lab's own test, which measures the path while the command runs. No test of a scenario has a tilde in its name.
const PING: &str = "ping~";

/// How often it sends.
const EVERY: Duration = Duration::from_ms(500);

/// A scenario, the hosts that matter, and what lies between them.
pub(super) struct Path {
    /// With the lab's own ping behind its tests.
    pub(super) scenario: Scenario,
    /// The host the command runs on, and the server's, by number.
    pub(super) hosts: [usize; 2],
}

impl Path {
    /// What the arguments ask for.
    pub(super) fn of(args: &LabRunArgs) -> Result<Path, Failure> {
        let scenario = match &args.scenario {
            Some(name) => open(name, &sets(&args.sets)?)?.scenario,
            None => one_path::scenario(&args.path, sets(&args.sets)?)?,
        };
        let hosts = hosts(&scenario, args)?;
        let mut path = Path { scenario, hosts };
        path.scenario.tests.push(ping(hosts));
        if let Err(PlanError::NoRoute { test, .. }) = Plan::new(&path.scenario)
            && test == PING
        {
            let [a, b] = hosts.map(|h| path.scenario.hosts[h].name.as_str());
            let title = format!("there is no path between `{a}` and `{b}`");
            return Err(Failure::usage(title).hint("--on and --server-on choose other hosts"));
        }
        Ok(path)
    }

    /// Says what of a scenario's file does nothing here: one command runs, and nothing is judged but that.
    pub(super) fn say_unjudged(&self, file: &str) {
        let counted = |count: usize, [one, many]: [&str; 2]| {
            (count > 0).then(|| count_of(count as u64, one, many))
        };
        let scenario = &self.scenario;
        let tests = counted(self.ping(), ["test", "tests"]);
        let expects = counted(scenario.expects.len(), ["expectation", "expectations"]);
        let is_or_are = |count: usize| if count == 1 { "is" } else { "are" };
        let parts = [
            expects.map(|n| {
                format!(
                    "{n} of {file} {} not judged",
                    is_or_are(scenario.expects.len())
                )
            }),
            tests.map(|n| format!("{n} of {file} {} not run", is_or_are(self.ping()))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            note(&format!(
                "{}: `lab run` runs its command alone; `farpath run {file} --emulate` runs the tests and judges them",
                parts.join(", and ")
            ));
        }
    }

    /// Whether a link of the scenario may go down while the command runs.
    pub(super) fn goes_down(&self) -> bool {
        let mut events = self.scenario.events.iter();
        let mut ways = self.scenario.links.iter().flat_map(|l| &l.directions);
        events.any(|event| event.change == Change::Up(false))
            || ways.any(|way| way.impairments.flap.is_some())
    }

    /// The name of the command's host, by 0, or of the server's.
    pub(super) fn name(&self, host: usize) -> &str {
        &self.scenario.hosts[self.hosts[host]].name
    }

    /// The name of the host that has this end, where it is neither the command's nor the server's.
    pub(super) fn other_name(&self, end: &SocketAddr) -> Option<String> {
        let NodeId(node) = node_at(end.ip())?;
        let host = self.scenario.hosts.get(node);
        let host = host.filter(|_| !self.hosts.contains(&node))?;
        Some(host.name.clone())
    }

    /// The number of the lab's own ping among the tests: the last.
    pub(super) fn ping(&self) -> usize {
        self.scenario.tests.len() - 1
    }

    /// What the path holds of what each of the two hosts sends, in bytes.
    pub(super) fn holds(&self) -> Result<[u64; 2], Failure> {
        let plan = Plan::new(&self.scenario).map_err(Failure::environment)?;
        let walks = self.ways(&plan).map(|dir| plan.walk(&self.scenario, dir));
        let rtt = self.round_trip(&plan);
        Ok(walks.map(|walk| {
            let rates = walk.iter().map(|hop| plan.ports[hop.port].rate);
            rates
                .min()
                .map_or(0, |rate: Rate| rate.bytes_in(rtt).as_bytes())
        }))
    }

    /// The round trip between the two hosts, without queues and what impairments add.
    pub(super) fn round_trip(&self, plan: &Plan) -> Duration {
        let walks = self.ways(plan).map(|dir| plan.walk(&self.scenario, dir));
        walks.iter().fold(Duration::ZERO, |sum, walk| {
            sum + plan.propagation(&self.scenario, walk)
        })
    }

    /// The way of what each of the two hosts sends to the other: that of the lab's own ping and of its answers.
    pub(super) fn ways(&self, plan: &Plan) -> [FlowDir; 2] {
        let own = self.ping();
        let flow = plan.flows.iter().position(|f| f.test == own);
        let flow = u16::try_from(flow.unwrap_or_default()).unwrap_or_default();
        let there = FlowDir::forward(flow);
        [there, there.turned()]
    }
}

fn ping(ends: [usize; 2]) -> Test {
    let every = Periodic {
        count: 1_000_000,
        size: 84,
        interval: EVERY,
        ttl: 64,
        timeout: Duration::from_secs(5),
    };
    Test::ping(PING, ends.map(NodeId), every)
}

/// The two hosts: those that are named, else the ends of the first test between hosts, else the first ones.
fn hosts(scenario: &Scenario, args: &LabRunArgs) -> Result<[usize; 2], Failure> {
    let count = scenario.hosts.len();
    let named = |option: &str, name: &Option<String>| match name {
        None => Ok(None),
        Some(name) => {
            let found = scenario.hosts.iter().position(|h| h.name == *name);
            found.map(Some).ok_or_else(|| {
                let known: Vec<&str> = scenario.hosts.iter().map(|h| h.name.as_str()).collect();
                Failure::usage(format!("{option} {name}: the scenario has no such host"))
                    .hint(format!("its hosts are: {}", known.join(", ")))
            })
        }
    };
    if count < 2 {
        let title = format!("`{}` has fewer than two hosts", scenario.name);
        return Err(Failure::usage(title).hint("a command needs another host to talk to"));
    }
    let ends = scenario.tests.iter().map(|t| [t.from.0, t.to.0]);
    let ends = ends.into_iter().find(|e| e.iter().all(|n| *n < count));
    let [first, second] = ends.unwrap_or([0, 1]);
    let client = named("--on", &args.on)?;
    let server = named("--server-on", &args.server_on)?;
    let client = client.unwrap_or(if server == Some(first) { second } else { first });
    let server = server.unwrap_or(if client == second { first } else { second });
    if client == server {
        let name = &scenario.hosts[client].name;
        let title = format!("`{name}` is to run both the command and the server");
        return Err(Failure::usage(title).hint("--on and --server-on name two hosts"));
    }
    Ok([client, server])
}
