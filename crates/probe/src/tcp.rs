//! One TCP connection with the kernel's stack: the end that writes and samples the connection, and the end that reads.

mod info;
mod sink;
mod source;

pub(crate) use info::TcpInfo;
pub(crate) use sink::{Sink, receive};
pub(crate) use source::{Outgoing, Source, send};
