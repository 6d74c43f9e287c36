//! `farpath lab run`: one command across one path.

use std::process::ExitCode;
use std::time::Duration as Wall;

use farpath_element::Sampling;
use farpath_emu::Host;
use farpath_emu::lab::{Lab, Options};
use farpath_experiment::algorithms::Programs;
use farpath_experiment::lab::{self, Ground};
use farpath_experiment::{Fault, Hosts, plan_jobs, records};
use farpath_record::{Certificate, Origin};
use farpath_report::junit::{Case, Outcome, Told, write_cases};
use farpath_scenario::plan::{Plan, address};
use farpath_units::Duration;
use serde::Serialize;

use super::connections::Busiest;
use super::datagrams::{self, Sent};
use super::logs::Logs;
use super::packets::Packets;
use super::path::Path;
use super::programs::{self, CHECK, Ended};
use super::{FAULT, environment};
use crate::args::LabRunArgs;
use crate::exit::{Exit, Failure, note};
use crate::output::{Pending, prepare_file};
use crate::progress::{self, Bar};
use crate::value::maybe;

/// What the links carried is noted ten times a second, for an hour.
const SAMPLING: Sampling = Sampling {
    every: Duration::from_ms(100),
    count: 36_000,
};

/// The name of what `--json` writes.
const SCHEMA: &str = "farpath.lab-run/1";

/// What came of a run: the exit code, of the command or of the certificate, and the cases of JUnit.
struct Outcomes {
    code: u8,
    command: Outcome,
    /// How long the command ran.
    took: Option<Wall>,
    /// Of a run with a server.
    server: Option<Outcome>,
    certificate: Outcome,
    /// The closing line.
    said: String,
    /// What `--json` writes.
    report: Option<Report>,
}

/// What `--json` writes.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    command: String,
    exit_code: u8,
    /// Why there was no run, or why it did not end.
    fault: Option<String>,
    took_ns: Option<u64>,
    /// Of the lab's own ping; none where no answer came.
    rtt_p99_ns: Option<f64>,
    certificate: Option<Certificate>,
    /// The connection that carried most; none where there was none, or too short a one.
    connection: Option<Busiest>,
    /// Of each of the two hosts that sent any.
    datagrams: Vec<Sent>,
}

impl Report {
    /// That of a run that came to nothing.
    fn none(args: &LabRunArgs, exit_code: u8, why: &str) -> Report {
        Report {
            schema: SCHEMA,
            command: words(args),
            exit_code,
            fault: Some(why.to_owned()),
            took_ns: None,
            rtt_p99_ns: None,
            certificate: None,
            connection: None,
            datagrams: Vec::new(),
        }
    }
}

impl Outcomes {
    /// Those of a run that came to nothing.
    fn none(args: &LabRunArgs, code: u8, command: Outcome, why: &str) -> Outcomes {
        let skip = || Outcome::Skip(why.to_owned());
        Outcomes {
            code,
            command,
            took: None,
            server: args.server.as_ref().map(|_| skip()),
            certificate: skip(),
            said: String::new(),
            report: Some(Report::none(args, code, why)),
        }
    }
}

