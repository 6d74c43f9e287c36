//! `farpath lab` and `farpath run --emulate` as a user meets them. As root, or where user namespaces
//! are allowed; a machine without either fails here. Nothing asserts how fast or how late anything is:
//! exit code 4 says that the machine was too busy, and no test fails for it.

use crate::place::{Place, SMALL, ran, setting};
use farpath_record::{Origin, Record, Route, RouteHop, RunDocument};

#[test]
fn the_commands_exit_code_passes_through_and_names_resolve() {
    let place = Place::new();
    let ran = place
        .lab_run(&["--", "sh", "-c", "getent hosts server; exit 7"])
        .exits(7);
    assert!(ran.out.contains("server"), "{}", ran.out);
    // Whether the hosts' own IPv6 had said anything by the time that it ended is chance.
    let certificate = [", certificate ", "and a certificate of nothing"];
    let said = |words: &&str| ran.err.contains(*words);
    assert!(certificate.iter().any(said), "{}", ran.err);
    place
        .lab_run(&["--", "there-is-no-such-program"])
        .exits(127);
    let text = place.path().join("small.toml");
    let text = text.to_str().expect("the path is text");
    place.lab_run(&["--", text]).exits(126);
    let ran = place.farpath(&[
        "lab", "run", "--rtt", "1us", "--rate", "1Gbit/s", "--", "true",
    ]);
    assert!(ran.exits(125).err.contains("--rtt"));
}

#[test]
fn a_server_is_waited_for_and_everything_said_is_logged() {
    let place = Place::new();
    let server = "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); \
                  my $c = $s->accept; print \"got \", scalar <$c>; print $c \"bye\\n\"'";
    let client = "exec 3<>/dev/tcp/198.18.0.2/7000; echo hello >&3; cat <&3";
    let ran = place
        .lab_run(&[
            "--server",
            server,
            "--wait-port",
            "7000",
            "--logs",
            "logs",
            "--junit",
            "out.xml",
            "--",
            "bash",
            "-c",
            client,
        ])
        .exits(0);
    assert!(ran.out.contains("bye"), "{}", ran.out);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).expect(name);
    assert_eq!(read("logs/client.log"), "bye\n");
    assert_eq!(read("logs/server.log"), "got hello\n");
    assert!(read("out.xml").contains("certificate"));
    let ran = place.lab_run(&["--server", "exit 1", "--wait-port", "7000", "--", "true"]);
    assert!(ran.exits(125).err.contains("port 7000"));
}

/// A shell that ends with 0 may have left the server, in its own group or, as a daemon, in another.
#[test]
fn a_server_that_forks_before_it_listens_is_waited_for() {
    let place = Place::new();
    let program = "perl -MIO::Socket::INET -e 'sleep 1; my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); \
                   my $c = $s->accept; print $c \"bye\\n\"'";
    let client = "exec 3<>/dev/tcp/198.18.0.2/7000; cat <&3";
    for server in [format!("{program} &"), format!("setsid -f {program}")] {
        let wait = ["--server", &server, "--wait-port", "7000"];
        let run = [&wait[..], &["--", "bash", "-c", client]].concat();
        let ran = place.lab_run(&run).exits(0);
        assert!(ran.out.contains("bye"), "{server}: {} {}", ran.out, ran.err);
        assert!(!ran.err.contains("had ended"), "{}", ran.err);
    }
    // One that leaves nothing is not waited for.
    let ran = place.lab_run(&["--server", "true", "--wait-port", "7000", "--", "true"]);
    assert!(ran.exits(125).err.contains("ended before it listened"));
}

/// Advice names the lab: `farpath lab down` alone would end another one.
#[test]
fn advice_for_a_named_lab_names_it() {
    let place = Place::new();
    let lab = |args: &[&str]| place.farpath(&[&["lab", "--lab", "dt"], args].concat());
    let up = lab(&["up", "small.toml"]).exits(0);
    assert!(up.out.contains("farpath lab --lab dt exec"), "{}", up.out);
    let scenario = std::fs::read_to_string(place.path().join("small.toml")).expect("it is there");
    let (_, link) = scenario.split_once("[[link]]\nname = \"").expect("a link");
    let link = link.split('"').next().expect("a name");
    let set = lab(&["set", &format!("link.{link}.mtu=1400")]).exits(2);
    lab(&["down"]).exits(0);
    for words in [
        "`farpath lab --lab dt down`",
        "`farpath lab --lab dt exec HOST",
    ] {
        assert!(set.err.contains(words), "{words}: {}", set.err);
    }
}

