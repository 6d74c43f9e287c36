//! Checks of firewalls and of class-of-service.

use std::collections::BTreeMap;

use farpath_units::Rate;

use super::class::{ClassOfService, Classifier, CosInterface, Marks, SchedulerMap, Transmit};
use super::model::{Applied, Condition, Filter, Interface, Policer, Router, Side, Term};
use crate::finding::{Finding, Severity};
use crate::near::define;
use crate::qos::{Options, below_plan, odd_bucket, slower, small_burst};
use crate::report::Structure;
use crate::rules::{JUN001, JUN002, JUN003, JUN004, QOS022};
use crate::source::Place;

/// Names of this kind are checked with the circuits they are of.
const OF_CIRCUITS: &str = "label-switched-path";

/// A port that no policer is faster than.
const MOST_RATE: u64 = 800_000_000_000;

/// JUN001, of the names that a file refers to and nothing defines.
pub(super) fn names(undefined: &[Structure], defined: &[Structure]) -> Vec<Finding> {
    let own = undefined.iter().filter(|s| s.kind != OF_CIRCUITS);
    let finding = |s: &Structure| {
        let known = defined.iter().filter(|d| d.kind == s.kind);
        let near = define(known.map(|d| d.name.as_str()), &s.name);
        let remedy = near.unwrap_or_else(|| format!("define it, or take the {} out", s.kind));
        let message = format!("{} `{}` is not defined", s.kind, s.name);
        Finding::new(&JUN001, message, s.place.clone(), vec![remedy])
    };
    own.map(finding).collect()
}

/// Queues whose classes a router fills by default (Junos, "Default forwarding classes").
const FILLED: u8 = 4;

/// JUN003, of the scheduler maps that interfaces have.
pub(super) fn classes(router: &Router) -> Vec<Finding> {
    let cos = &router.class_of_service;
    let applied = |map: &&SchedulerMap| {
        let mut of_ports = cos.interfaces.iter().filter_map(|i| i.map.as_ref());
        of_ports.any(|m| m.value == map.name.value)
    };
    let mut all: Vec<Finding> = cos.classifiers.iter().flat_map(classed_twice).collect();
    let mut say = |place: &Place, message: String, remedy: &str| {
        all.push(Finding::new(
            &JUN003,
            message,
            place.clone(),
            vec![remedy.to_owned()],
        ));
    };
    for map in cos.maps.iter().filter(applied) {
        let name = &map.name.value;
        let shares = map
            .schedulers
            .iter()
            .map(|(class, s)| (class, s, percent(cos, &s.value)));
        let shares: Vec<_> = shares.collect();
        let sum = whole(shares.iter().map(|(_, _, share)| *share));
        if sum > 100 {
            let message = format!("the shares of scheduler-map `{name}` add up to {sum} %");
            say(&map.name.place, message, "make them 100 % or less");
        }
        let buffers = whole(map.schedulers.iter().map(|(_, s)| buffer(cos, &s.value)));
        if buffers > 100 {
            let message = format!("the buffers of scheduler-map `{name}` add up to {buffers} %");
            say(&map.name.place, message, "make them 100 % or less");
        }
        if let Some((message, place)) = above_port(router, map) {
            say(&place, message, "lower them, or the shares beside them");
        }
        for (class, scheduler, share) in &shares {
            let Some(queue) = cos.queue(class).filter(|q| *q >= FILLED) else {
                continue;
            };
            if !is_filled(router, queue) {
                let has = share.map_or_else(String::new, |share| format!(" has {share} % and"));
                let message = format!(
                    "class `{class}`{has} a scheduler in `{name}`, and nothing is classed into it"
                );
                let remedy = "name it in a classifier, in a filter's `then forwarding-class`, or on an interface";
                say(&scheduler.place, message, remedy);
            }
        }
        let served = |queue: u8| {
            shares
                .iter()
                .any(|(class, ..)| cos.queue(class) == Some(queue))
        };
        for classifier in cos.classifiers.iter().filter(|c| is_applied(cos, c)) {
            for (class, points) in &classifier.entries {
                let left = cos.queue(class).filter(|q| *q > 0 && !served(*q));
                if left.is_some() && !points.is_empty() {
                    let message = format!(
                        "classifier `{}` classes frames into `{class}`, and scheduler-map `{name}` has no scheduler for it",
                        classifier.name.value
                    );
                    let remedy = "add the class to the map";
                    say(&classifier.name.place, message, remedy);
                }
            }
        }
    }
    all
}

