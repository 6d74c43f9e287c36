//! Whether a writer waited for room in its send buffer, where the kernel counted no wait.
//!
//! One that waits writes as soon as two thirds of the buffer are taken and no more (`sk_stream_is_writeable`): less is there only
//! until it has come back, and in between there is anything up to all of it. A slow program has under way what its own pace makes of a
//! round trip, in a buffer of its own choice perhaps more than two thirds.

use farpath_observe::Sample;
use farpath_units::Duration;

use super::seen::End;

/// A kernel that counted this share of the busy time as a wait has seen one.
const COUNTED: f64 = 0.01;

/// With fewer samples than these nothing is known.
const LEAST: usize = 5;

/// Where room is taken by more than this, a writer that waits goes on waiting.
const WAITS: f64 = 2.0 / 3.0;

/// Such a writer leaves more room than that in no more of the samples than this share.
const ROOM_MOST: f64 = 0.1;

/// It is met near both ends of what it waits with, or near the lower one: between these alone it is not.
const BETWEEN: [f64; 2] = [0.75, 0.95];

/// Whether nobody waited: as samples with all that was written in flight have it, and the kernel's count.
pub(super) fn has_none_waited(samples: &[Sample], ends: &[End]) -> bool {
    let Some(last) = samples.last().and_then(|s| s.timers) else {
        return false;
    };
    let counted = last.send_buffer.as_secs_f64() > COUNTED * last.busy.as_secs_f64();
    if counted && last.send_buffer > Duration::ZERO {
        return false;
    }
    let is_out = |sample: &Sample| {
        let timers = sample.timers.unwrap_or_default();
        let is_all_sent = timers.app_limited || timers.unsent == Some(0);
        is_all_sent && sample.in_flight.is_some_and(|bytes| bytes > 0)
    };
    let pairs = samples.iter().zip(ends).filter(|(s, _)| is_out(s));
    let taken: Vec<f64> = pairs.filter_map(|(_, end)| end.taken).collect();
    if taken.len() < LEAST {
        return false;
    }
    let with_room = taken.iter().filter(|part| **part <= WAITS).count();
    let least = taken.iter().copied().fold(f64::INFINITY, f64::min);
    let most = taken.iter().copied().fold(0.0, f64::max);
    with_room as f64 > ROOM_MOST * taken.len() as f64 || (least > BETWEEN[0] && most < BETWEEN[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_observe::Timers;
    use farpath_units::Time;

    /// Twenty samples, 100 ms apart, with so many thousandths of the buffer taken, and a wait counted for so many milliseconds in all.
    fn has_none(taken: impl Fn(u64) -> u64, counted: u64) -> bool {
        let sample = |n: u64| Sample {
            t: Time::ZERO + Duration::from_ms(100 * n),
            in_flight: Some(80_000),
            timers: Some(Timers {
                unsent: Some(0),
                busy: Duration::from_ms(100 * n),
                send_buffer: Duration::from_ms(counted * n / 20),
                ..Timers::default()
            }),
            ..Sample::default()
        };
        let end = |n: u64| End {
            taken: Some(taken(n) as f64 / 1000.0),
            ..End::default()
        };
        let samples: Vec<Sample> = (1..=20).map(sample).collect();
        let ends: Vec<End> = (1..=20).map(end).collect();
        has_none_waited(&samples, &ends)
    }

    #[test]
    fn a_slow_program_is_known_by_the_room_that_it_leaves() {
        // 16 KiB every 50 ms in a buffer of 64 KiB: three samples of four are above two thirds.
        assert!(has_none(|n| [620, 700, 780, 860][n as usize % 4], 0));
        // 80 kB under way in 128 KiB, and never less.
        assert!(has_none(|n| 780 + 10 * (n % 9), 0));
        // The kernel has seen it wait.
        assert!(!has_none(|n| [620, 700, 780, 860][n as usize % 4], 300));
    }

    #[test]
    fn a_writer_that_waits_is_met_at_two_thirds() {
        // One that fills it, and one that asks first and writes 3 %.
        assert!(!has_none(|n| 670 + 47 * (n % 8), 0));
        assert!(!has_none(|n| 667 + 7 * (n % 5), 0));
        // It came back late once.
        assert!(!has_none(
            |n| if n == 9 { 600 } else { 670 + 47 * (n % 8) },
            0
        ));
        // Nothing is known of too few.
        assert!(!has_none_waited(&[], &[]));
    }
}
