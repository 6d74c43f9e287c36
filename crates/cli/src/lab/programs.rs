//! The programs of a `lab run`: the server, and the command it waits for.

use std::fmt;
use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::process::{Child, ExitStatus, Stdio};
use std::str::FromStr;
use std::time::{Duration as Wall, Instant};

use farpath_emu::lab::Beside;
use farpath_emu::{Host, Process, signal_of};
use farpath_report::quantity;
use farpath_units::Time;

use super::logs::{Logs, Who};
use super::sockets::{LISTENS, TCP, UDP, listens, of_host, sockets, sockets_in};
use super::watch::{CHECK, Watch};
use crate::args::LabRunArgs;
use crate::exit::{Exit, Failure, note};
use crate::progress;

/// Exit code of `lab run` for wrong arguments and faults of the lab itself.
pub(crate) const FAULT: u8 = 125;

/// Exit code of a command that `--timeout` ended, as timeout(1) has it.
const TIMED_OUT: u8 = 124;

/// How long a program may take to end after it was asked to.
pub(super) const GRACE: Wall = Wall::from_secs(5);

/// How long a command is left to itself that a terminal has given Ctrl-C, too.
const HEARD: Wall = Wall::from_secs(2);

/// What is said of a command that the user interrupted.
pub(super) const INTERRUPTED: &str = "interrupted";

/// How often to read how many sockets a host has, and their table while that number stays the same.
const COUNT: Wall = Wall::from_millis(25);
const TABLE: Wall = Wall::from_secs(1);

/// How long a server may take until it listens.
const WAIT: Wall = Wall::from_secs(120);

/// A port that a server is to listen on: `7000`, or `7000/udp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    number: u16,
    udp: bool,
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Port, String> {
        let (number, kind) = text.split_once('/').unwrap_or((text, "tcp"));
        match (number.parse(), kind) {
            (Ok(number), "tcp" | "udp") if number > 0 => Ok(Port {
                number,
                udp: kind == "udp",
            }),
            _ => Err("a port is a number from 1 to 65535; one of UDP is `7000/udp`".to_owned()),
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.number, if self.udp { "/udp" } else { "" })
    }
}

impl Port {
    /// The kernel's tables of its sockets, what their counts begin with, and the state of one that listens.
    fn tables(self) -> ([&'static str; 2], [&'static str; 2], &'static str) {
        match self.udp {
            true => (["udp", "udp6"], UDP, "07"),
            false => (["tcp", "tcp6"], TCP, LISTENS),
        }
    }
}

/// Who ended the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// It did.
    Itself,
    /// Its time was over.
    Limit,
    /// The user.
    User,
}

/// How the command ended.
pub(super) struct Ended {
    /// Its exit code.
    pub(super) code: u8,
    /// Why, where more is known than the code.
    pub(super) why: Option<String>,
    pub(super) by: By,
    /// How long it ran.
    pub(super) took: Wall,
    /// Until when it is known to have run, and not to have been asked to end, and when the lab was about to end the server: the end of time where
    /// it ended none.
    pub(super) until: [Time; 2],
    /// What is wrong with the server, if that had failed before.
    pub(super) server: Option<String>,
    /// The ends on which the server's host listened for connections of TCP when the command had ended.
    pub(super) listening: Vec<SocketAddr>,
}

/// Exit codes of a command, or of what it was to start, that cannot be run and that is not found.
const NOT_RUN: u8 = 126;
const NOT_FOUND: u8 = 127;

impl Ended {
    /// Whether nothing of it ran: its exit code says so, and programs handed over so many frames, which is none.
    pub(super) fn ran_nothing(&self, program_frames: Option<u64>) -> bool {
        let is_so = matches!(self.code, NOT_RUN | NOT_FOUND) && self.by == By::Itself;
        is_so && program_frames == Some(0)
    }
}

