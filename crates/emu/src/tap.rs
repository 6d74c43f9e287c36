//! The data plane's end of a host's interface.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::capture::Watch;
use crate::plane::Interface;
use crate::sys;

pub use crate::sys::HEADER;

/// Most bytes one read gives: header, Ethernet header, the largest super-frame.
pub const LARGEST: usize = HEADER + 14 + 65_536;

/// What kind of descriptor an interface's far end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Device {
    /// A TAP in the host's namespace.
    Tap,
    /// A packet socket at the far end of a veth pair: where there is no `/dev/net/tun`.
    Packet,
}

/// The data plane's end of one interface of a host: each read is what the host sent, each write is
/// something the host receives; [`HEADER`] bytes of `virtio_net_hdr`, then an Ethernet frame, which
/// may be a super-frame (TSO, USO) with an unfinished checksum.
///
/// The interface does no neighbour discovery: what the host sends carries its own address as
/// destination, and what is written must carry [`Tap::mac`] as destination, or the host will not
/// take it for its own.
#[derive(Debug)]
pub struct Tap {
    fd: OwnedFd,
    /// What a packet socket has said it dropped; it says each only once.
    dropped: AtomicU64,
    /// Where what passes is noted.
    pub(crate) watch: Option<Watch>,
    /// TAP or packet socket.
    pub device: Device,
    /// The interface's name in the host, such as `eth0`.
    pub name: String,
    /// The interface's address.
    pub mac: [u8; 6],
}

impl Tap {
    pub(crate) fn new(fd: OwnedFd, device: Device, name: &str, mac: [u8; 6]) -> Tap {
        let name = name.to_owned();
        Tap {
            fd,
            dropped: AtomicU64::new(0),
            watch: None,
            device,
            name,
            mac,
        }
    }

    /// One frame into `buffer`, header first; its length in bytes. A buffer of [`LARGEST`] bytes is
    /// always enough; of a longer frame the rest is lost.
    ///
    /// # Errors
    /// `EAGAIN` when the host has sent nothing.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        nix::unistd::read(&self.fd, buffer)
    }

    /// One frame out of `parts`, header first.
    ///
    /// # Errors
    /// `EINVAL` for a header that contradicts the frame; `EAGAIN` or `ENOBUFS` when the kernel has no
    /// room; `EIO` while the interface is down.
    pub fn write(&self, parts: &[IoSlice<'_>]) -> Result<usize, Errno> {
        nix::sys::uio::writev(&self.fd, parts)
    }

    /// Frames of the host that found no room so far, as far as the descriptor knows: those of a TAP
    /// are counted by the interface, [`crate::Counters::interfaces`].
    ///
    /// # Errors
    /// Whatever the kernel says to a question it knows.
    pub fn drops(&self) -> Result<u64, Errno> {
        let new = match self.device {
            Device::Tap => 0,
            Device::Packet => sys::packet_drops(self.fd.as_fd())?,
        };
        Ok(self.dropped.fetch_add(new, Ordering::Relaxed) + new)
    }
}

impl Interface for Tap {
    fn take(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.read(into)?;
        if let Some(watch) = &self.watch {
            watch.see(&[IoSlice::new(&into[..length])]);
        }
        Ok(length)
    }

    fn give(&mut self, parts: &[IoSlice<'_>]) -> io::Result<()> {
        match self.write(parts) {
            Ok(_) => {
                if let Some(watch) = &self.watch {
                    watch.see(parts);
                }
                Ok(())
            }
            // A packet socket's way of saying that the host's queue is full.
            Err(Errno::ENOBUFS) => Err(io::ErrorKind::WouldBlock.into()),
            Err(e) => Err(e.into()),
        }
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl AsRawFd for Tap {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}
