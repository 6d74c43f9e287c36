//! What a switch's configuration makes of its ports: queues, drops, marks and policers.

use farpath_config::qos::{
    Action, Device, Direction as Side, Interface, Match as Condition, Options, Police, Port,
    PortPolicy, Queue, Trust,
};
use farpath_units::{Ratio, Size};

use super::{Configuration, interfaces};
use crate::aqm::{DropRule, Red};
use crate::conditioning::{Bound, MarkRule, PoliceAction, PoliceRule};
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::document::{Tables, name_of};
use crate::model::{Link, NodeId, QueueLimit, Scenario};
use crate::queueing::{Class, ClassLimit, Match, Queueing, Scheduler, Sharing};

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
    for (file, node) in configuration.nodes.iter().enumerate() {
        let Some(device) = configuration.device(file) else {
            continue;
        };
        let arrivals = arrivals(&device, *node, scenario, tables);
        for (link, f) in scenario.links.iter_mut().zip(&tables.links) {
            let Some(interface) = interface(&device, *node, link, f) else {
                continue;
            };
            let mut at = Site {
                device: &device,
                interface,
                port: Port::of(&device, interface, &Options::default()),
                f,
                side: usize::from(link.ends[0] != *node),
                faults: &mut *faults,
            };
            at.queues(link);
            at.marks(link, &arrivals);
            at.policers(link);
        }
    }
}

/// The interface at which a link ends on a switch.
fn interface<'d>(
    device: &'d Device,
    node: NodeId,
    link: &Link,
    f: &Fields,
) -> Option<&'d Interface> {
    let side = link.ends.iter().position(|e| *e == node)?;
    let name = interfaces(f)?.swap_remove(side).into_inner();
    device.interfaces.iter().find(|i| i.name == name)
}

/// Each port at which frames arrive, by its link's number.
fn arrivals(
    device: &Device,
    node: NodeId,
    scenario: &Scenario,
    tables: &Tables,
) -> Vec<(String, Port)> {
    let links = scenario.links.iter().zip(&tables.links);
    let ports = links.filter_map(|(link, f)| interface(device, node, link, f));
    let port = |i: &Interface| (i.name.clone(), Port::of(device, i, &Options::default()));
    ports.map(port).collect()
}

/// One port, the link's table, and the direction it sends in.
struct Site<'a> {
    device: &'a Device,
    interface: &'a Interface,
    port: Port,
    f: &'a Fields,
    side: usize,
    faults: &'a mut Vec<Diagnostic>,
}

