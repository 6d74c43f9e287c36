//! Brings the hosts of a run together: hands out their jobs, compares their clocks, lets them begin together, and
//! collects what they report.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::clock::{ClockName, Comparison, Utc};
use crate::job::Jobs;
use crate::peer::{Heard, Peer, PeerError, Told, Word};
use crate::protocol::{Message, Order};
use crate::results::{HostClock, Results};
use crate::sys;

/// Why a run on real hosts came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConductorError {
    /// No process on a host does its job, or it cannot be reached.
    #[error("start the measuring process on `{host}`: {source}")]
    Start {
        /// The host.
        host: String,
        /// Why.
        source: PeerError,
    },
    /// It ended, or said nothing, before its sockets were there.
    #[error("the measuring process on `{host}` {what}")]
    NotReady {
        /// The host.
        host: String,
        /// What it did.
        what: String,
    },
}

/// How far a host has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It opens its sockets; then its clock is compared.
    Opening,
    /// It is ready, or at work.
    Ready,
    /// It is done; its clock is compared again.
    Comparing,
    /// Nothing more is expected of it.
    Over,
}

struct Host {
    peer: Box<dyn Peer>,
    stage: Stage,
    clock: ClockName,
    comparison: Comparison,
}

impl Host {
    /// Begins the next exchange of time stamps; `false` when there were enough, or the host cannot be reached.
    fn ask(&mut self) -> bool {
        let number = self.comparison.ask(sys::monotonic_ns());
        number.is_some_and(|n| self.peer.order(&Order::Stamp(n)).is_ok())
    }

    fn end(&mut self) {
        self.stage = Stage::Over;
        self.peer.close();
    }
}

/// The hosts of a run.
pub struct Conductor {
    hosts: BTreeMap<String, Host>,
    heard: Receiver<Heard>,
    results: Results,
    /// The hosts that reported on each flow.
    tellers: BTreeMap<usize, Vec<String>>,
    /// Flows that failed, where they did, and of which the other end does not know.
    failed: Vec<(String, usize)>,
    own: ClockName,
    /// Of the shortest round trips to the hosts, the longest.
    round_trip_ns: u64,
    started: bool,
}

impl Conductor {
    /// Gives every job to the peer of its host, waits, `patience` long, until all their sockets are there, and
    /// compares their clocks. `peer` says who does the part of the host of that name.
    ///
    /// # Errors
    /// When there is no peer, it cannot do the job or ends before it is ready, or what it says of its clock
    /// cannot be.
    pub fn prepare(
        jobs: &Jobs,
        mut peer: impl FnMut(&str) -> io::Result<Box<dyn Peer>>,
        patience: Duration,
    ) -> Result<Conductor, ConductorError> {
        let (to, heard) = channel();
        let mut conductor = Conductor {
            hosts: BTreeMap::new(),
            heard,
            results: Results::default(),
            tellers: BTreeMap::new(),
            failed: Vec::new(),
            own: ClockName::own(),
            round_trip_ns: 0,
            started: false,
        };
        for (name, job) in jobs.hosts() {
            let start = |source| ConductorError::Start {
                host: name.clone(),
                source,
            };
            let mut peer = peer(name).map_err(|e| start(e.into()))?;
            let told = Told::new(name, to.clone());
            peer.begin(job, told).map_err(start)?;
            let host = Host {
                peer,
                stage: Stage::Opening,
                clock: ClockName::default(),
                comparison: Comparison::default(),
            };
            conductor.hosts.insert(name.clone(), host);
        }
        drop(to);
        while let Some(first) = conductor.opening() {
            let heard = conductor.heard.recv_timeout(patience);
            let (host, what) = match heard.map(|heard| conductor.hear(heard)) {
                Ok(Ok(())) => continue,
                Ok(Err(lost)) => lost,
                Err(RecvTimeoutError::Timeout) => (first, "did not become ready in time".into()),
                Err(RecvTimeoutError::Disconnected) => (first, ENDED.into()),
            };
            return Err(ConductorError::NotReady { host, what });
        }
        conductor.results.settle(&conductor.own);
        Ok(conductor)
    }

