//! `firewall`, and where interfaces apply it.

use farpath_units::{Rate, Size};

use super::class::{code_points, precedence};
use super::model::Stated;
use super::read::Reader;
use super::tree::Id;
use super::values::{bytes, number, rate, text};
use crate::finding::quoted;
use crate::source::Place;

/// Families whose filters and policers are read.
const FAMILIES: [&str; 4] = ["inet", "inet6", "mpls", "ccc"];

/// `firewall policer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policer {
    /// Its name.
    pub name: Stated<String>,
    /// `bandwidth-limit`.
    pub rate: Option<Stated<Rate>>,
    /// `bandwidth-percent`, of the interface's rate.
    pub percent: Option<Stated<u64>>,
    /// `burst-size-limit`.
    pub burst: Option<Stated<Size>>,
    /// What exceeds it is dropped.
    pub discards: bool,
}

/// A filter: terms in order, of which a frame meets the first that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// `inet` where none is written.
    pub family: String,
    /// Its name.
    pub name: Stated<String>,
    /// Its terms. What matches none is discarded.
    pub terms: Vec<Term>,
}

/// A term of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its name.
    pub name: String,
    /// Its name's place.
    pub place: Place,
    /// Conditions, all of which must hold.
    pub from: Vec<Stated<Condition>>,
    /// `then policer`.
    pub policer: Option<Stated<String>>,
    /// `then forwarding-class`.
    pub class: Option<Stated<String>>,
    /// `then discard` or `then reject`; anything else lets frames pass.
    pub discards: bool,
}

/// A condition on a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// DSCP among these.
    Dscp(Vec<u8>),
    /// IP precedence among these.
    Precedence(Vec<u8>),
    /// A label's experimental bits among these.
    Exp(Vec<u8>),
    /// The IP protocol among these, by name or number.
    Protocol(Vec<String>),
    /// A condition farpath does not know, by its first word.
    Other(String),
}

/// Which way frames go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Into the router.
    Input,
    /// Out of it.
    Output,
}

/// A filter or a policer on a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its family.
    pub family: &'static str,
    /// Which frames it meets.
    pub side: Side,
    /// Whether a filter is named, or else a policer.
    pub filter: bool,
    /// The name.
    pub name: Stated<String>,
}

impl Condition {
    /// Whether neither TCP nor UDP meets it.
    pub fn is_of_no_data(&self) -> bool {
        let data = ["tcp", "udp", "6", "17"];
        match self {
            Condition::Protocol(all) => all.iter().all(|p| {
                // Ranges of numbers, and exceptions, are not read.
                !data.contains(&p.as_str()) && !p.contains('-')
            }),
            _ => false,
        }
    }
}

/// The least rate of a policer, bit/s (Junos, `bandwidth-limit`).
const LEAST: u64 = 8_000;

fn limit(text: &str) -> Option<Rate> {
    rate(text).filter(|rate| rate.as_bps() >= LEAST)
}

impl Reader<'_, '_> {
    pub(super) fn policers(&mut self, id: Id) -> Vec<Policer> {
        let mut all = Vec::new();
        for p in self.active(id, &["firewall", "policer"]) {
            let Some(name) = self.stated(p, "policer", text, "a name") else {
                continue;
            };
            let mut policer = Policer {
                name,
                rate: None,
                percent: None,
                burst: None,
                discards: self.at(p, &["then", "discard"]).is_some(),
            };
            if let Some(limits) = self.child(p, "if-exceeding") {
                let (wanted, share) = ("8k bit/s or more, `50m`", "a share in percent");
                policer.rate = self.value(limits, "bandwidth-limit", limit, wanted);
                policer.percent = self.value(limits, "bandwidth-percent", number, share);
                policer.burst = self.value(limits, "burst-size-limit", bytes, "bytes, `625k`");
            }
            all.push(policer);
        }
        all
    }

    pub(super) fn filters(&mut self, id: Id) -> Vec<Filter> {
        let mut all = Vec::new();
        let families = self.active(id, &["firewall", "family"]);
        let families = families.into_iter().map(|f| (f, self.tree.node(f).word));
        let top = self.child(id, "firewall").map(|f| (f, "inet"));
        for (at, family) in top.into_iter().chain(families) {
            for f in self.active(at, &["filter"]) {
                let Some(name) = self.stated(f, "filter", text, "a name") else {
                    continue;
                };
                let terms = self.active(f, &["term"]);
                all.push(Filter {
                    family: family.to_owned(),
                    name,
                    terms: terms.into_iter().map(|t| self.term(t)).collect(),
                });
            }
        }
        all
    }

    fn term(&mut self, id: Id) -> Term {
        let conditions = self.active(id, &["from"]);
        let then = self.child(id, "then");
        let says = |word: &str| then.is_some_and(|t| self.child(t, word).is_some());
        let discards = says("discard") || says("reject");
        Term {
            name: self.tree.node(id).word.to_owned(),
            place: self.place(id),
            from: conditions.into_iter().map(|c| self.condition(c)).collect(),
            policer: then.and_then(|t| self.value(t, "policer", text, "a policer's name")),
            class: then.and_then(|t| self.value(t, "forwarding-class", text, "a class's name")),
            discards,
        }
    }

    fn condition(&mut self, id: Id) -> Stated<Condition> {
        let word = self.tree.node(id).word;
        let marks: Option<fn(&str) -> Option<u8>> = match word {
            "dscp" | "traffic-class" => Some(|w| code_points(w, 6)),
            "precedence" => Some(precedence),
            "exp" => Some(|w| code_points(w, 3)),
            _ => None,
        };
        let values: Vec<Id> = self.active(id, &[]);
        let read = marks.map(|read| {
            let wanted = "code points by name or number";
            let stated = values.into_iter();
            let stated = stated.filter_map(|v| self.stated(v, word, read, wanted));
            stated.map(|s| s.value).collect::<Vec<u8>>()
        });
        let value = match (word, read) {
            ("precedence", Some(all)) => Condition::Precedence(all),
            ("exp", Some(all)) => Condition::Exp(all),
            (_, Some(all)) => Condition::Dscp(all),
            ("protocol" | "next-header" | "payload-protocol", None) => {
                let all = self.active(id, &[]);
                let words = all.into_iter().map(|v| self.tree.node(v).word.to_owned());
                Condition::Protocol(words.collect())
            }
            (_, None) => Condition::Other(quoted(word)),
        };
        Stated {
            value,
            place: self.place(id),
            applied: None,
        }
    }

    /// The filters and policers of a unit.
    pub(super) fn conditioners(&mut self, unit: Id) -> Vec<Applied> {
        let mut all = Vec::new();
        for family in FAMILIES {
            let Some(at) = self.at(unit, &["family", family]) else {
                continue;
            };
            for (kind, wanted) in [
                ("policer", "a policer's name"),
                ("filter", "a filter's name"),
            ] {
                let Some(kinds) = self.child(at, kind) else {
                    continue;
                };
                for (word, side) in [("input", Side::Input), ("output", Side::Output)] {
                    let name = self.value(kinds, word, text, wanted);
                    all.extend(name.map(|name| Applied {
                        family,
                        side,
                        filter: kind == "filter",
                        name,
                    }));
                }
            }
        }
        all
    }
}
