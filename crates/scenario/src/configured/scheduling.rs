//! What Junos class-of-service makes of the queues of the links a router sends on.

use farpath_config::Place;
use farpath_config::junos::model::{
    ClassOfService, Router as Junos, Scheduler as Said, Stated, Transmit,
};
use farpath_units::{Rate, Size};

use super::classifiers::{Classes, applied};
use super::interface::is_of;
use crate::decode::{At, Fields};
use crate::diagnostic::Diagnostic;
use crate::model::{
    Class, ClassLimit, Configuration, Direction, QueueLimit, Queueing, Scenario, Scheduler, Shape,
    Sharing,
};
use crate::sections::{Tables, name_of};

/// Classes, their queues and shapers of the ports of every Junos router among the files, where the
/// scenario writes none.
pub(super) fn apply(
    configuration: &Configuration,
    tables: &Tables,
    scenario: &mut Scenario,
    faults: &mut Vec<Diagnostic>,
) {
    let ends = configuration.junos_ends(tables, scenario);
    for (router, number, side, name) in &ends {
        let (number, side) = (*number, *side);
        let cos = &router.class_of_service;
        let map = applied(cos, name.get_ref()).find_map(|i| i.map.as_ref());
        let whole = is_whole(router, name.get_ref());
        let on_port = applied(cos, name.get_ref()).filter(|i| whole || i.unit.is_none());
        let shaping = on_port
            .filter_map(|i| i.shaping.as_ref())
            .min_by_key(|s| s.value);
        let f = &tables.links[number];
        let own = f.get::<Fields>(["forward", "reverse"][side]);
        let layers: Vec<&Fields> = own.iter().chain([f]).collect();
        let says = |key: &str| layers.iter().any(|l| l.has(key));
        if says("scheduler") || says("aqm") {
            continue;
        }
        let mut at = Site {
            configuration,
            router,
            name,
            memory: layers.iter().find_map(|l| l.get::<Size>("memory")),
            link: name_of(f),
            faults,
        };
        let shape = shaping.filter(|_| !says("shape"));
        let shape = shape.map(|rate| Shape {
            rate: rate.value,
            burst: None,
        });
        let direction = &mut scenario.links[number].directions[side];
        if let Some(map) = map {
            let classes = at.ingress(&ends);
            let queueing = classes.and_then(|c| at.queueing(&c, map, direction));
            let Some(mut queueing) = queueing else {
                continue;
            };
            let before = direction.queueing.take().and_then(|q| q.shape);
            queueing.shape = shape.or(before);
            direction.queueing = Some(queueing);
        } else if let Some(shape) = shape {
            let queue = direction.queue;
            let shaped = direction.queueing.get_or_insert_with(|| one(queue));
            shaped.shape = Some(shape);
        }
    }
}

/// Whether a link's interface is one unit: by its name, or because its port has no other.
fn is_whole(router: &Junos, name: &str) -> bool {
    let port = router.interfaces.iter().find(|i| i.name == name);
    port.is_none_or(|p| p.units.len() == 1)
}

/// A single queue.
pub(super) fn one(queue: QueueLimit) -> Queueing {
    Queueing {
        scheduler: Scheduler::Strict,
        memory: None,
        classes: vec![Class {
            name: "all".to_owned(),
            matches: Vec::new(),
            sharing: Sharing::Priority,
            limit: ClassLimit::Own(queue),
            aqm: None,
            curve: None,
            drops: Vec::new(),
        }],
        fq_codel: None,
        shape: None,
    }
}

const OWN_QUEUES: &str = "write its queues on the link: scheduler = \"drr\" and [[link.class]] tables, or scheduler = \"fifo\" to do without";

/// A port that sends, and what is said of it.
struct Site<'a> {
    configuration: &'a Configuration,
    router: &'a Junos,
    name: &'a At<String>,
    memory: Option<Size>,
    link: String,
    faults: &'a mut Vec<Diagnostic>,
}

/// A class of a scheduler map with its scheduler.
struct Served<'r> {
    name: &'r str,
    queue: u8,
    said: &'r Said,
}

impl<'a> Site<'a> {
    fn fault(&mut self, place: &Place, title: &str, help: &str) {
        let title = format!("{}: {title}", self.configuration.at(place));
        let d = Diagnostic::new(self.name.span(), title);
        self.faults.push(d.help(help.to_owned()));
    }

