//! A test with BBR between the same hosts that was far faster and lost as large a share of its segments: chance takes a share whatever the
//! rate is, and BBR is hardly slowed down by it.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Fact, Figure, Of, Value};
use crate::flows::flow::{Flow, alike};
use crate::flows::other_version::client;
use crate::items::{Item, step};
use crate::part::part;
use crate::read::Facts;
use crate::seen::{Side, Test};

/// What a test with BBR gave.
#[derive(Clone, Debug)]
pub(crate) struct UnlikeControl {
    rate: Figure,
    /// How many times the rate of this one.
    times: f64,
    /// The share of its segments that was sent again, 0 to 1; none where nothing counts them.
    again: Option<f64>,
    /// Whether both were typed on one host, as far as prompts say.
    same_client: bool,
}

/// It is so many times as fast, or says nothing.
const FASTER: f64 = 2.0;

/// Shares are alike whose logarithms differ by no more than the first, and are not from the second on. A few losses make a share.
const ALIKE: [f64; 2] = [1.1, 1.8];

impl UnlikeControl {
    /// What the fastest test with BBR between the same hosts gave, where this one has another control and losses.
    pub(crate) fn of(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<UnlikeControl> {
        let own = e.rate.as_ref().filter(|r| r.value > 0.0)?;
        let lossy = e.again.as_ref().is_some_and(|again| again.value > 0.0);
        if e.udp || e.is_bbr() || !e.tester || e.streams > 1.0 || !lossy {
            return None;
        }
        let of_bbr = flow.beside.iter().filter(|t| !t.udp && is_bbr(facts, t));
        let each = of_bbr.filter_map(|test| {
            let (rate, _) = test.goodput()?;
            let times = rate.value / own.value;
            (times >= FASTER).then(|| UnlikeControl {
                rate: rate.clone(),
                times,
                again: share_again(test, e.mss),
                same_client: flow.test.as_ref().and_then(|own| client(facts, own))
                    == client(facts, test),
            })
        });
        each.max_by(|a, b| a.times.total_cmp(&b.times))
    }
}

/// Whether a test was sent with BBR, by its report, by the command above it, or by what its host had set.
fn is_bbr(facts: &Facts, test: &Test) -> bool {
    let typed = || crate::flows::typed::word(facts, Some(test), "cc").map(|(cc, _)| cc);
    let said = test.words.get("cc").map(String::as_str);
    let cc = said.or_else(typed).or_else(|| set(facts, test));
    cc.is_some_and(|cc| cc.starts_with("bbr"))
}

/// The congestion control of the host on which a test was typed that sends: the last that its text has above the test.
fn set<'f>(facts: &'f Facts, test: &Test) -> Option<&'f str> {
    let name = client(facts, test).filter(|_| test.client == Side::Sender)?;
    let is_its = |fact: &&Fact| {
        let Of::Host(n) = fact.of else { return false };
        let names = facts.hosts.get(n as usize);
        names.is_some_and(|names| match name {
            "" => names.is_empty(),
            _ => names.iter().any(|own| alike(own, name)),
        })
    };
    let above = |fact: &&Fact| fact.name == "cc" && test.at.lines_below(fact.at).is_some();
    let mut own = facts.facts.iter().filter(above).filter(is_its);
    match &own.next_back()?.value {
        Value::Word(word) => Some(word.as_str()),
        Value::Number(_) => None,
    }
}

/// The share of a test's segments of `mss` bytes that was sent again.
fn share_again(test: &Test, mss: f64) -> Option<f64> {
    let again = test.numbers.get("retransmits")?;
    let report = test.received.as_ref().or(test.sent.as_ref())?;
    let segments = report.bytes.as_ref()?.value / mss;
    (segments > 0.0).then(|| again.value / segments)
}

/// As large a share at a far higher rate is chance's, and neither a queue's nor a policer's.
pub(crate) fn by_unlike_control(e: &Evidence, items: &mut Vec<Item>) {
    let both = e.counted_else.unlike.as_ref().zip(e.again.as_ref());
    let Some((other, own)) = both else { return };
    let Some(share) = other.again.filter(|share| *share > 0.0) else {
        return;
    };
    let off = libm::fabs(libm::log(share / own.value));
    items.push(Item {
        holds: 1.0 - step(off, ALIKE[0], ALIKE[1]),
        weights: vec![
            (Cause::RandomLoss, 14.0),
            (Cause::Policer, -12.0),
            (Cause::ShallowBuffer, -8.0),
            (Cause::CongestionLoss, -8.0),
        ],
        sentence: format!(
            "with BBR a test {} got {}, {:.0} times as much, and {} of its segments were sent again, of this one's {}: chance takes such a share at any rate, and BBR hardly slows down for it",
            match other.same_client {
                true => "between the same hosts",
                false => "of another host to the same one",
            },
            bps(other.rate.value),
            other.times,
            part(share),
            part(own.value)
        ),
    });
}
