//! One sample of one connection, as the kernel lists it.

#[cfg(test)]
pub(super) mod ss;

use std::net::SocketAddr;

use farpath_experiment::live::sample;
use farpath_observe::Sample;
use farpath_probe::live::Found;
use farpath_units::Time;

use super::asleep::{Asleep, Wakes};

/// What one end of a connection had counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct End {
    /// Both ends are sampled in each round.
    pub(super) round: usize,
    /// Bytes sent so far, each once; none where they are not counted.
    pub(super) sent: Option<u64>,
    /// Bytes acknowledged so far; the SYN counts as one to who opened the connection.
    pub(super) acked: u64,
    /// Bytes received so far.
    pub(super) received: u64,
    /// Bytes written and not sent yet.
    pub(super) unsent: u64,
    /// Less than a segment is written, and waits for the acknowledgement of what was sent before, though the congestion window has room
    /// (RFC 1122 §4.2.3.4, Nagle's algorithm).
    pub(super) is_held: bool,
    /// The part of its send buffer that is taken; none where it is unknown.
    pub(super) taken: Option<f64>,
    /// What its program waited for; none where nobody saw it, or asked.
    pub(super) asleep: Option<Asleep>,
    /// With nothing in flight its program sleeps until something comes; none where nobody saw it, or asked.
    pub(super) awaits: Option<bool>,
    /// It sleeps until something comes on it or on what else may wake it; none where nobody saw that, or asked.
    pub(super) wakes: Option<Wakes>,
    /// A segment or more has come that its program has not read.
    pub(super) leaves_unread: bool,
    /// No program holds it any more, or none does yet.
    pub(super) is_left: bool,
}

/// What one sample of one connection says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// The congestion control, as the kernel names it.
    pub(super) control: String,
    /// Segments with data sent so far, again sent ones among them.
    pub(super) segments: u64,
    /// Segments sent again.
    pub(super) retransmits: u64,
    /// What was sent and received.
    pub(super) end: End,
    pub(super) sample: Sample,
}

impl Seen {
    /// Whether a retransmission timer has run out and is not made good.
    pub(super) fn backs_off(&self) -> bool {
        self.sample.timers.is_some_and(|t| t.state == LOSS)
    }
}

/// `TCP_CA_Loss` (`enum tcp_ca_state`).
const LOSS: u8 = 4;

/// A full segment of Ethernet, bytes: a reader may not have been woken for less yet.
const LEAST_UNREAD: u64 = 1448;

/// So many segments are under way at most: an initial window (RFC 6928 §2), as of an answer whose end waits behind full segments.
const FEW: u64 = 10;

/// An end as connections are known by here.
pub(super) fn name_of(end: SocketAddr) -> String {
    SocketAddr::new(end.ip().to_canonical(), end.port()).to_string()
}

/// What the kernel said of a connection at an instant.
pub(super) fn of(now: Time, found: &Found) -> Seen {
    let last = &found.snapshot;
    let mss = found.details.mss.max(1);
    let under_way = last.sample.in_flight / mss;
    let again = last.resent.unwrap_or(0);
    let unsent = last.sample.unsent.unwrap_or(0);
    Seen {
        control: found.cc.clone().unwrap_or_default(),
        segments: last.segments,
        retransmits: last.retransmits,
        end: End {
            round: 0,
            sent: last.sent.map(|all| all.saturating_sub(again)),
            acked: last.acked,
            received: last.received,
            unsent,
            is_held: is_held(unsent, mss, (under_way, last.sample.cwnd / mss)),
            leaves_unread: last.unread >= LEAST_UNREAD,
            is_left: found.inode == 0,
            taken: part(last.send_queue, last.send_buffer),
            asleep: None,
            awaits: None,
            wakes: None,
        },
        sample: Sample {
            t: now,
            ..sample(&last.sample)
        },
    }
}

/// The part that is taken of a buffer.
fn part(queued: Option<u64>, buffer: Option<u64>) -> Option<f64> {
    let buffer = buffer.filter(|bytes| *bytes > 0)?;
    Some(queued? as f64 / buffer as f64)
}

/// Whether less than a segment waits though few are `under_way` and the window has room; both in segments. Of a bulk transfer far
/// more is under way.
fn is_held(unsent: u64, mss: u64, (under_way, cwnd): (u64, u64)) -> bool {
    (1..mss).contains(&unsent) && (1..=FEW).contains(&under_way) && under_way < cwnd
}

#[cfg(test)]
mod tests {
    use super::is_held;

    /// A header of 200 bytes, 2856 bytes of two full segments, and 144 bytes that wait for the header's acknowledgement.
    #[test]
    fn the_end_of_an_answer_waits_behind_full_segments() {
        assert!(is_held(144, 1428, (3, 10)));
        assert!(is_held(1024, 1448, (1, 2)));
        assert!(!is_held(144, 1428, (10, 10)), "the window is full");
        assert!(!is_held(144, 1428, (40, 700)), "a bulk transfer");
        assert!(!is_held(1428, 1428, (3, 10)), "a full segment");
        assert!(!is_held(0, 1428, (3, 10)), "nothing waits");
        assert!(!is_held(144, 1428, (0, 10)), "nothing to wait for");
    }
}
