//! Real hosts, a real clock: the network of a scenario between Linux kernels.

pub mod audit;
pub mod certify;
pub mod driver;
pub mod fidelity;
pub mod plane;
