//! From what both ends of every flow reported to observations, and from these to records.

mod foreign;
mod taken;

use std::collections::BTreeMap;
use std::net::IpAddr;

use farpath_observe::merge::{Place, compare_tests};
use farpath_observe::{
    Asker, Connection, Datagrams, Observation, Packets, Path, Refusal, RoundTrips, Sample,
    Surroundings, Timers, answers, between_clocks, count_loss_events, recovery, too_late,
    unregained,
};
use farpath_record::{Origin, Record};
use farpath_scenario::plan::Plan;
use farpath_scenario::{NodeId, Periodic, Scenario, Test, Tool, buffer_note};
use farpath_units::{Duration, Time};

use crate::planned::Planned;
use crate::unset;
use farpath_probe::Results;
use farpath_probe::report::{
    AskReport, PingReport, Report, TcpReceiveReport, TcpSendReport, UdpReceiveReport, UdpSendReport,
};

/// The links that the data of a flow cross, where they are known.
pub type Paths<'f, 'p> = &'f dyn Fn(usize) -> Option<Path<'p>>;

/// One record for every test that was run, in file order.
pub fn records(
    scenario: &Scenario,
    plan: &Plan,
    (planned, results): (&Planned, &Results),
    origin: Origin,
    point: &BTreeMap<String, String>,
    paths: Paths<'_, '_>,
) -> Vec<Record> {
    let collector = Collector {
        scenario,
        plan,
        planned,
        results,
        paths,
    };
    let run = |n: &usize| !planned.skipped.contains_key(n);
    let numbers: Vec<usize> = (0..scenario.tests.len()).filter(run).collect();
    let record = |n: &usize| {
        let test = &scenario.tests[*n];
        let mut record = scenario.record(test, origin, point);
        collector.fill(*n, test, &mut record);
        record
    };
    let mut records: Vec<Record> = numbers.iter().map(record).collect();
    let place = |n: &usize| Place {
        queues_took: collector.queues_took(*n),
        ..scenario.place(plan, *n)
    };
    let places: Vec<_> = numbers.iter().map(place).collect();
    compare_tests(&places, &mut records);
    records
}

pub(crate) struct Collector<'a, 'p> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    planned: &'a Planned,
    results: &'a Results,
    paths: Paths<'a, 'p>,
}

/// What was seen, when it was over, and what a reader must know.
pub(crate) struct Seen {
    pub(crate) observation: Observation,
    pub(crate) last: Option<Time>,
    pub(crate) notes: Vec<String>,
}

/// Both ends of a connection.
type Ends<'a> = (&'a TcpSendReport, &'a TcpReceiveReport);

impl Collector<'_, '_> {
    /// The flows of a test that its results are of.
    fn flows_of(&self, test: usize) -> Vec<usize> {
        let flows = self.plan.flows.iter().enumerate();
        let ours = flows.filter(|(_, f)| f.test == test && !f.asks);
        ours.map(|(n, _)| n).collect()
    }

    /// The flows that the streams of a test's record are of: those of which both ends reported. Of a test of which no connection is known, all.
    fn connected(&self, flows: &[usize]) -> Vec<usize> {
        let both = flows.iter().filter(|flow| self.ends(**flow).is_some());
        let both: Vec<usize> = both.copied().collect();
        match both.is_empty() {
            true => flows.to_vec(),
            false => both,
        }
    }

    /// Whether queues took most of what was dropped on the way of a test's data, where that is known.
    fn queues_took(&self, test: usize) -> bool {
        let paths = self.flows_of(test).into_iter().filter_map(self.paths);
        paths.take(1).any(|path| path.queues_took())
    }

