//! Copies of GridFTP: their rate is measured, and stands beside what the path and the hosts allow.

use crate::first;

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
