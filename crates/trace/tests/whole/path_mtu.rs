//! Full segments that are smaller than the handshake allows: the path carries less than the interfaces of its ends.

use farpath_trace::{Analysis, Source, analyse};

use crate::shapes::{Tcp, ethernet, ipv4, pcap, v4};

/// By both handshakes, and on a path whose MTU is smaller by 100 bytes.
const MSS: u64 = 1448;
const SMALLER: u64 = 1348;
/// A round trip, and from one packet to the next, nanoseconds.
const ROUND: u64 = 40_000_000;
const NEXT: u64 = 50_000;
/// Rounds from one loss to the next, and the segments of the first of them.
const TOOTH: u64 = 20;
const FIRST: u64 = 21;
const PSH: u8 = 0x08;
const SHIFT: u8 = 7;

/// A capture made at the sender, packet by packet.
struct Made {
    packets: Vec<(u64, Vec<u8>)>,
}

impl Made {
    /// With a handshake, where there is one, of the sender or of the other end.
    fn new(opens: bool, shaken: bool) -> Made {
        let mut made = Made {
            packets: Vec::new(),
        };
        if shaken {
            let [high, low] = (MSS as u16).to_be_bytes();
            let options = vec![2, 4, high, low, 3, 3, SHIFT, 1];
            let syn = |control| Tcp {
                control,
                options: options.clone(),
                ..blank(0)
            };
            made.put(0, opens, syn(0x02));
            let answered = if opens { ROUND } else { 1000 };
            made.put(answered, !opens, syn(0x12));
            made.put(ROUND + 1000, opens, blank(1));
        }
        made
    }

    /// A packet of the sender's, or of the other end.
    fn put(&mut self, at: u64, of_sender: bool, tcp: Tcp) {
        let tcp = Tcp {
            from_a: of_sender,
            ..tcp
        };
        let mut packet = v4(&tcp);
        // Each has an identification of its own: what comes again was sent again, and not copied by the network.
        let number = self.packets.len() as u16 + 1;
        packet[4..6].copy_from_slice(&number.to_be_bytes());
        self.packets.push((at, packet));
    }

    fn data(&mut self, at: u64, from: u64, length: u64, control: u8) {
        let payload = vec![7; length as usize];
        let tcp = Tcp {
            control: 0x10 | control,
            payload,
            ..blank(1 + from)
        };
        self.put(at, true, tcp);
    }

    fn ack(&mut self, at: u64, number: u64) {
        let tcp = Tcp {
            ack: 1 + number as u32,
            ..blank(1)
        };
        self.put(at, false, tcp);
    }

    /// A router's report of the last packet (RFC 1191).
    fn report(&mut self, at: u64, mtu: u64) {
        let mut body = vec![3, 4, 0, 0, 0, 0];
        body.extend((mtu as u16).to_be_bytes());
        let (_, about) = self.packets.last().expect("a packet");
        body.extend(&about[..28]);
        let sender = about[12..16].try_into().expect("an address");
        let report = ipv4(1, ([192, 0, 2, 1], sender), &[], &body);
        self.packets.push((at, report));
    }

    fn read(mut self) -> Analysis {
        self.packets.sort_by_key(|packet| packet.0);
        let frames = self.packets.iter();
        let frames: Vec<_> = frames
            .map(|(at, ip)| (1_000_000_000_000 + *at, ethernet(ip), 0))
            .collect();
        let bytes = pcap(1, &frames, false, true);
        let source = Source {
            name: "a.pcap".to_owned(),
            bytes: Box::new(bytes.as_slice()),
        };
        analyse([source], &mut ()).expect("a capture")
    }
}

fn blank(seq: u64) -> Tcp {
    Tcp {
        from_a: true,
        seq: seq as u32,
        ack: 1,
        control: 0x10,
        window: 16_000,
        options: Vec::new(),
        payload: Vec::new(),
    }
}

/// How a sender that never pauses is captured.
#[derive(Clone, Copy)]
struct Bulk {
    /// The sender opened the connection.
    opens: bool,
    shaken: bool,
    /// A router says what fits, when that becomes less.
    told: bool,
    /// Odd numbers of segments are sent, or all packets are of two.
    odd: bool,
}

const BULK: Bulk = Bulk {
    opens: true,
    shaken: true,
    told: false,
    odd: true,
};

