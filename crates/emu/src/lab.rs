//! A lab: the hosts of a scenario, the data plane between them, and a clock.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use farpath_element::Sampling;
use farpath_element::qdisc::Limit;
use farpath_record::{Certificate, LinkRecord, Origin};
use farpath_scenario::plan::{Plan, PlanError, port_of};
use farpath_scenario::{LinkId, NodeId, Scenario, Way};
use farpath_units::{Duration, Time};
use farpath_wan::Wan;

use crate::audit::{Audit, memory_available};
use crate::capture::{Capture, Sink};
use crate::certify::{Evidence, GONE, Kind, MEMORY, TOLERANCE, certify, faults};
use crate::driver::{Clock, Polling, drive};
use crate::felt;
use crate::fidelity::{Fidelity, Histogram};
use crate::host::{Host, HostError};
use crate::latency;
use crate::layout::{Bucket, Layout, changed_buckets};
use crate::plane::{Attachment, COALESCING, Plane, with_pairs};
use crate::process::Process;
use crate::processors::Processors;
use crate::spec::DeviceChoice;
use crate::sys;
use crate::tap::Tap;

/// How a lab is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of all luck.
    pub seed: u64,
    /// How often counters are noted.
    pub sampling: Sampling,
    /// What the data plane does while nothing is due.
    pub polling: Polling,
    /// The wire time a delivery may span.
    pub coalescing: Duration,
    /// Frames later than this count as late.
    pub tolerance: Duration,
    /// Memory for frames under way, in bytes; what the scenario needs if not given.
    pub memory: Option<u64>,
    /// How hosts get their interfaces.
    pub device: DeviceChoice,
    /// Links may change at any time, not only by the scenario's events.
    pub changes: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            sampling: Sampling::OFF,
            polling: Polling::Hybrid,
            coalescing: COALESCING,
            tolerance: TOLERANCE,
            memory: None,
            device: DeviceChoice::Available,
            changes: false,
        }
    }
}

/// Why there is no lab.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The scenario cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A host could not be started.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Frames under way would not fit into memory.
    #[error("frames under way may take {needed_mb} MB of memory; {available_mb} MB are available")]
    Memory {
        /// What they need.
        needed_mb: u64,
        /// What there is.
        available_mb: u64,
    },
    /// The system does not give the memory.
    #[error("no {needed_mb} MB of memory for frames under way: {source}")]
    Allocate {
        /// What they need.
        needed_mb: u64,
        /// Why.
        source: io::Error,
    },
    /// An interface or a host is gone.
    #[error("an interface of a host is gone while the lab runs: {0}")]
    Gone(#[source] io::Error),
}

/// Running hosts and the network between them.
pub struct Lab {
    /// The hosts, in the scenario's order.
    pub hosts: Vec<Host>,
    /// The network.
    pub plane: Plane<Tap>,
    /// Lateness so far.
    pub fidelity: Fidelity,
    clock: Clock,
    options: Options,
    audit: Audit,
    waits: Histogram,
    processors: Option<Processors>,
    end: Time,
    /// What hosts will feel otherwise than at the start, and when.
    changed: Vec<(Time, Bucket)>,
    /// The name and first process of each host.
    known: Vec<(String, Process)>,
    /// What hosts feel otherwise than they are to.
    unfelt: Vec<String>,
}

