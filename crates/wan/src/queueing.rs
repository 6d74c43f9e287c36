//! From a scenario's classes, policers and marks to those of a port, and back from their counters to
//! results.

use std::sync::Arc;

use farpath_element::qdisc::{
    ClassesConfig, Classifier, Curve, DisciplineConfig, FqCodelConfig, Level, Limit, Place,
    QueueConfig, QueueSite, QueuesConfig, Rounds, TokenBucket,
};
use farpath_element::{Action, Conditioner, Meter, Policer, Port, Stage};
use farpath_record::{PolicerRecord, QueueRecord};
use farpath_scenario::plan::{Plan, PortPlan};
use farpath_scenario::{
    Bound, Class, ClassLimit, Direction, Match, PoliceAction, PoliceRule, QueueLimit, Queueing,
    Rule, Scenario, Scheduler, Sharing, Way,
};
use farpath_units::{Duration, Key, Size};
use farpath_wire::FlowDir;

/// What a port's queues are built from.
pub(crate) struct Site<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) plan: &'a Plan,
    pub(crate) number: usize,
    /// What `bdp` multiplies the rate with.
    pub(crate) longest_rtt: Duration,
    /// What luck is keyed with.
    pub(crate) key: Key,
    pub(crate) flow_names: &'a Arc<[String]>,
}

/// More conditioners than a table of places can number mean none.
const NOWHERE: Place = Place {
    queue: u8::MAX,
    level: 0,
};

