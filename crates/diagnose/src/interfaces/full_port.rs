//! A router's port that is full and drops, where no test says how fast a flow was: others fill it.

use crate::advice::{NO_RISK, Remedy};
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::Item;
use crate::ports::{Counted, Kind, Port, counts, speeds};
use crate::read::Facts;

/// A port is full from this part of its rate on: what it says is a mean of half a minute or more, and without preambles and gaps. A choice.
const FULL: f64 = 0.9;

/// What it is worth where the same port's queue has dropped, decibans. A choice: these drops need not be of the time of its rate.
const DROPS: f64 = 24.0;

/// A port that sends nearly all that it can, and whose queue has dropped.
#[derive(Clone, Debug)]
pub(crate) struct FullPort {
    port: Port,
    /// What leaves by it, and its speed, bit/s.
    leaves: f64,
    speed: f64,
    /// Packets that its queue dropped.
    dropped: f64,
    /// Where the first and the last of them were read, for people.
    read: [String; 2],
}

impl FullPort {
    /// The port that dropped most of those that are full.
    fn of(facts: &Facts) -> Option<FullPort> {
        let (leaves, speeds) = (counts(facts, Kind::Leaves), speeds(facts));
        let at = |all: &[Counted], port: &Port| {
            let own = all.iter().find(|c| c.port == *port);
            own.map(|c| c.count.clone())
        };
        let place = |figure: &Figure| {
            let at = figure.from.first();
            at.map_or_else(String::new, |at| facts.place(*at))
        };
        let each = counts(facts, Kind::Dropped)
            .into_iter()
            .filter_map(|queue| {
                let port = queue.port;
                let sent = at(&leaves, &port)?;
                let speed = at(&speeds, &port)?.value;
                let dropped = queue.count.value;
                let full = sent.value >= FULL * speed && dropped > 0.0 && !port.name.is_empty();
                full.then(|| FullPort {
                    read: [place(&sent), place(&queue.count)],
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
        format!(
            "{} sends {}, {:.0} % of its {} ({rate}), and its queue has dropped {:.0} packets ({drops}): the port is full, and what crosses it waits or is lost",
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
            command: format!(
                "twice, a minute apart, while it is slow: show interface {} and show interface {} counters errors",
                self.port.name, self.port.name
            ),
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

impl Evidence {
    /// Takes a full port that drops, where no test says how fast a flow was.
    pub(crate) fn of_full_port(&mut self, facts: &Facts) {
        if self.rate.is_none() && !self.udp {
            self.around.full_port = FullPort::of(facts);
        }
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
