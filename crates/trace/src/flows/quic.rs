//! QUIC as it is seen from outside: long headers, the handshake's time, the spin bit (RFC 8999, RFC 9000 §17, RFC 9369).

use std::collections::BTreeMap;

use farpath_record::trace::QuicFound;

use crate::rtt::Samples;

/// Longest connection ID of the versions that are known (RFC 9000 §17.2).
const ID_MAX: usize = 20;
/// Packets of one datagram that are followed.
const COALESCED_MAX: usize = 8;
const VERSION_2: u32 = 0x6b33_43cf;
/// Turns of the spin bit before it says anything.
const TURNS_LEAST: u64 = 4;
/// Packets with a bit that never turns before it is called fixed.
const FIXED_LEAST: u64 = 16;

/// What a long header says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Initial,
    ZeroRtt,
    Handshake,
    Retry,
    VersionNegotiation,
    Short,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Initial => "initial",
            Kind::ZeroRtt => "zero_rtt",
            Kind::Handshake => "handshake",
            Kind::Retry => "retry",
            Kind::VersionNegotiation => "version_negotiation",
            Kind::Short => "short",
        }
    }

    fn of(first: u8, version: u32) -> Kind {
        let code = (first >> 4) & 3;
        // RFC 9369 §3.2: version 2 has other codes for the same kinds.
        let code = if version == VERSION_2 {
            code.wrapping_sub(1) & 3
        } else {
            code
        };
        match code {
            0 => Kind::Initial,
            1 => Kind::ZeroRtt,
            2 => Kind::Handshake,
            _ => Kind::Retry,
        }
    }
}

/// A long header and where the next packet begins.
struct Long<'a> {
    kind: Kind,
    version: u32,
    destination: &'a [u8],
    source: &'a [u8],
    end: Option<usize>,
}

/// An integer of variable length (RFC 9000 §16), and its bytes.
fn integer(b: &[u8], at: usize) -> Option<(u64, usize)> {
    let first = *b.get(at)?;
    let length = 1usize << (first >> 6);
    let mut value = u64::from(first & 0x3f);
    for byte in b.get(at + 1..at + length)? {
        value = value << 8 | u64::from(*byte);
    }
    Some((value, length))
}

fn long(b: &[u8]) -> Option<Long<'_>> {
    let first = *b.first()?;
    let version = u32::from_be_bytes(b.get(1..5)?.try_into().ok()?);
    let id = |at: usize| -> Option<&[u8]> {
        let length = usize::from(*b.get(at)?);
        b.get(at + 1..at + 1 + length).filter(|_| length <= ID_MAX)
    };
    let destination = id(5)?;
    let source = id(6 + destination.len())?;
    let mut at = 7 + destination.len() + source.len();
    let kind = if version == 0 {
        Kind::VersionNegotiation
    } else {
        Kind::of(first, version)
    };
    let mut end = None;
    if !matches!(kind, Kind::Retry | Kind::VersionNegotiation) {
        if kind == Kind::Initial
            && let Some((token, bytes)) = integer(b, at)
        {
            at = at.saturating_add(bytes).saturating_add(token as usize);
        }
        end = integer(b, at).map(|(n, bytes)| at.saturating_add(bytes).saturating_add(n as usize));
    }
    Some(Long {
        kind,
        version,
        destination,
        source,
        end,
    })
}

/// Versions in use: 1, 2, the drafts before them, and those that exercise negotiation (RFC 9000 §15).
fn is_known(version: u32) -> bool {
    version == 1
        || version == VERSION_2
        || version >> 8 == 0x00ff_0000
        || version & 0x0f0f_0f0f == 0x0a0a_0a0a
}

/// Whether a first datagram begins a QUIC connection.
pub(crate) fn begins(b: &[u8]) -> bool {
    let fixed = b.first().is_some_and(|f| f & 0xc0 == 0xc0);
    fixed
        && long(b).is_some_and(|l| {
            let is_reply = l.kind == Kind::Handshake && l.end.is_some();
            is_known(l.version) && ((l.kind == Kind::Initial && l.end.is_some()) || is_reply)
        })
}

/// The spin bit of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Spin {
    packets: u64,
    bit: Option<bool>,
    turned_at: Option<i64>,
    turns: u64,
    /// Turns that were taken back at once: order that the network changed, or bits at random.
    taken_back: u64,
    times: Samples,
}

impl Spin {
    fn take(&mut self, bit: bool, at: i64, floor: i64) {
        self.packets += 1;
        let turns = self.bit.is_some_and(|b| b != bit);
        self.bit = Some(bit);
        if !turns {
            return;
        }
        self.turns += 1;
        match self.turned_at {
            Some(before) if at - before < floor => self.taken_back += 1,
            Some(before) => {
                self.times.add(at - before);
                self.turned_at = Some(at);
            }
            None => self.turned_at = Some(at),
        }
    }
}

