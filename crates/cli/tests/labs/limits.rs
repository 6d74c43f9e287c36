//! What `lab run` says that limited a program: iperf3 over paths whose limit is known. A run whose certificate is invalid is said
//! on stderr and not judged, nor is a connection that a busy machine sampled too rarely. `FARPATH_ARRANGED=all` runs every round-trip time, each twice.

use std::path::Path;

use farpath_arranged::{Arranged, Case, ROUND_TRIPS_MS, cases};

use crate::place::Place;

/// The words of a closing line that knows too little to explain anything.
const RARELY: &str = "to say what was in flight";

/// The words of the closing line, and how iperf3 is to send; Reno, which every kernel allows.
fn asked(arranged: Arranged) -> (&'static [&'static str], &'static str) {
    let window: &[&str] = &["the congestion window limited it"];
    match arranged {
        Arranged::Application => (&["your command limited it"], "-t 3 -b 300K"),
        Arranged::SendBuffer => (&["its send buffer limited it"], "-t 3"),
        Arranged::ReceiveWindow => (&["the receiver's window limited it"], "-t 3"),
        Arranged::SlowStart => (window, "-t 1"),
        Arranged::Loss => (window, "-t 3"),
        Arranged::Link => (&["a link of the path was full"], "-t 8"),
        Arranged::Policer => (&["a policer limited it"], "-t 5"),
        Arranged::Nic => (&["its host's own link was full"], "-t 3"),
        Arranged::Mtu => (&["the MTU limited it"], "-t 3"),
    }
}

