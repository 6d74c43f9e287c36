//! QOS026: classes that keep more than what carries them; QOS012, shapers and policers that the line never fills.

use farpath_units::Rate;

use super::super::{Action, Class, Device, Interface, PolicyMap, Share, port};
use super::{Checker, On};
use crate::finding::Severity;
use crate::platform::Platform;
use crate::rules::{QOS012, QOS026};
use crate::source::Place;

/// What carries the classes of a policy map: a port, or a class that is shaped.
#[derive(Clone)]
pub(super) struct Carrier<'d> {
    pub(super) rate: Rate,
    /// What percentages are of.
    pub(super) whole: Rate,
    /// As a message names it, and what it does.
    says: String,
    /// It is a class that is shaped to a rate.
    shaped: bool,
    /// Where it is stated.
    place: &'d Place,
}

impl Checker<'_> {
    /// QOS026 and QOS012, of a device's policy maps.
    pub(super) fn rates(&mut self, device: &Device) {
        for map in &device.policy_maps {
            let on = carrying_port(device, map);
            if let Some(line) = &on {
                self.within(device, map, line);
            }
            for class in &map.classes {
                self.beyond_shaper(device, class);
                let carrier = shaped(map, class, on.as_ref().map(|l| l.whole));
                let part = class.service.as_ref().and_then(|s| device.policy(&s.value));
                if let Some((carrier, part)) = carrier.zip(part) {
                    self.within(device, part, &carrier);
                }
            }
        }
    }

    /// What the classes of `map` keep, held against what carries them.
    fn within(&mut self, device: &Device, map: &PolicyMap, carrier: &Carrier<'_>) {
        let (mut sum, mut absolute) = (0_u64, false);
        for class in &map.classes {
            self.never_filled(device, class, carrier);
            for (share, place) in kept(class) {
                let (before, bps) = (sum, of(share, carrier.whole));
                sum = sum.saturating_add(bps);
                absolute |= matches!(share, Share::Rate(_));
                let whole = carrier.rate.as_bps();
                // Percentages alone are QOS024's.
                if !absolute || before > whole || sum <= whole {
                    continue;
                }
                let message = format!(
                    "policy map {}: with the {} of class {} its classes keep {}, and {} {}",
                    map.name,
                    shown(bps),
                    class.name,
                    shown(sum),
                    carrier.says,
                    carrier.rate
                );
                let mut remedy = match Rate::from_bps(whole - before) {
                    Some(left) => format!("{left} at most here, or less before"),
                    None => {
                        "less in the classes before it: nothing is left for this one".to_owned()
                    }
                };
                let units = units_differ(device, (carrier.rate, sum)).filter(|_| carrier.shaped);
                if let Some(units) = units {
                    remedy = format!("{remedy}\n{units}");
                }
                let finding = self.find(&QOS026, place, message, remedy);
                finding.relate(carrier.place.clone(), "carried here");
                finding.doubt(class.unknown.iter().chain(&device.unknown_qos).cloned());
            }
        }
    }

    /// QOS026, of a class that keeps more than it is itself shaped to.
    fn beyond_shaper(&mut self, device: &Device, class: &Class) {
        let Some(bandwidth) = &class.bandwidth else {
            return;
        };
        let (kept, shaped, slip, place) =
            match (bandwidth.value, &class.shape, &class.shape_percent) {
                (Share::Rate(kept), Some(shape), _) if kept > shape.value.0 => {
                    let rate = shape.value.0;
                    let slip = units_differ(device, (rate, kept.as_bps()));
                    (kept.to_string(), rate.to_string(), slip, &shape.place)
                }
                (Share::Percent(kept), _, Some(shape)) if kept > shape.value => (
                    format!("{kept} %"),
                    format!("{} %", shape.value),
                    None,
                    &shape.place,
                ),
                _ => return,
            };
        let message = format!(
            "class {}: its `bandwidth` keeps {kept}, and it is shaped to {shaped}: it never gets what it keeps",
            class.name
        );
        let mut remedy = format!("a `bandwidth` of {shaped} at most, or a faster shaper");
        if let Some(units) = slip {
            remedy = format!("{units}\n{remedy}");
        }
        let finding = self.find(&QOS026, &bandwidth.place, message, remedy);
        finding.relate(place.clone(), "shaped here");
        finding.doubt(class.unknown.iter().cloned());
    }

    /// QOS012, of a shaper or a policer above what its frames come or go with.
    fn never_filled(&mut self, device: &Device, class: &Class, carrier: &Carrier<'_>) {
        let shape = class.shape.as_ref().map(|s| ("shape", s.value.0, &s.place));
        let police = class.police.as_ref();
        let police = police.map(|p| ("police", p.value.rate, &p.place));
        for (word, rate, place) in [shape, police].into_iter().flatten() {
            if rate <= carrier.rate {
                continue;
            }
            let message = format!(
                "class {}: `{word}` at {rate} does nothing, since {} {}",
                class.name, carrier.says, carrier.rate
            );
            let remedy = "write a lower rate, or take it out";
            let finding = self.find(&QOS012, place, message, remedy);
            finding.relate(carrier.place.clone(), "carried here");
            finding.doubt(device.unknown_qos.iter().cloned());
        }
    }
}

