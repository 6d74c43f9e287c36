//! Requests, openings, resets and names, beside what is known of how they were made.

use farpath_mutate::{Corpus, run as mutate};
use farpath_record::trace::TraceConnection;
use farpath_trace::{Source, analyse};

use crate::changed::{from_hex, to_hex};
use crate::datagrams::{CLIENT, MS, Packet, START, capture, dns, udp};
use crate::runs::read;
use crate::shapes::{Tcp, ethernet, v4};

const SYN: u8 = 2;
const ACK: u8 = 0x10;
const RST: u8 = 4;
const FIN: u8 = 1;
/// From one end to the other, nanoseconds.
const ONE_WAY: u64 = 20 * MS;

/// Two ends whose packets are captured somewhere between them.
struct Talk {
    /// From the client to the capture.
    place: u64,
    packets: Vec<Packet>,
    /// Next numbers of the client and of the server.
    next: [u32; 2],
    windows: [u16; 2],
    /// What is acknowledged instead of all that the other end sent.
    acknowledged: Option<[u32; 2]>,
}

impl Talk {
    fn new(place: u64) -> Talk {
        Talk {
            place,
            packets: Vec::new(),
            next: [1000, 9000],
            windows: [8192; 2],
            acknowledged: None,
        }
    }

    /// Sends a segment at `at` by the sender; when the other end has it.
    fn send(&mut self, at: u64, from_a: bool, control: u8, payload: &[u8]) -> u64 {
        let own = usize::from(!from_a);
        let tcp = Tcp {
            from_a,
            seq: self.next[own],
            ack: self.acknowledged.unwrap_or(self.next)[1 - own],
            control,
            window: self.windows[own],
            options: Vec::new(),
            payload: payload.to_vec(),
        };
        let flags = u32::from(control & SYN != 0) + u32::from(control & FIN != 0);
        self.next[own] += payload.len() as u32 + flags;
        let way = if from_a {
            self.place
        } else {
            ONE_WAY - self.place
        };
        self.packets
            .push((START + at + way, ethernet(&v4(&tcp)), 0));
        at + ONE_WAY
    }

    /// A handshake that begins at 0; when the client has sent its last part.
    fn open(&mut self) -> u64 {
        let at = self.send(0, true, SYN, &[]);
        let at = self.send(at, false, SYN | ACK, &[]);
        self.send(at, true, ACK, &[]);
        at
    }

    /// Segments of one end a millisecond apart, each acknowledged as it comes; when the last one is there.
    fn tell(&mut self, mut at: u64, from_a: bool, segments: u32) -> u64 {
        let mut there = at;
        for _ in 0..segments {
            there = self.send(at, from_a, ACK, &[7; 1000]);
            self.send(there, !from_a, ACK, &[]);
            at += MS;
        }
        there
    }

    fn read(self) -> TraceConnection {
        let document = read(&capture(self.packets)).document;
        assert_eq!(document.connections.len(), 1);
        document.connections[0].clone()
    }
}

#[test]
fn the_time_of_requests_is_divided_the_same_wherever_it_was_captured() {
    for place in [0, 7 * MS, ONE_WAY] {
        let mut talk = Talk::new(place);
        let mut at = talk.open();
        for _ in 0..5 {
            let there = talk.tell(at, true, 3);
            let back = talk.tell(there + 50 * MS, false, 5);
            at = back + 100 * MS;
        }
        let c = talk.read();
        let totals = c.request_totals.expect("requests");
        assert_eq!(
            (totals.requests, totals.unanswered, totals.left_out),
            (5, 0, 0)
        );
        assert_eq!(
            (totals.request_bytes, totals.response_bytes),
            (15_000, 25_000)
        );
        for (n, r) in c.requests.iter().enumerate() {
            assert_eq!(r.client_sending_ns, 2 * MS, "{place} {r:?}");
            assert_eq!(r.server_thinking_ns, 50 * MS, "{place} {r:?}");
            assert_eq!(r.wire_ns, 2 * ONE_WAY, "{place} {r:?}");
            assert_eq!(r.response_ns, 4 * MS, "{place} {r:?}");
            let next = (n < 4).then_some(100 * MS);
            assert_eq!(r.client_thinking_ns, next, "{place} {r:?}");
        }
        let opening = c.opening.expect("a SYN");
        assert_eq!((opening.syns, opening.handshake_ns), (1, Some(2 * ONE_WAY)));
    }
}

