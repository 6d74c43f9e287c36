//! Where on the way packets are lost, by the counts of a trace.
//!
//! A router answers a trace when it has time to: what it alone does not answer was not lost. Loss that is seen from one hop on to the end
//! begins there.

use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::flow::{Flow, number, word};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::part::part;
use crate::read::Facts;
use crate::windows::no_rate::{CLEAN, LOSSY};

/// A trace of fewer packets does not show that nothing is wrong, nor does one whose round trips differ by more than this, seconds. Choices.
const SENT_LEAST: f64 = 20.0;
const EVEN_S: f64 = 0.03;

/// Where packets of a flow's path are lost, by a trace of it.
pub(crate) fn lost_at(facts: &Facts, flow: &Flow) -> Option<String> {
    let (_, at) = word(facts, Of::Path, "loss_hop")?;
    lost_where(facts).filter(|_| !flow.pings.elsewhere.contains(&at))
}

/// `from the first hop on, 192.0.2.1`, `between 192.0.2.1 and 198.51.100.9`; none where no trace says it.
fn lost_where(facts: &Facts) -> Option<String> {
    let (hop, _) = word(facts, Of::Path, "loss_hop")?;
    let (before, _) = word(facts, Of::Path, "loss_after_hop")?;
    let n = number(facts, Of::Path, "loss_hop_number")?.value;
    Some(match before {
        "" if n <= 1.0 => format!("from the first hop on, {hop}"),
        "" => format!("at {hop} or before it"),
        before => format!("between {before} and {hop}"),
    })
}

/// What a trace says of routers that do not answer all that is sent to themselves.
pub(crate) fn own_answers(facts: &Facts) -> Option<String> {
    let (hop, _) = word(facts, Of::Path, "loss_own_hop")?;
    let share = number(facts, Of::Path, "loss_own_ratio")?.value;
    Some(format!(
        "{hop} leaves {:.0} % of what is sent to itself unanswered, and the hops behind it do not miss them: that is the router's own, and no loss of the path",
        100.0 * share
    ))
}

/// What a trace says of hops that do not answer at all, where hops behind them do.
pub(crate) fn silent_hops(facts: &Facts) -> Option<String> {
    let (hops, at) = facts.silent_hops.as_ref()?;
    Some(format!(
        "the trace has hops that never answer, and answers from behind them ({hops}, {}): routers there pass on what goes through, and do not answer what is sent to themselves. That is not loss",
        facts.place(*at)
    ))
}

/// What the only trace says of its path, where texts hold nothing else of one, for people; none where that is too little.
pub(crate) fn by_trace_alone(facts: &Facts) -> Option<String> {
    let long = facts.long_way.as_ref();
    if let Some(long) = long.filter(|_| facts.traced.is_empty()) {
        let one = facts.trace_targets.len() == 1 && is_alone(facts);
        return one.then(|| long.said());
    }
    let [trace] = &facts.traced[..] else {
        return None;
    };
    let figure = |name| number(facts, Of::Path, name).map(|f| f.value);
    let sent = figure("ping_sent")?;
    if sent < SENT_LEAST || facts.of_path("ping_sent").count() > 1 || !is_alone(facts) {
        return None;
    }
    let (end, lost) = (&trace.end, trace.lost);
    if lost > 0.0 {
        let place = lost_where(facts)?;
        if trace.alone {
            return Some(format!(
                "{LOSSY} at its target alone: {lost:.0} of {sent:.0} packets ({}) to {end} are not answered, and the hops before it answer. Most often {end} or its firewall holds its answers to ICMP to a rate, and loses nothing else; or packets are lost {place}, or on the way back from there. The texts do not tell which: a trace or a test by TCP does",
                part(lost / sent)
            ));
        }
        return Some(format!(
            "{LOSSY}: {lost:.0} of {sent:.0} packets ({}) to {end} are lost {place}, or on the way back from there, and the loss lasts from there to the end. Whether a full queue or a fault takes them it does not say: drops and errors of the ports of that link do, which whoever runs them can read; a trace from the other end shows the way back",
            part(lost / sent)
        ));
    }
    if let Some(rise) = &trace.rise {
        return Some(rise.said(sent));
    }
    let (least, most) = (figure("rtt_min_ns")? * NS, figure("rtt_max_ns")? * NS);
    (most - least < EVEN_S).then(|| {
        let own = own_answers(facts).map_or(String::new(), |own| format!("{own}; "));
        // Of some traces only the mean is known.
        let after = match most > least {
            true => format!("{} to {}", ms(least), ms(most)),
            false => format!("{} on average", ms(least)),
        };
        format!(
            "{CLEAN}: all {sent:.0} packets to {end} came back, after {after}; {own}what is slow at another time shows in a trace of that time"
        )
    })
}

