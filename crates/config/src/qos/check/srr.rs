//! QOS031, queues and ports that shaped round robin holds below their line; QOS020 and QOS021 of such ports.

use farpath_units::Rate;

use super::super::Device;
use super::rates::rate_of;
use super::{Checker, On, below_plan};
use crate::finding::Severity;
use crate::platform::Platform;
use crate::rules::{QOS020, QOS021, QOS031};

impl Checker<'_> {
    /// QOS021, of the queue sets of a switch.
    pub(super) fn queue_sets(&mut self, device: &Device) {
        for said in &device.srr.buffers {
            let (set, parts) = &said.value;
            let sum: u32 = parts.iter().sum();
            if sum == 100 {
                continue;
            }
            let message =
                format!("the queues of queue set {set} have {sum} % of the buffer between them");
            let remedy =
                "make the four parts of `mls qos queue-set output … buffers` add up to 100";
            let finding = self.find(&QOS021, &said.place, message, remedy);
            if sum < 100 {
                finding.severity = Severity::Warning;
            }
        }
    }
}

impl On<'_, '_> {
    /// QOS031, QOS020 and QOS023 of one port.
    pub(super) fn srr(&mut self) {
        let said = &self.interface.srr;
        let on = self.device.qos.as_ref().is_some_and(|q| q.value);
        if self.device.platform != Platform::Catalyst || said.first().is_none() || !on {
            return;
        }
        let line = rate_of(self.interface);
        self.limited(line);
        self.held(line);
        self.shared();
    }

    /// `srr-queue bandwidth limit`.
    fn limited(&mut self, line: Option<Rate>) {
        let (name, said) = (&self.interface.name, &self.interface.srr);
        let Some(limit) = &said.limit else { return };
        let rate = line.and_then(|line| Some((said.limited(line)?, line)));
        let is = rate.map_or_else(String::new, |(rate, line)| format!(", {rate} of {line}"));
        let message = format!(
            "{name} sends at most {} % of what its line carries{is}, in steps of 6 %",
            limit.value
        );
        let remedy = "nothing, if that is what the line behind it carries; else `no srr-queue bandwidth limit`";
        self.find(&QOS031, &limit.place, message, remedy);
        if let Some((rate, _)) = rate {
            let named = format!("`srr-queue bandwidth limit` of {name}");
            let below = below_plan(&named, rate, &limit.place, self.checker.options);
            self.checker.findings.extend(below);
        }
    }

    /// Queues that are shaped, stated or by default.
    fn held(&mut self, line: Option<Rate>) {
        let (name, said) = (self.interface.name.clone(), &self.interface.srr);
        let shaped = said.shaped();
        let maps = &self.device.srr;
        let parts: f64 = shaped.iter().flatten().map(|n| 1.0 / f64::from(*n)).sum();
        if let Some(shape) = said.shape.as_ref().filter(|_| parts > 1.0 + 1e-9) {
            let message = format!(
                "the shaped queues of {name} have {:.0} % of its line between them",
                100.0 * parts
            );
            let remedy = "larger numbers: N is one N-th of the line";
            self.find(&QOS031, &shape.place, message, remedy);
        }
        if let Some(shape) = &said.shape
            && said.expedite.is_some()
            && shape.value.first().is_some_and(|n| *n > 0)
        {
            let message = format!(
                "queue 1 of {name} goes before the others, by `priority-queue out`: what shapes it is ignored"
            );
            self.find(&QOS031, &shape.place, message, "").severity = Severity::Info;
        }
        for (at, n) in shaped.iter().enumerate() {
            let Some(n) = *n else { continue };
            let number = at as u8 + 1;
            let rate = line.and_then(|line| Rate::from_bps(line.as_bps() / u64::from(n)));
            let is = rate.map_or_else(String::new, |rate| format!(", {rate}"));
            let dscps = (0..64_u8).filter(|d| maps.dscp[usize::from(*d)] == number);
            let dscps: Vec<u8> = dscps.collect();
            let whose = match &dscps[..] {
                [] => "no DSCP goes there".to_owned(),
                [first, .., last] if usize::from(last - first) + 1 == dscps.len() => {
                    format!("DSCP {first} to {last} go there")
                }
                some => {
                    let some: Vec<String> = some.iter().map(u8::to_string).collect();
                    format!("DSCP {} go there", some.join(", "))
                }
            };
            let by_default = match said.shape {
                Some(_) => "",
                None => " by default",
            };
            let message = format!(
                "queue {number} of {name} is shaped{by_default} to 1/{n} of the line{is}, also while the others are empty; {whose}, and its share does nothing"
            );
            let (place, remedy) = match (&said.shape, &said.share) {
                (Some(shape), _) => (
                    &shape.place,
                    format!("nothing, if that is meant; 0 in the place of {n} lets it share"),
                ),
                (None, Some(share)) => (
                    &share.place,
                    "`srr-queue bandwidth shape 0 0 0 0` lets it share; `priority-queue out` puts it first".to_owned(),
                ),
                (None, None) => continue,
            };
            let effort = dscps.contains(&0);
            let severity = match effort || said.shape.is_none() {
                true => Severity::Warning,
                false => Severity::Info,
            };
            self.find(&QOS031, place, message, remedy).severity = severity;
            if let Some(rate) = rate.filter(|_| effort) {
                let named = format!("queue {number} of {name}");
                let below = below_plan(&named, rate, place, self.checker.options);
                self.checker.findings.extend(below);
            }
        }
    }

    /// What each queue has when all are full.
    fn shared(&mut self) {
        let (name, said) = (&self.interface.name, &self.interface.srr);
        let Some(share) = &said.share else { return };
        let weights = said.weights();
        let total: u32 = weights.iter().flatten().sum();
        let first = said.expedite.is_some();
        let each = weights.iter().enumerate().map(|(at, weight)| match weight {
            Some(w) => format!("{:.1} %", 100.0 * f64::from(*w) / f64::from(total.max(1))),
            None if at == 0 && first => "first".to_owned(),
            None => "shaped".to_owned(),
        });
        let each: Vec<String> = each.collect();
        let message = format!(
            "queues 1 to 4 of {name}, when all are full: {} of what is left",
            each.join(", ")
        );
        self.find(&QOS020, &share.place, message, "");
    }
}
