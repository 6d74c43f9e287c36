//! What a task must be so that it can be done.

use std::net::{IpAddr, SocketAddr};

use super::{
    Connection, Due, Ends, ExchangeWork, Iperf3Kind, Iperf3Work, JOB_SCHEMA, MOST_GAPS,
    MOST_OUTSTANDING, MOST_TASKS, PingWork, Side, Span, TcpWork, UdpSendWork,
};
use crate::{datagram, icmp};

/// Why a text is not a job, or a flow cannot be part of one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// It was written for another program.
    #[error("it is of `{0}`, not of `{JOB_SCHEMA}`")]
    Schema(String),
    /// One of its flows is wrong.
    #[error("flow {flow}: {why}")]
    Flow {
        /// Number of the flow.
        flow: usize,
        /// What is wrong with it.
        why: Box<JobError>,
    },
    /// More than one thread each can be given to.
    #[error("a host does {MOST_TASKS} tasks at most")]
    TooMany,
    /// A flow has two ends, on two hosts.
    #[error("`{0}` has an end of this flow already")]
    Twice(String),
    /// One end speaks IPv4 and the other IPv6.
    #[error("{0} and {1} are of different IP versions")]
    Versions(IpAddr, IpAddr),
    /// An end that is waited for, or sent to, has no port.
    #[error("{0} has no port")]
    NoPort(SocketAddr),
    /// The measurement ends before it begins, or the flow ends before it starts.
    #[error(
        "nothing is measured: the flow starts at {start} ns, is measured from {from} ns, and ends at {until} ns"
    )]
    NoTime {
        /// Start of the flow.
        start: u64,
        /// Start of the measurement.
        from: u64,
        /// End of both.
        until: u64,
    },
    /// A length that must not be zero is.
    #[error("{0} is zero")]
    Zero(&'static str),
    /// No kernel has a congestion control of such a name.
    #[error("`{0}` names no congestion control: names have 1 to 15 characters, and no spaces")]
    Algorithm(String),
    /// A datagram has no room for what it carries, or a network none for the datagram.
    #[error(
        "datagrams carry a number and a time: {} to {} bytes of payload, not {size}",
        datagram::HEADER,
        datagram::MOST_BYTES
    )]
    Datagram {
        /// Bytes wanted.
        size: u32,
    },
    /// More datagrams have a time of their own than fit in a job.
    #[error(
        "more than {MOST_GAPS} datagrams at times of their own: shorten the test, or send at equal gaps"
    )]
    Gaps,
    /// An echo request is shorter than its headers, or longer than a datagram.
    #[error("an echo request over IPv{version} has {least} to 65535 bytes, not {size}")]
    Echo {
        /// 4 or 6.
        version: u8,
        /// Bytes of its headers.
        least: u32,
        /// Bytes wanted.
        size: u32,
    },
    /// More requests wait for an answer than are remembered.
    #[error("{0} requests wait for their answer; {MOST_OUTSTANDING} at most are remembered")]
    Outstanding(u64),
    /// Requests do not come from where the answers go.
    #[error("the requests go from `{0}` to `{1}`, the answers do not go back")]
    Crossed(String, String),
    /// The sockets of other programs cannot be marked.
    #[error("sockets of iperf3 carry no mark")]
    Unmarked,
}

pub(crate) fn ping(work: &PingWork) -> Result<(), JobError> {
    versions(work.local, work.remote)?;
    let (version, header) = match work.local {
        IpAddr::V4(_) => (4, 20),
        IpAddr::V6(_) => (6, 40),
    };
    let (least, size) = (header + icmp::HEADER as u32, work.size);
    if !(least..=65_535).contains(&size) {
        return Err(JobError::Echo {
            version,
            least,
            size,
        });
    }
    match work.ttl {
        0 => Err(JobError::Zero("the TTL")),
        _ => Ok(()),
    }
}

