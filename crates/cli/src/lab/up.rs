//! `farpath lab up`: the process that is a lab's network, and the requests it answers while it runs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use farpath_element::Sampling;
use farpath_emu::driver::Clock;
use farpath_emu::fidelity::Fidelity;
use farpath_emu::lab::Options;
use farpath_emu::layout::{Bucket, buckets};
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_emu::{Host, Process};
use farpath_experiment::{Fault, open};
use farpath_scenario::{Scenario, Set, Test};
use farpath_units::{Duration, Time};

use super::change;
use super::control::{Answer, Listener, Request};
use super::named::{self, registry};
use super::present::Present;
use super::programs::GRACE;
use super::resolver::resolve;
use super::status::{Lately, Snapshot};
use super::watch::CHECK;
use crate::args::{LabControl, LabUpArgs};
use crate::exit::{Exit, Failure, NOTE, note, print};
use crate::progress::{self, Bar};
use crate::run::sets;
use farpath_experiment::algorithms::Programs;
use farpath_experiment::lab::{self, Ground};

/// What the background process prints when it is up.
const READY: &str = "up";

pub(super) fn up(name: &str, args: &LabUpArgs) -> Result<Exit, Failure> {
    not_of_a_run(name)?;
    // What is wrong with the scenario is said here, whoever runs it.
    let scenario = open(&args.scenario, &sets(&args.sets)?)?.scenario;
    if args.foreground {
        return here(name, args);
    }
    // The log of one that is up is its own.
    let registry = registry()?;
    registry.check_free(name).map_err(Fault::from)?;
    let log = registry.log_of(name);
    let file = registry.create_log(name).map_err(Failure::environment)?;
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
        ("-4", args.control.ipv4),
        ("-6", args.control.ipv6),
        ("--busy", args.control.busy),
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
    progress::watch_interrupts()?;
    let mut child = command.spawn().map_err(Failure::environment)?;
    let first = first_line(&mut child).inspect_err(|_| {
        drop(std::fs::remove_file(&log));
        registry.leave();
    })?;
    if first.trim() != READY {
        let status = child.wait().map_err(Failure::environment)?;
        let ended = not_up(status, &log);
        registry.leave();
        return ended;
    }
    pass_on(&log);
    let lab = registry.read(name).map_err(Failure::environment)?;
    let hosts: Vec<&str> = lab.hosts.iter().map(|(n, _)| n.as_str()).collect();
    let command = named::command(name);
    let [first, last] = ends(&scenario, &hosts);
    print(&format!(
        "lab `{name}` is up: {}\n\n  {command} exec {first} -- ping -c 3 {last}\n  \
         {command} status\n  {command} down\n\nIts log is {}\n",
        hosts.join(", "),
        log.display()
    ))?;
    Ok(Exit::Ok)
}

/// Refuses the names that `lab run` gives its own labs, by the number of a process.
fn not_of_a_run(name: &str) -> Result<(), Failure> {
    let number = name.strip_prefix("run-").unwrap_or_default();
    if number.parse::<u32>().is_err() {
        return Ok(());
    }
    let title = format!("--lab {name}: `lab run` gives its labs such names, run- and a number");
    Err(Failure::usage(title).hint(format!("write another, such as --lab path-{number}")))
}

/// What the process in the background says first: that it is up, or nothing. The terminal's signals are not for it: where the user interrupts
/// meanwhile it is asked to end, and has.
fn first_line(child: &mut Child) -> Result<String, Failure> {
    let Some(out) = child.stdout.take() else {
        return Ok(String::new());
    };
    let reading = std::thread::spawn(move || {
        let mut first = String::new();
        BufReader::new(out).read_line(&mut first).map(|_| first)
    });
    while !reading.is_finished() && !progress::interrupted() {
        std::thread::park_timeout(CHECK);
    }
    if progress::interrupted() {
        let process = Process::of(child.id().cast_signed());
        let asked = process.map_or(Ok(()), Process::ask_to_end);
        asked.map_err(Failure::environment)?;
        child.wait().map_err(Failure::environment)?;
        let title = "interrupted: the lab was not up yet, and has ended";
        return Err(Failure::interrupted(title));
    }
    let read = reading.join().unwrap_or_else(|_| Ok(String::new()));
    read.map_err(Failure::environment)
}

/// Two hosts that a path joins: those of the first test that pings, or else of the first; without tests the first and the last.
fn ends<'a>(scenario: &'a Scenario, hosts: &[&'a str]) -> [&'a str; 2] {
    let pings = |test: &&Test| test.kind.subject().name() == "ping";
    let test = scenario.tests.iter().find(pings);
    match test.or(scenario.tests.first()) {
        Some(test) => [test.from, test.to].map(|node| scenario.node_name(node)),
        None => [hosts.first(), hosts.last()].map(|host| host.copied().unwrap_or("HOST")),
    }
}

