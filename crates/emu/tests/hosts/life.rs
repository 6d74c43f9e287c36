//! How hosts and what runs in them come to an end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use farpath_emu::state::Registry;
use farpath_emu::{DeviceChoice, Host, Process};

use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};

use crate::pump::spec;
use crate::role::{children, command, line};

/// What should be over at once is given half a minute.
const PATIENCE: u16 = 30_000;

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("exit_codes_pass_through", exit_codes_pass_through),
    (
        "a_killed_shadow_takes_its_program_along",
        a_killed_shadow_takes_its_program_along,
    ),
    ("signals_reach_the_program", signals_reach_the_program),
    (
        "a_host_outlives_the_thread_that_made_it",
        a_host_outlives_the_thread_that_made_it,
    ),
    (
        "nothing_outlives_a_killed_data_plane",
        nothing_outlives_a_killed_data_plane,
    ),
    (
        "routes_choose_what_may_no_longer_be_the_default",
        routes_choose_what_may_no_longer_be_the_default,
    ),
    ("a_dropped_host_is_gone", a_dropped_host_is_gone),
    ("a_killed_host_is_noticed", a_killed_host_is_noticed),
    (
        "somebody_without_privileges_has_hosts_too",
        somebody_without_privileges_has_hosts_too,
    ),
];

fn one() -> Host {
    Host::start(&spec("a", DeviceChoice::Available)).unwrap()
}

fn exit_codes_pass_through() {
    let host = one();
    let code = |script: &str| {
        let status = host.command("sh").args(["-c", script]).status().unwrap();
        status.code()
    };
    assert_eq!(code("exit 0"), Some(0));
    assert_eq!(code("exit 42"), Some(42));
    assert_eq!(code("kill -TERM $$"), Some(128 + 15));
    let missing = host
        .command("no-such-program")
        .stderr(Stdio::null())
        .status();
    assert_eq!(missing.unwrap().code(), Some(127));
    let folder = host.command("/").stderr(Stdio::null()).status();
    assert_eq!(folder.unwrap().code(), Some(126));
    let init = host.init;
    drop(host);
    let gone = init.command("true").stderr(Stdio::null()).status();
    assert_eq!(gone.unwrap().code(), Some(125));
}

/// A `cat` in a host that is known to run, and its process number seen from here. It does not end
/// before its input does: waiting for a child would close that, so it is kept apart.
fn cat(host: &Host) -> (Child, i32, ChildStdin) {
    let mut command = host.command("cat");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"x\n").unwrap();
    let mut line = String::new();
    let mut answers = BufReader::new(child.stdout.as_mut().unwrap());
    answers.read_line(&mut line).unwrap();
    assert_eq!(line, "x\n");
    let program = children(child.id()).parse().unwrap();
    (child, program, input)
}

fn a_killed_shadow_takes_its_program_along() {
    let host = one();
    let (mut child, program, _input) = cat(&host);
    let ends = Process::of(program).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(ends.wait(PATIENCE.into()).unwrap());
    // The host does not mind, and has reaped it.
    assert!(host.command("true").status().unwrap().success());
}

