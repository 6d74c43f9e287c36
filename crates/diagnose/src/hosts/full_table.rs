//! A firewall's or host's full table of connections (`nf_conntrack`): what would begin another is dropped, and its SYN sent again.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Fact, Of, Place};
use crate::flows::flow::alike;
use crate::items::Item;
use crate::read::sysctl::{KEPT, KEPT_MOST};
use crate::read::{Facts, TableFull};

/// What it is worth where fewer than two signs show it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth by all three signs, by a log and a table that is still full, and by two of which one is a connection that failed. Choices:
/// neither the log nor the table need be of the time at which connections failed.
const ALL: f64 = 126.0;
const STILL: f64 = 120.0;
const FAILED: f64 = 116.0;

/// The most that is said of a table beside a connection that failed, where no text says that it went through the table's host, or when. A choice.
const UNTIED: f64 = 0.6;

/// The setting that says how many connections are kept.
const MOST: &str = "net.netfilter.nf_conntrack_max";

/// A table with this part of its room in use is full: some go and come between two readings.
const FULL: f64 = 0.98;

/// A table that has as many connections as it keeps.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    host: String,
    kept: f64,
    most: f64,
    at: Place,
}

impl Counted {
    /// A table that is full.
    fn of(facts: &Facts) -> Option<Counted> {
        Counted::last(facts).filter(|counted| counted.kept >= FULL * counted.most)
    }

    /// By the last reading of a count, and the last of the most on the same host.
    fn last(facts: &Facts) -> Option<Counted> {
        let name = |fact: &Fact| match fact.of {
            Of::Host(n) => facts.hosts.get(n as usize)?.first().map(String::as_str),
            _ => None,
        };
        let value = |fact: &Fact| fact.number().map(|figure| figure.value);
        let mut all = facts.facts.iter().rev();
        let kept = all.find(|fact| fact.name == KEPT)?;
        let own = |fact: &&Fact| fact.name == KEPT_MOST && name(fact) == name(kept);
        let most = facts.facts.iter().rev().find(own)?;
        let counted = Counted {
            host: name(kept).unwrap_or("").to_owned(),
            kept: value(kept)?,
            most: value(most)?,
            at: kept.at,
        };
        (counted.most > 0.0).then_some(counted)
    }
}

/// A table with less than this part of its room in use was full at another time, if ever. A choice.
const ROOMY: f64 = 0.5;

/// That a table which a kernel logged as full has room where its connections were counted, for people.
pub(crate) fn emptied(facts: &Facts) -> Option<String> {
    let TableFull { host, at, .. } = facts.refused.table_full.as_ref()?;
    let now = Counted::last(facts).filter(|now| now.kept < ROOMY * now.most)?;
    let same = host.is_empty() || now.host.is_empty() || now.host == *host;
    same.then(|| {
        format!(
            "{}: the table of connections has {:.0} of {:.0} in use: that it was full ({}) is of another time",
            facts.place(now.at),
            now.kept,
            now.most,
            facts.place(*at)
        )
    })
}

/// A table that is full, by two of three signs: its kernel's log, its count, and connections that opened late or never.
#[derive(Clone, Debug)]
pub(crate) struct FullTable {
    /// Whose it is, for people.
    host: String,
    counted: Option<Counted>,
    /// What the signs say, for people.
    said: Vec<String>,
    /// What they are worth together, decibans.
    worth: f64,
    /// Nothing ties the connections that failed to its host.
    untied: bool,
}

impl FullTable {
    /// Of a text with two of the signs at least.
    fn of(facts: &Facts) -> Option<FullTable> {
        let refused = &facts.refused;
        let logged = refused.table_full.as_ref();
        let of_log = logged.map_or("", |full| full.host.as_str());
        // A table of another host than the log's is another table.
        let same = |counted: &Counted| {
            of_log.is_empty() || counted.host.is_empty() || counted.host == of_log
        };
        let counted = Counted::of(facts).filter(same);
        // What was logged at a date that no text has may be of any time, unless the table is full now.
        let is_now =
            |full: &TableFull| full.logged.is_none_or(|at| facts.moments.has_date_near(at));
        let logged = logged.filter(|full| counted.is_some() || is_now(full));
        let late = refused.asked_again.map(|at| (at, true));
        let failed = refused.timed_out.map(|at| (at, false)).or(late);
        let worth = match (logged.is_some(), &counted, failed) {
            (true, Some(_), Some(_)) => ALL,
            (true, Some(_), None) => STILL,
            (true, None, Some(_)) | (false, Some(_), Some(_)) => FAILED,
            _ => return None,
        };
        let of_count = counted.as_ref().map_or("", |counted| counted.host.as_str());
        let host = match (of_log, of_count) {
            ("", "") => "the host of that table",
            ("", name) | (name, _) => name,
        };
        let by_log = logged.map(|full| {
            let at = facts.place(full.at);
            format!("the table of connections of {host} is full, as its kernel says ({at})")
        });
        let by_count = counted.as_ref().map(|counted| {
            format!(
                "{} keeps {:.0} connections, and {:.0} at most ({})",
                if logged.is_some() { "it" } else { host },
                counted.kept,
                counted.most,
                facts.place(counted.at)
            )
        });
        let by_failure = failed.map(|(at, late)| {
            format!(
                "a connection {} ({})",
                match late {
                    true => "opened so late that its SYN had been sent again",
                    false => "timed out before it was open",
                },
                facts.place(at)
            )
        });
        let mut reached = facts.prompts.reached.iter();
        let known = reached.any(|(who, whom)| alike(who, host) || alike(whom, host));
        Some(FullTable {
            untied: !known && worth <= FAILED,
            host: host.to_owned(),
            counted,
            said: [by_log, by_count, by_failure]
                .into_iter()
                .flatten()
                .collect(),
            worth,
        })
    }

