//! One run: build, advance with events, taps and progress, and let it come to rest.

use farpath_element::{Change as PortChange, Mode, Sampling, Tapped};
use farpath_scenario::plan::{Flow, Plan, PlanError, port_of};
use farpath_scenario::{Event, Scenario};
use farpath_units::{Duration, Size, Time};
use farpath_wire::FlowDir;

use crate::built::{Built, Keep};
use crate::host::Host;
use crate::rest::Rest;
use crate::station::Program;

/// Takes frames of tapped ports, in order of time.
pub type TapSink<'a> = dyn FnMut(&Scenario, &Built, &[(usize, Tapped)]) + 'a;

/// How a run is made.
pub struct Options<'a> {
    /// Windowed, or event by event.
    pub mode: Mode,
    /// The seed.
    pub seed: u64,
    /// Most intervals the nominal length of the run is divided into for series.
    pub intervals: u64,
    /// What is kept.
    pub keep: Keep,
    /// Called now and then with how far the run is; returning `false` stops it.
    pub progress: &'a mut dyn FnMut(Progress) -> bool,
    /// Given the frames of tapped ports in order of time.
    pub tap: &'a mut TapSink<'a>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Everything earlier has happened.
    pub now: Time,
    /// Where the run is expected to end.
    pub end: Time,
    /// Frames that crossed a channel so far.
    pub hops: u64,
}

/// Why a run did not finish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The caller asked to stop.
    #[error("interrupted at {now:.1} of virtual time")]
    Interrupted {
        /// How far the run was.
        now: Time,
    },
}

/// A network at the end of its run.
pub struct Outcome {
    /// The network with everything in it.
    pub built: Built,
    /// The instant the run ended.
    pub end: Time,
}

/// The window of the windowed mode: measured best between 1 and 5 ms, where an interval's frames
/// stay in the cache.
pub const WINDOW: Duration = Duration::from_ms(5);

/// A transfer without duration is given up after this much virtual time.
const LONGEST: Duration = Duration::from_secs(48 * 3600);

/// How often tapped frames are handed on: 16 MB of them wait, of 1500 bytes at 100 Gbit/s.
const TAPPED_STEP: Duration = Duration::from_ms(50);

/// What may still be under way when every test has ended: retransmission timers included.
const SETTLE: Duration = Duration::from_secs(5);

/// Runs `scenario` once.
pub fn run(scenario: &Scenario, options: Options<'_>) -> Result<Outcome, RunError> {
    let plan = Plan::new(scenario)?;
    let nominal = nominal_end(scenario, &plan);
    let sampling = sampling(nominal, options.intervals);
    let built = Built::new(scenario, plan, options.seed, sampling, options.keep);
    let mut run = Running {
        scenario,
        built,
        options,
        nominal,
        pending: Vec::new(),
    };
    let end = run.run_to_rest()?;
    let mut built = run.built;
    for port in 0..built.port_count() {
        built.port_mut(port).finish(end);
    }
    for node in 0..scenario.node_count() {
        built.station_mut(node).finish(end);
    }
    Ok(Outcome { built, end })
}

/// Series intervals: the next round number of microseconds from `end / intervals` on, 1, 2 or 5 times a power of ten. There are
/// `intervals` of them at most, and two fifths of that at least.
pub fn sampling(end: Time, intervals: u64) -> Sampling {
    if intervals == 0 {
        return Sampling::OFF;
    }
    let wanted = (end.as_ps() / intervals).max(1_000_000);
    let mut step = 1_000_000_u64;
    while step.saturating_mul(10) <= wanted {
        step *= 10;
    }
    let every = [1, 2, 5, 10]
        .map(|k| step * k)
        .into_iter()
        .find(|s| *s >= wanted)
        .unwrap_or(step * 10);
    Sampling {
        every: Duration::from_ps(every),
        count: 200_000,
    }
}

