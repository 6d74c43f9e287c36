//! What a policer of IOS passes and drops now, on average over its last interval.

use crate::words::decimal;

/// How what is said of each part of a policer's traffic begins.
pub(super) const KINDS: [&str; 3] = ["conform", "exceed", "violat"];

/// The rates of `conformed 90510000 bps, exceeded 512000 bps, violated 0 bps`, which are the words, bit/s.
pub(super) fn rates(words: &[&str]) -> Option<[f64; 3]> {
    let mut all = [0.0; 3];
    for part in words.chunks(3) {
        let [name, bps, "bps"] = part else {
            return None;
        };
        let kind = KINDS.iter().position(|k| name.starts_with(k))?;
        all[kind] = decimal(bps)?;
    }
    Some(all)
}

/// What part of these it drops, 0 to 1, by whether it drops what exceeds each of its rates; none where nothing comes.
pub(super) fn dropped([conforms, exceeds, violates]: [f64; 3], drops: [bool; 2]) -> Option<f64> {
    let lost = |bps: f64, drops: bool| if drops { bps } else { 0.0 };
    let all = conforms + exceeds + violates;
    (all > 0.0).then(|| (lost(exceeds, drops[0]) + lost(violates, drops[1])) / all)
}

#[cfg(test)]
mod tests {
    use super::{dropped, rates};

    #[test]
    fn rates_of_a_policer_say_what_it_drops_now() {
        let of = |text: &str| {
            let words: Vec<&str> = text.split([' ', ',']).filter(|w| !w.is_empty()).collect();
            rates(&words)
        };
        let two = of("conformed 750000 bps, exceeded 250000 bps");
        assert_eq!(two, Some([750e3, 250e3, 0.0]));
        let three = of("conformed 500000 bps, exceed 250000 bps, violate 250000 bps");
        assert_eq!(three, Some([500e3, 250e3, 250e3]));
        assert_eq!(
            of("exceeded 142419 packets, 202808290 bytes; actions:"),
            None
        );
        assert_eq!(of("conformed 12 bps, shaped 3 bps"), None);
        assert_eq!(dropped([750e3, 250e3, 0.0], [true, true]), Some(0.25));
        assert_eq!(dropped([500e3, 250e3, 250e3], [false, true]), Some(0.25));
        assert_eq!(dropped([0.0; 3], [true, true]), None);
    }
}
