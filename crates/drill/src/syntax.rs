//! The text of a script, read into events.

mod call;
mod cursor;
mod event;
mod packet;

use thiserror::Error;

pub use event::{Action, Event, Script, When, parse};

pub(crate) use event::Do;

pub(crate) use call::{Call, Returned, Value};
pub(crate) use packet::{Direction, Ecn, Letters, OptionList, PacketSpec, TcpOption};

/// Text that is not a packetdrill script.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {cause}; {remedy}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub cause: String,
    /// What would be right.
    pub remedy: String,
}
