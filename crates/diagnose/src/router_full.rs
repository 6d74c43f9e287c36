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
            dropped,
        })
    }

    /// Whether its processor is full of packets.
    fn forwards(&self) -> bool {
        self.packets >= FOR_PACKETS
    }

    fn named(&self) -> &str {
        match self.router.as_str() {
            "" => "a router",
            name => name,
        }
    }
}

impl Evidence {
    /// Takes a router with a full processor whose ports dropped enough to be why segments were sent again, or did for all that is known.
    pub(crate) fn of_full_router(&mut self, facts: &Facts) {
        let again = self.retransmits.as_ref().filter(|_| !self.udp);
        let again = again.map_or(0.0, |r| r.value);
        let part = |full: &FullRouter| full.dropped.is_none_or(|n| n >= PART * again);
        let full = FullRouter::of(facts).filter(|_| again >= DROPS_LEAST);
        self.router_full = full.filter(part);
    }

    /// The most that is said of a cause beside such a router, which loses as well.
    pub(crate) fn at_most_of_router(&self, cause: Cause) -> f64 {
        let lossy = cause.is_loss() || cause == Cause::CrossTraffic;
        let counted = self.settled_by_damage() || self.around.ports.surely_police(self);
        match self.router_full.as_ref().filter(|_| lossy) {
            Some(full) if full.forwards() => OPEN,
            Some(_) if !counted => BESIDE,
            _ => 1.0,
        }
    }

    /// What it means, for people.
    pub(crate) fn full_router_in_words(&self) -> Option<String> {
        let full = self.router_full.as_ref()?;
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
            "the processor of {} was busy for {:.0} % of the time, {:.0} % with packets, {dropped}: {means}",
            full.named(),
            100.0 * full.busy,
            100.0 * full.packets
        ))
    }

    /// What tells it from other losses.
    pub(crate) fn asks_full_router(&self) -> Option<MissingFact> {
        let full = self.router_full.as_ref()?;
        Some(MissingFact {
            fact: "router_drops",
            would_decide: format!(
                "whether {} loses what is sent again: by as many its ports' overruns and input drops grow, while its processor is full",
                full.named()
            ),
            command: format!(
                "on {}, before and after a test: show interfaces | include line protocol|Input queue|overrun, and meanwhile show processes cpu sorted; then the test past that router, or without its tunnel",
                full.named()
            ),
        })
    }
}
