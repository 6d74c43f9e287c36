//! The end of work that a thread accompanies.

use std::sync::atomic::{AtomicBool, Ordering};

/// Says as it is dropped that the work is over, also where that panics.
pub(crate) struct Ends<'a>(pub(crate) &'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
