//! A TLS handshake as it is seen from outside: the name that is asked for, the version, and how long it takes
//! (RFC 8446, RFC 6066).

use farpath_record::trace::TlsFound;

use crate::segment::Segment;

/// Bytes of a ClientHello that are kept until it is whole.
const HELLO_MAX: usize = 1 << 14;
/// Segments with data after which a handshake that goes on is given up.
const SEGMENTS_MAX: u32 = 200;
/// Records read in one segment.
const RECORDS_MAX: usize = 16;
/// Longest name (RFC 1035 §2.3.4).
const NAME_MAX: usize = 255;

/// Types of records (RFC 8446 §5.1).
const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

/// The random of a ServerHello that asks for another ClientHello (RFC 8446 §4.1.3), its first bytes.
const RETRY: [u8; 8] = [0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11];

/// A handshake under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tls {
    began: i64,
    /// The ClientHello so far, and the number of what is missing; none when it was read.
    hello: Option<(Vec<u8>, u32)>,
    version: Option<u16>,
    segments: u32,
    /// When application data could flow.
    pub(crate) done: Option<i64>,
    name: Option<String>,
    alert: Option<u8>,
}

/// Types of the records that a segment holds, as far as it begins with one.
fn records(mut b: &[u8]) -> impl Iterator<Item = u8> {
    let next = move || {
        let &[kind, 3, _, high, low, ..] = b else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        b = b.get(5 + length..).unwrap_or_default();
        (20..=24).contains(&kind).then_some(kind)
    };
    std::iter::from_fn(next).take(RECORDS_MAX)
}

/// Reads parts of a message one after the other.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(part)
    }

    /// A part that begins with its length in so many bytes.
    fn counted(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let length = self
            .take(bytes)?
            .iter()
            .fold(0, |n, b| n << 8 | usize::from(*b));
        self.take(length)
    }

    fn two(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }
}

/// The name in a ClientHello.
fn name(hello: &[u8]) -> Option<String> {
    let mut parts = Parts(hello.get(9..)?);
    // Version and random, session, cipher suites, compressions (RFC 8446 §4.1.2).
    parts.take(34)?;
    parts.counted(1)?;
    parts.counted(2)?;
    parts.counted(1)?;
    let mut extensions = Parts(parts.counted(2)?);
    while let Some(kind) = extensions.two() {
        let body = extensions.counted(2)?;
        if kind == 0 {
            let mut names = Parts(Parts(body).counted(2)?);
            names.take(1)?;
            let name = names.counted(2)?;
            let is_plain = name.len() <= NAME_MAX && name.iter().all(u8::is_ascii_graphic);
            return is_plain.then(|| name.iter().map(|b| char::from(*b)).collect());
        }
    }
    None
}

/// The version that a ServerHello chooses; none where it asks for another ClientHello.
fn version(record: &[u8]) -> Option<u16> {
    let mut parts = Parts(record.get(9..)?);
    let mut version = parts.two()?;
    if parts.take(32)?.starts_with(&RETRY) {
        return None;
    }
    let mut choose = || -> Option<()> {
        parts.counted(1)?;
        parts.take(3)?;
        let mut extensions = Parts(parts.counted(2)?);
        while let Some(kind) = extensions.two() {
            let body = extensions.counted(2)?;
            if kind == 43 {
                version = Parts(body).two()?;
            }
        }
        Some(())
    };
    choose();
    Some(version)
}

impl Tls {
    /// A handshake that begins with this payload; none where it is not one.
    pub(crate) fn begin(s: &Segment, payload: &[u8]) -> Option<Tls> {
        let begins = payload.starts_with(&[HANDSHAKE, 3]) && payload.get(5) == Some(&1);
        begins.then(|| {
            let mut tls = Tls {
                began: s.at,
                hello: Some((Vec::new(), s.seq)),
                ..Tls::default()
            };
            tls.collect(s, payload);
            tls
        })
    }

    fn collect(&mut self, s: &Segment, payload: &[u8]) {
        let Some((hello, next)) = &mut self.hello else {
            return;
        };
        // What comes in another order, or was not captured whole, ends it.
        if s.seq != *next || payload.len() < s.length as usize || hello.len() > HELLO_MAX {
            if s.seq == *next {
                hello.extend(payload);
            }
            self.name = name(hello);
            self.hello = None;
            return;
        }
        hello.extend(payload);
        *next = next.wrapping_add(s.length);
        let length = hello
            .get(3..5)
            .map_or(0, |l| u16::from_be_bytes([l[0], l[1]]));
        if hello.len() >= 5 + usize::from(length) {
            self.name = name(hello);
            self.hello = None;
        }
    }

    /// Takes in data of the client or the server; false when there is nothing more to be seen.
    pub(crate) fn take(&mut self, s: &Segment, payload: &[u8], is_client: bool) -> bool {
        self.segments += 1;
        if is_client && self.hello.is_some() {
            self.collect(s, payload);
            return true;
        }
        if let &[ALERT, 3, _, 0, 2, _, code, ..] = payload {
            self.alert = Some(code);
            return false;
        }
        match self.version {
            None if !is_client
                && payload.starts_with(&[HANDSHAKE, 3])
                && payload.get(5) == Some(&2) =>
            {
                self.version = version(payload);
            }
            // The client's last flight ends it for TLS 1.3, the server's for what was before.
            Some(0x0304) if is_client => {
                let mut kinds = records(payload);
                let is_last = kinds.any(|k| k == CHANGE_CIPHER_SPEC || k == APPLICATION_DATA);
                self.done = is_last.then_some(s.at);
            }
            Some(v) if v < 0x0304 => {
                let mut kinds = records(payload);
                let is_last = |k| k == APPLICATION_DATA || (k == CHANGE_CIPHER_SPEC && !is_client);
                self.done = kinds.any(is_last).then_some(s.at);
            }
            _ => {}
        }
        self.done.is_none() && self.segments < SEGMENTS_MAX
    }

    pub(crate) fn stated(&self) -> TlsFound {
        TlsFound {
            name: self.name.clone(),
            version: self.version.map(|v| match v {
                0x0304 => "1.3".to_owned(),
                0x0303 => "1.2".to_owned(),
                0x0302 => "1.1".to_owned(),
                0x0301 => "1.0".to_owned(),
                other => format!("0x{other:04x}"),
            }),
            handshake_ns: self.done.map(|at| (at - self.began).max(0) as u64),
            alert: self.alert,
        }
    }
}
