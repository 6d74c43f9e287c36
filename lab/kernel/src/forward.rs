//! The forwarder between the two hosts: real packets in, virtual departure times, real packets out.
//!
//! A packet is dated by when it was read, or, if the kernel sent it in answer to a delivery, by when
//! that delivery was *due*: how late a delivery was is measured, and is in nobody's round trip twice.

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use farpath_units::{Duration, Time};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tun_rs::SyncDevice;

use crate::fault::Fault;
use crate::line::{Line, Script};
use crate::packet;

/// The real clock, as time since the run began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock(Instant::now())
    }

    pub(crate) fn now(self) -> Time {
        Time::ZERO + Duration::from_ns(self.0.elapsed().as_nanos() as u64)
    }
}

/// How late deliveries were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lateness {
    ns: Vec<u64>,
}

impl Lateness {
    fn note(&mut self, late: Duration) {
        self.ns.push(late.as_ns());
    }

    /// Deliveries.
    pub(crate) fn count(&self) -> usize {
        self.ns.len()
    }

    /// The lateness in ns that this share of deliveries did not exceed; 1 gives the largest.
    pub(crate) fn quantile(&mut self, share: f64) -> u64 {
        self.ns.sort_unstable();
        let rank = (share * self.ns.len() as f64).ceil() as usize;
        self.ns.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

/// What a forwarder saw.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// When the SYN was sent.
    pub(crate) syn_at: Option<Time>,
    /// The scripted loss.
    pub(crate) script: Script,
    /// Packets that found the queue towards the receiver full.
    pub(crate) dropped: u64,
    /// Packets that found the queue towards the sender full.
    pub(crate) dropped_back: u64,
    /// Packets that were not TCP segments and went nowhere.
    pub(crate) strangers: u64,
    /// Packets larger than the MTU: an offload that was not off.
    pub(crate) oversized: u64,
    pub(crate) lateness: Lateness,
}

/// The hosts' interfaces, which live until this goes.
pub(crate) struct Devices {
    _both: [SyncDevice; 2],
}

/// Packets are read one by one: this is the MTU, and one byte more shows what exceeds it.
const MTU: usize = 1500;
/// Reads in one go, so that a burst does not hold up deliveries.
const BATCH: usize = 16;
/// How long the forwarder sleeps at most, to see that it is to stop.
const NAP: Duration = Duration::from_ms(50);

struct Queued {
    due: Time,
    bytes: Vec<u8>,
}

/// One end: its device, the line that leads away from it, and what is under way on that line.
struct Side {
    device: SyncDevice,
    line: Line,
    under_way: VecDeque<Queued>,
}

/// Two hosts and the path between them; index 0 is the sender.
pub(crate) struct Forwarder {
    sides: [Side; 2],
    clock: Clock,
    spare: Vec<Vec<u8>>,
    report: Report,
}

impl Forwarder {
    /// `sender` and `receiver` are the devices, each with the line that starts there.
    pub(crate) fn new(
        clock: Clock,
        sender: (SyncDevice, Line),
        receiver: (SyncDevice, Line),
        script: Script,
    ) -> Result<Forwarder, Fault> {
        let side = |(device, line): (SyncDevice, Line)| -> Result<Side, Fault> {
            device
                .set_nonblocking(true)
                .map_err(|e| Fault::Failed(format!("make a TUN device non-blocking: {e}")))?;
            Ok(Side {
                device,
                line,
                under_way: VecDeque::new(),
            })
        };
        Ok(Forwarder {
            sides: [side(sender)?, side(receiver)?],
            clock,
            spare: Vec::new(),
            report: Report {
                script,
                ..Report::default()
            },
        })
    }

    /// Forwards until `stop`.
    pub(crate) fn run(mut self, stop: &AtomicBool) -> Result<(Report, Devices), Fault> {
        while !stop.load(Ordering::Relaxed) {
            let now = self.clock.now();
            let mut more = self.take(0, now)?;
            more |= self.take(1, now)?;
            let next = self.deliver_due()?;
            if !more {
                self.rest(next)?;
            }
        }
        for side in 0..2 {
            let dropped = self.sides[side].line.dropped;
            *[&mut self.report.dropped, &mut self.report.dropped_back][side] = dropped;
        }
        let devices = Devices {
            _both: self.sides.map(|side| side.device),
        };
        Ok((self.report, devices))
    }

    /// Reads what host `side` sent and dates it `at`; whether there may be more.
    fn take(&mut self, side: usize, at: Time) -> Result<bool, Fault> {
        for _ in 0..BATCH {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.resize(MTU + 1, 0);
            match self.sides[side].device.recv(&mut bytes) {
                Ok(len) => bytes.truncate(len),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {
                    self.spare.push(bytes);
                    return Ok(false);
                }
                Err(e) => return Err(Fault::Failed(format!("read from a TUN device: {e}"))),
            }
            self.accept(side, at, bytes);
        }
        Ok(true)
    }

    fn accept(&mut self, side: usize, at: Time, bytes: Vec<u8>) {
        let Some(segment) = packet::segment(&bytes) else {
            self.report.strangers += 1;
            self.spare.push(bytes);
            return;
        };
        if bytes.len() > MTU {
            self.report.oversized += 1;
        }
        let mut lost = false;
        if side == 0 {
            if segment.syn {
                self.report.syn_at.get_or_insert(at);
            }
            lost = self.report.script.strikes(at, &segment);
        }
        // A lost packet has cost its time on the link.
        let due = self.sides[side].line.offer(at, bytes.len() as u64);
        match due {
            Some(due) if !lost => self.sides[side].under_way.push_back(Queued { due, bytes }),
            _ => self.spare.push(bytes),
        }
    }

    /// Delivers what is due, in order; the time of the next delivery.
    fn deliver_due(&mut self) -> Result<Time, Fault> {
        loop {
            let due = |side: &Side| side.under_way.front().map_or(Time::MAX, |q| q.due);
            let dues = [due(&self.sides[0]), due(&self.sides[1])];
            let from = usize::from(dues[1] < dues[0]);
            let now = self.clock.now();
            if dues[from] > now {
                return Ok(dues[from]);
            }
            let Some(queued) = self.sides[from].under_way.pop_front() else {
                return Ok(Time::MAX);
            };
            let to = 1 - from;
            // What the host sent of its own accord was not caused by this delivery.
            self.take(to, now)?;
            self.report.lateness.note(now.since(queued.due));
            self.sides[to]
                .device
                .send(&queued.bytes)
                .map_err(|e| Fault::Failed(format!("write to a TUN device: {e}")))?;
            self.spare.push(queued.bytes);
            while self.take(to, queued.due)? {}
        }
    }

    /// Sleeps until a packet comes or the next delivery is due.
    fn rest(&mut self, next: Time) -> Result<(), Fault> {
        let now = self.clock.now();
        if next <= now {
            return Ok(());
        }
        let span = next.since(now).min(NAP);
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(span.as_ns()));
        let mut fds = [
            PollFd::new(self.sides[0].device.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.sides[1].device.as_fd(), PollFlags::POLLIN),
        ];
        match ppoll(&mut fds, Some(timeout), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(e) => Err(Fault::Failed(format!("wait for packets: {e}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let mut late = Lateness {
            ns: (1..=100).rev().collect(),
        };
        assert_eq!(late.quantile(0.5), 50);
        assert_eq!(late.quantile(0.99), 99);
        assert_eq!(late.quantile(1.0), 100);
        assert_eq!(Lateness::default().quantile(0.5), 0);
    }
}
