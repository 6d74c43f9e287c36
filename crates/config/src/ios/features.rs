//! IOS012: commands of NX-OS whose feature is not switched on.

use core::ops::Range;
use std::collections::BTreeSet;

use crate::commands::{Kind, Reader, Tree, Words, fit};
use crate::finding::Severity;
use crate::platform::Platform;
use crate::qos::{ChannelMode, Device};
use crate::rules::IOS012;

/// Kinds of interface, and the feature that brings them.
const INTERFACES: [(&str, &str); 2] = [("Vlan", "interface-vlan"), ("Tunnel", "tunnel")];

/// Statements outside sections, and the feature that brings them.
const STATEMENTS: [(&str, &str); 7] = [
    ("router bgp", "bgp"),
    ("router eigrp", "eigrp"),
    ("router isis", "isis"),
    ("router ospf", "ospf"),
    ("router ospfv3", "ospfv3"),
    ("router rip", "rip"),
    ("vpc domain", "vpc"),
];

/// A statement that needs a feature.
struct Use {
    feature: &'static str,
    /// As a message quotes it.
    said: String,
    span: Range<usize>,
}

/// IOS012, of a whole text: once for each feature.
pub(super) fn check(tree: &Tree<'_>, reader: &mut Reader) {
    if reader.device.platform != Platform::NxOs {
        return;
    }
    let mut on: BTreeSet<&str> = BTreeSet::new();
    let mut uses = of_interfaces(&reader.device);
    for line in tree.inside(None) {
        if tree.lines()[line].kind != Kind::Statement {
            continue;
        }
        let span = tree.lines()[line].span.clone();
        let words = Words::new(tree.content(line), span.start);
        if let Some((_, name, _)) = fit("feature *", words) {
            on.insert(name);
        }
        let needs = STATEMENTS.iter().filter(|(p, _)| fit(p, words).is_some());
        uses.extend(needs.map(|(said, feature)| Use {
            feature,
            said: (*said).to_owned(),
            span: span.clone(),
        }));
    }
    let mut said: BTreeSet<&str> = BTreeSet::new();
    for one in uses {
        if on.contains(one.feature) || !said.insert(one.feature) {
            continue;
        }
        let lacking = match on.is_empty() {
            true => "the file has no `feature` line: unless it is a part of one, NX-OS refuses it",
            false => "no line switches that on: NX-OS refuses it",
        };
        let message = format!(
            "`{}` needs `feature {}`, and {lacking}",
            one.said, one.feature
        );
        let remedy = format!("`feature {}`", one.feature);
        reader.fault(&IOS012, one.span, message, &remedy);
        if on.is_empty()
            && let Some(finding) = reader.device.faults.last_mut()
        {
            finding.severity = Severity::Warning;
        }
    }
}

/// The interfaces of a device that need a feature, and members of channels that speak LACP.
fn of_interfaces(device: &Device) -> Vec<Use> {
    let mut uses = Vec::new();
    for interface in &device.interfaces {
        let name = &interface.name;
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let brought = INTERFACES.iter().find(|(known, _)| *known == kind);
        uses.extend(brought.zip(interface.place.as_ref()).map(|(b, place)| Use {
            feature: b.1,
            said: format!("interface {name}"),
            span: place.span.clone(),
        }));
        let Some(channel) = &interface.channel else {
            continue;
        };
        if let Some(mode @ (ChannelMode::Active | ChannelMode::Passive)) = channel.value.mode {
            uses.push(Use {
                feature: "lacp",
                said: format!(
                    "channel-group {} mode {}",
                    channel.value.number,
                    mode.word()
                ),
                span: channel.place.span.clone(),
            });
        }
    }
    uses
}
