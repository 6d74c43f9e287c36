//! The send buffer that a connection of Windows begins with, which nobody asked for: it may grow, and is a ceiling where the rate is what it
//! leaves.

use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::windows::room::Room;

/// The buffer of a test's sender at its start, bytes, as facts have it.
pub(crate) const FIRST_BUFFER: &str = "send_buffer_first_bytes";

/// A buffer of Windows, bytes, which no other system comes with: iperf 2 prints 208 KByte.
const OF_WINDOWS: f64 = 208.0 * 1024.0;

/// It is printed to whole KByte.
const NEAR: f64 = 512.0;

/// A rate between these parts of what such a buffer leaves meets it: as of all ceilings.
const MEETS: [f64; 2] = [crate::infer::UNDER, crate::infer::OVER];

/// Whether a buffer of this size, which nobody asked for, is that of Windows.
pub(crate) fn is_of_windows(bytes: f64) -> bool {
    (bytes - OF_WINDOWS).abs() < NEAR
}

impl Evidence {
    /// Takes such a buffer as the sender's, where the rate is what it leaves over the round trip, and nothing says of another.
    pub(crate) fn of_first_buffer(&mut self, flow: &Flow) {
        let test = flow.test.as_ref();
        let first = test.and_then(|test| test.numbers.get(FIRST_BUFFER).cloned());
        let (Some(bytes), Some(rate), Some(rtt)) = (first, self.settled(), self.rtt_by_itself())
        else {
            return;
        };
        let part = rate.value * rtt.value / (bytes.value * 8.0 * self.streams);
        let meets = part > MEETS[0] && part < MEETS[1];
        if meets && !self.udp && self.buffers.is_empty() {
            self.buffers.push(Room {
                memory: Some(bytes.clone()),
                bytes,
                what: "the sender's socket buffer, 208 KByte as Windows has it by default"
                    .to_owned(),
                asked: false,
            });
        }
    }
}
