//! A window that shrank: a receiver announces less than before where its program does not read what has come. No setting does that.

use farpath_observe::Connection as Seen;

use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::Flow;
use crate::items::{Item, step};
use crate::read::Facts;

/// A window has shrunk to less than one part in so many of the largest, and is shut below so many segments.
const SHRUNK: f64 = 8.0;
const SHUT: f64 = 2.0;

/// This part of the times at which a socket was printed it has to be so.
const OFTEN: f64 = 0.3;

/// The largest and the least window that the receiver announced on one connection, bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shrunk {
    most: f64,
    least: f64,
    /// Of a capture, the share of the time in which it was full and small.
    share: Option<f64>,
}

impl Shrunk {
    /// Of windows in the order of time, beside the largest that a test reports. They begin small: only after the largest of them one has shrunk.
    fn of(windows: &[f64], reported: f64, mss: f64) -> Option<Shrunk> {
        let own = windows.iter().copied().reduce(f64::max)?;
        let most = libm::fmax(own, reported);
        let top = windows.iter().position(|w| *w == own)?;
        let later = |n: usize, w: f64| n > top || w < SHUT * mss;
        let each = windows.iter().enumerate();
        let small = each.filter(|(n, w)| **w < most / SHRUNK && later(*n, **w));
        let small: Vec<f64> = small.map(|(_, w)| *w).collect();
        let often = small.len() as f64 >= OFTEN * windows.len() as f64;
        let least = small.into_iter().reduce(f64::min)?;
        often.then_some(Shrunk {
            most,
            least,
            share: None,
        })
    }

    /// The same of a captured direction, whose largest window had so many bytes.
    pub(crate) fn captured(seen: &Seen, most: f64) -> Option<Shrunk> {
        let back = seen.taken_back()?;
        Some(Shrunk {
            most,
            least: back.bytes,
            share: Some(back.share),
        })
    }

    /// What it did, for people. Of a capture the least is what was in flight on average, which may be more than one announcement of a window.
    fn in_words(self) -> String {
        match self.least < self.most {
            true => format!(
                "the window that the receiver announced shrank from {} to {}",
                bytes(self.most),
                bytes(self.least)
            ),
            false => format!(
                "the receiver took back the window that it had announced, with {} in flight on average",
                bytes(self.least)
            ),
        }
    }
}

impl Evidence {
    /// Whether the window of a flow's connection shrank, by what its socket was printed with.
    pub(crate) fn of_shrunk(&mut self, facts: &Facts, flow: &Flow) {
        const NAME: &str = "window_announced_bytes";
        let reported = flow.test.as_ref().and_then(|t| t.numbers.get(NAME));
        let reported = reported.map_or(0.0, |w| w.value);
        let windows = |s: &u32| -> Vec<f64> {
            let own = facts
                .facts
                .iter()
                .filter(|f| f.of == Of::Socket(*s) && f.name == NAME);
            own.filter_map(|f| Some(f.number()?.value)).collect()
        };
        let mut each = flow.sockets.iter().map(windows);
        self.shrunk = each
            .find_map(|w| Shrunk::of(&w, reported, self.mss))
            .filter(|_| !self.udp);
    }
}

/// Weighs a window that shrank.
pub(crate) fn by_shrunk(e: &Evidence, items: &mut Vec<Item>) {
    let Some(shrunk) = e.shrunk.filter(|_| e.waits_for_window()) else {
        return;
    };
    let disk = if e.disk_receives() { 12.0 } else { 0.0 };
    let mut weights = vec![
        (Cause::ReceiveWindow, -30.0),
        (Cause::Client, 12.0),
        (Cause::Disk, disk),
    ];
    let full = shrunk.share.map_or_else(String::new, |share| {
        // It is seen all the time, wherever the capture was taken: no buffer of the sender is what its window waits for.
        weights.extend([(Cause::Client, 12.0), (Cause::SendBuffer, -16.0)]);
        format!(", and was full so for {:.0} % of the time", 100.0 * share)
    });
    items.push(Item {
        holds: shrunk.share.map_or(1.0, |share| step(share, 0.2, 0.4)),
        weights,
        sentence: format!(
            "{}{full}: its program does not read what has come, which no setting of buffers changes",
            shrunk.in_words()
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing shrinks to more than it was.
    #[test]
    fn a_window_that_was_taken_back_is_said_by_what_was_in_flight() {
        let said = |most: f64, least: f64| {
            let share = Some(0.6);
            Shrunk { most, least, share }.in_words()
        };
        assert!(said(812e3, 60e3).contains("shrank from"));
        let more = said(32.8e3, 48.5e3);
        assert!(
            more.contains("took back") && !more.contains("shrank"),
            "{more}"
        );
    }

    #[test]
    fn a_window_has_shrunk_after_its_largest_or_is_shut() {
        let of =
            |windows: &[f64], reported: f64| Shrunk::of(windows, reported, 1448.0).map(|s| s.least);
        assert_eq!(
            of(&[65536.0, 1_339_392.0, 1024.0, 1024.0], 0.0),
            Some(1024.0)
        );
        assert_eq!(of(&[1024.0], 5_140_480.0), Some(1024.0));
        // It grows.
        assert_eq!(of(&[65536.0, 456_192.0, 1_328_256.0], 0.0), None);
        assert_eq!(of(&[65536.0], 5_140_480.0), None);
        assert_eq!(of(&[1_328_256.0, 752_000.0, 456_192.0], 0.0), None);
    }
}
