//! pathping of Windows: what it counts of each hop says where packets are lost, as a trace does.

use crate::{asked, first};

const RUN: &str = "C:\\>pathping 192.0.2.177

Tracing route to mail.example.net [192.0.2.177]
over a maximum of 30 hops:
  0  PC22.corp.example [10.8.1.22]
  1  gw.corp.example [10.8.1.1]
  2  pe3.isp.example [198.51.100.33]
  3  mail.example.net [192.0.2.177]

Computing statistics for 75 seconds...
            Source to Here   This Node/Link
Hop  RTT    Lost/Sent = Pct  Lost/Sent = Pct  Address
  0                                           PC22.corp.example [10.8.1.22]
                                0/ 100 =  0%   |
  1    1ms     0/ 100 =  0%     0/ 100 =  0%  gw.corp.example [10.8.1.1]
                                7/ 100 =  7%   |
  2   18ms     7/ 100 =  7%     0/ 100 =  0%  pe3.isp.example [198.51.100.33]
                                0/ 100 =  0%   |
  3   18ms     7/ 100 =  7%     0/ 100 =  0%  mail.example.net [192.0.2.177]

Trace complete.
";

#[test]
fn a_loss_that_lasts_to_the_end_has_its_place() {
    let flow = first(RUN);
    assert_eq!(flow.verdict.cause, "unknown", "{:#?}", flow.verdict);
    let said = &flow.verdict.because[0];
    for says in [
        "7 of 100 packets",
        "between gw.corp.example [10.8.1.1] and pe3.isp.example [198.51.100.33]",
        "or on the way back",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    assert_eq!(asked(&flow), ["loss_hop_back", "idle_loss_ratio"]);
}

/// Of round trips it prints the mean alone.
#[test]
fn a_run_that_loses_nothing_says_so() {
    let flow = first(&RUN.replace("7/ 100 =  7%", "0/ 100 =  0%"));
    let said = &flow.verdict.because[0];
    assert!(said.contains("all 100 packets"), "{said}");
    assert!(said.contains("on average"), "{said}");
}
