//! Our own scripts, valid for packetdrill too: every one passes.

#![allow(clippy::disallowed_methods, reason = "reads the scripts of this crate")]

use std::fs;
use std::path::Path;

use farpath_drill::{Verdict, parse, run};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts")
}

/// Those of the crate, those that assert what one kernel did, and those of what Linux does not have.
fn scripts() -> Vec<(String, String)> {
    let parts = ["", "kernel-6.18", "freebsd"];
    let folders = parts.map(|part| folder().join(part));
    let mut all: Vec<(String, String)> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the folder is there"))
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pkt"))
        .map(|path| {
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(&path).expect("it is text"))
        })
        .collect();
    all.sort();
    all
}

fn verdict(text: &str) -> Verdict {
    run(&parse(text).expect("it is a script"), &|_| None)
}

#[test]
fn every_script_passes() {
    let scripts = scripts();
    assert!(scripts.len() >= 24, "only {} scripts", scripts.len());
    let failed: Vec<String> = scripts
        .iter()
        .map(|(name, text)| (name, verdict(text)))
        .filter(|(_, verdict)| *verdict != Verdict::Pass)
        .map(|(name, verdict)| format!("{name}: {verdict}"))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Linux reduces the window for an echo in `TCP_CA_CWR`, and leaves that when more than was sent by then is acknowledged
/// (`tcp_enter_cwr`, `tcp_fastretrans_alert`).
#[test]
fn a_reduction_for_an_echo_is_no_recovery() {
    let file = folder().join("kernel-6.18/ecn-half-flight.pkt");
    let mut text = fs::read_to_string(file).expect("it is there");
    text += "
+0 %{ assert tcpi_ca_state == TCP_CA_CWR, tcpi_ca_state }%
+.010 < . 1:1(0) ack 10001 win 1000
+0 %{ assert tcpi_ca_state == TCP_CA_CWR, tcpi_ca_state }%
+.010 < . 1:1(0) ack 12001 win 1000
+0 %{ assert tcpi_ca_state == TCP_CA_Open, tcpi_ca_state }%
";
    assert_eq!(verdict(&text), Verdict::Pass);
}

/// A runner that compares nothing would let everything pass: each of these changes must be noticed.
#[test]
fn what_is_changed_is_noticed() {
    let changes = [
        ("nagle.pkt", "101:301(200)", "101:401(300)", "length"),
        (
            "slow-start-iw10.pkt",
            "tcpi_snd_cwnd == 12",
            "tcpi_snd_cwnd == 13",
            "assertion",
        ),
        (
            "fast-retransmit-sack.pkt",
            "> P. 13001:14001(1000)",
            "> P. 13501:14501(1000)",
            "sequence number",
        ),
        (
            "rto-backoff.pkt",
            "+.300~+.310",
            "+.200~+.210",
            "no segment",
        ),
        ("rto-backoff.pkt", "+.600~+.620", "+.640~+.680", "time"),
        (
            "sack-blocks.pkt",
            "sack 3001:4001 1001:2001",
            "sack 1001:2001 3001:4001",
            "SACK blocks",
        ),
        (
            "handshake-passive-plain.pkt",
            "> S. 0:0(0) ack 1 <mss 1460>",
            "> S. 0:0(0) ack 1 <mss 1400>",
            "MSS",
        ),
        (
            "timestamps.pkt",
            "TS val 9100 ecr 600>",
            "TS val 9100 ecr 500>",
            "timestamp echo",
        ),
        ("syn-ack-timeouts.pkt", "+2~+2.2", "+1~+1.1", "no segment"),
        (
            "zero-window-answered.pkt",
            "+1.200~+1.240",
            "+1.100~+1.140",
            "no segment",
        ),
        ("sack-reneging.pkt", "+.050~+.070", "+.300~+.310", "time"),
        ("close-active.pkt", "> F. 1501", "> . 1501", "flags"),
        ("close-passive.pkt", "= 500", "= 400", "call"),
        (
            "reset-blind.pkt",
            "> . 1:1(0) ack 1\n+.600 < S",
            "> . 1:1(0) ack 2\n+.600 < S",
            "acknowledgement",
        ),
    ];
    let scripts = scripts();
    for (name, from, to, kind) in changes {
        let (_, text) = scripts.iter().find(|(n, _)| n == name).expect(name);
        let changed = text.replacen(from, to, 1);
        assert_ne!(&changed, text, "{name}: `{from}` is not there");
        match verdict(&changed) {
            Verdict::Differs { first: d, .. } => {
                assert_eq!(d.kind, kind, "{name}: {from}: {d:?}");
            }
            other => panic!("{name}: {from} became {to}: {other}"),
        }
    }
}

/// An active open whose SYN goes out again after each of `waits` seconds and is never answered.
fn unanswered_syn(settings: &str, waits: &[u32], end: &str) -> Verdict {
    let mut text = format!(
        "{settings}
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)
+0 > S 0:0(0) <...>
"
    );
    for wait in waits {
        text += &format!("+{wait} > S 0:0(0) <...>\n");
    }
    verdict(&(text + end))
}

