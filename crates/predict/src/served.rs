//! What a line serves of steady streams that together are more than it carries, by how its queues take turns.
//!
//! Queues that come first have all that they ask for, as far as it goes. Those that share by weight have equal amounts of bytes for each unit of
//! weight, and what one of them does not need the others have: weighted max-min fairness, the shares of generalised processor sharing (Parekh and
//! Gallager, IEEE/ACM ToN 1(3), 1993). Streams of one queue lose the same part each.
//!
//! For streams that do not answer losses, each with frames of one length, when the queues are full. Round robin comes to the same shares over
//! many rounds.

/// Frames of one stream as they come to the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// How many a second; above 0.
    pub frames_s: f64,
    /// Bytes of each, as the queues count them; above 0.
    pub bytes: f64,
    /// What one takes of the line's time, seconds; above 0.
    pub takes_s: f64,
}

/// Streams that wait for one another.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Its part in bytes beside others of its tier; above 0.
    pub weight: f64,
    /// Its streams, by number.
    pub streams: Vec<usize>,
}

impl Queue {
    /// A queue of these streams.
    pub fn of(weight: f64, streams: Vec<usize>) -> Queue {
        Queue { weight, streams }
    }

    /// Bytes that come to it in a second.
    fn comes(&self, streams: &[Stream]) -> f64 {
        let each = self.streams.iter().map(|n| streams[*n]);
        each.map(|s| s.frames_s * s.bytes).sum()
    }

    /// The share of the line's time that these take.
    fn takes(&self, streams: &[Stream]) -> f64 {
        let each = self.streams.iter().map(|n| streams[*n]);
        each.map(|s| s.frames_s * s.takes_s).sum()
    }
}

/// The part of each stream that is served, 0 to 1. Of `tiers` each has what those before it leave; the queues of one share by weight. A stream
/// of no queue has 0.
///
/// Of a tier to which a part T of the line's time is left, a queue of weight w to which C bytes come in a second is served min(1, w λ / C), where λ is
/// such that all of them together take T.
pub fn parts(streams: &[Stream], tiers: &[Vec<Queue>]) -> Vec<f64> {
    let mut parts = vec![0.0; streams.len()];
    let mut left = 1.0;
    for tier in tiers {
        let mut waiting: Vec<&Queue> = tier.iter().filter(|q| q.comes(streams) > 0.0).collect();
        while !waiting.is_empty() {
            let a_unit = |q: &&Queue| q.weight * q.takes(streams) / q.comes(streams);
            let level = left / waiting.iter().map(a_unit).sum::<f64>();
            let fits = |q: &&Queue| q.comes(streams) <= q.weight * level;
            let (served, rest): (Vec<&Queue>, Vec<&Queue>) = waiting.into_iter().partition(fits);
            // What these leave goes to the rest, until none of it has enough.
            let enough = !served.is_empty();
            let (now, later) = match enough {
                true => (served, rest),
                false => (rest, Vec::new()),
            };
            for queue in now {
                let part = match enough {
                    true => 1.0,
                    false => queue.weight * level / queue.comes(streams),
                };
                queue.streams.iter().for_each(|n| parts[*n] = part);
                left = f64::max(left - part * queue.takes(streams), 0.0);
            }
            waiting = later;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many Mbit/s of 1472 bytes in frames of 1514, 1538 on a line of 100 Mbit/s.
    fn stream(mbps: f64) -> Stream {
        Stream {
            frames_s: mbps * 1e6 / 8.0 / 1472.0,
            bytes: 1514.0,
            takes_s: 1538.0 * 8.0 / 100e6,
        }
    }

    fn queue(weight: f64, streams: &[usize]) -> Queue {
        Queue::of(weight, streams.to_vec())
    }

    /// Payload that is served of each, Mbit/s.
    fn served(mbps: &[f64], tiers: &[Vec<Queue>]) -> Vec<f64> {
        let streams: Vec<Stream> = mbps.iter().map(|mbps| stream(*mbps)).collect();
        let parts = parts(&streams, tiers);
        mbps.iter()
            .zip(parts)
            .map(|(mbps, part)| mbps * part)
            .collect()
    }

    fn near(found: &[f64], expected: &[f64]) {
        let off = found.iter().zip(expected).map(|(f, e)| (f - e).abs());
        assert!(off.fold(0.0, f64::max) < 0.005, "{found:?} {expected:?}");
    }

    /// Simulated, DRR of weights 5:3:2: 47.854, 28.712 and 19.142 Mbit/s of three times 60, and 53.568, 32.140 and 10 where the last sends 10.
    #[test]
    fn weights_share_what_others_leave() {
        let tier = [vec![queue(5.0, &[0]), queue(3.0, &[1]), queue(2.0, &[2])]];
        near(&served(&[60.0; 3], &tier), &[47.854, 28.712, 19.142]);
        near(&served(&[60.0, 60.0, 10.0], &tier), &[53.568, 32.140, 10.0]);
    }

    /// Simulated: 60, 35.708 and 0.
    #[test]
    fn what_comes_first_is_served_first() {
        let tiers = [0, 1, 2].map(|n| vec![queue(1.0, &[n])]);
        near(&served(&[60.0; 3], &tiers), &[60.0, 35.708, 0.0]);
    }

    #[test]
    fn one_queue_serves_the_same_part_of_each() {
        let line = 100.0 * 1472.0 / 1538.0;
        let one = [vec![queue(1.0, &[0, 1])]];
        near(&served(&[60.0, 60.0], &one), &[line / 2.0, line / 2.0]);
        near(&served(&[90.0, 30.0], &one), &[line * 0.75, line * 0.25]);
        near(&served(&[30.0, 20.0], &one), &[30.0, 20.0]);
    }

    #[test]
    fn lengths_share_by_bytes() {
        let small = Stream {
            bytes: 100.0,
            takes_s: 124.0 * 8.0 / 100e6,
            frames_s: 1e5,
        };
        let tier = [vec![queue(1.0, &[0]), queue(1.0, &[1])]];
        let both = [stream(90.0), small];
        let parts = parts(&both, &tier);
        let bytes = [0, 1].map(|n| parts[n] * both[n].frames_s * both[n].bytes);
        assert!((bytes[0] / bytes[1] - 1.0).abs() < 1e-9, "{bytes:?}");
        let time = [0, 1].map(|n| parts[n] * both[n].frames_s * both[n].takes_s);
        assert!((time[0] + time[1] - 1.0).abs() < 1e-9, "{time:?}");
    }
}
