//! From the network at rest to observations, and from these to records.

use std::collections::{BTreeMap, BTreeSet};

use farpath_element::Sampling;
use farpath_observe::merge::{Place, compare_tests};
use farpath_observe::{
    Asker as Asked, Cells, Connection, Datagrams, Limit, Observation, Path, RoundTrips, Sample,
    Stretch, Surroundings, Timers,
};
use farpath_record::{LinkRecord, Origin, Record};
use farpath_scenario::{NodeId, Scenario, Test, buffer_note};
use farpath_tcp::Phase;
use farpath_units::{Duration, Time};
use farpath_wan::Evidence;
use farpath_wire::FlowDir;

use crate::built::Built;
use crate::exchange::Asker;
use crate::host::Way;
use crate::late::Late;
use crate::programs::measured;
use crate::run::Outcome;
use crate::station::Program;
use crate::tcp::{TcpSample, TcpSink, TcpSource};
use crate::udp::{UdpSink, UdpSource};

type Point = BTreeMap<String, String>;

/// One record per test, in file order.
pub fn records(scenario: &Scenario, outcome: &Outcome, point: &Point) -> Vec<Record> {
    let collector = Collector::new(scenario, outcome);
    let tests = scenario.tests.iter().enumerate();
    let mut records: Vec<Record> = tests
        .map(|(number, test)| {
            let mut record = scenario.record(test, Origin::Simulated, point);
            if test.duration.is_none() {
                record.duration_ns = outcome.end.since(test.start).as_ns();
            }
            collector.fill(number, test, &mut record);
            // What has a duration has its intervals.
            if test.kind.tcp().is_some() && test.duration.is_none() {
                let sampling = collector.built.wan.sampling;
                record.notes.extend(outlasted(sampling, outcome.end));
            }
            record
        })
        .collect();
    let plan = &collector.built.wan.plan;
    let place = |n: usize| {
        let path = collector.path(n);
        Place {
            queues_took: path.as_ref().is_some_and(Path::queues_took),
            queue_lost: path.map_or_else(Vec::new, |path| path.queue_lost()),
            ..scenario.place(plan, n)
        }
    };
    let places: Vec<_> = (0..scenario.tests.len()).map(place).collect();
    compare_tests(&places, &mut records);
    records
}

/// Says that a run outlasted its intervals, of which so many are kept.
fn outlasted(sampling: Sampling, end: Time) -> Option<String> {
    let (every, count) = (sampling.every, sampling.count);
    let kept = every.times(count as u64);
    let ran = end.since(Time::ZERO);
    (count > 0 && ran > kept).then(|| {
        format!(
            "the run lasted {ran:.1}, and {count} intervals of {every} are kept: series, means of links and what limits a test are of \
             the first {kept:.1} alone; fewer --intervals are longer"
        )
    })
}

/// Says that frames were under way when a run ended, beside a stream that misses some. What waits for a link at a constant rate is in
/// `frames` twice, so that their number is not said.
fn still_under_way(frames: u64, record: &Record) -> Option<String> {
    let loss = record.metrics.get("loss_ratio").copied();
    (frames > 0 && loss.is_some_and(|loss| loss > 0.0)).then(|| {
        "when the run ended frames were still under way or in queues: those of this test count as lost, and were not dropped"
            .to_owned()
    })
}

struct Collector<'a> {
    scenario: &'a Scenario,
    built: &'a Built,
    evidence: Evidence<'a>,
}

/// What was seen of each test, in file order; `None` of a test that never ran.
pub fn observations(scenario: &Scenario, outcome: &Outcome) -> Vec<Option<Observation>> {
    let collector = Collector::new(scenario, outcome);
    let tests = scenario.tests.iter().enumerate();
    let mut scratch = Record::new(Origin::Simulated, "", "", "", "");
    tests
        .map(|(n, test)| collector.observation(test, &collector.flows(n), &mut scratch))
        .collect()
}

/// What the links saw.
pub fn evidence<'a>(scenario: &'a Scenario, outcome: &'a Outcome) -> Evidence<'a> {
    let built = &outcome.built;
    Evidence::new(scenario, &built.wan, false, |n| {
        (built.port(n), built.dropped_behind(n))
    })
}

