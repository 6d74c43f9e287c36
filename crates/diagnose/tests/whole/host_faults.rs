//! Hosts that say by themselves what is wrong with them, in texts without a rate.

use farpath_diagnose::Known;

use crate::of;

const PORTS: &str = "\
load1$ curl http://192.0.2.9/ping
curl: (7) Couldn't connect to server: Cannot assign requested address
load1$ ss -s
Total: 412
TCP:   28441 (estab 6, closed 28230, orphaned 0, timewait 28230)
load1$ sysctl net.ipv4.ip_local_port_range net.ipv4.tcp_tw_reuse
net.ipv4.ip_local_port_range = 32768\t60999
net.ipv4.tcp_tw_reuse = 2
";

const NEIGHBOURS: &str = "\
gw# dmesg -T | tail -3
[Mon Nov 30 02:12:01 2026] neighbour: arp_cache: neighbor table overflow!
gw# sysctl net.ipv4.neigh.default.gc_thresh3
net.ipv4.neigh.default.gc_thresh3 = 1024
";

const SWAP: &str = "\
gw2$ vmstat 1 3
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2  6 3912044  81204   1204  90312 2012 3120  9120  3312 8120 9120 11  9 10 70  0
 1  7 3918120  79912   1180  88120 4120 6120 12033  6311 9120 9912 10 10  8 72  0
 2  8 3921203  80120   1120  87203 5120 4120 14120  4312 9012 9812  9 11  7 73  0
";

const DISK: &str = "\
Linux 5.15.0-91-generic (replica1) 	11/30/2026 	_x86_64_	(8 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           4.00    0.00    1.10   11.90    0.00   83.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda             10.00    160.00     0.00   0.00    9.40    16.00  314.00   6220.00    14.00   4.27    3.12    19.81    0.00      0.00     0.00   0.00    0.00     0.00  152.00    6.30    2.03  99.40
";

/// What is said first of a text.
fn first_said(text: &str) -> String {
    let d = of(text, &Known::default());
    d.flows[0].verdict.because[0].clone()
}

#[test]
fn what_is_wrong_with_a_host_is_said_first() {
    for (text, says) in [
        (
            PORTS,
            [
                "28230 of its connections are in TIME-WAIT",
                "of 28232 in all",
            ],
        ),
        (
            NEIGHBOURS,
            [
                "It keeps 1024 at most",
                "net.ipv4.neigh.default.gc_thresh3=4096",
            ],
        ),
        (SWAP, ["gw2 reads", "back from swap"]),
        (DISK, ["is busy for 99 % of the time", "pidstat -d 5"]),
    ] {
        let said = first_said(text);
        let begins = "a host says by itself what is wrong with it: ";
        assert!(said.starts_with(begins), "{said}");
        for words in says {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}

/// Its own texts explain it: a test from host to host, a ping or a buffer decides nothing.
#[test]
fn nothing_of_a_transfer_is_asked_beside_a_fault_of_a_host() {
    for text in [PORTS, NEIGHBOURS, SWAP, DISK] {
        let flow = &of(text, &Known::default()).flows[0];
        assert!(flow.missing.is_empty(), "{text}: {:#?}", flow.missing);
    }
}

/// An address that is not the host's own gives the same words, and most ports are free.
#[test]
fn ports_that_are_free_are_not_used_up() {
    let free = PORTS.replace("timewait 28230", "timewait 230");
    let said = first_said(&free);
    assert!(!said.contains("TIME-WAIT"), "{said}");
}

/// curl says the reason by `-v` alone: that very line was asked for.
#[test]
fn a_reason_that_curl_printed_above_its_code_is_read() {
    let verbose = "*   Trying 192.0.2.9:80...\n* connect to 192.0.2.9 port 80 failed: Cannot assign requested address\n* Failed to connect to 192.0.2.9 port 80 after 0 ms: Couldn't connect to server\ncurl: (7) Failed to connect to 192.0.2.9 port 80 after 0 ms: Couldn't connect to server";
    let code = "curl: (7) Couldn't connect to server: Cannot assign requested address";
    let text = PORTS.replace(code, verbose);
    let flow = &of(&text, &Known::default()).flows[0];
    let said = &flow.verdict.because[0];
    assert!(said.contains("28230 of its connections"), "{said}");
    assert!(flow.missing.is_empty(), "{:#?}", flow.missing);
    // With free ports it may be an address, which is asked for.
    let free = text.replace("timewait 28230", "timewait 230");
    let flow = &of(&free, &Known::default()).flows[0];
    assert!(
        flow.verdict.because[0].contains("no port or no address"),
        "{:#?}",
        flow.verdict
    );
    assert_eq!(crate::asked(flow), ["own_ports"]);
    // A host without IPv6 says the same of that version, and its code says nothing more.
    let six = text.replace(
        "connect to 192.0.2.9 port 80 failed",
        "Immediate connect fail for 2001:db8::9",
    );
    let flow = &of(&six, &Known::default()).flows[0];
    assert_eq!(crate::asked(flow), ["refused"], "{:#?}", flow.verdict);
}
