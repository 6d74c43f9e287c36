//! Losses of single packets beside those of all frames in the queues that they cross, where they lose a far larger share.

use std::collections::BTreeMap;

use farpath_record::{LinkRecord, Point, RunDocument};
use farpath_scenario::plan::{Hop, Plan};
use farpath_scenario::{Scenario, TestKind};
use farpath_wire::FlowDir;

/// Shares less apart than this need no word.
const APART: f64 = 0.1;

/// More than so many standard deviations of a drawn sample are not scatter.
const SCATTER: f64 = 5.0;

/// Why frames are dropped of which a queue has too many.
const BY_QUEUES: [&str; 2] = ["tail", "red"];

/// The directions of links that a test's packets cross, and its answers where it has some.
type Ways = Vec<(String, String)>;

/// Notes on tests of single packets that lose a far larger share than queues drop of all frames. `swept` is what runs at each point.
pub(crate) fn say<'a>(
    document: &mut RunDocument,
    swept: impl Iterator<Item = (&'a Point, &'a Scenario, &'a Plan)>,
) {
    let RunDocument { records, links, .. } = document;
    let mut counted: BTreeMap<_, Vec<&LinkRecord>> = BTreeMap::new();
    for link in links.iter() {
        let run = (link.origin, link.repeat, &link.point);
        counted.entry(run).or_default().push(link);
    }
    let mut ways: BTreeMap<(&str, &Point), Ways> = BTreeMap::new();
    for (point, scenario, plan) in swept {
        let all = crossed(scenario, plan);
        ways.extend(all.map(|(test, ways)| ((test, point), ways)));
    }
    for record in records {
        let Some(ways) = ways.get(&(record.test.as_str(), &record.point)) else {
            continue;
        };
        let links = counted.get(&(record.origin, record.repeat, &record.point));
        let dropped = links.and_then(|links| dropped(links, ways));
        let metric = |name: &str| record.metrics.get(name).copied();
        let both = metric("loss_ratio").zip(metric("sent"));
        if let (Some(dropped), Some((lost, sent))) = (dropped, both) {
            record.notes.extend(words(lost, dropped, sent));
        }
    }
}

/// Each test of single packets, and what they cross.
fn crossed<'a>(
    scenario: &'a Scenario,
    plan: &'a Plan,
) -> impl Iterator<Item = (&'a str, Ways)> + 'a {
    let tests = scenario.tests.iter().enumerate();
    tests.filter_map(move |(number, test)| {
        let answered = match test.kind {
            TestKind::Ping(_) => true,
            TestKind::OneWay(_) => false,
            _ => return None,
        };
        let flow = plan.flows.iter().position(|f| f.test == number)?;
        let there = FlowDir::forward(flow as u16);
        let mut hops = plan.walk(scenario, there);
        if answered {
            hops.extend(plan.walk(scenario, there.turned()));
        }
        let named = |hop: &Hop| {
            let port = &plan.ports[hop.port];
            let link = scenario.links[port.link.0].name.clone();
            (link, scenario.direction_name(port.link, port.way))
        };
        let ways: Ways = hops.iter().map(named).collect();
        Some((test.name.as_str(), ways))
    })
}

/// The share of all frames that is dropped on these ways, by queues alone; `None` where something else drops some, or classes have
/// queues of their own.
fn dropped(links: &[&LinkRecord], ways: &[(String, String)]) -> Option<f64> {
    let mut arrives = 1.0;
    for (link, direction) in ways {
        let found = links
            .iter()
            .find(|l| l.link == *link && l.direction == *direction)?;
        let by_queues = |reason: &String| BY_QUEUES.contains(&reason.as_str());
        let others = found.drops.iter().filter(|(reason, _)| !by_queues(reason));
        if !found.queues.is_empty() || others.map(|(_, n)| n).sum::<u64>() > 0 {
            return None;
        }
        let dropped: u64 = found.drops.values().sum();
        arrives *= 1.0 - dropped as f64 / found.offered?.max(1) as f64;
    }
    Some(1.0 - arrives)
}

/// What is said of a loss of so many packets where queues drop that share of all frames.
fn words(lost: f64, dropped: f64, sent: f64) -> Option<String> {
    let scatter = (dropped * (1.0 - dropped) / sent.max(1.0)).sqrt();
    (dropped > 0.0 && lost - dropped > APART.max(SCATTER * scatter)).then(|| {
        format!(
            "{:.1} % of the packets were lost, and queues on the way dropped {:.1} % of all frames of the run: a few packets come in their own \
             part of it and at their own moments, as an answer right behind an acknowledgement that has just filled a queue",
            100.0 * lost,
            100.0 * dropped
        )
    })
}

#[cfg(test)]
mod tests {
    use farpath_record::{Origin, Record};
    use farpath_scenario::{Source, parse};

    use super::*;

    fn link(direction: &str, drops: &[(&str, u64)]) -> LinkRecord {
        LinkRecord {
            offered: Some(1000),
            drops: drops.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect(),
            ..LinkRecord::new(Origin::Simulated, "l", direction)
        }
    }

    /// The notes of a test of 200 packets of which this share was lost, over a link whose way back dropped so many of 1000 frames.
    fn notes(kind: &str, lost: f64, drops: &[(&str, u64)]) -> Vec<String> {
        let text = format!(
            "[scenario]\nname = \"s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\n\
             rate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n[[test]]\nname = \"p\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n"
        );
        let name = "s.toml".to_owned();
        let scenario = parse(&Source { name, text }, &[]).expect("a scenario");
        let plan = Plan::new(&scenario).expect("a plan");
        let mut document = RunDocument::new("s", 1, String::new());
        let mut record = Record::new(Origin::Simulated, "p", kind, "a", "b");
        record.set("sent", 200.0);
        record.set("loss_ratio", lost);
        document.records = vec![record];
        document.links = vec![link("a>b", &[("tail", 0)]), link("b>a", drops)];
        let point = Point::new();
        say(&mut document, [(&point, &scenario, &plan)].into_iter());
        document.records[0].notes.clone()
    }

    #[test]
    fn a_probe_that_loses_far_more_than_other_frames_says_so() {
        let said = notes("ping", 0.96, &[("tail", 250)]);
        let words =
            "96.0 % of the packets were lost, and queues on the way dropped 25.0 % of all frames";
        assert!(said[0].starts_with(words), "{said:?}");
        for (kind, lost, drops) in [
            // Scatter of a fair sample, and fewer than others.
            ("ping", 0.33, [("tail", 250)]),
            ("ping", 0.0, [("tail", 250)]),
            // No queue dropped it.
            ("ping", 0.96, [("tail", 0)]),
            ("ping", 0.96, [("error", 250)]),
            // The way back is not its own.
            ("oneway", 0.96, [("tail", 250)]),
        ] {
            let said = notes(kind, lost, &drops);
            assert!(said.is_empty(), "{kind} {lost} {drops:?}: {said:?}");
        }
    }
}
