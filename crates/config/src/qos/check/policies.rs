//! Checks of policies and policers.

use farpath_units::{Duration, Rate, Size};

use super::super::burst::{odd_bucket, odd_shape};
use super::super::{
    Action, Class, ClassMap, Device, Direction, Interface, Options, Police, PolicyMap, Share, Trip,
    payload_of, policed_range, policed_tcp, port,
};
use super::rates::taken_for;
use super::{Checker, On};
use crate::finding::{Finding, Severity};
use crate::near::define;
use crate::platform::Platform;
use crate::rules::{QOS011, QOS012, QOS023, QOS024, QOS032};
use crate::source::Place;

impl Checker<'_> {
    /// QOS011 and QOS012.
    pub(super) fn policies(&mut self, device: &Device) {
        for interface in device.interfaces.iter().filter(|i| !i.shutdown) {
            self.on(device, interface).services();
        }
        for lacking in device.system_lacks() {
            self.undefined(device, &lacking.value, &lacking.place, "of `system qos`");
        }
        for map in &device.policy_maps {
            let users = device.interfaces.iter().filter(|i| device.applies(i, map));
            let users: Vec<&Interface> = users.collect();
            let port = Ports {
                mbps: users.iter().filter_map(|i| port::speed_mbps(i)).max(),
                taken: users.iter().filter_map(|i| taken_for(device, i)).max(),
                mtu: users
                    .iter()
                    .filter_map(|i| Some(i.mtu.as_ref()?.value))
                    .max(),
                trip: self
                    .options
                    .trip(device.file, users.iter().map(|i| i.name.as_str())),
            };
            self.never_reached(device, &map.classes);
            self.whole(map);
            for class in &map.classes {
                if device.lacks(class) {
                    let message = format!(
                        "class {} of policy map {} has no class map: it matches nothing",
                        class.name, map.name
                    );
                    let remedy = format!("define it: `class-map match-any {}`", class.name);
                    self.without_effect(device, &class.place, message, &remedy);
                }
                self.policer(class, port);
                self.shaper(class);
                let part = class.service.as_ref();
                if let Some(part) = part.filter(|s| device.policy(&s.value).is_none()) {
                    self.undefined(
                        device,
                        &part.value,
                        &part.place,
                        &format!("of class {}", class.name),
                    );
                }
            }
        }
        self.class_maps(device);
    }

    /// QOS012, of class maps that match one which nothing defines, and of those that nothing has.
    fn class_maps(&mut self, device: &Device) {
        let lacking = device
            .nested()
            .filter(|(_, n, _)| device.class(n).is_none());
        for (map, inner, place) in lacking {
            let message = format!(
                "class map {inner}, which class map {} matches, is not defined",
                map.name
            );
            let remedy = format!("define it: `class-map match-any {inner}`");
            self.without_effect(device, place, message, &remedy);
        }
        for map in device
            .class_maps
            .iter()
            .filter(|m| !device.uses(m) && !device.is_given(m))
        {
            let message = format!("class map {} is used by no policy", map.name);
            let remedy = "use it in a policy, or take it out";
            self.without_effect(device, &map.place, message, remedy);
        }
    }

    /// QOS012, of classes whose frames an earlier class takes, and of those that no frame can be in.
    fn never_reached(&mut self, device: &Device, classes: &[Class]) {
        let maps: Vec<(&Class, &ClassMap)> = classes
            .iter()
            .filter_map(|c| Some((c, device.class(&c.name)?)))
            .filter(|(_, map)| map.unknown.is_empty())
            .collect();
        for (number, (class, map)) in maps.iter().enumerate() {
            if let Some([one, other]) = map.contradiction() {
                let message = format!(
                    "class {} matches nothing: it is `match-all`, and no frame has both {one} and {other}",
                    class.name
                );
                let remedy = format!("`class-map match-any {}`", class.name);
                self.without_effect(device, &map.place, message, &remedy);
                continue;
            }
            let first = maps[..number].iter().find(|(_, m)| m.covers(map));
            if let Some((first, _)) = first {
                let message = format!(
                    "class {} gets nothing: class {} before it takes all that it matches",
                    class.name, first.name
                );
                let remedy = "put the narrower class first, or match something else";
                self.without_effect(device, &class.place, message, remedy);
            }
        }
    }

    /// QOS012, of a policy map that nobody defines.
    fn undefined(&mut self, device: &Device, wanted: &str, place: &Place, of: &str) {
        let message = format!("policy map {wanted} {of} is not defined");
        let known = device.policy_maps.iter().map(|p| p.name.as_str());
        let remedy = define(known, wanted);
        let remedy = remedy.unwrap_or_else(|| "define it: `policy-map NAME`".to_owned());
        self.without_effect(device, place, message, &remedy);
    }

    fn without_effect(&mut self, device: &Device, place: &Place, message: String, remedy: &str) {
        let finding = self.find(&QOS012, place, message, remedy);
        finding.doubt(device.unknown_qos.iter().cloned());
    }

    /// QOS024.
    fn whole(&mut self, map: &PolicyMap) {
        type Kept = fn(&Share) -> Option<u32>;
        let of_line: Kept = |s| match s {
            Share::Percent(percent) => Some(*percent),
            _ => None,
        };
        let of_rest: Kept = |s| match s {
            Share::RemainingPercent(percent) => Some(*percent),
            _ => None,
        };
        for (kept, of) in [(of_line, ""), (of_rest, " of what the others leave")] {
            let mut sum = 0;
            for class in &map.classes {
                let first = class.priority.iter();
                let first = first.filter_map(|p| Some((kept(p.value.as_ref()?)?, &p.place)));
                let shared = class.bandwidth.iter();
                let shared = shared.filter_map(|b| Some((kept(&b.value)?, &b.place)));
                for (percent, place) in first.chain(shared) {
                    let before = sum;
                    sum += percent;
                    if before > 100 || sum <= 100 {
                        continue;
                    }
                    let message = format!(
                        "policy map {}: with the {percent} % of class {} its classes keep {sum} %{of}",
                        map.name, class.name
                    );
                    let remedy = format!("{} % at most here, or less before", 100 - before);
                    self.find(&QOS024, place, message, remedy);
                }
            }
        }
    }

    fn policer(&mut self, class: &Class, port: Ports) {
        let line = port
            .mbps
            .and_then(|mbps| Rate::from_bps(u64::from(mbps) * 1_000_000));
        let whole = port.taken.or(line);
        if let Some(((police, line), whole)) = class.police_percent.as_ref().zip(line).zip(whole) {
            let said = &police.value;
            let rate = Rate::from_bps(whole.as_bps() / 100 * u64::from(said.percent));
            if let Some(rate) = rate.filter(|_| said.exceed == Action::Drop) {
                let named = format!("class {}, {} % of {whole}", class.name, said.percent);
                let burst = said.burst.map(|time| (rate, rate.bytes_in(time)));
                let of = (burst, Some(line), port);
                self.bucket(class, &named, rate, of, &police.place);
            }
        }
        let dropping = class
            .police
            .as_ref()
            .and_then(|p| Some((dropped(&p.value)?, p)));
        if let Some(((rate, burst), police)) = dropping {
            let named = format!("class {}", class.name);
            let burst = Some((rate, burst));
            let before = self.findings.len();
            self.bucket(class, &named, rate, (burst, line, port), &police.place);
            if let Some(time) = police.value.taken {
                taken(&mut self.findings[before..], time);
            }
        }
    }

    /// QOS011, QOS023 and QOS027, of a policer that drops what exceeds `rate`.
    fn bucket(
        &mut self,
        class: &Class,
        named: &str,
        rate: Rate,
        (burst, line, port): (Option<(Rate, Size)>, Option<Rate>, Ports),
        place: &Place,
    ) {
        let small = burst
            .and_then(|(rate, burst)| small_burst(named, (rate, burst, line), place, port.trip));
        let odd = burst.and_then(|contract| odd_bucket(named, contract, port.mtu, place));
        let below = below_plan(named, rate, place, self.options);
        for mut finding in small.into_iter().chain(odd).chain(below) {
            finding.doubt(class.unknown.iter().cloned());
            self.findings.push(finding);
        }
    }

    /// QOS032, of a shaper, and QOS027, of one that states its burst.
    fn shaper(&mut self, class: &Class) {
        if let Some(shape) = &class.shape {
            let named = format!("the shaper of class {}", class.name);
            let found = slower(&named, shape.value.0, &shape.place, self.options);
            if let Some(mut finding) = found {
                finding.doubt(class.unknown.iter().cloned());
                self.findings.push(finding);
            }
        }
        let Some((shape, burst)) = class.shape.as_ref().and_then(|s| Some((s, s.value.1?))) else {
            return;
        };
        let named = format!("class {}", class.name);
        let found = odd_shape(&named, (shape.value.0, burst), &shape.place);
        if let Some(mut finding) = found {
            finding.doubt(class.unknown.iter().cloned());
            self.findings.push(finding);
        }
    }
}

