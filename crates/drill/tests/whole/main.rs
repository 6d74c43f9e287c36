//! Scripts of packetdrill: ours pass, damaged ones do no harm.

mod mutated;
mod scripts;
