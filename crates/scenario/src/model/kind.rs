//! What a test does, and what everybody asks of it.
//!
//! Who runs, predicts or describes tests asks the methods here, and matches a kind only where its own
//! program is started.

use farpath_observe::metric::Subject;
use farpath_units::{Duration, Size};

use super::{Exchange, Flows, Protocol, Request, Tcp, Transfer, Udp};

/// What a test does.
#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// ICMP echo.
    Ping(Periodic),
    /// Datagrams one way, each with the instant it was sent.
    OneWay(Periodic),
    /// One or several TCP connections.
    Tcp(Tcp),
    /// A stream of datagrams.
    Udp(Udp),
    /// Files, from disk to disk.
    Transfer(Transfer),
    /// Blocks, asked for one by one.
    Request(Request),
    /// Transfers that come and go.
    Flows(Flows),
}

/// What each connection of a test does until it is done, where no `duration` ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The key that says how much it is.
    pub key: &'static str,
    /// Payload it carries.
    pub bytes: Size,
    /// Time in which it waits for nobody but itself.
    pub pauses: Duration,
    /// Round trips beside, about: handshake, slow start, one answer after the other.
    pub rounds: u64,
}

/// Bytes of a request for a file: a command line of a file transfer protocol.
const FILE_REQUEST: u64 = 100;

/// Single packets at equal intervals, which hardly load a path: `kind = "ping"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    /// Packets sent.
    pub count: u32,
    /// From one to the next.
    pub interval: Duration,
    /// Bytes of the IP datagram.
    pub size: u32,
    /// Their IP TTL.
    pub ttl: u8,
    /// How long after it was sent one still counts.
    pub timeout: Duration,
}

impl TestKind {
    /// What a record says it is.
    pub fn subject(&self) -> Subject {
        match self {
            TestKind::Ping(_) => Subject::Ping,
            TestKind::OneWay(_) => Subject::OneWay,
            TestKind::Tcp(_) => Subject::Tcp,
            TestKind::Udp(udp) if udp.cells.is_some() => Subject::Cells,
            TestKind::Udp(_) => Subject::Udp,
            TestKind::Transfer(_) => Subject::Transfer,
            TestKind::Request(_) => Subject::Request,
            TestKind::Flows(_) => Subject::Flows,
        }
    }

    /// The transport its packets belong to.
    pub fn protocol(&self) -> Protocol {
        match self {
            TestKind::Ping(_) => Protocol::Icmp,
            TestKind::OneWay(_) | TestKind::Udp(_) => Protocol::Udp,
            TestKind::Tcp(_)
            | TestKind::Transfer(_)
            | TestKind::Request(_)
            | TestKind::Flows(_) => Protocol::Tcp,
        }
    }

    /// Its packets, where it sends them one at a time.
    pub fn periodic(&self) -> Option<&Periodic> {
        match self {
            TestKind::Ping(all) | TestKind::OneWay(all) => Some(all),
            _ => None,
        }
    }

    /// Bytes of its IP datagrams, where they are all alike; `header` are those of the IP and transport header.
    pub fn datagram_bytes(&self, header: u32) -> Option<u32> {
        match self {
            TestKind::Ping(all) | TestKind::OneWay(all) => Some(all.size),
            TestKind::Udp(udp) => Some(udp.size + header),
            _ => None,
        }
    }

    /// The stream, if it is one of datagrams or cells.
    pub fn udp(&self) -> Option<&Udp> {
        match self {
            TestKind::Udp(udp) => Some(udp),
            _ => None,
        }
    }

    /// The connections of a kind that only writes.
    pub fn bulk(&self) -> Option<&Tcp> {
        match self {
            TestKind::Tcp(tcp) => Some(tcp),
            _ => None,
        }
    }

    /// Whether it is connections that send all that they can until the time of the test is over.
    pub fn writes_until_clock(&self) -> bool {
        self.bulk().is_some_and(|tcp| tcp.bytes.is_none())
    }

