//! Who sends: the two hosts of a run, in words.

/// Whose a connection is that has most to carry, by its host.
pub(super) const SENDERS: [&str; 2] = ["your command", "the server"];
