//! What one connection sent and heard, segment by segment, run-length coded for the
//! time–sequence plot.

use farpath_units::Time;
use farpath_wire::{Burst, Coalescer, Flags, FlowDir, Frame, Kind};

/// The time–sequence record of one connection, as its sender saw it.
#[derive(Debug)]
pub struct Sequence {
    data: Track,
    retransmits: Track,
    acks: Track,
    /// SACK blocks as they arrived: instant and `[start, end)`.
    pub sacks: Vec<(Time, u64, u64)>,
    limit: usize,
    /// The instant after which the record is incomplete.
    pub cut: Option<Time>,
}

#[derive(Debug, Default)]
struct Track {
    done: Vec<Burst>,
    open: Coalescer,
}

impl Track {
    fn push(&mut self, frame: Frame) {
        self.done.extend(self.open.push(frame));
    }

    fn finish(mut self) -> Vec<Burst> {
        self.done.extend(self.open.finish());
        self.done
    }
}

/// The finished record.
#[derive(Clone, Debug, Default)]
pub struct SequenceRecord {
    /// First transmissions.
    pub data: Vec<Burst>,
    /// Retransmissions.
    pub retransmits: Vec<Burst>,
    /// Cumulative acknowledgements.
    pub acks: Vec<Burst>,
    /// SACK blocks.
    pub sacks: Vec<(Time, u64, u64)>,
    /// The instant after which the record is incomplete.
    pub cut: Option<Time>,
}

impl Sequence {
    /// An empty record that keeps at most `limit` bursts of each kind.
    pub fn new(limit: usize) -> Sequence {
        Sequence {
            data: Track::default(),
            retransmits: Track::default(),
            acks: Track::default(),
            sacks: Vec::new(),
            limit,
            cut: None,
        }
    }

    /// A segment like `frame` left the sender, or an acknowledgement like it reached it, at `now`.
    #[inline]
    pub fn note(&mut self, frame: &Frame, now: Time, seq: u64) {
        if self.cut.is_none() {
            self.record(
                frame.kind,
                frame.flags().contains(Flags::RETRANSMIT),
                now,
                seq,
            );
        }
    }

    #[inline(never)]
    fn record(&mut self, kind: Kind, retransmit: bool, now: Time, seq: u64) {
        let track = match kind {
            Kind::Ack => &mut self.acks,
            _ if retransmit => &mut self.retransmits,
            _ => &mut self.data,
        };
        // What identifies a burst here is time and sequence alone.
        track.push(Frame::new(Kind::Data, FlowDir(0), seq, 0).arriving(now));
        if track.done.len() >= self.limit {
            self.cut = Some(now);
        }
    }

    /// A SACK block reached the sender.
    pub fn note_sack(&mut self, now: Time, start: u64, end: u64) {
        if self.cut.is_none() && self.sacks.len() < self.limit {
            self.sacks.push((now, start, end));
        }
    }

    /// The record.
    pub fn finish(self) -> SequenceRecord {
        SequenceRecord {
            data: self.data.finish(),
            retransmits: self.retransmits.finish(),
            acks: self.acks.finish(),
            sacks: self.sacks,
            cut: self.cut,
        }
    }
}
