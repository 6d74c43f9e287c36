//! Which texts are of which flow: its tests, its sockets, the hosts at its ends, and what was asked of them.

pub(crate) mod alternating;
pub(crate) mod asked_option;
pub(crate) mod both_loaded;
pub(crate) mod bystander;
pub(crate) mod carried_beside;
pub(crate) mod commanded;
pub(crate) mod compared;
pub(crate) mod copy_host;
pub(crate) mod filed;
pub(crate) mod flow;
pub(crate) mod mean_only;
pub(crate) mod other_test;
pub(crate) mod other_version;
pub(crate) mod placed;
pub(crate) mod read_again;
pub(crate) mod recounted;
pub(crate) mod roles;
pub(crate) mod roomy;
pub(crate) mod scavenger;
pub(crate) mod sockets;
pub(crate) mod typed;
pub(crate) mod untied;
pub(crate) mod watched;
