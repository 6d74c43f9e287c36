//! A running lab's scenario as it is now: as it was started, with what events have changed since, and `lab set`.

use farpath_element::qdisc::Limit;
use farpath_emu::lab::queue_limits;
use farpath_emu::plane::Plane;
use farpath_emu::tap::Tap;
use farpath_scenario::plan::port_of;
use farpath_scenario::{Change, Direction, Event, Link, Scenario, Set, Source, Way};

/// What a running lab's links are set to.
pub(super) struct Present {
    pub(super) scenario: Scenario,
    /// What may wait in front of each port, by number. An event that changes a rate leaves a queue in `bdp` or in time as it is.
    pub(super) limits: Vec<Limit>,
    /// So many events have happened.
    happened: usize,
}

impl Present {
    /// That of a lab which is started with this.
    pub(super) fn new(scenario: Scenario) -> Present {
        Present {
            limits: queue_limits(&scenario).unwrap_or_default(),
            scenario,
            happened: 0,
        }
    }

    /// Takes over what has happened since.
    pub(super) fn happens(&mut self, plane: &Plane<Tap>) {
        let events = plane.happened();
        for event in events.get(self.happened..).unwrap_or_default() {
            happens(&mut self.scenario, event);
            if let Change::Queue(_) = event.change {
                for port in event.ways.iter().map(|way| port_of(event.link, *way)) {
                    let limit = plane.wan().queue_limit(&self.scenario, port);
                    if let Some(held) = self.limits.get_mut(port) {
                        *held = limit;
                    }
                }
            }
        }
        self.happened = events.len();
    }
}

/// Makes of a scenario what an event makes of the network.
fn happens(scenario: &mut Scenario, event: &Event) {
    let Some(link) = scenario.links.get_mut(event.link.0) else {
        return;
    };
    for way in &event.ways {
        let direction = &mut link.directions[usize::from(*way == Way::Reverse)];
        match &event.change {
            Change::Rate(rate) => direction.rate = *rate,
            Change::Delay(delay) => direction.delay = *delay,
            Change::Losses(losses) => direction.losses.clone_from(losses),
            Change::Queue(queue) => direction.queue = *queue,
            // No scenario has it.
            Change::Up(_) => {}
        }
    }
}

/// What a `lab set` names: a key of one direction of a link, or of both.
struct Named<'a> {
    link: &'a str,
    ways: [bool; 2],
    key: &'a str,
}

impl<'a> Named<'a> {
    /// What the last of `sets` names, which made `new` of `source`: a direction with a value of its own is not meant by a key of both. None
    /// where it is not a single key of a link.
    fn of(source: &Source, sets: &'a [Set], new: &Scenario) -> Option<Named<'a>> {
        let set = sets.last()?;
        let words: Vec<&str> = set.path.split('.').collect();
        let [section, link, keys @ ..] = &words[..] else {
            return None;
        };
        let (section, link) = (*section, *link);
        let (ways, key) = match keys {
            ["forward", key, ..] => ([true, false], *key),
            ["reverse", key, ..] => ([false, true], *key),
            [key, ..] => {
                let keys = keys.join(".");
                let follows = |way: &str| {
                    let path = format!("link.{link}.{way}.{keys}");
                    let own = Set::new(path, set.value.as_str());
                    stays((source, sets), new, own) == Some(true)
                };
                (["forward", "reverse"].map(follows), *key)
            }
            [] => return None,
        };
        (section == "link").then_some(Named { link, ways, key })
    }

    /// Whether it sets one of these keys of a direction.
    fn has(&self, link: &Link, way: usize, keys: &[&str]) -> bool {
        self.link == link.name && self.ways[way] && keys.contains(&self.key)
    }
}

/// Whether `new`, which `sets` make of a source, stays as it is with a key set for one direction as well. None where that key may not be set.
pub(super) fn stays((source, sets): (&Source, &[Set]), new: &Scenario, own: Set) -> Option<bool> {
    let with = [sets, &[own]].concat();
    let with = farpath_scenario::parse(source, &with).ok()?;
    Some(with == *new)
}

/// Keys that set the losses of a direction.
const LOSSES: [&str; 5] = [
    "loss",
    "lose",
    "lose_every",
    "gilbert_elliott",
    "bit_error_rate",
];

/// What the last of `sets` makes of a lab that is as `now` says: `new`, which these make of `source`, with what events have changed since and
/// this one leaves alone. `before` is what the others make of it.
pub(super) fn over(source: &Source, sets: &[Set], [now, before, new]: [&Scenario; 3]) -> Scenario {
    let mut over = new.clone();
    if now.links == before.links {
        return over;
    }
    let named = Named::of(source, sets, new);
    let all = over.links.iter_mut().zip(&now.links).zip(&before.links);
    for ((link, now), before) in all {
        for way in 0..2 {
            let is_named = |keys: &[&str]| named.as_ref().is_some_and(|n| n.has(now, way, keys));
            let directions = [&now.directions[way], &before.directions[way]];
            leaves(&mut link.directions[way], directions, is_named);
        }
    }
    over
}

/// Gives `new` what it has `now` where it is neither named nor another one than `before`.
fn leaves(new: &mut Direction, [now, before]: [&Direction; 2], is_named: impl Fn(&[&str]) -> bool) {
    if new.rate == before.rate && !is_named(&["rate"]) {
        new.rate = now.rate;
    }
    if new.delay == before.delay && !is_named(&["delay"]) {
        new.delay = now.delay;
    }
    if new.queue == before.queue && !is_named(&["queue"]) {
        new.queue = now.queue;
    }
    if new.losses == before.losses && !is_named(&LOSSES) {
        new.losses.clone_from(&now.losses);
    }
}

#[cfg(test)]
mod tests {
    use farpath_scenario::parse;

