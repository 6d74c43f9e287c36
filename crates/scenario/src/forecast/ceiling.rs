//! What holds connections that carry data without a pause, whatever asks for it: line, window, losses and policers. All kinds of tests
//! with connections take it from here, and the words about what it leaves out.

use farpath_record::Record;

use super::flow::Flow;
use super::{Path, put};
use crate::model::Test;

/// What the connections of a test carry at most, all together.
pub(super) struct Ceiling {
    /// Payload long after their start, bit/s.
    pub(super) bps: f64,
    /// What sets it, in the words of `limited_by`.
    pub(super) by: &'static str,
    /// Rate at which losses hold one connection, bit/s; infinite without.
    pub(super) loss_bps: f64,
    /// Where a policer sets it: what passes, and between which values that lies, bit/s.
    pub(super) policed: Option<[f64; 3]>,
}

impl Path<'_> {
    /// `None` where nothing arrives, or no closed form says what does: the record has it then.
    pub(super) fn ceiling(&self, test: &Test, flow: &Flow, record: &mut Record) -> Option<Ceiling> {
        let header = self.header();
        if flow.loses_all() || self.loss_ratio(header, &self.back) >= 1.0 {
            put(&mut record.metrics, "goodput_bps", 0.0);
            record.limited_by = Some("loss".to_owned());
            return None;
        }
        if self.acks_policed(test) <= 0.0 {
            put(&mut record.metrics, "goodput_bps", 0.0);
            record.limited_by = Some("policer".to_owned());
            record.notes.push(
                "a policer on the way back holds less than an acknowledgement: none passes"
                    .to_owned(),
            );
            return None;
        }
        let Some(loss_bps) = flow.loss_bps() else {
            record.notes.push(flow.without_law());
            return None;
        };
        let policers = self.meets_policers(test, flow);
        if policers.iter().any(|met| met.all_bps() <= 0.0) {
            put(&mut record.metrics, "goodput_bps", 0.0);
            record.limited_by = Some("policer".to_owned());
            record
                .notes
                .push("a policer on the way holds less than a full frame: none passes".to_owned());
            return None;
        }
        Some(self.ceiling_of(test, flow, loss_bps))
    }

    /// The same of a flow whose losses have a law.
    fn ceiling_of(&self, test: &Test, flow: &Flow, loss_bps: f64) -> Ceiling {
        let clean = flow.steady(loss_bps);
        let policed = self.policed(test, flow, clean);
        Ceiling {
            bps: policed.map_or(clean, |[likely, ..]| likely),
            by: match policed {
                Some(_) => "policer",
                None => flow.limit(clean, loss_bps),
            },
            loss_bps,
            policed,
        }
    }

    /// What is left out of a ceiling where connections carry what is asked for, `amount` bytes of each behind one another.
    pub(super) fn note_bulk(
        &self,
        test: &Test,
        flow: &Flow,
        loss_bps: f64,
        amount: Option<u64>,
        record: &mut Record,
    ) {
        record.notes.extend(flow.doubts_of_loss(loss_bps, amount));
        record.notes.extend(self.doubt_of_shaper(flow));
        let of_bucket = self.doubt_of_bucket(test, flow);
        record
            .notes
            .extend(of_bucket.filter(|_| !flow.is_one_flight(amount)));
        let met = self.meeting_buckets(test, flow);
        record.notes.extend(met.doubt_of_overflow(test, amount));
        record.notes.extend(met.doubt_of_second_cut(test, amount));
        record
            .notes
            .extend(flow.doubt_of_threshold(loss_bps, amount));
        let streams = test.kind.tcp().map_or(0, |tcp| tcp.parallel);
        if (0..streams).any(|stream| !self.named(test, stream).is_empty()) {
            record
                .notes
                .push("as if no segment named in `lose` were lost".to_owned());
        }
    }

    /// The ceiling of a flow of the same test that has one: as if no policer met it where it is not `policed`.
    pub(super) fn ceiling_alone(&self, test: &Test, flow: &Flow, policed: bool) -> Ceiling {
        let loss_bps = flow.loss_bps().unwrap_or(f64::INFINITY);
        let ceiling = self.ceiling_of(test, flow, loss_bps);
        match ceiling.policed {
            Some(_) if !policed => ceiling.unpoliced(flow),
            _ => ceiling,
        }
    }
}

impl Ceiling {
    /// Whether neither losses nor a policer keep a window that is too large from a queue.
    pub(super) fn queues_window(&self) -> bool {
        self.policed.is_none() && self.loss_bps.is_infinite()
    }

    /// As if no policer met the connections.
    pub(super) fn unpoliced(self, flow: &Flow) -> Ceiling {
        let clean = flow.steady(self.loss_bps);
        Ceiling {
            bps: clean,
            by: flow.limit(clean, self.loss_bps),
            policed: None,
            ..self
        }
    }

    /// Where a share of what is sent goes before losses hold the connections, by the time that all takes.
    pub(super) fn spared(self, flow: &Flow, share: f64) -> Ceiling {
        let bps = match flow.unheld(self.bps) {
            Some(clean) => 1.0 / (share / clean + (1.0 - share) / self.bps),
            None => self.bps,
        };
        Ceiling { bps, ..self }
    }

    /// As far as disks let them.
    pub(super) fn through_disk(self, disk_bps: f64) -> Ceiling {
        match disk_bps < self.bps {
            true => Ceiling {
                bps: disk_bps,
                by: "disk",
                policed: None,
                ..self
            },
            false => self,
        }
    }
}
