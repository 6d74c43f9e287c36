//! What one end of a flow measured. Times are nanoseconds of the run.

use std::net::IpAddr;

use farpath_record::Series;
use serde::{Deserialize, Serialize};

/// What one end of a flow measured. Times are nanoseconds of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Of a ping.
    Ping(PingReport),
    /// Of the sending end of a stream of datagrams.
    UdpSend(UdpSendReport),
    /// Of the receiving end.
    UdpReceive(UdpReceiveReport),
    /// Of the end that timed datagrams.
    OneWay(OneWayReport),
    /// Of the end of a connection that writes.
    TcpSend(TcpSendReport),
    /// Of the end that reads.
    TcpReceive(TcpReceiveReport),
    /// Of the end that asks.
    Ask(AskReport),
    /// Of the end that answers: what it sent.
    Answer(TcpSendReport),
    /// Of iperf3's client.
    Iperf3(Iperf3Report),
    /// Of iperf3's server, which tells its client.
    Iperf3Server,
}

impl Report {
    /// Its notes, where it tells times from the other end to this one.
    pub(crate) fn notes_between_ends(&mut self) -> Option<&mut Vec<String>> {
        match self {
            Report::UdpReceive(report) => Some(&mut report.notes),
            Report::OneWay(report) => Some(&mut report.notes),
            Report::TcpReceive(report) => Some(&mut report.notes),
            Report::Ask(report) => Some(&mut report.received.notes),
            _ => None,
        }
    }
}

/// What a ping measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PingReport {
    /// Requests sent.
    pub sent: u64,
    /// When a request was sent and its round-trip time, in the order of the replies.
    pub replies: Vec<(u64, u64)>,
    /// Copies of replies.
    pub duplicates: u64,
    /// Replies that came after the timeout.
    #[serde(default)]
    pub late: u64,
    /// Requests that somebody answered with an error.
    pub errors: Vec<PingError>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// An echo request that somebody answered with an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingError {
    /// Its number, from 1.
    pub request: u64,
    /// Who answered, where that is known.
    pub by: Option<IpAddr>,
    /// With which error.
    pub error: IcmpError,
    /// From the request to the answer.
    pub rtt_ns: u64,
    /// The labels that the request had there (RFC 4950), outermost first.
    pub labels: Vec<u32>,
}

/// An error that a ping may be answered with (RFC 792, RFC 4443).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IcmpError {
    /// The TTL ran out there.
    TimeExceeded,
    /// It is larger than the next link carries.
    FragmentationNeeded,
    /// There is no way on, or nobody wants it.
    Unreachable,
}

/// What the sender of datagrams measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UdpSendReport {
    /// Datagrams sent in all.
    pub sent: u64,
    /// Of those, sent within the measurement.
    pub measured: u64,
    /// The longest time from when a datagram was due until it was handed to the kernel.
    pub late_max_ns: u64,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// What the receiver of datagrams measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UdpReceiveReport {
    /// Datagrams received that were sent within the measurement; copies do not count.
    pub received: u64,
    /// Payload bytes that arrived within the measurement.
    pub bytes: u64,
    /// Payload bytes received in all.
    pub total_bytes: u64,
    /// Datagrams that arrived after one with a higher number.
    pub reordered: u64,
    /// Copies of datagrams.
    pub duplicates: u64,
    /// Interarrival jitter (RFC 3550 §6.4.1).
    pub jitter_ns: f64,
    /// Numbers of datagrams that did not come.
    #[serde(default)]
    pub missing: Option<Series>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// A sample of a sending connection. Counters and timers are since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When.
    pub t_ns: u64,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Slow-start threshold, bytes; none before the first loss.
    pub ssthresh: Option<u64>,
    /// Bytes thought to be in the network.
    pub in_flight: u64,
    /// Smoothed round-trip time.
    pub srtt_ns: u64,
    /// Segments sent again so far.
    #[serde(default)]
    pub retransmits: Option<u64>,
    /// `tcpi_ca_state`: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub state: u8,
    /// The application had nothing more to send lately.
    #[serde(default)]
    pub app_limited: bool,
    /// Bytes written and not sent yet, where the kernel says.
    #[serde(default)]
    pub unsent: Option<u64>,
    /// So much is in the send buffer that a writer waits, where that was asked for.
    #[serde(default)]
    pub full: bool,
    /// Rate at which the kernel paces, or would, bit/s.
    #[serde(default)]
    pub pacing_bps: Option<u64>,
    /// The most that the program lets it pace at, where it set a bound, bit/s.
    #[serde(default)]
    pub pacing_limit_bps: Option<u64>,
    /// Rate at which data were delivered lately, bit/s.
    #[serde(default)]
    pub delivery_bps: Option<u64>,
    /// The window that the receiver announced last, bytes; none before Linux 5.4.
    #[serde(default)]
    pub window: Option<u64>,
    /// Shortest round trip so far.
    #[serde(default)]
    pub rtt_min_ns: Option<u64>,
    /// Time with data to send or to be acknowledged, µs.
    pub busy_us: u64,
    /// Of that, limited by the receiver's window.
    pub rwnd_us: u64,
    /// Of that, limited by the send buffer.
    pub sndbuf_us: u64,
    /// Processor time of the thread that writes.
    pub cpu_ns: u64,
}

