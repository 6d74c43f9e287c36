//! Rates that were measured: a CSV file of times and rates, or a mahimahi trace of packet deliveries.

use farpath_element::impair::RateTrace;
use farpath_units::{Duration, Rate};

use crate::columns::{self, Fault, MOST_ROWS, header, timed, whole};
use crate::decode::Fields;
use crate::diagnostic::{Diagnostic, shorten};
use crate::source::Beside;

/// Steps a straight line between two rates is made of.
const STEPS: u64 = 64;
/// What one line of a mahimahi trace delivers.
const DELIVERY_BYTES: u64 = 1500;
const HEADERS: [&str; 2] = ["time_s,rate", "time_s,rate_bps"];

/// How a CSV file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    linear: bool,
    again: bool,
}

/// The trace a link's rate follows.
pub(crate) fn trace(
    f: &Fields,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<RateTrace> {
    let path = f.at::<String>("file")?;
    let name = path.get_ref();
    let deliveries = !name.ends_with(".csv");
    let reading = Reading {
        linear: f.get::<String>("between").as_deref() == Some("linear"),
        again: f.get("repeat").unwrap_or(false),
    };
    if deliveries && let Some(key) = ["between", "repeat"].into_iter().find(|k| f.has(k)) {
        let title =
            format!("`{key}` beside a mahimahi trace, which says itself what is delivered when");
        let help = "it is always repeated; remove the key";
        faults.push(Diagnostic::new(f.place(key), title).help(help));
    }
    let parse = |text: &str| match deliveries {
        true => parse_deliveries(text),
        false => parse_rates(text, reading),
    };
    let endings = ["csv", "trace", "up", "down", "pps"];
    columns::read(folder, &path, &endings, parse, faults)
}

/// One time in milliseconds a line, not falling: at each a packet of 1500 bytes can be delivered.
fn parse_deliveries(text: &str) -> Result<RateTrace, Fault> {
    let mut at: Vec<Duration> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let Some(ms) = whole(line).filter(|ms| *ms <= 8_640_000_000) else {
            let title = format!("`{}` is not a valid time in milliseconds", shorten(line));
            return Err(Fault::new(
                n,
                title,
                "one whole number a line and nothing else",
            ));
        };
        let now = Duration::from_ms(ms);
        if at.last().is_some_and(|last| *last > now) {
            let title = "its time is earlier than that of the line before".to_owned();
            return Err(Fault::new(n, title, "sort the lines"));
        }
        if at.len() == MOST_ROWS {
            let remedy = "at most a million are followed; it is repeated";
            return Err(Fault::too_many(n, remedy));
        }
        at.push(now);
    }
    RateTrace::opportunities(&at, DELIVERY_BYTES).ok_or_else(|| {
        let title = "a trace of no length: nothing is delivered after time 0".to_owned();
        let remedy = "end with a time above 0: the trace is repeated after it";
        Fault::new(at.len().saturating_sub(1), title, remedy)
    })
}

fn parse_rates(text: &str, reading: Reading) -> Result<RateTrace, Fault> {
    let mut lines = text.lines().enumerate();
    let kind = header(lines.next().map(|(_, line)| line), &HEADERS)?;
    let mut rows: Vec<(Duration, u64)> = Vec::new();
    for (n, line) in lines {
        let row = row(n, line, kind == 1)?;
        match rows.last() {
            None if row.0 > Duration::ZERO => {
                let title = "the first time is not 0".to_owned();
                return Err(Fault::new(n, title, "begin with the rate at 0"));
            }
            Some(last) if last.0 >= row.0 => {
                return Err(Fault::unsorted(n, "sort the lines by time"));
            }
            _ if rows.len() == MOST_ROWS => {
                return Err(Fault::too_many(n, "at most a million are followed"));
            }
            _ => rows.push(row),
        }
    }
    let last = rows.len();
    follow(rows, reading).ok_or_else(|| {
        let title = "the link would carry nothing in the end".to_owned();
        let remedy = match reading.again {
            true => "a rate above 0, and a last line: its time is the length of a round",
            false => "end with a rate above 0: it holds from there on",
        };
        Fault::new(last, title, remedy)
    })
}

/// The trace of rows of times and rates.
fn follow(mut rows: Vec<(Duration, u64)>, reading: Reading) -> Option<RateTrace> {
    let end = rows.last()?.0;
    if reading.linear {
        let mut fine = Vec::new();
        for pair in rows.windows(2) {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            let span = to.saturating_sub(from).as_ps();
            let steps = STEPS.min(span);
            for k in 0..steps {
                // The rate in the middle of a step carries what the straight line does.
                let part = |x: u64, share: u64| u128::from(x) * u128::from(share);
                let rate =
                    (part(a, 2 * (steps - k) - 1) + part(b, 2 * k + 1)) / u128::from(2 * steps);
                let at =
                    from.as_ps() + (u128::from(span) * u128::from(k) / u128::from(steps)) as u64;
                fine.push((Duration::from_ps(at), rate as u64));
            }
        }
        fine.extend(rows.last().copied());
        rows = fine;
    }
    if !reading.again {
        return RateTrace::rates(&rows, None);
    }
    // The last line says when the first is meant again.
    rows.pop();
    RateTrace::rates(&rows, Some(end))
}

