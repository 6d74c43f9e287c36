//! Quality of service on switches: what a configuration says of it, what a port then does, what is
//! wrong with it.

mod burst;
mod carriage;
mod check;
mod class;
mod lbe;
mod maps;
mod model;
mod mtu;
mod names;
mod options;
mod port;
mod port_type;
mod pppoe;
mod share;
mod srr;
mod stated;
mod storm;
mod trip;
mod trust;
mod tunnel;

pub(crate) use burst::odd_bucket;
pub(crate) use carriage::{around, carrier, default_packet};
pub use check::findings;
pub(crate) use check::{below_plan, check, slower, small_burst};
pub(crate) use class::FULL_FRAME_BYTES;
pub use class::{Action, Class, Police, PolicePercent, QueueLimit, Share};
pub use lbe::{Lbe, LbeError, Written};
pub use maps::Maps;
pub use model::{
    Category, ChannelGroup, ChannelMode, ClassMap, Contract, Device, Direction, Duplex,
    Encapsulation, Intent, Interface, Match, PolicyMap, Pvc, QueueMap, Queueing, RandomDetect,
    RateLimit, Service, Speed, Switchport,
};
pub(crate) use mtu::default_mtu;
pub use options::{Crossing, Options};
pub(crate) use port::OF_TYPE;
pub use port::{KnownBy, PolicyClass, Port, PortPolicy, Queue, Threshold, channel_number};
pub use port_type::{PortType, PortTypeError};
pub use pppoe::Pppoe;
pub use share::{Mix, Overshoot, longest_wait, policed_tcp, share_bounds, shares};
pub(crate) use share::{payload_of, policed_range, queued_tcp};
pub use srr::{Srr, SrrMaps};
pub use stated::Stated;
pub use storm::{Storm, StormControl, StormLevel};
pub(crate) use trip::Trip;
pub use trust::Trust;
pub(crate) use tunnel::Ipsec;
pub use tunnel::{Tunnel, TunnelMode};
