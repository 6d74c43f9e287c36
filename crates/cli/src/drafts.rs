//! Drafts that nobody has finished yet, and folders made for them: what a process that ends at once removes.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's half-written files are removed here"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// All of them, in the order in which they were made.
pub(crate) fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(|e| e.into_inner())
}

/// Removes what is half-written.
pub(crate) fn discard() {
    // A folder was noted before the files in it; one that holds anything stays.
    for draft in drafts().drain(..).rev() {
        drop(fs::remove_file(&draft).or_else(|_| fs::remove_dir(&draft)));
    }
}
