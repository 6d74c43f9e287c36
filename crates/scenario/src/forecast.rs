//! What closed forms say about a scenario's tests: the `predicted` records.
//!
//! Each test is predicted alone on its path, with empty queues before it: the forms know nothing of
//! one test's effect on another, and say so where tests overlap.

mod exchange;
mod host;

use std::collections::BTreeMap;

use farpath_predict::recovery::{self, Losses};
use farpath_predict::rtt;
use farpath_predict::slow_start::SlowStart;
use farpath_record::{Origin, Record};
use farpath_tcp::{Algorithm, Config};
use farpath_units::{Duration, Rate, Ratio, Size, Time};
use farpath_wire::FlowDir;

use crate::model::{Loss, Ping, Scenario, Tcp, Test, TestKind, Udp, Way};
use crate::plan::{Hop, Plan, segments_per_growth};

type Metrics = BTreeMap<String, f64>;

/// One predicted record per test, in file order.
pub fn forecast(scenario: &Scenario, plan: &Plan, point: &BTreeMap<String, String>) -> Vec<Record> {
    let mut records = Vec::new();
    for (number, test) in scenario.tests.iter().enumerate() {
        let Some(flow) = plan.flows.iter().position(|f| f.test == number) else {
            continue;
        };
        let path = Path::new(scenario, plan, flow);
        let mut record = blank(scenario, test, point);
        match &test.kind {
            TestKind::Ping(ping) => path.ping(ping, &mut record),
            TestKind::Udp(udp) => path.udp(test, udp, &mut record),
            TestKind::Tcp(tcp) => path.tcp(test, tcp, &mut record),
            TestKind::Transfer(_) | TestKind::Request(_) => path.exchange(test, &mut record),
        }
        if overlaps(scenario, plan, number, &path) {
            record.notes.push(
                "as if alone on its path; another test uses part of it at the same time".to_owned(),
            );
        }
        records.push(record);
    }
    records
}

fn blank(scenario: &Scenario, test: &Test, point: &BTreeMap<String, String>) -> Record {
    Record {
        schema: "farpath.record/1".to_owned(),
        origin: Origin::Predicted,
        test: test.name.clone(),
        kind: test.kind.name().to_owned(),
        from: scenario.node_name(test.from).to_owned(),
        to: scenario.node_name(test.to).to_owned(),
        point: point.clone(),
        repeat: 0,
        started_ns: test.start.as_ns(),
        duration_ns: test.duration.unwrap_or_default().as_ns(),
        metrics: Metrics::new(),
        limited_by: None,
        streams: Vec::new(),
        series: BTreeMap::new(),
        valid: true,
        notes: Vec::new(),
    }
}

impl TestKind {
    /// The word after `kind`.
    pub fn name(&self) -> &'static str {
        match self {
            TestKind::Ping(_) => "ping",
            TestKind::Tcp(_) => "tcp",
            TestKind::Udp(_) => "udp",
            TestKind::Transfer(_) => "transfer",
            TestKind::Request(_) => "request",
        }
    }
}

/// Whether a heavy test other than `number` uses a port of this path at the same time.
fn overlaps(scenario: &Scenario, plan: &Plan, number: usize, path: &Path<'_>) -> bool {
    let span = |t: &Test| match (&t.kind, t.duration) {
        // The last request's answer comes a round trip later, and finds what is there by then.
        (TestKind::Ping(ping), _) => (t.start, t.start + ping.interval.times(ping.count.into())),
        (_, Some(duration)) => (t.start, t.start + t.omit + duration),
        (_, None) => (t.start, Time::MAX),
    };
    let (start, end) = span(&scenario.tests[number]);
    plan.flows.iter().enumerate().any(|(flow, f)| {
        let other = &scenario.tests[f.test];
        let (from, until) = span(other);
        if f.test == number
            || matches!(other.kind, TestKind::Ping(_))
            || from >= end
            || until <= start
        {
            return false;
        }
        let there = plan.walk(scenario, FlowDir::forward(flow as u16));
        there
            .iter()
            .any(|h| path.there.iter().any(|own| own.port == h.port))
    })
}

