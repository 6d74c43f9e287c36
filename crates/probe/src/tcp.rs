//! One TCP connection with the kernel's stack: the end that writes, looking at it as it goes, and the
//! end that reads.

mod info;
mod sink;
mod source;

pub(crate) use sink::{Sink, receive};
pub(crate) use source::{Outgoing, Source, send};
