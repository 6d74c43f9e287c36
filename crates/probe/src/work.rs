//! The programs of this crate: its job, how it comes to run, and what it reports.
//!
//! A program is a pair of variants, of [`Work`] and of [`Report`], and an answer to each question asked here; what
//! else it is lies in a file of its own.

mod one_way;

use serde::{Deserialize, Serialize};

use crate::exchange::{self, Both};
use crate::iperf3::{self, Iperf3Error, Server};
use crate::job::{
    ExchangeWork, Iperf3Work, JobError, PingWork, TcpWork, UdpReceiveWork, UdpSendWork, check,
};
use crate::report::{
    AskReport, Iperf3Report, PingReport, TcpReceiveReport, TcpSendReport, UdpReceiveReport,
    UdpSendReport,
};
use crate::socket::{Prepared, SocketError};
use crate::watch::Watch;
use crate::{ping, tcp, udp};

pub use one_way::{OneWay, OneWayReport};

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
    /// Times datagrams as they arrive.
    OneWay(UdpReceiveWork),
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

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error(transparent)]
    Iperf3(#[from] Iperf3Error),
}

/// A task whose sockets are there, to be run once.
pub(crate) type Ready<'a> = Box<dyn FnOnce(&Watch) -> Result<Report, TaskError> + Send + 'a>;

impl Work {
    /// Whether it can be done.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        match self {
            Work::Ping(work) => check::ping(work),
            Work::UdpSend(work) => check::udp_send(work),
            Work::UdpReceive(work) | Work::OneWay(work) => {
                check::datagrams(&work.ends, work.span, work.size)
            }
            Work::TcpSend(work) | Work::TcpReceive(work) => check::tcp(work),
            Work::Ask(work) | Work::Answer(work) => check::exchange(work),
            Work::Iperf3Server(work) | Work::Iperf3Client(work) => check::iperf3(work),
        }
    }

    /// The marks of what it sends: as its flow and, of an exchange, as the flow of requests after it. 0 is none.
    pub(crate) fn marks(&self) -> [u32; 2] {
        match self {
            Work::Ask(work) | Work::Answer(work) => {
                [work.answering.ends.mark, work.asking.ends.mark]
            }
            Work::TcpSend(work) | Work::TcpReceive(work) => [work.connection.ends.mark, 0],
            Work::UdpSend(work) => [work.ends.mark, 0],
            Work::UdpReceive(work) | Work::OneWay(work) => [work.ends.mark, 0],
            Work::Ping(work) => [work.mark, 0],
            Work::Iperf3Client(_) | Work::Iperf3Server(_) => [0, 0],
        }
    }

    /// Opens and binds its sockets; what is left is to run it.
    pub(crate) fn prepare(&self) -> Result<Ready<'_>, TaskError> {
        Ok(match self {
            Work::Ping(work) => ready(ping::Prepared::new(work)?, work, ping::ping, Report::Ping),
            Work::UdpSend(work) => {
                let socket = udp::Prepared::new(&work.ends)?;
                ready(socket, work, udp::send, Report::UdpSend)
            }
            Work::UdpReceive(work) => {
                let socket = udp::Prepared::new(&work.ends)?;
                ready(socket, work, udp::receive, Report::UdpReceive)
            }
            Work::OneWay(work) => {
                let socket = udp::Prepared::new(&work.ends)?;
                ready(socket, work, one_way::receive, Report::OneWay)
            }
            Work::TcpSend(work) => {
                let socket = Prepared::new(&work.connection)?;
                ready(socket, work, tcp::send, Report::TcpSend)
            }
            Work::TcpReceive(work) => {
                let socket = Prepared::new(&work.connection)?;
                ready(socket, work, tcp::receive, Report::TcpReceive)
            }
            Work::Ask(work) => ready(Both::new(work)?, work, exchange::ask, Report::Ask),
            Work::Answer(work) => ready(Both::new(work)?, work, exchange::answer, Report::Answer),
            Work::Iperf3Server(work) => {
                let server = Server::new(work)?;
                Box::new(move |watch| Ok(server.serve(watch).map(|()| Report::Iperf3Server)?))
            }
            Work::Iperf3Client(work) => {
                Box::new(move |watch| Ok(Report::Iperf3(iperf3::client(work, watch)?)))
            }
        })
    }
}

/// `run` on `sockets`, when its time has come.
fn ready<'a, S: Send + 'a, W: Sync, R: 'a>(
    sockets: S,
    work: &'a W,
    run: fn(S, &W, &Watch) -> Result<R, SocketError>,
    report: fn(R) -> Report,
) -> Ready<'a> {
    Box::new(move |watch| Ok(report(run(sockets, work, watch)?)))
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
