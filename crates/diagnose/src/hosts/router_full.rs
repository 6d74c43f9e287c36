//! A router whose processor is full, and which drops packets as they arrive: it forwards with that processor, and what it has no time for is
//! lost as in a short queue or at a policer. Where no text has its ports' counters, it may be so.

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{number, word};
use crate::hosts::machine::DROPS_LEAST;
use crate::items::{Item, LOSSES, of};
use crate::ports::{Counted, Kind, counts};
use crate::read::Facts;

/// How busy the processor of a router was, the part of that for packets, and the router's name.
pub(crate) const BUSY: &str = "router_cpu_ratio";
pub(crate) const PACKETS: &str = "router_cpu_packets_ratio";
pub(crate) const ROUTER: &str = "router_cpu_name";

/// Whether it forwards all packets with that processor: [`ALL`], or [`SOME`].
pub(crate) const FORWARDS: &str = "router_cpu_forwards";
pub(crate) const ALL: &str = "all";
pub(crate) const SOME: &str = "some";

/// A processor is full from this share on, and for packets where that share is these. Choices.
const FULL: f64 = 0.95;
const FOR_PACKETS: f64 = 0.5;

/// Fewer drops than this part of what was sent again are not why it was.
const PART: f64 = 0.2;

/// The most that is said of a kind of loss beside such a router: it is not a verdict.
const OPEN: f64 = 0.39;

/// The same beside one whose processor is full of other work: what it forwards itself waits for that, or is lost. A choice.
const BESIDE: f64 = 0.6;

/// Its drops are what was sent again between these parts of it. Choices.
const AS_MANY: [f64; 2] = [0.7, 1.5];

/// The most that is said of a router that counts so many: others' packets may be among them. A choice.
const SURE: f64 = 0.9;

/// What it is worth then for a queue that is full, and against other kinds of loss, decibans.
const COUNTED: f64 = 40.0;
const NO_OTHER: f64 = -24.0;

/// A port takes in a flow where so large a part of its rate arrives there. A choice.
const CARRIES: f64 = 0.8;

/// Such a router.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FullRouter {
    /// Its name, empty where no text says it.
    router: String,
    /// The shares of its processor in use, and in use for packets, 0 to 1.
    busy: f64,
    packets: f64,
    /// It forwards all packets with its processor, and does not say how much of the time that takes.
    all: bool,
    /// So little was sent again that no kind of loss is asked for.
    lossless: bool,
    /// The most that one of its ports dropped as it arrived; none where no text counts it.
    dropped: Option<f64>,
    /// Whether that is what a count grew by from one reading to the next.
    grew: bool,
}

impl FullRouter {
    /// The router that texts have. A port that dropped nothing as it arrived says so of a flow that comes in by it, and of no other.
    fn of(facts: &Facts, e: &Evidence) -> Option<FullRouter> {
        let share = |name: &'static str| number(facts, Of::Path, name).map(|f| f.value);
        let (busy, packets) = (share(BUSY)?, share(PACKETS)?);
        let router = word(facts, Of::Path, ROUTER).map_or("", |(name, _)| name);
        let refused = counts(facts, Kind::Refused).into_iter();
        let own: Vec<Counted> = refused.filter(|c| c.port.router == router).collect();
        let some = own.iter().filter(|c| c.count.value > 0.0);
        let rank = |c: &Counted| (c.has_grown(), c.count.value);
        let most = some.max_by(|a, b| {
            let by_growth = rank(a).0.cmp(&rank(b).0);
            by_growth.then(rank(a).1.total_cmp(&rank(b).1))
        });
        let loses = most.is_some() || !own.iter().any(|c| takes_in(facts, e, c));
        let dropped = most.map(|c| c.count.value);
        (busy >= FULL && loses).then(|| FullRouter {
            router: router.to_owned(),
            busy,
            packets,
            all: word(facts, Of::Path, FORWARDS).is_some_and(|(of, _)| of == ALL),
            lossless: false,
            dropped,
            grew: most.is_some_and(Counted::has_grown),
        })
    }

    /// Whether its processor is full of packets.
    fn forwards(&self) -> bool {
        self.all || self.packets >= FOR_PACKETS
    }

    /// What that means where hardly anything was sent again, for people.
    fn without_loss(&self) -> String {
        format!(
            "the processor of {} was busy for {:.0} % of the time{}: a router that forwards with its processor passes no more than that has time for. Where the flow crosses it, it may be what holds the rate, and then no window, buffer or setting of a host is",
            self.named(),
            100.0 * self.busy,
            self.of_packets()
        )
    }

