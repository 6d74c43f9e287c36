//! What the ends of a connection send that neither asks nor answers a request: pings and what answers them, and what HTTP/2 says of windows and
//! settings (RFC 9113 §6). They are nobody's turn.
//!
//! They are read where a connection is not ciphered: of WebSocket behind the server's agreement (RFC 6455 §4.2.2), of HTTP/2 behind the
//! client's first words. Over TLS lengths alone are known. There pings are pairs of records at equal times, of which the client's is longer by
//! the mask that WebSocket has it send (§5.3), or both are a ping of HTTP/2. A record as long as one or two frames that open a window may be that
//! where the client offers HTTP/2. A request may be as long: it stays somebody's turn.

use farpath_units::{Duration, Time};

use super::{Beat, Overlap, Talk, Turns};

/// Pings of both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pings {
    /// How many.
    pub times: u64,
    /// Time before them in which the client had asked for nothing that was not answered, and neither end sent anything else.
    pub quiet: Duration,
}

/// What is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Spoken {
    #[default]
    Unknown,
    WebSocket,
    Http2,
    /// A client's hello of TLS has begun, and offers HTTP/2 (RFC 7301 §3.1), or not yet.
    Greeted,
    Offered,
}

/// What both ends have sent that is nobody's turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    spoken: Spoken,
    /// What is sent now is nobody's turn, and whether it is a ping.
    is_aside: bool,
    has_ping: bool,
    /// What is sent now is as long as what opens a window, ciphered.
    may_grant: bool,
    /// The bytes of each end's last such message, from the first one to that behind the last.
    ranges: [Option<(u64, u64)>; 2],
    /// When the last ping was sent.
    last: Option<Time>,
    pings: Pings,
    /// Bytes of the record of TLS that each end sent last, its header included; none where that was not one record alone.
    records: [Option<usize>; 2],
    is_pair: bool,
}

/// First words of a client of HTTP/2 (RFC 9113 §3.4), and of a server that agrees to speak WebSocket (RFC 6455 §4.2.2).
const PREFACE: &[u8] = b"PRI * HTTP/2.0";
const AGREED: &[u8] = b"HTTP/1.1 101 ";

/// Frames of WebSocket, whole ones: a ping, and what answers it (RFC 6455 §5.2). The second byte has the mask's bit and the length.
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;
const MASKED: u8 = 0x80;
const MASK: usize = 4;
const PAYLOAD_MOST: u8 = 125;

/// Frames of HTTP/2 (RFC 9113 §4.1, §6): their header, and their types with the length that they have here. Of settings the answer alone counts.
const FRAME: usize = 9;
const SETTINGS: u8 = 4;
const PING_2: u8 = 6;
const WINDOW: u8 = 8;
const ACKNOWLEDGED: u8 = 1;

/// What a record of TLS 1.3 has beside its content (RFC 8446 §5.2): header, type and tag. A ping of HTTP/2 has so many bytes.
const RECORD: usize = 22;
const PINGS_2: usize = RECORD + FRAME + 8;
const DATA: u8 = 23;
const HANDSHAKE: u8 = 22;
const MAJOR: u8 = 3;
const HEADER: usize = 5;

/// HTTP/2 as a client's hello names it, its length before it (RFC 9113 §3.2).
const OFFER: &[u8] = b"\x02h2";

/// A frame that opens a window of HTTP/2 (RFC 9113 §6.9), and what a record has beside its content, without its header: in TLS 1.3 type and tag, in
/// TLS 1.2 a tag, with AES a number before it (RFC 5288 §3, RFC 7905 §2).
const OPENS: usize = FRAME + 4;
const BESIDE: [usize; 3] = [17, 24, 16];

