//! Copies over SSH beside their sockets, and congestion windows that are not full.

use farpath_diagnose::FlowReport;

use crate::{first_flow, of, on};

/// What ss prints of a socket of SSH: unacknowledged segments, bytes handed over, and what else is said of it.
fn socket(port: u16, bytes: u64, unacked: u64, more: &str) -> String {
    format!(
        "ESTAB   0        {}        10.20.1.11:{port}       10.65.4.20:22\n\t cubic wscale:14,14 rto:368 rtt:165.204/0.31 mss:1448 pmtu:1500 cwnd:2410 ssthresh:1804 bytes_sent:{bytes} {more} bytes_acked:{bytes} send 168987409bps pacing_rate 202784880bps delivery_rate 41203344bps busy:9702112ms unacked:{unacked} minrtt:164.83 snd_wnd:33554432\n",
        unacked * 1448 - 600
    )
}

const RSYNC: &str = "$ rsync -a --info=progress2 -e ssh vm.qcow2 fra@10.65.4.20:/srv/\n 48,318,382,080  41%    11.9MB/s    2:34:10 (xfr#0, to-chk=0/1)\n";
const SCP: &str = "vm.qcow2                41%   45GB  11.9MB/s 2:34:10 ETA\n";
const LOST: &str = "bytes_retrans:1204736 retrans:0/832";

fn flow(text: &str) -> FlowReport {
    first_flow(of(text, &on("10Gbit/s")))
}

/// 2 MiB · 8 / 165.2 ms are 101.6 Mbit/s, of which 99.8 were measured.
#[test]
fn a_copy_joins_the_busiest_socket_of_ssh() {
    let data = socket(51022, 48_420_114_432, 1370, "");
    let login = socket(51044, 30_000_000, 10, "");
    for copy in [RSYNC, SCP] {
        for sockets in [
            data.clone(),
            format!("{login}{data}"),
            format!("{data}{login}"),
        ] {
            let flow = flow(&format!("{copy}{sockets}"));
            assert_eq!(flow.name, "10.20.1.11 > 10.65.4.20", "{copy}");
            assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
            let because = flow.verdict.because.join("\n");
            assert!(because.contains("a channel of OpenSSH"), "{because}");
            let second = flow.verdict.second.as_ref().map(|s| s.cause);
            assert_ne!(second, Some("ramp"), "48 GB over 9702 s");
        }
    }
}

#[test]
fn what_was_fetched_goes_the_other_way() {
    let received = socket(51022, 18_402_112, 1, "bytes_received:48420114432");
    let flow = flow(&format!("{SCP}{received}"));
    assert_eq!(flow.name, "10.65.4.20 > 10.20.1.11");
    assert_eq!(flow.observed.side, Some("receiver"));
}

/// A window of 2410 segments is 169 Mbit/s: losses did not cut it to the 41.8 that were measured.
#[test]
fn a_congestion_window_with_room_is_not_held_by_losses() {
    let ping = "PING 10.65.4.20 (10.65.4.20) 56(84) bytes of data.\n10000 packets transmitted, 9999 received, 0.01% packet loss, time 2008512ms\nrtt min/avg/max/mdev = 164.812/165.031/168.940/0.214 ms\n";
    let copy = RSYNC.replace("11.9MB/s", "4.98MB/s");
    let log = "Connecting to host 10.65.4.20, port 5201\n[  5] local 10.20.1.11 port 44170 connected to 10.65.4.20 port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-30.00  sec  1.08 GBytes   310 Mbits/sec  212             sender\n[  5]   0.00-30.17  sec  1.08 GBytes   308 Mbits/sec                  receiver\n";
    for app in ["", "app_limited "] {
        let data = socket(51022, 48_420_114_432, 569, &format!("{app}{LOST}"));
        for log in ["", log] {
            let d = of(&format!("{copy}{data}{ping}{log}"), &on("10Gbit/s"));
            let slow = |f: &&FlowReport| f.observed.goodput_bps.is_some_and(|bps| bps < 50e6);
            let flow = d.flows.iter().find(slow).expect("the copy");
            assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
            let because = flow.verdict.because.join("\n");
            assert!(
                because.contains("168.99") || because.contains("169 Mbit/s"),
                "{because}"
            );
            assert!(because.contains("nothing waited to be sent"), "{because}");
        }
    }
    // A window that is full says nothing of the kind.
    let full = socket(51022, 48_420_114_432, 2405, LOST);
    let because = flow(&format!("{copy}{full}{ping}"))
        .verdict
        .because
        .join("\n");
    assert!(!because.contains("was not full"), "{because}");
}

