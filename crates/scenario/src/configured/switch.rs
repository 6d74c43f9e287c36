//! What a switch's configuration makes of its ports: queues, drops, marks and policers.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::Platform;
use farpath_config::qos::{
    Action, Device, Direction as Side, Interface, Match as Said, Options, Police, PolicyClass,
    Port, PortPolicy, Queue,
};
use farpath_element::qdisc::{AqmConfig, RedConfig};
use farpath_units::{Ratio, Size};

use super::interface::interfaces;
use super::known::Known;
use super::scheduling::one;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{
    Bound, Class, ClassLimit, Configuration, DropRule, Link, MarkRule, Match, NodeId, PoliceAction,
    PoliceRule, QueueLimit, Queueing, RedCurve, Rule, Scenario, Scheduler, Shape, Sharing,
};
use crate::sections::{Tables, name_of};

/// Weight of a sample in the mean that weighted RED of a Catalyst goes by: 2^-9, the IOS default.
const WRED_WEIGHT: f64 = 1.0 / 512.0;

/// Queues, marks and policers of the ports of every switch among the files, where the scenario
/// writes none.
pub(super) fn apply(
    configuration: &Configuration,
    tables: &Tables,
    scenario: &mut Scenario,
    faults: &mut Vec<Diagnostic>,
) {
    // Frames without a mark are everywhere: untrusted ports make them of all others.
    let marks = scenario.tests.iter().map(|t| t.class >> 2);
    let used: BTreeSet<u8> = marks.chain([0]).collect();
    for (file, node) in configuration.nodes.iter().enumerate() {
        let Some(device) = configuration.device(file) else {
            continue;
        };
        for (link, f) in scenario.links.iter_mut().zip(&tables.links) {
            let Some(interface) = interface(device, *node, link, f) else {
                continue;
            };
            let mut at = Site {
                interface: &interface,
                port: Port::of(device, &interface, &Options::default()),
                f,
                side: usize::from(link.ends[0] != *node),
                carry: device.platform == Platform::Catalyst,
                used: &used,
                faults: &mut *faults,
            };
            at.mtu(link);
            if device.platform.is_catalyst() {
                at.queues(link);
            }
            at.arrivals(link);
            at.policers(link);
            at.shaper(link);
        }
    }
}

/// The interface at which a link ends on a switch.
fn interface(device: &Device, node: NodeId, link: &Link, f: &Fields) -> Option<Interface> {
    let side = link.ends.iter().position(|e| *e == node)?;
    let name = interfaces(f)?.swap_remove(side).into_inner();
    device.interface(&name)
}

/// One port, the link's table, and the direction it sends in.
struct Site<'a> {
    interface: &'a Interface,
    port: Port,
    f: &'a Fields,
    side: usize,
    /// Whether a queue owes what its last frame took too much: so in shaped round robin.
    carry: bool,
    /// DSCPs of the scenario's tests.
    used: &'a BTreeSet<u8>,
    faults: &'a mut Vec<Diagnostic>,
}

