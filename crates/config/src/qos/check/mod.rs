//! The checks.

mod atm;
mod lines;
mod marks;
mod policies;
mod queues;

use crate::dialect::Dialect;
use crate::finding::{Finding, Rule, Severity};
use crate::report::{Fault, Report, Structure};
use crate::source::{Place, Source};

use super::{Device, Interface, Options, Queueing};

/// Devices, what the user adds, and what has been found.
pub(super) struct Checker<'a> {
    pub(super) devices: &'a [Device],
    pub(super) options: &'a Options,
    pub(super) findings: Vec<Finding>,
}

/// Reads and checks the IOS and CatOS files among `sources`.
pub(crate) fn check(sources: &[Source], options: &Options, report: &mut Report) {
    for number in report.files_in(&[Dialect::Ios, Dialect::CatOs]) {
        let text = &sources[number].text;
        let device = match report.files[number].dialect {
            Dialect::CatOs => crate::catos::read(text, number),
            _ => crate::ios::read(text, number),
        };
        cover(&device, report);
        report.findings.extend(device.faults.iter().cloned());
        report.devices.push(device);
    }
    report
        .findings
        .append(&mut findings(&report.devices, options));
}

/// What the checks find in these devices, which stand in the order of the path.
pub fn findings(devices: &[Device], options: &Options) -> Vec<Finding> {
    let mut checker = Checker {
        devices,
        options,
        findings: Vec::new(),
    };
    for device in devices {
        checker.device(device);
    }
    checker.neighbours();
    checker.findings
}

fn cover(device: &Device, report: &mut Report) {
    let file = &mut report.files[device.file];
    file.recognised = device.understood + device.passed_over;
    file.unrecognised = device.unknown.clone();
    for interface in &device.interfaces {
        file.unrecognised.extend(interface.unknown.iter().cloned());
        file.unrecognised.extend(
            interface
                .pvcs
                .iter()
                .flat_map(|p| p.unknown.iter().cloned()),
        );
    }
    file.unrecognised.extend(
        device
            .class_maps
            .iter()
            .flat_map(|c| c.unknown.iter().cloned()),
    );
    for map in &device.policy_maps {
        file.unrecognised.extend(map.unknown.iter().cloned());
        file.unrecognised
            .extend(map.classes.iter().flat_map(|c| c.unknown.iter().cloned()));
    }
    // `interface range` puts one unknown line into several interfaces.
    file.unrecognised.sort_by_key(|p| p.span.start);
    file.unrecognised.dedup();
    let never = device
        .faults
        .iter()
        .filter(|f| f.rule.id == super::faults::UNFINISHED.id);
    file.faults.extend(never.map(|f| Fault {
        place: f.place.clone(),
        message: f.message.clone(),
        remedy: f.remedies.join("; "),
    }));
    structures(device, report);
}

fn structures(device: &Device, report: &mut Report) {
    let file = &mut report.files[device.file];
    let named = |kind, name: &str, place: &Place| Structure {
        kind,
        name: name.to_owned(),
        place: place.clone(),
    };
    let services = || device.interfaces.iter().flat_map(|i| &i.services);
    for map in &device.policy_maps {
        let policy = named("policy-map", &map.name, &map.place);
        if !services().any(|s| s.value.policy == map.name) {
            file.unused.push(policy.clone());
        }
        file.defined.push(policy);
        for class in map.classes.iter().filter(|c| c.name != "class-default") {
            if !device.class_maps.iter().any(|m| m.name == class.name) {
                file.undefined
                    .push(named("class-map", &class.name, &class.place));
            }
        }
    }
    for map in &device.class_maps {
        let class = named("class-map", &map.name, &map.place);
        if !device
            .policy_maps
            .iter()
            .flat_map(|p| &p.classes)
            .any(|c| c.name == map.name)
        {
            file.unused.push(class.clone());
        }
        file.defined.push(class);
    }
    for service in services() {
        if !device
            .policy_maps
            .iter()
            .any(|p| p.name == service.value.policy)
        {
            file.undefined
                .push(named("policy-map", &service.value.policy, &service.place));
        }
    }
}

impl Checker<'_> {
    fn device(&mut self, device: &Device) {
        self.switched_off(device);
        self.trust(device);
        self.maps(device);
        self.policies(device);
        self.channels(device);
        for interface in device.interfaces.iter().filter(|i| !i.shutdown) {
            self.queues(device, interface);
            self.line(device, interface);
            self.circuits(device, interface);
        }
    }

    /// Begins a finding of this rule at its usual severity.
    pub(super) fn find(
        &mut self,
        rule: &'static Rule,
        place: &Place,
        message: String,
        remedy: String,
    ) -> &mut Finding {
        self.findings.push(Finding {
            rule,
            severity: rule.severity,
            message,
            place: place.clone(),
            related: Vec::new(),
            remedies: remedy.lines().map(str::to_owned).collect(),
            uncertain: Vec::new(),
        });
        self.findings.last_mut().expect("one was just put there")
    }
}

/// Statements nobody understood that what an interface does may depend on.
pub(super) fn doubts(device: &Device, interface: &Interface) -> Vec<Place> {
    interface
        .unknown
        .iter()
        .chain(&device.unknown_qos)
        .cloned()
        .collect()
}

/// Sets severity and doubts of a finding.
pub(super) fn but(finding: &mut Finding, severity: Severity, uncertain: Vec<Place>) {
    finding.severity = severity;
    finding.uncertain = uncertain;
}

impl Queueing {
    /// The first statement about transmit queues.
    pub(crate) fn first(&self) -> Option<&Place> {
        let mut all: Vec<&Place> = Vec::new();
        all.extend(self.bandwidth.as_ref().map(|s| &s.place));
        all.extend(self.limits.as_ref().map(|s| &s.place));
        all.extend(self.strict_limit.as_ref().map(|s| &s.place));
        all.extend(self.strict_cos.as_ref().map(|s| &s.place));
        all.extend(self.cos_maps.iter().map(|s| &s.place));
        all.extend(self.dscp_maps.iter().map(|s| &s.place));
        all.extend(self.thresholds.iter().map(|s| &s.place));
        all.extend(self.random_detect.iter().map(|s| &s.place));
        all.into_iter().min_by_key(|p| p.span.start)
    }
}
