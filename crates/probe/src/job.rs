//! What a host is told to do: one JSON text, read by the process that runs on it.
//!
//! Times are nanoseconds of the run; sizes are bytes.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

/// `schema` of a [`HostJob`].
pub const JOB_SCHEMA: &str = "farpath.probe/1";

/// Everything one host does in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostJob {
    /// [`JOB_SCHEMA`].
    pub schema: String,
    /// The host's name in the scenario.
    pub host: String,
    /// Its tasks, each at its own time.
    pub tasks: Vec<Task>,
}

/// One end of one flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number of the flow in the plan.
    pub flow: usize,
    /// What is done.
    pub work: Work,
}

/// What one end of a flow does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Sends echo requests.
    Ping(PingWork),
    /// Sends datagrams.
    UdpSend(UdpSendWork),
    /// Receives them.
    UdpReceive(UdpReceiveWork),
    /// Writes into a connection.
    TcpSend(TcpWork),
    /// Reads from it.
    TcpReceive(TcpWork),
    /// Asks over one connection and is answered over another.
    Ask(ExchangeWork),
    /// Answers.
    Answer(ExchangeWork),
    /// Runs iperf3's server.
    Iperf3Server(Iperf3Work),
    /// Runs its client.
    Iperf3Client(Iperf3Work),
}

/// When something is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The test starts.
    pub start: u64,
    /// The measurement begins.
    pub from: u64,
    /// It ends, and with it the test; an amount without a time has none.
    pub until: Option<u64>,
    /// How long after the end silence means that nothing more is under way.
    pub settle: u64,
    /// Length of an interval of the series.
    pub every: u64,
}

/// One end of a connection or of a stream of datagrams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// Own address and port.
    pub local: SocketAddr,
    /// The other's.
    pub remote: SocketAddr,
    /// The IP TOS byte.
    pub class: u8,
    /// `SO_MARK`: what the host's routes go by where they know it; 0 for none.
    pub mark: u32,
}

/// Who begins a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// This end.
    Connect,
    /// The other one.
    Listen,
}

/// A connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Connection {
    /// Its ends.
    pub ends: Ends,
    /// Who begins it.
    pub side: Side,
    /// `TCP_CONGESTION`.
    pub algorithm: String,
    /// `TCP_WINDOW_CLAMP`.
    pub window_clamp: Option<u64>,
    /// `SO_RCVBUF`, before the kernel doubles it.
    pub receive_buffer: Option<u64>,
    /// `SO_SNDBUF`, before the kernel doubles it.
    pub send_buffer: Option<u64>,
}

/// One end of a bulk connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TcpWork {
    /// The connection.
    pub connection: Connection,
    /// When it is measured.
    pub span: Span,
    /// Payload to transfer; as much as there is time for if absent.
    pub bytes: Option<u64>,
    /// One of very many: nothing is sampled.
    pub quiet: bool,
}

/// One end of a test that asks and is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExchangeWork {
    /// The connection that carries requests.
    pub asking: Connection,
    /// The connection that carries answers.
    pub answering: Connection,
    /// When it is measured.
    pub span: Span,
    /// Bytes of a request.
    pub request: u64,
    /// Bytes of an answer.
    pub answer: u64,
    /// Requests that wait for their answer at most.
    pub outstanding: u64,
    /// From an answer to the request that follows it.
    pub think: u64,
    /// Requests in all, if there is an end.
    pub requests: Option<u64>,
}

/// When datagrams are due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Due {
    /// At equal gaps: bit/s of UDP payload.
    Rate(u64),
    /// Nanoseconds from each to the next, the first from the start.
    Gaps(Vec<u64>),
}

/// The sending end of a stream of datagrams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpSendWork {
    /// Its ends.
    pub ends: Ends,
    /// When it is measured.
    pub span: Span,
    /// Payload bytes of a datagram.
    pub size: u32,
    /// When they are due.
    pub due: Due,
}

/// The receiving end of a stream of datagrams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpReceiveWork {
    /// Its ends.
    pub ends: Ends,
    /// When it is measured.
    pub span: Span,
    /// Payload bytes of a datagram.
    pub size: u32,
    /// Datagrams due before the end.
    pub expected: u64,
}

/// Echo requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PingWork {
    /// Own address.
    pub local: IpAddr,
    /// Who is asked.
    pub remote: IpAddr,
    /// ICMP identifier.
    pub identifier: u16,
    /// The IP TOS byte.
    pub class: u8,
    /// `SO_MARK`, as of [`Ends`].
    pub mark: u32,
    /// TTL of the requests.
    pub ttl: u8,
    /// Bytes of the IP datagram.
    pub size: u32,
    /// First request.
    pub start: u64,
    /// From one request to the next.
    pub interval: u64,
    /// Requests.
    pub count: u64,
    /// How long an answer is waited for.
    pub timeout: u64,
}

/// One end of a test that iperf3 runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Iperf3Work {
    /// Its ends.
    pub ends: Ends,
    /// When it is measured.
    pub span: Span,
    /// Length of an interval of its series.
    pub interval_ns: u64,
    /// What is sent.
    pub kind: Iperf3Kind,
}

/// What iperf3 sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Iperf3Kind {
    /// One TCP connection.
    Tcp {
        /// Congestion control.
        algorithm: String,
        /// Payload to transfer.
        bytes: Option<u64>,
        /// Both ends' socket buffers, before the kernel doubles them.
        buffer: Option<u64>,
        /// The end that connects receives.
        reverse: bool,
    },
    /// A stream of datagrams.
    Udp {
        /// bit/s of payload.
        rate: u64,
        /// Payload bytes of a datagram.
        size: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn job() -> HostJob {
        let ends = Ends {
            local: "198.18.0.1:49152".parse().expect("an address"),
            remote: "[2001:db8::2]:5001".parse().expect("an address"),
            class: 0xb8,
            mark: 0,
        };
        let span = Span {
            start: 1,
            from: 2,
            until: Some(3),
            settle: 4,
            every: 5,
        };
        let connection = Connection {
            ends: ends.clone(),
            side: Side::Listen,
            algorithm: "reno".to_owned(),
            window_clamp: None,
            receive_buffer: Some(6),
            send_buffer: None,
        };
        let tcp = TcpWork {
            connection,
            span,
            bytes: None,
            quiet: false,
        };
        let udp = UdpSendWork {
            ends,
            span,
            size: 1472,
            due: Due::Gaps(vec![0, 7, 8]),
        };
        let works = [Work::TcpReceive(tcp), Work::UdpSend(udp)];
        HostJob {
            schema: JOB_SCHEMA.to_owned(),
            host: "a".to_owned(),
            tasks: works.map(|work| Task { flow: 1, work }).to_vec(),
        }
    }

    #[test]
    fn a_job_survives_its_text() {
        let text = serde_json::to_string(&job()).expect("a text");
        assert!(!text.contains('\n'), "one line");
        assert_eq!(serde_json::from_str::<HostJob>(&text).ok(), Some(job()));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(at in 0..400_usize, skip in 0..9_usize, with in "[-0-9eE\\[\\]{}\",:a-z]{0,6}") {
            let text = serde_json::to_string(&job()).expect("a text");
            let at = at.min(text.len());
            let end = (at + skip).min(text.len());
            let text = format!("{}{with}{}", &text[..at], &text[end..]);
            // Refused, or a job that is told as it was understood.
            if let Ok(job) = serde_json::from_str::<HostJob>(&text) {
                let again = serde_json::to_string(&job).expect("a text");
                prop_assert_eq!(serde_json::from_str::<HostJob>(&again).ok(), Some(job));
            }
        }
    }
}
