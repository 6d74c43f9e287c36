//! `[[event]]`: what changes a link at an instant, and what holds again when that is over.

use core::mem::discriminant;

use farpath_units::{Duration, Time};

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{Change, Direction, Event, Link, Way};
use crate::names::Names;
use crate::network::{losses, says_loss};

/// Keys of an event that change nothing by themselves.
const PLACE: [&str; 5] = ["name", "at", "for", "link", "direction"];

/// What one `[[event]]` does.
pub(crate) struct Happening {
    /// The changes at its instant, one for each key.
    pub(crate) changes: Vec<Event>,
    /// When they are over, if that is said.
    pub(crate) until: Option<Time>,
    /// What holds from then on; nothing where another event that began since has changed the same.
    pub(crate) ends: Vec<Event>,
}

impl Happening {
    fn at(&self) -> Time {
        self.changes.first().map_or(Time::MAX, |c| c.at)
    }

    /// Whether its changes hold just before, or else at an instant, unless another event has changed the same.
    fn holds(&self, at: Time, before: bool) -> bool {
        let until = self.until.unwrap_or(Time::MAX);
        match before {
            true => self.at() < at && at <= until,
            false => self.at() <= at && at < until,
        }
    }

    /// Whether what holds on a link besides an event may change as long as it lasts, by another one that begins or ends.
    fn meets(&self, other: &Happening) -> bool {
        let link = |h: &Happening| h.changes.first().map(|c| c.link);
        let meets = match (self.until, other.until) {
            (None, None) => false,
            (Some(until), None) => self.at() < other.at() && other.at() <= until,
            (None, Some(its)) => other.at() <= self.at() && self.at() <= its,
            (Some(until), Some(its)) => self.at() <= its && other.at() <= until,
        };
        meets && link(self) == link(other)
    }
}

/// What every `[[event]]` does, in the order of the text.
pub(crate) fn all(
    tables: &[Fields],
    names: &Names,
    links: &[Link],
    faults: &mut Vec<Diagnostic>,
) -> Vec<Happening> {
    let read = |f: &Fields| happening(f, names, faults);
    let mut all: Vec<Happening> = tables.iter().map(read).collect();
    let ends: Vec<Vec<Event>> = (0..all.len()).map(|own| ends(&all, own, links)).collect();
    for (happening, ends) in all.iter_mut().zip(ends) {
        happening.ends = ends;
    }
    all
}

/// All their changes and ends, in the order of time.
pub(crate) fn in_order(all: Vec<Happening>) -> Vec<Event> {
    let both = |h: Happening| h.changes.into_iter().chain(h.ends);
    let mut events: Vec<Event> = all.into_iter().flat_map(both).collect();
    events.sort_by_key(|e| e.at);
    events
}

/// The changes of one `[[event]]`, one for each key; its ends are not known yet.
fn happening(f: &Fields, names: &Names, faults: &mut Vec<Diagnostic>) -> Happening {
    let mut happening = Happening {
        changes: Vec::new(),
        until: None,
        ends: Vec::new(),
    };
    let (Some(at), Some(link)) = (f.get::<Duration>("at"), f.at("link")) else {
        return happening;
    };
    let Some(link) = names.link(&link, faults) else {
        return happening;
    };
    let ways = match f.get::<String>("direction").as_deref() {
        Some("forward") => vec![Way::Forward],
        Some("reverse") => vec![Way::Reverse],
        _ => vec![Way::Forward, Way::Reverse],
    };
    let mut changes = Vec::new();
    changes.extend(f.get("rate").map(Change::Rate));
    changes.extend(f.get("delay").map(Change::Delay));
    if says_loss(f) {
        changes.push(Change::Losses(losses(&[f], names, faults)));
    }
    let sides = [Way::Forward, Way::Reverse]
        .into_iter()
        .zip(&names.link_classes[link.0]);
    let mut classes = sides.filter(|(w, _)| ways.contains(w)).flat_map(|(_, c)| c);
    if let (true, Some(class)) = (f.has("queue"), classes.next()) {
        let title = format!("`queue` of a link with classes, such as `{class}`");
        let help = "a class keeps its limit during a run: remove `queue`, or the classes of that direction";
        faults.push(Diagnostic::new(f.place("queue"), title).help(help));
    }
    changes.extend(f.get("queue").map(Change::Queue));
    changes.extend(f.get("up").map(Change::Up));
    // A change that was refused has been reported already.
    let says_nothing = f.keys().all(|k| PLACE.contains(&k));
    if says_nothing {
        let named: Vec<&str> = f.keys().collect();
        faults.push(
            Diagnostic::new(f.span.clone(), "an event that changes nothing")
                .label(format!("it has only: {}", named.join(", ")))
                .help("add what changes: rate, delay, queue, up, loss, lose, lose_every, gilbert_elliott or bit_error_rate"),
        );
    }
    let at = Time::ZERO + at;
    let change = |change| Event {
        at,
        link,
        ways: ways.clone(),
        change,
    };
    happening.changes = changes.into_iter().map(change).collect();
    happening.until = f.get::<Duration>("for").map(|long| at + long);
    happening
}

