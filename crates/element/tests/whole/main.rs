//! Parts of the network, alone and joined.

mod law;
mod link;
mod memory;
mod shares;
