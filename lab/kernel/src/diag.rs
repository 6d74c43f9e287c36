//! A connection's state as the kernel tells it: `TCP_INFO` by way of `NETLINK_SOCK_DIAG` (man 7 sock_diag),
//! what `ss -tin` prints, without starting a program for every sample.

use std::net::SocketAddrV4;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

/// What a sample keeps of `struct tcp_info` (linux/tcp.h).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TcpInfo {
    /// Congestion window in segments.
    pub(crate) cwnd: u32,
    /// Slow-start threshold in segments; 0x7fffffff before the first reduction.
    pub(crate) ssthresh: u32,
    /// Smoothed round-trip time in µs.
    pub(crate) rtt_us: u32,
    /// Smallest round-trip time in µs.
    pub(crate) rtt_min_us: u32,
    /// Segments sent and not acknowledged.
    pub(crate) unacked: u32,
    /// Segments sent again, in all.
    pub(crate) retransmits: u32,
    /// Payload bytes acknowledged, and the SYN's one.
    pub(crate) bytes_acked: u64,
    /// Largest segment in bytes.
    pub(crate) mss: u32,
    /// Congestion state: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub(crate) state: u8,
    /// µs for which the receiver's window was the limit.
    pub(crate) window_limited_us: u64,
    /// µs for which the send buffer was the limit.
    pub(crate) buffer_limited_us: u64,
    /// The congestion control's name.
    pub(crate) control: String,
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const AF_INET: u8 = 2;
const IPPROTO_TCP: u8 = 6;
/// Attributes of the answer (linux/inet_diag.h).
const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_CONG: u16 = 4;
/// Bytes of `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg`.
const HEADER: usize = 16;
const REQUEST: usize = 56;
const ANSWER: usize = 72;

/// Asks the kernel for one connection of the namespace it was opened in.
pub(crate) struct Diag {
    socket: OwnedFd,
    request: [u8; HEADER + REQUEST],
}

impl Diag {
    /// For the connection between these addresses; `local` is on this host.
    pub(crate) fn open(local: SocketAddrV4, remote: SocketAddrV4) -> nix::Result<Diag> {
        let socket = socket(
            AddressFamily::Netlink,
            SockType::Datagram,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkSockDiag,
        )?;
        Ok(Diag {
            socket,
            request: request(local, remote),
        })
    }

    /// The connection now; `None` when there is none.
    pub(crate) fn ask(&self) -> nix::Result<Option<TcpInfo>> {
        let fd = self.socket.as_raw_fd();
        sendto(
            fd,
            &self.request,
            &NetlinkAddr::new(0, 0),
            MsgFlags::empty(),
        )?;
        let mut answer = [0; 4096];
        let len = recv(fd, &mut answer, MsgFlags::empty())?;
        Ok(parse(&answer[..len]))
    }
}

/// A netlink request for one TCP connection over IPv4, state and congestion control.
fn request(local: SocketAddrV4, remote: SocketAddrV4) -> [u8; HEADER + REQUEST] {
    let mut r = [0; HEADER + REQUEST];
    r[0..4].copy_from_slice(&((HEADER + REQUEST) as u32).to_ne_bytes());
    r[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    r[6..8].copy_from_slice(&NLM_F_REQUEST.to_ne_bytes());
    let body = &mut r[HEADER..];
    body[0] = AF_INET;
    body[1] = IPPROTO_TCP;
    body[2] = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1);
    body[4..8].fill(0xff); // every state
    body[8..10].copy_from_slice(&local.port().to_be_bytes());
    body[10..12].copy_from_slice(&remote.port().to_be_bytes());
    body[12..16].copy_from_slice(&local.ip().octets());
    body[28..32].copy_from_slice(&remote.ip().octets());
    body[48..56].fill(0xff); // no cookie
    r
}

/// The first answer in a netlink datagram; `None` for an error and for anything cut short.
fn parse(datagram: &[u8]) -> Option<TcpInfo> {
    let len = u32_at(datagram, 0)? as usize;
    let kind = u16::from_ne_bytes(datagram.get(4..6)?.try_into().ok()?);
    if kind != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let mut attributes = datagram.get(HEADER + ANSWER..len)?;
    let mut control = String::new();
    let mut found = None;
    while attributes.len() >= 4 {
        let len = usize::from(u16::from_ne_bytes([attributes[0], attributes[1]]));
        let kind = u16::from_ne_bytes([attributes[2], attributes[3]]);
        let value = attributes.get(4..len)?;
        match kind {
            INET_DIAG_INFO => found = Some(info(value)?),
            INET_DIAG_CONG => {
                let text = value.split(|b| *b == 0).next().unwrap_or_default();
                control = String::from_utf8_lossy(text).into_owned();
            }
            _ => {}
        }
        attributes = attributes
            .get(len.next_multiple_of(4)..)
            .unwrap_or_default();
    }
    found.map(|info| TcpInfo { control, ..info })
}

