//! Quantities and time for farpath: the vocabulary of every other crate.
//!
//! Every type wraps one integer in one unit, has exact arithmetic (128-bit inside where a product
//! could overflow), and parses from and prints to text that names its unit. Nothing here reads a
//! clock, a file or the environment.

mod distance;
mod draw;
mod rate;
mod ratio;
mod size;
mod text;
mod time;

pub use distance::Distance;
pub use draw::{Key, Stream};
pub use rate::Rate;
pub use ratio::Ratio;
pub use size::Size;
pub use text::ParseError;
pub use time::{Duration, Time};
