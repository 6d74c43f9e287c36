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

/// Six seconds with losses in each: Mbit/s, and segments sent again.
const LOSSY: [(f64, u32); 6] = [
    (8.1, 60),
    (3.2, 41),
    (5.5, 39),
    (0.9, 22),
    (4.1, 44),
    (6.6, 52),
];

/// The column of modes says the duplex of a port with a link.
#[test]
fn a_port_at_half_duplex_by_its_mode_is_changed_in_its_own_words() {
    let brief = |mode: &str| {
        format!(
            "HP-2530-24G# show interfaces brief

 Status and Counters - Port Status

                  | Intrusion                           MDI  Flow Bcast
  Port  Type      | Alert     Enabled Status Mode       Mode Ctrl Limit
  ----- --------- + --------- ------- ------ ---------- ---- ---- -----
  11    10/100TX  | No        Yes     Up     {mode}     MDI  off  0
  12    10/100TX  | No        Yes     Down   10FDx      MDI  off  0

"
        )
    };
    let log = crate::alike::log(43_122, &LOSSY, 30.0);
    let flow = first(&(brief("100HDx") + &log));
    assert_eq!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
    let commands = crate::commands(&flow);
    assert!(
        commands.contains("interface 11 speed-duplex auto"),
        "{commands}"
    );
    let flow = first(&(brief("100FDx") + &log));
    assert_ne!(flow.verdict.cause, "duplex", "{:#?}", flow.verdict);
}

/// A port that is set to full duplex, beside loss: a hint at a mismatch, whatever the verdict.
#[test]
fn a_port_that_is_fixed_beside_loss_is_named_with_the_check_to_make() {
    let config = |mode: &str| {
        format!(
            "HP-2530-24G# show interfaces config 11

 Port Settings

  Port  Type      | Enabled Mode         Flow Ctrl MDI
  ----- --------- + ------- ------------ --------- ----
  11    10/100TX  | Yes     {mode}       Disable   Auto

"
        )
    };
    let log = crate::alike::log(43_122, &LOSSY, 30.0);
    let said = "port 11 of HP-2530-24G is fixed to 100 Mbit/s at full duplex";
    let why = because(&first(&(config("100FDx") + &log)));
    assert!(why.contains(said), "{why}");
    let why = because(&first(&(config("Auto") + &log)));
    assert!(!why.contains("is fixed to"), "{why}");
}
