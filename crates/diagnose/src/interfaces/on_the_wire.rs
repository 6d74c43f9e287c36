//! A program that hands over little at a time and a send buffer that is full look the same in a capture: only the sender's kernel knows whether
//! its program waits for room, or has written nothing more.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::Ranking;
use crate::losses::lookalike::share_lead;

/// The two, the one that a capture names first.
pub(crate) const BOTH: [Cause; 2] = [Cause::SendBuffer, Cause::Application];

/// From this part of the first's confidence on the second is as likely.
const EVEN: f64 = 0.9;

impl Evidence {
    /// Whether a capture alone speaks of the sender: no kernel, socket, setting or log of a test.
    pub(crate) fn only_on_the_wire(&self) -> bool {
        let captured = self.account.as_ref().is_some_and(|a| !a.sees_buffers);
        let shares = self.sndbuf_share.is_some() || self.busy_share.is_some();
        let socket =
            shares || self.unsent.is_some() || self.queued.is_some() || self.app_limited.is_some();
        captured && !socket && !self.tester && self.buffers.is_empty() && self.application.is_none()
    }
}

/// Whether the two are first, and one is as likely as the other: what held besides is said after that.
pub(crate) fn are_even(ranking: &[Ranking]) -> bool {
    let first = ranking.iter().zip(BOTH);
    let in_order = first.clone().count() == 2 && first.clone().all(|(r, cause)| r.cause == cause);
    in_order && ranking[1].confidence > EVEN * ranking[0].confidence
}

/// Shares the confidence of a send buffer with the program, where nothing but the wire was seen. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<String> {
    let even = e.only_on_the_wire() && share_lead(ranking, BOTH, 1.0);
    even.then(|| "on the wire a program that writes little at a time and a full send buffer are alike: ss -tinm on the sender tells them apart (sndbuf_limited, app_limited)".to_owned())
}
