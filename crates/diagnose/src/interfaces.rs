//! Interfaces of hosts, ports of switches and routers: what they count, drop and negotiate.

pub(crate) mod air;
pub(crate) mod bundle;
pub(crate) mod bypassed;
pub(crate) mod counter;
pub(crate) mod dead_port;
pub(crate) mod dropping_port;
pub(crate) mod duplex;
pub(crate) mod fixed_port;
pub(crate) mod full_port;
pub(crate) mod half_port;
pub(crate) mod interface;
pub(crate) mod narrow_port;
pub(crate) mod near_port;
pub(crate) mod negotiated;
pub(crate) mod on_the_wire;
pub(crate) mod own_drops;
pub(crate) mod own_port;
pub(crate) mod passed;
pub(crate) mod pauses;
pub(crate) mod port;
pub(crate) mod port_pauses;
pub(crate) mod quiet_port;
pub(crate) mod radio_link;
pub(crate) mod slot;
pub(crate) mod slow_pair;
pub(crate) mod weak_radio;
