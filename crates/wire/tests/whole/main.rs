//! Headers and captures, with the opinion of other implementations.

mod headers;
mod tshark;
