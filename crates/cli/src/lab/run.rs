//! `farpath lab run`: one command across one path.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration as Wall, Instant};

use farpath_emu::lab::{Beside, Lab, Options};
use farpath_emu::{Host, Process};
use farpath_probe::{Hosts, plan_jobs, records};
use farpath_record::{Certificate, Origin};
use farpath_report::junit::{Case, Outcome, write_cases};
use farpath_scenario::plan::{Plan, address};
use farpath_scenario::{Scenario, Source, parse};
use farpath_units::Time;

use super::connections::Connections;
use super::{environment, one_path};
use crate::algorithms::Programs;
use crate::args::LabRunArgs;
use crate::emulate::{self, Ground};
use crate::exit::{Failure, note};
use crate::progress;

/// Faults of the lab itself.
const FAULT: u8 = 125;

/// Between two looks at the command, and at its connections: these grow apart, for a short command has short ones.
const LOOK: Wall = Wall::from_millis(10);
const LOOKS: [Wall; 2] = [Wall::from_millis(50), Wall::from_millis(500)];

/// How long a server may take until it listens.
const WAIT: Wall = Wall::from_secs(120);

pub(crate) fn run(args: &LabRunArgs) -> ExitCode {
    match attempt(args) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let own = failure.report();
            // That of another kind would look like the command's.
            if failure.is_interruption() {
                own
            } else {
                ExitCode::from(FAULT)
            }
        }
    }
}

fn attempt(args: &LabRunArgs) -> Result<u8, Failure> {
    let junit = args
        .junit
        .as_deref()
        .map(crate::output::prepare_file)
        .transpose()?;
    if !emulate::prepare()? {
        if let Some(file) = junit {
            let skip = || Outcome::Skip(emulate::NOT_RUN.to_owned());
            file.write(&junit_text(named(args, [skip(), skip()]))?)?;
        }
        return Ok(0);
    }
    progress::watch_interrupts()?;
    let scenario = scenario(args)?;
    let mut programs = Programs::new()?;
    let control = args.control.cc.as_deref().map(|cc| programs.of_option(cc));
    let ground = Ground::prepare(
        &scenario,
        programs,
        control.transpose()?,
        args.control.tune_host,
    )?;
    let options = Options {
        seed: args.seed,
        polling: emulate::polling(args.busy),
        ..Options::default()
    };
    let mut lab = ground.up(&scenario, options)?;
    let hosts = std::mem::take(&mut lab.hosts);
    let outcome = both(args, &scenario, &mut lab, &hosts)?;
    lab.hosts = hosts;
    let certificate = lab.certificate(Vec::new());
    let (code, rtt, limit) = outcome;
    say(rtt, &certificate, limit.as_deref());
    emulate::swallowed(&lab).iter().for_each(|s| note(s));
    if let Some(file) = junit {
        file.write(&junit_text(cases(args, code, &certificate))?)?;
    }
    drop(lab);
    ground.restore()?;
    Ok(code)
}

/// The one closing line, and what made the run invalid if something did.
fn say(rtt: Option<f64>, certificate: &Certificate, limit: Option<&str>) {
    let rtt = rtt.map_or("no RTT measured".to_owned(), |ns| {
        format!("RTT {:.2} ms p99", ns / 1e6)
    });
    let verdict = if certificate.valid {
        "valid"
    } else {
        "INVALID"
    };
    let limit = limit.map_or(String::new(), |l| format!("; {l}"));
    note(&format!("{rtt}, certificate {verdict}{limit}"));
    certificate.faults.iter().for_each(|f| note(f));
}

fn cases(args: &LabRunArgs, code: u8, certificate: &Certificate) -> [Case; 2] {
    let command = match code {
        0 => Outcome::Pass,
        code => Outcome::Fail(format!("exit code {code}")),
    };
    named(args, [command, certificate.into()])
}

