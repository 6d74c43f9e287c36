//! Events that change nothing: where no test goes, when every test has ended, or to what is in force already; and ends of
//! events that do not.

use std::collections::{BTreeMap, BTreeSet};

use farpath_units::{Duration, Rate, Time};
use farpath_wire::FlowDir;

use super::Reader;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::event::{self, Happening};
use crate::model::{Change, Direction, Event, LinkId, Loss, NodeId, QueueLimit, Scenario, Way};

/// What holds of a direction until the next event.
struct InForce {
    rate: Rate,
    delay: Duration,
    queue: QueueLimit,
    losses: Vec<Loss>,
    up: bool,
    /// A trace moves the rate as well.
    traced: bool,
    /// The link goes down by itself as well.
    flaps: bool,
}

impl InForce {
    fn new(direction: &Direction) -> InForce {
        InForce {
            rate: direction.rate,
            delay: direction.delay,
            queue: direction.queue,
            losses: direction.losses.clone(),
            up: true,
            traced: is_traced(direction),
            flaps: direction.impairments.flap.is_some(),
        }
    }

    /// Whether a change leaves it as it is. A loss that comes by order begins to count anew.
    fn has(&self, change: &Change) -> bool {
        match change {
            Change::Rate(rate) => *rate == self.rate && !self.traced,
            Change::Delay(delay) => *delay == self.delay,
            Change::Queue(queue) => *queue == self.queue,
            Change::Losses(losses) => losses.is_empty() && self.losses.is_empty(),
            Change::Up(up) => *up == self.up && !self.flaps,
        }
    }

    fn take(&mut self, change: Change) {
        match change {
            Change::Rate(rate) => self.rate = rate,
            Change::Delay(delay) => self.delay = delay,
            Change::Queue(queue) => self.queue = queue,
            Change::Losses(losses) => self.losses = losses,
            Change::Up(up) => self.up = up,
        }
    }
}

/// Whether two nodes have a way by routers without this link.
fn is_joined(scenario: &Scenario, [from, to]: [NodeId; 2], without: LinkId) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        if node != from && !scenario.is_router(node) {
            continue;
        }
        let links = scenario.links.iter().enumerate();
        let others = links.filter(|(n, link)| *n != without.0 && link.ends.contains(&node));
        for far in others.map(|(_, link)| link.other(node)) {
            if !reached.contains(&far) {
                reached.push(far);
            }
        }
    }
    reached.contains(&to)
}

/// Whether a trace says how fast a direction is.
fn is_traced(direction: &Direction) -> bool {
    direction.impairments.trace.is_some()
}

