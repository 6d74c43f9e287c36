//! The kernel's last words on connections that end (`SKNLGRP_INET_TCP_DESTROY` of `sock_diag(7)`).

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{NetlinkBuffer, Parseable};
use netlink_packet_sock_diag::inet::InetResponse;
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use super::{Filter, Snapshot, kernel};

/// `SKNLGRP_INET_TCP_DESTROY` and `SKNLGRP_INET6_TCP_DESTROY` (linux/sock_diag.h), as bits.
const GROUPS: u32 = 1 << 0 | 1 << 2;

/// Room for a thousand connections that end at once, and half of that where the machine allows no more.
const ROOM: usize = 1 << 20;

/// A connection that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub peer: SocketAddr,
    /// What its kernel had counted, without a time.
    pub last: Snapshot,
}

/// Hears of every TCP connection of one network namespace that ends.
pub struct Ends {
    socket: Socket,
}

impl Ends {
    /// Listens in the network namespace of the calling thread, and goes on to wherever it is used.
    ///
    /// # Errors
    /// Where the kernel has no `NETLINK_SOCK_DIAG`, or tells nobody of ends (before Linux 4.2).
    pub fn listen() -> io::Result<Ends> {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.set_rx_buf_sz(ROOM as i32)?;
        socket.set_non_blocking(true)?;
        socket.bind(&netlink_sys::SocketAddr::new(0, GROUPS))?;
        Ok(Ends { socket })
    }

    /// Those that have ended since this was last asked. Where they were too many for the kernel to keep, some are missing.
    pub fn ended(&self) -> Vec<Ended> {
        let mut all = Vec::new();
        loop {
            match self.socket.recv_from_full() {
                Ok((bytes, _)) => all.extend(ended(&bytes)),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return all,
                Err(e) if e.raw_os_error() == Some(nix::libc::ENOBUFS) => {}
                Err(_) => return all,
            }
        }
    }
}

/// What a message says, if it is of a connection.
fn ended(bytes: &[u8]) -> Option<Ended> {
    let packet = NetlinkBuffer::new_checked(bytes).ok()?;
    let entry = InetResponse::parse(packet.payload()).ok()?;
    let found = kernel::found(0, &entry, &Filter::default())?;
    // One that listened has no other end.
    (found.peer.port() != 0).then_some(Ended {
        local: found.local,
        peer: found.peer,
        last: found.snapshot,
    })
}
