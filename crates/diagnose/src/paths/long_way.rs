//! Where on the way the round trip grows at once, and stays so to the end: the length of the way, and not a router that is slow to answer.

use crate::lines::bloat::ms;

/// How what is said first of a trace begins whose round trip grows at once.
pub(crate) const LENGTH: &str = "the step in this trace is of the way, and not of a router";

/// A hop that answered: its name, and its least and greatest time, ms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timed {
    pub(crate) name: String,
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Answers that it gave.
    pub(crate) answers: usize,
}

/// The round trip grows at once by so much at least, ms, and by this part of the whole. Choices, as the next two.
const STEP_MS: f64 = 20.0;
const OF_ALL: f64 = 0.5;

/// Hops behind it have this part of the step at least.
const LASTS: f64 = 0.9;

/// Its answers differ by no more than this part of the step: a queue that traffic fills varies by more.
const EVEN: f64 = 0.05;

/// A round trip takes a millisecond for so many kilometres of fibre: light goes through glass of an index of 1.47 at 204 km in one.
const KM_EACH_MS: f64 = 100.0;

/// The step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LongWay {
    before: String,
    hop: String,
    /// By how much the round trip grows, ms.
    step_ms: f64,
    /// The most that answers of one hop from there on differ by, ms.
    differs_ms: f64,
}

impl LongWay {
    /// Of the hops of a trace that reached its end, in order; none where the step is that of the end itself, or not even.
    pub(crate) fn of(hops: &[Timed]) -> Option<LongWay> {
        let end = hops.last()?.least;
        let step = |two: &[Timed]| two[1].least - two[0].least;
        let steps = hops.windows(2).map(step).enumerate();
        let (n, step_ms) = steps.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let (before, behind) = (&hops[n], &hops[n + 1..]);
        let lasts = |hop: &Timed| hop.least - before.least >= LASTS * step_ms;
        let differs_ms = behind.iter().map(|h| h.most - h.least).fold(0.0, f64::max);
        let counted = behind.iter().all(|h| h.answers > 1);
        let even = counted && differs_ms <= EVEN * step_ms;
        let large = step_ms >= STEP_MS && step_ms >= OF_ALL * end;
        (behind.len() > 1 && large && even && behind.iter().all(lasts)).then(|| LongWay {
            before: crate::redact(&before.name),
            hop: crate::redact(&behind[0].name),
            step_ms,
            differs_ms,
        })
    }

    /// What is said first of such a trace, where texts have nothing else.
    pub(crate) fn said(&self) -> String {
        let (before, hop) = (&self.before, &self.hop);
        format!(
            "{LENGTH}: from {before} to {hop} the round trip grows by {}, and the hops behind {hop} have that, too. A router that is slow to answer has it alone. Answers of one hop differ by {} at most, and a queue that traffic fills varies: so even, it is distance, as much as {:.0} km of fibre make. Waits at another time show in mtr -bwc 100 at that time",
            ms(self.step_ms / 1e3),
            ms(self.differs_ms / 1e3),
            (self.step_ms * KM_EACH_MS / 100.0).round() * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three answers of each hop, which differ by 0.02 ms.
    fn hops(least: &[f64]) -> Vec<Timed> {
        let named = least.iter().zip(["a", "b", "c", "d", "e"]);
        let timed = |(least, name): (&f64, &str)| Timed {
            name: name.to_owned(),
            least: *least,
            most: least + 0.02,
            answers: 3,
        };
        named.map(timed).collect()
    }

    /// London to Chicago.
    #[test]
    fn a_step_that_lasts_to_the_end_is_the_way() {
        let found = LongWay::of(&hops(&[0.8, 15.19, 112.49, 112.99])).expect("a step");
        assert_eq!((found.before.as_str(), found.hop.as_str()), ("b", "c"));
        let said = found.said();
        assert!(said.starts_with(LENGTH), "{said}");
        assert!(
            said.contains("grows by 97.3 ms") && said.contains("9700 km"),
            "{said}"
        );
    }

    #[test]
    fn what_one_hop_has_or_what_varies_is_not() {
        // One hop alone; little by little; at the end, which may be slow itself.
        for least in [
            &[0.8, 15.2, 112.5, 16.0][..],
            &[0.8, 15.2, 25.0, 38.0],
            &[0.8, 15.2, 112.5],
            &[],
        ] {
            assert_eq!(LongWay::of(&hops(least)), None, "{least:?}");
        }
        let mut varies = hops(&[0.8, 15.2, 112.5, 113.0]);
        varies[3].most = 140.0;
        assert_eq!(LongWay::of(&varies), None);
        let mut once = hops(&[0.8, 15.2, 112.5, 113.0]);
        once[2].answers = 1;
        assert_eq!(LongWay::of(&once), None);
    }
}