/// One flow's way there and back.
struct Path<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    flow: usize,
    there: Vec<Hop>,
    back: Vec<Hop>,
}

/// How much fits through the narrowest place, and whether that is the sender's own interface.
struct Narrowest {
    bps: f64,
    own: bool,
}

fn put(metrics: &mut Metrics, name: &str, value: f64) {
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
        }
    }

    fn hops(&self, walk: &[Hop]) -> Vec<rtt::Hop> {
        let hop = |h: &Hop| {
            let port = &self.plan.ports[h.port];
            let link = &self.scenario.links[port.link.0];
            let delay = link.directions[usize::from(port.way == Way::Reverse)].delay;
            rtt::Hop {
                rate: port.rate,
                framing: link.framing,
                carried: h.extra,
                delay,
            }
        };
        walk.iter().map(hop).collect()
    }

    /// Time for a datagram of `there` bytes out and one of `back` bytes home, nothing waiting.
    fn rtt(&self, there: u32, back: u32) -> Duration {
        let out = self
            .hops(&self.there)
            .iter()
            .fold(Duration::ZERO, |sum, h| sum + h.time_for(there));
        self.hops(&self.back)
            .iter()
            .fold(out, |sum, h| sum + h.time_for(back))
    }

    fn ping(&self, ping: &Ping, record: &mut Record) {
        let round_trip = rtt::ping_rtt(&self.hops(&self.there), &self.hops(&self.back), ping.size);
        let ns = round_trip.as_ps() as f64 / 1000.0;
        for name in [
            "rtt_min_ns",
            "rtt_avg_ns",
            "rtt_max_ns",
            "rtt_p50_ns",
            "rtt_p99_ns",
        ] {
            put(&mut record.metrics, name, ns.round());
        }
        put(&mut record.metrics, "sent", ping.count.into());
        let arrives = 1.0 - self.loss_ratio(ping.size, &self.there);
        let returns = 1.0 - self.loss_ratio(ping.size, &self.back);
        put(&mut record.metrics, "loss_ratio", 1.0 - arrives * returns);
    }

    /// Payload rate at which the first port is full, when each datagram of `len` bytes carries
    /// `payload` of them and `acks` datagrams of `ack_len` bytes come back for it. A port that the
    /// way crosses several times carries the datagram as often.
    fn narrowest(&self, len: u32, payload: u32, acks: f64, ack_len: u32) -> Narrowest {
        let mut best = Narrowest {
            bps: f64::INFINITY,
            own: false,
        };
        for hop in &self.there {
            let port = &self.plan.ports[hop.port];
            let framing = self.scenario.links[port.link.0].framing;
            let on = |walk: &[Hop], len: u32| -> f64 {
                let crossings = walk.iter().filter(|h| h.port == hop.port);
                crossings
                    .map(|h| f64::from(framing.wire_bytes(len + h.extra)))
                    .sum()
            };
            let wire = on(&self.there, len) + acks * on(&self.back, ack_len);
            let bps = port.rate.as_bps() as f64 * f64::from(payload) / wire;
            if bps < best.bps {
                best = Narrowest {
                    bps,
                    own: !self.scenario.is_router(port.from),
                };
            }
        }
        best
    }

    /// Chance that a datagram of `len` bytes is lost on `walk`, from the random causes on it.
    fn loss_ratio(&self, len: u32, walk: &[Hop]) -> f64 {
        let mut arrives = 1.0;
        for hop in walk {
            let port = &self.plan.ports[hop.port];
            let link = &self.scenario.links[port.link.0];
            let wire = link.framing.wire_bytes(len + hop.extra);
            for loss in &link.directions[usize::from(port.way == Way::Reverse)].losses {
                arrives *= 1.0 - mean_loss(loss, wire);
            }
        }
        1.0 - arrives
    }

    fn udp(&self, test: &Test, udp: &Udp, record: &mut Record) {
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        let narrowest = self.narrowest(udp.size + header, udp.size, 0.0, 0);
        let offered = udp.rate.as_bps() as f64;
        let hosts_bps = self.hosts_bps(udp.size + header, udp.size, 0.0, 0);
        let most = narrowest.bps.min(hosts_bps);
        let through = offered.min(most) * (1.0 - self.loss_ratio(udp.size + header, &self.there));
        let m = &mut record.metrics;
        put(m, "sent_bps", offered);
        put(m, "goodput_bps", through);
        put(m, "loss_ratio", 1.0 - through / offered);
        record.duration_ns = test.duration.unwrap_or_default().as_ns();
        let by = if offered <= most {
            "application"
        } else if hosts_bps < narrowest.bps {
            "host_cpu"
        } else {
            place(&narrowest)
        };
        record.limited_by = Some(by.to_owned());
        if offered > narrowest.bps && self.crosses_twice() {
            record.notes.push(
                "the path crosses a full link more than once: above the limit it overtakes itself in the queue and delivers less than this"
                    .to_owned(),
            );
        }
    }

    fn crosses_twice(&self) -> bool {
        let crossings = |port: usize| self.there.iter().filter(|h| h.port == port).count();
        self.there.iter().any(|h| crossings(h.port) > 1)
    }

    fn tcp(&self, test: &Test, tcp: &Tcp, record: &mut Record) {
        let config = self.plan.tcp_config(self.scenario, self.flow, tcp);
        let streams = f64::from(tcp.parallel);
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        let acks = 1.0 / f64::from(config.delayed_ack.every.max(1));
        let narrowest = self.narrowest(config.mss + header, config.mss, acks, header);
        let base = self.rtt(config.mss + header, header);
        let window = whole_segments(&config);
        let window_bps = window as f64 * 8.0 / base.as_secs_f64();
        let loss = self.loss_ratio(config.mss + header, &self.there);
        let loss_bps = loss_limit(&config, base, loss);
        let alone = window_bps.min(loss_bps);
        let hosts_bps = self.hosts_bps(config.mss + header, config.mss, acks, header);
        let steady = (alone * streams).min(narrowest.bps).min(hosts_bps);
        let m = &mut record.metrics;
        // More window than the path holds waits in front of its narrowest place.
        let loaded = if steady < narrowest.bps && steady < hosts_bps {
            base.as_secs_f64()
        } else {
            window as f64 * 8.0 * streams / steady
        };
        put(m, "rtt_min_ns", base.as_ns() as f64);
        if loss_bps.is_infinite() {
            put(
                m,
                "rtt_max_ns",
                (loaded.max(base.as_secs_f64()) * 1e9).round(),
            );
        }
        let ramp = self.ramp(&config, steady / streams, base);
        put(m, "ramp_s", ramp.seconds);
        match (test.duration, config.amount) {
            (None, Some(bytes)) => {
                let seconds = ramp.transfer_s(bytes, steady / streams);
                put(m, "completion_ns", (seconds * 1e9).round());
                put(m, "goodput_bps", bytes as f64 * 8.0 * streams / seconds);
            }
            (duration, _) => {
                let share = ramp.share(test.omit, duration.unwrap_or_default());
                put(m, "goodput_bps", steady * share);
            }
        }
        if self.scripted(test) {
            put(m, "recovery_s", recovery_s(&config, window, base));
        }
        let by = if steady >= narrowest.bps * 0.9999 {
            place(&narrowest)
        } else if steady >= hosts_bps * 0.9999 {
            "host_cpu"
        } else if loss_bps < window_bps {
            "loss"
        } else if config.send_buffer < config.receive_window {
            "send_buffer"
        } else {
            "receive_window"
        };
        record.limited_by = Some(by.to_owned());
    }

    /// Whether a scripted loss names this test.
    fn scripted(&self, test: &Test) -> bool {
        let names =
            |l: &Loss| matches!(l, Loss::Scripted { test: named, .. } if *named == test.name);
        self.scenario
            .links
            .iter()
            .flat_map(|l| &l.directions)
            .any(|d| d.losses.iter().any(names))
    }

    /// Slow start up to `bps`.
    fn ramp(&self, config: &Config, bps: f64, rtt: Duration) -> Ramp {
        let full = bps * rtt.as_secs_f64() / 8.0 / f64::from(config.mss);
        let slow_start = SlowStart {
            full: full.max(1.0),
            initial: f64::from(config.initial_window.max(1)),
            segments_per_ack: segments_per_growth(config),
        };
        let cost = slow_start.cost();
        let rtt_s = rtt.as_secs_f64();
        Ramp {
            seconds: (f64::from(cost.rounds) + 1.5) * rtt_s,
            wasted_s: (cost.wasted_rtts + 1.5) * rtt_s,
            slow_start,
            rtt_s,
            mss: config.mss,
            rtt,
        }
    }
}

