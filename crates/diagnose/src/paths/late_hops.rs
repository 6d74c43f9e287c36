//! Where on the way answers to a trace begin to wait: from one hop on to the end all of them are late, and the hop before it is not.

use crate::lines::bloat::ms;

/// How what is said first of a trace begins whose answers wait.
pub(crate) const WAITING: &str = "this trace shows waiting";

/// A hop that answered, and by how much its mean time is above its least, ms.
pub(crate) type Late = (String, f64);

/// Answers of the end that are later than this on average wait, ms. A choice, as the next two.
const LATE_MS: f64 = 20.0;

/// A hop waits as the end does from this part of it on, and does not below that one: what lies between the two begins nowhere.
const HAS: f64 = 0.5;
const CALM: f64 = 0.25;

/// Where the waiting begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rise {
    /// The last hop that does not wait, and by how much its mean is above its least, ms; none where the first hop waits already.
    before: Option<Late>,
    /// The first hop that does.
    hop: String,
    /// By how much the end's mean is above its least, ms.
    end_ms: f64,
    /// That hop is the end.
    at_end: bool,
}

impl Rise {
    /// Of the hops of a trace that reached its end, in order; none where the end does not wait, or waits come little by little.
    pub(crate) fn of(trail: &[Late]) -> Option<Rise> {
        let (_, end) = trail.last()?;
        let calm = trail.iter().rposition(|(_, late)| *late < HAS * end);
        let before = calm.and_then(|n| trail.get(n));
        let sharp = before.is_none_or(|(_, late)| *late <= CALM * end);
        let first = calm.map_or(0, |n| n + 1);
        let (hop, _) = trail.get(first)?;
        (*end >= LATE_MS && sharp).then(|| Rise {
            before: before.map(|(name, late)| (crate::redact(name), *late)),
            hop: crate::redact(hop),
            end_ms: *end,
            at_end: first + 1 == trail.len(),
        })
    }

    /// What is said first of such a trace of so many packets, all of which came back.
    pub(crate) fn said(&self, sent: f64) -> String {
        let begin = format!(
            "{WAITING}: all {sent:.0} packets came back, {} later than the fastest on average at the end",
            ms(self.end_ms / 1e3)
        );
        let hop = &self.hop;
        let Some((before, late)) = &self.before else {
            return format!(
                "{begin}, and so from {hop} on, the first hop that answers: they wait on the way to it, on a radio link, or in a queue that traffic fills there"
            );
        };
        let end = match self.at_end {
            true => format!(", or {hop} itself is late to answer"),
            false => String::new(),
        };
        format!(
            "{begin}, and {} at {before}: the waiting begins between {before} and {hop} and lasts from there to the end, in a queue that traffic fills there, one way or the other, or on a radio link{end}. Where {before} is the own router, that is the access line",
            ms(late / 1e3)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(late: &[f64]) -> Vec<Late> {
        let named = late.iter().zip(["a", "b", "c", "d"]);
        named.map(|(late, name)| (name.to_owned(), *late)).collect()
    }

    #[test]
    fn waiting_begins_at_the_hop_from_which_it_lasts() {
        let rise = Rise::of(&trail(&[0.2, 190.3, 191.3, 190.7])).expect("it waits");
        assert_eq!(rise.before, Some(("a".to_owned(), 0.2)));
        assert_eq!((rise.hop.as_str(), rise.at_end), ("b", false));
        let own = Rise::of(&trail(&[150.0, 160.0, 155.0])).expect("it waits");
        assert_eq!((own.before, own.hop.as_str()), (None, "a"));
        // One router is slow to answer; the end waits alone.
        let last = Rise::of(&trail(&[0.2, 90.0, 0.3, 60.0])).expect("it waits");
        assert_eq!((last.hop.as_str(), last.at_end), ("d", true));
    }

    #[test]
    fn even_answers_and_a_gradual_rise_begin_nowhere() {
        assert_eq!(Rise::of(&trail(&[0.2, 90.0, 0.3, 0.4])), None);
        assert_eq!(Rise::of(&trail(&[20.0, 45.0, 110.0])), None);
        assert_eq!(Rise::of(&[]), None);
    }
}
