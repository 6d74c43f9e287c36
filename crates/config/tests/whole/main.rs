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
mod segments;
mod srr;
mod tunnels;
mod units;
