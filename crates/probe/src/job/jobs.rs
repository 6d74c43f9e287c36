//! From the description of a flow to the tasks of its ends.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use farpath_units::{Duration, Rate, Size, Time};

use super::{
    Connection, Due, Ends, ExchangeWork, HostJob, Iperf3Kind, Iperf3Work, JobError, PingWork, Side,
    Span, Task, TcpWork, UdpReceiveWork, UdpSendWork, Work,
};

/// What every host of a run does.
///
/// ```
/// use farpath_probe::job::{Bulk, End, Jobs, Stream, Timing};
/// use farpath_units::{Duration, Time};
///
/// let here = End::new("here", "192.0.2.1:0".parse()?);
/// let there = End::new("there", "192.0.2.2:5001".parse()?);
/// let mut stream = Stream::new(here, there);
/// stream.algorithm = "reno".to_owned();
/// let timing = Timing::new(Time::ZERO, Some(Duration::from_secs(10)));
/// let mut jobs = Jobs::new();
/// jobs.bulk(0, &Bulk::new(stream, timing))?;
/// assert_eq!(jobs.hosts()["there"].tasks().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jobs {
    hosts: BTreeMap<String, HostJob>,
}

/// One end of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Name of its host.
    pub host: String,
    /// Its address and port there. The end that begins a connection may leave the port, 0, to the kernel.
    pub address: SocketAddr,
    /// `SO_MARK` of what it sends: what the host's routes go by where they know it. 0, the default, is none.
    pub mark: u32,
}

impl End {
    /// An end without a mark.
    pub fn new(host: &str, address: SocketAddr) -> End {
        End {
            host: host.to_owned(),
            address,
            mark: 0,
        }
    }
}

/// When a flow runs, and what of it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// It starts: a connection with its SYN.
    pub start: Time,
    /// The measurement begins; at the start by default.
    pub from: Time,
    /// It ends, and the flow with it; what has an amount needs no end.
    pub until: Option<Time>,
    /// How long after the end silence means that nothing more is under way: longer than the round trips a
    /// retransmission takes. 2 s by default.
    pub settle: Duration,
    /// Length of an interval of the series; 100 ms by default.
    pub every: Duration,
    /// Intervals are counted from here: of all connections of a test from one instant. The start by default.
    pub counted: Time,
}

impl Timing {
    /// A flow that is measured from its start on, for this long if there is an end to it.
    pub fn new(start: Time, duration: Option<Duration>) -> Timing {
        Timing {
            start,
            from: start,
            until: duration.map(|d| start + d),
            settle: Duration::from_secs(2),
            every: Duration::from_ms(100),
            counted: start,
        }
    }

    pub(crate) fn span(&self) -> Span {
        Span {
            start: self.start.as_ns(),
            from: self.from.as_ns(),
            until: self.until.map(Time::as_ns),
            settle: self.settle.as_ns(),
            every: self.every.as_ns(),
            counted: self.counted.as_ns(),
        }
    }
}

/// The end of a stream that begins its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The one that sends the data.
    BySource,
    /// The one that receives it.
    BySink,
}

/// A TCP connection that carries data one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Where data comes from.
    pub source: End,
    /// Where it goes to.
    pub sink: End,
    /// Who connects to whom; the source to the sink by default.
    pub begun: Begun,
    /// `TCP_CONGESTION` of both ends; `cubic` by default.
    pub algorithm: String,
    /// The IP TOS byte or traffic class of both directions; 0 by default.
    pub class: u8,
    /// `TCP_WINDOW_CLAMP` of the sink: what it offers at most. None by default: what its memory allows.
    pub window: Option<Size>,
    /// `SO_SNDBUF` of the source, before the kernel doubles it. By default twice the `window`, which doubled
    /// holds it however badly segments fill memory; without either the kernel's own tuning.
    pub send_buffer: Option<Size>,
    /// `SO_RCVBUF` of the sink; the same.
    pub receive_buffer: Option<Size>,
    /// Whether and how the source's kernel spreads what it sends; not by default, unless the algorithm has it so.
    pub pacing: Option<Pacing>,
}

/// A source whose kernel spreads what it sends, by a timer of its own where its interface has no `fq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// The rate of payload at most; none: what the kernel makes of window and round trip.
    pub most: Option<Rate>,
}

impl Pacing {
    /// `SO_MAX_PACING_RATE`: any number but the largest has the kernel pace.
    pub(crate) fn option(self) -> u64 {
        let bytes = |rate: Rate| (rate.as_bps() / 8).max(1);
        self.most.map_or(u64::MAX - 1, bytes)
    }
}

