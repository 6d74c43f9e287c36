//! How connections begin: refused, or with a handshake of TLS, by the frames of both ends; and datagrams that are refused.

mod unheard;

use std::collections::BTreeMap;

use farpath_units::{Duration, Time};

use super::packet::{Packet, Way};
use super::tickets::behind_change;
use super::turns::{is_alert, key};
use unheard::Unheard;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// So many connections are followed: what comes later is not known.
const CONNECTIONS: usize = 1 << 12;

/// So many times the first end may speak in clear before its TLS begins, as a client of a database or of mail does.
const IN_CLEAR: u32 = 4;

/// How a connection began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The end that asked for it, and the other.
    pub ends: Way,
    /// When its SYN was first sent.
    pub asked: Time,
    /// When a SYN-ACK was first sent back; none where none was.
    pub taken: Option<Time>,
    /// A reset was the answer.
    pub is_refused: bool,
    /// Round trips of its handshake of TLS: one (RFC 8446 §2, and a session of TLS 1.2 that is resumed), two of a new session of
    /// TLS 1.2. 0 where there is none, or it went no further.
    pub tls_round_trips: u32,
    /// Further ones of it, in which the server's first flight, its certificates above all, waited for its window to grow (RFC 6928 §2).
    pub tls_windows: u32,
    /// The end that ended the handshake of TLS with an alert and closed, before the second end had said anything behind it; none where neither did.
    pub alert: Option<usize>,
}

/// What is known of one so far.
#[derive(Clone, Copy, Debug)]
struct Begun {
    opening: Opening,
    /// From its SYN to the acknowledgement of the SYN-ACK.
    round_trip: Option<Duration>,
    flight: Flight,
    /// The number behind the last byte that each end has sent.
    until: [Option<u32>; 2],
    /// Who sent data last.
    last: Option<usize>,
    /// A hello of TLS waits for its answer.
    is_greeted: bool,
    /// How often the first end spoke in clear.
    in_clear: u32,
    is_done: bool,
    /// The second end has said more than an alert since.
    is_answered: bool,
    /// What each end said last in a handshake was an alert.
    alerts: [bool; 2],
}

/// What the second end has sent in its turn of a handshake of TLS, since a window was last opened.
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    bytes: u64,
    /// When it last sent.
    last: Time,
}

/// Bytes that a first window holds at least: ten segments (RFC 6928 §2) of paths that carry less than Ethernet.
const FIRST_WINDOW: u64 = 12_000;

impl Flight {
    /// So many bytes are sent `now`, the first of a turn or not. Whether they waited for what was sent before to be acknowledged: for about a round trip.
    fn sends(&mut self, bytes: usize, now: Time, is_turn: bool, round_trip: Duration) -> bool {
        let gap = now.since(self.last);
        let is_one = gap.times(4) >= round_trip.times(3) && gap <= round_trip.times(2);
        let waited = !is_turn && is_one && self.bytes >= FIRST_WINDOW;
        if is_turn || waited {
            self.bytes = 0;
        }
        self.bytes += bytes as u64;
        self.last = now;
        waited
    }
}

/// The first bytes of what an end says in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// A hello of a client of TLS, for the first time or as the server wants it.
    Hello,
    /// The rest of a handshake of TLS 1.2: a key, or a certificate.
    Key,
    /// Anything else: ciphered, or no TLS.
    Other,
}

/// Records of TLS: what they carry (RFC 8446 §5.1).
const HANDSHAKE: u8 = 22;
const MAJOR: u8 = 3;
/// Messages of a handshake (RFC 8446 §4): a client's hello; its certificate and its key are sent as they are by TLS 1.2 alone.
const HELLO: u8 = 1;
const CERTIFICATE: u8 = 11;
const KEY: u8 = 16;

fn says(payload: &[u8]) -> Says {
    let behind = behind_change(payload);
    match behind {
        [HANDSHAKE, MAJOR, _, _, _, HELLO, ..] => Says::Hello,
        [HANDSHAKE, MAJOR, _, _, _, KEY | CERTIFICATE, ..] if behind.len() == payload.len() => {
            Says::Key
        }
        _ => Says::Other,
    }
}

