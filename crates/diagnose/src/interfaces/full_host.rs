//! An interface of an end that others fill: what its host counted between two readings below dates, beside which a flow has little.

use crate::advice::NO_RISK;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::interfaces::counter::Way;
use crate::interfaces::passed::{HostRate, Key, Port, ports};
use crate::items::Item;
use crate::ports::STATED;
use crate::read::Facts;
use crate::seen::Side;

/// An interface is full from this part of its speed on: preambles and gaps are not counted. A choice, as those below.
const FULL: f64 = 0.88;

/// A flow with this part of what an interface passes, or more, is what fills it.
const OWN: f64 = 0.7;

/// What it is worth, decibans: it need not be of the flow's time.
const FILLED: f64 = 18.0;

/// An interface of an end that others fill.
#[derive(Clone, Debug)]
pub(crate) struct FullHost {
    interface: String,
    /// Its host, for people.
    host: String,
    way: Way,
    /// What it passed, its speed, and what the flow had, bit/s.
    passed: f64,
    speed: f64,
    own: f64,
    /// Between readings so many seconds apart, and where they stand, for people.
    seconds: f64,
    read: [String; 2],
}

impl FullHost {
    /// The interface that passed most of those that others fill, beside a flow of this rate, bit/s.
    fn of(facts: &Facts, flow: &Flow, own: f64) -> Option<FullHost> {
        let rates = facts.host_rates();
        let ports = match rates.is_empty() {
            true => return None,
            false => ports(facts)?,
        };
        let of = |rate: &HostRate| {
            let (side, end) = match rate.way {
                Way::Sent => (Side::Sender, &flow.senders),
                Way::Received => (Side::Receiver, &flow.receivers),
            };
            let is_it = |(key, port): &(&Key, &Port)| {
                key.1 == rate.interface && port.speed.is_some() && end.contains(&key.0)
            };
            let speed = ports.iter().find(is_it)?.1.speed.as_ref()?.value;
            let full = rate.bps >= FULL * speed && rate.bps <= STATED * speed;
            let others = own < OWN * rate.bps && !tested_between(facts, flow, rate, own);
            (full && others && end.contains(&rate.host)).then(|| FullHost {
                interface: rate.interface.clone(),
                host: flow.called(side),
                way: rate.way,
                passed: rate.bps,
                speed,
                own,
                seconds: rate.seconds,
                read: rate.at.map(|at| facts.place(at)),
            })
        };
        let each = rates.iter().filter_map(of);
        each.max_by(|a, b| a.passed.total_cmp(&b.passed))
    }

    fn sentence(&self) -> String {
        let passed = match self.way {
            Way::Sent => "sent",
            Way::Received => "received",
        };
        format!(
            "{} of {} {passed} {}, {:.0} % of its {}, within {:.0} s ({}, {}): this flow has {:.0} % of that, so that others fill it if they do now as they did then",
            self.interface,
            self.host,
            bps(self.passed),
            100.0 * self.passed / self.speed,
            bps(self.speed),
            self.seconds,
            self.read[0],
            self.read[1],
            100.0 * self.own / self.passed
        )
    }
}

/// Whether a faster test of the same texts stands between the readings: it is what filled the interface.
fn tested_between(facts: &Facts, flow: &Flow, rate: &HostRate, own: f64) -> bool {
    let [first, last] = rate.at;
    let is_own = |at| flow.test.as_ref().is_some_and(|test| test.at == at);
    let mut tests = facts.tests.iter();
    tests.any(|test| {
        let faster = test.goodput().is_some_and(|(rate, _)| rate.value > own);
        first < test.at && test.at < last && faster && !is_own(test.at)
    })
}

impl Evidence {
    /// Takes an interface of an end that others fill.
    pub(crate) fn of_full_host(&mut self, facts: &Facts, flow: &Flow) {
        let rate = self.rate.as_ref().map(|rate| rate.value);
        self.around.full_host = rate.and_then(|rate| FullHost::of(facts, flow, rate));
    }

    /// Who fills it is to be found.
    pub(crate) fn find_fillers(&self) -> Option<Change> {
        let full = self.around.full_host.as_ref()?;
        let name = &full.interface;
        Some(Change {
            host: full.host.clone(),
            commands: vec![
                format!("while it is slow: iftop -n -i {name}, or nethogs {name}: which other host, or which program, fills it"),
                "that one at another time, or at a rate of its own; where all of it is wanted at once, a faster interface".to_owned(),
            ],
            risk: NO_RISK.to_owned(),
            ..Change::default()
        })
    }
}

/// Weighs it.
pub(crate) fn by_full_host(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.full_host.as_ref().map(|full| Item {
        holds: 1.0,
        weights: vec![(Cause::CrossTraffic, FILLED), (Cause::CongestionLoss, 4.0)],
        sentence: full.sentence(),
    }));
}
