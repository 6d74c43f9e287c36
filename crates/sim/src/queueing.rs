//! From a scenario's classes to the queues of a port, and back from their counters to results.

use farpath_element::Port;
use farpath_element::qdisc::{ClassesConfig, Classifier, Limit, Place, QueueConfig, Rounds};
use farpath_record::QueueRecord;
use farpath_scenario::plan::Plan;
use farpath_scenario::{ClassLimit, Match, Queueing, Scenario, Scheduler, Sharing, Way};
use farpath_units::Duration;
use farpath_wire::FlowDir;

/// The queues of port `number`, if its direction has classes.
pub(crate) fn queues(
    scenario: &Scenario,
    plan: &Plan,
    number: usize,
    longest_rtt: Duration,
) -> Option<ClassesConfig> {
    let port = &plan.ports[number];
    let link = &scenario.links[port.link.0];
    let direction = &link.directions[usize::from(port.way == Way::Reverse)];
    let queueing = direction.queueing.as_ref()?;
    let weights = || queueing.classes.iter().filter_map(weight);
    let least = weights().min().unwrap_or(1).max(1);
    // The least share holds the largest frame, so that every round serves every queue.
    let whole = link.framing.queue_bytes(direction.mtu).div_ceil(least);
    let (rounds, unit) = match queueing.scheduler {
        Scheduler::Wrr { unit, carry } => (Rounds::Wrr { carry }, unit.max(whole)),
        Scheduler::Drr | Scheduler::Strict => (Rounds::Drr, whole),
    };
    let memory = queueing.memory.map_or(u64::MAX, |m| m.as_bytes());
    let queue = |class: &farpath_scenario::Class| QueueConfig {
        quantum: weight(class).map(|w| w.saturating_mul(unit)),
        limit: match class.limit {
            ClassLimit::Own(own) => Scenario::queue_limit(own, port.rate, longest_rtt),
            ClassLimit::Memory => Limit::Bytes(memory),
            ClassLimit::MemoryShare(share) => Limit::Bytes((memory as f64 * share.get()) as u64),
        },
    };
    Some(ClassesConfig {
        classifier: classifier(scenario, plan, queueing),
        rounds,
        queues: queueing.classes.iter().map(queue).collect(),
        memory,
    })
}

fn weight(class: &farpath_scenario::Class) -> Option<u32> {
    match class.sharing {
        Sharing::Weight(weight) => Some(weight),
        Sharing::Priority => None,
    }
}

fn classifier(scenario: &Scenario, plan: &Plan, queueing: &Queueing) -> Classifier {
    let classes = || (0..).zip(&queueing.classes);
    let at = |queue: u8| Place { queue, level: 0 };
    let rest = classes().find(|(_, c)| c.matches.is_empty());
    let mut classifier = Classifier::new(at(rest.map_or(0, |(n, _)| n)));
    let matches = || classes().flat_map(|(n, c)| c.matches.iter().map(move |m| (at(n), m)));
    // A label's traffic class is a copy of the precedence unless a class says otherwise.
    for (place, what) in matches() {
        match what {
            Match::Dscp(dscp) if dscp % 8 == 0 => classifier.set_exp(dscp >> 3, place),
            _ => {}
        }
    }
    for (place, what) in matches() {
        match what {
            Match::Dscp(dscp) => classifier.set_dscp(*dscp, place),
            Match::Exp(exp) => classifier.set_exp(*exp, place),
            Match::Protocol(p) => classifier.set_transport(p.transport(), place),
            Match::Test(name) => {
                let of_test =
                    |f: &farpath_scenario::plan::Flow| scenario.tests[f.test].name == *name;
                for (flow, _) in plan.flows.iter().enumerate().filter(|(_, f)| of_test(f)) {
                    let dir = FlowDir::forward(flow as u16);
                    classifier.set_flow(dir.index(), place);
                    classifier.set_flow(dir.turned().index(), place);
                }
            }
        }
    }
    classifier
}

/// What the queues of a port did, in the order of its classes.
pub(crate) fn records(queueing: Option<&Queueing>, port: &Port) -> Vec<QueueRecord> {
    let classes = queueing.map_or(&[][..], |q| &q.classes);
    let record = |(class, (counter, waiting)): (
        &farpath_scenario::Class,
        (&farpath_element::qdisc::QueueCounter, u64),
    )| QueueRecord {
        class: class.name.clone(),
        offered: counter.offered,
        frames: counter.frames,
        bytes: counter.bytes,
        drops: [("tail", counter.tail), ("red", counter.early)]
            .into_iter()
            .map(|(reason, n)| (reason.to_owned(), n))
            .collect(),
        marked: counter.marked,
        waiting,
        queue_max_bytes: counter.most_bytes,
        delay_max_ns: counter.longest_wait.as_ps() as f64 / 1e3,
        delay_mean_ns: counter.waited_ps as f64 / 1e3 / (counter.frames.max(1)) as f64,
    };
    classes.iter().zip(port.queues()).map(record).collect()
}