impl Lab {
    /// Starts every host of `scenario`, laid out as [`layout`](crate::layout::layout) does, and plugs it into the
    /// network. The clock begins to run with [`Lab::run`].
    ///
    /// # Errors
    /// When the scenario cannot be planned, would not fit into memory, or a host cannot be had.
    pub fn up(
        scenario: &Scenario,
        layouts: Vec<Layout>,
        options: Options,
    ) -> Result<Lab, LabError> {
        let (whole, pairs) = with_pairs(scenario);
        let mut plan = Plan::new(&whole)?;
        if options.changes {
            plan.ports.iter_mut().for_each(|p| p.changes = true);
        }
        let wan = Wan::new(&whole, plan, options.seed, options.sampling);
        let needed = options
            .memory
            .unwrap_or_else(|| memory_needed(&whole, &wan));
        if let Some(available) = memory_available()
            && needed > available / 4 * 3
        {
            return Err(LabError::Memory {
                needed_mb: needed / 1_000_000,
                available_mb: available / 1_000_000,
            });
        }
        let processors = Processors::divided();
        let mut hosts = Vec::new();
        let mut attachments = Vec::new();
        for mut layout in layouts {
            layout.spec.device = options.device;
            let mut host = Host::start(&layout.spec)?;
            if let Some(processors) = &processors {
                processors.keep_off(host.init.pid);
            }
            let taps = std::mem::take(&mut host.taps);
            for (tap, port) in taps.into_iter().zip(layout.ports) {
                attachments.push(Attachment {
                    node: layout.node,
                    port,
                    mac: tap.mac,
                    interface: tap,
                });
            }
            hosts.push(host);
        }
        let plane = Plane::new(whole, wan, &pairs, attachments, needed);
        let mut plane = plane.map_err(|source| LabError::Allocate {
            needed_mb: needed / 1_000_000,
            source,
        })?;
        plane.set_coalescing(options.coalescing);
        let known = hosts.iter().map(|h| (h.name.clone(), h.init)).collect();
        Ok(Lab {
            hosts,
            plane,
            fidelity: Fidelity::new(options.tolerance),
            clock: Clock::start(Duration::ZERO),
            options,
            audit: Audit::default(),
            waits: Histogram::default(),
            processors,
            end: Time::ZERO,
            changed: changed_buckets(scenario)?,
            known,
            unfelt: Vec::new(),
        })
    }

