//! The jobs of hosts.
//!
//! [`Jobs`] makes jobs: from the description of a flow come the tasks of both its ends. A [`HostJob`] is everything
//! one host does, as one JSON text. Whether it was made here or read, every task in it can be done as it
//! stands, or it is a [`JobError`].
//!
//! In a [`Task`] times are nanoseconds of the run and sizes are bytes.

pub(crate) mod check;
pub(crate) mod jobs;
mod work;

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

pub use check::JobError;
pub use jobs::{Begun, Bulk, Datagrams, End, Exchange, Iperf3, Jobs, Pacing, Ping, Stream, Timing};
pub use work::Work;

/// `schema` of a [`HostJob`].
pub const JOB_SCHEMA: &str = "farpath.probe/4";

/// Everything one host does in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Told")]
pub struct HostJob {
    schema: String,
    host: String,
    tasks: Vec<Task>,
}

/// A job as it was read, not yet checked.
#[derive(Deserialize)]
struct Told {
    schema: String,
    host: String,
    tasks: Vec<Task>,
}

impl TryFrom<Told> for HostJob {
    type Error = JobError;

    fn try_from(told: Told) -> Result<HostJob, JobError> {
        if told.schema != JOB_SCHEMA {
            return Err(JobError::Schema(told.schema));
        }
        let mut job = HostJob::new(&told.host);
        for task in told.tasks {
            job.fits(&task).map_err(|why| JobError::Flow {
                flow: task.flow,
                why: Box::new(why),
            })?;
            job.tasks.push(task);
        }
        Ok(job)
    }
}

impl HostJob {
    fn new(host: &str) -> HostJob {
        HostJob {
            schema: JOB_SCHEMA.to_owned(),
            host: host.to_owned(),
            tasks: Vec::new(),
        }
    }

    /// Whether a task can be done beside the others.
    fn fits(&self, task: &Task) -> Result<(), JobError> {
        task.work.check()?;
        if self.tasks.len() == MOST_TASKS {
            return Err(JobError::TooMany);
        }
        if self.tasks.iter().any(|other| other.flow == task.flow) {
            return Err(JobError::Twice(self.host.clone()));
        }
        Ok(())
    }

    /// The host's name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its tasks, each at its own time.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Whether what flow `flow` sends from this host carries a mark.
    pub fn marks(&self, flow: usize) -> bool {
        self.tasks.iter().any(|task| task.mark(flow) != 0)
    }
}

/// Tasks of one host at most: each has a thread.
const MOST_TASKS: usize = 1 << 16;

/// Datagrams of which each has a time of its own, at most.
pub const MOST_GAPS: usize = 2_000_000;

/// Requests whose answers are waited for, at most.
const MOST_OUTSTANDING: u64 = 1 << 20;

/// One end of one flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number of the flow in the plan.
    pub flow: usize,
    /// What is done.
    pub work: Work,
}

impl Task {
    /// The mark of what it sends as flow `flow`; 0 for none.
    fn mark(&self, flow: usize) -> u32 {
        // The requests of an exchange are the flow after its answers.
        let marks = self.work.marks();
        let marked = marks.iter().zip(self.flow..).find(|(_, own)| *own == flow);
        marked.map_or(0, |(mark, _)| *mark)
    }
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
    /// Intervals are counted from here: of all connections of a test from one instant, whenever each starts.
    pub counted: u64,
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
    /// `SO_MAX_PACING_RATE`, bytes of payload a second: the kernel spreads what it sends, at this rate at most. The largest
    /// number but one leaves the rate to the kernel.
    pub pacing: Option<u64>,
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
        /// Bytes of payload a second at most, as a connection's.
        pacing: Option<u64>,
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
            local: "[2001:db8::1]:49152".parse().expect("an address"),
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
            counted: 1,
        };
        let connection = Connection {
            ends: ends.clone(),
            side: Side::Listen,
            algorithm: "reno".to_owned(),
            window_clamp: None,
            receive_buffer: Some(6),
            send_buffer: None,
            pacing: None,
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
        let flows = works.into_iter().enumerate();
        HostJob {
            tasks: flows.map(|(flow, work)| Task { flow, work }).collect(),
            ..HostJob::new("a")
        }
    }

    #[test]
    fn a_job_survives_its_text() {
        let text = serde_json::to_string(&job()).expect("a text");
        assert!(!text.contains('\n'), "one line");
        assert_eq!(serde_json::from_str::<HostJob>(&text).ok(), Some(job()));
    }

    #[test]
    fn a_job_that_cannot_be_done_is_not_read() {
        let text = serde_json::to_string(&job()).expect("a text");
        let read = |text: String| serde_json::from_str::<HostJob>(&text).expect_err("refused");
        let small = read(text.replace("\"size\":1472", "\"size\":15"));
        let words =
            "flow 1: datagrams carry a number and a time: 16 to 65487 bytes of payload, not 15";
        assert!(small.to_string().starts_with(words), "{small}");
        let twice = read(text.replace("\"flow\":1", "\"flow\":0"));
        assert!(
            twice
                .to_string()
                .starts_with("flow 0: `a` has an end of this flow already"),
            "{twice}"
        );
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(at in 0..400_usize, skip in 0..9_usize, with in "[-0-9eE\\[\\]{}\",:a-z]{0,6}") {
            let text = serde_json::to_string(&job()).expect("a text");
            let at = at.min(text.len());
            let end = (at + skip).min(text.len());
            let text = format!("{}{with}{}", &text[..at], &text[end..]);
            // Refused, or a job that is written as it was read.
            if let Ok(job) = serde_json::from_str::<HostJob>(&text) {
                let again = serde_json::to_string(&job).expect("a text");
                prop_assert_eq!(serde_json::from_str::<HostJob>(&again).ok(), Some(job));
            }
        }
    }
}