/// Says of findings about a bucket that its burst is not stated, and is taken to hold this time of its rate.
fn taken(findings: &mut [Finding], time: Duration) {
    for finding in findings.iter_mut().filter(|f| f.rule != QOS023.id) {
        finding.text = format!(
            "{}; no burst is stated: {time} of the rate are taken, and platforms differ",
            finding.text
        );
        finding.severity = finding.severity.min(Severity::Warning);
    }
}

/// The ports that have a policy map: the fastest, and the largest IP packet that one states.
#[derive(Clone, Copy)]
struct Ports {
    mbps: Option<u32>,
    /// What percentages are of, where it is not the line's rate.
    taken: Option<Rate>,
    mtu: Option<u32>,
    trip: Trip,
}

/// Rate and burst beyond which a policer drops, if it drops at all.
fn dropped(police: &Police) -> Option<(Rate, Size)> {
    if police.exceed == Action::Drop {
        return Some((police.rate, police.burst));
    }
    if police.violate != Some(Action::Drop) {
        return None;
    }
    let more = police.max_burst;
    Some(match police.peak {
        Some(peak) => (peak, more.unwrap_or(police.burst)),
        None => {
            let both = police
                .burst
                .as_bytes()
                .saturating_add(more.map_or(0, Size::as_bytes));
            (police.rate, Size::from_bytes(both))
        }
    })
}

