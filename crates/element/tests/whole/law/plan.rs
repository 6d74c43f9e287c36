//! A random network as plain data: routers in a chain or ring, hosts on them, flows between hosts.
//!
//! Few distinct rates, delays and lengths are drawn for each network, and scripts start on multiples
//! of a frame's time: ties, exactly full queues and arrivals at the end of a service are the rule.

use farpath_element::atm::{self, CellLoss, Contract, Sustained};
use farpath_element::impair::{
    Chance, Distribution, Finder, FlapSpec, GilbertElliott, Impairments, LossSpec, RateTrace,
};
use farpath_element::qdisc::{
    AqmConfig, ClassesConfig, Classifier, CodelConfig, Curve, DisciplineConfig, FqCodelConfig,
    Level, Limit, PieConfig, Place, QueueConfig, QueueCounter, QueueSite, QueuesConfig, RedConfig,
    Rounds, TokenBucket, Transport,
};
use farpath_element::{Action, Conditioner, Meter, Policer, Sampling, Stage, Unit};
use farpath_predict::Framing;
use farpath_predict::atm::Aal5;
use farpath_units::{Duration, Key, Rate, Size, Time};
use farpath_wire::{FlowDir, Kind};

use crate::law::choices::Choices;
use crate::law::net::Outcome;
use crate::law::node::{Burst, Habits};

#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub(crate) rate: Rate,
    pub(crate) framing: Framing,
    pub(crate) mtu: u32,
    pub(crate) limit: Limit,
    pub(crate) delay: Duration,
    pub(crate) reorder: bool,
    pub(crate) losses: Vec<LossSpec>,
    pub(crate) impairments: Impairments,
    pub(crate) changes: bool,
    pub(crate) queues: Option<DisciplineConfig>,
    pub(crate) conditioning: Vec<Stage>,
    pub(crate) cells: Cells,
}

impl Direction {
    /// Shaped cells have one queue; and some links go down and empty theirs.
    fn have_queues(&mut self, c: &mut Choices) {
        self.cells.shape = None;
        if c.chance(20) {
            let frame = self.rate.time_for(Size::from_bytes(1500));
            self.impairments.flap = Some(FlapSpec {
                up: frame.times(1 + c.below(30)),
                down: frame.times(1 + c.below(10)),
                random: c.chance(50),
                holds: false,
            });
        }
    }
}

/// What happens to cells where the framing has any.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) loss: CellLoss,
    pub(crate) glue: bool,
    pub(crate) police: Option<(Contract, atm::Action)>,
    pub(crate) shape: Option<Contract>,
}

impl Cells {
    /// Where the framing has none.
    pub(crate) fn none() -> Cells {
        Cells {
            loss: CellLoss::default(),
            glue: false,
            police: None,
            shape: None,
        }
    }
}

/// Node `a` to node `b` and back; routers come first in the numbering of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) ends: [usize; 2],
    pub(crate) directions: [Direction; 2],
}

/// How a flow's forward direction travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The shortest way, routed at each node.
    Ip,
    /// This walk over routers, by label; it may cross one direction of a link several times.
    Lsp(Vec<usize>, LspEnd),
    /// The same below the customer's Ethernet header, tagged or not.
    Circuit(Vec<usize>, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LspEnd {
    Penultimate,
    Ultimate,
    ExplicitNull,
    /// The last router knows no such label.
    Broken,
}

#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) name: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) way: Way,
    pub(crate) habits: Habits,
    pub(crate) script: Vec<Burst>,
    pub(crate) header: u16,
}

#[derive(Clone, Debug)]
pub(crate) enum ChangePlan {
    Rate(Rate),
    Delay(Duration),
    Losses(Vec<LossSpec>),
    Limit(Limit),
    Up(bool),
    /// What else happens to frames, and whether they may overtake.
    Line(Box<Impairments>, bool),
}

