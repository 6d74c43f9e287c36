//! What a host runs on.

use serde::{Deserialize, Serialize};

/// What a host runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    /// Its operating system, in small letters: `linux`.
    pub os: String,
    /// The release of its kernel: `6.12.9`.
    pub kernel: String,
}