/// What the writing end of a connection measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TcpSendReport {
    /// When this end began: its SYN, where it is the one that connects.
    pub opened_ns: u64,
    /// When the connection was there.
    pub established_ns: u64,
    /// When it stopped writing, or everything was acknowledged.
    pub ended_ns: u64,
    /// Bytes written.
    pub written: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Retransmission timeouts, where the kernel counts them.
    pub rtos: Option<u64>,
    /// The smallest round-trip time the kernel knows.
    pub rtt_min_ns: Option<u64>,
    /// Samples of the connection; the last one at its end.
    pub samples: Vec<Sample>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// What the reading end of a connection measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TcpReceiveReport {
    /// When this end began: its SYN, where it is the one that connects.
    pub opened_ns: u64,
    /// Bytes delivered.
    pub bytes: u64,
    /// Of those, within the measurement.
    pub measured: u64,
    /// When the last one was delivered.
    pub last_ns: u64,
    /// Length of an interval.
    pub every_ns: u64,
    /// Bytes delivered in each interval since the start of the test.
    pub delivered: Vec<u64>,
    /// Processor time of the reading thread in each, nanoseconds.
    pub cpu_ns: Vec<u64>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// What the end that asks measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AskReport {
    /// What it read.
    pub received: TcpReceiveReport,
    /// Whole answers within the measurement.
    pub measured: u64,
    /// Least, most and sum of the times from request to whole answer, of those.
    pub response_ns: [u64; 3],
    /// Each of those times, of as many as an observation holds.
    #[serde(default)]
    pub times_ns: Vec<u64>,
    /// The instant of the last whole answer.
    pub last_answer_ns: u64,
}

/// What iperf3 measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iperf3Report {
    /// `iperf 3.12`.
    pub version: String,
    /// When its client was started; its own times count from some milliseconds later.
    pub started_ns: u64,
    /// Payload received within the measurement.
    pub bytes: u64,
    /// Its rate at the sender.
    pub sent_bps: u64,
    /// Its rate at the receiver.
    pub goodput_bps: u64,
    /// From the start of data to its end, `omit` left out.
    pub completion_ns: u64,
    /// Segments sent again within the measurement.
    pub retransmits: Option<u64>,
    /// Largest congestion window.
    pub cwnd_max: Option<u64>,
    /// Least, mean and largest smoothed round-trip time.
    pub rtt_ns: Option<[u64; 3]>,
    /// Datagrams sent.
    pub packets: Option<u64>,
    /// Of those, lost.
    pub lost: Option<u64>,
    /// Datagrams out of order.
    pub reordered: Option<u64>,
    /// Interarrival jitter.
    pub jitter_ns: Option<f64>,
    /// Its intervals.
    pub intervals: Vec<Iperf3Interval>,
}

/// An interval of iperf3's, at the end that prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iperf3Interval {
    /// Its end, since the start of data.
    pub end_ns: u64,
    /// Payload rate in it.
    pub goodput_bps: u64,
    /// Congestion window at its end.
    pub cwnd: Option<u64>,
    /// Smoothed round-trip time at its end.
    pub srtt_ns: Option<u64>,
}

/// What the end that timed datagrams measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OneWayReport {
    /// When each that arrived was sent, on the sender's clock, and how long it took; 0 where the clocks of both ends
    /// say that it arrived before.
    pub arrived: Vec<(u64, u64)>,
    /// Copies of datagrams.
    pub duplicates: u64,
    /// Datagrams that came after the timeout.
    #[serde(default)]
    pub late: u64,
    /// What a reader must know.
    pub notes: Vec<String>,
}
