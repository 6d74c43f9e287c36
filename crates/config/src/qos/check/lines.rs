//! Checks of speed, duplex, flow control and channels.

use std::collections::BTreeMap;

use super::super::{Device, Duplex, Interface, Options, Port, Speed};
use super::{Checker, On};
use crate::finding::Severity;
use crate::rules::{IOS007, QOS013, QOS017, QOS018, QOS022, QOS025};

/// Headers of IPv4 and TCP without options, bytes.
const HEADERS: u32 = 40;

/// MTU of a tunnel that states none: 1500 less IPv4 and GRE.
const TUNNEL: u32 = 1476;

impl On<'_, '_> {
    /// QOS022, of an `ip mtu` that the interface does not carry.
    pub(super) fn packets(&mut self) {
        let interface = self.interface;
        let (Some(ip), Some(mtu)) = (&interface.ip_mtu, &interface.mtu) else {
            return;
        };
        if ip.value <= mtu.value {
            return;
        }
        let message = format!(
            "`ip mtu {}` of {} is more than its `mtu {}`",
            ip.value, interface.name, mtu.value
        );
        let remedy = format!("`ip mtu {}` at most, or a larger `mtu`", mtu.value);
        self.find(&QOS022, &ip.place, message, remedy);
    }

    /// IOS007.
    pub(super) fn segments(&mut self) {
        let interface = self.interface;
        let Some(mss) = &interface.adjust_mss else {
            return;
        };
        let stated = interface.ip_mtu.as_ref().or(interface.mtu.as_ref());
        let tunnel = interface.name.starts_with("Tunnel").then_some(TUNNEL);
        let Some(mtu) = stated.map(|m| m.value).or(tunnel) else {
            return;
        };
        let fits = mtu.saturating_sub(HEADERS);
        if mss.value <= fits {
            return;
        }
        let default = match stated {
            Some(_) => "",
            None => ", as IOS gives a tunnel by GRE over 1500",
        };
        let message = format!(
            "{} lets segments of {} B be offered, and its packets have at most {mtu} B{default}: {fits} B and {HEADERS} B of headers",
            interface.name, mss.value
        );
        let remedy = format!("`ip tcp adjust-mss {fits}` at most");
        self.find(&IOS007, &mss.place, message, remedy);
    }

    /// QOS013 and QOS017.
    pub(super) fn line(&mut self) {
        let interface = self.interface;
        let name = &interface.name;
        let (duplex, speed) = (interface.duplex.as_ref(), interface.speed.as_ref());
        let negotiated = duplex.is_none_or(|d| d.value == Duplex::Auto);
        if let Some(half) = duplex.filter(|d| d.value == Duplex::Half) {
            let message = format!("{name} is half duplex");
            let remedy = "`duplex full` at both ends, or `duplex auto` at both";
            self.find(&QOS013, &half.place, message, remedy);
        } else if let Some(speed) = speed {
            match speed.value {
                Speed::Fixed(..=100) if negotiated => {
                    let message = format!(
                        "{name} has a fixed speed and negotiates duplex: against a fixed end it falls to half duplex"
                    );
                    let remedy = "fix both speed and duplex at both ends, or neither at any";
                    self.find(&QOS013, &speed.place, message, remedy);
                }
                Speed::NoNegotiation => {
                    let message = format!(
                        "{name} does not negotiate: the other end must not either, or the link stays down at one end"
                    );
                    let remedy = "write `speed nonegotiate` at both ends or at none";
                    self.find(&QOS013, &speed.place, message, remedy).severity = Severity::Info;
                }
                _ => {}
            }
        }
        let pause = interface.flow_control.iter().find(|f| f.value.1);
        let on = self.device.qos.as_ref().is_some_and(|q| q.value);
        let classes = interface.queueing.first().is_some() || interface.trust.is_some();
        if let Some(pause) = pause.filter(|_| on && classes) {
            let message = format!(
                "{name} uses pause frames and classes of service: a full class stops all others"
            );
            let remedy = "`flowcontrol send off` and `flowcontrol receive off`";
            self.find(&QOS017, &pause.place, message, remedy);
        }
    }
}

impl Checker<'_> {
    /// QOS018.
    pub(super) fn channels(&mut self, device: &Device) {
        let mut channels: BTreeMap<u32, Vec<&Interface>> = BTreeMap::new();
        for interface in &device.interfaces {
            if let Some(channel) = &interface.channel {
                let members = channels.entry(channel.value.number).or_default();
                members.push(interface);
            }
        }
        let treatment = |i: &Interface| {
            let mut port = Port::of(device, i, &Options::default());
            port.name.clear();
            port
        };
        for (number, members) in channels {
            let Some((first, rest)) = members.split_first() else {
                continue;
            };
            let modes = members.iter().filter_map(|i| {
                let channel = i.channel.as_ref()?;
                Some((i, channel.value.mode?, &channel.place))
            });
            let modes: Vec<_> = modes.collect();
            if let Some((one, mode, _)) = modes.first()
                && let Some((other, that, place)) =
                    modes.iter().find(|(_, m, _)| !m.is_beside(*mode))
            {
                let message = format!(
                    "{} is in channel {number} with `mode {}` and {} with `mode {}`: one protocol a channel",
                    one.name,
                    mode.word(),
                    other.name,
                    that.word()
                );
                let remedy = "`mode active` on all ports of both ends";
                self.find(&QOS025, place, message, remedy);
            }
            let expected = treatment(first);
            for other in rest.iter().filter(|i| treatment(i) != expected) {
                let Some(channel) = &other.channel else {
                    continue;
                };
                let message = format!(
                    "{} and {} are members of channel {number} and differ in queues, trust, policy, speed or MTU",
                    first.name, other.name
                );
                let remedy = "give all members the same statements: `interface range`";
                let finding = self.find(&QOS018, &channel.place, message, remedy);
                for unknown in [&first.unknown, &other.unknown, &device.unknown_qos] {
                    finding.doubt(unknown.iter().cloned());
                }
            }
        }
    }
}