    /// How much of the time was for packets, where it says that.
    fn of_packets(&self) -> String {
        match self.all {
            true => String::new(),
            false => format!(", {:.0} % with packets", 100.0 * self.packets),
        }
    }

    fn named(&self) -> &str {
        match self.router.as_str() {
            "" => "a router",
            name => name,
        }
    }
}

/// Whether a flow may come in by the port of a count: as much arrives there, or as many packets did where no text says how much.
fn takes_in(facts: &Facts, e: &Evidence, counted: &Counted) -> bool {
    let is_its = |other: &Counted| {
        let name = counted.port.name.strip_suffix(other.port.name.as_str());
        let same = name.is_some_and(|what| what.is_empty() || what.ends_with(" of "));
        same && other.port.router == counted.port.router
    };
    let rate = e.rate.as_ref().map_or(0.0, |rate| rate.value);
    let arrives = counts(facts, Kind::Arrives).into_iter().find(is_its);
    match arrives {
        Some(arrives) => arrives.count.value >= CARRIES * rate,
        None => {
            let bytes = e.bytes.as_ref().map_or(0.0, |bytes| bytes.value);
            counted
                .came()
                .is_some_and(|came| came >= bytes / e.mss.max(1.0))
        }
    }
}

impl Evidence {
    /// The router that lost what was sent again: its processor is full of packets, and the drops of one of its ports as they arrived grew by as
    /// many.
    fn losing_router(&self) -> Option<(&FullRouter, f64)> {
        let again = self.sent_again().filter(|n| *n >= DROPS_LEAST)?;
        let full = self
            .router_full
            .as_ref()
            .filter(|f| f.grew && f.forwards())?;
        let part = full.dropped? / again;
        let as_many = (AS_MANY[0]..=AS_MANY[1]).contains(&part);
        (as_many && !full.lossless).then_some((full, again))
    }

    /// Whether it is known that a router lost what was sent again, as its processor is full.
    pub(crate) fn is_lost_by_router(&self) -> bool {
        self.losing_router().is_some()
    }

    /// What to do about such a router.
    pub(crate) fn change_router(&self) -> Option<Change> {
        let (full, _) = self.losing_router()?;
        Some(Change {
            host: full.named().to_owned(),
            commands: vec![
                "which work fills its processor: show processes cpu sorted, show ip cef switching statistics, show crypto engine brief; Interrupt time is of packets that no hardware forwards".to_owned(),
                "take that work off it, one at a time, a test after each: access lists that log, NAT, inspection, NetFlow of each packet, encryption in software, fragments of a tunnel (ip mtu and ip tcp adjust-mss of the tunnel fit it into its path)".to_owned(),
                "a router, a licence or a crypto module that forwards this rate, where the work has to stay".to_owned(),
            ],
            undo: vec!["what was taken off, as show running-config had it before".to_owned()],
            risk: "access lists, inspection and encryption protect something: what is taken off no longer does".to_owned(),
            ..Change::default()
        })
    }

    /// Takes a router with a full processor whose ports dropped enough to be why segments were sent again, or did for all that is known; and
    /// where none were, one that is full of packets.
    pub(crate) fn of_full_router(&mut self, facts: &Facts) {
        let again = self.retransmits.as_ref().filter(|_| !self.udp);
        let again = again.map_or(0.0, |r| r.value);
        let part = |full: &FullRouter| full.dropped.is_none_or(|n| n >= PART * again);
        let full = FullRouter::of(facts, self);
        self.router_full = match again >= DROPS_LEAST {
            true => full.filter(part),
            false => full
                .filter(|full| full.forwards() && !self.udp)
                .map(|full| FullRouter {
                    lossless: true,
                    ..full
                }),
        };
    }

    /// The most that is said of a cause beside such a router, which loses as well.
    pub(crate) fn at_most_of_router(&self, cause: Cause) -> f64 {
        let lossy = cause.is_loss() || cause == Cause::CrossTraffic;
        let counted = self.settled_by_damage() || self.around.ports.surely_police(self);
        if cause == Cause::CongestionLoss && self.is_lost_by_router() {
            return SURE;
        }
        match self.router_full.as_ref().filter(|f| lossy && !f.lossless) {
            Some(full) if full.forwards() => OPEN,
            Some(_) if !counted => BESIDE,
            _ => 1.0,
        }
    }

