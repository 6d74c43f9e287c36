//! A connection that something on the way ends and begins anew: its own round trip is far shorter than that of pings to its peer.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::paths::pinged;
use crate::reach::intercepted::by_intercepted;
use crate::read::Facts;

/// The least ping takes so many times as long as the connection's mean round trip, and so many nanoseconds longer.
const TIMES: f64 = 2.0;
const LONGER_NS: f64 = 5e6;

/// Most that is said of a cause beyond what answers in the peer's stead: it is not a verdict.
const BEYOND: f64 = 0.35;

/// What the sending host shows of itself, whoever answers.
const OWN: [Cause; 5] = [
    Cause::Application,
    Cause::HostCpu,
    Cause::Disk,
    Cause::SmallWrites,
    Cause::Pacing,
];

/// Whether a round trip is far shorter than the least of pings, nanoseconds.
pub(crate) fn is_far_shorter(own: f64, pinged: f64) -> bool {
    pinged > TIMES * own && pinged > own + LONGER_NS
}

impl Evidence {
    /// Holds the round trips of the sender's sockets against those of pings.
    pub(crate) fn of_split(&mut self, facts: &Facts, flow: &Flow) {
        self.of_intercepted(facts, flow);
        let of = |s: &u32| number(facts, Of::Socket(*s), "rtt_loaded_ns");
        let own = flow.sockets.iter().filter_map(of).map(|rtt| rtt.high);
        let own = own.filter(|rtt| *rtt > 0.0).reduce(f64::max);
        let runs = pinged::runs(facts, flow);
        let least = |[least, ..]: &[Figure; 3]| least.low;
        let pinged = runs.iter().map(least).reduce(f64::min);
        let (Some(own), Some(pinged)) = (own, pinged) else {
            return;
        };
        if is_far_shorter(own, pinged) {
            self.around.split = Some([own * NS, pinged * NS]);
        }
    }

    /// The most that is said of a cause where something answers in the peer's stead.
    pub(crate) fn split_at_most(&self, cause: Cause) -> f64 {
        match self.is_split() && !OWN.contains(&cause) {
            true => BEYOND,
            false => 1.0,
        }
    }
}

/// Windows that such a connection waits for are those of what answers, and not of its peer.
pub(crate) fn by_split(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.split.map(|[own, pinged]| Item {
        holds: 1.0,
        weights: [
            Cause::ReceiveWindow,
            Cause::NoWindowScaling,
            Cause::Client,
        ]
        .map(|cause| (cause, -24.0))
        .to_vec(),
        sentence: format!(
            "the connection's own round trip is {}, and pings to its peer take {} at least: something on the way answers in the peer's stead (a PEP of a satellite link, a proxy, a WAN accelerator), or the pings went elsewhere. What it announces is its own, no setting of the peer changes that, and the rate is what it passes on: ask whoever runs it for its rate and buffers; datagrams (iperf3 -u) pass it by",
            ms(own),
            ms(pinged)
        ),
    }));
    by_intercepted(e, items);
}
