//! `farpath lab run`: one command across one path.

use std::process::{Child, ExitCode, Stdio};
use std::time::{Duration as Wall, Instant};

use farpath_emu::lab::{Beside, Lab, Options};
use farpath_emu::{Host, Process};
use farpath_experiment::{Fault, Hosts, plan_jobs, records};
use farpath_record::{Certificate, Origin};
use farpath_report::junit::{Case, Outcome, write_cases};
use farpath_scenario::plan::{Plan, address};
use farpath_scenario::{Scenario, Source, parse};
use farpath_units::Time;

use super::connections::Connections;
use super::logs::Logs;
use super::{environment, one_path};
use crate::args::LabRunArgs;
use crate::exit::{Failure, note};
use crate::progress::{self, Bar};
use farpath_experiment::algorithms::Programs;
use farpath_experiment::lab::{self, Ground};

/// Faults of the lab itself.
const FAULT: u8 = 125;

/// How often to check whether the command has ended, and the shortest and longest time between two samples of its
/// connections. A longer run is sampled less often; the connections of a short command are short.
const LOOK: Wall = Wall::from_millis(10);
const LOOKS: [Wall; 2] = [Wall::from_millis(50), Wall::from_millis(500)];

/// How often to read how many sockets a host has, and their table while that number stays the same.
const COUNT: Wall = Wall::from_millis(25);
const TABLE: Wall = Wall::from_secs(1);

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
    let bar = &mut Bar::new();
    if !lab::prepare(bar)? {
        if let Some(file) = junit {
            let skip = || Outcome::Skip(lab::NOT_RUN.to_owned());
            file.write(&junit_text(named(args, [skip(), skip()]))?)?;
        }
        return Ok(0);
    }
    progress::watch_interrupts()?;
    let scenario = scenario(args)?;
    let mut programs = Programs::new(bar)?;
    let control = args
        .control
        .cc
        .as_deref()
        .map(|cc| programs.of_option(cc, bar));
    let ground = Ground::prepare(
        &scenario,
        (programs, control.transpose()?),
        args.control.tune_host,
        bar,
    )?;
    let options = Options {
        seed: args.seed,
        polling: lab::polling(args.control.busy),
        ..Options::default()
    };
    let mut lab = ground.up(&scenario, options, bar)?;
    let mut logs = Logs::new(args.logs.as_deref())?;
    let hosts = std::mem::take(&mut lab.hosts);
    let outcome = both(args, &scenario, (&mut lab, &hosts), &mut logs)?;
    lab.hosts = hosts;
    let certificate = lab.certificate_of_programs();
    let swallowed = lab::swallowed(&lab);
    // The hosts end first: what the programs have left running in them may hold their output.
    drop(lab);
    logs.finish()?;
    let (code, rtt, limit) = outcome;
    say(rtt, &certificate, limit.as_deref());
    swallowed.iter().for_each(|s| note(s));
    if let Some(file) = junit {
        file.write(&junit_text(cases(args, code, &certificate))?)?;
    }
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
    certificate.notes().iter().for_each(|n| note(n));
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
    (lab, hosts): (&mut Lab, &[Host]),
    logs: &mut Logs<'_>,
) -> Result<(u8, Option<f64>, Option<String>), Failure> {
    let plan = Plan::new(scenario).map_err(environment)?;
    let planned = plan_jobs(scenario, &plan, args.seed, &Hosts::at(&address));
    let (mut conductor, clock) = lab::begin(&planned, hosts)?;
    let bdp = bdp(scenario);
    let done = lab.run_beside(clock, |beside| {
        let done = programs(args, hosts, beside, logs);
        conductor.stop();
        while !beside.is_over() && !conductor.listen(LOOK) && !progress::interrupted() {}
        done
    });
    let (code, connections) = done.map_err(Fault::from)??;
    let results = conductor.finish();
    let at = Default::default();
    let found = records(
        scenario,
        &plan,
        (&planned, &results),
        Origin::Emulated,
        &at,
        &|_| None,
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
    logs: &mut Logs<'_>,
) -> Result<(u8, Connections), Failure> {
    let mut server = match &args.server {
        Some(text) => {
            let mut command = hosts[1].command("sh");
            command.args(["-c", text]).stdin(Stdio::null());
            Some(logs.spawn(&mut command, "server")?)
        }
        None => None,
    };
    if let (Some(server), Some(port)) = (&mut server, args.wait_port) {
        wait_for(server, hosts[1].init, port, beside)?;
    }
    // Until the clock runs, packets stand still.
    while beside.now() == Time::ZERO && !beside.is_over() {
        std::thread::park_timeout(LOOK);
    }
    let (program, arguments) = args.command.split_first().ok_or_else(super::no_command)?;
    // In this process's group, or it could not read from a terminal.
    let mut command = hosts[0].init.command(program);
    command.args(arguments);
    let mut client = logs.spawn(&mut command, "client")?;
    let mut connections = Connections::default();
    let (started, mut next_look) = (Instant::now(), LOOKS[0]);
    let code = loop {
        if let Some(status) = client.try_wait().map_err(environment)? {
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
            // A sample costs more than everything else an idle lab does.
            let sampled = match sockets_in_use(hosts[0].init) {
                0 => &[],
                _ => hosts,
            };
            for host in sampled {
                let output = Connections::sample(&mut host.command("ss")).output();
                if let Ok(output) = output {
                    connections.note(beside.now(), &String::from_utf8_lossy(&output.stdout));
                }
            }
        }
        std::thread::park_timeout(LOOK);
    };
    if let Some(mut server) = server {
        if let Ok(Some(status)) = server.try_wait()
            && !status.success()
        {
            note(&format!(
                "the server had ended before the command did: {status}"
            ));
        }
        drop(server.kill());
        drop(server.wait());
    }
    Ok((code, connections))
}

/// Waits until something in the host listens on a TCP port.
fn wait_for(server: &mut Child, host: Process, port: u16, beside: &Beside) -> Result<(), Failure> {
    let started = Instant::now();
    let mut seen = (0, started);
    loop {
        let in_use = sockets_in_use(host);
        if in_use > 0 && (in_use != seen.0 || seen.1.elapsed() > TABLE) {
            let files = ["tcp", "tcp6"].map(|name| of_host(host, name));
            if files.iter().any(|table| listens(table, port)) {
                return Ok(());
            }
            seen = (in_use, Instant::now());
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
        std::thread::park_timeout(COUNT);
    }
}

/// A file of `/proc/net`, as the host has it.
fn of_host(host: Process, name: &str) -> String {
    std::fs::read_to_string(format!("/proc/{}/net/{name}", host.pid)).unwrap_or_default()
}

/// How many TCP sockets a host has, listening and connected. The kernel keeps count; for the table itself it walks through
/// the sockets of all namespaces, which takes milliseconds.
fn sockets_in_use(host: Process) -> u64 {
    in_use(&of_host(host, "sockstat")) + in_use(&of_host(host, "sockstat6"))
}

/// `TCP: inuse 3 orphan 0` of `/proc/net/sockstat`, `TCP6: inuse 3` of its like.
fn in_use(sockstat: &str) -> u64 {
    sockstat.lines().fold(0, |sum, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["TCP:" | "TCP6:", "inuse", count, ..] => sum + count.parse().unwrap_or(0),
            _ => sum,
        }
    })
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

#[cfg(test)]
mod tests {
    use super::{in_use, listens};

    #[test]
    fn a_listening_port_is_found() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
            0: 00000000:1451 00000000:0000 0A 00000000:00000000\n   \
            1: 0100007F:1452 0100007F:9999 01 00000000:00000000\n";
        assert!(listens(table, 0x1451));
        assert!(!listens(table, 0x1452));
        assert!(!listens("", 80));
    }

    #[test]
    fn sockets_are_counted_without_their_table() {
        let text =
            "sockets: used 9\nTCP: inuse 3 orphan 1 tw 0 alloc 7 mem 103\nUDP: inuse 4 mem 2\n";
        assert_eq!(in_use(text), 3);
        assert_eq!(in_use("TCP6: inuse 2\nUDP6: inuse 1\n"), 2);
        assert_eq!(in_use(""), 0);
    }
}