impl Site<'_> {
    /// The tables that speak of a direction, the nearest first.
    fn layers(&self, way: usize) -> Vec<Fields> {
        let own = self.f.get::<Fields>(["forward", "reverse"][way]);
        own.into_iter().chain([self.f.clone()]).collect()
    }

    fn says(&self, way: usize, key: &str) -> bool {
        self.layers(way).iter().any(|l| l.has(key))
    }

    fn fault(&mut self, title: String, help: &str) {
        let d = Diagnostic::new(self.f.span.clone(), title);
        self.faults.push(d.help(help));
    }

    /// What the port carries, where its configuration states it and the link does not.
    fn mtu(&self, link: &mut Link) {
        if let Some(mtu) = &self.interface.mtu
            && !self.says(self.side, "mtu")
        {
            link.directions[self.side].mtu = mtu.value;
        }
    }

    fn queues(&mut self, link: &mut Link) {
        let own = ["scheduler", "aqm"];
        if own.iter().any(|key| self.says(self.side, key)) || !self.port.enabled {
            return;
        }
        if self.is_shaped() {
            return;
        }
        let Some(memory) = self
            .layers(self.side)
            .iter()
            .find_map(|l| l.get::<Size>("memory"))
        else {
            if !says_queues(self.interface) {
                return; // nothing is meant, and the plain queue of the link will do
            }
            let title = format!(
                "link `{}` has no `memory`: `{}` divides it among {} queues, and no configuration says how much there is",
                name_of(self.f),
                self.interface.name,
                self.port.queues.len()
            );
            return self.fault(
                title,
                "add the transmit buffer of the port, such as memory = \"512 kB\"",
            );
        };
        // A queue that no frame is sent to is none; a class without a match would take the rest.
        let queues = self.port.queues.iter();
        let classes = queues.map(|q| class(&self.port, q, memory));
        let classes = classes.filter(|c| !c.matches.is_empty()).collect();
        let direction = &mut link.directions[self.side];
        direction.queue = QueueLimit::Bytes(memory);
        direction.queueing = Some(Queueing {
            scheduler: Scheduler::Wrr {
                unit: u32::try_from(self.port.unit.as_bytes()).unwrap_or(u32::MAX),
                carry: self.carry,
            },
            memory: Some(memory),
            classes,
            fq_codel: None,
            shape: None,
        });
    }

    /// Says that a queue of shaped round robin which frames of a test use is held to a part of the line.
    fn is_shaped(&mut self) -> bool {
        if !self.carry || self.interface.srr.first().is_none() {
            return false;
        }
        let shaped = self.interface.srr.shaped();
        let found = self.used.iter().find_map(|dscp| {
            let (queue, _) = self.port.queue_of_dscp(*dscp);
            let n = (*shaped.get(usize::from(queue).checked_sub(1)?)?)?;
            Some((queue, n, *dscp))
        });
        let Some((queue, n, dscp)) = found else {
            return false;
        };
        let title = format!(
            "queue {queue} of `{}`, that of DSCP {dscp}, is shaped to 1/{n} of the line by `srr-queue bandwidth shape`",
            self.interface.name
        );
        self.fault(
            title,
            "a shaper of one of several queues is not simulated: write `shape` on the link for all of them, with scheduler = \"fifo\"",
        );
        true
    }

    /// What the switch does with frames that arrive at the port: each meets its class of the input
    /// policy, or else what the port believes.
    fn arrivals(&mut self, link: &mut Link) {
        let way = 1 - self.side;
        if self.says(way, "mark") || self.says(way, "police") || !self.port.enabled {
            return;
        }
        let port = self.port.clone();
        let tagged = link.vlan.is_some();
        let mut rest = Known::all();
        let mut rules = Vec::new();
        let policies = port.policies.iter();
        for policy in policies.filter(|p| p.direction == Side::Input) {
            for (class, known) in self.classes(policy) {
                let trust = class.trust.unwrap_or(port.trust);
                let believes = Port {
                    trust,
                    ..port.clone()
                };
                let given = |d| {
                    class
                        .set_dscp
                        .unwrap_or_else(|| internal(&believes, d, tagged))
                };
                match &class.police {
                    Some(police) => {
                        rules.extend(self.police(policy, class, &known, (police, &given)));
                    }
                    None => rules.extend(marks(&known, &given).map(Rule::Mark)),
                }
                rest.remove(&known);
            }
        }
        rules.extend(marks(&rest, &|d| internal(&port, d, tagged)).map(Rule::Mark));
        let direction = &mut link.directions[way];
        if !rules.is_empty() && (direction.reorder || !direction.impairments.is_none()) {
            let title = format!(
                "`{}` conditions what arrives over link `{}`, whose frames may change their distance or order on the way",
                self.interface.name,
                name_of(self.f)
            );
            return self.fault(
                title,
                "a meter behind such a line is not simulated: put the impairment on another link",
            );
        }
        direction.arrivals = rules;
    }

    fn policers(&mut self, link: &mut Link) {
        if self.says(self.side, "police") || !self.port.enabled {
            return;
        }
        let port = self.port.clone();
        let policies = port.policies.iter();
        for policy in policies.filter(|p| p.direction == Side::Output) {
            for (class, known) in self.classes(policy) {
                let given = |d| class.set_dscp.unwrap_or(d);
                let Some(police) = &class.police else {
                    if class.set_dscp.is_some() {
                        self.not_built(policy, class, "marks what leaves and polices nothing");
                    }
                    continue;
                };
                let rule = self.police(policy, class, &known, (police, &given));
                let rules = rule.into_iter().filter_map(|rule| match rule {
                    Rule::Police(rule) => Some(rule),
                    Rule::Mark(_) => None,
                });
                link.directions[self.side]
                    .conditioning
                    .policers
                    .extend(rules);
            }
        }
    }

    /// A shaper of all that leaves.
    fn shaper(&mut self, link: &mut Link) {
        if self.says(self.side, "shape") || !self.port.enabled {
            return;
        }
        let direction = &mut link.directions[self.side];
        let limited = self.interface.srr.limited(direction.rate);
        if let Some(rate) = limited.filter(|_| self.carry) {
            let queue = direction.queue;
            let queueing = direction.queueing.get_or_insert_with(|| one(queue));
            queueing.shape = Some(Shape { rate, burst: None });
        }
        let port = self.port.clone();
        let policies = port.policies.iter();
        for policy in policies.filter(|p| p.direction == Side::Output) {
            for class in &policy.classes {
                let Some((rate, burst)) = class.shape else {
                    continue;
                };
                let only = policy.classes.len() == 1 && class.matches.is_empty();
                if !only && !class.matches.contains(&Said::Any) {
                    self.not_built(policy, class, "shapes a part of what leaves");
                    continue;
                }
                let direction = &mut link.directions[self.side];
                let queue = direction.queue;
                let queueing = direction.queueing.get_or_insert_with(|| one(queue));
                queueing.shape = Some(Shape { rate, burst });
            }
        }
    }

    /// The classes of a policy, each with the frames no earlier one has.
    fn classes<'p>(&mut self, policy: &'p PortPolicy) -> Vec<(&'p PolicyClass, Known)> {
        let mut rest = Known::all();
        let mut found = Vec::new();
        for class in &policy.classes {
            match Known::of(class) {
                Ok(mut known) => {
                    known.keep(&rest);
                    rest.remove(&known);
                    if known != Known::default() {
                        found.push((class, known));
                    }
                }
                Err(what) => self.not_built(policy, class, what),
            }
        }
        found
    }

    fn not_built(&mut self, policy: &PortPolicy, class: &PolicyClass, what: &str) {
        let title = format!(
            "class `{}` of policy-map `{}` at `{}` {what}",
            class.name, policy.name, self.interface.name
        );
        self.fault(
            title,
            "that is not simulated: take the service-policy out, or write `mark` and `police` on the link",
        );
    }

    /// The policer of a class whose frames have the DSCP that `given` makes of theirs.
    fn police(
        &mut self,
        policy: &PortPolicy,
        class: &PolicyClass,
        known: &Known,
        (police, given): (&Police, &dyn Fn(u8) -> u8),
    ) -> Option<Rule> {
        let maps = self.port.maps.clone();
        let of = |action: Action| match action {
            Action::Drop => Some(PoliceAction::Drop),
            Action::SetDscp(to) => Some(PoliceAction::Mark(to)),
            Action::Transmit => known.alike(given),
            Action::MarkDown => known.alike(&|d| maps.policed_dscp[usize::from(given(d) & 63)]),
        };
        let last = police.violate.unwrap_or(police.exceed);
        let (Some(green), Some(yellow), Some(red)) =
            (of(police.conform), of(police.exceed), of(last))
        else {
            self.not_built(
                policy,
                class,
                "polices DSCPs together and marks each otherwise",
            );
            return None;
        };
        Some(Rule::Police(PoliceRule {
            name: format!("{}-{}", policy.name, class.name),
            matches: known.matches(),
            rate: police.rate,
            burst: police.burst,
            bound: bound(police),
            colour_aware: false,
            actions: [green, yellow, red],
            overhead: 0,
        }))
    }
}

