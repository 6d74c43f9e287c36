//! Whether a writer waited for room in its send buffer.
//!
//! What its threads slept in says it ([`asleep`](super::asleep)). Where that is not seen, it is the kernel's count of a wait, and where
//! that is silent, the room left: one that waits writes as soon as two thirds of the buffer are taken and no more
//! (`sk_stream_is_writeable`): less is there only until it has come back, and in between there is anything up to all of it. A slow
//! program has under way what its own pace makes of a round trip, in a buffer of its own choice perhaps more than two thirds.

use farpath_observe::Sample;
use farpath_units::Duration;

use super::asleep::Asleep;
use super::seen::End;

/// A kernel that counted this share of the busy time as a wait has seen one.
const COUNTED: f64 = 0.01;

/// With fewer samples than these nothing is known.
const LEAST: usize = 5;

/// Where room is taken by more than two thirds, a writer that waits goes on waiting; one that asks first is met a packet below.
const WAITS: f64 = 0.65;

/// Such a writer leaves more room than that in no more of the samples than this share.
const ROOM_MOST: f64 = 0.1;

/// It is met near both ends of what it waits with, or near the lower one: between these alone it is not.
const BETWEEN: [f64; 2] = [0.75, 0.95];

/// Whether the program waited for room at each sample, where its buffer was full. The first of these says it:
/// 1. what it was seen to wait for, at this sample or else at the last one with an answer, where 50 % of them at least have one;
/// 2. the kernel's count of a wait;
/// 3. the room that was left.
pub(super) fn waited(samples: &[Sample], ends: &[End]) -> Vec<bool> {
    let is_full = |s: &Sample| s.timers.is_some_and(|t| t.full);
    let full = || samples.iter().zip(ends).filter(|(s, _)| is_full(s));
    let seen = full().filter(|(_, end)| end.asleep.is_some()).count();
    let first = ends.iter().find_map(|end| end.asleep);
    let Some(mut last) = first.filter(|_| 2 * seen >= full().count()) else {
        return vec![!has_none_waited(samples, ends); samples.len()];
    };
    let waits = |end: &End| {
        last = end.asleep.unwrap_or(last);
        last == Asleep::ForRoom
    };
    ends.iter().map(waits).collect()
}

/// Of the time before samples with an answer, the share in which the program waited for room; none without any.
pub(super) fn waited_ratio(samples: &[Sample], ends: &[End]) -> Option<f64> {
    let (mut room, mut all) = (0.0, 0.0);
    for (pair, end) in samples.windows(2).zip(ends.iter().skip(1)) {
        let time = pair[1].t.since(pair[0].t.min(pair[1].t)).as_secs_f64();
        all += time * f64::from(u8::from(end.asleep.is_some()));
        room += time * f64::from(u8::from(end.asleep == Some(Asleep::ForRoom)));
    }
    (all > 0.0).then(|| room / all)
}

/// Whether nobody waited: as samples with all that was written in flight have it, and the kernel's count.
fn has_none_waited(samples: &[Sample], ends: &[End]) -> bool {
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

    /// What the program was seen to wait for goes before the kernel's count and the room; `.` nobody saw, `r` room, `e` something else.
    #[test]
    fn what_a_program_sleeps_in_goes_before_all_else() {
        let waited = |seen: &str, counted: u64| {
            let sample = |n: u64| Sample {
                t: Time::ZERO + Duration::from_ms(100 * n),
                in_flight: Some(80_000),
                timers: Some(Timers {
                    unsent: Some(0),
                    full: true,
                    busy: Duration::from_ms(100 * n),
                    send_buffer: Duration::from_ms(counted * n),
                    ..Timers::default()
                }),
                ..Sample::default()
            };
            let end = |letter: char| End {
                // By the room nobody waits.
                taken: Some(0.8),
                asleep: match letter {
                    'r' => Some(Asleep::ForRoom),
                    'e' => Some(Asleep::Elsewhere),
                    _ => None,
                },
                ..End::default()
            };
            let ends: Vec<End> = seen.chars().map(end).collect();
            let samples: Vec<Sample> = (1..=ends.len() as u64).map(sample).collect();
            let said = super::waited(&samples, &ends).into_iter();
            let said: String = said.map(|room| if room { 'r' } else { 'e' }).collect();
            let ratio = waited_ratio(&samples, &ends);
            (said, ratio.map(|ratio| (100.0 * ratio).round() as u32))
        };
        for (seen, counted, wanted, ratio) in [
            // A slow program that the kernel saw wait for 3 % of its time, and one that waits half of it.
            ("eeeeeeeeee", 3, "eeeeeeeeee", Some(0)),
            ("eeeeerrrrr", 50, "eeeeerrrrr", Some(56)),
            // One that always waits, and the kernel counts nothing.
            ("rrrrrrrrrr", 0, "rrrrrrrrrr", Some(100)),
            // It ran, or nobody could see.
            (".e.e.r.r.r", 0, "eeeeerrrrr", Some(60)),
            // Too little was seen: the count, and then the room.
            (".e........", 3, "rrrrrrrrrr", Some(0)),
            (".r........", 0, "eeeeeeeeee", Some(100)),
            ("..........", 3, "rrrrrrrrrr", None),
            ("..........", 0, "eeeeeeeeee", None),
        ] {
            assert_eq!(waited(seen, counted), (wanted.to_owned(), ratio), "{seen}");
        }
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
