//! CCC020, CCC021 and CCC022: what is switched off, kept on or protected.

use crate::rules::{CCC020, CCC021, CCC022};
use std::collections::BTreeSet;

use super::core_links::entry;
use super::{Check, WALK};
use crate::source::Place;

impl Check<'_, '_> {
    pub(super) fn states(&mut self) {
        self.switched_off();
        self.explicit_null();
        self.protected();
    }

    /// CCC020.
    fn switched_off(&mut self) {
        let mut off: Vec<(usize, String, Place)> = Vec::new();
        let mut ports = self.core_ports();
        for circuit in self.circuits {
            for chain in Self::chains_of(circuit) {
                let (router, connection) = chain.start;
                let connection = &self.router(router).connections[connection];
                off.extend(
                    connection
                        .off
                        .clone()
                        .map(|p| (router, format!("connection `{}`", connection.name), p)),
                );
                ports.extend(connection.interfaces().iter().map(|i| super::Port {
                    router,
                    interface: i.value.clone(),
                }));
                for crossing in &chain.crossings {
                    let lsp = self.network.lsp(crossing.from, &crossing.lsp);
                    let place = lsp.and_then(|l| l.off.clone());
                    off.extend(
                        place.map(|p| (crossing.from, format!("LSP `{}`", crossing.lsp), p)),
                    );
                    for taker in self.network.receivers(crossing.to, &crossing.lsp) {
                        let taker = &self.router(crossing.to).connections[*taker];
                        off.extend(
                            taker
                                .off
                                .clone()
                                .map(|p| (crossing.to, format!("connection `{}`", taker.name), p)),
                        );
                    }
                }
            }
        }
        for port in ports {
            let router = self.router(port.router);
            let found = self.network.unit(port.router, &port.interface);
            let place = found.and_then(|(i, u)| i.off.clone().or_else(|| u.off.clone()));
            let name = format!("interface `{}`", port.interface);
            off.extend(place.map(|p| (port.router, name.clone(), p)));
            let mpls = router.mpls.as_ref().map_or(&[][..], |m| &m.interfaces);
            let core = found.is_some_and(|(_, u)| u.mpls.is_some());
            for list in [mpls, &router.rsvp[..]] {
                let place = entry(list, &port.interface).and_then(|e| e.off.clone());
                off.extend(
                    place
                        .filter(|_| core)
                        .map(|p| (port.router, name.clone(), p)),
                );
            }
        }
        let mut said: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (router, what, place) in off {
            if said.insert((place.file, place.span.start)) {
                let message = format!(
                    "{what} of `{}` is on a circuit and switched off",
                    self.router(router).name
                );
                self.say(
                    &CCC020,
                    (router, &place),
                    message,
                    "activate it, or delete `disable`",
                    WALK,
                );
            }
        }
    }

    /// CCC021.
    fn explicit_null(&mut self) {
        if self.circuits.is_empty() {
            return;
        }
        let all = self.network.routers.len();
        let with: Vec<(usize, &Place)> = (0..all)
            .filter_map(|r| Some((r, self.router(r).mpls.as_ref()?.explicit_null.as_ref()?)))
            .collect();
        let everywhere = with.len() == all;
        for (router, place) in with {
            let where_ = if everywhere {
                "as on all routers given"
            } else {
                "and not on all routers given"
            };
            let message = format!(
                "explicit null on `{}`, {where_}: 4 extra bytes on each crossing",
                self.router(router).name
            );
            self.say(
                &CCC021,
                (router, place),
                message,
                "nothing to do: a circuit's frames carry one label of 4 bytes either way",
                WALK,
            );
        }
    }

    /// CCC022.
    fn protected(&mut self) {
        let mut said: BTreeSet<(usize, usize)> = BTreeSet::new();
        for circuit in self.circuits {
            for crossing in Self::chains_of(circuit).flat_map(|c| &c.crossings) {
                let lsp = self.network.lsp(crossing.from, &crossing.lsp);
                let Some(place) = lsp.and_then(|l| l.protection.clone()) else {
                    continue;
                };
                if !said.insert((place.file, place.span.start)) {
                    continue;
                }
                let message = format!(
                    "LSP `{}` is protected: while its bypass carries it, circuit `{}` has another round trip, and links carry it twice",
                    crossing.lsp, circuit.name
                );
                self.say(
                    &CCC022,
                    (crossing.from, &place),
                    message,
                    "expect it in measurements, or take the protection off",
                    WALK,
                );
            }
        }
    }
}
