//! Which packets are read: `host A and port N`, in the words of pcap-filter(7).

use std::net::IpAddr;

use crate::error::TraceError;
use crate::peel::{PROTOCOL_ICMP, PROTOCOL_ICMPV6, PROTOCOL_TCP, PROTOCOL_UDP};
use crate::segment::{End, Segment};

/// Words of a filter at most, and brackets inside each other.
const WORDS_MAX: usize = 256;
const DEPTH_MAX: usize = 32;

/// What a packet must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(Test);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    /// An address whose first bits are these.
    Net(Way, u128, u32),
    Port(Way, u16),
    Protocol(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Either,
    Source,
    Destination,
}

impl Filter {
    /// Reads a filter.
    ///
    /// # Errors
    /// With what cannot be understood.
    pub fn parse(text: &str) -> Result<Filter, TraceError> {
        let spaced = text
            .replace('(', " ( ")
            .replace(')', " ) ")
            .replace('!', " not ");
        let words: Vec<&str> = spaced.split_whitespace().take(WORDS_MAX + 1).collect();
        let refused = |cause: String| TraceError::Filter {
            text: text.to_owned(),
            cause,
        };
        if words.len() > WORDS_MAX {
            return Err(refused(format!("more than {WORDS_MAX} words")));
        }
        let mut reader = Reader {
            words: &words,
            at: 0,
            depth: 0,
        };
        let test = reader.any().map_err(refused)?;
        match reader.next() {
            None => Ok(Filter(test)),
            Some(word) => Err(refused(format!(
                "`{word}` stands where `and` or `or` belongs"
            ))),
        }
    }

    /// Whether a segment is read.
    pub(crate) fn matches(&self, s: &Segment) -> bool {
        self.0.matches(s)
    }
}

impl Test {
    fn matches(&self, s: &Segment) -> bool {
        match self {
            Test::All(of) => of.iter().all(|t| t.matches(s)),
            Test::Any(of) => of.iter().any(|t| t.matches(s)),
            Test::Not(of) => !of.matches(s),
            Test::Net(way, bits, length) => way.either(s, |end| {
                let rest = 128 - *length;
                rest >= 128 || end.address >> rest == bits >> rest
            }),
            // An identifier of an echo is not a port.
            Test::Port(way, port) => {
                matches!(s.protocol, PROTOCOL_TCP | PROTOCOL_UDP)
                    && way.either(s, |end| end.port == *port)
            }
            Test::Protocol(protocol) => s.protocol == *protocol,
        }
    }
}

impl Way {
    fn either(self, s: &Segment, is: impl Fn(&End) -> bool) -> bool {
        match self {
            Way::Either => is(&s.from) || is(&s.to),
            Way::Source => is(&s.from),
            Way::Destination => is(&s.to),
        }
    }
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn takes(&mut self, words: &[&str]) -> bool {
        let is = self.words.get(self.at).is_some_and(|w| words.contains(w));
        self.at += usize::from(is);
        is
    }

    fn any(&mut self) -> Result<Test, String> {
        let mut all = vec![self.all()?];
        while self.takes(&["or", "||"]) {
            all.push(self.all()?);
        }
        Ok(if all.len() == 1 {
            all.remove(0)
        } else {
            Test::Any(all)
        })
    }

    fn all(&mut self) -> Result<Test, String> {
        let mut all = vec![self.one()?];
        while self.takes(&["and", "&&"]) {
            all.push(self.one()?);
        }
        Ok(if all.len() == 1 {
            all.remove(0)
        } else {
            Test::All(all)
        })
    }