/// What stated shares add up to, in percent.
fn whole(shares: impl Iterator<Item = Option<u64>>) -> u64 {
    shares.flatten().fold(0, u64::saturating_add)
}

/// A scheduler's share; none where it is not in percent.
fn percent(cos: &ClassOfService, scheduler: &str) -> Option<u64> {
    let said = cos.schedulers.iter().find(|s| s.name.value == scheduler)?;
    match &said.transmit {
        Some(Transmit::Percent(share)) => Some(share.value),
        _ => None,
    }
}

/// A scheduler's part of the buffer; none where it is not in percent.
fn buffer(cos: &ClassOfService, scheduler: &str) -> Option<u64> {
    let said = cos.schedulers.iter().find(|s| s.name.value == scheduler)?;
    Some(said.buffer_percent.as_ref()?.value)
}

/// The slowest port that has a scheduler map, and its rate or what it is shaped to.
pub(super) fn slowest<'r>(router: &'r Router, map: &SchedulerMap) -> Option<(Rate, &'r str)> {
    let cos = &router.class_of_service;
    let is_it = |c: &&CosInterface| {
        c.unit.is_none() && c.map.as_ref().is_some_and(|m| m.value == map.name.value)
    };
    let rates = cos.interfaces.iter().filter(is_it).filter_map(|c| {
        let port = router.interfaces.iter().find(|i| i.name == c.port);
        let line = port.and_then(Interface::rate);
        let shaped = c.shaping.as_ref().map(|s| s.value);
        let rate = line.into_iter().chain(shaped).min()?;
        Some((rate, c.port.as_str()))
    });
    rates.min_by_key(|(rate, _)| *rate)
}

/// What is said where the rates of a map's schedulers, with the shares beside them, exceed the slowest port that has it;
/// and where the rate stands that does.
fn above_port(router: &Router, map: &SchedulerMap) -> Option<(String, Place)> {
    let cos = &router.class_of_service;
    let (rate, port) = slowest(router, map)?;
    let (mut sum, mut absolute) = (0_u64, false);
    for (_, scheduler) in &map.schedulers {
        let mut all = cos.schedulers.iter();
        let Some(said) = all.find(|s| s.name.value == scheduler.value) else {
            continue;
        };
        sum = sum.saturating_add(match &said.transmit {
            Some(Transmit::Rate(own)) => {
                absolute = true;
                own.value.as_bps()
            }
            Some(Transmit::Percent(share)) => (rate.as_bps() / 100).saturating_mul(share.value),
            Some(Transmit::Remainder) | None => 0,
        });
        if absolute && sum > rate.as_bps() {
            let sum = Rate::from_bps(sum)?;
            let message = format!(
                "the rates of scheduler-map `{}` add up to {sum}, and `{port}` has {rate}",
                map.name.value
            );
            return Some((message, scheduler.place.clone()));
        }
    }
    None
}

/// Code points of a classifier that another class of it has as well.
fn classed_twice(classifier: &Classifier) -> Vec<Finding> {
    let mut known: BTreeMap<u8, &str> = BTreeMap::new();
    let mut all = Vec::new();
    for (class, points) in &classifier.entries {
        for point in points {
            let first = *known.entry(point.value).or_insert(class);
            if first == class {
                continue;
            }
            let message = format!(
                "classifier `{}` classes code point {} into `{first}` and into `{class}`: Junos refuses to commit it",
                classifier.name.value,
                binary(classifier.marks, point.value)
            );
            let remedy = vec!["leave it in one of them".to_owned()];
            let mut finding = Finding::new(&JUN003, message, point.place.clone(), remedy);
            finding.severity = Severity::Error;
            all.push(finding);
        }
    }
    all
}

