//! Windows: the bandwidth-delay product, what a window allows, window scaling, sequence wrap.

use farpath_units::{Duration, Rate, Size};

/// The largest window a header can announce without scaling: 2¹⁶ − 1 bytes (RFC 9293 §3.1).
pub const UNSCALED_MAX: u64 = 65_535;

/// The largest shift of the window scale option (RFC 7323 §2.3).
pub const SHIFT_MAX: u8 = 14;

/// The largest window there is: 65 535·2¹⁴ bytes (RFC 7323 §2.3).
pub const LARGEST: Size = Size::from_bytes(UNSCALED_MAX << SHIFT_MAX);

/// Seconds as a double, correctly rounded.
pub(crate) fn seconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e12
}

/// The bandwidth-delay product C·RTT/8 in bytes (RFC 6349 §3.3.1).
pub fn bdp_bytes(rate: Rate, rtt: Duration) -> f64 {
    // One rounding: the product is a whole number of bit-picoseconds.
    (u128::from(rate.as_bps()) * u128::from(rtt.as_ps())) as f64 / 8e12
}

/// The rate in bit/s a window of payload allows: 8·W/RTT (RFC 7323 §1.1). Infinite for an RTT of 0.
pub fn window_limit_bps(window: Size, rtt: Duration) -> f64 {
    window.as_bytes() as f64 * 8.0 / seconds(rtt)
}

/// Of a window's rate: a part that is worth a word.
const WORTH: f64 = 0.01;

/// What is said of a window of so many segments where one ACK is for `every` of them: the last ones of a flight wait (RFC 5681 §4.2). Nothing
/// where none is left over, where there are no more than those, or where they are less than a hundredth of the window.
pub fn left_over(segments: u64, every: u32) -> Option<String> {
    let left = segments % u64::from(every.max(1));
    let share = left as f64 / segments as f64;
    (left > 0 && left < segments && share >= WORTH).then(|| {
        format!(
            "One ACK for {every} segments leaves {left} of {segments} over: the ACK of what is left waits for the next flight, or for the receiver's \
             timer (RFC 5681 §4.2). That takes up to {:.1} % of the rate, and nothing where the receiver gathers segments (GRO).",
            100.0 * share
        )
    })
}

/// The largest window a shift of `shift` can announce: 65 535·2^shift bytes. `None` above a shift
/// of 14 (RFC 7323 §2.3).
pub fn largest_window(shift: u8) -> Option<Size> {
    (shift <= SHIFT_MAX).then(|| Size::from_bytes(UNSCALED_MAX << shift))
}

/// The smallest shift that announces `bytes`; `None` when even 14 does not (above 1 073 725 440 B).
pub fn shift_for(bytes: f64) -> Option<u8> {
    (0..=SHIFT_MAX).find(|shift| (UNSCALED_MAX << shift) as f64 >= bytes)
}

/// What of the memory of all connections is payload in flight, least and usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryPart {
    /// Of what a host receives: buffers hold headers and bookkeeping, too.
    pub receive: [f64; 2],
    /// Of what it sends.
    pub send: [f64; 2],
}

/// The parts of `tcp_mem`'s second number, in pages, above which Linux lets no buffer grow (tcp(7)).
pub const MEMORY_PART: MemoryPart = MemoryPart {
    receive: [0.5, 0.66],
    send: [0.8, 1.0],
};

/// The payload's share of the memory that segments take, as Linux 6.18 measures it: [TCP](../../../docs/models/tcp.md).
pub const PAYLOAD_SHARE: f64 = 169.0 / 256.0;

/// Since this release a Linux receiver measures how much of its memory is payload (`scaling_ratio`).
pub const MEASURES: (u32, u32) = (6, 6);

/// The least `tcp_adv_win_scale` that Linux takes (ip-sysctl: -31 to 31).
const SCALE_LEAST: f64 = -31.0;

/// The part of a Linux receive buffer that is window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowPart {
    /// The least.
    pub least: f64,
    /// As it usually is.
    pub usual: f64,
    /// The most.
    pub most: f64,
}

/// What of a receive buffer is window, with `tcp_adv_win_scale` where it is known, on a release of Linux where that is.
///
/// Half of it with a scale of 1, three quarters with 2 (ip-sysctl: the buffer less buffer / 2^scale), buffer / 2^-scale below 0.
/// Linux 6.6 and later measure it, whatever the setting says, and drivers waste more or less memory.
pub fn window_part(scale: Option<f64>, release: Option<(u32, u32)>) -> WindowPart {
    let [least, usual, most] = match scale {
        _ if release.is_some_and(|r| r >= MEASURES) => [0.6, PAYLOAD_SHARE, 0.9],
        Some(scale) if scale <= -1.0 => [libm::exp2(libm::fmax(scale, SCALE_LEAST)); 3],
        Some(2.0) => [0.75, 0.75, 0.75],
        // All of it or nearly is announced, and what segments take besides their data limits.
        Some(scale) if scale == 0.0 || scale > 2.0 => [0.6, 0.75, 0.9],
        Some(1.0) => [0.5, 0.5, 0.7],
        _ => [0.5, 0.55, 0.75],
    };
    WindowPart { least, usual, most }
}