impl Reader<'_> {
    /// Whether a direction has another rate than its `rate` at some time: by an event or a trace.
    pub(super) fn rate_moves(&self, link: LinkId, way: Way) -> bool {
        is_traced(self.scenario.links[link.0].direction(way))
            || self.changes(link, way, |c| matches!(c, Change::Rate(_)))
    }

    /// Whether an event makes such a change to a direction.
    pub(super) fn changes(&self, link: LinkId, way: Way, is: fn(&Change) -> bool) -> bool {
        let mut events = self.scenario.events.iter();
        events.any(|e| e.link == link && e.ways.contains(&way) && is(&e.change))
    }

    pub(super) fn events(&mut self) {
        let tables = self.tables;
        let all = event::all(
            &tables.events,
            &self.names,
            &self.scenario.links,
            &mut Vec::new(),
        );
        let mut down = BTreeSet::new();
        for (number, f) in tables.events.iter().enumerate() {
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
            let at = f.get::<Duration>("at");
            if let (Some(at), Some(end)) = (at, self.end)
                && at >= end
            {
                let title = format!("this event has no effect: every test has ended at {end}");
                let d = Diagnostic::new(f.place("at"), title);
                self.found
                    .push(d.help("let it come earlier, or a test last longer"));
                continue;
            }
            let is_down = |e: &&Event| e.change == Change::Up(false);
            let first = all[number].changes.iter().find(is_down);
            if let Some(event) = first.filter(|e| down.insert(e.link)) {
                self.stays_on(f, event.link);
            }
            self.over(f, number, &all);
        }
        self.repeated(&all);
    }

    /// That no packet goes another way while a link is down, where there is one: routing protocols would find it.
    fn stays_on(&mut self, f: &Fields, link: LinkId) {
        let (plan, scenario) = (self.plan, self.scenario);
        if !self.crossed.contains(&link.0) || scenario.bundle_of(link).is_some() {
            return;
        }
        let crosses = |flow: usize| {
            let there = FlowDir::forward(u16::try_from(flow).unwrap_or(0));
            let ways = [there, there.turned()].map(|dir| plan.walk(scenario, dir));
            let mut hops = ways.iter().flatten();
            hops.any(|hop| plan.ports[hop.port].link == link)
        };
        let mut flows = plan.flows.iter().enumerate();
        let found = flows.find(|(number, flow)| {
            is_joined(scenario, [flow.source, flow.sink], link) && crosses(*number)
        });
        let Some((_, flow)) = found else {
            return;
        };
        let title = format!(
            "what test `{}` sends over link `{}` while it is down goes no other way: routes stay as they are for the whole run",
            scenario.tests[flow.test].name, scenario.links[link.0].name
        );
        let help = "links with the same ends stand in for one another in a [[bundle]]";
        let d = Diagnostic::new(f.place("up"), title);
        self.found.push(d.help(help));
    }

    /// The end of an event that comes after everything, or while another holds.
    fn over(&mut self, f: &Fields, number: usize, all: &[Happening]) {
        let ends = self.end.zip(all[number].until);
        if let Some((end, until)) = ends
            && until.since(Time::ZERO) >= end
        {
            let why = format!("every test has ended at {end}");
            let help = "let it be over earlier, or a test last longer";
            self.say(f, "for", &why, help);
            return;
        }
        let Some(other) = event::hides(all, number) else {
            return;
        };
        let (title, help) = match all[other].until {
            None => (
                "`for` has no effect: another event changes the same before this one is over",
                "remove it, or let it be over before the other begins",
            ),
            Some(_) => (
                "the end of this event changes nothing: another one that began since is not over",
                "let it be over before the other begins, or make one event of both",
            ),
        };
        let d = Diagnostic::new(f.place("for"), title);
        let other = self.tables.events[other].span.clone();
        self.found.push(d.see(other, "the other one").help(help));
    }

    /// Events that ask for what holds already.
    fn repeated(&mut self, all: &[Happening]) {
        let tables = self.tables;
        let mut order: Vec<(Option<usize>, &Event)> = Vec::new();
        for (number, happening) in all.iter().enumerate() {
            let own = event::is_apart(all, number).then_some(number);
            order.extend(happening.changes.iter().map(|e| (own, e)));
            order.extend(happening.ends.iter().map(|e| (None, e)));
        }
        order.sort_by_key(|(_, event)| event.at);
        let mut in_force: BTreeMap<(usize, bool), InForce> = BTreeMap::new();
        for (number, event) in order {
            let link = event.link.0;
            let mut had = true;
            for way in &event.ways {
                let own = || InForce::new(self.scenario.links[link].direction(*way));
                let key = (link, *way == Way::Reverse);
                let now = in_force.entry(key).or_insert_with(own);
                had &= now.has(&event.change);
                now.take(event.change.clone());
            }
            if let Some(number) = number.filter(|_| had) {
                self.already(&tables.events[number], &event.change);
            }
        }
    }

    fn already(&mut self, f: &Fields, change: &Change) {
        let (key, why) = match change {
            Change::Rate(_) => ("rate", "the link has this rate already"),
            Change::Delay(_) => ("delay", "the link has this delay already"),
            Change::Queue(_) => ("queue", "the link has this queue already"),
            Change::Losses(_) => ("loss", "nothing is lost there before it either"),
            Change::Up(true) => ("up", "the link is up already"),
            Change::Up(false) => ("up", "the link is down already"),
        };
        self.say(f, key, why, "write another value, or remove it");
    }
}
