//! Programs that a kernel killed as memory ran out.

use farpath_diagnose::Known;

use crate::{because, commands, first, of};

const LOG: &str = "snd$ iperf3 -c px1 -t 10
Connecting to host px1, port 5201
[  5] local 10.3.3.1 port 53210 connected to 10.3.3.3 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   231 MBytes  1.94 Gbits/sec    0   3.12 MBytes
[  5]   1.00-2.00   sec   222 MBytes  1.86 Gbits/sec    0   3.12 MBytes
";

const BROKE: &str = "iperf3: error - control socket has closed unexpectedly\n";

fn killed(program: &str) -> String {
    format!(
        "px1# dmesg -T | tail -1\n[Mon Nov 30 02:51:11 2026] Memory cgroup out of memory: Killed process 1234 ({program}) total-vm:812344kB, anon-rss:523100kB, file-rss:0kB, shmem-rss:0kB, UID:33 pgtables:1200kB oom_score_adj:0\npx1# cat /sys/fs/cgroup/memory.max\n536870912\n"
    )
}

/// The test broke off, and the receiver's kernel killed its program: it is the receiving program, as surely as a log says it.
#[test]
fn a_transfer_whose_program_was_killed_is_that_programs() {
    let flow = first(&format!("{LOG}{BROKE}{}", killed("iperf3")));
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "client", "{verdict:#?}");
    assert!(verdict.confidence <= 0.6, "{verdict:#?}");
    let why = because(&flow);
    for says in [
        "the receiver's kernel killed the program iperf3 as its control group had the 536.9 MB that it may have",
        "a transfer broke off (ticket.txt:7)",
    ] {
        assert!(why.contains(says), "{says}: {why}");
    }
    assert_eq!(flow.changes[0].host, "10.3.3.3");
    let commands = commands(&flow);
    assert!(commands.contains("resources.limits.memory"), "{commands}");
}

/// Another program, or a transfer that went on, says no more than the log does.
#[test]
fn another_program_that_was_killed_is_a_note() {
    for text in [
        format!("{LOG}{BROKE}{}", killed("postgres")),
        format!("{LOG}{}", killed("iperf3")),
    ] {
        let d = of(&text, &Known::default());
        assert_ne!(d.flows[0].verdict.cause, "client", "{text}");
        let says = |note: &String| note.contains("resources.limits.memory of Kubernetes");
        assert!(d.notes.iter().any(says), "{:?}", d.notes);
    }
}

/// What `vmstat` prints where so much is read back from swap and written to it; its first row is of all the time since the start.
#[test]
fn a_host_that_swaps_is_noted() {
    let judge = |swap: &str| {
        let table = format!(
            "px1# vmstat 1 2
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  4 8112233  61121   1211  98112    4    5 42112 39112 8112 9112  3 12  5 80  0
 0  5 8122233  60121   1211  98012 {swap} 40112 41112 8012 9012  2 11  6 81  0
"
        );
        let d = of(&(LOG.to_owned() + &table), &Known::default());
        d.notes.join("\n")
    };
    let notes = judge("39211 40112");
    let said = "px1 reads 40.2 MB/s back from swap and writes 41.1 MB/s to it: its memory is short";
    assert!(notes.contains(said), "{notes}");
    assert!(!judge("    0    0").contains("swap"));
}
