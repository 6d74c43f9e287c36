//! What tests do to the round trips of one another, and a connection to its own: the queue that stands in front of the
//! narrowest place, where closed forms know it, and a word why where they do not.

use farpath_predict::Cc;
use farpath_predict::climb::Climb;
use farpath_record::Record;
use farpath_record::quantity::quantity;
use farpath_tcp::SlowStart;
use farpath_units::{Duration, Size, Time};
use farpath_wire::FlowDir;

use super::flow::Flow;
use super::shares::EqualShare;
use super::{Path, mean_share, put};
use crate::model::{Arrivals, Tcp, Test, TestKind, Udp};
use crate::plan::Hop;

/// Share of a port's rate up to which what is sent evenly does not wait for long.
const LIGHT: f64 = 0.9;
/// Share of a test's time in which bursts of another's start hardly change its mean.
const BRIEF: f64 = 0.1;
/// Share of a round trip that may wait without a word.
const SMALL: f64 = 0.01;
/// Datagrams that come at random intervals and wait for one another, now and then (at half of a rate 99 % of them meet fewer).
const SEVERAL: f64 = 5.0;
/// Of a forecast of when a window is full: how much later it is taken to be certain.
pub(super) const CERTAIN: f64 = 2.0;

/// What one test keeps waiting in front of a port.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Waits {
    /// Hardly anything, once it has started.
    Nothing,
    /// The same for all of its time, from some time after its start.
    Always(Duration),
    /// From nothing to a full queue, and back.
    Between(Duration),
    /// No closed form says, and why.
    Unknown(&'static str),
}

/// One test's part in what another meets.
pub(super) struct Load {
    waits: Waits,
    /// The port in front of which it waits.
    port: Option<usize>,
    /// Payload bit/s.
    pub(super) bps: f64,
    /// That is what it sends, losses on the way in it, and not what arrives.
    sent: bool,
    /// IP datagram and payload bytes.
    pub(super) size: (u32, u32),
    /// From its start until it is as `waits` says.
    settles: Duration,
    /// How long the largest burst of its start can wait.
    burst: Duration,
    /// It sends more than its port carries, all the time.
    overloads: bool,
    /// The queue there takes up what the port does not carry, to the end of the test.
    taken_up: bool,
}