/// All links of two routers, used together.
#[derive(Clone, Debug)]
pub(crate) struct BundlePlan {
    pub(crate) ends: [usize; 2],
    pub(crate) unit: Unit,
    /// How late a member's fall is noticed.
    pub(crate) late: Duration,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) routers: usize,
    pub(crate) bundles: Vec<BundlePlan>,
    /// The router each host hangs on.
    pub(crate) hosts: Vec<usize>,
    pub(crate) links: Vec<Link>,
    pub(crate) flows: Vec<Flow>,
    /// Time, link, direction.
    pub(crate) changes: Vec<(Time, usize, usize, ChangePlan)>,
    pub(crate) router_think: Duration,
    pub(crate) host_think: Duration,
    pub(crate) ports_first: bool,
    pub(crate) sampling: Sampling,
    pub(crate) seed: u64,
}

/// What the network's parts are made of.
struct Palette {
    rates: Vec<Rate>,
    framings: Vec<Framing>,
    delays: Vec<Duration>,
    lengths: Vec<u16>,
    /// The time of one long frame at the first rate: the unit of scripts and intervals.
    beat: Duration,
    lossy: u64,
    changing: u64,
    impaired: u64,
}

const RATES: [u64; 7] = [
    10_000_000_000,
    1_000_000_000,
    9_584_640_000,
    7_123_456_789,
    2_500_000_000,
    149_760_000,
    40_000_000_000,
];

const FRAMINGS: [Framing; 6] = [
    Framing::Ethernet,
    Framing::Pos,
    Framing::None,
    Framing::Atm(Aal5::Llc),
    Framing::Ethernet,
    Framing::Atm(Aal5::Vc),
];

impl Palette {
    /// Shares of the line, so that a contract lets all pass, or some.
    fn contract(c: &mut Choices, line: Rate) -> Contract {
        let share = |percent: u64| {
            Rate::from_bps((line.as_bps() * percent / 100).max(1)).expect("not zero")
        };
        let peak = c.pick(&[100, 90, 120, 50]);
        Contract {
            peak: share(peak),
            tolerance: Duration::from_ns(c.pick(&[0, 0, 1, 5000])),
            sustained: c.chance(50).then(|| Sustained {
                rate: share(peak * c.pick(&[50, 100, 10]) / 100),
                burst: c.pick(&[1, 32, 200, 1000]),
            }),
        }
    }

    fn cells(&self, c: &mut Choices, line: Rate) -> Cells {
        let lossy = c.chance(self.lossy);
        Cells {
            loss: CellLoss {
                ratio: if lossy {
                    c.pick(&[0.001, 0.02, 0.5])
                } else {
                    0.0
                },
                bit_error: if lossy {
                    c.pick(&[0.0, 1e-6, 1e-4])
                } else {
                    0.0
                },
            },
            glue: c.chance(70),
            police: c.chance(self.lossy / 2).then(|| {
                let action = c.pick(&[atm::Action::Drop, atm::Action::Tag]);
                (Palette::contract(c, line), action)
            }),
            shape: c.chance(30).then(|| Palette::contract(c, line)),
        }
    }

    fn draw(c: &mut Choices) -> Palette {
        let rates: Vec<Rate> = (0..1 + c.below(2))
            .filter_map(|_| Rate::from_bps(c.pick(&RATES)))
            .collect();
        let framings = (0..1 + c.below(2))
            .map(|_| c.pick(&FRAMINGS))
            .collect::<Vec<_>>();
        let lengths = vec![c.pick(&[1500, 9000, 600]), c.pick(&[40, 1500, 20, 576])];
        let wire = framings[0].wire_bytes(lengths[0].into());
        let beat = rates[0].time_for(Size::from_bytes(wire.into()));
        let delays = (0..1 + c.below(2))
            .map(|_| match c.below(4) {
                0 => beat.times(c.below(40)),
                1 => Duration::ZERO,
                2 => Duration::from_us(c.below(900)),
                _ => Duration::from_ps(1 + c.below(5_000_000)),
            })
            .collect();
        Palette {
            rates,
            framings,
            delays,
            lengths,
            beat,
            lossy: c.pick(&[0, 30, 60]),
            changing: c.pick(&[0, 0, 50]),
            impaired: c.pick(&[0, 0, 40]),
        }
    }

