//! A host's reverse path filter: packets from addresses to which its own routes lead by another interface are dropped as they arrive.

use std::collections::BTreeMap;

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Fact, Of, Place};
use crate::flows::flow::alike;
use crate::items::Item;
use crate::part::part;
use crate::read::Facts;

/// Packets that the filter dropped, and all that arrived, as a host counts them.
pub(crate) const DROPPED: &str = "host_reverse_path_drops";
pub(crate) const ARRIVED: &str = "host_packets_arrived";

/// The filter's setting: 1 is strict, as facts have it.
pub(crate) const SETTING: &str = "reverse_path_filter";

/// What it is worth where fewer than two signs show it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth with a setting that says that the filter is strict, and without. Choices.
const STRICT: f64 = 124.0;
const COUNTED: f64 = 118.0;

/// Fewer drops any host has from addresses that somebody forged. A choice.
const LEAST: f64 = 5.0;

/// A host whose filter dropped packets from one reading to the next, beside connections that were not answered.
#[derive(Clone, Debug)]
pub(crate) struct ReversePath {
    /// Its name, for people.
    host: String,
    /// Packets that it dropped from one reading to the next.
    dropped: f64,
    /// All that arrived meanwhile, where that was counted.
    arrived: Option<f64>,
    /// Where a text says that the filter is strict.
    strict: Option<Place>,
    /// Whether a text names it as what did not answer, or names no host.
    tied: bool,
    /// What is said of where these counts stand, for people.
    place: String,
}

/// The name of the host that a fact is about, empty where no prompt names it.
fn whose<'f>(facts: &'f Facts, fact: &Fact) -> Option<&'f str> {
    let Of::Host(n) = fact.of else { return None };
    let names = facts.hosts.get(n as usize)?;
    Some(names.first().map_or("", String::as_str))
}

/// A host by its name; without one the texts of one source are of one host.
type Key<'f> = (Option<u32>, &'f str);

/// By how much a counter grew on each host, and where it was read last.
fn grown<'f>(facts: &'f Facts, name: &str) -> BTreeMap<Key<'f>, (f64, Place)> {
    let mut all: BTreeMap<Key<'_>, (f64, f64, Place)> = BTreeMap::new();
    for fact in facts.facts.iter().filter(|f| f.name == name) {
        let Some((host, figure)) = whose(facts, fact).zip(fact.number()) else {
            continue;
        };
        let source = match (host, fact.at) {
            ("", Place::Line(source, _)) => Some(source),
            _ => None,
        };
        let first = (figure.value, 0.0, fact.at);
        let own = all.entry((source, host)).or_insert(first);
        (own.1, own.2) = (figure.value, fact.at);
    }
    let each = all.into_iter();
    each.map(|(host, (first, last, at))| (host, (last - first, at)))
        .collect()
}

/// Whether a text asked a host of this name for something; true of one without a name.
fn is_asked(facts: &Facts, name: &str) -> bool {
    let pinged = facts.pings.iter().flatten().map(String::as_str);
    let fetched = facts.fetches.iter().map(|fetch| fetch.host.as_str());
    name.is_empty() || pinged.chain(fetched).any(|asked| alike(asked, name))
}

impl ReversePath {
    /// Of the host whose filter dropped most; none where it dropped hardly any, or nothing failed.
    fn of(facts: &Facts, failed: bool) -> Option<ReversePath> {
        let dropped = grown(facts, DROPPED).into_iter();
        let most = dropped.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        let (key, (count, at)) = most;
        let host = key.1;
        if !failed || count < LEAST {
            return None;
        }
        let arrived = grown(facts, ARRIVED);
        let arrived = arrived.get(&key).map(|(count, _)| *count);
        let mut own = facts.facts.iter().filter(|f| f.name == SETTING);
        let strict = own.find(|f| {
            let is_strict = f.number().is_some_and(|n| n.value == 1.0);
            is_strict && whose(facts, f) == Some(host)
        });
        Some(ReversePath {
            host: match host {
                "" => "the host that counts them".to_owned(),
                name => name.to_owned(),
            },
            dropped: count,
            arrived: arrived.filter(|all| *all >= count),
            strict: strict.map(|f| f.at),
            tied: is_asked(facts, host),
            place: facts.place(at),
        })
    }

    /// Whether it is known to be the host that did not answer.
    pub(crate) fn is_tied(&self) -> bool {
        self.tied
    }

    /// What it is worth, decibans.
    fn worth(&self) -> f64 {
        match self.strict {
            Some(_) => STRICT,
            None => COUNTED,
        }
    }

