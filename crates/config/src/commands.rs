//! Lines of commands, as switches have them: words, nesting, the tables that say what a section may
//! hold, and the device that comes of it. IOS and CatOS are such tables.

mod marks;
mod note;
mod number;
mod reader;
mod section;
mod tree;
mod words;

pub(crate) use marks::{Marks, eight, trust};
pub(crate) use note::note;
pub(crate) use number::*;
pub(crate) use reader::{Reader, Taken, shortened};
pub(crate) use section::{Section, Statement};
pub use tree::{Kind, Line, Tree};
pub(crate) use words::{Word, Words, fit};