    fn limit(&self, c: &mut Choices, framing: Framing) -> Limit {
        let k = c.pick(&[1000, 0, 1, 2, 3, 5, 8, 20]);
        let bytes = u64::from(framing.queue_bytes(u32::from(self.lengths[0])));
        match c.below(3) {
            0 => Limit::Packets(k),
            1 => Limit::Bytes(k * bytes),
            _ => Limit::Bytes((k * bytes + c.below(3)).saturating_sub(1)),
        }
    }

    fn losses(&self, c: &mut Choices) -> Vec<LossSpec> {
        let mut losses = Vec::new();
        while losses.len() < 3 && c.chance(self.lossy) {
            losses.push(match c.below(5) {
                0 => LossSpec::EveryNth(1 + c.below(20)),
                1 => LossSpec::Bernoulli(c.pick(&[0.01, 0.1, 0.5, 1e-9])),
                2 => LossSpec::BitError(c.pick(&[1e-6, 1e-5, 1e-12])),
                3 => LossSpec::Scripted {
                    flow: FlowDir(c.below(8) as u16),
                    seq: c.below(30),
                    header: c.pick(&[u16::MAX, 60]),
                },
                _ => LossSpec::GilbertElliott(GilbertElliott {
                    p: c.pick(&[0.02, 0.2]),
                    r: c.pick(&[0.3, 0.9]),
                    loss_good: c.pick(&[0.0, 0.001]),
                    loss_bad: c.pick(&[1.0, 0.6]),
                }),
            });
        }
        losses
    }

    fn direction(&self, c: &mut Choices) -> Direction {
        let framing = c.pick(&self.framings);
        let rate = c.pick(&self.rates);
        // Only links of cells choose about cells.
        let cells = match framing.is_atm() {
            true => self.cells(c, rate),
            false => Cells::none(),
        };
        let mut direction = Direction {
            cells,
            rate,
            framing,
            mtu: c.pick(&[9216, 1522, 1500, 9000]),
            limit: self.limit(c, framing),
            delay: c.pick(&self.delays),
            reorder: c.chance(20),
            losses: self.losses(c),
            impairments: self.impairments(c),
            changes: c.chance(self.changing),
            queues: None,
            conditioning: Vec::new(),
        };
        // An opportunity takes no time, so a delay has to, and no change may take it away.
        if direction.delay == Duration::ZERO || direction.changes {
            let trace = &mut direction.impairments.trace;
            *trace = trace.take().filter(|t| t.shortest(1000) > Duration::ZERO);
        }
        direction
    }

    /// Delays are whole beats as often as not, so that frames arrive together.
    fn impairments(&self, c: &mut Choices) -> Impairments {
        let mut drawn = Impairments::default();
        if !c.chance(self.impaired) {
            return drawn;
        }
        let chances = [
            Chance::EveryNth(1 + c.below(5)),
            Chance::Share(c.pick(&[0.1, 0.5, 1.0])),
        ];
        let times = [
            Duration::ZERO,
            self.beat.times(c.below(5)),
            Duration::from_ps(c.below(9_000_000)),
        ];
        if c.chance(60) {
            let (mean, shape, max) = (self.beat, 1.5, self.beat.times(1 + c.below(30)));
            let beats = (0..1 + c.below(4)).map(|n| self.beat.times(n));
            let distribution = match c.below(5) {
                0 => Distribution::Uniform { max },
                1 => Distribution::Normal { mean, std: max },
                2 => Distribution::Pareto { mean, shape, max },
                3 => Distribution::ParetoNormal {
                    mean,
                    std: mean,
                    shape,
                    max,
                },
                _ => Distribution::Table(beats.collect()),
            };
            drawn.jitter = Some((distribution, c.pick(&[0.0, 0.5])));
        }
        if c.chance(40) {
            drawn.reordering = Some((c.pick(&chances), c.pick(&times)));
        }
        if c.chance(40) {
            drawn.duplication = Some((c.pick(&chances), c.pick(&times)));
        }
        if c.chance(40) {
            let finder = Finder::Checksum { undetected: 0.5 };
            let chance = c.pick(&[Chance::Share(0.1), Chance::Bits(1e-5), chances[0]]);
            drawn.corruption = Some((chance, c.pick(&[Finder::Crc, finder])));
        }
        if c.chance(25) {
            drawn.flap = Some(FlapSpec {
                up: self.beat.times(1 + c.below(40)),
                down: self.beat.times(1 + c.below(20)),
                random: c.chance(50),
                holds: c.chance(50),
            });
        }
        if c.chance(25) {
            let beats = |n: u64| self.beat.times(n);
            let (first, last) = (c.pick(&RATES), c.pick(&RATES));
            let rates = [
                (Duration::ZERO, first),
                (beats(3), c.pick(&[0, 1_000_000_000])),
                (beats(7), last),
            ];
            let at: Vec<Duration> = (0..1 + c.below(6)).map(|n| beats(1 + n / 2)).collect();
            drawn.trace = match c.below(3) {
                0 => RateTrace::rates(&rates, None),
                1 => RateTrace::rates(&rates, Some(beats(11))),
                _ => RateTrace::opportunities(&at, 1500),
            };
        }
        drawn
    }

