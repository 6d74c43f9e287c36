//! A bound of the congestion window that a connection has from its first segment.
//!
//! A kernel has no socket option for it. It obeys a locked `cwnd` of a route, but reads that from its cache of
//! TCP metrics (`tcp_init_metrics`), and an entry comes to be only when a connection to that address
//! ends. So the host makes one with itself: for a moment the other's address is its own, by a
//! route that carries the bound. The entry is renewed from the host's routes after an hour, which carry it too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::program::batch;

/// Whether connections that end are remembered; the host has it off.
const FORGET: &str = "/proc/sys/net/ipv4/tcp_no_metrics_save";

/// How long a connection of a host with itself may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// The largest window of connections from one address to another, in segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bound {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
    pub(crate) segments: u32,
}

/// Makes this namespace's connections obey `bounds`.
///
/// # Errors
/// In words, when the kernel refuses a step.
pub(crate) fn set(bounds: &[Bound]) -> Result<(), String> {
    if bounds.is_empty() {
        return Ok(());
    }
    let remember = |how: &str| {
        std::fs::write(FORGET, how).map_err(|e| format!("set tcp_no_metrics_save to {how}: {e}"))
    };
    remember("0")?;
    let done = bounds.iter().try_for_each(one);
    remember("1")?;
    done
}

fn one(bound: &Bound) -> Result<(), String> {
    let Bound { from, to, segments } = bound;
    let route = |what: &str, more: &str| {
        batch(
            "ip",
            &[],
            &[format!("route {what} local {to} dev lo table local{more}")],
        )
    };
    route("add", &format!(" src {from} cwnd lock {segments}"))?;
    let ended = connection(*to).map_err(|e| format!("connect to {to} within the host: {e}"));
    route("del", "")?;
    ended
}

/// A connection that begins and ends: the end that closes first is the one that is remembered.
fn connection(to: IpAddr) -> std::io::Result<()> {
    let any = match to {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let listener = TcpListener::bind((any, 0))?;
    let there = SocketAddr::new(to, listener.local_addr()?.port());
    let ours = TcpStream::connect_timeout(&there, PATIENCE)?;
    let (theirs, _) = listener.accept()?;
    drop(ours);
    drop(theirs);
    Ok(())
}
