//! What tests with datagrams say of the losses of TCP between the same hosts.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::ceiling::{Limit, bps};
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::infer::Ranking;
use crate::items::{Item, LOSSES, of, step};
use crate::losses::lookalike::{even_part, give_each, most_of_others};
use crate::seen::after_start;

/// The share of segments sent again after slow start; none where the intervals do not count them.
fn later_share(e: &Evidence) -> Option<f64> {
    let (_, rows) = after_start(&e.counted);
    let again: f64 = rows.iter().filter_map(|r| r.retransmits).sum();
    let bits: f64 = rows.iter().map(|r| r.bps * (r.until - r.from)).sum();
    (rows.len() >= 4 && bits > 0.0).then(|| again * e.mss * 8.0 / bits)
}

/// The share of chance losses that would leave the measured rate, by the law's slowest power (RFC 5348 §3.1: the root); no bound without a law.
///
/// Of what was sent again a part may have been lost at the start, in a queue of its own making: chance had no need of it.
fn chance_enough(e: &Evidence, ceilings: &[Limit]) -> f64 {
    let law = ceilings.iter().find(|c| c.cause == Cause::RandomLoss);
    let (Some(law), Some(again), Some(own)) = (law, &e.again, &e.rate) else {
        return f64::INFINITY;
    };
    let over = own.value / law.rate.value.max(1.0);
    again.value / (over * over).max(1e-9)
}

/// Datagrams that came faster than the flow, and of which many were lost. Of another test with datagrams they show a ceiling alone, which
/// [`by_ceiling`] weighs.
fn faster(e: &Evidence, own: f64, [rate, lost, passed]: [&Figure; 3], items: &mut Vec<Item>) {
    let [shown, through] = [rate, passed].map(|r| crate::ceiling::bps(r.value));
    // Where TCP has more than what passed, something else took them: their receiver's socket, or a class of their own.
    let elsewhere = step(own / passed.value.max(1.0), 1.05, 1.25);
    items.push(Item {
        holds: step(lost.value, 0.005, 0.03) * (1.0 - elsewhere),
        weights: vec![
            (Cause::Policer, if e.udp { 0.0 } else { 18.0 }),
            (Cause::Shaper, if e.udp { 0.0 } else { 6.0 }),
            (Cause::ShallowBuffer, -14.0),
            (Cause::RandomLoss, -6.0),
        ],
        sentence: format!(
            "of datagrams at {shown} {:.1} % were lost: {through} passed",
            100.0 * lost.value
        ),
    });
    items.push(Item {
        holds: if e.udp { 0.0 } else { elsewhere },
        weights: vec![(Cause::ShallowBuffer, -3.0)],
        sentence: format!(
            "datagrams at {shown} had {through}, less than TCP: their receiver's socket lost them, or a class of their own, not what holds TCP"
        ),
    });
}

/// A policer takes what is above its rate, of datagrams nearly always more than this.
const LITTLE: f64 = 0.05;

/// Whether as large a share of datagrams was lost as of segments after the start, and a small one: what comes faster than a policer lets
/// through would have to be just above its rate by chance.
fn as_much(e: &Evidence, lost: &Figure) -> bool {
    let own = later_share(e).or(e.again.as_ref().map(|a| a.value));
    let ratio = own.filter(|own| *own > 0.0).map(|own| lost.value / own);
    lost.low > 0.0 && lost.value < LITTLE && ratio.is_some_and(|r| r > 0.5 && r < 2.0)
}

/// Datagrams come evenly, whatever is lost. What a policer takes of them shows its rate, chance takes its share at any rate, and
/// a queue that is only too short for bursts takes none below the line.
pub(crate) fn by_datagrams(
    e: &Evidence,
    ceilings: &[Limit],
    [rate, lost, passed]: &[Figure; 3],
    items: &mut Vec<Item>,
) {
    let Some(own) = e.lasting() else { return };
    let shown = crate::ceiling::bps(rate.value);
    let under_line = e
        .line
        .as_ref()
        .is_none_or(|(line, _)| rate.value < 0.93 * line.value);
    if !under_line {
        return;
    }
    if as_much(e, lost) && rate.value > own {
        items.push(Item {
            holds: 1.0,
            weights: [of(&LOSSES, -8.0), vec![(Cause::RandomLoss, 22.0)]].concat(),
            sentence: format!(
                "of datagrams at {shown} {:.1} % were lost, as large a share as of TCP's segments at {}: chance takes that, whatever the rate",
                100.0 * lost.value,
                crate::ceiling::bps(own)
            ),
        });
        return;
    }
    if lost.low > 0.005 && rate.value > own {
        return faster(e, own, [rate, lost, passed], items);
    }
    let expected = later_share(e).or(e.again.as_ref().map(|a| a.value));
    let expected = expected.unwrap_or(0.0);
    let expected = if expected > 0.0 { expected } else { 1e-4 };
    let expected = expected.min(chance_enough(e, ceilings));
    if lost.high < 0.01 {
        // Under a policer TCP may get half of its rate, and on a long path a fifth: what passes above TCP's says little, unless it is nearly
        // the line's.
        let near_line = e.line.as_ref().map_or(0.0, |(l, _)| rate.value / l.value);
        let above = 0.5 * step(rate.value / own, 1.2, 5.0);
        items.push(Item {
            holds: above.max(step(near_line, 0.7, 0.85)),
            weights: vec![(Cause::Policer, -18.0)],
            sentence: format!("datagrams at {shown} passed: no policer took any"),
        });
    }
    if lost.high < 0.3 * expected {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::RandomLoss, -16.0)],
            sentence: format!("of datagrams at {shown} next to none were lost"),
        });
        // A queue that others fill is full for them, too: one that is too short is full after TCP's own bursts alone.
        items.push(Item {
            holds: step(rate.value / own, 1.2, 5.0),
            weights: vec![(Cause::CongestionLoss, -8.0)],
            sentence: String::new(),
        });
    } else if lost.low > 0.0 {
        items.push(Item {
            holds: 1.0,
            weights: [of(&LOSSES, -6.0), vec![(Cause::RandomLoss, 20.0)]].concat(),
            sentence: format!(
                "of datagrams at {shown} {} were lost, whatever TCP does",
                crate::part::part(lost.value)
            ),
        });
    }
}