    /// Begins to capture all that a host sends and is given. [`Capture::finish`] comes after the lab
    /// has been dropped.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn capture(&mut self, node: NodeId, sink: Sink) -> io::Result<Capture> {
        let interfaces = self.plane.interfaces_of(node);
        let names: Vec<String> = interfaces.map(|tap| tap.name.clone()).collect();
        let (capture, watches) = Capture::begin(&names, sink)?;
        for (tap, watch) in self.plane.interfaces_of(node).zip(watches) {
            tap.watch = Some(watch);
        }
        Ok(capture)
    }

    /// Begins to capture what a link carries, both ways, each frame at the end of its transmission by the clock of the run.
    /// Frames have Ethernet headers whatever the link's framing, and no labels. [`Capture::finish`] comes after the lab has
    /// been dropped.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn tap(&mut self, link: LinkId, sink: Sink) -> io::Result<Capture> {
        let ways = [Way::Forward, Way::Reverse];
        let scenario = self.plane.scenario();
        let names = ways.map(|way| scenario.direction_name(link, way));
        let (capture, watches) = Capture::begin(&names, sink)?;
        for (way, watch) in ways.into_iter().zip(watches) {
            self.plane.tap(port_of(link, way), watch);
        }
        Ok(capture)
    }

    /// Runs in real time until `turn`, called about every millisecond, or every ten while there is nothing to do, says `false`. The clock's zero is
    /// `lead` from now: until then nothing of the scenario happens, but packets pass.
    ///
    /// # Errors
    /// When an interface is gone.
    pub fn run(
        &mut self,
        clock: Clock,
        mut turn: impl FnMut(&mut Plane<Tap>, Time, &Fidelity) -> bool,
    ) -> Result<(), LabError> {
        self.clock = clock;
        let processors = self.processors.take();
        let changed = std::mem::take(&mut self.changed);
        let known = std::mem::take(&mut self.known);
        let ((ran, waits), unfelt) = felt::beside(&changed, &known, clock, || {
            latency::beside(processors.as_ref(), clock, || match &processors {
                Some(p) => p.on_own(|own| self.run_here(clock, own, &mut turn)),
                None => self.run_here(clock, false, &mut turn),
            })
        });
        self.unfelt = unfelt;
        self.waits = waits;
        self.processors = processors;
        self.end = ran.map_err(LabError::Gone)?;
        self.plane.finish(self.end);
        Ok(())
    }

    /// The run itself, on this processor, which is its `own` or not.
    fn run_here(
        &mut self,
        clock: Clock,
        own: bool,
        turn: impl FnMut(&mut Plane<Tap>, Time, &Fidelity) -> bool,
    ) -> io::Result<Time> {
        // A sleeping thread is woken up to 50 µs late by default.
        nix::sys::prctl::set_timerslack(1)?;
        // What else runs here waits for this thread, where the machine allows that.
        sys::come_first();
        let before = Audit::now();
        let polling = (self.options.polling, own);
        let end = drive(&mut self.plane, clock, polling, &mut self.fidelity, turn);
        self.audit = Audit::now().since(&before);
        end
    }

    /// Runs in a thread of its own while `work` is done in this one; `work` can read how far the run is, and ends it by
    /// returning.
    ///
    /// # Errors
    /// When an interface is gone; `work` finds [`Beside::is_over`] then.
    pub fn run_beside<T>(
        &mut self,
        clock: Clock,
        work: impl FnOnce(&Beside) -> T,
    ) -> Result<T, LabError> {
        let beside = Beside::default();
        std::thread::scope(|scope| {
            let plane = scope.spawn(|| {
                let ran = self.run(clock, |_, now, _| {
                    beside.now_ps.store(now.as_ps(), Ordering::Relaxed);
                    !beside.over.load(Ordering::Relaxed)
                });
                beside.over.store(true, Ordering::Relaxed);
                ran
            });
            let done = work(&beside);
            beside.over.store(true, Ordering::Relaxed);
            match plane.join() {
                Ok(ran) => ran.map(|()| done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// When the run ended.
    pub fn end(&self) -> Time {
        self.end
    }

    /// The clock of the run.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether the run may be believed. How far the clocks of its hosts may lie apart, and `faults`, are what only the
    /// caller knows.
    pub fn certificate(&self, clock_error: Option<Duration>, faults: Vec<String>) -> Certificate {
        certify(&self.fidelity, &self.evidence(clock_error, faults))
    }

    /// As [`Self::certificate`], where programs of the user's run on the hosts. What their sockets' buffers drop is
    /// theirs: they chose the size, and when to read. Beside it, of each of its faults in turn, what that comes of.
    pub fn certificate_of_programs(&self) -> (Certificate, Vec<Kind>) {
        let mut evidence = self.evidence(None, Vec::new());
        let own = |place: &String| place.starts_with(SOCKET_BUFFERS);
        let drops = std::mem::take(&mut evidence.unordered).into_iter();
        (evidence.of_programs, evidence.unordered) = drops.partition(|(place, _)| own(place));
        let faults = faults(&self.fidelity, &evidence).into_iter();
        let kinds = faults.map(|fault| fault.kind).collect();
        (certify(&self.fidelity, &evidence), kinds)
    }

    fn evidence(&self, clock_error: Option<Duration>, faults: Vec<String>) -> Evidence {
        Evidence {
            // The thread's time before zero counts, and so does this.
            time: Duration::from_ns(self.audit.lasted_ns),
            coalescing: self.options.coalescing,
            audit: self.audit,
            waits: self.waits.clone(),
            unordered: self.unordered_drops(),
            of_programs: BTreeMap::new(),
            clock_error,
            faults: [faults, self.unfelt.clone()].concat(),
            memory: self.plane.memory(),
        }
    }

    /// Drops the model did not order, by where.
    pub fn unordered_drops(&self) -> BTreeMap<String, u64> {
        let traffic = self.plane.traffic();
        let mut drops = BTreeMap::from([
            (MEMORY.to_owned(), traffic.pool_full),
            ("hosts that took no frame".to_owned(), traffic.refused),
        ]);
        for host in &self.hosts {
            let Ok(counters) = host.counters() else {
                drops.insert(format!("{}{GONE}", host.name), 1);
                continue;
            };
            let mut note = |what: &str, count: u64| {
                if count > 0 {
                    drops.insert(format!("{what} of {}", host.name), count);
                }
            };
            for (name, interface) in &counters.interfaces {
                note(&format!("tap {name}"), interface.sent);
                note(&format!("receive queue of {name}"), interface.received);
            }
            note("packet socket", counters.packet_socket_drops);
            note("tcp memory", counters.memory_pressures);
            note(
                "tcp memory (out-of-order queue)",
                counters.out_of_order_pruned,
            );
            note("socket backlog", counters.backlog_drops);
            note("socket buffers (tcp)", counters.receive_pruned);
            note(
                "socket buffers (tcp, acknowledged by SACK)",
                counters.sack_reneging,
            );
            note("socket buffers (udp)", counters.udp_receive_buffer_errors);
        }
        drops.retain(|_, count| *count > 0);
        drops
    }

    /// Both directions of every link.
    pub fn links(&self) -> Vec<LinkRecord> {
        let plane = &self.plane;
        let record = |number| {
            let both = (plane.port(number), &plane.dropped_behind(number));
            let mut record =
                farpath_wan::link(plane.scenario(), plane.wan(), number, both, self.end);
            record.origin = Origin::Emulated;
            record
        };
        (0..plane.port_count()).map(record).collect()
    }
}

/// How the places begin that a program's choice of a buffer decides about.
const SOCKET_BUFFERS: &str = "socket buffers (";

/// What is known of a run in another thread.
#[derive(Debug, Default)]
pub struct Beside {
    now_ps: AtomicU64,
    over: AtomicBool,
}

impl Beside {
    /// How far the run is.
    pub fn now(&self) -> Time {
        Time::from_ps(self.now_ps.load(Ordering::Relaxed))
    }

    /// Whether it has ended, which is never as it should be.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Bytes of frames that may be under way at once between the hosts of `scenario`.
///
/// # Errors
/// When it cannot be planned.
pub fn memory_for(scenario: &Scenario) -> Result<u64, PlanError> {
    let (whole, _) = with_pairs(scenario);
    let wan = Wan::new(&whole, Plan::new(&whole)?, scenario.seed, Sampling::OFF);
    Ok(memory_needed(&whole, &wan))
}

/// What may wait in front of each port of `scenario`, by number.
///
/// # Errors
/// When it cannot be planned.
pub fn queue_limits(scenario: &Scenario) -> Result<Vec<Limit>, PlanError> {
    let (whole, _) = with_pairs(scenario);
    let wan = Wan::new(&whole, Plan::new(&whole)?, scenario.seed, Sampling::OFF);
    let ports = 0..wan.plan.ports.len();
    Ok(ports.map(|port| wan.queue_limit(&whole, port)).collect())
}

/// Bytes of frames that may be under way at once: what every link holds and what waits in front of it, and
/// room for what is read in one go.
fn memory_needed(scenario: &Scenario, wan: &Wan) -> u64 {
    // Chunks are never quite full, and small packets take a whole slot.
    const SLACK: f64 = 1.3;
    const FIRST: u64 = 64 << 20;
    let fastest: u64 = scenario
        .hosts
        .iter()
        .enumerate()
        .flat_map(|(node, _)| &wan.plan.nodes[node].ports)
        .map(|port| wan.plan.ports[*port].rate.as_bps())
        .sum();
    let mut bytes = 0_u64;
    for (number, port) in wan.plan.ports.iter().enumerate() {
        let link = &scenario.links[port.link.0];
        let direction = link.direction_from(port.from);
        // A slower link further on does not keep these from filling; no host sends faster than it can.
        let rate = port.rate.as_bps().min(fastest);
        let held = (rate as f64 / 8.0 * direction.delay.as_secs_f64()) as u64;
        let longest = wan.longest_rtt(number);
        let queue = match Scenario::queue_limit(direction.queue, port.rate, longest) {
            Limit::Bytes(bytes) => bytes,
            Limit::Packets(n) => n.saturating_mul(u64::from(direction.mtu.min(65_535))),
        };
        // A queue larger than what an RTT at full rate brings does not fill before the windows do.
        let most = (rate as f64 / 8.0 * longest.as_secs_f64() * 2.0) as u64 + (1 << 20);
        bytes = bytes.saturating_add(held).saturating_add(queue.min(most));
    }
    FIRST.saturating_add((bytes as f64 * SLACK) as u64)
}
