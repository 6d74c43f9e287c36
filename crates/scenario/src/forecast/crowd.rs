//! Steady streams of datagrams that are more than a port carries together: what it serves of each, by how its queues take turns.

use std::collections::BTreeSet;

use farpath_config::qos::{Mix, Overshoot};
use farpath_predict::queue::Overload;
use farpath_predict::served::{Queue, Stream, parts};
use farpath_record::Record;
use farpath_units::Size;
use farpath_wire::FlowDir;

use super::beside::span;
use super::rounds::round_unit;
use super::taken::{LEAST, Sent};
use super::{Path, put};
use crate::model::{
    Arrivals, Class, ClassLimit, QueueLimit, Queueing, Scheduler, Sharing, Test, Udp,
};

/// Of a port's time: what sums of streams may be above it.
const ROUNDING: f64 = 1e-9;

/// A stream of another test, or the own one, on its way.
struct Steady<'a> {
    test: usize,
    path: Path<'a>,
    sent: Sent,
}

impl Steady<'_> {
    fn crosses(&self, port: usize) -> bool {
        self.path.there.iter().any(|hop| hop.port == port)
    }

    /// The share of a port's time that it asks for.
    fn load(&self, port: usize) -> f64 {
        self.sent.a_second * self.path.takes_s(port, self.sent.len)
    }

    /// Its frames as they come to a port.
    fn at(&self, port: usize) -> Stream {
        self.path.stream_at(port, self.sent.len, self.sent.a_second)
    }
}

/// All that is sent in the measured time of a test.
struct Crowd<'a> {
    streams: Vec<Steady<'a>>,
    /// Ports with something else than steady streams.
    unknown: BTreeSet<usize>,
}

impl<'a> Crowd<'a> {
    fn on(&self, port: usize) -> Vec<&Steady<'a>> {
        self.streams.iter().filter(|s| s.crosses(port)).collect()
    }

    fn load(&self, port: usize) -> f64 {
        self.streams.iter().map(|s| s.load(port)).sum()
    }

    /// Whether a port passes all that streams send to it, `part` of each.
    fn passes(&self, port: usize, part: impl Fn(&Steady<'a>) -> f64) -> bool {
        let on = self.streams.iter().map(|s| s.load(port) * part(s));
        !self.unknown.contains(&port) && on.sum::<f64>() <= 1.0 + ROUNDING
    }
}

/// How the queues of a port take turns, in words.
pub(super) struct Turns {
    pub(super) tiers: Vec<Vec<Queue>>,
    pub(super) words: &'static str,
}

/// What a full port serves of a stream.
pub(super) struct Served {
    /// Of what is sent, once queues are full.
    part: f64,
    /// What is dropped of what is sent in the measurement.
    dropped: f64,
    note: String,
}

