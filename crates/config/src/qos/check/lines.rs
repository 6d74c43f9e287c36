//! Checks of speed, duplex, flow control and channels.

use std::collections::BTreeMap;

use super::super::{Device, Duplex, Interface, Options, Port, Speed, rules::*};
use super::{Checker, but, doubts};
use crate::finding::Severity;

impl Checker<'_> {
    /// QOS013 and QOS017.
    pub(super) fn line(&mut self, device: &Device, interface: &Interface) {
        let name = &interface.name;
        let duplex = interface.duplex.as_ref();
        let fixed = interface
            .speed
            .as_ref()
            .filter(|s| matches!(s.value, Speed::Fixed(n) if n <= 100));
        if let Some(half) = duplex.filter(|d| d.value == Duplex::Half) {
            let message = format!("{name} is half duplex");
            self.find(
                &QOS013,
                &half.place,
                message,
                "`duplex full` at both ends, or `duplex auto` at both".to_owned(),
            )
            .uncertain = doubts(device, interface);
        } else if let Some(speed) = fixed.filter(|_| duplex.is_none_or(|d| d.value == Duplex::Auto))
        {
            let message = format!(
                "{name} has a fixed speed and negotiates duplex: against a fixed end it falls to half duplex"
            );
            self.find(
                &QOS013,
                &speed.place,
                message,
                "fix both speed and duplex at both ends, or neither at any".to_owned(),
            )
            .uncertain = doubts(device, interface);
        } else if let Some(speed) = interface
            .speed
            .as_ref()
            .filter(|s| s.value == Speed::NoNegotiation)
        {
            let message = format!(
                "{name} does not negotiate: the other end must not either, or the link stays down at one end"
            );
            let finding = self.find(
                &QOS013,
                &speed.place,
                message,
                "write `speed nonegotiate` at both ends or at none".to_owned(),
            );
            but(finding, Severity::Info, doubts(device, interface));
        }
        let Some(pause) = interface.flow_control.iter().find(|f| f.value.1) else {
            return;
        };
        let on = device.qos.as_ref().is_some_and(|q| q.value);
        if on && (interface.queueing.first().is_some() || interface.trust.is_some()) {
            let message = format!(
                "{name} uses pause frames and classes of service: a full class stops all others"
            );
            self.find(
                &QOS017,
                &pause.place,
                message,
                "`flowcontrol send off` and `flowcontrol receive off`".to_owned(),
            )
            .uncertain = doubts(device, interface);
        }
    }

    /// QOS018.
    pub(super) fn channels(&mut self, device: &Device) {
        let mut channels: BTreeMap<u32, Vec<&Interface>> = BTreeMap::new();
        for interface in &device.interfaces {
            if let Some(channel) = &interface.channel {
                channels
                    .entry(channel.value.number)
                    .or_default()
                    .push(interface);
            }
        }
        for (number, members) in channels {
            let Some((first, rest)) = members.split_first() else {
                continue;
            };
            let treatment = |i: &Interface| {
                let mut port = Port::of(device, i, &Options::default());
                port.name.clear();
                port
            };
            let expected = treatment(first);
            for other in rest.iter().filter(|i| treatment(i) != expected) {
                let Some(place) = other.channel.as_ref().map(|c| c.place.clone()) else {
                    continue;
                };
                let message = format!(
                    "{} and {} are members of channel {number} and differ in queues, trust, policy, speed or MTU",
                    first.name, other.name
                );
                let finding = self.find(
                    &QOS018,
                    &place,
                    message,
                    "give all members the same statements: `interface range`".to_owned(),
                );
                let uncertain = first
                    .unknown
                    .iter()
                    .chain(&other.unknown)
                    .chain(&device.unknown_qos)
                    .cloned()
                    .collect();
                but(finding, Severity::Warning, uncertain);
            }
        }
    }
}