    /// How the router classes what leaves here. It classes frames where they arrive, and the model by their marks
    /// where they leave: every interface they may come from must class alike.
    fn ingress(&mut self, ends: &[(&Junos, usize, usize, At<String>)]) -> Option<Classes> {
        let own = |e: &&(&Junos, usize, usize, At<String>)| core::ptr::eq(e.0, self.router);
        let names: Vec<&str> = ends
            .iter()
            .filter(own)
            .map(|e| e.3.get_ref().as_str())
            .collect();
        let here = self.name.get_ref().as_str();
        let mut others = names.iter().copied().filter(|n| *n != here);
        let first = others.next().unwrap_or(here);
        let labelled = names.iter().copied().find(|n| self.takes_labels(n));
        let mut classes = Classes::of(self.router, first);
        if let Some(core) = labelled {
            classes.exp = Classes::of(self.router, core).exp;
        }
        let differs = |n: &&str| {
            let other = Classes::of(self.router, n);
            let unlabelled = *n != here && other.dscp != classes.dscp;
            unlabelled || (self.takes_labels(n) && other.exp != classes.exp)
        };
        let Some(other) = names.iter().copied().find(differs) else {
            return Some(classes);
        };
        let title = format!(
            "interfaces `{first}` and `{other}` class what arrives differently, and a run knows frames by their marks where they leave, at `{here}`"
        );
        let d = Diagnostic::new(self.name.span(), title);
        self.faults.push(d.help(OWN_QUEUES));
        None
    }

    /// Whether labelled frames come in over an interface.
    fn takes_labels(&self, name: &str) -> bool {
        let ports = self.router.interfaces.iter();
        let mut units = ports.flat_map(|i| i.units.iter().map(move |u| (i, u)));
        units.any(|(i, u)| u.mpls.is_some() && is_of(name, &format!("{}.{}", i.name, u.number)))
    }

    fn queueing(
        &mut self,
        classes: &Classes,
        map: &Stated<String>,
        direction: &Direction,
    ) -> Option<Queueing> {
        let served = self.served(map)?;
        self.leaves_none_out(classes, &served, map)?;
        let percents = shares(&served, direction.rate);
        let buffers = buffers(&served, &percents);
        let mut built = Vec::new();
        for (n, class) in served.iter().enumerate() {
            let weight = u32::try_from(percents[n]).unwrap_or(1);
            built.push(Class {
                name: class.name.to_owned(),
                matches: match class.queue {
                    0 => Vec::new(),
                    queue => classes.marks(queue).listed(),
                },
                sharing: match is_strict(class.said) {
                    true => Sharing::Priority,
                    false => Sharing::Weight(weight.clamp(1, 65_535)),
                },
                limit: self.limit(class, buffers[n], direction)?,
                aqm: None,
                curve: None,
                drops: Vec::new(),
            });
        }
        // A queue that no frame is sent to is none.
        let mut queues = served.iter().map(|s| s.queue);
        built.retain(|c| queues.next() == Some(0) || !c.matches.is_empty());
        Some(Queueing {
            scheduler: Scheduler::Drr,
            memory: self.memory,
            classes: built,
            fq_codel: None,
            shape: None,
        })
    }

