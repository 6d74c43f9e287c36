//! SYNs and FINs that are sent again, and what was sent again without need.

use farpath_trace::{Analysis, SegmentSeen, Source, analyse};

use crate::shapes::{self, Tcp, connection, pcap};

pub(crate) fn analysis(packets: &[(u64, Tcp)]) -> Analysis {
    let frame = |(at, tcp): &(u64, Tcp)| (*at, shapes::ethernet(&shapes::v4(tcp)), 0);
    let bytes = pcap(
        1,
        &packets.iter().map(frame).collect::<Vec<_>>(),
        false,
        true,
    );
    let source = Source {
        name: "a.pcap".to_owned(),
        bytes: Box::new(bytes.as_slice()),
    };
    analyse([source], &mut ()).expect("a capture")
}

/// Sends a packet again `after` nanoseconds later, and all that follows later by that.
fn repeated(packets: &mut Vec<(u64, Tcp)>, number: usize, after: u64) {
    let copy = packets[number].clone();
    for packet in &mut packets[number + 1..] {
        packet.0 += after;
    }
    packets.insert(number + 1, (copy.0 + after, copy.1));
}

fn seen(analysis: &Analysis) -> &[SegmentSeen] {
    &analysis.found[0][0].segments
}

/// RFC 6298 §2: the first timeout is 1 s.
#[test]
fn a_syn_that_is_sent_again_is_an_event_without_payload() {
    let mut packets = connection(5);
    repeated(&mut packets, 0, 1_000_000_000);
    let found = analysis(&packets);
    let [syn] = seen(&found) else {
        panic!("{:?}", seen(&found));
    };
    assert_eq!((syn.class, syn.length), ("rto", 0));
    assert_eq!(syn.at_ns, packets[0].0 as i64 + 1_000_000_000);
    let a = &found.document.connections[0].a2b;
    assert_eq!(
        (a.retransmitted_segments, a.segments, a.unique_bytes),
        (0, 5, 5000)
    );
    assert!(a.glitches.is_empty());
}

/// The network doubles the first SYN, or the one that its sender repeats after a second, or the answer.
#[test]
fn a_copied_syn_was_not_sent_again() {
    for (copied, sent_again) in [(0, false), (1, true), (1, false)] {
        let mut packets = connection(5);
        if sent_again {
            repeated(&mut packets, 0, 1_000_000_000);
        }
        repeated(&mut packets, copied, 3_000_000);
        let found = analysis(&packets);
        let of = &found.found[0];
        let segments = of.iter().flat_map(|of| &of.segments);
        let copies = segments.filter(|s| s.class == "network_duplicate");
        assert_eq!(copies.count(), 1, "{copied} {sent_again}");
        let connection = &found.document.connections[0];
        let opening = connection.opening.as_ref().expect("SYNs");
        let again = u64::from(sent_again);
        assert_eq!(
            (
                opening.syns,
                opening.syn_retransmissions,
                opening.syn_ack_retransmissions,
                opening.waited_ns
            ),
            (1 + again, again, 0, again * 1_000_000_000),
            "{copied} {sent_again}"
        );
        let notes = connection.notes.join("\n");
        assert_eq!(notes.contains("sent again before"), sent_again, "{notes}");
    }
}

/// Captured at the server, 40 ms from the client and back, which the echo of a TSval shows.
#[test]
fn an_answer_that_is_older_than_a_round_trip_was_lost() {
    const SYN: u8 = 2;
    const ACK: u8 = 0x10;
    let packet = |ms: u64, from_a: bool, control: u8, stamps: [u32; 2], bytes: usize| {
        let mut options = vec![1, 1, 8, 10];
        options.extend(stamps.iter().flat_map(|s| s.to_be_bytes()));
        let opened = u32::from(control & SYN == 0);
        let (own, other) = if from_a { (1000, 9001) } else { (9000, 1001) };
        let tcp = Tcp {
            from_a,
            seq: own + opened,
            ack: if control & ACK == 0 { 0 } else { other },
            control,
            window: 8192,
            options,
            payload: vec![7; bytes],
        };
        (1_000_000_000_000 + ms * 1_000_000, tcp)
    };
    let mut packets = vec![
        packet(0, true, SYN, [100, 0], 0),
        packet(0, false, SYN | ACK, [5000, 100], 0),
        packet(2000, true, SYN, [2100, 0], 0),
        packet(2000, false, SYN | ACK, [7000, 2100], 0),
        packet(2040, true, ACK, [2140, 7000], 0),
        packet(2041, true, ACK, [2141, 7000], 1000),
        packet(2041, false, ACK, [7041, 2141], 0),
    ];
    packets[6].1.ack = 2001;
    let found = analysis(&packets);
    let connection = &found.document.connections[0];
    let note = "1 SYN was sent again after the answer, which was lost: 2000 ms";
    assert!(
        connection.notes.iter().any(|n| n == note),
        "{:?}",
        connection.notes
    );
    assert_eq!(connection.vantage, "sender_of_b");
}

#[test]
fn a_fin_that_is_sent_again_is_an_event_without_payload() {
    let mut packets = connection(5);
    let fin = packets
        .iter()
        .position(|(_, t)| t.from_a && t.control & 1 != 0)
        .expect("a FIN");
    repeated(&mut packets, fin, 300_000_000);
    let found = analysis(&packets);
    let [again] = seen(&found) else {
        panic!("{:?}", seen(&found));
    };
    assert_eq!((again.class, again.length), ("rto", 0));
    assert_eq!(found.document.connections[0].a2b.retransmitted_segments, 0);
}

/// The ACK passed here and was lost, or late, behind: the sender's timer ran out.
#[test]
fn what_the_receiver_had_is_unneeded_and_says_how_its_sender_came_to_it() {
    let mut packets = connection(8);
    // Its acknowledgement passes 10 ms after the segment; 300 ms later comes the segment again.
    let number = packets
        .iter()
        .rposition(|(_, t)| !t.payload.is_empty())
        .expect("data");
    let copy = packets[number].1.clone();
    for packet in &mut packets[number + 2..] {
        packet.0 += 400_000_000;
    }
    let at = packets[number].0 + 300_000_000;
    packets.insert(number + 2, (at, copy));
    let found = analysis(&packets);
    let [again] = seen(&found) else {
        panic!("{:?}", seen(&found));
    };
    assert_eq!((again.class, again.why), ("unneeded", "rto"));
    let a = &found.document.connections[0].a2b;
    assert_eq!((a.retransmissions.unneeded, a.unneeded_by.rto), (1, 1));
}
