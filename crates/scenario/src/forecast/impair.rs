//! What closed forms know of impairments, and what they do not.

use farpath_element::impair::{Chance, Distribution, Finder, Impairments};
use farpath_predict::bit_error;
use farpath_record::Record;
use farpath_units::{Duration, Size};

use super::Path;
use super::tcp::losses::ONE_BY_ONE;
use crate::model::{Loss, Way};
use crate::plan::Hop;

impl Path<'_> {
    fn impairments(&self, hop: &Hop) -> &Impairments {
        let port = &self.plan.ports[hop.port];
        let way = usize::from(port.way == Way::Reverse);
        &self.scenario.links[port.link.0].directions[way].impairments
    }

    /// Sum over the jitters on `ways` of what `part` says of each.
    pub(crate) fn jitter(
        &self,
        ways: &[&[Hop]],
        part: impl Fn(&Distribution) -> Duration,
    ) -> Duration {
        let hops = ways.iter().copied().flatten();
        let jitters = hops.filter_map(|h| self.impairments(h).jitter.as_ref());
        jitters.fold(Duration::ZERO, |sum, (d, _)| sum + part(d))
    }

    /// Of the lines on `ways` that hold some of `count` packets of `size` bytes back: the share of the packets, and by how much.
    pub(crate) fn held(&self, ways: &[&[Hop]], (count, size): (u32, u32)) -> Vec<(f64, Duration)> {
        let mut all = Vec::new();
        for way in ways {
            for hop in way.iter() {
                let Some((chance, by)) = self.impairments(hop).reordering else {
                    continue;
                };
                let share = match chance {
                    // Frames of one flow are counted, however often they cross.
                    Chance::EveryNth(n) => {
                        let crossings = way.iter().filter(|h| h.port == hop.port).count() as u64;
                        let frames = crossings * u64::from(count.max(1));
                        (frames / n.max(1)) as f64 / frames as f64
                    }
                    Chance::Share(_) | Chance::Bits(_) => struck(chance, size),
                };
                if share > 0.0 && by > Duration::ZERO {
                    all.push((share, by));
                }
            }
        }
        all
    }

    /// Chance that a frame that crosses `hop` never gets to a program because it is damaged; a wrong bit spoils it in `bytes` of
    /// its bytes.
    pub(super) fn damaged(&self, hop: &Hop, bytes: u32) -> f64 {
        let Some((chance, finder)) = self.impairments(hop).corruption else {
            return 0.0;
        };
        let struck = struck(chance, bytes);
        match finder {
            Finder::Crc => struck,
            Finder::Checksum { undetected } => struck * (1.0 - undetected),
        }
    }

    /// What no forecast knows.
    pub(super) fn note_weather(&self, record: &mut Record) {
        let hops = self.there.iter().chain(&self.back);
        if hops.clone().any(|h| self.impairments(h).flap.is_some()) {
            let note = "as if no link ever went down: what outages lose or delay is not foreseen";
            record.notes.push(note.to_owned());
        }
        // What happens when the test has ended changes nothing of it.
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        let until = test.duration.map(|d| test.start + test.omit + d);
        let changes = self.scenario.events.iter().any(|e| {
            let port = |way: &Way| crate::plan::port_of(e.link, *way);
            let during = until.is_none_or(|until| e.at < until);
            during
                && e.ways
                    .iter()
                    .map(port)
                    .any(|p| hops.clone().any(|h| h.port == p))
        });
        if changes {
            let note = "as if no event changed the path: what is sent from then on, or lost, is not foreseen";
            record.notes.push(note.to_owned());
        }
        record.notes.extend(self.words_of_traces());
    }

    /// Whether bursts of losses come from more than one crossing, whose chains no closed form joins.
    fn loses_in_several_bursts(&self) -> bool {
        let bursts = |l: &&Loss| matches!(l, Loss::GilbertElliott { .. });
        let hops = self.there.iter();
        hops.flat_map(|h| self.direction(h.port).losses.iter().filter(bursts))
            .count()
            > 1
    }

    /// What a forecast of a stream of data leaves out.
    pub(super) fn note_impairments(&self, record: &mut Record) {
        let any = |has: fn(&Impairments) -> bool| {
            let mut hops = self.there.iter().chain(&self.back);
            hops.any(|h| has(self.impairments(h)))
        };
        let forms = [
            (
                any(|i| i.jitter.is_some()),
                "as if without jitter: it raises the round trip by its mean at least, and by more where frames wait for their order",
            ),
            (
                any(|i| i.reordering.is_some()),
                "as if in order: no closed form says what late frames do to a sender",
            ),
            (any(|i| i.duplication.is_some()), "as if nothing came twice"),
            (
                record.kind != "udp" && self.loses_in_several_bursts(),
                ONE_BY_ONE,
            ),
        ];
        let said = forms.iter().filter(|(is_so, _)| *is_so);
        record
            .notes
            .extend(said.map(|(_, note)| (*note).to_owned()));
    }
}

/// The share of frames that a chance strikes; a wrong bit spoils a frame in `bytes` of its bytes.
fn struck(chance: Chance, bytes: u32) -> f64 {
    match chance {
        Chance::EveryNth(n) => 1.0 / n as f64,
        Chance::Share(p) => p,
        Chance::Bits(b) => bit_error::frame_loss(Size::from_bytes(bytes.into()), b),
    }
}