/// A code point as Junos prints it: three bits, or six of a DSCP.
fn binary(marks: Marks, point: u8) -> String {
    match marks {
        Marks::Dscp => format!("{point:06b}"),
        Marks::Precedence | Marks::Exp | Marks::Cos => format!("{point:03b}"),
    }
}

fn is_applied(cos: &ClassOfService, classifier: &Classifier) -> bool {
    let named = cos.interfaces.iter().flat_map(|i| &i.classifiers);
    let own = (classifier.marks, &classifier.name.value);
    named
        .map(|(marks, name)| (*marks, &name.value))
        .any(|n| n == own)
}

/// Whether any classifier, filter or interface names a class of this queue.
fn is_filled(router: &Router, queue: u8) -> bool {
    let cos = &router.class_of_service;
    let by_marks = cos.classifiers.iter().flat_map(|c| &c.entries);
    let by_marks = by_marks.map(|(class, _)| class);
    let terms = router.filters.iter().flat_map(|f| &f.terms);
    let by_filters = terms.filter_map(|t| t.class.as_ref());
    let by_ports = cos.interfaces.iter().filter_map(|i| i.class.as_ref());
    let others = by_filters.chain(by_ports).map(|class| &class.value);
    by_marks
        .chain(others)
        .any(|class| cos.queue(class) == Some(queue))
}

/// QOS011, QOS023 and JUN002, of a router's policers.
pub(super) fn policers(router: &Router, options: &Options) -> Vec<Finding> {
    let mut all = Vec::new();
    for policer in &router.policers {
        let fastest = arrives_at(router, policer);
        let (name, place) = (&policer.name.value, &policer.name.place);
        if let Some(share) = policer.percent.as_ref().filter(|p| p.value > 100) {
            let message = format!(
                "policer {name} takes {} % of the interface's rate: it limits nothing, and Junos refuses more than 100",
                share.value
            );
            let remedy = "`bandwidth-percent` from 1 to 100".to_owned();
            all.push(Finding::new(
                &JUN002,
                message,
                share.place.clone(),
                vec![remedy],
            ));
        }
        match (&policer.rate, &policer.burst) {
            (Some(rate), Some(_)) if policer.discards && Some(rate.value) >= fastest => {}
            (Some(rate), Some(burst)) if policer.discards => {
                let named = format!("policer {name}");
                let contract = (rate.value, burst.value, fastest);
                let ports = acts_at(router, policer);
                let trip = options.trip(place.file, ports.iter().map(String::as_str));
                all.extend(small_burst(&named, contract, &burst.place, trip));
                let mtu = largest_packet(router, policer);
                let bucket = (rate.value, burst.value);
                all.extend(odd_bucket(&named, bucket, mtu, &burst.place));
                all.extend(below_plan(&named, rate.value, &rate.place, options));
            }
            _ => all.extend(without_contract(policer).map(|(message, remedy)| {
                Finding::new(&JUN002, message, place.clone(), vec![remedy.to_owned()])
            })),
        }
    }
    all
}

/// Whether a policer acts where something is applied: itself, or in a term of a filter.
fn acts(router: &Router, policer: &Policer, applied: &Applied) -> bool {
    let name = &policer.name.value;
    let of_term = |t: &Term| t.policer.as_ref().is_some_and(|p| p.value == *name);
    match applied.filter {
        false => applied.name.value == *name,
        true => router
            .filters
            .iter()
            .filter(|f| f.family == applied.family && f.name.value == applied.name.value)
            .any(|f| f.terms.iter().any(of_term)),
    }
}

