//! Figures for people: bytes, rates and times.

use crate::fact::Figure;

/// Bytes for people: `45.2 kB`.
pub(crate) fn bytes(value: f64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.into_iter().find(|(_, worth)| value >= *worth) {
        Some((name, worth)) => format!("{:.1} {name}", value / worth),
        None => format!("{value:.0} bytes"),
    }
}

/// From one rate to another, for people; one of them where both are printed alike.
pub(crate) fn span(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(bps);
    match low == high {
        true => low,
        false => format!("{low} to {high}"),
    }
}

/// A rate, and what it may be, for people: nothing of that where it is printed alike.
pub(crate) fn ranged(rate: &Figure) -> String {
    let (value, span) = (bps(rate.value), span(rate.low, rate.high));
    match span == value {
        true => value,
        false => format!("{value} ({span})"),
    }
}

/// A rate for people, three figures.
pub(crate) fn bps(value: f64) -> String {
    let units = [
        ("Tbit/s", 1e12),
        ("Gbit/s", 1e9),
        ("Mbit/s", 1e6),
        ("kbit/s", 1e3),
    ];
    let (name, worth) = units
        .into_iter()
        .find(|(_, worth)| value >= *worth * 0.9995)
        .unwrap_or(("bit/s", 1.0));
    let shown = value / worth;
    match shown {
        s if s >= 99.95 => format!("{s:.0} {name}"),
        s if s >= 9.995 => format!("{s:.1} {name}"),
        s => format!("{s:.2} {name}"),
    }
}

/// A time of a queue for people, the same wherever it stands.
pub(crate) fn ms(seconds: f64) -> String {
    match seconds * 1e3 {
        ms if ms >= 99.95 => format!("{ms:.0} ms"),
        ms => format!("{ms:.1} ms"),
    }
}
