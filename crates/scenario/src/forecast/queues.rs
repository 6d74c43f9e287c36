//! What queues, shapers and the way back do to a connection: what a forecast counts of them, and what it leaves out and says.

use std::collections::BTreeMap;

use farpath_element::qdisc::{AqmConfig, Limit};
use farpath_predict::Cc;
use farpath_predict::aimd::Aimd;
use farpath_predict::law;
use farpath_record::{Origin, Record};
use farpath_tcp::Flavour;
use farpath_units::Size;

use super::Path;
use super::discard::class_of;
use super::flow::Flow;
use super::policer::bucket;
use crate::model::{
    Class, ClassLimit, Direction, Match, QueueLimit, Queueing, Scenario, Tcp, Test,
};
use crate::plan::Hop;

/// Longest burst of a host that acknowledges or sends super-frames, bytes.
pub(super) const BURST: f64 = 65_536.0;

/// Segments that leave together where every second one is acknowledged.
const PAIR: u64 = 2;

/// Queues that hold less than this of what the path holds lose more to bursts than the law knows: measured from 0.006 to 0.1
/// of it (docs/models/predict.md).
const HOLDS_BURSTS: f64 = 0.03;
/// Up to this part of it a flow of super-frames may be cut twice where the path holds many bursts, in segments.
const CUT_TWICE: f64 = 0.5;
const MANY: f64 = 2000.0;

/// Frames below which a queue is too short for what BBR, FAST and Vegas leave waiting: Vegas has 2 to 4 segments there.
const FRAMES_FEW: u64 = 10;

/// Share of lost acknowledgements from which on a flow may have less: simulated over 40 ms, 1 Gbit/s has 0.4 % less at 5 % and
/// 11 % at 50 %.
const ACKS_LOST: f64 = 0.05;

/// What is said of a window that jumps (simulated, one flow without pacing).
const JUMPS: &str = "Linux's Westwood+ goes from half of its window back to its estimate as a repair ends, and sends the difference at \
    once: over 100 Mbit/s and 100 ms one flow has 0.55, 0.62, 0.85 and 1.00 of the line behind queues of 0.05, 0.1, 0.25 and 0.43, and 0.93 and \
    more where its host paces";

/// A queue in front of the line whose overflows cut windows below what fills it.
pub(super) struct ShortQueue {
    /// What it holds, of what the path holds.
    of_pipe: f64,
    /// Connections that share it.
    streams: f64,
    /// The share of the line that is left to one; to several that are all cut at once.
    pub(super) share: f64,
    /// Whether that share is the algorithm's own; Reno's where it has no closed form for it.
    own: bool,
    /// Whether the forecast has that share; where not it is as if the queue were long.
    pub(super) is_counted: bool,
    /// The window goes back from half to an estimate at the end of each repair, as of Linux's Westwood+.
    jumps: bool,
    /// It holds less than what leaves together for one acknowledgement.
    tiny: bool,
    /// It holds no burst of a host that sends super-frames.
    bursts: bool,
    /// What leaves with a retransmission may meet it full behind a burst, so that the flow is cut twice.
    twice: bool,
    /// From one overflow to the next, seconds, where that is known.
    cycle_s: Option<f64>,
}

impl ShortQueue {
    fn note(&self) -> String {
        let bursts = if self.tiny {
            ", and far less: it is full behind two segments that come together, and a window that grows sends three. Simulated, one flow over 10 Mbit/s and 20 ms has an eighth of that: simulate"
        } else if self.bursts {
            ", and less still where hosts send bursts that it cannot hold: simulate"
        } else if self.twice {
            "; where what leaves with a retransmission finds it full behind a burst, the window is cut twice and the flow has down to three quarters of that: a matter of microseconds"
        } else {
            ""
        };
        let (of_pipe, percent) = (self.of_pipe, self.share * 100.0);
        match self.is_counted {
            _ if self.streams > 1.0 => format!(
                "as if the queue in front of the line were long: it holds {of_pipe:.3} of what the path holds, and how much of the line {:.0} flows fill that are cut whenever it is full is not foreseen{}: simulate",
                self.streams,
                self.of_several()
            ),
            true => format!(
                "the queue in front of the line holds {of_pipe:.3} of what the path holds: each time it is full a loss cuts the window, which leaves one flow {percent:.1} % of the line{bursts}"
            ),
            false if self.jumps => format!(
                "as if the queue in front of the line were long: it holds {of_pipe:.3} of what the path holds, and {JUMPS}: simulate"
            ),
            false if !self.own => format!(
                "as if the queue in front of the line were long: it holds {of_pipe:.3} of what the path holds, and no closed form says what this algorithm makes of that: simulate"
            ),
            false => format!(
                "as if the queue in front of the line were long: it holds {of_pipe:.3} of what the path holds, which leaves one flow {percent:.1} % of the line{bursts}"
            ),
        }
    }

