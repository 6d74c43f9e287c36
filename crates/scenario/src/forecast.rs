//! What closed forms say about a scenario's tests: the `predicted` records.
//!
//! Each test is predicted alone on its path, with empty queues before it. Connections have what steady streams of datagrams leave (`taken`), and
//! such streams what a full port serves of them (`crowd`); connections that are alike have equal shares (`shares`).
//! Where tests overlap otherwise, `beside` says what waits in front of their round trips, or that no closed form knows.

mod acks;
mod beside;
mod buffer;
mod bundle;
mod ceiling;
mod cells;
mod crowd;
mod discard;
mod drained;
mod exchange;
mod expired;
mod filling;
mod flow;
mod flows;
mod host;
mod impair;
mod in_order;
mod mean_wait;
mod mtu;
mod over;
mod peaks;
mod policer;
mod published;
mod queues;
mod rounds;
mod shaper;
mod shared;
mod shares;
mod stream;
mod taken;
mod tcp;
mod traced;

pub use buffer::buffer_note;
pub(crate) use buffer::line_bps;
pub(crate) use discard::class_of;
pub use mtu::full_segment;
pub use published::law_place;
pub use rounds::round_shares;

use std::collections::BTreeMap;

use farpath_element::ROUTER_ANSWER;
use farpath_predict::{atm, bit_error, rtt};
use farpath_record::{Origin, Record};
use farpath_units::{Duration, Rate, Size};
use farpath_wire::FlowDir;

use in_order::ticks;
use taken::Taken;

use crate::atm::LostAtOnce;
use crate::model::{Loss, Scenario, Test, TestKind, Udp};
use crate::plan::{Hop, Plan, port_of};

type Metrics = BTreeMap<String, f64>;

/// One predicted record per test, in file order.
pub fn forecast(scenario: &Scenario, plan: &Plan, point: &BTreeMap<String, String>) -> Vec<Record> {
    let mut records = Vec::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        let Some(flow) = plan.flows.iter().position(|f| f.test == number) else {
            continue;
        };
        let path = Path::new(scenario, plan, flow).beside_streams(number);
        let mut record = scenario.record(test, Origin::Predicted, point);
        if let Some(why) = path.discarded(test) {
            path.nothing(test, why, &mut record);
            records.push(record);
            continue;
        }
        test.kind.predict(test, &path, &mut record);
        path.note_weather(&mut record);
        path.note_bundles(&mut record);
        if test.kind.periodic().is_none() {
            path.note_impairments(&mut record);
        }
        path.beside(number, &mut record);
        path.note_shared(number, &mut record);
        path.note_rounds(&mut record);
        path.too_late(test, &mut record);
        records.push(record);
    }
    records
}

/// TCP tests, by number, in front of whose line a queue holds less than two of their full frames, each with what its forecast says of that.
pub fn tiny_queues(scenario: &Scenario, plan: &Plan) -> Vec<(usize, String)> {
    let of = |(number, test): (usize, &Test)| {
        let TestKind::Tcp(tcp) = &test.kind else {
            return None;
        };
        let flow = plan.flows.iter().position(|f| f.test == number)?;
        let said = Path::new(scenario, plan, flow).tiny_queue(test, tcp)?;
        Some((number, said))
    };
    scenario.tests.iter().enumerate().filter_map(of).collect()
}

/// Whether of two tests, by name, one uses a part of the other's path at the same time, and forecasts take each as if alone: what
/// divides or subtracts the two is none.
pub fn meet(scenario: &Scenario, plan: &Plan, tests: [&str; 2]) -> bool {
    let number = |name: &str| scenario.tests.iter().position(|t| t.name == name);
    let [Some(one), Some(other)] = tests.map(number) else {
        return false;
    };
    let Some(flow) = plan.flows.iter().position(|f| f.test == one) else {
        return false;
    };
    let path = Path::new(scenario, plan, flow);
    let mut met = path.met_by(one).into_iter();
    let Some((_, theirs)) = met.find(|(number, _)| *number == other) else {
        return false;
    };
    !(path.is_served(&scenario.tests[one]) && theirs.is_served(&scenario.tests[other]))
}

/// One flow's way there and back.
#[derive(Clone)]
pub(crate) struct Path<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    flow: usize,
    pub(crate) there: Vec<Hop>,
    pub(crate) back: Vec<Hop>,
    /// Ports whose shapers hold nothing back: their buckets are never empty.
    opened: Vec<usize>,
    /// What streams of other tests take all the time.
    taken: Vec<Taken>,
}

