//! What a link direction carried and dropped, in total and by interval.

use farpath_units::{Duration, Time};

use crate::drops::Drop;
use crate::impair::Realised;
use crate::qdisc::Footprint;

/// How often counters are noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The length of one interval.
    pub every: Duration,
    /// How many intervals are kept.
    pub count: usize,
}

impl Sampling {
    /// Totals only.
    pub const OFF: Sampling = Sampling {
        every: Duration::MAX,
        count: 0,
    };
}

/// One interval of a link direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Wire bytes of frames whose transmission started in the interval.
    pub bytes: u64,
    /// Bytes waiting at its end.
    pub queue_bytes: u64,
}

/// Frames and bytes of one class, identified by its TOS byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassCounter {
    /// The TOS byte.
    pub class: u8,
    /// Frames sent.
    pub frames: u64,
    /// Wire bytes sent.
    pub bytes: u64,
}

/// Counters of one direction of a link.
///
/// Conservation: `offered = frames + dropped before transmission + waiting`, and
/// `frames + duplicated = delivered to the far end + dropped after transmission + on the line`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames offered to the link.
    pub offered: u64,
    /// Frames whose transmission was settled: sent, or waiting for a start already known.
    pub frames: u64,
    /// Their wire bytes, framing included.
    pub bytes: u64,
    /// Their TCP and UDP payload bytes.
    pub payload_bytes: u64,
    /// Drops by reason, in the order of [`Drop::ALL`].
    pub drops: [u64; Drop::ALL.len()],
    /// By class, in order of their TOS bytes.
    pub classes: Vec<ClassCounter>,
    /// Most bytes ever waiting, as seen by arriving frames.
    pub queue_max_bytes: u64,
    /// The intervals noted so far.
    pub intervals: Vec<Interval>,
    /// What impairments came to.
    pub realised: Realised,
    /// Cells that did not arrive: lost by chance or discarded by a policer.
    pub cells_lost: u64,
    /// Cells a policer tagged.
    pub cells_tagged: u64,
    /// Frames a policer of cells or of the far node dropped: they had been sent, so they are among
    /// `frames`, too.
    pub policed_as_cells: u64,
}

impl Counters {
    /// One frame dropped.
    #[inline]
    pub fn drop(&mut self, reason: Drop) {
        self.drops[reason as usize] += 1;
    }

    /// Frames dropped for `reason`.
    pub fn dropped(&self, reason: Drop) -> u64 {
        self.drops[reason as usize]
    }

    /// `count` frames of one footprint sent; at least one.
    #[inline]
    pub fn sent(&mut self, footprint: &Footprint, count: u64) {
        let wire_bytes = u64::from(footprint.wire_bytes) * count;
        self.frames += count;
        self.bytes += wire_bytes;
        self.payload_bytes += u64::from(footprint.payload_bytes) * count;
        self.cells_lost += u64::from(footprint.cells_lost) * count;
        self.cells_tagged += u64::from(footprint.cells_tagged) * count;
        let class = footprint.class;
        let place = self.classes.partition_point(|c| c.class < class);
        if self.classes.get(place).is_none_or(|c| c.class != class) {
            self.classes.insert(
                place,
                ClassCounter {
                    class,
                    frames: 0,
                    bytes: 0,
                },
            );
        }
        self.classes[place].frames += count;
        self.classes[place].bytes += wire_bytes;
    }
}

/// Where an element is in its intervals.
#[derive(Clone, Copy, Debug)]
pub struct IntervalClock {
    sampling: Sampling,
    /// End of the current interval.
    pub end: Time,
}

impl IntervalClock {
    /// At the start of the run.
    pub fn new(sampling: Sampling) -> IntervalClock {
        let end = if sampling.count == 0 {
            Time::MAX
        } else {
            Time::ZERO + sampling.every
        };
        IntervalClock { sampling, end }
    }

    /// Whether the current interval has ended by `now`: it owns its end.
    pub fn has_ended(&self, now: Time) -> bool {
        self.end <= now && self.end < Time::MAX
    }

    /// The current interval is over; `done` have been noted.
    pub fn next(&mut self, done: usize) {
        self.end = if done >= self.sampling.count {
            Time::MAX
        } else {
            self.end + self.sampling.every
        };
    }
}