    /// The connections, if they come and go.
    pub fn flows(&self) -> Option<&Flows> {
        match self {
            TestKind::Flows(flows) => Some(flows),
            _ => None,
        }
    }

    /// What its connections are made of, if it has any.
    pub fn tcp(&self) -> Option<&Tcp> {
        match self {
            TestKind::Tcp(tcp)
            | TestKind::Transfer(Transfer { tcp, .. })
            | TestKind::Request(Request { tcp, .. })
            | TestKind::Flows(Flows { tcp, .. }) => Some(tcp),
            TestKind::Ping(_) | TestKind::OneWay(_) | TestKind::Udp(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn tcp_mut(&mut self) -> Option<&mut Tcp> {
        match self {
            TestKind::Tcp(tcp)
            | TestKind::Transfer(Transfer { tcp, .. })
            | TestKind::Request(Request { tcp, .. })
            | TestKind::Flows(Flows { tcp, .. }) => Some(tcp),
            TestKind::Ping(_) | TestKind::OneWay(_) | TestKind::Udp(_) => None,
        }
    }

    /// Whether data flows from `to` to `from`: a request's answer is its data.
    pub fn is_reverse(&self) -> bool {
        matches!(self, TestKind::Request(_)) || self.tcp().is_some_and(|tcp| tcp.reverse)
    }

    /// What there is to do on connection `stream`, if there is an end to it.
    pub fn work(&self, stream: u32) -> Option<Work> {
        let (key, bytes, pauses, rounds) = match self {
            TestKind::Ping(all) | TestKind::OneWay(all) => {
                let gaps = u64::from(all.count.saturating_sub(1));
                ("count", Size::from_bytes(0), all.interval.times(gaps), 1)
            }
            // Slow start takes some round trips.
            TestKind::Tcp(tcp) => ("bytes", tcp.bytes?, Duration::ZERO, 25),
            TestKind::Flows(flows) => {
                let all = flows.spacing.times(flows.tcp.parallel.into());
                ("spacing", Size::from_bytes(0), all, 10)
            }
            TestKind::Transfer(_) | TestKind::Request(_) => {
                let exchange = self.exchange(stream)?;
                let requests = exchange.requests?;
                let turns = requests / exchange.outstanding.max(1);
                let bytes = Size::from_bytes(requests.saturating_mul(exchange.answer));
                let key = if exchange.disks {
                    "file_size"
                } else {
                    "requests"
                };
                (key, bytes, exchange.think.times(turns), turns + 10)
            }
            TestKind::Udp(_) => return None,
        };
        Some(Work {
            key,
            bytes,
            pauses,
            rounds,
        })
    }

    /// Bytes connection `stream` delivers in all, if the test has an end of its own.
    pub fn whole(&self, stream: u32) -> Option<u64> {
        match self.exchange(stream) {
            Some(exchange) => Some(exchange.requests?.saturating_mul(exchange.answer)),
            None => self.bulk()?.bytes.map(Size::as_bytes),
        }
    }

    /// What is asked and answered on connection `stream`, if the test asks.
    pub fn exchange(&self, stream: u32) -> Option<Exchange> {
        match self {
            TestKind::Transfer(t) => {
                let streams = u64::from(t.tcp.parallel.max(1));
                let more = u64::from(u64::from(stream) < t.files % streams);
                Some(Exchange {
                    request: FILE_REQUEST,
                    answer: t.file_size.as_bytes(),
                    outstanding: t.pipelining,
                    think: Duration::ZERO,
                    requests: Some(t.files / streams + more),
                    disks: true,
                })
            }
            TestKind::Request(r) => Some(Exchange {
                request: r.request_size.as_bytes(),
                answer: r.block.as_bytes(),
                outstanding: r.outstanding,
                think: r.think_time,
                requests: r.requests,
                disks: false,
            }),
            _ => None,
        }
    }
}