    fn fill(&self, number: usize, test: &Test, record: &mut Record) {
        record.notes.extend(
            self.planned
                .notes
                .get(&number)
                .into_iter()
                .flatten()
                .cloned(),
        );
        let flows = self.flows_of(number);
        if let Some(seen) = self.seen(test, &flows) {
            let streams = self.connected(&flows);
            let around = |stream: usize| Surroundings {
                path: streams.get(stream).and_then(|flow| (self.paths)(*flow)),
                hosts: None,
            };
            seen.observation.fill(&test.span(), &around, record);
            let paths = flows.iter().filter_map(|flow| (self.paths)(*flow));
            record.notes.extend(paths.flat_map(|path| path.notes));
            record.notes.extend(seen.notes);
            if let (None, Some(last)) = (test.duration, seen.last) {
                record.duration_ns = last.since(test.start).as_ns();
            }
        }
        let taken = self.taken(test, &flows);
        let sender = self.scenario.node_name(test.data_ends().0);
        record.notes.extend(unset::rack(test, sender, &taken));
        record.taken = Some(taken);
        let note = flows
            .first()
            .map(|f| self.plan.hole_note(self.scenario, *f));
        record.notes.extend(note.flatten());
        let note = |f: &usize| buffer_note(self.scenario, self.plan, *f);
        record.notes.extend(flows.first().and_then(note));
        record.route = flows.first().and_then(|flow| self.route(test, *flow));
        self.doubt(test, record);
        self.note_faults(&flows, record);
        let mut kept = Vec::new();
        record.notes.retain(|note| {
            let new = !kept.contains(note);
            kept.push(note.clone());
            new
        });
    }

    /// What the clocks of both ends leave open of times between them.
    fn doubt(&self, test: &Test, record: &mut Record) {
        // Who begins and who reads are one program where data comes back, and of iperf3's its client tells everything.
        if test.data_ends() != (test.from, test.to) || test.tool == Tool::Iperf3 {
            return;
        }
        let taken = record.taken.as_ref();
        let error = taken.and_then(|taken| taken.clock_error_ns);
        between_clocks(record, Duration::from_ns(error.unwrap_or(0)));
    }

    fn note_faults(&self, flows: &[usize], record: &mut Record) {
        let faults = self.results.faults.iter();
        let ours = faults.filter(|(flow, _)| flow.is_none_or(|f| flows.contains(&f)));
        for (flow, fault) in ours {
            record.valid = false;
            let stream = flow.and_then(|f| flows.iter().position(|n| *n == f));
            record.notes.push(match stream {
                Some(stream) if flows.len() > 1 => format!("stream {stream}: {fault}"),
                _ => fault.clone(),
            });
        }
    }

    fn seen(&self, test: &Test, flows: &[usize]) -> Option<Seen> {
        if test.tool == Tool::Iperf3 {
            let reports = self.each(flows, |report| match report {
                Report::Iperf3(report) => Some(report),
                _ => None,
            });
            return foreign::seen(&reports, test);
        }
        self.seen_of(test, flows)
    }

    pub(crate) fn find<T>(&self, flow: usize, of: impl Fn(&Report) -> Option<T>) -> Option<T> {
        self.results.reports.get(&flow)?.iter().find_map(of)
    }

    fn each<'r, T>(&'r self, flows: &[usize], of: fn(&'r Report) -> Option<T>) -> Vec<T> {
        let reports = flows.iter().filter_map(|f| self.results.reports.get(f));
        reports.filter_map(|all| all.iter().find_map(of)).collect()
    }

    /// Connections that come and go.
    pub(crate) fn flows(&self, flows: &[usize]) -> Seen {
        let all = flows.iter().filter_map(|f| self.ends(*f));
        let all: Vec<Connection> = all.map(one_of_many).collect();
        Seen {
            last: all.iter().map(|c| c.finished).max(),
            observation: Observation::Flows(all),
            notes: Vec::new(),
        }
    }

