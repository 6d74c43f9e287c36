//! Policers and shapers of a router's configuration that act on what no other class takes: unmarked traffic.

use farpath_config::junos::model::{Applied, Policer, Router};
use farpath_config::qos::{Action, Class, Device, Match, PolicyMap};
use farpath_config::{Place, Report, Source};

use super::Facts;
use crate::fact::{Figure, Of};

/// A rate, the burst beside it, and where it is stated.
struct Conditioner<'r> {
    name: &'static str,
    rate_bps: f64,
    burst_bytes: Option<f64>,
    /// Of IOS the router, its policy map and its class.
    of_policy: Option<[&'r str; 3]>,
    place: &'r Place,
}

/// Notes what `report`, on one source, says of rates.
pub(super) fn conditioned(report: &Report, source: &Source, number: u32, facts: &mut Facts) {
    let devices = report.devices.iter().flat_map(of_device);
    let routers = report.routers.iter().flat_map(of_router);
    for found in devices.chain(routers) {
        let (line, _) = source.line_and_column(found.place.span.start);
        let at = crate::Place::Line(number, line as u32);
        facts.number(Of::Path, found.name, Figure::exact(found.rate_bps, at));
        if let Some(burst) = found.burst_bytes.filter(|_| found.name == POLICER) {
            facts.number(Of::Path, "policer_burst_bytes", Figure::exact(burst, at));
        }
        let names = words_of(found.name);
        for (name, word) in names.into_iter().zip(found.of_policy.iter().flatten()) {
            facts.word(Of::Path, name, word, at);
        }
    }
}

pub(super) const POLICER: &str = "policer_bps";
pub(super) const SHAPER: &str = "shaper_bps";
/// Words beside a shaper that a policy map states: the router, the policy map, and the class in it.
pub(crate) const OF_POLICY: [&str; 3] = ["shaper_router", "shaper_policy", "shaper_of_class"];
/// The same beside a policer.
pub(crate) const OF_POLICER: [&str; 3] = ["policer_router", "policer_policy", "policer_of_class"];

/// The names of the words beside a rate of this name.
pub(super) fn words_of(rate: &str) -> [&'static str; 3] {
    match rate == POLICER {
        true => OF_POLICER,
        false => OF_POLICY,
    }
}

/// Words beside a rate to which a scheduler of Junos holds its class, or to which a port is shaped. They are the router, what the statement
/// stands in, `schedulers BE`, and the statement with `RATE` in place of the rate.
pub(crate) const OF_SCHEDULER: [&str; 3] =
    ["scheduler_router", "scheduler_name", "scheduler_statement"];

/// What the service policies of ports in use do.
fn of_device(device: &Device) -> Vec<Conditioner<'_>> {
    let ports = device.interfaces.iter().filter(|i| !i.shutdown);
    let services = ports.flat_map(|i| &i.services);
    let policies = services.filter_map(|service| {
        let name = &service.value.policy;
        device.policy_maps.iter().find(|p| p.name == *name)
    });
    let router = device.name.as_deref().unwrap_or("");
    let classes = policies.filter_map(|policy| Some((policy, unmarked(device, policy)?)));
    classes
        .flat_map(|(policy, class)| of_class([router, &policy.name, &class.name], class))
        .collect()
}

/// The class that takes what is not marked: one that matches all, or the default.
fn unmarked<'d>(device: &'d Device, policy: &'d PolicyMap) -> Option<&'d Class> {
    let takes_all = |class: &&Class| {
        let map = device.class_maps.iter().find(|m| m.name == class.name);
        let any = map.is_some_and(|m| m.matches.iter().any(|m| m.value == Match::Any));
        class.name == "class-default" || any
    };
    policy.classes.iter().find(takes_all)
}

fn of_class<'d>(
    of_policy: [&'d str; 3],
    class: &'d Class,
) -> impl Iterator<Item = Conditioner<'d>> {
    let police = class.police.as_ref().filter(|police| {
        let value = &police.value;
        value.exceed == Action::Drop || value.violate == Some(Action::Drop)
    });
    let police = police.map(|police| {
        // What exceeds the first bucket and passes is bounded by the second.
        let value = &police.value;
        let bytes = |size: farpath_units::Size| size.as_bytes() as f64;
        let second = value.max_burst.map(bytes);
        let (rate, burst) = match (value.exceed, value.peak) {
            (Action::Drop, _) => (value.rate, bytes(value.burst)),
            // RFC 2698: a bucket of its own. RFC 2697: what the first one leaves over.
            (_, Some(peak)) => (peak, second.unwrap_or(bytes(value.burst))),
            (_, None) => (value.rate, bytes(value.burst) + second.unwrap_or(0.0)),
        };
        Conditioner {
            name: POLICER,
            rate_bps: rate.as_bps() as f64,
            burst_bytes: Some(burst),
            of_policy: Some(of_policy),
            place: &police.place,
        }
    });
    let shape = class.shape.as_ref().map(|shape| Conditioner {
        name: SHAPER,
        rate_bps: shape.value.0.as_bps() as f64,
        burst_bytes: None,
        of_policy: Some(of_policy),
        place: &shape.place,
    });
    police.into_iter().chain(shape)
}

/// What policers on units do, by themselves or from the first term of a filter that asks for nothing.
fn of_router(router: &Router) -> Vec<Conditioner<'_>> {
    let units = router.interfaces.iter().flat_map(|i| &i.units);
    let applied = units.flat_map(|unit| &unit.conditioners);
    let applied: Vec<&Applied> = applied.collect();
    if applied.is_empty() && router.interfaces.is_empty() && router.policers.len() <= FEW {
        // Cut out of a configuration: what is stated acts somewhere.
        return router.policers.iter().filter_map(stated).collect();
    }
    applied
        .into_iter()
        .filter_map(|applied| policer(router, applied))
        .collect()
}

/// Of more policers than these nobody knows which a flow meets.
pub(super) const FEW: usize = 3;

fn policer<'r>(router: &'r Router, applied: &'r Applied) -> Option<Conditioner<'r>> {
    let name = match applied.filter {
        false => &applied.name.value,
        true => {
            let named = |f: &&farpath_config::junos::model::Filter| {
                f.name.value == applied.name.value && f.family == applied.family
            };
            let filter = router.filters.iter().find(named)?;
            let term = filter.terms.iter().find(|term| term.from.is_empty())?;
            &term.policer.as_ref()?.value
        }
    };
    stated(router.policers.iter().find(|p| p.name.value == *name)?)
}

/// What a policer that drops states.
fn stated(policer: &Policer) -> Option<Conditioner<'_>> {
    let rate = policer.rate.as_ref().filter(|_| policer.discards)?;
    Some(Conditioner {
        name: POLICER,
        rate_bps: rate.value.as_bps() as f64,
        burst_bytes: policer.burst.as_ref().map(|b| b.value.as_bytes() as f64),
        of_policy: None,
        place: &rate.place,
    })
}