    fn sentence(&self) -> String {
        let share = self.arrived.map_or_else(String::new, |all| {
            format!(
                ", {} of all that arrived meanwhile",
                part(self.dropped / all)
            )
        });
        let strict = match self.strict {
            Some(_) => ", which is set to strict (rp_filter = 1),",
            None => "",
        };
        let open = match self.tied {
            true => "",
            false => ". Whether that host is on the way no text says",
        };
        format!(
            "the reverse path filter of {}{strict} dropped {:.0} packets from one reading to the next{share} ({}): its own routes lead to their senders by another interface than they came in by. A SYN that it drops is never answered{open}",
            self.host, self.dropped, self.place
        )
    }

    /// Whose packets it drops.
    pub(crate) fn asks(&self) -> MissingFact {
        MissingFact {
            fact: "martian_sources",
            would_decide:
                "whether the packets that it drops are those of the clients that do not connect"
                    .to_owned(),
            command: format!(
                "on {}: sysctl -w net.ipv4.conf.all.log_martians=1; dmesg -T | grep martian while a client tries; ip route get CLIENT; sysctl -w net.ipv4.conf.all.log_martians=0",
                self.host
            ),
        }
    }

    /// Routes by which answers leave where packets come in, or a filter that is loose.
    fn change(&self) -> Change {
        let set = "sysctl -w net.ipv4.conf.INTERFACE.rp_filter";
        let remedy = Remedy {
            commands: vec![
                "ip route get CLIENT, with an address that does not connect: another interface than that by which its packets come in is what the filter refuses".to_owned(),
                "a route to those networks by the interface that they come in by; or with two uplinks a table and an `ip rule` for each, so that answers leave where the packets came in".to_owned(),
                format!("or a loose filter: {set}=2, with INTERFACE that by which they come in. Of this and of `all` the larger counts"),
                "nstat -az TcpExtIPReversePathFilter no longer grows then".to_owned(),
            ],
            undo: vec![format!(
                "{set}=VALUE, with the value that `sysctl net.ipv4.conf.INTERFACE.rp_filter` printed before"
            )],
            persist: vec!["net.ipv4.conf.INTERFACE.rp_filter = 2 in a file of /etc/sysctl.d".to_owned()],
            risk: "a loose filter lets in forged packets with the address of any host to which a route leads".to_owned(),
            ..Remedy::default()
        };
        remedy.change(&self.host, None, None)
    }
}

impl Evidence {
    /// Takes such a filter, where nothing was transferred and something was not answered.
    pub(crate) fn of_reverse_path(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        let failed = facts.refused.timed_out.is_some() || self.answers_no_ping();
        self.reverse_path = ReversePath::of(facts, failed).filter(|_| nothing);
    }

    /// What to change about it.
    pub(crate) fn open_reverse_path(&self) -> Option<Change> {
        self.reverse_path.as_ref().map(ReversePath::change)
    }
}

/// Weighs it.
pub(crate) fn by_reverse_path(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.reverse_path.as_ref().map(|own| Item {
        holds: 1.0,
        weights: match own.tied {
            true => vec![(Cause::ReversePath, own.worth())],
            false => Vec::new(),
        },
        sentence: own.sentence(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    const COUNTS: &str = "\
root@srv:~# nstat -az TcpExtIPReversePathFilter IpInReceives | tail -2
IpInReceives                    8812001            0.0
TcpExtIPReversePathFilter       41022              0.0
root@srv:~# nstat -az TcpExtIPReversePathFilter IpInReceives | tail -2
IpInReceives                    8822110            0.0
TcpExtIPReversePathFilter       41391              0.0
root@srv:~# sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.eth1.rp_filter
net.ipv4.conf.all.rp_filter = 1
net.ipv4.conf.eth1.rp_filter = 1
";

    fn of(text: &str, failed: bool) -> Option<ReversePath> {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        ReversePath::of(&facts, failed)
    }

    #[test]
    fn packets_that_a_filter_drops_are_counted_with_their_share() {
        let own = of(COUNTS, true).expect("it dropped some");
        assert_eq!(own.worth(), STRICT);
        let said = own.sentence();
        assert!(said.contains("of srv, which is set to strict"), "{said}");
        assert!(said.contains("dropped 369 packets"), "{said}");
        assert!(said.contains("3.65 % of all"), "{said}");
    }

    #[test]
    fn counts_that_stay_and_hosts_that_answer_say_nothing() {
        assert!(of(COUNTS, false).is_none());
        assert!(of(&COUNTS.replace("41391", "41022"), true).is_none());
        let loose = COUNTS.replace("rp_filter = 1", "rp_filter = 2");
        assert_eq!(of(&loose, true).map(|own| own.worth()), Some(COUNTED));
    }
}