/// The ping that `lab up` proposes has an answer, also where hosts do not all reach one another.
#[test]
fn the_ping_that_is_proposed_is_answered() {
    let place = Place::new();
    let up = place
        .farpath(&["lab", "--lab", "snaky", "up", "cern-snaky/five-passes"])
        .exits(0);
    let line = up
        .out
        .lines()
        .find(|l| l.contains(" -- ping "))
        .expect("a ping");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let ping = place.farpath(&words);
    place.farpath(&["lab", "--lab", "snaky", "down"]).exits(0);
    assert_eq!(ping.code, Some(0), "{line}: {}{}", ping.out, ping.err);
}

#[test]
fn a_lab_is_used_by_hand_beside_another_and_leaves_nothing() {
    let place = Place::new();
    let at = place.path();
    let lab = |name: &str, args: &[&str]| place.farpath(&[&["lab", "--lab", name], args].concat());
    lab("one", &["up", "small.toml"]).exits(0);
    lab("two", &["up", "small.toml"]).exits(0);
    let used = lab("one", &["up", "small.toml"]).exits(3);
    assert!(used.err.contains("in use"), "{}", used.err);
    let ran = lab(
        "one",
        &["exec", "left", "--", "sh", "-c", "hostname; exit 5"],
    )
    .exits(5);
    assert_eq!(ran.out, "left\n");
    let ran = lab("one", &["exec", "nobody", "--", "true"]).exits(2);
    assert!(ran.err.contains("left, right"), "{}", ran.err);
    let changed = lab("one", &["set", "link.far.delay=30ms"]).exits(0);
    assert!(
        changed.out.contains("far middle>right: delay 30 ms"),
        "{}",
        changed.out
    );
    let longer = lab("one", &["set", "link.far.delay=300s"]).exits(0);
    assert!(
        longer.out.contains("start it with these values"),
        "{}",
        longer.out
    );
    let refused = lab("one", &["set", "link.far.mtu=900"]).exits(2);
    assert!(
        refused
            .err
            .contains("`link.far.mtu` stays as the lab was started with it")
            && refused.err.contains("--set link.far.mtu=900"),
        "{}",
        refused.err
    );
    let listed = lab("one", &["ls"]).exits(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", listed.out);
    assert!(lines[1].starts_with("one ") && lines[2].starts_with("two "));
    assert!(
        lines[2].ends_with(" s  small.toml: left, right"),
        "{}",
        listed.out
    );
    let status = lab("one", &["status", "--json"]).exits(0);
    assert!(
        status.out.contains("\"farpath.status/1\""),
        "{}",
        status.out
    );
    let table = lab("two", &["status", "--once"]).exits(0);
    assert!(
        table.out.lines().all(|l| l.chars().count() <= 120),
        "{}",
        table.out
    );
    lab("one", &["down"]).exits(0);
    let gone = lab("one", &["status", "--once"]).exits(3);
    assert!(gone.err.contains("up are `two`"), "{}", gone.err);
    lab("two", &["down"]).exits(0);
    assert!(!at.join("farpath").exists(), "nothing is left");
    for args in [&["status", "--once"][..], &["exec", "left", "--", "true"]] {
        let none = lab("one", args).exits(3);
        let words = "`farpath lab --lab one up SCENARIO` starts one";
        assert!(none.err.contains(words), "{}", none.err);
    }
    let none = lab("one", &["ls", "--json"]).exits(0);
    let none: serde_json::Value = serde_json::from_str(&none.out).expect("it is JSON");
    assert_eq!(none["labs"], serde_json::json!([]));
    assert!(!at.join("farpath").exists(), "nor made by asking");
}

#[test]
fn status_says_what_links_carried_lately_and_what_hosts_dropped() {
    let place = Place::new();
    let lab = |args: &[&str]| place.farpath(&[&["lab"], args].concat());
    lab(&["up", "small.toml"]).exits(0);
    // Of datagrams far faster than the link: the host's own queue drops most.
    let flood = "exec 3>/dev/udp/right/7000; for i in {1..20000}; do printf %01400d 0 >&3; done 2>/dev/null; true";
    lab(&["exec", "left", "--", "timeout", "5", "bash", "-c", flood]);
    let states = || {
        let out = lab(&["status", "--json"]).exits(0).out;
        let found: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        found["links"].as_array().expect("links").clone()
    };
    let near = &states()[0];
    assert_eq!(near["direction"], "left>middle", "{near}");
    assert_eq!(near["from"]["host"], "left", "{near}");
    assert_eq!(near["from"]["interface"], "eth0", "{near}");
    assert!(near["from"]["drops"].is_u64(), "{near}");
    let rate = near["rate_bps"].as_f64();
    assert!(rate > Some(1e6), "it has carried much: {near}");
    // Nobody's asking makes the time shorter that it is of.
    assert!(states()[0]["rate_bps"].as_f64() > Some(0.0));
    assert!(states()[2]["from"].is_null(), "a router sends there");
    lab(&["down"]).exits(0);
}

/// How many of three pings from left to right come back.
fn come_back(lab: &impl Fn(&[&str]) -> crate::place::Ran) -> String {
    let ping = [
        "exec", "left", "--", "ping", "-i", "0.1", "-c", "3", "-W", "1", "right",
    ];
    lab(&ping).out
}

#[test]
fn links_of_a_running_lab_go_down_and_up_and_are_impaired() {
    let place = Place::new();
    let lab = |args: &[&str]| place.farpath(&[&["lab"], args].concat());
    let set = |changes: &[&str]| lab(&[&["set"], changes].concat());
    lab(&["up", "small.toml"]).exits(0);
    let said = set(&["link.far.up=false"]).exits(0).out;
    assert_eq!(said, "far middle>right: down\nfar right>middle: down\n");
    assert!(come_back(&lab).contains(" 0 received"));
    let status = lab(&["status", "--once"]).exits(0).out;
    let table = status.lines().skip_while(|l| !l.starts_with("link "));
    let column = table.clone().next().and_then(|l| l.find("state"));
    let column = column.expect("a column");
    let states: Vec<&str> = table
        .filter_map(|l| l.get(column..)?.split_whitespace().next())
        .collect();
    let [near, far] = [["up"; 2], ["down"; 2]];
    assert_eq!(states, [&["state"][..], &near, &far].concat(), "{status}");
    set(&["link.far.up=true"]).exits(0);
    assert!(come_back(&lab).contains(" 3 received"));
    set(&["link.far.reverse.up=false"]).exits(0);
    assert!(come_back(&lab).contains(" 0 received"));
    set(&[
        "link.far.reverse.up=true",
        "link.near.duplication.share=100%",
    ])
    .exits(0);
    assert!(come_back(&lab).contains("DUP!"));
    let said = set(&["link.near.duplication.share=0", "link.far.loss=100%"])
        .exits(0)
        .out;
    assert!(said.contains("far middle>right: loss 100 %"), "{said}");
    assert!(come_back(&lab).contains(" 0 received"));
    let said = set(&["link.far.loss=0"]).exits(0).out;
    assert!(said.contains("far middle>right: no loss"), "{said}");
    let said = set(&["link.far.loss=0"]).exits(0).out;
    assert_eq!(said, "link.far.loss is 0 already\n");
    set(&["link.far.jitter.max=300ms", "link.far.reorder=true"]).exits(0);
    assert!(come_back(&lab).contains(" 3 received"));
    // All of them or none, and each message with a way out.
    for (changes, words) in [
        (
            &["link.far.delay=40ms", "link.far.up=no"][..],
            "`up` is true or false, not `no`",
        ),
        (
            &["link.far.delay=40ms", "link.fra.up=false"],
            "the lab has near, far",
        ),
        (
            &["link.far.delay=40ms", "link.far.dealy=1ms"],
            "did you mean `delay`?",
        ),
        (
            &["link.far.delay=40ms", "link.far.sort=1ms"],
            "or of its direction `forward` or `reverse`, `rate`, `delay`,",
        ),
        (
            &["link.far.delay=40ms", "link.far.delay=soon"],
            "lab set:1:16",
        ),
        (&["link.far.delay=40ms", "link.far.delay"], "sets nothing"),
        (
            &["link.far.delay=40ms", "test.bulk.bytes=2MB"],
            "stays as the lab was started",
        ),
        (
            &["link.far.delay=40ms", "bulk.bytes=2MB"],
            "`test.bulk.bytes` stays as the lab was started",
        ),
    ] {
        let refused = set(changes).exits(2);
        assert!(refused.err.contains(words), "{changes:?}: {}", refused.err);
    }
    let said = set(&["link.far.delay=9ms"]).exits(0).out;
    assert_eq!(said, "link.far.delay is 9ms already\n");
    lab(&["down"]).exits(0);
}

/// Two hosts, and a label switched path over three routers between them.
const LABELLED: &str = r#"[scenario]
name = "labelled"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[router]]
name = "s"
[[router]]
name = "t"
[[link]]
name = "a-r"
ends = ["a", "r"]
rate = "1 Gbit/s"
[[link]]
name = "r-s"
ends = ["r", "s"]
rate = "100 Mbit/s"
delay = "2 ms"
mtu = 1504
[[link]]
name = "s-t"
ends = ["s", "t"]
rate = "100 Mbit/s"
delay = "2 ms"
mtu = 1504
[[link]]
name = "t-b"
ends = ["t", "b"]
rate = "1 Gbit/s"
[[lsp]]
name = "l"
path = ["r", "s", "t"]
[[test]]
name = "rtt"
kind = "ping"
from = "a"
to = "b"
count = 3
"#;