/// Starts the server, if there is one, and waits until it listens, if that is asked for.
pub(super) fn serve(
    args: &LabRunArgs,
    (host, limit): (&Host, Option<Wall>),
    logs: &mut Logs<'_>,
) -> Result<Option<Child>, Failure> {
    let Some(text) = &args.server else {
        return Ok(None);
    };
    let mut command = host.command("sh");
    command.args(["-c", text]).stdin(Stdio::null());
    let before: Vec<i32> = host.init.programs(None).iter().map(|p| p.pid).collect();
    let mut server = logs.spawn(&mut command, Who::Server)?;
    if let Some(port) = args.wait_port {
        let found = wait_for(
            (&mut server, &before),
            (host.init, &host.name),
            (port, limit),
        );
        let found = found.inspect_err(|_| {
            // Before its host: it may be about to enter that.
            drop(server.kill());
            drop(server.wait());
        })?;
        if let Some(why) = found.complaint([args.control.ipv4, args.control.ipv6]) {
            note(&format!("port {port} of `{}` {why}", host.name));
        }
    }
    Ok(Some(server))
}

/// The addresses on which something listens on a port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Listens(Vec<IpAddr>);

impl Listens {
    /// What a client should know of it, if anything; whether names resolve to IPv4 alone, and to IPv6 alone.
    fn complaint(&self, [four, six]: [bool; 2]) -> Option<String> {
        if self.0.iter().all(IpAddr::is_loopback) {
            let names: Vec<String> = self.0.iter().map(IpAddr::to_string).collect();
            return Some(format!(
                "listens on {} only: the client cannot reach it; have it listen on 0.0.0.0 or ::",
                names.join(" and ")
            ));
        }
        let four_only = self.0.iter().all(|a| a.is_ipv4() || a.is_loopback());
        if four_only && six {
            let why = "listens on IPv4 only: with -6 the client cannot reach it; have it listen on ::, or leave -6 out";
            return Some(why.to_owned());
        }
        (four_only && !four).then(|| {
            "listens on IPv4 only, and names resolve to IPv6 first: a client may lose a round trip; \
             -4 makes names resolve to IPv4"
                .to_owned()
        })
    }
}

/// That there is nothing to run.
pub(super) fn no_command() -> Failure {
    Failure::usage("no command given").hint("farpath lab exec HOST -- ping -c 3 OTHER")
}