/// A connection that gets this part of a policer's rate is not held down by its bucket.
const WHOLE: f64 = 0.9;

/// QOS011, of a policer with this rate, burst and line.
pub(crate) fn small_burst(
    named: &str,
    (rate, burst, line): (Rate, Size, Option<Rate>),
    place: &Place,
    trip: Trip,
) -> Option<Finding> {
    let (rtt, line) = (trip.rtt, trip.line.or(line));
    let per_rtt = rate.bytes_in(rtt).as_bytes();
    let frames = 2 * 1500;
    let small = burst.as_bytes() < (per_rtt / 10).max(frames);
    // Up to a bucket of a round trip the law may leave less than the rate: said where the round trip is known.
    let short = trip.is_known() && burst.as_bytes() < per_rtt;
    if !small && !short {
        return None;
    }
    let gets = policed_tcp(rate, burst, line, rtt);
    let all = payload_of(rate).as_bps() as f64;
    let whole = |got: Rate| got.as_bps() as f64 >= WHOLE * all;
    // On a line that is no faster than the policer no bucket is too small for a frame that fits it.
    if gets.is_some_and(whole) {
        return None;
    }
    let contract = (rate, burst, line);
    let tcp = predicted(gets, contract, rtt);
    let tiny = burst.as_bytes() < frames;
    let percent = 100.0 * burst.as_bytes() as f64 / per_rtt.max(1) as f64;
    let digits = if percent < 0.1 { 4 } else { 1 };
    let assumed = trip.how();
    let message = format!(
        "{named}: a burst of {burst} at {rate} is {}{percent:.digits$} % of what comes in a round trip of {rtt}{assumed}; {tcp}",
        if tiny {
            "less than two frames and "
        } else {
            ""
        },
    );
    let enough = Size::from_bytes(per_rtt.max(frames));
    let then = policed_tcp(rate, enough, line, rtt).map_or_else(String::new, |got| {
        let share = 100.0 * got.as_bps() as f64 / all.max(1.0);
        format!(": one TCP connection gets about {share:.0} % of the rate then")
    });
    let remedy = format!(
        "a burst of rate times round trip, {} B{then}",
        enough.as_bytes()
    );
    let mut remedies = vec![remedy];
    remedies.extend(gets.map(|_| command(contract, rtt)));
    let mut finding = Finding::new(&QOS011, message, place.clone(), remedies);
    finding.severity = match small && trip.is_known() || tiny {
        true => Severity::Error,
        false => Severity::Warning,
    };
    Some(finding)
}