/// How much fits through the narrowest place, and what that is: `nic`, `link`, `host_cpu` or `pacing`.
#[derive(Clone, Copy)]
struct Narrowest {
    bps: f64,
    place: &'static str,
    /// The port that is full first, by number in the plan.
    port: Option<usize>,
}

impl Narrowest {
    /// Where all connections together are asked to send no more than this.
    fn paced(self, bps: f64) -> Narrowest {
        match bps < self.bps {
            true => Narrowest {
                bps,
                place: "pacing",
                port: None,
            },
            false => self,
        }
    }
}

pub(crate) fn put(metrics: &mut Metrics, name: &str, value: f64) {
    metrics.insert(name.to_owned(), value);
}

impl<'a> Path<'a> {
    fn new(scenario: &'a Scenario, plan: &'a Plan, flow: usize) -> Path<'a> {
        let dir = FlowDir::forward(flow as u16);
        let (there, back) = (plan.walk(scenario, dir), plan.walk(scenario, dir.turned()));
        Path {
            scenario,
            plan,
            flow,
            there,
            back,
            opened: Vec::new(),
            taken: Vec::new(),
        }
    }

    pub(crate) fn hops(&self, walk: &[Hop]) -> Vec<rtt::Hop> {
        let hop = |h: &Hop| {
            let port = &self.plan.ports[h.port];
            let link = &self.scenario.links[port.link.0];
            let rate = self.rate_of(h.port);
            let direction = link.direction(port.way);
            // Where the rate follows a trace, frames come with the gap behind them.
            let gap = match direction.impairments.trace.is_some() {
                true => link.framing.gap(rate),
                false => Duration::ZERO,
            };
            rtt::Hop {
                rate,
                framing: link.framing,
                carried: h.extra,
                delay: direction.delay + gap,
            }
        };
        walk.iter().map(hop).collect()
    }

    /// Bytes of the headers of its data packets, from IP's on.
    fn header(&self) -> u32 {
        self.plan.flows[self.flow].header_bytes.into()
    }

    /// Time that the two ends take to send and receive a packet of `size` bytes, and another one back where one `answers`: routers to send
    /// what is theirs, hosts both.
    pub(crate) fn ends_take(&self, size: u32, answers: bool) -> Duration {
        let flow = &self.plan.flows[self.flow];
        let asks = self.scenario.is_router(flow.source);
        let answered = answers && self.scenario.is_router(flow.sink);
        let routers = ROUTER_ANSWER.times(u64::from(asks) + u64::from(answered));
        routers + self.hosts_take(size, answers)
    }

    /// Time for a datagram of `there` bytes out and one of `back` bytes home, nothing waiting.
    fn rtt(&self, there: u32, back: u32) -> Duration {
        let home = self.hops(&self.back);
        let home = home.iter().map(|h| h.time_for(back));
        home.fold(self.one_way(there), |sum, time| sum + time)
    }

    /// Time for a datagram of `len` bytes out, nothing waiting.
    fn one_way(&self, len: u32) -> Duration {
        let out = self.hops(&self.there);
        let out = out.iter().map(|h| h.time_for(len));
        out.fold(Duration::ZERO, |sum, time| sum + time)
    }

    /// Payload rate at which the first port is full, or one of the hosts, when each datagram of `len` bytes carries
    /// `payload` of them and `acks` datagrams of `ack_len` bytes come back for it. A port that the
    /// way crosses several times carries the datagram as often.
    /// Streams that bundles send different ways share each place alike. What a trace is above `most_bps` of payload, or above
    /// the other places, is not used.
    fn narrowest(
        &self,
        (len, payload): (u32, u32),
        (acks, ack_len): (f64, u32),
        most_bps: f64,
    ) -> Narrowest {
        if let Some(streams) = self.parted() {
            return self.filled(&streams, len, payload, (acks, ack_len));
        }
        let mut best = Narrowest {
            bps: self.hosts_bps(len, payload, acks, ack_len),
            place: "host_cpu",
            port: None,
        };
        let follows = |hop: &&Hop| self.direction(hop.port).impairments.trace.is_some();
        let (traced, steady): (Vec<&Hop>, Vec<&Hop>) = self.there.iter().partition(follows);
        for hop in steady.into_iter().chain(traced) {
            let port = &self.plan.ports[hop.port];
            let wire = self.wire_on(hop.port, len, acks, ack_len);
            let used = most_bps.min(best.bps) * wire / f64::from(payload);
            let rate_bps = self.carries_bps(hop.port, used) - self.line_taken_bps(hop.port);
            let shaped = self.shaped_bps(hop.port, (len, payload), (acks, ack_len));
            let bps = (rate_bps * f64::from(payload) / wire).min(shaped);
            if bps < best.bps {
                let own = !self.scenario.is_router(port.from);
                let place = if own { "nic" } else { "link" };
                best = Narrowest {
                    bps,
                    place,
                    port: Some(hop.port),
                };
            }
        }
        best
    }

    /// Bytes a port carries for one datagram of `len` bytes and its `acks`.
    fn wire_on(&self, port: usize, len: u32, acks: f64, ack_len: u32) -> f64 {
        let framing = self.scenario.links[self.plan.ports[port].link.0].framing;
        let on = |walk: &[Hop], len: u32| -> f64 {
            let crossings = walk.iter().filter(|h| h.port == port);
            crossings
                .map(|h| f64::from(framing.wire_bytes(len + h.extra)))
                .sum()
        };
        on(&self.there, len) + acks * on(&self.back, ack_len)
    }

    /// The rate a port keeps up for long: its own, or what its shaper of cells sustains.
    fn lasting_rate(&self, number: usize) -> Rate {
        let port = &self.plan.ports[number];
        let link = &self.scenario.links[port.link.0];
        let cells = &link.direction(port.way).cells;
        let shape = cells.as_ref().and_then(|c| c.shape);
        let own = |rate: Rate| shape.map_or(rate, |contract| contract.lasting().min(rate));
        let Some(bundle) = self.in_turn(number) else {
            return own(self.rate_of(number));
        };
        // Frames take turns, so the slowest member sets the pace of all.
        let rates = bundle
            .links
            .iter()
            .map(|l| own(self.rate_of(port_of(*l, port.way))));
        let slowest = rates.min().map_or(port.rate.as_bps(), Rate::as_bps);
        Rate::from_bps(slowest * bundle.links.len() as u64).unwrap_or(port.rate)
    }

    /// Chance that a datagram of `len` bytes is lost on `walk`, from the random causes on it.
    pub(crate) fn loss_ratio(&self, len: u32, walk: &[Hop]) -> f64 {
        self.loss_ratio_of(len, walk, LostAtOnce::Frame)
    }

    pub(crate) fn loss_ratio_of(&self, len: u32, walk: &[Hop], unit: LostAtOnce) -> f64 {
        let mut lost = 0.0;
        for hop in walk {
            let port = &self.plan.ports[hop.port];
            let link = &self.scenario.links[port.link.0];
            let wire = link.framing.wire_bytes(len + hop.extra);
            let direction = link.direction(port.way);
            let wire = match &direction.cells {
                Some(cells) => {
                    lost = either(lost, cells.frame_loss(wire, unit));
                    // Wrong bits count where the payload is.
                    wire / atm::CELL * atm::CELL_PAYLOAD
                }
                None => link.framing.exposed_bytes(wire),
            };
            for loss in &direction.losses {
                lost = either(lost, mean_loss(loss, wire));
            }
            lost = either(lost, self.damaged(hop, wire));
        }
        lost
    }

    pub(crate) fn udp(&self, test: &Test, udp: &Udp, record: &mut Record) {
        let header = self.header();
        let offered = offered_bps(test, udp);
        record.notes.extend(load_notes(test, udp));
        record.duration_ns = test.duration.unwrap_or_default().as_ns();
        if offered <= 0.0 {
            put(&mut record.metrics, "sent_bps", 0.0);
            put(&mut record.metrics, "goodput_bps", 0.0);
            record.limited_by = Some("application".to_owned());
            return;
        }
        if let Some(served) = self.served_of(test, udp) {
            self.put_served(test, offered, served, record);
            return;
        }
        let peaks = self.peaks(test, udp, offered);
        let stream = self.arrives(test, (udp.size + header, udp.size), offered, &peaks);
        let queue = self.filling(test, udp, offered, stream.policed);
        let filled = queue.as_ref().and_then(|queue| queue.as_ref().ok());
        let refused = self.refuses(udp.size + header, 1, record);
        let through = if refused { 0.0 } else { stream.bps };
        let arrives = filled.filter(|_| !refused).map(|queue| queue.arrives);
        let arrives = arrives.map(|share| share * peaks.passed());
        let share = self.in_time(test, udp.size + header, stream.limit.is_none());
        let m = &mut record.metrics;
        put(m, "sent_bps", offered);
        put(m, "goodput_bps", through * share);
        put(m, "loss_ratio", 1.0 - arrives.unwrap_or(through / offered));
        let held = filled.is_some_and(|queue| queue.dropped <= 0.0);
        let by = match stream.limit {
            _ if refused => "mtu",
            Some("policer") => "policer",
            Some(place) if !held => place,
            _ => "application",
        };
        record.limited_by = Some(by.to_owned());
        let of_queue = queue.filter(|_| !refused);
        let note = of_queue.map(|queue| queue.map_or_else(|why| why, |filled| filled.note));
        record.notes.extend(note);
        if !refused {
            record.notes.extend(peaks.notes);
        }
        let is_full = matches!(stream.limit, Some("nic" | "link"));
        if is_full && self.crosses_twice() {
            record.notes.push(
                "the path crosses a full link more than once: above the limit it overtakes itself in the queue and delivers less than this"
                    .to_owned(),
            );
        }
    }

    /// The share of what arrives of a stream of datagrams of `len` bytes that arrives before the end. What is sent at the start arrives a way
    /// later; until then nothing is measured. Of datagrams at equal intervals that come `as_sent` whole ones are counted.
    fn in_time(&self, test: &Test, len: u32, as_sent: bool) -> f64 {
        let (way, measured) = (self.one_way(len), test.duration.unwrap_or_default());
        if way <= test.omit {
            return 1.0;
        }
        let left = (test.omit + measured).saturating_sub(way);
        let arrives = match ticks(test, 0).filter(|_| as_sent) {
            Some((apart, _)) if apart > Duration::ZERO => {
                apart.times(left.as_ps().div_ceil(apart.as_ps()))
            }
            _ => left,
        };
        (arrives.as_secs_f64() / measured.as_secs_f64()).min(1.0)
    }

    fn crosses_twice(&self) -> bool {
        let crossings = |port: usize| self.there.iter().filter(|h| h.port == port).count();
        self.there.iter().any(|h| crossings(h.port) > 1)
    }
}

