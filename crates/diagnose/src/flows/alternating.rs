//! Tests that one command ran one after another and that are fast and slow by turns: what holds the slow ones goes by the connection and not by
//! the time, as a member of a group of links (LAG) or one path of several (ECMP) does. A queue or a policer common to all holds all.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::read::Facts;
use crate::seen::Test;

/// Tests are of one kind within so many times the rate, and of the other from so many times on. Choices.
const ALIKE: f64 = 2.0;
const FASTER: f64 = 3.0;

/// So often the kind changes from one test to the next, at least: an hour of others' traffic begins once and ends once.
const CHANGES: usize = 3;

/// Tests that were fast and slow by turns.
#[derive(Clone, Debug)]
pub(crate) struct Alternating {
    /// How many there were, and how many of them were slow.
    tests: [usize; 2],
    /// The least rate of the fast ones and the greatest of the slow ones, bit/s.
    rates: [f64; 2],
    /// The only member of a group of links that counts damaged frames, for people.
    member: Option<String>,
}

/// Where the command of a test's client was typed.
fn typed(facts: &Facts, test: &Test) -> Option<Place> {
    let mut all = facts.prompts.clients.iter().rev();
    let above = all.find(|client| test.at.lines_below(client.at).is_some());
    above.map(|client| client.at)
}

impl Alternating {
    /// The tests beside a slow one, where one command ran all of them.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<Alternating> {
        let own = flow.test.as_ref().filter(|t| !t.udp)?;
        let rate = own.goodput()?.0.value;
        let at = typed(facts, own)?;
        let is_of = |t: &&Test| {
            let same = t.tool == own.tool && t.client == own.client && t.streams == own.streams;
            same && !t.udp && typed(facts, t) == Some(at)
        };
        let beside = flow.beside.iter().filter(is_of);
        let rated = beside.filter_map(|t| Some((t.at, t.goodput()?.0.value)));
        let mut all: Vec<(Place, f64)> = rated.chain([(own.at, rate)]).collect();
        all.sort_by_key(|(at, _)| *at);
        let slow = |bps: f64| bps < ALIKE * rate && bps > rate / ALIKE;
        let apart = all
            .iter()
            .all(|(_, bps)| slow(*bps) || *bps > FASTER * rate);
        let kinds: Vec<bool> = all.iter().map(|(_, bps)| slow(*bps)).collect();
        let changes = kinds.windows(2).filter(|two| two[0] != two[1]).count();
        let of_kind = |is: bool| all.iter().map(|a| a.1).filter(move |bps| slow(*bps) == is);
        (apart && changes >= CHANGES).then(|| Alternating {
            tests: [all.len(), of_kind(true).count()],
            rates: [
                of_kind(false).fold(f64::INFINITY, f64::min),
                of_kind(true).fold(0.0, f64::max),
            ],
            member: facts.damaged_member.clone(),
        })
    }
}

/// Weighs it.
pub(crate) fn by_turns(e: &Evidence, items: &mut Vec<Item>) {
    let lost = e.again.as_ref().is_some_and(|again| again.value > 0.0);
    let Some(found) = e.counted_else.alternating.as_ref().filter(|_| lost) else {
        return;
    };
    let ([all, slow], [fast, most]) = (found.tests, found.rates);
    let (worth, member) = match &found.member {
        Some(member) => (
            20.0,
            format!(". {member}: take it out of the group, and test again"),
        ),
        None => (
            6.0,
            ". Test each member by itself, or read what each one's two ports count".to_owned(),
        ),
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::RandomLoss, worth),
            (Cause::Policer, -20.0),
            (Cause::ShallowBuffer, -14.0),
            (Cause::CongestionLoss, -14.0),
            (Cause::CrossTraffic, -10.0),
        ],
        sentence: format!(
            "of {all} tests of one command {slow} got {} at most and the others {} at least, by turns: what holds them goes by the connection, as a member of a group of links (LAG) or one path of several (ECMP) does, and no queue or policer common to all{member}",
            bps(most),
            bps(fast)
        ),
    });
}
