//! What a lab of real hosts needs, whoever uses it: a machine that allows it, the hosts laid out, the measuring
//! processes on them.

use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::Command;

use farpath_element::Drop;
use farpath_emu::Host;
use farpath_emu::audit::memory_available;
use farpath_emu::driver::{Clock, Polling};
use farpath_emu::lab::{Lab, Options};
use farpath_emu::layout::{Layout, layout};
use farpath_emu::rootless::{self, Demand};
use farpath_emu::settings::{Machine, Need};
use farpath_emu::state::Registry;
use farpath_emu::tune::{self, Tuning};
use farpath_probe::peer::{Peer, Process};
use farpath_probe::{Conductor, ServeError, Stop, serve};
use farpath_record::count_of;
use farpath_scenario::Scenario;
use farpath_units::{Duration, Size};

pub use farpath_wan::Evidence;

use crate::algorithms::Programs;
use crate::planned::Planned;
use crate::{Fault, Progress};

/// First argument that makes this program the measuring process of a host.
const PROBE: &str = "farpath-probe";

/// The running program, even after its file was replaced.
const SELF: &str = "/proc/self/exe";

/// From the word to begin until the clock's zero: everybody has heard it by then.
const LEAD: Duration = Duration::from_ms(50);

/// How long the measuring processes may take to have their sockets.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

/// Where this process was started to be part of a lab it is that, and does not return.
pub fn roles() {
    farpath_emu::init_main();
    if std::env::args_os().nth(1).is_some_and(|a| a == PROBE) {
        std::process::exit(probe());
    }
}

fn probe() -> i32 {
    let done = Stop::new().map_err(ServeError::from);
    let done = done.and_then(|both| serve(BufReader::new(io::stdin()), io::stdout(), both));
    match done {
        Ok(()) => 0,
        // Whoever gave the job was killed.
        Err(ServeError::Pipe(e)) if e.kind() == io::ErrorKind::BrokenPipe => 1,
        Err(e) => {
            // Nobody may be reading.
            drop(writeln!(io::stderr(), "note: measuring process: {e}"));
            1
        }
    }
}

/// Gets this machine ready for a lab. Where it cannot have one and `FARPATH_LAB=auto` allows that: why no emulation is run.
/// To be called before any thread is started.
///
/// # Errors
/// This machine cannot run a lab and has to, or `FARPATH_LAB` has an unknown value.
pub fn prepare(progress: &mut dyn Progress) -> Result<Option<String>, Fault> {
    let demand = Demand::read(std::env::var_os("FARPATH_LAB").as_deref());
    let demand = demand.map_err(Fault::Demand)?;
    match (rootless::prepare(), demand) {
        (Ok(_), _) => Ok(None),
        (Err(obstacle), Demand::Required) => Err(Fault::NoLab(obstacle)),
        (Err(obstacle), Demand::Auto) => {
            progress.note(&format!("emulation NOT RUN: {obstacle}"));
            Ok(Some(format!(
                "no lab on this machine, and FARPATH_LAB=auto: {obstacle}"
            )))
        }
    }
}

/// Says what is not as the scenario has it, once for all hosts it is true of.
pub fn tell(layouts: &[Layout], progress: &mut dyn Progress) {
    let of_hosts = layouts.iter().map(|l| (l.spec.name.as_str(), &l.notes[..]));
    of_hosts_once(of_hosts, progress);
}

/// Says each note once, with the names of all hosts that have it.
fn of_hosts_once<'a>(
    hosts: impl Iterator<Item = (&'a str, &'a [String])> + Clone,
    progress: &mut dyn Progress,
) {
    let mut told: Vec<&String> = Vec::new();
    for note_of in hosts.clone().flat_map(|(_, notes)| notes) {
        if told.contains(&note_of) {
            continue;
        }
        told.push(note_of);
        let like = hosts.clone().filter(|(_, notes)| notes.contains(note_of));
        let names: Vec<String> = like.map(|(name, _)| format!("`{name}`")).collect();
        progress.note(&format!("{}: {note_of}", names.join(", ")));
    }
}

/// The congestion control of a host's connections that choose none: its routes', what is set on it, else the machine's.
#[allow(
    clippy::disallowed_methods,
    reason = "the kernel says its default in a file"
)]
pub fn control(layouts: &[Layout], host: usize) -> Option<String> {
    const KEY: &str = "net.ipv4.tcp_congestion_control";
    let layout = layouts.iter().find(|l| l.node.0 == host)?;
    let set = layout.spec.settings.iter().find(|(key, _)| key == KEY);
    let set = set.map(|(_, value)| value.clone());
    layout.spec.control.clone().or(set).or_else(|| {
        let file = "/proc/sys/net/ipv4/tcp_congestion_control";
        let name = std::fs::read_to_string(file).ok()?;
        Some(name.trim().to_owned())
    })
}

/// The congestion control of connections that choose none, on a host of this scenario as this machine has it; none where that cannot be read.
pub fn default_control(scenario: &Scenario, host: usize) -> Option<String> {
    let machine = Machine::read(Path::new("/")).ok()?;
    let layouts = layout(scenario, &machine).ok()?;
    control(&layouts, host)
}

/// What a lab stands on: the layouts of its hosts, the machine's settings changed as they need, their congestion
/// control programs registered. Dropping it undoes the last two.
pub struct Ground {
    /// The hosts.
    pub layouts: Vec<Layout>,
    /// Where labs are listed and journals lie.
    pub registry: Registry,
    tuning: Option<Tuning>,
    _programs: Programs,
}

