//! Why nothing answers: barred, refused, unresolved, down, or looped.

pub(crate) mod answered_twice;
pub(crate) mod barred;
pub(crate) mod exstart;
pub(crate) mod failed_test;
pub(crate) mod firewall;
pub(crate) mod foreign_reset;
pub(crate) mod handshake;
pub(crate) mod intercepted;
pub(crate) mod ip_versions;
pub(crate) mod link_log;
pub(crate) mod lost_syns;
pub(crate) mod network_log;
pub(crate) mod path_events;
pub(crate) mod routing_loop;
pub(crate) mod stuck;
pub(crate) mod unopened;
pub(crate) mod unresolved;
pub(crate) mod unseen_syn;
