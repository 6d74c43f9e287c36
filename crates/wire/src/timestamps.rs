//! TCP timestamps as a tap reconstructs them: frames carry none.

use crate::Frame;

/// What one tap remembers of one flow's timestamps (RFC 7323), a clock of 1 ms.
///
/// TSval is the instant at the tap, so it includes waiting upstream of it, and every pass of one
/// segment over one link has its own. TSecr is the latest TSval seen the other way, where a receiver
/// that delays acknowledgements echoes the earliest of those it acknowledges (RFC 7323 §4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    latest: [u32; 2],
}

impl Timestamps {
    /// TSval and TSecr for the next frame of the flow, in the order of the wire.
    pub const fn stamp(&mut self, frame: &Frame) -> (u32, u32) {
        let from = frame.flow.is_reverse() as usize;
        // One more than the clock: 0 means that nothing has been seen yet.
        let value = (frame.at.as_ns() / 1_000_000) as u32;
        self.latest[from] = value.wrapping_add(1);
        (self.latest[from], self.latest[1 - from])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FlowDir, Kind};
    use farpath_units::Time;

    #[test]
    fn the_answer_echoes_the_latest_value() {
        let mut seen = Timestamps::default();
        let mut frame = Frame::new(Kind::Syn, FlowDir::forward(0), 0, 60);
        frame.at = Time::from_ps(5_999_999_999);
        assert_eq!(seen.stamp(&frame), (6, 0));
        frame.flow = frame.flow.turned();
        frame.at = Time::from_ps(121_000_000_000);
        assert_eq!(seen.stamp(&frame), (122, 6));
    }
}
