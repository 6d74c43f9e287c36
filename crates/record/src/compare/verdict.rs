//! What may be said of a difference.

use serde::Serialize;

/// What may be said of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The values are equal, or differ by less than the steps in which the metric is known.
    Same,
    /// They are not, and the 95 % interval of the difference holds zero; of runs of two kinds, ranks may be by chance. So it is of equal
    /// means of values that are not.
    Inconclusive,
    /// The 95 % interval of the difference does not hold zero; of runs of two kinds, ranks are not by chance.
    Differs,
    /// The values differ, and a single run on a side does not show the spread of runs.
    Unknown,
}

impl Verdict {
    /// Whether nothing shows a difference: there is none, or chance may have made it.
    pub(super) fn is_chance(self) -> bool {
        matches!(self, Verdict::Same | Verdict::Inconclusive)
    }
}
