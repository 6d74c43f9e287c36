//! Routers that mark instead of dropping: what of it each tap shows.

use farpath_record::trace::Glitch;
use farpath_wire::packet::{LinkType, Packet, Transport};
use farpath_wire::tcp::Control;

use crate::runs::{TAPS, frames, read, run, two_routers};

/// Segments with CWR but for SYNs, by a reader that shares nothing with the one under test.
fn answers(capture: &[u8]) -> u64 {
    let all = frames(capture);
    let of = all.iter().filter(|(_, frame, _)| {
        let packet = Packet::parse(LinkType::Ethernet, frame).expect("a frame of ours");
        match packet.ip {
            Some((_, Transport::Tcp(tcp))) => {
                tcp.control.contains(Control::CWR) && !tcp.control.contains(Control::SYN)
            }
            _ => false,
        }
    });
    of.count() as u64
}

/// CoDel marks, and nothing is lost: the window grows back for seconds after its first answers, and is smaller than the path holds.
#[test]
fn marks_are_what_a_window_was_made_smaller_for() {
    let wan = "rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"1000 packets\"\naqm = \"codel\"\ncodel = { ecn = true }";
    let bulk = "cc = \"reno\"\necn = true\nbytes = \"20 MB\"";
    let run = run(&two_routers("", wan, bulk));
    for tap in TAPS {
        let capture = &run.captures[tap];
        let found = read(capture).document;
        let connection = &found.connections[0];
        let seen = &connection.a2b;
        assert_eq!(seen.retransmitted_segments, 0, "{tap}");
        assert!(seen.ecn_reductions >= 4, "{tap}: {}", seen.ecn_reductions);
        assert_eq!(seen.ecn_reductions, answers(capture), "{tap}");
        assert!(seen.ecn_echoes >= seen.ecn_reductions, "{tap}");
        // The queue that marks lies behind the first tap.
        assert_eq!(seen.marked > 0, tap != "access", "{tap}: {}", seen.marked);
        let opening = connection.opening.as_ref().expect("its SYNs are there");
        for options in [&opening.offered, &opening.answered_with] {
            assert!(options.iter().any(|o| o == "ecn"), "{tap}: {options:?}");
        }
        assert!(opening.not_agreed.is_empty(), "{tap}");
        let shares = &seen.limit_shares;
        let of = |word: &str| shares.get(word).copied().unwrap_or(0.0);
        assert!(of("cwnd_recovery") > 0.3, "{tap}: {shares:?}");
        assert!(of("unknown") < 0.05, "{tap}: {shares:?}");
        assert!(of("send_buffer") < 0.05, "{tap}: {shares:?}");
    }
    let found = read(&run.captures["access"]).document;
    let glitches = &found.connections[0].a2b.glitches;
    assert!(!glitches.is_empty());
    for glitch in glitches {
        let what = (glitch.kind.as_str(), glitch.cause.as_str());
        assert_eq!(what, ("reduction", Glitch::MARKS), "{glitches:?}");
    }
}

/// Both ends without ECN: there is nothing to echo, and no SYN asks for it.
#[test]
fn without_ecn_nothing_is_said_of_marks() {
    let wan = "rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"0.2bdp\"";
    let run = run(&two_routers("", wan, "cc = \"reno\"\nbytes = \"2 MB\""));
    let found = read(&run.captures["access"]).document;
    let connection = &found.connections[0];
    let seen = &connection.a2b;
    assert_eq!(
        (seen.marked, seen.ecn_echoes, seen.ecn_reductions),
        (0, 0, 0)
    );
    let opening = connection.opening.as_ref().expect("its SYNs are there");
    assert!(opening.offered.iter().all(|o| o != "ecn"));
    assert!(opening.not_agreed.is_empty());
}
