//! A router whose processor is full, and which drops packets as they arrive: it forwards with that processor, and what it has no time for is
//! lost as in a short queue or at a policer. Where no text has its ports' counters, it may be so.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flow::{number, word};
use crate::machine::DROPS_LEAST;
use crate::ports::{Kind, counts};
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
}

impl FullRouter {
    /// The router that texts have.
    fn of(facts: &Facts) -> Option<FullRouter> {
        let share = |name: &'static str| number(facts, Of::Path, name).map(|f| f.value);
        let (busy, packets) = (share(BUSY)?, share(PACKETS)?);
        let router = word(facts, Of::Path, ROUTER).map_or("", |(name, _)| name);
        let refused = counts(facts, Kind::Refused).into_iter();
        let own = refused.filter(|c| c.port.router == router);
        let dropped = own.map(|c| c.count.value).reduce(libm::fmax);
        let loses = dropped.is_none_or(|dropped| dropped > 0.0);
        (busy >= FULL && loses).then(|| FullRouter {
            router: router.to_owned(),
            busy,
            packets,
            all: word(facts, Of::Path, FORWARDS).is_some_and(|(of, _)| of == ALL),
            lossless: false,
            dropped,
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

impl Evidence {
    /// Takes a router with a full processor whose ports dropped enough to be why segments were sent again, or did for all that is known; and
    /// where none were, one that is full of packets.
    pub(crate) fn of_full_router(&mut self, facts: &Facts) {
        let again = self.retransmits.as_ref().filter(|_| !self.udp);
        let again = again.map_or(0.0, |r| r.value);
        let part = |full: &FullRouter| full.dropped.is_none_or(|n| n >= PART * again);
        let full = FullRouter::of(facts);
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
        if full.lossless && sure {
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