    fn ends(&self, flow: usize) -> Option<Ends<'_>> {
        let all = self.results.reports.get(&flow)?;
        let source = all.iter().find_map(|report| match report {
            Report::TcpSend(report) | Report::Answer(report) => Some(report),
            _ => None,
        })?;
        let sink = all.iter().find_map(|report| match report {
            Report::TcpReceive(report) => Some(report),
            Report::Ask(report) => Some(&report.received),
            _ => None,
        })?;
        Some((source, sink))
    }

    /// Whose address this is.
    fn name_of(&self, address: IpAddr) -> Option<&str> {
        let mut all = self.planned.addresses.iter();
        let node = all.position(|both| both.contains(&address))?;
        Some(self.scenario.node_name(NodeId(node)))
    }

    /// The node that answered a ping with an error, or its address.
    fn answered_by(&self, error: &farpath_probe::report::PingError) -> String {
        let Some(address) = error.by else {
            return "?".to_owned();
        };
        let name = self.name_of(address).map(str::to_owned);
        name.unwrap_or_else(|| address.to_string())
    }

    pub(crate) fn ping(&self, report: &PingReport, all: &Periodic) -> Seen {
        let reply = |(sent, rtt): &(u64, u64)| (at(*sent), Duration::from_ns(*rtt));
        let mut replies: Vec<(Time, Duration)> = report.replies.iter().map(reply).collect();
        // In the order of the requests: an instant of the series never lies before the last.
        replies.sort_unstable();
        let by = |e: &_| self.answered_by(e);
        let by: Vec<String> = report.errors.iter().map(by).collect();
        let error =
            |(e, by): (&farpath_probe::report::PingError, _)| (e.request, by, refusal(e.error));
        let named = by.iter().map(String::as_str);
        let errors: Vec<_> = report.errors.iter().zip(named).map(error).collect();
        let late = too_late("answers", report.late, report.sent, all.timeout);
        let answered = answers(&errors).into_iter().chain(late);
        Seen {
            last: replies.iter().map(|(sent, rtt)| *sent + *rtt).max(),
            notes: answered.chain(report.notes.iter().cloned()).collect(),
            observation: Observation::Packets(Packets {
                timed: "rtt",
                sent: report.sent,
                arrived: replies,
                duplicates: report.duplicates,
                exceeded: Vec::new(),
            }),
        }
    }

    pub(crate) fn datagrams(&self, flow: usize, payload: u32) -> Option<Seen> {
        let all = self.results.reports.get(&flow)?;
        let source = all.iter().find_map(|report| match report {
            Report::UdpSend(report) => Some(report),
            _ => None,
        })?;
        let sink = all.iter().find_map(|report| match report {
            Report::UdpReceive(report) => Some(report),
            _ => None,
        })?;
        let mut seen = datagrams(source, sink, payload);
        if let Some(path) = (self.paths)(flow) {
            seen.lost_on(&path);
        }
        let mut notes = [&source.notes[..], &sink.notes].concat();
        if source.late_max_ns > LATE_NS {
            notes.push(format!(
                "a datagram left {:.1} ms after it was due",
                source.late_max_ns as f64 * 1e-6
            ));
        }
        Some(Seen {
            observation: Observation::Datagrams(seen),
            last: None,
            notes,
        })
    }

    pub(crate) fn connections(&self, test: &Test, flows: &[usize]) -> Option<Seen> {
        // What is asked of a connection goes by its number among all.
        let numbered = (0..).zip(flows);
        let all = numbered.filter_map(|(n, f)| Some((n, self.ends(*f)?)));
        let all: Vec<(u32, Ends<'_>)> = all.collect();
        if all.is_empty() {
            return None;
        }
        let notes = all
            .iter()
            .flat_map(|(_, (source, sink))| [&source.notes, &sink.notes]);
        let askers = self.each(flows, |report| match report {
            Report::Ask(report) => Some(asker(report)),
            _ => None,
        });
        let seen = all.iter().map(|(n, ends)| connection(*ends, (test, *n)));
        let seen: Vec<Connection> = seen.collect();
        let last = all.iter().map(|(_, (_, sink))| at(sink.last_ns)).max();
        Some(Seen {
            last,
            notes: notes.flatten().cloned().collect(),
            observation: Observation::Connections(seen, askers),
        })
    }
}