impl Site<'_> {
    /// The tables that speak of the direction, the nearest first.
    fn layers(&self) -> Vec<Fields> {
        let own = self.f.get::<Fields>(["forward", "reverse"][self.side]);
        own.into_iter().chain([self.f.clone()]).collect()
    }

    fn says(&self, key: &str) -> bool {
        self.layers().iter().any(|l| l.has(key))
    }

    fn fault(&mut self, title: String, help: &str) {
        let d = Diagnostic::new(self.f.span.clone(), title);
        self.faults.push(d.help(help));
    }

    fn queues(&mut self, link: &mut Link) {
        if self.says("scheduler") || !self.port.enabled {
            return;
        }
        let Some(memory) = self.layers().iter().find_map(|l| l.get::<Size>("memory")) else {
            if !says_queues(&self.interface.queueing) {
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
                carry: false,
            },
            memory: Some(memory),
            classes,
            fq_codel: None,
            shape: None,
        });
    }

    /// A switch that believes no mark gives all frames its own; it does so where they arrive.
    fn marks(&mut self, link: &mut Link, arrivals: &[(String, Port)]) {
        if self.says("mark") || !self.port.enabled {
            return;
        }
        let from = arrivals
            .iter()
            .filter(|(name, _)| *name != self.interface.name);
        let kept = |p: &Port| matches!(p.trust, Trust::Dscp | Trust::Precedence);
        let (keep, lose): (Vec<_>, Vec<_>) = from.partition(|(_, port)| kept(port));
        let Some((first, port)) = lose.first() else {
            return;
        };
        let dscp = port.internal_dscp(0, None);
        let others = lose.iter().any(|(_, p)| p.internal_dscp(0, None) != dscp);
        if !keep.is_empty() || others {
            let title = format!(
                "the ports of `{}` believe different marks: `{first}` gives DSCP {dscp} to all that arrives",
                self.device.name.as_deref().unwrap_or("the switch"),
            );
            return self.fault(
                title,
                "ports that differ are not simulated: give them one `mls qos trust`, or write `mark` on the link",
            );
        }
        let matches = Vec::new();
        link.directions[self.side].conditioning.marks = vec![MarkRule { matches, dscp }];
    }

    fn policers(&mut self, link: &mut Link) {
        if self.says("police") || !self.port.enabled {
            return;
        }
        for policy in self.port.policies.clone() {
            match policy.direction {
                Side::Output => self.police(link, &policy),
                Side::Input if policy.classes.iter().any(|c| c.police.is_some()) => {
                    let title = format!(
                        "policy-map `{}` polices what arrives at `{}`",
                        policy.name, self.interface.name
                    );
                    self.fault(
                        title,
                        "policers on arrival are checked and not simulated: write `police` on the link it came over",
                    );
                }
                Side::Input => {}
            }
        }
    }

    fn police(&self, link: &mut Link, policy: &PortPolicy) {
        for class in &policy.classes {
            let Some(police) = &class.police else {
                continue;
            };
            let beyond = |action: Action, dscp: u8| match action {
                Action::Transmit => PoliceAction::Pass,
                Action::Drop => PoliceAction::Drop,
                Action::SetDscp(to) => PoliceAction::Mark(to),
                Action::MarkDown => {
                    PoliceAction::Mark(self.port.maps.policed_dscp[usize::from(dscp & 63)])
                }
            };
            let matches: Vec<Match> = class.matches.iter().flat_map(conditions).collect();
            let marked = matches.iter().find_map(|m| match m {
                Match::Dscp(dscp) => Some(*dscp),
                _ => None,
            });
            let of = |action| beyond(action, marked.unwrap_or(0));
            let last = police.violate.unwrap_or(police.exceed);
            link.directions[self.side]
                .conditioning
                .policers
                .push(PoliceRule {
                    name: format!("{}-{}", policy.name, class.name),
                    matches,
                    rate: police.rate,
                    burst: police.burst,
                    bound: bound(police),
                    colour_aware: false,
                    actions: [of(police.conform), of(police.exceed), of(last)],
                    overhead: 0,
                });
        }
    }
}

/// Whether a port's queues are configured at all.
fn says_queues(said: &farpath_config::qos::Queueing) -> bool {
    let maps = said.cos_maps.len() + said.dscp_maps.len();
    let drops = said.thresholds.len() + said.random_detect.len();
    let shares = said.bandwidth.is_some() || said.limits.is_some();
    shares || said.strict_cos.is_some() || maps + drops > 0
}

fn bound(police: &Police) -> Bound {
    match (police.peak, police.max_burst) {
        (Some(peak), burst) => Bound::Peak(peak, burst.unwrap_or(police.burst)),
        (None, Some(excess)) if police.violate.is_some() => Bound::Excess(excess),
        _ => Bound::None,
    }
}

/// What a condition of a class map matches; none: everything.
fn conditions(condition: &Condition) -> Vec<Match> {
    let first_of = |n: &u8| (n << 3..(n << 3) + 8).map(Match::Dscp);
    match condition {
        Condition::Dscp(all) => all.iter().copied().map(Match::Dscp).collect(),
        Condition::Precedence(all) | Condition::Cos(all) => all.iter().flat_map(first_of).collect(),
        Condition::Experimental(all) => all.iter().copied().map(Match::Exp).collect(),
        Condition::Any | Condition::AccessGroup(_) | Condition::Class(_) => Vec::new(),
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
        red: random.map(|(min, max)| Red {
            min: bytes(min),
            max: bytes(max.max(min + 1)),
            max_p: part(100),
            weight: Ratio::new(WRED_WEIGHT).unwrap_or_default(),
            gentle: false,
            ecn: false,
        }),
        codel: None,
        drops,
    }
}
