//! Two processes of this machine that run a scenario's test.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::Command;
use std::time::Duration;

use farpath_probe::job::{Jobs, Work};
use farpath_probe::peer::{Peer, Process};
use farpath_probe::{Conductor, Hosts, Planned, Report, Results, plan_jobs, records};
use farpath_record::{Origin, Record};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Scenario, Source, parse};

/// Longer than any of these tests takes: a process that says nothing for so long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A host's program.
pub(crate) const HOST: &str = env!("CARGO_BIN_EXE_farpath-probe-host");

/// A test that has been run.
pub(crate) struct Run {
    planned: Planned,
    results: Results,
    records: Vec<Record>,
}

/// A scenario of two hosts and one test from one to the other; `host` is more about the first.
pub(crate) fn scenario(host: &str, test: &str) -> Scenario {
    let text = format!(
        "[scenario]\nname = \"loopback\"\n[[host]]\nname = \"a\"\n{host}[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"10 Gbit/s\"\ndelay = \"1 ms\"\n\
         [[test]]\nname = \"t\"\nfrom = \"a\"\nto = \"b\"\n{test}"
    );
    let name = "test.toml".to_owned();
    parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"))
}

impl Run {
    /// Runs a test; `number` is nobody else's, so that their ports are not either.
    pub(crate) fn of(number: u8, test: &str) -> Run {
        Run::with(number, &scenario("", test), |_| {})
    }

    /// The same of a whole scenario; `then` is done once it has begun.
    pub(crate) fn with(number: u8, scenario: &Scenario, then: fn(&mut Conductor)) -> Run {
        Run::through(number, scenario, then, |_| Command::new(HOST))
    }

    /// The same with other commands for the hosts' programs.
    pub(crate) fn through(
        number: u8,
        scenario: &Scenario,
        then: fn(&mut Conductor),
        command: impl Fn(&str) -> Command,
    ) -> Run {
        let plan = Plan::new(scenario).expect("a plan");
        let address = |node: NodeId, version: u8| -> IpAddr {
            match version {
                6 => Ipv6Addr::LOCALHOST.into(),
                _ => Ipv4Addr::new(127, 31, number, node.0 as u8 + 1).into(),
            }
        };
        let planned = plan_jobs(scenario, &plan, 1, &Hosts::at(&address));
        assert_eq!(planned.skipped, BTreeMap::new());
        let peer = |name: &str| -> io::Result<Box<dyn Peer>> {
            Ok(Box::new(Process::start(command(name))?))
        };
        let results = conduct(&planned.jobs, peer, then);
        let both = (&planned, &results);
        let point = BTreeMap::new();
        let records = records(scenario, &plan, both, Origin::Emulated, &point, &|_| None);
        Run {
            planned,
            results,
            records,
        }
    }

    pub(crate) fn record(&self) -> &Record {
        let [record] = &self.records[..] else {
            panic!("one test has one record: {:?}", self.records);
        };
        assert_eq!(record.origin, Origin::Emulated);
        record
    }

    pub(crate) fn results(&self) -> &Results {
        &self.results
    }

    /// Whether the end that wrote is the one that listened.
    pub(crate) fn listening_source(&self) -> Option<bool> {
        self.planned.jobs.hosts()["b"]
            .tasks()
            .iter()
            .find_map(|task| match &task.work {
                Work::TcpSend(_) => Some(self.results.reports[&task.flow].iter().any(is_source)),
                _ => None,
            })
    }

    /// Datagrams due before the end.
    pub(crate) fn expected_datagrams(&self) -> u64 {
        let tasks = self.planned.jobs.hosts()["b"].tasks().iter();
        let mut expected = tasks.filter_map(|task| match &task.work {
            Work::UdpReceive(work) => Some(work.expected),
            _ => None,
        });
        expected.next().expect("a receiving end")
    }
}

fn is_source(report: &Report) -> bool {
    matches!(report, Report::TcpSend(_))
}

/// Has jobs done to their end.
pub(crate) fn conduct(
    jobs: &Jobs,
    peer: impl FnMut(&str) -> io::Result<Box<dyn Peer>>,
    then: fn(&mut Conductor),
) -> Results {
    let prepared = Conductor::prepare(jobs, peer, PATIENCE);
    let mut conductor = prepared.expect("two programs");
    conductor
        .start(farpath_probe::monotonic_ns() + conductor.lead().as_ns())
        .expect("they listen");
    then(&mut conductor);
    assert!(conductor.listen(PATIENCE), "a process hangs");
    conductor.finish()
}

/// A metric that is there.
pub(crate) fn metric(record: &Record, name: &str) -> f64 {
    let found = record.metrics.get(name).copied();
    found.unwrap_or_else(|| panic!("no {name}: {:?} {:?}", record.metrics, record.notes))
}
