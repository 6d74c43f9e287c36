//! What crosses a wire: the frame descriptor and `Burst` inside the models, header bytes and pcapng
//! at their edges. No allocation per frame; no clock; no files.

mod burst;
pub mod encode;
pub mod ethernet;
mod frame;
mod header;
pub mod icmp;
pub mod ip;
pub mod mpls;
pub mod packet;
pub mod pcapng;
pub mod ppp;
pub mod tcp;
mod timestamps;
pub mod udp;

pub use burst::{Burst, Coalescer, Frames, Step};
pub use frame::{Flags, FlowDir, Frame, Kind, LabelEntry};
pub use header::{Checksum, HeaderError};
pub use timestamps::Timestamps;