/// Captured at the server, where five segments of each answer leave at once. A queue takes a time for each, and so does a client
/// that holds the last acknowledgement back: the first is the answer's time, the second the client's, who asks again 10 ms later.
#[test]
fn an_answer_ends_at_the_client_when_its_queue_is_empty() {
    for (each, hold, response, thinking) in
        [(30 * MS, 0, 150 * MS, 10 * MS), (0, 40 * MS, 0, 50 * MS)]
    {
        let mut talk = Talk::new(ONE_WAY);
        let mut at = talk.open();
        for _ in 0..3 {
            let there = talk.tell(at, true, 1);
            let first = talk.next[1];
            for _ in 0..5 {
                talk.send(there, false, ACK, &[7; 1000]);
            }
            for n in 1..=5 {
                talk.acknowledged = Some([talk.next[0], first + 1000 * n]);
                at = there + ONE_WAY + u64::from(n) * each + if n == 5 { hold } else { 0 };
                talk.send(at, true, ACK, &[]);
            }
            talk.acknowledged = None;
            at += 10 * MS;
        }
        let c = talk.read();
        assert_eq!(c.requests.len(), 3);
        for (n, r) in c.requests.iter().enumerate() {
            assert_eq!(r.response_ns, response, "{r:?}");
            let next = (n < 2).then_some(thinking);
            assert_eq!(r.client_thinking_ns, next, "{r:?}");
        }
    }
}

/// Captured at the server, where forty segments of each answer leave at once: all that was written is under way. A queue lets two of them
/// out each 5 ms; or all are acknowledged together, as late.
#[test]
fn what_drains_of_an_answer_through_a_queue_is_the_links_time() {
    let shares = |each: u64, held: u64| {
        let mut talk = Talk::new(ONE_WAY);
        talk.windows = [65_535; 2];
        let mut at = talk.open();
        for _ in 0..6 {
            let there = talk.tell(at, true, 1);
            let first = talk.next[1];
            for _ in 0..39 {
                talk.send(there, false, ACK, &[7; 1000]);
            }
            talk.send(there, false, ACK, &[7; 500]);
            for n in 1..=20_u32 {
                let acknowledged = (2000 * n).min(39_500);
                talk.acknowledged = Some([talk.next[0], first + acknowledged]);
                at = there + ONE_WAY + held + u64::from(n) * each;
                talk.send(at, true, ACK, &[]);
            }
            talk.acknowledged = None;
            at += 10 * MS;
        }
        let c = talk.read();
        assert_eq!(c.vantage, "sender_of_b");
        let of = |word: &str| c.b2a.limit_shares.get(word).copied().unwrap_or(0.0);
        (of("link"), of("application"), c.b2a.limited_by.clone())
    };
    // From the first acknowledgement to the last: 90 of each 150 ms.
    let (link, application, limited_by) = shares(5 * MS, 0);
    assert!((0.5..0.65).contains(&link), "{link}");
    assert!(application > 0.3, "{application}");
    assert_eq!(limited_by.as_deref(), Some("link"));
    let (link, application, _) = shares(0, 100 * MS);
    assert!(link < 0.01 && application > 0.85, "{link} {application}");
}

/// A request of one segment is lost: the second until it is sent again, and the round trip after it, are the loss's.
#[test]
fn the_wait_for_a_timeout_is_the_losses_time() {
    let mut talk = Talk::new(0);
    let mut at = talk.open();
    for _ in 0..5 {
        let there = talk.tell(at, true, 1);
        at = talk.tell(there, false, 1);
    }
    talk.send(at, true, ACK, &[7; 1000]);
    talk.next[0] -= 1000;
    let there = talk.tell(at + 1000 * MS, true, 1);
    talk.tell(there, false, 1);
    let c = talk.read();
    // Nobody announced an MSS: 1000 bytes are two segments of 536 at most.
    assert_eq!(c.a2b.retransmissions.rto, 2);
    let lost = c.a2b.limit_shares.get("loss").copied();
    assert!(
        lost.is_some_and(|share| share > 0.7),
        "{:?}",
        c.a2b.limit_shares
    );
}