/// The start of a transfer: one RTT of handshake, slow start, half an RTT to the receiver.
struct Ramp {
    seconds: f64,
    wasted_s: f64,
    slow_start: SlowStart,
    rtt_s: f64,
    rtt: Duration,
    mss: u32,
}

impl Ramp {
    /// What part of `duration`, measured after `omit`, the full rate is worth. The shortfall of a
    /// start that `omit` cuts is taken to halve every doubling time.
    fn share(&self, omit: Duration, duration: Duration) -> f64 {
        let (omit, duration) = (omit.as_secs_f64(), duration.as_secs_f64());
        if duration <= 0.0 || omit >= self.seconds {
            return 1.0;
        }
        let wasted = if omit <= 0.0 {
            self.wasted_s
        } else {
            self.wasted_s * (1.0 - omit / self.seconds)
        };
        ((duration - wasted) / duration).max(0.0)
    }

    /// SYN to the last byte delivered.
    fn transfer_s(&self, bytes: u64, bps: f64) -> f64 {
        let rate = Rate::from_bps(bps.round() as u64);
        let (size, mss) = (Size::from_bytes(bytes), Size::from_bytes(self.mss.into()));
        let sending = rate.map_or(f64::INFINITY, |r| {
            self.slow_start.transfer_s(size, mss, r, self.rtt)
        });
        1.5 * self.rtt_s + sending
    }
}

