//! A whole TCP endpoint made of `farpath_tcp`'s sender and receiver: both directions, real sequence
//! numbers, negotiation, opening and closing (RFC 9293 §3.10).

mod calls;
mod connection;
mod handshake;
mod host;
mod info;
mod input;
mod output;
mod packet;
mod socket;

pub use crate::tunnel::Tunnel;
pub use connection::{Connection, State};
pub use host::Host;
pub use packet::Packet;

pub(crate) use socket::Outcome;

/// An error number's name, such as `ECONNRESET`.
pub type Errno = &'static str;