/// What a stream of datagrams offers on average while it is measured, bit/s; of bursts the mean over a long time.
fn offered_bps(test: &Test, udp: &Udp) -> f64 {
    let long = udp.rate.as_bps() as f64 * mean_share(udp);
    let Some(duration) = test.duration else {
        return long;
    };
    let (from, until) = (test.omit, test.omit + duration);
    match (&udp.replay, udp.envelope) {
        (Some(replay), _) => replay.mean_bps(from, until),
        (None, Some(envelope)) => long / envelope.mean() * envelope.mean_between(from, until),
        (None, None) => long,
    }
}

/// The share of its rate that a stream of datagrams offers on average over a long time.
fn mean_share(udp: &Udp) -> f64 {
    let duty = udp.on_off.map_or(1.0, |o| o.duty());
    duty * udp.envelope.map_or(1.0, |e| e.mean())
}

fn load_notes(test: &Test, udp: &Udp) -> Option<String> {
    let varies = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
    let when = match udp.on_off.is_some() || test.duration.is_none() {
        true => "over a long time",
        false => "in the time that is measured",
    };
    varies.then(|| format!("the mean rate {when}; what a peak loses is not foreseen"))
}

/// The chance of one of two things at least, each with a chance of its own; exactly the other's where one has none.
pub(crate) fn either(one: f64, other: f64) -> f64 {
    one + (1.0 - one) * other
}

/// Mean share of frames one cause loses; a wrong bit spoils a frame in `bytes` of its bytes.
fn mean_loss(loss: &Loss, bytes: u32) -> f64 {
    match loss {
        Loss::Scripted { .. } => 0.0,
        Loss::EveryNth(n) => 1.0 / *n as f64,
        Loss::Bernoulli(p) => p.get(),
        Loss::GilbertElliott {
            p,
            r,
            loss_good,
            loss_bad,
        } => {
            let bad = p.get() / (p.get() + r.get()).max(f64::MIN_POSITIVE);
            bad * loss_bad.get() + (1.0 - bad) * loss_good.get()
        }
        Loss::BitError(ber) => bit_error::frame_loss(Size::from_bytes(bytes.into()), *ber),
    }
}
