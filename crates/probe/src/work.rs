//! The programs of this crate: how each comes to run.
//!
//! A program is a pair of variants, of [`Work`] and of [`Report`], and an answer to each question asked here and of
//! [`Work`]; what else it is lies in a file of its own.

mod one_way;

use crate::exchange::{self, Both};
use crate::iperf3::{self, Iperf3Error, Server};
pub use crate::job::Work;
use crate::report::Report;
use crate::socket::{Prepared, SocketError};
use crate::watch::Watch;
use crate::{ping, tcp, udp};

pub use one_way::OneWay;

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