/// Of datagrams sent at several rates as much passes, whatever is sent, where what passed differs by no more than this part, and rates of
/// sending by so many times.
const ALIKE: f64 = 0.05;
const FASTER: f64 = 1.25;

/// A test of which less than this was lost came through; one of which as much passed as of others lost this part at least.
const LOST: f64 = 0.03;
const LOST_OWN: f64 = 0.005;

/// What the flow sent, bit/s, where as much of it and of other tests passed though they sent at other rates.
fn held_alike(e: &Evidence) -> Option<[f64; 2]> {
    let (rate, lost) = (e.rate.as_ref()?, e.idle_loss.as_ref()?);
    let own = rate.value / (1.0 - lost.value).max(0.01);
    let lossy = |share: &Figure| share.value > LOST;
    let all = e.counted_else.datagrams_beside();
    let held: Vec<&[Figure; 3]> = all.iter().filter(|[_, share, _]| lossy(share)).collect();
    let alike = held
        .iter()
        .all(|[_, _, passed]| libm::fabs(passed.value / rate.value - 1.0) < ALIKE);
    // What lost nothing came no faster than what passed.
    let slower = |[sent, share, _]: &[Figure; 3]| lossy(share) || sent.value < 1.05 * rate.value;
    let other = held.iter().map(|[sent, ..]| sent.value).find(|sent| {
        let times = sent / own;
        !(1.0 / FASTER..=FASTER).contains(&times)
    });
    let own_lossy = lost.value > LOST_OWN;
    let consistent = e.udp && own_lossy && alike && all.iter().all(slower);
    Some([own, other.filter(|_| consistent)?])
}

/// Datagrams at several rates of which as much passed: a ceiling. A policer takes what is above it at once, a link or a shaper lets it
/// wait first, so that round trips grow.
pub(crate) fn by_ceiling(e: &Evidence, items: &mut Vec<Item>) {
    let (Some([own, other]), Some(rate)) = (held_alike(e), &e.rate) else {
        return;
    };
    let [own, other, passed] = [own, other, rate.value].map(crate::ceiling::bps);
    let grew = e.rtt_loaded.is_some() && e.rtt_at_rest().is_some();
    let line = e.line.as_ref().map_or(f64::INFINITY, |(l, _)| l.value);
    let under_line = 1.0 - step(rate.value / line, 0.8, 0.93);
    items.push(Item {
        holds: under_line,
        weights: vec![
            (Cause::Policer, 12.0),
            (Cause::Shaper, 12.0),
            (Cause::Link, 8.0),
            (Cause::Client, -14.0),
            (Cause::Nic, -10.0),
            (Cause::CongestionLoss, -8.0),
        ],
        sentence: format!(
            "of datagrams at {own} and at {other} as much passed, {passed}: a ceiling takes what comes above it{}",
            match grew {
                true => "",
                false => "; no text says whether the round trip grew meanwhile, as it does before a link or a shaper, and not before a policer",
            }
        ),
    });
}

/// Who leaves such a ceiling, the first that is named.
const LEAVE: [Cause; 3] = [Cause::Policer, Cause::Shaper, Cause::Link];

impl Evidence {
    /// Whether nothing but as much that passed, whatever was sent, speaks for a ceiling: no round trip, no counter and no TCP.
    fn has_open_ceiling(&self) -> bool {
        let timed = self.rtt_loaded.is_some() && self.rtt_at_rest().is_some();
        let stated = self.policer.is_some() || self.shaper.is_some();
        let counted = self.found_policer.is_some() || self.around.ports.police();
        let other = timed || stated || counted || self.counted_else.tcp_loses();
        !other && held_alike(self).is_some()
    }

    /// What tells a policer from a shaper or a line, where datagrams leave it open.
    pub(crate) fn asks_ceiling(&self, asking: &Asking) -> Option<MissingFact> {
        self.has_open_ceiling().then(|| MissingFact {
            fact: "rtt_loaded_ns",
            would_decide: "whether the round trip grows while more is sent than passes: a line or a shaper lets packets wait, a policer none".to_owned(),
            command: format!("{}, once at rest and once during a test", asking.ping(20)),
        })
    }
}

/// Gives a policer, a shaper and the line the same share, where datagrams show a ceiling and nothing tells whose it is. Says so where it does.
pub(crate) fn even_out(e: &Evidence, ranking: &mut [Ranking]) -> Option<(Vec<Cause>, String)> {
    let passed = e.rate.as_ref().filter(|_| e.has_open_ceiling())?.value;
    // Who stated the line knows it.
    let alike = match e.stated.is_some() {
        true => &LEAVE[..2],
        false => &LEAVE[..],
    };
    let leads = ranking.first().is_some_and(|r| alike.contains(&r.cause));
    let each = even_part(ranking, alike);
    if !leads || most_of_others(ranking, alike) > each {
        return None;
    }
    give_each(ranking, alike, each);
    let who = match alike.len() {
        2 => "a policer or a shaper",
        _ => "a policer, a shaper or a full line",
    };
    let text = format!(
        "it is {who} at {}, {:.0} % together: a ping during the test tells them apart, as a policer lets nothing wait",
        bps(passed),
        100.0 * each * alike.len() as f64
    );
    Some((alike.to_vec(), text))
}