/// Captured at the client: the answer to the last of four requests is lost, the client sends its request again after 250 ms, and the server its
/// answer 330 ms after that. An acknowledgement between `shows` that it was sent before, or is lost as well.
fn answer_lost(shows: bool) -> TraceConnection {
    let mut talk = Talk::new(0);
    let mut at = talk.open();
    for _ in 0..3 {
        let there = talk.tell(at, true, 1);
        at = talk.tell(there, false, 1);
    }
    talk.send(at, true, ACK, &[7; 1000]);
    let answer = talk.next[1];
    talk.acknowledged = Some([talk.next[0], answer]);
    talk.next[0] -= 1000;
    let there = talk.send(at + 250 * MS, true, ACK, &[7; 1000]);
    if shows {
        talk.next[1] = answer + 1000;
        talk.send(there, false, ACK, &[]);
        talk.next[1] = answer;
    }
    let back = talk.send(there + 330 * MS, false, ACK, &[7; 1000]);
    talk.acknowledged = None;
    talk.send(back, true, ACK, &[]);
    talk.read()
}

#[test]
fn a_hole_in_front_of_an_answer_is_a_loss_and_not_the_server() {
    for (shows, server, response, words) in [
        (
            true,
            0,
            330,
            "1 response was lost before any of it came here",
        ),
        (
            false,
            330,
            0,
            "counts as time of the server where nothing shows",
        ),
    ] {
        let c = answer_lost(shows);
        let last = c.requests.last().expect("four requests");
        assert_eq!(c.requests.len(), 4);
        assert_eq!(last.server_thinking_ns, server * MS, "{last:?}");
        assert_eq!(last.response_ns, response * MS, "{last:?}");
        let notes = c.notes.join("\n");
        assert!(notes.contains(words), "{notes}");
        let both = notes.contains("lost before any") && notes.contains("nothing shows");
        assert!(!both, "{notes}");
    }
}

/// Requests of two writes each. The second one leaves as the first is acknowledged, which the server delays.
#[test]
fn small_writes_that_wait_for_delayed_acknowledgements_are_named() {
    for place in [0, 7 * MS, ONE_WAY] {
        for delay in [0, 40 * MS] {
            let mut talk = Talk::new(place);
            let mut at = talk.open();
            for _ in 0..10 {
                let there = talk.send(at, true, ACK, &[7; 4]);
                let back = talk.send(there + delay, false, ACK, &[]);
                let there = talk.send(back, true, ACK, &[7; 500]);
                at = talk.send(there, false, ACK, &[7; 100]);
            }
            let c = talk.read();
            let held = c.a2b.held_small.expect("they waited");
            assert_eq!(held.segments, 10, "{place}");
            assert_eq!(held.waited_ns, 10 * (2 * ONE_WAY + delay), "{place}");
            assert_eq!(held.ack_delay_avg_ns, delay, "{place}");
            assert_eq!(c.b2a.held_small, None);
            let all = c.notes.join(" ");
            let note = "10.0.0.1:40000 held 10 of 20 segments back until the one before was acknowledged (Nagle's algorithm)";
            assert!(all.contains(note), "{all}");
            let delayed = ", 80.0 ms each, 40.0 ms of it as the other end delayed its acknowledgement: one write for both";
            assert_eq!(all.contains(delayed), delay > 0, "{all}");
        }
    }
}

/// The same behind a handshake of TLS, two of whose records leave together: what is written later has waited all the same.
#[test]
fn small_writes_that_wait_behind_a_handshake_are_named() {
    for place in [0, 7 * MS, ONE_WAY] {
        let mut talk = Talk::new(place);
        let at = talk.open();
        talk.send(at, true, ACK, &[7; 100]);
        let there = talk.send(at + MS, true, ACK, &[7; 50]);
        let mut at = talk.send(there, false, ACK, &[7; 200]);
        for _ in 0..10 {
            let there = talk.send(at, true, ACK, &[7; 4]);
            let back = talk.send(there, false, ACK, &[]);
            let there = talk.send(back, true, ACK, &[7; 500]);
            at = talk.send(there, false, ACK, &[7; 100]);
        }
        let held = talk.read().a2b.held_small.expect("they waited");
        assert_eq!(held.segments, 10, "{place}");
        assert_eq!(held.waited_ns, 10 * 2 * ONE_WAY, "{place}");
    }
}