    /// Between what it lies that several flows fill: all cut at once leave what one does, and the rule of Appenzeller, Keslassy and McKeown
    /// (SIGCOMM 2004), the path's content over √n, is of flows that are cut one by one, hundreds of them.
    fn of_several(&self) -> String {
        let asks = 1.0 / self.streams.sqrt();
        let at_once = match self.own {
            true => format!(
                " cut all at once they fill {:.1} % of it, and",
                self.share * 100.0
            ),
            false => String::new(),
        };
        format!(
            ":{at_once} for many that are cut one by one Appenzeller's rule asks for 1/√n, {asks:.3} of what the path holds"
        )
    }

    /// What is said where the share is of whole cycles and less than one is measured.
    fn doubt_of_time(&self, measured_s: f64, test: &Test) -> Option<String> {
        let cycle_s = self
            .cycle_s
            .filter(|s| self.is_counted && *s > measured_s)?;
        Some(format!(
            "outside the formula's range: it is the mean of whole climbs from loss to loss; one takes some {}, and {} are measured: {}",
            rounded(cycle_s),
            rounded(measured_s),
            match test.duration {
                Some(_) => "lengthen omit and duration",
                None => "simulate",
            }
        ))
    }
}

/// Seconds to two digits or the whole second, in words.
fn rounded(seconds: f64) -> String {
    match seconds < 10.0 {
        true => format!("{seconds:.1} s"),
        false => format!("{seconds:.0} s"),
    }
}