impl<'a> Collector<'a> {
    fn new(scenario: &'a Scenario, outcome: &'a Outcome) -> Collector<'a> {
        Collector {
            scenario,
            built: &outcome.built,
            evidence: evidence(scenario, outcome),
        }
    }

    /// The flows of a test that its results are of.
    fn flows(&self, test: usize) -> Vec<usize> {
        let flows = self.built.wan.plan.flows.iter().enumerate();
        let ours = flows.filter(|(_, f)| f.test == test && !f.asks);
        ours.map(|(n, _)| n).collect()
    }

    /// The way of a test's data, of the first of its flows.
    fn path(&self, test: usize) -> Option<Path<'_>> {
        let flow = self.flows(test).into_iter().next()?;
        Some(self.evidence.path(flow))
    }

    fn fill(&self, number: usize, test: &Test, record: &mut Record) {
        let flows = self.flows(number);
        let Some(seen) = self.observation(test, &flows, record) else {
            return;
        };
        let around = |stream: usize| {
            let flow = flows[stream];
            Surroundings {
                path: Some(self.evidence.path(flow)),
                hosts: Some(Box::new(move |from, until| {
                    self.busy(flow, test, (from, until))
                })),
            }
        };
        seen.fill(&test.span(), &around, record);
        let notes = flows
            .iter()
            .flat_map(|flow| self.evidence.path(*flow).notes);
        record.notes.extend(notes);
        let plan = &self.built.wan.plan;
        let note = flows.first().map(|f| plan.hole_note(self.scenario, *f));
        record.notes.extend(note.flatten());
        let note = |f: &usize| buffer_note(self.scenario, plan, *f);
        record.notes.extend(flows.first().and_then(note));
        record.notes.extend(self.given_up(test, &flows));
        record.notes.extend(self.late(&flows).words());
        if test.kind.udp().is_some() {
            record
                .notes
                .extend(still_under_way(self.built.under_way(), record));
        }
    }

    /// What the connections of some flows sent again, and what the links of their data did to the order of frames.
    fn late(&self, flows: &[usize]) -> Late {
        let mut late = Late::default();
        let mut ports = BTreeSet::new();
        for flow in flows {
            let Some((source, sink)) = self.ends(*flow) else {
                continue;
            };
            late.needless += sink.receiver().stats().duplicates;
            late.resent += source.sender().stats().retransmits;
            let dir = FlowDir::forward(*flow as u16);
            let walk = self.built.wan.plan.walk(self.scenario, dir);
            for hop in walk {
                let members = self.built.wan.plan.taking_turns(self.scenario, hop.port);
                late.takes_turns |= !members.is_empty();
                ports.insert(hop.port);
                ports.extend(members);
            }
        }
        for port in ports {
            let realised = &self.built.port(port).counters().realised;
            late.overtaken += realised.order.reordered;
            late.doubled += realised.duplicated;
        }
        late
    }

    /// Says that senders gave up because nobody answered.
    fn given_up(&self, test: &Test, flows: &[usize]) -> Option<String> {
        let ends = flows.iter().filter_map(|flow| self.ends(*flow));
        let gone: Vec<_> = ends
            .filter_map(|(source, sink)| {
                Some((source.sender().gave_up().or(sink.gave_up())?, source))
            })
            .collect();
        let (at, first) = gone.iter().min_by_key(|(at, _)| *at)?;
        let of = match gone.len() {
            1 => String::new(),
            n => format!("{n} of {} connections: ", flows.len()),
        };
        let at = at.since(test.start).as_secs_f64();
        let who = match first.config().called {
            true => "the receiver",
            false => "the sender",
        };
        Some(match first.sender().was_open() {
            true => format!(
                "{of}the sender gave up after {at:.1} s: nobody answered (Linux's tcp_retries2)"
            ),
            false => format!(
                "{of}{who} gave up after {at:.1} s: nobody answered its SYN (Linux's tcp_syn_retries)"
            ),
        })
    }

    fn observation(
        &self,
        test: &Test,
        flows: &[usize],
        record: &mut Record,
    ) -> Option<Observation> {
        let first = *flows.first()?;
        if let Some(seen) = self.probed(first, &mut record.notes) {
            return Some(seen);
        }
        if let Some(udp) = test.kind.udp() {
            let seen = self.datagrams(first, udp.cells.is_some())?;
            return Some(Observation::Datagrams(seen));
        }
        let both = flows.iter().filter_map(|flow| self.ends(*flow));
        if test.kind.flows().is_some() {
            let all = both.map(|(source, sink)| flow(source, sink));
            return Some(Observation::Flows(all.collect()));
        }
        let streams = (0..).zip(both);
        let all = streams.map(|(n, ends)| self.connection((test, n), ends));
        let askers = flows.iter().filter_map(|f| self.asker(*f));
        Some(Observation::Connections(all.collect(), askers.collect()))
    }

    /// What the programs at a flow's ends say of it by themselves.
    fn probed(&self, flow: usize, notes: &mut Vec<String>) -> Option<Observation> {
        let dir = FlowDir::forward(flow as u16);
        let plan = &self.built.wan.plan.flows[flow];
        let name = |node: u32| self.scenario.node_name(NodeId(node as usize));
        let ends = [(plan.source, dir.turned()), (plan.sink, dir)];
        ends.into_iter()
            .find_map(|(node, dir)| match self.program(node, dir)? {
                Program::Prober(prober) => prober.seen(&name, notes),
                _ => None,
            })
    }

    fn program(&self, node: NodeId, dir: FlowDir) -> Option<&'a Program> {
        self.built.station(node.0).program(dir)
    }

    fn asker(&self, flow: usize) -> Option<Asked> {
        let sink = self.built.wan.plan.flows[flow].sink;
        match self.program(sink, FlowDir::forward(flow as u16))? {
            Program::Asker(asker) => Some(asked(asker)),
            _ => None,
        }
    }

    fn ends(&self, flow: usize) -> Option<(&'a TcpSource, &'a TcpSink)> {
        let dir = FlowDir::forward(flow as u16);
        let plan = &self.built.wan.plan.flows[flow];
        let source = self.program(plan.source, dir.turned())?;
        let sink = self.program(plan.sink, dir)?;
        Some((source.tcp_source()?, sink.tcp_sink()?))
    }

    fn datagrams(&self, flow: usize, cells: bool) -> Option<Datagrams> {
        let dir = FlowDir::forward(flow as u16);
        let plan = &self.built.wan.plan.flows[flow];
        let source = self.program(plan.source, dir.turned())?;
        let sink = self.program(plan.sink, dir)?;
        let (Program::UdpSource(source), Program::UdpSink(sink)) = (source, sink) else {
            return None;
        };
        let mut seen = datagrams(source, sink);
        seen.cells = cells.then(|| self::cells(sink));
        seen.lost_on(&self.evidence.path(flow));
        Some(seen)
    }

    fn connection(
        &self,
        (test, stream): (&Test, u32),
        (source, sink): (&TcpSource, &TcpSink),
    ) -> Connection {
        let stats = source.sender().stats();
        let finished = sink.finished();
        let paces_by_model = source.config().tcp.algorithm.paces_by_model();
        // Such a window is not cut by a loss.
        let loss = source.sender().last_loss().filter(|_| !paces_by_model);
        let first = source.sender().first_loss();
        let recovery = loss.and_then(|loss| Some(loss.regained?.since(loss.at)));
        let rtt = &source.rtt;
        let mut seen = Connection {
            opened: source.config().start,
            established: source.config().start,
            begun: sink.first,
            finished,
            delivered: sink.receiver().delivered(),
            measured: sink.measured_bytes(),
            carried_in: sink.carried_in(),
            lasted: Some(finished.since(source.config().start)),
            // What goes on until its time is over has come to its end with the last byte sent.
            whole: test.kind.whole(stream).or(Some(source.sender().nxt())),
            until_clock: test.kind.writes_until_clock(),
            paces_by_model,
            pace: source.config().tcp.pacing.and_then(|p| p.most),
            still_stores: !sink.is_stored(),
            retransmits: Some(stats.retransmits),
            rtos: Some(stats.rtos),
            cwnd_max: Some(source.cwnd_max),
            pauses: Some(source.silence.all()),
            timeouts: source.silence.timeouts(),
            rtt: (rtt.count > 0).then(|| RoundTrips {
                min_ns: rtt.min.as_ns() as f64,
                avg_ns: rtt.mean_s() * 1e9,
                max_ns: rtt.max.as_ns() as f64,
                smoothed: false,
            }),
            recovery,
            cut: loss.map(|l| l.at),
            unregained: loss.filter(|l| l.regained.is_none()).map(|l| l.at),
            cut_from: loss
                .filter(|loss| Some(loss.at) == first && loss.cuts == 1)
                .map(|loss| loss.cwnd_before),
            first_cut: first.filter(|_| !paces_by_model),
            steps: sink.steps.iter().flat_map(|s| s.each()).collect(),
            ..Connection::default()
        };
        self.over_time(test, source, sink, &mut seen);
        seen
    }

    /// What changes from interval to interval: samples, bytes delivered, the sender's account.
    fn over_time(&self, test: &Test, source: &TcpSource, sink: &TcpSink, seen: &mut Connection) {
        let every = self.built.wan.sampling.every;
        seen.every = every;
        let (_, until) = measured(test);
        let answered = answered(test, seen);
        let accounted = answered.map_or(until, |end| end.min(until));
        let end = |n: usize| Time::ZERO + every.times(n as u64 + 1);
        let mut before = farpath_tcp::Shares::default();
        let mut timers = Vec::with_capacity(source.samples.len());
        for (n, sample) in source.samples.iter().enumerate() {
            let spent = sample.limited.between(&before, source.ended.as_ref());
            before = sample.limited;
            let (from, t) = (Time::ZERO + every.times(n as u64), end(n));
            let mut stretch = Stretch::new(from, t);
            let late_s = answered.map_or(0.0, |end| t.since(end.min(t)).as_secs_f64());
            for (own, limit) in LIMITS {
                let late_s = if limit == Limit::Application {
                    late_s
                } else {
                    0.0
                };
                stretch.add(limit, spent.spent(own).as_secs_f64() - late_s);
            }
            stretch.set_idle(spent.idle().as_secs_f64() - late_s);
            // Behind the measured time nothing limits it any more.
            if from < accounted {
                seen.account.push(stretch);
            }
            let whole = sample
                .limited
                .between(&farpath_tcp::Shares::default(), source.ended.as_ref());
            timers.push((spent.total() > Duration::ZERO).then(|| as_kernel(sample, &whole)));
        }
        let mut delivered = 0;
        for (n, (sample, bytes)) in source.samples.iter().zip(&sink.samples).enumerate() {
            let (from, t) = (Time::ZERO + every.times(n as u64), end(n));
            if t <= test.start {
                continue;
            }
            if from >= until {
                break;
            }
            seen.intervals.push((t, bytes - delivered));
            delivered = *bytes;
            if t <= seen.opened {
                continue;
            }
            seen.samples.push(Sample {
                t,
                cwnd: Some(sample.cwnd),
                ssthresh: sample.ssthresh,
                in_flight: Some(sample.in_flight),
                srtt: sample.srtt,
                resent: Some(sample.retransmits),
                loss_events: Some(sample.loss_events),
                timers: timers[n],
            });
        }
    }

    /// What of a flow's hosts had hardly a pause between two ends of intervals.
    fn busy(&self, flow: usize, test: &Test, (from, until): (Time, Time)) -> Option<Limit> {
        let every = self.built.wan.sampling.every;
        let number = |t: Time| (t.as_ps() / every.as_ps()) as usize;
        let of = number(from)..number(until);
        let flow = &self.built.wan.plan.flows[flow];
        let host = |node: NodeId| self.built.station(node.0).host();
        let busy = |node| host(node).was_busy(of.clone(), every);
        let disk = |node, way| host(node).was_disk_busy(way, of.clone(), every);
        if busy(flow.source) || busy(flow.sink) {
            return Some(Limit::HostCpu);
        }
        let disks = test.kind.exchange(0).is_some_and(|e| e.disks);
        let disks = disks && (disk(flow.source, Way::Read) || disk(flow.sink, Way::Write));
        disks.then_some(Limit::Disk)
    }
}