/// When the last test should have ended.
pub fn nominal_end(scenario: &Scenario, plan: &Plan) -> Time {
    let flows = || plan.flows.iter().enumerate().filter(|(_, f)| !f.asks);
    let work = |flow: &Flow| {
        let test = &scenario.tests[flow.test];
        test.kind
            .work(flow.stream)
            .filter(|_| test.duration.is_none())
    };
    // The connections of a test share its way.
    let mut of_test = vec![0_u64; scenario.tests.len()];
    for (_, flow) in flows() {
        let bytes = work(flow).map_or(0, |work| work.bytes.as_bytes());
        of_test[flow.test] = of_test[flow.test].saturating_add(bytes);
    }
    let mut end = Time::ZERO;
    for (number, flow) in flows() {
        let test = &scenario.tests[flow.test];
        let rtt = base_rtt(scenario, plan, number);
        // Disks and processors may take longer than the slowest link: the run goes on until all is done.
        let long = match work(flow) {
            Some(work) => {
                let hops = plan.walk(scenario, FlowDir::forward(number as u16));
                let slowest = hops.iter().map(|h| plan.ports[h.port].rate).min();
                let bytes = Size::from_bytes(of_test[flow.test]);
                let sending = slowest.map_or(Duration::ZERO, |rate| rate.time_for(bytes));
                sending + work.pauses + rtt.times(work.rounds)
            }
            None => test.omit + test.duration.unwrap_or_default() + rtt,
        };
        end = end.max(test.start_of(flow.stream) + long);
    }
    let last_event = scenario.events.last().map_or(Time::ZERO, |e| e.at.next());
    end.max(last_event).max(Time::from_ps(1))
}

fn base_rtt(scenario: &Scenario, plan: &Plan, flow: usize) -> Duration {
    let dir = FlowDir::forward(flow as u16);
    plan.propagation(scenario, &plan.walk(scenario, dir))
        + plan.propagation(scenario, &plan.walk(scenario, dir.turned()))
}

struct Running<'a, 'o> {
    scenario: &'a Scenario,
    built: Built,
    options: Options<'o>,
    nominal: Time,
    /// Tapped frames not yet handed on, by port.
    pending: Vec<(usize, Tapped)>,
}

impl Running<'_, '_> {
    /// Runs until every test has ended and nothing is under way.
    fn run_to_rest(&mut self) -> Result<Time, RunError> {
        let slice =
            Duration::from_ps((self.nominal.as_ps() / 200).clamp(100_000_000, 1_000_000_000_000));
        let events = self.scenario.events.clone();
        let mut next_event = 0;
        let mut rest: Option<Rest> = None;
        loop {
            let now = self.built.network.now();
            if now >= self.nominal && next_event == events.len() {
                let under_way = self.under_way(now);
                let at_rest = under_way == 0 && self.is_done(now);
                let rest = rest.get_or_insert(self.rest(now));
                if at_rest || rest.is_over(now, under_way) {
                    self.hand_on(Time::MAX, now);
                    return Ok(now);
                }
            }
            let mut until = now + slice;
            if now < self.nominal {
                until = until.min(self.nominal);
            }
            if let Some(event) = events.get(next_event) {
                until = until.min(event.at.max(now));
            }
            self.advance(until);
            while events.get(next_event).is_some_and(|e| e.at <= until) {
                self.apply(&events[next_event]);
                next_event += 1;
            }
            self.report(until)?;
        }
    }

    /// Runs until `until`; with taps in steps, because tapped frames wait in memory for the end of one.
    fn advance(&mut self, until: Time) {
        let step = if self.options.keep.copies() {
            TAPPED_STEP
        } else {
            Duration::MAX
        };
        while self.built.network.now() < until {
            let now = (self.built.network.now() + step).min(until);
            self.built.network.run(now, self.options.mode);
            self.drain_taps();
            self.hand_on(now, now);
        }
    }