impl Stream {
    /// A stream with every option at its default.
    pub fn new(source: End, sink: End) -> Stream {
        Stream {
            source,
            sink,
            begun: Begun::BySource,
            algorithm: "cubic".to_owned(),
            class: 0,
            window: None,
            send_buffer: None,
            receive_buffer: None,
            pacing: None,
        }
    }

    /// The connection as its source and as its sink see it.
    fn connections(&self) -> [Connection; 2] {
        let [of_source, of_sink] = ends(&self.source, &self.sink, self.class);
        let bytes = |size: Option<Size>| size.map(Size::as_bytes);
        let roomy = bytes(self.window).map(|w| w.saturating_mul(2));
        let connection = |ends, by| Connection {
            ends,
            side: match self.begun == by {
                true => Side::Connect,
                false => Side::Listen,
            },
            algorithm: self.algorithm.clone(),
            window_clamp: None,
            receive_buffer: None,
            send_buffer: None,
            pacing: None,
        };
        [
            Connection {
                send_buffer: bytes(self.send_buffer).or(roomy),
                pacing: self.pacing.map(Pacing::option),
                ..connection(of_source, Begun::BySource)
            },
            Connection {
                window_clamp: bytes(self.window),
                receive_buffer: bytes(self.receive_buffer).or(roomy),
                ..connection(of_sink, Begun::BySink)
            },
        ]
    }
}

/// As much data as there is time for, or so many bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    /// The connection.
    pub stream: Stream,
    /// When.
    pub timing: Timing,
    /// Payload to transfer; none by default: as much as there is time for.
    pub bytes: Option<Size>,
    /// One of very many: no series are made of it. `false` by default.
    pub quiet: bool,
}

impl Bulk {
    /// As much data as there is time for.
    pub fn new(stream: Stream, timing: Timing) -> Bulk {
        Bulk {
            stream,
            timing,
            bytes: None,
            quiet: false,
        }
    }
}

/// Requests one way, answers the other, each over a connection of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// Carries the answers.
    pub answers: Stream,
    /// Carries the requests, back from where the answers go.
    pub requests: Stream,
    /// When.
    pub timing: Timing,
    /// Bytes of a request.
    pub request: Size,
    /// Bytes of an answer.
    pub answer: Size,
    /// Requests that wait for their answer at most.
    pub outstanding: u64,
    /// From an answer to the request that follows it.
    pub think: Duration,
    /// Requests in all, if there is an end.
    pub count: Option<u64>,
}

/// A stream of datagrams.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagrams {
    /// Where they come from.
    pub source: End,
    /// Where they go to.
    pub sink: End,
    /// The IP TOS byte or traffic class.
    pub class: u8,
    /// When.
    pub timing: Timing,
    /// Payload bytes of each.
    pub size: u32,
    /// When each is due.
    pub due: Due,
}

/// Echo requests. Who answers them needs no job.
#[derive(Clone, Debug, PartialEq)]
pub struct Ping {
    /// Name of the host that pings.
    pub host: String,
    /// Its address.
    pub local: IpAddr,
    /// `SO_MARK`, as of [`End`].
    pub mark: u32,
    /// Who is asked.
    pub remote: IpAddr,
    /// ICMP identifier.
    pub identifier: u16,
    /// The IP TOS byte or traffic class.
    pub class: u8,
    /// TTL of the requests.
    pub ttl: u8,
    /// Bytes of the IP datagram.
    pub size: u32,
    /// First request.
    pub start: Time,
    /// From one request to the next.
    pub interval: Duration,
    /// Requests.
    pub count: u64,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

/// A stream of iperf3's: its client at one end, a server of its own at the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Iperf3 {
    /// Who connects. iperf3's sockets carry no marks.
    pub client: End,
    /// Who listens.
    pub server: End,
    /// The IP TOS byte or traffic class.
    pub class: u8,
    /// When.
    pub timing: Timing,
    /// What is sent.
    pub kind: Iperf3Kind,
}

/// iperf3's shortest interval.
const LEAST_IPERF3: Duration = Duration::from_ms(100);

/// Both ends of a flow: their own address and the other's.
pub(crate) fn ends(one: &End, other: &End, class: u8) -> [Ends; 2] {
    let ends = |own: &End, other: &End| Ends {
        local: own.address,
        remote: other.address,
        class,
        mark: own.mark,
    };
    [ends(one, other), ends(other, one)]
}

impl Jobs {
    /// Nothing to do.
    pub fn new() -> Jobs {
        Jobs::default()
    }

    /// Jobs by host.
    pub fn hosts(&self) -> &BTreeMap<String, HostJob> {
        &self.hosts
    }