impl<'a> Path<'a> {
    /// What the port that is full serves of a stream of datagrams, where all on the way to it are steady streams that last as long; `None`
    /// where no port is full of several, or no closed form says.
    pub(super) fn served_of(&self, test: &Test, udp: &Udp) -> Option<Served> {
        self.steady(test)?;
        let crowd = self.crowd();
        let full = |port: usize| crowd.load(port) > 1.0 + ROUNDING;
        let at = self.there.iter().position(|hop| full(hop.port))?;
        let port = self.there[at].port;
        let here = crowd.on(port);
        let arrives = |s: &&Steady<'_>| {
            let mut before = s.path.there.iter().take_while(|hop| hop.port != port);
            before.all(|hop| crowd.passes(hop.port, |_| 1.0))
        };
        if here.len() < 2 || crowd.unknown.contains(&port) || !here.iter().all(arrives) {
            return None;
        }
        let streams: Vec<Stream> = here.iter().map(|s| s.at(port)).collect();
        let turns = self.turns(port, &here, &streams)?;
        let parts = parts(&streams, &turns.tiers);
        let part_of = |test: usize| here.iter().position(|s| s.test == test).map(|n| parts[n]);
        let behind = |s: &Steady<'_>| part_of(s.test).unwrap_or(1.0);
        let mut rest = self.there[at + 1..].iter();
        let number = self.plan.flows[self.flow].test;
        let own = here.iter().position(|s| s.test == number)?;
        let part = parts[own];
        // Peaks of random arrivals are lost in short queues that have enough on average.
        let peaks = part >= 1.0 && udp.arrivals != Arrivals::Constant;
        if peaks || !rest.all(|hop| crowd.passes(hop.port, behind)) {
            return None;
        }
        let mut queues = turns.tiers.iter().flatten();
        let queue = queues.find(|queue| queue.streams.contains(&own))?;
        let comes: f64 = queue.streams.iter().map(|n| streams[*n].frames_s).sum();
        Some(Served {
            part,
            dropped: dropped_of(
                test,
                (comes, part),
                self.room_among(port, here[own], &parts),
            ),
            note: format!(
                "{} streams of datagrams send {:.3} times what {} carries: {}, this one has {:.1} % of what it sends{}",
                here.len(),
                crowd.load(port),
                self.port_name(port),
                turns.words,
                part * 100.0,
                in_step(udp, queue)
            ),
        })
    }

    /// Whether a test is such a stream, whose forecast is beside the others.
    pub(super) fn is_served(&self, test: &Test) -> bool {
        let udp = test.kind.udp();
        udp.is_some_and(|udp| self.served_of(test, udp).is_some())
    }

    /// The record of such a stream, which offers so much payload, bit/s.
    pub(super) fn put_served(
        &self,
        test: &Test,
        offered_bps: f64,
        all: Served,
        record: &mut Record,
    ) {
        let len = self.steady(test).map_or(0, |sent| sent.len);
        let in_time = self.in_time(test, len, all.part >= 1.0);
        let m = &mut record.metrics;
        put(m, "sent_bps", offered_bps);
        put(m, "goodput_bps", offered_bps * all.part * in_time);
        put(m, "loss_ratio", all.dropped);
        let by = match all.part < 1.0 {
            true => "link",
            false => "application",
        };
        record.limited_by = Some(by.to_owned());
        record.notes.push(all.note);
    }

    /// Frames of a stream's queue; of one for each flow an equal part of what all may hold, for those that are not served in full. `None` where
    /// what manages it drops before it is full.
    fn room_among(&self, port: usize, own: &Steady<'_>, parts: &[f64]) -> Option<f64> {
        let Some(fq) = self.queueing(port).and_then(|q| q.fq_codel.as_ref()) else {
            return Some(self.lasting_room(port, own.sent.len)? as f64);
        };
        let full = parts.iter().filter(|part| **part < 1.0).count().max(1);
        let by_memory = fq.memory.as_bytes() as f64 / own.at(port).bytes.max(1.0);
        Some(by_memory.min(fq.packets as f64) / full as f64)
    }

    /// What a test sends, if that is datagrams at one rate of which nothing but a full queue takes any.
    fn steady(&self, test: &Test) -> Option<Sent> {
        let sent = self.sent(test)?;
        let dir = FlowDir::forward(self.flow as u16);
        let doubled = |port: usize| self.direction(port).impairments.duplication.is_some();
        let is_steady = sent.answers <= 0.0
            && sent.a_second > 0.0
            && sent.most <= sent.a_second
            && !self.crosses_twice()
            && self.parted().is_none()
            && self.discarded(test).is_none()
            && self.dropping(test).is_empty()
            && self.plan.mtu_steps(self.scenario, dir, sent.len).is_empty()
            && self.loss_ratio(sent.len, &self.there) <= 0.0
            && !self.there.iter().any(|hop| doubled(hop.port))
            && self.hosts_bps(sent.len, sent.len, 0.0, 0).is_infinite();
        is_steady.then_some(sent)
    }

    /// All that is sent while this test is measured. Single packets that hardly load anything are left out.
    fn crowd(&self) -> Crowd<'a> {
        let number = self.plan.flows[self.flow].test;
        let own = &self.scenario.tests[number];
        let (start, end) = span(own);
        let mut crowd = Crowd {
            streams: Vec::new(),
            unknown: BTreeSet::new(),
        };
        for (flow, of) in self.plan.flows.iter().enumerate() {
            let test = &self.scenario.tests[of.test];
            let (from, until) = span(test);
            if of.test != number && (from >= end || until <= start) {
                continue;
            }
            let path = Path::new(self.scenario, self.plan, flow);
            if path.hardly_loads(test) {
                continue;
            }
            let lasts = from + test.start_spread <= start + own.omit && until >= end;
            let sent = path.steady(test).filter(|_| lasts || of.test == number);
            match sent {
                Some(sent) => crowd.streams.push(Steady {
                    test: of.test,
                    path,
                    sent,
                }),
                None => {
                    let both = path.there.iter().chain(&path.back);
                    crowd.unknown.extend(both.map(|hop| hop.port));
                }
            }
        }
        crowd
    }

    fn hardly_loads(&self, test: &Test) -> bool {
        let Some(sent) = self.sent(test).filter(|_| test.kind.periodic().is_some()) else {
            return false;
        };
        let both = self.there.iter().chain(&self.back);
        let mut loads = both.map(|hop| {
            let bytes = self.wire_on(hop.port, sent.len, sent.answers, sent.len);
            bytes * 8.0 * sent.a_second / self.lasting_rate(hop.port).as_bps() as f64
        });
        loads.all(|load| load < LEAST)
    }

    /// Which queues of a port these streams wait in, and in which order it serves them; `None` where a queue does not drop the same part of
    /// each, or the port is not the same all the time.
    fn turns(&self, port: usize, here: &[&Steady<'_>], streams: &[Stream]) -> Option<Turns> {
        if !self.serves_evenly(port) {
            return None;
        }
        let numbers: Vec<usize> = (0..here.len()).collect();
        let Some(queueing) = self.queueing(port) else {
            let fair = drops_alike(&frames(streams, &numbers), self.direction(port).queue);
            return fair.then(|| Turns {
                tiers: vec![vec![Queue::of(1.0, numbers)]],
                words: ONE_QUEUE,
            });
        };
        if queueing.fq_codel.is_some() {
            let each = numbers.into_iter().map(|n| Queue::of(1.0, vec![n]));
            return Some(Turns {
                tiers: vec![each.collect()],
                words: "with equal shares for each flow",
            });
        }
        let mut classes = vec![Vec::new(); queueing.classes.len()];
        for (n, stream) in here.iter().enumerate() {
            classes[stream.path.class_number(port)?].push(n);
        }
        self.class_turns(port, queueing, streams, &classes)
    }

    /// Whether a router's port sends whole frames, at the same rate all the time.
    pub(super) fn serves_evenly(&self, port: usize) -> bool {
        let (plan, line) = (&self.plan.ports[port], &self.direction(port).impairments);
        self.holds_frames(port)
            && self.in_turn(port).is_none()
            && line.trace.is_none()
            && line.flap.is_none()
            && !plan.changes
            && self.shaper(port).is_none_or(|shape| shape.burst.is_none())
            && self.scenario.is_router(plan.from)
    }

    /// Frames of `len` bytes as they come to a port, so many a second.
    pub(super) fn stream_at(&self, port: usize, len: u32, frames_s: f64) -> Stream {
        Stream {
            frames_s,
            bytes: self.waits_on(port, len, 0.0, 0),
            takes_s: self.takes_s(port, len),
        }
    }

    /// What a datagram of `len` bytes takes of a port's time, seconds. A shaper counts frames as they wait.
    fn takes_s(&self, port: usize, len: u32) -> f64 {
        let line_bps = self.lasting_rate(port).as_bps() as f64;
        let line_s = self.wire_on(port, len, 0.0, 0) * 8.0 / line_bps;
        let shaped = self.shape_bps(port);
        let shaped_s = shaped.map_or(0.0, |bps| self.waits_on(port, len, 0.0, 0) * 8.0 / bps);
        line_s.max(shaped_s)
    }

    /// How the classes of a port take turns, each with its streams, by number.
    pub(super) fn class_turns(
        &self,
        port: usize,
        queueing: &Queueing,
        here: &[Stream],
        classes: &[Vec<usize>],
    ) -> Option<Turns> {
        let (first, words) = match queueing.scheduler {
            _ if classes.len() == 1 => (true, ONE_QUEUE),
            Scheduler::Strict => (true, "in order of priority"),
            Scheduler::Wrr { .. } | Scheduler::Drr => (false, "by the weights of the classes"),
        };
        let link = &self.scenario.links[self.plan.ports[port].link.0];
        let full = link.framing.queue_bytes(self.direction(port).mtu);
        let (mut tiers, mut by_weight) = (Vec::new(), Vec::new());
        for (class, streams) in queueing.classes.iter().zip(classes) {
            let frames = frames(here, streams);
            if streams.is_empty() {
                continue;
            }
            if !is_fair(class, &frames, queueing.memory) {
                return None;
            }
            let weight = match class.sharing {
                Sharing::Weight(weight) if !first => weight,
                Sharing::Weight(_) | Sharing::Priority => {
                    tiers.push(vec![Queue::of(1.0, streams.clone())]);
                    continue;
                }
            };
            let weight = match queueing.scheduler {
                // Whole frames leave while credit is left.
                Scheduler::Wrr { unit, carry: false } => {
                    let credit = weight.saturating_mul(round_unit(queueing, unit, full));
                    let sent = streams.iter().map(|n| here[*n].frames_s);
                    let mix = mix_of(&frames, sent)?;
                    mix.sent(Size::from_bytes(credit.into()), Overshoot::Cleared)
                }
                _ => f64::from(weight),
            };
            by_weight.push(Queue::of(weight, streams.clone()));
        }
        tiers.push(by_weight);
        Some(Turns { tiers, words })
    }
}

