//! What a cloud lets an instance send and receive: counters of its interface, and signs of whose cloud it is.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::hosts::tally::{Tally, tally};
use crate::items::{Item, step};
use crate::read::Facts;
use crate::read::frames::ALLOWANCES;
use crate::read::uname::is_of_amazon;

/// What is counted of one end.
pub(crate) const OUT: &str = "allowance_out";
pub(crate) const IN: &str = "allowance_in";
/// What new connections suffer from, and no flow that is under way.
const CONNECTIONS: &str = "allowance_connections";

/// A limit of an instance that packets went beyond.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exceeded {
    /// How many packets were queued or dropped for it.
    tally: Tally,
    /// What is counted.
    kind: &'static str,
    /// The limit, for people.
    of: &'static str,
}

/// What a cloud says of the hosts of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloud {
    /// Limits that packets went beyond.
    exceeded: Vec<Exceeded>,
    /// Whether any of the counters was read.
    counted: bool,
    /// Whether a host is an instance of EC2.
    amazon: bool,
    /// What one connection alone had between the same hosts, bit/s, where a test of one stands beside the flow.
    alone: Option<f64>,
}

impl Cloud {
    /// What the texts say of the cloud of these hosts.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Cloud {
        let mut cloud = Cloud {
            amazon: is_amazon(facts, flow),
            alone: alone(flow),
            ..Cloud::default()
        };
        for (_, kind, of) in ALLOWANCES {
            let ends: &[&[u32]] = match kind {
                OUT => &[&flow.senders],
                IN => &[&flow.receivers],
                _ => &[&flow.senders, &flow.receivers],
            };
            let each = ends
                .iter()
                .filter_map(|end| tally((facts, flow), end, kind));
            for tally in each {
                cloud.counted = true;
                if tally.count.value > 0.0 {
                    cloud.exceeded.push(Exceeded { tally, kind, of });
                }
            }
        }
        cloud
    }

    /// The limit that packets went beyond between two readings of its counter, or of which the test shows the burst and what lasts.
    pub(crate) fn surely(&self, e: &Evidence) -> Option<&'static str> {
        // One reading may be of any time, and counts by half for that: the burst says that it is of this one.
        let met = |x: &Exceeded| match x.tally.grew {
            true => x.holds(e) > 0.5,
            false => x.holds(e) > 0.25 && e.burst().is_some(),
        };
        let is = |x: &&Exceeded| x.kind != CONNECTIONS && met(x);
        self.exceeded.iter().find(is).map(|x| x.of)
    }

    /// What Amazon's cloud gives one connection, bit/s, where that is what holds this one: no limit of the whole instance is known to.
    pub(crate) fn single_flow(&self, e: &Evidence) -> Option<f64> {
        self.near_single_flow(e)
            .filter(|_| self.surely(e).is_none())
    }

    /// What Amazon's cloud gives one connection, bit/s, where this one, or each of these, has that: 5 Gbit/s between instances, 10 within a
    /// cluster placement group ("Amazon EC2 instance network bandwidth", single-flow traffic).
    fn near_single_flow(&self, e: &Evidence) -> Option<f64> {
        let rate = e.settled().filter(|_| !e.udp)?;
        let meets = |rate: f64, limit: f64| {
            let share = rate / limit;
            share > SINGLE_FLOW[0] && share < SINGLE_FLOW[1]
        };
        // Several side by side have it each where one alone had it, too: else it may be a share of something else.
        let one = |limit: f64| e.streams == 1.0 || self.alone.is_some_and(|a| meets(a, limit));
        let of = |limit: &f64| meets(rate.value / e.streams, *limit) && one(*limit);
        let all = |limit: f64| 1.1 * limit * e.streams;
        let slower = |limit: &f64| e.line.as_ref().is_none_or(|(l, _)| l.value > all(*limit));
        let even = e.is_even() && (self.amazon || self.counted);
        [5e9, 10e9]
            .into_iter()
            .filter(|_| even)
            .filter(slower)
            .find(of)
    }

    /// Whether it is known to hold this flow to a rate.
    pub(crate) fn shapes(&self, e: &Evidence) -> bool {
        let holds = |x: &Exceeded| x.kind != CONNECTIONS && x.holds(e) > 0.5;
        self.single_flow(e).is_some() || self.exceeded.iter().any(holds)
    }

    /// Whether its counters would tell more than the texts have: an instance that none were read of, or that they were read of once.
    pub(crate) fn is_open(&self) -> bool {
        match self.counted {
            true => self.exceeded.iter().any(|x| !x.tally.grew),
            false => self.amazon,
        }
    }
}

