//! Checks of trust and maps: does a mark survive its way through the switch, and to the next?

use super::super::{
    Device, Direction, Interface, Match, Options, PolicyClass, Port, Switchport, Trust,
    channel_number,
};
use super::{Checker, On};
use crate::dialect::Dialect;
use crate::finding::Severity;
use crate::rules::{QOS001, QOS008, QOS009, QOS010, QOS015};
use crate::source::Place;

impl Checker<'_> {
    /// QOS001.
    pub(super) fn switched_off(&mut self, device: &Device) {
        let (why, place) = match &device.qos {
            Some(on) if on.value => return,
            Some(off) => ("is switched off here", Some(&off.place)),
            None => ("is not switched on, and is off until it is", None),
        };
        let Some(acts) = first_in_vain(device) else {
            return;
        };
        let message = format!("QoS {why}: every port is one FIFO and passes marks as they are");
        let remedy = match device.dialect {
            Dialect::CatOs => "write `set qos enable`",
            _ => "write `mls qos`",
        };
        let finding = self.find(&QOS001, place.unwrap_or(acts), message, remedy);
        finding.doubt(device.unknown_qos.iter().cloned());
    }

    /// QOS008 and QOS015.
    pub(super) fn trust(&mut self, device: &Device) {
        let physical = || device.interfaces.iter().filter(|i| !i.shutdown);
        if let Some(place) = physical().find_map(|i| relies_on_marks(device, i))
            && !physical().any(|i| makes_marks(device, i))
        {
            let message = "queues are chosen by marks, and no port of this switch trusts or sets any: all traffic has CoS 0 inside and goes to the queue of CoS 0".to_owned();
            let remedy = "trust marks where marked traffic arrives: `mls qos trust dscp`";
            let finding = self.find(&QOS008, place, message, remedy);
            for interface in &device.interfaces {
                finding.doubt(interface.unknown.iter().cloned());
            }
            finding.doubt(device.unknown_qos.iter().cloned());
        }
        let has_strict = |i: &Interface| {
            let port_type = Port::of(device, i, self.options).port_type;
            port_type.strict > 0 && i.queueing.first().is_some()
        };
        let strict = physical().any(has_strict);
        let trusting = physical().find(|i| i.trusts() != Trust::Nothing);
        for interface in physical() {
            self.on(device, interface).trust(strict);
            if let Some(other) = trusting {
                self.on(device, interface).routed(other);
            }
        }
    }

    /// QOS009.
    pub(super) fn maps(&mut self, device: &Device) {
        let Some(last) = device.maps.stated.last() else {
            return;
        };
        let maps = &device.maps;
        let changed = (0..8_u8).filter_map(|cos| {
            let dscp = maps.cos_dscp[usize::from(cos)];
            let back = maps.dscp_cos[usize::from(dscp & 63)];
            (back != cos).then(|| format!("CoS {cos} becomes DSCP {dscp} and CoS {back}"))
        });
        let changed: Vec<String> = changed.collect();
        if changed.is_empty() {
            return;
        }
        let message = format!("the maps are not inverse: {}", changed.join("; "));
        let remedy =
            "make `mls qos map dscp-cos` lead back to where `mls qos map cos-dscp` came from";
        let finding = self.find(&QOS009, &last.place, message, remedy);
        if !device.interfaces.iter().any(|i| i.trusts() == Trust::Cos) {
            finding.severity = Severity::Info;
        }
        finding.doubt(device.unknown_qos.iter().cloned());
    }

    /// QOS010: each device and the next.
    pub(super) fn neighbours(&mut self) {
        for pair in self.devices.windows(2) {
            let [a, b] = pair else { continue };
            // Frames come both ways.
            self.rewritten(a, b);
            self.rewritten(b, a);
            self.mapped_differently(a, b);
        }
    }

    /// A mark that `a` gives and `b` rewrites.
    fn rewritten(&mut self, a: &Device, b: &Device) {
        let given = a.policy_maps.iter().flat_map(|p| &p.classes);
        for given in given.filter_map(|c| c.set_dscp.as_ref()) {
            let mark = given.value;
            let is = |m: &Match| matches!(m, Match::Dscp(list) if list.contains(&mark));
            let mut classes = b.policy_maps.iter().flat_map(|p| &p.classes);
            let rewritten = classes.find_map(|class| {
                let map = b.class(&class.name)?;
                let to = class.set_dscp.as_ref().filter(|s| s.value != mark)?;
                map.matches.iter().any(|m| is(&m.value)).then_some(to)
            });
            if let Some(to) = rewritten {
                let message = format!(
                    "DSCP {mark}, which {} gives, becomes {} here",
                    name(a),
                    to.value
                );
                let remedy = "use one DSCP for a class on the whole path";
                let finding = self.find(&QOS010, &to.place, message, remedy);
                finding.relate(given.place.clone(), "given here");
            }
        }
    }

    fn mapped_differently(&mut self, a: &Device, b: &Device) {
        let differing = |a: &[u8], b: &[u8]| {
            let differing = (0..a.len()).filter(|k| a[*k] != b[*k]);
            let differing: Vec<String> = differing.map(|k| k.to_string()).collect();
            (!differing.is_empty()).then(|| differing.join(", "))
        };
        let dscp = differing(&a.maps.dscp_cos, &b.maps.dscp_cos).map(|d| format!("DSCP {d}"));
        let cos = differing(&a.maps.cos_dscp, &b.maps.cos_dscp).map(|c| format!("CoS {c}"));
        let stated = b.maps.stated.last().or(a.maps.stated.last());
        if let (Some(what), Some(stated)) = (dscp.or(cos), stated) {
            let message = format!(
                "{} and {} map {what} differently: a class changes its mark, and perhaps its queue, between them",
                name(a),
                name(b)
            );
            self.find(&QOS010, &stated.place, message, "give both the same maps");
        }
    }
}

