//! What texts say that have no rate: causes that show without one, and what is said first where none does.

use crate::cause::Cause;
use crate::evidence::Evidence;

impl Evidence {
    /// Whether a cause shows though no text says how fast anything was.
    pub(crate) fn shows_without_rate(&self, cause: Cause) -> bool {
        let waits = cause == Cause::Application && self.around.server_wait.is_some();
        waits || cause.is_before_data() || self.is_unread(cause)
    }
}
