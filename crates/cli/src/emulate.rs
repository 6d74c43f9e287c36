//! A scenario with real hosts: the lab brought up, its tests run by programs on them, and the lab gone.

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::path::Path;
use std::process::Command;

use farpath_emu::Host;
use farpath_emu::audit::memory_available;
use farpath_emu::driver::{Clock, Polling};
use farpath_emu::lab::{Lab, LabError, Options};
use farpath_emu::layout::{Layout, layout};
use farpath_emu::rootless::{self, Demand};
use farpath_emu::settings::{Machine, Need};
use farpath_emu::state::Registry;
use farpath_emu::tune::{self, Tuning};
use farpath_probe::{Conductor, Planned, Results, Stop, plan_jobs, records, serve};
use farpath_record::{LinkRecord, Origin, Record};
use farpath_scenario::Scenario;
use farpath_scenario::plan::{Plan, address};
use farpath_sim::{nominal_end, sampling};
use farpath_units::{Duration, Size, Time};
use farpath_wire::FlowDir;

use crate::exit::{Failure, note};
use crate::{algorithms, progress};

/// First argument that makes this program the measuring process of a host.
const PROBE: &str = "farpath-probe";

/// The running program, even after its file was replaced.
const SELF: &str = "/proc/self/exe";

/// From the word to begin until the clock's zero: everybody has heard it by then.
pub(crate) const LEAD: Duration = Duration::from_ms(50);

/// How long the measuring processes may take to have their sockets.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

/// How long the measuring processes are listened to before progress is shown.
const LISTENING: std::time::Duration = std::time::Duration::from_millis(100);

/// How long after its expected end a run is broken off.
const OVERTIME: Duration = Duration::from_secs(120);

/// A link is full that carries this share of its rate and has frames waiting.
const FULL: f64 = 0.95;

/// Where this process was started to be part of a lab it is that, and does not return.
pub(crate) fn roles() {
    farpath_emu::host::init_main();
    if std::env::args_os().nth(1).is_some_and(|a| a == PROBE) {
        std::process::exit(probe());
    }
}

fn probe() -> i32 {
    let done = Stop::new().map_err(farpath_probe::ServeError::from);
    let done = done.and_then(|both| serve(BufReader::new(io::stdin()), io::stdout(), both));
    match done {
        Ok(()) => 0,
        Err(e) => {
            note(&format!("measuring process: {e}"));
            1
        }
    }
}

/// Whether labs are to be had: `false` when they are not and `FARPATH_LAB=auto` says that this is no
/// failure. To be asked before any thread is started.
pub(crate) fn prepare() -> Result<bool, Failure> {
    let demand = Demand::read(std::env::var_os("FARPATH_LAB").as_deref());
    let demand = demand.map_err(Failure::usage)?;
    match (rootless::prepare(), demand) {
        (Ok(_), _) => Ok(true),
        (Err(obstacle), Demand::Required) => {
            Err(Failure::environment(format!("no lab: {obstacle}")))
        }
        (Err(obstacle), Demand::Auto) => {
            note(&format!("emulation NOT RUN: {obstacle}"));
            Ok(false)
        }
    }
}

/// What the command line says about an emulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The data plane never sleeps.
    pub(crate) busy: bool,
    /// Series have about this many intervals.
    pub(crate) intervals: u32,
    /// Settings of the whole machine may be changed for the run.
    pub(crate) tune_host: bool,
}

