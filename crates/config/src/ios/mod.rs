//! Cisco IOS text: a tree of lines that loses nothing, and what is understood of it.

mod address;
mod atm;
mod channels;
mod class;
mod crypto;
mod duplex;
mod features;
mod global;
mod icmp;
mod interface;
mod keywords;
mod kinds;
mod lists;
mod modes;
mod names;
mod over;
mod police;
mod policy;
mod queueing;
mod rate_limit;
mod rates;
pub(crate) mod routes;
mod srr;
mod tree;

pub use crate::commands::{Kind, Line, Tree};
pub use global::read;
pub(crate) use global::read_for;
pub(crate) use kinds::full_name;
