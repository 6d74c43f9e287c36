//! Impairments: what happens to frames on the way besides waiting.

mod loss;

pub use loss::{GilbertElliott, Loss, LossSpec};