impl On<'_, '_> {
    /// QOS008 and QOS015 of one interface; `strict` if any port of the switch has a strict queue.
    fn trust(&mut self, strict: bool) {
        let interface = self.interface;
        let name = &interface.name;
        let mode = mode(self.device, interface);
        let trust = interface
            .trust
            .as_ref()
            .filter(|t| t.value != Trust::Nothing);
        if let Some(trust) = trust.filter(|t| t.value == Trust::Cos)
            && matches!(mode, None | Some(Switchport::Access))
            && interface.voice_vlan.is_none()
            && !name.contains('.')
        {
            let why = match mode {
                Some(_) => "is an access port",
                None => "is not a trunk",
            };
            let message = format!(
                "{name} trusts CoS and {why}: its frames carry no tag and get the default CoS"
            );
            let remedy = "`mls qos trust dscp`, or make it a trunk";
            self.find(&QOS008, &trust.place, message, remedy);
        }
        if trust.is_none() {
            self.matched_in_vain();
        }
        if let Some(trust) = trust.filter(|_| strict && mode == Some(Switchport::Access)) {
            let message = format!("the host on {name} may mark its traffic for the strict queue");
            let remedy = "do not trust a host's marks: classify and police on entry, or set the CoS: `mls qos cos override`";
            self.find(&QOS015, &trust.place, message, remedy);
        }
    }

    /// QOS008 of a routed port that trusts nothing, beside `other`, which trusts marks: its frames lose theirs, and no access port is
    /// meant to believe a host's.
    fn routed(&mut self, other: &Interface) {
        let interface = self.interface;
        let name = &interface.name;
        let is_port = name.contains("Ethernet") || name.starts_with("Port-channel");
        let is_routed = interface.switchport.is_none() && !interface.addresses.is_empty();
        let on = self.device.qos.as_ref().is_some_and(|on| on.value);
        let Some(place) = interface.place.as_ref().filter(|_| on) else {
            return;
        };
        let own = is_port && is_routed && !name.contains('.') && interface.channel.is_none();
        if !own || makes_marks(self.device, interface) {
            return;
        }
        let message = format!(
            "{name} is a routed port that trusts no marks, and {} trusts them: what arrives at {name} leaves with DSCP 0, whatever class it had",
            other.name
        );
        let remedy = "`mls qos trust dscp`; where marks from there are not to be believed, a policy on entry that sets them";
        let finding = self.find(&QOS008, place, message, remedy);
        finding.severity = Severity::Warning;
    }