    /// Adds a connection that carries data.
    ///
    /// # Errors
    /// When one of its ends cannot be as it is described; then nothing is added. This holds for all flows.
    pub fn bulk(&mut self, flow: usize, bulk: &Bulk) -> Result<(), JobError> {
        let [source, sink] = bulk.stream.connections();
        let work = |connection| TcpWork {
            connection,
            span: bulk.timing.span(),
            bytes: bulk.bytes.map(Size::as_bytes),
            quiet: bulk.quiet,
        };
        self.add(
            flow,
            [
                (&bulk.stream.source.host, Work::TcpSend(work(source))),
                (&bulk.stream.sink.host, Work::TcpReceive(work(sink))),
            ],
        )
    }

    /// Adds requests and answers: the answers are flow `flow`, the requests the flow after it.
    ///
    /// # Errors
    /// As [`Jobs::bulk`].
    pub fn exchange(&mut self, flow: usize, exchange: &Exchange) -> Result<(), JobError> {
        let (answers, requests) = (&exchange.answers, &exchange.requests);
        let (asker, answerer) = (&requests.source.host, &requests.sink.host);
        if *asker != answers.sink.host || *answerer != answers.source.host {
            return Err(JobError::Crossed(asker.clone(), answerer.clone()));
        }
        let ([gives, takes], [asks, hears]) = (answers.connections(), requests.connections());
        let work = |asking, answering| ExchangeWork {
            asking,
            answering,
            span: exchange.timing.span(),
            request: exchange.request.as_bytes(),
            answer: exchange.answer.as_bytes(),
            outstanding: exchange.outstanding,
            think: exchange.think.as_ns(),
            requests: exchange.count,
        };
        self.add(
            flow,
            [
                (answerer, Work::Answer(work(hears, gives))),
                (asker, Work::Ask(work(asks, takes))),
            ],
        )
    }

    /// Adds a stream of datagrams.
    ///
    /// # Errors
    /// As [`Jobs::bulk`].
    pub fn datagrams(&mut self, flow: usize, datagrams: &Datagrams) -> Result<(), JobError> {
        let Datagrams { size, due, .. } = datagrams;
        let [source, sink] = ends(&datagrams.source, &datagrams.sink, datagrams.class);
        let (span, size) = (datagrams.timing.span(), *size);
        let expected = due.before(span.until.unwrap_or(u64::MAX), span.start, size);
        let send = UdpSendWork {
            ends: source,
            span,
            size,
            due: due.clone(),
        };
        let receive = UdpReceiveWork {
            ends: sink,
            span,
            size,
            expected,
        };
        self.add(
            flow,
            [
                (&datagrams.source.host, Work::UdpSend(send)),
                (&datagrams.sink.host, Work::UdpReceive(receive)),
            ],
        )
    }

    /// Adds echo requests.
    ///
    /// # Errors
    /// As [`Jobs::bulk`].
    pub fn ping(&mut self, flow: usize, ping: &Ping) -> Result<(), JobError> {
        let work = PingWork {
            local: ping.local,
            remote: ping.remote,
            identifier: ping.identifier,
            class: ping.class,
            mark: ping.mark,
            ttl: ping.ttl,
            size: ping.size,
            start: ping.start.as_ns(),
            interval: ping.interval.as_ns(),
            count: ping.count,
            timeout: ping.timeout.as_ns(),
        };
        self.add(flow, [(&ping.host, Work::Ping(work))])
    }

    /// Adds a stream that iperf3 runs.
    ///
    /// # Errors
    /// As [`Jobs::bulk`].
    pub fn iperf3(&mut self, flow: usize, iperf3: &Iperf3) -> Result<(), JobError> {
        let [client, server] = ends(&iperf3.client, &iperf3.server, iperf3.class);
        let work = |ends| Iperf3Work {
            ends,
            span: iperf3.timing.span(),
            interval_ns: iperf3.timing.every.max(LEAST_IPERF3).as_ns(),
            kind: iperf3.kind.clone(),
        };
        self.add(
            flow,
            [
                (&iperf3.client.host, Work::Iperf3Client(work(client))),
                (&iperf3.server.host, Work::Iperf3Server(work(server))),
            ],
        )
    }

    /// Takes both ends of a flow out again.
    pub fn remove(&mut self, flow: usize) {
        for job in self.hosts.values_mut() {
            job.tasks.retain(|task| task.flow != flow);
        }
        self.hosts.retain(|_, job| !job.tasks.is_empty());
    }