/// rsync goes through ssh unless another way is set, and the window of a channel is its as well.
#[test]
fn what_goes_through_ssh_has_the_window_of_its_channel() {
    let text = |command: &str| {
        format!(
            "bk@hel:~$ {command}\nsending incremental file list\ndump.tar\n  6,442,450,944 100%   15.1MB/s    0:06:47 (xfr#1, to-chk=0/1)\n\nsent 6,444,023,911 bytes  received 35 bytes  15,794,176.34 bytes/sec\ntotal size is 6,442,450,944  speedup is 1.00\nbk@hel:~$ ping -q -c 5 lis\nPING lis (192.0.2.88) 56(84) bytes of data.\n\n--- lis ping statistics ---\n5 packets transmitted, 5 received, 0% packet loss, time 4006ms\nrtt min/avg/max/mdev = 110.0/110.1/110.3/0.1 ms\n"
        )
    };
    for command in [
        "rsync -av --progress -e ssh dump.tar lis:/srv/",
        "rsync -av dump.tar bk@lis:/srv/",
        "rsync -ave 'ssh -p 2222' dump.tar lis:/srv/",
    ] {
        let flow = flow(&text(command));
        // 2 MiB over 110.1 ms are 152 Mbit/s.
        let channel = flow.ceilings.iter().find(|c| c.formula.contains("OpenSSH"));
        let limit = channel.expect(command).limit_bps;
        assert!((limit / 152.4e6 - 1.0).abs() < 0.01, "{limit}");
        assert_eq!(flow.verdict.cause, "application", "{:#?}", flow.verdict);
        let advice = flow.changes[0].commands.join("\n");
        assert!(advice.contains("OpenSSH lets 2 MiB"), "{advice}");
    }
    for command in [
        "rsync -av --progress dump.tar rsync://lis/srv/",
        "rsync -av dump.tar lis::srv/",
        "rsync -av -e rsh dump.tar lis:/srv/",
    ] {
        let flow = flow(&text(command));
        assert!(
            flow.ceilings.iter().all(|c| !c.formula.contains("OpenSSH")),
            "{command}"
        );
    }
}

/// The sender's buffer as `grep .` prints the files of `/proc/sys`, and with slashes: 600000 bytes at 120 ms.
#[test]
fn settings_that_are_printed_as_files_are_read() {
    let test = "[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-10.00  sec  46.4 MBytes  38.9 Mbits/sec    0             sender\n\
                [  5]   0.00-10.12  sec  46.0 MBytes  38.2 Mbits/sec                  receiver\nrtt min/avg/max/mdev = 119.8/120.0/120.4/0.2 ms\n";
    for setting in [
        "/proc/sys/net/ipv4/tcp_wmem:4096\t65536\t600000",
        "net/ipv4/tcp_wmem = 4096 65536 600000",
    ] {
        let files = [("sender.txt", format!("{test}{setting}\n"))];
        let files: Vec<_> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
        let flow = first_flow(crate::of_files(&files, &on("10Gbit/s")));
        assert_eq!(
            flow.verdict.cause, "send_buffer",
            "{setting}: {:#?}",
            flow.verdict
        );
    }
}
