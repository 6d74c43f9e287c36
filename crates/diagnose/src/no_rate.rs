//! What texts say that have no rate: causes that show without one, and what is said first where none does.

use crate::cause::Cause;
use crate::document::VerdictReport;
use crate::evidence::Evidence;

/// How what is said first of a trace begins: one that shows nothing wrong, and one that shows loss.
pub(crate) const CLEAN: &str = "nothing is wrong in this trace";
pub(crate) const LOSSY: &str = "this trace shows loss";

/// What a trace alone says, where no cause is known: it stands first of all that was found.
pub(crate) fn headline(verdict: &VerdictReport) -> Option<&str> {
    let first = verdict.because.first()?;
    let heads = [CLEAN, LOSSY].iter().any(|begin| first.starts_with(begin));
    heads.then_some(first.as_str())
}

impl Evidence {
    /// Whether a cause shows though no text says how fast anything was.
    pub(crate) fn shows_without_rate(&self, cause: Cause) -> bool {
        let seen = match cause {
            Cause::Application => self.around.server_wait.is_some(),
            Cause::CrossTraffic => self.around.full_port.is_some(),
            Cause::RandomLoss => self.damage_loses_pings(),
            Cause::Client => self.around.overfull.is_some(),
            _ => false,
        };
        seen || cause.is_before_data() || self.is_unread(cause)
    }

    /// What is said first where no cause is known.
    pub(crate) fn said_first(&self) -> String {
        let nothing = || "the texts do not say how fast anything was".to_owned();
        let trace = self.around.trace_alone.clone();
        trace.unwrap_or_else(nothing)
    }
}