impl Site<'_> {
    fn port(&self) -> &PortPlan {
        &self.plan.ports[self.number]
    }

    fn direction(&self) -> &Direction {
        let port = self.port();
        let way = usize::from(port.way == Way::Reverse);
        &self.scenario.links[port.link.0].directions[way]
    }

    /// Bytes of the largest frame in a queue.
    fn full_frame(&self) -> u32 {
        let link = &self.scenario.links[self.port().link.0];
        link.framing.queue_bytes(self.direction().mtu)
    }

    /// Time of a full frame on the link.
    fn frame_time(&self) -> Duration {
        let link = &self.scenario.links[self.port().link.0];
        let bytes = link.framing.wire_bytes(self.direction().mtu);
        self.port().rate.time_for(Size::from_bytes(bytes.into()))
    }

    fn limit(&self, limit: QueueLimit) -> Limit {
        Scenario::queue_limit(limit, self.port().rate, self.longest_rtt)
    }

    /// A limit in bytes; packets are full frames.
    fn bytes(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Bytes(bytes) => bytes,
            Limit::Packets(n) => n.saturating_mul(self.full_frame().into()),
        }
    }

    /// The discipline of the port, if its direction has one.
    pub(crate) fn discipline(&self) -> Option<DisciplineConfig> {
        let queueing = self.direction().queueing.as_ref()?;
        let queues = match &queueing.fq_codel {
            Some(fair) => QueuesConfig::FqCodel(FqCodelConfig {
                queues: fair.flows,
                quantum: fair.quantum.unwrap_or(self.full_frame()),
                packets: fair.packets,
                memory: fair.memory.as_bytes(),
                codel: fair.codel,
                frame: self.full_frame(),
                key: self.key.with("fq-codel"),
            }),
            None => QueuesConfig::Classes(self.classes(queueing)),
        };
        let full = u64::from(self.full_frame());
        let shaper = queueing.shape.map(|shape| {
            let burst = shape.burst.map_or(full, Size::as_bytes);
            TokenBucket::new(shape.rate, burst.max(full))
        });
        Some(DisciplineConfig { queues, shaper })
    }

    fn classes(&self, queueing: &Queueing) -> ClassesConfig {
        let weights = || queueing.classes.iter().filter_map(weight);
        let least = weights().min().unwrap_or(1).max(1);
        // The least share holds the largest frame, so that every round serves every queue.
        let whole = self.full_frame().div_ceil(least);
        let (rounds, unit) = match queueing.scheduler {
            Scheduler::Wrr { unit, carry } => (Rounds::Wrr { carry }, unit.max(whole)),
            Scheduler::Drr | Scheduler::Strict => (Rounds::Drr, whole),
        };
        let memory = queueing.memory.map_or(u64::MAX, |m| m.as_bytes());
        let queue = |class: &Class| self.queue(class, unit, memory);
        ClassesConfig {
            classifier: self.classifier(queueing),
            rounds,
            queues: queueing.classes.iter().map(queue).collect(),
            memory,
        }
    }

    fn queue(&self, class: &Class, unit: u32, memory: u64) -> QueueConfig {
        let limit = match class.limit {
            ClassLimit::Own(own) => self.limit(own),
            ClassLimit::Memory => Limit::Bytes(memory),
            ClassLimit::MemoryShare(share) => Limit::Bytes((memory as f64 * share.get()) as u64),
        };
        let curve = class.curve.map(|red| Curve {
            min: self.bytes(self.limit(red.min)) as f64,
            max: self.bytes(self.limit(red.max)) as f64,
            max_p: red.max_p.get(),
        });
        let room = self.bytes(limit) as f64;
        let mut levels = Vec::new();
        if curve.is_some() || !class.drops.is_empty() {
            levels.push(Level {
                threshold: None,
                curve,
            });
        }
        levels.extend(class.drops.iter().map(|rule| Level {
            threshold: rule.above.map(|part| (room * part.get()) as u64),
            curve: rule.curve.map_or(curve, |(min, max, max_p)| {
                Some(Curve {
                    min: room * min.get(),
                    max: room * max.get(),
                    max_p: max_p.get(),
                })
            }),
        }));
        QueueConfig {
            quantum: weight(class).map(|w| w.saturating_mul(unit)),
            limit,
            levels,
            aqm: class.aqm.map(|aqm| (aqm, self.managed(class))),
        }
    }

    /// Where active queue management of a class stands. Random drops are drawn by the word of RED, the first
    /// of its kinds, whatever the kind.
    fn managed(&self, class: &Class) -> QueueSite {
        QueueSite {
            frame: self.full_frame(),
            frame_time: self.frame_time(),
            key: self.key.with("red").with(&class.name),
            names: Arc::clone(self.flow_names),
        }
    }

    fn classifier(&self, queueing: &Queueing) -> Classifier {
        let classes = || (0..).zip(&queueing.classes);
        let at = |queue: u8, level: u8| Place { queue, level };
        let rest = classes().find(|(_, c)| c.matches.is_empty());
        let mut rules: Vec<(Place, &Match)> = Vec::new();
        for (n, class) in classes() {
            // What a class and its drop rule both name is the drop rule's, as in the use of RFC 2597: a class of AF11 to AF13.
            for (level, rule) in (1..).zip(&class.drops) {
                rules.extend(rule.matches.iter().map(|m| (at(n, level), m)));
            }
            rules.extend(class.matches.iter().map(|m| (at(n, 0), m)));
        }
        let rest = at(rest.map_or(0, |(n, _)| n), 0);
        self.table(Classifier::new(rest), &rules)
    }

    /// Adds rules to a classifier, of which the first of those that know a frame by the same wins.
    fn table(&self, mut table: Classifier, rules: &[(Place, &Match)]) -> Classifier {
        let rules = || rules.iter().rev();
        // A label's traffic class is a copy of the precedence unless a rule says otherwise.
        for (place, what) in rules() {
            match what {
                Match::Dscp(dscp) if dscp % 8 == 0 => table.set_exp(dscp >> 3, *place),
                _ => {}
            }
        }
        for (place, what) in rules() {
            match what {
                Match::Dscp(dscp) => table.set_dscp(*dscp, *place),
                Match::Exp(exp) => table.set_exp(*exp, *place),
                Match::Protocol(p) => table.set_transport(p.transport(), *place),
                Match::Test(name) => {
                    let test = |f: usize| &self.scenario.tests[f].name;
                    let flows = self.plan.flows.iter().enumerate();
                    for (flow, _) in flows.filter(|(_, f)| test(f.test) == name) {
                        let dir = FlowDir::forward(flow as u16);
                        table.set_flow(dir.index(), *place);
                        table.set_flow(dir.turned().index(), *place);
                    }
                }
            }
        }
        table
    }

    /// Marks, then policers.
    pub(crate) fn conditioning(&self) -> Vec<Stage> {
        let conditioning = &self.direction().conditioning;
        let marks = conditioning.marks.iter();
        let marks = marks.map(|m| (&m.matches[..], Conditioner::Mark(m.dscp)));
        let policers = conditioning.policers.iter();
        let policers =
            policers.map(|p| (&p.matches[..], Conditioner::Police(Box::new(policer(p)))));
        let stages = [self.stage(marks.collect()), self.stage(policers.collect())];
        stages.into_iter().flatten().collect()
    }

    /// What the far node does with what arrives.
    pub(crate) fn arrivals(&self) -> Vec<Stage> {
        let rules = self.direction().arrivals.iter().map(|rule| match rule {
            Rule::Mark(m) => (&m.matches[..], Conditioner::Mark(m.dscp)),
            Rule::Police(p) => (&p.matches[..], Conditioner::Police(Box::new(policer(p)))),
        });
        self.stage(rules.collect()).into_iter().collect()
    }

    fn stage(&self, all: Vec<(&[Match], Conditioner)>) -> Option<Stage> {
        let numbered = || (0..u8::MAX).zip(&all);
        let at = |queue: u8| Place { queue, level: 0 };
        let rest = numbered().find(|(_, (matches, _))| matches.is_empty());
        let rest = rest.map_or(NOWHERE, |(n, _)| at(n));
        // One without a match takes every frame from those behind it.
        let before = numbered().take_while(|(n, _)| *n < rest.queue);
        let rules = before.flat_map(|(n, (matches, _))| matches.iter().map(move |m| (at(n), m)));
        let rules: Vec<(Place, &Match)> = rules.collect();
        let classifier = self.table(Classifier::in_order(rest), &rules);
        let conditioners: Vec<Conditioner> = all.into_iter().map(|(_, c)| c).collect();
        (!conditioners.is_empty()).then_some(Stage {
            classifier,
            conditioners,
        })
    }
}

