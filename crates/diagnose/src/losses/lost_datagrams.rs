//! A test with datagrams of which a part was lost: the loss is what there is to explain, and not how fast they were sent.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::hosts::counted::UNCONNECTED;
use crate::hosts::tally::Tally;
use crate::items::{Item, step};
use crate::part::part;

/// A smaller share, or fewer datagrams, any path loses now and then. Choices.
const SHARE_LEAST: f64 = 5e-4;
const LEAST: f64 = 5.0;

/// Frames that arrived damaged are as large a share as the datagrams that were lost where they are so many times it. A choice: a counter has
/// a mean of all its time, and of the flow's length.
const AS_LARGE: [f64; 2] = [0.4, 2.5];

/// Chance is one of several reasons up to the first of these shares, and from the second on it takes hardly as many. A choice.
const OF_CHANCE: [f64; 2] = [0.02, 0.05];

/// How much less chance is worth than a full queue, decibans: with it they are even. A choice.
const EVEN: f64 = 3.0;

/// What as large a share of damaged frames is worth, or what a port's queue dropped that is as much, decibans. A choice.
const DAMAGED: f64 = 14.0;

impl Evidence {
    /// The share of a test's datagrams that was lost, 0 to 1, where so many were that it is to be explained; none of a connection.
    pub(crate) fn lost_of_sent(&self) -> Option<f64> {
        let share = self.idle_loss.as_ref().filter(|_| self.udp)?.value;
        let lost = self.datagrams_lost?;
        (share >= SHARE_LEAST && lost >= LEAST).then_some(share)
    }

    /// The share of frames that arrived damaged at an interface, 0 to 1, where it is as large as that of the datagrams that were lost.
    pub(crate) fn damaged_as_lost(&self) -> Option<f64> {
        let lost = self.lost_of_sent()?;
        let around = &self.around;
        let host = around.damaged.as_ref().and_then(Tally::share_of_all);
        let both = [around.ports.damaged_share(), host];
        let is_it = |share: &f64| (AS_LARGE[0]..AS_LARGE[1]).contains(&(*share / lost));
        both.into_iter().flatten().find(is_it)
    }

    /// Which link lost them, where few were and no interface that was read counts as many.
    pub(crate) fn asks_where_lost(&self) -> Option<MissingFact> {
        let few = self.lost_of_sent()? < OF_CHANCE[1];
        let known = self.damaged_as_lost().is_some() || self.queue_lost_datagrams().is_some();
        (few && !known).then(|| MissingFact {
            fact: "interface_errors",
            would_decide: "which link loses them: a port that counts the same share of its frames as damaged or dropped".to_owned(),
            command: "before and after a test, of each port on the way: show interfaces, its errors and drops beside its packets; on both hosts: ip -s link show INTERFACE".to_owned(),
        })
    }
}

/// Weighs datagrams that were lost.
pub(crate) fn by_lost(e: &Evidence, items: &mut Vec<Item>) {
    let Some(lost) = e.lost_of_sent() else { return };
    let damaged = e.damaged_as_lost();
    let queued = e.queue_lost_datagrams().filter(|_| damaged.is_none());
    let known = damaged.is_some() || queued.is_some();
    items.push(Item {
        holds: 1.0,
        // Who sends more loses more of them.
        weights: vec![(Cause::Application, -30.0), (Cause::None, -80.0)],
        sentence: match known {
            true => String::new(),
            false => format!(
                "{} of the datagrams were lost: that is what there is to explain, and not how fast they were sent",
                part(lost)
            ),
        },
    });
    // Where pings are lost, too, these are weighed for chance already.
    let pings = e.around.pings_lost.as_ref();
    let weighed = pings.is_some_and(|p| p.low > 0.0);
    match damaged {
        Some(damaged) => items.push(Item {
            holds: 1.0,
            weights: vec![
                (Cause::RandomLoss, DAMAGED - UNCONNECTED),
                (Cause::Client, -8.0),
                (Cause::Nic, -8.0),
                (Cause::CongestionLoss, -8.0),
                (Cause::Policer, -8.0),
            ],
            sentence: format!(
                "{} of the datagrams were lost, and {} of the frames of an interface arrived damaged: as large a share, so that its line loses them",
                part(lost),
                part(damaged)
            ),
        }),
        None if !weighed && !known => items.push(Item {
            holds: 1.0 - step(lost, OF_CHANCE[0], OF_CHANCE[1]),
            weights: vec![(Cause::RandomLoss, -UNCONNECTED - EVEN)],
            sentence: String::new(),
        }),
        None => {}
    }
    items.extend(queued.map(|queued| Item {
        holds: 1.0,
        weights: vec![
            (Cause::CongestionLoss, DAMAGED),
            (Cause::Client, -8.0),
            (Cause::Nic, -8.0),
            (Cause::Policer, -8.0),
        ],
        sentence: format!("{} of the datagrams were lost, and {queued}", part(lost)),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// So many of a hundred thousand datagrams were lost.
    fn evidence(lost: f64) -> Evidence {
        Evidence {
            udp: true,
            idle_loss: Some(Figure::exact(lost / 1e5, Place::You)),
            datagrams_lost: Some(lost),
            ..Evidence::default()
        }
    }

    #[test]
    fn what_any_path_loses_now_and_then_is_not_to_be_explained() {
        assert_eq!(evidence(310.0).lost_of_sent(), Some(0.0031));
        assert_eq!(evidence(40.0).lost_of_sent(), None);
        let few = Evidence {
            datagrams_lost: Some(2.0),
            ..evidence(310.0)
        };
        assert_eq!(few.lost_of_sent(), None);
        let tcp = Evidence {
            udp: false,
            ..evidence(310.0)
        };
        assert_eq!(tcp.lost_of_sent(), None);
    }
}