/// When the last answer of a connection came, of requests that are counted: who answers does not know that nothing more is asked, and has
/// nothing to send from then on. `None` where a clock ends the test, or answers are missing.
fn answered(test: &Test, seen: &Connection) -> Option<Time> {
    let counted = test.kind.exchange(0).is_some() && test.duration.is_none();
    let is_whole = |whole: &u64| *whole > 0 && seen.delivered >= *whole;
    seen.whole
        .filter(|whole| counted && is_whole(whole))
        .map(|_| seen.finished)
}

/// What a sender accounts for, by itself and with its host's help, in the words of every origin.
const LIMITS: [(farpath_tcp::Limit, Limit); 10] = [
    (farpath_tcp::Limit::Application, Limit::Application),
    (farpath_tcp::Limit::SendBuffer, Limit::SendBuffer),
    (farpath_tcp::Limit::ReceiveWindow, Limit::ReceiveWindow),
    (farpath_tcp::Limit::CwndSlowStart, Limit::CwndSlowStart),
    (farpath_tcp::Limit::CwndRecovery, Limit::CwndRecovery),
    (farpath_tcp::Limit::Loss, Limit::Loss),
    (farpath_tcp::Limit::Nic, Limit::Nic),
    (farpath_tcp::Limit::HostCpu, Limit::HostCpu),
    (farpath_tcp::Limit::Disk, Limit::Disk),
    (farpath_tcp::Limit::Pacing, Limit::Pacing),
];