/// What holds again when an event is over: of each direction what it would have without it.
fn ends(all: &[Happening], own: usize, links: &[Link]) -> Vec<Event> {
    let Some(until) = all[own].until else {
        return Vec::new();
    };
    let mut ends = Vec::new();
    for changed in &all[own].changes {
        let Some(link) = links.get(changed.link.0) else {
            continue;
        };
        let mut of_change: Vec<Event> = Vec::new();
        for way in &changed.ways {
            let direction = link.direction(*way);
            let Some(change) = after(all, own, (changed, *way), direction) else {
                continue;
            };
            match of_change.iter_mut().find(|e| e.change == change) {
                Some(event) => event.ways.push(*way),
                None => of_change.push(Event {
                    at: until,
                    link: changed.link,
                    ways: vec![*way],
                    change,
                }),
            }
        }
        ends.extend(of_change);
    }
    ends
}

/// What an event that is over leaves to a direction; none where another has changed the same since, or changes it at that instant.
fn after(
    all: &[Happening],
    own: usize,
    changed: (&Event, Way),
    direction: &Direction,
) -> Option<Change> {
    let until = all[own].until?;
    if last(all, changed, until, true).is_none_or(|(n, _)| n != own) {
        return None;
    }
    match last(all, changed, until, false) {
        Some((_, event)) if event.at == until => None,
        Some((_, event)) => Some(event.change.clone()),
        None => Some(unchanged(direction, &changed.0.change)),
    }
}

/// Of the events that change the same of a direction and hold just before, or else at an instant, the one that began last, and
/// its number.
fn last<'a>(
    all: &'a [Happening],
    (changed, way): (&Event, Way),
    at: Time,
    before: bool,
) -> Option<(usize, &'a Event)> {
    let is_same = |e: &&Event| {
        e.link == changed.link
            && e.ways.contains(&way)
            && discriminant(&e.change) == discriminant(&changed.change)
    };
    let holding = all
        .iter()
        .enumerate()
        .filter(|(_, h)| h.holds(at, before))
        .filter_map(|(n, h)| Some((n, h.changes.iter().find(is_same)?)));
    holding.max_by_key(|(n, event)| (event.at, *n))
}

/// What a direction has where no event changes it.
fn unchanged(direction: &Direction, changed: &Change) -> Change {
    match changed {
        Change::Rate(_) => Change::Rate(direction.rate),
        Change::Delay(_) => Change::Delay(direction.delay),
        Change::Losses(_) => Change::Losses(direction.losses.clone()),
        Change::Queue(_) => Change::Queue(direction.queue),
        Change::Up(_) => Change::Up(true),
    }
}

/// The event that hides the whole end of another, which began in it and is not over yet.
pub(crate) fn hides(all: &[Happening], own: usize) -> Option<usize> {
    let until = all[own].until.filter(|_| all[own].ends.is_empty())?;
    let changed = all[own].changes.first()?;
    let (n, event) = last(all, (changed, *changed.ways.first()?), until, false)?;
    (event.at < until).then_some(n)
}

/// Whether what holds besides an event is the same as long as it lasts.
pub(crate) fn is_apart(all: &[Happening], own: usize) -> bool {
    let mut others = all.iter().enumerate().filter(|(n, _)| *n != own);
    others.all(|(_, other)| !all[own].meets(other))
}

#[cfg(test)]
mod tests {
    use crate::{Change, Scenario, Source, Way, parse};
    use farpath_units::{Duration, Time};

