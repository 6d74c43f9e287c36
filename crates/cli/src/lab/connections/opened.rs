//! Connections that a command opens at equal times, as by a timer.

use farpath_units::Time;

use super::Connections;
use super::unopened::address;

/// So many times between two of them do not come by chance, where this part of them is as long as the median, but for one part in so many.
const LEAST: usize = 4;
const ALIKE: f64 = 0.8;
const PART: f64 = 30.0;

/// More often than this a command opens them one after the other, seconds.
const SHORTEST: f64 = 0.1;

impl Connections {
    /// The time between two connections that the command's host opened, seconds, where they came at equal times; none where they did not.
    pub(super) fn opened_each(&self) -> Option<f64> {
        let own = self.own_addresses();
        let waits = self.waits.iter();
        let of_command = waits.filter(|([from, _], _)| own.contains(address(from)));
        let begun = of_command.filter_map(|(_, waits)| {
            let (begun, set_up) = waits.opened?;
            Some(Time::from_ps(begun.as_ps().saturating_sub(set_up.as_ps())))
        });
        let mut begun: Vec<Time> = begun.collect();
        begun.sort_unstable();
        let gaps = begun.windows(2).map(|two| two[1].since(two[0]));
        let mut gaps: Vec<f64> = gaps.map(|gap| gap.as_secs_f64()).collect();
        gaps.sort_unstable_by(f64::total_cmp);
        let median = *gaps.get(gaps.len() / 2)?;
        let alike = gaps
            .iter()
            .filter(|gap| (*gap - median).abs() * PART <= median);
        let is_equal = alike.count() as f64 >= ALIKE * gaps.len() as f64;
        (gaps.len() >= LEAST && is_equal && median >= SHORTEST).then_some(median)
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;
    use farpath_units::Duration;

    use super::*;
    use crate::lab::seen::Seen;

    /// Connections that a command opens after these times, ms, each with a request once it is set up, 40 ms later.
    fn opened(after: &[u64]) -> Option<f64> {
        let mut connections = Connections::across([1000; 2]);
        let mut t = 0;
        for (n, gap) in after.iter().enumerate() {
            t += gap;
            let own = format!("198.18.0.1:{}", 40_000 + n);
            let peer = "198.18.0.2:80".to_owned();
            let begun = Time::ZERO + Duration::from_ms(t + 40);
            let seen = [([own.clone(), peer.clone()], Seen::default())];
            connections.note(begun, 0, seen);
            connections.take_turns(&Turns {
                begun: Some(begun),
                set_up: Some(Duration::from_ms(40)),
                ..Turns::between([own, peer].map(|end| end.parse().expect("an end")))
            });
        }
        connections.opened_each()
    }

    #[test]
    fn connections_that_are_opened_by_a_timer_are_known() {
        let each = opened(&[5, 1010, 1002, 1000, 1300, 1005, 1001]).expect("they are");
        assert!((each - 1.005).abs() < 0.005, "{each}");
        assert_eq!(opened(&[5, 1010, 1002, 1000]), None, "they are few");
        assert_eq!(opened(&[5, 900, 300, 1200, 700, 1000]), None);
        assert_eq!(opened(&[5, 20, 20, 20, 20, 20]), None, "one after another");
    }
}