/// What a program writes at its own time, after an answer, or in full segments, nobody holds back.
#[test]
fn small_writes_that_do_not_wait_are_not_said_to() {
    let told = |pause: u64, answers: bool, size: usize| {
        let mut talk = Talk::new(0);
        let mut at = talk.open();
        for _ in 0..20 {
            let there = talk.send(at, true, ACK, &vec![7; size]);
            let mut back = talk.send(there, false, ACK, &[]);
            if answers {
                back = talk.send(there, false, ACK, &[7; 10]);
            }
            at = back + pause;
        }
        talk.read().a2b.held_small
    };
    assert!(told(0, false, 100).is_some());
    assert_eq!(told(30 * MS, false, 100), None);
    assert_eq!(told(0, true, 100), None);
    assert_eq!(told(0, false, 1460), None);
}

/// Answers of a small segment, two full ones and a small end, as a web server writes them in two: the end leaves with the
/// acknowledgement of the beginning, or with the rest.
fn answers(place: u64, is_held: bool) -> TraceConnection {
    let mut talk = Talk::new(place);
    let mut at = talk.open();
    for _ in 0..10 {
        let there = talk.send(at, true, ACK, &[7; 100]);
        let back = talk.send(there, false, ACK, &[7; 200]);
        let begun = talk.next;
        for _ in 0..2 {
            talk.send(there, false, ACK, &[7; 536]);
        }
        talk.acknowledged = Some(begun);
        let heard = talk.send(back, true, ACK, &[]);
        talk.acknowledged = None;
        talk.send(back + 5 * MS, true, ACK, &[]);
        at = talk.send(if is_held { heard } else { there }, false, ACK, &[7; 144]);
    }
    talk.read()
}

/// Minshall's change of Nagle's algorithm: full segments are still under way as the end leaves.
#[test]
fn the_end_of_an_answer_waits_for_its_small_beginning_wherever_it_was_captured() {
    for place in [0, 7 * MS, ONE_WAY] {
        let c = answers(place, true);
        let held = c.b2a.held_small.expect("they waited");
        assert_eq!(
            (held.segments, held.waited_ns),
            (10, 10 * 2 * ONE_WAY),
            "{place}"
        );
        assert_eq!(c.b2a.limited_by.as_deref(), Some("small_writes"), "{place}");
        let shares = &c.b2a.limit_shares;
        // Of each request one round trip of two, beside the handshake's.
        let small = shares["small_writes"];
        assert!((0.42..0.52).contains(&small), "{place}: {shares:?}");
        assert!(!shares.contains_key("unknown"), "{place}: {shares:?}");
        assert!(
            (shares.values().sum::<f64>() - 1.0).abs() < 1e-9,
            "{shares:?}"
        );
        let sent = answers(place, false).b2a;
        assert_eq!(sent.held_small, None, "{place}");
        assert!(!sent.limit_shares.contains_key("small_writes"), "{place}");
    }
}

/// Small segments that a program without delay writes at its own time, several in a round trip.
#[test]
fn small_writes_under_way_together_wait_for_nothing() {
    for place in [0, 7 * MS, ONE_WAY] {
        let mut talk = Talk::new(place);
        let at = talk.open();
        for n in 0..40 {
            let there = talk.send(at + n * 10 * MS, true, ACK, &[7; 100]);
            talk.send(there, false, ACK, &[]);
        }
        assert_eq!(talk.read().a2b.held_small, None, "{place}");
    }
}

#[test]
fn requests_beyond_the_list_are_in_the_totals() {
    let mut talk = Talk::new(0);
    let mut at = talk.open();
    for _ in 0..1500 {
        let there = talk.tell(at, true, 1);
        at = talk.tell(there + 3 * MS, false, 1);
    }
    let c = talk.read();
    let totals = c.request_totals.expect("requests");
    assert_eq!(
        (totals.requests, totals.left_out, c.requests.len()),
        (1500, 499, 1001)
    );
    assert_eq!(totals.server_thinking_ns, 1500 * 3 * MS);
    assert_eq!(totals.wire_ns, 1500 * 2 * ONE_WAY);
}

