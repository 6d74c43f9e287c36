//! Tests of the whole simulator: scenario text in, records out.

mod arranged;
mod beside;
mod both_ways;
mod bundles;
mod congestion;
mod directional;
mod events;
mod exchanges;
mod hosts;
mod impairments;
mod law;
mod limits;
mod load;
mod luck;
mod path_mtu;
mod policers;
mod published;
mod queues;
mod ramp;
mod random;
mod recovery;
mod routers;
mod short;
mod short_paths;
mod traffic;
mod world;
