//! Ports of ProCurve switches.

use crate::{because, first};

const PORT: &str = "HP-2530-24G# show interfaces 11

 Status and Counters - Port Counters for port 11

  Name  : printer-srv-b12
  MAC Address      : 9457a5-1a2b34
  Link Status      : Up
  Totals (Since boot or last clear) :
   Bytes Rx        : 1,203,981,331      Bytes Tx        : 3,919,221,022
   Unicast Rx      : 9,120,331          Unicast Tx      : 11,982,310
   Bcast/Mcast Rx  : 22,104             Bcast/Mcast Tx  : 1,920,114
  Errors (Since boot or last clear) :
   FCS Rx          : 0                  Drops Tx        : 0
   Alignment Rx    : 0                  Collisions Tx   : 88,123
   Runts Rx        : 0                  Late Colln Tx   : 19,210
   Giants Rx       : 0                  Excessive Colln : 211
  Others (Since boot or last clear) :
   Discard Rx      : 0                  Out Queue Len   : 0

HP-2530-24G# exit
";

/// Late collisions show that the other end is at full duplex.
#[test]
fn late_collisions_of_a_port_are_a_duplex_mismatch() {
    let rows = [
        (8.1, 60),
        (3.2, 41),
        (5.5, 39),
        (0.9, 22),
        (4.1, 44),
        (6.6, 52),
        (2.1, 31),
        (3.0, 37),
        (5.2, 46),
        (4.4, 38),
    ];
    let flow = first(&format!("{PORT}{}", crate::alike::log(43_122, &rows, 30.0)));
    assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    let why = because(&flow);
    let said = "port 11 of HP-2530-24G counts 19210 late collisions";
    assert!(why.contains(said), "{why}");
}