    fn sentence(&self) -> String {
        let through = match self.untied {
            true => format!(
                ". That these connections go through {}, and that its table was full then, is assumed, as no text says so",
                self.host
            ),
            false => String::new(),
        };
        format!(
            "{}: a SYN for which the table of connections has no room is dropped, and sent again after 1, 3 and 7 s (RFC 6298){through}",
            self.said.join("; ")
        )
    }

    /// Whether the table is still full, where no text says how many connections it has.
    pub(crate) fn asks(&self) -> Option<MissingFact> {
        self.counted.is_none().then(|| MissingFact {
            fact: KEPT,
            would_decide: "whether the table is full while connections fail: the first number is near the second then".to_owned(),
            command: format!(
                "on {}, several times: sysctl net.netfilter.nf_conntrack_count {MOST}",
                self.host
            ),
        })
    }

    /// Room for more of them, or fewer that are kept.
    fn change(&self) -> Change {
        let twice = self.counted.as_ref().map(|counted| 2.0 * counted.most);
        let (room, with) = match twice {
            Some(twice) => (format!("{twice:.0}"), "twice what it is"),
            None => ("N".to_owned(), "with twice what it was"),
        };
        let remedy = Remedy {
            commands: vec![
                format!("sysctl net.netfilter.nf_conntrack_count {MOST}, and keep what it prints: the first is near the second while it is full"),
                format!("sysctl -w {MOST}={room}, {with}; each takes some 300 bytes of memory"),
                "sysctl net.netfilter.nf_conntrack_buckets: with less than a quarter of that most, look-ups take longer; sysctl -w sets it, or /sys/module/nf_conntrack/parameters/hashsize".to_owned(),
                "conntrack -S: drop and insert_failed no longer grow; conntrack -L | head -1000: whose connections these are, and in which state".to_owned(),
                "or do not keep what needs none: a rule with notrack for such traffic in the table raw, and shorter net.netfilter.nf_conntrack_tcp_timeout_established".to_owned(),
            ],
            undo: vec![match &self.counted {
                Some(counted) => format!("sysctl -w {MOST}={:.0}", counted.most),
                None => format!(
                    "sysctl -w {MOST}=VALUE, with the value that `sysctl {MOST}` printed before"
                ),
            }],
            persist: vec![format!("{MOST} = {room} in a file of /etc/sysctl.d")],
            risk: "a rule with notrack takes its traffic from what depends on states, such as NAT"
                .to_owned(),
            ..Remedy::default()
        };
        let mut change = remedy.change(&self.host, None, None);
        if self.untied {
            let first = format!(
                "first make sure that the connections go through {host}: traceroute -n SERVER on the client, with the server in its place: whether a hop is an address of {host}",
                host = self.host
            );
            change.commands.insert(0, first);
        }
        change
    }
}

impl Evidence {
    /// Takes a full table, where nothing was transferred.
    pub(crate) fn of_full_table(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        self.around.full_table = FullTable::of(facts).filter(|_| nothing);
    }

    /// The most that is said of a table of which no text says that a connection went through its host.
    pub(crate) fn at_most_of_full_table(&self, cause: Cause) -> f64 {
        let table = self.around.full_table.as_ref();
        match table.filter(|table| table.untied && cause == Cause::FullTable) {
            Some(_) => UNTIED,
            None => 1.0,
        }
    }

    /// What to change about it.
    pub(crate) fn empty_table(&self) -> Option<Change> {
        self.around.full_table.as_ref().map(FullTable::change)
    }
}

/// Weighs it.
pub(crate) fn by_full_table(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.full_table.as_ref().map(|table| Item {
        holds: 1.0,
        weights: vec![(Cause::FullTable, table.worth)],
        sentence: table.sentence(),
    }));
}