/// The rate of an interface's line, where its name or `speed` says it.
pub(super) fn rate_of(interface: &Interface) -> Option<Rate> {
    let mbps = port::speed_mbps(interface)?;
    Rate::from_bps(u64::from(mbps) * 1_000_000)
}

/// What `bandwidth` says of an interface of a router, which takes percentages of it.
pub(super) fn taken_for(device: &Device, interface: &Interface) -> Option<Rate> {
    let routes = matches!(device.platform, Platform::IosRouter | Platform::IosXe);
    let said = interface.bandwidth.as_ref().filter(|_| routes);
    said.map(|b| b.value)
}

/// The first percentage of its interface that a class of `map` states, with the class.
fn first_percentage(map: &PolicyMap) -> Option<(&Class, u32)> {
    let of_share = |share: Share| match share {
        Share::Percent(percent) => Some(percent),
        _ => None,
    };
    map.classes.iter().find_map(|class| {
        let mut shares = kept(class).filter_map(|(share, _)| of_share(share));
        let shaped = class.shape_percent.as_ref().map(|s| s.value);
        let policed = class.police_percent.as_ref().map(|p| p.value.percent);
        let percent = shares.next().or(shaped).or(policed)?;
        Some((class, percent))
    })
}

impl On<'_, '_> {
    /// QOS026, of a `bandwidth` that is not the line's rate.
    pub(super) fn bandwidth(&mut self) {
        let (device, interface) = (self.device, self.interface);
        let whole = device.interface(&interface.name);
        let line = whole.and_then(|i| rate_of(&i));
        let Some((said, line)) = interface.bandwidth.as_ref().zip(line) else {
            return;
        };
        let (name, taken) = (&interface.name, said.value);
        if taken == line {
            return;
        }
        // It says what a shaper of the port keeps to.
        let mine = interface.services.iter();
        let mine = mine.filter_map(|s| device.policy(&s.value.policy));
        let mut shapes = mine
            .flat_map(|m| &m.classes)
            .filter_map(|c| c.shape.as_ref());
        if shapes.any(|s| s.value.0 == taken) {
            return;
        }
        let services = interface.services.iter();
        let maps = services.filter_map(|s| device.policy(&s.value.policy));
        let of_it = taken_for(device, interface).is_some();
        let mut used = maps.filter_map(|map| Some((map, first_percentage(map)?)));
        let used = used.find(|_| of_it);
        let Some((map, (class, percent))) = used else {
            let message = format!(
                "`bandwidth` says {taken} of {name}, which carries {line}: it sets no rate, and is read by routing alone"
            );
            let remedy = "nothing, if routing is meant; where the line behind it is slower, a shaper keeps to it";
            self.find(&QOS026, &said.place, message, remedy).severity = Severity::Info;
            return;
        };
        let part = |whole: Rate| shown(of(Share::Percent(percent), whole));
        let message = format!(
            "`bandwidth` says {taken} of {name}, which carries {line}, and percentages of policy map {} are of it: the {percent} % of class {} are {}, not {}",
            map.name,
            class.name,
            part(taken),
            part(line)
        );
        let kbps = line.as_bps() / 1000;
        let remedy = format!(
            "`bandwidth {kbps}`; where the line behind it is slower, a class-default that is shaped to its rate, with the policy inside"
        );
        let finding = self.find(&QOS026, &said.place, message, remedy);
        if taken < line {
            finding.severity = Severity::Warning;
        }
    }
}

