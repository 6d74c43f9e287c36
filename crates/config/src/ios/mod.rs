//! Cisco IOS text: a tree of lines that loses nothing, and what is understood of it.

mod atm;
mod global;
mod interface;
mod modes;
mod policy;
mod queueing;
mod read;
mod tree;
mod words;

pub use read::read;
pub use tree::{Kind, Line, Tree};

pub(crate) use interface::{note, trust as trust_named};
pub(crate) use read::{Reader, Taken, shortened};
pub(crate) use words::Words;
