//! `farpath lab up`: the process that is a lab's network, and what it is told while it runs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use farpath_element::{Change, Sampling};
use farpath_emu::driver::Clock;
use farpath_emu::fidelity::Fidelity;
use farpath_emu::lab::Options;
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_scenario::{Direction, LinkId, Scenario, Set, Way};
use farpath_units::{Duration, Time};

use super::control::{Answer, Listener, Request};
use super::status::Snapshot;
use super::{environment, log_of, registry};
use crate::algorithms::Programs;
use crate::args::{LabControl, LabUpArgs};
use crate::emulate::{self, Ground};
use crate::exit::{Exit, Failure, note, print};
use crate::progress;
use crate::run::{open, sets};

/// What the background process prints when it is up.
const READY: &str = "up";

pub(super) fn up(name: &str, args: &LabUpArgs) -> Result<Exit, Failure> {
    // What is wrong with the scenario is said here, whoever runs it.
    open(&args.scenario, &sets(&args.sets)?)?;
    if args.foreground {
        return here(name, args);
    }
    let log = log_of(&registry()?, name);
    let file = std::fs::File::create(&log).map_err(environment)?;
    let mut command = Command::new("/proc/self/exe");
    command.args(["lab", "--lab", name, "up", "--foreground", &args.scenario]);
    for set in &args.sets {
        command.args(["--set", set]);
    }
    if let Some(seed) = args.seed {
        command.args(["--seed", &seed.to_string()]);
    }
    if let Some(cc) = &args.control.cc {
        command.args(["--cc", cc]);
    }
    for (flag, given) in [
        ("--busy", args.busy),
        ("--tune-host", args.control.tune_host),
    ] {
        if given {
            command.arg(flag);
        }
    }
    // A group of its own: the terminal's signals are not for it.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(file)
        .process_group(0);
    let mut child = command.spawn().map_err(environment)?;
    let mut first = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out)
            .read_line(&mut first)
            .map_err(environment)?;
    }
    if first.trim() != READY {
        let status = child.wait().map_err(environment)?;
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        drop(std::fs::remove_file(&log));
        let text = said.trim().trim_start_matches("error: ").to_owned();
        return Err(match status.code() {
            Some(2) => Failure::usage(text),
            _ => Failure::environment(text),
        });
    }
    let lab = registry()?.read(name).map_err(environment)?;
    let hosts: Vec<&str> = lab.hosts.iter().map(|(n, _)| n.as_str()).collect();
    let flag = if name == "lab" {
        String::new()
    } else {
        format!(" --lab {name}")
    };
    let (first, last) = (
        hosts.first().unwrap_or(&"HOST"),
        hosts.last().unwrap_or(&"HOST"),
    );
    print(&format!(
        "lab `{name}` is up: {}\n\n  farpath lab{flag} exec {first} -- ping -c 3 {last}\n  \
         farpath lab{flag} status\n  farpath lab{flag} down\n\nIts log is {}\n",
        hosts.join(", "),
        log.display()
    ))?;
    Ok(Exit::Ok)
}

/// A running lab and what its scenario has become.
struct Running {
    scenario: Scenario,
    source: String,
    sets: Vec<Set>,
    listener: Listener,
    before: Option<(Time, Vec<u64>)>,
}

fn here(name: &str, args: &LabUpArgs) -> Result<Exit, Failure> {
    if !emulate::prepare()? {
        return Ok(Exit::Ok);
    }
    progress::watch_interrupts()?;
    let mut state = registry()?
        .create(name, &args.scenario)
        .map_err(environment)?;
    if let Some(cleaned) = &state.note {
        note(cleaned);
    }
    let sets = sets(&args.sets)?;
    let scenario = open(&args.scenario, &sets)?.scenario;
    let ground = ground(&scenario, &args.control)?;
    emulate::tell(&ground.layouts);
    let options = Options {
        seed: args.seed.unwrap_or(scenario.seed),
        sampling: Sampling::OFF,
        polling: emulate::polling(args.busy),
        changes: true,
        ..Options::default()
    };
    let mut lab = ground.up(&scenario, options)?;
    state.set_hosts(&lab.hosts).map_err(environment)?;
    let listener = Listener::new(state.folder()).map_err(environment)?;
    let mut running = Running {
        scenario,
        source: args.scenario.clone(),
        sets,
        listener,
        before: None,
    };
    // Whoever waits for this line goes on; nobody need.
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{READY}").and_then(|()| out.flush()));
    lab.run(Clock::start(Duration::ZERO), |plane, now, fidelity| {
        running.turn(plane, now, fidelity);
        !progress::interrupted()
    })
    .map_err(emulate::failure)?;
    note(&lab.certificate(Vec::new()).line());
    drop(lab);
    ground.restore()?;
    // Told to end, it has nothing to say any more.
    drop(std::fs::remove_file(log_of(&registry()?, name)));
    Ok(Exit::Ok)
}

