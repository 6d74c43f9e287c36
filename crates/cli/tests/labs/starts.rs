//! Where a lab starts and where it says why not, how it ends, and that the next one of its name comes up. As root of the
//! machine's first namespaces, or they fail. What a machine may withhold is withheld here: by namespaces of its own, other
//! users, fewer capabilities, filters of system calls.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::place::{Place, SMALL, ran};

/// Somebody without privileges.
const NOBODY: u32 = 65_534;
const USER: [&str; 6] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=-all",
    "--",
];

/// Everything a lab is used for; `$1` is the program. An invalid certificate does not fail the test.
const ALL: &str = r#"set -e
"$1" lab run --rtt 20ms --rate 100Mbit/s -- ping -c 1 -W 10 server
"$1" lab up small.toml
"$1" lab exec left -- ping -c 1 -W 10 right
"$1" lab set link.far.delay=20ms
"$1" lab down
"$1" run small.toml --emulate || test $? = 4
"#;

/// What makes the circumstances and then becomes the words behind it.
type Wrapper<'a> = &'a [&'a str];

/// A shell that makes them.
const fn shell(script: &str) -> [&str; 4] {
    ["sh", "-c", script, "sh"]
}

#[test]
fn a_lab_runs_in_any_network_namespace_for_root_and_for_others() {
    // As a container engine leaves it: nothing of the machine can be written.
    let read_only =
        "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec \"$@\"";
    let read_only = [&["unshare", "-nm"][..], &shell(read_only)].concat();
    let user_in = |more: &[&'static str]| [&USER[..], more].concat();
    let rows: [(&str, Wrapper<'_>); 8] = [
        ("root", &["env"]),
        ("a network namespace", &["unshare", "-n"]),
        (
            "and processes of its own",
            &["unshare", "-np", "--fork", "--mount-proc", "--kill-child"],
        ),
        ("read-only /proc/sys", &read_only),
        ("root of a user namespace", &["unshare", "-Urn"]),
        ("a user", &USER),
        (
            "a user as root of a user namespace",
            &user_in(&["unshare", "-Urn"]),
        ),
        (
            "and with mounts of its own",
            &user_in(&["unshare", "-Urnm"]),
        ),
    ];
    for (name, wrapper) in rows {
        let place = Place::new();
        // Everybody may use it.
        let text = SMALL.replace("bytes = \"1 MB\"", "bytes = \"1 MB\"\ncc = \"reno\"");
        place.write("small.toml", &text);
        if wrapper[0] == USER[0] {
            chown(place.path(), Some(NOBODY), Some(NOBODY)).expect("this is root");
        }
        let arguments = [&wrapper[1..], &shell(ALL)].concat();
        let output = place.through(wrapper[0], &arguments).output();
        let ran = ran(output.expect("it starts"));
        assert_eq!(ran.code, Some(0), "{name}\n{}\n{}", ran.out, ran.err);
        let pings = ran.out.matches("1 received").count();
        assert_eq!(pings, 2, "{name}: {}", ran.out);
        assert!(ran.out.contains("delay 20 ms"), "{name}: {}", ran.out);
        assert!(ran.out.contains("emulated"), "{name}: {}", ran.out);
        assert_eq!(place.left(), Vec::<PathBuf>::new(), "{name}");
    }
}

/// The numbers of `prctl`, `unshare` and `clone`; that of `clone3` is the same everywhere.
const CALLS: [u32; 3] = if cfg!(target_arch = "aarch64") {
    [167, 97, 220]
} else {
    [157, 272, 56]
};

/// A perl script that forbids new namespaces, as the default seccomp profile of container engines does where there is no
/// CAP_SYS_ADMIN, and then becomes its arguments.
fn filter() -> String {
    let [prctl, unshare, clone] = CALLS;
    // Load the call's number; compare; of clone, test the flags of new namespaces; clone3 is unknown (38), the others are
    // refused (1).
    format!(
        r#"my @f = ([0x20,0,0,0], [0x15,5,0,{unshare}], [0x15,2,0,{clone}], [0x15,4,0,435], [6,0,0,0x7fff0000],
             [0x20,0,0,16], [0x45,0,2,0x7e020000], [6,0,0,0x50001], [6,0,0,0x50026], [6,0,0,0x7fff0000]);
           my $f = join "", map {{ pack "SCCL", @$_ }} @f; my $p = pack "Sx6P", scalar @f, $f;
           syscall({prctl}, 38, 1, 0, 0, 0) == 0 && syscall({prctl}, 22, 2, $p) == 0 or die "prctl: $!";
           exec {{ $ARGV[0] }} @ARGV or die $!;"#
    )
}

#[test]
fn where_no_lab_can_be_the_remedy_is_named_and_auto_skips() {
    let filter = filter();
    let filtered = ["perl", "-e", &filter];
    let bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"];
    let limited = "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$@\"";
    let masked = "mount -t tmpfs none /proc/driver && exec \"$@\"";
    let without_ip = "for f in /bin /sbin /usr/bin /usr/sbin; do \
        test ! -f $f/ip || mount --bind /dev/null \"$(readlink -f $f/ip)\"; done; exec \"$@\"";
    // Engines leave root some capabilities.
    let few = [
        "setpriv",
        "--bounding-set=-all,+chown",
        "--inh-caps=-all",
        "--",
    ];
    let rows: [(&str, Vec<&str>, &str); 7] = [
        (
            "root without capabilities",
            bare.to_vec(),
            "run it as another user, or with the capabilities",
        ),
        (
            "a container",
            [&few[..], &filtered].concat(),
            "docker run --cap-add NET_ADMIN --cap-add SYS_ADMIN",
        ),
        (
            "a filter alone",
            filtered.to_vec(),
            "--security-opt seccomp=unconfined",
        ),
        (
            "a limit",
            [&["unshare", "-Ur"][..], &shell(limited)].concat(),
            "raise user.max_net_namespaces",
        ),
        (
            "masked /proc",
            [&["unshare", "-m"][..], &shell(masked), &USER].concat(),
            "--security-opt systempaths=unconfined",
        ),
        (
            "others' processes",
            ["unshare", "-np", "--fork"].to_vec(),
            "mount -t proc proc /proc",
        ),
        (
            "no iproute2",
            [&["unshare", "-m"][..], &shell(without_ip)].concat(),
            "install iproute2",
        ),
    ];
    for (name, wrapper, remedy) in &rows {
        let place = Place::new();
        if wrapper.contains(&USER[1]) {
            chown(place.path(), Some(NOBODY), Some(NOBODY)).expect("this is root");
        }
        let tried = |demand: &str, arguments: &[&str]| {
            let mut command = place.through(wrapper[0], &wrapper[1..]);
            let command = command.env("FARPATH_LAB", demand).args(arguments);
            ran(command.output().expect("it starts"))
        };
        let run = [
            "lab", "run", "--rtt", "20ms", "--rate", "1Gbit/s", "--", "false",
        ];
        let commands = [
            (&run[..], 125),
            (&["lab", "up", "small.toml"], 3),
            (&["run", "small.toml", "--emulate", "--only", "rtt"], 3),
        ];
        for (arguments, code) in commands {
            let refused = tried("required", arguments);
            let said = format!("{name}, {arguments:?}: {refused:?}");
            assert_eq!(refused.code, Some(code), "{said}");
            assert!(refused.err.starts_with("error: no lab: "), "{said}");
            assert!(refused.err.contains(remedy), "{said}");
            let skipped = tried("auto", arguments);
            let said = format!("{name}, {arguments:?}: {skipped:?}");
            assert_eq!(skipped.code, Some(0), "{said}");
            assert!(skipped.err.contains("note: emulation NOT RUN: "), "{said}");
        }
    }
}

/// The program, with its output for us.
fn start(command: &mut Command) -> Child {
    let piped = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    piped.spawn().expect("it starts")
}

fn signal(name: &str, pid: &str) {
    let status = Command::new("kill").args([name, pid]).status();
    assert!(status.expect("kill runs").success());
}

const PATH: [&str; 6] = ["lab", "run", "--rtt", "20ms", "--rate", "100Mbit/s"];

#[test]
fn what_programs_leave_running_in_hosts_ends_with_the_command() {
    let place = Place::new();
    let left = place
        .lab_run(&[
            "--logs",
            "logs",
            "--server",
            "echo served; tail -f /dev/null & exec tail -f /dev/null",
            "--",
            "sh",
            "-c",
            "tail -f /dev/null & echo hi; exit 7",
        ])
        .exits(7);
    assert!(left.out.contains("hi"), "{}", left.out);
    let log = std::fs::read_to_string(place.path().join("logs/client.log"));
    assert_eq!(log.expect("it is written"), "hi\n");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// What it measured is written when it is asked to end, by what a shell has started, too. It is not asked twice.
#[test]
fn a_server_is_asked_to_end_and_has_time_to() {
    let place = Place::new();
    let server = "trap 'sleep 0.3; echo asked >> shell; exit' TERM; \
         sh -c 'trap \"echo asked >> inner; exit\" TERM; touch there; while :; do sleep 0.1; done' & wait";
    let client = "while ! test -e there; do sleep 0.05; done";
    let rest = ["--server", server, "--", "sh", "-c", client];
    place.lab_run(&rest).exits(0);
    for file in ["shell", "inner"] {
        let said = std::fs::read_to_string(place.path().join(file));
        assert_eq!(said.expect("it was written"), "asked\n", "{file}");
    }
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

#[test]
fn what_runs_in_a_lab_is_asked_to_end_when_it_goes_down() {
    let place = Place::new();
    let lab = |args: &[&str]| place.farpath(&[&["lab"], args].concat());
    lab(&["up", "small.toml"]).exits(0);
    let script = "trap 'echo asked > said; exit' TERM; touch there; while :; do sleep 0.1; done";
    let mut command = place.command();
    command.args(["lab", "exec", "left", "--", "sh", "-c", script]);
    let mut running = start(&mut command);
    while !place.path().join("there").exists() {
        assert_eq!(running.try_wait().expect("it is ours"), None);
        std::thread::yield_now();
    }
    lab(&["down"]).exits(0);
    let said = std::fs::read_to_string(place.path().join("said"));
    assert_eq!(said.expect("it was written"), "asked\n");
    running.wait().expect("it ends");
}

#[test]
fn a_server_that_failed_is_named() {
    let place = Place::new();
    let client = "while test ! -e failed; do :; done";
    let ran = place
        .lab_run(&["--server", "touch failed; exit 3", "--", "sh", "-c", client])
        .exits(0);
    assert!(
        ran.err
            .contains("the server had ended before the command did"),
        "{}",
        ran.err
    );
}

/// Once while the command runs, and once when it has ended and nobody reads what it has said.
#[test]
fn the_first_signal_ends_it() {
    let place = Place::new();
    for (script, name) in [
        ("touch there; exec tail -f /dev/null", "-INT"),
        (
            "tail -f /dev/null & touch there; exec tail -f /dev/null",
            "-TERM",
        ),
        ("head -c 100000 /dev/zero; touch there", "-INT"),
    ] {
        let there = place.path().join("there");
        let mut command = place.command();
        command.args(PATH).args(["--logs", "logs"]);
        command.args(["--junit", "ended.xml", "--"]);
        let mut child = start(command.args(["sh", "-c", script]));
        while !there.exists() {
            assert_eq!(child.try_wait().expect("it is ours"), None, "{script}");
            std::thread::yield_now();
        }
        signal(name, &child.id().to_string());
        let status = child.wait().expect("it is ours");
        assert_eq!(status.code(), Some(130), "{script}");
        std::fs::remove_file(there).expect("it is there");
        // Whoever ended it reads in its JUnit that it was ended.
        let junit = std::fs::read_to_string(place.path().join("ended.xml"));
        let junit = junit.expect("it was written");
        assert!(junit.contains("interrupted"), "{junit}");
        assert_eq!(place.left(), Vec::<PathBuf>::new());
    }
}

/// While the server does not listen yet: the run was not ended by that.
#[test]
fn a_signal_while_a_port_is_waited_for_is_an_interruption() {
    let place = Place::new();
    let there = place.path().join("there");
    let server = "touch there; exec tail -f /dev/null";
    let mut command = place.command();
    command.args(PATH).args(["--json", "o.json"]);
    command.args(["--server", server, "--wait-port", "7000", "--", "true"]);
    let mut child = start(&mut command);
    while !there.exists() {
        assert_eq!(child.try_wait().expect("it is ours"), None);
        std::thread::yield_now();
    }
    signal("-TERM", &child.id().to_string());
    assert_eq!(child.wait().expect("it is ours").code(), Some(130));
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let said = (&found["exit_code"], &found["fault"]);
    assert_eq!(said, (&130.into(), &"interrupted".into()));
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// The scenario comes through a pipe, so that the signal finds a run that has begun and does not watch for signals yet.
#[test]
fn a_signal_before_anything_is_up_has_its_reports() {
    for name in ["-INT", "-TERM", "-HUP"] {
        early(name);
    }
}

fn early(name: &str) {
    let place = Place::new();
    let pipe = place.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    // Whatever these tests were started to ignore.
    let mut command = place.through("env", &["--default-signal"]);
    let words = [
        "lab", "run", "pipe", "--json", "o.json", "--junit", "o.xml", "--",
    ];
    command.args(words);
    let mut child = start(command.args(["tail", "-f", "/dev/null"]));
    let mut file = std::fs::File::create(&pipe).expect("it is opened");
    signal(name, &child.id().to_string());
    std::io::Write::write_all(&mut file, SMALL.as_bytes()).expect("it is read");
    drop(file);
    assert_eq!(
        child.wait().expect("it is ours").code(),
        Some(130),
        "{name}"
    );
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(found["fault"], "interrupted");
    assert!(
        found["took_ns"].is_null(),
        "the command did not begin: {text}"
    );
    let junit = std::fs::read_to_string(place.path().join("o.xml")).expect("it was written");
    assert!(junit.contains("interrupted"), "{junit}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// Ctrl-C while the process of a lab in the background is on its way: it came up, and stayed.
#[test]
fn a_signal_while_a_lab_comes_up_ends_it() {
    let place = Place::new();
    let pipe = place.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let mut child = start(place.command().args(["lab", "up", "pipe"]));
    let pid = child.id().to_string();
    let open = || std::fs::File::create(&pipe).expect("it is opened");
    let write = |mut file: std::fs::File| file.write_all(SMALL.as_bytes()).expect("it is read");
    // The program reads the scenario first, and then the process in the background does, which watches for signals by then.
    write(open());
    let holds = || {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd"))
            .into_iter()
            .flatten();
        let mut leads = open
            .flatten()
            .filter_map(|e| std::fs::read_link(e.path()).ok());
        leads.any(|file| file.ends_with("pipe"))
    };
    while holds() {
        std::thread::yield_now();
    }
    let file = open();
    signal("-INT", &pid);
    write(file);
    assert_eq!(child.wait().expect("it is ours").code(), Some(130));
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// A long run died with the session that it was started in, though nohup(1) had it ignore that.
#[test]
fn a_run_that_ignores_hangups_goes_on() {
    let place = Place::new();
    let pipe = place.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let mut command = place.through("env", &["--ignore-signal=HUP"]);
    let words = ["lab", "run", "small.toml", "--", "cat", "pipe"];
    let mut child = start(command.args(words));
    // It opens when the program runs.
    let file = std::fs::File::create(&pipe).expect("it is opened");
    signal("-HUP", &child.id().to_string());
    drop(file);
    assert_eq!(child.wait().expect("it is ours").code(), Some(0));
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// As in many containers: a program whose shadow was killed was never reaped, and `lab run --server` hung when all was done.
#[test]
fn a_machine_whose_first_process_reaps_nobody_has_labs_that_end() {
    let place = Place::new();
    let init = "my $p = fork; if (!$p) { exec @ARGV; exit 99 } \
        for (1..150) { select(undef, undef, undef, 0.1); exit($? >> 8) if waitpid($p, 1) == $p } exit 98";
    let spaces = [
        "-p",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "perl",
        "-e",
        init,
    ];
    let mut command = place.through("unshare", &spaces);
    command
        .args(PATH)
        .args(["--server", "exec tail -f /dev/null", "--", "true"]);
    let ended = ran(command.output().expect("unshare runs"));
    ended.exits(0);
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// As `--timeout` does; a second signal would end all at once.
#[test]
fn the_first_signal_leaves_the_command_time_and_the_run_its_reports() {
    let place = Place::new();
    let there = place.path().join("there");
    let script = "trap 'echo asked; exit 3' TERM; touch there; tail -f /dev/null & wait";
    let mut command = place.command();
    command
        .args(PATH)
        .args(["--strict", "--json", "o.json", "--"]);
    let child = command.args(["sh", "-c", script]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    while !there.exists() {
        assert_eq!(child.try_wait().expect("it is ours"), None);
        std::thread::yield_now();
    }
    signal("-INT", &child.id().to_string());
    let ran = ran(child.wait_with_output().expect("it ends")).exits(130);
    assert_eq!(ran.out, "asked\n");
    assert!(
        ran.err.contains("note: the command was interrupted"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("certificate "), "{}", ran.err);
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(
        (&found["exit_code"], &found["fault"]),
        (&130.into(), &"interrupted".into())
    );
    assert!(found["took_ns"].as_u64() > Some(0), "{text}");
    assert!(found["certificate"].is_object(), "{text}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

#[test]
fn the_command_reads_from_the_terminal() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_farpath");
    let line = format!(
        "{program} {} -- sh -c 'read word; echo got $word'",
        PATH.join(" ")
    );
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("XDG_RUNTIME_DIR", place.path());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(b"hello\n").expect("it reads");
    let mut out = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let said = out.find(|l| l.as_ref().is_ok_and(|l| l.trim() == "got hello"));
    assert!(said.is_some());
    drop(input);
    assert!(child.wait().expect("it is ours").success());
}

/// The data plane of a lab that is up.
fn data_plane(place: &Place) -> String {
    let file = place.path().join("farpath/lab/lab.json");
    let text = std::fs::read_to_string(file).expect("it is up");
    let lab: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    lab["data_plane"]["pid"].to_string()
}

#[test]
fn a_lab_that_was_killed_comes_up_again_at_once() {
    let place = Place::new();
    let up = || place.farpath(&["lab", "up", "small.toml"]);
    up().exits(0);
    let first = data_plane(&place);
    signal("-9", &first);
    let again = up().exits(0);
    let note = format!("note: lab `lab` of process {first}, which has ended without a word");
    assert!(again.err.starts_with(&note), "{}", again.err);
    place
        .farpath(&[
            "lab", "exec", "left", "--", "ping", "-c", "1", "-W", "10", "right",
        ])
        .exits(0);
    signal("-9", &data_plane(&place));
    place.farpath(&["lab", "down"]).exits(0);
    assert_eq!(place.left(), Vec::<PathBuf>::new());
    let quiet = up().exits(0);
    assert!(!quiet.err.contains("ended without a word"), "{}", quiet.err);
    place.farpath(&["lab", "down"]).exits(0);
}

#[test]
fn a_name_in_use_is_refused_and_its_log_stays() {
    let place = Place::new();
    place.farpath(&["lab", "up", "small.toml"]).exits(0);
    let log = place.path().join("farpath/lab.log");
    std::fs::write(&log, "its own\n").expect("it can be written");
    let refused = place.farpath(&["lab", "up", "small.toml"]).exits(3);
    assert!(
        refused
            .err
            .starts_with("error: lab `lab` is in use by process "),
        "{}",
        refused.err
    );
    assert_eq!(
        std::fs::read_to_string(&log).expect("it stays"),
        "its own\n"
    );
    place.farpath(&["lab", "down"]).exits(0);
}

#[test]
fn what_a_killed_run_leaves_is_in_nobody_s_way() {
    let place = Place::new();
    let reports = ["o.json", "o.xml"].map(|name| place.path().join(name));
    let options = ["--json", "o.json", "--junit", "o.xml", "--", "true"];
    place.lab_run(&options).exits(0);
    assert!(reports.iter().all(|report| report.exists()));
    let mut command = place.command();
    let mut child = start(
        command
            .args(PATH)
            .args(["--json", "o.json", "--junit", "o.xml"])
            .args(["--", "sh", "-c", "echo there; exec tail -f /dev/null"]),
    );
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    out.read_line(&mut line).expect("it says something");
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    // Nobody reads in the older run's reports how this one went.
    assert!(reports.iter().all(|report| !report.exists()));
    place.farpath(&["lab", "up", "small.toml"]).exits(0);
    place.farpath(&["lab", "down"]).exits(0);
    place.lab_run(&["--", "true"]).exits(0);
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// A long path and nothing but a ping every half second, as in `lab run`.
const IDLE: &str = r#"[scenario]
name = "idle"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
ends = ["a", "b"]
rate = "50 Mbit/s"
delay = "150 ms"
[[test]]
name = "rtt"
kind = "ping"
from = "a"
to = "b"
interval = "500 ms"
count = 4
"#;

/// Something is under way three fifths of the time. What is asserted is processor time, which others on the machine do not add to.
#[test]
fn an_idle_lab_leaves_its_processor_alone() {
    let place = Place::new();
    place.write("idle.toml", IDLE);
    let ran = place.farpath(&["run", "idle.toml", "--emulate", "--json"]);
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let records = document["records"].as_array().expect("a list");
    let emulated = records.iter().find(|r| r["origin"] == "emulated");
    let share = &emulated.expect("it ran")["certificate"]["cpu_share"];
    // A ping wakes it three times, for at most 6 ms each.
    assert!(share.as_f64().is_some_and(|s| s < 0.2), "{share}");
}
