//! The law of the network: in whichever mode, however sliced, and however its queues are served,
//! every departure, drop and its reason and every counter is the same to the bit.

mod choices;
mod equivalence;
mod faults;
mod losses;
mod luck;
mod net;
mod node;
mod order;
mod plain;
mod plan;
mod shelves;
