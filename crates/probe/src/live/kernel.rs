//! What the kernel says of connections (`sock_diag(7)`).

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{Emitable, Parseable};
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::{MemInfo, Nla};
use netlink_packet_sock_diag::inet::{
    ExtensionFlags, InetRequest, InetResponse, SocketId, StateFlags,
};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use super::{Details, Filter, Found, Snapshot};
use crate::netlink::Netlink;
use crate::tcp::TcpInfo;

/// `SOCK_DIAG_BY_FAMILY` (linux/sock_diag.h).
const BY_FAMILY: u16 = 20;

pub(super) struct Kernel {
    netlink: Netlink,
}

impl Kernel {
    pub(super) fn open() -> io::Result<Kernel> {
        let netlink = Netlink::open(NETLINK_SOCK_DIAG)?;
        Ok(Kernel { netlink })
    }

    /// Every connection of the own network namespace that carries data, or may, and matches.
    pub(super) fn connections(
        &mut self,
        now_ns: u64,
        filter: &Filter,
        found: &mut Vec<Found>,
    ) -> io::Result<()> {
        for (family, socket_id) in [
            (AF_INET, SocketId::new_v4()),
            (AF_INET6, SocketId::new_v6()),
        ] {
            let request = InetRequest {
                family,
                protocol: IPPROTO_TCP,
                extensions: ExtensionFlags::INFO | ExtensionFlags::CONG | ExtensionFlags::SKMEMINFO,
                states: StateFlags::ESTABLISHED
                    | StateFlags::FIN_WAIT1
                    | StateFlags::FIN_WAIT2
                    | StateFlags::CLOSE_WAIT
                    | StateFlags::LAST_ACK
                    | StateFlags::CLOSING,
                socket_id,
            };
            let mut question = vec![0; request.buffer_len()];
            request.emit(&mut question);
            let each = |body: &[u8]| {
                let entry = InetResponse::parse(body).ok();
                found.extend(entry.and_then(|e| self::found(now_ns, &e, filter)));
            };
            match self.netlink.list(BY_FAMILY, &question, each) {
                // A kernel without IPv6 has none of its connections.
                Err(_) if family == AF_INET6 => {}
                result => result?,
            }
        }
        Ok(())
    }
}

/// What an entry says, if it matches and the kernel gave its account.
pub(super) fn found(now_ns: u64, entry: &InetResponse, filter: &Filter) -> Option<Found> {
    let id = &entry.header.socket_id;
    let local = SocketAddr::new(id.source_address.to_canonical(), id.source_port);
    let peer = SocketAddr::new(id.destination_address.to_canonical(), id.destination_port);
    if !filter.matches(local, peer) {
        return None;
    }
    let (mut info, mut memory, mut cc) = (None, None, None);
    for attribute in &entry.nlas {
        match attribute {
            Nla::TcpInfo(bytes) => info = Some(TcpInfo::of_bytes(bytes)),
            Nla::MemInfo(said) => memory = Some(said),
            Nla::Congestion(name) => cc = Some(name.clone()),
            _ => {}
        }
    }
    let info = info?;
    Some(Found {
        cookie: u64::from_ne_bytes(id.cookie),
        inode: entry.header.inode,
        local,
        peer,
        cc,
        details: details(&info),
        snapshot: snapshot(
            now_ns,
            &info,
            memory,
            (entry.header.recv_queue, entry.header.state),
        ),
    })
}

/// CLOSE-WAIT, LAST-ACK and CLOSING (`include/net/tcp_states.h`): the other end's FIN has come.
const FIN_CAME: [u8; 3] = [8, 9, 11];

/// Bytes received, of as many as the kernel `counted` in this state: it counts a FIN as one.
fn received(counted: u64, state: u8) -> u64 {
    counted.saturating_sub(u64::from(FIN_CAME.contains(&state)))
}

fn details(info: &TcpInfo) -> Details {
    Details {
        mss: info.mss(),
        rtt_min_ns: info.rtt_min_ns(),
        receiver_rtt_ns: info.receiver_rtt_ns(),
        scaled: info.is_scaled(),
        pacing_limit_bps: info.pacing_limit_bps(),
        reordered: info.reordered(),
        needless: info.needless(),
        out_of_order: info.out_of_order(),
        has_timers: info.has_timers(),
    }
}