fn signals_reach_the_program() {
    let host = one();
    let (mut child, _, _input) = cat(&host);
    let shadow = nix::unistd::Pid::from_raw(child.id().cast_signed());
    kill(shadow, Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
}

fn a_host_outlives_the_thread_that_made_it() {
    let host = std::thread::spawn(one).join().unwrap();
    assert!(host.command("true").status().unwrap().success());
}

/// The list of what may be a default is the machine's, and can be shorter than it was when it was read.
fn routes_choose_what_may_no_longer_be_the_default() {
    const LISTS: &str = "/proc/sys/net/ipv4";
    let words = |name: &str| std::fs::read_to_string(format!("{LISTS}/{name}")).unwrap();
    let allowed = words("tcp_allowed_congestion_control");
    let is_allowed = |name: &str| allowed.split_whitespace().any(|a| a == name);
    let available = words("tcp_available_congestion_control");
    let closed = available.split_whitespace().find(|name| !is_allowed(name));
    let control = closed.unwrap_or("reno");
    let mut spec = spec("a", DeviceChoice::Available);
    spec.settings = vec![(
        "net.ipv4.tcp_congestion_control".to_owned(),
        control.to_owned(),
    )];
    let host = Host::start(&spec).unwrap();
    let show = "cat /proc/sys/net/ipv4/tcp_congestion_control; ip -4 route";
    let shown = host.command("sh").args(["-c", show]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let (default, routes) = shown.split_once('\n').unwrap();
    assert_eq!(default == control, closed.is_none(), "{shown}");
    let chosen = routes.contains(&format!("congctl {control}"));
    assert_eq!(chosen, closed.is_some(), "{shown}");
    assert_eq!(host.notes.len(), usize::from(closed.is_some()));
}

fn nothing_outlives_a_killed_data_plane() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::at(folder.path()).unwrap();
    let mut victim = command("victim");
    victim.arg(folder.path());
    victim.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut victim = victim.spawn().unwrap();
    let line = line(victim.stdout.as_mut().unwrap());
    let lab = registry.read("doomed").unwrap();
    assert_eq!(lab.data_plane.pid, victim.id().cast_signed());
    let in_use = registry
        .create("doomed", "another")
        .unwrap_err()
        .to_string();
    let by = format!(
        "lab `doomed` is in use by process {}; end it with",
        victim.id()
    );
    assert!(in_use.starts_with(&by), "{in_use}");
    let processes: Vec<i32> = line
        .split_whitespace()
        .map(|p| p.parse().unwrap())
        .collect();
    let [init_a, init_b, _shadow, _program] = processes.as_slice() else {
        panic!("{line}");
    };
    let namespaces: Vec<PathBuf> = [init_a, init_b]
        .into_iter()
        .flat_map(|pid| ["net", "mnt", "pid", "uts"].map(|n| (pid, n)))
        .map(|(pid, n)| std::fs::read_link(format!("/proc/{pid}/ns/{n}")).unwrap())
        .collect();
    let ends: Vec<Process> = processes.iter().map(|p| Process::of(*p).unwrap()).collect();
    victim.kill().unwrap();
    victim.wait().unwrap();
    for end in ends {
        assert!(end.wait(PATIENCE.into()).unwrap());
    }
    assert_eq!(living_in(&namespaces), Vec::<PathBuf>::new());
    // All that is left is a folder, which the next lab of that name takes over.
    assert!(registry.read("doomed").is_err());
    let next = registry.create("doomed", "another").unwrap();
    assert!(next.note.is_some());
}

/// Processes that are in one of `namespaces`, and mounts that keep one.
fn living_in(namespaces: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        // One that has ended and is not reaped holds nothing.
        let pid = entry.file_name().to_string_lossy().parse();
        if !pid.is_ok_and(|pid| Process::of(pid).is_some()) {
            continue;
        }
        for name in ["net", "mnt", "pid", "uts"] {
            let link = entry.path().join("ns").join(name);
            let inside = std::fs::read_link(&link).is_ok_and(|l| namespaces.contains(&l));
            found.extend(inside.then_some(link));
        }
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let kept = mounts
        .lines()
        .filter(|l| l.contains(" - nsfs ") || l.contains("farpath"));
    found.extend(kept.map(PathBuf::from));
    found
}

fn a_dropped_host_is_gone() {
    let host = one();
    let (mut child, program, _input) = cat(&host);
    let ends = Process::of(program).unwrap();
    drop(host);
    assert!(ends.wait(PATIENCE.into()).unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
}

fn a_killed_host_is_noticed() {
    let host = one();
    let (mut child, program, _input) = cat(&host);
    let ends = Process::of(program).unwrap();
    assert_eq!(host.fate(), None);
    host.init.signal(Signal::SIGKILL).unwrap();
    let mut ended = [PollFd::new(host.as_fd(), PollFlags::POLLIN)];
    assert_eq!(poll(&mut ended, PATIENCE), Ok(1));
    assert!(ends.wait(PATIENCE.into()).unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
    assert!(!host.init.is_alive());
    // However often it is asked.
    for _ in 0..2 {
        let how = host.fate().unwrap();
        assert!(how.ends_with("was killed by SIGKILL"), "{how}");
    }
    assert!(host.counters().is_err());
}

/// A program with a `/dev/net/tun` that everybody may open, whatever this machine's own permits: a node of the same
/// numbers in its place, in a mount namespace of the program's own.
fn with_an_open_tun(role: &str) -> Command {
    const PREPARE: &str = "set -e; mount -t tmpfs -o dev,mode=755 tun /mnt; mknod -m 666 /mnt/tun c 10 200; \
        mount --bind /mnt/tun /dev/net/tun; exec setpriv --reuid=65534 --regid=65534 --clear-groups -- \"$@\"";
    let plain = command(role);
    let mut through = Command::new("unshare");
    through.args(["--mount", "sh", "-c", PREPARE, "sh"]);
    through.arg(plain.get_program()).args(plain.get_args());
    through
}

fn somebody_without_privileges_has_hosts_too() {
    let piped = |command: &mut Command| {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let nobody = |command: &mut Command| piped(command.uid(65_534).gid(65_534));
    let mut lab = piped(&mut with_an_open_tun("rootless"));
    let mut heard = lab.stdout.take().unwrap();
    for expected in ["UserNamespace", "Tap", "Packet"] {
        assert_eq!(line(&mut heard), expected);
    }
    // Another process of theirs, outside that user namespace, runs a program in the host.
    let init = line(&mut heard);
    let (pid, start) = init.split_once(' ').unwrap();
    let mut exec = command("exec");
    let exec = nobody(exec.args([pid, start, "hostname"]));
    let output = exec.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "held\n");
    drop(lab.stdin.take());
    assert!(lab.wait().unwrap().success());
}