impl Path<'_> {
    /// The direction of a link that a port is.
    pub(super) fn direction(&self, port: usize) -> &Direction {
        let port = &self.plan.ports[port];
        self.scenario.links[port.link.0].direction(port.way)
    }

    pub(super) fn queueing(&self, port: usize) -> Option<&Queueing> {
        self.direction(port).queueing.as_ref()
    }

    /// Payload rate that a shaper on `port` leaves, for datagrams of `len` bytes with `payload` of them and the
    /// datagrams of `ack_len` bytes that come back for each; infinite without one. It counts frames as they wait.
    pub(super) fn shaped_bps(
        &self,
        port: usize,
        (len, payload): (u32, u32),
        (acks, ack_len): (f64, u32),
    ) -> f64 {
        let Some(all_bps) = self.shape_bps(port) else {
            return f64::INFINITY;
        };
        let rate_bps = all_bps - self.waits_taken_bps(port);
        let all = self.waits_on(port, len, acks, ack_len);
        rate_bps * f64::from(payload) / all.max(1.0)
    }

    /// Bytes of frames, as they wait, that a port carries for one datagram of `len` bytes and its `acks`.
    pub(super) fn waits_on(&self, port: usize, len: u32, acks: f64, ack_len: u32) -> f64 {
        let framing = self.scenario.links[self.plan.ports[port].link.0].framing;
        let waits = |walk: &[Hop], len: u32| -> f64 {
            let here = walk.iter().filter(|h| h.port == port);
            here.map(|h| f64::from(framing.queue_bytes(len + h.extra)))
                .sum()
        };
        waits(&self.there, len) + acks * waits(&self.back, ack_len)
    }

    /// Says that the narrowest link is a shaper, where it is one.
    fn by_shaper(&self, flow: &Flow) -> Option<String> {
        let port = flow.narrowest.port?;
        let shape = self.shaper(port)?;
        let line = self.direction(port).rate;
        let link = &self.scenario.links[self.plan.ports[port].link.0].name;
        (shape.rate < line).then(|| {
            format!(
                "the link that limits is a shaper: `{link}` sends at {} on a line of {line}",
                shape.rate
            )
        })
    }

    /// Datagrams of `len` bytes that may wait in front of a port, as its network is built; `None` where that is not one
    /// queue that drops at its end.
    pub(super) fn room(&self, port: usize, len: u32) -> Option<u64> {
        let traced = self.direction(port).impairments.trace.is_some();
        self.plain_room(port, len).filter(|_| !traced)
    }

    /// The same, however fast what waits is sent.
    fn plain_room(&self, port: usize, len: u32) -> Option<u64> {
        let direction = self.direction(port);
        let cells = direction.cells.as_ref().is_some_and(|c| c.queue.is_some());
        self.frames_in(port, len, only_queue(direction).filter(|_| !cells)?)
    }

    /// The same of the queue that this test's datagrams have, alone on the port: of several classes that of theirs, as far as the
    /// memory that they share takes it, and of the only one what steady streams leave.
    pub(super) fn own_room(&self, port: usize, len: u32) -> Option<u64> {
        let one = self.plain_room(port, len);
        let one = one.map(|all| (all as f64 * self.left(port)) as u64);
        one.or_else(|| {
            let queueing = self.queueing(port)?;
            let class = self.own_class(port)?;
            let memory = queueing.memory.map(QueueLimit::Bytes);
            let limit = match class.limit {
                ClassLimit::Own(limit) => self.frames_in(port, len, limit),
                ClassLimit::Memory => None,
                ClassLimit::MemoryShare(share) => {
                    let all = queueing.memory?.as_bytes() as f64;
                    let part = Size::from_bytes((all * share.get()) as u64);
                    self.frames_in(port, len, QueueLimit::Bytes(part))
                }
            };
            let memory = memory.and_then(|memory| self.frames_in(port, len, memory));
            limit.into_iter().chain(memory).min()
        })
    }

    /// The class of this test's datagrams on a port of several, where nothing but its length limits its queue.
    fn own_class(&self, port: usize) -> Option<&Class> {
        self.class_on(port).filter(|class| class.aqm.is_none())
    }

    /// What manages the queue of this test's datagrams in front of a port.
    pub(super) fn managed_by(&self, port: usize) -> Option<&'static str> {
        let queueing = self.queueing(port)?;
        if queueing.fq_codel.is_some() {
            return Some(FQ_CODEL);
        }
        let class = match queueing.classes.as_slice() {
            [only] => only,
            _ => self.class_on(port)?,
        };
        class.aqm.as_ref().map(name_of)
    }

    fn class_on(&self, port: usize) -> Option<&Class> {
        let number = self.class_number(port)?;
        self.queueing(port)?.classes.get(number)
    }

    /// The number of the class of this test's datagrams on a port of classes.
    pub(super) fn class_number(&self, port: usize) -> Option<usize> {
        let hop = self.there.iter().find(|h| h.port == port)?;
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        let queueing = self.queueing(port).filter(|q| q.fq_codel.is_none())?;
        let rules: Vec<&[Match]> = queueing.classes.iter().map(|c| &c.matches[..]).collect();
        class_of(&rules, test, hop.lsp.is_some())
    }

    /// Datagrams of `len` bytes in so much queue of a port.
    fn frames_in(&self, port: usize, len: u32, queue: QueueLimit) -> Option<u64> {
        let plan = &self.plan.ports[port];
        let extra = self.there.iter().find(|h| h.port == port)?.extra;
        let framing = self.scenario.links[plan.link.0].framing;
        let longest = self.plan.longest_rtt(port);
        Some(match Scenario::queue_limit(queue, plan.rate, longest) {
            Limit::Bytes(bytes) => bytes / u64::from(framing.queue_bytes(len + extra)),
            Limit::Packets(packets) => packets,
        })
    }

    /// What of these a forecast of `steady` payload bit/s leaves out, of which one connection carries `amount` bytes behind one another, where
    /// they are limited. Of a first flight only acknowledgements count.
    pub(super) fn note_queues(
        &self,
        test: &Test,
        flow: &Flow,
        (steady, amount): (f64, Option<u64>),
        short: Option<&ShortQueue>,
        record: &mut Record,
    ) {
        let by_shaper = record.limited_by.as_deref() == Some("link");
        record
            .notes
            .extend(self.by_shaper(flow).filter(|_| by_shaper));
        if flow.streams <= 1.0 && flow.is_one_flight(amount) {
            let sends = record.metrics.get("goodput_bps").copied();
            self.note_acks(test, flow, sends.unwrap_or(steady), record);
            return;
        }
        let completion_s = record.metrics.get("completion_ns").map(|ns| ns / 1e9);
        let measured_s = test.duration.map(|d| d.as_secs_f64()).or(completion_s);
        let unfinished = short.zip(measured_s);
        record
            .notes
            .extend(unfinished.and_then(|(queue, s)| queue.doubt_of_time(s, test)));
        let managed = |h: &Hop| self.queueing(h.port).and_then(manager);
        if let Some(name) = self.there.iter().find_map(managed) {
            record.notes.push(format!(
                "as if a queue dropped only what it cannot hold: {name} drops or marks before that, and one flow alone gets less than the line, where several may fill it"
            ));
        }
        record.notes.extend(short.map(ShortQueue::note));
        record.notes.extend(flow.doubt_of_paced_bursts());
        record.notes.extend(self.doubt_of_ring(flow));
        self.note_acks(test, flow, steady, record);
    }

    /// A queue in front of the line that leaves one flow less than all of it. A forecast of `steady` payload bit/s counts
    /// it where a closed form knows the algorithm, and it is one `by_law`. No closed form knows how many of several flows are
    /// cut at once: what they fill is not counted.
    pub(super) fn short_queue(&self, flow: &Flow, steady: f64, by_law: bool) -> Option<ShortQueue> {
        let header = self.header();
        let mss = flow.config.mss;
        let port = flow
            .narrowest
            .port
            .filter(|_| flow.narrowest.place == "link");
        let segments = self.own_room(port?, mss + header)?;
        // Payload, as all of `flow`.
        let bytes = segments as f64 * f64::from(mss);
        let pipe = flow.narrowest.bps * flow.base.as_secs_f64() / 8.0;
        let fills = steady >= flow.narrowest.bps * 0.9999;
        let fits = flow.window as f64 * flow.streams <= pipe + bytes;
        if !fills || fits {
            return None;
        }
        let pipe_segments = pipe / f64::from(mss);
        let law = flow
            .cc
            .and_then(|cc| law::utilisation(cc, pipe_segments, flow.base, bytes / pipe));
        let is_tiny = segments < FRAMES_FEW && flow.streams <= 1.0;
        let share = match flow.cc {
            // Their windows leave a queue of more frames as it is.
            Some(Cc::Bbr | Cc::Bbr3 | Cc::Fast | Cc::Vegas) if !is_tiny => return None,
            _ => law.unwrap_or(Aimd::reno(1.0).utilisation(bytes / pipe)),
        };
        (share < 0.999).then_some(ShortQueue {
            of_pipe: bytes / pipe,
            streams: flow.streams,
            share,
            own: law.is_some(),
            is_counted: law.is_some() && by_law && flow.streams <= 1.0,
            jumps: flow.cc == Some(Cc::Westwood) && flow.config.flavour == Flavour::Linux,
            tiny: segments < PAIR,
            bursts: bytes < BURST || flow.config.tso > 0 && bytes < HOLDS_BURSTS * pipe,
            twice: flow.config.tso > 0 && bytes < CUT_TWICE * pipe && pipe > MANY * f64::from(mss),
            cycle_s: flow.cycle_s(segments as f64),
        })
    }

    /// What is said of a queue in front of the line that holds less than what leaves together for one acknowledgement, where a test meets one.
    pub(super) fn tiny_queue(&self, test: &Test, tcp: &Tcp) -> Option<String> {
        let mut unsaid = self
            .scenario
            .record(test, Origin::Predicted, &BTreeMap::new());
        let agreed = self.plan.tcp_config(self.scenario, self.flow, tcp);
        if self.discarded(test).is_some() || self.swallowed(&agreed, &mut unsaid) {
            return None;
        }
        let flow = self.flow_of(tcp);
        let ceiling = self.ceiling(test, &flow, &mut unsaid)?;
        if flow.streams <= 1.0 && flow.is_one_flight(flow.config.amount) {
            return None;
        }
        let short = self.short_queue(&flow, ceiling.bps, true)?;
        short.tiny.then(|| short.note())
    }

    /// Acknowledgements that the way back cannot carry, or that a policer or losses there take.
    fn note_acks(&self, test: &Test, flow: &Flow, steady: f64, record: &mut Record) {
        let header = self.header();
        let every = f64::from(flow.config.delayed_ack.every.max(1));
        let acks = steady / 8.0 / f64::from(flow.config.mss) / every;
        let full = self.note_of_full_way_back(test, flow, steady);
        record.notes.extend(full);
        let passes = self.acks_policed(test);
        if acks > passes {
            record.notes.push(format!(
                "as if every acknowledgement came back: a policer on the way passes {passes:.1} of {acks:.0} a second, and what the sender makes of so few is not foreseen: simulate"
            ));
        }
        let lost = self.loss_ratio(header, &self.back);
        let asks = test.kind.exchange(0).is_some();
        let borne = if asks { 0.0 } else { ACKS_LOST };
        if lost > borne {
            let what = if asks {
                "request and every acknowledgement"
            } else {
                "acknowledgement"
            };
            record.notes.push(format!(
                "as if every {what} arrived: {:.3} % are lost on the way, and what that costs is not foreseen: simulate",
                lost * 100.0
            ));
        }
    }

    /// Acknowledgements a second that the policers on the way back pass; infinite without one, 0 where a bucket never holds one.
    pub(super) fn acks_policed(&self, test: &Test) -> f64 {
        let header = self.header();
        let mut passes = f64::INFINITY;
        for hop in &self.back {
            let framing = self.scenario.links[self.plan.ports[hop.port].link.0].framing;
            let in_queue = f64::from(framing.queue_bytes(header + hop.extra));
            let rules = self.policed_by(hop, test).into_iter().flatten();
            for rule in rules.filter(|_| self.carries_all(hop.port)) {
                let counted = (in_queue + f64::from(rule.overhead)).max(1.0);
                passes = match bucket(rule) {
                    Some((_, burst)) if burst < counted => 0.0,
                    Some((rate_bps, _)) => passes.min(rate_bps / 8.0 / counted),
                    None => passes,
                };
            }
        }
        passes
    }
}

/// What may wait in a direction of one queue that drops at its end, behind a shaper or not; `None` of any other.
pub(super) fn only_queue(direction: &Direction) -> Option<QueueLimit> {
    let Some(queueing) = &direction.queueing else {
        return Some(direction.queue);
    };
    match (
        queueing.classes.as_slice(),
        &queueing.fq_codel,
        queueing.memory,
    ) {
        ([class], None, None) if class.aqm.is_none() => match class.limit {
            ClassLimit::Own(limit) => Some(limit),
            ClassLimit::Memory | ClassLimit::MemoryShare(_) => None,
        },
        _ => None,
    }
}

/// What manages some queue of a port.
fn manager(queueing: &Queueing) -> Option<&'static str> {
    if queueing.fq_codel.is_some() {
        return Some(FQ_CODEL);
    }
    let mut managed = queueing.classes.iter().filter_map(|c| c.aqm.as_ref());
    managed.next().map(name_of)
}

const FQ_CODEL: &str = "FQ-CoDel";

fn name_of(aqm: &AqmConfig) -> &'static str {
    match aqm {
        AqmConfig::Red(_) => "RED",
        AqmConfig::Codel(_) => "CoDel",
        AqmConfig::Pie(_) => "PIE",
    }
}