#[test]
fn traceroute_and_mtr_see_routers_and_the_labels_between_them() {
    let place = Place::new();
    place.write("labelled.toml", LABELLED);
    let lab = |args: &[&str]| place.farpath(&[&["lab", "--lab", "labels"], args].concat());
    lab(&["up", "labelled.toml"]).exits(0);
    let hops = ["198.18.0.3", "198.18.0.4", "198.18.0.5", "198.18.0.2"];
    let traced = lab(&["exec", "a", "--", "traceroute", "-n", "-e", "-q", "1", "b"]).exits(0);
    let lines: Vec<&str> = traced.out.lines().skip(1).collect();
    assert_eq!(lines.len(), hops.len(), "{}", traced.out);
    for (line, hop) in lines.iter().zip(hops) {
        assert!(line.contains(hop), "{}", traced.out);
        // The second router switches labels; the last one has popped.
        assert_eq!(
            line.contains("<MPLS:L=16,"),
            hop == "198.18.0.4",
            "{}",
            traced.out
        );
    }
    let traced = lab(&["exec", "a", "--", "mtr", "-n", "-4", "-r", "-c", "1", "b"]).exits(0);
    for hop in hops {
        let seen = |l: &&str| l.contains(&format!("-- {hop} ")) && l.contains("0.0%");
        assert!(
            traced.out.lines().any(|l| seen(&l)),
            "{hop}: {}",
            traced.out
        );
    }
    lab(&["down"]).exits(0);
}

