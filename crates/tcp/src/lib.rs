//! A sans-IO TCP sender and receiver. Time and segments are arguments; no clock, no sockets, no frames.
//!
//! [`Sender`] and [`Receiver`] are the two ends of one connection that carries data one way. Stream
//! offsets are `u64` bytes from 0 and never wrap. Each end is driven the same way: hand it what
//! arrived, then call `poll` until it returns `None`; call `on_deadline` when `deadline` has come.

mod arrival;
mod cc;
mod config;
mod delayed_ack;
mod delivery;
mod ecn;
mod edge;
mod flavour;
mod frto;
mod hystart;
mod limit;
mod pacing;
mod path_mtu;
mod profile;
mod rack;
mod ranges;
mod receiver;
mod recovery;
mod retries;
mod rtt;
mod sack;
mod scoreboard;
mod send_log;
mod sender;
mod slow_start;
mod train;
mod undo;

pub use cc::Algorithm;
pub use config::{
    Autotuning, ByteCounting, Config, DelayedAck, MtuProbing, Pacing, Profile, Reading, Recovery,
    Reduction, RtoFloor, RtoRule, SlowStart,
};
pub use flavour::Flavour;
pub use limit::{Limit, Shares};
pub use profile::{LARGEST_WINDOW, UNSCALED_WINDOW};
pub use receiver::{AckOut, InOrder, Receiver, ReceiverStats, Stamp};
pub use retries::Retries;
pub use sack::{MAX_SACK_BLOCKS, SackBlock};
pub use sender::{LossEvent, Out, Phase, Segment, Sender, SenderStats, fills_window, waits_for};
