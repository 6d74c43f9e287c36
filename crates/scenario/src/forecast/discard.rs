//! The policers that a test's packets meet on its way, and those that drop them all.

use farpath_record::Record;
use farpath_units::Duration;

use super::{Path, offered_bps, put};
use crate::model::{Match, PoliceAction, PoliceRule, Protocol, Rule, Test};
use crate::plan::Hop;

impl Path<'_> {
    /// What polices a test's packets on one crossing, as they were when they were sent: as they leave, then as they arrive.
    pub(super) fn policed_by(&self, hop: &Hop, test: &Test) -> [Option<&PoliceRule>; 2] {
        let direction = self.direction(hop.port);
        let labelled = hop.lsp.is_some();
        let policers = &direction.conditioning.policers;
        let leaving: Vec<&[Match]> = policers.iter().map(|p| &p.matches[..]).collect();
        let arriving = direction.arrivals.iter().map(|rule| match rule {
            Rule::Mark(m) => &m.matches[..],
            Rule::Police(p) => &p.matches[..],
        });
        let arriving: Vec<&[Match]> = arriving.collect();
        let arrives =
            first_in_order(&arriving, test, labelled).and_then(|n| match &direction.arrivals[n] {
                Rule::Police(p) => Some(p),
                Rule::Mark(_) => None,
            });
        [
            first_in_order(&leaving, test, labelled).map(|n| &policers[n]),
            arrives,
        ]
    }

    /// Which rule drops all that a test sends, or all that comes back where it needs an answer, in words.
    pub(super) fn discarded(&self, test: &Test) -> Option<String> {
        let one_way = test.kind.protocol() == Protocol::Udp;
        let back = if one_way { &[][..] } else { &self.back };
        let there = self.there.iter().map(|hop| (hop, "it sends"));
        let back = back.iter().map(|hop| (hop, "comes back"));
        there.chain(back).find_map(|(hop, what)| {
            let mut met = self.policed_by(hop, test).into_iter().flatten();
            let drops = |rule: &&PoliceRule| rule.actions == [PoliceAction::Drop; 3];
            let rule = met.find(|rule| drops(rule) && self.carries_all(hop.port))?;
            Some(format!(
                "`{}` on {} drops all that {what}",
                rule.name,
                self.port_name(hop.port)
            ))
        })
    }

    /// Nothing comes in time where the way takes longer than a test waits.
    pub(super) fn too_late(&self, test: &Test, record: &mut Record) {
        let Some(all) = test.kind.periodic() else {
            return;
        };
        let least = |name: &str| record.metrics.get(name).copied();
        let (what, least_ns) = match (least("rtt_min_ns"), least("delay_min_ns")) {
            (Some(rtt), _) => ("an answer", rtt),
            (None, Some(delay)) => ("a datagram", delay),
            (None, None) => return,
        };
        let took = Duration::from_ns(least_ns as u64);
        if took <= all.timeout {
            return;
        }
        let timed = |name: &String| name.starts_with("rtt_") || name.starts_with("delay_");
        record.metrics.retain(|name, _| !timed(name));
        put(&mut record.metrics, "received", 0.0);
        put(&mut record.metrics, "loss_ratio", 1.0);
        record.notes.push(format!(
            "{what} takes {took} at least, longer than the `timeout` of {}: all count as lost",
            all.timeout
        ));
    }

    /// The record of a test of which nothing arrives, and why.
    pub(super) fn nothing(&self, test: &Test, why: String, record: &mut Record) {
        let m = &mut record.metrics;
        if let Some(all) = test.kind.periodic() {
            put(m, "sent", all.count.into());
            put(m, "loss_ratio", 1.0);
        } else {
            if let Some(udp) = test.kind.udp() {
                put(m, "sent_bps", offered_bps(test, udp));
                put(m, "loss_ratio", 1.0);
            }
            put(m, "goodput_bps", 0.0);
            record.limited_by = Some("policer".to_owned());
        }
        record.notes.push(why);
    }
}

/// The number of the class that a test's packets are in: the first that knows them by what comes first, else the one without a match.
pub(crate) fn class_of(classes: &[&[Match]], test: &Test, labelled: bool) -> Option<usize> {
    let named = known_by(classes, test, labelled).next();
    named.or_else(|| classes.iter().position(|c| c.is_empty()))
}

/// The number of the mark or policer that a test's packets meet: the first that matches.
fn first_in_order(rules: &[&[Match]], test: &Test, labelled: bool) -> Option<usize> {
    let open = rules.iter().position(|r| r.is_empty());
    known_by(rules, test, labelled).chain(open).min()
}

/// The numbers of the rules that [`Match::known_by`] has of a test's packets, with the DSCP that they are sent with.
fn known_by(rules: &[&[Match]], test: &Test, labelled: bool) -> impl Iterator<Item = usize> {
    let packet = (test.name.as_str(), test.kind.protocol(), test.class >> 2);
    let known = Match::known_by(rules, packet, labelled);
    known.into_iter().map(|(rule, _)| rule)
}