/// What of such a limit is left for payload: headers of packets of 1500 to 9001 bytes, and what tools round.
const SINGLE_FLOW: [f64; 2] = [0.92, 1.005];

impl Exceeded {
    /// How surely it is what held the flow: as many packets as a good part of what was sent again.
    fn holds(&self, e: &Evidence) -> f64 {
        let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
        let share = match again > 0.0 {
            true => step(self.tally.count.value / again, 0.05, 0.5),
            false => 1.0,
        };
        self.tally.holds(1.0, 50.0) * share
    }
}

/// The most that one connection had in a test beside a flow, bit/s.
fn alone(flow: &Flow) -> Option<f64> {
    let tests = flow.beside.iter().filter(|t| t.streams == 1 && !t.udp);
    let rates = tests.filter_map(|t| Some(t.goodput()?.0.value));
    rates.reduce(f64::max)
}

/// Whether a host of a flow is an instance of EC2: by its driver or its kernel.
fn is_amazon(facts: &Facts, flow: &Flow) -> bool {
    let hosts = flow.senders.iter().chain(&flow.receivers);
    let says = |of: Of| {
        let driver = word(facts, of, "driver").is_some_and(|(name, _)| name == "ena");
        let kernel = word(facts, of, "kernel");
        driver || kernel.is_some_and(|(release, _)| is_of_amazon(release))
    };
    hosts.map(|h| Of::Host(*h)).chain([Of::Path]).any(says)
}

/// That the rate is also what one connection gets, where a counter of the whole instance grew, which does not count that.
fn beside_single_flow(e: &Evidence, exceeded: &Exceeded) -> String {
    let cloud = &e.around.cloud;
    match (cloud.near_single_flow(e), cloud.surely(e)) {
        (Some(limit), Some(of)) if of == exceeded.of => format!(
            ". {} is also what Amazon's cloud gives one connection, which this counter does not count: it is of the whole instance, whose connections share it, so that several side by side get no more",
            crate::ceiling::bps(limit)
        ),
        _ => String::new(),
    }
}

/// Packets beyond what an instance may send or receive are queued or dropped: where segments were sent again it is a policer.
pub(crate) fn by_cloud(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(limit) = e.around.cloud.single_flow(e) {
        items.push(Item {
            holds: 1.0,
            weights: vec![(Cause::Shaper, 40.0), (Cause::Link, -6.0)],
            sentence: format!(
                "{} is what Amazon's cloud gives one connection, whatever the instance has; {}",
                crate::ceiling::bps(limit),
                match e.streams > 1.0 {
                    true => format!(
                        "each of these {:.0} side by side has that, as one alone had",
                        e.streams
                    ),
                    false => "several side by side get more".to_owned(),
                }
            ),
        });
    }
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    for exceeded in &e.around.cloud.exceeded {
        let flow = exceeded.kind != CONNECTIONS;
        let lost = match again > 0.0 && flow {
            true => format!(", and {again:.0} segments were sent again"),
            false => String::new(),
        };
        let sentence = format!(
            "{:.0} packets were beyond {} {}: the cloud queued or dropped them{lost}{}",
            exceeded.tally.count.value,
            exceeded.of,
            exceeded.tally.since(),
            beside_single_flow(e, exceeded)
        );
        let weights = match again > 0.0 {
            true => vec![
                (Cause::Policer, 24.0),
                (Cause::Shaper, 12.0),
                (Cause::ShallowBuffer, -10.0),
                (Cause::CongestionLoss, -8.0),
                (Cause::RandomLoss, -8.0),
            ],
            false => vec![(Cause::Shaper, 10.0)],
        };
        items.push(Item {
            holds: if flow { exceeded.holds(e) } else { 1.0 },
            weights: if flow { weights } else { Vec::new() },
            sentence,
        });
    }
}