impl Control {
    /// An end, 0 that of the client, is about to send new data of this payload.
    pub(super) fn reads(&mut self, end: usize, payload: &[u8]) {
        self.spoken = match (end, self.spoken) {
            (0, Spoken::Unknown | Spoken::WebSocket) if payload.starts_with(PREFACE) => {
                Spoken::Http2
            }
            (1, Spoken::Unknown) if payload.starts_with(AGREED) => Spoken::WebSocket,
            (0, Spoken::Unknown) if payload.starts_with(&[HANDSHAKE, MAJOR]) => greeted(payload),
            (0, Spoken::Greeted) => greeted(payload),
            (1, Spoken::Greeted) => Spoken::Unknown,
            (_, spoken) => spoken,
        };
        self.may_grant = self.spoken == Spoken::Offered && opens_window(payload);
        let found = match self.spoken {
            Spoken::Unknown | Spoken::Greeted | Spoken::Offered => None,
            Spoken::WebSocket => has_ping(payload, |rest| of_web_socket(end, rest)),
            Spoken::Http2 => has_ping(payload, of_http_2),
        };
        (self.is_aside, self.has_ping) = (found.is_some(), found == Some(true));
        let record = record(payload);
        let is_alike = record.is_some() && record == self.records[end];
        self.is_pair = is_alike && self.is_ping_pair();
        self.records[end] = record;
    }

    /// Whether the last record of each end may be a ping and what answered it.
    fn is_ping_pair(&self) -> bool {
        let [Some(client), Some(server)] = self.records else {
            return false;
        };
        let most = RECORD + 2 + usize::from(PAYLOAD_MOST);
        let is_of_web_socket = client == server + MASK && (RECORD + 2..=most).contains(&server);
        is_of_web_socket || [client, server] == [PINGS_2; 2]
    }

    /// Whether what is sent now may be a ping over TLS, as the one before it was answered.
    pub(super) fn is_ping(&self) -> bool {
        self.is_pair
    }

    /// Pings that were read.
    pub(super) fn pings(&self) -> Pings {
        self.pings
    }

    /// Whether these bytes of an end are part of its last message that is nobody's turn.
    pub(super) fn has(&self, end: usize, (from, until): (u64, u64)) -> bool {
        self.ranges[end].is_some_and(|(first, behind)| first <= from && until <= behind)
    }
}

impl Talk {
    /// An end sends new data up to a byte `now`: whether that is nobody's turn.
    pub(super) fn passes_by(&mut self, end: usize, until: u64, now: Time) -> bool {
        let from = self.streams[end].sent;
        if std::mem::take(&mut self.control.may_grant) && self.says(end, (from, until)) {
            self.overlaps.grants(end, true);
        }
        if !std::mem::take(&mut self.control.is_aside) {
            return false;
        }
        let first = match self.control.ranges[end] {
            Some((first, behind)) if behind == from => first,
            _ => from,
        };
        self.control.ranges[end] = Some((first, until));
        self.streams[end].sent = until;
        if std::mem::take(&mut self.control.has_ping) {
            self.control.pings.times += 1;
            let before = self.control.last.replace(now);
            if let Some((_, then)) = self.last.filter(|(who, _)| *who == 1) {
                let since = before.unwrap_or(then).max(then);
                self.control.pings.quiet += now.since(since.min(now));
            }
        } else {
            self.grants(end, (from, until), now);
        }
        true
    }

    /// An end opens a window, perhaps: nobody's turn, and what the other one sends at once behind that has waited for it.
    fn grants(&mut self, end: usize, (from, until): (u64, u64), now: Time) {
        if !self.says(end, (from, until)) {
            return;
        }
        let counted = Overlap {
            way: self.turns.way,
            other: self.turns.at[1 - end],
        };
        self.overlaps.grants(end, false);
        let length = length((from, until));
        self.overlaps.sent(end, (until, length), now, counted);
    }

    /// Whether these bytes of an end only say what has come.
    fn says(&self, end: usize, range: (u64, u64)) -> bool {
        self.overlaps.says(end, length(range))
    }

    /// Data of an end has arrived: whether that was nobody's turn, and nothing behind it had come before.
    pub(super) fn passes_through(
        &mut self,
        end: usize,
        (seq, length): (u32, u32),
        at: Time,
    ) -> bool {
        let range = self.streams[end].place(seq, length);
        if !self.control.has(end, range) {
            return false;
        }
        let stream = &mut self.streams[end];
        let grew = stream.grew;
        stream.arrives(seq, length, at);
        let is_alone = stream.arrived <= range.1;
        if is_alone {
            // What is before it has come when it came.
            stream.grew = grew;
            self.repairs[end].is_missing &= !self.streams[end].is_all_there();
            self.overlaps.arrived(end, self.streams[end].arrived, at);
        }
        is_alone
    }
}

