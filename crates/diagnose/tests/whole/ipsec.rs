//! What a host's IPsec drops beside what a flow sends again.

use crate::{because, commands, first};

const LOG: &str = "root@gw-a:~# iperf3 -c 10.200.0.2
Connecting to host 10.200.0.2, port 5201
[  5] local 10.200.0.1 port 43122 connected to 10.200.0.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  36.2 MBytes   304 Mbits/sec  147    700 KBytes
[  5]   1.00-2.00   sec  41.4 MBytes   347 Mbits/sec  126    700 KBytes
[  5]   2.00-3.00   sec  32.9 MBytes   276 Mbits/sec   99    700 KBytes
[  5]   3.00-4.00   sec  37.5 MBytes   315 Mbits/sec  105    700 KBytes
[  5]   4.00-5.00   sec  39.7 MBytes   333 Mbits/sec  155    700 KBytes
[  5]   5.00-6.00   sec  40.0 MBytes   335 Mbits/sec  143    700 KBytes
[  5]   6.00-7.00   sec  35.4 MBytes   297 Mbits/sec  111    700 KBytes
[  5]   7.00-8.00   sec  35.5 MBytes   298 Mbits/sec  133    700 KBytes
[  5]   8.00-9.00   sec  36.9 MBytes   310 Mbits/sec  109    700 KBytes
[  5]   9.00-10.00  sec  39.8 MBytes   334 Mbits/sec  152    700 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec   375 MBytes   315 Mbits/sec  1280             sender
[  5]   0.00-10.02  sec   375 MBytes   314 Mbits/sec                  receiver

iperf Done.
";

/// A test between two readings of one counter of the other host.
fn between(counter: &str, [before, after]: [u32; 2]) -> String {
    let reading = |count: u32| {
        format!(
            "root@gw-b:~# cat /proc/net/xfrm_stat\nXfrmInError             \t0\n{counter}     \t{count}\nXfrmOutPolError         \t0\n"
        )
    };
    format!("{}{LOG}{}", reading(before), reading(after))
}

/// 1283 packets outside of the replay window, and 1280 segments that were sent again.
#[test]
fn a_replay_window_that_dropped_what_was_sent_again_is_named_and_widened() {
    let flow = first(&between("XfrmInStateSeqError", [12_031, 13_314]));
    let verdict = &flow.verdict;
    assert_eq!(verdict.cause, "reordering", "{verdict:#?}");
    assert!(verdict.confidence > 0.6, "{verdict:#?}");
    let why = because(&flow);
    let said = "dropped 1283 packets from one reading to the next (XfrmInStateSeqError";
    assert!(why.contains(said), "{why}");
    assert!(why.contains("replay window"), "{why}");
    let commands = commands(&flow);
    assert!(commands.contains("a larger replay window"), "{commands}");
}

/// What grew by a part of what was sent again decides nothing, and is not kept silent.
#[test]
fn what_grew_is_said_whatever_the_verdict_is() {
    let flow = first(&between("XfrmInStateSeqError", [12_031, 12_091]));
    assert_ne!(flow.verdict.cause, "reordering", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "dropped 60 packets from one reading to the next (XfrmInStateSeqError";
    assert_eq!(why.matches(said).count(), 1, "{why}");
}

/// Of another reason the same growth says nothing of the replay window.
#[test]
fn another_reason_is_no_matter_of_the_replay_window() {
    let flow = first(&between("XfrmInStateProtoError", [31, 1290]));
    assert_ne!(flow.verdict.cause, "reordering", "{:#?}", flow.verdict);
    let why = because(&flow);
    assert!(why.contains("the key is wrong"), "{why}");
    let commands = commands(&flow);
    assert!(!commands.contains("replay_window"), "{commands}");
}