/// The interfaces, with their units, at which a policer acts.
fn acts_at(router: &Router, policer: &Policer) -> Vec<String> {
    let units = router.interfaces.iter();
    let units = units.flat_map(|i| i.units.iter().map(move |u| (i, u)));
    let units = units.filter(|(_, u)| u.conditioners.iter().any(|a| acts(router, policer, a)));
    units
        .map(|(i, u)| format!("{}.{}", i.name, u.number))
        .collect()
}

/// The largest IP packet of a port with a policer that states its MTU, bytes.
fn largest_packet(router: &Router, policer: &Policer) -> Option<u32> {
    let has = |i: &&Interface| {
        let mut applied = i.units.iter().flat_map(|u| &u.conditioners);
        i.is_framed() && applied.any(|a| acts(router, policer, a))
    };
    let ports = router.interfaces.iter().filter(has);
    let packets = ports.filter_map(|i| {
        let mtu = i.mtu.as_ref()?.value.as_bytes();
        u32::try_from(mtu.saturating_sub(i.header())).ok()
    });
    packets.max()
}

/// The rate of the fastest line that brings frames to a policer: of those it is an input of, or else of all.
fn arrives_at(router: &Router, policer: &Policer) -> Option<Rate> {
    let acts = |a: &Applied| acts(router, policer, a);
    let brings = |interface: &&Interface| {
        let applied = interface.units.iter().flat_map(|u| &u.conditioners);
        let mut applied = applied.filter(|a| acts(a));
        applied.any(|a| matches!(a.side, Side::Input))
    };
    let leaves = router.interfaces.iter().flat_map(|i| &i.units);
    let mut leaves = leaves.flat_map(|u| &u.conditioners);
    let leaves = leaves.any(|a| matches!(a.side, Side::Output) && acts(a));
    let input = router.interfaces.iter().any(|i| brings(&i));
    // Where the hardware alone knows how fast a port is, bursts come at once.
    let known = |i: &Interface| i.rate().or(Rate::from_bps(MOST_RATE));
    let lines = router.interfaces.iter();
    let lines = lines.filter(|i| leaves || !input || brings(i));
    lines.filter_map(known).max()
}

/// QOS022, of a protocol's MTU that the port does not carry.
pub(super) fn datagrams(router: &Router) -> Vec<Finding> {
    let mut all = Vec::new();
    for interface in router.interfaces.iter().filter(|i| i.off.is_none()) {
        let has = interface.media_mtu().as_bytes();
        let packet = has.saturating_sub(interface.header());
        let how = match interface.mtu {
            Some(_) => "",
            None => " by default",
        };
        for unit in interface.units.iter().filter(|u| u.off.is_none()) {
            let Some(inet) = unit.inet_mtu.as_ref() else {
                continue;
            };
            let needs = inet.value.as_bytes() + interface.header();
            if needs <= has || !interface.is_framed() {
                continue;
            }
            let message = format!(
                "`family inet mtu {}` of {}.{} needs a port of {needs} bytes, and `{}` has {has}{how}",
                inet.value.as_bytes(),
                interface.name,
                unit.number,
                interface.name
            );
            let remedy = format!(
                "`mtu {packet}` at most, or `mtu {needs}` on `{}`",
                interface.name
            );
            let place = inet.place.clone();
            all.push(Finding::new(&QOS022, message, place, vec![remedy]));
        }
    }
    all
}

/// Why a policer limits nothing, and what to write.
fn without_contract(policer: &Policer) -> Option<(String, &'static str)> {
    let name = &policer.name.value;
    let stated = policer.rate.is_some() || policer.percent.is_some();
    if !policer.discards {
        let message = format!("policer {name} discards nothing: what exceeds it goes on");
        return Some((message, "write `then discard`, if frames are to be dropped"));
    }
    (!stated || policer.burst.is_none()).then(|| {
        let message = format!("policer {name} states no rate or no burst");
        (
            message,
            "write `if-exceeding` with `bandwidth-limit` and `burst-size-limit`",
        )
    })
}

