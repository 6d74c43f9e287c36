//! Congestion marks of one direction (RFC 3168 §6.1): what the receiver echoed, and how often the window was made smaller for it.

use super::Stream;
use crate::event::NEVER;
use crate::ranges::unwrapped;
use crate::room::{Room, make_room};
use crate::segment::Segment;
use crate::work;

/// Reductions remembered of one direction.
const CUTS_MAX: usize = 1 << 12;

/// A window that was made smaller for a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// When the segment passed that says so, nanoseconds.
    pub(crate) from: i64,
    /// When all was acknowledged that had been sent before it; [`NEVER`] until then.
    pub(crate) until: i64,
    /// One past the highest byte sent before it.
    max: u64,
}

/// The marks of one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Acknowledgements with ECN-Echo.
    pub(crate) echoes: u64,
    /// Segments with CWR that answer one.
    pub(crate) answered: u64,
    /// Of those, the first ones, in order of time.
    pub(crate) cuts: Vec<Cut>,
    /// So many of them are over.
    over: usize,
    /// What was sent before the last of all ends here.
    until: u64,
    /// An echo came that the last one does not answer.
    open: bool,
}

impl Marks {
    /// An acknowledgement of all below `una` has ECN-Echo. The receiver goes on with it until CWR has reached it.
    fn echo(&mut self, una: u64) {
        self.echoes += 1;
        self.open |= una > self.until;
    }

    /// The sender says that it has made its window smaller, with all below `max` sent. It says so after a loss, too: then no echo is
    /// open, as a rule.
    fn reduce(&mut self, at: i64, max: u64, room: &mut Room) {
        self.until = max;
        if !std::mem::take(&mut self.open) {
            return;
        }
        self.answered += 1;
        if self.cuts.len() < CUTS_MAX && room.events > 0 {
            room.events -= 1;
            make_room(&mut self.cuts);
            self.cuts.push(Cut {
                from: at,
                until: NEVER,
                max,
            });
        }
    }

    /// All below `ack` is acknowledged.
    pub(super) fn acknowledged(&mut self, at: i64, ack: u64) {
        while let Some(cut) = self.cuts.get_mut(self.over).filter(|c| c.max <= ack) {
            cut.until = at;
            self.over += 1;
            work::count(1);
        }
    }
}

impl Stream {
    /// An acknowledgement of this data that was just taken in has ECN-Echo.
    #[cold]
    pub(crate) fn echo(&mut self) {
        let una = self.una;
        self.marks.get_or_insert_default().echo(una);
    }

    /// A segment with CWR passes, before it is taken in. Only new data has it (RFC 3168 §6.1.2).
    #[cold]
    pub(crate) fn reduce(&mut self, s: &Segment, room: &mut Room) {
        if self.begun && unwrapped(self.max, s.seq) >= self.max {
            let max = self.max;
            let marks = self.marks.get_or_insert_default();
            marks.reduce(s.at, max, room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reduction_answers_all_echoes_of_a_window() {
        let (mut marks, mut room) = (Marks::default(), Room::default());
        let before = room.events;
        marks.echo(1000);
        marks.echo(2000);
        marks.reduce(10, 9000, &mut room);
        // Until CWR has arrived the receiver goes on with its echo.
        marks.echo(9000);
        marks.reduce(20, 12_000, &mut room);
        assert_eq!((marks.echoes, marks.answered), (3, 1));
        marks.acknowledged(25, 8999);
        assert_eq!(marks.cuts[0].until, NEVER);
        marks.acknowledged(30, 9000);
        let first = Cut {
            from: 10,
            until: 30,
            max: 9000,
        };
        assert_eq!(marks.cuts, [first]);
        marks.echo(12_001);
        marks.reduce(40, 20_000, &mut room);
        assert_eq!((marks.answered, marks.cuts.len()), (2, 2));
        assert_eq!(before - room.events, 2);
    }

    #[test]
    fn a_window_that_a_loss_made_smaller_does_not_answer_a_mark() {
        let (mut marks, mut room) = (Marks::default(), Room::default());
        marks.reduce(10, 9000, &mut room);
        assert_eq!((marks.answered, marks.cuts.len()), (0, 0));
    }
}