    /// What it means, for people.
    pub(crate) fn full_router_in_words(&self) -> Option<String> {
        let full = self.router_full.as_ref()?;
        if full.lossless {
            return Some(full.without_loss());
        }
        let dropped = match full.dropped {
            Some(n) => format!("and a port of it dropped {n:.0} packets as they arrived"),
            None => "and no text counts what its ports dropped as it arrived".to_owned(),
        };
        let means = match full.forwards() {
            true if self.is_lost_by_router() => {
                "these are as many as were sent again. It forwards with its processor and lost what it had no time for: no queue of a line, policer or setting of a host did"
            }
            true => {
                "a router that forwards with its processor loses what it has no time for. That may be all of the loss, and then no queue, policer or setting of a host is"
            }
            false => {
                "what programs of a router forward waits for such work, or is lost: it may be the cause, or a part of it"
            }
        };
        Some(format!(
            "the processor of {} was busy for {:.0} % of the time{}, {dropped}: {means}",
            full.named(),
            100.0 * full.busy,
            full.of_packets()
        ))
    }

    /// What tells it from other losses, or whether it holds the rate where none is `sure` to.
    pub(crate) fn asks_full_router(&self, sure: bool) -> Option<MissingFact> {
        let full = self.router_full.as_ref()?;
        if full.lossless && sure || self.is_lost_by_router() {
            return None;
        }
        let would_decide = match full.lossless {
            true => format!(
                "whether the flow crosses {}, and its full processor holds the rate: the rate goes up and down with what else it forwards, and its ports' overruns and input drops grow",
                full.named()
            ),
            false => format!(
                "whether {} loses what is sent again: by as many its ports' overruns and input drops grow, while its processor is full",
                full.named()
            ),
        };
        Some(MissingFact {
            fact: "router_drops",
            would_decide,
            command: match full.all {
                true => format!(
                    "traceroute to the other end, which shows whether {} is on the way; there, before and after a test, the drops and errors of its interfaces, and meanwhile its processor; then the test past it",
                    full.named()
                ),
                false => format!(
                    "on {}, before and after a test: show interfaces | include line protocol|Input queue|overrun, and meanwhile show processes cpu sorted; then the test past that router, or without its tunnel",
                    full.named()
                ),
            },
        })
    }
}

/// Drops that a full processor made are of a queue that is full: that of the packets which arrive.
pub(crate) fn by_full_router(e: &Evidence, items: &mut Vec<Item>) {
    if e.is_lost_by_router() {
        items.push(Item {
            holds: 1.0,
            weights: [
                of(&LOSSES, NO_OTHER),
                vec![(Cause::CongestionLoss, COUNTED)],
            ]
            .concat(),
            sentence: String::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// 50 segments sent again beside a full processor whose port dropped so many.
    fn of(dropped: Option<f64>, grew: bool) -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        Evidence {
            rate: figure(85e6),
            retransmits: figure(50.0),
            streams: 1.0,
            mss: 1448.0,
            router_full: Some(FullRouter {
                router: "br-isr".to_owned(),
                busy: 0.99,
                packets: 0.94,
                all: false,
                lossless: false,
                dropped,
                grew,
            }),
            ..Evidence::default()
        }
    }

    /// It was unknown, and what its ports drop was asked for, which stood there twice.
    #[test]
    fn drops_that_grew_by_as_many_as_were_sent_again_are_the_routers() {
        let e = of(Some(50.0), true);
        assert!(e.is_lost_by_router() && e.asks_full_router(false).is_none());
        assert_eq!(e.at_most_of_router(Cause::CongestionLoss), SURE);
        assert_eq!(e.at_most_of_router(Cause::ShallowBuffer), OPEN);
        let said = e.full_router_in_words().unwrap_or_default();
        assert!(said.contains("as many as were sent again"), "{said}");
        assert!(e.change_router().is_some());
        // What was read once, what is far less or more, and what nobody counts is not known to be these.
        for other in [
            of(Some(50.0), false),
            of(Some(12.0), true),
            of(Some(900.0), true),
            of(None, false),
        ] {
            assert!(!other.is_lost_by_router());
            assert_eq!(other.at_most_of_router(Cause::CongestionLoss), OPEN);
            assert!(other.asks_full_router(false).is_some());
            assert!(other.change_router().is_none());
        }
    }
}
