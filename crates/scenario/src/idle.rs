//! Keys that make no difference where they stand: what `farpath check` finds beyond errors.
//!
//! A key is named only where it is certain: what a search or an event may bring in counts as there, and of a sweep a key
//! must do nothing at every point, or wherever another key has certain values.

mod line;
mod links;
mod swept;
mod traffic;

use core::ops::Range;
use std::collections::BTreeSet;

use farpath_tcp::Algorithm;
use farpath_wire::FlowDir;

use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::document::{Tables, name_of};
use crate::kind::TestKind;
use crate::model::{LinkId, NodeId, Scenario, Test};
use crate::names::Names;
use crate::plan::Plan;
use traffic::Traffic;

pub(crate) use swept::{AtPoint, swept};

/// A scenario under check, and what is known of it.
struct Reader<'a> {
    tables: &'a Tables,
    scenario: &'a Scenario,
    plan: &'a Plan,
    names: Names,
    traffic: Traffic,
    /// When every test has ended, where that is known.
    end: Option<farpath_units::Duration>,
    /// Links that some test crosses, either way.
    crossed: BTreeSet<usize>,
    /// LSPs that some test travels in.
    travelled: BTreeSet<usize>,
    found: Vec<Diagnostic>,
}

/// Every key of `scenario` that makes no difference to its runs.
pub(crate) fn keys(tables: &Tables, scenario: &Scenario) -> Vec<Diagnostic> {
    // What a searched value brings in is not known here.
    if !scenario.searches.is_empty() {
        return Vec::new();
    }
    if scenario.tests.is_empty() {
        let title = "there is no [[test]], so `farpath run` has nothing to run";
        let d = Diagnostic::new(tables.scenario.span.clone(), title);
        let help = "add one, with `name`, `kind`, `from` and `to`; `farpath lab` works without";
        return vec![d.help(help)];
    }
    let Ok(plan) = Plan::new(scenario) else {
        return Vec::new();
    };
    let ends = scenario.tests.iter().map(end).collect::<Option<Vec<_>>>();
    let mut reader = Reader {
        tables,
        scenario,
        plan: &plan,
        names: Names::collect(tables, &mut Vec::new()),
        traffic: Traffic::new(scenario, &plan),
        end: ends.and_then(|all| all.into_iter().max()),
        crossed: BTreeSet::new(),
        travelled: BTreeSet::new(),
        found: Vec::new(),
    };
    for flow in 0..plan.flows.len() {
        let there = FlowDir::forward(u16::try_from(flow).unwrap_or(0));
        for hop in [there, there.turned()]
            .into_iter()
            .flat_map(|d| plan.walk(scenario, d))
        {
            reader.crossed.insert(plan.ports[hop.port].link.0);
            reader.travelled.extend(hop.lsp);
        }
    }
    reader.links();
    reader.labels();
    reader.events();
    reader.hosts();
    reader.tests();
    reader.found
}

/// A finding: a key of a table makes no difference.
fn no_effect(f: &Fields, key: &str, why: &str, help: &str) -> Diagnostic {
    let title = format!("`{key}` has no effect: {why}");
    Diagnostic::new(f.place(key), title).help(help.to_owned())
}

/// Whether a place lies in another.
fn is_within(place: &Range<usize>, whole: &Range<usize>) -> bool {
    whole.start <= place.start && place.end <= whole.end
}