const ONE_QUEUE: &str = "one queue drops the same part of each";

/// What is said of datagrams at exact intervals in one queue with others.
fn in_step(udp: &Udp, queue: &Queue) -> &'static str {
    match udp.arrivals == Arrivals::Constant && queue.streams.len() > 1 {
        true => "; at exact intervals they may keep step, and one then loses more",
        false => "",
    }
}

/// The share that is dropped in the measurement where `comes` frames a second come to a queue of which in the end a part passes: less while it
/// fills. What manages a queue of no known room is taken to drop from the start.
fn dropped_of(test: &Test, (comes, part): (f64, f64), room: Option<f64>) -> f64 {
    let Some(frames) = room.filter(|_| part < 1.0) else {
        return 1.0 - part;
    };
    let fluid = Overload {
        offered_bps: comes,
        line_bps: comes * part,
        rate_bps: comes * part,
        bucket_bits: 0.0,
        queue_bits: frames,
    };
    let until = test.omit + test.duration.unwrap_or_default();
    fluid.dropped_ratio(test.omit.as_secs_f64(), until.as_secs_f64())
}

/// Bytes of the frames of some streams as they wait in front of a port.
fn frames(here: &[Stream], streams: &[usize]) -> Vec<u64> {
    let each = streams.iter().map(|n| here[*n].bytes as u64);
    each.collect()
}