/// Says the notes of a log as notes of this process, and returns the rest of it: an error, or nothing.
fn pass_on(log: &Path) -> String {
    let said = std::fs::read_to_string(log).unwrap_or_default();
    let (notes, rest): (Vec<&str>, Vec<&str>) = said.lines().partition(|l| l.starts_with(NOTE));
    notes.iter().for_each(|n| note(&n[NOTE.len()..]));
    let rest = rest.join("\n");
    rest.trim().trim_start_matches("error: ").to_owned()
}

/// What the process of a lab said that ended before it was up.
fn not_up(status: ExitStatus, log: &Path) -> Result<Exit, Failure> {
    let text = pass_on(log);
    drop(std::fs::remove_file(log));
    match status.code() {
        // `FARPATH_LAB=auto`, and this machine cannot run a lab.
        Some(0) => Ok(Exit::Ok),
        Some(2) => Err(Failure::usage(text)),
        // It was killed, and had said nothing.
        _ if text.is_empty() => Err(Failure::environment(format!(
            "the process of the lab ended before it was up: {status}"
        ))
        .hint("`dmesg` names what the kernel killed where memory was short; then run it again")),
        _ => Err(Failure::environment(text)),
    }
}

/// A running lab and what its scenario has become.
struct Running {
    name: String,
    present: Present,
    source: String,
    sets: Vec<Set>,
    listener: Listener,
    lately: Lately,
    /// What hosts feel of their links now.
    felt: Vec<Bucket>,
}

fn here(name: &str, args: &LabUpArgs) -> Result<Exit, Failure> {
    let bar = &mut Bar::new();
    if lab::prepare(bar)?.is_some() {
        return Ok(Exit::Ok);
    }
    progress::watch_interrupts()?;
    let mut state = registry()?
        .create(name, &args.scenario)
        .map_err(Fault::from)?;
    if let Some(cleaned) = &state.note {
        note(cleaned);
    }
    let sets = sets(&args.sets)?;
    let scenario = open(&args.scenario, &sets)?.scenario;
    let mut ground = ground(&scenario, &args.control)?;
    resolve(&mut ground, &args.control);
    lab::tell(&ground.layouts, bar);
    let options = Options {
        seed: args.seed.unwrap_or(scenario.seed),
        sampling: Sampling::OFF,
        polling: lab::polling(args.control.busy),
        changes: true,
        ..Options::default()
    };
    let mut lab = ground.up(&scenario, options, bar)?;
    state.set_hosts(&lab.hosts).map_err(Failure::environment)?;
    let listener = Listener::new(state.folder()).map_err(Failure::environment)?;
    let mut running = Running {
        name: name.to_owned(),
        felt: buckets(&scenario).unwrap_or_default(),
        present: Present::new(scenario),
        source: args.scenario.clone(),
        sets,
        listener,
        lately: Lately::default(),
    };
    // Whoever waits for this line goes on; nobody need.
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{READY}").and_then(|()| out.flush()));
    let hosts = std::mem::take(&mut lab.hosts);
    let ran = std::thread::scope(|scope| {
        let mut ending = None;
        lab.run(Clock::start(Duration::ZERO), |plane, now, fidelity| {
            for bucket in running.turn(plane, now, fidelity) {
                // Not in the data plane's own thread: it takes some milliseconds.
                let host = &hosts[bucket.host];
                scope.spawn(move || shape(host, &bucket));
            }
            if progress::interrupted() && ending.is_none() {
                ending = Some(scope.spawn(|| dismiss(&hosts)));
            }
            ending.as_ref().is_none_or(|ending| !ending.is_finished())
        })
    });
    lab.hosts = hosts;
    ran.map_err(Fault::from)?;
    let (certificate, _) = lab.certificate_of_programs();
    note(&certificate.line());
    certificate.notes().iter().for_each(|n| note(n));
    drop(lab);
    ground.restore()?;
    drop(std::fs::remove_file(registry()?.log_of(name))); // It ended as requested.
    Ok(Exit::Ok)
}

/// Has a host feel another rate of an interface.
fn shape(host: &Host, bucket: &Bucket) {
    if let Err(e) = host.shape(&bucket.interface, bucket.shaping) {
        note(&format!(
            "`{}` still feels the old rate of {}: {e}",
            host.name, bucket.interface
        ));
    }
}

/// Asks what runs in the hosts to end, while the path is there, and waits for it, but not for ever.
fn dismiss(hosts: &[Host]) {
    let programs: Vec<Process> = hosts.iter().flat_map(|h| h.init.programs(None)).collect();
    let begun = Instant::now();
    Process::dismiss(&programs, || begun.elapsed() < GRACE);
}

/// What the hosts stand on. A lab is used by hand: a congestion control that only the scenario's tests name may be
/// missing, with a note; one named with `--cc` may not.
fn ground(scenario: &Scenario, wanted: &LabControl) -> Result<Ground, Failure> {
    let bar = &mut Bar::new();
    let mut programs = Programs::new(bar)?;
    let control = match &wanted.cc {
        Some(cc) => Some(programs.of_option(cc, bar)?),
        None => {
            for tcp in scenario.tests.iter().filter_map(|t| t.kind.tcp()) {
                if let Err(fault) = programs.of_test(&tcp.cc, bar) {
                    note(&Failure::from(fault).to_string());
                }
            }
            None
        }
    };
    Ok(Ground::prepare(
        scenario,
        (programs, control),
        wanted.tune_host,
        bar,
    )?)
}

