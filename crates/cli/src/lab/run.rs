//! `farpath lab run`: one command across one path.

use std::net::SocketAddr;
use std::path::Path as File;
use std::process::ExitCode;
use std::time::Duration as Wall;

use farpath_emu::lab::{Lab, Options};
use farpath_emu::plane::{Opening, Turns, Way};
use farpath_emu::state::State;
use farpath_emu::{Held, Host, SMALLEST_IPV6_MTU};
use farpath_experiment::algorithms::Programs;
use farpath_experiment::lab::{self, Ground};
use farpath_experiment::{Fault, Hosts, plan_jobs, records};
use farpath_record::Origin;
use farpath_scenario::NodeId;
use farpath_scenario::plan::{Plan, address};
use farpath_units::Duration;

use super::at_rest::{AtRest, SAMPLING};
use super::busiest::Busiest;
use super::closing::{Rtt, closing, help, say, told, with_its_source};
use super::connections::Connections;
use super::crossed::Crossed;
use super::datagrams::{self, Sent};
use super::doubt::doubt;
use super::impaired::{self, Impaired};
use super::judged::is_strict;
use super::logs::Logs;
use super::name::Name;
use super::one_path;
use super::one_way;
use super::outcomes::{Outcomes, Report};
use super::packets::Packets;
use super::path::Path;
use super::programs::{self, By, Ended, FAULT};
use super::refused::{self, Refused};
use super::reports::{Files, together};
use super::resolver::resolve;
use super::sockets;
use super::unreached::unreached;
use super::watch::{CHECK, Watch, has_port};
use crate::args::LabRunArgs;
use crate::exit::{Exit, Failure, note, print};
use crate::progress::{self, Bar};
use crate::run::sets;
use crate::shell;
use crate::value::read;

