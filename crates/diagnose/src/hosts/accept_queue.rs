//! A server's accept queue that is full: its program does not take connections as fast as they come, others are not let in, and their SYNs are
//! sent again.

use std::collections::BTreeMap;

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Fact, Of, Place};
use crate::items::Item;
use crate::read::counters::OVERFLOWS;
use crate::read::sysctl::BACKLOG_MOST;
use crate::read::{Facts, FullQueue};

/// What it is worth where fewer than two signs show it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth by all three signs, by two, and by two without the queue itself: the count may be of another time. A choice.
const ALL: f64 = 126.0;
const TWO: f64 = 116.0;
const COUNTED: f64 = 112.0;

/// The setting that bounds every backlog, and what it is set to at least.
const MOST: &str = "net.core.somaxconn";
const ROOM: u64 = 4096;

/// What a host counts of connections that found a queue full.
#[derive(Clone, Debug, PartialEq)]
struct Overflows {
    host: String,
    count: f64,
    /// It is by how much it grew from one reading to another, and not all since the host's start.
    grew: bool,
    at: Place,
}

impl Overflows {
    /// Of the host that counts most.
    fn of(facts: &Facts) -> Option<Overflows> {
        let mut all: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
        for fact in facts.facts.iter().filter(|f| f.name == OVERFLOWS) {
            let Of::Host(host) = fact.of else { continue };
            let names = facts.hosts.get(host as usize);
            let name = names.and_then(|names| names.first());
            let of_host = all.entry(name.map_or("", String::as_str)).or_default();
            of_host.push(fact);
        }
        let each = all.into_iter().filter_map(|(host, readings)| {
            let value = |fact: &&Fact| fact.number().map(|figure| figure.value);
            let first = readings.first().and_then(value)?;
            let last = readings.last()?;
            let stood = value(last)?;
            let grew = stood > first;
            Some(Overflows {
                host: host.to_owned(),
                count: if grew { stood - first } else { stood },
                grew,
                at: last.at,
            })
        });
        let some = each.filter(|of| of.count > 0.0);
        some.max_by(|a, b| a.count.total_cmp(&b.count))
    }
}

/// A queue that is full, by two of three signs: the queue, the kernel's count, and connections that opened late or never.
#[derive(Clone, Debug)]
pub(crate) struct AcceptQueue {
    full: Option<FullQueue>,
    counted: Option<Overflows>,
    /// Where a connection opened late, and whether it did at all.
    late: Option<(Place, bool)>,
    /// The most that a backlog may be, where a text says it.
    most: Option<f64>,
    /// What the signs say, for people.
    said: Vec<String>,
}

/// What keeps it.
fn kept(room: u64) -> String {
    format!("{MOST} = {room} in a file of /etc/sysctl.d")
}

/// What the only host that says it lets a backlog be; none of several.
fn most(facts: &Facts) -> Option<f64> {
    let mut all = facts.facts.iter().filter(|f| f.name == BACKLOG_MOST);
    let most = all.next()?.number()?.value;
    let same = |fact: &Fact| {
        fact.number()
            .is_some_and(|n| n.value.total_cmp(&most).is_eq())
    };
    all.all(same).then_some(most)
}

impl AcceptQueue {
    /// Of texts with two of the signs at least.
    fn of(facts: &Facts) -> Option<AcceptQueue> {
        let refused = &facts.refused;
        let never = refused.timed_out.map(|at| (at, false));
        let mut all = AcceptQueue {
            full: refused.full_queue.clone(),
            counted: Overflows::of(facts),
            late: refused.asked_again.map(|at| (at, true)).or(never),
            most: most(facts),
            said: Vec::new(),
        };
        all.said = all.sentences(facts);
        (all.said.len() > 1).then_some(all)
    }

    /// What each of the signs says.
    fn sentences(&self, facts: &Facts) -> Vec<String> {
        let full = self.full.as_ref().map(|full| {
            format!(
                "{} connections wait in the accept queue of {}, with a backlog of {} ({})",
                full.waiting,
                full.local,
                full.backlog,
                facts.place(full.at)
            )
        });
        let counted = self.counted.as_ref().map(|of| {
            format!(
                "the kernel counts {:.0} connections that found such a queue full{} ({})",
                of.count,
                match of.grew {
                    true => ", from one reading to the next",
                    false => ", since its start",
                },
                facts.place(of.at)
            )
        });
        let late = self.late.map(|(at, opened)| {
            format!(
                "a connection {} ({})",
                match opened {
                    true => "opened so late that its SYN had been sent again",
                    false => "timed out before it was open",
                },
                facts.place(at)
            )
        });
        [full, counted, late].into_iter().flatten().collect()
    }

