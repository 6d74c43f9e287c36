//! Sans-IO network elements and the [`Network`] that joins them.
//!
//! An element owns state and nothing else: no clock, socket, thread or file. It is given how far it
//! may go (`advance(until)`), and promises in return that nothing it sends later arrives elsewhere
//! before `until` plus the channel's lookahead. The simulator passes what the input channels
//! guarantee, the emulator passes *now*, event-by-event mode passes one instant at a time; the
//! departures are the same to the bit.

pub mod atm;
mod burst;
mod channel;
mod conditioner;
mod counters;
mod drops;
mod flows;
mod forwarding;
pub mod impair;
mod merge;
mod network;
mod port;
pub mod qdisc;
mod router;
mod side;
mod spread;
mod tap;
mod transmitter;
mod treatment;

pub use burst::Bursts;
pub use channel::Channel;
pub use conditioner::{Action, Colour, Conditioner, Meter, Policer, Stage};
pub use counters::{ClassCounter, Counters, Interval, IntervalClock, Sampling};
pub use drops::Drop;
pub use forwarding::{
    Circuit, EXPLICIT_NULL, Exit, FIRST_LABEL, Forwarding, LabelAction, RouteAction,
};
pub use merge::Merge;
pub use network::{ChannelId, Element, ElementId, Io, Mode, Network};
pub use port::{Change, Fates, Port, PortConfig, frame_hash};
pub use router::{Answer, ICMP_ERROR_BYTES, ROUTER_ANSWER, answer};
pub use side::{AckExtras, SideFifo, Sides};
pub use spread::{Outages, Spread, Unit};
pub use tap::Tapped;
pub use transmitter::{Cost, Transmitter};