impl Path<'_> {
    /// Corrects the times that a record gives as if its test were alone on its path, where other tests make frames wait.
    pub(super) fn beside(&self, number: usize, record: &mut Record) {
        let own = &self.scenario.tests[number];
        let others = self.met_by(number);
        self.note_taken(record);
        let is_met = others.iter().any(|(n, _)| !self.is_taken_off(*n));
        let is_met = is_met || self.meets_packets(number);
        if own.kind.periodic().is_none() && is_met && !self.is_served(own) {
            share_link(self.equal_share(number, &others), record);
        }
        if others.is_empty() {
            return;
        }
        if let Some(mean) = self
            .mean_wait(own, &others)
            .filter(|mean| mean.shows(record))
        {
            let other = &self.scenario.tests[others[0].0].name;
            mean.correct(own, other, record);
            return;
        }
        let waits = self.met(own, &others);
        let names: Vec<String> = others
            .iter()
            .map(|(n, _)| format!("`{}`", self.scenario.tests[*n].name))
            .collect();
        let first = others
            .iter()
            .all(|(n, _)| own.start <= self.scenario.tests[*n].start);
        waits.correct(own, first, &names, record);
    }

    /// The companions of a test without those that begin when it is over for certain, as a transfer that no clock ends.
    pub(super) fn met_by(&self, number: usize) -> Vec<(usize, Path<'_>)> {
        let tests = &self.scenario.tests;
        let meets =
            |(other, _): &(usize, Path<'_>)| !self.is_over(&tests[number], tests[*other].start);
        self.companions(number).filter(meets).collect()
    }

    /// Other tests that load a port of this path while `number` uses it, each with its own path.
    pub(super) fn companions(&self, number: usize) -> impl Iterator<Item = (usize, Path<'_>)> {
        let (start, end) = span(&self.scenario.tests[number]);
        let mut seen = None;
        let flows = self.plan.flows.iter().enumerate();
        flows.filter_map(move |(flow, f)| {
            let other = &self.scenario.tests[f.test];
            let (from, until) = span(other);
            let apart = from >= end || until <= start;
            if f.test == number || f.asks || other.kind.periodic().is_some() || apart {
                return None;
            }
            let walk = self.plan.walk(self.scenario, FlowDir::forward(flow as u16));
            if seen == Some(f.test) || !walk.iter().any(|h| self.uses(number, h.port)) {
                return None;
            }
            let path = Path::new(self.scenario, self.plan, flow);
            if path.is_over(other, start) {
                return None;
            }
            seen = Some(f.test);
            Some((f.test, path))
        })
    }

    /// Whether a port can make the test's times longer: both ways, but for packets that are timed one way.
    pub(super) fn uses(&self, number: usize, port: usize) -> bool {
        let both = !matches!(self.scenario.tests[number].kind, TestKind::OneWay(_));
        let back = self.back.iter().filter(|_| both);
        self.there.iter().chain(back).any(|h| h.port == port)
    }

    /// What the other tests of a path keep waiting in its ports, together.
    fn met(&self, own: &Test, others: &[(usize, Path<'_>)]) -> Met {
        let number = self.plan.flows[self.flow].test;
        let loads: Vec<(usize, Load, &Path<'_>)> = others
            .iter()
            .map(|(n, path)| (*n, path.load(&self.scenario.tests[*n]), path))
            .collect();
        // What one alone leaves of a queue may not be enough for several.
        let drops = |l: &Load| l.overloads && !(l.taken_up && loads.len() == 1);
        let overload = |l: &Load| drops(l) && l.port.is_some_and(|p| self.uses(number, p));
        let losing = if loads.iter().any(|(_, l, _)| overload(l)) {
            Some("more is sent than a link on the way carries")
        } else {
            let drained = self.meets_drained(own, others);
            drained.then_some("the bucket of a policer on the way is empty at times")
        };
        let unknown = |why: &str| Met {
            losing,
            fills: false,
            waits: Waits::Unknown(""),
            why: why.to_owned(),
            unsettled: 1.0,
            burst: Duration::ZERO,
            bursts: Vec::new(),
        };
        if let Some((_, load, _)) = loads
            .iter()
            .find(|(_, l, _)| matches!(l.waits, Waits::Unknown(_)))
            && let Waits::Unknown(why) = load.waits
        {
            return unknown(why);
        }
        let unsettled =
            |(n, l, _): &(usize, Load, &Path<'_>)| unsettled(own, &self.scenario.tests[*n], l);
        let unsettled = loads.iter().map(unsettled).fold(0.0, f64::max);
        let full: Vec<&(usize, Load, &Path<'_>)> = loads
            .iter()
            .filter(|(_, l, _)| l.port.is_some_and(|p| self.uses(number, p)))
            .collect();
        let heavy = self.there.iter().chain(&self.back).any(|h| {
            let on_port: f64 = loads.iter().map(|(_, l, path)| path.share(l, h.port)).sum();
            on_port > LIGHT && !full.iter().any(|(_, l, _)| l.port == Some(h.port))
        });
        let waits = match full.as_slice() {
            _ if heavy => return unknown("together they fill a port"),
            [] => Waits::Nothing,
            [(_, load, _)] if loads.len() == 1 => load.waits.clone(),
            _ => return unknown("they share a queue"),
        };
        let crossings = |port: usize| {
            let all = self.there.iter().chain(&self.back);
            all.filter(|h| h.port == port).count()
        };
        let port = full.first().and_then(|(_, l, _)| l.port);
        if port.is_some_and(|p| crossings(p) > 1) {
            return unknown("the path crosses the full link more than once");
        }
        let bursts = |(_, l, _): &(usize, Load, &Path<'_>)| l.burst > Duration::ZERO;
        Met {
            losing,
            fills: matches!(waits, Waits::Between(_)) && !full.iter().any(|(_, l, _)| l.taken_up),
            why: port.map_or_else(String::new, |p| self.port_name(p)),
            waits,
            unsettled,
            burst: loads
                .iter()
                .fold(Duration::ZERO, |all, (_, l, _)| all + l.burst),
            bursts: loads.iter().map(bursts).collect(),
        }
    }

    /// The share of a port's rate that a test takes.
    fn share(&self, load: &Load, port: usize) -> f64 {
        let (len, payload) = load.size;
        let wire = self.wire_on(port, len, 0.0, 0);
        let lost = match load.sent {
            true => self.lost_before(Some(port), len),
            false => 0.0,
        };
        let comes_bps = load.bps * (1.0 - lost);
        comes_bps * wire / f64::from(payload.max(1)) / self.rate_of(port).as_bps() as f64
    }

    /// Chance that a datagram of `len` bytes is lost on the way out before it comes to a port.
    fn lost_before(&self, port: Option<usize>, len: u32) -> f64 {
        let at = self.there.iter().position(|hop| Some(hop.port) == port);
        self.loss_ratio(len, &self.there[..at.unwrap_or(0)])
    }

    pub(super) fn port_name(&self, port: usize) -> String {
        let port = &self.plan.ports[port];
        self.scenario.port_name(port.link, port.way)
    }

    /// What a test does to others, alone on its path.
    pub(super) fn load(&self, test: &Test) -> Load {
        let header = self.header();
        let discarded = self.discarded(test).is_some();
        if let Some(tcp) = test.kind.bulk().filter(|_| !discarded) {
            let (path, empty_s) = self.behind_buckets(test, tcp);
            return path.carried(test, tcp, seconds(empty_s));
        }
        match test.kind.udp() {
            Some(udp) if udp.cells.is_none() && !discarded => {
                self.stream(test, udp, udp.size + header)
            }
            _ => Load {
                waits: match discarded {
                    true => Waits::Nothing,
                    false => Waits::Unknown("it comes and goes"),
                },
                port: None,
                bps: 0.0,
                sent: false,
                size: (1, 1),
                settles: Duration::ZERO,
                burst: Duration::ZERO,
                overloads: false,
                taken_up: false,
            },
        }
    }

    /// What connections do that carry data without a pause, behind a shaper whose bucket is empty after so long.
    fn carried(&self, test: &Test, tcp: &Tcp, empty: Duration) -> Load {
        let header = self.header();
        let flow = self.flow_of(tcp);
        let size = (flow.config.mss + header, flow.config.mss);
        let loss_bps = flow.loss_bps();
        let clean = flow.steady(loss_bps.unwrap_or(f64::INFINITY));
        let policed = self.policed(test, &flow, clean);
        let bps = policed.map_or(clean, |[likely, ..]| likely);
        let ramp_s = flow.ramp(bps / flow.streams).seconds();
        let mut load = Load {
            waits: Waits::Nothing,
            port: None,
            bps,
            sent: false,
            size,
            settles: seconds(ramp_s),
            // Slow start sends twice what the path takes meanwhile: half of the window waits.
            burst: seconds(flow.window as f64 * 8.0 * flow.streams / flow.narrowest.bps / 2.0),
            overloads: false,
            taken_up: false,
        };
        if loss_bps.is_none() || self.hole(&flow.config).is_some() {
            load.waits = Waits::Unknown("how fast it is, no closed form says");
        } else if bps >= flow.narrowest.bps * 0.9999 && !self.is_held(&flow) {
            load.port = flow.narrowest.port;
            (load.waits, load.settles) = self.own_queue(test, &flow);
            load.settles += empty;
        }
        load
    }

    fn stream(&self, test: &Test, udp: &Udp, len: u32) -> Load {
        let varies = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
        let mut load = Load {
            waits: Waits::Nothing,
            port: None,
            bps: udp.rate.as_bps() as f64 * mean_share(udp),
            sent: true,
            size: (len, udp.size),
            settles: Duration::ZERO,
            burst: Duration::ZERO,
            overloads: false,
            taken_up: false,
        };
        let until = test.omit + test.duration.unwrap_or_default();
        let (narrowest, ahead) = self.stream_held(until, (len, udp.size), load.bps);
        let comes_bps = load.bps * (1.0 - self.lost_before(narrowest.port, len));
        if comes_bps > narrowest.bps {
            load.port = narrowest.port;
            load.overloads = true;
            load.waits = match narrowest.port.and_then(|p| self.full_queue(p, len)) {
                Some(queue) if !varies => {
                    let holds = queue.as_secs_f64() * narrowest.bps + ahead;
                    let fills = holds / (comes_bps - narrowest.bps);
                    let until_s = until.as_secs_f64();
                    if until_s > 0.0 && until_s < LIGHT * fills {
                        load.taken_up = true;
                        let left = (comes_bps - narrowest.bps) * until_s - ahead;
                        Waits::Between(seconds((left / narrowest.bps).max(0.0)))
                    } else {
                        load.settles = seconds(CERTAIN * fills) + self.one_way(len);
                        Waits::Always(queue)
                    }
                }
                _ => Waits::Unknown(
                    "the queue that it fills is not a plain one, or an event changes it",
                ),
            };
        } else if varies
            || (udp.arrivals != Arrivals::Constant && self.queues(udp, comes_bps, narrowest.bps))
        {
            load.waits = Waits::Unknown("it comes and goes");
        }
        load
    }

    /// Whether what comes at random intervals makes others wait for a time that shows: from half of the narrowest place's rate on, or where
    /// several of its datagrams take so much of the way's time.
    fn queues(&self, udp: &Udp, bps: f64, narrowest_bps: f64) -> bool {
        let load = bps / narrowest_bps;
        let each_s = f64::from(udp.size) * 8.0 / narrowest_bps;
        let way_s = self.one_way(udp.size + self.header()).as_secs_f64();
        load > 0.5 || SEVERAL * each_s * load > SMALL * way_s
    }

    /// What a flow that fills its path keeps waiting at its narrowest place, and how long after its start that is certain.
    pub(super) fn own_queue(&self, test: &Test, flow: &Flow) -> (Waits, Duration) {
        let unknown = |why| (Waits::Unknown(why), Duration::ZERO);
        let header = self.header();
        let len = flow.config.mss + header;
        let Some(queue) = flow.narrowest.port.and_then(|p| self.full_queue(p, len)) else {
            return unknown("the queue that it fills is not a plain one, or an event changes it");
        };
        let bps = flow.narrowest.bps;
        let base_s = flow.base.as_secs_f64();
        let loaded_s = flow.window as f64 * 8.0 * flow.streams / bps;
        let full_s = base_s + queue.as_secs_f64();
        let is_window = loaded_s <= full_s && flow.loses_nothing();
        let climbs = match flow.cc {
            Some(Cc::Vegas | Cc::Fast | Cc::Bbr | Cc::Bbr3 | Cc::Westwood) | None if !is_window => {
                return unknown("its algorithm decides how much of a queue it fills");
            }
            cc => cc,
        };
        let top_s = loaded_s.min(full_s);
        // From an end of slow start that came early, its window is there after two climbs at the latest.
        let climb_s = match (flow.config.slow_start, climbs) {
            (SlowStart::Standard, _) => 2.0 * top_s,
            (_, None) => return unknown("when its window is full is not foreseen"),
            (_, Some(cc)) => {
                let climb = Climb {
                    cc,
                    top: (top_s * bps / 8.0 / flow.streams / f64::from(flow.config.mss)).max(1.0),
                    rtt_s: top_s,
                    segments_per_ack: flow.counted_per_ack(),
                    htcp: flow.htcp(),
                    rules: flow.rules(),
                };
                match climb.recovery_s() {
                    Some(seconds) => CERTAIN * seconds,
                    None => return unknown("when its window is full is not foreseen"),
                }
            }
        };
        let settles = seconds(flow.ramp(bps / flow.streams).seconds() + climb_s);
        let lasts = match (test.duration, flow.config.amount) {
            (Some(duration), _) => test.omit + duration,
            (None, Some(bytes)) => seconds(bytes as f64 * 8.0 * flow.streams / bps),
            (None, None) => Duration::ZERO,
        };
        if lasts < settles {
            return unknown("whether it fills the queue before it ends is not foreseen");
        }
        let waits = if is_window {
            Waits::Always(seconds((loaded_s - base_s).max(0.0)))
        } else {
            Waits::Between(queue)
        };
        (waits, settles)
    }

    /// How long a frame waits in front of a port whose queue is full of datagrams of `len` bytes, as it is accepted;
    /// `None` where that is not one queue, as long at all times.
    fn full_queue(&self, port: usize, len: u32) -> Option<Duration> {
        let plan = &self.plan.ports[port];
        let link = &self.scenario.links[plan.link.0];
        let direction = self.direction(port);
        let crossings: Vec<&Hop> = self.there.iter().filter(|h| h.port == port).collect();
        let [hop] = crossings.as_slice() else {
            return None;
        };
        let steady = direction.cells.is_none()
            && direction.impairments.flap.is_none()
            && !plan.changes
            && self.scenario.bundle_of(plan.link).is_none();
        let frames = self.room(port, len).filter(|_| steady)?;
        let len = len + hop.extra;
        let line = plan
            .rate
            .time_for(Size::from_bytes(link.framing.wire_bytes(len).into()));
        // A shaper counts frames as they wait.
        let shape = self.shaper(port);
        let waits = Size::from_bytes(link.framing.queue_bytes(len).into());
        let shaped = shape.map_or(Duration::ZERO, |s| s.rate.time_for(waits));
        Some(line.max(shaped).times(frames))
    }
}

/// What waits on a path, of all others together.
struct Met {
    waits: Waits,
    /// Where, or why that is unknown.
    why: String,
    /// The share of the test's time in which it is not so, yet or any more.
    unsettled: f64,
    /// How long the bursts of their starts can wait.
    burst: Duration,
    /// Whether each of them begins with one.
    bursts: Vec<bool>,
    /// Why it is not foreseen how many single packets are lost beside them, if so.
    losing: Option<&'static str>,
    /// A queue is full at times, and drops what comes then.
    fills: bool,
}

impl Met {
    /// `first`: the test starts no later than the others, so that its first packet meets nothing.
    fn correct(self, own: &Test, first: bool, names: &[String], record: &mut Record) {
        let others = names.join(", ");
        if let Some(why) = self.losing.filter(|_| own.kind.periodic().is_some()) {
            record
                .metrics
                .retain(|m, lost| m != "loss_ratio" || *lost >= 1.0);
            record.notes.push(format!(
                "beside {others} {why}; how many packets are lost there is not foreseen"
            ));
        }
        let times: Vec<String> = record
            .metrics
            .keys()
            .filter(|m| is_time(m))
            .cloned()
            .collect();
        let brief = self.waits == Waits::Nothing;
        let (place, ns) = (self.why, |time: Duration| {
            (time.as_ps() as f64 / 1e3).round()
        });
        // Of all times, the least that is alone on the path.
        let alone = times
            .iter()
            .map(|m| record.metrics[m])
            .fold(f64::MAX, f64::min);
        let small = ns(self.burst) <= SMALL * alone;
        let why = match (self.waits, self.unsettled <= 0.0) {
            (Waits::Nothing, is_settled) if is_settled || small => return,
            (Waits::Nothing, _) => begins(names, &self.bursts),
            (Waits::Always(queue), true) => {
                for metric in times {
                    let alone = record.metrics[&metric];
                    put(&mut record.metrics, &metric, alone + ns(queue));
                }
                record.notes.push(format!(
                    "{others} keeps {} waiting in front of {place}",
                    wait_words(queue)
                ));
                return;
            }
            (Waits::Always(queue) | Waits::Between(queue), _) => {
                format!(
                    "{others} fills the queue of {place}, up to {}",
                    wait_words(queue)
                )
            }
            (Waits::Unknown(_), _) => format!("beside {others}: {place}"),
        };
        let mostly = brief && self.unsettled <= BRIEF;
        let kept = |metric: &str| {
            (first || brief) && metric.ends_with("_min_ns")
                || mostly && (metric.ends_with("_avg_ns") || metric.ends_with("_p50_ns"))
        };
        // Not as absent: that would be a result, and an expectation of it would fail.
        let unknown: Vec<String> = times.into_iter().filter(|m| !kept(m)).collect();
        record.metrics.retain(|m, _| !unknown.contains(m));
        if own.kind.periodic().is_some() {
            let mut lost = "";
            if self.fills {
                record
                    .metrics
                    .retain(|m, ratio| m != "loss_ratio" || *ratio >= 1.0);
                lost = ", nor how many are lost";
            }
            record.notes.push(format!(
                "{why}; how long packets wait there is not foreseen{lost}"
            ));
        }
    }
}

/// Takes a share of a full link for the goodput of a test that has it, and says of all others what they are forecast without.
fn share_link(share: Option<EqualShare>, record: &mut Record) {
    const ALONE: &str = "as if alone on its path; another test uses part of it at the same time";
    record.notes.push(match share {
        None => ALONE.to_owned(),
        Some(EqualShare {
            of_alone: None,
            words,
        }) => format!("outside the formula's range: {ALONE}: {words}"),
        Some(EqualShare {
            of_alone: Some(part),
            words,
        }) => {
            let goodput = record.metrics.get_mut("goodput_bps");
            goodput.into_iter().for_each(|bps| *bps *= part);
            if part < 1.0 {
                record.limited_by = Some("link".to_owned());
            }
            words
        }
    });
}

/// That bursts wait: those of the tests that begin with one. What comes evenly from its start on has none.
fn begins(names: &[String], bursts: &[bool]) -> String {
    let named = names.iter().zip(bursts).filter(|(_, bursts)| **bursts);
    let named: Vec<&str> = named.map(|(name, _)| name.as_str()).collect();
    let verb = if named.len() == 1 { "begins" } else { "begin" };
    format!(
        "the bursts with which {} {verb} wait in queues",
        named.join(", ")
    )
}

/// Metrics that waiting makes longer.
pub(super) fn is_time(metric: &str) -> bool {
    ["rtt_", "delay_", "response_"]
        .iter()
        .any(|of| metric.starts_with(of))
        && metric.ends_with("_ns")
}

fn wait_words(time: Duration) -> String {
    quantity("waits_s", time.as_secs_f64())
}

pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::from_ps((seconds * 1e12).clamp(0.0, 1e19) as u64)
}

/// The share of `own`'s time before `other` has settled, or after the end of one that keeps frames waiting.
fn unsettled(own: &Test, other: &Test, load: &Load) -> f64 {
    let ((start, end), (from, until)) = (span(own), span(other));
    let at = |time: Time| time.as_ps() as f64;
    if end == Time::MAX {
        return if start >= from + load.settles && until == end {
            0.0
        } else {
            1.0
        };
    }
    let all = (at(end) - at(start)).max(1.0);
    let before = (at(from + load.settles) - at(start)).max(0.0);
    let after = match load.waits {
        Waits::Nothing => 0.0,
        _ => (at(end) - at(until)).max(0.0),
    };
    ((before + after) / all).min(1.0)
}

/// From a test's start to its end at the earliest; the last answer of single packets comes a round trip later, and
/// finds what is there by then.
pub(super) fn span(test: &Test) -> (Time, Time) {
    let long = match test.kind.periodic() {
        Some(all) => Some(all.interval.times(all.count.into())),
        None => test.duration.map(|d| test.omit + d),
    };
    let end = long.map_or(Time::MAX, |long| test.start + long);
    (test.start, end)
}
