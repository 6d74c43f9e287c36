//! The path itself: its round trips at rest, its hops, its MTUs.

pub(crate) mod apart;
pub(crate) mod around;
pub(crate) mod detour;
pub(crate) mod first_hop;
pub(crate) mod known_rtt;
pub(crate) mod late_hops;
pub(crate) mod long_way;
pub(crate) mod mtu_bounds;
pub(crate) mod outer_mtu;
pub(crate) mod pinged;
pub(crate) mod rest;
pub(crate) mod routes;
pub(crate) mod traced_elsewhere;
pub(crate) mod tunnel;
pub(crate) mod unlike_mtus;
pub(crate) mod vantage;
