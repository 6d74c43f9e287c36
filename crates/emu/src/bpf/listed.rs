//! What congestion control the kernel lists.

use std::path::Path;

use super::error::{AVAILABLE, BpfError, at};
use crate::settings::{self, controls};

/// The congestion controls the kernel has, by name.
///
/// # Errors
/// When the kernel's list cannot be read.
pub fn available() -> Result<Vec<String>, BpfError> {
    controls(Path::new("/"), settings::AVAILABLE).map_err(at(Path::new(AVAILABLE)))
}