#[test]
fn the_closing_line_names_the_arranged_limit_on_every_repeat() {
    let all = std::env::var_os("FARPATH_ARRANGED").is_some_and(|v| v == "all");
    // A second is five round trips of the longest path, and a window that still grows.
    let wanted = |case: &Case| match case.arranged {
        Arranged::SlowStart => case.rtt_ms == ROUND_TRIPS_MS[2],
        _ => all || case.rtt_ms == ROUND_TRIPS_MS[1],
    };
    let place = Place::alone();
    let mut wrong = Vec::new();
    for case in cases().filter(wanted) {
        // Reno's slow start overflows a queue of one BDP and is short of window for seconds: half of this one still fills the link.
        let text = case.text.replace("queue = \"1bdp\"", "queue = \"8bdp\"");
        place.write("arranged.toml", &text);
        let (words, how) = asked(case.arranged);
        let client = format!("iperf3 -C reno -c d {how} >/dev/null 2>&1");
        for repeat in 1..=if all { 2 } else { 1 } {
            let ran = place.farpath(&[
                "lab",
                "run",
                "arranged.toml",
                "--timeout",
                "20s",
                "--server",
                "iperf3 -s -1",
                "--wait-port",
                "5201",
                "--",
                "sh",
                "-c",
                &client,
            ]);
            let line = in_one(&ran.err);
            let what = format!("{}, run {repeat}: {line}", case.name);
            match words.iter().any(|w| line.contains(w)) {
                true => eprintln!("right: {what}"),
                false if line.contains("INVALID") || line.contains(RARELY) => {
                    eprintln!("not judged: {what}");
                }
                false => wrong.push(what),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A client that waits for a server on port 7000: what `bash` is to do.
fn asking(client: &str) -> [&str; 6] {
    ["--wait-port", "7000", "--", "bash", "-c", client]
}

/// What `--json o.json` left.
fn report(place: &Place) -> serde_json::Value {
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Whether a closing line has all these words, or was not explained.
fn says(line: &str, words: &[&str]) {
    if line.contains(RARELY) {
        return eprintln!("not judged: {line}");
    }
    assert!(words.iter().all(|w| line.contains(w)), "{line}");
}

/// The closing line of a run with this server, in perl, and this client.
fn closing(options: &[&str], server: &str, client: &str) -> String {
    let place = Place::alone();
    let server = format!(
        "exec perl -MIO::Socket::INET -e 'my $l = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); {server}'"
    );
    let run = ["lab", "run", "--rate", "20Mbit/s", "--server", &server];
    let rest = asking(client);
    let ran = place.farpath(&[&run[..], options, &rest].concat()).exits(0);
    in_one(&ran.err)
}

/// What a run said, with the parts of its closing note in one line.
fn joined(said: &str) -> String {
    said.replace("\n      ", "; ")
}

/// A run's closing note, and all that it said where there was none.
fn in_one(said: &str) -> String {
    let joined = joined(said);
    let line = joined.lines().find(|l| l.contains("certificate"));
    line.unwrap_or(said).to_owned()
}

#[test]
fn what_a_run_came_to_is_written_as_json() {
    let place = Place::new();
    // It reads: what a receive buffer takes of 100 kB that nobody reads depends on how they come.
    let server = "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(LocalPort => 7000, Listen => 1)->accept; 1 while sysread $c, my $b, 65536; sleep'";
    let options = [
        "--rtt", "300ms", "--rate", "20Mbit/s", "--json", "o.json", "--server", server,
    ];
    // 70 segments, and ten of them in the first of four round trips (RFC 6928).
    let client = "head -c 100000 /dev/zero >/dev/tcp/server/7000; sleep 3; exit 3";
    let rest = asking(client);
    place
        .farpath(&[&["lab", "run"], &options[..], &rest].concat())
        .exits(3);
    let found = report(&place);
    assert_eq!(found["schema"], "farpath.lab-run/1");
    assert_eq!(found["exit_code"], 3);
    assert!(found["took_ns"].as_u64() >= Some(3_000_000_000), "{found}");
    assert!(found["rtt_p99_ns"].as_f64() >= Some(299e6), "{found}");
    assert!(
        found["certificate"]["frames"].as_u64() > Some(20),
        "{found}"
    );
    let connection = &found["connection"];
    assert_eq!(connection["sender"], "your command");
    assert_eq!(connection["path_holds_bytes"], 750_000);
    // As the kernel had it when the connection ended, whenever it was sampled.
    assert_eq!(connection["bytes_sent"], 100_000, "{found}");
    assert_eq!(connection["at_least"], false, "{found}");
    assert!(connection["segments_sent"].as_u64() >= Some(69), "{found}");
    assert!(connection["samples"].as_u64() > Some(0), "{found}");
    let Some(shares) = connection["limited_by"].as_object() else {
        assert!(connection["in_flight_max_bytes"].is_null(), "{found}");
        return eprintln!("not judged: {found}");
    };
    let most = connection["in_flight_max_bytes"].as_u64();
    assert!(most <= Some(100_000), "{found}");
    let sum: f64 = shares.values().filter_map(serde_json::Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{found}");
}

/// As a server of HTTP/1.0 does it: all is in its send buffer when it closes, and on the way for a second and more.
#[test]
fn a_connection_is_followed_after_the_server_has_closed_it() {
    let server = "my $c = $l->accept; $c->sockopt(SO_SNDBUF, 400_000); print $c \"x\" x 250_000; close $c; sleep";
    let line = closing(
        &["--rtt", "300ms"],
        server,
        "cat </dev/tcp/server/7000 >/dev/null",
    );
    says(
        &line,
        &[
            "what the server sends (",
            " kB in flight in ",
            " on a path that holds 750 kB",
        ],
    );
}

#[test]
fn a_command_that_waits_for_a_slow_server_is_told_from_one_that_waits_for_the_path() {
    let slow = "my $c = $l->accept; while (<$c>) { select(undef, undef, undef, 0.7); print $c \"\\n\" } sleep";
    let quick = "my $c = $l->accept; while (<$c>) { print $c \"\\n\" } sleep";
    let asks = |times: u32| {
        format!(
            "exec 3<>/dev/tcp/server/7000; for i in {{1..{times}}}; do echo >&3; read -u 3; done"
        )
    };
    let line = closing(&["--rtt", "20ms"], slow, &asks(4));
    says(
        &line,
        &[": your command waited for the server ", " on a path that "],
    );
    let line = closing(&["--rtt", "500ms"], quick, &asks(5));
    says(&line, &[": it waited for the path "]);
}

/// What a client in perl does with a connection `$c` to the server, without Nagle's algorithm or with it.
fn perl(has_delay: bool, does: &str) -> String {
    let no_delay = if has_delay {
        ""
    } else {
        "setsockopt $c, 6, 1, 1;"
    };
    format!(
        "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(\"server:7000\") or die; {no_delay} {does}'"
    )
}

/// Eight queries at a time, each answer brings the next one, and a server that answers at once.
#[test]
fn queries_on_the_way_at_once_are_waited_for() {
    let server = "my $c = $l->accept; setsockopt $c, 6, 1, 1; while (<$c>) { print $c \"x\" x 300, \"\\n\" } sleep";
    let does = "sub ask { print $c \"q\" x 80, \"\\n\" } ask for 1..8; for my $n (1..80) { <$c>; ask if $n <= 72 }";
    let line = closing(&["--rtt", "300ms"], server, &perl(false, does));
    let words = " segments of requests and answers were on the way at a time; ";
    says(
        &line,
        &[
            "what the server sends (",
            ": it waited for the path ",
            words,
        ],
    );
}

/// Answers of 500 kB, one at a time, 20 ms away: 0.2 s of 0.22 s are the line's.
#[test]
fn answers_that_fill_a_link_are_not_on_the_way() {
    let server = "my $c = $l->accept; while (<$c>) { print $c \"x\" x 500_000, \"\\n\" } sleep";
    let does = "for (1..15) { print $c \"q\\n\"; <$c> }";
    let options = ["--rtt", "20ms", "--queue", "2MiB", "--cc", "reno"];
    let line = closing(&options, server, &perl(false, does));
    let words = ": a link of the path was full ";
    says(&line, &["what the server sends (", words]);
}

/// A header, and a body of full segments and a rest, in answers 150 ms away: the rest waits for the acknowledgement of the header each time.
/// A sender that paces, as BBR does, is still at the body for a half of that wait.
#[test]
fn small_writes_behind_full_segments_are_named() {
    let server = "my $c = $l->accept; while (<$c>) { print $c \"h\" x 200; print $c \"b\" x 20_000, \"\\n\" } sleep";
    let does = "for (1..12) { print $c \"q\" x 80, \"\\n\"; <$c> }";
    let line = closing(
        &["--rtt", "150ms", "--cc", "reno"],
        server,
        &perl(false, does),
    );
    says(
        &line,
        &[
            "what the server sends (",
            "a small write of the server waited",
            "TCP_NODELAY",
        ],
    );
}

/// Eight words of an answer, 300 ms apart, to a request that is larger: the command reads all the while.
#[test]
fn an_answer_word_by_word_is_the_servers_time() {
    let server = "my $c = $l->accept; while (<$c>) { for my $n (1..8) { select(undef, undef, undef, 0.3); print $c \"word\\n\" } } sleep";
    let does = "print $c \"q\" x 2000, \"\\n\"; <$c> for 1..8;";
    let line = closing(&["--rtt", "80ms"], server, &perl(false, does));
    let words = ": your command waited for the server ";
    says(&line, &["what your command sends (", words]);
}

/// A header and a body in two writes, and an answer that is larger than both.
#[test]
fn small_writes_of_a_client_with_large_answers_are_named() {
    let server = "my $c = $l->accept; while (<$c>) { print $c \"x\" x 300, \"\\n\" } sleep";
    let does = "for (1..8) { print $c \"head\"; print $c \"q\" x 80, \"\\n\"; <$c> }";
    let line = closing(&["--rtt", "300ms"], server, &perl(true, does));
    says(
        &line,
        &[
            "what the server sends (",
            "a small write of your command waited",
            "TCP_NODELAY",
        ],
    );
}

/// A queue of three packets, and a line that loses by chance: what took the segments of a bulk transfer is known to the frame.
#[test]
fn a_full_queue_is_told_apart_from_losses_by_chance() {
    let place = Place::new();
    let server = "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(LocalPort => 7000, Listen => 1)->accept; 1 while sysread $c, my $b, 65536; sleep'";
    let run = [
        "lab", "run", "--rtt", "40ms", "--rate", "20Mbit/s", "--cc", "reno", "--json", "o.json",
        "--server", server,
    ];
    let rest = asking("head -c 500000 /dev/zero >/dev/tcp/server/7000");
    let lost = |options: [&str; 2]| {
        place
            .farpath(&[&run[..], &options, &rest].concat())
            .exits(0);
        let found = report(&place);
        let lost = &found["connection"]["lost"];
        ["sent", "queue", "chance"].map(|key| lost[key].as_u64().expect(key))
    };
    // An initial window of ten comes at four times the rate of the path.
    let [sent, queue, chance] = lost(["--queue", "3 packets"]);
    assert!(sent >= 345 && queue > 0 && chance == 0, "{queue}, {chance}");
    let [sent, queue, chance] = lost(["--loss", "2%"]);
    assert!(sent >= 345 && chance > queue, "{queue}, {chance}");
}

/// Beside the connection that matters another carries more.
#[test]
fn connections_to_a_port_are_judged_without_the_others() {
    let place = Place::new();
    let server = "exec perl -MIO::Socket::INET -e 'my @l = map { IO::Socket::INET->new(LocalPort => $_, Listen => 1) } 7001, 7000; \
        my @c = map { $_->accept } @l; for my $c (@c) { 1 while sysread $c, my $b, 65536 } sleep'";
    let client = "exec 3>/dev/tcp/server/7001 4>/dev/tcp/server/7000; head -c 300000 /dev/zero >&3; exec 3>&-; \
        head -c 100000 /dev/zero >&4; exec 4>&-; sleep 2";
    let run = ["lab", "run", "--rtt", "100ms", "--rate", "20Mbit/s"];
    let rest = [&["--server", server], &asking(client)[..]].concat();
    let carried = |ports: &[&str]| {
        let asked = [&run[..], ports, &["--json", "o.json"], &rest].concat();
        place.farpath(&asked).exits(0);
        let found = report(&place);
        let connection = &found["connection"];
        let all = ["bytes_sent", "connections"].map(|key| connection[key].as_u64());
        (all, found["ports"].clone())
    };
    let all = carried(&[]);
    assert_eq!(all, ([Some(300_000), Some(2)], serde_json::json!([])));
    let one = carried(&["--port", "7000"]);
    assert_eq!(one, ([Some(100_000), Some(1)], serde_json::json!([7000])));
}

/// The longest time without a packet from a port, by a capture of IPv4 on Ethernet, in this machine's byte order, with times
/// in nanoseconds.
fn longest_pause(file: &Path, port: u16) -> f64 {
    let bytes = std::fs::read(file).expect("it was written");
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four"));
    let (mut at, mut last, mut longest) = (0, None, 0_u64);
    while at + 32 <= bytes.len() {
        // An enhanced packet block: interface, two halves of the time, lengths, the packet.
        let packet = &bytes[at + 28..];
        if word(at) == 6 && packet[12..14] == [0x08, 0x00] && packet[23] == 6 {
            let time = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            if packet[34..36] == port.to_be_bytes() {
                longest = longest.max(time - last.unwrap_or(time));
                last = Some(time);
            }
        }
        at += word(at + 4) as usize;
    }
    longest as f64 / 1e9
}

/// Samples are half a second apart; the lab sees each frame, and says what a capture of the sender's host says.
#[test]
fn how_long_nothing_arrived_is_known_to_the_frame() {
    let place = Place::alone();
    let server = "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(LocalPort => 7000, Listen => 1)->accept; 1 while sysread $c, my $b, 65536; sleep'";
    let client = "timeout 8 cat /dev/zero >/dev/tcp/server/7000; true";
    let run = [
        "lab", "run", "--rtt", "100ms", "--rate", "5Mbit/s", "--cc", "reno", "-4",
    ];
    let down = [
        "--down",
        "2s-4s",
        "--json",
        "o.json",
        "--capture",
        "packets",
    ];
    let rest = [&["--server", server], &asking(client)[..]].concat();
    let ran = place.farpath(&[&run[..], &down, &rest].concat()).exits(0);
    let line = in_one(&ran.err);
    if line.contains(RARELY) {
        return eprintln!("not judged: {line}");
    }
    let pause = longest_pause(&place.path().join("packets/client.pcapng"), 7000);
    // One time, or the range that samples leave.
    let said = line.split("nothing new was delivered for ").nth(1);
    let said = said.and_then(|rest| Some(rest.split_once(" s (")?.0.replace(" s to ", " ")));
    let said = said.unwrap_or_else(|| panic!("a time: {line}"));
    let bounds = said
        .split(' ')
        .map(|s| s.parse::<f64>().expect("a time, seconds"));
    let bounds: Vec<f64> = bounds.collect();
    assert!(
        bounds[0] - 0.1 < pause && pause < bounds[bounds.len() - 1] + 0.1,
        "{pause} s in the capture: {line}"
    );
    assert!(line.contains("the path was down for 2.0 s"), "{line}");
    let found = report(&place);
    let share = found["connection"]["limited_by"]["path_down"].as_f64();
    let percent = format!("{:.0} % of the time", 100.0 * share.expect("a share"));
    assert!(line.contains(&percent), "{percent}: {line}");
}

/// Full is what carries its rate of by then: a tenth of that at the start.
#[test]
fn a_link_that_has_become_slow_is_what_limits() {
    let place = Place::alone();
    let text = "[scenario]\nname = \"drop\"\n[[host]]\nname = \"client\"\n[[host]]\nname = \"server\"\n[[router]]\nname = \"west\"\n\
         [[link]]\nname = \"access\"\nends = [\"client\", \"west\"]\nrate = \"1 Gbit/s\"\n\
         [[link]]\nname = \"path\"\nends = [\"west\", \"server\"]\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"100 KiB\"\n\
         [[event]]\nat = \"500 ms\"\nlink = \"path\"\nrate = \"2 Mbit/s\"\n";
    place.write("drop.toml", text);
    let server = "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(LocalPort => 7000, Listen => 1)->accept; 1 while sysread $c, my $b, 65536; sleep'";
    let client = "timeout 6 cat /dev/zero >/dev/tcp/server/7000; true";
    let run = [
        "lab",
        "run",
        "drop.toml",
        "--cc",
        "reno",
        "--json",
        "o.json",
    ];
    let rest = asking(client);
    let ran = place.farpath(&[&run[..], &["--server", server], &rest].concat());
    let line = joined(&ran.exits(0).err);
    let found = report(&place);
    match found["connection"]["limited_by"]["link"].as_f64() {
        _ if line.contains(RARELY) => eprintln!("not judged: {line}"),
        link => assert!(link > Some(0.5), "{found}\n{line}"),
    }
}

/// What `--json` says of 200 datagrams of 4000 bytes, in three fragments each, that the command sends to a socket which
/// takes those that are whole and right; and how many that took.
fn in_fragments(
    place: &Place,
    version: &str,
    option: [&str; 2],
) -> (serde_json::Value, u64, String) {
    let server = "exec perl -MIO::Socket::IP -e 'my $u = IO::Socket::IP->new(Proto => \"udp\", LocalPort => 7000, LocalHost => \"::\", \
        V6Only => 0) or die $!; $| = 1; while ($u->recv(my $d, 9000)) { open my $f, \">>\", \"took\"; print $f length($d), \"\\n\" }'";
    let client = "my $u = IO::Socket::IP->new(Proto => \"udp\", PeerAddr => \"server:7000\") or die $!; sleep 1; \
        for (1..200) { $u->send(\"x\" x 4000); select(undef, undef, undef, 0.005) } sleep 1";
    drop(std::fs::remove_file(place.path().join("took")));
    let ran = place.farpath(
        &[
            &[
                "lab",
                "run",
                version,
                "--rtt",
                "20ms",
                "--rate",
                "100Mbit/s",
                "--json",
                "o.json",
            ][..],
            &option,
            &[
                "--server",
                server,
                "--",
                "perl",
                "-MIO::Socket::IP",
                "-e",
                client,
            ],
        ]
        .concat(),
    );
    let ran = ran.exits(0);
    let mut found = report(place);
    let took = std::fs::read_to_string(place.path().join("took")).unwrap_or_default();
    let right = took.lines().filter(|l| *l == "4000").count();
    (found["datagrams"][0].take(), right as u64, joined(&ran.err))
}

#[test]
fn datagrams_in_fragments_are_counted_as_their_receiver_has_them() {
    let place = Place::new();
    for version in ["-4", "-6"] {
        let (sent, took, _) = in_fragments(&place, version, ["--there", "loss=5%"]);
        assert_eq!(
            (&sent["datagrams"], &sent["bytes"]),
            (&200.into(), &800_000.into()),
            "{version}"
        );
        let dropped = sent["dropped"].as_u64().expect("a number");
        assert!(
            dropped > 10 && dropped + took == 200,
            "{version}: {took} came: {sent}"
        );
        let (sent, took, said) = in_fragments(&place, version, ["--corrupt", "5%"]);
        let damaged = sent["damaged"].as_u64().expect("a number");
        assert!(
            damaged > 10 && damaged + took == 200,
            "{version}: {took} came: {sent}"
        );
        assert!(
            said.contains(&format!("; {damaged} arrived damaged (wrong checksum, ")),
            "{said}"
        );
    }
    let (sent, took, said) = in_fragments(&place, "-4", ["--down", "1500ms-"]);
    let number = |key: &str| sent[key].as_u64().expect(key);
    assert!(
        number("dropped") > 0 && number("dropped") + took == 200,
        "{took} came: {sent}"
    );
    assert!(number("path_down") >= number("dropped"), "{sent}");
    assert!(
        said.contains("; of frames of all kinds that went this way ")
            && said.contains(" found the path down"),
        "{said}"
    );
}

/// 300 datagrams at once, at four times the path's rate and into a queue of ten.
#[test]
fn what_the_path_dropped_of_datagrams_is_counted() {
    let place = Place::new();
    let script = "my $u = IO::Socket::INET->new(Proto => \"udp\", PeerAddr => \"server:9\") or die $!; \
        $u->send(\"x\" x 1000) for 1..300; select(undef, undef, undef, 2)";
    let ran = place.farpath(&[
        "lab",
        "run",
        "-4",
        "--rtt",
        "20ms",
        "--rate",
        "1Mbit/s",
        "--queue",
        "10 packets",
        "--json",
        "o.json",
        "--",
        "perl",
        "-MIO::Socket::INET",
        "-e",
        script,
    ]);
    let ran = ran.exits(0);
    let words = "datagrams that your command sent the path dropped ";
    assert!(joined(&ran.err).contains(words), "{}", ran.err);
    let found = report(&place);
    let sent = &found["datagrams"][0];
    assert_eq!(sent["sender"], "your command");
    let number = |key: &str| sent[key].as_u64().expect(key);
    assert!(number("datagrams") <= 300, "{found}");
    assert_eq!(number("bytes"), 1000 * number("datagrams"), "{found}");
    assert!(number("dropped") > 0, "{found}");
    assert!(number("queue_full") >= number("dropped"), "{found}");
    assert!(found["fault"].is_null(), "{found}");
}

/// Ten seconds each way, and a program that waits for one: all that it sent is on the path when the run ends.
#[test]
fn what_is_on_the_path_at_the_end_is_counted() {
    let place = Place::new();
    let script = "my $u = IO::Socket::INET->new(Proto => \"udp\", PeerAddr => \"server:9\") or die $!; \
        $u->send(\"x\" x 1000) for 1..50; select(undef, undef, undef, 1)";
    let path = [
        "lab", "run", "-4", "--rtt", "20s", "--rate", "1Mbit/s", "--json", "o.json", "--",
    ];
    let perl = ["perl", "-MIO::Socket::INET", "-e", script];
    let ran = place.farpath(&[&path[..], &perl].concat()).exits(0);
    let found = report(&place);
    let sent = &found["datagrams"][0];
    for (key, count) in [
        ("datagrams", 50),
        ("under_way", 50),
        ("host_waiting", 0),
        ("dropped", 0),
    ] {
        assert_eq!(sent[key], count, "{key}: {sent}");
    }
    let words = "; at the end of the run still 50 (100.0 %) on the path";
    assert!(joined(&ran.err).contains(words), "{}", ran.err);
}

/// Four queries, one after the other, and a server that takes half a second for each.
#[test]
fn the_time_of_a_server_of_queries_over_udp_is_its_own() {
    let place = Place::new();
    let server = "exec perl -MIO::Socket::INET -e 'my $u = IO::Socket::INET->new(Proto => \"udp\", LocalPort => 7000) or die $!; \
        while ($u->recv(my $b, 100)) { select(undef, undef, undef, 0.5); $u->send(\"a\") }'";
    let client = "my $u = IO::Socket::INET->new(Proto => \"udp\", PeerAddr => \"server:7000\") or die $!; \
        for (1..4) { $u->send(\"q\"); $u->recv(my $b, 100) }";
    let run = [
        "lab",
        "run",
        "-4",
        "--rtt",
        "20ms",
        "--rate",
        "20Mbit/s",
        "--json",
        "o.json",
        "--server",
        server,
        "--wait-port",
        "7000/udp",
        "--",
        "perl",
        "-MIO::Socket::INET",
        "-e",
        client,
    ];
    place.farpath(&run).exits(0);
    let found = report(&place);
    let sent = &found["datagrams"][0];
    assert_eq!(sent["answered"], 4, "{sent}");
    let took = found["took_ns"].as_f64().expect("a number") / 1e9;
    let ratio = sent["answering_ratio"].as_f64().expect("a number");
    // It sleeps so long at least.
    assert!(ratio * took > 1.99, "{ratio} of {took} s");
    let ratio = sent["asking_ratio"].as_f64().expect("a number");
    // A round trip for each.
    assert!(ratio * took > 0.079, "{ratio} of {took} s");
    assert_eq!(found["datagrams"][1]["answered"], 0, "{found}");
}

/// What `lab run` reports of a Perl program on a path of 2 Mbit/s, and the number that the program printed.
fn datagrams_of(place: &Place, version: &str, script: &str) -> (serde_json::Value, u64, String) {
    let socket =
        "my $u = IO::Socket::IP->new(Proto => \"udp\", PeerAddr => \"server:9\") or die $!; ";
    let ran = place.farpath(&[
        "lab",
        "run",
        version,
        "--rtt",
        "20ms",
        "--rate",
        "2Mbit/s",
        "--json",
        "o.json",
        "--",
        "perl",
        "-MIO::Socket::IP",
        "-e",
        &format!("{socket}{script}; print $n; sleep 3"),
    ]);
    let ran = ran.exits(0);
    let mut found = report(place);
    let sent = ran.out.trim().parse().expect("the program counts");
    (found["datagrams"][0].take(), sent, joined(&ran.err))
}

/// They were in no report: the closing line said less loss than the program's own protocol. Half of a send buffer that a user may
/// have is more than the interface's queue holds.
#[test]
fn what_the_host_itself_dropped_of_datagrams_is_counted_and_named() {
    let place = Place::new();
    let large = "setsockopt($u, 1, 7, 400000); setsockopt($u, 1, 32, 4000000);";
    let send = "for (1..3000) { $n++ if defined $u->send(\"x\" x 1000) }";
    let count = |sent: &serde_json::Value, key: &str| sent[key].as_u64().expect("a number");
    for version in ["-4", "-6"] {
        let (sent, by_program, said) = datagrams_of(&place, version, &format!("{large}{send}"));
        assert_eq!(count(&sent, "datagrams"), by_program, "{version}: {sent}");
        let own = count(&sent, "host_dropped");
        assert_eq!(
            count(&sent, "bytes"),
            1000 * (by_program - own),
            "{version}: {sent}"
        );
        assert!(own > 0 && said.contains(&format!("sent {own} (")), "{said}");
        assert!(
            said.contains("dropped in the host's own interface queue"),
            "{said}"
        );
    }
    // A program that asked for errors has one of each. Nobody listens there, which is another error.
    let told = format!(
        "{large} setsockopt($u, 0, 11, 1); \
         for (1..3000) {{ $n++ if defined $u->send(\"x\" x 1000) or $!{{ENOBUFS}} }}"
    );
    let (sent, by_program, _) = datagrams_of(&place, "-4", &told);
    assert_eq!(count(&sent, "datagrams"), by_program, "{sent}");
    assert!(count(&sent, "host_dropped") > 0, "{sent}");
    // One in fragments counts once, also where only some of them found the queue full.
    let large = format!("{large} for (1..1000) {{ $n++ if defined $u->send(\"x\" x 4000) }}");
    let (sent, by_program, _) = datagrams_of(&place, "-6", &large);
    assert_eq!(count(&sent, "datagrams"), by_program, "{sent}");
    let dropped = count(&sent, "host_dropped") + count(&sent, "dropped");
    assert!(dropped <= by_program, "{sent}");
    // What a socket without room refuses was never sent.
    let hasty = format!("setsockopt($u, 1, 7, 5000); $u->blocking(0); {send}");
    let (sent, by_program, said) = datagrams_of(&place, "-4", &hasty);
    assert!(by_program < 3000);
    assert_eq!(count(&sent, "datagrams"), by_program, "{sent}");
    assert_eq!(count(&sent, "host_dropped"), 0, "{said}");
}

#[test]
fn what_jitter_reordering_and_duplication_came_to_is_said() {
    let place = Place::new();
    let options = [
        "--jitter",
        "5ms",
        "--reorder",
        "20%,60ms",
        "--duplicate",
        "20%",
    ];
    let ping = [
        "--json", "o.json", "--", "ping", "-c", "60", "-i", "0.02", "server",
    ];
    let ran = place.lab_run(&[&options[..], &ping].concat()).exits(0);
    let found = report(&place);
    for way in 0..2 {
        let way = &found["impaired"][way];
        let count = |key: &str| way[key].as_f64().expect("a number");
        assert!(count("frames") >= 60.0, "{way}");
        assert!(
            count("reordered") > 0.0 && count("duplicated") > 0.0,
            "{way}"
        );
        assert!(count("jitter_mean_ns") > 0.0, "{way}");
        assert!(
            count("jitter_max_ns") >= 60e6,
            "those held back are among them: {way}"
        );
        let said = format!("{} copied", count("duplicated"));
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
    assert!(
        ran.err.contains(" overtaken by later ones, "),
        "{}",
        ran.err
    );
    let plain = place.lab_run(&["--json", "o.json", "--", "true"]).exits(0);
    assert!(
        !plain.err.contains("frames of your command"),
        "{}",
        plain.err
    );
}