/// What one connection gets, in the words of `predict path`.
fn predicted(gets: Option<Rate>, contract: (Rate, Size, Option<Rate>), rtt: Duration) -> String {
    let Some(got) = gets else {
        return "no full frame passes".to_owned();
    };
    let between = policed_range(got, contract, rtt).map_or_else(String::new, |(low, high)| {
        format!("; of 100 simulated paths 95 lie between {low:.1} and {high:.1}")
    });
    format!(
        "one TCP connection gets about {got:.1} of payload, limited by a policer (predicted for CUBIC, the mean of the first minute{between})"
    )
}

/// The command that predicts the same.
fn command((rate, burst, line): (Rate, Size, Option<Rate>), rtt: Duration) -> String {
    let word = |text: String| text.replace(' ', "");
    let (of, taken) = match line {
        Some(line) => (word(line.to_string()), ""),
        None => (
            "LINE".to_owned(),
            ", with the rate of the line before it for LINE: here the frames of a burst are taken to come at once",
        ),
    };
    format!(
        "`farpath predict path --rate {of} --rtt {} --policer {},{}` predicts the same, and what helps{taken}",
        word(rtt.to_string()),
        word(rate.to_string()),
        word(burst.to_string())
    )
}

/// QOS032, of a shaper or a port, by name, below the rate that is planned.
pub(crate) fn slower(named: &str, rate: Rate, place: &Place, options: &Options) -> Option<Finding> {
    let planned = options.rate.filter(|planned| rate < *planned)?;
    let message = format!("{named} is {rate:.1}, of the {planned:.1} that are planned");
    let remedy = "nothing, if what is planned takes another way; else that rate or more";
    Some(Finding::new(
        &QOS032,
        message,
        place.clone(),
        vec![remedy.to_owned()],
    ))
}

/// QOS023, of a policer below the rate that is planned.
pub(crate) fn below_plan(
    named: &str,
    rate: Rate,
    place: &Place,
    options: &Options,
) -> Option<Finding> {
    let planned = options.rate.filter(|planned| rate < *planned)?;
    let message = format!("{named}: a policer of {rate:.1}, of the {planned:.1} that are planned");
    let remedy =
        "nothing, if this traffic is not what is planned for; else a contract of that rate";
    Some(Finding::new(
        &QOS023,
        message,
        place.clone(),
        vec![remedy.to_owned()],
    ))
}

impl On<'_, '_> {
    fn services(&mut self) {
        let (device, interface) = (self.device, self.interface);
        for service in &interface.services {
            let (wanted, place) = (&service.value.policy, &service.place);
            if device.policy(wanted).is_none() {
                let on = format!("on {}", interface.name);
                self.checker.undefined(device, wanted, place, &on);
            }
            let card = device.platform == Platform::Catalyst6500;
            if card
                && service.value.direction == Direction::Output
                && interface.name.contains("Ethernet")
            {
                let message = format!(
                    "`service-policy output` on {}: the policy feature cards of Catalyst 6500 LAN ports act on arriving traffic",
                    interface.name
                );
                let remedy = "put it on the interfaces where the traffic arrives, or check that this card acts on departing traffic";
                self.find(&QOS012, place, message, remedy);
            }
        }
    }
}
