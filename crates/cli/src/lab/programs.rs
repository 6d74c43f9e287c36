//! The programs of a `lab run`: the server, and the command it waits for.

use std::process::{Child, Stdio};
use std::time::{Duration as Wall, Instant};

use farpath_emu::lab::Beside;
use farpath_emu::{Host, Process};
use farpath_units::Time;

use super::connections::Connections;
use super::logs::Logs;
use super::{FAULT, environment};
use crate::args::LabRunArgs;
use crate::exit::{Failure, note};
use crate::progress;

/// Exit code of a command that `--timeout` ended, as timeout(1) has it.
const TIMED_OUT: u8 = 124;

/// How long a command may take to end after it was asked to.
const GRACE: Wall = Wall::from_secs(5);

/// How often to check whether the command has ended, and the shortest and longest time between two samples of its
/// connections. A longer run is sampled less often; the connections of a short command are short.
pub(super) const CHECK: Wall = Wall::from_millis(10);
const SAMPLES: [Wall; 2] = [Wall::from_millis(50), Wall::from_millis(500)];

/// How often to read how many sockets a host has, and their table while that number stays the same.
const COUNT: Wall = Wall::from_millis(25);
const TABLE: Wall = Wall::from_secs(1);

/// How long a server may take until it listens.
const WAIT: Wall = Wall::from_secs(120);

/// How the command ended.
pub(super) struct Ended {
    /// Its exit code.
    pub(super) code: u8,
    /// Why, where that is not its own doing.
    pub(super) why: Option<String>,
    /// What was seen of its connections.
    pub(super) connections: Connections,
}

/// Starts the server, if there is one, and waits until it listens, if that is asked for.
pub(super) fn serve(
    args: &LabRunArgs,
    host: &Host,
    logs: &mut Logs<'_>,
) -> Result<Option<Child>, Failure> {
    let Some(text) = &args.server else {
        return Ok(None);
    };
    let mut command = host.command("sh");
    command.args(["-c", text]).stdin(Stdio::null());
    let mut server = logs.spawn(&mut command, "server")?;
    if let Some(port) = args.wait_port {
        let four_only = wait_for(&mut server, (host.init, &host.name), port)?;
        if four_only && !args.control.ipv4 {
            note(&format!(
                "port {port} of `{}` listens on IPv4 only, and names resolve to IPv6 first: a client may lose a round trip; \
                 -4 makes names resolve to IPv4",
                host.name
            ));
        }
    }
    Ok(Some(server))
}

/// Runs the command on the first of `hosts` to its end.
pub(super) fn run(
    args: &LabRunArgs,
    (hosts, holds): ([&Host; 2], [u64; 2]),
    limit: Option<Wall>,
    beside: &Beside,
    logs: &mut Logs<'_>,
) -> Result<Ended, Failure> {
    // Until the clock runs, packets stand still.
    while beside.now() == Time::ZERO && !beside.is_over() {
        std::thread::park_timeout(CHECK);
    }
    let (program, arguments) = args.command.split_first().ok_or_else(super::no_command)?;
    // In this process's group, or it could not read from a terminal.
    let mut command = hosts[0].init.command(program);
    command.args(arguments);
    let mut client = logs.spawn(&mut command, "client")?;
    let mut connections = Connections::default();
    let (started, mut next_sample) = (Instant::now(), SAMPLES[0]);
    let (code, why) = loop {
        if let Some(status) = client.try_wait().map_err(environment)? {
            break (status.code().map_or(FAULT, |c| c.clamp(0, 255) as u8), None);
        }
        if progress::interrupted() {
            return Err(Failure::interrupted(
                "interrupted; every host of the lab is gone",
            ));
        }
        if beside.is_over() {
            return Err(Failure::environment(
                "the path ended before the command did",
            ));
        }
        if limit.is_some_and(|limit| started.elapsed() >= limit) {
            end(&mut client)?;
            let limit = args.timeout.as_deref().unwrap_or_default();
            break (TIMED_OUT, Some(format!("ended after {limit} (--timeout)")));
        }
        if started.elapsed() >= next_sample {
            next_sample = started.elapsed() + (started.elapsed() / 8).clamp(SAMPLES[0], SAMPLES[1]);
            // A sample costs more than everything else an idle lab does.
            let sampled = if sockets_in_use(hosts[0].init) == 0 {
                0
            } else {
                2
            };
            for (number, holds) in holds.into_iter().enumerate().take(sampled) {
                let output = Connections::sample(&mut hosts[number].command("ss")).output();
                if let Ok(output) = output {
                    let text = String::from_utf8_lossy(&output.stdout);
                    connections.note(beside.now(), (number, holds), &text);
                }
            }
        }
        std::thread::park_timeout(CHECK);
    };
    if let Some(why) = &why {
        note(&format!("the command was {why}"));
    }
    Ok(Ended {
        code,
        why,
        connections,
    })
}

/// Ends the command: it is asked, and killed where that does not help.
fn end(client: &mut Child) -> Result<(), Failure> {
    if let Some(process) = Process::of(client.id().cast_signed()) {
        process.ask_to_end().map_err(environment)?;
    }
    let asked = Instant::now();
    while client.try_wait().map_err(environment)?.is_none() {
        if asked.elapsed() > GRACE || progress::interrupted() {
            drop(client.kill());
            client.wait().map_err(environment)?;
            break;
        }
        std::thread::park_timeout(CHECK);
    }
    Ok(())
}

/// Ends the server, and says it where that had ended before a command that ended with `code`.
pub(super) fn dismiss(mut server: Child, code: u8) {
    if let Ok(Some(status)) = server.try_wait()
        && !(status.success() && code == 0)
    {
        note(&format!(
            "the server had ended before the command did: {status}"
        ));
    }
    drop(server.kill());
    drop(server.wait());
}

/// Waits until something in the host listens on a TCP port; whether only for IPv4.
fn wait_for(server: &mut Child, (host, name): (Process, &str), port: u16) -> Result<bool, Failure> {
    let started = Instant::now();
    let mut seen = (0, started);
    loop {
        let in_use = sockets_in_use(host);
        if in_use > 0 && (in_use != seen.0 || seen.1.elapsed() > TABLE) {
            let [four, six] = ["tcp", "tcp6"].map(|file| listens(&of_host(host, file), port));
            if four || six {
                return Ok(!six);
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
        if started.elapsed() > WAIT {
            return Err(Failure::environment(format!(
                "nothing listened on port {port} of `{name}` in {:.0} s: does it listen on that port, and on 0.0.0.0 or ::?",
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