impl Begun {
    fn new(ends: Way, asked: Time) -> Begun {
        Begun {
            opening: Opening {
                ends,
                asked,
                taken: None,
                is_refused: false,
                tls_round_trips: 0,
                tls_windows: 0,
                alert: None,
            },
            round_trip: None,
            flight: Flight::default(),
            until: [None; 2],
            last: None,
            is_greeted: false,
            in_clear: 0,
            is_done: false,
            is_answered: false,
            alerts: [false; 2],
        }
    }

    /// An end says something new: an alert that ends the handshake, perhaps.
    fn hears(&mut self, end: usize, payload: &[u8]) {
        let is_alert = is_alert(behind_change(payload));
        let is_over = match end {
            0 => self.is_done,
            _ => self.is_answered,
        };
        self.alerts[end] = is_alert && self.is_greeted && !is_over;
        self.is_answered |= end == 1 && self.is_done && !is_alert;
    }

    /// An end closes, by a FIN or a reset.
    fn closes(&mut self, end: usize) {
        if self.alerts[end] {
            self.opening.alert.get_or_insert(end);
        }
    }

    /// An end has sent the bytes of `payload` from this number on.
    fn sent(&mut self, end: usize, seq: u32, payload: &[u8], now: Time) {
        let until = seq.wrapping_add(payload.len() as u32);
        // What is sent again is nobody's turn.
        let is_again = |known: u32| until.wrapping_sub(known) as i32 <= 0;
        if self.until[end].is_some_and(is_again) {
            return;
        }
        self.until[end] = Some(until);
        self.hears(end, payload);
        let is_turn = self.last.replace(end) != Some(end);
        if let Some(round_trip) = self
            .round_trip
            .filter(|_| end == 1 && self.is_greeted && !self.is_done)
        {
            let waited = self.flight.sends(payload.len(), now, is_turn, round_trip);
            self.opening.tls_windows += u32::from(waited);
        }
        if self.is_done || end != 0 || !is_turn {
            return;
        }
        let trips = &mut self.opening.tls_round_trips;
        match (says(payload), self.is_greeted) {
            (Says::Hello, false) => self.is_greeted = true,
            // The server wanted another.
            (Says::Hello, true) => *trips += 1,
            (Says::Key, true) => (*trips, self.is_done) = (*trips + 2, true),
            (Says::Other, true) => (*trips, self.is_done) = (*trips + 1, true),
            (_, false) => {
                self.in_clear += 1;
                self.is_done = self.in_clear > IN_CLEAR;
            }
        }
    }
}

/// All connections, by their two ends in order, and datagrams for which nothing listened.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings(BTreeMap<Way, Begun>, Unheard);

impl Openings {
    /// A host has handed over `packet`, whose bytes these are, at an instant.
    pub(super) fn sent(&mut self, packet: &Packet, bytes: &[u8], now: Time) {
        self.1.sent(packet, bytes, now);
        let Some((way, seq, control)) = packet.tcp() else {
            return;
        };
        let key = key(way);
        if control & (SYN | ACK) == SYN {
            let known = self.0.get(&key);
            if known.is_none_or(|begun| begun.opening.taken.is_some()) && self.0.len() < CONNECTIONS
            {
                self.0.insert(key, Begun::new(way, now));
            }
            return;
        }
        let Some(begun) = self.0.get_mut(&key) else {
            return;
        };
        let end = usize::from(begun.opening.ends != way);
        if end == 1 && control & RST != 0 && begun.opening.taken.is_none() {
            begun.opening.is_refused = true;
        }
        if end == 1 && control & SYN != 0 {
            begun.opening.taken.get_or_insert(now);
        }
        if end == 0 && begun.opening.taken.is_some() {
            let asked = begun.opening.asked;
            begun.round_trip.get_or_insert(now.since(asked));
        }
        let payload = bytes.get(usize::from(packet.payload_at)..packet.end as usize);
        if let Some(payload) = payload.filter(|p| !p.is_empty()) {
            begun.sent(end, seq, payload, now);
        }
        if control & (FIN | RST) != 0 {
            begun.closes(end);
        }
    }

