//! The disk of an end: how busy it is, and what it moves.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number};
use crate::hosts::machine::is_other_end;
use crate::hosts::mounted::is_transfer;
use crate::items::{Item, step};
use crate::paths::around::FULL_DISK;
use crate::read::Facts;
use crate::seen::Side;

impl Evidence {
    /// What a host, which is an end on this side, says of its disks.
    pub(crate) fn of_disk(&mut self, (facts, flow): (&Facts, &Flow), (host, side): (u32, Side)) {
        let own = self.after_fall();
        let get = |name: &'static str| number(facts, Of::Host(host), name).cloned();
        let busier = |b: &Figure| self.around.busy.as_ref().is_none_or(|x| x.value < b.value);
        let of_end = |_: &Figure| !is_other_end(facts, flow, (host, side), own);
        if let Some(busy) = get("disk_busy_ratio").filter(busier).filter(of_end) {
            self.around.busy = Some(busy);
            self.around.disk_of = Some(side);
        }
        // What a disk without a moment's rest moves is its rate, where that is this flow's and not that of others.
        let full = get("disk_busy_ratio").is_some_and(|b| b.value > FULL_DISK);
        let moved = match side {
            Side::Sender => get("disk_read_bps"),
            Side::Receiver => get("disk_written_bps"),
        };
        let is_own = |m: &Figure| full && self.is_moved(m.value);
        let of_disk = |_: &Figure| !is_transfer(facts, Of::Host(host));
        let disk = get("disk_bps").filter(of_disk);
        let disk = disk.or_else(|| moved.filter(is_own));
        if self.around.disk.is_none() && disk.is_some() {
            (self.around.disk, self.around.disk_of) = (disk, Some(side));
        }
    }

    /// Whether this much, bit/s, is what the flow carried on average, or from its step on.
    fn is_moved(&self, moved: f64) -> bool {
        let mean = self.rate.as_ref().map_or(0.0, |r| r.value);
        let near = |rate: f64| moved > 0.7 * rate && moved < 1.3 * rate;
        near(mean) || near(self.after_fall())
    }
}

/// Holds a disk's rate against the flow's.
pub(crate) fn by_disk(e: &Evidence, rate: &Figure, items: &mut Vec<Item>) {
    let Some(disk) = &e.around.disk else { return };
    let Some(met) = e.part_of_disk(disk) else {
        return;
    };
    items.push(Item {
        holds: step(met, 0.7, 0.85) * (1.0 - step(met, 1.1, 1.3)),
        weights: vec![(Cause::Disk, 18.0)],
        sentence: format!(
            "a host's disk was read or written at {}, and the flow went at {}",
            bps(disk.value),
            match e.lasts_at_disk() {
                Some(lasting) => format!("{} in its last part", bps(lasting.value)),
                None => bps(rate.value),
            }
        ),
    });
    items.push(Item {
        holds: 1.0 - step(met, 0.4, 0.7),
        weights: vec![(Cause::Disk, -14.0)],
        sentence: String::new(),
    });
}

/// How busy a host's disk was.
pub(crate) fn busy_disk(e: &Evidence, items: &mut Vec<Item>) {
    let Some(busy) = &e.around.busy else { return };
    items.push(Item {
        holds: step(busy.value, 0.85, 0.95),
        weights: match e.around.disk_of {
            // It is what a program waits for that does not read.
            Some(Side::Receiver) => vec![(Cause::Disk, 16.0), (Cause::Client, 2.0)],
            _ => vec![(Cause::Disk, 16.0)],
        },
        sentence: format!(
            "a host's disk was busy for {:.0} % of the time",
            busy.value * 100.0
        ),
    });
    items.push(Item {
        holds: 1.0 - step(busy.value, 0.4, 0.8),
        weights: vec![(Cause::Disk, -16.0)],
        sentence: String::new(),
    });
}