impl Running {
    /// Answers who asks, and says which interfaces feel another rate now.
    fn turn(&mut self, plane: &mut Plane<Tap>, now: Time, fidelity: &Fidelity) -> Vec<Bucket> {
        let mut felt = Vec::new();
        self.present.happens(plane);
        let (present, source, sets) = (&mut self.present, &self.source, &mut self.sets);
        self.lately.note(plane, now);
        let (lately, name) = (&self.lately, self.name.as_str());
        self.listener.serve(|request| match request {
            Request::Status => {
                plane.catch_up();
                let snapshot = Snapshot::of(plane, &present.scenario, (now, fidelity), lately);
                Answer::Said(serde_json::to_string(&snapshot).unwrap_or_default())
            }
            Request::Set(wanted) => {
                match change::planned(plane, (name, &*present, source), sets, &wanted) {
                    Err(why) => Answer::Wrong(why),
                    Ok(mut planned) => {
                        let said = planned.apply(plane);
                        let old = &present.scenario;
                        felt = other_buckets(old, &planned.scenario, &mut self.felt);
                        (present.scenario, present.limits) = (planned.scenario, planned.limits);
                        *sets = planned.sets;
                        Answer::Said(said)
                    }
                }
            }
        });
        felt
    }
}

/// Interfaces of hosts that are shaped otherwise in `new` than in `old`, as in `new`.
/// `felt` is what they are now.
fn other_buckets(old: &Scenario, new: &Scenario, felt: &mut [Bucket]) -> Vec<Bucket> {
    // Both have been planned: they run.
    let [old, new] = [old, new].map(|s| buckets(s).unwrap_or_default());
    let mut others = Vec::new();
    for ((old, mut new), felt) in old.into_iter().zip(new).zip(felt) {
        if old != new {
            new.shaping = new.shaping.map(|s| s.after(felt.shaping));
            felt.shaping = new.shaping;
            others.push(new);
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_runs_have_are_refused() {
        let said = not_of_a_run("run-1").map_err(|f| f.to_string());
        assert!(said.is_err_and(|s| s.contains("--lab path-1")));
        for name in ["lab", "run", "run-", "run-a", "rerun-1"] {
            assert!(not_of_a_run(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_lab_that_was_killed_before_it_was_up_is_said() {
        use std::os::unix::process::ExitStatusExt;
        let folder = tempfile::tempdir().expect("a folder");
        let said = |text: &str| {
            let log = folder.path().join("lab.log");
            std::fs::write(&log, text).expect("writable");
            let failed = not_up(ExitStatus::from_raw(9), &log).map_err(|f| f.to_string());
            assert!(!log.exists());
            failed.expect_err("it is not up")
        };
        assert!(said("").contains("ended before it was up: signal: 9"));
        assert_eq!(said("error: too many hosts\n"), "too many hosts");
    }

    #[test]
    fn a_host_is_to_feel_the_new_rate_of_its_own_link() {
        let read = |rate: &str, delay: &str| {
            let text = format!(
                "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[router]]\nname = \"r\"\n\
                 [[link]]\nname = \"near\"\nends = [\"a\", \"r\"]\nrate = \"{rate}\"\n\
                 [[link]]\nname = \"far\"\nends = [\"r\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"{delay}\"\n\
                 [[test]]\nname = \"t\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\ncount = 1\n"
            );
            let name = "x.toml".to_owned();
            farpath_scenario::parse(&farpath_scenario::Source { name, text }, &[])
                .expect("it is one")
        };
        let old = read("100 Mbit/s", "1 ms");
        let other = |rate, delay| {
            let mut felt = buckets(&old).expect("it can be planned");
            other_buckets(&old, &read(rate, delay), &mut felt)
        };
        assert_eq!(other("100 Mbit/s", "9 ms"), []);
        let faster = other("1 Gbit/s", "1 ms");
        let [bucket] = &faster[..] else {
            panic!("{faster:?}");
        };
        assert_eq!((bucket.host, bucket.interface.as_str()), (0, "eth0"));
        let rate = bucket.shaping.map_or(0, |s| s.rate.as_bps());
        assert!(rate > 900_000_000, "{bucket:?}");
        // What waits was built for 5 ms at 100 Mbit/s, and has to fit.
        let slower = other("1 Mbit/s", "1 ms")[0].shaping;
        let burst = slower.map_or(0, |s| s.burst.as_bytes());
        assert!((60_000..62_500).contains(&burst), "{slower:?}");
        // Faster than a bucket is of use.
        assert_eq!(other("100 Gbit/s", "1 ms")[0].shaping, None);
    }
}