/// QOS032, of ports and shapers below the rate that is planned.
pub(super) fn planned(router: &Router, options: &Options) -> Vec<Finding> {
    let on = router.interfaces.iter().filter(|i| i.off.is_none());
    let ports = on.filter_map(|i| {
        let speed = i.speed.as_ref()?;
        slower(
            &format!("the speed of {}", i.name),
            i.rate()?,
            &speed.place,
            options,
        )
    });
    let shapers = router.class_of_service.interfaces.iter().filter_map(|i| {
        let shaping = i.shaping.as_ref()?;
        slower(
            &format!("a shaper of {}", i.port),
            shaping.value,
            &shaping.place,
            options,
        )
    });
    ports.chain(shapers).collect()
}

/// JUN004, of the filters that interfaces have.
pub(super) fn filters(router: &Router) -> Vec<Finding> {
    let on = router.interfaces.iter().filter(|i| i.off.is_none());
    let applied = on.flat_map(|i| i.units.iter().map(move |u| (i, u)));
    let applied = applied.flat_map(|(i, u)| u.conditioners.iter().map(move |a| (i, &u.number, a)));
    let applied: Vec<_> = applied.filter(|(.., a)| a.filter).collect();
    let found = router.filters.iter().filter_map(|filter| {
        let is_it = |a: &Applied| a.family == filter.family && a.name.value == filter.name.value;
        let places: Vec<_> = applied.iter().filter(|(.., a)| is_it(a)).collect();
        places.first()?;
        let mut finding = ends_in_discard(filter)?;
        for (interface, unit, at) in places {
            let side = match at.side {
                Side::Input => "input",
                Side::Output => "output",
            };
            let note = format!("{side} of {}.{unit}", interface.name);
            finding.relate(at.name.place.clone(), &note);
        }
        Some(finding)
    });
    found.collect()
}

/// A filter in which no term without conditions accepts, as far as terms are reached.
fn ends_in_discard(filter: &Filter) -> Option<Finding> {
    let name = &filter.name.value;
    let last = filter.terms.iter().find(|t| t.from.is_empty());
    let last = match last {
        Some(term) if !term.discards => return None,
        last => last,
    };
    let reached = filter.terms.iter().take_while(|t| !t.from.is_empty());
    let mut accepting = reached.filter(|t| !t.discards);
    let unmarked = accepting.any(takes_unmarked);
    let all = match unmarked {
        true => "",
        false => ": no frame without a mark passes",
    };
    if let Some(term) = last {
        let message = format!(
            "filter `{name}` discards in term `{}` what no term before it matches{all}",
            term.name
        );
        let remedy = "nothing, if that is meant; else a term before it for what is to pass";
        let mut finding = Finding::new(
            &JUN004,
            message,
            term.place.clone(),
            vec![remedy.to_owned()],
        );
        finding.severity = Severity::Info;
        return Some(finding);
    }
    let message =
        format!("filter `{name}` has no term that takes the rest, which is discarded{all}");
    let remedies = [
        "end it with `term rest { then accept; }`, if the rest is to pass",
        "or with `term rest { then discard; }`, which says that it is not",
    ];
    let remedies = remedies.map(str::to_owned).to_vec();
    let mut finding = Finding::new(&JUN004, message, filter.name.place.clone(), remedies);
    if !unmarked {
        finding.severity = Severity::Error;
    }
    Some(finding)
}

/// Whether a datagram with DSCP 0, or a frame whose label has 0, may match a term.
fn takes_unmarked(term: &Term) -> bool {
    term.from.iter().all(|condition| match &condition.value {
        Condition::Dscp(all) | Condition::Precedence(all) | Condition::Exp(all) => all.contains(&0),
        condition @ Condition::Protocol(_) => !condition.is_of_no_data(),
        Condition::Other(_) => true,
    })
}