    /// The classes of a map, each with its scheduler and queue.
    fn served(&mut self, name: &Stated<String>) -> Option<Vec<Served<'a>>> {
        let cos: &'a ClassOfService = &self.router.class_of_service;
        let undefined = |what: &str, of: &str| format!("{what} `{of}` is not defined");
        let Some(map) = cos.maps.iter().find(|m| m.name.value == name.value) else {
            let title = undefined("scheduler-map", &name.value);
            self.fault(
                &name.place,
                &title,
                "define it under `class-of-service scheduler-maps`",
            );
            return None;
        };
        let mut served: Vec<Served<'a>> = Vec::new();
        for (class, scheduler) in &map.schedulers {
            let said = cos
                .schedulers
                .iter()
                .find(|s| s.name.value == scheduler.value);
            let Some(said) = said else {
                let title = undefined("scheduler", &scheduler.value);
                self.fault(
                    &scheduler.place,
                    &title,
                    "define it under `class-of-service schedulers`",
                );
                return None;
            };
            let Some(queue) = cos.queue(class) else {
                let title = undefined("forwarding class", class);
                let help = "define it under `class-of-service forwarding-classes`";
                self.fault(&scheduler.place, &title, help);
                return None;
            };
            served.push(Served {
                name: class,
                queue,
                said,
            });
        }
        let weighted = |s: &&Served<'_>| !is_strict(s.said);
        let mut priorities = served.iter().filter(weighted).map(|s| priority(s.said));
        let first = priorities.next();
        if let Some(other) = priorities.find(|p| Some(*p) != first) {
            let title = format!(
                "scheduler-map `{}` serves by priorities `{}` and `{other}`, and only `strict-high` is before the others here",
                name.value,
                first.unwrap_or("low")
            );
            self.fault(&name.place, &title, OWN_QUEUES);
            return None;
        }
        Some(served)
    }

    /// Says that frames are sent into a class that no scheduler serves.
    fn leaves_none_out(
        &mut self,
        classes: &Classes,
        served: &[Served<'_>],
        map: &Stated<String>,
    ) -> Option<()> {
        let has = |queue: u8| served.iter().any(|s| s.queue == queue);
        // What is classed by default alone goes with the rest where its queue is not served.
        let meant = |q: u8| classes.meant().any(|queue| queue == q);
        let left = (0..8).find(|q| !has(*q) && (*q == 0 || meant(*q)));
        let Some(queue) = left else { return Some(()) };
        let title = format!(
            "scheduler-map `{}` has no scheduler for queue {queue}, into which frames are classed",
            map.value
        );
        self.fault(&map.place, &title, "add its forwarding class to the map");
        None
    }

    fn limit(
        &mut self,
        class: &Served<'_>,
        percent: u64,
        direction: &Direction,
    ) -> Option<ClassLimit> {
        if let Some(time) = &class.said.buffer_time {
            return Some(ClassLimit::Own(QueueLimit::Bytes(
                direction.rate.bytes_in(time.value),
            )));
        }
        let Some(memory) = self.memory else {
            let title = format!(
                "link `{}` has no `memory`: `{}` divides it among queues, and no configuration says how much there is",
                self.link,
                self.name.get_ref()
            );
            let help = "add the transmit buffer of the port, such as memory = \"512 kB\"";
            let d = Diagnostic::new(self.name.span(), title).help(help);
            self.faults.push(d);
            return None;
        };
        let bytes = u128::from(memory.as_bytes()) * u128::from(percent.min(100)) / 100;
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Some(ClassLimit::Own(QueueLimit::Bytes(Size::from_bytes(bytes))))
    }
}

fn priority(said: &Said) -> &str {
    let stated = said.priority.as_ref();
    stated.map_or("low", |p| p.value.as_str())
}

fn is_strict(said: &Said) -> bool {
    said.priority
        .as_ref()
        .is_some_and(|p| p.value == "strict-high")
}

/// Percent of the rate for each class.
fn shares(served: &[Served<'_>], rate: Rate) -> Vec<u64> {
    let stated = served.iter().map(|class| match &class.said.transmit {
        Some(Transmit::Percent(percent)) => Some(percent.value.min(100)),
        Some(Transmit::Rate(own)) => {
            let part = u128::from(own.value.as_bps()) * 100 / u128::from(rate.as_bps());
            Some(u64::try_from(part).unwrap_or(100).clamp(1, 100))
        }
        Some(Transmit::Remainder) | None => None,
    });
    filled(&stated.collect::<Vec<_>>())
}

/// Percent of the memory for each class; a class that states none has its part of the rate.
fn buffers(served: &[Served<'_>], shares: &[u64]) -> Vec<u64> {
    let stated = served.iter().zip(shares).map(|(class, share)| {
        let percent = class.said.buffer_percent.as_ref();
        percent.map_or(*share, |p| p.value)
    });
    stated.collect()
}

/// Shares, what the others leave being divided among those that state none; at least 1.
fn filled(stated: &[Option<u64>]) -> Vec<u64> {
    let taken: u64 = stated.iter().flatten().sum();
    let open = stated.iter().filter(|s| s.is_none()).count() as u64;
    let rest = 100_u64.saturating_sub(taken) / open.max(1);
    let each = stated.iter().map(|s| s.unwrap_or(rest).max(1));
    each.collect()
}