    fn link(&self, c: &mut Choices, name: String, ends: [usize; 2]) -> Link {
        Link {
            name,
            ends,
            directions: [self.direction(c), self.direction(c)],
        }
    }

    fn habits(&self, c: &mut Choices) -> Habits {
        let kind = c.pick(&[Kind::Data, Kind::Data, Kind::Udp, Kind::EchoRequest]);
        Habits {
            kind,
            len: c.pick(&self.lengths),
            ttl: c.pick(&[64, 64, 64, 1, 2, 3, 4]),
            class: c.pick(&[0, 0xb8, 0x22]),
            dont_fragment: c.chance(40),
            total: 1 + c.below(60) * (1 + c.below(4)),
            ack_every: c.pick(&[2, 1, 0, 3]),
            ack_timer: self.beat.times(1 + c.below(60)),
            per_ack: c.pick(&[2, 1, 3, 4]),
        }
    }

    /// Constant, in pairs and fours, or in one clump; always on the beat.
    fn script(&self, c: &mut Choices, flow: usize) -> Vec<Burst> {
        let start = Time::ZERO + self.beat.times(c.below(4));
        let every = self.beat.times(c.pick(&[1, 2, 0, 7, 40]));
        let count = c.pick(&[1, 2, 4, 10]);
        let repeats = 1 + c.below(40);
        (0..repeats)
            .map(|i| Burst {
                at: start + every.times(i),
                flow,
                count,
            })
            .collect()
    }

    fn change(&self, c: &mut Choices, framing: Framing) -> ChangePlan {
        match c.below(6) {
            0 => ChangePlan::Delay(c.pick(&self.delays)),
            1 => ChangePlan::Delay(self.beat.times(c.below(12))),
            2 => ChangePlan::Rate(Rate::from_bps(c.pick(&RATES)).expect("none is zero")),
            3 => ChangePlan::Losses(self.losses(c)),
            4 => ChangePlan::Line(Box::new(self.impairments(c)), c.chance(30)),
            _ if c.chance(50) => ChangePlan::Limit(self.limit(c, framing)),
            _ => ChangePlan::Up(c.chance(60)),
        }
    }
}

impl Plan {
    pub(crate) fn draw(c: &mut Choices) -> Plan {
        let palette = Palette::draw(c);
        let routers = 1 + c.below(4) as usize;
        let mut plan = Plan {
            routers,
            bundles: Vec::new(),
            hosts: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            changes: Vec::new(),
            router_think: c.pick(&[palette.beat, Duration::from_ps(1), Duration::from_us(20)]),
            host_think: c.pick(&[Duration::ZERO, palette.beat, Duration::from_us(3)]),
            ports_first: c.chance(50),
            sampling: Sampling {
                every: palette.beat.times(c.pick(&[50, 1, 7])),
                count: c.pick(&[40, 0, 200]),
            },
            seed: c.below(1 << 20),
        };
        for r in 1..routers {
            let name = format!("core{r}");
            plan.links.push(palette.link(c, name, [r - 1, r]));
        }
        if routers > 2 && c.chance(50) {
            plan.links
                .push(palette.link(c, "ring".into(), [routers - 1, 0]));
        }
        for n in 0..1 + c.below(14) as usize {
            plan.add_flow(c, &palette, n);
        }
        plan.draw_changes(c, &palette);
        plan
    }

