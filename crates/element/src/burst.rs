//! The burst adaptor: bursts onto a channel, and a channel as bursts.
//!
//! Elements deal in frames. A driver or an element that has, or wants, whole trains expands them
//! here on the way in and coalesces them here on the way out, so every element is burst-capable
//! before any of them has a closed form. Whatever the ingress was cut into, the frames on the
//! channel are the same, and so is all that follows.

use farpath_units::Time;
use farpath_wire::{Burst, Coalescer};

use crate::channel::Channel;

impl Channel {
    /// Appends the frames of a burst; the first must not arrive earlier than the frame before it.
    pub fn push_burst(&mut self, burst: &Burst) {
        for frame in burst.frames() {
            self.push(frame);
        }
    }

    /// Takes every frame that arrives before `until`, joined into bursts as long as the pattern
    /// holds. Frames of bursts not asked for stay on the channel.
    pub fn take_bursts(&mut self, until: Time) -> Bursts<'_> {
        Bursts {
            channel: self,
            until,
            coalescer: Coalescer::new(),
        }
    }
}

/// The bursts of a channel, in order; see [`Channel::take_bursts`].
#[derive(Debug)]
pub struct Bursts<'a> {
    channel: &'a mut Channel,
    until: Time,
    coalescer: Coalescer,
}

impl Iterator for Bursts<'_> {
    type Item = Burst;

    fn next(&mut self) -> Option<Burst> {
        while let Some(frame) = self.channel.pop_before(self.until) {
            if let Some(done) = self.coalescer.push(frame) {
                return Some(done);
            }
        }
        self.coalescer.finish()
    }
}

impl Drop for Bursts<'_> {
    /// Puts back the frame that ended the last burst and began one nobody asked for.
    fn drop(&mut self) {
        if !self.coalescer.is_empty() {
            self.channel.put_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;
    use farpath_wire::{FlowDir, Frame, Kind, Step};

    use super::*;

    #[test]
    fn a_train_goes_in_and_comes_out_whole_up_to_the_instant_asked_for() {
        let first = Frame::new(Kind::Data, FlowDir::forward(0), 0, 1500);
        let step = Step {
            at: Duration::from_ps(1_230_400),
            seq: 1448,
            side: 0,
        };
        let mut channel = Channel::new(Duration::ZERO);
        channel.push_burst(&Burst::train(first, 44, step));
        assert_eq!(channel.in_flight(), 44);
        let until = Time::ZERO + step.at.times(10);
        let early: Vec<Burst> = channel.take_bursts(until).collect();
        assert_eq!(early.iter().map(Burst::count).collect::<Vec<_>>(), [10]);
        let late: Vec<Burst> = channel.take_bursts(Time::MAX).collect();
        assert_eq!(late.iter().map(Burst::count).collect::<Vec<_>>(), [34]);
        assert_eq!(late[0].first().seq, 14_480);
        assert_eq!(channel.in_flight(), 0);
    }

    #[test]
    fn bursts_nobody_asked_for_stay() {
        let mut channel = Channel::new(Duration::ZERO);
        for flow in 0..3 {
            let frame = Frame::new(Kind::Data, FlowDir::forward(flow), 0, 1500);
            channel.push_burst(&Burst::train(frame, 2, Step::default()));
        }
        let first = channel.take_bursts(Time::MAX).next();
        assert_eq!(first.map(|b| b.first().flow), Some(FlowDir::forward(0)));
        assert_eq!(channel.in_flight(), 4);
        let rest = channel.take_bursts(Time::MAX);
        assert_eq!(rest.map(|b| b.count()).collect::<Vec<_>>(), [2, 2]);
    }
}
