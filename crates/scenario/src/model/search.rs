//! What a scenario asks by many runs.

use core::fmt;

use farpath_units::{Duration, Rate, Ratio, Size};

/// `[[search]]`: the highest or the lowest value of a key at which a metric stays within a bound, by bisection.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Its name; its result is the metric `search.NAME.highest_…`, or `lowest_…`.
    pub name: String,
    /// `--set` paths that all take the value tried.
    pub keys: Vec<String>,
    /// Which of the values that hold is asked for.
    pub find: Find,
    /// The lower end of what is tried.
    pub low: Amount,
    /// The upper end, of the same dimension.
    pub high: Amount,
    /// Stop when the bracket is this small relative to its upper end.
    pub resolution: Ratio,
    /// Tests that run; the others are left out.
    pub only: Vec<String>,
    /// The metrics that must stay within the bounds.
    pub metrics: Vec<String>,
    /// What they must stay at or above.
    pub at_least: Option<f64>,
    /// What they must stay at or below.
    pub at_most: Option<f64>,
}

/// Which of the values that hold a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// The highest: `low` is known to hold, `high` to fail.
    Highest,
    /// The lowest: `low` is known to fail, `high` to hold.
    Lowest,
}

/// A value that a search tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// What it measures.
    pub of: Dimension,
    /// How much, in the dimension's smallest unit.
    pub n: u64,
}

/// What a searched value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A rate, in bit/s.
    Rate,
    /// A size, in bytes.
    Size,
    /// A time, in picoseconds.
    Time,
    /// A limit of a queue, in packets.
    Packets,
    /// The same in millionths of a bandwidth-delay product.
    Bdp,
    /// A ratio, in millionths of a millionth.
    Ratio,
}

/// Parts of a bandwidth-delay product.
const OF_BDP: f64 = 1e6;
/// Parts of a whole.
const OF_RATIO: f64 = 1e12;

impl Dimension {
    /// The unit of metrics of it, as it ends their names.
    pub fn unit(self) -> &'static str {
        match self {
            Dimension::Rate => "bps",
            Dimension::Size => "bytes",
            Dimension::Time => "s",
            Dimension::Packets => "packets",
            Dimension::Bdp => "bdp",
            Dimension::Ratio => "ratio",
        }
    }

    /// With its article, for messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Dimension::Rate => "a rate",
            Dimension::Size => "a size",
            Dimension::Time => "a time",
            Dimension::Packets => "a number of packets",
            Dimension::Bdp => "a number of bandwidth-delay products",
            Dimension::Ratio => "a ratio",
        }
    }
}

impl Amount {
    /// Of a ratio.
    pub(crate) fn ratio(ratio: Ratio) -> Amount {
        Amount {
            of: Dimension::Ratio,
            n: (ratio.get() * OF_RATIO).round() as u64,
        }
    }

    /// It in the unit of its metrics.
    pub fn value(self) -> f64 {
        match self.of {
            Dimension::Time => self.n as f64 / 1e12,
            Dimension::Bdp => self.n as f64 / OF_BDP,
            Dimension::Ratio => self.n as f64 / OF_RATIO,
            _ => self.n as f64,
        }
    }
}

/// As a scenario writes it; exact.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.of, Rate::from_bps(self.n)) {
            (Dimension::Rate, Some(rate)) => rate.fmt(f),
            (Dimension::Rate, None) => f.write_str("0 bit/s"),
            (Dimension::Size, _) => Size::from_bytes(self.n).fmt(f),
            (Dimension::Time, _) => Duration::from_ps(self.n).fmt(f),
            (Dimension::Packets, _) => write!(f, "{} packets", self.n),
            (Dimension::Bdp, _) => write!(f, "{}bdp", self.value()),
            (Dimension::Ratio, _) => Ratio::new(self.value()).unwrap_or_default().fmt(f),
        }
    }
}

impl core::str::FromStr for Amount {
    type Err = ();

    fn from_str(text: &str) -> Result<Amount, ()> {
        let text = text.trim();
        let amount = |of, n| Ok(Amount { of, n });
        if let Some(n) = text.strip_suffix("packets").or(text.strip_suffix("packet")) {
            return amount(Dimension::Packets, n.trim().parse().map_err(|_| ())?);
        }
        if let Some(n) = text.strip_suffix("bdp") {
            let n = n
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|n| (0.0..=1e6).contains(n));
            return amount(Dimension::Bdp, (n.ok_or(())? * OF_BDP).round() as u64);
        }
        if let Ok(rate) = text.parse::<Rate>() {
            return amount(Dimension::Rate, rate.as_bps());
        }
        if let Ok(size) = text.parse::<Size>() {
            return amount(Dimension::Size, size.as_bytes());
        }
        if let Ok(time) = text.parse::<Duration>() {
            return amount(Dimension::Time, time.as_ps());
        }
        Ok(Amount::ratio(text.parse().map_err(|_| ())?))
    }
}

impl Search {
    /// The names of its results: the value that holds, and the nearest found that does not.
    pub fn metrics_found(&self) -> [String; 2] {
        self.find.metrics(self.low.of)
    }
}

impl Find {
    /// The end of what is tried that is known to hold: its key.
    pub fn holds_at(self) -> &'static str {
        match self {
            Find::Highest => "low",
            Find::Lowest => "high",
        }
    }

    /// The names of the results of a search for it.
    pub(crate) fn metrics(self, of: Dimension) -> [String; 2] {
        let unit = of.unit();
        match self {
            Find::Highest => [format!("highest_{unit}"), format!("lowest_failing_{unit}")],
            Find::Lowest => [format!("lowest_{unit}"), format!("highest_failing_{unit}")],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_as_it_is_written() {
        for (text, of, n) in [
            ("3.065 Gbit/s", Dimension::Rate, 3_065_000_000),
            ("64 MiB", Dimension::Size, 64 << 20),
            ("1234567 B", Dimension::Size, 1_234_567),
            ("1500 ms", Dimension::Time, 1_500_000_000_000),
            ("1 ps", Dimension::Time, 1),
            ("17 packets", Dimension::Packets, 17),
            ("0.25bdp", Dimension::Bdp, 250_000),
            ("1e-6", Dimension::Ratio, 1_000_000),
            ("1.2345e-7", Dimension::Ratio, 123_450),
            ("12.5 %", Dimension::Ratio, 125_000_000_000),
        ] {
            let amount: Amount = text.parse().expect(text);
            assert_eq!((amount.of, amount.n), (of, n), "{text}");
            assert_eq!(amount.to_string().parse(), Ok(amount), "{text}");
        }
        for wrong in [
            "",
            "5",
            "bdp",
            "-1bdp",
            "0 bit/s",
            "101 %",
            "1.5 packets",
            "-1 s",
        ] {
            assert_eq!(wrong.parse::<Amount>(), Err(()), "{wrong}");
        }
    }
}
