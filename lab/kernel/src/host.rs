//! A host: a thread in a network namespace of its own, with a TUN device as its only interface.
//!
//! The namespace has no name and the device is not persistent, so both go with the thread and the
//! descriptor: nothing is left behind, however the process ends.

use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::Command;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::socket::sockopt::{RcvBufForce, SndBufForce, TcpCongestion};
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrIn, bind, connect, getsockopt, listen,
    setsockopt, socket,
};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::fault::Fault;

/// The interface's name inside each namespace.
pub(crate) const DEVICE: &str = "path0";
/// The port data is sent to.
pub(crate) const PORT: u16 = 5001;
/// Socket buffers: no window of a comparison comes near.
const BUFFER: usize = 64 << 20;
/// Packets in front of the device: more than any burst, so that nothing is lost out of sight.
const DEVICE_QUEUE: &str = "20000";

/// What is set in each namespace. The first two keep a run from remembering another; the third has no
/// counterpart in the model; the fourth keeps strangers off the path.
const SETTINGS: [(&str, &str); 4] = [
    ("net/ipv4/tcp_no_metrics_save", "1"),
    ("net/ipv4/tcp_rmem", "4096 67108864 67108864"),
    ("net/ipv4/tcp_comp_sack_nr", "0"),
    ("net/ipv6/conf/all/disable_ipv6", "1"),
];

/// One of the two hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// Its address.
    pub(crate) address: Ipv4Addr,
}

impl Host {
    pub(crate) const SENDER: Host = Host {
        address: Ipv4Addr::new(10, 77, 0, 1),
    };
    pub(crate) const RECEIVER: Host = Host {
        address: Ipv4Addr::new(10, 77, 0, 2),
    };

    /// Makes the calling thread this host, for ever; threads it starts live there too. Returns the
    /// other end of its interface.
    pub(crate) fn enter(self) -> Result<SyncDevice, Fault> {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|e| match e {
            Errno::EPERM => Fault::Environment(
                "creating a network namespace needs CAP_SYS_ADMIN: run as root".to_owned(),
            ),
            e => Fault::Environment(format!("create a network namespace: {e}")),
        })?;
        for (name, value) in SETTINGS {
            std::fs::write(format!("/proc/sys/{name}"), value)
                .or_else(|e| match e.kind() {
                    // A kernel without IPv6 has nothing to switch off.
                    std::io::ErrorKind::NotFound if name.starts_with("net/ipv6") => Ok(()),
                    _ => Err(e),
                })
                .map_err(|e| Fault::Environment(format!("set {name} to {value}: {e}")))?;
        }
        let device = DeviceBuilder::new()
            .name(DEVICE)
            .layer(Layer::L3)
            .enable(false)
            .build_sync()
            .map_err(|e| {
                Fault::Environment(format!(
                    "create a TUN device: {e}; it needs /dev/net/tun and CAP_NET_ADMIN"
                ))
            })?;
        // One segment a buffer: what the model sends, and what the forwarder must see.
        ip(&[
            "link",
            "set",
            "dev",
            DEVICE,
            "mtu",
            "1500",
            "txqueuelen",
            DEVICE_QUEUE,
        ])?;
        ip(&["link", "set", "dev", DEVICE, "gso_max_segs", "1", "up"])?;
        ip(&[
            "address",
            "add",
            &format!("{}/24", self.address),
            "dev",
            DEVICE,
        ])?;
        Ok(device)
    }
}

/// Runs `ip` in the calling thread's namespace.
fn ip(arguments: &[&str]) -> Result<String, Fault> {
    let output = Command::new("ip")
        .args(arguments)
        .output()
        .map_err(|e| Fault::Environment(format!("run `ip` (package iproute2): {e}")))?;
    if !output.status.success() {
        return Err(Fault::Environment(format!(
            "ip {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Packets the kernel dropped at this host's device, where no model sees it.
pub(crate) fn hidden_drops() -> Result<u64, Fault> {
    let text = ip(&["-s", "-j", "link", "show", "dev", DEVICE])?;
    drops_in(&text).ok_or_else(|| Fault::Failed(format!("read the counters of {DEVICE}: {text}")))
}

/// Both directions' drops in `ip -s -j link show`.
fn drops_in(text: &str) -> Option<u64> {
    let links: serde_json::Value = serde_json::from_str(text).ok()?;
    let counters = &links.get(0)?["stats64"];
    Some(counters["rx"]["dropped"].as_u64()? + counters["tx"]["dropped"].as_u64()?)
}

/// A listening socket on the receiver's port, with large buffers.
pub(crate) fn listener() -> Result<std::net::TcpListener, Fault> {
    let fault = |what: &str, e: Errno| Fault::Failed(format!("{what}: {e}"));
    let fd = tcp_socket()?;
    setsockopt(&fd, RcvBufForce, &BUFFER).map_err(|e| fault("set the receive buffer", e))?;
    let address = SockaddrIn::from(SocketAddrV4::new(Host::RECEIVER.address, PORT));
    bind(fd.as_raw_fd(), &address).map_err(|e| fault("bind", e))?;
    let backlog = Backlog::new(1).map_err(|e| fault("listen", e))?;
    listen(&fd, backlog).map_err(|e| fault("listen", e))?;
    Ok(std::net::TcpListener::from(fd))
}

/// A connection to the receiver under congestion control `control`. `patience` is also how long a
/// write may block.
pub(crate) fn connection(control: &str, patience: std::time::Duration) -> Result<TcpStream, Fault> {
    let fd = tcp_socket()?;
    setsockopt(&fd, TcpCongestion, &control.into()).map_err(|e| {
        Fault::Environment(format!(
            "congestion control {control}: {e}; net.ipv4.tcp_available_congestion_control must have it"
        ))
    })?;
    setsockopt(&fd, SndBufForce, &BUFFER)
        .map_err(|e| Fault::Failed(format!("set the send buffer: {e}")))?;
    let stream = TcpStream::from(fd);
    let failed = |what: &str, e: String| Fault::Failed(format!("{what}: {e}"));
    stream
        .set_write_timeout(Some(patience))
        .map_err(|e| failed("set the write timeout", e.to_string()))?;
    let address = SockaddrIn::from(SocketAddrV4::new(Host::RECEIVER.address, PORT));
    connect(stream.as_raw_fd(), &address).map_err(|e| failed("connect", e.to_string()))?;
    let used = getsockopt(&stream.as_fd(), TcpCongestion)
        .map_err(|e| failed("read the congestion control", e.to_string()))?;
    if used != control {
        return Err(Fault::Failed(format!(
            "asked for {control} and got {}",
            used.display()
        )));
    }
    Ok(stream)
}

fn tcp_socket() -> Result<OwnedFd, Fault> {
    socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    )
    .map_err(|e| Fault::Failed(format!("open a socket: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_both_directions_are_summed() {
        let text = r#"[{"ifname":"path0","stats64":{"rx":{"bytes":9,"dropped":2},"tx":{"bytes":9,"dropped":3}}}]"#;
        assert_eq!(drops_in(text), Some(5));
        assert_eq!(drops_in("[]"), None);
        assert_eq!(drops_in("{"), None);
    }
}
