//! Ports of routers that are full and drop, without a test beside them.

use crate::{asked, because, commands, first};

const ERRORS: &str = "n9k1# show interface ethernet1/7 counters errors

--------------------------------------------------------------------------------
Port          Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards
--------------------------------------------------------------------------------
Eth1/7                0          0          0          0          0      881233
";

const RATE: &str = "n9k1# show interface ethernet1/7 | i rate|BW|duplex
  MTU 9216 bytes, BW 10000000 Kbit, DLY 10 usec
  full-duplex, 10 Gb/s, media type is 10G
  30 seconds input rate 1012331223 bits/sec, 101233 packets/sec
  30 seconds output rate 9612331223 bits/sec, 812233 packets/sec
";

/// 9.61 of 10 Gbit/s leave by a port that counts discards.
#[test]
fn a_full_port_that_drops_is_full_of_others() {
    let flow = first(&format!("{ERRORS}{RATE}"));
    assert_eq!(flow.verdict.cause, "cross_traffic", "{:#?}", flow.verdict);
    assert!(flow.verdict.confidence >= 0.6, "{:#?}", flow.verdict);
    let because = because(&flow);
    for says in ["96 % of its 10.0 Gbit/s", "has dropped 881233 packets"] {
        assert!(because.contains(says), "{says}: {because}");
    }
    assert_eq!(asked(&flow), ["port_drops"]);
    assert_eq!(flow.changes[0].host, "n9k1");
    assert!(commands(&flow).contains("find who fills ethernet1/7"));
}

/// A port with room drops bursts, a full one that drops nothing only waits, and what another port dropped is not its own.
#[test]
fn a_port_with_room_or_without_drops_is_not_named() {
    let roomy = RATE.replace("9612331223", "4612331223");
    let clean = ERRORS.replace("881233", "0");
    let other = ERRORS.replace("Eth1/7 ", "Eth1/8 ");
    let other = other.replace("ethernet1/7", "ethernet1/8");
    for text in [
        format!("{ERRORS}{roomy}"),
        format!("{clean}{RATE}"),
        format!("{other}{RATE}"),
    ] {
        let flow = first(&text);
        assert_eq!(flow.verdict.cause, "unknown", "{text}");
    }
}