/// Whether a rate with its unit is none: `0 bit/s`.
fn is_none(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = &text[digits.len()..];
    digits.parse::<f64>().is_ok_and(|value| value == 0.0)
        && format!("1{unit}").parse::<Rate>().is_ok()
}

fn row(n: usize, line: &str, bare: bool) -> Result<(Duration, u64), Fault> {
    let (time, value) = timed(n, line, "rate", "run")?;
    let rate = match (bare, value.trim()) {
        (_, "0") => Some(0),
        (true, digits) => whole(digits),
        (false, text) if is_none(text) => Some(0),
        (false, text) => text.parse::<Rate>().ok().map(Rate::as_bps),
    };
    let Some(rate) = rate.filter(|r| *r <= 1_000_000_000_000_000) else {
        let title = format!("`{}` is not a valid rate", shorten(value));
        let remedy = match bare {
            true => "bits per second as a whole number, at most 10^15",
            false => "a rate with its unit, such as 12 Mbit/s; 0 for none",
        };
        return Err(Fault::new(n, title, remedy));
    };
    Ok((time, rate))
}

#[cfg(test)]
mod tests {
    use farpath_mutate::{Corpus, run};
    use farpath_units::Time;

    use super::*;
    use crate::columns::ODD;

    const STEP: Reading = Reading {
        linear: false,
        again: false,
    };

    #[test]
    fn rates_with_and_without_unit_are_the_same() {
        let with = parse_rates("time_s,rate\n0,12 Mbit/s\n1.5,0\n2,1 Gbit/s\n", STEP);
        let without = parse_rates("time_s,rate_bps\n0,12000000\n1.5,0\n2,1000000000\n", STEP);
        assert!(with.is_ok() && with == without);
        let zero = parse_rates("time_s,rate\n0,12 Mbit/s\n1.5,0 bit/s\n2,1 Gbit/s\n", STEP);
        assert_eq!(zero, without);
    }

    #[test]
    fn a_straight_line_carries_what_it_should() {
        let linear = Reading {
            linear: true,
            again: true,
        };
        let text = "time_s,rate\n0,10 Mbit/s\n1,30 Mbit/s\n2,10 Mbit/s\n";
        let trace = parse_rates(text, linear).expect("rates");
        let at = |s: u64| Time::ZERO + Duration::from_secs(s);
        assert_eq!(trace.mean_bps(at(1)), 2e7);
        assert_eq!(trace.mean_bps(at(40)), 2e7);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("", 1),
            ("time,rate\n0,1 Mbit/s\n", 1),
            ("time_s,rate\n", 1),
            ("time_s,rate\n1,1 Mbit/s\n", 2),
            ("time_s,rate\n0,1\n", 2),
            ("time_s,rate\n0,0 furlongs\n", 2),
            ("time_s,rate\n0,1 Mbit/s\n0,2 Mbit/s\n", 3),
            ("time_s,rate\n0,1 Mbit/s\n1,0\n", 3),
            ("time_s,rate_bps\n0,1 Mbit/s\n", 2),
            ("time_s,rate\n0,1 Mbit/s,3\n", 2),
        ] {
            let fault = parse_rates(text, STEP).expect_err(text);
            assert_eq!(fault.line, line, "{text}: {fault:?}");
        }
        for (text, line) in [
            ("", 1),
            ("0\n0\n", 2),
            ("5\n4\n", 2),
            ("1\n\n", 2),
            ("1.5\n", 1),
        ] {
            let fault = parse_deliveries(text).expect_err(text);
            assert_eq!(fault.line, line, "{text}: {fault:?}");
        }
        let again = Reading {
            linear: false,
            again: true,
        };
        assert!(parse_rates("time_s,rate\n0,1 Mbit/s\n", again).is_err());
    }

    #[test]
    fn files_are_read_or_refused() {
        const RATES: &str = "time_s,rate\n0,10 Mbit/s\n0.25,0\n1.5,3 kbit/s\n7,1 Gbit/s\n";
        let outcomes = run(&Corpus::of([RATES]).odd(&ODD), |text, luck| {
            let reading = Reading {
                linear: luck.odds(8),
                again: luck.odds(2),
            };
            match parse_rates(text, reading) {
                Ok(_) => "read",
                Err(_) => "refused",
            }
        });
        outcomes.at_least("read", 0.02).at_least("refused", 0.05);
        let corpus = Corpus::of(["0\n3\n3\n17\n120\n"]).odd(&ODD);
        let outcomes = run(&corpus, |text, _| match parse_deliveries(text) {
            Ok(_) => "read",
            Err(_) => "refused",
        });
        outcomes.at_least("read", 0.02).at_least("refused", 0.05);
    }
}
