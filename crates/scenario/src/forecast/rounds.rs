//! What weighted round robin gives classes by bytes. It lets a class send while credit is left, and forgets what its last frame takes beyond
//! that: classes of unlike frames have other shares than their weights say.

use std::collections::{BTreeMap, BTreeSet};

use farpath_config::qos::{Mix, Overshoot, shares};
use farpath_record::Record;
use farpath_units::Size;

use super::Path;
use super::discard::class_of;
use crate::model::{Match, Queueing, Scenario, Scheduler, Sharing};
use crate::plan::{Hop, Plan};

/// Shares this near to those of the weights need no word.
const OFF: f64 = 0.01;

/// What is said of a port, and the classes that it is of, by number.
struct Said {
    words: String,
    classes: Vec<usize>,
}

/// What weighted round robin gives the classes of each port that forgets overshoot, where that is not what their weights say: in bytes, of
/// those that tests fill with frames of one size.
pub fn round_shares(scenario: &Scenario, plan: &Plan) -> Vec<String> {
    let ports = 0..plan.ports.len();
    ports
        .filter_map(|port| Some(said(scenario, plan, port)?.words))
        .collect()
}

impl Path<'_> {
    /// Says what weighted round robin gives this test's class beside others.
    pub(super) fn note_rounds(&self, record: &mut Record) {
        let mut ports: Vec<usize> = self.there.iter().map(|hop| hop.port).collect();
        ports.sort_unstable();
        ports.dedup();
        for port in ports {
            let Some(said) = said(self.scenario, self.plan, port) else {
                continue;
            };
            let own = self.queueing(port).and_then(|q| self.class_in(q, port));
            if own.is_some_and(|(class, _)| said.classes.contains(&class)) {
                record.notes.push(said.words);
            }
        }
    }

    /// The class of this test's data at a port, by number, and where they cross it.
    fn class_in(&self, queueing: &Queueing, port: usize) -> Option<(usize, &Hop)> {
        let hop = self.there.iter().find(|h| h.port == port)?;
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        let rules: Vec<&[Match]> = queueing.classes.iter().map(|c| &c.matches[..]).collect();
        Some((class_of(&rules, test, hop.lsp.is_some())?, hop))
    }

    /// Bytes of its datagrams that carry data, if all are alike; none of single packets, of which there are few.
    fn data_len(&self) -> Option<Option<u32>> {
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        if let Some(tcp) = test.kind.tcp() {
            return Some(Some(self.flow_of(tcp).config.mss + self.header()));
        }
        let udp = test.kind.udp()?;
        let alike = udp.replay.is_none() && udp.cells.is_none();
        Some(alike.then(|| udp.size + self.header()))
    }
}

fn said(scenario: &Scenario, plan: &Plan, port: usize) -> Option<Said> {
    let planned = &plan.ports[port];
    let link = &scenario.links[planned.link.0];
    let direction = link.direction(planned.way);
    let queueing = direction.queueing.as_ref()?;
    let Scheduler::Wrr { unit, carry: false } = queueing.scheduler else {
        return None;
    };
    let weight = |class: usize| match queueing.classes[class].sharing {
        Sharing::Weight(weight) => Some(weight),
        Sharing::Priority => None,
    };
    let unit = round_unit(queueing, unit, link.framing.queue_bytes(direction.mtu));
    let frames = frames(scenario, plan, port, queueing);
    let mut turns: Vec<(usize, u32, u32)> = Vec::new();
    for (class, sizes) in frames {
        let only = sizes
            .first()
            .copied()
            .flatten()
            .filter(|_| sizes.len() == 1);
        let turn = only.zip(weight(class));
        turns.extend(turn.map(|(frame, weight)| (class, weight, frame)));
    }
    if turns.len() < 2 {
        return None;
    }
    let credit = |(_, weight, _): &(usize, u32, u32)| {
        Size::from_bytes(u64::from(weight.saturating_mul(unit)))
    };
    let credits: Vec<Size> = turns.iter().map(credit).collect();
    let mix = |(_, _, frame): &(usize, u32, u32)| Mix::of(Size::from_bytes(u64::from(*frame)));
    let mixes: Vec<Mix> = turns.iter().map(mix).collect();
    let [wanted, given] =
        [Overshoot::Carried, Overshoot::Cleared].map(|o| shares(&credits, &mixes, o));
    let off = wanted.iter().zip(&given).map(|(w, g)| (w - g).abs());
    if off.fold(0.0, f64::max) <= OFF {
        return None;
    }
    let list = |shares: &[f64]| -> String {
        let each: Vec<String> = shares.iter().map(|s| format!("{:.1}", 100.0 * s)).collect();
        each.join(" : ")
    };
    let of: Vec<String> = turns
        .iter()
        .map(|(class, _, frame)| format!("`{}` ({frame} B)", queueing.classes[*class].name))
        .collect();
    let words = format!(
        "round robin on link {}, {}, sends whole frames while credit is left: {} have {} % of their bytes when all of them wait, and not {} % as \
         by weight; `wrr = {{ carry = true }}` or `scheduler = \"drr\"` keeps the weights",
        link.name,
        scenario.direction_name(planned.link, planned.way),
        of.join(", "),
        list(&given),
        list(&wanted)
    );
    Some(Said {
        words,
        classes: turns.into_iter().map(|(class, ..)| class).collect(),
    })
}

/// Bytes that a round gives for a weight of 1, where `unit` is asked for: the least weight has a `full` frame of them.
pub(super) fn round_unit(queueing: &Queueing, unit: u32, full: u32) -> u32 {
    let weights = queueing.classes.iter().filter_map(|c| match c.sharing {
        Sharing::Weight(weight) => Some(weight),
        Sharing::Priority => None,
    });
    unit.max(full.div_ceil(weights.min().unwrap_or(1).max(1)))
}

/// The sizes of frames that tests put into each class of a port, bytes in its queue; a none among them stands for sizes that differ.
fn frames(
    scenario: &Scenario,
    plan: &Plan,
    port: usize,
    queueing: &Queueing,
) -> BTreeMap<usize, BTreeSet<Option<u32>>> {
    let framing = scenario.links[plan.ports[port].link.0].framing;
    let mut found: BTreeMap<usize, BTreeSet<Option<u32>>> = BTreeMap::new();
    for (flow, planned) in plan.flows.iter().enumerate() {
        if planned.asks {
            continue;
        }
        let path = Path::new(scenario, plan, flow);
        let Some((class, hop)) = path.class_in(queueing, port) else {
            continue;
        };
        let Some(len) = path.data_len() else {
            continue;
        };
        let frame = len.map(|len| framing.queue_bytes(len + hop.extra));
        found.entry(class).or_default().insert(frame);
    }
    found
}
