//! What is said of captures, beside what is known of how they came about.

mod again;
mod bare;
mod bbr;
mod changed;
mod copies;
mod datagrams;
mod ecn;
mod flows;
mod formats;
mod glitches;
mod limits;
mod oracles;
mod overlaps;
mod pairs;
mod partial;
mod path_mtu;
mod policers;
mod requests;
mod runs;
mod sack;
mod shapes;
mod slow_reader;
mod truth;
mod unanswered;
