//! What a snapshot of the sender's sockets shows, without clocks: windows that are full, and bytes that wait.

use crate::cause::Cause;
use crate::evidence::{Evidence, Room};
use crate::fact::Figure;
use crate::items::{Item, step};

/// A window is full where so much of it is in flight: less than a segment or two is left.
const FULL: f64 = 0.95;

impl Evidence {
    /// The window that sockets show, together: a ceiling where it is full, and the congestion window is not.
    pub(crate) fn window_at_once(&mut self, announced: Option<(Figure, Figure)>, sockets: usize) {
        let cwnd = self.cwnd.as_ref().map_or(0.0, |c| c.value);
        let full = |(window, flight): &(Figure, Figure)| {
            cwnd > 1.05 * flight.value && flight.value > FULL * window.value
        };
        let Some((window, _)) = announced.filter(full) else {
            return;
        };
        if self.unscaled.is_none() {
            self.announced = true;
            let each = window.times(1.0 / sockets.max(1) as f64);
            self.windows.push(Room::announced(each));
        }
        self.full_window = Some(window);
    }
}

/// What a snapshot of the socket shows: a window that is full, and bytes that its program has handed over and that wait.
pub(crate) fn by_snapshot(e: &Evidence, items: &mut Vec<Item>) {
    if let Some(window) = &e.full_window {
        items.push(Item {
            holds: 1.0,
            weights: match e.unscaled {
                Some(_) => vec![(Cause::NoWindowScaling, 14.0)],
                None => vec![(Cause::ReceiveWindow, 14.0), (Cause::Client, 8.0)],
            },
            sentence: format!(
                "the receiver's window of {:.0} bytes was full, and the congestion window was not",
                window.value
            ),
        });
    }
    if let Some(unsent) = e.unsent.as_ref().filter(|_| e.app_limited.is_none()) {
        items.push(Item {
            holds: step(unsent.value / e.mss, 2.0, 20.0),
            weights: vec![(Cause::Application, -24.0)],
            sentence: format!(
                "{:.0} bytes that the program had handed over waited in the sender's socket",
                unsent.value
            ),
        });
    }
}