    fn one(&mut self) -> Result<Test, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!(
                "more than {DEPTH_MAX} brackets or `not` inside each other"
            ));
        }
        let test = if self.takes(&["not"]) {
            Test::Not(Box::new(self.one()?))
        } else if self.takes(&["("]) {
            let inside = self.any()?;
            if !self.takes(&[")"]) {
                return Err("a bracket is not closed".to_owned());
            }
            inside
        } else {
            self.primitive()?
        };
        self.depth -= 1;
        Ok(test)
    }

    fn primitive(&mut self) -> Result<Test, String> {
        for (word, protocol) in [
            ("tcp", PROTOCOL_TCP),
            ("udp", PROTOCOL_UDP),
            ("icmp", PROTOCOL_ICMP),
            ("icmp6", PROTOCOL_ICMPV6),
        ] {
            if !self.takes(&[word]) {
                continue;
            }
            let protocol = Test::Protocol(protocol);
            if !self.words.get(self.at).is_some_and(|w| is_kind(w)) {
                return Ok(protocol);
            }
            return Ok(Test::All(vec![protocol, self.primitive()?]));
        }
        let way = if self.takes(&["src"]) {
            Way::Source
        } else if self.takes(&["dst"]) {
            Way::Destination
        } else {
            Way::Either
        };
        let kind = self
            .next()
            .ok_or("it ends where host, net or port belongs")?;
        let mut value = || self.next().ok_or(format!("`{kind}` needs a value"));
        match kind {
            "host" => net(way, value()?, true),
            "net" => net(way, value()?, false),
            "port" => {
                let port = value()?;
                let number = port
                    .parse()
                    .map_err(|_| format!("`{port}` is not a port: 0 to 65535"))?;
                Ok(Test::Port(way, number))
            }
            // An address alone is a host.
            other if other.parse::<IpAddr>().is_ok() => net(way, other, true),
            other => Err(format!("`{other}` is not known here")),
        }
    }
}

fn is_kind(word: &str) -> bool {
    ["src", "dst", "host", "net", "port"].contains(&word)
}

fn net(way: Way, text: &str, whole: bool) -> Result<Test, String> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) if !whole => (address, Some(length)),
        _ => (text, None),
    };
    let wrong = || format!("`{text}` is not an address; names are not looked up");
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let (bits, before) = match address {
        IpAddr::V4(v4) => (v4.to_ipv6_mapped().to_bits(), 96),
        IpAddr::V6(v6) => (v6.to_bits(), 0),
    };
    let most = 128 - before;
    let length = match length {
        Some(length) => length.parse().ok().filter(|n| *n <= most),
        None => Some(most),
    };
    let length = length.ok_or_else(|| format!("`{text}`: the prefix is 0 to {most} bits"))?;
    Ok(Test::Net(way, bits, before + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Segment {
        let end = |text: &str, port| End {
            address: text
                .parse::<std::net::Ipv4Addr>()
                .unwrap()
                .to_ipv6_mapped()
                .to_bits(),
            port,
        };
        Segment {
            protocol: PROTOCOL_TCP,
            from: end("10.0.0.1", 40_000),
            to: end("10.0.0.2", 5001),
            ..Segment::default()
        }
    }

    #[test]
    fn filters_take_what_they_say() {
        for (text, is) in [
            ("host 10.0.0.1 and port 5001", true),
            ("src host 10.0.0.2", false),
            ("dst 10.0.0.2", true),
            ("tcp", true),
            ("udp or icmp", false),
            ("udp port 5001", false),
            ("not icmp6", true),
            ("tcp port 80 or net 10.0.0.0/8", true),
            ("not (port 80 or port 5001)", false),
            ("src port 40000 && !dst port 80", true),
            ("net 2001:db8::/32", false),
        ] {
            let filter = Filter::parse(text).unwrap();
            assert_eq!(filter.matches(&segment()), is, "{text}");
        }
    }

    #[test]
    fn what_is_no_filter_says_why() {
        for (text, why) in [
            ("", "it ends where host, net or port belongs"),
            ("host example.org", "names are not looked up"),
            ("port 70000", "0 to 65535"),
            ("net 10.0.0.0/33", "0 to 32 bits"),
            ("(port 80", "not closed"),
            ("port 80 port 81", "`and` or `or`"),
            ("proto 6", "not known"),
        ] {
            let error = Filter::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
