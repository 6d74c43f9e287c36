//! Whether large segments are lost more often than small ones: bit and cell errors hit each byte alike, a full queue each
//! packet.

use farpath_record::trace::LossBySize;

use crate::classify::{Class, Why};
use crate::event::Event;

/// Classes of sizes: powers of two.
const CLASSES: usize = 16;
/// Segments of a class that says anything, and losses of all classes together.
const SEGMENTS_LEAST: u64 = 100;
const LOSSES_LEAST: u64 = 10;
/// Bytes beside the payload that are lost with it: headers of Ethernet, IPv4 and TCP with timestamps.
const HEADERS: f64 = 66.0;
/// One answer is this much more likely than the other, as a logarithm: 20 to 1.
const DECIDED: f64 = 3.0;

/// Segments and payload bytes of each class.
type Sent = [(u64, u64); CLASSES];

/// Segments by size.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizeClasses {
    /// All of them while they are of one class: which, segments and payload bytes.
    one: (usize, u64, u64),
    /// From the second class on.
    sent: Option<Box<Sent>>,
}

fn class(length: u32) -> usize {
    (32 - length.leading_zeros() as usize).min(CLASSES - 1)
}

impl SizeClasses {
    #[inline]
    pub(crate) fn add(&mut self, length: u32) {
        let class = class(length);
        let (one, segments, bytes) = &mut self.one;
        match &mut self.sent {
            None if *one == class || *segments == 0 => {
                (*one, *segments, *bytes) = (class, *segments + 1, *bytes + u64::from(length));
            }
            sent => {
                let (one, segments, bytes) = (*one, *segments, *bytes);
                let sent = sent.get_or_insert_with(|| {
                    let mut sent = Box::<Sent>::default();
                    sent[one] = (segments, bytes);
                    sent
                });
                sent[class].0 += 1;
                sent[class].1 += u64::from(length);
            }
        }
    }

    /// The classes with what was lost of them, and which answer they give; empty where there is one class only.
    pub(crate) fn stated(
        &self,
        events: &[Event],
        classes: &[Class],
        full: u32,
    ) -> (Vec<LossBySize>, Option<&'static str>) {
        let Some(sent) = &self.sent else {
            return (Vec::new(), None);
        };
        let mut lost = [0u64; CLASSES];
        for (event, of) in events.iter().zip(classes) {
            if let Class::Again(why) | Class::Upstream(why) = of
                && matches!(why, Why::Fast | Why::Rto | Why::LostRetransmission)
                && !event.told
            {
                lost[class(event.length.min(full.max(1)))] += u64::from(event.pieces);
            }
        }
        let all: Vec<LossBySize> = (0..CLASSES)
            .filter(|n| sent[*n].0 >= SEGMENTS_LEAST)
            .map(|n| {
                let (segments, bytes) = sent[n];
                LossBySize {
                    size_avg_bytes: bytes / segments,
                    segments,
                    lost: lost[n].min(segments),
                    loss_ratio: lost[n].min(segments) as f64 / segments as f64,
                }
            })
            .collect();
        if all.len() < 2 {
            return (Vec::new(), None);
        }
        let verdict = verdict(&all);
        (all, verdict)
    }
}

/// `per_byte` or `per_packet`, where one is 20 times as likely as the other.
fn verdict(all: &[LossBySize]) -> Option<&'static str> {
    let (lost, segments) = all
        .iter()
        .fold((0, 0), |s, c| (s.0 + c.lost, s.1 + c.segments));
    if lost < LOSSES_LEAST || lost >= segments {
        return None;
    }
    let each_packet = lost as f64 / segments as f64;
    let bytes = |c: &LossBySize| c.size_avg_bytes as f64 + HEADERS;
    let each_byte = rate(all, bytes);
    let by_packet: f64 = all.iter().map(|c| likelihood(c, each_packet)).sum();
    let by_byte = all
        .iter()
        .map(|c| likelihood(c, -libm::expm1(-each_byte * bytes(c))));
    let more = by_byte.sum::<f64>() - by_packet;
    if more > DECIDED {
        Some("per_byte")
    } else if more < -DECIDED {
        Some("per_packet")
    } else {
        None
    }
}

/// The logarithm of how likely it is to lose as many, if each is lost with this probability.
fn likelihood(c: &LossBySize, p: f64) -> f64 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    c.lost as f64 * libm::log(p) + (c.segments - c.lost) as f64 * libm::log1p(-p)
}

/// The rate of errors a byte that makes the losses most likely: where the slope of the likelihood is 0.
fn rate(all: &[LossBySize], bytes: impl Fn(&LossBySize) -> f64) -> f64 {
    let slope = |rate: f64| -> f64 {
        let each = all.iter().map(|c| {
            let b = bytes(c);
            c.lost as f64 * b / libm::expm1(rate * b) - (c.segments - c.lost) as f64 * b
        });
        each.sum()
    };
    // The slope falls: from above 0 at a rate of next to nothing to below at one that loses everything.
    let (mut low, mut high) = (1e-15, 1.0);
    for _ in 0..100 {
        let middle = libm::sqrt(low * high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(size_avg_bytes: u64, segments: u64, lost: u64) -> LossBySize {
        LossBySize {
            size_avg_bytes,
            segments,
            lost,
            loss_ratio: lost as f64 / segments as f64,
        }
    }

    #[test]
    fn errors_of_bytes_and_losses_of_packets_are_kept_apart() {
        // 1514 and 166 bytes with headers: losses as 9 to 1, or as 1 to 1.
        assert_eq!(
            verdict(&[of(100, 10_000, 11), of(1448, 10_000, 100)]),
            Some("per_byte")
        );
        assert_eq!(
            verdict(&[of(100, 10_000, 50), of(1448, 10_000, 50)]),
            Some("per_packet")
        );
        assert_eq!(verdict(&[of(100, 1000, 3), of(1448, 1000, 8)]), None);
        assert_eq!(
            verdict(&[of(100, 1000, 0), of(1448, 1000, 3)]),
            None,
            "too few"
        );
    }
}
