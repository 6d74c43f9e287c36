//! Segments with data that the path dropped of one sender, and what took them.

use farpath_element::Drop;
use farpath_emu::plane::Segments;
use farpath_record::count_of;
use serde::Serialize;

/// Those of one sender, by the lab's own count, frame by frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Lost {
    /// Segments with data that it sent, those sent again among them.
    pub(super) sent: u64,
    /// A queue was full, or its management dropped early.
    queue: u64,
    /// Lost on the way, by chance or on purpose.
    chance: u64,
    /// Arrived with a wrong checksum: the receiver's kernel throws them away.
    damaged: u64,
    /// A policer found them out of contract.
    policer: u64,
    /// Larger than a link carries.
    mtu: u64,
    /// Their TTL ended at a router.
    ttl: u64,
    /// A link was down.
    down: u64,
    /// For any other reason.
    other: u64,
}

impl Lost {
    /// Those that the path counted.
    pub(super) fn of(segments: &Segments) -> Lost {
        let mut lost = Lost {
            sent: segments.sent,
            ..Lost::default()
        };
        for (reason, count) in Drop::ALL.into_iter().zip(segments.lost) {
            let of = match reason {
                Drop::Tail | Drop::Red => &mut lost.queue,
                Drop::Error | Drop::EveryNth | Drop::Scripted => &mut lost.chance,
                Drop::Checksum => &mut lost.damaged,
                Drop::Policed => &mut lost.policer,
                Drop::Mtu => &mut lost.mtu,
                Drop::Ttl => &mut lost.ttl,
                Drop::Down => &mut lost.down,
                Drop::NoRoute | Drop::Host | Drop::Cell => &mut lost.other,
            };
            *of += count;
        }
        lost
    }

    /// All that were lost.
    pub(super) fn all(&self) -> u64 {
        let rest = self.queue + self.policer + self.mtu + self.ttl + self.down + self.other;
        self.by_chance() + rest
    }

    /// Those that chance took: lost on the way, or damaged.
    pub(super) fn by_chance(&self) -> u64 {
        self.chance + self.damaged
    }

    /// Their share of what was sent.
    pub(super) fn ratio(&self) -> f64 {
        self.all() as f64 / self.sent.max(1) as f64
    }

    /// How many were lost on the way `there` or `back`, and what took them; nothing where none was.
    pub(super) fn words(&self, way: &str) -> String {
        let causes = [
            (self.queue, "found a queue full"),
            (self.chance, "by chance"),
            (self.damaged, "arrived damaged"),
            (self.policer, "exceeded a policer's rate"),
            (self.mtu, "too large for a link"),
            (self.ttl, "at the end of their TTL"),
            (self.down, "found the path down"),
            (self.other, "for another reason"),
        ];
        let some = causes.into_iter().filter(|(n, _)| *n > 0);
        let some: Vec<String> = some.map(|(n, how)| format!("{n} {how}")).collect();
        match self.all() {
            0 => String::new(),
            n => format!(
                "; on the way {way} {n} of {} with data {} lost: {}",
                count_of(self.sent, "segment", "segments"),
                if n == 1 { "was" } else { "were" },
                some.join(", ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of two packets in front of a line that loses some by chance, too.
    #[test]
    fn a_full_queue_is_told_apart_from_chance() {
        let of = |counts: &[(Drop, u64)]| {
            let mut segments = Segments {
                sent: 1500,
                ..Segments::default()
            };
            for (reason, count) in counts {
                segments.lost[*reason as usize] = *count;
            }
            Lost::of(&segments)
        };
        let both = of(&[(Drop::Tail, 20), (Drop::Red, 8), (Drop::Error, 2)]);
        assert_eq!(
            both.words("there"),
            "; on the way there 30 of 1500 segments with data were lost: 28 found a queue full, 2 by chance"
        );
        assert!((both.ratio() - 0.02).abs() < 1e-9);
        let one = of(&[(Drop::Checksum, 1)]);
        assert_eq!(
            one.words("there"),
            "; on the way there 1 of 1500 segments with data was lost: 1 arrived damaged"
        );
        assert_eq!(one.by_chance(), 1);
        assert_eq!(of(&[]).words("back"), "");
        // Each reason counts somewhere.
        let each = Drop::ALL.map(|reason| (reason, 1));
        assert_eq!(of(&each).all(), Drop::ALL.len() as u64);
    }
}