/// Runs one point with real hosts. `advance` is told thousandths of it as they are done.
pub(crate) fn point(
    scenario: &Scenario,
    at: &BTreeMap<String, String>,
    (manner, seed): (Manner, u64),
    advance: &mut dyn FnMut(u64),
) -> Result<(Vec<Record>, Vec<LinkRecord>), Failure> {
    let plan = Plan::new(scenario).map_err(|e| Failure::usage(e.to_string()))?;
    let mut planned = plan_jobs(scenario, &plan, seed, &address);
    let _registered = algorithms::provide(scenario, &plan, &mut planned)?;
    for (test, why) in &planned.skipped {
        note(&format!(
            "test `{}` is not emulated: {why}",
            scenario.tests[*test].name
        ));
    }
    let nominal = nominal_end(scenario, &plan);
    let machine = Machine::read(Path::new("/")).map_err(Failure::environment)?;
    let layouts = layout(scenario, &machine).map_err(|e| Failure::usage(e.to_string()))?;
    let mut faults = misled(&layouts);
    tell(&layouts);
    let tuning = tune(&layouts, &machine, manner.tune_host)?;
    let options = Options {
        seed,
        sampling: sampling(nominal, manner.intervals.into()),
        polling: if manner.busy {
            Polling::Busy
        } else {
            Polling::Hybrid
        },
        ..Options::default()
    };
    let mut lab = Lab::up(scenario, layouts, options).map_err(failure)?;
    for host in &lab.hosts {
        host.notes
            .iter()
            .for_each(|n| note(&format!("`{}`: {n}", host.name)));
    }
    let results = measure(&mut lab, &planned, nominal, advance)?;
    faults.extend(results.faults.iter().map(|(flow, fault)| {
        let test = flow.map(|f| &scenario.tests[plan.flows[f].test].name);
        let place = test.map_or_else(String::new, |t| format!("test `{t}`: "));
        format!("{place}{fault}")
    }));
    let certificate = lab.certificate(faults);
    note(&certificate.line());
    certificate.faults.iter().for_each(|f| note(f));
    let full = |flow: usize, from: u64, until: u64| full_link(&lab, flow, (from, until));
    let mut records = records(
        scenario,
        &plan,
        (&planned, &results),
        Origin::Emulated,
        at,
        &full,
    );
    for record in &mut records {
        record.valid = certificate.valid;
        record.notes.extend(certificate.faults.iter().cloned());
        record.certificate = Some(certificate.clone());
    }
    if let Some(tuning) = tuning {
        tuning
            .restore()
            .map_err(|e| Failure::environment(e.to_string()))?;
    }
    let mut links = lab.links();
    links.iter_mut().for_each(|l| l.point.clone_from(at));
    Ok((records, links))
}

/// Flows that leave a host another way than the scenario has it.
fn misled(layouts: &[Layout]) -> Vec<String> {
    let flows = layouts.iter().flat_map(|l| {
        let name = &l.spec.name;
        l.bound.iter().map(move |(flow, interface)| {
            format!("flow {flow} of `{name}` is to leave by {interface}, and went where the host's routes go")
        })
    });
    flows.collect()
}

/// Says what is not as the scenario has it, once for all hosts it is true of.
pub(crate) fn tell(layouts: &[Layout]) {
    let mut told: Vec<&String> = Vec::new();
    for note_of in layouts.iter().flat_map(|l| &l.notes) {
        if told.contains(&note_of) {
            continue;
        }
        told.push(note_of);
        let hosts = layouts.iter().filter(|l| l.notes.contains(note_of));
        let names: Vec<String> = hosts.map(|l| format!("`{}`", l.spec.name)).collect();
        note(&format!("{}: {note_of}", names.join(", ")));
    }
}

/// Tells the machine what the hosts need of it, if that is wanted; else says what they miss.
fn tune(layouts: &[Layout], machine: &Machine, wanted: bool) -> Result<Option<Tuning>, Failure> {
    let environment = |e: &dyn std::fmt::Display| Failure::environment(e.to_string());
    let registry = Registry::open().map_err(|e| environment(&e))?;
    let root = Path::new("/");
    let recovered = tune::recover(root, registry.folder()).map_err(|e| environment(&e))?;
    recovered.iter().for_each(|r| note(r));
    let needs: Vec<Need> = layouts.iter().flat_map(|l| l.needs.clone()).collect();
    // Root exceeds the limits of socket buffers as it is.
    let missed = needs.iter().filter(|n| matches!(n, Need::TcpMemory(_)));
    if !wanted {
        if let Some(need) = missed.max() {
            note(&format!(
                "this scenario wants {need}; --tune-host grants it for the run"
            ));
        }
        return Ok(None);
    }
    let memory = Size::from_bytes(memory_available().unwrap_or(0));
    let changes = tune::changes(&needs, machine, memory);
    let tuning = Tuning::apply(root, registry.folder(), &changes).map_err(|e| environment(&e))?;
    Ok(Some(tuning))
}