    /// Two hosts, and a link that differs from one direction to the other.
    fn read(events: &[&str]) -> Scenario {
        let mut text = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\nqueue = \"100 packets\"\n\
             [link.reverse]\nrate = \"20 Mbit/s\"\nloss = 0.01\n"
            .to_owned();
        for event in events {
            text.push_str(&format!("[[event]]\nlink = \"l\"\n{event}\n"));
        }
        let name = "x.toml".to_owned();
        parse(&Source { name, text }, &[]).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Whole seconds at which a direction goes up or down.
    fn ups(events: &[&str]) -> Vec<(u64, bool)> {
        let seconds = |at: Time| at.since(Time::ZERO).as_ps() / Duration::from_secs(1).as_ps();
        let read = read(events).events.into_iter();
        let forward = read.filter(|e| e.ways.contains(&Way::Forward));
        forward
            .filter_map(|e| match e.change {
                Change::Up(up) => Some((seconds(e.at), up)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn an_event_with_an_end_is_a_pair_of_events() {
        for (change, back) in [
            ("up = false", "up = true"),
            ("delay = \"1 s\"", "delay = \"10 ms\""),
            ("queue = \"1bdp\"", "queue = \"100 packets\""),
            (
                "direction = \"forward\"\nrate = \"1 Mbit/s\"\nlose_every = 2",
                "direction = \"forward\"\nrate = \"1 Gbit/s\"\nloss = 0",
            ),
            (
                "direction = \"reverse\"\nrate = \"1 Mbit/s\"\nloss = 0.5",
                "direction = \"reverse\"\nrate = \"20 Mbit/s\"\nloss = 0.01",
            ),
        ] {
            // A later one stands first, so that neither order is that of the text.
            let later = "at = \"9 s\"\nup = false";
            let ended = read(&[later, &format!("at = \"2 s\"\nfor = \"3 s\"\n{change}")]);
            let pair = read(&[
                later,
                &format!("at = \"2 s\"\n{change}"),
                &format!("at = \"5 s\"\n{back}"),
            ]);
            assert_eq!(ended, pair, "{change}");
        }
    }

    /// What is put back differs from one direction to the other.
    #[test]
    fn each_direction_has_its_own_value_back() {
        let both = read(&["at = \"2 s\"\nfor = \"3 s\"\nrate = \"1 Mbit/s\""]);
        let pair = read(&[
            "at = \"2 s\"\nrate = \"1 Mbit/s\"",
            "at = \"5 s\"\ndirection = \"forward\"\nrate = \"1 Gbit/s\"",
            "at = \"5 s\"\ndirection = \"reverse\"\nrate = \"20 Mbit/s\"",
        ]);
        assert_eq!(both, pair);
    }

    #[test]
    fn of_events_that_overlap_the_one_that_began_last_holds() {
        let down = |at: u32, long: u32| format!("at = \"{at} s\"\nfor = \"{long} s\"\nup = false");
        let (first, second) = (down(10, 3), down(12, 3));
        assert_eq!(
            ups(&[&first, &second]),
            [(10, false), (12, false), (15, true)]
        );
        assert_eq!(
            ups(&[&second, &first]),
            [(10, false), (12, false), (15, true)]
        );
        // One inside another leaves what that one has.
        let up = "at = \"12 s\"\nfor = \"2 s\"\nup = true";
        assert_eq!(
            ups(&[&down(10, 8), up]),
            [(10, false), (12, true), (14, false), (18, true)]
        );
        // After a change for good nothing comes back; a change for good before is what comes back.
        let good = "at = \"12 s\"\nup = true";
        assert_eq!(ups(&[&down(10, 8), good]), [(10, false), (12, true)]);
        let before = "at = \"5 s\"\nup = false";
        assert_eq!(ups(&[before, up]), [(5, false), (12, true), (14, false)]);
        // One that begins as another ends, and two that end together.
        assert_eq!(
            ups(&[&down(10, 2), &down(12, 2)]),
            [(10, false), (12, false), (14, true)]
        );
        assert_eq!(
            ups(&[&down(10, 4), &down(12, 2)]),
            [(10, false), (12, false), (14, true)]
        );
    }

    /// Another direction, and another key, are not of the same event.
    #[test]
    fn events_of_other_things_do_not_hide_an_end() {
        let other = "at = \"11 s\"\ndirection = \"reverse\"\nup = true";
        let rate = "at = \"11 s\"\nrate = \"1 Mbit/s\"";
        let down = "at = \"10 s\"\nfor = \"3 s\"\nup = false";
        assert_eq!(ups(&[down, other, rate]), [(10, false), (13, true)]);
    }
}