    /// What the signs are worth together, decibans.
    fn worth(&self) -> f64 {
        let grew = self.counted.as_ref().is_some_and(|of| of.grew);
        match (self.said.len(), &self.full) {
            (3.., _) => ALL,
            (_, None) if !grew => COUNTED,
            _ => TWO,
        }
    }

    /// The sign that is missing.
    pub(crate) fn asks(&self) -> Vec<MissingFact> {
        let ask = |fact, would_decide: &str, command: &str| MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command: command.to_owned(),
        };
        let full = ask(
            "accept_queue",
            "whether the queue is full while connections open late: its Recv-Q is above its Send-Q then",
            "on the server, several times while it is slow: ss -ltn",
        );
        let counted = ask(
            OVERFLOWS,
            "whether connections find the queue full: by how much the count grows",
            "on the server, twice, some seconds apart: nstat -az TcpExtListenOverflows TcpExtListenDrops",
        );
        let late = ask(
            "time_connect",
            "whether connections open late: 1, 3 or 7 s are SYNs that were sent again (RFC 6298)",
            "on a client, several times: curl -s -o /dev/null -w '%{time_connect}\\n' URL",
        );
        let lacks = [
            (self.full.is_none(), full),
            (self.counted.is_none(), counted),
            (self.late.is_none(), late),
        ];
        let lacks = lacks.into_iter().filter(|(lacks, _)| *lacks);
        lacks.map(|(_, fact)| fact).collect()
    }

    /// A program that accepts faster, and room for bursts.
    fn change(&self) -> Change {
        let counted = self.counted.as_ref().map(|of| of.host.as_str());
        let full = self.full.as_ref().map(|full| full.host.as_str());
        let named = full
            .into_iter()
            .chain(counted)
            .find(|name| !name.is_empty());
        let backlog = self.full.as_ref().map_or(0, |full| full.backlog);
        let room = backlog.saturating_mul(4).max(ROOM);
        let enough = self.most.filter(|most| *most >= room as f64);
        let bursts = match enough {
            Some(most) => format!(
                "where bursts fill the queue: a backlog of {room} in the program's own settings (of nginx: listen PORT backlog={room}); {MOST} is {most:.0}, and lets it. Start the program again, which asks for its backlog once"
            ),
            None => format!(
                "where bursts fill the queue: a backlog of {room} in the program's own settings (of nginx: listen PORT backlog={room}), and sysctl -w {MOST}={room}, as the smaller of the two holds. Start the program again, which asks for its backlog once"
            ),
        };
        let (undo, persist) = match (enough, self.most) {
            (Some(_), _) => ("the backlog as it was".to_owned(), Vec::new()),
            (None, Some(most)) => (format!("sysctl -w {MOST}={most:.0}"), vec![kept(room)]),
            (None, None) => (
                format!(
                    "sysctl -w {MOST}=VALUE, with the value that `sysctl {MOST}` printed before"
                ),
                vec![kept(room)],
            ),
        };
        let remedy = Remedy {
            commands: vec![
                "let the program accept faster: more workers or threads. Where its processors are idle, its workers wait for something else, such as a database".to_owned(),
                bursts,
                "ss -ltn; nstat -az TcpExtListenOverflows: Recv-Q stays below Send-Q, and the count no longer grows".to_owned(),
            ],
            undo: vec![undo],
            persist,
            risk: "clients wait longer in a longer queue, and the program is not faster for it"
                .to_owned(),
            ..Remedy::default()
        };
        remedy.change(named.unwrap_or("the server"), None, None)
    }
}

impl Evidence {
    /// Takes a full accept queue, where nothing was transferred.
    pub(crate) fn of_accept_queue(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        self.around.accept_queue = AcceptQueue::of(facts).filter(|_| nothing);
    }

    /// What to change about it.
    pub(crate) fn empty_queue(&self) -> Option<Change> {
        self.around.accept_queue.as_ref().map(AcceptQueue::change)
    }

    /// Whether the wait before any data is explained, and nothing is left to ask.
    pub(crate) fn explains_waiting(&self) -> bool {
        let queue = self.around.accept_queue.as_ref();
        let names = self.around.names.as_ref();
        let named = names.is_some_and(|names| names.asks().is_none());
        let table = self.around.full_table.as_ref();
        let full = table.is_some_and(|table| table.asks().is_none());
        queue.is_some_and(|queue| queue.asks().is_empty()) || queue.is_none() && (named || full)
    }
}

/// Weighs it.
pub(crate) fn by_accept_queue(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.accept_queue.as_ref().map(|queue| Item {
        holds: 1.0,
        weights: vec![(Cause::AcceptQueue, queue.worth())],
        sentence: format!(
            "{}: what finds the queue full is dropped, and its SYN sent again after 1, 3 and 7 s (RFC 6298)",
            queue.said.join("; ")
        ),
    }));
}
