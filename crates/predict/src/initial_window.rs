//! Initial windows, and the round trips a short transfer takes from one.

use farpath_units::Size;

/// RFC 3390 §1: min(4 MSS, max(2 MSS, 4380 B)).
pub fn rfc3390(mss: Size) -> Size {
    bounded(mss, 4, 4380)
}

/// RFC 6928 §2: min(10 MSS, max(2 MSS, 14600 B)).
pub fn rfc6928(mss: Size) -> Size {
    bounded(mss, 10, 14_600)
}

fn bounded(mss: Size, segments: u64, floor: u64) -> Size {
    let mss = mss.as_bytes();
    let most = mss.saturating_mul(segments);
    Size::from_bytes(most.min(mss.saturating_mul(2).max(floor)))
}

/// Round trips until `segments` are sent from an initial window of `initial`, when the receiver
/// acknowledges every second segment and an odd one waits for the next round (RFC 6928 §5.1's
/// table: infinite rate, a long delayed-ACK timer). Each ACK adds a segment.
///
/// `None` where the window cannot grow: an initial window of one, whose segment nothing follows.
pub fn rounds(segments: u64, initial: u64) -> Option<u32> {
    let (mut window, mut waiting, mut sent) = (initial, 0, 0_u64);
    let mut rounds = 0;
    while sent < segments {
        let fresh = window.saturating_sub(waiting);
        if fresh == 0 || window < 2 {
            return None;
        }
        sent = sent.saturating_add(fresh);
        rounds += 1;
        let arrived = fresh.saturating_add(waiting);
        window = window.saturating_add(arrived / 2);
        waiting = arrived % 2;
    }
    Some(rounds)
}
