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
        local,
        peer,
        cc,
        details: details(&info),
        snapshot: snapshot(now_ns, &info, memory, entry.header.recv_queue),
    })
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

fn snapshot(now_ns: u64, info: &TcpInfo, memory: Option<&MemInfo>, unread: u32) -> Snapshot {
    let mut sample = info.sample(now_ns, 0);
    // A writer waits where two thirds of the buffer are taken (`sk_stream_is_writeable`).
    sample.full =
        memory.is_some_and(|m| u64::from(m.send_queue) * 3 > u64::from(m.send_queue_max) * 2);
    Snapshot {
        sample,
        acked: info.bytes_acked(),
        received: info.bytes_received(),
        sent: info.bytes_sent(),
        resent: info.bytes_resent(),
        segments: info.segments(),
        retransmits: info.retransmits(),
        send_buffer: memory.map(|m| m.send_queue_max.into()),
        receive_buffer: memory.map(|m| m.receive_queue_max.into()),
        unread: unread.into(),
        delivery_bps: info.delivery_bps(),
    }
}
