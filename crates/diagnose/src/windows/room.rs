//! Windows and buffers that something allows, and windows that stay far smaller than that.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, step};
use crate::seen::Side;

/// A window or buffer that something allows.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    /// Bytes of data.
    pub(crate) bytes: Figure,
    /// Memory of the kernel that they are a part of, where a window or buffer is not known to the byte.
    pub(crate) memory: Option<Figure>,
    /// What allows them.
    pub(crate) what: String,
    /// Whether the program asked for it, so that another of the same host does not count.
    pub(crate) asked: bool,
}

/// What a window is called that the receiver announced.
pub(crate) const ANNOUNCED: &str = "the window the receiver announced";

impl Room {
    /// The window that a receiver announced.
    pub(crate) fn announced(bytes: Figure) -> Room {
        Room {
            bytes,
            memory: None,
            what: ANNOUNCED.to_owned(),
            asked: true,
        }
    }

    /// Whether it is what a receiver announced.
    pub(crate) fn is_announced(&self) -> bool {
        self.what == ANNOUNCED
    }
}

/// A window that stays so many times below what its host's settings allow is not held by them.
const FAR_BELOW: [f64; 2] = [2.0, 4.0];

/// So much of a window is in flight on average where it is the limit.
const USED: f64 = 0.7;

impl Evidence {
    /// The window that was announced and used up, and the least that the receiver's settings allow; none where the program or the user
    /// says how large it is, or nothing shows it.
    fn below_settings(&self) -> Option<(f64, f64)> {
        if self.unscaled.is_some() {
            // The window is not larger than this, whatever settings and programs allow.
            return None;
        }
        let is_announced = |r: &&Room| r.is_announced();
        let shown = self.windows.iter().filter(is_announced);
        let shown = shown.map(|r| r.bytes.value).reduce(libm::fmin);
        let flight = self.implied_flight()?.high;
        // Where a kernel does not print the window, what was in flight while it was busy is most of it.
        let busy = self.busy_share.as_ref().map_or(1.0, |b| b.value);
        let shown = shown.unwrap_or(flight / libm::fmax(busy, 0.1));
        if self.windows.iter().any(|r| r.asked && !is_announced(&r)) {
            return None;
        }
        let tuned = self.tuned.iter().filter(|r| !r.asked);
        let settings = tuned.map(|r| r.bytes.low).reduce(libm::fmin)?;
        // A socket that was full shows it, however little passed on average.
        let used = self.full_window.is_some() || flight > USED * busy * shown;
        (self.waits_for_window() && used).then_some((shown, settings))
    }

    /// Whether a sender's kernel, its socket, a capture or a test's report shows that the receiver's window was waited for.
    pub(crate) fn waits_for_window(&self) -> bool {
        let kernel = self.rwnd_share.as_ref().map(|s| s.value);
        let account = self.account.as_ref().map(|a| a.share("receive_window"));
        let reported = self.windows.iter().any(Room::is_announced);
        let share = kernel.or(account);
        self.full_window.is_some() || share.map_or(reported, |share| share > 0.3)
    }

    /// Whether a window that settings, a program or you say leaves so many times the rate at most.
    pub(crate) fn is_met_by_settings(&self, times: f64) -> bool {
        let (Some(rate), Some(rtt)) = (&self.rate, self.rtt_by_itself()) else {
            return false;
        };
        let said = self.windows.iter().chain(&self.tuned);
        let mut said = said.filter(|r| !r.is_announced());
        said.any(|r| r.bytes.low * 8.0 * self.streams / rtt.high < times * rate.value)
    }

    /// How surely the receiver's window stayed far below what its settings allow, 0 to 1: a kernel opens it as its program reads.
    pub(crate) fn left_small(&self) -> f64 {
        let of = |(shown, settings): (f64, f64)| step(settings / shown, FAR_BELOW[0], FAR_BELOW[1]);
        self.below_settings().map_or(0.0, of)
    }

    /// Whether a cause is such a window: a buffer of the program's own, or a program that is slow to read, which nothing tells apart.
    pub(crate) fn is_left(&self, cause: Cause) -> bool {
        cause == Cause::ReceiveWindow && self.left_small() > 0.5
    }

    /// Whether it is the receiver's disk that texts speak of.
    pub(crate) fn disk_receives(&self) -> bool {
        let around = &self.around;
        around.disk_of == Some(Side::Receiver) && (around.busy.is_some() || around.disk.is_some())
    }
}

/// A window that its settings do not hold: its program does not read what comes, or asked for a small buffer. A tool that only tests reads.
pub(crate) fn by_settings(e: &Evidence, items: &mut Vec<Item>) {
    let Some((shown, settings)) = e.below_settings() else {
        return;
    };
    let weights = match e.tester {
        true => Vec::new(),
        false => vec![
            (Cause::ReceiveWindow, -30.0),
            (Cause::Client, 10.0),
            (Cause::Disk, if e.disk_receives() { 10.0 } else { 0.0 }),
        ],
    };
    items.push(Item {
        holds: e.left_small(),
        weights,
        sentence: format!(
            "the receiver's settings allow {:.0} times the window of {shown:.0} bytes: a kernel opens it as its program reads, which does not, or asked for a small buffer",
            settings / shown
        ),
    });
}