/// Runs it, unless that is `refused`.
pub(crate) fn run(args: &LabRunArgs, refused: Option<Failure>) -> ExitCode {
    match report_and_run(args, refused) {
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

/// Prints the path of the options as a scenario.
pub(super) fn show(args: &LabRunArgs) -> ExitCode {
    let text = sets(&args.sets).and_then(|changes| {
        let scenario = one_path::scenario(&args.path, changes.clone())?;
        let others = one_path::Others::of(args).by_default(lab::default_control(&scenario, 0));
        one_path::written(&args.path, changes, &others)
    });
    match text.and_then(|text| print(&text)) {
        Ok(()) => Exit::Ok.into(),
        Err(failure) => {
            let _usual = failure.report();
            ExitCode::from(FAULT)
        }
    }
}

/// The run, and its reports whatever came of it.
fn report_and_run(args: &LabRunArgs, refused: Option<Failure>) -> Result<u8, Failure> {
    // Until signals are watched they wait: a run that was interrupted has its reports, however early that was.
    let mut held = Held::hold();
    let name = Name::of(args);
    let files = Files::prepare(args.json.as_deref(), args.junit.as_deref())?;
    match refused.map_or_else(|| attempt(args, &name, &mut held), Err) {
        Ok(mut outcomes) => {
            let (code, end) = (outcomes.code, outcomes.report.end());
            let late = std::mem::take(&mut outcomes.late).into_iter();
            let late = late.map(|failure| failure.line(end.as_deref().unwrap_or_default()));
            let failed = late.chain(files.write(&name, outcomes));
            together(failed.collect()).map_or(Ok(code), Err)
        }
        Err(failure) => {
            // A report may wait for who reads it.
            progress::watch_interrupts()?;
            drop(held);
            let unwritten = files.write(&name, Outcomes::fault(&name, &failure));
            Err(unwritten.into_iter().fold(failure, Failure::also))
        }
    }
}

/// Writes to the reports that `words` name, a whole command line, why its arguments are not understood: those of an older
/// run would say something else.
pub(crate) fn report_refusal(words: &[String], failure: &Failure) -> Result<(), Failure> {
    let end = words.iter().position(|w| w == "--");
    let (own, command) = words.split_at(end.unwrap_or(words.len()));
    let file = |option: &str| {
        let apart = own.windows(2).find(|pair| pair[0] == option);
        let joined = own
            .iter()
            .find_map(|w| w.strip_prefix(option)?.strip_prefix('='));
        let file = apart.map(|pair| pair[1].as_str()).or(joined);
        file.filter(|f| *f == "-" || !(f.is_empty() || f.starts_with('-')))
            .map(File::new)
    };
    let name = Name {
        command: shell::line(command.get(1..).unwrap_or_default()),
        place: String::new(),
        has_server: false,
    };
    let files = Files::prepare(file("--json"), file("--junit"))?;
    together(files.write(&name, Outcomes::fault(&name, failure))).map_or(Ok(()), Err)
}

/// IPv6 has a smallest MTU.
fn check_mtu(args: &LabRunArgs) -> Result<(), Failure> {
    if let Some(mtu) = args.path.mtu.filter(|_| args.control.ipv6)
        && mtu < SMALLEST_IPV6_MTU
    {
        let title = format!("-6 --mtu {mtu}: IPv6 needs an MTU of {SMALLEST_IPV6_MTU} at least");
        return Err(
            Failure::usage(title).hint(format!("--mtu {SMALLEST_IPV6_MTU}, or -4 for IPv4 alone"))
        );
    }
    Ok(())
}

fn attempt(args: &LabRunArgs, name: &Name, held: &mut Option<Held>) -> Result<Outcomes, Failure> {
    // What is wrong with the arguments is said wherever they are read.
    let limit = limit(args.timeout.as_deref())?;
    check_mtu(args)?;
    let path = Path::of(args)?;
    if let Some(file) = &args.scenario {
        path.say_unjudged(file);
    }
    let mut logs = Logs::new(args.logs.as_deref())?;
    let mut packets = Packets::new(args.capture.as_deref(), &path.scenario)?;
    let bar = &mut Bar::new();
    if let Some(why) = lab::prepare(bar)? {
        return Ok(Outcomes::skipped(name, &why));
    }
    progress::watch_interrupts()?;
    *held = None;
    let ground = ground(args, &path, bar)?;
    let control = lab::control(&ground.layouts, path.hosts[0]);
    let (mut lab, listed) = start(args, (name, &path, &ground), &mut packets, bar)?;
    let hosts = std::mem::take(&mut lab.hosts);
    let (ended, connections, rtt) = both(args, (&path, limit), (&mut lab, &hosts), &mut logs)?;
    lab.hosts = hosts;
    let (certificate, kinds) = lab.certificate_of_programs();
    let swallowed = lab::swallowed(&lab);
    let evidence = lab::evidence(&lab);
    let rest = (&path, &lab, &evidence);
    let why = doubt(certificate.valid, &kinds);
    let connection = limit_of(connections, rest, (&ended, &args.port[..]), why.clone());
    let (datagrams, impaired, refused) = by_frames(rest, (&ended, why.as_ref()), &args.port);
    let crossed = Crossed::of(args, rest, ended.took);
    // The hosts end first: what the programs have left running in them may hold their output.
    drop((lab, listed));
    logs.finish()?;
    let captured = packets.finish(&certificate);
    let control = control.map(|c| with_its_source(&c, args.control.cc.is_some()));
    let sent = (&datagrams[..], &impaired[..]);
    let told = lines(args, &path, (connection.as_ref(), &refused), sent, &crossed);
    // Where datagrams were sent and no connection was seen, none was controlled.
    let control = control.filter(|_| connection.is_some() || datagrams.is_empty());
    let frames = Some(crossed.frames);
    let head = (rtt, ended.ran_nothing(frames), frames);
    let said = closing(head, control.as_deref(), &certificate, &told);
    let not_reached = unreached(args, &path.scenario, ended.took);
    let notes = [&crossed.notes[..], &not_reached].concat();
    let strict = is_strict(args, &ended, frames).then_some(ended.code);
    let failed = (strict, crossed.frames);
    let said = say(said, (&certificate, &kinds), failed, &notes);
    swallowed.iter().for_each(|s| note(s));
    let restored = ground.restore().map_err(Failure::from);
    let late = [captured, restored].into_iter().filter_map(Result::err);
    let late = late.collect();
    let report = Report {
        fault: ended.why.clone().filter(|_| ended.by != By::Itself),
        took_ns: u64::try_from(ended.took.as_nanos()).ok(),
        rtt_p99_ns: rtt.map(|rtt| rtt.p99_ns),
        rtt_pings: rtt.map(|rtt| rtt.pings),
        certificate: Some(certificate),
        ports: args.port.clone(),
        connection,
        path_down_s: crossed.outages.map(|o| o.seconds()),
        program_frames: Some(crossed.frames),
        datagrams,
        impaired,
        refused,
        not_reached,
        ..Report::none(name, Some(ended.code), "")
    };
    let outcomes = Outcomes::of(args, ended, said, report);
    Ok(Outcomes { late, ..outcomes })
}

/// Starts the hosts and the path between them, listed as a lab, and has all frames watched.
fn start(
    args: &LabRunArgs,
    (name, path, ground): (&Name, &Path, &Ground),
    packets: &mut Packets<'_>,
    bar: &mut Bar,
) -> Result<(Lab, Option<State>), Failure> {
    // Where no folder can be made it is not listed, and runs all the same.
    let listed = ground
        .registry
        .create_for(&name.command, &path.scenario.name);
    let mut listed = listed.ok();
    let mut lab = ground.up(&path.scenario, options(args, path), bar)?;
    packets.begin(&mut lab)?;
    watch_frames(&mut lab, path);
    if let Some(listed) = &mut listed {
        listed.set_hosts(&lab.hosts).map_err(Failure::environment)?;
    }
    Ok((lab, listed))
}

/// What is said of connections, of datagrams and frames, and of the path all the while.
fn lines(
    args: &LabRunArgs,
    path: &Path,
    (connection, refused): (Option<&Busiest>, &[Refused]),
    (datagrams, impaired): (&[Sent], &[Impaired]),
    crossed: &Crossed,
) -> Vec<String> {
    let more = |host| help(args.capture.as_deref(), path.name(host));
    let asked = (connection, &args.port[..]);
    let mut told = told(asked, refused, datagrams, impaired, &more);
    told.extend(crossed.refusals.clone());
    told.extend(crossed.standing.clone());
    let outages = crossed.outages.as_ref();
    let down = outages.and_then(|o| o.sentence(connection, &told));
    told.extend(down);
    told
}

/// Has the data plane note of each frame what is said of connections at the end.
fn watch_frames(lab: &mut Lab, path: &Path) {
    lab.plane.note_turns();
    lab.plane.note_segments();
    lab.plane.note_openings();
    lab.plane.note_queries();
    if path.goes_down() {
        lab.plane.note_pauses();
    }
}

fn options(args: &LabRunArgs, path: &Path) -> Options {
    Options {
        seed: args.seed.unwrap_or(path.scenario.seed),
        sampling: SAMPLING,
        polling: lab::polling(args.control.busy),
        ..Options::default()
    }
}

/// What `--timeout` says. To timeout(1) a bare number is seconds.
fn limit(text: Option<&str>) -> Result<Option<Wall>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    let bare = text.parse::<f64>().ok();
    if bare.is_some_and(|n| n > 0.0) {
        let title = format!("--timeout {text}: a time needs a unit, such as `{text} s`");
        return Err(Failure::usage(title));
    }
    let limit: Duration = match bare {
        Some(0.0) => Duration::ZERO,
        _ => read("timeout", text)?,
    };
    if limit == Duration::ZERO {
        let title = format!("--timeout {text}: a command that has no time cannot run");
        return Err(Failure::usage(title).hint("without --timeout a command has no limit"));
    }
    Ok(Some(Wall::from_nanos(limit.as_ns())))
}

/// What limited the largest connection of a program that ended so, of those with one of these ports where there are any, by its samples
/// and by what the links between the two hosts saw; and why that is doubtful, if it is.
fn limit_of(
    mut connections: Connections,
    (path, lab, evidence): AtRest<'_>,
    (ended, ports): (&Ended, &[u16]),
    doubt: Option<String>,
) -> Option<Busiest> {
    for (way, pauses) in lab.plane.pauses() {
        connections.pause(way, pauses);
    }
    let own = |version| address(NodeId(path.hosts[0]), version);
    connections.take_command([4, 6].map(own));
    connections.take_end(ended.until[1]);
    if ended.by != By::Itself {
        connections.take_cut(ended.until[0]);
    }
    let of_interest = |turns: &Turns| has_port(ports, turns.ends);
    let turns = lab.plane.turns().filter(of_interest);
    turns.for_each(|turns| connections.take_turns(&turns));
    for (way, acks) in lab.plane.acks() {
        connections.take_acks(way, acks);
    }
    for (way, segments) in lab.plane.segments() {
        connections.take_segments(way, segments);
    }
    lab.plane
        .openings()
        .for_each(|opening| connections.take_opening(&opening));
    let plan = &lab.plane.wan().plan;
    let ways = path.ways(plan).map(|dir| Some(evidence.way(dir)));
    let told = connections.told(ways);
    let from = one_way::down_from(path, plan, lab.plane.scenario());
    told.map(|connection| connection.down_one_way(from))
        .map(|connection| connection.of_command(ended.took, ports))
        .map(|connection| connection.doubted(doubt))
}

/// What became of datagrams and frames of a command that ended so, and why what limited them is doubtful, if it is; and what was refused until
/// the programs of each host ended, or were asked to: of connections and datagrams with one of these ports, where there are any.
fn by_frames(
    (path, lab, evidence): AtRest<'_>,
    (ended, doubt): (&Ended, Option<&String>),
    ports: &[u16],
) -> (Vec<Sent>, Vec<Impaired>, Vec<Refused>) {
    let is_of = |host: usize, end: &SocketAddr| {
        let own = |version| address(NodeId(path.hosts[host]), version);
        [4, 6].map(own).contains(&end.ip())
    };
    let unheard = refused::before_the_end(lab.plane.unheard(), ended.until, is_of);
    // What answers a port that has asked comes late where nobody listens there any more.
    let is_late = |([from, to], _): &(Way, u64)| lab.plane.has_asked([*to, *from]);
    let (late, unheard): (Vec<_>, Vec<_>) = unheard.partition(is_late);
    // Once the lab has ended the server nothing listens.
    let is_in_time = |o: &Opening| o.asked <= ended.until[usize::from(!is_of(0, &o.ends[1]))];
    let openings = lab.plane.openings().filter(is_in_time);
    let frames = (openings, unheard.into_iter());
    let mut refused = refused::refused(frames, (ports, &ended.listening), is_of);
    refused.extend(refused::late(late.into_iter(), ports, is_of));
    let name = |end: &SocketAddr| path.other_name(end);
    let refused: Vec<Refused> = refused.into_iter().map(|r| r.named(name)).collect();
    let sent = datagrams::sent((path, lab, evidence), ended.took).into_iter();
    let judged = |sent: Sent| sent.doubted(doubt.cloned()).refused(&refused);
    (
        sent.map(judged).collect(),
        impaired::impaired(path, lab),
        refused,
    )
}

/// What the hosts stand on, names resolving as the arguments say.
fn ground(args: &LabRunArgs, path: &Path, bar: &mut Bar) -> Result<Ground, Failure> {
    let mut programs = Programs::new(bar)?;
    let control = args.control.cc.as_deref();
    let control = control.map(|cc| programs.of_option(cc, bar));
    let programs = (programs, control.transpose()?);
    let mut ground = Ground::prepare(&path.scenario, programs, args.control.tune_host, bar)?;
    resolve(&mut ground, &args.control);
    if args.scenario.is_some() {
        lab::tell(&ground.layouts, bar);
    }
    Ok(ground)
}

/// Runs the server, then the command, with the path at work and its RTT measured: how the command ended, its connections, and
/// the RTT's 99th percentile in nanoseconds.
fn both(
    args: &LabRunArgs,
    (path, limit): (&Path, Option<Wall>),
    (lab, hosts): (&mut Lab, &[Host]),
    logs: &mut Logs<'_>,
) -> Result<(Ended, Connections, Option<Rtt>), Failure> {
    let [client, server] = path.hosts.map(|number| &hosts[number]);
    let holds = path.holds()?;
    let serving = programs::serve(args, (server, limit), logs);
    let mut serving = serving.map_err(|failure| gone(hosts).unwrap_or(failure))?;
    let scenario = &path.scenario;
    let plan = Plan::new(scenario).map_err(Failure::environment)?;
    let seed = args.seed.unwrap_or(scenario.seed);
    let mut planned = plan_jobs(scenario, &plan, seed, &Hosts::at(&address));
    planned.keep(&plan, path.ping());
    // The path's times count from the start of the command.
    let (mut conductor, clock) = lab::begin(&planned, hosts)?;
    let done = lab.run_beside(clock, |beside| {
        let mut watch = Watch::begin([client, server], holds, beside, &args.port);
        let mut done = programs::run(args, (client, limit), (beside, &mut watch), logs);
        if let Ok(ended) = &mut done {
            ended.listening = sockets::listening(server.init);
        }
        if let (Ok(ended), Some(child)) = (&mut done, serving.take()) {
            ended.until[1] = beside.now();
            ended.server = programs::dismiss(child, server.init, ended.code);
        }
        conductor.stop();
        while !beside.is_over() && !conductor.listen(CHECK) {}
        done.map(|ended| (ended, watch.finish()))
    });
    if let Some(failure) = gone(hosts) {
        return Err(failure);
    }
    let (ended, connections) = done.map_err(Fault::from)??;
    let results = conductor.finish();
    let at = Default::default();
    let measured = (&planned, &results);
    let found = records(scenario, &plan, measured, Origin::Emulated, &at, &|_| None);
    let rtt = found.first().and_then(Rtt::of);
    if let (None, Some(why)) = (rtt, why_unmeasured(&results.faults)) {
        note(&why);
    }
    Ok((ended, connections, rtt))
}

/// Why the lab's own pings have no result, by the faults of a run.
fn why_unmeasured(faults: &[(Option<usize>, String)]) -> Option<String> {
    let ended = |(_, why): &&(Option<usize>, String)| why.contains("measuring process");
    let (_, why) = faults.iter().find(ended)?;
    Some(format!(
        "no RTT was measured: {why} (farpath-probe, which pings across the path; did the command kill it?)"
    ))
}

/// That a host has ended before the lab let go of it, and how. The exit code of what ran there says nothing of the program.
fn gone(hosts: &[Host]) -> Option<Failure> {
    let (host, how) = hosts.iter().find_map(|host| Some((host, host.fate()?)))?;
    let title = format!(
        "host `{}` is gone, and all that ran in it: {how}",
        host.name
    );
    let hint = "nothing of the run counts: run it again; where memory was short, `dmesg` names what the kernel killed";
    Some(Failure::environment(title).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_probe_is_why_no_round_trip_was_measured() {
        let stopped = (None, "the run was stopped before its end".to_owned());
        assert_eq!(why_unmeasured(std::slice::from_ref(&stopped)), None);
        let killed = (
            None,
            "the measuring process on `client` ended early".to_owned(),
        );
        let said = why_unmeasured(&[stopped, killed]).expect("it is known");
        assert!(
            said.starts_with("no RTT was measured: the measuring process on `client` ended early")
        );
    }

    #[test]
    fn a_command_has_some_time() {
        for none in ["0s", "0", "0.0"] {
            let said = limit(Some(none)).map_err(|f| f.to_string());
            let words = format!("--timeout {none}: a command that has no time cannot run");
            assert!(said.is_err_and(|e| e.contains(&words)), "{none}");
        }
        let bare = limit(Some("60")).map_err(|f| f.to_string());
        assert!(bare.is_err_and(|e| e.contains("such as `60 s`")));
        assert_eq!(
            limit(Some("1ms")).ok().flatten(),
            Some(Wall::from_millis(1))
        );
        assert!(limit(None).is_ok_and(|none| none.is_none()));
    }
}
