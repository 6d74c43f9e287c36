//! Which connections: `dst HOST and port N`, in the words of `ss` and of captures.

use std::io;
use std::net::{IpAddr, SocketAddr};

/// Which connections to watch: all of its conditions hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// Whose an address or port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Local,
    Peer,
    Either,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    /// One of these networks: address and length of the prefix.
    Network(End, Vec<(IpAddr, u8)>),
    Port(End, u16),
}

/// Why a filter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// There is none.
    #[error("no condition; write `dst HOST`, `src ADDRESS`, `port N`, `dport N` or `sport N`")]
    Empty,
    /// A word that begins no condition.
    #[error("`{0}` begins no condition; write dst, src, port, dport or sport, joined by `and`{1}")]
    Word(String, &'static str),
    /// A condition without a value.
    #[error("`{0}` has nothing behind it; write {1}")]
    Value(String, &'static str),
    /// A port that is none.
    #[error("`{0}` is not a port; write a number from 1 to 65535")]
    Port(String),
    /// A prefix that is none.
    #[error(
        "`{0}` is not a network; write an address and a length, such as 192.0.2.0/24 or 2001:db8::/32"
    )]
    Network(String),
    /// A name without an address.
    #[error("no address for `{name}`: {cause}")]
    Name {
        /// The name.
        name: String,
        /// Why.
        cause: String,
    },
    /// Too many conditions.
    #[error("more than {CONDITIONS_MAX} conditions")]
    Long,
}

/// Most conditions of a filter.
const CONDITIONS_MAX: usize = 100;

impl Filter {
    /// Reads a filter; `resolve` gives the addresses of a name.
    ///
    /// # Errors
    /// Where it is none of the grammar, and where a name has no address.
    pub fn parse(
        text: &str,
        resolve: &dyn Fn(&str) -> io::Result<Vec<IpAddr>>,
    ) -> Result<Filter, FilterError> {
        let mut words = text.split_whitespace();
        let mut conditions = Vec::new();
        let mut joined = false;
        while let Some(word) = words.next() {
            if conditions.len() >= CONDITIONS_MAX {
                return Err(FilterError::Long);
            }
            if word == "and" && !joined && !conditions.is_empty() {
                joined = true;
                continue;
            }
            joined = false;
            let of_port = "a port, such as 5201";
            conditions.push(match word {
                "dst" | "src" => {
                    let end = if word == "dst" { End::Peer } else { End::Local };
                    let example = "an address or a name, such as 192.0.2.1 or 192.0.2.0/24";
                    let value = value(&mut words, word, example)?;
                    Condition::Network(end, networks(value, resolve)?)
                }
                "port" => Condition::Port(End::Either, port(value(&mut words, word, of_port)?)?),
                "dport" => Condition::Port(End::Peer, port(value(&mut words, word, of_port)?)?),
                "sport" => Condition::Port(End::Local, port(value(&mut words, word, of_port)?)?),
                _ => return Err(FilterError::Word(word.to_owned(), hint(word))),
            });
        }
        if joined {
            return Err(FilterError::Value("and".to_owned(), "another condition"));
        }
        match conditions.is_empty() {
            true => Err(FilterError::Empty),
            false => Ok(Filter { conditions }),
        }
    }

    /// Whether a connection between these ends is meant.
    pub fn matches(&self, local: SocketAddr, peer: SocketAddr) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Network(end, networks) => end.of(local, peer).any(|address| {
                let ip = address.ip().to_canonical();
                networks.iter().any(|network| holds(*network, ip))
            }),
            Condition::Port(end, port) => {
                end.of(local, peer).any(|address| address.port() == *port)
            }
        })
    }
}

impl End {
    fn of(self, local: SocketAddr, peer: SocketAddr) -> impl Iterator<Item = SocketAddr> {
        let (a, b) = match self {
            End::Local => (Some(local), None),
            End::Peer => (Some(peer), None),
            End::Either => (Some(local), Some(peer)),
        };
        a.into_iter().chain(b)
    }
}

fn value<'w>(
    words: &mut impl Iterator<Item = &'w str>,
    word: &str,
    example: &'static str,
) -> Result<&'w str, FilterError> {
    words
        .next()
        .filter(|value| *value != "and")
        .ok_or_else(|| FilterError::Value(word.to_owned(), example))
}

/// What other languages of filters have in its place.
fn hint(word: &str) -> &'static str {
    match word {
        "or" | "not" | "!" | "(" | ")" => ": all conditions hold, and no other words join them",
        "host" => ": `dst HOST` for the peer, `src ADDRESS` for this host",
        "dst:" | "ip" | "tcp" | "tcp.port" => ": for example `dst 192.0.2.1 and port 5201`",
        word if word.parse::<IpAddr>().is_ok() => ": for a peer write `dst` before its address",
        word if word.contains('=') => ": a port is written `dport 443`",
        _ => "",
    }
}

fn port(text: &str) -> Result<u16, FilterError> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| FilterError::Port(text.to_owned()))
}

/// `ADDR`, `ADDR/LEN` or a name.
fn networks(
    text: &str,
    resolve: &dyn Fn(&str) -> io::Result<Vec<IpAddr>>,
) -> Result<Vec<(IpAddr, u8)>, FilterError> {
    let wrong = || FilterError::Network(text.to_owned());
    if let Some((address, length)) = text.split_once('/') {
        let address: IpAddr = bare(address).parse().map_err(|_| wrong())?;
        let length: u8 = length.parse().map_err(|_| wrong())?;
        return match length <= bits(address) {
            true => Ok(vec![(address, length)]),
            false => Err(wrong()),
        };
    }
    if let Ok(address) = bare(text).parse::<IpAddr>() {
        let address = address.to_canonical();
        return Ok(vec![(address, bits(address))]);
    }
    // Nothing but digits, dots and colons is meant as an address.
    if text
        .bytes()
        .all(|b| b.is_ascii_digit() || b"./:".contains(&b))
    {
        return Err(wrong());
    }
    let name = |cause: String| FilterError::Name {
        name: text.to_owned(),
        cause,
    };
    let found = resolve(text).map_err(|e| name(e.to_string()))?;
    let all: Vec<(IpAddr, u8)> = found
        .into_iter()
        .map(|a| a.to_canonical())
        .map(|a| (a, bits(a)))
        .collect();
    match all.is_empty() {
        true => Err(name("the name has none".to_owned())),
        false => Ok(all),
    }
}

/// An address without brackets and without its interface.
fn bare(text: &str) -> &str {
    let text = text.trim_matches(['[', ']']);
    text.split('%').next().unwrap_or(text)
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Whether a network holds an address.
fn holds((network, length): (IpAddr, u8), address: IpAddr) -> bool {
    let number = |a: IpAddr| match a {
        IpAddr::V4(a) => u128::from(a.to_bits()) << 96,
        IpAddr::V6(a) => a.to_bits(),
    };
    let differ = number(network) ^ number(address);
    network.is_ipv4() == address.is_ipv4()
        && (length == 0 || differ >> (128 - u32::from(length)) == 0)
}