    /// The same network with queues in front of some of its transmitters.
    pub(crate) fn with_queues(mut self, c: &mut Choices) -> Plan {
        for direction in self.links.iter_mut().flat_map(|l| &mut l.directions) {
            if c.chance(60) {
                direction.queues = Some(DisciplineConfig {
                    queues: QueuesConfig::Classes(queues(c, direction)),
                    shaper: None,
                });
                direction.have_queues(c);
            }
        }
        self
    }

    /// The same network with everything that can stand in front of a transmitter.
    pub(crate) fn with_disciplines(mut self, c: &mut Choices) -> Plan {
        let seed = Key::new(self.seed).with("queues");
        for (n, link) in self.links.iter_mut().enumerate() {
            for (d, direction) in link.directions.iter_mut().enumerate() {
                let key = seed.with_number(n as u64).with_number(d as u64);
                direction.queues = c.chance(70).then(|| discipline(c, direction, key));
                direction.conditioning = conditioning(c, direction);
                if direction.queues.is_some() {
                    direction.have_queues(c);
                }
            }
        }
        self
    }

    /// The same network with bundles in place of some of its core's links, members of which go down.
    pub(crate) fn with_bundles(mut self, c: &mut Choices) -> Plan {
        let core = self.links.iter().filter(|l| l.ends[1] < self.routers);
        for link in core
            .filter(|l| l.ends[0] < self.routers)
            .cloned()
            .collect::<Vec<_>>()
        {
            if !c.chance(70) {
                continue;
            }
            let rate = link.directions[0].rate;
            let frame = rate.time_for(Size::from_bytes(1500));
            let late = frame.times(c.pick(&[0, 3, 20]));
            self.bundles.push(BundlePlan {
                ends: link.ends,
                unit: c.pick(&[Unit::Flow, Unit::Packet]),
                late,
            });
            for n in 0..1 + c.below(3) {
                let mut member = link.clone();
                member.name = format!("{} {n}", link.name);
                for (d, direction) in member.directions.iter_mut().enumerate() {
                    direction.delay += frame.times(c.below(4));
                    direction.impairments.flap = c.chance(30).then(|| FlapSpec {
                        up: frame.times(1 + c.below(60)),
                        down: frame.times(1 + c.below(40)),
                        random: c.chance(50),
                        holds: false,
                    });
                    if direction.impairments.flap.is_none() && c.chance(40) {
                        direction.changes = true;
                        let trace = &mut direction.impairments.trace;
                        *trace = trace.take().filter(|t| t.shortest(1000) > Duration::ZERO);
                        for k in 0..1 + c.below(4) {
                            let at = Time::ZERO + frame.times(1 + c.below(100));
                            let up = ChangePlan::Up(k % 2 == 1 || c.chance(30));
                            self.changes.push((at, self.links.len(), d, up));
                        }
                    }
                }
                self.links.push(member);
            }
        }
        self.changes.sort_by_key(|change| change.0);
        self
    }

    /// The bundle that joins two nodes.
    pub(crate) fn bundle(&self, from: usize, next: usize) -> Option<&BundlePlan> {
        let joins = |b: &&BundlePlan| b.ends == [from, next] || b.ends == [next, from];
        self.bundles.iter().find(joins)
    }

    /// Its members that lead from `from` to `next`: link and direction.
    pub(crate) fn members(&self, from: usize, next: usize) -> Vec<(usize, usize)> {
        let all = self.links.iter().enumerate();
        let members = all.filter(|(_, l)| l.ends == [from, next] || l.ends == [next, from]);
        members
            .map(|(n, l)| (n, usize::from(l.ends[1] == from)))
            .collect()
    }

