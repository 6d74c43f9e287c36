//! Links that logs of kernels and routers have as down: what explains a time in which nothing passed.

use std::collections::{BTreeMap, BTreeSet};

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Fact, Place};
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::reach::path_events::by_events;
use crate::read::Facts;
use crate::read::kernel_log::links::{DOWN, UP, WHEN};
use crate::series::stops::Stop;

/// How much such a log says of an outage that a test saw, decibans.
const WEIGHT: f64 = 20.0;

/// Nothing passed for so many seconds at least where a link that was down explains it: a timer of a second has run out then (RFC 6298 §2.4).
const STOP_LEAST_S: f64 = 1.0;

/// Intervals of a log show a stop as so many seconds shorter than it was at most.
const ROUNDED_S: f64 = 2.0;

/// After a link is up again it takes as long as it was down until the timer runs out, which doubles (RFC 6298 §5.5), and so many seconds
/// until a port of a switch with spanning tree forwards (twice the forward delay of IEEE 802.1D, 15 s), and some more.
const AFTER_S: f64 = 35.0;

/// A link that was down for longer than this, seconds, has two lines that are not of one flap.
const DOWN_MOST_S: f64 = 43_200.0;

/// A link that went down and came up changed so often.
const CHANGES: f64 = 2.0;

/// The most that is said of an outage where nothing says that the link was down at its time. A choice.
const UNTIMED: f64 = 0.8;

/// The most that is said of one that lasts to a capture's end: the other end may be gone, or a device drops all. A choice.
const OPEN: f64 = 0.9;

/// Writes that make intervals differ by more than this part leave some empty.
const GRAIN_MOST: f64 = 0.25;

/// What logs have of links that went down.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkLog {
    /// The first of them, for people.
    said: String,
    /// The interface or port of that one.
    port: String,
    /// How long links were down, as far as the times of two lines say it, seconds.
    lasted: Vec<f64>,
}

/// When each line was logged, seconds by the clock of its log, which facts have by this name.
pub(crate) fn times(facts: &Facts, name: &str) -> BTreeMap<Place, f64> {
    let timed = facts.facts.iter().filter(|f| f.name == name);
    let times = timed.filter_map(|f| Some((f.at, f.number()?.value)));
    times.collect()
}

/// The links and ports that went down and came up, in the order of the texts.
fn changes(facts: &Facts) -> Vec<(&Fact, &str)> {
    let mut all: Vec<(&Fact, &str)> = facts.all_words(DOWN).chain(facts.all_words(UP)).collect();
    all.sort_by_key(|(fact, _)| fact.at);
    all
}

/// How long each link was down whose log has when it went and when it came, seconds.
fn lasted(facts: &Facts) -> Vec<f64> {
    let times = times(facts, WHEN);
    let (mut went, mut lasted) = (BTreeMap::new(), Vec::new());
    for (fact, port) in changes(facts) {
        let Some(at) = times.get(&fact.at) else {
            continue;
        };
        let key = (fact.at.source(), port);
        if fact.name == DOWN {
            // Of a link and its protocol both lines say it: the first counts.
            went.entry(key).or_insert(*at);
        } else if let Some(from) = went.remove(&key) {
            lasted.push(at - from);
        }
    }
    lasted.retain(|s| (0.0..DOWN_MOST_S).contains(s));
    lasted
}

/// A link and its protocol that go down within so many seconds, of which no line says that it came up between, went down once. A choice.
const ONCE_S: f64 = 60.0;

/// How often the link of a port went down. Of a link and its protocol both lines say it, in either order.
fn how_often(facts: &Facts, port: &str) -> usize {
    let times = times(facts, WHEN);
    let once = |before: &Fact, fact: &Fact| {
        let moments = [before, fact].map(|f| times.get(&f.at));
        let far = matches!(moments, [Some(a), Some(b)] if (b - a).abs() > ONCE_S);
        fact.at.lines_below(before.at).is_some() && !far
    };
    let (mut often, mut down): (usize, Option<&Fact>) = (0, None);
    for (fact, _) in changes(facts).into_iter().filter(|(_, p)| *p == port) {
        let goes = fact.name == DOWN;
        let again = down.is_some_and(|before| once(before, fact));
        often += usize::from(goes && !again);
        down = goes.then_some(fact);
    }
    often
}