/// Twelve requests of which so many are kept outstanding, and a server that works for 120 ms on each: every answer brings the next request.
/// The last answers come without one.
#[test]
fn requests_that_wait_behind_others_are_not_divided() {
    for place in [0, 7 * MS, ONE_WAY] {
        for kept in [1, 4] {
            let mut talk = Talk::new(place);
            let at = talk.open();
            for _ in 0..kept {
                talk.send(at, true, ACK, &[7; 300]);
            }
            let mut done = at + ONE_WAY;
            for n in 1..=12 {
                done += 120 * MS;
                let back = talk.send(done, false, ACK, &[7; 200]);
                match n + kept {
                    ..=12 => {
                        let there = talk.send(back, true, ACK, &[7; 300]);
                        done = done.max(if kept == 1 { there } else { 0 });
                    }
                    _ => {
                        talk.send(back, true, ACK, &[]);
                    }
                }
            }
            let c = talk.read();
            let said = c
                .notes
                .iter()
                .any(|n| n.contains("4 requests were outstanding"));
            assert_eq!(said, kept == 4, "{place}: {:?}", c.notes);
            assert_eq!(c.requests.is_empty(), kept == 4, "{place}");
            assert_eq!(c.request_totals.is_none(), kept == 4, "{place}");
        }
    }
}

#[test]
fn ends_that_send_at_once_have_no_requests() {
    let mut talk = Talk::new(0);
    let mut at = talk.open();
    talk.acknowledged = Some(talk.next);
    for _ in 0..50 {
        talk.send(at, true, ACK, &[1; 500]);
        talk.send(at, false, ACK, &[2; 500]);
        at += 5 * MS;
    }
    let c = talk.read();
    assert!(c.requests.is_empty() && c.request_totals.is_none());
}

#[test]
fn a_client_that_reads_slowly_is_named() {
    let mut talk = Talk::new(ONE_WAY);
    let at = talk.open();
    let there = talk.tell(at, true, 1);
    let back = talk.tell(there, false, 1);
    talk.windows[0] = 0;
    talk.send(back + MS, true, ACK, &[]);
    talk.windows[0] = 8192;
    let opened = talk.send(back + 301 * MS, true, ACK, &[]);
    talk.tell(opened, false, 2);
    let c = talk.read();
    assert_eq!(c.requests[0].slow_reader_ns, 300 * MS, "{:?}", c.requests);
    assert_eq!(c.requests[0].response_bytes, 3000);
}

#[test]
fn syns_that_were_lost_cost_time() {
    let mut talk = Talk::new(0);
    talk.send(0, true, SYN, &[]);
    talk.next[0] -= 1;
    let at = talk.send(1000 * MS, true, SYN, &[]);
    let at = talk.send(at, false, SYN | ACK, &[]);
    talk.send(at, true, ACK, &[]);
    talk.tell(at, true, 1);
    let c = talk.read();
    let opening = c.opening.expect("SYNs");
    assert_eq!((opening.syns, opening.syn_retransmissions), (2, 1));
    assert_eq!(
        (opening.waited_ns, opening.syn_ack_ns),
        (1000 * MS, Some(1040 * MS))
    );
    assert!(
        c.notes.iter().any(|n| n.contains("1000 ms")),
        "{:?}",
        c.notes
    );
}

/// At the server the SYN-ACK passes and is lost behind. How long a round trip takes shows in what the client acknowledges; without
/// that the answer may be late.
#[test]
fn syns_behind_an_answer_that_was_lost_are_counted_apart() {
    for (answers, fate) in [(true, "lost"), (false, "lost or late")] {
        let mut talk = Talk::new(ONE_WAY);
        let mut at = 0;
        for sent in [0, 2000 * MS] {
            talk.next = [1000, 9000];
            at = talk.send(sent, true, SYN, &[]);
            at = talk.send(at, false, SYN | ACK, &[]);
        }
        let at = talk.send(at, true, ACK, &[]);
        talk.tell(at, !answers, 3);
        let c = talk.read();
        let opening = c.opening.expect("SYNs");
        assert_eq!((opening.syns, opening.syn_retransmissions), (2, 1));
        let (after, waited) = (opening.syns_after_answer, opening.waited_after_answer_ns);
        assert_eq!((opening.waited_ns, after, waited), (0, 1, 2000 * MS));
        let note = format!("1 SYN was sent again after the answer, which was {fate}: 2000 ms");
        assert!(c.notes.contains(&note), "{note}: {:?}", c.notes);
        assert!(!c.notes.iter().any(|n| n.contains("before the answer")));
    }
}

