//! Quality of service on switches: what a configuration says of it, what a port then does, what is
//! wrong with it.

pub(crate) mod faults;
mod maps;
mod model;
mod port_type;

pub use maps::Maps;
pub use model::{
    Action, Category, ChannelGroup, Class, ClassMap, Contract, CosMap, Device, Dialect, Direction,
    DscpMap, Duplex, Encapsulation, Intent, Interface, Match, Police, PolicyMap, Pvc, Queueing,
    RandomDetect, Service, Speed, Stated, Switchport, Trust,
};
pub use port_type::{PortType, PortTypeError};