    /// A class that matches marks where none are believed.
    fn matched_in_vain(&mut self) {
        let interface = self.interface;
        let port = Port::of(self.device, interface, self.checker.options);
        let arriving = |d: Direction| d == Direction::Input;
        for policy in port.policies.iter().filter(|p| arriving(p.direction)) {
            let by_mark = |m: &Match| matches!(m, Match::Dscp(_) | Match::Precedence(_));
            let lost = |c: &&PolicyClass| {
                c.matches.iter().any(by_mark) && c.set_dscp.is_none() && c.trust.is_none()
            };
            let mut services = interface.services.iter();
            let service = services.find(|s| s.value.policy == policy.name);
            if let (Some(class), Some(service)) = (policy.classes.iter().find(lost), service) {
                let message = format!(
                    "class {} of {} matches a mark on {}, which trusts none, and neither sets nor trusts one: its traffic leaves with DSCP 0",
                    class.name, policy.name, interface.name
                );
                let remedy = "`trust dscp` or `set dscp` in the class, or `mls qos trust dscp` on the interface";
                self.find(&QOS008, &service.place, message, remedy);
            }
        }
    }
}

/// What a port carries: as it states, or as the channel does that it is a member of. One with tagged subinterfaces is a trunk.
fn mode(device: &Device, interface: &Interface) -> Option<Switchport> {
    let number = interface.channel.as_ref().map(|c| c.value.number);
    let is_whole = |i: &&Interface| {
        number.is_some() && channel_number(&i.name) == number && !i.name.contains('.')
    };
    let whole = device.interfaces.iter().find(is_whole);
    let stated = interface.switchport.as_ref();
    let stated = stated.or_else(|| whole?.switchport.as_ref());
    let is_part = |part: &Interface| {
        let of = part.name.split_once('.').map(|(of, _)| of);
        of.is_some_and(|of| of == interface.name || whole.is_some_and(|w| w.name == of))
    };
    let tagged = || {
        device
            .interfaces
            .iter()
            .any(|i| i.tag.is_some() && is_part(i))
    };
    match stated {
        Some(stated) => Some(stated.value),
        None => tagged().then_some(Switchport::Trunk),
    }
}

fn name(device: &Device) -> String {
    device
        .name
        .clone()
        .unwrap_or_else(|| format!("the device of file {}", device.file + 1))
}

/// The first statement that does nothing while QoS is off.
fn first_in_vain(device: &Device) -> Option<&Place> {
    let stated = device.maps.stated.first().map(|s| &s.place);
    device.interfaces.iter().find_map(in_vain_on).or(stated)
}

fn in_vain_on(interface: &Interface) -> Option<&Place> {
    let trust = interface
        .trust
        .as_ref()
        .filter(|t| t.value != Trust::Nothing);
    let arriving = |d: Direction| d == Direction::Input;
    let service = interface
        .services
        .iter()
        .find(|s| arriving(s.value.direction));
    let first = interface.queueing.first().or(interface.srr.first());
    let first = first.or(trust.map(|t| &t.place));
    first.or(service.map(|s| &s.place))
}

/// Whether arriving frames have or get marks at an interface.
fn makes_marks(device: &Device, interface: &Interface) -> bool {
    let port = Port::of(device, interface, &Options::default());
    let makes = |c: &PolicyClass| c.set_dscp.is_some() || c.set_cos.is_some() || c.trust.is_some();
    let mut arriving = port
        .policies
        .iter()
        .filter(|p| p.direction == Direction::Input);
    port.trust != Trust::Nothing
        || port.default_cos != 0
        || arriving.any(|p| p.classes.iter().any(makes))
}

/// The first statement of `interface` whose effect depends on frames' marks.
fn relies_on_marks<'d>(device: &'d Device, interface: &'d Interface) -> Option<&'d Place> {
    let said = &interface.queueing;
    let by_mark = |m: &Match| matches!(m, Match::Dscp(_) | Match::Precedence(_) | Match::Cos(_));
    let class = |name: &str| {
        let map = device.class(name);
        map.is_some_and(|m| m.matches.iter().any(|m| by_mark(&m.value)))
    };
    let policy = interface.services.iter().find(|s| {
        let leaving = s.value.direction == Direction::Output;
        let map = device.policy(&s.value.policy).filter(|_| leaving);
        map.is_some_and(|m| m.classes.iter().any(|c| class(&c.name)))
    });
    let cos = said.cos_maps.first().map(|m| &m.place);
    let dscp = said.dscp_maps.first().map(|m| &m.place);
    let strict = said.strict_cos.as_ref().map(|s| &s.place);
    let meant = interface.intent.as_ref().and(said.bandwidth.as_ref());
    let cos = cos.or(dscp).or(strict).or(meant.map(|b| &b.place));
    cos.or(policy.map(|s| &s.place))
}
