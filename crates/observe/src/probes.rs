//! Probes: a sender now and then sends more than is delivered, to see whether more comes, as BBR does with 1.25 times its
//! estimate (draft-cardwell-iccrg-bbr-congestion-control). Where what it sends more waits in a queue, and no more comes, a
//! line of the path is full at the rate that is delivered, though no queue stands in between.

/// A round is of a probe from so many times the most that is delivered on.
const MORE: f64 = 1.1;
/// No more came where no round has so many times the most.
const NO_MORE: f64 = 1.05;
/// What was sent too much is seen to wait within so many rounds.
const WITHIN: usize = 2;
/// Slow start is one probe, and what overshoots once by chance another.
const LEAST: usize = 4;
/// At least one of so many times waited: large packets of a slow interface make rounds uneven, and a busy host makes a few late.
const OF: usize = 2;

/// What a round shows of probes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// New bytes sent, a second.
    pub(crate) sent: f64,
    /// Bytes delivered, a second.
    pub(crate) delivered: f64,
    /// Even its shortest round trip waited in a queue.
    pub(crate) waited: bool,
}

/// Whether probes show that a line is full at `most`, bytes a second: at least four times, and every other time, more was sent,
/// waited, and did not come sooner.
pub(crate) fn find_a_line(rounds: &[Sight], most: f64) -> bool {
    let (mut probes, mut times, mut at) = (0, 0, 0);
    while at < rounds.len() {
        let more = rounds[at..].iter().take_while(|r| r.sent >= MORE * most);
        let length = more.count();
        if length == 0 {
            at += 1;
            continue;
        }
        let until = (at + length + WITHIN).min(rounds.len());
        let seen = &rounds[at..until];
        let waited = seen.iter().any(|r| r.waited);
        let came = seen.iter().any(|r| r.delivered > NO_MORE * most);
        probes += usize::from(waited && !came);
        times += 1;
        at = until;
    }
    most > 0.0 && probes >= LEAST && OF * probes >= times
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 48 rounds, of which each eighth sends a quarter more; what it delivers then, and whether that waits in the next round.
    fn probed(delivered: f64, waits: bool) -> Vec<Sight> {
        let round = |n: usize| Sight {
            sent: if n % 8 == 2 { 125.0 } else { 100.0 },
            delivered: if n % 8 == 2 { delivered } else { 100.0 },
            waited: waits && n % 8 == 3,
        };
        (0..48).map(round).collect()
    }

    #[test]
    fn more_that_waits_and_does_not_come_shows_a_line() {
        assert!(find_a_line(&probed(100.0, true), 100.0));
        assert!(!find_a_line(&probed(100.0, false), 100.0), "no queue");
        assert!(!find_a_line(&probed(120.0, true), 100.0), "more came");
        let all = probed(100.0, true);
        assert!(!find_a_line(&all[..8], 100.0), "as slow start alone is");
        // Rounds that are uneven throughout, of which a few are late.
        let uneven = |n: usize| Sight {
            sent: if n % 4 == 2 { 125.0 } else { 100.0 },
            delivered: 100.0,
            waited: n % 16 == 3,
        };
        let uneven: Vec<Sight> = (0..96).map(uneven).collect();
        assert!(!find_a_line(&uneven, 100.0), "one of four waits");
        assert!(!find_a_line(&[], 0.0));
    }
}
