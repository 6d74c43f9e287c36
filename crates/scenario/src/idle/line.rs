//! One direction of a link: what its keys do to the frames that tests send there.

use farpath_element::qdisc::Limit;
use farpath_units::Size;

use super::traffic::{By, Sort};
use super::{Reader, is_within, no_effect};
use crate::atm::CellContract;
use crate::decode::{At, Fields, first};
use crate::diagnostic::Diagnostic;
use crate::model::{Change, ClassLimit, Direction, LinkId, Loss, Match, QueueLimit, Scenario, Way};
use crate::plan::PortPlan;
use crate::queueing::matches;
use crate::sections::name_of;

/// What frames are known by.
const KNOWN_BY: [&str; 6] = ["dscp", "precedence", "cos", "exp", "protocol", "test"];

/// What most hosts send at most, bytes.
const USUAL_MTU: u32 = 1500;

/// The tables of what manages a queue.
pub(super) const MANAGERS: [&str; 4] = ["red", "codel", "pie", "fq_codel"];

/// One direction under check.
pub(super) struct Line<'a> {
    pub reader: &'a Reader<'a>,
    pub link: LinkId,
    pub side: Way,
    pub port: usize,
    /// Its own table, if it has one, and the link's.
    pub layers: &'a [&'a Fields],
    pub found: Vec<Diagnostic>,
}

