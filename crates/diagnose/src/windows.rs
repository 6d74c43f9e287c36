//! What a connection may have in flight: windows, buffers, and how a congestion window grows.

pub(crate) mod channel;
pub(crate) mod climb;
pub(crate) mod climbed;
pub(crate) mod either_end;
pub(crate) mod first_buffer;
pub(crate) mod growing;
pub(crate) mod grown_window;
pub(crate) mod memory;
pub(crate) mod no_rate;
pub(crate) mod opening;
pub(crate) mod options;
pub(crate) mod outgrown;
pub(crate) mod recovering;
pub(crate) mod remembered;
pub(crate) mod restart;
pub(crate) mod room;
pub(crate) mod route_metrics;
pub(crate) mod shrunk;
pub(crate) mod shut_window;
pub(crate) mod slow_reader;
pub(crate) mod snapshot;
pub(crate) mod standing;
pub(crate) mod tcp_memory;
pub(crate) mod tiny_window;
pub(crate) mod unread;
pub(crate) mod zero_window;