impl LinkLog {
    /// What was read of links that went down.
    pub(crate) fn of(facts: &Facts) -> Option<LinkLog> {
        let (first, port) = facts.all_words(DOWN).next()?;
        let times = how_often(facts, port);
        let back = facts
            .all_words(UP)
            .any(|(up, p)| p == port && up.at > first.at);
        let all = facts.all_words(DOWN).map(|(_, p)| p);
        let others = all.filter(|p| *p != port).collect::<BTreeSet<&str>>().len();
        let times = match times {
            0 | 1 => String::new(),
            n => format!(" {n} times"),
        };
        let others = match others {
            0 => String::new(),
            1 => ", and so did that of another port".to_owned(),
            n => format!(", and so did those of {n} other ports"),
        };
        let back = if back { ", and came up again" } else { "" };
        let at = facts.place(first.at);
        let lasted = lasted(facts);
        let longest = lasted.iter().copied().reduce(f64::max);
        let longest = longest.map_or_else(String::new, |s| match lasted.len() {
            1 => format!(" ({s:.1} s)"),
            _ => format!(" ({s:.1} s at most)"),
        });
        Some(LinkLog {
            said: format!(
                "{at}: by the log the link of {port} went down{times}{back}{longest}{others}"
            ),
            port: crate::redact(port),
            lasted,
        })
    }

    /// Whether a link that was down may have made this stop: one that is known to have been down for longer, or for far less, did not.
    fn explains(&self, stop: &Stop) -> bool {
        let fits =
            |down: &f64| *down <= stop.lasted + ROUNDED_S && stop.lasted <= 2.0 * down + AFTER_S;
        self.lasted.is_empty() || self.lasted.iter().any(fits)
    }
}

impl Evidence {
    /// Takes what logs have of links, and of the network beside them.
    pub(crate) fn of_logs(&mut self, facts: &Facts, flow: &Flow) {
        self.around.link_log = LinkLog::of(facts);
        self.of_events(facts, flow);
    }

    /// Whether the intervals of a tool's log show a stop that a link explains which went down: by a log of it, or by a counter that grew.
    pub(crate) fn is_flapped(&self, stop: &Stop) -> bool {
        let bare = stop.by_log && self.recorded.is_none() && self.account.is_none();
        let log = self.around.link_log.as_ref();
        let counted = self.around.flapped.as_ref();
        let flapped = log.is_some_and(|l| l.explains(stop))
            || counted.is_some_and(|f| f.count.value >= CHANGES);
        bare && !self.udp && stop.lasted >= STOP_LEAST_S && flapped
    }

    /// How long nothing arrived because the path was down, seconds, in all its stops. Of a log in which only a link shows that, intervals may be
    /// empty by writes: then it is the longest stop.
    pub(crate) fn silent_s(&self, stop: &Stop) -> f64 {
        if stop.dark.is_some() || !self.is_flapped(stop) {
            return stop.in_all;
        }
        let whole = self.interval_s >= STOP_LEAST_S && self.grain < GRAIN_MOST;
        if !whole {
            return stop.lasted;
        }
        let empty = self.steady.iter().filter(|bps| **bps <= 0.0).count() as f64;
        libm::fmax(stop.in_all, empty * self.interval_s)
    }

    /// The most that is said of an outage: less where a link went down, and nothing but the stop itself says that it did so then, and where
    /// nothing answered to the end of a capture.
    pub(crate) fn at_most_of_flap(&self, cause: Cause) -> f64 {
        let Some(stop) = self.stop.filter(|_| cause == Cause::Outage) else {
            return 1.0;
        };
        match stop.dark {
            None if self.is_flapped(&stop) => UNTIMED,
            Some(_) if stop.to_end => OPEN,
            _ => 1.0,
        }
    }