/// `struct tcp_info`, whose fields stay where they are: new ones are added at its end.
fn info(value: &[u8]) -> Option<TcpInfo> {
    Some(TcpInfo {
        state: *value.get(1)?,
        mss: u32_at(value, 16)?,
        unacked: u32_at(value, 24)?,
        rtt_us: u32_at(value, 68)?,
        ssthresh: u32_at(value, 76)?,
        cwnd: u32_at(value, 80)?,
        retransmits: u32_at(value, 100)?,
        bytes_acked: u64_at(value, 120)?,
        rtt_min_us: u32_at(value, 148)?,
        window_limited_us: u64_at(value, 176)?,
        buffer_limited_us: u64_at(value, 184)?,
        control: String::new(),
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer as the kernel builds it: header, message, then attributes padded to four bytes.
    fn answer(attributes: &[(u16, &[u8])]) -> Vec<u8> {
        let mut a = vec![0; HEADER + ANSWER];
        for (kind, value) in attributes {
            a.extend((4 + value.len() as u16).to_ne_bytes());
            a.extend(kind.to_ne_bytes());
            a.extend(*value);
            a.resize(a.len().next_multiple_of(4), 0);
        }
        let len = a.len() as u32;
        a[0..4].copy_from_slice(&len.to_ne_bytes());
        a[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
        a
    }

    fn tcp_info() -> Vec<u8> {
        let mut info = vec![0; 232];
        info[1] = 3;
        for (at, value) in [
            (16, 1448_u32),
            (24, 90),
            (68, 100_500),
            (76, 70),
            (80, 93),
            (100, 4),
            (148, 100_010),
        ] {
            info[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        for (at, value) in [(120, 5_000_000_001_u64), (176, 7), (184, 8)] {
            info[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        info
    }

    #[test]
    fn an_answer_with_both_attributes_in_any_order() {
        let info = tcp_info();
        for order in [
            [(2, info.as_slice()), (4, b"cubic\0")],
            [(4, b"cubic\0"), (2, &info)],
        ] {
            let found = parse(&answer(&order)).expect("a connection");
            assert_eq!((found.cwnd, found.ssthresh, found.unacked), (93, 70, 90));
            assert_eq!(
                (found.rtt_us, found.rtt_min_us, found.retransmits),
                (100_500, 100_010, 4)
            );
            assert_eq!(
                (found.bytes_acked, found.mss, found.state),
                (5_000_000_001, 1448, 3)
            );
            assert_eq!((found.window_limited_us, found.buffer_limited_us), (7, 8));
            assert_eq!(found.control, "cubic");
        }
    }

    #[test]
    fn errors_and_what_is_cut_short_are_none_and_nothing_panics() {
        let info = tcp_info();
        let whole = answer(&[(2, &info), (4, b"reno\0")]);
        for len in 0..whole.len() {
            assert_eq!(parse(&whole[..len]), None, "{len}");
        }
        let mut error = whole.clone();
        error[4] = 2; // NLMSG_ERROR
        assert_eq!(parse(&error), None);
        assert_eq!(parse(&answer(&[(4, b"reno\0")])), None);
        assert_eq!(parse(&answer(&[(2, &info[..100])])), None);
        let mut endless = whole;
        endless[HEADER + ANSWER..HEADER + ANSWER + 2].fill(0); // an attribute of length 0
        assert_eq!(parse(&endless), None);
    }

    #[test]
    fn a_request_names_the_connection() {
        let r = request(
            "10.1.2.3:4660".parse().expect("an address"),
            "10.4.5.6:80".parse().expect("an address"),
        );
        assert_eq!(u32_at(&r, 0), Some(72));
        assert_eq!(r[16 + 8..16 + 16], [0x12, 0x34, 0, 80, 10, 1, 2, 3]);
        assert_eq!(r[16 + 28..16 + 32], [10, 4, 5, 6]);
    }
}
