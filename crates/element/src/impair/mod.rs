//! Impairments: what happens to frames on the way besides waiting.

mod chance;
mod distribution;
mod flap;
mod jitter;
mod line;
mod loss;
mod realised;
mod trace;

pub use chance::Chance;
pub use distribution::Distribution;
pub use flap::{Flap, FlapSpec};
pub use jitter::Jitter;
pub use line::{Damage, Fate, Finder, Impairments, Line};
pub(crate) use line::{Sorted, Sorter};
pub(crate) use loss::Safe;
pub use loss::{GilbertElliott, Loss, LossSpec};
pub use realised::{Order, Realised, Spread};
pub use trace::RateTrace;
