//! A rate that each connection has for itself: more of them carry as many times as much, though the windows of one have room and nothing is
//! lost. The sender paces each (`fq maxrate`), or a device on the way shapes each. Where some is lost all through, at a rate that stays and is
//! far above what chance would leave, a policer has a rate for each.

use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::items::Item;

/// So many times the connections carry so many times as much where each has a rate of its own: their starts and the line take some.
const ALIKE: [f64; 2] = [0.85, 1.1];

/// A smaller share of segments sent again shows no policer at work all the time. A choice.
const POLICED: f64 = 1e-3;

impl Evidence {
    /// How many times the connections carried how many times as much, where both are alike.
    fn multiplies(&self) -> Option<(f64, f64)> {
        let (streams, times) = self.counted_else.wider?;
        let alike = (ALIKE[0]..=ALIKE[1]).contains(&(times / streams));
        alike.then_some((streams, times))
    }

    /// The same where the windows of one have room.
    fn is_held_for_itself(&self) -> Option<(f64, f64)> {
        self.multiplies().filter(|_| self.waits_for_its_queue())
    }

    /// The same where one loses all through, and its rate stays far above what such losses would leave by chance.
    fn is_policed_for_itself(&self, ceilings: &[Limit]) -> Option<(f64, f64)> {
        let lossy = self.again.as_ref().is_some_and(|a| a.value > POLICED);
        let rate = self.rate.as_ref().map_or(0.0, |r| r.low);
        let law = |c: &&Limit| c.cause == Cause::RandomLoss;
        let beyond = ceilings
            .iter()
            .find(law)
            .is_some_and(|c| c.rate.high < rate);
        let steady = !self.steady.is_empty() && self.is_even();
        let shows = lossy && beyond && steady && !self.is_bbr() && !self.udp;
        self.multiplies().filter(|_| shows)
    }
}

/// What more connections say of one whose rate neither its windows nor chance explain.
pub(crate) fn by_each(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    if let Some((streams, times)) = e.is_policed_for_itself(ceilings) {
        items.push(Item {
            holds: 1.0,
            weights: vec![
                // Connections that share a policer do not carry more: it is one for each.
                (Cause::Policer, 16.0),
                (Cause::RandomLoss, -10.0),
                (Cause::Application, -8.0),
            ],
            sentence: format!(
                "{streams:.0} times the connections carried {times:.1} times as much, and one loses all through at a rate that stays, far above what chance would leave: a policer may hold each connection to a rate of its own"
            ),
        });
    }
    let Some((streams, times)) = e.is_held_for_itself() else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Pacing, 10.0),
            // Connections that share a shaper do not carry more: it is one for each.
            (Cause::Shaper, 20.0),
            (Cause::SendBuffer, -12.0),
            (Cause::ReceiveWindow, -12.0),
            (Cause::CrossTraffic, -12.0),
            (Cause::MtuBlackHole, -12.0),
        ],
        sentence: format!(
            "{streams:.0} times the connections carried {times:.1} times as much, nothing was lost, and both windows of one have room: each connection is held to this rate, by pacing at the sender (fq maxrate) or by a device that shapes each. tc -s qdisc show on the sender tells which; connections side by side get more"
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;

    /// 97.5 Mbit/s of one connection, whose socket holds bytes back though both windows have room.
    fn held() -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        Evidence {
            rate: figure(97.5e6),
            rtt: figure(0.0141),
            bytes: figure(122e6),
            retransmits: figure(0.0),
            cwnd: figure(1.2e6),
            flight: figure(174e3),
            unsent: figure(1.67e6),
            queued: figure(1.84e6),
            seconds: Some(10.0),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// It was unknown, the send buffer first.
    #[test]
    fn more_connections_that_carry_as_much_more_are_each_held() {
        let mut e = held();
        assert_eq!(e.is_held_for_itself(), None);
        e.counted_else.wider = Some((8.0, 7.9));
        assert_eq!(e.is_held_for_itself(), Some((8.0, 7.9)));
        let ranking = weigh(&e, &[]).ranking;
        let of_each = [Cause::Shaper, Cause::Pacing];
        assert!(of_each.contains(&ranking[0].cause), "{ranking:?}");
        // Losses of 0.46 % would leave 34 Mbit/s at most by chance.
        let law = crate::ceiling::limit(
            Cause::RandomLoss,
            Figure::between(17e6, 11e6, 34e6, Place::You),
            String::new(),
        );
        let policed = Evidence {
            again: Some(Figure::exact(4.6e-3, Place::You)),
            retransmits: Some(Figure::exact(400.0, Place::You)),
            steady: vec![97.5e6; 8],
            ..e.clone()
        };
        let both = Some((8.0, 7.9));
        assert_eq!(
            policed.is_policed_for_itself(core::slice::from_ref(&law)),
            both
        );
        assert_eq!(policed.is_policed_for_itself(&[]), None);
        assert_eq!(e.is_policed_for_itself(&[law]), None);
        // What shares a line carries less than that.
        e.counted_else.wider = Some((8.0, 3.0));
        assert_eq!(e.is_held_for_itself(), None);
    }
}