/// What came of the command and of the certificate.
fn named(args: &LabRunArgs, [command, truth]: [Outcome; 2]) -> [Case; 2] {
    let words: Vec<_> = args.command.iter().map(|w| w.to_string_lossy()).collect();
    let case = |name: String, outcome| Case { name, outcome };
    [
        case(words.join(" "), command),
        case("certificate".to_owned(), truth),
    ]
}

fn junit_text(cases: [Case; 2]) -> Result<Vec<u8>, Failure> {
    let mut xml = Vec::new();
    write_cases("farpath lab run", &cases, &mut xml).map_err(environment)?;
    Ok(xml)
}

fn scenario(args: &LabRunArgs) -> Result<Scenario, Failure> {
    let source = Source {
        name: "the path of the command line".to_owned(),
        text: one_path::text(&args.path)?,
    };
    parse(&source, &[]).map_err(|e| Failure::usage(e.to_string()))
}

/// Runs the server, then the command, with the path at work and its RTT measured: exit code, the RTT's 99th
/// percentile in nanoseconds, and what limited the command.
fn both(
    args: &LabRunArgs,
    scenario: &Scenario,
    lab: &mut Lab,
    hosts: &[Host],
) -> Result<(u8, Option<f64>, Option<String>), Failure> {
    let plan = Plan::new(scenario).map_err(environment)?;
    let planned = plan_jobs(scenario, &plan, args.seed, &Hosts::at(&address));
    let (mut conductor, clock) = emulate::begin(&planned, hosts)?;
    let bdp = bdp(scenario);
    let done = lab.run_beside(clock, |beside| {
        let done = programs(args, hosts, beside);
        conductor.stop();
        while !beside.is_over() && !conductor.listen(LOOK) {}
        done
    });
    let (code, connections) = done.map_err(emulate::failure)??;
    let results = conductor.finish();
    let none = |_: usize, _: u64, _: u64| None;
    let at = Default::default();
    let found = records(
        scenario,
        &plan,
        (&planned, &results),
        Origin::Emulated,
        &at,
        &none,
    );
    let rtt = found
        .first()
        .and_then(|r| r.metrics.get("rtt_p99_ns").copied());
    Ok((code, rtt, connections.line(bdp)))
}

fn bdp(scenario: &Scenario) -> u64 {
    let path = scenario.links.iter().find(|l| l.name == one_path::PATH);
    path.map_or(0, |link| {
        let direction = &link.directions[0];
        let rtt = direction.delay + direction.delay;
        direction.rate.bytes_in(rtt).as_bytes()
    })
}

fn programs(
    args: &LabRunArgs,
    hosts: &[Host],
    beside: &Beside,
) -> Result<(u8, Connections), Failure> {
    let mut server = match &args.server {
        Some(text) => Some(start_server(args, &hosts[1], text)?),
        None => None,
    };
    if let (Some(server), Some(port)) = (&mut server, args.wait_port) {
        wait_for(&mut server.0, hosts[1].init, port, beside)?;
    }
    // Until the clock runs, packets stand still.
    while beside.now() == Time::ZERO && !beside.is_over() {
        std::thread::park_timeout(LOOK);
    }
    let (program, arguments) = args.command.split_first().ok_or_else(super::no_command)?;
    let mut command = hosts[0].command(program);
    command.args(arguments);
    let mut client = Logged::spawn(&mut command, args.logs.as_deref(), "client")?;
    let mut connections = Connections::default();
    let (started, mut next_look) = (Instant::now(), LOOKS[0]);
    let code = loop {
        if let Some(status) = client.0.try_wait().map_err(environment)? {
            break status.code().map_or(FAULT, |c| c.clamp(0, 255) as u8);
        }
        if progress::interrupted() {
            return Err(Failure::interrupted("interrupted; both hosts are gone"));
        }
        if beside.is_over() {
            return Err(Failure::environment(
                "the path ended before the command did",
            ));
        }
        if started.elapsed() >= next_look {
            next_look = started.elapsed() + (started.elapsed() / 2).clamp(LOOKS[0], LOOKS[1]);
            for host in hosts {
                let output = Connections::look(&mut host.command("ss")).output();
                if let Ok(output) = output {
                    connections.note(&String::from_utf8_lossy(&output.stdout));
                }
            }
        }
        std::thread::park_timeout(LOOK);
    };
    client.end();
    if let Some(mut server) = server {
        server.end();
    }
    Ok((code, connections))
}

