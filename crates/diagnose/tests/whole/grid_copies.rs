//! Copies of GridFTP: their rate is measured, and stands beside what the path and the hosts allow.

use crate::{asked, first};

const COPY: &str =
    "$ globus-url-copy -vb -p 1 file:///dev/zero gsiftp://dtn.example.org:2811/dev/null
Source: file:///dev/
Dest:   gsiftp://dtn.example.org:2811/dev/
  zero  ->  null

   5486149632 bytes        43.60 MB/sec avg        43.90 MB/sec inst
$ ping -c 4 -q dtn.example.org
PING dtn.example.org (192.0.2.77) 56(84) bytes of data.

--- dtn.example.org ping statistics ---
4 packets transmitted, 4 received, 0% packet loss, time 3004ms
rtt min/avg/max/mdev = 90.501/90.530/90.560/0.022 ms
";

/// 43.6 times 1048576 bytes a second.
#[test]
fn a_copy_has_a_rate() {
    let flow = first(COPY);
    let rate = flow.observed.goodput_bps.unwrap_or(0.0);
    assert!((rate - 43.6 * 1_048_576.0 * 8.0).abs() < 1.0, "{rate}");
}

/// A copy that asks for 1 MiB of buffer over 110.2 ms: 76.1 Mbit/s.
fn with_buffers(option: &str, ends: &str) -> String {
    format!(
        "$ globus-url-copy -vb{option} -p 1 {ends}
Source: file:///data/
Dest:   gsiftp://dtn.example.org/data/
  f1  ->  f1

   3145728000 bytes         9.07 MB/sec avg         9.05 MB/sec inst
$ ping -c 4 -q dtn.example.org
PING dtn.example.org (192.0.2.77) 56(84) bytes of data.

--- dtn.example.org ping statistics ---
4 packets transmitted, 4 received, 0% packet loss, time 3004ms
rtt min/avg/max/mdev = 110.200/110.220/110.260/0.022 ms
"
    )
}

#[test]
fn the_buffer_that_a_copy_asks_for_is_its_ceiling() {
    let ends = "file:///data/f1 gsiftp://dtn.example.org/data/f1";
    for option in [
        " -tcp-bs 1048576",
        " -tcp-buffer-size 1048576",
        " -tcp-bs 1M",
    ] {
        let flow = first(&with_buffers(option, ends));
        for cause in ["receive_window", "send_buffer"] {
            let own = flow.ceilings.iter().find(|c| c.cause == cause);
            let bps = own.map_or(0.0, |c| c.limit_bps);
            assert!((bps / 76.1e6 - 1.0).abs() < 0.01, "{option} {cause} {bps}");
        }
        let second = flow.verdict.second.as_ref().map_or("", |s| s.cause);
        let named = [flow.verdict.cause, second];
        assert!(
            named.contains(&"receive_window") || named.contains(&"send_buffer"),
            "{:#?}",
            flow.verdict
        );
        let asks = asked(&flow);
        assert!(!asks.contains(&"receive_window_bytes"), "{asks:?}");
    }
    let none = first(&with_buffers("", ends));
    assert!(none.ceilings.iter().all(|c| c.cause != "send_buffer"));
}

/// The third number of the receiver's setting says nothing of a buffer that was asked for.
#[test]
fn no_setting_of_tuning_bounds_a_copy_that_asks_for_its_buffer() {
    let ends = "file:///data/f1 gsiftp://dtn.example.org/data/f1";
    let settings =
        "receiver:\n$ sysctl net.ipv4.tcp_rmem\nnet.ipv4.tcp_rmem = 4096\t131072\t67108864\n";
    let flow = first(&format!("{}{settings}", with_buffers(" -tcp-bs 1M", ends)));
    let own = flow.ceilings.iter().filter(|c| c.cause == "receive_window");
    let formulas: Vec<&str> = own.map(|c| c.formula.as_str()).collect();
    assert!(
        formulas.iter().any(|f| f.contains("asked for"))
            && !formulas.iter().any(|f| f.contains("tcp_rmem")),
        "{formulas:?}"
    );
}

/// 250 times 1048576 bytes a second by the line of XRootD, which did not count as a rate.
#[test]
fn a_copy_of_xrootd_has_a_rate_and_its_server() {
    let ping = COPY.split_once("$ ping").expect("it has pings").1;
    let ping = format!(
        "$ ping{}",
        ping.replace("dtn.example.org", "eos.example.org")
    );
    let line = "[10GB/10GB][100%][==================================================][250MB/s]  \n";
    let file = "root://eos.example.org//eos/x.root";
    for (ends, name) in [
        (format!("{file} /dev/null"), "eos.example.org > receiver"),
        (format!("/data/x.root {file}"), "sender > eos.example.org"),
    ] {
        let flow = first(&format!("$ xrdcp {ends}\n{line}{ping}"));
        assert_eq!(flow.name, name);
        let rate = flow.observed.goodput_bps.unwrap_or(0.0);
        assert!((rate - 250.0 * 1_048_576.0 * 8.0).abs() < 1.0, "{rate}");
        let rtt = flow.observed.rtt_ns.expect("it was pinged");
        assert!((rtt - 90.53e6).abs() < 5e5, "{rtt}");
    }
}