    /// Whether the plain port knows everything in it.
    pub(crate) fn is_plain(&self) -> bool {
        let plain = |d: &Direction| {
            let tail = match &d.queues {
                None => true,
                Some(DisciplineConfig { queues, shaper }) => match queues {
                    QueuesConfig::Classes(classes) => {
                        let tail = |q: &QueueConfig| q.levels.is_empty() && q.aqm.is_none();
                        shaper.is_none() && classes.queues.iter().all(tail)
                    }
                    QueuesConfig::FqCodel(_) => false,
                },
            };
            tail && d.conditioning.is_empty()
        };
        self.links.iter().flat_map(|l| &l.directions).all(plain)
    }

    /// The kind of active queue management of each queue that has one, and what the queue did.
    pub(crate) fn managed<'a>(
        &'a self,
        outcome: &'a Outcome,
    ) -> impl Iterator<Item = (String, &'a QueueCounter)> {
        let queues = |d: &'a Direction| match d.queues.as_ref().map(|config| &config.queues) {
            Some(QueuesConfig::Classes(classes)) => &classes.queues[..],
            _ => &[],
        };
        let directions = self.links.iter().flat_map(|l| &l.directions);
        let ports = directions.zip(&outcome.ports);
        let all = ports.flat_map(move |(d, port)| queues(d).iter().zip(&port.queues));
        all.filter_map(|(queue, (counter, _))| {
            let kind = format!("{:?}", queue.aqm.as_ref()?.0);
            Some((kind.split('(').next()?.to_owned(), counter))
        })
    }

    fn add_flow(&mut self, c: &mut Choices, palette: &Palette, n: usize) {
        let circuit = c.chance(15);
        let from = self.host(c, palette, circuit, None);
        let to = self.host(c, palette, circuit, Some(from));
        let walk = self.walk(
            c,
            self.hosts[from - self.routers],
            self.hosts[to - self.routers],
        );
        let way = match walk.len() {
            0 | 1 => Way::Ip,
            _ if circuit => Way::Circuit(walk, c.chance(50)),
            _ if c.chance(40) => Way::Lsp(
                walk,
                c.pick(&[
                    LspEnd::Penultimate,
                    LspEnd::Ultimate,
                    LspEnd::ExplicitNull,
                    LspEnd::Broken,
                ]),
            ),
            _ => Way::Ip,
        };
        self.flows.push(Flow {
            name: format!("flow{n}"),
            from,
            to,
            way,
            habits: palette.habits(c),
            script: palette.script(c, n),
            header: c.pick(&[40, 52, 28]),
        });
    }

    /// A host that may be used, or a new one; an end of a circuit has the host to itself.
    fn host(
        &mut self,
        c: &mut Choices,
        palette: &Palette,
        alone: bool,
        not: Option<usize>,
    ) -> usize {
        let taken = |h: &usize| {
            let ends = |f: &Flow| f.from == *h || f.to == *h;
            let circuit = |f: &Flow| matches!(f.way, Way::Circuit(..));
            Some(*h) == not || self.flows.iter().any(|f| circuit(f) && ends(f))
        };
        let all = self.routers..self.routers + self.hosts.len();
        let free: Vec<usize> = all.filter(|h| !taken(h)).collect();
        if !alone && !free.is_empty() && c.chance(50) {
            return c.pick(&free);
        }
        let router = c.below(self.routers as u64) as usize;
        let host = self.routers + self.hosts.len();
        self.hosts.push(router);
        let name = format!("access{}", self.hosts.len());
        self.links.push(palette.link(c, name, [host, router]));
        host
    }

    /// A random walk over routers, then straight home.
    fn walk(&self, c: &mut Choices, from: usize, to: usize) -> Vec<usize> {
        let mut walk = vec![from];
        let mut here = from;
        for _ in 0..c.pick(&[0, 2, 5, 9]) {
            let next = self.neighbours(here).filter(|&n| n < self.routers);
            let next: Vec<usize> = next.collect();
            if next.is_empty() {
                break;
            }
            here = c.pick(&next);
            walk.push(here);
        }
        while here != to {
            here = self.next_hop(here, to).expect("routers are connected");
            walk.push(here);
        }
        walk
    }

    fn draw_changes(&mut self, c: &mut Choices, palette: &Palette) {
        for l in 0..self.links.len() {
            for d in 0..2 {
                let direction = self.links[l].directions[d].clone();
                for _ in 0..if direction.changes { c.below(6) } else { 0 } {
                    let at = Time::ZERO + palette.beat.times(1 + c.below(300));
                    let change = palette.change(c, direction.framing);
                    self.changes.push((at, l, d, change));
                }
            }
        }
        self.changes.sort_by_key(|change| change.0);
    }

    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> {
        self.links.iter().filter_map(move |l| match l.ends {
            [a, b] if a == node => Some(b),
            [a, b] if b == node => Some(a),
            _ => None,
        })
    }

    /// The neighbour of `from` on a shortest way to `to`; hosts do not forward.
    pub(crate) fn next_hop(&self, from: usize, to: usize) -> Option<usize> {
        let count = self.routers + self.hosts.len();
        let mut far = vec![usize::MAX; count];
        let mut todo = std::collections::VecDeque::from([to]);
        far[to] = 0;
        while let Some(node) = todo.pop_front() {
            for next in self.neighbours(node) {
                if far[next] == usize::MAX && (node == to || node < self.routers) {
                    far[next] = far[node] + 1;
                    todo.push_back(next);
                }
            }
        }
        self.neighbours(from)
            .filter(|&n| far[n] < far[from] && (n == to || n < self.routers))
            .min_by_key(|&n| far[n])
    }
}