impl Line<'_> {
    pub(super) fn all(&mut self) {
        self.order();
        self.scripted();
        self.total_loss();
        self.impairments();
        self.cells();
        if self.reader.scenario.is_router(self.plan().from) {
            self.rules();
            self.shaper();
            self.marking();
            self.memory();
            self.unnamed();
        }
        self.queue();
    }

    fn plan(&self) -> &PortPlan {
        &self.reader.plan.ports[self.port]
    }

    fn direction(&self) -> &Direction {
        self.reader.scenario.links[self.link.0].direction(self.side)
    }

    fn say(&mut self, f: &Fields, key: &str, why: &str, help: &str) {
        self.found.push(no_effect(f, key, why, help));
    }

    /// The table that says a key of this direction.
    fn layer(&self, key: &str) -> Option<Fields> {
        self.layers
            .iter()
            .find(|f| f.has(key))
            .map(|f| (*f).clone())
    }

    fn changes(&self, is: fn(&Change) -> bool) -> bool {
        self.reader.changes(self.link, self.side, is)
    }

    fn order(&mut self) {
        let Some(f) = self.layer("reorder") else {
            return;
        };
        let may = self.direction().impairments.jitter.is_some();
        let moved = self.changes(|c| matches!(c, Change::Delay(_)));
        if f.get("reorder") == Some(true) && !may && !moved {
            let why = "the delay of this link never changes";
            let help = "add `jitter`, or an event that changes `delay`";
            self.say(&f, "reorder", why, help);
        }
    }

    /// Losses of segments that do not come this way.
    fn scripted(&mut self) {
        let scenario = self.reader.scenario;
        for lost in first::<Vec<Fields>>(self.layers, "lose").unwrap_or_default() {
            let name: String = lost.get("flow").unwrap_or_default();
            let data = |s: &&Sort| s.data && scenario.tests[s.test].name == name;
            let sort = self.reader.traffic.on(self.port).iter().find(data);
            if sort.is_none() {
                let title = format!("nothing is lost here: no data of test `{name}` come this way");
                let help =
                    "write it for a link, and the direction of it, that the test's data cross";
                let d = Diagnostic::new(lost.place("flow"), title);
                self.found.push(d.help(help));
            }
        }
    }

    /// A loss that no frame escapes, from the beginning to the end.
    fn total_loss(&mut self) {
        if self.changes(|c| matches!(c, Change::Losses(_))) {
            return;
        }
        let all = |share: farpath_units::Ratio| share.get() >= 1.0;
        let takes_all = |loss: &Loss| match loss {
            Loss::Bernoulli(p) => all(*p).then_some("loss"),
            Loss::EveryNth(n) => (*n == 1).then_some("lose_every"),
            Loss::BitError(p) => (*p >= 1.0).then_some("bit_error_rate"),
            Loss::GilbertElliott {
                loss_good,
                loss_bad,
                ..
            } => (all(*loss_good) && all(*loss_bad)).then_some("gilbert_elliott"),
            Loss::Scripted { .. } => None,
        };
        let direction = self.direction();
        let of_cells = direction.cells.as_ref().filter(|c| all(c.loss));
        let key = direction.losses.iter().find_map(takes_all);
        let Some(key) = key.or(of_cells.map(|_| "cell_loss")) else {
            return;
        };
        if let Some(f) = self.layer(key) {
            let scenario = self.reader.scenario;
            let way = scenario.direction_name(self.link, self.side);
            let title = format!(
                "`{key}` loses every frame from {}: nothing that a test sends there arrives",
                way.replace('>', " to ")
            );
            let help = "write a share below 1; a percentage needs its sign, loss = \"1 %\"";
            self.found
                .push(Diagnostic::new(f.place(key), title).help(help));
        }
    }

    fn impairments(&mut self) {
        let impairments = self.direction().impairments.clone();
        if let Some(f) = self.layer("jitter")
            && impairments.jitter.is_none()
        {
            let why = "every delay of it is 0";
            self.say(&f, "jitter", why, "write a longer time, or remove it");
        }
        for (key, is) in [
            ("reordering", impairments.reordering.is_some()),
            ("duplication", impairments.duplication.is_some()),
            ("corruption", impairments.corruption.is_some()),
        ] {
            if let Some(f) = self.layer(key).filter(|_| !is) {
                self.say(
                    &f,
                    key,
                    "its share is 0",
                    "write a share above 0, or remove it",
                );
            }
        }
        if let (Some(f), Some(flap)) = (self.layer("flap"), impairments.flap)
            && let Some(end) = self.reader.end
            && !flap.random
            && flap.up >= end
        {
            let why = format!(
                "it is up for {}, and every test has ended at {end}",
                flap.up
            );
            self.say(
                &f,
                "flap",
                &why,
                "write a shorter `up`, or let a test last longer",
            );
        }
        let spared = |l: &Loss| matches!(l, Loss::GilbertElliott { p, loss_good, .. } if p.get() == 0.0 && loss_good.get() == 0.0);
        let spared = self.direction().losses.iter().any(spared);
        if let Some(f) = self.layer("gilbert_elliott").filter(|_| spared) {
            let why = "it never leaves the good state, where nothing is lost";
            self.say(
                &f,
                "gilbert_elliott",
                why,
                "write `p` or `loss_good` above 0",
            );
        }
    }

    fn cells(&mut self) {
        let Some(cells) = self.direction().cells.clone() else {
            return;
        };
        let drops = cells.police.is_some_and(|p| !p.tags);
        let scenario = self.reader.scenario;
        let is_cell = |s: &Sort| {
            scenario.tests[s.test]
                .kind
                .udp()
                .is_some_and(|u| u.cells.is_some())
        };
        let single = self.reader.traffic.on(self.port).iter().all(is_cell);
        if let Some(f) = self.layer("cell_glue") {
            let (why, help) = match (cells.loss.get() > 0.0 || drops, single) {
                (false, _) => (
                    "no cell of this link is lost",
                    "it is about `cell_loss` and policers of cells: add one, or remove this",
                ),
                (true, true) => (
                    "a tester's cells come this way, and each is a frame of its own",
                    "add a test whose frames have several cells, or remove it",
                ),
                (true, false) => ("", ""),
            };
            if !why.is_empty() {
                self.say(&f, "cell_glue", why, help);
            }
        }
        let contracts = [
            ("police_cells", cells.police.map(|p| p.contract)),
            ("shape_cells", cells.shape),
        ];
        for (key, contract) in contracts {
            if let (Some(f), Some(contract)) = (self.layer(key), contract) {
                self.contract(&f, key, &contract);
            }
        }
    }

    /// What of a contract of cells binds nobody.
    fn contract(&mut self, f: &Fields, key: &str, contract: &CellContract) {
        let Some(own) = f.get::<Fields>(key) else {
            return;
        };
        let line = self.plan().rate;
        let moves = self.reader.rate_moves(self.link, self.side);
        match contract.sustained {
            Some((scr, _)) if scr == contract.pcr => {
                let why = "it is the peak rate, which holds already";
                self.say(
                    &own,
                    "scr",
                    why,
                    "write a lower `scr`, or remove it and `mbs`",
                );
            }
            None if contract.pcr >= line && !moves => {
                let why = format!("the line sends no more than its `pcr`, {line}");
                self.say(f, key, &why, "write a lower `pcr`, or `scr` and `mbs`");
            }
            _ => {}
        }
        if contract.scr_ignored && contract.sustained.is_none() {
            let why = "there is no `scr` to ignore";
            self.say(
                &own,
                "scr_ignored",
                why,
                "add `scr` and `mbs`, or remove it",
            );
        }
    }

    /// Classes, their drop rules, marks and policers that take no frame.
    fn rules(&mut self) {
        let classes: Vec<Fields> = first(self.layers, "class").unwrap_or_default();
        if let [only] = &classes[..]
            && only.has("weight")
        {
            let why = "there is no other class to share the link with";
            self.say(only, "weight", why, "add a class, or remove it");
        }
        // A class's own match stands before those of its drop rules.
        let (mut rules, mut of) = (Vec::new(), Vec::new());
        for (n, f) in classes.iter().enumerate() {
            let drops: Vec<Fields> = f.get("drop").unwrap_or_default();
            of.extend(vec![n; 1 + drops.len()]);
            rules.push(("class", f.clone()));
            rules.extend(drops.into_iter().map(|d| ("drop rule", d)));
        }
        self.table(rules, By::Class(&of));
        for (key, what) in [("mark", "mark"), ("police", "policer")] {
            let all: Vec<Fields> = first(self.layers, key).unwrap_or_default();
            self.rest(what, &all);
            self.table(all.into_iter().map(|f| (what, f)).collect(), By::Order);
        }
    }

    /// Of several rules without a match only the first takes frames.
    fn rest(&mut self, what: &str, all: &[Fields]) {
        let open = |f: &&Fields| !KNOWN_BY.iter().any(|k| f.has(k));
        let mut open = all.iter().filter(open);
        let Some(first) = open.next() else { return };
        for f in open {
            let title = format!(
                "this {what} has no effect: another without a match takes every frame left"
            );
            let d = Diagnostic::new(f.span.clone(), title).see(first.span.clone(), "the other one");
            self.found
                .push(d.help("add a match such as dscp = \"le\", or remove one of them"));
        }
    }

    /// Rules, of which those that match and come first take a frame.
    fn table(&mut self, rules: Vec<(&str, Fields)>, by: By<'_>) {
        let (scenario, names) = (self.reader.scenario, &self.reader.names);
        let said: Vec<Vec<At<Match>>> = rules
            .iter()
            .map(|(_, f)| matches(f, names, &mut Vec::new()))
            .collect();
        let plain = |m: &Vec<At<Match>>| m.iter().map(|m| m.get_ref().clone()).collect::<Vec<_>>();
        let all: Vec<Vec<Match>> = said.iter().map(plain).collect();
        let taken = self.reader.traffic.taken(scenario, self.port, &all, by);
        for (n, (what, f)) in rules.iter().enumerate() {
            let takes = |n: usize, key: &str| {
                let at = f.place(key);
                let here = |m: &&At<Match>| is_within(&m.span(), &at);
                let mut here = said[n].iter().filter(here);
                here.any(|m| taken.contains(&(n, m.get_ref().clone())))
            };
            let keys: Vec<&str> = KNOWN_BY.into_iter().filter(|k| f.has(k)).collect();
            let idle: Vec<&str> = keys.iter().copied().filter(|k| !takes(n, k)).collect();
            let alone = &all[n..=n];
            let alone = self
                .reader
                .traffic
                .taken(scenario, self.port, alone, By::Order);
            let why = match alone.is_empty() {
                true => "no frame that a test sends here matches",
                false => "what matches is taken by another rule first",
            };
            let way = scenario
                .direction_name(self.link, self.side)
                .replace('>', " to ");
            if !keys.is_empty() && idle.len() == keys.len() {
                let name = name_of(f);
                let named = if name.is_empty() {
                    String::new()
                } else {
                    format!(" `{name}`")
                };
                let title = format!("{what}{named} has no effect from {way}: {why}");
                let help = "match what a test sends (its `class`, protocol or name), or remove it";
                self.found
                    .push(Diagnostic::new(f.span.clone(), title).help(help));
                continue;
            }
            for key in idle {
                self.say(
                    f,
                    key,
                    "no frame that comes here is taken by it",
                    "remove it",
                );
            }
        }
    }

    fn shaper(&mut self) {
        let queueing = self.direction().queueing.as_ref();
        let shape = queueing.and_then(|q| q.shape);
        let rate = self.plan().rate;
        let moves = self.reader.rate_moves(self.link, self.side);
        if let (Some(f), Some(shape)) = (self.layer("shape"), shape)
            && shape.rate >= rate
            && !moves
        {
            let why = format!("the link itself sends no more than {rate}");
            self.say(&f, "shape", &why, "write a lower rate, or remove it");
        }
    }

    /// The table of a manager where `aqm` names another one.
    fn unnamed(&mut self) {
        let Some(name) = first::<String>(self.layers, "aqm") else {
            return;
        };
        for key in MANAGERS.iter().filter(|key| key.replace('_', "-") != name) {
            if let Some(f) = self.layer(key) {
                let why = format!("`aqm` is \"{name}\"");
                self.say(&f, key, &why, "remove it, or name it as `aqm`");
            }
        }
    }

    /// Marks in place of drops for datagrams of which none asks for it.
    fn marking(&mut self) {
        let scenario = self.reader.scenario;
        let capable = |s: &Sort| {
            scenario.tests[s.test]
                .kind
                .tcp()
                .is_some_and(|t| t.recovery.ecn)
        };
        if self.reader.traffic.on(self.port).iter().any(capable) {
            return;
        }
        let classes: Vec<Fields> = first(self.layers, "class").unwrap_or_default();
        let tables = self.layers.iter().copied().chain(&classes);
        let managers: Vec<Fields> = tables
            .flat_map(|f| MANAGERS.iter().filter_map(|k| f.get::<Fields>(k)))
            .collect();
        for f in managers.iter().filter(|f| f.get("ecn") == Some(true)) {
            let why = "no test that comes this way has `ecn`";
            self.say(f, "ecn", why, "write ecn = true for a test, or remove it");
        }
    }

    /// A limit of the plain queue where something else says what may wait.
    fn queue(&mut self) {
        let Some(f) = self.layer("queue") else { return };
        let direction = self.direction();
        let written: Option<QueueLimit> = f.get("queue");
        // A host has the plain queue whatever its link says for routers.
        let classes: Vec<Fields> = match direction.queueing {
            Some(_) => first(self.layers, "class").unwrap_or_default(),
            None => Vec::new(),
        };
        let own = |c: &Fields| c.has("queue") || c.has("memory_share");
        let fair = direction
            .queueing
            .as_ref()
            .is_some_and(|q| q.fq_codel.is_some());
        let shared = direction.queueing.as_ref().and_then(|q| q.memory);
        let (why, help) = if direction.cells.as_ref().is_some_and(|c| c.queue.is_some()) {
            ("cells wait in `cell_queue`", "remove it")
        } else if fair {
            (
                "fq-codel counts by `packets` and `memory`",
                "write these under `fq_codel`",
            )
        } else if written != Some(direction.queue) {
            ("the router's configuration says what may wait", "remove it")
        } else if !classes.is_empty() && (shared.is_some() || classes.iter().all(own)) {
            (
                "every class has a limit of its own, or the memory's",
                "remove it, or leave `queue` out of a class",
            )
        } else {
            ("", "")
        };
        if !why.is_empty() {
            self.say(&f, "queue", why, help);
        } else if classes.is_empty() {
            self.small_queue(&f);
        }
    }

    /// A queue in which no full frame has room.
    fn small_queue(&mut self, f: &Fields) {
        let direction = self.direction();
        let longest = self.reader.plan.longest_rtt(self.port);
        let limit = Scenario::queue_limit(direction.queue, self.plan().rate, longest);
        let Limit::Bytes(bytes) = limit else {
            return;
        };
        let datagram = direction.mtu.min(USUAL_MTU);
        let link = &self.reader.scenario.links[self.link.0];
        let full = u64::from(link.framing.queue_bytes(datagram));
        if bytes < full {
            let title = format!(
                "`queue` holds no frame of {datagram} bytes, which takes {full}: one that finds the line busy is lost"
            );
            let help = "write more, such as \"100 kB\", \"64 packets\", \"10 ms\" or \"1bdp\"";
            self.found
                .push(Diagnostic::new(f.place("queue"), title).help(help));
        }
    }

    /// A common memory that the classes' own limits cannot fill.
    fn memory(&mut self) {
        let Some(queueing) = &self.direction().queueing else {
            return;
        };
        let bytes = |limit: &ClassLimit| match limit {
            ClassLimit::Own(QueueLimit::Bytes(size)) => Some(size.as_bytes()),
            _ => None,
        };
        let all: Option<Vec<u64>> = queueing.classes.iter().map(|c| bytes(&c.limit)).collect();
        let sum = all.map(|all| all.into_iter().fold(0, u64::saturating_add));
        if let (Some(memory), Some(sum), Some(f)) = (queueing.memory, sum, self.layer("memory"))
            && sum <= memory.as_bytes()
        {
            let sum = Size::from_bytes(sum);
            let why = format!("the classes' own limits add up to {sum}");
            self.say(
                &f,
                "memory",
                &why,
                "write less, or leave `queue` out of a class",
            );
        }
    }
}