pub(crate) fn run(args: &LabRunArgs) -> ExitCode {
    match junit_and_run(args) {
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

/// The run, and its JUnit whatever came of it.
fn junit_and_run(args: &LabRunArgs) -> Result<u8, Failure> {
    let junit = args.junit.as_deref().map(prepare_file).transpose()?;
    let json = args.json.as_deref().map(prepare_file).transpose()?;
    let mut ran = attempt(args);
    let report = match &mut ran {
        Ok(outcomes) => outcomes.report.take(),
        Err(fault) => {
            let interrupted = fault.is_interruption().then_some(Exit::Interrupted as u8);
            let code = interrupted.unwrap_or(FAULT);
            Some(Report::none(args, code, &fault.to_string()))
        }
    };
    if let Some((file, report)) = json.zip(report) {
        let mut text = serde_json::to_string_pretty(&report).map_err(environment)?;
        text.push('\n');
        file.write(text.as_bytes())?;
    }
    let Some(file) = junit else {
        return ran.map(|o| o.code);
    };
    match ran {
        Err(failure) => {
            let (command, certificate) = match failure.is_interruption() {
                true => (failure.to_string(), "the run did not end"),
                false => (format!("not run: {failure}"), "there was no run"),
            };
            let mut fault = Outcomes::none(args, FAULT, Outcome::Fail(command), certificate);
            if failure.is_of_server() {
                fault.server = Some(Outcome::Fail(failure.to_string()));
                fault.command = Outcome::Skip("the server did not listen".to_owned());
            }
            write_junit(args, file, fault)?;
            Err(failure)
        }
        Ok(outcomes) => write_junit(args, file, outcomes),
    }
}

fn attempt(args: &LabRunArgs) -> Result<Outcomes, Failure> {
    // What is wrong with the arguments is said wherever they are read.
    let limit: Option<Duration> = maybe("timeout", args.timeout.as_deref())?;
    let path = Path::of(args)?;
    let mut logs = Logs::new(args.logs.as_deref())?;
    let mut packets = Packets::new(args.capture.as_deref(), &path.scenario)?;
    let bar = &mut Bar::new();
    if let Some(why) = lab::prepare(bar)? {
        let skip = Outcome::Skip(why.clone());
        return Ok(Outcomes::none(args, Exit::Ok as u8, skip, &why));
    }
    progress::watch_interrupts()?;
    let ground = ground(args, &path, bar)?;
    let control = lab::control(&ground.layouts, path.hosts[0]);
    // Where no folder can be made it is not listed, and runs all the same.
    let listed = ground
        .registry
        .create_for(&words(args), &path.scenario.name);
    let mut listed = listed.ok();
    let options = Options {
        seed: args.seed.unwrap_or(path.scenario.seed),
        sampling: SAMPLING,
        polling: lab::polling(args.control.busy),
        ..Options::default()
    };
    let mut lab = ground.up(&path.scenario, options, bar)?;
    packets.begin(&mut lab)?;
    if let Some(listed) = &mut listed {
        listed.set_hosts(&lab.hosts).map_err(environment)?;
    }
    let hosts = std::mem::take(&mut lab.hosts);
    let limit = limit.map(|limit| Wall::from_nanos(limit.as_ns()));
    let (ended, rtt) = both(args, (&path, limit), (&mut lab, &hosts), &mut logs)?;
    lab.hosts = hosts;
    let certificate = lab.certificate_of_programs();
    let swallowed = lab::swallowed(&lab);
    let connection = limit_of(&ended, &path, &lab);
    let datagrams = datagrams::sent(&path, &lab);
    // The hosts end first: what the programs have left running in them may hold their output.
    drop(lab);
    drop(listed);
    logs.finish()?;
    packets.finish(&certificate)?;
    let control = control.map(|c| match args.control.cc {
        Some(_) => format!("{c}, as --cc says"),
        None => format!("{c} by default"),
    });
    // What is said is of what carried most.
    let bytes: u64 = datagrams.iter().map(|sent| sent.bytes).sum();
    let limit = connection.as_ref().filter(|c| c.bytes_sent >= bytes);
    let limit = limit.map(|c| c.line.clone()).into_iter();
    let told: Vec<String> = limit.chain(datagrams.iter().map(Sent::line)).collect();
    let said = closing((rtt, control.as_deref()), &certificate, &told);
    say(&said, &certificate);
    swallowed.iter().for_each(|s| note(s));
    ground.restore()?;
    let report = Report {
        schema: SCHEMA,
        command: words(args),
        exit_code: ended.code,
        fault: None,
        took_ns: u64::try_from(ended.took.as_nanos()).ok(),
        rtt_p99_ns: rtt,
        certificate: Some(certificate),
        connection,
        datagrams,
    };
    Ok(outcomes(args, ended, said, report))
}

/// What limited the program's largest connection, by its samples and by what the links between the two hosts saw.
fn limit_of(ended: &Ended, path: &Path, lab: &Lab) -> Option<Busiest> {
    let evidence = lab::evidence(lab);
    let plan = &lab.plane.wan().plan;
    let ways = path.ways(plan).map(|dir| Some(evidence.way(dir)));
    ended.connections.told(ways)
}

/// What the hosts stand on, names resolving as the arguments say.
fn ground(args: &LabRunArgs, path: &Path, bar: &mut Bar) -> Result<Ground, Failure> {
    let mut programs = Programs::new(bar)?;
    let control = args.control.cc.as_deref();
    let control = control.map(|cc| programs.of_option(cc, bar));
    let programs = (programs, control.transpose()?);
    let mut ground = Ground::prepare(&path.scenario, programs, args.control.tune_host, bar)?;
    super::resolve(&mut ground, &args.control);
    if args.scenario.is_some() {
        lab::tell(&ground.layouts, bar);
    }
    Ok(ground)
}

/// The closing line, and what made the run invalid if something did.
fn say(closing: &str, certificate: &Certificate) {
    note(closing);
    certificate.faults.iter().for_each(|f| note(f));
    certificate.notes().iter().for_each(|n| note(n));
}

/// What the run came to, in one line.
fn closing(
    (rtt, control): (Option<f64>, Option<&str>),
    certificate: &Certificate,
    told: &[String],
) -> String {
    let rtt = rtt.map_or("no RTT measured".to_owned(), |ns| {
        format!("RTT {:.2} ms p99", ns / 1e6)
    });
    let verdict = if certificate.valid {
        "valid"
    } else {
        "INVALID"
    };
    let head = format!("{rtt}, certificate {verdict}");
    let control = control.map(str::to_owned).into_iter();
    let all = core::iter::once(head).chain(control);
    all.chain(told.iter().cloned())
        .collect::<Vec<String>>()
        .join("; ")
}

/// An invalid certificate says that the machine was too busy, and nothing of the program: it fails a run only where that
/// is asked for.
fn outcomes(args: &LabRunArgs, ended: Ended, said: String, report: Report) -> Outcomes {
    let failed = ended.server.map_or(Outcome::Pass, Outcome::Fail);
    let command = match (ended.code, ended.why) {
        (0, _) => Outcome::Pass,
        (_, Some(why)) => Outcome::Fail(why),
        (code, None) => Outcome::Fail(format!("exit code {code}")),
    };
    let certificate = report.certificate.as_ref();
    let (code, truth) = match certificate.map_or(Outcome::Pass, Outcome::from) {
        Outcome::Fail(why) if args.strict => (Exit::Certificate as u8, Outcome::Fail(why)),
        Outcome::Fail(why) => (ended.code, Outcome::Skip(format!("invalid: {why}"))),
        other => (ended.code, other),
    };
    Outcomes {
        code,
        command,
        took: Some(ended.took),
        server: args.server.as_ref().map(|_| failed),
        certificate: truth,
        said,
        report: Some(report),
    }
}

/// The command, as it was written.
fn words(args: &LabRunArgs) -> String {
    let words: Vec<_> = args.command.iter().map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}

/// The path and its hosts, as they were asked for: JUnit cases of other runs have other classes.
fn place(args: &LabRunArgs) -> String {
    let path = &args.path;
    let once = [
        ("rtt", &path.rtt),
        ("rate", &path.rate),
        ("loss", &path.loss),
        ("burst-loss", &path.burst_loss),
        ("jitter", &path.jitter),
        ("reorder", &path.reorder),
        ("duplicate", &path.duplicate),
        ("corrupt", &path.corrupt),
        ("queue", &path.queue),
        ("on", &args.on),
        ("server-on", &args.server_on),
        ("cc", &args.control.cc),
    ];
    let often = [
        ("down", &path.down),
        ("there", &path.there),
        ("back", &path.back),
        ("set", &args.sets),
    ];
    let numbers = [("mtu", path.mtu.map(u64::from)), ("seed", args.seed)];
    let once = once
        .into_iter()
        .map(|(name, value)| (name, value.as_slice()));
    let often = often
        .into_iter()
        .map(|(name, values)| (name, values.as_slice()));
    let options = once.chain(often).flat_map(|(name, values)| {
        let option = move |value| format!("--{name} {value}");
        values.iter().map(option)
    });
    let number = |(name, n): (&str, Option<u64>)| Some(format!("--{name} {}", n?));
    let numbers = numbers.into_iter().filter_map(number);
    let flags = [("-4", args.control.ipv4), ("-6", args.control.ipv6)];
    let flags = flags.into_iter().filter(|(_, given)| *given);
    let words = args.scenario.iter().cloned().chain(options).chain(numbers);
    let words = words.chain(flags.map(|(flag, _)| flag.to_owned()));
    words.collect::<Vec<String>>().join(" ")
}

/// Writes what came of the command and of the certificate; returns the exit code.
fn write_junit(args: &LabRunArgs, file: Pending, outcomes: Outcomes) -> Result<u8, Failure> {
    let case = |name: &str, outcome| {
        Told::from(Case {
            name: name.to_owned(),
            outcome,
        })
    };
    let mut command = case(&words(args), outcomes.command);
    command.took = outcomes.took;
    command.said = outcomes.said;
    let server = outcomes.server.map(|outcome| case("server", outcome));
    let certificate = case("certificate", outcomes.certificate);
    let cases: Vec<Told> = [Some(command), server, Some(certificate)]
        .into_iter()
        .flatten()
        .collect();
    let mut xml = Vec::new();
    let class = ["farpath lab run".to_owned(), place(args)].join(" ");
    write_cases(class.trim_end(), &cases, &mut xml).map_err(environment)?;
    file.write(&xml)?;
    Ok(outcomes.code)
}

/// Runs the server, then the command, with the path at work and its RTT measured: how the command ended, and the RTT's 99th
/// percentile in nanoseconds.
fn both(
    args: &LabRunArgs,
    (path, limit): (&Path, Option<Wall>),
    (lab, hosts): (&mut Lab, &[Host]),
    logs: &mut Logs<'_>,
) -> Result<(Ended, Option<f64>), Failure> {
    let [client, server] = path.hosts.map(|number| &hosts[number]);
    let holds = path.holds()?;
    let mut serving = programs::serve(args, (server, limit), logs)?;
    let scenario = &path.scenario;
    let plan = Plan::new(scenario).map_err(environment)?;
    let seed = args.seed.unwrap_or(scenario.seed);
    let mut planned = plan_jobs(scenario, &plan, seed, &Hosts::at(&address));
    planned.keep(&plan, path.ping());
    // The path's times count from the start of the command.
    let (mut conductor, clock) = lab::begin(&planned, hosts)?;
    let done = lab.run_beside(clock, |beside| {
        let mut done = programs::run(args, ([client, server], holds), limit, beside, logs);
        if let (Ok(ended), Some(server)) = (&mut done, serving.take()) {
            ended.server = programs::dismiss(server, ended.code);
        }
        conductor.stop();
        while !beside.is_over() && !conductor.listen(CHECK) && !progress::interrupted() {}
        done
    });
    let ended = done.map_err(Fault::from)??;
    let results = conductor.finish();
    let at = Default::default();
    let measured = (&planned, &results);
    let found = records(scenario, &plan, measured, Origin::Emulated, &at, &|_| None);
    let rtt = found.first().and_then(|r| r.metrics.get("rtt_p99_ns"));
    Ok((ended, rtt.copied()))
}