    /// How long after the nominal end the run may go on.
    fn rest(&self, now: Time) -> Rest {
        let tests = || self.scenario.tests.iter();
        let unbounded = tests().any(|t| t.duration.is_none() && t.kind.tcp().is_some());
        let longest = (0..self.built.port_count())
            .map(|p| self.built.wan.longest_rtt(p))
            .max();
        let waits = tests().map(|t| t.kind.periodic().map_or(SETTLE, |all| all.timeout));
        let wait = match unbounded {
            true => LONGEST,
            false => longest.unwrap_or_default().times(4) + waits.max().unwrap_or_default(),
        };
        let drains = tests().any(|t| t.kind.udp().is_some());
        Rest::new(now, wait, drains, LONGEST.max(wait))
    }

    /// How many frames are under way or in queues.
    fn under_way(&mut self, now: Time) -> u64 {
        for port in 0..self.built.port_count() {
            self.built.port_mut(port).catch_up(now);
        }
        self.built.under_way()
    }

    /// Whether programs and hosts have nothing left to do.
    fn is_done(&self, now: Time) -> bool {
        let busy = |p: &Program| match p {
            Program::Prober(p) => !p.is_done(now),
            // It waits for an answer that nobody will give, its peer having given up.
            p if p.deadline() == Time::MAX => false,
            Program::TcpSource(s) => !s.complete(),
            Program::UdpSource(s) => !s.done(),
            Program::Asker(a) => !a.done(now),
            Program::Answerer(a) => !a.done(),
            Program::TcpSink(s) => s.is_dialling(now),
            Program::UdpSink(_) => false,
        };
        let programs =
            (0..self.scenario.node_count()).flat_map(|n| self.built.station(n).programs());
        let over = !programs.into_iter().any(busy);
        let mut stations = (0..self.scenario.node_count()).map(|n| self.built.station(n));
        let idle = stations.all(|s| s.host().is_idle());
        idle && over
    }

    fn report(&mut self, now: Time) -> Result<(), RunError> {
        let progress = Progress {
            now,
            end: self.nominal.max(now),
            hops: self.built.network.hops(),
        };
        if (self.options.progress)(progress) {
            return Ok(());
        }
        Err(RunError::Interrupted { now })
    }

    fn apply(&mut self, event: &Event) {
        for way in &event.ways {
            let port = port_of(event.link, *way);
            let change = self.built.wan.change(self.scenario, event, port);
            match change {
                PortChange::Rate(rate) => {
                    self.tell_host(port, |h, now, n| h.set_rate(now, n, rate))
                }
                PortChange::Limit(limit) => {
                    self.tell_host(port, |h, now, n| h.set_limit(now, n, limit))
                }
                _ => {}
            }
            self.built.port_mut(port).apply(change);
            self.built.renew_lookahead(port);
        }
    }

    /// The stack of the host that sends on `port` follows a change of its interface.
    fn tell_host(&mut self, port: usize, tell: impl FnOnce(&mut Host, Time, usize)) {
        let from = self.built.wan.plan.ports[port].from.0;
        let now = self.built.network.now();
        let outputs = &self.built.wan.plan.nodes[from].ports;
        if from < self.scenario.hosts.len()
            && let Some(output) = outputs.iter().position(|p| *p == port)
        {
            let station = self.built.station_mut(from);
            tell(station.host_mut(), now, output);
            station.renew();
        }
    }

    fn drain_taps(&mut self) {
        if !self.options.keep.copies() {
            return;
        }
        for port in 0..self.built.port_count() {
            let frames = self.built.port_mut(port).take_tapped();
            self.pending.extend(frames.into_iter().map(|f| (port, f)));
        }
    }

    /// Hands on what was on a wire before `before`; at the end, drops what never got there.
    fn hand_on(&mut self, before: Time, end: Time) {
        if self.pending.is_empty() {
            return;
        }
        self.pending
            .sort_by_key(|(port, tapped)| (tapped.frame.at, *port));
        let ready = self
            .pending
            .partition_point(|(_, tapped)| tapped.frame.at < before.min(end));
        let rest = self.pending.split_off(ready);
        (self.options.tap)(self.scenario, &self.built, &self.pending);
        self.pending = rest;
    }
}