/// The slowest port whose rate is known among those that have a policy map themselves.
pub(super) fn carrying_port<'d>(device: &'d Device, map: &PolicyMap) -> Option<Carrier<'d>> {
    let up = device.interfaces.iter().filter(|i| !i.shutdown);
    let carriers = up.filter_map(|interface| {
        let mut services = interface.services.iter();
        let service = services.find(|s| s.value.policy == map.name)?;
        let rate = rate_of(&device.interface(&interface.name)?)?;
        Some(Carrier {
            rate,
            whole: taken_for(device, interface).unwrap_or(rate),
            says: format!("{} carries", interface.name),
            shaped: false,
            place: &service.place,
        })
    });
    carriers.min_by_key(|c| c.rate)
}

/// A class that is shaped, as what carries the classes of its own policy; `line` is the rate of the port.
pub(super) fn shaped<'d>(
    map: &PolicyMap,
    class: &'d Class,
    line: Option<Rate>,
) -> Option<Carrier<'d>> {
    let absolute = class.shape.as_ref().map(|s| (s.value.0, &s.place));
    let (rate, place) = absolute.or_else(|| {
        let percent = class.shape_percent.as_ref()?;
        let bps = line?.as_bps() / 100 * u64::from(percent.value);
        Some((Rate::from_bps(bps)?, &percent.place))
    })?;
    Some(Carrier {
        rate,
        whole: rate,
        says: format!("class {} of {} is shaped to", class.name, map.name),
        shaped: class.shape.is_some(),
        place,
    })
}

/// From how many times a shaper's rate on what its classes keep is probably in another unit.
const SLIP: u64 = 10;

/// What to write where a shaper's rate is far below the bit/s that classes keep, as two units do: IOS has `shape` in bit/s and
/// `bandwidth` in kbit/s (Cisco, command reference); IOS XR and NX-OS write units.
fn units_differ(device: &Device, (shaped, kept): (Rate, u64)) -> Option<String> {
    let shaped = shaped.as_bps();
    let units = matches!(device.platform, Platform::IosXr | Platform::NxOs);
    if units || kept / SLIP < shaped || kept / 1000 > shaped {
        return None;
    }
    Some(format!(
        "`shape average {}`, if it is meant in kbit/s: it is in bit/s, and `bandwidth` in kbit/s",
        shaped.saturating_mul(1000)
    ))
}

/// What a class keeps, and where that is stated.
fn kept(class: &Class) -> impl Iterator<Item = (Share, &Place)> {
    // What goes first and is policed has the policer's rate, where it states no share.
    let policed = class.police.as_ref();
    let policed = policed.filter(|p| p.value.exceed == Action::Drop);
    let policed = policed.map(|p| (Share::Rate(p.value.rate), &p.place));
    let first = class.priority.as_ref();
    let first = first.and_then(|p| p.value.map(|share| (share, &p.place)).or(policed));
    let shared = class.bandwidth.as_ref().map(|b| (b.value, &b.place));
    first.into_iter().chain(shared)
}

/// A share of a rate in bit/s; what is of the others' rest keeps nothing.
fn of(share: Share, rate: Rate) -> u64 {
    match share {
        Share::Rate(rate) => rate.as_bps(),
        Share::Percent(percent) => rate.as_bps() / 100 * u64::from(percent),
        Share::RemainingPercent(_) | Share::RemainingRatio(_) => 0,
    }
}

fn shown(bps: u64) -> String {
    Rate::from_bps(bps).map_or_else(|| "nothing".to_owned(), |rate| rate.to_string())
}
