//! Parallel links used as one: which of them a frame takes at the node in front.
//!
//! What goes down and up is known in advance, as luck is: the choice depends on the frame and on when it
//! gets to the node, and on nothing that happens elsewhere.

use farpath_units::{Duration, Stream, Time};
use farpath_wire::{FlowDir, Frame};

use crate::impair::Flap;

/// What stays together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// A flow, as long as its member is up.
    #[default]
    Flow,
    /// Nothing: each flow's frames take the members in turn.
    Packet,
}

/// When a link is down, as the node in front of it notices.
#[derive(Clone, Debug, Default)]
pub struct Outages {
    /// It is up at first, and changes at these instants.
    changes: Vec<Time>,
    flap: Option<Flap>,
    detection: Duration,
}

impl Outages {
    /// Up at first, changing at `changes`, which rise, and as `flap` does; noticed so long after.
    pub fn new(changes: Vec<Time>, flap: Option<Flap>, detection: Duration) -> Outages {
        Outages {
            changes,
            flap,
            detection,
        }
    }

    /// What had happened by the instant that is noticed at `now`.
    fn seen(&self, now: Time) -> Time {
        Time::ZERO + now.since(Time::ZERO).saturating_sub(self.detection)
    }

    /// Works out what changes by `now`.
    fn follow(&mut self, now: Time) {
        let seen = self.seen(now);
        while let Some(due) = self.flap.as_mut().and_then(|f| f.change(seen)) {
            self.changes.push(due);
        }
    }

    /// Whether it seems to be up at `now`, which it was followed to; what changes at an instant comes
    /// before what arrives at it.
    fn is_up(&self, now: Time) -> bool {
        let seen = self.seen(now);
        let changes = self.changes.partition_point(|at| *at <= seen);
        changes.is_multiple_of(2)
    }
}

/// A bundle as the ports see it that lead to the node in front.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    unit: Unit,
    /// The output of each member, and when it is down.
    members: Vec<(u16, Outages)>,
    /// Where each flow's choices come from, by `FlowDir::index`.
    draws: Vec<Option<Stream>>,
    /// Frames of each flow so far, likewise.
    sent: Vec<u64>,
}