fn place(narrowest: &Narrowest) -> &'static str {
    if narrowest.own { "nic" } else { "link" }
}

/// Bytes in flight at most: whole segments only.
fn whole_segments(config: &Config) -> u64 {
    let window = config.receive_window.min(config.send_buffer);
    (window / u64::from(config.mss)).max(1) * u64::from(config.mss)
}

/// Mean share of frames of `wire_bytes` one cause loses.
fn mean_loss(loss: &Loss, wire_bytes: u32) -> f64 {
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
        Loss::BitError(ber) => -libm::expm1(f64::from(wire_bytes) * 8.0 * libm::log1p(-ber)),
    }
}

/// Rate at which random loss holds one connection; infinite without loss.
fn loss_limit(config: &Config, rtt: Duration, loss: f64) -> f64 {
    if loss <= 0.0 {
        return f64::INFINITY;
    }
    let mss = Size::from_bytes(config.mss.into());
    match (config.algorithm, Ratio::new(loss)) {
        (_, None) => 0.0,
        (Algorithm::Cubic, _) => {
            recovery::segments_bps(recovery::cubic_window(loss, rtt.as_secs_f64()), mss, rtt)
        }
        (_, Some(p)) => {
            let constant =
                recovery::mathis_constant(Losses::Random, config.delayed_ack.every.into());
            recovery::mathis_bps(mss, rtt, p, constant)
        }
    }
}

/// From the window cut back to the old window after one loss at a full window: the round trip of
/// the repair, then the algorithm's growth.
fn recovery_s(config: &Config, window: u64, rtt: Duration) -> f64 {
    let segments = window as f64 / f64::from(config.mss);
    let growth = match config.algorithm {
        Algorithm::Cubic => recovery::cubic_s(segments, rtt),
        Algorithm::Reno => segments / 2.0 * rtt.as_secs_f64(),
    };
    rtt.as_secs_f64() + growth
}
