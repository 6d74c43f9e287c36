//! Tables of what several ports counted, after all texts: where they were read twice, the only port whose count grew is the flow's, for all
//! that is known. What others counted is noted.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::read::{Facts, Member, NOTES_MAX};

/// Most ports that a note names.
const NAMED: usize = 6;

/// The first and the last reading of each port, of a kind.
fn readings(all: &[PortReading], kind: Kind) -> BTreeMap<&Port, [&PortReading; 2]> {
    let mut each: BTreeMap<&Port, [&PortReading; 2]> = BTreeMap::new();
    let mut own: Vec<&PortReading> = all.iter().filter(|r| r.kind == kind).collect();
    own.sort_by_key(|r| r.at);
    for reading in own {
        each.entry(&reading.port).or_insert([reading, reading])[1] = reading;
    }
    each
}

/// The ports at which a kind grew from the first reading to the last, by how much, and where that stands.
fn grown(all: &[PortReading], kind: Kind) -> BTreeMap<Port, (f64, Place)> {
    let by = |(port, [first, last]): (&Port, [&PortReading; 2])| {
        (port.clone(), (last.value - first.value, last.at))
    };
    let mut each: BTreeMap<Port, (f64, Place)> = readings(all, kind).into_iter().map(by).collect();
    each.retain(|_, (by, _)| *by > 0.0);
    each
}

/// What stands at ports that another router has than this one, or at all of them.
fn standing(all: &[PortReading], kind: Kind, but: Option<&Port>) -> BTreeMap<Port, (f64, Place)> {
    let last =
        |(port, [_, last]): (&Port, [&PortReading; 2])| (port.clone(), (last.value, last.at));
    let mut each: BTreeMap<Port, (f64, Place)> =
        readings(all, kind).into_iter().map(last).collect();
    each.retain(|port, (n, _)| *n > 0.0 && but.is_none_or(|but| but.router != port.router));
    each
}

impl Facts {
    /// Takes of the tables that were read what is of the only port at which a kind grew, unless a port that the texts name by itself grew as
    /// well. The rest is noted.
    pub(in crate::read) fn settle_tables(&mut self) {
        let all = core::mem::take(&mut self.tabled);
        let kinds: BTreeSet<Kind> = all.iter().map(|r| r.kind).collect();
        for kind in kinds {
            let mut grew = match kind.counts_up() {
                true => grown(&all, kind),
                false => BTreeMap::new(),
            };
            let alone = grew.len() == 1 && grown(&self.ports, kind).is_empty();
            if alone && let Some((port, _)) = grew.pop_first() {
                let own = all.iter().filter(|r| r.kind == kind && r.port == port);
                self.ports.extend(own.cloned());
                note(kind, "", &standing(&all, kind, Some(&port)), self);
            } else if grew.is_empty() {
                let counts = standing(&all, kind, None);
                if kind == Kind::Damaged {
                    self.damaged_member = self.only_member(&counts);
                }
                note(kind, "", &counts, self);
            } else {
                note(kind, " from one reading to the next", &grew, self);
            }
        }
    }
}

impl Facts {
    /// The only port that counts something, where the texts have it as a member of a group of links.
    fn only_member(&self, counts: &BTreeMap<Port, (f64, Place)>) -> Option<String> {
        let (port, (count, _)) = counts.first_key_value().filter(|_| counts.len() == 1)?;
        let is_it = |m: &&Member| m.device == port.router && is_short_of(&port.name, &m.name);
        let member = self.members.iter().find(is_it)?;
        let group = match member.group.as_str() {
            "" => "a group of links",
            group => group,
        };
        let named = port.named("a port");
        Some(format!(
            "{named} alone counts damaged frames, {count:.0}, and is a member of {group}"
        ))
    }
}

impl Facts {
    /// The group of links that all of these ports are members of.
    fn common_group<'a>(&self, mut ports: impl Iterator<Item = &'a Port>) -> Option<&str> {
        let of = |port: &Port| {
            let is_it = |m: &&Member| m.device == port.router && is_short_of(&port.name, &m.name);
            let own = self.members.iter().find(is_it)?;
            (!own.group.is_empty()).then_some((own.device.as_str(), own.group.as_str()))
        };
        let first = of(ports.next()?)?;
        ports.all(|port| of(port) == Some(first)).then_some(first.1)
    }
}

