//! Checks of policies and policers.

use farpath_units::{Duration, Rate, Size};

use super::super::{Device, Direction, Interface, policed_tcp, port, rules::*};
use super::{Checker, but, doubts};
use crate::finding::Severity;

impl Checker<'_> {
    /// QOS011 and QOS012.
    pub(super) fn policies(&mut self, device: &Device) {
        for interface in device.interfaces.iter().filter(|i| !i.shutdown) {
            self.services(device, interface);
        }
        for map in &device.policy_maps {
            let users = device
                .interfaces
                .iter()
                .filter(|i| i.services.iter().any(|s| s.value.policy == map.name));
            let line = users.filter_map(port::speed_mbps).max();
            for class in &map.classes {
                if class.name != "class-default"
                    && !device.class_maps.iter().any(|m| m.name == class.name)
                {
                    let message = format!(
                        "class {} of policy map {} has no class map: it matches nothing",
                        class.name, map.name
                    );
                    self.find(
                        &QOS012,
                        &class.place,
                        message,
                        format!("define it: `class-map match-any {}`", class.name),
                    )
                    .uncertain = device.unknown_qos.clone();
                }
                self.policer(class, line);
            }
        }
        for map in &device.class_maps {
            if !device
                .policy_maps
                .iter()
                .flat_map(|p| &p.classes)
                .any(|c| c.name == map.name)
            {
                let message = format!("class map {} is used by no policy", map.name);
                let finding = self.find(
                    &QOS012,
                    &map.place,
                    message,
                    "use it in a policy, or take it out".to_owned(),
                );
                but(finding, Severity::Warning, device.unknown_qos.clone());
            }
        }
    }

    fn services(&mut self, device: &Device, interface: &Interface) {
        for service in &interface.services {
            if !device
                .policy_maps
                .iter()
                .any(|p| p.name == service.value.policy)
            {
                let message = format!(
                    "policy map {} on {} is not defined",
                    service.value.policy, interface.name
                );
                let near = device
                    .policy_maps
                    .iter()
                    .min_by_key(|p| strsim::osa_distance(&p.name, &service.value.policy));
                let remedy = match near {
                    Some(p) => format!("define it; {} is defined", p.name),
                    None => "define it: `policy-map NAME`".to_owned(),
                };
                self.find(&QOS012, &service.place, message, remedy)
                    .uncertain = device.unknown_qos.clone();
            }
            if service.value.direction == Direction::Output && is_lan(interface) {
                let message = format!(
                    "`service-policy output` on {}: the policy feature cards of Catalyst 6500 LAN ports act on arriving traffic",
                    interface.name
                );
                let remedy = "put it on the interfaces where the traffic arrives, or check that this card acts on departing traffic".to_owned();
                self.find(&QOS012, &service.place, message, remedy)
                    .uncertain = doubts(device, interface);
            }
        }
    }

    fn policer(&mut self, class: &super::super::Class, line_mbps: Option<u32>) {
        let Some(police) = &class.police else { return };
        let (rate, burst) = (police.value.rate, police.value.burst);
        let rtt = self.options.rtt.unwrap_or(Duration::from_ms(100));
        let per_rtt = rate.bytes_in(rtt).as_bytes();
        let (tenth, frames) = (per_rtt / 10, 2 * 1500);
        if burst.as_bytes() >= tenth.max(frames) {
            return;
        }
        let line =
            Rate::from_bps(u64::from(line_mbps.unwrap_or(1_000)) * 1_000_000).unwrap_or(rate);
        let tcp = policed_tcp(rate, burst, line, rtt);
        let assumed = if self.options.rtt.is_some() {
            ""
        } else {
            " (taken; --rtt states it)"
        };
        let message = format!(
            "class {}: a burst of {burst} at {rate} is {} of what comes in a round trip of {rtt}{assumed}; one TCP connection gets {tcp:.1} without loss",
            class.name,
            match burst.as_bytes() < frames {
                true => "less than two frames and".to_owned() + &percent(burst, per_rtt),
                false => percent(burst, per_rtt).trim_start().to_owned(),
            }
        );
        let fit = Size::from_bytes(per_rtt.max(frames));
        let remedy = format!(
            "a burst of rate times round trip, {} B, lets one connection have the whole rate",
            fit.as_bytes()
        );
        let severity = match self.options.rtt.is_some() || burst.as_bytes() < frames {
            true => Severity::Error,
            false => Severity::Warning,
        };
        but(
            self.find(&QOS011, &police.place, message, remedy),
            severity,
            class.unknown.clone(),
        );
    }
}

fn percent(burst: Size, of: u64) -> String {
    format!(
        " {:.1} %",
        100.0 * burst.as_bytes() as f64 / of.max(1) as f64
    )
}

fn is_lan(interface: &Interface) -> bool {
    interface.name.contains("Ethernet")
}