/// One to four queues, few of them for each class, little room.
fn queues(c: &mut Choices, direction: &Direction) -> ClassesConfig {
    let count = 1 + c.below(4);
    let largest = direction.framing.queue_bytes(9216);
    let frame = u64::from(direction.framing.queue_bytes(1500));
    let limit = |c: &mut Choices| match c.below(3) {
        0 => direction.limit,
        1 => Limit::Bytes(c.pick(&[4, 0, 1, 9]) * frame + c.below(3)),
        _ => Limit::Packets(c.pick(&[3, 0, 1, 8])),
    };
    let queues = (0..count).map(|_| QueueConfig {
        quantum: c
            .pick(&[Some(1), Some(2), Some(9), None])
            .map(|w: u32| w * largest),
        ..QueueConfig::tail(None, limit(c))
    });
    let queues: Vec<_> = queues.collect();
    let mut place = || Place {
        queue: c.below(count) as u8,
        level: 0,
    };
    let mut classifier = Classifier::new(place());
    for dscp in [0xb8 >> 2, 0x20 >> 2, 0] {
        classifier.set_dscp(dscp, place());
    }
    classifier.set_exp(5, place());
    classifier.set_transport(Transport::Udp, place());
    classifier.set_flow(3, place());
    ClassesConfig {
        classifier,
        queues,
        rounds: c.pick(&[
            Rounds::Drr,
            Rounds::Wrr { carry: false },
            Rounds::Wrr { carry: true },
        ]),
        memory: c.pick(&[u64::MAX, 12 * u64::from(largest), 3000]),
    }
}