impl Spread {
    /// Over these outputs, which are always up.
    pub fn new(unit: Unit, outputs: &[u16]) -> Spread {
        let members = outputs.iter().map(|o| (*o, Outages::default()));
        Spread {
            unit,
            members: members.collect(),
            draws: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// A flow's choices are drawn from `draws`.
    pub fn set_flow(&mut self, dir: FlowDir, draws: Stream) {
        let index = dir.index();
        if self.draws.len() <= index {
            self.draws.resize(index + 1, None);
            self.sent.resize(index + 1, 0);
        }
        self.draws[index] = Some(draws);
    }

    /// Member `n` goes down and up so.
    pub fn set_outages(&mut self, n: usize, outages: Outages) {
        self.members[n].1 = outages;
    }

    /// The outputs, by member.
    pub fn outputs(&self) -> impl Iterator<Item = u16> {
        self.members.iter().map(|m| m.0)
    }

    /// The output a flow takes when nothing is down; the first member's if its frames take turns.
    pub fn usual(&self, dir: FlowDir) -> u16 {
        let place = match self.unit {
            Unit::Flow => self.draw(dir, 0) % self.members.len() as u64,
            Unit::Packet => 0,
        };
        self.members[place as usize].0
    }

    /// The output of `frame`, which gets to the node at `at`. What is down is left out, unless all are.
    pub fn output(&mut self, frame: &Frame, at: Time) -> u16 {
        for (_, outages) in &mut self.members {
            outages.follow(at);
        }
        let sent = self.sent.get_mut(frame.flow.index());
        let ordinal = sent.map_or(0, |n| std::mem::replace(n, *n + 1));
        let (all, up) = (self.members.len() as u64, self.up(at).count() as u64);
        let own = self.draw(frame.flow, 0);
        let choice = match self.unit {
            Unit::Packet => own.wrapping_add(ordinal),
            Unit::Flow => {
                let (output, outages) = &self.members[(own % all) as usize];
                if up == 0 || outages.is_up(at) {
                    return *output;
                }
                self.draw(frame.flow, 1)
            }
        };
        match up {
            0 => self.members[(choice % all) as usize].0,
            _ => self.up(at).nth((choice % up) as usize).unwrap_or_default(),
        }
    }

    /// The outputs of the members that are up.
    fn up(&self, at: Time) -> impl Iterator<Item = u16> {
        let up = self.members.iter().filter(move |m| m.1.is_up(at));
        up.map(|m| m.0)
    }

    fn draw(&self, dir: FlowDir, ordinal: u64) -> u64 {
        let draws = self.draws.get(dir.index()).copied().flatten();
        draws.map_or(0, |d| d.bits(ordinal))
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Key;
    use farpath_wire::Kind;

    use super::*;

    fn spread(unit: Unit, flows: u16) -> Spread {
        let mut spread = Spread::new(unit, &[3, 5, 7, 9]);
        for flow in 0..flows {
            let key = Key::new(1).with_number(flow.into());
            spread.set_flow(FlowDir::forward(flow), key.stream());
        }
        spread
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    fn taken(spread: &mut Spread, flow: u16, us: u64) -> u16 {
        let frame = Frame::new(Kind::Udp, FlowDir::forward(flow), 0, 1500);
        spread.output(&frame, at(us))
    }

    #[test]
    fn frames_take_turns_over_what_is_up() {
        let mut spread = spread(Unit::Packet, 2);
        let down = Outages::new(vec![at(100), at(200)], None, Duration::from_us(10));
        spread.set_outages(1, down);
        let round = |spread: &mut Spread, flow, us, n| -> Vec<u16> {
            let mut round: Vec<u16> = (0..n).map(|_| taken(spread, flow, us)).collect();
            round.sort_unstable();
            round
        };
        assert_eq!(round(&mut spread, 0, 109, 4), [3, 5, 7, 9]);
        assert_eq!(round(&mut spread, 1, 0, 4), [3, 5, 7, 9]);
        assert_eq!(round(&mut spread, 0, 110, 6), [3, 3, 7, 7, 9, 9]);
        // One that gets there later may have been sent earlier.
        assert_eq!(round(&mut spread, 0, 109, 4), [3, 5, 7, 9]);
        assert_eq!(round(&mut spread, 0, 210, 4), [3, 5, 7, 9]);
    }

    /// Of 400 flows those of the lost member, and no others, are moved, about as many to each of the three
    /// others (33 ± 4.7), and they come back.
    #[test]
    fn only_the_flows_of_a_lost_member_move() {
        let mut spread = spread(Unit::Flow, 400);
        spread.set_outages(
            2,
            Outages::new(vec![at(100), at(200)], None, Duration::ZERO),
        );
        let mut moved = [0_u32; 10];
        for flow in 0..400 {
            let [before, during, after] = [0, 100, 200].map(|us| taken(&mut spread, flow, us));
            assert_eq!(before, after);
            assert_eq!(before, spread.usual(FlowDir::forward(flow)));
            assert_ne!(during, 7);
            assert!(before == during || before == 7);
            moved[usize::from(during)] += u32::from(before == 7);
        }
        let moved = [3, 5, 9].map(|n: usize| moved[n]);
        assert!(moved.iter().all(|n| (15..=52).contains(n)), "{moved:?}");
    }

    #[test]
    fn when_all_are_down_nothing_moves() {
        for unit in [Unit::Flow, Unit::Packet] {
            let mut spread = spread(unit, 1);
            let before: Vec<u16> = (0..4).map(|_| taken(&mut spread, 0, 0)).collect();
            for n in 0..4 {
                spread.set_outages(n, Outages::new(vec![at(1)], None, Duration::ZERO));
            }
            let during: Vec<u16> = (0..4).map(|_| taken(&mut spread, 0, 5)).collect();
            assert_eq!(before, during);
        }
    }
}