/// Since this release segments to be sent share large pages, and their memory is hardly more than their data.
pub const SHARES_PAGES: (u32, u32) = (4, 0);

/// What of a Linux send buffer is payload in flight, on a release where that is known: a segment's memory is charged, not its data.
pub fn sent_part(release: Option<(u32, u32)>) -> WindowPart {
    let [least, usual] = match release {
        Some(release) if release >= SHARES_PAGES => [0.8, 1.0],
        _ => [0.45, 0.7],
    };
    WindowPart {
        least,
        usual,
        most: 1.0,
    }
}

/// The least buffer that is advised, bytes.
const ADVISED_LEAST: f64 = 65_536.0;

/// The largest value of a buffer's setting, bytes: Linux keeps it in 31 bits.
pub const SETTING_MOST: u64 = 2_147_483_647;

/// The next power of two that a buffer is set to.
pub fn power(bytes: f64) -> u64 {
    let bytes = bytes.clamp(ADVISED_LEAST, SETTING_MOST as f64) as u64;
    bytes.next_power_of_two().min(SETTING_MOST)
}

/// The memory a Linux socket is given for `flight` bytes in flight, of which it has `now`: twice them and the next power of two, as no
/// more than a half may be payload; and more than there is, which is what limits.
pub fn room_for(flight: f64, now: Option<u64>) -> u64 {
    let least = now.map_or(0.0, |now| now as f64 + 1.0);
    power(libm::fmax(2.0 * flight, least))
}

/// The window of a Linux receiver whose program asks for `most` bytes, as many as `rmem_max` allows: the kernel takes twice as
/// much memory (socket(7)), a `part` of which is window, and the scale of its SYN says no more than `most` needs (RFC 7323 §2.3).
pub fn asked_window(most: f64, part: f64) -> f64 {
    let said = largest_window(shift_for(most).unwrap_or(SHIFT_MAX));
    libm::fmin(
        2.0 * most * part,
        said.map_or(f64::MAX, |w| w.as_bytes() as f64),
    )
}

/// The release in what `uname -r` prints: (6, 1) of `6.1.0-13-amd64`.
pub fn release(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Seconds until old and new sequence numbers can be confused: 2³¹/B with B in bytes a second
/// (RFC 7323 §5). The whole sequence space lasts twice as long.
pub fn sequence_wrap_s(rate: Rate) -> f64 {
    (1_u64 << 31) as f64 * 8.0 / rate.as_bps() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_flight_is_said() {
        let said = left_over(45, 2).expect("an odd number");
        assert!(said.contains("leaves 1 of 45 over"), "{said}");
        assert!(said.contains("up to 2.2 % of the rate"), "{said}");
        assert!(left_over(11, 4).is_some_and(|s| s.contains("leaves 3 of 11 over")));
        // A segment by itself, an even number, an ACK for each, a hundredth and less.
        for (segments, every) in [(1, 2), (44, 2), (45, 1), (407, 2), (0, 2)] {
            assert_eq!(left_over(segments, every), None, "{segments} {every}");
        }
    }

    /// Source: ip-sysctl, `tcp_adv_win_scale`: buffer / 2^-scale at 0 and below, buffer less buffer / 2^scale above.
    #[test]
    fn the_window_is_the_part_that_the_scale_leaves() {
        for (scale, release, usual) in [
            (-1.0, None, 0.5),
            (-2.0, None, 0.25),
            (-3.0, Some((5, 15)), 0.125),
            (2.0, Some((2, 6)), 0.75),
            (-2.0, Some((6, 6)), PAYLOAD_SHARE),
        ] {
            assert_eq!(window_part(Some(scale), release).usual, usual, "{scale}");
        }
        let all = window_part(Some(0.0), None);
        assert!(all.usual <= 0.75 && all.most < 1.0, "{all:?}");
    }

    /// 10 Gbit/s over 170 ms are 212.5 MB in flight.
    #[test]
    fn advised_room_holds_the_flight_twice_and_more_than_there_is() {
        assert_eq!(room_for(212.5e6, Some(4 << 20)), 512 << 20);
        assert_eq!(room_for(1e6, Some(8 << 20)), 16 << 20);
        assert_eq!(room_for(1.0, None), 65_536);
        assert_eq!(room_for(1e12, None), SETTING_MOST);
    }
}
