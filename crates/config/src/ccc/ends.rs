//! CCC011 and CCC019: the interfaces at a circuit's ends.

use super::{Check, Circuit, End};
use crate::finding::Severity;
use crate::junos::model::{Interface, Stated, Unit};
use crate::rules::{CCC011, CCC019};

/// One end of a connection.
#[derive(Clone, Copy)]
pub(super) struct Side<'r> {
    pub(super) router: usize,
    pub(super) name: &'r Stated<String>,
    pub(super) port: &'r Interface,
    pub(super) unit: &'r Unit,
}

impl Side<'_> {
    /// The CCC encapsulation in force. A unit has its port's, but on ports with VLANs of several
    /// kinds, where each unit says its own.
    fn encapsulation(&self) -> &str {
        let several = |e: &&Stated<String>| {
            matches!(e.value.as_str(), "vlan-ccc" | "flexible-ethernet-services")
        };
        let port = self.port.encapsulation.as_ref().filter(|e| !several(e));
        let of = self.unit.encapsulation.as_ref().or(port);
        of.map_or("", |e| e.value.as_str())
    }

    /// It carries one VLAN's frames, tag and all.
    pub(super) fn is_tagged(&self) -> bool {
        self.encapsulation().contains("vlan-ccc")
    }

    /// What is wrong with its encapsulation, and what to write.
    fn fault(&self) -> Option<(String, &'static str)> {
        let in_force = self.encapsulation();
        let of_port = self.port.encapsulation.as_ref();
        let port = of_port.map_or("", |e| e.value.as_str());
        let name = &self.name.value;
        let tagging = self.port.tagging.is_some();
        if !in_force.contains("-ccc") {
            let shown = if in_force.is_empty() {
                "none".to_owned()
            } else {
                format!("`{in_force}`")
            };
            Some((
                format!("`{name}` belongs to a circuit and has no CCC encapsulation, but {shown}"),
                "write `encapsulation vlan-ccc` or `ethernet-ccc` on port and unit",
            ))
        } else if self.is_tagged() && !tagging {
            Some((
                format!(
                    "`{name}` is `{in_force}`, and port `{}` does not tag",
                    self.port.name
                ),
                "write `vlan-tagging;` on the port",
            ))
        } else if in_force == "vlan-ccc"
            && !matches!(port, "vlan-ccc" | "flexible-ethernet-services")
        {
            Some((
                format!(
                    "unit `{name}` is `vlan-ccc`, and port `{}` is not",
                    self.port.name
                ),
                "write `encapsulation vlan-ccc;` on the port",
            ))
        } else if in_force == "ethernet-ccc" && (tagging || self.unit.vlan.is_some()) {
            Some((
                format!(
                    "`{name}` is `ethernet-ccc`, which carries the port's frames whole, and has VLANs"
                ),
                "delete `vlan-tagging` and `vlan-id`, or write `vlan-ccc`",
            ))
        } else if self.is_tagged() && self.unit.vlan.is_none() {
            Some((
                format!("`{name}` is `{in_force}` and has no `vlan-id`"),
                "write the VLAN it carries: `vlan-id 600;`",
            ))
        } else {
            None
        }
    }
}

