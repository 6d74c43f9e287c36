//! Fragments of datagrams that hold segments: a segment counts when its first and its last fragment have come, in any order.

use std::collections::VecDeque;

use crate::peel::FragmentOf;
use crate::segment::Segment;
use crate::work;

/// Datagrams in pieces at any time; older ones are given up.
const DATAGRAMS_MAX: usize = 64;

/// A datagram in pieces.
struct Pieces {
    of: FragmentOf,
    /// Its segment, as the first fragment has it, and the length of the TCP header.
    first: Option<(Segment, u32)>,
    /// Where its bytes end, once the last fragment has come.
    end: Option<u32>,
}

/// Datagrams in pieces.
#[derive(Default)]
pub(crate) struct Fragments(VecDeque<Pieces>);

impl Fragments {
    /// A first fragment, which holds the header and `bytes` of the datagram in all. The segment, whole, if the last came before.
    pub(crate) fn first(
        &mut self,
        of: FragmentOf,
        segment: &Segment,
        bytes: u32,
    ) -> Option<Segment> {
        let header = bytes - segment.length.min(bytes);
        self.pieces(of).first = Some((*segment, header));
        self.whole(of, segment.at)
    }

    /// A later fragment, which ends at byte `end`. The segment, whole, if it is the last one of its datagram.
    pub(crate) fn later(
        &mut self,
        of: FragmentOf,
        end: u32,
        last: bool,
        at: i64,
    ) -> Option<Segment> {
        let pieces = self.pieces(of);
        pieces.end = pieces.end.or(last.then_some(end));
        self.whole(of, at)
    }

    /// What is there of a datagram, at the end of those that are.
    fn pieces(&mut self, of: FragmentOf) -> &mut Pieces {
        let place = self.0.iter().position(|p| p.of == of);
        work::count(place.unwrap_or(self.0.len()));
        let place = place.unwrap_or_else(|| {
            if self.0.len() >= DATAGRAMS_MAX {
                self.0.pop_front();
            }
            self.0.push_back(Pieces {
                of,
                first: None,
                end: None,
            });
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// The segment of a datagram of which the first and the last fragment were there; with the last that came, it has come.
    fn whole(&mut self, of: FragmentOf, at: i64) -> Option<Segment> {
        let place = self.0.iter().position(|p| p.of == of)?;
        let (mut segment, header) = self.0[place].first?;
        segment.length = self.0[place].end?.saturating_sub(header);
        segment.at = at;
        self.0.remove(place);
        Some(segment)
    }
}
