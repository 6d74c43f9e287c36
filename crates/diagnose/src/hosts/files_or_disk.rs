//! Small files whose time fits round trips, beside a disk of an end without a rest: either may be what each file waits for.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::Ranking;
use crate::losses::lookalike::{even_part, give_each};

/// The two, the one that a host's own text shows first.
pub(crate) const BOTH: [Cause; 2] = [Cause::Disk, Cause::Application];

/// A disk that is busy for so much of the time has no rest. A choice.
const NO_REST: f64 = 0.95;

/// The most that is said of either: it is not a verdict.
const EITHER: f64 = 0.39;

impl Evidence {
    /// Whether a copy has many small files and the disk of an end no rest, and no account says what the sender's time went to.
    fn may_wait_for_disk(&self) -> bool {
        let around = &self.around;
        let full = around.busy.as_ref().is_some_and(|b| b.value >= NO_REST);
        let open = self.account.is_none() && self.busy_share.is_none();
        full && open && around.small_files.is_some()
    }
}

/// Takes the lead from round trips that fit the time of each file, where a disk of an end has no rest. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<String> {
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[1]);
    if !leads || !e.may_wait_for_disk() {
        return None;
    }
    let each = libm::fmin(even_part(ranking, &BOTH), EITHER);
    give_each(ranking, &BOTH, each);
    Some("a disk of an end has hardly a rest: each file may wait for it, and that the time of a file fits round trips may be chance".to_owned())
}

#[cfg(test)]
mod tests {
    use super::even_out;
    use crate::cause::Cause;
    use crate::evidence::Evidence;
    use crate::fact::{Figure, Place};
    use crate::infer::Ranking;
    use crate::programs::small_files::SmallFiles;

    /// 48 213 files in 31 min, and how busy a disk of an end was.
    fn evidence(busy: f64) -> Evidence {
        let mut e = Evidence::default();
        e.around.small_files = Some(SmallFiles::example());
        e.around.busy = Some(Figure::exact(busy, Place::You));
        e
    }

    fn ranking() -> Vec<Ranking> {
        let all = [(Cause::Application, 0.96), (Cause::Disk, 0.01)];
        let each = all.into_iter();
        each.map(|(cause, confidence)| Ranking { cause, confidence })
            .collect()
    }

    /// Two round trips for each file were 96 %, and the disk 1 %.
    #[test]
    fn a_disk_without_a_rest_does_not_lose_to_round_trips() {
        let mut open = ranking();
        let text = even_out(&evidence(0.998), &mut open).expect("both");
        assert!(text.contains("may be chance"), "{text}");
        assert!(open.iter().all(|r| r.confidence < 0.4), "{open:?}");
    }

    #[test]
    fn a_disk_with_rest_leaves_files_their_round_trips() {
        let mut said = ranking();
        assert!(even_out(&evidence(0.3), &mut said).is_none());
        assert_eq!(said[0].confidence, 0.96);
        // Of a copy that is one file nothing is taken.
        let mut one = evidence(0.998);
        one.around.small_files = None;
        assert!(even_out(&one, &mut said).is_none());
    }
}