impl Turns {
    /// The same without pings over TLS: the time before them is nobody's turn.
    #[must_use]
    pub(super) fn without_pings(mut self) -> Turns {
        for end in [0, 1] {
            let Beat { pings, pinged, .. } = self.beats[end];
            self.at[end] = self.at[end].saturating_sub(pinged);
            self.waited[1 - end] = self.waited[1 - end].saturating_sub(pinged);
            self.pings.times += pings;
            self.pings.quiet += pinged;
        }
        self
    }
}

/// Bytes of what an end sends at once.
fn length((from, until): (u64, u64)) -> u32 {
    u32::try_from(until.saturating_sub(from)).unwrap_or(u32::MAX)
}

/// What is known of a client behind a part of its hello.
fn greeted(payload: &[u8]) -> Spoken {
    match payload.windows(OFFER.len()).any(|part| part == OFFER) {
        true => Spoken::Offered,
        false => Spoken::Greeted,
    }
}

/// Whether a payload is ciphered records, each as long as one or two frames that open a window.
fn opens_window(payload: &[u8]) -> bool {
    let mut rest = payload;
    while let [DATA, MAJOR, _, high, low, ..] = *rest {
        let length = usize::from(u16::from_be_bytes([high, low]));
        let opens = |beside: &usize| [OPENS, 2 * OPENS].contains(&length.saturating_sub(*beside));
        match rest.get(HEADER + length..) {
            Some([]) if BESIDE.iter().any(opens) => return true,
            Some(behind) if BESIDE.iter().any(opens) => rest = behind,
            _ => return false,
        }
    }
    false
}

/// Whether frames of control, of which each is read off the front with whether it is a ping, are all of a payload, and one of them is a ping;
/// none where there is anything else.
fn has_ping<'a>(
    payload: &'a [u8],
    read: impl Fn(&'a [u8]) -> Option<(bool, &'a [u8])>,
) -> Option<bool> {
    let (mut rest, mut found) = (payload, None);
    while !rest.is_empty() {
        let (is_ping, behind) = read(rest)?;
        found = Some(is_ping || found == Some(true));
        rest = behind;
    }
    found
}

/// A ping of WebSocket, or what answers one, that stands in front: whether it is a ping, and what follows it.
fn of_web_socket(end: usize, payload: &[u8]) -> Option<(bool, &[u8])> {
    let [kind @ (PING | PONG), length, ..] = *payload else {
        return None;
    };
    let is_masked = length & MASKED != 0;
    let bytes = length & !MASKED;
    if is_masked != (end == 0) || bytes > PAYLOAD_MOST {
        return None;
    }
    let mask = if is_masked { MASK } else { 0 };
    let behind = payload.get(2 + mask + usize::from(bytes)..)?;
    Some((kind == PING, behind))
}

/// A frame of control of HTTP/2 that stands in front: whether it is a ping, and what follows it.
fn of_http_2(payload: &[u8]) -> Option<(bool, &[u8])> {
    let [0, 0, length, kind, flags, ..] = *payload else {
        return None;
    };
    let is_answer = flags & ACKNOWLEDGED != 0;
    let is_control = match kind {
        PING_2 => length == 8,
        WINDOW => length == 4,
        SETTINGS => is_answer && length == 0,
        _ => false,
    };
    let behind = payload.get(FRAME + usize::from(length)..)?;
    is_control.then_some((kind == PING_2 && !is_answer, behind))
}

