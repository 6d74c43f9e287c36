//! What a port's hardware has: strict queues, weighted queues, thresholds.

use core::fmt;
use core::str::FromStr;

/// A transmit side as Cisco writes it: `1p2q2t` has one strict queue, two weighted ones, and two
/// thresholds in each of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortType {
    /// Strict-priority queues: 0 or 1.
    pub strict: u8,
    /// Weighted queues: 1 to 8.
    pub weighted: u8,
    /// Thresholds in each weighted queue: 1 to 8.
    pub thresholds: u8,
}

/// Text that is not a port type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown port type `{text}`; write strict queues, weighted queues and thresholds, such as 1p2q2t or 2q2t"
)]
pub struct PortTypeError {
    text: String,
}

const fn port(strict: u8, weighted: u8, thresholds: u8) -> PortType {
    PortType {
        strict,
        weighted,
        thresholds,
    }
}

/// Types that occur at a speed in Mbit/s, the commonest first.
const KNOWN: [(u32, &[PortType]); 4] = [
    (10, &[port(0, 2, 2), port(1, 3, 1), port(1, 3, 8)]),
    (100, &[port(0, 2, 2), port(1, 3, 1), port(1, 3, 8)]),
    (1_000, &[port(1, 2, 2), port(0, 2, 2), port(1, 3, 8)]),
    (10_000, &[port(1, 7, 8), port(1, 2, 1), port(1, 7, 4)]),
];

impl PortType {
    /// The types of Catalyst 6500 transmit ports at a speed, the commonest first.
    pub fn at_speed(mbps: u32) -> &'static [PortType] {
        KNOWN
            .iter()
            .find(|(speed, _)| *speed >= mbps)
            .unwrap_or(&KNOWN[3])
            .1
    }

    /// The number the strict queue has in statements and results: one above the weighted ones.
    pub const fn strict_queue(self) -> Option<u8> {
        if self.strict > 0 {
            Some(self.weighted + 1)
        } else {
            None
        }
    }

    /// Weights a port has before anyone sets them.
    ///
    /// Two queues 4:255, three 100:150:200 (Cisco CatOS 8.4 command reference, `set qos wrr`). For
    /// seven queues no source was found; they are taken as equal.
    pub fn default_weights(self) -> Vec<u32> {
        match self.weighted {
            2 => vec![4, 255],
            3 => vec![100, 150, 200],
            n => vec![100; usize::from(n)],
        }
    }

    /// The queue and threshold a CoS has before anyone maps it.
    ///
    /// Two queues: 0 and 1 to the first, 2 and 3 to its second threshold, 4 to the second queue, 6
    /// and 7 to its second threshold, 5 to the strict queue. Cards differ.
    pub fn default_cos(self, cos: u8) -> (u8, u8) {
        if cos == 5
            && let Some(strict) = self.strict_queue()
        {
            return (strict, 1);
        }
        let high = |threshold: u8| threshold.min(self.thresholds);
        match (self.weighted, cos) {
            (1, _) => (1, 1),
            (2, 0 | 1) => (1, 1),
            (2, 2 | 3) => (1, high(2)),
            (2, 4 | 5) => (2, 1),
            (2, _) => (2, high(2)),
            (_, 0) => (1, 1),
            (_, 1) => (1, high(2)),
            (_, 2..=4) => (2, high(cos - 1)),
            (_, _) => (3.min(self.weighted), high(cos - 5 + 1)),
        }
    }

    /// Percent of the transmit buffer each queue has before anyone divides it, the strict one last.
    pub fn default_limits(self) -> Vec<u32> {
        match (self.strict, self.weighted) {
            (0, 2) => vec![80, 20],
            (_, 2) => vec![70, 15, 15],
            (0, 3) => vec![50, 30, 20],
            (_, 3) => vec![50, 20, 15, 15],
            (strict, n) => {
                let queues = u32::from(n + strict.min(1));
                vec![100 / queues; queues as usize]
            }
        }
    }

    /// Percent of a queue at which each threshold begins to drop before anyone sets them: 80 and 100
    /// of two (2q2t), rising evenly to 100 of others.
    pub fn default_thresholds(self) -> Vec<u32> {
        match self.thresholds {
            1 => vec![100],
            2 => vec![80, 100],
            n => (1..=u32::from(n))
                .map(|k| 30 + 70 * k / u32::from(n))
                .collect(),
        }
    }
}

impl FromStr for PortType {
    type Err = PortTypeError;

    fn from_str(text: &str) -> Result<PortType, PortTypeError> {
        let error = || PortTypeError {
            text: text.to_owned(),
        };
        let (strict, rest) = match text.split_once('p') {
            Some(("1", rest)) => (1, rest),
            Some(_) => return Err(error()),
            None => (0, text),
        };
        let (weighted, thresholds) = rest
            .strip_suffix('t')
            .and_then(|r| r.split_once('q'))
            .ok_or_else(error)?;
        let digit = |s: &str| {
            s.parse::<u8>()
                .ok()
                .filter(|n| (1..=8).contains(n) && s.len() == 1)
                .ok_or_else(error)
        };
        Ok(port(strict, digit(weighted)?, digit(thresholds)?))
    }
}

impl fmt::Display for PortType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.strict > 0 {
            write!(f, "{}p", self.strict)?;
        }
        write!(f, "{}q{}t", self.weighted, self.thresholds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_types_read_and_print() {
        for text in ["1p2q2t", "2q2t", "1p7q8t", "1p3q1t"] {
            assert_eq!(text.parse::<PortType>().expect(text).to_string(), text);
        }
        for text in [
            "", "2p2q2t", "1p2q", "2q2", "0q2t", "1p9q2t", "1p2q2tt", "pq", "1p2q02t",
        ] {
            assert!(text.parse::<PortType>().is_err(), "{text}");
        }
    }

    #[test]
    fn defaults_place_every_cos_and_divide_all() {
        for strict in 0..2 {
            for weighted in 1..=8 {
                for thresholds in 1..=8 {
                    let t = port(strict, weighted, thresholds);
                    assert_eq!(t.default_weights().len(), usize::from(weighted));
                    assert_eq!(t.default_thresholds().len(), usize::from(thresholds));
                    assert_eq!(t.default_limits().len(), usize::from(weighted + strict));
                    assert!(t.default_limits().iter().sum::<u32>() <= 100);
                    for cos in 0..8 {
                        let (q, th) = t.default_cos(cos);
                        assert!(
                            (1..=weighted + strict).contains(&q) && (1..=thresholds).contains(&th),
                            "{t} {cos}"
                        );
                    }
                }
            }
        }
    }
}