pub(crate) fn udp_send(work: &UdpSendWork) -> Result<(), JobError> {
    if let Due::Rate(0) = work.due {
        return Err(JobError::Zero("the rate"));
    }
    if matches!(&work.due, Due::Gaps(gaps) if gaps.len() > MOST_GAPS) {
        return Err(JobError::Gaps);
    }
    datagrams(&work.ends, work.span, work.size)
}

pub(crate) fn datagrams(ends: &Ends, when: Span, size: u32) -> Result<(), JobError> {
    span(when)?;
    ports(ends)?;
    datagram(size)
}

fn datagram(size: u32) -> Result<(), JobError> {
    let fits = size as usize >= datagram::HEADER && u64::from(size) <= datagram::MOST_BYTES;
    fits.then_some(()).ok_or(JobError::Datagram { size })
}

pub(crate) fn tcp(work: &TcpWork) -> Result<(), JobError> {
    span(work.span)?;
    connection(&work.connection)
}

pub(crate) fn iperf3(work: &Iperf3Work) -> Result<(), JobError> {
    span(work.span)?;
    ports(&work.ends)?;
    if work.ends.mark != 0 {
        return Err(JobError::Unmarked);
    }
    match &work.kind {
        Iperf3Kind::Tcp {
            pacing: Some(0), ..
        } => Err(JobError::Zero("the pacing rate")),
        Iperf3Kind::Tcp { algorithm: cc, .. } => algorithm(cc),
        Iperf3Kind::Udp { rate: 0, .. } => Err(JobError::Zero("the rate")),
        Iperf3Kind::Udp { size, .. } => datagram(*size),
    }
}

pub(crate) fn exchange(work: &ExchangeWork) -> Result<(), JobError> {
    span(work.span)?;
    connection(&work.asking)?;
    connection(&work.answering)?;
    for (what, amount) in [
        ("a request", work.request),
        ("an answer", work.answer),
        ("the number of requests that may wait", work.outstanding),
    ] {
        if amount == 0 {
            return Err(JobError::Zero(what));
        }
    }
    if work.outstanding > MOST_OUTSTANDING {
        return Err(JobError::Outstanding(work.outstanding));
    }
    Ok(())
}

fn connection(connection: &Connection) -> Result<(), JobError> {
    let Ends { local, remote, .. } = connection.ends;
    versions(local.ip(), remote.ip())?;
    // The end that begins may leave its own port to the kernel.
    let known = match connection.side {
        Side::Connect => remote,
        Side::Listen => local,
    };
    port(known)?;
    if connection.pacing == Some(0) {
        return Err(JobError::Zero("the pacing rate"));
    }
    algorithm(&connection.algorithm)
}

/// `TCP_CA_NAME_MAX` is 16, with the zero at the end.
fn algorithm(name: &str) -> Result<(), JobError> {
    let fits = (1..16).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
    fits.then_some(())
        .ok_or_else(|| JobError::Algorithm(name.to_owned()))
}

fn span(span: Span) -> Result<(), JobError> {
    if span.every == 0 {
        return Err(JobError::Zero("an interval"));
    }
    match span.until {
        Some(until) if until <= span.from.max(span.start) => Err(JobError::NoTime {
            start: span.start,
            from: span.from,
            until,
        }),
        _ => Ok(()),
    }
}

fn ports(ends: &Ends) -> Result<(), JobError> {
    versions(ends.local.ip(), ends.remote.ip())?;
    port(ends.local)?;
    port(ends.remote)
}

fn port(address: SocketAddr) -> Result<(), JobError> {
    match address.port() {
        0 => Err(JobError::NoPort(address)),
        _ => Ok(()),
    }
}

fn versions(local: IpAddr, remote: IpAddr) -> Result<(), JobError> {
    let same = local.is_ipv4() == remote.is_ipv4();
    same.then_some(()).ok_or(JobError::Versions(local, remote))
}