/// Runs the jobs to their end.
fn measure(
    lab: &mut Lab,
    planned: &Planned,
    nominal: Time,
    advance: &mut dyn FnMut(u64),
) -> Result<Results, Failure> {
    let hosts = std::mem::take(&mut lab.hosts);
    let command = |name: &str| probe_on(&hosts, name);
    let environment = |e: farpath_probe::ConductorError| Failure::environment(e.to_string());
    let mut conductor = Conductor::prepare(planned, command, PATIENCE).map_err(environment)?;
    let clock = Clock::start(LEAD);
    conductor.start(clock.zero_ns()).map_err(environment)?;
    let mut told = 0;
    let mut late = false;
    let ran = lab.run_beside(clock, |beside| {
        while !beside.is_over() && !late && !progress::interrupted() {
            let now = beside.now();
            let done = (now.as_secs_f64() / nominal.as_secs_f64() * 1000.0) as u64;
            let done = done.clamp(told, 1000);
            advance(done - told);
            told = done;
            late = now > nominal + OVERTIME;
            if conductor.listen(LISTENING) {
                break;
            }
        }
    });
    lab.hosts = hosts;
    advance(1000 - told);
    ran.map_err(failure)?;
    if progress::interrupted() {
        return Err(Failure::interrupted(
            "interrupted; every host of the lab is gone",
        ));
    }
    let mut results = conductor.finish();
    if late {
        let seconds = OVERTIME.as_secs_f64();
        results.faults.push((
            None,
            format!("broken off {seconds} s after its expected end"),
        ));
    }
    Ok(results)
}

/// The command that is the measuring process of the host of that name.
pub(crate) fn probe_on(hosts: &[Host], name: &str) -> Command {
    let mut command = match hosts.iter().find(|h| h.name == name) {
        Some(host) => host.command(SELF),
        None => Command::new(SELF),
    };
    command.arg(PROBE);
    command
}

pub(crate) fn failure(e: LabError) -> Failure {
    match e {
        LabError::Plan(e) => Failure::usage(e.to_string()),
        LabError::Memory { .. } | LabError::Allocate { .. } => Failure::environment(e.to_string())
            .hint("use a lower rate, a shorter path or smaller queues, or close other programs"),
        other => Failure::environment(other.to_string()),
    }
}

/// Whether a link on the way of `flow` was full between two instants, in nanoseconds.
fn full_link(lab: &Lab, flow: usize, (from, until): (u64, u64)) -> Option<&'static str> {
    let wan = lab.plane.wan();
    let every = wan.sampling.every;
    if every == Duration::ZERO || until <= from {
        return None;
    }
    let interval = |ns: u64| (ns / every.as_ns()) as usize;
    let (first, last) = (interval(from), interval(until - 1));
    let hops = wan
        .plan
        .walk(lab.plane.scenario(), FlowDir::forward(flow as u16));
    for hop in hops {
        let port = &wan.plan.ports[hop.port];
        let capacity = port.rate.bytes_in(every).as_bytes() as f64;
        let intervals = &lab.plane.port(hop.port).counters().intervals;
        let Some(between) = intervals.get(first..=last.min(intervals.len().saturating_sub(1)))
        else {
            continue;
        };
        let carried: u64 = between.iter().map(|i| i.bytes).sum();
        let waits = between.iter().any(|i| i.queue_bytes > 0);
        let own = port.from.0 < lab.plane.scenario().hosts.len();
        if carried as f64 >= FULL * capacity * between.len() as f64 && (waits || own) {
            return Some(if own { "nic" } else { "link" });
        }
    }
    None
}
