//! A scenario that has been run, and questions to it.

use farpath_element::{Drop, Mode};
use farpath_record::{LinkRecord, Record, RunDocument};
use farpath_scenario::{Scenario, Set, Source, load, parse};
use farpath_sim::{Keep, Options, Outcome, WINDOW, links, records, run};
use farpath_wire::Frame;

/// A run and its results.
pub(crate) struct World {
    pub(crate) scenario: Scenario,
    pub(crate) outcome: Outcome,
    pub(crate) records: Vec<Record>,
    pub(crate) links: Vec<LinkRecord>,
    /// Frames of tapped links in order of time, with the number of their port.
    pub(crate) tapped: Vec<(usize, Frame)>,
}

/// The scenario of a text.
pub(crate) fn scenario(text: &str) -> Scenario {
    let source = Source {
        name: "test.toml".to_owned(),
        text: text.to_owned(),
    };
    parse(&source, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A shipped scenario with `--set` arguments.
pub(crate) fn shipped(name: &str, sets: &[(&str, &str)]) -> Scenario {
    let source = load(name).expect("it is shipped");
    let sets: Vec<Set> = sets.iter().map(|(k, v)| Set::new(*k, *v)).collect();
    parse(&source, &sets).unwrap_or_else(|e| panic!("{e}"))
}

/// Leaves out every test but these.
pub(crate) fn only(mut scenario: Scenario, tests: &[&str]) -> Scenario {
    scenario.tests.retain(|t| tests.contains(&t.name.as_str()));
    assert_eq!(
        scenario.tests.len(),
        tests.len(),
        "{tests:?} are not all there"
    );
    scenario
}

/// Runs a text as `farpath run` would.
pub(crate) fn run_text(text: &str) -> World {
    let scenario = scenario(text);
    run_scenario(scenario)
}

/// Runs a scenario as `farpath run` would.
pub(crate) fn run_scenario(scenario: Scenario) -> World {
    let seed = scenario.seed;
    run_in(scenario, Mode::Windowed(WINDOW), seed)
}

/// Runs a scenario in a mode, with every sum kept that a comparison may want.
pub(crate) fn run_in(scenario: Scenario, mode: Mode, seed: u64) -> World {
    let mut tapped = Vec::new();
    let outcome = run(
        &scenario,
        Options {
            mode,
            seed,
            intervals: 200,
            keep: Keep {
                sequence: 0,
                audit: true,
                taps: true,
                clocks: false,
            },
            progress: &mut |_| true,
            tap: &mut |_, _, taps| tapped.extend(taps.iter().map(|(port, t)| (*port, t.frame))),
        },
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let point = std::collections::BTreeMap::new();
    World {
        records: records(&scenario, &outcome, &point),
        links: links(&scenario, &outcome, &point),
        scenario,
        outcome,
        tapped,
    }
}

impl World {
    pub(crate) fn record(&self, test: &str) -> &Record {
        let found = self.records.iter().find(|r| r.test == test);
        found.unwrap_or_else(|| panic!("no record of {test}"))
    }

    /// A metric of a test.
    pub(crate) fn metric(&self, test: &str, name: &str) -> f64 {
        let record = self.record(test);
        let found = record.metrics.get(name).copied();
        found.unwrap_or_else(|| panic!("{test} has no {name}: {:?}", record.metrics))
    }

    pub(crate) fn limited_by(&self, test: &str) -> &str {
        self.record(test)
            .limited_by
            .as_deref()
            .unwrap_or("(nothing)")
    }

    /// One direction of a link.
    pub(crate) fn link(&self, name: &str, direction: &str) -> &LinkRecord {
        let wanted = |l: &&LinkRecord| l.link == name && l.direction == direction;
        let found = self.links.iter().find(wanted);
        found.unwrap_or_else(|| panic!("no link {name} {direction}"))
    }

    /// Frames dropped by one direction of a link for one reason.
    pub(crate) fn drops(&self, name: &str, direction: &str, reason: Drop) -> u64 {
        let drops = &self.link(name, direction).drops;
        drops.get(reason.name()).copied().unwrap_or_default()
    }

    /// The sums of every departure, drop and arrival, in order of port and node.
    pub(crate) fn digests(&self) -> Vec<u64> {
        let built = &self.outcome.built;
        let ports = (0..built.port_count()).map(|p| built.port(p).digest());
        let nodes = (0..self.scenario.node_count()).map(|n| built.station(n).digest());
        ports.chain(nodes).collect()
    }

    /// The results as `farpath run --json` prints them.
    pub(crate) fn json(&self) -> String {
        let mut document = RunDocument::new(&self.scenario.name, 1, String::new());
        document.records = self.records.clone();
        document.links = self.links.clone();
        document.to_json()
    }
}

/// Asserts that `actual` lies within `share` of `expected`.
#[track_caller]
pub(crate) fn assert_near(what: &str, actual: f64, expected: f64, share: f64) {
    let off = (actual - expected) / expected;
    assert!(
        off.abs() <= share,
        "{what}: {actual} instead of {expected} ({:+.3} %)",
        off * 100.0
    );
}

/// Asserts `min <= actual <= max`.
#[track_caller]
pub(crate) fn assert_within(what: &str, actual: f64, min: f64, max: f64) {
    assert!(
        (min..=max).contains(&actual),
        "{what}: {actual} is not in {min} to {max}"
    );
}

/// Two hosts on a wire of 1 Gbit/s and `delay` one way; `a` and `b` are more keys of each.
pub(crate) fn pair(delay: &str, a: &str, b: &str, tests: &str) -> World {
    run_text(&pair_text(delay, a, b, tests))
}

/// The scenario of such a pair.
pub(crate) fn pair_text(delay: &str, a: &str, b: &str, tests: &str) -> String {
    format!(
        r#"
[scenario]
name = "pair"
[[host]]
name = "a"
{a}
[[host]]
name = "b"
{b}
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "gbe"
delay = "{delay}"
{tests}
"#
    )
}

/// A test named `t` from `a` to `b`; `more` are its other keys.
pub(crate) fn test(kind: &str, more: &str) -> String {
    format!("[[test]]\nname = \"t\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n{more}\n")
}