/// Whether the only loss of the texts is that of a trace whose target alone does not answer: nobody says whether the path loses anything.
pub(crate) fn is_of_target_alone(facts: &Facts) -> bool {
    let [trace] = &facts.traced[..] else {
        return false;
    };
    trace.alone && facts.of_path("ping_sent").count() == 1 && is_alone(facts)
}

/// Whether texts hold nothing of a path but traces.
fn is_alone(facts: &Facts) -> bool {
    let refused = &facts.refused;
    let failed = refused.connection || refused.timed_out.is_some() || refused.table_full.is_some();
    let failed = failed || refused.unopened.is_some() || refused.test.is_some();
    let counted = !facts.counters.is_empty() || !facts.ports.is_empty();
    let sent = !facts.tests.is_empty() || !facts.sockets.is_empty() || !facts.pings.is_empty();
    let sent = sent || !facts.one_way.is_empty();
    let seen = !facts.captured.is_empty() || !facts.syns.is_empty();
    let waits = facts.server_wait.is_some() || facts.names.decide();
    !failed && !counted && !sent && !seen && !waits
}

impl Evidence {
    /// Where a trace says that packets are lost, for people; none where that is said by itself, or nothing else shows a loss.
    pub(crate) fn lost_at_in_words(&self) -> Option<String> {
        let seen = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let said = self.around.trace_alone.is_some() && self.rate.is_none();
        let lost = self.around.lost_at.as_ref().filter(|_| seen && !said)?;
        Some(format!(
            "by the trace, packets are lost {lost}: the loss lasts from there to the end"
        ))
    }
}

/// What a trace, and pings to a first hop, say of where packets are lost.
pub(crate) fn by_trace(e: &Evidence, items: &mut Vec<Item>) {
    let lost = e.lost_at_in_words();
    let all = lost.into_iter().chain(e.around.own_answers.clone());
    let all = all.chain(e.around.first_hop.iter().cloned());
    items.extend(all.map(said));
    by_silent_hops(e, items);
}

/// What a trace acquits where no rate is known: routers that do not answer what is sent to themselves, whatever else the texts hold; and
/// what pings to a first hop say.
pub(crate) fn by_trace_unrated(e: &Evidence, items: &mut Vec<Item>) {
    let own = e.around.own_answers.clone();
    let own = own.filter(|_| e.around.trace_alone.is_none());
    items.extend(own.map(said));
    items.extend(e.around.first_hop.iter().cloned().map(said));
    by_silent_hops(e, items);
}

/// What a trace says of hops that do not answer at all, which needs no rate.
fn by_silent_hops(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.silent_hops.clone().map(said));
}

/// What is said and speaks for no cause.
fn said(sentence: String) -> Item {
    Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::read::route::{Answered, locate};

    fn at(trail: &[(&str, f64)]) -> (Option<String>, Option<String>) {
        let trail: Vec<Answered> = trail.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect();
        let mut facts = Facts::default();
        locate(&trail, 4.0, Place::You, &mut facts);
        (lost_where(&facts), own_answers(&facts))
    }

    #[test]
    fn a_loss_begins_where_it_lasts_from() {
        let place = |trail: &[(&str, f64)]| at(trail).0;
        let all = [("a", 0.004), ("b", 0.003), ("c", 0.004)];
        assert_eq!(place(&all).as_deref(), Some("from the first hop on, a"));
        let later = [("a", 0.0), ("b", 0.4), ("c", 0.004), ("d", 0.004)];
        assert_eq!(place(&later).as_deref(), Some("between a and c"));
        let hidden = [("a", 0.4), ("b", 0.004), ("c", 0.004)];
        assert_eq!(place(&hidden).as_deref(), Some("at b or before it"));
    }

    #[test]
    fn a_target_alone_may_hold_its_own_answers() {
        let alone = |trail: &[(&str, f64)]| {
            let trail: Vec<Answered> = trail.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect();
            let mut facts = Facts::default();
            locate(&trail, 12.0, Place::You, &mut facts);
            facts.traced[0].alone
        };
        assert!(alone(&[("a", 0.0), ("b", 0.0), ("c", 0.24)]));
        assert!(!alone(&[("a", 0.0), ("b", 0.24), ("c", 0.24)]));
        assert!(!alone(&[("a", 0.24)]));
    }

    #[test]
    fn what_one_router_does_not_answer_is_its_own() {
        let (lost, own) = at(&[("a", 0.0), ("b", 0.25), ("c", 0.0)]);
        // Nothing was lost at the end: the place is of no loss, and is not said.
        assert_eq!(lost, None);
        assert!(own.is_some_and(|own| own.starts_with("b leaves 25 %")));
    }
}