/// What the hosts stand on. A program that the scenario's tests would like and cannot have is no fault of a
/// lab that is used by hand; one that was asked for is.
fn ground(scenario: &Scenario, wanted: &LabControl) -> Result<Ground, Failure> {
    let mut programs = Programs::new()?;
    let control = match &wanted.cc {
        Some(cc) => Some(programs.of_option(cc)?),
        None => {
            for tcp in scenario.tests.iter().filter_map(|t| t.kind.tcp()) {
                if let Err(failure) = programs.of_test(&tcp.cc) {
                    note(&failure.to_string());
                }
            }
            None
        }
    };
    Ground::prepare(scenario, programs, control, wanted.tune_host)
}

impl Running {
    /// Answers who asks.
    fn turn(&mut self, plane: &mut Plane<Tap>, now: Time, fidelity: &Fidelity) {
        let (scenario, source, sets) = (&mut self.scenario, &self.source, &mut self.sets);
        let before = &mut self.before;
        self.listener.serve(|request| match request {
            Request::Status => {
                plane.catch_up();
                let snapshot = Snapshot::of(plane, now, fidelity, before);
                Answer::Said(serde_json::to_string(&snapshot).unwrap_or_default())
            }
            Request::Set(change) => match change.parse::<Set>() {
                Err(e) => Answer::Wrong(e.to_string()),
                Ok(set) => {
                    let mut all = sets.clone();
                    all.push(set);
                    match changed(plane, scenario, source, &all) {
                        Ok((new, said)) => {
                            *scenario = new;
                            *sets = all;
                            Answer::Said(said)
                        }
                        Err(why) => Answer::Wrong(why),
                    }
                }
            },
        });
    }
}

/// Makes the links those of the scenario with `sets`, and says which changed.
fn changed(
    plane: &mut Plane<Tap>,
    scenario: &Scenario,
    source: &str,
    sets: &[Set],
) -> Result<(Scenario, String), String> {
    let source = farpath_scenario::load(source).map_err(|e| e.to_string())?;
    let new = farpath_scenario::parse(&source, sets).map_err(|e| e.to_string())?;
    let mut said = String::new();
    for (number, link) in new.links.iter().enumerate() {
        for way in [Way::Forward, Way::Reverse] {
            let n = usize::from(way == Way::Reverse);
            let old = &scenario.links[number].directions[n];
            let direction = &link.directions[n];
            let port = farpath_scenario::plan::port_of(LinkId(number), way);
            let changes = changes(plane, (old, direction), port);
            for (what, change) in changes {
                plane.apply(port, change);
                let name = new.direction_name(LinkId(number), way);
                said.push_str(&format!("{} {name}: {what}\n", link.name));
            }
        }
    }
    if said.is_empty() {
        return Err("of a running lab a link's rate, delay, loss and queue can be changed; this changes none \
                    of them"
            .to_owned());
    }
    Ok((new, said))
}

fn changes(
    plane: &Plane<Tap>,
    (old, new): (&Direction, &Direction),
    port: usize,
) -> Vec<(String, Change)> {
    let mut changes = Vec::new();
    let wan = plane.wan();
    if old.rate != new.rate {
        changes.push((format!("rate {}", new.rate), Change::Rate(new.rate)));
    }
    if old.delay != new.delay {
        changes.push((format!("delay {}", new.delay), Change::Delay(new.delay)));
    }
    if old.losses != new.losses {
        let losses = wan.losses(plane.scenario(), port, &new.losses, None);
        changes.push((
            format!("{} causes of loss", losses.len()),
            Change::Losses(losses),
        ));
    }
    if old.queue != new.queue {
        let limit = Scenario::queue_limit(new.queue, new.rate, wan.longest_rtt(port));
        changes.push(("queue".to_owned(), Change::Limit(limit)));
    }
    changes
}