    /// How each connection began.
    pub(super) fn all(&self) -> impl Iterator<Item = Opening> + '_ {
        self.0.values().map(|begun| begun.opening)
    }

    /// When the hosts first reported that nothing listens, and how often, by who sent datagrams and where to.
    pub(super) fn unheard(&self) -> impl Iterator<Item = (Way, Time, u64)> + '_ {
        self.1.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::packet::Transport;

    fn packet(ends: Way, seq: u32, control: u8) -> Packet {
        let transport = Transport::Tcp {
            ports: ends.map(|end| end.port()),
            seq,
            control,
        };
        Packet {
            version: 4,
            transport_at: 0,
            payload_at: 0,
            end: 0,
            cut: super::super::packet::Cut::Whole,
            segment: 0,
            partial: None,
            addresses: ends.map(|end| end.ip()),
            transport,
            class: 0,
            ttl: 64,
            dont_fragment: true,
            fragment_of: None,
            is_last: true,
        }
    }

    /// A reset that answers a SYN; one that ends a connection which was open is none.
    #[test]
    fn a_connection_is_refused_where_a_reset_answers() {
        let (there, back) = (ends(), [ends()[1], ends()[0]]);
        let refused = |answers: &[(Way, u8)]| {
            let mut openings = Openings::default();
            for (ends, control) in [&[(there, SYN), (there, SYN)][..], answers].concat() {
                openings.sent(&packet(ends, 7, control), &[], Time::ZERO);
            }
            let all: Vec<Opening> = openings.0.values().map(|b| b.opening).collect();
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].ends, there);
            all[0].is_refused
        };
        assert!(refused(&[(back, RST | ACK)]));
        assert!(!refused(&[]), "never answered");
        assert!(!refused(&[(there, RST)]), "given up");
        assert!(!refused(&[(back, SYN | ACK), (there, ACK), (back, RST)]));
    }

    const CLIENT_HELLO: &[u8] = &[22, 3, 1, 2, 0, 1, 0];
    const SERVER: &[u8] = &[22, 3, 3, 0, 122, 2, 0];
    const CHANGED: &[u8] = &[20, 3, 3, 0, 1, 1];
    const CIPHERED: &[u8] = &[23, 3, 3, 0, 53, 9];
    const CLIENT_KEY: &[u8] = &[22, 3, 3, 0, 37, 16, 0];

    fn ends() -> Way {
        ["198.18.0.1:4000", "198.18.0.2:443"].map(|end| end.parse().expect(end))
    }

    /// Round trips of a conversation: who says what.
    fn trips(talk: &[(usize, Vec<u8>)]) -> u32 {
        let mut begun = Begun::new(ends(), Time::ZERO);
        let mut seq = [u32::MAX - 3, 70];
        for (end, bytes) in talk {
            begun.sent(*end, seq[*end], bytes, Time::ZERO);
            // A repeat is not a turn.
            begun.sent(*end, seq[*end], bytes, Time::ZERO);
            seq[*end] = seq[*end].wrapping_add(bytes.len() as u32);
        }
        begun.opening.tls_round_trips
    }

    /// A server that wants a certificate of the client says so behind the client's last flight of TLS 1.3; one of TLS 1.2 in clear, and a client that does
    /// not trust the server's behind its answer. An alert behind an answer ends no handshake.
    #[test]
    fn an_alert_that_ends_a_handshake_is_known() {
        const CLEAR: &[u8] = &[21, 3, 3, 0, 2, 2, 40];
        let mut alert = [23, 3, 3, 0, 19].to_vec();
        alert.extend([7; 19]);
        let alert = alert.as_slice();
        let ended = |talk: &[(usize, &[u8])], who: usize| {
            let mut begun = Begun::new(ends(), Time::ZERO);
            let mut seq = [1, 1];
            for (end, bytes) in [&[(0, CLIENT_HELLO), (1, SERVER)][..], talk].concat() {
                begun.sent(end, seq[end], bytes, Time::ZERO);
                seq[end] += bytes.len() as u32;
            }
            begun.closes(who);
            begun.opening.alert
        };
        let finished = (0, CIPHERED);
        assert_eq!(ended(&[finished, (1, alert)], 1), Some(1));
        assert_eq!(ended(&[finished, (1, alert), (0, CIPHERED)], 1), Some(1));
        assert_eq!(ended(&[(0, CLIENT_KEY), (1, CLEAR)], 1), Some(1));
        assert_eq!(ended(&[(0, alert)], 0), Some(0));
        assert_eq!(ended(&[finished, (1, CIPHERED), (1, alert)], 1), None);
        assert_eq!(ended(&[finished, (1, CIPHERED), (0, alert)], 0), None);
    }

    /// A hello over a round trip of 80 ms, and a flight of certificates of so many bytes whose rest is sent so many ms behind the first ten segments; then
    /// an answer of 100 kB.
    #[test]
    fn certificates_beyond_the_first_window_take_another_round_trip() {
        let windows = |first: usize, rest: usize, gap: u64| {
            let at = |ms| Time::ZERO + Duration::from_ms(ms);
            let mut begun = Begun::new(ends(), at(0));
            begun.round_trip = Some(Duration::from_ms(80));
            begun.sent(0, 0, CLIENT_HELLO, at(80));
            let mut seq = 70_u32;
            let mut serves = |begun: &mut Begun, bytes: usize, ms: u64| {
                let payload = [SERVER, &vec![1; bytes][..]].concat();
                begun.sent(1, seq, &payload, at(ms));
                seq += payload.len() as u32;
            };
            serves(&mut begun, first, 121);
            serves(&mut begun, rest, 121 + gap);
            begun.sent(0, CLIENT_HELLO.len() as u32, CIPHERED, at(500));
            serves(&mut begun, 14_000, 600);
            serves(&mut begun, 28_000, 680);
            (begun.opening.tls_round_trips, begun.opening.tls_windows)
        };
        assert_eq!(windows(14_000, 4_000, 81), (1, 1));
        // A small chain, one that leaves at once, and a server that takes its time.
        assert_eq!(windows(3_000, 500, 81), (1, 0));
        assert_eq!(windows(14_000, 4_000, 1), (1, 0));
        assert_eq!(windows(14_000, 4_000, 300), (1, 0));
    }

    #[test]
    fn round_trips_of_a_handshake_are_those_of_its_version() {
        let changed = [CHANGED, CIPHERED].concat();
        let again = [CHANGED, CLIENT_HELLO].concat();
        let finished = [CHANGED, &[22, 3, 3, 0, 40, 0, 0]].concat();
        let client = |bytes: &'static [u8]| (0, bytes.to_vec());
        let server = |bytes: &'static [u8]| (1, bytes.to_vec());
        let (hello, answer) = (client(CLIENT_HELLO), server(SERVER));
        let (data, more) = (client(CIPHERED), server(CIPHERED));
        let of_1_2 = [client(CLIENT_KEY), server(CHANGED), data.clone()];
        let of_postgres = [
            client(&[0, 0, 0, 8]),
            server(b"S"),
            hello.clone(),
            answer.clone(),
        ];
        let plain = [
            client(b"GET / HTTP"),
            server(b"HTTP/1.1 2"),
            client(b"GET /2"),
        ];
        let begun = [hello.clone(), answer.clone()];
        let with = |rest: &[(usize, Vec<u8>)]| [&begun[..], rest].concat();
        let rest = (0, changed.clone());
        for (name, talk, wanted) in [
            (
                "TLS 1.3",
                with(&[more.clone(), rest.clone(), more.clone()]),
                1,
            ),
            ("without a change", with(&[data.clone(), more.clone()]), 1),
            (
                "another group",
                with(&[(0, again), answer.clone(), data]),
                2,
            ),
            ("TLS 1.2", with(&of_1_2), 2),
            ("TLS 1.2, resumed", with(&[(0, finished), more]), 1),
            (
                "asked for in clear",
                [&of_postgres[..], &[rest]].concat(),
                1,
            ),
            ("no TLS", plain.to_vec(), 0),
            ("no answer", vec![hello], 0),
        ] {
            assert_eq!(trips(&talk), wanted, "{name}");
        }
    }
}
