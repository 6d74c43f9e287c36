//! Options of TCP that something on the way takes out.

use super::systems;
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;

/// Selective acknowledgements, let through where losses are to be repaired. Window scaling is a cause of its own, and timestamps cost little.
pub(super) fn let_through(cause: Cause, e: &Evidence) -> Option<Change> {
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    let stripped = e.stripped.iter().any(|s| s.is_sack_between());
    (stripped && (cause.is_loss() || again > 0.0)).then(|| {
        systems::option_between("SACK", "both hosts offer it already").change(
            "the firewall or router between",
            None,
            None,
        )
    })
}