/// Segments that Linux gives a connection at first, and beyond which a send buffer grows for a writer that waits.
const FIRST: u64 = 10;

/// Windows that a send buffer has room for, by the kernel's tuning: two, or three with BBR (`tcp_sndbuf_expand`).
const WINDOWS: [u64; 2] = [2, 3];

/// What a packet's own account takes of a buffer beside its data, bytes (`struct sk_buff`, whole cache lines).
const PACKET: u64 = 256;

/// Whether a writer waits for room in a send buffer, by the bytes in it and its size: it does where two thirds are taken
/// (`sk_stream_is_writeable`). `cwnd` is in segments of `mss` bytes.
///
/// A buffer of the size that the kernel made it at first, with a larger window, nobody has waited for: it would have grown
/// (`tcp_new_space`). What is in it is what a slow program has under way.
pub fn is_full((queued, buffer): (u64, u64), mss: u64, cwnd: u64) -> bool {
    queued * 3 > buffer * 2 && !(cwnd > FIRST && is_first(buffer, mss))
}

/// Whether a buffer has the size that the kernel makes it at first: data and headers of a packet take a power of two.
fn is_first(buffer: u64, mss: u64) -> bool {
    let data = mss.next_power_of_two();
    let sizes = [data, 2 * data].map(|data| FIRST * (data + PACKET));
    let mut sizes = sizes.iter().flat_map(|size| WINDOWS.map(|n| n * size));
    sizes.any(|size| size == buffer)
}

fn snapshot(
    now_ns: u64,
    info: &TcpInfo,
    memory: Option<&MemInfo>,
    (unread, state): (u32, u8),
) -> Snapshot {
    let mut sample = info.sample(now_ns, 0);
    let mss = info.mss();
    sample.full = memory.is_some_and(|m| {
        let of = (m.send_queue.into(), m.send_queue_max.into());
        is_full(of, mss, sample.cwnd / mss.max(1))
    });
    Snapshot {
        sample,
        acked: info.bytes_acked(),
        received: received(info.bytes_received(), state),
        sent: info.bytes_sent(),
        resent: info.bytes_resent(),
        segments: info.segments(),
        retransmits: info.retransmits(),
        send_buffer: memory.map(|m| m.send_queue_max.into()),
        send_queue: memory.map(|m| m.send_queue.into()),
        receive_buffer: memory.map(|m| m.receive_queue_max.into()),
        unread: unread.into(),
        delivery_bps: info.delivery_bps(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_full, received};

    /// 10 000 bytes and a FIN; of a connection that has ended (7, CLOSE) nobody knows whether a FIN came.
    #[test]
    fn a_fin_does_not_count_as_a_byte() {
        for state in [8, 9, 11] {
            assert_eq!(received(10_001, state), 10_000, "{state}");
        }
        for state in [1, 4, 5, 7] {
            assert_eq!(received(10_001, state), 10_001, "{state}");
        }
        assert_eq!(received(0, 8), 0, "a kernel that does not count");
    }

    /// Linux 6.18, CUBIC on 80 ms: a program that writes 8 kB every 20 ms, and never waits. 46 080 = 2 · 10 · 2304.
    #[test]
    fn a_buffer_that_never_grew_for_its_window_is_not_waited_for() {
        assert!(!is_full((45_000, 46_080), 1428, 40));
        assert!(!is_full((85_000, 87_040), 1428, 40));
        assert!(!is_full((69_000, 69_120), 1428, 40), "BBR");
        // With the first window the kernel would not have made it larger.
        assert!(is_full((45_000, 46_080), 1428, 10));
        // One that a program asked for, and one that has grown.
        assert!(is_full((45_000, 65_536), 1428, 40));
        assert!(is_full((150_000, 184_320), 1428, 40));
        assert!(!is_full((43_000, 65_536), 1428, 40), "a third is free");
        assert!(!is_full((0, 0), 0, 0));
    }
}
