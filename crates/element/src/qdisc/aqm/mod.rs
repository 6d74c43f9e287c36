//! Active queue management: what becomes of a queue's frames before it is full.

mod codel;
mod red;

pub use codel::CodelConfig;
pub(super) use codel::{Codel, Head};
pub use red::{Curve, RedConfig};
pub(super) use red::{Red, Verdict};