/// The DSCP a frame has in the switch; the CoS of a tagged one is its precedence.
fn internal(port: &Port, dscp: u8, tagged: bool) -> u8 {
    port.internal_dscp(dscp, tagged.then_some(dscp >> 3))
}

/// A mark for each DSCP that `given` makes of others.
fn marks(known: &Known, given: &dyn Fn(u8) -> u8) -> impl Iterator<Item = MarkRule> {
    let mut to: BTreeMap<u8, Known> = BTreeMap::new();
    for dscp in known.dscps() {
        to.entry(given(dscp)).or_default().dscp[usize::from(dscp)] = true;
    }
    let changed = to
        .into_iter()
        .filter(|(dscp, of)| of.dscps().any(|d| d != *dscp));
    changed.map(|(dscp, of)| MarkRule {
        matches: of.matches(),
        dscp,
    })
}

/// Whether a port's queues are configured at all.
pub(super) fn says_queues(interface: &Interface) -> bool {
    let said = &interface.queueing;
    let maps = said.cos_maps.len() + said.dscp_maps.len();
    let drops = said.thresholds.len() + said.random_detect.len();
    let shares = said.bandwidth.is_some() || said.limits.is_some();
    shares || said.strict_cos.is_some() || maps + drops > 0 || interface.srr.says_queues()
}