/// Whether a port's name is another's, or short for it: `Et50` of `Ethernet50`.
fn is_short_of(name: &str, whole: &str) -> bool {
    let parts = |name: &str| {
        let digit = name
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(name.len());
        let (begin, number) = name.split_at(digit);
        (begin.to_ascii_lowercase(), number.to_owned())
    };
    let ((begin, number), (long, own)) = (parts(name), parts(whole));
    number == own && !begin.is_empty() && long.starts_with(&begin)
}

/// What several ports counted of a kind, and since when.
fn note(kind: Kind, since: &str, ports: &BTreeMap<Port, (f64, Place)>, facts: &mut Facts) {
    let Some((_, (_, at))) = ports.iter().next() else {
        return;
    };
    if facts.notes.len() >= NOTES_MAX {
        return;
    }
    let what = match kind {
        Kind::Damaged => "count frames that arrived damaged",
        Kind::Dropped => "count packets that their queues dropped",
        Kind::Refused => "count packets dropped as they arrived",
        Kind::Dark => "receive too little light",
        _ => "count errors",
    };
    let count = |(port, (n, _)): (&Port, &(f64, Place))| match kind {
        Kind::Dark => port.named("a port"),
        _ => format!("{} {n:.0}", port.named("a port")),
    };
    let each: Vec<String> = ports.iter().take(NAMED).map(count).collect();
    let more = match ports.len() - each.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let crosses = match facts.common_group(ports.keys()).filter(|_| ports.len() > 1) {
        Some(group) => format!(
            "they are members of {group}, of which one connection takes one: which, test etherchannel load-balance of IOS and show port-channel load-balance of NX-OS say"
        ),
        None => "nothing says which port the flow crosses".to_owned(),
    };
    let note = format!(
        "{}: ports {what}{since}: {}{more}; {crosses}, and none of this is weighed: add what its port prints by itself",
        facts.place(*at),
        each.join(", ")
    );
    facts.notes.push(note);
}

#[cfg(test)]
mod tests {
    use crate::interfaces::port::Kind;
    use crate::read::taken::whole;

    /// The errors of three ports, the last of them the packets that their queues dropped.
    fn table(dropped: [u32; 3]) -> String {
        let [a, b, c] = dropped;
        format!(
            "sw1#show interfaces counters errors
Port        Align-Err     FCS-Err    Xmit-Err     Rcv-Err  UnderSize  OutDiscards
Gi1/0/1             0           0           0           0          0        {a}
Gi1/0/2             0           0           0           0          0        {b}
Gi1/0/5             0           0           0           0          0        {c}
"
        )
    }

    /// The port with the most drops of all stood still, and the one that grew was not named.
    #[test]
    fn of_tables_that_were_read_twice_the_only_port_that_grew_is_taken() {
        let text = table([90_000, 0, 0]) + &table([90_000, 0, 190]);
        let (facts, all) = whole(&text);
        assert!(all, "{:?}", facts.ignored);
        let taken = facts.ports.iter().filter(|r| r.kind == Kind::Dropped);
        let taken: Vec<(&str, f64)> = taken.map(|r| (r.port.name.as_str(), r.value)).collect();
        assert_eq!(taken, [("Gi1/0/5", 0.0), ("Gi1/0/5", 190.0)]);
        assert_eq!(facts.notes, Vec::<String>::new());
    }

    /// Of two that grew nothing says which the flow crosses, nor of a single reading.
    #[test]
    fn of_several_ports_that_grew_none_is_taken() {
        let both = table([90_000, 7, 0]) + &table([90_000, 40, 190]);
        for (text, said) in [
            (
                both,
                "dropped from one reading to the next: Gi1/0/2 of sw1 33, Gi1/0/5 of sw1 190; nothing says",
            ),
            (
                table([90_000, 0, 190]),
                "dropped: Gi1/0/1 of sw1 90000, Gi1/0/5 of sw1 190; nothing says",
            ),
        ] {
            let (facts, _) = whole(&text);
            assert!(facts.ports.iter().all(|r| r.kind != Kind::Dropped));
            assert_eq!(facts.notes.len(), 1, "{:?}", facts.notes);
            assert!(facts.notes[0].contains(said), "{:?}", facts.notes);
        }
    }
}
