//! Keys that make no difference where they stand: what `farpath check` finds beyond errors.
//!
//! A key is named only where it is certain: what a search or an event may bring in counts as there, and of a sweep a key
//! must do nothing at every point, or wherever another key has certain values.

mod events;
mod hosts;
mod line;
mod links;
mod swept;
mod traffic;

use core::ops::Range;
use std::collections::BTreeSet;

use farpath_element::qdisc::AqmConfig;
use farpath_tcp::Algorithm;
use farpath_wire::FlowDir;

use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{Class, LinkId, Scenario, Test};
use crate::names::Names;
use crate::plan::Plan;
use crate::sections::{Tables, name_of};
use traffic::Traffic;

pub(crate) use swept::{AtPoint, alike, swept};

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
    /// It is one point of several: what they compare is what happens where data goes.
    is_point: bool,
    found: Vec<Diagnostic>,
}

/// Every key of `scenario` that makes no difference to its runs; where that is a point of a sweep, to what goes the way of data.
pub(crate) fn keys(tables: &Tables, scenario: &Scenario, is_point: bool) -> Vec<Diagnostic> {
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
        is_point,
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

    fn tests(&mut self) {
        let (tables, scenario) = (self.tables, self.scenario);
        for (number, (f, test)) in tables.tests.iter().zip(&scenario.tests).enumerate() {
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
            self.too_short(f, number, test);
            let Some(tcp) = test.kind.tcp() else { continue };
            let bbr = tcp.cc.algorithm == Algorithm::Bbr && tcp.cc.object.is_none();
            if bbr {
                let others = "it is for the other algorithms";
                let start = ["slow_start", "hystart", "max_ssthresh", "initial_ssthresh"];
                self.say_all(f, &start, "bbr starts in a way of its own", others);
                let why = "bbr's window follows its model of the path";
                self.say_all(f, &["idle_restart", "reduction"], why, others);
            }
            if f.get::<i64>("delayed_ack") == Some(1) {
                let why = "with `delayed_ack = 1` every segment is acknowledged at once";
                let keys = ["delayed_ack_timeout", "quick_acks"];
                self.say_all(f, &keys, why, "write delayed_ack = 2, or remove it");
            }
            if f.get::<bool>("ecn") == Some(true) && !self.marks() {
                let why = "no queue of this scenario marks in place of a drop";
                let help = "write ecn = true under a link's `red`, `codel`, `pie` or `fq_codel`";
                self.say(f, "ecn", why, help);
            }
            if tcp.cc.algorithm.goes_by_marks() && !self.marks() {
                let why = "no queue of this scenario marks in place of a drop, and without marks it is Reno";
                let help = "write ecn = true under a link's `red`, `codel`, `pie` or `fq_codel`";
                self.say(f, "cc", why, help);
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
            } else if tcp.sack {
                let why = "with `sack` the scoreboard shows the holes";
                self.say_all(f, &["newreno"], why, "it is about sack = false");
            }
            if off("timestamps") && f.get::<bool>("eifel") == Some(true) {
                let why = "it needs timestamps, and `timestamps` is false";
                self.say(f, "eifel", why, "write timestamps = true, or remove it");
            }
        }
    }

    /// Whether some queue may mark; a router's configuration is not asked.
    fn marks(&self) -> bool {
        let marks = |class: &Class| match &class.aqm {
            Some(AqmConfig::Red(red)) => red.ecn,
            Some(AqmConfig::Codel(codel)) => codel.ecn,
            Some(AqmConfig::Pie(pie)) => pie.mark_below > 0.0,
            None => false,
        };
        let links = self.scenario.links.iter();
        let mut queues = links
            .flat_map(|l| &l.directions)
            .filter_map(|d| d.queueing.as_ref());
        queues.any(|q| {
            q.fq_codel
                .map_or_else(|| q.classes.iter().any(marks), |fq| fq.codel.ecn)
        }) || self.tables.routers.iter().any(|r| r.has("config"))
    }

    /// A test that is over before anything of it can have arrived.
    fn too_short(&mut self, f: &Fields, number: usize, test: &Test) {
        let Some(duration) = test.duration else {
            return;
        };
        let first = self.plan.flows.iter().position(|flow| flow.test == number);
        let Some(dir) = first
            .and_then(|n| u16::try_from(n).ok())
            .map(FlowDir::forward)
        else {
            return;
        };
        let way = |dir| {
            self.plan
                .propagation(self.scenario, &self.plan.walk(self.scenario, dir))
        };
        let (there, back) = (way(dir), way(dir.turned()));
        let (least, what) = match test.kind.tcp() {
            Some(_) => (there.times(2) + back, "a handshake and the first data"),
            None => (there, "the first datagram"),
        };
        if test.omit + duration < least {
            let title = format!("nothing can arrive in this test: {what} take {least}");
            let help = "let it last for some round trips";
            self.found
                .push(Diagnostic::new(f.place("duration"), title).help(help));
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