fn weight(class: &Class) -> Option<u32> {
    match class.sharing {
        Sharing::Weight(weight) => Some(weight),
        Sharing::Priority => None,
    }
}

fn policer(rule: &PoliceRule) -> Policer {
    let committed = TokenBucket::new(rule.rate, rule.burst.as_bytes());
    let action = |action: PoliceAction| match action {
        PoliceAction::Pass => Action::Pass,
        PoliceAction::Drop => Action::Drop,
        PoliceAction::Mark(dscp) => Action::Mark(dscp),
    };
    Policer {
        meter: match rule.bound {
            Bound::None => Meter::Single(committed),
            Bound::Excess(burst) => Meter::SingleRate {
                committed,
                excess: TokenBucket::new(rule.rate, burst.as_bytes()),
            },
            Bound::Peak(rate, burst) => Meter::TwoRate {
                committed,
                peak: TokenBucket::new(rate, burst.as_bytes()),
            },
        },
        colour_aware: rule.colour_aware,
        actions: rule.actions.map(action),
        overhead: rule.overhead,
        counted: [(0, 0); 3],
    }
}

/// What the queues of a port did, in the order of its classes.
pub(crate) fn queues(direction: &Direction, port: &Port) -> Vec<QueueRecord> {
    let classes = direction.queueing.as_ref().map_or(&[][..], |q| &q.classes);
    let counters = port.queues();
    let mut records = Vec::new();
    for (class, (counter, waiting)) in classes.iter().zip(counters) {
        let drops = [
            ("tail", counter.tail),
            ("red", counter.early),
            ("down", counter.down),
        ];
        let named = drops.map(|(reason, n)| (reason.to_owned(), n));
        records.push(QueueRecord {
            class: class.name.clone(),
            offered: counter.offered,
            frames: counter.frames,
            bytes: counter.bytes,
            drops: named.into(),
            marked: counter.marked,
            waiting,
            queue_max_bytes: counter.most_bytes,
            delay_max_ns: counter.longest_wait.as_ps() as f64 / 1e3,
            delay_mean_ns: counter.waited_ps as f64 / 1e3 / counter.frames.max(1) as f64,
        });
    }
    records
}

/// What the policers of a port measured, in their order.
pub(crate) fn policers(direction: &Direction, port: &Port) -> Vec<PolicerRecord> {
    let arriving = direction.arrivals.iter().filter_map(|rule| match rule {
        Rule::Police(rule) => Some(rule),
        Rule::Mark(_) => None,
    });
    let rules = direction.conditioning.policers.iter().chain(arriving);
    let record = |(rule, policer): (&PoliceRule, &Policer)| PolicerRecord {
        name: rule.name.clone(),
        frames: policer.counted.map(|c| c.0),
        bytes: policer.counted.map(|c| c.1),
    };
    rules.zip(port.policers()).map(record).collect()
}