/// What a kernel's timers would say where the sender's account says this (`struct tcp_info`).
fn as_kernel(sample: &TcpSample, account: &farpath_tcp::Shares) -> Timers {
    let spent = |limit| account.spent(limit);
    Timers {
        state: match sample.phase {
            Some(Phase::Recovery) => 3,
            Some(Phase::Loss) => 4,
            _ => 0,
        },
        busy: account.total().saturating_sub(account.idle()),
        receive_window: spent(farpath_tcp::Limit::ReceiveWindow),
        send_buffer: spent(farpath_tcp::Limit::SendBuffer),
        ..Timers::default()
    }
}

fn datagrams(source: &UdpSource, sink: &UdpSink) -> Datagrams {
    Datagrams {
        sent: Some(source.measured),
        payload: source.payload(),
        received: Some(sink.received),
        bytes: sink.bytes,
        total_bytes: sink.total_bytes,
        reordered: Some(sink.reordered),
        duplicates: sink.duplicates,
        jitter_ns: Some(sink.jitter_ns),
        missing: sink.missing.series(),
        was_held: source.was_held,
        ..Datagrams::default()
    }
}

fn cells(sink: &UdpSink) -> Cells {
    let seen = sink.seen();
    let meter = sink.meter.as_ref().filter(|_| seen > 0);
    let (least, most) = sink.transit_range_ns;
    Cells {
        conforming_ratio: meter.map(|(_, outside)| 1.0 - *outside as f64 / seen as f64),
        variation_ns: (most >= least).then(|| (most - least) as f64),
    }
}