/// The length of a payload that is one ciphered record and nothing else.
fn record(payload: &[u8]) -> Option<usize> {
    let [DATA, MAJOR, _, high, low, ..] = *payload else {
        return None;
    };
    let length = HEADER + usize::from(u16::from_be_bytes([high, low]));
    (payload.len() == length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// What an end says, and when; it comes 40 ms later.
    fn talk(said: &[(usize, u64, Vec<u8>)]) -> Turns {
        let ends = ["198.18.0.1:4000", "198.18.0.2:70"].map(|end| end.parse().expect(end));
        let mut talk = Talk::new(ends);
        let mut numbers = [1, 1];
        // What comes by an instant comes before what is sent then.
        let mut all: Vec<(u64, bool, usize)> = Vec::new();
        for (n, (_, ms, _)) in said.iter().enumerate() {
            all.extend([(ms + 40, false, n), (*ms, true, n)]);
        }
        all.sort_unstable();
        let mut places = vec![(0, 0); said.len()];
        for (ms, is_sent, n) in all {
            let (end, _, bytes) = &said[n];
            if is_sent {
                let length = bytes.len() as u32;
                places[n] = (numbers[*end], length);
                numbers[*end] += length;
                talk.reads(*end, places[n], bytes);
                talk.sent(*end, places[n], at(ms));
            } else {
                talk.arrived(*end, places[n], at(ms));
            }
        }
        talk.turns()
    }

    /// A handshake of WebSocket, a request that the server has for 2.5 s, and an answer, with pings of the server each second all the while and
    /// behind that.
    #[test]
    fn pings_are_nobodys_turn() {
        let ping = vec![0x89, 2, 7, 7];
        let pong = vec![0x8a, 0x82, 1, 2, 3, 4, 6, 5];
        let agreed = b"HTTP/1.1 101 Switching Protocols\r\n\r\n".to_vec();
        let asks = vec![0x81, 0x85, 1, 2, 3, 4, 1, 1, 1, 1, 1];
        let answers = vec![0x81, 3, 7, 7, 7];
        let begun = [(0, 0, b"GET /".to_vec()), (1, 40, agreed)];
        let asked = [(0, 100, asks), (1, 2640, answers)];
        let mut said = [begun, asked].concat();
        let without = talk(&said);
        for n in 1..=10 {
            said.extend([
                (1, 1000 * n, ping.clone()),
                (0, 1000 * n + 40, pong.clone()),
            ]);
        }
        let found = talk(&said);
        assert_eq!(found.at, [20, 2500].map(Duration::from_ms));
        assert_eq!((found.at, found.way), (without.at, without.way));
        assert_eq!(found.unanswered, Some((1, at(2680))));
        assert_eq!((without.pings, found.pings.times), (Pings::default(), 10));
        // Behind the answer.
        assert_eq!(found.pings.quiet, Duration::from_ms(10_000 - 2640));
    }

    /// A request of HTTP/2 that the server has for 500 ms: that it opens its window and pings meanwhile answers nothing.
    #[test]
    fn windows_and_pings_of_http_2_do_not_answer() {
        let asks = [PREFACE, &[13, 10, 7, 7]].concat();
        let window = vec![0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 7, 7];
        let ping = |flags: u8| [&[0, 0, 8, 6, flags, 0, 0, 0, 0][..], &[7; 8]].concat();
        let answers = vec![0, 0, 1, 0, 1, 0, 0, 0, 1, 7];
        let found = talk(&[
            (0, 0, asks),
            (1, 45, window),
            (1, 100, ping(0)),
            (0, 140, ping(1)),
            (1, 540, answers),
        ]);
        assert_eq!(found.at, [0, 500].map(Duration::from_ms));
        assert_eq!(found.way, Duration::from_ms(40));
        assert_eq!((found.pings.times, found.pings.quiet), (1, Duration::ZERO));
        assert_eq!(found.unanswered, Some((1, at(580))));
    }

    /// An answer of HTTP/2 that stops until the client has opened its window again, which it does at once.
    #[test]
    fn an_answer_waits_for_the_way_of_a_window() {
        let asks = [PREFACE, &[13, 10, 7, 7]].concat();
        let window = vec![0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 7, 7];
        let data = || vec![7; 3000];
        let found = talk(&[
            (0, 0, asks),
            (1, 40, data()),
            (1, 41, data()),
            (0, 80, window),
            (1, 120, data()),
        ]);
        let way = Duration::from_ms(79);
        assert_eq!(
            (found.overlapping[1].way, found.at),
            (way, [Duration::ZERO; 2])
        );
        assert_eq!(found.overlapping[1].other, Duration::ZERO);
        let windows = found.windows.map(|end| (end.times, end.waited));
        assert_eq!(windows, [(0, Duration::ZERO), (1, way)]);
    }

    /// An answer over TLS that stops until the client has sent a record of so many bytes; the client offered HTTP/2 or not.
    #[test]
    fn windows_over_tls_are_known_by_their_lengths() {
        let record = |bytes: u8| {
            let header = [23, 3, 3, 0, bytes];
            [&header[..], &vec![7; usize::from(bytes)][..]].concat()
        };
        let windows = |offer: &[u8], bytes: u8| {
            let hello = [&[22, 3, 1, 0, 200][..], &[7; 20], offer].concat();
            let mut said = vec![(0, 0, hello), (1, 40, vec![7; 9000])];
            for n in 0..5 {
                let t = 80 + 80 * n;
                said.extend([(0, t, record(bytes)), (1, t + 40, vec![7; 9000])]);
            }
            talk(&said).windows[1]
        };
        let found = windows(OFFER, 43);
        assert_eq!((found.times, found.by_length), (5, true));
        assert_eq!(windows(OFFER, 30).times, 5);
        // Two frames in TLS 1.2, by AES.
        assert_eq!(windows(OFFER, 50).times, 5);
        assert_eq!(windows(OFFER, 44).times, 0);
        assert_eq!(windows(b"\x08http/1.1", 43).times, 0);
    }

    /// Frames of HTTP/2: pings, windows and the answer to settings are none of its turns, and settings or data are.
    #[test]
    fn frames_of_control_are_read_to_the_end() {
        let frame = |kind: u8, flags: u8, bytes: usize| {
            let header = [0, 0, bytes as u8, kind, flags, 0, 0, 0, 0];
            [&header[..], &vec![7; bytes][..]].concat()
        };
        let read = |payload: &[u8]| has_ping(payload, of_http_2);
        assert_eq!(read(&frame(6, 0, 8)), Some(true));
        assert_eq!(read(&frame(6, 1, 8)), Some(false));
        let several = [frame(8, 0, 4), frame(4, 1, 0), frame(6, 0, 8)].concat();
        assert_eq!(read(&several), Some(true));
        assert_eq!(read(&several[..several.len() - 1]), None);
        for other in [frame(4, 0, 6), frame(0, 1, 8), frame(6, 0, 7), Vec::new()] {
            assert_eq!(read(&other), None, "{other:?}");
        }
        // The client masks, and the server does not.
        let masked = [0x89, 0x80, 1, 2, 3, 4];
        let of = |end: usize| has_ping(&masked, |rest| of_web_socket(end, rest));
        assert_eq!((of(0), of(1)), (Some(true), None));
    }

    /// Over TLS a record of the server each second, which the client answers at once by one of so many bytes: a ping where the client's is
    /// longer by a mask. Where it is as long the client asks, and the server takes a second.
    #[test]
    fn pings_over_tls_are_known_by_their_lengths() {
        let record = |bytes: u8| {
            let header = [23, 3, 3, 0, bytes];
            [&header[..], &vec![7; usize::from(bytes)][..]].concat()
        };
        let found = |answer: u8| {
            let said = (0..20).flat_map(|n| {
                let t = 100 + 1080 * n;
                [(1, t, record(23)), (0, t + 40, record(answer))]
            });
            let begun = [(0, 0, vec![7; 80])];
            talk(&begun.into_iter().chain(said).collect::<Vec<_>>())
        };
        let pinged = found(27);
        assert_eq!(pinged.pings.times, 19);
        assert_eq!(pinged.pings.quiet, Duration::from_ms(19 * 1000));
        assert_eq!(pinged.at[1], Duration::from_ms(60));
        let asked = found(23);
        assert_eq!(asked.pings, Pings::default());
        assert_eq!(asked.at[1], Duration::from_ms(60 + 19 * 1000));
    }
}
