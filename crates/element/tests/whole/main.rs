//! Parts of the network, alone and joined.

mod law;
mod link;
mod marks;
mod memory;
mod shares;
