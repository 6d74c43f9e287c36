//! How many more runs tell whether two sides differ.

use super::Verdict;
use crate::statistics::{Summary, runs_to_tell};

/// Runs of each side that are needed beside those that there are; 0 where the two differ, and `None` where nothing says.
pub(super) fn runs(
    (a, b): (&Summary, &Summary),
    pairs: Option<&Summary>,
    verdict: Verdict,
) -> Option<u32> {
    match (verdict, pairs) {
        (Verdict::Differs, _) => Some(0),
        (Verdict::Unknown, _) => None,
        (Verdict::Same | Verdict::Inconclusive, Some(differences)) => {
            let none = Summary {
                n: 1,
                sd: None,
                mean: 0.0,
                ..*differences
            };
            runs_to_tell(&none, differences).map(|n| n.saturating_sub(differences.n))
        }
        (Verdict::Same | Verdict::Inconclusive, None) => {
            let have = match (a.sd, b.sd) {
                (Some(_), Some(_)) => a.n.min(b.n),
                (Some(_), None) => a.n,
                _ => b.n,
            };
            runs_to_tell(a, b).map(|n| n.saturating_sub(have))
        }
    }
}
