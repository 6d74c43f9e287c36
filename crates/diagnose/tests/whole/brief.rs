//! Files that are over before slow start is.

use crate::{commands, first};

/// 1.5 MiB over 280 ms: 2.25 s from the look-up to the last byte, 1.4 s of them behind the first.
const PICTURE: &str = "\
$ curl -so /dev/null -w 'dns %{time_namelookup} conn %{time_connect} tls %{time_appconnect} ttfb %{time_starttransfer} total %{time_total} size %{size_download} speed %{speed_download}\\n' https://img.example.org/x.jpg
dns 0.003000 conn 0.283000 tls 0.566000 ttfb 0.851000 total 2.254000 size 1572864 speed 697810
";

/// A larger window at either end changes nothing, and a test of a minute is another transfer.
#[test]
fn a_small_file_over_a_long_round_trip_is_told_what_shortens_it() {
    let flow = first(PICTURE);
    assert_eq!(flow.verdict.cause, "ramp", "{:#?}", flow.verdict);
    let said = commands(&flow);
    for says in [
        "keep one connection open",
        "initcwnd 32",
        "a cache near",
        "0-RTT",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    for not in ["tcp_rmem", "tcp_wmem", "iperf3"] {
        assert!(!said.contains(not), "{said}");
    }
    let promised = flow.changes.iter().find(|c| c.predicted_bps.is_some());
    assert!(promised.is_none(), "{promised:#?}");
}