    /// A host that is not ready.
    fn opening(&self) -> Option<String> {
        let mut hosts = self.hosts.iter();
        let opening = hosts.find(|(_, host)| host.stage == Stage::Opening);
        opening.map(|(name, _)| name.clone())
    }

    /// How long before the run's time zero it must be said, at least, so that every host hears it in time: twice the
    /// longest of the hosts' round trips.
    pub fn lead(&self) -> farpath_units::Duration {
        farpath_units::Duration::from_ns(self.round_trip_ns.saturating_mul(2))
    }

    /// Sends the run's time zero to every host. `zero_ns` is what CLOCK_MONOTONIC of this process shows then, in
    /// nanoseconds; each host gets that instant as a reading of its own clock.
    ///
    /// # Errors
    /// When a host is no longer there.
    pub fn start(&mut self, zero_ns: u64) -> Result<(), ConductorError> {
        self.results.zero = Utc::at(zero_ns);
        for (name, host) in &mut self.hosts {
            let clock = self.results.clocks.get(name);
            let ahead = clock.map_or(0, |clock| clock.start.offset_ns);
            let zero_ns = zero_ns.saturating_add_signed(ahead);
            let told = host.peer.order(&Order::Start { zero_ns });
            told.map_err(|source| ConductorError::Start {
                host: name.clone(),
                source: source.into(),
            })?;
        }
        self.started = true;
        self.end_failed();
        Ok(())
    }

    /// Tells the other hosts of failed flows: nobody waits for who does not come.
    fn end_failed(&mut self) {
        if !self.started {
            return;
        }
        for (failed, flow) in std::mem::take(&mut self.failed) {
            let others = self.hosts.iter_mut().filter(|(name, _)| **name != failed);
            for (_, host) in others {
                // Who cannot hear it has ended.
                drop(host.peer.order(&Order::End { flow }));
            }
        }
    }