    /// Adds the tasks of a flow, or none of them.
    pub(crate) fn add<const N: usize>(
        &mut self,
        flow: usize,
        works: [(&String, Work); N],
    ) -> Result<(), JobError> {
        let tasks = works.map(|(host, work)| (host, Task { flow, work }));
        for (number, (host, task)) in tasks.iter().enumerate() {
            match self.hosts.get(*host) {
                Some(job) => job.fits(task)?,
                None => task.work.check()?,
            }
            if tasks[..number].iter().any(|(other, _)| other == host) {
                return Err(JobError::Twice((*host).clone()));
            }
        }
        for (host, task) in tasks {
            let job = self.hosts.entry(host.clone());
            job.or_insert_with(|| HostJob::new(host)).tasks.push(task);
        }
        Ok(())
    }
}

impl Due {
    /// How many of them are due before `until`.
    fn before(&self, until: u64, start: u64, size: u32) -> u64 {
        match self {
            Due::Rate(rate) => {
                let bits = u128::from(size.max(1)) * 8_000_000_000;
                let span = u128::from(until.saturating_sub(start));
                let count = (span * u128::from(*rate)).div_ceil(bits);
                u64::try_from(count).unwrap_or(u64::MAX)
            }
            Due::Gaps(gaps) => {
                let due = gaps.iter().scan(start, |at, gap| {
                    *at = at.saturating_add(*gap);
                    Some(*at)
                });
                due.take_while(|at| *at < until).count() as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::MOST_OUTSTANDING;

    fn end(host: &str, address: &str) -> End {
        End::new(host, address.parse().expect("an address"))
    }

    fn stream() -> Stream {
        Stream::new(end("a", "192.0.2.1:0"), end("b", "192.0.2.2:5001"))
    }

    fn timing() -> Timing {
        Timing::new(Time::ZERO, Some(Duration::from_secs(1)))
    }

    fn bulk(stream: Stream) -> Result<Jobs, JobError> {
        let mut jobs = Jobs::new();
        jobs.bulk(7, &Bulk::new(stream, timing()))?;
        Ok(jobs)
    }

    fn datagrams(size: u32, due: Due) -> Result<Jobs, JobError> {
        let mut jobs = Jobs::new();
        let (source, sink) = (end("a", "192.0.2.1:1"), end("b", "192.0.2.2:2"));
        let datagrams = Datagrams {
            source,
            sink,
            class: 0,
            timing: timing(),
            size,
            due,
        };
        jobs.datagrams(7, &datagrams)?;
        Ok(jobs)
    }

    fn exchange() -> Exchange {
        let answers = Stream {
            begun: Begun::BySink,
            ..Stream::new(end("b", "192.0.2.2:5001"), end("a", "192.0.2.1:0"))
        };
        let requests = Stream::new(end("a", "192.0.2.1:0"), end("b", "192.0.2.2:5002"));
        Exchange {
            answers,
            requests,
            timing: timing(),
            request: Size::from_bytes(100),
            answer: Size::from_bytes(1000),
            outstanding: 1,
            think: Duration::ZERO,
            count: None,
        }
    }

    #[test]
    fn both_ends_of_a_stream_agree() {
        let mut stream = stream();
        stream.window = Some(Size::from_bytes(10_000));
        stream.begun = Begun::BySink;
        stream.source = end("a", "192.0.2.1:4001");
        stream.sink.mark = 9;
        stream.pacing = Some(Pacing {
            most: Rate::from_bps(8000),
        });
        let jobs = bulk(stream).expect("jobs");
        let [a, b] = ["a", "b"].map(|host| jobs.hosts()[host].tasks()[0].clone());
        let (Work::TcpSend(send), Work::TcpReceive(receive)) = (a.work, b.work) else {
            panic!("a sends and b receives");
        };
        let (from, to) = (send.connection, receive.connection);
        assert_eq!((from.side, to.side), (Side::Listen, Side::Connect));
        assert_eq!(from.ends.local, to.ends.remote);
        assert_eq!((from.window_clamp, to.window_clamp), (None, Some(10_000)));
        // Only who sends data paces; without a rate the kernel finds its own.
        assert_eq!((from.pacing, to.pacing), (Some(1000), None));
        assert_eq!(Pacing { most: None }.option(), u64::MAX - 1);
        assert_eq!(from.send_buffer, Some(20_000), "twice the window");
        assert_eq!(to.receive_buffer, Some(20_000));
        assert!(jobs.hosts()["b"].marks(7) && !jobs.hosts()["a"].marks(7));
    }

    #[test]
    fn marks_of_requests_and_answers_are_told_apart() {
        let mut exchange = exchange();
        exchange.requests.source.mark = 5;
        let mut jobs = Jobs::new();
        jobs.exchange(2, &exchange).expect("jobs");
        let marks = |host: &str| [2, 3].map(|flow| jobs.hosts()[host].marks(flow));
        assert_eq!((marks("a"), marks("b")), ([false, true], [false, false]));
    }

    #[test]
    fn what_is_due_before_the_end_is_expected() {
        let expected = |due| {
            let jobs = datagrams(1000, due).expect("jobs");
            match &jobs.hosts()["b"].tasks()[0].work {
                Work::UdpReceive(work) => work.expected,
                other => panic!("{other:?}"),
            }
        };
        // At 0, 8000/3 ns and so on: the last one before a second.
        assert_eq!(expected(Due::Rate(3_000_000)), 375);
        assert_eq!(expected(Due::Rate(3_000_001)), 376);
        let half = 500_000_000;
        assert_eq!(expected(Due::Gaps(vec![0, half, half - 1, 1, u64::MAX])), 3);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let refused = |change: fn(&mut Stream)| {
            let mut stream = stream();
            change(&mut stream);
            bulk(stream).expect_err("a refusal").to_string()
        };
        for (change, words) in [
            (
                (|s| s.sink = end("b", "[2001:db8::2]:5001")) as fn(&mut Stream),
                "192.0.2.1 and 2001:db8::2 are of different IP versions",
            ),
            (|s| s.sink.address.set_port(0), "192.0.2.2:0 has no port"),
            (|s| s.begun = Begun::BySink, "192.0.2.1:0 has no port"),
            (
                |s| s.algorithm = "a name too long for it".to_owned(),
                "`a name too long for it` names no congestion control: names have 1 to 15 characters, and no spaces",
            ),
            (
                |s| s.sink.host = "a".to_owned(),
                "`a` has an end of this flow already",
            ),
        ] {
            assert_eq!(refused(change), words);
        }
        for size in [15, 65_488] {
            assert_eq!(
                datagrams(size, Due::Rate(1)),
                Err(JobError::Datagram { size })
            );
        }
        assert_eq!(datagrams(16, Due::Rate(0)), Err(JobError::Zero("the rate")));
    }

    #[test]
    fn exchanges_that_cannot_be_are_refused() {
        let refused = |change: fn(&mut Exchange)| {
            let mut exchange = exchange();
            change(&mut exchange);
            Jobs::new().exchange(0, &exchange).expect_err("a refusal")
        };
        let crossed = refused(|e| e.requests.sink.host = "c".to_owned());
        assert_eq!(crossed, JobError::Crossed("a".to_owned(), "c".to_owned()));
        assert_eq!(
            refused(|e| e.answer = Size::from_bytes(0)),
            JobError::Zero("an answer")
        );
        assert_eq!(
            refused(|e| e.outstanding = MOST_OUTSTANDING + 1),
            JobError::Outstanding(MOST_OUTSTANDING + 1)
        );
        let ended = refused(|e| e.timing.from = Time::ZERO + Duration::from_secs(1));
        assert!(matches!(ended, JobError::NoTime { .. }), "{ended}");
    }

    #[test]
    fn a_refused_flow_leaves_nothing_behind_and_a_removed_one_neither() {
        let mut jobs = bulk(stream()).expect("jobs");
        let before = jobs.clone();
        let mut other = stream();
        other.sink = end("c", "192.0.2.3:0");
        assert!(jobs.bulk(8, &Bulk::new(other, timing())).is_err());
        assert_eq!(jobs, before);
        let again = jobs.bulk(7, &Bulk::new(stream(), timing()));
        assert_eq!(again, Err(JobError::Twice("a".to_owned())));
        jobs.remove(7);
        assert_eq!(jobs, Jobs::new());
    }

    #[test]
    fn pings_have_room_for_their_headers() {
        let ping = |remote: &str, size| Ping {
            host: "a".to_owned(),
            local: "2001:db8::1".parse().expect("an address"),
            mark: 0,
            remote: remote.parse().expect("an address"),
            identifier: 1,
            class: 0,
            ttl: 64,
            size,
            start: Time::ZERO,
            interval: Duration::from_secs(1),
            count: 1,
            timeout: Duration::from_secs(1),
        };
        let added = |ping: Ping| Jobs::new().ping(0, &ping);
        assert_eq!(added(ping("2001:db8::2", 48)), Ok(()));
        let (version, least, size) = (6, 48, 47);
        assert_eq!(
            added(ping("2001:db8::2", size)),
            Err(JobError::Echo {
                version,
                least,
                size
            })
        );
        assert!(matches!(
            added(ping("192.0.2.1", 64)),
            Err(JobError::Versions(..))
        ));
    }
}
