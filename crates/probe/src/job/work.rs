//! What one end of a flow does: the list of the programs.

use serde::{Deserialize, Serialize};

use super::{
    ExchangeWork, Iperf3Work, JobError, PingWork, TcpWork, UdpReceiveWork, UdpSendWork, check,
};

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
}