/// A program that always has more, over a path that loses a segment now and then; `segment` has the size of a round.
///
/// The interface cuts packets of two segments, which Linux gives a PSH. Where a window is odd one is of one segment, without. The
/// receiver acknowledges each second segment, from the first one on.
fn bulk(how: Bulk, rounds: u64, segment: impl Fn(u64) -> u64) -> Analysis {
    let mut made = Made::new(how.opens, how.shaken);
    let (mut sent, mut at) = (0, 2 * ROUND);
    for round in 0..rounds {
        let full = segment(round);
        let count = FIRST + round % TOOTH;
        let count = if how.odd { count } else { count & !1 };
        let (begun, lost) = (sent, round % TOOTH == TOOTH - 1);
        let mut ends = Vec::new();
        let mut left = count;
        while left > 0 {
            let (pieces, control) = if left == 1 { (1, 0) } else { (2, PSH) };
            made.data(at + NEXT * (count - left), sent, pieces * full, control);
            if how.told && sent == begun && round > 0 && segment(round - 1) > full {
                made.report(at + 1, full + 40);
            }
            (sent, left) = (sent + pieces * full, left - pieces);
            if !lost {
                ends.extend([sent - full].into_iter().filter(|_| pieces == 2 && how.odd));
            }
        }
        if !lost {
            for (n, end) in ends.iter().enumerate() {
                made.ack(at + ROUND + NEXT * n as u64 * 2 - 1000, *end);
            }
            made.ack(at + ROUND + NEXT * count - 1000, sent);
            at += ROUND;
            continue;
        }
        // The round's first segment is lost: the rest repeats the acknowledgement, and the third brings it again.
        for n in 0..count / 2 {
            made.ack(at + ROUND + NEXT * n, begun);
        }
        made.data(at + ROUND + 2 * NEXT + 1000, begun, full, 0);
        made.ack(at + 2 * ROUND + 2 * NEXT, sent);
        at += 2 * ROUND + 3 * NEXT;
    }
    made.read()
}

/// Share of the application, what limits, the segment that is said, and whether a note says that the handshake allows more.
fn said(found: &Analysis, opens: bool) -> (f64, &str, Option<u32>, bool) {
    let [connection] = &found.document.connections[..] else {
        panic!("{:?}", found.document.connections);
    };
    let d = match opens {
        true => &connection.a2b,
        false => &connection.b2a,
    };
    println!("{:?} {:?}", d.limit_shares, d.mss);
    let share = d.limit_shares.get("application").copied().unwrap_or(0.0);
    let by = d.limited_by.as_deref().unwrap_or_default();
    let noted = |n: &&String| n.contains("where the handshake allows 1448 B");
    let notes = connection.notes.iter().filter(noted).count();
    assert!(notes <= 1);
    (share, by, d.mss, notes == 1)
}

#[test]
fn a_program_that_never_pauses_is_not_the_limit_on_a_path_of_a_smaller_mtu() {
    let whole = bulk(BULK, 100, |_| MSS);
    let (application, limit, mss, _) = said(&whole, true);
    assert!(application < 0.02);
    assert_eq!((limit, mss), ("cwnd_recovery", Some(1448)));
    for how in [
        BULK,
        Bulk {
            opens: false,
            ..BULK
        },
    ] {
        let found = bulk(how, 100, |_| SMALLER);
        let (application, limit, mss, stated) = said(&found, how.opens);
        assert!(application < 0.03, "{application}");
        assert_eq!((limit, mss, stated), ("cwnd_recovery", Some(1348), true));
        let connection = &found.document.connections[0];
        let whole = &whole.document.connections[0].a2b;
        let d = match how.opens {
            true => &connection.a2b,
            false => &connection.b2a,
        };
        assert_eq!(d.segments, whole.segments);
    }
}

#[test]
fn the_size_in_use_may_change_on_the_way_and_a_report_tells_it_at_once() {
    for told in [false, true] {
        let how = Bulk { told, ..BULK };
        let found = bulk(how, 120, |n| if n < 60 { MSS } else { SMALLER });
        let (application, limit, mss, stated) = said(&found, true);
        assert!(application < 0.03, "{application}");
        assert_eq!((limit, mss, stated), ("cwnd_recovery", Some(1348), true));
        let found = bulk(how, 120, |n| if n < 60 { SMALLER } else { MSS });
        let (application, limit, mss, stated) = said(&found, true);
        assert!(application < 0.03, "{application}");
        assert_eq!((limit, mss, stated), ("cwnd_recovery", Some(1448), false));
    }
    // Where only the report tells: all packets are of two segments, and acknowledged whole.
    let how = Bulk {
        told: true,
        odd: false,
        ..BULK
    };
    let found = bulk(how, 120, |n| if n < 10 { MSS } else { SMALLER });
    let (application, _, mss, _) = said(&found, true);
    assert!(application < 0.03, "{application}");
    assert_eq!(mss, Some(1348));
}

#[test]
fn without_the_handshake_the_size_is_what_was_cut() {
    let how = Bulk {
        shaken: false,
        ..BULK
    };
    let (application, _, mss, stated) = said(&bulk(how, 100, |_| SMALLER), true);
    assert!(application < 0.03, "{application}");
    assert_eq!((mss, stated), (Some(1348), false));
}

/// A program that writes 2696 bytes at a time, twice a round trip: a full segment and a smaller one, which the receiver acknowledges each.
#[test]
fn a_program_that_writes_twice_1348_bytes_at_a_time_is_one() {
    for odd in [false, true] {
        let mut made = Made::new(true, true);
        for n in 0..200 {
            let at = 2 * ROUND + n * ROUND / 2;
            made.data(at, n * 2696, 2696, PSH);
            if odd {
                made.ack(at + ROUND, n * 2696 + MSS);
            }
            made.ack(at + ROUND + 1000, (n + 1) * 2696);
        }
        let found = made.read();
        let (application, limit, mss, stated) = said(&found, true);
        assert!(application > 0.9, "{application}");
        assert_eq!((limit, mss, stated), ("application", Some(1448), false));
    }
}