    /// The interface or port whose link was down in a stop that was seen, by a log or a counter.
    fn flapped_port(&self) -> Option<&str> {
        let stop = self.stop.as_ref().filter(|_| self.down() > 0.0)?;
        let log = self.around.link_log.as_ref();
        let logged = log.filter(|log| log.explains(stop));
        let counted = self.around.flapped.as_ref();
        let counted = counted.filter(|f| f.count.value >= CHANGES);
        let port = logged.map(|log| log.port.as_str());
        let port = port.or_else(|| counted.map(|f| f.interface.as_str()));
        port.filter(|port| !port.is_empty())
    }

    /// What shows why a link went down that explains the outage, where that is the cause.
    pub(crate) fn asks_why_down(&self, cause: Option<&Cause>) -> Option<MissingFact> {
        let outage = cause == Some(&Cause::Outage) && self.around.one_version.is_none();
        if !outage {
            return None;
        }
        let Some(port) = self.flapped_port() else {
            return self.asks_events().or_else(|| self.asks_what_was_down());
        };
        Some(MissingFact {
            fact: "link_errors",
            would_decide: format!(
                "why the link of {port} went down: errors that grow are of its cable or optic, light that is too weak of the optic or the fibre, and neither of the port, or of what it is plugged into, which was off or started anew"
            ),
            command: format!(
                "where that port is, twice, some minutes apart, and at the other end of its link: show interface {port}, show interface {port} transceiver details; on a host: ethtool -S {port}, ethtool -m {port}, dmesg -T"
            ),
        })
    }

    /// What was down in a stop that a log or a capture saw, where neither a record nor a port's own log says it.
    fn asks_what_was_down(&self) -> Option<MissingFact> {
        let stop = self.stop.filter(|_| self.recorded.is_none())?;
        let when = self.when(&stop);
        if let Some(seen) = self.around.network_log.first() {
            return Some(seen.asks(&when));
        }
        let ask = |fact, would_decide, command: &str| {
            Some(MissingFact {
                fact,
                would_decide,
                command: command.to_owned(),
            })
        };
        if self.around.stalled.is_some() {
            return ask(
                "transmit_timeout_time",
                format!(
                    "whether the interface that did not send, as its kernel says, is what was down {when}: its time beside that of the test"
                ),
                "on that host: dmesg -T | grep -A 9 -i 'NETDEV WATCHDOG', and date; ethtool -i INTERFACE (driver and firmware); the test again with another interface, cable or driver",
            );
        }
        ask(
            "outage_events",
            format!(
                "what was down {when}: a link, a route, a spanning tree that changed, or a device that started anew. Logs of that time say which"
            ),
            "date on each, then on both hosts: dmesg -T | grep -iE 'link|watchdog|reset'; on switches and routers of the path: show logging, show interfaces (last link flapped), show spanning-tree detail (last change), show ip route (age of the route)",
        )
    }

    /// What to mend of a link that went down.
    pub(crate) fn mend_link(&self) -> Option<Change> {
        let port = self.flapped_port()?;
        let remedy = Remedy {
            commands: vec![
                format!("at both ends of the link of {port}: seat the cable and the optics anew"),
                "where it goes down again: another cable, then other optics, then another port, one at a time".to_owned(),
                "its log says where somebody shut the port, or a device at its other end started anew: then nothing is to be mended there".to_owned(),
            ],
            risk: format!("the link of {port} is down meanwhile"),
            ..Remedy::default()
        };
        Some(remedy.change(&format!("the device with {port}"), None, None))
    }

    /// When a link was down that a log has, where the test shows no stop that it explains.
    pub(crate) fn asks_when(&self) -> Option<MissingFact> {
        self.around
            .link_log
            .as_ref()
            .filter(|_| self.down() <= 0.0)?;
        Some(MissingFact {
            fact: "link_down_times",
            would_decide: "whether the link was down during the test, and for how long: the times of its log beside those of the test"
                .to_owned(),
            command: "date, and then the test with an interval for each second; where the link is: dmesg -T | grep -i 'link is', of routers show logging | include UPDOWN".to_owned(),
        })
    }
}

impl Evidence {
    /// What logs have of links, and whether that was in a stop that the test saw, for people.
    fn flaps_in_words(&self) -> Option<String> {
        let log = self.around.link_log.as_ref()?;
        let whether = match self.down() > 0.0 {
            true => "such a link carries nothing meanwhile, as was seen here",
            false => "the texts do not say whether that was during the test",
        };
        Some(format!("{}; {whether}", log.said))
    }

