//! An interface that is fixed to full duplex at 100 Mbit/s or less, beside loss: what negotiates at the other end of its cable gets no answer
//! and takes half duplex (IEEE 802.3 clause 28).

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::Flow;
use crate::interfaces::negotiated::negotiates;
use crate::items::Item;
use crate::ports::{Kind, counts};
use crate::read::{Duplexed, Facts};

/// Faster ports of twisted pairs always negotiate (IEEE 802.3 clause 40), bit/s.
const MOST: f64 = 100e6;

/// What it is worth beside damaged frames or late collisions, and beside losses alone, decibans: a hint. Choices.
const DAMAGED: f64 = 12.0;
const LOST: f64 = 4.0;

/// Such an interface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FixedPort {
    /// It, for people.
    named: String,
    /// Its speed, bit/s.
    bps: f64,
    /// Whether a port of the texts counts frames that arrived damaged.
    damaged: bool,
}

impl Evidence {
    /// Takes the interface of an end, or the port of a router or switch, that is fixed to full duplex. Not where one of each is: both ends of a
    /// cable may be fixed alike.
    pub(crate) fn of_fixed_port(&mut self, facts: &Facts, flow: &Flow) {
        let is_slow = |bps: f64| bps > 0.0 && bps <= MOST;
        let of_flow = |d: &&Duplexed| {
            let of_end = flow.senders.contains(&d.host) || flow.receivers.contains(&d.host);
            of_end && !flow.bypassed.leaves(d.host, &d.name)
        };
        let of_host = |d: &Duplexed| {
            let speed = flow.speed_of(facts, Of::Host(d.host))?.value;
            let fixed = !d.half && negotiates(facts, d) == Some(false);
            let name = match d.name.as_str() {
                "" => "an interface",
                name => name,
            };
            let host = flow.host_called(facts, d.host, "one of the hosts");
            (fixed && is_slow(speed)).then(|| (format!("{name} of {host}"), speed))
        };
        let mut hosts = facts.duplexes.iter().filter(of_flow).filter_map(of_host);
        let ports = facts
            .full_ports
            .iter()
            .filter(|p| p.fixed && is_slow(p.bps));
        let mut ports = ports.map(|p| (p.port.named("a port"), p.bps));
        let only = match (hosts.next(), ports.next()) {
            (Some(only), None) | (None, Some(only)) => only,
            _ => return,
        };
        let damaged = counts(facts, Kind::Damaged);
        self.fixed_port = Some(FixedPort {
            named: only.0,
            bps: only.1,
            damaged: damaged.iter().any(|c| c.count.value > 0.0),
        });
    }

    /// Such an interface beside loss, where no text has the duplex of the other end, and whether frames were damaged.
    fn fixed_beside_loss(&self) -> Option<(&FixedPort, bool)> {
        let fixed = self.fixed_port.as_ref()?;
        let around = &self.around;
        let late = around.collisions[1].is_some();
        let damaged = around.damaged.as_ref();
        let damaged = damaged.is_some_and(|d| d.count.value > 0.0) || fixed.damaged || late;
        let lost = self.again.as_ref().is_some_and(|again| again.value > 0.0);
        (self.half_duplex.is_none() && (damaged || lost)).then_some((fixed, damaged))
    }

    /// What it may mean, and how that is seen, for people.
    pub(crate) fn fixed_in_words(&self) -> Option<String> {
        let (fixed, _) = self.fixed_beside_loss()?;
        Some(format!(
            "{} is fixed to {} at full duplex: what negotiates at the other end of its cable takes half duplex, and such a mismatch loses frames under load. Whether that end is at half duplex, or counts late collisions, show ethtool INTERFACE there, or show interfaces status",
            fixed.named,
            bps(fixed.bps)
        ))
    }
}

/// A hint at a duplex mismatch.
pub(crate) fn by_fixed_port(e: &Evidence, items: &mut Vec<Item>) {
    let Some((_, damaged)) = e.fixed_beside_loss() else {
        return;
    };
    let weight = if damaged { DAMAGED } else { LOST };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Duplex, weight)],
        sentence: e.fixed_in_words().unwrap_or_default(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    #[test]
    fn a_fixed_port_is_a_hint_beside_loss() {
        let of = |again: f64, damaged: bool| Evidence {
            fixed_port: Some(FixedPort {
                named: "port 11 of sw1".to_owned(),
                bps: 100e6,
                damaged,
            }),
            again: Some(Figure::exact(again, Place::You)),
            ..Evidence::default()
        };
        let weight = |e: &Evidence| {
            let mut items = Vec::new();
            by_fixed_port(e, &mut items);
            items.first().map(|item| item.weights.clone())
        };
        assert_eq!(weight(&of(0.01, false)), Some(vec![(Cause::Duplex, LOST)]));
        assert_eq!(weight(&of(0.0, true)), Some(vec![(Cause::Duplex, DAMAGED)]));
        assert_eq!(weight(&of(0.0, false)), None);
        let known = Evidence {
            half_duplex: Some(Place::You),
            ..of(0.01, true)
        };
        assert_eq!((weight(&known), known.fixed_in_words()), (None, None));
        let said = of(0.01, false).fixed_in_words().expect("it is beside loss");
        assert!(
            said.starts_with("port 11 of sw1 is fixed to 100 Mbit/s"),
            "{said}"
        );
    }
}
