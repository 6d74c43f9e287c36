//! Fragments of datagrams that hold segments: a segment counts when its last fragment has come.

use std::collections::VecDeque;

use crate::peel::FragmentOf;
use crate::segment::Segment;
use crate::work;

/// Datagrams in pieces at any time; older ones are given up.
const DATAGRAMS_MAX: usize = 64;

/// A datagram in pieces.
struct Pieces {
    of: FragmentOf,
    segment: Segment,
    /// Length of the TCP header.
    header: u32,
    seen: u32,
}

/// Datagrams in pieces.
#[derive(Default)]
pub(crate) struct Fragments(VecDeque<Pieces>);

impl Fragments {
    /// A first fragment, which holds the header and `bytes` of the datagram in all.
    pub(crate) fn first(&mut self, of: FragmentOf, segment: &Segment, bytes: u32) {
        if self.0.len() >= DATAGRAMS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Pieces {
            of,
            segment: *segment,
            header: bytes - segment.length.min(bytes),
            seen: bytes,
        });
    }

    /// A later fragment, which ends at byte `end`. The segment, whole, if it is the last one of its datagram.
    pub(crate) fn later(
        &mut self,
        of: FragmentOf,
        end: u32,
        last: bool,
        at: i64,
    ) -> Option<Segment> {
        let place = self.0.iter().position(|p| p.of == of);
        work::count(place.unwrap_or(self.0.len()));
        let place = place?;
        let pieces = &mut self.0[place];
        pieces.seen = pieces.seen.max(end);
        if !last {
            return None;
        }
        let mut done = self.0.remove(place)?;
        done.segment.length = end.saturating_sub(done.header);
        done.segment.at = at;
        Some(done.segment)
    }
}