/// One connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quic {
    version: u32,
    client_id: Vec<u8>,
    server_id: Vec<u8>,
    initial_at: Option<i64>,
    server_handshake_at: Option<i64>,
    client_handshake_at: Option<i64>,
    answered: bool,
    initials_before_answer: u64,
    packets: BTreeMap<&'static str, u64>,
    spins: [Spin; 2],
}

impl Quic {
    /// Takes in a datagram of side `from`; side 0 is the client.
    pub(crate) fn take(&mut self, from: usize, at: i64, mut bytes: &[u8]) {
        for _ in 0..COALESCED_MAX {
            let Some(first) = bytes.first() else {
                return;
            };
            if first & 0x80 == 0 {
                *self.packets.entry(Kind::Short.name()).or_default() += 1;
                let floor = self.floor();
                self.spins[from].take(first & 0x20 != 0, at, floor);
                return;
            }
            let Some(long) = long(bytes) else {
                return;
            };
            self.long(from, at, &long);
            match long.end.and_then(|end| bytes.get(end..)) {
                Some(rest) => bytes = rest,
                None => return,
            }
        }
    }

    fn long(&mut self, from: usize, at: i64, long: &Long<'_>) {
        // Zeros fill a datagram up; what is of another version belongs to nobody.
        if long.version != 0 && !is_known(long.version) {
            return;
        }
        *self.packets.entry(long.kind.name()).or_default() += 1;
        if long.version != 0 {
            self.version = long.version;
        }
        match (from, long.kind) {
            (0, Kind::Initial) => {
                if self.initial_at.is_some() && !self.answered {
                    self.initials_before_answer += 1;
                }
                self.initial_at.get_or_insert(at);
                self.client_id = long.source.to_vec();
                if self.server_id.is_empty() && self.answered {
                    self.server_id = long.destination.to_vec();
                }
            }
            (0, Kind::Handshake) => {
                self.client_handshake_at.get_or_insert(at);
            }
            (_, Kind::Initial | Kind::Handshake) if from == 1 => {
                self.answered = true;
                self.server_id = long.source.to_vec();
                if long.kind == Kind::Handshake {
                    self.server_handshake_at.get_or_insert(at);
                }
            }
            (1, _) => self.answered = true,
            _ => {}
        }
    }

    /// No round trip is shorter than a quarter of what the handshake took.
    fn floor(&self) -> i64 {
        let until = self.client_handshake_at.or(self.server_handshake_at);
        match (self.initial_at, until) {
            (Some(from), Some(until)) => (until - from) / 4,
            _ => 0,
        }
    }

    /// What the spin bits of both directions say, and which direction has the better times.
    fn spin(&self) -> (&'static str, Option<&Spin>) {
        let [a, b] = &self.spins;
        let turns = a.turns.min(b.turns);
        let packets = a.packets + b.packets;
        if turns < TURNS_LEAST {
            let fixed = a.turns + b.turns == 0 && packets >= FIXED_LEAST;
            return (if fixed { "fixed" } else { "unknown" }, None);
        }
        // A server repeats the bit, and a client turns it: both directions turn as often.
        let alike = a.turns.abs_diff(b.turns) <= 2 + turns / 4;
        let back = a.taken_back + b.taken_back;
        if back * 4 > a.turns + b.turns || !alike {
            return ("random", None);
        }
        let better = if b.times.stated().map(|t| t.samples) > a.times.stated().map(|t| t.samples) {
            b
        } else {
            a
        };
        ("spins", Some(better))
    }

    pub(crate) fn stated(&self) -> QuicFound {
        let hex = |id: &[u8]| id.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let since = |at: Option<i64>| Some((at? - self.initial_at?).max(0) as u64);
        let (spin, times) = self.spin();
        let times = times.and_then(|s| s.times.stated());
        QuicFound {
            version: version_name(self.version),
            client_id: hex(&self.client_id),
            server_id: hex(&self.server_id),
            handshake_ns: since(self.server_handshake_at),
            client_handshake_ns: since(self.client_handshake_at),
            packets: self
                .packets
                .iter()
                .map(|(k, n)| ((*k).to_owned(), *n))
                .collect(),
            initials_before_answer: self.initials_before_answer,
            spin: spin.to_owned(),
            rtt_min_ns: times.map(|t| t.min_ns),
            rtt_avg_ns: times.map(|t| t.avg_ns),
            rtt_max_ns: times.map(|t| t.max_ns),
            rtt_samples: times.map_or(0, |t| t.samples),
        }
    }
}

fn version_name(version: u32) -> String {
    match version {
        1 => "v1".to_owned(),
        VERSION_2 => "v2".to_owned(),
        draft if draft >> 8 == 0x00ff_0000 => format!("draft-{}", draft & 0xff),
        other => format!("0x{other:08x}"),
    }
}