#[test]
fn resets_say_what_they_answer_and_whether_their_ttl_is_their_ends() {
    let closed = {
        let mut talk = Talk::new(0);
        let at = talk.send(0, true, SYN, &[]);
        talk.next[1] = 0;
        talk.send(at, false, RST | ACK, &[]);
        talk.read().reset.expect("a reset")
    };
    assert_eq!(
        (closed.by.as_str(), closed.answers.as_str()),
        ("b", "closed_port")
    );
    assert!(!closed.middlebox_suspected && closed.ttl_usual.is_none());
    let after = {
        let mut talk = Talk::new(0);
        let at = talk.open();
        let there = talk.tell(at, true, 1);
        let back = talk.send(there, false, FIN | ACK, &[]);
        let there = talk.send(back, true, ACK, &[5; 100]);
        talk.send(there, false, RST, &[]);
        talk.read().reset.expect("a reset")
    };
    assert_eq!(
        (after.by.as_str(), after.answers.as_str()),
        ("b", "data_after_close")
    );
    assert_eq!(after.idle_ns, 2 * ONE_WAY);
    let forged = {
        let mut talk = Talk::new(0);
        let at = talk.open();
        let there = talk.tell(at, true, 1);
        talk.tell(there, false, 1);
        talk.send(there + 500 * MS, false, RST, &[]);
        let last = talk.packets.len() - 1;
        talk.packets[last].1[22] = 61;
        let c = talk.read();
        assert!(
            c.notes.iter().any(|n| n.contains("its TTL is 61")),
            "{:?}",
            c.notes
        );
        c.reset.expect("a reset")
    };
    assert_eq!(forged.answers, "mid_stream");
    assert!(forged.middlebox_suspected);
    assert_eq!((forged.ttl, forged.ttl_usual), (61, Some([64, 64])));
}

/// A ClientHello with a name and a filler of some bytes before it.
fn client_hello(name: &str, filler: usize) -> Vec<u8> {
    let two = |n: usize| (n as u16).to_be_bytes();
    let mut extensions = vec![0, 21];
    extensions.extend(two(filler));
    extensions.resize(4 + filler, 0);
    extensions.extend([0, 0]);
    extensions.extend(two(name.len() + 5));
    extensions.extend(two(name.len() + 3));
    extensions.push(0);
    extensions.extend(two(name.len()));
    extensions.extend(name.as_bytes());
    let mut body = vec![3, 3];
    body.extend([9; 32]);
    body.push(0);
    body.extend([0, 2, 0x13, 1, 1, 0]);
    body.extend(two(extensions.len()));
    body.extend(extensions);
    let mut record = vec![22, 3, 1];
    record.extend(two(body.len() + 4));
    record.extend([1, 0]);
    record.extend(two(body.len()));
    record.extend(body);
    record
}

/// A ServerHello of TLS 1.3, or of TLS 1.2.
fn server_hello(is_13: bool) -> Vec<u8> {
    let extensions: &[u8] = if is_13 {
        &[0, 6, 0, 43, 0, 2, 3, 4]
    } else {
        &[]
    };
    let mut body = vec![3, 3];
    body.extend([8; 32]);
    body.extend([0, 0x13, 1, 0]);
    body.extend(extensions);
    let mut record = vec![22, 3, 3, 0, body.len() as u8 + 4, 2, 0, 0, body.len() as u8];
    record.extend(body);
    record
}

#[test]
fn tls_gives_a_name_and_the_time_of_its_handshake() {
    for (is_13, filler) in [(true, 0), (true, 1500), (false, 100)] {
        let mut talk = Talk::new(0);
        let at = talk.open();
        let hello = client_hello("www.example.org", filler);
        let mut there = at;
        for part in hello.chunks(1000) {
            there = talk.send(at, true, ACK, part);
        }
        let back = talk.send(there + MS, false, ACK, &server_hello(is_13));
        let done = if is_13 {
            talk.send(
                back + MS,
                true,
                ACK,
                &[20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 4, 1, 2, 3, 4],
            );
            back + MS
        } else {
            let there = talk.send(back + MS, true, ACK, &[22, 3, 3, 0, 2, 16, 0]);
            talk.send(there, false, ACK, &[20, 3, 3, 0, 1, 1])
        };
        talk.send(done + MS, true, ACK, &[23, 3, 3, 0, 1, 1]);
        let c = talk.read();
        let tls = c.tls.expect("TLS");
        assert_eq!(tls.name.as_deref(), Some("www.example.org"), "{filler}");
        assert_eq!(c.name.as_deref(), Some("www.example.org"));
        assert_eq!(
            tls.version.as_deref(),
            Some(if is_13 { "1.3" } else { "1.2" })
        );
        assert_eq!(tls.handshake_ns, Some(done - at));
        assert!(c.requests[0].tls_handshake);
    }
}