#[test]
fn a_record_says_when_on_what_and_which_way_it_was_taken() {
    let place = Place::new();
    // Beside the ping that arrives, those that expire at each router: what a traceroute sends.
    let expiring = |ttl: u8| {
        format!(
            "[[test]]\nname = \"hop-{ttl}\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\nttl = {ttl}\ncount = 2\n"
        )
    };
    let six = expiring(64).replace("hop-64", "six") + "ip = 6\n";
    let tests = [1, 2, 3].map(expiring).concat() + &six;
    place.write("labelled.toml", &format!("{LABELLED}{tests}"));
    let ran = place.farpath(&[
        "run",
        "labelled.toml",
        "--predict",
        "--simulate",
        "--emulate",
        "--json",
    ]);
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    let run = RunDocument::from_json(&ran.out).expect("a document");
    let (real, models): (Vec<&Record>, Vec<&Record>) = run
        .records
        .iter()
        .partition(|r| r.origin == Origin::Emulated);
    assert!(
        models
            .iter()
            .all(|r| r.taken.is_none() && r.route.is_none())
    );
    let kernel = setting("kernel.osrelease");
    let zero = real[0].taken.as_ref().expect("it was taken").at_utc_ns;
    assert!(zero.is_some());
    for record in &real {
        let taken = record.taken.as_ref().expect("it was taken");
        assert_eq!(taken.at_utc_ns, zero, "one run has one zero");
        assert!(
            taken
                .tool
                .as_ref()
                .is_some_and(|t| t.starts_with("farpath "))
        );
        let names: Vec<&str> = taken.hosts.iter().map(|h| h.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let [a, b] = &taken.hosts[..] else {
            unreachable!("two names")
        };
        assert_eq!(
            (a.os.as_deref(), a.kernel.as_ref()),
            (Some("linux"), Some(&kernel))
        );
        assert_eq!(a.clock_error_ns, Some(0), "the conductor's own clock");
        // Nobody runs on the host that answers pings.
        assert_eq!((b.os.as_deref(), taken.clock_error_ns), (None, None));
        assert_eq!(
            record.certificate.as_ref().and_then(|c| c.clock_error_ns),
            Some(0)
        );
        let version = if record.test == "six" {
            "2001:db8::"
        } else {
            "198.18.0."
        };
        assert_eq!(a.addresses, [format!("{version}1")]);
        assert_eq!(b.addresses, [format!("{version}2")]);
    }
    let route = |test: &str| {
        let record = real.iter().find(|r| r.test == test).expect("it ran");
        record.route.clone().expect("its route")
    };
    let hop = |ttl, (name, address, labels): (&str, &str, &[u32])| RouteHop {
        ttl,
        address: Some(address.to_owned()),
        name: Some(name.to_owned()),
        labels: labels.to_vec(),
        rtt_ns: Vec::new(),
    };
    // The second router switches labels; the last one has popped.
    let way: [(&str, &str, &[u32]); 4] = [
        ("r", "198.18.0.3", &[]),
        ("s", "198.18.0.4", &[16]),
        ("t", "198.18.0.5", &[]),
        ("b", "198.18.0.2", &[]),
    ];
    let hops: Vec<RouteHop> = (1..).zip(way).map(|(ttl, of)| hop(ttl, of)).collect();
    assert_eq!(
        route("rtt"),
        Route {
            hops: hops.clone(),
            reached: true
        }
    );
    assert_eq!(route("six").hops.len(), hops.len());
    // What answered is what the plan says, label and all.
    for ttl in 1..4_u8 {
        let mut route = route(&format!("hop-{ttl}"));
        let answered = route.hops.last_mut().expect("who answered");
        let times = std::mem::take(&mut answered.rtt_ns);
        let least = 4_000_000 * u64::from(ttl - 1);
        assert!(
            !times.is_empty() && times.iter().all(|t| *t >= least),
            "{times:?}"
        );
        assert_eq!(route.hops[..], hops[..usize::from(ttl)]);
        assert!(!route.reached);
    }
}

#[test]
fn an_emulated_run_stands_beside_the_simulated_one_and_loses_the_same_segment() {
    let place = Place::new();
    // The third segment of the transfer is lost.
    let losing = "delay = \"9 ms\"\nforward = { lose = { flow = \"bulk\", segment = 3 } }";
    place.write("small.toml", &SMALL.replace("delay = \"9 ms\"", losing));
    let ran = place.farpath(&["run", "small.toml", "--emulate", "--json"]);
    assert!(
        matches!(ran.code, Some(0 | 4)),
        "{:?}\n{}",
        ran.code,
        ran.err
    );
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let records = document["records"].as_array().expect("a list");
    let of = |origin: &str, test: &str| {
        let found = records
            .iter()
            .find(|r| r["origin"] == origin && r["test"] == test);
        found
            .unwrap_or_else(|| panic!("no {origin} {test} in\n{}", ran.out))
            .clone()
    };
    for origin in ["predicted", "simulated", "emulated"] {
        of(origin, "bulk");
    }
    let bulk = of("emulated", "bulk");
    assert_eq!(
        bulk["taken"]["clock_error_ns"], 0,
        "both ends read one clock"
    );
    assert_eq!(
        bulk["uncertainty"]["completion_ns"],
        serde_json::Value::Null
    );
    assert_eq!(bulk["metrics"]["bytes"], 1_000_000.0);
    assert_eq!(bulk["metrics"]["retransmits"], 1.0);
    assert_eq!(bulk["certificate"]["valid"], bulk["valid"]);
    assert!(bulk["certificate"]["frames"].as_u64() > Some(600));
    assert_eq!(of("emulated", "rtt")["metrics"]["received"], 3.0);
    let rtt = of("emulated", "rtt")["metrics"]["rtt_min_ns"]
        .as_f64()
        .expect("a number");
    assert!(rtt >= 20e6, "nothing is faster than the path: {rtt}");
    let scripted: Vec<u64> = document["links"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|l| l["link"] == "far" && l["direction"] == "middle>right")
        .map(|l| l["drops"]["scripted"].as_u64().unwrap_or(0))
        .collect();
    assert_eq!(scripted, [1, 1], "the simulated and the emulated link");
}

#[test]
fn what_a_machine_must_do_is_asked_for_in_two_words() {
    let place = Place::new();
    let run = |value: &str| {
        ran(place
            .command()
            .env("FARPATH_LAB", value)
            .args(["run", "small.toml", "--emulate", "--predict"])
            .output()
            .expect("the binary was built"))
    };
    assert!(run("perhaps").exits(2).err.contains("`required`"));
}
