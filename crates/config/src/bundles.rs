//! QOS030, of channels of switches that state no MTU: what they have by default is to be that of their members.

use std::collections::BTreeMap;

use crate::dialect::Dialect;
use crate::finding::{Finding, Severity};
use crate::joined::is_default_known;
use crate::platform::Platform;
use crate::qos::{Device, Interface, channel_number, default_mtu};
use crate::report::Report;
use crate::rules::QOS030;
use crate::source::Source;

/// Checks every switch whose defaults are known.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let switches = report.devices.iter().filter(|d| is_switch(d));
    let known = switches.filter(|d| is_default_known(&sources[d.file].text));
    let found: Vec<Finding> = known.flat_map(of_switch).collect();
    report.findings.extend(found);
}

/// Whether a device is a switch whose ports and channels have an `mtu` each.
fn is_switch(device: &Device) -> bool {
    let switches = [
        Platform::NxOs,
        Platform::Catalyst6500,
        Platform::Catalyst,
        Platform::CatalystXe,
    ];
    device.dialect == Dialect::Ios && switches.contains(&device.platform)
}

fn of_switch(device: &Device) -> Vec<Finding> {
    let up = || device.interfaces.iter().filter(|i| !i.shutdown);
    let silent = up().filter(|i| i.mtu.is_none() && !i.name.contains('.'));
    let channels = silent.filter_map(|i| Some((channel_number(&i.name)?, i)));
    let channels: BTreeMap<u32, &Interface> = channels.collect();
    let mut found = Vec::new();
    for member in up() {
        let number = member.channel.as_ref().map(|c| c.value.number);
        let channel = number.and_then(|number| channels.get(&number).copied());
        let (Some(channel), Some(mtu)) = (channel, member.mtu.as_ref()) else {
            continue;
        };
        let Some(has) = default_mtu(channel).filter(|has| mtu.value != *has) else {
            continue;
        };
        let message = format!(
            "{} is a member of {}, and its MTU of {} bytes is not the {has} that the channel has by default: the switch suspends it",
            member.name, channel.name, mtu.value
        );
        let remedy = format!(
            "write `mtu {}` on `interface {}`, or take it out here",
            mtu.value, channel.name
        );
        let mut finding = Finding::new(&QOS030, message, mtu.place.clone(), vec![remedy]);
        finding.severity = Severity::Warning;
        if let Some(place) = &channel.place {
            finding.relate(place.clone(), "states no MTU");
        }
        finding.doubt(member.unknown.iter().chain(&channel.unknown).cloned());
        found.push(finding);
    }
    found
}