/// The same of a passive open's SYN-ACK.
fn unanswered_syn_ack(settings: &str, waits: &[u32]) -> Verdict {
    let mut text = format!(
        "{settings}
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
"
    );
    for wait in waits {
        text += &format!("+{wait} > S. 0:0(0) ack 1 <...>\n");
    }
    verdict(&text)
}

/// Linux 6.18 (`tcp_write_timeout`): the timeouts of one second come on top of `tcp_syn_retries`, and a SYN is given up after 131 s.
#[test]
fn a_syn_is_given_up_after_ten_tries() {
    let gone = "+65 write(3, ..., 1000) = -1 ETIMEDOUT (Connection timed out)\n";
    let ten = [1, 1, 1, 1, 1, 2, 4, 8, 16, 32];
    assert_eq!(unanswered_syn("", &ten, gone), Verdict::Pass);
    assert_ne!(unanswered_syn("", &ten[..6], gone), Verdict::Pass);
    let doubling = "`sysctl -q net.ipv4.tcp_syn_linear_timeouts=0`";
    let six = [1, 2, 4, 8, 16, 32];
    assert_eq!(unanswered_syn(doubling, &six, gone), Verdict::Pass);
    assert_ne!(unanswered_syn(doubling, &ten, gone), Verdict::Pass);
}

/// RFC 6298 §5.5, and `tcp_synack_retries` of Linux: 5.
#[test]
fn the_timeout_of_a_syn_ack_doubles_from_the_first_on() {
    let five = [1, 2, 4, 8, 16];
    assert_eq!(unanswered_syn_ack("", &five), Verdict::Pass);
    assert_ne!(unanswered_syn_ack("", &[1, 1]), Verdict::Pass);
    let sixth = [1, 2, 4, 8, 16, 32];
    assert_ne!(unanswered_syn_ack("", &sixth), Verdict::Pass);
    let more = "`sysctl -q net.ipv4.tcp_synack_retries=6`";
    assert_eq!(unanswered_syn_ack(more, &sixth), Verdict::Pass);
}

/// A millisecond of 1 MB/s is two segments at least. At a round trip of 1 ms half of the largest burst comes on top (Linux from 5.18 on),
/// which is more than the window.
#[test]
fn a_paced_sender_has_longer_bursts_on_a_short_path() {
    let burst = |sysctl: &str, rtt_ms: u32| {
        let text = format!(
            "`sysctl -q net.ipv4.tcp_timestamps=0 {sysctl}`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_MAX_PACING_RATE, [1000000], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 60000 <mss 1000,sackOK,nop,nop,nop,wscale 2>
+0 > S. 0:0(0) ack 1 <...>
+.00{rtt_ms} < . 1:1(0) ack 1 win 60000
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 30000) = 30000
+0 > P. 1:10001(10000) ack 1
+.00{rtt_ms} < . 1:1(0) ack 10001 win 60000
+0 > P. 10001:30001(20000) ack 1
"
        );
        verdict(&text)
    };
    assert_eq!(burst("", 1), Verdict::Pass);
    assert_ne!(burst("", 9), Verdict::Pass);
    assert_ne!(burst("net.ipv4.tcp_tso_rtt_log=0", 1), Verdict::Pass);
}

/// Server, four segments of which the first is acknowledged: lines 1 to 12.
const FOUR: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 60000 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.1 < . 1:1(0) ack 1 win 60000
+0 accept(3, ..., ...) = 4
+0 %{ assert tcpi_snd_cwnd == 11; assert tcpi_snd_mss == 1000; assert tcpi_snd_cwnd == 12 }%
+0 write(4, ..., 1000) = 1000
+0 > P. 1:1001(1000) ack 1
+.1 < . 1:1(0) ack 1001 win 60000
+0 %{ assert tcpi_unacked == 7 }%
";

/// A value that is not the script's leaves the model's state what it is: the run goes on.
#[test]
fn a_run_goes_on_behind_a_value_that_differs() {
    let lines = |text: &str| match verdict(text) {
        Verdict::Differs { first, behind } => {
            let all = core::iter::once(first).chain(behind);
            all.map(|d| (d.line, d.kind)).collect::<Vec<_>>()
        }
        other => panic!("{text}: {other}"),
    };
    let three = [(8, "assertion"), (8, "assertion"), (12, "assertion")];
    assert_eq!(lines(FOUR), three);
    // A field of a segment that came.
    let acknowledges = FOUR.replace("(1000) ack 1\n", "(1000) ack 2\n");
    assert_eq!(
        lines(&acknowledges),
        [three[0], three[1], (10, "acknowledgement"), three[2]]
    );
    // Another segment, another result, and one that never comes: the rest has no meaning.
    for (from, to, kind) in [
        (
            "> P. 1:1001(1000)",
            "> P. 1001:2001(1000)",
            "sequence number",
        ),
        (
            "> P. 1:1001(1000) ack 1",
            "> P. 1:1001(1000) ack 1\n+0 > . 1001:2001(1000) ack 1",
            "no segment",
        ),
    ] {
        let found = lines(&FOUR.replace(from, to));
        assert_eq!(found.last().map(|d| d.1), Some(kind), "{found:?}");
        assert_eq!(found.len(), 3, "{found:?}");
    }
    assert_eq!(
        lines(&FOUR.replace("1000) = 1000", "1000) = 999")).last(),
        Some(&(9, "call"))
    );
}

