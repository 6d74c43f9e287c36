//! `farpath lab run` with all it can be asked for: a scenario in place of one path, impairments, one direction, a time
//! limit, versions of IP, what a certificate does to the exit code and to JUnit.

use std::path::PathBuf;

use crate::place::Place;

/// `lab run` across `small.toml`.
const ACROSS: [&str; 3] = ["lab", "run", "small.toml"];

#[test]
fn a_command_runs_across_a_scenario_on_the_host_that_is_named() {
    let place = Place::new();
    let run = |more: &[&str]| place.farpath(&[&ACROSS[..], more].concat());
    let said = "hostname; getent ahostsv4 right; ping -c 1 -W 10 right";
    let ran = run(&["--", "sh", "-c", said]).exits(0);
    assert!(ran.out.starts_with("left\n198.18.0.2"), "{}", ran.out);
    assert!(ran.out.contains("1 received"), "{}", ran.out);
    let few = ran.err.contains(" ms at most in ") && ran.err.contains("certificate ");
    assert!(few, "{}", ran.err);
    let unrun = "note: 2 tests of small.toml are not run: `lab run` runs its command alone";
    assert!(ran.err.contains(unrun), "{}", ran.err);
    // 2 ms there and back on the near link, and 60 on the far one.
    let set = "link.far.delay=30ms";
    let other = "echo on `hostname`; ping -q -c 1 -W 10 left";
    let server = "echo at `hostname`; exec tail -f /dev/null";
    let ran = run(&[
        "--on", "right", "--set", set, "--server", server, "--", "sh", "-c", other,
    ]);
    let ran = ran.exits(0);
    assert!(ran.out.contains("on right\n"), "{}", ran.out);
    assert!(ran.err.contains("at left\n"), "{}", ran.err);
    assert!(least(&ran.out) >= 62.0, "{}", ran.out);
    let none = run(&["--on", "nobody", "--", "true"]).exits(125);
    assert!(none.err.contains("--on nobody"), "{}", none.err);
    assert!(none.err.contains("left, right"), "{}", none.err);
    let same = run(&["--on", "left", "--server-on", "left", "--", "true"]).exits(125);
    assert!(same.err.contains("name two hosts"), "{}", same.err);
    let both = place.farpath(&["lab", "run", "small.toml", "--rtt", "1ms", "--", "true"]);
    let both = both.exits(125).err;
    assert!(
        both.contains("--rtt beside the scenario `small.toml`"),
        "{both}"
    );
    assert!(both.contains("--set link.NAME.delay="), "{both}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// The least round trip that ping has seen, in milliseconds.
fn least(out: &str) -> f64 {
    let times = out.split_once("min/avg/max/mdev = ").map(|(_, t)| t);
    let least = times.and_then(|t| t.split('/').next()?.parse().ok());
    least.unwrap_or_else(|| panic!("no round trip in {out}"))
}

/// Four programs of the hosts' own take the processors from the data plane.
#[test]
fn nothing_comes_earlier_than_the_path_allows_on_a_busy_machine() {
    let place = Place::new();
    let busy = "for i in 1 2 3 4; do while :; do :; done & done";
    let script = format!("{busy}; ping -q -i 0.01 -c 200 server; kill $(jobs -p)");
    let ran = place.lab_run(&["--", "bash", "-c", &script]).exits(0);
    assert!(least(&ran.out) >= 20.0, "{}", ran.out);
}

/// What one ping of five comes to on a path of 20 ms with `options`.
fn pinged(place: &Place, options: &[&str]) -> crate::place::Ran {
    let ping = ["--", "ping", "-i", "0.1", "-c", "5", "-W", "1", "server"];
    place.lab_run(&[options, &ping].concat())
}

#[test]
fn impairments_do_to_a_program_what_they_say() {
    let place = Place::new();
    let ran = pinged(&place, &["--there", "delay=60ms"]).exits(0);
    assert!(least(&ran.out) >= 70.0, "{}", ran.out);
    let ran = pinged(&place, &["--duplicate", "100%"]).exits(0);
    assert!(ran.out.contains("DUP!"), "{}", ran.out);
    // Held back for 150 ms: overtaken by the next, which is sent after 100 and not held back.
    let ran = pinged(
        &place,
        &["--there", "reordering={ every = 2, by = \"150 ms\" }"],
    )
    .exits(0);
    let order: Vec<&str> = ran
        .out
        .split("icmp_seq=")
        .skip(1)
        .filter_map(|l| l.split(' ').next())
        .collect();
    assert_eq!(order.len(), 5, "{}", ran.out);
    assert!(!order.is_sorted(), "{}", ran.out);
    let jitter = pinged(&place, &["--jitter", "{ distribution = \"normal\" }"]);
    assert!(jitter.exits(125).err.contains("--jitter:1:1"));
    for nothing_arrives in [
        &["--there", "loss=100%"][..],
        &["--back", "loss=100%"],
        &["--corrupt", "100%"],
        &["--down", "0s-100s"],
    ] {
        let ran = pinged(&place, nothing_arrives).exits(1);
        let none = ran.out.contains(" 0 received");
        assert!(none, "{nothing_arrives:?}: {}", ran.out);
    }
    let bare = place.lab_run(&["--loss", "0.5", "--", "true"]).exits(0);
    let share = "--loss 0.5 is a share: 50 % of all frames; for a percentage write 0.5%";
    assert!(bare.err.contains(share), "{}", bare.err);
    // Bursts as long as this lose all or nothing of five.
    let all = pinged(&place, &["--burst-loss", "50%,100000"]);
    assert!(matches!(all.code, Some(0 | 1)), "{all:?}");
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_124() {
    let place = Place::new();
    let script = "trap 'echo asked; exit 0' TERM; echo there; tail -f /dev/null & wait";
    let options = ["--timeout", "500ms", "--junit", "o.xml", "--json", "o.json"];
    let ran = place.lab_run(&[&options[..], &["--", "sh", "-c", script]].concat());
    let ran = ran.exits(124);
    assert_eq!(ran.out, "there\nasked\n");
    let said = "note: the command was ended after 500ms (--timeout)";
    assert!(ran.err.contains(said), "{}", ran.err);
    let junit = std::fs::read_to_string(place.path().join("o.xml")).expect("it was written");
    assert!(junit.contains("ended after 500ms (--timeout)"), "{junit}");
    // A command that ends with 124 by itself has no fault.
    let fault = || {
        let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
        let found: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        found["fault"].clone()
    };
    assert_eq!(fault(), "ended after 500ms (--timeout)");
    let own = ["--json", "o.json", "--", "sh", "-c", "exit 124"];
    place.lab_run(&own).exits(124);
    assert_eq!(fault(), serde_json::Value::Null);
    assert_eq!(place.left(), Vec::<PathBuf>::new());
    place.lab_run(&["--timeout", "100s", "--", "true"]).exits(0);
    let wrong = place.lab_run(&["--timeout", "60", "--", "true"]).exits(125);
    assert!(wrong.err.contains("such as `60 s`"), "{}", wrong.err);
    let none = place.lab_run(&["--timeout", "0s", "--", "true"]).exits(125);
    assert!(none.err.contains("--timeout 0s: "), "{}", none.err);
}

/// A report of an older run that stays would be taken for this one's.
#[test]
fn wrong_arguments_are_in_the_reports_whoever_finds_them() {
    let place = Place::new();
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).expect(name);
    for (options, said) in [
        (&["--rtt", "20ms"][..], "--rtt without --rate"),
        (
            &["--rtt", "20ms", "--rate", "1Gbit/s", "--nonsense"],
            "unexpected argument",
        ),
        (
            &["--rtt", "20ms", "--rate", "1Gbit/s", "--wait-port", "80"],
            "--server &lt;COMMAND&gt;",
        ),
        (
            &["--rtt", "20ms", "--rate", "1Gbit/s", "--lab", "x"],
            "takes no --lab",
        ),
        (
            &["--rtt", "20ms", "--rate", "1Gbit/s", "-6", "--mtu", "1200"],
            "IPv6 needs an MTU of 1280 at least",
        ),
    ] {
        for files in [
            &["--junit", "o.xml", "--json", "o.json"][..],
            &["--junit=o.xml", "--json=o.json"],
        ] {
            place.write("o.xml", "old");
            place.write("o.json", "old");
            let run = ["lab", "run"];
            let rest = ["--", "sh", "-c", "exit 3"];
            place
                .farpath(&[&run[..], options, files, &rest].concat())
                .exits(125);
            let junit = read("o.xml");
            assert!(junit.contains(said), "{options:?}: {junit}");
            assert!(
                junit.contains(r#"tests="2" skipped="1" errors="1" failures="0""#),
                "{junit}"
            );
            let found: serde_json::Value = serde_json::from_str(&read("o.json")).expect("JSON");
            assert_eq!(found["exit_code"], 125, "{found}");
            assert_eq!(found["command"], "sh -c 'exit 3'", "{found}");
            assert!(
                found["fault"].is_string() && found["took_ns"].is_null(),
                "{found}"
            );
        }
    }
    // What comes behind the dashes is the command's.
    place
        .farpath(&[
            "lab",
            "run",
            "--nonsense",
            "--",
            "x",
            "--junit",
            "theirs.xml",
        ])
        .exits(125);
    assert!(!place.path().join("theirs.xml").exists());
}

#[test]
fn names_resolve_to_the_version_that_is_asked_for() {
    let place = Place::new();
    let resolve = ["--", "getent", "ahosts", "server"];
    for (options, versions) in [
        (&[][..], [true, true]),
        (&["-4"], [true, false]),
        (&["-6"], [false, true]),
    ] {
        let ran = place.lab_run(&[options, &resolve].concat()).exits(0);
        let found = ["198.18.0.2", "2001:db8::2"].map(|a| ran.out.contains(a));
        assert_eq!(found, versions, "{options:?}: {}", ran.out);
    }
    place.farpath(&["lab", "up", "small.toml", "-4"]).exits(0);
    let exec = ["lab", "exec", "left", "--", "getent", "ahosts", "right"];
    let ran = place.farpath(&exec).exits(0);
    assert!(!ran.out.contains("2001:"), "{}", ran.out);
    place.farpath(&["lab", "down"]).exits(0);
}

/// Most servers of the commonest kind listen so.
#[test]
fn a_server_on_ipv4_alone_is_named() {
    let place = Place::new();
    let server = "exec perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); $s->accept; sleep'";
    let run = |options: &[&str]| {
        let rest = ["--server", server, "--wait-port", "7000", "--", "true"];
        place.lab_run(&[options, &rest].concat()).exits(0).err
    };
    let said = run(&[]);
    let note = "port 7000 of `server` listens on IPv4 only";
    assert!(said.contains(note) && said.contains("-4"), "{said}");
    assert!(!run(&["-4"]).contains(note));
    let own = server.replace("LocalPort", "LocalAddr => \"127.0.0.1\", LocalPort");
    let rest = ["--server", &own, "--wait-port", "7000", "--", "true"];
    let said = place.lab_run(&rest).exits(0).err;
    let note = "port 7000 of `server` listens on 127.0.0.1 only: the client cannot reach it";
    assert!(said.contains(note), "{said}");
}

/// A key that was set without a word and without effect would be a wrong answer.
#[test]
fn keys_and_hosts_are_those_of_the_options_path_too() {
    let place = Place::new();
    let ran = pinged(&place, &["--set", "link.path.delay=60ms"]).exits(0);
    assert!(least(&ran.out) >= 120.0, "{}", ran.out);
    let wrong = place.lab_run(&["--set", "link.nonsense.delay=500ms", "--", "true"]);
    let wrong = wrong.exits(125);
    assert!(wrong.err.contains("link.nonsense"), "{}", wrong.err);
    let ran = place
        .lab_run(&["--on", "server", "--", "hostname"])
        .exits(0);
    assert_eq!(ran.out, "server\n");
}

#[test]
fn the_servers_end_is_a_case_of_its_own_and_its_words_are_no_output() {
    let place = Place::new();
    let read = || std::fs::read_to_string(place.path().join("o.xml")).expect("it was written");
    // The lock is free when the server has ended.
    let wait = "flock lock echo mine";
    let server = "exec 9>lock; flock 9; echo its; echo 1 > held; exit 3";
    let options = ["--server", server, "--junit", "o.xml", "--", "sh", "-c"];
    let until = format!("until [ -s held ]; do sleep 0.01; done; {wait}");
    let ran = place
        .lab_run(&[&options[..], &[until.as_str()]].concat())
        .exits(0);
    assert_eq!(ran.out, "mine\n");
    assert!(ran.err.contains("its\n"), "{}", ran.err);
    let junit = read();
    // Nothing crossed the path, or the certificate is invalid.
    let counts = r#"tests="3" skipped="1" errors="0" failures="1""#;
    assert!(junit.contains(counts), "{junit}");
    assert!(
        junit.contains("the server had ended before the command did: exit status: 3"),
        "{junit}"
    );
    // The lab's own ping may have crossed or not before the command ended.
    let certificate = [", certificate ", "and a certificate of nothing"];
    let certified = certificate.iter().any(|c| junit.contains(c));
    assert!(junit.contains("<system-out>") && certified, "{junit}");
    let timed = junit.lines().find(|l| l.contains("<testcase name=\"sh -c"));
    assert!(timed.is_some_and(|l| l.contains(" time=\"")), "{junit}");
    let gone = ["--junit", "o.xml", "--", "there-is-no-such-program"];
    place.lab_run(&gone).exits(127);
    assert!(
        read().contains("exit code 127: `there-is-no-such-program`"),
        "{}",
        read()
    );
    // A server that never listens is not waited for longer than the command may take.
    let deaf = [
        "--timeout",
        "300ms",
        "--server",
        "exec tail -f /dev/null",
        "--wait-port",
        "7000",
        "--",
        "true",
    ];
    let deaf = place.lab_run(&deaf).exits(125);
    assert!(
        deaf.err.contains("in 300 ms: does it listen"),
        "{}",
        deaf.err
    );
}

#[test]
fn a_lab_that_cannot_start_leaves_junit() {
    let place = Place::new();
    let options = ["--cc", "nonsense", "--junit", "o.xml", "--", "true"];
    let ran = place.lab_run(&options).exits(125);
    assert!(ran.err.contains("nonsense"), "{}", ran.err);
    let junit = std::fs::read_to_string(place.path().join("o.xml")).expect("it was written");
    let counts = r#"tests="2" skipped="1" errors="1" failures="0""#;
    assert!(junit.contains(counts), "{junit}");
    assert!(junit.contains("not run: this kernel has no"), "{junit}");
    // Other paths have other classes.
    let class = "classname=\"farpath lab run --rtt 20ms --rate ";
    assert_eq!(junit.matches(class).count(), 2, "{junit}");
    assert!(junit.contains(" --cc nonsense\""), "{junit}");
}

#[test]
fn messages_name_what_was_written_and_what_to_write() {
    let place = Place::new();
    for (arguments, code, words) in [
        (
            &[
                "lab", "run", "--rtt", "20ms", "--rate", "1Gbit/s", "--queue", "5", "--", "true",
            ][..],
            125,
            "--queue:1:1",
        ),
        (
            &[
                "lab", "run", "--rtt", "20ms", "--rate", "1Gbit/s", "--logs", "/proc/x", "--",
                "true",
            ],
            125,
            "--logs /proc/x",
        ),
        (
            &[
                "lab", "run", "--rtt", "-5ms", "--rate", "1Gbit/s", "--", "true",
            ],
            125,
            "--rtt -5ms: it must not be negative",
        ),
        (
            &["run", "small.toml", "--repeat", "-3"],
            2,
            "--repeat -3: it must not be negative",
        ),
        (
            &["lab", "exec", "client", "true"],
            2,
            "farpath lab exec client -- true",
        ),
        (
            &["lab", "--lab", "a b", "up", "small.toml"],
            2,
            "`a b` cannot be a lab's name",
        ),
        (&["lab", "--lab", "", "ls"], 2, "`` cannot be a lab's name"),
        (
            &["lab", "ls", "--lab", "a/b"],
            2,
            "`a/b` cannot be a lab's name",
        ),
    ] {
        let ran = place.farpath(arguments).exits(code);
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
}

#[test]
fn a_full_disk_is_named_as_one() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("full")).expect("a folder");
    let script = "mount -t tmpfs -o size=64k none full && (head -c 100k /dev/zero > full/x; true) && exec \"$@\"";
    let mut command = place.through("unshare", &["-m", "sh", "-c", script, "sh"]);
    let output = command
        .args(["run", "small.toml", "--out", "full/r"])
        .output();
    let ran = crate::place::ran(output.expect("it starts")).exits(3);
    assert!(ran.err.contains("No space left on device"), "{}", ran.err);
    assert!(ran.err.contains("free some space there"), "{}", ran.err);
}

#[test]
fn a_server_that_does_not_listen_is_what_failed() {
    let place = Place::new();
    let options = ["--cc", "cubic", "--junit", "o.xml", "--server", "exit 1"];
    let options = [&options[..], &["--wait-port", "7000", "--", "true"]].concat();
    place.lab_run(&options).exits(125);
    let junit = std::fs::read_to_string(place.path().join("o.xml")).expect("it was written");
    let server = junit.split("<testcase name=\"server\"").nth(1);
    let server = server.expect("a case of the server");
    assert!(server.contains("<failure"), "{junit}");
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
}
