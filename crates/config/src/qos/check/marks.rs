//! Checks of trust and maps: does a mark survive its way through the switch, and to the next?

use super::super::{
    Device, Direction, Interface, Match, Options, Port, Switchport, Trust, rules::*,
};
use super::{Checker, but, doubts};
use crate::finding::Severity;
use crate::source::Place;

impl Checker<'_> {
    /// QOS001.
    pub(super) fn switched_off(&mut self, device: &Device) {
        if device.qos.as_ref().is_some_and(|q| q.value) {
            return;
        }
        let first = |i: &Interface| {
            let trust = i
                .trust
                .as_ref()
                .filter(|t| t.value != Trust::Nothing)
                .map(|t| t.place.clone());
            let service = i
                .services
                .iter()
                .find(|s| s.value.direction == Direction::Input)
                .map(|s| s.place.clone());
            i.queueing.first().cloned().or(trust).or(service)
        };
        let Some(place) = device
            .interfaces
            .iter()
            .find_map(first)
            .or_else(|| device.maps.stated.first().map(|s| s.place.clone()))
        else {
            return;
        };
        let (why, place) = match &device.qos {
            Some(off) => ("is switched off here", off.place.clone()),
            None => ("is not switched on, and is off until it is", place),
        };
        let message = format!("QoS {why}: every port is one FIFO and passes marks as they are");
        let command = match device.dialect {
            crate::dialect::Dialect::CatOs => "set qos enable",
            _ => "mls qos",
        };
        let finding = self.find(&QOS001, &place, message, format!("write `{command}`"));
        finding.uncertain = device.unknown_qos.clone();
    }

    /// QOS008 and QOS015.
    pub(super) fn trust(&mut self, device: &Device) {
        let physical = || device.interfaces.iter().filter(|i| !i.shutdown);
        let relies = physical().find_map(|i| relies_on_marks(device, i));
        let makes_marks = |i: &Interface| {
            let trusted = i.trust.as_ref().is_some_and(|t| t.value != Trust::Nothing);
            let defaulted = i.default_cos.as_ref().is_some_and(|c| c.value != 0);
            trusted
                || defaulted
                || Port::of(device, i, &Options::default())
                    .policies
                    .iter()
                    .any(|p| {
                        p.direction == Direction::Input
                            && p.classes.iter().any(|c| {
                                c.set_dscp.is_some() || c.set_cos.is_some() || c.trust.is_some()
                            })
                    })
        };
        if let Some(place) = relies
            && !physical().any(makes_marks)
        {
            let message = "queues are chosen by marks, and no port of this switch trusts or sets any: all traffic has CoS 0 inside and goes to the queue of CoS 0".to_owned();
            let remedy =
                "trust marks where marked traffic arrives: `mls qos trust dscp`".to_owned();
            let unknown = device.interfaces.iter().flat_map(|i| &i.unknown);
            let uncertain = unknown.chain(&device.unknown_qos).cloned().collect();
            self.find(&QOS008, &place, message, remedy).uncertain = uncertain;
        }
        let strict = physical().any(|i| {
            Port::of(device, i, self.options).port_type.strict > 0 && i.queueing.first().is_some()
        });
        for interface in physical() {
            self.trust_of(device, interface, strict);
        }
    }

    fn trust_of(&mut self, device: &Device, interface: &Interface, strict: bool) {
        let uncertain = doubts(device, interface);
        let mode = interface.switchport.as_ref().map(|s| s.value);
        if let Some(trust) = interface.trust.as_ref().filter(|t| t.value == Trust::Cos)
            && mode != Some(Switchport::Trunk)
            && mode != Some(Switchport::Dynamic)
            && !interface.name.contains('.')
        {
            let why = match mode {
                Some(_) => "is an access port",
                None => "is no trunk",
            };
            let message = format!(
                "{} trusts CoS and {why}: its frames carry no tag and get the default CoS",
                interface.name
            );
            let remedy = "`mls qos trust dscp`, or make it a trunk".to_owned();
            self.find(&QOS008, &trust.place, message, remedy).uncertain = uncertain.clone();
        }
        let trusted = interface
            .trust
            .as_ref()
            .is_some_and(|t| t.value != Trust::Nothing);
        for policy in Port::of(device, interface, self.options)
            .policies
            .iter()
            .filter(|p| p.direction == Direction::Input && !trusted)
        {
            let by_mark = |m: &Match| matches!(m, Match::Dscp(_) | Match::Precedence(_));
            let lost = policy.classes.iter().find(|c| {
                c.matches.iter().any(by_mark) && c.set_dscp.is_none() && c.trust.is_none()
            });
            let place = interface
                .services
                .iter()
                .find(|s| s.value.policy == policy.name)
                .map(|s| &s.place);
            if let (Some(class), Some(place)) = (lost, place) {
                let message = format!(
                    "class {} of {} matches a mark on {}, which trusts none, and neither sets nor trusts one: its traffic leaves with DSCP 0",
                    class.name, policy.name, interface.name
                );
                let remedy = "`trust dscp` or `set dscp` in the class, or `mls qos trust dscp` on the interface".to_owned();
                self.find(&QOS008, place, message, remedy).uncertain = uncertain.clone();
            }
        }
        if strict
            && mode == Some(Switchport::Access)
            && let Some(trust) = interface
                .trust
                .as_ref()
                .filter(|t| t.value != Trust::Nothing)
        {
            let message = format!(
                "the host on {} may mark its traffic for the strict queue",
                interface.name
            );
            let remedy = "do not trust a host's marks: classify and police on entry, or set the CoS: `mls qos cos override`".to_owned();
            self.find(&QOS015, &trust.place, message, remedy).uncertain = uncertain;
        }
    }

    /// QOS009.
    pub(super) fn maps(&mut self, device: &Device) {
        let Some(last) = device.maps.stated.last() else {
            return;
        };
        let by_cos = device
            .interfaces
            .iter()
            .any(|i| i.trust.as_ref().is_some_and(|t| t.value == Trust::Cos));
        let changed: Vec<String> = (0..8_u8)
            .filter_map(|cos| {
                let dscp = device.maps.cos_dscp[usize::from(cos)];
                let back = device.maps.dscp_cos[usize::from(dscp & 63)];
                (back != cos).then(|| format!("CoS {cos} becomes DSCP {dscp} and CoS {back}"))
            })
            .collect();
        if changed.is_empty() {
            return;
        }
        let message = format!("the maps are not inverse: {}", changed.join("; "));
        let remedy =
            "make `mls qos map dscp-cos` lead back to where `mls qos map cos-dscp` came from"
                .to_owned();
        let severity = if by_cos {
            Severity::Warning
        } else {
            Severity::Info
        };
        but(
            self.find(&QOS009, &last.place, message, remedy),
            severity,
            device.unknown_qos.clone(),
        );
    }

    /// QOS010: each device and the next.
    pub(super) fn neighbours(&mut self) {
        for pair in self.devices.windows(2) {
            let [a, b] = pair else { continue };
            let used = marks_set(a);
            for (mark, place) in used {
                let rewritten = b
                    .policy_maps
                    .iter()
                    .flat_map(|p| &p.classes)
                    .find_map(|class| {
                        let map = b.class_maps.iter().find(|m| m.name == class.name)?;
                        let same =
                            |m: &Match| matches!(m, Match::Dscp(list) if list.contains(&mark));
                        let to = class.set_dscp.as_ref().filter(|s| s.value != mark)?;
                        map.matches.iter().any(|m| same(&m.value)).then_some(to)
                    });
                if let Some(to) = rewritten {
                    let message = format!(
                        "DSCP {mark}, which {} gives, becomes {} here",
                        name(a),
                        to.value
                    );
                    let finding = self.find(
                        &QOS010,
                        &to.place,
                        message,
                        "use one DSCP for a class on the whole path".to_owned(),
                    );
                    finding
                        .related
                        .push((place.clone(), "given here".to_owned()));
                }
            }
            let differs = |d: usize| a.maps.dscp_cos[d] != b.maps.dscp_cos[d];
            let of_dscp: Vec<String> = (0..64)
                .filter(|d| differs(*d))
                .map(|d| d.to_string())
                .collect();
            let of_cos: Vec<String> = (0..8)
                .filter(|c| a.maps.cos_dscp[*c] != b.maps.cos_dscp[*c])
                .map(|c| c.to_string())
                .collect();
            let place = b
                .maps
                .stated
                .last()
                .or(a.maps.stated.last())
                .map(|s| s.place.clone());
            let what = match (of_dscp.is_empty(), of_cos.is_empty()) {
                (true, true) => continue,
                (false, _) => format!("DSCP {}", of_dscp.join(", ")),
                (true, false) => format!("CoS {}", of_cos.join(", ")),
            };
            if let Some(place) = place {
                let message = format!(
                    "{} and {} map {what} differently: a class changes its mark, and perhaps its queue, between them",
                    name(a),
                    name(b)
                );
                self.find(
                    &QOS010,
                    &place,
                    message,
                    "give both the same maps".to_owned(),
                );
            }
        }
    }
}

