//! The disk of an end: how busy it is, and what it moves.

use crate::around::FULL_DISK;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flow::{Flow, number};
use crate::machine::is_other_end;
use crate::mounted::is_transfer;
use crate::read::Facts;
use crate::seen::Side;

impl Evidence {
    /// What a host, which is an end on this side, says of its disks.
    pub(crate) fn of_disk(&mut self, (facts, flow): (&Facts, &Flow), (host, side): (u32, Side)) {
        let own = self.rate.as_ref().map_or(0.0, |r| r.value);
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
        let is_own = |m: &Figure| full && m.value > 0.7 * own && m.value < 1.3 * own;
        let of_disk = |_: &Figure| !is_transfer(facts, Of::Host(host));
        let disk = get("disk_bps").filter(of_disk);
        let disk = disk.or_else(|| moved.filter(is_own));
        if self.around.disk.is_none() && disk.is_some() {
            (self.around.disk, self.around.disk_of) = (disk, Some(side));
        }
    }
}
