//! The checks.

mod atm;
mod channels;
mod limits;
mod lines;
mod marks;
mod policies;
mod pppoe;
mod queues;
mod rates;
mod srr;
mod storms;

use crate::dialect::Dialect;
use crate::finding::{self, Finding, Rule};
use crate::platform::Platform;
use crate::report::{Fault, Report, Structure};
use crate::rules::faults;
use crate::source::{Place, Source};

pub(crate) use policies::{below_plan, slower, small_burst};

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
            _ => {
                let platform = options.platform.unwrap_or_else(|| Platform::detect(text));
                report.files[number].platform = Some(platform);
                crate::ios::read_for(text, number, platform)
            }
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
    file.without_effect.clone_from(&device.without_effect);
    let (interfaces, policies) = (&device.interfaces, &device.policy_maps);
    let circuits = interfaces.iter().flat_map(|i| &i.pvcs);
    let classes = policies.iter().flat_map(|p| &p.classes);
    let unknown = core::iter::once(&device.unknown)
        .chain(interfaces.iter().map(|i| &i.unknown))
        .chain(circuits.map(|c| &c.unknown))
        .chain(device.class_maps.iter().map(|c| &c.unknown))
        .chain(policies.iter().map(|p| &p.unknown))
        .chain(classes.map(|c| &c.unknown));
    file.unrecognised = unknown.flatten().cloned().collect();
    // `interface range` puts one unknown line into several interfaces.
    file.unrecognised.sort_by_key(|p| p.span.start);
    file.unrecognised.dedup();
    let never = device
        .faults
        .iter()
        .filter(|f| f.rule == faults::UNFINISHED.id);
    file.faults.extend(never.map(|f| Fault {
        place: finding::place(f).clone(),
        message: f.text.clone(),
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
    let parts = || {
        let classes = device.policy_maps.iter().flat_map(|p| &p.classes);
        classes.filter_map(|c| c.service.as_ref())
    };
    for map in &device.policy_maps {
        let policy = named("policy-map", &map.name, &map.place);
        let used = services().any(|s| s.value.policy == map.name)
            || device.of_system.iter().any(|s| s.value == map.name);
        if !used && !parts().any(|s| s.value == map.name) {
            file.unused.push(policy.clone());
        }
        file.defined.push(policy);
        let lacking = map.classes.iter().filter(|c| device.lacks(c));
        let lacking = lacking.map(|c| named("class-map", &c.name, &c.place));
        file.undefined.extend(lacking);
    }
    for map in &device.class_maps {
        let class = named("class-map", &map.name, &map.place);
        if !device.uses(map) {
            file.unused.push(class.clone());
        }
        file.defined.push(class);
    }
    let lacking = services().filter(|s| device.policy(&s.value.policy).is_none());
    let lacking = lacking.map(|s| named("policy-map", &s.value.policy, &s.place));
    file.undefined.extend(lacking);
    let lacking = parts().filter(|s| device.policy(&s.value).is_none());
    let lacking = lacking.map(|s| named("policy-map", &s.value, &s.place));
    file.undefined.extend(lacking);
    let lacking = device.system_lacks();
    let lacking = lacking.map(|s| named("policy-map", &s.value, &s.place));
    file.undefined.extend(lacking);
}

impl Checker<'_> {
    fn device(&mut self, device: &Device) {
        if device.platform.is_catalyst() {
            self.switched_off(device);
            self.trust(device);
            self.maps(device);
            self.queue_sets(device);
        }
        self.policies(device);
        self.rates(device);
        self.queue_limits(device);
        self.channels(device);
        for interface in device.interfaces.iter().filter(|i| !i.shutdown) {
            let mut on = self.on(device, interface);
            queues::queues(&mut on);
            on.line();
            on.packets();
            on.header();
            on.segments();
            on.circuits();
            on.storms();
            on.srr();
            on.bandwidth();
            on.rate_limits();
            on.tunnel();
        }
    }

    /// Begins a finding of this rule at its usual severity; each line of `remedy` is one.
    pub(super) fn find(
        &mut self,
        rule: &'static Rule,
        place: &Place,
        text: String,
        remedy: impl AsRef<str>,
    ) -> &mut Finding {
        let remedies = remedy.as_ref().lines().map(str::to_owned).collect();
        let finding = Finding::new(rule, text, place.clone(), remedies);
        self.findings.push(finding);
        self.findings.last_mut().expect("one was just put there")
    }
}

impl<'a> Checker<'a> {
    /// The checks of one interface.
    pub(super) fn on<'c>(&'c mut self, device: &'c Device, interface: &'c Interface) -> On<'c, 'a> {
        On {
            checker: self,
            device,
            interface,
        }
    }
}

/// One interface under check.
pub(super) struct On<'c, 'a> {
    pub(super) checker: &'c mut Checker<'a>,
    pub(super) device: &'c Device,
    pub(super) interface: &'c Interface,
}

impl On<'_, '_> {
    /// As [`Checker::find`], in doubt if statements that the interface may depend on were not understood.
    pub(super) fn find(
        &mut self,
        rule: &'static Rule,
        place: &Place,
        text: String,
        remedy: impl AsRef<str>,
    ) -> &mut Finding {
        let finding = self.checker.find(rule, place, text, remedy);
        finding.doubt(self.interface.unknown.iter().cloned());
        finding.doubt(self.device.unknown_qos.iter().cloned());
        finding
    }
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