    /// The same of a stop that the test saw, which is said whatever the cause is.
    pub(crate) fn flaps_besides(&self) -> Option<String> {
        self.flaps_in_words().filter(|_| self.down() > 0.0)
    }
}

/// What logs have of links, beside a stop that a test saw or by itself.
pub(crate) fn by_link_log(e: &Evidence, items: &mut Vec<Item>) {
    by_events(e, items);
    let weights = match e.down() > 0.0 {
        true => vec![(Cause::Outage, WEIGHT)],
        false => Vec::new(),
    };
    items.extend(e.flaps_in_words().map(|sentence| Item {
        holds: 1.0,
        weights,
        sentence,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Figure;
    use crate::hosts::tally::Tally;

    /// A stop of so many seconds.
    fn stop(lasted: f64) -> Stop {
        Stop {
            by_log: true,
            ..Stop::one(Some(4.0), lasted)
        }
    }

    fn log(lasted: &[f64]) -> LinkLog {
        LinkLog {
            said: String::new(),
            port: "eth0".to_owned(),
            lasted: lasted.to_vec(),
        }
    }

    /// Nothing was asked of an outage of 29 s that no log explained.
    #[test]
    fn what_was_down_is_asked_where_no_log_says_it() {
        let mut e = Evidence {
            stop: Some(stop(29.0)),
            ..Evidence::default()
        };
        let fact = |e: &Evidence| e.asks_why_down(Some(&Cause::Outage)).map(|ask| ask.fact);
        assert_eq!(fact(&e), Some("outage_events"));
        assert!(e.asks_why_down(Some(&Cause::Link)).is_none());
        e.around.stalled = Some("eth0 did not send".to_owned());
        assert_eq!(fact(&e), Some("transmit_timeout_time"));
        // A record has what was down.
        e.recorded = Some(crate::series::outage::Recorded::default());
        assert_eq!(fact(&e), None);
    }

    #[test]
    fn a_link_explains_a_stop_that_is_as_long_as_it_was_down() {
        assert!(log(&[3.1]).explains(&stop(3.0)));
        assert!(log(&[4.9]).explains(&stop(3.0)));
        // Timers and spanning tree make it longer, and nothing makes it shorter.
        assert!(log(&[3.0]).explains(&stop(33.0)));
        assert!(!log(&[60.0]).explains(&stop(3.0)));
        assert!(!log(&[0.5]).explains(&stop(60.0)));
        // Of several one may be it, and where no times are known any.
        assert!(log(&[60.0, 3.0]).explains(&stop(3.0)));
        assert!(log(&[]).explains(&stop(3.0)));
    }

    /// Two flaps of 2 s and 3 s in ten intervals.
    #[test]
    fn all_stops_that_a_link_explains_are_one_outage() {
        let mut e = Evidence {
            stop: Some(stop(3.0)),
            steady: vec![9e8, 9e8, 0.0, 0.0, 9e8, 0.0, 0.0, 0.0, 9e8, 9e8],
            interval_s: 1.0,
            seconds: Some(10.0),
            ..Evidence::default()
        };
        assert_eq!(e.down(), 0.0);
        e.around.link_log = Some(log(&[]));
        assert_eq!(e.down(), 0.5);
        assert_eq!(e.at_most_of_flap(Cause::Outage), UNTIMED);
        assert_eq!(e.at_most_of_flap(Cause::Link), 1.0);
        assert!(e.asks_when().is_none());
        // Why it went, and what to mend, is of its port.
        let why = e.asks_why_down(Some(&Cause::Outage));
        assert!(why.is_some_and(|why| why.command.contains("eth0")));
        assert!(e.asks_why_down(Some(&Cause::Link)).is_none());
        assert!(e.mend_link().is_some());
        e.around.link_log = Some(log(&[60.0]));
        assert!(e.mend_link().is_none());
        assert_eq!(e.down(), 0.0);
        assert!(e.asks_when().is_some());
        // A counter of an interface that grew says it too.
        e.around.flapped = Some(Tally::once(&Figure::exact(2.0, Place::You)));
        assert_eq!(e.down(), 0.5);
    }
}