pub(crate) fn at(ns: u64) -> Time {
    Time::ZERO + Duration::from_ns(ns)
}

/// Later than this is worth a note.
const LATE_NS: u64 = 1_000_000;

fn datagrams(source: &UdpSendReport, sink: &UdpReceiveReport, payload: u32) -> Datagrams {
    Datagrams {
        sent: Some(source.measured),
        payload,
        received: Some(sink.received),
        bytes: sink.bytes,
        total_bytes: sink.total_bytes,
        reordered: Some(sink.reordered),
        duplicates: sink.duplicates,
        jitter_ns: Some(sink.jitter_ns),
        missing: sink.missing.clone(),
        ..Datagrams::default()
    }
}

fn asker(report: &AskReport) -> Asker {
    Asker {
        measured: report.measured,
        response: report.response_ns.map(Duration::from_ns),
        times: report
            .times_ns
            .iter()
            .copied()
            .map(Duration::from_ns)
            .collect(),
        last: at(report.last_answer_ns),
    }
}

/// One of many flows.
fn one_of_many((source, sink): Ends<'_>) -> Connection {
    Connection {
        opened: at(source.opened_ns.min(sink.opened_ns)),
        finished: at(sink.last_ns),
        written: Some(source.written),
        delivered: sink.bytes,
        measured: sink.measured,
        retransmits: Some(source.retransmits),
        rtos: source.rtos,
        ..Connection::default()
    }
}

fn connection((source, sink): Ends<'_>, (test, stream): (&Test, u32)) -> Connection {
    let mut samples: Vec<Sample> = source.samples.iter().map(sample).collect();
    count_loss_events(&mut samples);
    let first_cut = samples
        .iter()
        .find(|s| s.loss_events > Some(0))
        .map(|s| s.t);
    let one = one_of_many((source, sink));
    let until = test.duration.map(|d| test.start + test.omit + d);
    let every = Duration::from_ns(sink.every_ns);
    let end = |n: usize| test.start + every.times(n as u64 + 1);
    // Such a window is not cut by a loss.
    let paces_by_model = test.kind.tcp().is_some_and(|tcp| tcp.cc.paces_by_model());
    let pacing = test.kind.tcp().and_then(|tcp| tcp.cc.pacing);
    let delivered = sink.delivered.iter().enumerate();
    let intervals = delivered
        .map(|(n, bytes)| (end(n), *bytes))
        .take_while(|(t, _)| until.is_none_or(|until| *t <= until));
    Connection {
        established: at(source.established_ns),
        always_writes: test.kind.writes_until_clock(),
        lasted: Some(one.finished.since(one.opened)),
        // What goes on until its time is over has come to its end with the last byte written.
        whole: test.kind.whole(stream).or(Some(source.written)),
        until_clock: test.kind.writes_until_clock(),
        paces_by_model,
        pace: pacing.and_then(|p| p.most),
        cwnd_max: samples.iter().filter_map(|s| s.cwnd).max(),
        rtt: RoundTrips::of_samples(&samples, source.rtt_min_ns.map(Duration::from_ns)),
        recovery: recovery(&samples).filter(|_| !paces_by_model),
        unregained: unregained(&samples).filter(|_| !paces_by_model),
        first_cut: first_cut.filter(|_| !paces_by_model),
        every,
        intervals: intervals.collect(),
        reader_cpu: sink
            .cpu_ns
            .iter()
            .map(|ns| Duration::from_ns(*ns))
            .collect(),
        samples,
        ..one
    }
}