    use super::*;

    /// A path of 10 Mbit/s whose rate drops to 2 Mbit/s, both ways, and then loses 20 %.
    fn source(forward: &str) -> Source {
        Source {
            name: "falls".to_owned(),
            text: format!(
                "[scenario]\nname = \"falls\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"path\"\nends = [\"a\", \"b\"]\n\
                 rate = \"10 Mbit/s\"\ndelay = \"25 ms\"\nqueue = \"1bdp\"\n{forward}\n[[event]]\nat = \"2 s\"\nlink = \"path\"\n\
                 rate = \"2 Mbit/s\"\n[[event]]\nat = \"3 s\"\nlink = \"path\"\nloss = \"20 %\"\n"
            ),
        }
    }

    /// Rate in bit/s, delay in ms and causes of loss of both directions after so many events and then these sets, one by one.
    fn is_set(forward: &str, events: usize, wanted: &[&str]) -> [(u64, u64, usize); 2] {
        let source = source(forward);
        let mut now = parse(&source, &[]).expect("a scenario");
        for event in now.events.clone().iter().take(events) {
            happens(&mut now, event);
        }
        let mut sets: Vec<Set> = Vec::new();
        for text in wanted {
            let before = parse(&source, &sets).expect("a scenario");
            sets.push(text.parse().expect(text));
            let new = parse(&source, &sets).expect("a scenario");
            now = over(&source, &sets, [&now, &before, &new]);
        }
        [0, 1].map(|way| {
            let Direction {
                rate,
                delay,
                losses,
                ..
            } = &now.links[0].directions[way];
            (rate.as_bps(), delay.as_ns() / 1_000_000, losses.len())
        })
    }

    #[test]
    fn what_an_event_changed_stays_behind_another_key_that_is_set() {
        const M: u64 = 1_000_000;
        assert_eq!(is_set("", 0, &[]), [(10 * M, 25, 0); 2]);
        assert_eq!(is_set("", 1, &[]), [(2 * M, 25, 0); 2]);
        let delay = ["link.path.delay=30ms"];
        assert_eq!(is_set("", 0, &delay), [(10 * M, 30, 0); 2]);
        assert_eq!(is_set("", 1, &delay), [(2 * M, 30, 0); 2]);
        assert_eq!(is_set("", 2, &delay), [(2 * M, 30, 1); 2]);
    }

    /// The same value as at the start is another one than now.
    #[test]
    fn what_an_event_changed_is_set_back() {
        const M: u64 = 1_000_000;
        let back = ["link.path.rate=10Mbit/s", "link.path.delay=30ms"];
        assert_eq!(is_set("", 2, &back), [(10 * M, 30, 1); 2]);
        let one = ["link.path.forward.rate=10Mbit/s"];
        assert_eq!(is_set("", 2, &one), [(10 * M, 25, 1), (2 * M, 25, 1)]);
        let other = ["link.path.rate=5Mbit/s", "link.path.loss=0 %"];
        assert_eq!(is_set("", 2, &other), [(5 * M, 25, 0); 2]);
        // A direction with a rate of its own keeps what the event made of that.
        let own = "forward.rate = \"20 Mbit/s\"";
        let kept = is_set(own, 1, &["link.path.rate=10Mbit/s"]);
        assert_eq!(kept, [(2 * M, 25, 0), (10 * M, 25, 0)]);
    }
}
