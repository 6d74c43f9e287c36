//! The proportional integral controller that keeps a delay.

use farpath_element::qdisc::PieConfig;
use farpath_units::{Duration, Ratio};

use super::ECN;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Number, Ratio as Share, Table};
use crate::key::{Key, POSITIVE_TIME, Section, TIME, key};

pub(super) const KEY: Key = key(
    "pie",
    Table(&TABLE),
    "Proportional integral controller (RFC 8033): drops on arrival, as often as keeps the delay at a target. `pie = {}` is enough.",
);

/// A gain: a million times the usual one, and more than any target of microseconds needs.
const GAIN: crate::key::Kind = Number {
    above: 0.0,
    max: 1e6,
};

const TABLE: Section = Section {
    name: "pie",
    doc: "Proportional integral controller enhanced (RFC 8033), with the delay of the frame sent last.",
    keys: &[
        key("target", POSITIVE_TIME, "The delay that is kept.").default("15 ms"),
        key(
            "update",
            POSITIVE_TIME,
            "Time between two updates of the probability: at least 1 us.",
        )
        .default("15 ms"),
        key(
            "alpha",
            GAIN,
            "Gain of the delay beyond the target, in Hz: raise it as `target` is lowered, lower it with `update`.",
        )
        .default("0.125"),
        key(
            "beta",
            GAIN,
            "Gain of the delay's growth since the last update, in Hz: raise it as `target` is lowered.",
        )
        .default("1.25"),
        key(
            "burst",
            TIME,
            "How long a queue may build up before frames are dropped.",
        )
        .default("150 ms"),
        ECN.default("false"),
        key(
            "mark_below",
            Share,
            "With `ecn`, the probability from which they are dropped all the same.",
        )
        .default("10 %"),
    ],
};

/// Updates that are nearer cost more than frames do.
const LEAST_UPDATE: Duration = Duration::from_us(1);

pub(super) fn read(f: &Fields, faults: &mut Vec<Diagnostic>) -> PieConfig {
    let ecn = f.get("ecn").unwrap_or(false);
    let pie = PieConfig {
        target: f.get("target").unwrap_or(Duration::from_ms(15)),
        update: f.get("update").unwrap_or(Duration::from_ms(15)),
        alpha: f.get("alpha").unwrap_or(0.125),
        beta: f.get("beta").unwrap_or(1.25),
        burst: f.get("burst").unwrap_or(Duration::from_ms(150)),
        mark_below: match ecn {
            true => f.get("mark_below").map_or(0.1, Ratio::get),
            false => 0.0,
        },
    };
    let mut fault = |key: &str, title: &str, help: &str| {
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    };
    if f.has("mark_below") && !ecn {
        let help = "add ecn = true, or remove it: nothing is marked";
        fault("mark_below", "`mark_below` of `pie` without `ecn`", help);
    }
    if pie.update < LEAST_UPDATE {
        let help = "15 ms is usual (RFC 8033 §4.2); in a data centre, some tens of microseconds";
        fault("update", "`update` of `pie` is below 1 us", help);
    }
    pie
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::routed::between_routers;
    use farpath_element::qdisc::AqmConfig;

    /// Two routers with `keys` on the link between them.
    fn read(keys: &str) -> Result<PieConfig, String> {
        let scenario = parse(&between_routers(keys), &[]).map_err(|e| e.to_string())?;
        let queueing = scenario.links[1].directions[0].queueing.as_ref();
        match queueing.expect("it is managed").classes[0].aqm {
            Some(AqmConfig::Pie(config)) => Ok(config),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_said_is_the_rfcs() {
        let usual = read("pie = {}").expect("it is right");
        let rfc = PieConfig {
            target: Duration::from_ms(15),
            update: Duration::from_ms(15),
            alpha: 1.0 / 8.0,
            beta: 1.0 + 1.0 / 4.0,
            burst: Duration::from_ms(150),
            mark_below: 0.0,
        };
        assert_eq!(usual, rfc);
        let mark_below = 0.1;
        assert_eq!(
            read("pie = { ecn = true }"),
            Ok(PieConfig { mark_below, ..rfc })
        );
        let own = "pie = { target = \"150 us\", update = \"1 us\", alpha = 12.5, beta = 125, burst = \"0 s\", ecn = true, mark_below = 1 }";
        let config = PieConfig {
            target: Duration::from_us(150),
            update: Duration::from_us(1),
            alpha: 12.5,
            beta: 125.0,
            burst: Duration::ZERO,
            mark_below: 1.0,
        };
        assert_eq!(read(own), Ok(config));
    }

    #[test]
    fn what_makes_no_sense_is_said_with_a_remedy() {
        for (keys, title, help) in [
            (
                "mark_below = 0.2",
                "`mark_below` of `pie` without `ecn`",
                "add ecn = true",
            ),
            (
                "update = \"999 ns\"",
                "`update` of `pie` is below 1 us",
                "15 ms is usual",
            ),
            (
                "target = 15",
                "missing unit: `target` is a bare number",
                "target = \"15 ms\"",
            ),
            (
                "target = \"0 s\"",
                "a target of zero",
                "give it some length",
            ),
            ("alpha = 0", "`alpha` must be above 0", "a plain number"),
            (
                "beta = \"1.25 Hz\"",
                "`beta` cannot be text",
                "write beta = ",
            ),
            (
                "max_burst = \"1 s\"",
                "unknown key `max_burst` in pie",
                "known here: target, update",
            ),
        ] {
            let said = read(&format!("pie = {{ {keys} }}")).expect_err(keys);
            assert!(
                said.contains(title) && said.contains(help),
                "{keys}\n{said}"
            );
        }
    }
}