impl Reader<'_> {
    fn say(&mut self, f: &Fields, key: &str, why: &str, help: &str) {
        self.found.push(no_effect(f, key, why, help));
    }

    /// Every one of these keys that a table has.
    fn say_all(&mut self, f: &Fields, keys: &[&str], why: &str, help: &str) {
        for key in keys.iter().filter(|k| f.has(k)) {
            self.say(f, key, why, help);
        }
    }

    /// LSPs that nothing travels in, and words about configurations that are not there.
    fn labels(&mut self) {
        let tables = self.tables;
        for (number, f) in tables.lsps.iter().enumerate() {
            if !self.travelled.contains(&number) {
                let title = format!("no test travels in LSP `{}`", name_of(f));
                let d = Diagnostic::new(f.span.clone(), title);
                self.found
                    .push(d.help("join it to a [[ccc]] on a test's way, or remove it"));
            }
        }
        for f in tables.routers.iter().filter(|f| !f.has("config")) {
            let why = "this router brings no configuration";
            self.say_all(f, &["dialect"], why, "add `config`, or remove it");
        }
    }

    fn events(&mut self) {
        let tables = self.tables;
        for f in &tables.events {
            let link = f.get::<String>("link");
            let crossed = |l: &String| {
                let mut links = self.scenario.links.iter();
                let at = links.position(|k| k.name == *l);
                at.is_none_or(|n| self.carries(n))
            };
            if !link.as_ref().is_none_or(crossed) {
                let title = "this event has no effect: no test crosses its link";
                let d = Diagnostic::new(f.span.clone(), title);
                self.found.push(d.help("name a link on a test's way"));
            }
            let at = f.get::<farpath_units::Duration>("at");
            if let (Some(at), Some(end)) = (at, self.end)
                && at >= end
            {
                let title = format!("this event has no effect: every test has ended at {end}");
                let d = Diagnostic::new(f.place("at"), title);
                self.found
                    .push(d.help("let it come earlier, or a test last longer"));
            }
        }
    }

    fn hosts(&mut self) {
        let (tables, scenario) = (self.tables, self.scenario);
        for (number, f) in tables.hosts.iter().enumerate() {
            let node = NodeId(number);
            let of: Vec<&Test> = scenario
                .tests
                .iter()
                .filter(|t| t.from == node || t.to == node)
                .collect();
            if of.is_empty() {
                let title = format!("host `{}` takes part in no test", name_of(f));
                let d = Diagnostic::new(f.span.clone(), title);
                self.found
                    .push(d.help("name it in `from` or `to` of a test, or remove it"));
                continue;
            }
            let tcp: Vec<_> = of.iter().filter_map(|t| t.kind.tcp()).collect();
            let asked = tcp.iter().any(|t| t.socket_buffer.is_some());
            if !asked {
                let why = "no TCP test of this host asks for a `socket_buffer`, which it limits";
                let help =
                    "add `socket_buffer` to a test; without it `tcp_rmem` and `tcp_wmem` count";
                self.say_all(f, &["rmem_max", "wmem_max"], why, help);
            }
            // An exact `window` says all to a model; a real host's buffers still have to hold it.
            if tcp.iter().all(|t| t.socket_buffer.is_some()) {
                let why = "no TCP test of this host leaves its buffers to the kernel";
                let help = "it counts where a test has no `socket_buffer`";
                self.say_all(f, &["tcp_rmem", "tcp_wmem"], why, help);
            }
            if tcp.is_empty() {
                let why = "no test of this host is of TCP";
                self.say_all(
                    f,
                    &[
                        "gro",
                        "tso",
                        "comp_sack_nr",
                        "window_scaling",
                        "mtu_probing",
                    ],
                    why,
                    "it is about TCP",
                );
            }
            if !of.iter().any(|t| matches!(t.kind, TestKind::Transfer(_))) {
                let why = "no test of this host transfers files";
                self.say_all(
                    f,
                    &["disk_read", "disk_write"],
                    why,
                    "it is about kind = \"transfer\"",
                );
            }
            let busy = ["receive_per_packet", "receive_per_byte", "memory_bus"];
            if f.has("receive_ring") && !busy.iter().any(|k| f.has(k)) {
                let why = "the processor of this host takes no time";
                self.say(
                    f,
                    "receive_ring",
                    why,
                    "add `receive_per_packet`, or remove it",
                );
            }
        }
    }

    fn tests(&mut self) {
        let (tables, scenario) = (self.tables, self.scenario);
        for (f, test) in tables.tests.iter().zip(&scenario.tests) {
            let alone = |group: &String| {
                let same = scenario
                    .tests
                    .iter()
                    .filter(|t| t.group.as_ref() == Some(group));
                same.count() < 2
            };
            if test.group.as_ref().is_some_and(alone) {
                self.say(
                    f,
                    "group",
                    "no other test is in it",
                    "put a second test into the group",
                );
            }
            self.via(f, test);
            let Some(tcp) = test.kind.tcp() else { continue };
            let bbr = tcp.cc.algorithm == Algorithm::Bbr && tcp.cc.object.is_none();
            if bbr {
                let why = "bbr starts in a way of its own";
                self.say_all(
                    f,
                    &["slow_start", "hystart", "max_ssthresh"],
                    why,
                    "it is for the other algorithms",
                );
            }
            let off = |key: &str| f.get::<bool>(key) == Some(false);
            if off("sack") {
                let why = "it works on what SACK reports, and `sack` is false";
                for key in ["rack", "dsack"]
                    .into_iter()
                    .filter(|k| f.get::<bool>(k) == Some(true))
                {
                    self.say(f, key, why, "write sack = true, or remove it");
                }
            } else if f.get::<bool>("sack") == Some(true) {
                let why = "with `sack` the scoreboard shows the holes";
                self.say_all(f, &["newreno"], why, "it is about sack = false");
            }
            if off("timestamps") && f.get::<bool>("eifel") == Some(true) {
                let why = "it needs timestamps, and `timestamps` is false";
                self.say(f, "eifel", why, "write timestamps = true, or remove it");
            }
        }
    }

    /// `via` of a sender with one link.
    fn via(&mut self, f: &Fields, test: &Test) {
        let Some(at) = f.at::<String>("via") else {
            return;
        };
        let links = self.scenario.links.iter().enumerate();
        let of: Vec<LinkId> = links
            .filter(|(_, l)| l.ends.contains(&test.from))
            .map(|(n, _)| LinkId(n))
            .collect();
        if let [only] = of[..]
            && test.via == Some(only)
        {
            let title = "`via` has no effect: the sender has no other link";
            let d = Diagnostic::new(At::span(&at), title);
            self.found.push(d.help("remove it"));
        }
    }
}

/// When a test has ended, where its length is known.
fn end(test: &Test) -> Option<farpath_units::Duration> {
    let start = test.start.since(farpath_units::Time::ZERO);
    // A packet that was sent last may still be answered.
    let packets = test.kind.periodic();
    let packets = packets.map(|p| p.interval.times(u64::from(p.count)) + p.timeout);
    let all = [start, test.omit, test.duration.or(packets)?];
    let ps = all.map(farpath_units::Duration::as_ps);
    let ps = ps.into_iter().fold(0, u64::saturating_add);
    Some(farpath_units::Duration::from_ps(ps))
}