impl<'r> Check<'_, 'r> {
    /// The interface of a connection; `None` where it is not configured.
    pub(super) fn side(&self, at: (usize, usize)) -> Option<Side<'r>> {
        let name = *self.router(at.0).connections[at.1].interfaces().first()?;
        self.side_of(at.0, name)
    }

    fn side_of(&self, router: usize, name: &'r Stated<String>) -> Option<Side<'r>> {
        let (port, unit) = self.network.unit(router, &name.value)?;
        Some(Side {
            router,
            name,
            port,
            unit,
        })
    }

    /// The two ends of a circuit that reaches its far interface.
    pub(super) fn sides(&self, circuit: &Circuit) -> Option<(Side<'r>, Side<'r>)> {
        let End::At { router, connection } = circuit.forward.end else {
            return None;
        };
        let near = self.side(circuit.forward.start)?;
        Some((near, self.side((router, connection))?))
    }

    pub(super) fn ends(&mut self) {
        for router in 0..self.network.routers.len() {
            for connection in &self.router(router).connections {
                for name in connection.interfaces() {
                    match self.side_of(router, name) {
                        Some(side) => {
                            self.encapsulation(side);
                            self.roles(side);
                        }
                        None => {
                            let message = format!(
                                "interface `{}` of connection `{}` is not configured",
                                name.value, connection.name
                            );
                            let remedy = "configure it and its unit under `interfaces`, with a CCC encapsulation";
                            self.say(
                                &CCC011,
                                (router, &name.place),
                                message,
                                remedy,
                                &[&["interfaces"]],
                            );
                        }
                    }
                }
                let names = connection.interfaces();
                if let [a, b] = names[..]
                    && let (Some(a), Some(b)) = (self.side_of(router, a), self.side_of(router, b))
                {
                    self.alike(a, b);
                }
            }
        }
        for circuit in self.circuits {
            if let Some((near, far)) = self.sides(circuit) {
                self.alike(near, far);
            }
        }
    }

    /// CCC011 at one end.
    fn encapsulation(&mut self, side: Side<'_>) {
        let rests: &[&[&str]] = &[&["interfaces", &side.port.name]];
        let of_port = side.port.encapsulation.as_ref();
        let stated = side.unit.encapsulation.as_ref().or(of_port);
        let place = stated.map_or(&side.unit.place, |e| &e.place);
        if let Some((message, remedy)) = side.fault() {
            self.say(&CCC011, (side.router, place), message, remedy, rests);
        }
    }

    /// CCC011 between two ends.
    fn alike(&mut self, near: Side<'_>, far: Side<'_>) {
        let kind = |s: &Side<'_>| (s.encapsulation().to_owned(), s.port.is_sonet());
        let rests: &[&[&str]] = &[&["interfaces", &near.port.name]];
        let more = self.unknown_in(far.router, &[&["interfaces", &far.port.name]]);
        let (a, b) = (&near.name.value, &far.name.value);
        let names = (
            &self.router(near.router).name,
            &self.router(far.router).name,
        );
        if kind(&near) != kind(&far) {
            let message = format!(
                "the circuit's ends differ: `{a}` of `{}` is `{}`, `{b}` of `{}` is `{}`",
                names.0,
                near.encapsulation(),
                names.1,
                far.encapsulation()
            );
            let remedy = "give both ends the same kind of interface and encapsulation";
            let finding = self.say(
                &CCC011,
                (near.router, &near.unit.place),
                message,
                remedy,
                rests,
            );
            finding.relate(far.unit.place.clone(), "the other end");
            finding.doubt(more);
            return;
        }
        let (Some(v), Some(w)) = (&near.unit.vlan, &far.unit.vlan) else {
            return;
        };
        if v.value != w.value {
            let message = format!(
                "the circuit's ends carry VLAN {} and VLAN {}",
                v.value, w.value
            );
            let remedy = "write the same `vlan-id`, unless the platform rewrites it";
            let finding = self.say(&CCC011, (near.router, &v.place), message, remedy, rests);
            finding.severity = Severity::Warning;
            finding.relate(w.place.clone(), "the other end");
            finding.doubt(more);
        }
    }

    /// CCC019.
    fn roles(&mut self, side: Side<'_>) {
        let routed = side.unit.routed.as_ref().or(side.unit.mpls.as_ref());
        let rests: &[&[&str]] = &[&["interfaces", &side.port.name]];
        if let Some(place) = routed {
            let message = format!(
                "`{}` belongs to a circuit and has a family of its own",
                side.name.value
            );
            self.say(
                &CCC019,
                (side.router, place),
                message,
                "delete the family, or use another unit",
                rests,
            );
        }
        if let Some(bundle) = &side.port.member_of {
            let message = format!(
                "`{}` belongs to a circuit and to bundle `{}`",
                side.port.name, bundle.value
            );
            self.say(
                &CCC019,
                (side.router, &bundle.place),
                message,
                "put the circuit on the bundle's interface",
                rests,
            );
        }
    }
}