/// A kernel's sample of a connection as an observation has it.
pub fn sample(sample: &farpath_probe::report::Sample) -> Sample {
    let us = Duration::from_us;
    Sample {
        t: at(sample.t_ns),
        cwnd: Some(sample.cwnd),
        ssthresh: sample.ssthresh,
        in_flight: Some(sample.in_flight),
        srtt: (sample.srtt_ns > 0).then(|| Duration::from_ns(sample.srtt_ns)),
        resent: sample.retransmits,
        loss_events: None,
        timers: Some(Timers {
            state: sample.state,
            app_limited: sample.app_limited,
            unsent: sample.unsent,
            pacing_bps: sample.pacing_bps,
            pacing_limit_bps: sample.pacing_limit_bps,
            delivery_bps: sample.delivery_bps,
            window: sample.window,
            min_rtt: sample.rtt_min_ns.map(Duration::from_ns),
            full: sample.full,
            busy: us(sample.busy_us),
            receive_window: us(sample.rwnd_us),
            send_buffer: us(sample.sndbuf_us),
            cpu: Duration::from_ns(sample.cpu_ns),
        }),
    }
}

fn refusal(error: farpath_probe::report::IcmpError) -> Refusal {
    match error {
        farpath_probe::report::IcmpError::TimeExceeded => Refusal::TimeExceeded,
        farpath_probe::report::IcmpError::FragmentationNeeded => Refusal::FragmentationNeeded,
        farpath_probe::report::IcmpError::Unreachable => Refusal::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use farpath_scenario::plan::address;
    use farpath_scenario::{Source, parse};

    use super::*;
    use crate::planned::{Hosts, plan_jobs};

    const TEXT: &str = r#"[scenario]
name = "s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
ends = ["a", "b"]
rate = "10 Mbit/s"
delay = "5 ms"
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
parallel = 2
duration = "10 s"
"#;

    /// Of two connections both ends reported of the second alone.
    #[test]
    fn a_connection_is_on_its_own_path_where_one_before_it_is_missing() {
        let (name, text) = ("s.toml".to_owned(), TEXT.to_owned());
        let scenario = parse(&Source { name, text }, &[]).expect("a scenario");
        let plan = Plan::new(&scenario).expect("a plan");
        let planned = plan_jobs(&scenario, &plan, 1, &Hosts::at(&address));
        let received = TcpReceiveReport {
            bytes: 5000,
            measured: 5000,
            last_ns: 500_000_000,
            every_ns: 100_000_000,
            delivered: vec![1000; 5],
            ..TcpReceiveReport::default()
        };
        let reports = vec![
            Report::TcpSend(TcpSendReport::default()),
            Report::TcpReceive(received),
        ];
        let results = Results {
            reports: BTreeMap::from([(1, reports)]),
            ..Results::default()
        };
        let asked = RefCell::new(Vec::new());
        let paths = |flow: usize| -> Option<Path<'static>> {
            asked.borrow_mut().push(flow);
            None
        };
        let point = BTreeMap::new();
        let run = (&planned, &results);
        let found = records(&scenario, &plan, run, Origin::Emulated, &point, &paths);
        assert_eq!(found[0].streams.len(), 1);
        assert_eq!(asked.borrow().first(), Some(&1), "{asked:?}");
    }

    #[test]
    fn a_sender_whose_kernel_has_rack_always_says_so() {
        let name = "s.toml".to_owned();
        let text = format!("{TEXT}rack = false\n");
        let scenario = parse(&Source { name, text }, &[]).expect("a scenario");
        let plan = Plan::new(&scenario).expect("a plan");
        let planned = plan_jobs(&scenario, &plan, 1, &Hosts::at(&address));
        let said = |kernel: &str| {
            let system = farpath_probe::System {
                os: "linux".to_owned(),
                kernel: kernel.to_owned(),
            };
            let results = Results {
                systems: BTreeMap::from([("a".to_owned(), system)]),
                ..Results::default()
            };
            let point = BTreeMap::new();
            let run = (&planned, &results);
            let found = records(&scenario, &plan, run, Origin::Emulated, &point, &|_| None);
            let notes = found[0].notes.iter();
            notes.filter(|note| note.contains("RACK always")).count()
        };
        assert_eq!((said("6.18.44"), said("6.12.9")), (1, 0));
    }
}