fn name(device: &Device) -> String {
    device
        .name
        .clone()
        .unwrap_or_else(|| format!("the device of file {}", device.file + 1))
}

fn marks_set(device: &Device) -> Vec<(u8, Place)> {
    let classes = device.policy_maps.iter().flat_map(|p| &p.classes);
    classes
        .filter_map(|c| c.set_dscp.as_ref())
        .map(|s| (s.value, s.place.clone()))
        .collect()
}

/// The first statement of `interface` whose effect depends on frames' marks.
fn relies_on_marks(device: &Device, interface: &Interface) -> Option<Place> {
    let said = &interface.queueing;
    let cos = said.cos_maps.first().map(|m| m.place.clone());
    let dscp = said.dscp_maps.first().map(|m| m.place.clone());
    let strict = said.strict_cos.as_ref().map(|s| s.place.clone());
    let weights = interface
        .intent
        .as_ref()
        .and(said.bandwidth.as_ref())
        .map(|b| b.place.clone());
    let policy = interface.services.iter().find_map(|s| {
        let map = device
            .policy_maps
            .iter()
            .find(|p| p.name == s.value.policy && s.value.direction == Direction::Output)?;
        let by_mark = |name: &str| {
            let map = device.class_maps.iter().find(|m| m.name == name);
            map.is_some_and(|m| {
                m.matches.iter().any(|m| {
                    matches!(
                        m.value,
                        Match::Dscp(_) | Match::Precedence(_) | Match::Cos(_)
                    )
                })
            })
        };
        map.classes
            .iter()
            .any(|c| by_mark(&c.name))
            .then(|| s.place.clone())
    });
    cos.or(dscp).or(strict).or(weights).or(policy)
}
