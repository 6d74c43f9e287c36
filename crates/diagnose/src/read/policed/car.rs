//! `qos car` and `car` of Huawei's VRP: the rate of a policer (committed access rate).

use crate::words::decimal;

/// A policer.
#[derive(Debug, PartialEq)]
pub(super) struct Car {
    /// Up to which it lets through what is not marked otherwise, bit/s.
    pub(super) bps: f64,
    /// What its bucket holds, bytes.
    pub(super) burst_bytes: Option<f64>,
    /// Whether it drops what is beyond.
    pub(super) drops: bool,
    /// Whether it takes a part of an interface's traffic.
    pub(super) of_class: bool,
}

/// Reads `qos car inbound cir 10000 cbs 1880000 pbs 3130000 green pass yellow pass red discard`, and `car cir 10240` of a behaviour.
pub(super) fn car(text: &str) -> Option<Car> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (of_class, contract) = match words[..] {
        ["qos", "car", "inbound" | "outbound", ref rest @ ..] => {
            (rest.first() != Some(&"cir"), rest)
        }
        ["car", "cir", ..] => (true, &words[1..]),
        _ => return None,
    };
    let cir = rate(contract, "cir")?;
    let pir = rate(contract, "pir").filter(|pir| *pir > cir);
    let dropped = |colour| behind(contract, colour).map(|action| action == "discard");
    let by_peak = pir.filter(|_| dropped("yellow") != Some(true));
    Some(Car {
        bps: by_peak.unwrap_or(cir),
        burst_bytes: match by_peak {
            Some(_) => size(contract, "pbs"),
            None => size(contract, "cbs"),
        },
        drops: dropped("red") != Some(false),
        of_class,
    })
}

/// The word behind a key.
fn behind<'w>(words: &[&'w str], key: &str) -> Option<&'w str> {
    let at = words.iter().position(|w| *w == key)?;
    words.get(at + 1).copied()
}

/// The number behind a key, and the word behind that.
fn number<'w>(words: &[&'w str], key: &str) -> Option<(f64, &'w str)> {
    let at = words.iter().position(|w| *w == key)?;
    let value = decimal(words.get(at + 1)?)?;
    Some((value, words.get(at + 2).copied().unwrap_or("")))
}

/// A rate, bit/s: kbit/s where no unit stands behind it.
fn rate(words: &[&str], key: &str) -> Option<f64> {
    let (value, unit) = number(words, key)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "mbps" => 1e6,
        "gbps" => 1e9,
        _ => 1e3,
    };
    Some(value * factor).filter(|bps| *bps > 0.0)
}

/// A size, bytes.
fn size(words: &[&str], key: &str) -> Option<f64> {
    let (value, unit) = number(words, key)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "kbytes" => 1024.0,
        "mbytes" => 1_048_576.0,
        _ => 1.0,
    };
    Some(value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_vrp_is_in_kbit_s() {
        let of = |bps: f64, burst: Option<f64>, drops: bool, of_class: bool| {
            Some(Car {
                bps,
                burst_bytes: burst,
                drops,
                of_class,
            })
        };
        for (text, said) in [
            (
                "qos car inbound cir 74000 cbs 13912000 pbs 23162000 green pass yellow pass red discard",
                of(74e6, Some(13_912_000.0), true, false),
            ),
            (
                "qos car outbound cir 10240 pir 11264",
                of(11_264e3, None, true, false),
            ),
            (
                "qos car inbound acl 3000 cir 74000",
                of(74e6, None, true, true),
            ),
            (
                "car cir 50 mbps cbs 4 mbytes green pass yellow pass red pass",
                of(50e6, Some(4_194_304.0), false, true),
            ),
            ("qos car inbound cir percent 10", None),
            ("qos lr outbound cir 100000 cbs 12500000", None),
            ("the car cir 10", None),
        ] {
            assert_eq!(car(text), said, "{text}");
        }
    }
}
