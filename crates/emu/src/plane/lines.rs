//! How long a link had no pause, by the frames that have come out of it.
//!
//! Frames that wait for a link leave it one behind the other. Of each way the slowest link is followed: a frame that comes no later after the
//! one before than that link takes for it has kept it busy. A window that is smaller than the path holds leaves a pause in each round trip. So
//! a spell without a pause that is a round trip long, or longer, is not the window's: all of it is the link's.

use std::collections::BTreeMap;

use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::FlowDir;

use super::packet::Packet;
use super::{Interface, Plane};

/// A spell may have one part in so many without a frame on its link: frames that were lost behind it, or that others took.
const GAPS: u64 = 20;

/// One with more than this part leaves a window or buffer that is full some time: with a larger one more would go through.
const BRIM: u64 = 100;

/// The time that the slowest link on the way of an end's data took for them, in spells of a round trip or longer in which it had no pause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnLine {
    /// All of it.
    pub all: Duration,
    /// What of it lies in spells with next to no gap, so that a larger window or buffer would not have filled the link any more.
    pub brim: Duration,
    /// What of it lies in the time in which the last of a message was under way to the end that answered it.
    pub way: Duration,
    /// The link leads out of a host, not out of a router.
    pub is_own: bool,
}

/// The slowest link of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    port: usize,
    rate: Rate,
    /// Bytes between its framing and the datagram.
    extra: u32,
    /// Propagation there and back.
    round: Duration,
    is_own: bool,
}

/// A time in which a link had no pause.
#[derive(Clone, Copy, Debug, Default)]
struct Spell {
    since: Time,
    until: Time,
    /// What of it no frame that was seen had taken.
    gaps: Duration,
}

impl Spell {
    /// Frames came that followed each other, the first and the last at an instant; the link takes `one` for the first of them, and `all` for
    /// all of them.
    fn goes_on(&mut self, [first, last]: [Time; 2], [one, all]: [Duration; 2]) {
        let started = first - one;
        let gap = started.since(self.until);
        let between = last.since(started).saturating_sub(all);
        let gaps = self.gaps + gap + between;
        let length = last.since(self.since);
        let is_pause = gap > one || gaps.times(GAPS) > length + one.times(GAPS);
        *self = match is_pause {
            true => Spell {
                since: started,
                until: last,
                gaps: between,
            },
            false => Spell {
                since: self.since,
                until: last.max(self.until),
                gaps,
            },
        };
    }

    /// Whether it is as long as a round trip.
    fn is_long(&self, round: Duration) -> bool {
        let length = self.until.since(self.since);
        length >= round && self.gaps.times(GAPS) <= length
    }

    /// Whether it has next to no gap.
    fn is_to_the_brim(&self) -> bool {
        self.gaps.times(BRIM) <= self.until.since(self.since)
    }
}

/// What a link has carried of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// How long it took for that.
    pub(super) took: Duration,
    /// Since when it has had no pause.
    pub(super) since: Time,
    /// That is a round trip or longer ago.
    pub(super) is_long: bool,
    /// Next to nothing of that time is a gap.
    pub(super) is_to_the_brim: bool,
    pub(super) is_own: bool,
}

/// The slowest links of all ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// None where a way has none.
    ways: BTreeMap<FlowDir, Option<Line>>,
    /// By port.
    spells: BTreeMap<usize, Spell>,
    /// Rates that have changed, by port.
    rates: BTreeMap<usize, Rate>,
}

impl Lines {
    /// A port has another rate.
    pub(super) fn change(&mut self, port: usize, rate: Rate) {
        self.rates.insert(port, rate);
        self.ways.clear();
    }

    fn line(&mut self, (scenario, plan): (&Scenario, &Plan), dir: FlowDir) -> Option<Line> {
        if let Some(known) = self.ways.get(&dir) {
            return *known;
        }
        let there = plan.walk(scenario, dir);
        let back = plan.walk(scenario, dir.turned());
        let round = plan.propagation(scenario, &there) + plan.propagation(scenario, &back);
        let lines = there.iter().map(|hop| {
            let port = &plan.ports[hop.port];
            let rate = self.rates.get(&hop.port).copied().unwrap_or(port.rate);
            let direction = scenario.links[port.link.0].direction_from(port.from);
            let shape = direction.queueing.as_ref().and_then(|q| q.shape);
            Line {
                port: hop.port,
                rate: shape.map_or(rate, |shape| shape.rate.min(rate)),
                extra: hop.extra,
                round,
                is_own: !scenario.is_router(port.from),
            }
        });
        let slowest = lines.min_by_key(|line| line.rate);
        self.ways.insert(dir, slowest);
        slowest
    }

    /// Frames of one flow have come to a host, which followed each other, the first and the last at an instant: so many datagrams of the first
    /// one's length, and one of the last one's.
    fn pass(
        &mut self,
        network: (&Scenario, &Plan),
        dir: FlowDir,
        came: [Time; 2],
        (many, [length, last]): (u64, [u16; 2]),
    ) -> Option<Passed> {
        let line = self.line(network, dir)?;
        let (scenario, plan) = network;
        let framing = scenario.links[plan.ports[line.port].link.0].framing;
        let time = |length: u16| {
            let bytes = framing.wire_bytes(u32::from(length) + line.extra);
            line.rate.time_for(Size::from_bytes(u64::from(bytes)))
        };
        let spell = self.spells.entry(line.port).or_default();
        let one = time(if many > 0 { length } else { last });
        let took = time(length).times(many) + time(last);
        spell.goes_on(came, [one, took]);
        Some(Passed {
            took,
            since: spell.since,
            is_long: spell.is_long(line.round),
            is_to_the_brim: spell.is_to_the_brim(),
            is_own: line.is_own,
        })
    }
}