/// One of many flows.
fn flow(source: &TcpSource, sink: &TcpSink) -> Connection {
    let stats = source.sender().stats();
    Connection {
        opened: source.config().start,
        finished: sink.last,
        written: source.config().tcp.amount,
        delivered: sink.receiver().delivered(),
        measured: sink.measured_bytes(),
        retransmits: Some(stats.retransmits),
        rtos: Some(stats.rtos),
        ..Connection::default()
    }
}

fn asked(asker: &Asker) -> Asked {
    Asked {
        measured: asker.measured,
        response: asker.response,
        times: asker.times.clone(),
        last: asker.last,
    }
}

/// Both directions of every link.
pub fn links(scenario: &Scenario, outcome: &Outcome, point: &Point) -> Vec<LinkRecord> {
    let built = &outcome.built;
    let ports = 0..built.port_count();
    let record = |number| {
        let mut record = farpath_wan::link(
            scenario,
            &built.wan,
            number,
            (built.port(number), &built.dropped_behind(number)),
            outcome.end,
        );
        record.origin = Origin::Simulated;
        record.point.clone_from(point);
        record
    };
    ports.map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_outlasts_its_intervals_says_so() {
        let sampling = Sampling {
            every: Duration::from_ms(1),
            count: 200,
        };
        let after = |ms| outlasted(sampling, Time::ZERO + Duration::from_ms(ms));
        assert_eq!(after(200), None);
        let note = after(201).expect("a note");
        assert!(note.contains("200 intervals of 1 ms"), "{note}");
        assert_eq!(outlasted(Sampling::OFF, Time::MAX), None);
    }

    #[test]
    fn what_is_under_way_at_the_end_is_not_said_to_be_dropped() {
        let mut record = Record::new(Origin::Simulated, "u", "udp", "a", "b");
        record.set("loss_ratio", 0.0);
        assert_eq!(still_under_way(7, &record), None);
        record.set("loss_ratio", 0.1);
        assert_eq!(still_under_way(0, &record), None);
        let note = still_under_way(7, &record).expect("a note");
        assert!(note.contains("still under way"), "{note}");
    }
}
