//! A router's port that is full and drops, where no test says how fast a flow was: others fill it.

use crate::advice::{NO_RISK, Remedy};
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::Item;
use crate::ports::{Counted, Kind, Port, counts, speed_by_name, speeds};
use crate::read::Facts;

/// A port is full from this part of its rate on: what it says is a mean of half a minute or more, and without preambles and gaps. A choice.
const FULL: f64 = 0.9;

/// What it is worth where the same port's queue has dropped, decibans. A choice: these drops need not be of the time of its rate.
const DROPS: f64 = 24.0;

/// How what is said first of a queue begins that drops as it is printed.
pub(crate) const FULL_QUEUE: &str = "a queue is full as its text is printed";

/// A port that sends nearly all that it can, and whose queue has dropped.
#[derive(Clone, Debug)]
pub(crate) struct FullPort {
    port: Port,
    /// What leaves by it, and its speed, bit/s.
    leaves: f64,
    speed: f64,
    /// The class whose queue dropped, empty where it is the port's own, and how many packets.
    class: String,
    dropped: f64,
    /// Where the first and the last of them were read, for people.
    read: [String; 2],
}

impl FullPort {
    /// The port that dropped most of those that are full.
    fn of(facts: &Facts) -> Option<FullPort> {
        let (leaves, speeds) = (counts(facts, Kind::Leaves), speeds(facts));
        let place = |figure: &Figure| {
            let at = figure.from.first();
            at.map_or_else(String::new, |at| facts.place(*at))
        };
        let each = counts(facts, Kind::Dropped)
            .into_iter()
            .filter_map(|queue| {
                let name = queue.port.without_cause();
                let of = |all: &[Counted]| all.iter().find(|c| name.is_queue_of(&c.port)).cloned();
                let Counted {
                    port, count: sent, ..
                } = of(&leaves)?;
                let speed = of(&speeds).map(|speed| speed.count.value);
                // A port that says its own speed nowhere has that of its name at most.
                let speed = speed.or_else(|| speed_by_name(facts, &queue))?;
                let dropped = queue.count.value;
                let class = name.name.split_once(" at ").map_or("", |(class, _)| class);
                let full = sent.value >= FULL * speed && dropped > 0.0 && !port.name.is_empty();
                full.then(|| FullPort {
                    read: [place(&sent), place(&queue.count)],
                    class: class.to_owned(),
                    leaves: sent.value,
                    port,
                    speed,
                    dropped,
                })
            });
        each.max_by(|a, b| a.dropped.total_cmp(&b.dropped))
    }

    fn sentence(&self) -> String {
        let [rate, drops] = &self.read;
        let queue = match self.class.as_str() {
            "" => "its queue".to_owned(),
            class => format!("its queue of {class}"),
        };
        format!(
            "{} sends {}, {:.0} % of its {} ({rate}), and {queue} has dropped {:.0} packets ({drops}): the port is full, and what crosses it waits or is lost",
            self.port.named("a port"),
            bps(self.leaves),
            100.0 * self.leaves / self.speed,
            bps(self.speed),
            self.dropped
        )
    }

    /// Whether it still drops, and who fills it.
    pub(crate) fn asks(&self) -> Vec<MissingFact> {
        vec![MissingFact {
            fact: "port_drops",
            would_decide: "whether the port drops while users complain: by how much its output discards grow, beside its output rate".to_owned(),
            command: match is_junos(&self.port.name) {
                true => format!(
                    "twice, a minute apart, while it is slow: show interfaces {} and show interfaces queue {} egress",
                    self.port.name, self.port.name
                ),
                false => format!(
                    "twice, a minute apart, while it is slow: show interface {} and show interface {} counters errors",
                    self.port.name, self.port.name
                ),
            },
        }]
    }

    /// Less that crosses it, more room, or a queue that spares what must not wait.
    fn change(&self) -> Change {
        let name = &self.port.name;
        let remedy = Remedy {
            commands: vec![
                format!("find who fills {name}: NetFlow, sFlow, or the counters of the ports that feed it. A backup or a copy may run at another time, or at a rate of its own"),
                format!("more room: a faster port than {name}, or a second link beside it in a port channel, whose hash has addresses and ports"),
                "where neither is possible: a class with a queue of its own for what must not wait. A longer queue drops less and makes all wait longer".to_owned(),
            ],
            risk: NO_RISK.to_owned(),
            ..Remedy::default()
        };
        let host = match self.port.router.is_empty() {
            true => "the router or switch",
            false => &self.port.router,
        };
        remedy.change(host, None, None)
    }
}

/// Whether a port has a name of Junos: `ge-0/0/3`.
fn is_junos(name: &str) -> bool {
    let kind = name.split_once('-').map_or("", |(kind, _)| kind);
    !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase())
}

impl Evidence {
    /// Takes a full port that drops, where no test says how fast a flow was.
    pub(crate) fn of_full_port(&mut self, facts: &Facts) {
        if self.rate.is_none() && !self.udp {
            self.around.full_port = FullPort::of(facts);
        }
    }

    /// Takes a queue that drops as its text is printed, where nothing says how fast its port is, and no test how fast a flow was.
    pub(crate) fn of_full_queue(&mut self, facts: &Facts) {
        let open = self.rate.is_none() && self.around.full_port.is_none();
        let queue = facts.full_queue.as_ref().filter(|_| open);
        self.around.full_queue = queue.map(|(named, pps, at)| {
            format!(
                "{FULL_QUEUE}: {named} drops {pps} packets a second ({}). What crosses it waits or is lost, whatever fills it; whether that is what is slow a second reading says, while it is",
                facts.place(*at)
            )
        });
    }

    /// What to change about it.
    pub(crate) fn relieve_port(&self) -> Option<Change> {
        self.around.full_port.as_ref().map(FullPort::change)
    }
}

/// Weighs it.
pub(crate) fn by_full_port(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.full_port.as_ref().map(|full| Item {
        holds: 1.0,
        weights: vec![(Cause::CrossTraffic, DROPS)],
        sentence: full.sentence(),
    }));
}
