//! Plugs, cable and transceiver of what counts damaged frames.

use super::{host_of, places, systems};
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::known::System;
use crate::read::Facts;

impl Evidence {
    /// Whether damaged frames account for what a flow lost, so that the plugs, cable or transceiver are the whole change: one connection among
    /// several, a radio link and a queue of the sender's own have changes of their own.
    pub(crate) fn is_mended_by_plugs(&self) -> bool {
        let other = self.struck().is_some()
            || self.weak_radio().is_some()
            || self.damage_loses_pings()
            || self.dropped_by_itself(Cause::RandomLoss).is_some();
        let accounts = self.settled_by_damage() || self.around.ports.account_for_damage(self);
        let accounts = accounts || self.shares_loss();
        !other && (accounts || self.damaged_as_lost().is_some())
    }
}

/// The change against random loss where damaged frames account for it: at what counts them. What helps the sender meanwhile is a part of its
/// risk.
pub(super) fn cure(e: &Evidence, facts: &Facts, flow: &Flow) -> Option<Change> {
    if !e.is_mended_by_plugs() {
        return None;
    }
    let mut change = of_port(e, facts).or_else(|| of_interface(e, facts, flow))?;
    let linux = e.systems[0].is_none_or(|system| system == System::Linux);
    if linux && !e.udp && !e.is_bbr() {
        change.risk.push_str(MEANWHILE);
    }
    Some(change)
}

/// What a sender may do until the damage is mended.
const MEANWHILE: &str = "; until it is mended, BBR at the sender (net.ipv4.tcp_congestion_control) keeps more of its rate, at the cost of others on the path";

/// What to do about an interface that counts damaged frames, or whose light is weak: on its host, whichever end that is.
pub(super) fn of_interface(e: &Evidence, facts: &Facts, flow: &Flow) -> Option<Change> {
    if !e.around.is_damaged() {
        return None;
    }
    let damaged = e.around.damaged.as_ref().filter(|d| d.count.value > 0.0);
    let host = match (damaged, e.around.dark) {
        (Some(damaged), _) => damaged.host,
        (None, dark) => dark?,
    };
    let port = match damaged.map_or("", |d| d.interface.as_str()) {
        "" => format!(
            "the interface that counts damaged frames{}",
            places(facts, damaged)
        ),
        name => format!(
            "{name}, which counts damaged frames{}",
            places(facts, damaged)
        ),
    };
    let remedy = clean(&format!("{port}, and of the one at the other end"));
    Some(remedy.change(&host_of(facts, flow, host), None, None))
}

/// The same about a port of a router.
pub(super) fn of_port(e: &Evidence, facts: &Facts) -> Option<Change> {
    let counted = e.around.ports.to_clean(e)?;
    let at = counted.count.from.first();
    let at = at.map_or_else(String::new, |at| format!(" ({})", facts.place(*at)));
    let port = match counted.port.name.is_empty() {
        true => "the port that counts damaged frames",
        false => &counted.port.name,
    };
    let router = match counted.port.router.is_empty() {
        true => "the router",
        false => &counted.port.router,
    };
    let remedy = clean(&format!(
        "{port}{at}, and of the port at the other end of its line"
    ));
    Some(remedy.change(router, None, None))
}

/// What to do about the plugs of these, and its risk.
fn clean(ends: &str) -> systems::Remedy {
    systems::Remedy {
        commands: vec![format!(
            "clean or change the plugs, cable and transceiver of {ends}"
        )],
        risk: "the link goes down meanwhile".to_owned(),
        ..systems::Remedy::default()
    }
}
