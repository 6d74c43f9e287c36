//! A TLS handshake as it is seen from outside: the name that is asked for, the version, and how long it takes
//! (RFC 8446, RFC 6066).
//!
//! A ServerHello of TLS 1.3 says 1.2 in front, and 1.3 in an extension (RFC 8446 §4.1.3). Where that was not captured, records behind it tell: of
//! TLS 1.3 they are application data, but for a change of ciphers (§5.1, §D.4). Of TLS 1.2 the client sends a handshake in clear.

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
    /// The version may be 1.3 as well: the end of the ServerHello was not captured.
    is_open: bool,
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

/// Whether a message of a handshake, at the start of a record, is there to its end.
fn is_whole(record: &[u8]) -> bool {
    let mut parts = Parts(record.get(6..).unwrap_or_default());
    parts.counted(3).is_some()
}

/// The version that a ServerHello chooses, as far as it is there; none where it asks for another ClientHello.
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
        if self.is_open {
            self.decide(s.at, payload, is_client);
        }
        match self.version {
            None if !is_client
                && payload.starts_with(&[HANDSHAKE, 3])
                && payload.get(5) == Some(&2) =>
            {
                self.version = version(payload);
                self.is_open = self.version == Some(0x0303) && !is_whole(payload);
            }
            // The client's last flight ends it for TLS 1.3, the server's for what was before.
            Some(0x0304) if is_client => {
                let mut kinds = records(payload);
                let is_last = kinds.any(|k| k == CHANGE_CIPHER_SPEC || k == APPLICATION_DATA);
                self.done = is_last.then_some(s.at);
            }
            Some(v) if v < 0x0304 && !self.is_open && self.done.is_none() => {
                let mut kinds = records(payload);
                let is_last = |k| k == APPLICATION_DATA || (k == CHANGE_CIPHER_SPEC && !is_client);
                self.done = kinds.any(is_last).then_some(s.at);
            }
            _ => {}
        }
        self.done.is_none() && self.segments < SEGMENTS_MAX
    }

    /// Takes in what came behind a ServerHello that was not captured whole: what it is may say the version.
    fn decide(&mut self, at: i64, payload: &[u8], is_client: bool) {
        // A ClientHello may come again.
        let is_hello = payload.starts_with(&[HANDSHAKE, 3]) && payload.get(5) == Some(&1);
        let kinds: Vec<u8> = records(payload).collect();
        let first = kinds.iter().find(|kind| **kind != CHANGE_CIPHER_SPEC);
        match first.copied() {
            Some(APPLICATION_DATA) => (self.version, self.is_open) = (Some(0x0304), false),
            Some(HANDSHAKE) if is_client && !is_hello => {
                self.is_open = false;
                // A session that is resumed ends with the client's flight.
                let is_last = kinds.contains(&CHANGE_CIPHER_SPEC) && kinds[0] != HANDSHAKE;
                self.done = is_last.then_some(at);
            }
            _ => {}
        }
    }

    pub(crate) fn stated(&self) -> TlsFound {
        TlsFound {
            name: self.name.clone(),
            version: self.version.filter(|_| !self.is_open).map(|v| match v {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is captured of a segment with 62 bytes of payload, behind headers of 66: the start of a ServerHello that says 1.2.
    fn hello() -> Vec<u8> {
        let mut hello = vec![HANDSHAKE, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3];
        hello.resize(43, 7);
        hello.push(32);
        hello.resize(62, 9);
        hello
    }

    /// The version that is stated, and the time of the handshake, of a ServerHello and what follows from the client and the server.
    fn stated(hello: &[u8], rest: &[(bool, &[u8])]) -> (Option<String>, Option<u64>) {
        let at = |at: usize| Segment {
            at: at as i64,
            length: 200,
            ..Segment::default()
        };
        let client = [HANDSHAKE, 3, 1, 0, 100, 1, 0, 0, 96];
        let mut tls = Tls::begin(&at(0), &client).expect("it begins one");
        let behind = rest.iter().copied();
        let all = [(false, hello)].into_iter().chain(behind);
        for (n, (is_client, payload)) in all.enumerate() {
            if !tls.take(&at(n + 1), payload, is_client) {
                break;
            }
        }
        let found = tls.stated();
        (found.version, found.handshake_ns)
    }

    const CHANGE: [u8; 6] = [CHANGE_CIPHER_SPEC, 3, 3, 0, 1, 1];
    const DATA: [u8; 7] = [APPLICATION_DATA, 3, 3, 0, 53, 1, 2];
    const KEYS: [u8; 7] = [HANDSHAKE, 3, 3, 0, 37, 16, 0];

    /// The version of TLS 1.3 stands behind what was captured of the ServerHello: what the client sends then decides.
    #[test]
    fn the_version_of_a_hello_that_was_cut_is_known_by_what_follows() {
        let hello = hello();
        let is = |version: &str| Some(version.to_owned());
        let with_change = [&CHANGE[..], &DATA].concat();
        let newer = stated(&hello, &[(true, &with_change[..])]);
        assert_eq!(newer, (is("1.3"), Some(2)));
        let alone = stated(&hello, &[(true, &DATA[..])]);
        assert_eq!(alone, (is("1.3"), Some(2)));
        let older = [(true, &KEYS[..]), (false, &CHANGE[..])];
        assert_eq!(stated(&hello, &older), (is("1.2"), Some(3)));
        let resumed = [&CHANGE[..], &KEYS].concat();
        let resumed = [(false, &CHANGE[..]), (true, &resumed[..])];
        assert_eq!(stated(&hello, &resumed), (is("1.2"), Some(3)));
        // Nothing decides it.
        assert_eq!(stated(&hello, &[(true, &CHANGE[..])]), (None, None));
        assert_eq!(stated(&hello, &[]), (None, None));
    }

    /// One without extensions that is there to its end.
    #[test]
    fn a_whole_hello_says_its_version() {
        let mut hello = vec![HANDSHAKE, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3];
        hello.resize(43, 7);
        hello.extend([0, 0xc0, 0x2f, 0]);
        let (version, _) = stated(&hello, &[]);
        assert_eq!(version.as_deref(), Some("1.2"));
    }
}
