//! An edge in the stream and the SACKed bytes below it, and the two edges of one round of sending.

use crate::ranges::Range;

/// A byte of the stream, and how many of those between una and it are SACKed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge {
    pub(crate) at: u64,
    pub(crate) sacked: u64,
}

impl Edge {
    pub(crate) const fn new(at: u64, sacked: u64) -> Edge {
        Edge { at, sacked }
    }

    /// Brings it up to `una`, below which nothing is counted.
    pub(crate) fn catch_up(&mut self, una: u64) {
        if self.at < una {
            *self = Edge::new(una, 0);
        }
    }

    /// una moved, past `removed` SACKed bytes.
    pub(crate) fn trim(&mut self, una: u64, removed: u64) {
        if una >= self.at {
            *self = Edge::new(una, 0);
        } else {
            self.sacked -= removed;
        }
    }

    /// `new` is SACKed now.
    pub(crate) fn note(&mut self, new: Range) {
        self.sacked += new.end.min(self.at).saturating_sub(new.start);
    }

    /// As `unsacked`; nothing when it was not brought up to `una` yet.
    pub(crate) fn outstanding(&self, una: u64) -> u64 {
        self.at.saturating_sub(una + self.sacked)
    }

    /// Bytes between `una` and it that are not SACKed.
    pub(crate) fn unsacked(&self, una: u64) -> u64 {
        self.at - una - self.sacked
    }
}

/// One round of sending: the originals are round 0, what is sent again because its transmission of
/// round n was lost is round n + 1. Each round goes upwards through the stream, so that both what
/// was lost of it and what of that was sent again ends at one edge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Round {
    /// Everything below that is not SACKed was lost in this round.
    pub(crate) lost: Edge,
    /// Everything below that is not SACKed was sent again.
    pub(crate) resent: Edge,
}

impl Round {
    /// A round of which nothing is lost yet.
    pub(crate) const fn at(una: u64) -> Round {
        Round {
            lost: Edge::new(una, 0),
            resent: Edge::new(una, 0),
        }
    }

    /// What of this round is lost and not sent again less what was sent again: its part of pipe.
    pub(crate) fn balance(&self, una: u64) -> (u64, u64) {
        (self.resent.unsacked(una), self.lost.unsacked(una))
    }
}
