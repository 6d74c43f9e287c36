//! Losses of pings and traces that the flow does not share: of so many segments it would have missed some.

use crate::document::Contradiction;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::Flow;
use crate::items::{Item, JUMBO};
use crate::read::Facts;

/// Fewer losses than this were not to be expected for certain.
const EXPECTED: f64 = 20.0;

/// A flow that sent less than this part of them again does not share the loss.
const SHARED: f64 = 0.1;

/// A loss that the flow would have met, and did not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unmissed {
    /// The share that was lost, 0 to 1.
    share: f64,
    /// Segments of the flow, as few as they can be.
    segments: f64,
    /// Those that were sent again.
    again: f64,
    /// Whether the share is what the user said.
    told: bool,
    /// The same of each run of pings, the least and the most, where all of them lost much; none otherwise.
    pub(crate) runs: Option<[f64; 2]>,
}

impl Evidence {
    /// Leaves out a loss of which the flow shows nothing, though it sent so much.
    pub(crate) fn of_unmissed(&mut self, facts: &Facts, flow: &Flow) {
        let idle = self.idle_loss.as_ref().filter(|l| !self.udp && l.low > 0.0);
        let (Some(idle), Some(again), Some(bytes)) = (idle, self.sent_again(), &self.bytes) else {
            return;
        };
        let largest = if self.mss_said { self.mss } else { JUMBO };
        let segments = bytes.low / largest;
        let expected = idle.low * segments;
        if self.is_proven_hole() || expected < EXPECTED || again > SHARED * expected {
            return;
        }
        self.unmissed = Some(Unmissed {
            share: idle.value,
            segments,
            again,
            told: idle.from.contains(&Place::You),
            runs: crate::losses::lossy_back::runs(facts, flow),
        });
        self.idle_loss = None;
    }

    /// That a loss which was given, and a flow that hardly lost, cannot both be true.
    pub(crate) fn unmissed_in_words(&self, facts: &Facts, flow: &Flow) -> Option<Contradiction> {
        let told = self.unmissed.filter(|u| u.told)?;
        let text = format!(
            "{}: {} of packets are said to be lost, and {} were sent again: the loss is left out",
            flow.name(),
            percent(told.share),
            told.sent_again()
        );
        let places = self.retransmits.iter().flat_map(|r| &r.from);
        let places = [Place::You].into_iter().chain(places.copied());
        Some(Contradiction {
            text,
            from: places.map(|at| facts.place(at)).collect(),
        })
    }
}

impl Unmissed {
    /// Of pings whose runs lost these shares, beside 100 000 segments of which none was lost.
    #[cfg(test)]
    pub(crate) fn of_runs(runs: [f64; 2]) -> Unmissed {
        Unmissed {
            share: runs[0],
            segments: 1e5,
            again: 0.0,
            told: false,
            runs: Some(runs),
        }
    }

    /// `none of at least 93000 segments`.
    pub(crate) fn sent_again(&self) -> String {
        let of = format!("{:.0} segments or more", self.segments);
        match self.again {
            n if n < 0.5 => format!("none of the flow's {of}"),
            n => format!("{n:.0} of the flow's {of}"),
        }
    }
}

/// `4.0 %`.
fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p < 0.1 => format!("{p:.3} %"),
        p => format!("{p:.1} %"),
    }
}

/// What it means that pings were lost, and the flow's segments not.
pub(crate) fn by_unmissed(e: &Evidence, items: &mut Vec<Item>) {
    let told = |u: &Unmissed| u.told || e.loses_back().is_some();
    let [what, why] = match e.around.one_way.is_some() {
        true => [
            "the packets that went one way were lost",
            "It is of another time, or of other traffic",
        ],
        false => [
            "what ping or a trace sent was not answered",
            "Routers and hosts answer so many in a second and no more, or it is on the way back, where acknowledgements spare each other",
        ],
    };
    items.extend(e.unmissed.filter(|u| !told(u)).map(|u| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "{} of {what}, and {} were sent again: that loss is not the flow's. {why}",
            percent(u.share),
            u.sent_again()
        ),
    }));
}