/// The frames of a queue's streams, of which so many a second are `sent`.
fn mix_of(frames: &[u64], sent: impl Iterator<Item = f64>) -> Option<Mix> {
    let sizes = frames.iter().map(|bytes| Size::from_bytes(*bytes));
    match alike(frames) {
        true => sizes.map(Mix::of).next(),
        false => Mix::new(&sizes.zip(sent).collect::<Vec<_>>()),
    }
}

fn alike(frames: &[u64]) -> bool {
    frames.windows(2).all(|pair| pair[0] == pair[1])
}

/// Whether a class drops the same part of streams of such frames, and has its queue for itself: memory that classes share may be full of others.
fn is_fair(class: &Class, frames: &[u64], memory: Option<Size>) -> bool {
    match class.limit {
        _ if !class.drops.is_empty() => false,
        ClassLimit::Own(limit) => memory.is_none() && drops_alike(frames, limit),
        ClassLimit::MemoryShare(_) => alike(frames),
        ClassLimit::Memory => false,
    }
}

/// Whether a queue takes the same part of streams of such frames: in one of bytes the shorter ones fit where others do not.
fn drops_alike(frames: &[u64], limit: QueueLimit) -> bool {
    matches!(limit, QueueLimit::Packets(_)) || alike(frames)
}
