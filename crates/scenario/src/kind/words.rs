//! The kinds of test that a key belongs to, by the words after `kind`.

pub(crate) const PING: &[&str] = &["ping"];
pub(crate) const PERIODIC: &[&str] = &["ping", "oneway"];
pub(crate) const BULK: &[&str] = &["tcp"];
pub(crate) const TCP: &[&str] = &["tcp", "transfer", "request", "flows"];
pub(crate) const STREAMS: &[&str] = &["tcp", "transfer", "request"];
pub(crate) const FLOWS: &[&str] = &["flows"];
pub(crate) const UDP: &[&str] = &["udp"];
pub(crate) const TRANSFER: &[&str] = &["transfer"];
pub(crate) const REQUEST: &[&str] = &["request"];
pub(crate) const TIMED: &[&str] = &["tcp", "udp", "transfer", "request", "flows", "cells"];
pub(crate) const PACED: &[&str] = &["udp", "cells"];
pub(crate) const CELLS: &[&str] = &["cells"];