fn start_server(args: &LabRunArgs, host: &Host, text: &str) -> Result<Logged, Failure> {
    let mut command = host.command("sh");
    command.args(["-c", text]).stdin(Stdio::null());
    Logged::spawn(&mut command, args.logs.as_deref(), "server")
}

/// Waits until something in the host listens on a TCP port.
fn wait_for(server: &mut Child, host: Process, port: u16, beside: &Beside) -> Result<(), Failure> {
    let started = Instant::now();
    loop {
        let files = ["tcp", "tcp6"].map(|name| format!("/proc/{}/net/{name}", host.pid));
        let tables = files.map(|f| std::fs::read_to_string(f).unwrap_or_default());
        if tables.iter().any(|t| listens(t, port)) {
            return Ok(());
        }
        if let Some(status) = server.try_wait().map_err(environment)? {
            return Err(Failure::environment(format!(
                "the server ended before it listened on port {port}: {status}"
            )));
        }
        if progress::interrupted() {
            return Err(Failure::interrupted(format!(
                "nothing listens on port {port} yet"
            )));
        }
        if beside.is_over() || started.elapsed() > WAIT {
            return Err(Failure::environment(format!(
                "nothing listened on port {port} of `server` in {:.0} s: does it listen on that port, and on 0.0.0.0 or ::?",
                started.elapsed().as_secs_f64()
            )));
        }
        std::thread::park_timeout(LOOK);
    }
}

/// Whether a table of sockets has one that listens on `port`: state 0A, the local address second.
fn listens(table: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let local = words.next().and_then(|a| a.rsplit_once(':'));
        let state = words.nth(1);
        let own = local.and_then(|(_, p)| u16::from_str_radix(p, 16).ok());
        own == Some(port) && state == Some("0A")
    })
}

/// A program whose output goes to the terminal and, if wanted, to a file as well.
struct Logged(Child, Vec<std::thread::JoinHandle<io::Result<()>>>);

impl Logged {
    fn spawn(command: &mut Command, logs: Option<&Path>, name: &str) -> Result<Logged, Failure> {
        let Some(folder) = logs else {
            return Ok(Logged(command.spawn().map_err(environment)?, Vec::new()));
        };
        std::fs::create_dir_all(folder).map_err(environment)?;
        let path = folder.join(format!("{name}.log"));
        let file = File::create(&path)
            .map_err(|e| Failure::environment(format!("write {}: {e}", path.display())))?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(environment)?;
        let mut copies = Vec::new();
        if let (Some(out), Ok(file)) = (child.stdout.take(), file.try_clone()) {
            copies.push(std::thread::spawn(move || {
                copy(out, &mut io::stdout(), file)
            }));
        }
        if let Some(err) = child.stderr.take() {
            copies.push(std::thread::spawn(move || {
                copy(err, &mut io::stderr(), file)
            }));
        }
        Ok(Logged(child, copies))
    }

    /// Ends it if it has not ended, and writes the rest of what it said.
    fn end(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
        for copy in self.1.drain(..) {
            drop(copy.join());
        }
    }
}

fn copy(mut from: impl Read, to: &mut impl Write, mut file: File) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        file.write_all(&buffer[..n])?;
        to.write_all(&buffer[..n])?;
        to.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::listens;

    #[test]
    fn a_listening_port_is_found() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
            0: 00000000:1451 00000000:0000 0A 00000000:00000000\n   \
            1: 0100007F:1452 0100007F:9999 01 00000000:00000000\n";
        assert!(listens(table, 0x1451));
        assert!(!listens(table, 0x1452));
        assert!(!listens("", 80));
    }
}