fn bound(police: &Police) -> Bound {
    match (police.peak, police.max_burst) {
        (Some(peak), burst) => Bound::Peak(peak, burst.unwrap_or(police.burst)),
        (None, Some(excess)) if police.violate.is_some() => Bound::Excess(excess),
        _ => Bound::None,
    }
}

/// A switch port's queue as a class.
fn class(port: &Port, queue: &Queue, memory: Size) -> Class {
    let limit = queue.limit(memory);
    let part = |percent: u32| Ratio::new(f64::from(percent.min(100)) / 100.0).unwrap_or_default();
    let of = |threshold: Option<usize>| -> Vec<Match> {
        let here = |(q, t): (u8, u8)| {
            q == queue.number && threshold.is_none_or(|n| usize::from(t) == n + 1)
        };
        let dscps = (0..64)
            .filter(|d| here(port.queue_of_dscp(*d)))
            .map(Match::Dscp);
        let exps = (0..8)
            .filter(|e| here(port.queue_of_cos(*e)))
            .map(Match::Exp);
        dscps.chain(exps).collect()
    };
    let rules = queue
        .thresholds
        .iter()
        .enumerate()
        .map(|(n, threshold)| DropRule {
            matches: of(Some(n)),
            above: Some(part(threshold.tail_percent)),
            curve: threshold
                .random
                .map(|(min, max)| (part(min), part(max), part(100))),
        });
    let drops = rules.filter(|r| !r.matches.is_empty()).collect();
    let random = queue.thresholds.iter().find_map(|t| t.random);
    let bytes = |percent: u32| {
        QueueLimit::Bytes(Size::from_bytes(
            limit.as_bytes() * u64::from(percent) / 100,
        ))
    };
    Class {
        name: format!("q{}", queue.number),
        matches: of(None),
        sharing: if queue.strict {
            Sharing::Priority
        } else {
            Sharing::Weight(queue.weight)
        },
        limit: ClassLimit::Own(QueueLimit::Bytes(limit)),
        aqm: random.map(|_| {
            AqmConfig::Red(RedConfig {
                weight: WRED_WEIGHT,
                gentle: false,
                ecn: false,
            })
        }),
        curve: random.map(|(min, max)| RedCurve {
            min: bytes(min),
            max: bytes(max.max(min + 1)),
            max_p: part(100),
        }),
        drops,
    }
}