/// A script may have any number of wrong assertions; 32 are reported.
#[test]
fn differences_are_bounded() {
    let text = format!("{FOUR}+0 %{{ {} }}%\n", "assert 1 == 2; ".repeat(100));
    match verdict(&text) {
        Verdict::Differs { behind, .. } => assert_eq!(behind.len(), 31),
        other => panic!("{other}"),
    }
}

#[test]
fn the_same_script_gives_the_same_verdict() {
    for (name, text) in scripts() {
        assert_eq!(verdict(&text), verdict(&text), "{name}");
    }
}

#[test]
fn what_cannot_be_run_says_why() {
    for (text, reason) in [
        (
            "0 socket(..., SOCK_DGRAM, IPPROTO_UDP) = 3",
            "sockets other than SOCK_STREAM",
        ),
        (
            "+0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)]",
            "ICMP",
        ),
        ("+0 > udp (1400)", "UDP"),
        ("+0 < S 0:0(0) win 100 <mss 1000,FO abcd>", "TCP Fast Open"),
        ("`rm -rf /`", "the shell command `rm`"),
        (
            "`../common/defaults.sh`",
            "`../common/defaults.sh`: there is no such file",
        ),
        (
            "`sysctl -q net.ipv4.tcp_mtu_probing=2`",
            "sysctl net.ipv4.tcp_mtu_probing=2",
        ),
        ("--wrong=1", "the option --wrong"),
        ("+0 %{ import os }%", "the Python statement `import`"),
        ("0 epoll_create(1) = 3", "the call epoll_create()"),
    ] {
        match verdict(text) {
            Verdict::Unsupported { reason: got, .. } => assert_eq!(got, reason, "{text}"),
            other => panic!("{text}: {other}"),
        }
    }
}

/// Linux changes the algorithm of an open connection, and the model does not: another than it has is not passed over.
#[test]
fn congestion_control_of_an_open_connection_is_not_ignored() {
    let with = |name: &str| {
        let set = format!("+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, \"{name}\", 4) = 0\n");
        let text = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\
            +0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n\
            +0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n\
            +.1 < . 1:1(0) ack 1 win 1000\n+0 accept(3, ..., ...) = 4\n";
        verdict(&format!("{text}{set}"))
    };
    assert_eq!(with("cubic"), Verdict::Pass);
    match with("reno") {
        Verdict::Unsupported { line, reason } => {
            assert_eq!(line, 8);
            assert_eq!(
                reason,
                "congestion control `reno` of a connection that has begun"
            );
        }
        other => panic!("{other}"),
    }
}

#[test]
fn shell_lines_of_files_are_read() {
    let script = parse(
        "`../common/defaults.sh`\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\
        +0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n\
        +0 < S 0:0(0) win 100 <mss 1000,sackOK,TS val 1 ecr 0>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n",
    )
    .expect("it is a script");
    let files = |name: &str| {
        (name == "../common/defaults.sh").then(|| {
            "# no options\nsysctl -q net.ipv4.tcp_sack=0 net.ipv4.tcp_timestamps=0 > /dev/null 2>&1\n".to_owned()
        })
    };
    assert_eq!(run(&script, &files), Verdict::Pass);
}

#[test]
fn errors_name_line_cause_and_remedy() {
    for (text, line, cause) in [
        (
            "0 socket(..., SOCK_STREAM, 0) 3",
            1,
            "expected `=`, found `3`",
        ),
        ("// fine\n\n+0 < Q 1:1(0)", 3, "unknown TCP flags `Q`"),
        ("+0 > . 1:1001(999) ack 1", 1, "1:1001 are not 999 bytes"),
        (
            "+0 > . 1:1(0) ack 1 <mss 1460",
            1,
            "expected `>`, found the end of the file",
        ),
        ("+0 %{ assert", 1, "no `}%` follows"),
        ("\n`sysctl", 2, "no ``` follows"),
        (
            "+x close(3) = 0",
            1,
            "expected a time, found `x close(3) = 0`",
        ),
        ("+.2~+.1 close(3) = 0", 1, "the time ends before it begins"),
        ("0 close(3) = 0 EBADF", 1, "`EBADF` after the result"),
        (
            "# a comment?",
            1,
            "expected #ifdef NAME, #ifndef NAME, #else or #endif, found `# a comment?`",
        ),
    ] {
        let e = parse(text).expect_err(text);
        assert_eq!((e.line, e.cause.as_str()), (line, cause), "{text}");
        assert!(!e.remedy.is_empty());
    }
}