/// Runs the command on its host to its end, its connections watched.
pub(super) fn run(
    args: &LabRunArgs,
    (host, limit): (&Host, Option<Wall>),
    (beside, watch): (&Beside, &mut Watch<'_>),
    logs: &mut Logs<'_>,
) -> Result<Ended, Failure> {
    // Until the clock runs, packets stand still.
    while beside.now() == Time::ZERO && !beside.is_over() && !progress::interrupted() {
        std::thread::park_timeout(CHECK);
    }
    // What it would do is not to be undone by ending it.
    if progress::interrupted() {
        let title = format!("{INTERRUPTED}: the command had not begun yet");
        return Err(Failure::interrupted(title));
    }
    let (program, arguments) = args.command.split_first().ok_or_else(no_command)?;
    // In this process's group, or it could not read from a terminal.
    let mut command = host.init.command(program);
    command.args(arguments);
    let mut client = logs.spawn(&mut command, Who::Client)?;
    let started = Instant::now();
    let mut running = beside.now();
    let (code, by, why) = loop {
        let now = beside.now();
        if let Some(status) = client.try_wait().map_err(Failure::environment)? {
            let code = status.code().map_or(FAULT, |c| c.clamp(0, 255) as u8);
            if is_interruption(code, progress::interrupted) {
                let code = Exit::Interrupted as u8;
                break (code, By::User, Some(INTERRUPTED.to_owned()));
            }
            break (code, By::Itself, None);
        }
        running = now;
        if progress::interrupted() {
            end(&mut client, true)?;
            let code = Exit::Interrupted as u8;
            break (code, By::User, Some(INTERRUPTED.to_owned()));
        }
        if beside.is_over() || watch.is_left_alone() {
            return Err(Failure::environment(
                "the path ended before the command did",
            ));
        }
        if limit.is_some_and(|limit| started.elapsed() >= limit) {
            end(&mut client, false)?;
            let limit = args.timeout.as_deref().unwrap_or_default();
            let why = format!("ended after {limit} (--timeout)");
            break (TIMED_OUT, By::Limit, Some(why));
        }
        watch.look();
        std::thread::park_timeout(CHECK);
    };
    let took = started.elapsed();
    watch.command_ended();
    if let Some(why) = &why {
        note(&format!("the command was {why}"));
    } else if let Some(ended) = signal_of(code).and_then(|_| meaning(code, program)) {
        note(&ended);
    }
    let why = why.or_else(|| meaning(code, program));
    Ok(Ended {
        code,
        why,
        by,
        took,
        until: [running, Time::MAX],
        server: None,
        listening: Vec::new(),
    })
}

/// Signals by which users and their tools end a run, and how long one that a whole group was sent may take to be known here.
const ASKS: [&str; 3] = ["SIGINT", "SIGTERM", "SIGHUP"];
const KNOWN: Wall = Wall::from_millis(200);

/// Whether the user has ended a command of this exit code, and the command was sent the signal as well: it may end before it is known here
/// that the user `asked`.
fn is_interruption(code: u8, asked: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    let may_be = || signal_of(code).is_some_and(|signal| ASKS.contains(&signal));
    while may_be() && !asked() && begun.elapsed() < KNOWN {
        std::thread::park_timeout(CHECK);
    }
    code != 0 && asked()
}

/// What exit codes that a shell and this program give mean, for the report.
fn meaning(code: u8, program: &std::ffi::OsStr) -> Option<String> {
    let program = program.to_string_lossy();
    match code {
        NOT_RUN => Some(format!(
            "exit code 126: `{program}`, or a program it starts, cannot be run"
        )),
        NOT_FOUND => Some(format!(
            "exit code 127: `{program}`, or a program it starts, is not found"
        )),
        _ => signal_of(code).map(|signal| {
            format!("exit code {code}: `{program}`, or a program it starts, was ended by {signal}")
        }),
    }
}

/// How a program ended; of a shell's exit code the signal that it stands for.
fn told(status: ExitStatus) -> String {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let signal = code.and_then(signal_of);
    signal.map_or(status.to_string(), |name| format!("{status} ({name})"))
}

/// Ends the command, maybe because the user interrupted: it is asked, and killed where that does not help.
fn end(client: &mut Child, by_user: bool) -> Result<(), Failure> {
    let mut process = Process::of(client.id().cast_signed());
    let begun = Instant::now();
    let heard = by_user && std::io::stdin().is_terminal();
    let ask_after = if heard { HEARD } else { Wall::ZERO };
    while client.try_wait().map_err(Failure::environment)?.is_none() {
        if begun.elapsed() >= ask_after
            && let Some(process) = process.take()
        {
            process.ask_to_end().map_err(Failure::environment)?;
        }
        // A second Ctrl-C ends this process, and all with it.
        if begun.elapsed() > GRACE || (!by_user && progress::interrupted()) {
            drop(client.kill());
            client.wait().map_err(Failure::environment)?;
            break;
        }
        std::thread::park_timeout(CHECK);
    }
    Ok(())
}

/// Ends the server of a host: it is asked to, and killed where that does not help. Says where it had ended before a command
/// that ended with `code`. What it says where the server had failed.
pub(super) fn dismiss(mut server: Child, host: Process, code: u8) -> Option<String> {
    let mut failed = None;
    // What a shell has started is asked, too, and each once.
    let programs = host.programs(Some(server.id()));
    if let Ok(Some(status)) = server.try_wait()
        && !(status.success() && (code == 0 || !programs.is_empty()))
    {
        let said = format!(
            "the server had ended before the command did: {}",
            told(status)
        );
        note(&said);
        failed = Some(said).filter(|_| !status.success());
    }
    let begun = Instant::now();
    Process::dismiss(&programs, || begun.elapsed() < GRACE);
    drop(server.kill());
    drop(server.wait());
    failed
}

/// Waits until something in the host listens on a port, and says where: not longer than [`WAIT`], nor the command may
/// take. A server that ends with 0 may have left programs beside those of `before`, which are to listen.
fn wait_for(
    (server, before): (&mut Child, &[i32]),
    (host, name): (Process, &str),
    (port, limit): (Port, Option<Wall>),
) -> Result<Listens, Failure> {
    let longest = limit.map_or(WAIT, |limit| limit.min(WAIT));
    let started = Instant::now();
    let mut seen = (0, started);
    let (tables, counts, state) = port.tables();
    loop {
        let in_use = sockets(host, counts);
        if in_use > 0 && (in_use != seen.0 || seen.1.elapsed() > TABLE) {
            let of = |file| listens(&of_host(host, file), (port.number, state));
            let found = Listens(tables.map(of).concat());
            if !found.0.is_empty() {
                return Ok(found);
            }
            seen = (in_use, Instant::now());
        }
        if let Some(status) = server.try_wait().map_err(Failure::environment)?
            && !(status.success() && leaves(host, before))
        {
            return Err(Failure::environment(format!(
                "the server ended before it listened on port {port}: {}",
                told(status)
            ))
            .by_server());
        }
        if progress::interrupted() {
            return Err(Failure::interrupted(format!(
                "{INTERRUPTED}: nothing listened on port {port} yet"
            )));
        }
        if started.elapsed() > longest {
            let others = others(|file| of_host(host, file));
            let hint = match others.is_empty() {
                true => "does it listen on that port, and on 0.0.0.0 or ::?".to_owned(),
                false => elsewhere(port, &others),
            };
            return Err(Failure::environment(format!(
                "nothing listened on port {port} of `{name}` in {}: {hint}",
                quantity("wait_ns", longest.as_nanos() as f64)
            ))
            .by_server());
        }
        std::thread::park_timeout(COUNT);
    }
}

/// Whether a host has programs that it had not before.
fn leaves(host: Process, before: &[i32]) -> bool {
    let now = host.programs(None);
    now.iter().any(|program| !before.contains(&program.pid))
}

/// The ports on which something in a host listens, each once, by what `read` says of the kernel's tables.
fn others(read: impl Fn(&str) -> String) -> Vec<Port> {
    let kinds = [false, true].map(|udp| Port { number: 0, udp });
    let found = kinds.iter().flat_map(|kind| {
        let (tables, _, state) = kind.tables();
        let text = tables.map(&read);
        let sockets: Vec<_> = text
            .iter()
            .flat_map(|text| sockets_in(text, state))
            .collect();
        sockets
            .into_iter()
            .map(|(_, number)| Port { number, ..*kind })
    });
    let mut ports: Vec<Port> = found.collect();
    ports.sort_by_key(|port| (port.udp, port.number));
    ports.dedup();
    ports
}

/// Where a server listens instead, and what to write.
fn elsewhere(asked: Port, others: &[Port]) -> String {
    let kind = |port: &Port| if port.udp { "UDP" } else { "TCP" };
    let named: Vec<String> = others
        .iter()
        .map(|port| format!("{} {}", kind(port), port.number))
        .collect();
    let meant = others.iter().find(|port| port.number == asked.number);
    let meant = meant.or(if let [only] = others {
        Some(only)
    } else {
        None
    });
    let write = meant.map_or(String::new(), |port| format!("; write --wait-port {port}"));
    format!("it listens on {}{write}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signals by their numbers: signal(7).
    #[test]
    fn a_signal_that_ended_a_command_has_its_name() {
        let said = |code| meaning(code, "server-of-mine".as_ref());
        for (code, name) in [(139, "SIGSEGV"), (134, "SIGABRT"), (137, "SIGKILL")] {
            let said = said(code).expect("it stands for a signal");
            assert!(
                said.starts_with(&format!("exit code {code}: `server-of-mine`")),
                "{said}"
            );
            assert!(said.ends_with(&format!("was ended by {name}")), "{said}");
        }
        for code in [0, 1, 3, 125, 128, 255] {
            assert_eq!(said(code), None, "{code}");
        }
    }

    /// `make -j4` that is interrupted: the signal goes to all of its group, and the command may be gone first.
    #[test]
    fn a_signal_to_the_whole_group_is_the_users() {
        let later = std::cell::Cell::new(0);
        let heard = || {
            later.set(later.get() + 1);
            later.get() > 2
        };
        assert!(is_interruption(143, heard));
        for code in [1, 130, 143] {
            assert!(is_interruption(code, || true), "{code}");
        }
        assert!(!is_interruption(0, || true), "it had ended by itself");
        assert!(!is_interruption(1, || false));
    }

    /// A server that listens, and not where it was waited for.
    #[test]
    fn what_a_server_listens_on_instead_is_named() {
        let line = |port: u16, state: &str| {
            format!("   0: 00000000:{port:04X} 00000000:0000 {state} 00000000:00000000\n")
        };
        let said = |asked: &str, tcp: &[u16], udp: &[u16]| {
            let text = |ports: &[u16], state| -> String {
                let lines = ports.iter().map(|port| line(*port, state));
                core::iter::once("  sl  local_address\n".to_owned())
                    .chain(lines)
                    .collect()
            };
            let found = others(|file| match file {
                "tcp" | "tcp6" => text(tcp, "0A") + &line(7, "01"),
                _ => text(udp, "07"),
            });
            elsewhere(asked.parse().expect("a port"), &found)
        };
        let other = "it listens on TCP 9001; write --wait-port 9001";
        assert_eq!(said("9000", &[9001], &[]), other);
        let udp = "it listens on UDP 9000; write --wait-port 9000/udp";
        assert_eq!(said("9000", &[], &[9000]), udp);
        let both = "it listens on TCP 80, TCP 443, UDP 9000; write --wait-port 9000/udp";
        assert_eq!(said("9000", &[443, 80], &[9000]), both);
        assert_eq!(
            said("9000", &[443, 80], &[]),
            "it listens on TCP 80, TCP 443"
        );
    }

    /// A server in a shell that was ended by a signal has the shell's exit code.
    #[test]
    fn a_servers_signal_has_its_name() {
        use std::os::unix::process::ExitStatusExt;
        let said = |raw| told(ExitStatus::from_raw(raw));
        assert_eq!(said(139 << 8), "exit status: 139 (SIGSEGV)");
        assert_eq!(said(3 << 8), "exit status: 3");
        assert_eq!(said(0), "exit status: 0");
    }

    #[test]
    fn a_port_is_of_tcp_unless_it_says_otherwise() {
        let read = |text: &str| text.parse::<Port>().map(|port| port.to_string());
        for (text, said) in [("80", "80"), ("80/tcp", "80"), ("53/udp", "53/udp")] {
            assert_eq!(read(text).as_deref(), Ok(said));
        }
        for text in ["", "0", "65536", "http", "80/sctp", "/udp", "-1"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    /// The table of a kernel, as this machine's processor orders bytes.
    fn table(addresses: &[IpAddr]) -> String {
        let word = |b: &[u8]| format!("{:08X}", u32::from_ne_bytes(b.try_into().expect("four")));
        let lines = addresses.iter().enumerate().map(|(n, address)| {
            let text: String = match address {
                IpAddr::V4(a) => word(&a.octets()),
                IpAddr::V6(a) => a.octets().chunks(4).map(word).collect(),
            };
            format!("   {n}: {text}:1F40 0:0 0A 0:0\n")
        });
        format!("  sl  local_address\n{}", lines.collect::<String>())
    }

    #[test]
    fn a_server_that_nobody_reaches_is_named() {
        let said = |addresses: &[&str]| {
            let of = addresses.iter().map(|a| a.parse().expect(a));
            let read = listens(&table(&of.collect::<Vec<_>>()), (8000, "0A"));
            Listens(read).complaint([false; 2]).unwrap_or_default()
        };
        let four = Listens(vec!["0.0.0.0".parse().expect("an address")]);
        let with_six = four.complaint([false, true]).expect("a complaint");
        assert!(
            with_six.contains("with -6 the client cannot reach it"),
            "{with_six}"
        );
        assert_eq!(four.complaint([true, false]), None);
        let own = said(&["127.0.0.1"]);
        assert!(
            own.starts_with("listens on 127.0.0.1 only: the client cannot reach it"),
            "{own}"
        );
        assert!(said(&["127.0.0.1", "::1"]).starts_with("listens on 127.0.0.1 and ::1 only"));
        assert!(said(&["0.0.0.0"]).starts_with("listens on IPv4 only"));
        assert!(said(&["198.18.0.2", "::1"]).starts_with("listens on IPv4 only"));
        for both in [&["::"][..], &["127.0.0.1", "2001:db8::2"]] {
            assert_eq!(said(both), "", "{both:?}");
        }
    }
}