    /// Takes in what the hosts say, for `patience` at most; whether they have said everything.
    pub fn listen(&mut self, patience: Duration) -> bool {
        while self.hosts.values().any(|host| host.stage != Stage::Over) {
            match self.heard.recv_timeout(patience) {
                Ok(heard) => {
                    if let Err((host, what)) = self.hear(heard) {
                        let fault = format!("the measuring process on `{host}` {what}");
                        self.results.faults.push((None, fault));
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        true
    }

    /// Takes in what a host said; an error is the host that cannot be relied on, and what it did.
    fn hear(&mut self, heard: Heard) -> Result<(), (String, String)> {
        let Heard { host, at_ns, word } = heard;
        let strange = match word {
            Word::Message(message) => self.message(&host, at_ns, *message).err(),
            Word::Strange(what) => Some(what),
            Word::End => {
                let ended = self.hosts.get_mut(&host);
                let early = ended.is_some_and(|host| {
                    let early = matches!(host.stage, Stage::Opening | Stage::Ready);
                    host.end();
                    early
                });
                return if early {
                    Err((host, ENDED.into()))
                } else {
                    Ok(())
                };
            }
        };
        strange.map_or(Ok(()), |what| Err((host, format!("said: {what}"))))
    }

    fn message(&mut self, name: &str, at_ns: u64, message: Message) -> Result<(), String> {
        let Some(host) = self.hosts.get_mut(name) else {
            return Ok(());
        };
        match message {
            Message::Ready { clock, system } => {
                let system = system.map(|system| (name.to_owned(), system));
                self.results.systems.extend(system);
                match clock {
                    None => host.stage = Stage::Ready,
                    Some(clock) => {
                        host.clock = clock;
                        host.ask();
                    }
                }
            }
            Message::Stamp {
                number,
                heard_ns,
                answered_ns,
            } => {
                let instants = [heard_ns, answered_ns];
                host.comparison.answer(number, instants, at_ns);
                if !host.ask() {
                    self.compared(name)?;
                }
            }
            Message::Report { flow, report } => {
                self.results.reports.entry(flow).or_default().push(report);
                let tellers = self.tellers.entry(flow).or_default();
                tellers.push(name.to_owned());
            }
            Message::Fault { flow, fault } => {
                let fault = format!("`{name}`: {fault}");
                self.results.faults.push((flow, fault));
                if let Some(flow) = flow {
                    self.failed.push((name.to_owned(), flow));
                    self.end_failed();
                }
            }
            Message::Done => {
                let known = self.results.clocks.contains_key(name);
                host.comparison = Comparison::default();
                if known && !self.own.is(&host.clock) && host.ask() {
                    host.stage = Stage::Comparing;
                } else {
                    host.end();
                }
            }
        }
        Ok(())
    }

    /// The exchanges of time stamps with a host are over.
    fn compared(&mut self, name: &str) -> Result<(), String> {
        let Some(host) = self.hosts.get_mut(name) else {
            return Ok(());
        };
        let found = host.comparison.offset();
        match host.stage {
            Stage::Opening => {
                let start = found.ok_or("time stamps that cannot be")?;
                let round_trip_ns = start.error_ns.saturating_mul(2);
                self.round_trip_ns = self.round_trip_ns.max(round_trip_ns);
                let name_of = host.clock.clone();
                let clock = HostClock {
                    name: name_of,
                    start,
                    end: None,
                };
                self.results.clocks.insert(name.to_owned(), clock);
                host.stage = Stage::Ready;
            }
            Stage::Comparing => {
                if let Some(clock) = self.results.clocks.get_mut(name) {
                    clock.end = found;
                }
                host.end();
            }
            Stage::Ready | Stage::Over => {}
        }
        Ok(())
    }

    /// Tells the hosts to end now; they still say what there is so far, which is no longer valid.
    pub fn stop(&mut self) {
        if self.hosts.values().any(|host| host.stage != Stage::Over) {
            let fault = "the run was stopped before its end".to_owned();
            self.results.faults.push((None, fault));
        }
        self.hosts.values_mut().for_each(|host| host.peer.close());
    }

    /// The results, once every host has ended; those that do not are made to.
    pub fn finish(mut self) -> Results {
        self.results.note_clocks(&self.tellers);
        std::mem::take(&mut self.results)
    }
}

const ENDED: &str = "ended early";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Offset;
    use crate::job::{HostJob, Ping};
    use farpath_units::Time;
    use std::sync::{Arc, Mutex};

    /// Longer than anything takes here.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// The run's time zero.
    const ZERO_NS: u64 = 1 << 60;

    /// A host with a clock of our making: so far ahead, later by more, and stepped back while it answers.
    #[derive(Clone, Default)]
    struct Simulated {
        clock: ClockName,
        ahead_ns: i64,
        more_ns: i64,
        back_ns: u64,
        told: Option<Told>,
        orders: Arc<Mutex<Vec<Order>>>,
    }

    impl Peer for Simulated {
        fn begin(&mut self, _: &HostJob, told: Told) -> Result<(), PeerError> {
            let clock = Some(self.clock.clone());
            let system = sys::system();
            assert!(told.message(Message::Ready { clock, system }));
            self.told = Some(told);
            Ok(())
        }

        fn order(&mut self, order: &Order) -> io::Result<()> {
            self.orders.lock().expect("a list").push(*order);
            let told = self.told.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
            match order {
                Order::Stamp(number) => {
                    let now = sys::monotonic_ns().saturating_add_signed(self.ahead_ns);
                    told.message(Message::Stamp {
                        number: *number,
                        heard_ns: now,
                        answered_ns: now - self.back_ns,
                    });
                }
                Order::Start { .. } => {
                    self.ahead_ns += self.more_ns;
                    told.message(Message::Done);
                }
                Order::End { .. } => {}
            }
            Ok(())
        }

        fn close(&mut self) {
            self.told = None;
        }
    }

    fn jobs(names: &[&str]) -> Jobs {
        let mut jobs = Jobs::new();
        for (flow, name) in names.iter().enumerate() {
            let ping = Ping {
                host: (*name).to_owned(),
                local: [192, 0, 2, 1].into(),
                mark: 0,
                remote: [192, 0, 2, 2].into(),
                identifier: 1,
                class: 0,
                ttl: 64,
                size: 64,
                start: Time::ZERO,
                interval: farpath_units::Duration::from_secs(1),
                count: 1,
                timeout: farpath_units::Duration::from_secs(1),
            };
            jobs.ping(flow, &ping).expect("a flow");
        }
        jobs
    }

    fn prepare(hosts: &[(&str, &Simulated)]) -> Result<Conductor, ConductorError> {
        let names: Vec<&str> = hosts.iter().map(|(name, _)| *name).collect();
        let peer = |name: &str| -> io::Result<Box<dyn Peer>> {
            let host = hosts.iter().find(|(host, _)| *host == name);
            Ok(Box::new(host.expect("a host").1.clone()))
        };
        Conductor::prepare(&jobs(&names), peer, PATIENCE)
    }

    fn run(hosts: &[(&str, &Simulated)]) -> Results {
        let mut conductor = prepare(hosts).unwrap_or_else(|e| panic!("{e}"));
        assert!(conductor.lead() > farpath_units::Duration::ZERO);
        conductor.start(ZERO_NS).expect("they listen");
        assert!(conductor.listen(PATIENCE));
        conductor.finish()
    }

    /// The orders a host received.
    fn orders(host: &Simulated) -> (usize, Vec<Order>) {
        let orders = host.orders.lock().expect("a list").clone();
        let is_stamp = |order: &Order| matches!(order, Order::Stamp(_));
        let (stamps, rest): (Vec<_>, Vec<_>) = orders.into_iter().partition(is_stamp);
        (stamps.len(), rest)
    }

    #[test]
    fn every_host_is_told_the_start_on_its_own_clock() {
        let ahead = |ahead_ns| Simulated {
            ahead_ns,
            ..Simulated::default()
        };
        let (east, west) = (ahead(-1_000_000), ahead(7_777_777_777_777));
        let results = run(&[("east", &east), ("west", &west)]);
        for (name, host) in [("east", &east), ("west", &west)] {
            let clock = &results.clocks[name];
            let truth = Offset {
                offset_ns: host.ahead_ns,
                error_ns: 0,
            };
            assert!(clock.start.agrees_with(&truth), "{clock:?}");
            let zero_ns = ZERO_NS.checked_add_signed(clock.start.offset_ns);
            let zero_ns = zero_ns.expect("a time");
            assert_eq!(orders(host), (16, vec![Order::Start { zero_ns }]));
        }
        let errors = ["east", "west"].map(|name| results.clocks[name].error_ns());
        let both = results.clock_error_ns("east", "west");
        assert_eq!(both, Some(errors[0] + errors[1]));
    }

    #[test]
    fn a_clock_that_runs_away_is_an_error() {
        let more_ns = 5_000_000;
        let host = Simulated {
            more_ns,
            ..Simulated::default()
        };
        let results = run(&[("a", &host)]);
        let clock = &results.clocks["a"];
        let end = clock.end.expect("they were compared again");
        let change = Offset {
            offset_ns: clock.start.offset_ns + more_ns,
            error_ns: clock.start.error_ns,
        };
        assert!(end.agrees_with(&change), "{clock:?}");
        assert!(clock.error_ns() >= more_ns.unsigned_abs() - clock.start.error_ns);
    }

    #[test]
    fn who_reads_the_conductors_clock_has_its_zero() {
        let host = Simulated {
            clock: ClockName::own(),
            ..Simulated::default()
        };
        let results = run(&[("a", &host)]);
        let start = Order::Start { zero_ns: ZERO_NS };
        assert_eq!(orders(&host), (8, vec![start]));
        assert_eq!(results.clocks["a"].error_ns(), 0);
    }

    #[test]
    fn a_copy_of_this_machine_is_another() {
        let ahead_ns = 3_600_000_000_000;
        let host = Simulated {
            clock: ClockName::own(),
            ahead_ns,
            ..Simulated::default()
        };
        let results = run(&[("a", &host)]);
        let offset = results.clocks["a"].start;
        assert!(offset.offset_ns.abs_diff(ahead_ns) <= offset.error_ns);
    }

    #[test]
    fn a_clock_that_runs_backwards_is_refused() {
        let host = Simulated {
            back_ns: 1,
            ..Simulated::default()
        };
        let nonsense = prepare(&[("a", &host)]);
        let error = match nonsense {
            Err(error) => error.to_string(),
            Ok(_) => panic!("it was believed"),
        };
        assert!(error.contains("time stamps that cannot be"), "{error}");
    }
}