/// What a link has carried of one end's data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carried {
    known: OnLine,
    /// Since when the link has had no pause.
    since: Time,
    /// What it carried since then, and what of that while nothing more was sent: as long as that is shorter than a round trip.
    fresh: [Duration; 2],
    /// What it carried, in longer spells, while nothing more was sent.
    tail: Duration,
}

impl Carried {
    /// The link has carried more of it; that `is_last` where its end has sent last, and nothing since.
    pub(super) fn passes(&mut self, passed: &Passed, is_last: bool) {
        if self.since != passed.since {
            (self.since, self.fresh) = (passed.since, [Duration::ZERO; 2]);
        }
        let [all, tail] = &mut self.fresh;
        *all += passed.took;
        if is_last {
            *tail += passed.took;
        }
        if passed.is_long {
            self.known.all += *all;
            if passed.is_to_the_brim {
                self.known.brim += *all;
            }
            self.known.is_own = passed.is_own;
            self.tail += *tail;
            self.fresh = [Duration::ZERO; 2];
        }
    }

    /// Its end sends more.
    pub(super) fn goes_on(&mut self) {
        (self.fresh[1], self.tail) = (Duration::ZERO, Duration::ZERO);
    }

    /// The last of a message was this long under way to the end that answers it now.
    pub(super) fn answered(&mut self, way: Duration) {
        self.known.way += self.tail.min(way);
        self.goes_on();
    }

    /// What is known so far.
    pub(super) fn known(&self) -> OnLine {
        self.known
    }
}

impl<I: Interface> Plane<I> {
    /// So many frames of `packet` from one on, which are of a flow, have come to a host, the first and the last at an instant: what its
    /// slowest link carried of it. None where nobody asks for it.
    pub(super) fn note_passed(
        &mut self,
        packet: &Packet,
        (first, count): (usize, usize),
        (dir, came): (FlowDir, [Time; 2]),
    ) -> Option<Passed> {
        let lines = self.lines.as_mut()?;
        let last = first + count.saturating_sub(1);
        let lengths = [first, last].map(|n| packet.datagram(n));
        let network = (&self.scenario, &self.wan.plan);
        lines.pass(network, dir, came, ((last - first) as u64, lengths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_us(us)
    }

    fn at(after: u64) -> Time {
        Time::ZERO + us(after)
    }

    /// Frames of 6 ms each, so many one behind the other every 100 ms: a window of 15 fills most of a round trip, one of 17 has no pause. One
    /// in twenty-five may be missing. Where each second one is, the link has pauses.
    #[test]
    fn a_window_leaves_a_pause_and_a_line_does_not() {
        let longest = |window: u64, comes: &dyn Fn(u64) -> bool| {
            let (mut spell, mut longest) = (Spell::default(), Duration::ZERO);
            let frames = (0..40).flat_map(|round| (0..window).map(move |n| (round, n)));
            for (number, (round, n)) in (0..).zip(frames) {
                let time = match window < 17 {
                    true => at(100_000 * round + 6_000 * (n + 1)),
                    false => at(6_000 * (number + 1)),
                };
                if comes(number) {
                    spell.goes_on([time; 2], [us(6_000); 2]);
                    if spell.is_long(us(100_000)) {
                        longest = spell.until.since(spell.since);
                    }
                }
            }
            longest
        };
        assert_eq!(longest(15, &|_| true), Duration::ZERO);
        assert_eq!(longest(17, &|_| true), us(40 * 17 * 6_000));
        assert_eq!(longest(17, &|n| n % 25 != 24), us(40 * 17 * 6_000));
        assert_eq!(longest(17, &|n| n % 2 == 0), Duration::ZERO);
        // Four frames in one delivery, and a pause of a frame among them, over and over.
        let mut spell = Spell::default();
        for n in 0..100 {
            let came = [6_000, 30_000].map(|after| at(30_000 * n + after));
            spell.goes_on(came, [6_000, 24_000].map(us));
            assert!(!spell.is_long(us(100_000)));
        }
    }

    fn passed(since: u64, took: u64, is_long: bool) -> Passed {
        Passed {
            took: us(took),
            since: at(since),
            is_long,
            is_to_the_brim: since == 900,
            is_own: false,
        }
    }

    /// Of three spells the second is long: what was carried in it before that was known counts as well. The last of the message is handed over
    /// in its middle.
    #[test]
    fn what_a_link_carried_in_a_long_spell_counts_from_its_start() {
        let mut carried = Carried::default();
        carried.passes(&passed(100, 10, false), true);
        carried.passes(&passed(500, 10, false), true);
        carried.goes_on();
        carried.passes(&passed(500, 20, false), true);
        carried.passes(&passed(500, 30, true), true);
        carried.passes(&passed(500, 40, true), false);
        carried.answered(us(1000));
        carried.passes(&passed(900, 50, false), true);
        let known = carried.known();
        assert_eq!([known.all, known.way], [us(100), us(50)]);
        carried.passes(&passed(900, 5, true), true);
        carried.answered(us(7));
        let known = carried.known();
        assert_eq!([known.all, known.way], [us(155), us(57)]);
        assert_eq!(known.brim, us(55), "of the last spell alone");
    }
}
