//! CCC001 to CCC010 and CCC018: are the names right, and does the walk arrive.

use std::collections::{BTreeMap, BTreeSet};

use super::circuit::{Chain, Circuit, End};
use super::{Check, WALK};
use crate::finding::Severity;
use crate::junos::model::{Connection, Stated};
use crate::near::alike;
use crate::rules::{
    CCC001, CCC002, CCC003, CCC004, CCC005, CCC006, CCC007, CCC008, CCC009, CCC010, CCC011, CCC018,
    CCC024,
};
use crate::source::Place;

impl<'r> Check<'_, 'r> {
    /// What each connection says by itself.
    pub(super) fn connections(&mut self) {
        for number in 0..self.network.routers.len() {
            let router = self.router(number);
            for connection in &router.connections {
                if connection.interfaces().is_empty() && !connection.is_stitch() {
                    let message = format!("connection `{}` names no interface", connection.name);
                    let remedy = "write `interface NAME.UNIT;`";
                    self.say(&CCC011, (number, &connection.place), message, remedy, WALK);
                }
                if !matches!(connection.joins, crate::junos::model::Joins::Interfaces(_)) {
                    self.transmit(number, connection);
                    self.receive(number, connection);
                }
            }
            self.ambiguous(number);
        }
        self.same_heads();
    }

    /// CCC001 and CCC010.
    fn transmit(&mut self, router: usize, connection: &Connection) {
        let name = &self.router(router).name;
        let Some(transmit) = connection.transmit() else {
            let message = format!(
                "connection `{}` of `{name}` sends into no LSP",
                connection.name
            );
            let remedy = "write `transmit-lsp` with the name of an LSP that starts here";
            self.say(&CCC001, (router, &connection.place), message, remedy, WALK);
            return;
        };
        let Some(lsp) = self.network.lsp(router, &transmit.value) else {
            let message = format!("`{name}` defines no LSP `{}`", transmit.value);
            let known = self.router(router).lsps().iter();
            let remedy = match alike(known.map(|l| l.name.as_str()), &transmit.value) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "define `label-switched-path {}` under `protocols mpls`",
                    transmit.value
                ),
            };
            self.say(&CCC001, (router, &transmit.place), message, &remedy, WALK);
            return;
        };
        if lsp.fixed && connection.is_stitch() {
            let message = format!(
                "`{}` is a static LSP, and `{}` stitches it",
                lsp.name, connection.name
            );
            let remedy = "define it as `label-switched-path`, signalled by RSVP";
            let finding = self.say(&CCC010, (router, &transmit.place), message, remedy, WALK);
            finding.relate(lsp.place.clone(), "defined here");
        }
    }

    /// CCC002 and CCC003.
    fn receive(&mut self, router: usize, connection: &Connection) {
        let name = &self.router(router).name;
        let Some(receive) = connection.receive() else {
            let message = format!(
                "connection `{}` of `{name}` takes from no LSP",
                connection.name
            );
            let remedy = "write `receive-lsp` with the name of an LSP that ends here";
            self.say(&CCC002, (router, &connection.place), message, remedy, WALK);
            return;
        };
        let heads = self.network.heads(&receive.value);
        let lsps = heads.iter().map(|(r, l)| (*r, &self.router(*r).lsps()[*l]));
        let elsewhere: Vec<_> = lsps.filter(|(r, _)| *r != router).collect();
        if elsewhere
            .iter()
            .any(|(r, l)| self.network.tail(*r, l) == Some(router))
        {
            return;
        }
        let Some((head, lsp)) = elsewhere.first() else {
            self.dangling(router, connection, receive);
            return;
        };
        let to = lsp.to.as_ref();
        let (place, target) = to.map_or((&lsp.place, "no address".to_owned()), |t| {
            (&t.place, format!("{}", t.value))
        });
        let message = format!(
            "LSP `{}` of `{}` leads to {target}, which is not an address of `{name}`, where `{}` takes from it",
            lsp.name,
            self.router(*head).name,
            connection.name
        );
        let remedy = format!("write `to` with an address of `{name}`");
        let more = self.unknown_in(router, &[&["interfaces"], &["routing-options"]]);
        let finding = self.say(&CCC003, (*head, place), message, &remedy, WALK);
        finding.relate(receive.place.clone(), "taken from here");
        finding.doubt(more);
    }

    fn dangling(&mut self, router: usize, connection: &Connection, receive: &Stated<String>) {
        let configured = self.router(router);
        let missing = self.network.routers.len() == 1 || self.network.leads_away.contains(&router);
        let message = format!(
            "no router defines an LSP `{}`, which `{}` of `{}` takes from",
            receive.value, connection.name, configured.name
        );
        let others = (0..self.network.routers.len()).filter(|r| *r != router);
        let ending = others.flat_map(|r| self.router(r).lsps());
        let ending = ending.map(|l| l.name.as_str());
        let remedy = match alike(ending, &receive.value) {
            Some(near) => format!("did you mean `{near}`?"),
            None if missing => "give the file of the router at its head too".to_owned(),
            None => "name an LSP that is defined on the router at the other end".to_owned(),
        };
        let others: Vec<Place> = (0..self.network.routers.len())
            .flat_map(|r| self.unknown_in(r, &[&["protocols", "mpls"]]))
            .collect();
        let finding = self.say(&CCC002, (router, &receive.place), message, &remedy, WALK);
        finding.doubt(others);
        if missing {
            finding.severity = Severity::Warning;
        }
    }

    /// CCC005 on one router.
    fn ambiguous(&mut self, router: usize) {
        let configured = self.router(router);
        for (what, role) in [("transmit-lsp", 0), ("receive-lsp", 1), ("interface", 2)] {
            let mut users: BTreeMap<&str, Vec<(&Place, &str)>> = BTreeMap::new();
            for connection in &configured.connections {
                let said = match role {
                    0 => connection.transmit().into_iter().collect(),
                    1 => connection.receive().into_iter().collect(),
                    _ => connection.interfaces(),
                };
                for stated in said {
                    let user = (&stated.place, connection.name.as_str());
                    users.entry(&stated.value).or_default().push(user);
                }
            }
            for (name, users) in users.into_iter().filter(|(_, u)| u.len() > 1) {
                let message = format!(
                    "{what} `{name}` is used by `{}` and by `{}`",
                    users[0].1, users[1].1
                );
                let remedy = "give each connection its own";
                let finding = self.say(&CCC005, (router, users[1].0), message, remedy, WALK);
                finding.relate(users[0].0.clone(), "used here first");
            }
        }
    }

    /// CCC005 between heads.
    fn same_heads(&mut self) {
        let mut tails: BTreeMap<(&str, usize), (usize, &Place)> = BTreeMap::new();
        for router in 0..self.network.routers.len() {
            for lsp in self.router(router).lsps() {
                let Some(tail) = self.network.tail(router, lsp) else {
                    continue;
                };
                let key = (lsp.name.as_str(), tail);
                let Some((other, place)) = tails.insert(key, (router, &lsp.place)) else {
                    continue;
                };
                let message = format!(
                    "both `{}` and `{}` define an LSP `{}` to `{}`",
                    self.router(other).name,
                    self.router(router).name,
                    lsp.name,
                    self.router(tail).name
                );
                let finding = self.say(
                    &CCC005,
                    (router, &lsp.place),
                    message,
                    "give one of them another name",
                    WALK,
                );
                finding.relate(place.clone(), "the other one");
            }
        }
    }

    /// What the walks came to.
    pub(super) fn chains(&mut self) {
        for circuit in self.circuits {
            self.end_of(circuit);
            if circuit.complete {
                self.asymmetric(circuit);
            } else if let Some(reverse) = &circuit.reverse {
                self.way_back(circuit, reverse);
            }
        }
        if self.circuits.iter().all(|c| c.complete) {
            self.unused();
        }
    }

    fn connection(&self, at: (usize, usize)) -> &'r Connection {
        &self.network.routers[at.0].connections[at.1]
    }

    /// CCC004 and CCC006.
    fn end_of(&mut self, circuit: &Circuit) {
        let chain = &circuit.forward;
        match chain.end {
            End::Open { router } => {
                let Some(last) = chain.crossings.last() else {
                    return;
                };
                let Some(lsp) = self.network.lsp(last.from, &last.lsp) else {
                    return;
                };
                let (lsp_place, name) = (lsp.place.clone(), self.router(router).name.clone());
                let message = format!(
                    "circuit `{}`: LSP `{}` ends on `{name}`, where no connection takes from it",
                    circuit.name, last.lsp
                );
                let remedy = format!(
                    "write a connection with `receive-lsp {}` on `{name}`",
                    last.lsp
                );
                let more = self.unknown_in(router, WALK);
                let finding = self.say(&CCC004, (last.from, &lsp_place), message, &remedy, WALK);
                finding.doubt(more);
            }
            End::Leaves { router } => self.leaves(circuit, router),
            End::Loop { router, connection } => {
                let connection = self.connection((router, connection));
                let (place, name) = (connection.place.clone(), connection.name.clone());
                let message = format!(
                    "circuit `{}` comes back to `{name}` of `{}` after {} crossings",
                    circuit.name,
                    self.router(router).name,
                    chain.crossings.len()
                );
                let remedy =
                    "stitch each LSP to the next of the chain, and the last to the far interface";
                self.say(&CCC006, (router, &place), message, remedy, WALK);
            }
            End::At { .. } | End::NoLsp { .. } => {}
        }
    }

    fn leaves(&mut self, circuit: &Circuit, router: usize) {
        let chain = &circuit.forward;
        let (at, connection) = match chain.crossings.last() {
            None => chain.start,
            Some(last) => {
                let taker = self.network.receivers(last.to, &last.lsp).first();
                (last.to, taker.copied().unwrap_or(0))
            }
        };
        let transmit = self.connection((at, connection)).transmit();
        let Some(lsp) = transmit.and_then(|t| self.network.lsp(router, &t.value)) else {
            return;
        };
        let (place, to) = match &lsp.to {
            Some(to) => (
                to.place.clone(),
                format!(
                    "to {}, an address that none of the given routers has",
                    to.value
                ),
            ),
            None => (lsp.place.clone(), "nowhere: it has no `to`".to_owned()),
        };
        let stated = lsp.to.is_some();
        let message = format!(
            "circuit `{}`: LSP `{}` of `{}` goes {to}",
            circuit.name,
            lsp.name,
            self.router(router).name
        );
        let remedy = "correct `to`, or give the file of the router with that address";
        let one = self.network.routers.len() == 1;
        let more: Vec<Place> = (0..self.network.routers.len())
            .flat_map(|r| self.unknown_in(r, &[&["interfaces"], &["routing-options"]]))
            .collect();
        let finding = self.say(&CCC004, (router, &place), message, remedy, WALK);
        finding.doubt(more);
        if one && stated {
            finding.severity = Severity::Warning;
        }
    }

    /// CCC007 and CCC008.
    fn way_back(&mut self, circuit: &Circuit, reverse: &Chain) {
        let far = self.connection(reverse.start);
        let place = far.place.clone();
        let far_name = format!("`{}` of `{}`", far.name, self.router(reverse.start.0).name);
        match reverse.end {
            End::At { router, connection } => {
                let end = &self.connection((router, connection)).name;
                let message = format!(
                    "circuit `{}` leads to {far_name}, and that leads back to `{end}` of `{}`",
                    circuit.name,
                    self.router(router).name
                );
                let remedy = "exchange the receiving LSPs so that each end leads to the other";
                self.say(&CCC007, (reverse.start.0, &place), message, remedy, WALK);
            }
            End::Open { router }
                if circuit
                    .forward
                    .crossings
                    .iter()
                    .rev()
                    .skip(1)
                    .any(|c| c.to == router) =>
            {
                let lsp = reverse.crossings.last().map_or("", |c| c.lsp.as_str());
                let message = format!(
                    "circuit `{}` is stitched on `{}` on the way there, and not on the way back: nothing takes from `{lsp}`",
                    circuit.name,
                    self.router(router).name
                );
                let remedy = format!(
                    "write an `lsp-switch` on `{}` with `receive-lsp {lsp}`",
                    self.router(router).name
                );
                let more = self.unknown_in(router, WALK);
                let finding = self.say(&CCC008, (reverse.start.0, &place), message, &remedy, WALK);
                finding.doubt(more);
            }
            _ => {}
        }
    }

    /// CCC009.
    fn asymmetric(&mut self, circuit: &Circuit) {
        let Some(reverse) = &circuit.reverse else {
            return;
        };
        let there = circuit.forward.hops().map(|hop| (&hop.from, &hop.to));
        let back = reverse.hops().rev().map(|hop| (&hop.to, &hop.from));
        let lengths = (circuit.forward.crossings.len(), reverse.crossings.len());
        let mirrored = there.eq(back);
        if mirrored && lengths.0 == lengths.1 {
            return;
        }
        let place = self.connection(circuit.forward.start).place.clone();
        let message = if lengths.0 == lengths.1 {
            format!(
                "circuit `{}` goes over other links there than back",
                circuit.name
            )
        } else {
            format!(
                "circuit `{}` has {} crossings there and {} back",
                circuit.name, lengths.0, lengths.1
            )
        };
        let remedy = "stitch both chains over the same links, unless it is meant";
        self.say(
            &CCC009,
            (circuit.forward.start.0, &place),
            message,
            remedy,
            WALK,
        );
    }

    /// CCC018, where every circuit is complete: a broken one leaves parts unused and has a finding of its own.
    fn unused(&mut self) {
        let mut lsps: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut used: BTreeSet<(usize, &str)> = BTreeSet::new();
        for chain in self.circuits.iter().flat_map(Self::chains_of) {
            used.insert((chain.start.0, self.connection(chain.start).name.as_str()));
            for crossing in &chain.crossings {
                lsps.insert((crossing.from, crossing.lsp.as_str()));
                used.extend(crossing.taken_by.as_deref().map(|t| (crossing.to, t)));
            }
        }
        for router in 0..self.network.routers.len() {
            let configured = self.router(router);
            self.ends_elsewhere(router, &lsps);
            if configured.connections.is_empty() {
                continue;
            }
            for lsp in configured
                .lsps()
                .iter()
                .filter(|l| !lsps.contains(&(router, l.name.as_str())))
            {
                let message = format!("LSP `{}` is on no circuit", lsp.name);
                let remedy = "delete it, unless it carries routed packets";
                self.say(&CCC018, (router, &lsp.place), message, remedy, WALK);
            }
            for connection in &configured.connections {
                let idle = !used.contains(&(router, connection.name.as_str()));
                if idle && connection.transmit().is_some() {
                    let message = format!("connection `{}` is on no circuit", connection.name);
                    self.say(
                        &CCC018,
                        (router, &connection.place),
                        message,
                        "delete it",
                        WALK,
                    );
                }
            }
        }
    }
}

impl Check<'_, '_> {
    /// CCC024, once for a router; `known` are LSPs of circuits, which have findings of their own.
    fn ends_elsewhere(&mut self, router: usize, known: &BTreeSet<(usize, &str)>) {
        let configured = self.router(router);
        let lsps = configured.lsps().iter().filter(|l| l.off.is_none());
        let away = lsps.filter(|l| {
            let name = l.name.as_str();
            l.to.is_some()
                && !known.contains(&(router, name))
                && self.network.tail(router, l).is_none()
        });
        let mut away = away.collect::<Vec<_>>().into_iter();
        let Some((lsp, to)) = away.next().and_then(|l| Some((l, l.to.as_ref()?))) else {
            return;
        };
        let others = match away.len() {
            0 => String::new(),
            1 => ", and so does another".to_owned(),
            n => format!(", and so do {n} others"),
        };
        let message = format!(
            "LSP `{}` of `{}` goes to {}, an address that none of the given routers has{others}",
            lsp.name, configured.name, to.value
        );
        let remedy = "give the file of the router with that address, or correct `to`";
        self.say(&CCC024, (router, &to.place), message, remedy, WALK);
    }
}
