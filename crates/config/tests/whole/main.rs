//! Configurations of routers and switches: read, checked, broken, written.

mod circuits;
mod junos;
mod links;
mod lower_effort;
mod mutated;
mod mutated_ios;
mod platforms;
mod qos;
mod rates;
mod tunnels;
mod units;
