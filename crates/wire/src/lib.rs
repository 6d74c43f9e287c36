//! What crosses a wire: the frame descriptor and `Burst` inside the models, header bytes and pcapng
//! at their edges. No allocation per frame; no clock; no files.

mod burst;
mod frame;

pub use burst::{Burst, Coalescer, Frames, Step};
pub use frame::{Flags, FlowDir, Frame, Kind, LabelEntry};