/// Any discipline, with short delays and few bytes, so that all of it happens.
fn discipline(c: &mut Choices, direction: &Direction, key: Key) -> DisciplineConfig {
    let full = direction.framing.queue_bytes(1500);
    let queues = if c.chance(25) {
        QueuesConfig::FqCodel(FqCodelConfig {
            queues: c.pick(&[1024, 1, 2]),
            quantum: c.pick(&[full, 300]),
            packets: c.pick(&[10_240, 4, 20]),
            memory: c.pick(&[32_000_000, 9000]),
            codel: codel(c),
            frame: full,
            key,
        })
    } else {
        let mut classes = queues(c, direction);
        // More often than not there is room, so that something is left to manage.
        classes.memory = c.pick(&[u64::MAX, classes.memory]);
        for (n, queue) in classes.queues.iter_mut().enumerate() {
            queue.levels = vec![level(c, full)];
            let site = QueueSite {
                frame: c.pick(&[20, full, 20]),
                frame_time: direction.rate.time_for(Size::from_bytes(1500)),
                key: key.with_number(n as u64),
                names: Default::default(),
            };
            if c.chance(90) {
                queue.aqm = Some((aqm(c, site.frame_time), site));
                queue.limit = c.pick(&[Limit::Packets(1000), queue.limit]);
            }
        }
        QueuesConfig::Classes(classes)
    };
    let part = c.pick(&[2, 1, 10]);
    let slower = Rate::from_bps(direction.rate.as_bps() / part).expect("not zero");
    let burst = c.pick(&[9216, 40_000]);
    DisciplineConfig {
        queues,
        shaper: c.chance(30).then(|| TokenBucket::new(slower, burst)),
    }
}

/// Any active queue management, by the time of a frame.
fn aqm(c: &mut Choices, frame: Duration) -> AqmConfig {
    match c.below(3) {
        0 => AqmConfig::Codel(codel(c)),
        1 => AqmConfig::Pie(PieConfig {
            target: frame.times(c.pick(&[1, 3, 6])),
            update: frame.times(c.pick(&[1, 3, 20])),
            alpha: c.pick(&[1e6, 1e5]),
            beta: c.pick(&[1e6, 1e7]),
            burst: frame.times(c.pick(&[0, 3, 30])),
            mark_below: c.pick(&[1.0, 0.0, 0.1]),
        }),
        _ => AqmConfig::Red(RedConfig {
            weight: c.pick(&[0.3, 0.002, 1.0]),
            gentle: c.chance(50),
            ecn: c.chance(50),
        }),
    }
}

fn codel(c: &mut Choices) -> CodelConfig {
    CodelConfig {
        target: Duration::from_us(c.pick(&[20, 1, 100])),
        interval: Duration::from_us(c.pick(&[100, 10, 400])),
        ecn: c.chance(50),
    }
}

fn level(c: &mut Choices, full: u32) -> Level {
    let curve = Curve {
        min: f64::from(full) * c.pick(&[1.0, 0.1, 4.0]),
        max: f64::from(full) * c.pick(&[5.0, 20.0]),
        max_p: c.pick(&[0.1, 1.0, 0.02]),
    };
    Level {
        threshold: c.chance(20).then_some(2 * u64::from(full)),
        curve: Some(curve),
    }
}

fn conditioning(c: &mut Choices, direction: &Direction) -> Vec<Stage> {
    let mut stages = Vec::new();
    while stages.len() < 2 && c.chance(30) {
        let mut classifier = Classifier::new(Place {
            queue: c.pick(&[0, 1, 9]),
            level: 0,
        });
        classifier.set_dscp(0x20 >> 2, Place { queue: 1, level: 0 });
        classifier.set_transport(Transport::Tcp, Place { queue: 0, level: 0 });
        let rate = Rate::from_bps(direction.rate.as_bps() / c.pick(&[3, 1, 50])).expect("some");
        let bucket = |c: &mut Choices| TokenBucket::new(rate, c.pick(&[9000, 1500, 100_000]));
        let action = |c: &mut Choices| c.pick(&[Action::Pass, Action::Drop, Action::Mark(12)]);
        let policer = Policer {
            meter: match c.below(3) {
                0 => Meter::Single(bucket(c)),
                1 => Meter::SingleRate {
                    committed: bucket(c),
                    excess: bucket(c),
                },
                _ => Meter::TwoRate {
                    committed: bucket(c),
                    peak: TokenBucket::new(direction.rate, 3000),
                },
            },
            colour_aware: c.chance(50),
            actions: [Action::Pass, action(c), action(c)],
            overhead: c.pick(&[0, 24, -14]),
            counted: [(0, 0); 3],
        };
        stages.push(Stage {
            classifier,
            conditioners: vec![
                Conditioner::Police(Box::new(policer)),
                Conditioner::Mark(c.pick(&[0, 46, 14])),
            ],
        });
    }
    stages
}
