//! Packets that went one way, counted at the other end: what they lost is of the way that the data goes, or of the one that its
//! acknowledgements go. Pings know only both together.

use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flow::{Flow, alike};
use crate::part::part;
use crate::pinged::{apart, names};
use crate::read::Facts;
use crate::rest::share_lost;

/// What was counted of one way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneWay {
    /// Name or address of the end that sent them; empty where it is the host whose command it was.
    pub(crate) from: String,
    /// The same of the end that received them.
    pub(crate) to: String,
    /// Packets, and those of them that did not arrive.
    pub(crate) sent: f64,
    pub(crate) lost: f64,
    /// Where it was read.
    pub(crate) at: Place,
}

/// What was counted of the way that a flow's data goes, and of the one back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneWayLoss {
    there: OneWay,
    back: Option<OneWay>,
}

impl OneWay {
    /// Whether it is the way that the data of a flow goes, or the one back; none of another path.
    fn is_there(&self, facts: &Facts, flow: &Flow) -> Option<bool> {
        let ends = [0, 1].map(|n| names(flow, n));
        let own = [&self.from, &self.to];
        let is = |name: &String, end: &[String]| end.iter().any(|other| alike(other, name));
        // Neither end may be another host for certain.
        let fits = |order: [usize; 2]| {
            let pairs = || own.into_iter().zip(order.map(|n| &ends[n]));
            let other = |(name, end): (&String, &Vec<String>)| {
                !is(name, end) && apart(facts, core::slice::from_ref(name), end)
            };
            pairs().any(|(name, end)| is(name, end)) && !pairs().any(other)
        };
        match (fits([0, 1]), fits([1, 0])) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Several of one way as one, which stands where the first does.
    fn together<'w>(all: impl IntoIterator<Item = &'w OneWay>) -> Option<OneWay> {
        let mut all = all.into_iter();
        let first = all.next()?.clone();
        Some(all.fold(first, |both, next| OneWay {
            sent: both.sent + next.sent,
            lost: both.lost + next.lost,
            ..both
        }))
    }

    /// The share that was lost, 0 to 1, with its bounds.
    fn share(&self) -> Figure {
        share_lost(Figure::exact(0.0, self.at), self.sent, self.lost)
    }
}

impl OneWayLoss {
    /// What was counted of a flow's path. Of no flow in particular it is the way that lost most.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<OneWayLoss> {
        let all = &facts.one_way;
        let nameless = [0, 1].iter().all(|n| names(flow, *n).is_empty());
        if nameless && flow.test.is_none() {
            let share = |way: &&OneWay| way.lost / way.sent;
            let worst = all.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
            let back = all
                .iter()
                .find(|way| way.from == worst.to && way.to == worst.from);
            return Some(OneWayLoss {
                there: worst.clone(),
                back: back.cloned(),
            });
        }
        let ways: Vec<(&OneWay, Option<bool>)> = all
            .iter()
            .map(|way| (way, way.is_there(facts, flow)))
            .collect();
        let of = |there: bool| {
            let own = ways.iter().filter(|(_, way)| *way == Some(there));
            OneWay::together(own.map(|(way, _)| *way))
        };
        Some(OneWayLoss {
            there: of(true)?,
            back: of(false),
        })
    }

    /// The share that the data's way lost, 0 to 1, with its bounds.
    pub(crate) fn share(&self) -> Figure {
        self.there.share()
    }

    /// Whether a loss is this one.
    fn is(&self, loss: &Figure) -> bool {
        loss.from.contains(&self.there.at)
    }

    /// What was lost on which way, for people.
    fn said(&self) -> String {
        let there = &self.there;
        let back = self.back.as_ref().map_or_else(String::new, |back| {
            format!(
                "; of {:.0} that went the other way {:.0} were lost",
                back.sent, back.lost
            )
        });
        let ends = [("from", &there.from), ("to", &there.to)];
        let named = ends.iter().filter(|(_, end)| !end.is_empty());
        let way: String = named.map(|(word, end)| format!(" {word} {end}")).collect();
        format!(
            "{} of the packets that went one way{way} were lost ({:.0} of {:.0}){back}; no text says whether the path was idle meanwhile",
            part(there.lost / there.sent),
            there.lost,
            there.sent
        )
    }
}

impl Evidence {
    /// What packets that went one way say of a loss, for people; none where it is known by something else.
    pub(crate) fn lost_one_way(&self, loss: &Figure) -> Option<String> {
        let own = self.around.one_way.as_ref();
        own.filter(|way| way.is(loss)).map(OneWayLoss::said)
    }
}
