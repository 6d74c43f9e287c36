//! Closed forms: what a path should give, each with its formula, source and range of validity.
//! Pure functions; no randomness, no time, no files.
//!
//! For every crate above that wants a number before it measures one: `predict path` and `predict
//! overhead` on the command line, the *predicted* column of a run, the simulator's oracle in
//! tests. It knows quantities and nothing else. Formulas take floats once the inputs have left
//! their types: a prediction decides no order in time.

pub mod aimd;
mod answer;
pub mod atm;
pub mod bic;
pub mod bit_error;
pub mod bursts;
mod cc;
pub mod climb;
pub mod clumps;
pub mod cubic_linux;
mod figures;
pub mod folded;
mod framing;
pub mod handshake;
pub mod highspeed;
pub mod htcp;
pub mod idle;
pub mod in_order;
pub mod initial_window;
pub mod law;
pub mod overflow;
pub mod overhead;
pub mod paced;
pub mod parallel;
mod path;
pub mod path_mtu;
pub mod pftk;
pub mod place;
pub mod policed_pace;
pub mod policer;
pub mod published;
mod quantiles;
pub mod queue;
pub mod record;
pub mod recovery;
pub mod reduction;
pub mod repairs;
pub mod rfc6349;
pub mod rounds;
pub mod rtt;
pub mod scalable;
pub mod served;
mod signal;
pub mod slow_start;
mod solve;
pub mod sonet;
pub mod window;

pub use answer::{Answer, Value};
pub use cc::{Cc, Rules, UnknownCc};
pub use figures::policed_range;
pub use framing::Framing;
pub use path::{IpVersion, PathError, PathInput, Timestamps, mtu_from_text, path};
pub use place::Place;
pub use signal::Signal;