impl Ground {
    /// Cleans up after a crashed lab and lays out the hosts. With `tune_host`, changes the machine's settings as they
    /// need; otherwise notes what they lack. `control` is the kernel's name of every host's default congestion
    /// control, whatever its tests say.
    pub fn prepare(
        scenario: &Scenario,
        (programs, control): (Programs, Option<String>),
        tune_host: bool,
        progress: &mut dyn Progress,
    ) -> Result<Ground, Fault> {
        let registry = recover(progress)?;
        let root = Path::new("/");
        let lay_out = || {
            let mut machine = Machine::read(root).map_err(Fault::Settings)?;
            machine.programs = programs.names();
            machine.control.clone_from(&control);
            let layouts = layout(scenario, &machine)?;
            Ok::<_, Fault>((machine, layouts))
        };
        let (machine, mut layouts) = lay_out()?;
        let needs: Vec<Need> = layouts.iter().flat_map(|l| l.needs.clone()).collect();
        let mut tuning = None;
        if tune_host {
            registry.make()?;
            let memory = Size::from_bytes(memory_available().unwrap_or(0));
            let changes = tune::changes(&needs, &machine, memory);
            tuning = Some(Tuning::apply(root, registry.folder(), &changes)?);
            // More can be set on the hosts now that the machine's settings are changed.
            layouts = lay_out()?.1;
        }
        // Root exceeds the limits of socket buffers as it is.
        let memory = needs.iter().filter(|n| matches!(n, Need::TcpMemory(_)));
        let slow_start = needs.iter().find(|n| matches!(n, Need::HyStart(_)));
        let missed = memory.max().into_iter().chain(slow_start);
        for need in missed.filter(|_| !tune_host) {
            progress.note(&format!(
                "this scenario needs {need}; --tune-host sets that for the run"
            ));
        }
        Ok(Ground {
            layouts,
            registry,
            tuning,
            _programs: programs,
        })
    }

    /// Starts the hosts, and says what they lack.
    pub fn up(
        &self,
        scenario: &Scenario,
        options: Options,
        progress: &mut dyn Progress,
    ) -> Result<Lab, Fault> {
        let lab = Lab::up(scenario, self.layouts.clone(), options)?;
        let of_hosts = lab.hosts.iter();
        of_hosts_once(of_hosts.map(|h| (h.name.as_str(), &h.notes[..])), progress);
        Ok(lab)
    }

    /// Puts the machine back, and says what went wrong.
    pub fn restore(self) -> Result<(), Fault> {
        Ok(self.tuning.map_or(Ok(()), Tuning::restore)?)
    }
}

/// Puts back what a crashed lab has changed of the machine, and removes what one of one command has left. Returns where
/// journals lie.
pub fn recover(progress: &mut dyn Progress) -> Result<Registry, Fault> {
    let registry = Registry::open()?;
    let recovered = tune::recover(Path::new("/"), registry.folder())?;
    recovered.iter().for_each(|r| progress.note(r));
    registry.sweep();
    Ok(registry)
}

/// What the data plane does while nothing is due.
pub fn polling(busy: bool) -> Polling {
    if busy { Polling::Busy } else { Polling::Hybrid }
}

/// Starts the measuring processes of `planned` on `hosts`, and the clock they share.
pub fn begin(planned: &Planned, hosts: &[Host]) -> Result<(Conductor, Clock), Fault> {
    let peer = |name: &str| -> io::Result<Box<dyn Peer>> {
        Ok(Box::new(Process::start(probe_on(hosts, name))?))
    };
    let mut conductor = Conductor::prepare(&planned.jobs, peer, PATIENCE)?;
    let clock = Clock::start(LEAD + conductor.lead());
    conductor.start(clock.zero_ns())?;
    Ok((conductor, clock))
}

/// The command that is the measuring process of the host of that name.
fn probe_on(hosts: &[Host], name: &str) -> Command {
    let mut command = match hosts.iter().find(|h| h.name == name) {
        Some(host) => host.command(SELF),
        None => Command::new(SELF),
    };
    command.arg(PROBE);
    command
}

/// What the links of a lab at rest saw.
pub fn evidence(lab: &Lab) -> Evidence<'_> {
    let plane = &lab.plane;
    let port = |n| (plane.port(n), plane.dropped_behind(n));
    Evidence::new(plane.scenario(), plane.wan(), true, port)
}

/// What was too large for a link and vanished without a word to its sender, and what would help.
pub fn swallowed(lab: &Lab) -> Vec<String> {
    let plane = &lab.plane;
    let scenario = plane.scenario();
    let mut told = Vec::new();
    for (number, port) in plane.wan().plan.ports.iter().enumerate() {
        let link = &scenario.links[port.link.0];
        let name = format!(
            "link `{}` {}",
            link.name,
            scenario.direction_name(port.link, port.way)
        );
        let own = plane.port(number).counters().dropped(Drop::Mtu);
        if own > 0 {
            told.push(format!(
                "{name} dropped {} as larger than its MTU of {}: within a label switched path nobody \
                 tells the sender; raise the link's `mtu`, or lower that of the hosts",
                count_of(own, "frame", "frames"),
                link.direction_from(port.from).mtu
            ));
        }
        let behind = plane.swallowed_behind(number);
        if behind > 0 {
            told.push(format!(
                "`{}` dropped {} of {name} as too large for the next link, and the sender got no report: \
                 it allows fragments, or the router does not answer; raise the next link's `mtu`, or lower that of the hosts",
                scenario.node_name(port.to),
                count_of(behind, "frame", "frames")
            ));
        }
    }
    told
}