#[test]
fn dns_of_the_same_capture_names_the_server() {
    let mut talk = Talk::new(0);
    let at = talk.open();
    talk.tell(at, true, 1);
    let server = [10, 0, 0, 2];
    talk.packets.push((
        START - 5 * MS,
        udp(true, (999, 53), &dns(1, "files.example.org", None)),
        0,
    ));
    let answer = dns(1, "files.example.org", Some((0, &[server])));
    talk.packets
        .push((START - 4 * MS, udp(false, (999, 53), &answer), 0));
    assert_eq!(CLIENT, [10, 0, 0, 1]);
    let c = talk.read();
    assert_eq!(c.name.as_deref(), Some("files.example.org"));
}

/// A server's answer over TCP that says where a name is, in a message with its length before it (RFC 7766 §8).
#[test]
fn dns_over_tcp_names_the_server_too() {
    let mut talk = Talk::new(5 * MS);
    let at = talk.open();
    talk.tell(at, true, 2);
    let message = dns(7, "www.example.org", Some((0, &[[10, 0, 0, 2]])));
    let mut body = (message.len() as u16).to_be_bytes().to_vec();
    body.extend(&message);
    // The message follows its length at once, or is cut off: both from a server at port 53.
    for (cut, named) in [(body.len(), true), (body.len() - 1, false)] {
        let tcp = Tcp {
            from_a: false,
            seq: 1,
            ack: 1,
            control: ACK,
            window: 1000,
            options: Vec::new(),
            payload: body[..cut].to_vec(),
        };
        let mut frame = ethernet(&v4(&tcp));
        frame[34..36].copy_from_slice(&53u16.to_be_bytes());
        let mut packets = vec![(START - MS, frame, 0)];
        packets.extend(talk.packets.iter().cloned());
        let found = read(&capture(packets)).document;
        let of = found.connections.iter().find(|c| c.b.ends_with(":5001"));
        let name = of.expect("the connection").name.as_deref();
        assert_eq!(name, named.then_some("www.example.org"));
    }
}

#[test]
fn changed_handshakes_and_requests_are_read() {
    let secure = |is_13: bool| {
        let mut talk = Talk::new(5 * MS);
        let mut at = talk.open();
        for part in client_hello("www.example.org", 40).chunks(90) {
            at = talk.send(at, true, ACK, part);
        }
        let back = talk.send(at, false, ACK, &server_hello(is_13));
        let there = talk.send(back, true, ACK, &[23, 3, 3, 0, 2, 1, 2]);
        talk.send(there, false, RST, &[]);
        talk
    };
    let mut asking = Talk::new(15 * MS);
    let mut at = asking.open();
    for _ in 0..3 {
        at = asking.tell(at, true, 1);
        at = asking.tell(at, false, 2);
    }
    let talks = [secure(true), secure(false), asking];
    let texts = talks.map(|talk| to_hex(&capture(talk.packets)));
    let corpus = Corpus::of(texts.iter().map(String::as_str))
        .odd(&["ff", "00", "16", "17", "ffff", "0000", ""]);
    let outcomes = mutate(&corpus, |text, _| {
        let bytes = from_hex(text);
        let source = Source {
            name: "x".to_owned(),
            bytes: Box::new(bytes.as_slice()),
        };
        let Ok(found) = analyse([source], &mut ()) else {
            return "refused";
        };
        let mut outcome = "bare";
        for c in &found.document.connections {
            for r in &c.requests {
                // Part of the time on the wire is on the far side of the capture.
                let parts = r.client_sending_ns + r.server_thinking_ns + r.response_ns;
                assert!(parts <= c.duration_ns, "{r:?} in {c:?}");
            }
            if c.tls.is_some() {
                outcome = "secure";
            } else if !c.requests.is_empty() {
                outcome = "requests";
            }
        }
        outcome
    });
    outcomes.at_least("secure", 0.1).at_least("requests", 0.05);
}
