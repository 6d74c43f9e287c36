//! When, where and with what records were taken, in a line for each origin.

use std::collections::BTreeSet;

use farpath_record::quantity::quantity;
use farpath_record::{Origin, Record, RunDocument, Taken};

/// What the records of each origin that measures say, together.
pub(crate) fn lines(run: &RunDocument) -> Vec<String> {
    let of = |origin: &Origin| {
        let records = run.records.iter().filter(|r| r.origin == *origin);
        let all: Vec<(&Taken, u64)> = records
            .filter_map(|r| Some((r.taken.as_ref()?, ended(r))))
            .collect();
        Some(format!("{}: taken {}", origin.name(), line(&all)?))
    };
    Origin::ALL.iter().filter_map(of).collect()
}

/// When a test ended, by its record, or else began. Nanoseconds since the instant from which the record's times count.
fn ended(record: &Record) -> u64 {
    let from = record.measured_from_ns.unwrap_or(record.started_ns);
    record.ended_ns().unwrap_or(from)
}

/// What they say, each with when its test ended.
fn line(timed: &[(&Taken, u64)]) -> Option<String> {
    let all: Vec<&Taken> = timed.iter().map(|(taken, _)| *taken).collect();
    let hosts = || all.iter().flat_map(|taken| &taken.hosts);
    let systems = hosts().filter_map(|host| {
        let kernel = host.kernel.as_ref()?;
        let os = host.os.as_deref().unwrap_or("kernel");
        Some(format!("{os} {kernel}"))
    });
    let tools = all.iter().filter_map(|taken| taken.tool.clone());
    let mut parts: Vec<String> = when(timed).into_iter().collect();
    for (word, values) in [("on", listed(systems)), ("by", listed(tools))] {
        parts.extend((!values.is_empty()).then(|| format!("{word} {values}")));
    }
    let clocks = match all.iter().filter_map(|taken| taken.clock_error_ns).max() {
        Some(0) => Some("both ends read one clock".to_owned()),
        Some(error) => {
            let error = quantity("clock_error_ns", error as f64);
            Some(format!("clocks of both ends may lie {error} apart"))
        }
        None => None,
    };
    let circumstances = (!parts.is_empty()).then(|| parts.join(" "));
    let said: Vec<String> = circumstances.into_iter().chain(clocks).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Each of them once.
fn listed(values: impl Iterator<Item = String>) -> String {
    let once: BTreeSet<String> = values.collect();
    once.into_iter().collect::<Vec<_>>().join(", ")
}

/// From the start of the first to the end of the last.
fn when(timed: &[(&Taken, u64)]) -> Option<String> {
    let starts = timed.iter().filter_map(|(taken, _)| taken.at_utc_ns);
    let end = |(taken, ended): &(&Taken, u64)| Some(taken.at_utc_ns?.saturating_add(*ended));
    let ends = timed.iter().filter_map(end);
    let (first, last) = (utc(starts.min()?), utc(ends.max()?));
    let known = timed.iter().filter(|(taken, _)| taken.at_utc_ns.is_some());
    let errors: Option<Vec<u64>> = known.map(|(taken, _)| taken.utc_error_ns).collect();
    let error = match errors.and_then(|errors| errors.into_iter().max()) {
        Some(error) => format!(" \u{b1} {}", quantity("utc_error_ns", error as f64)),
        None => " (clock not synchronised)".to_owned(),
    };
    Some(match first == last {
        true => format!("{first} UTC{error}"),
        false => format!("{first} to {last} UTC{error}"),
    })
}

/// Days of 400 years of the Gregorian calendar, after which it repeats itself.
const ERA_DAYS: u64 = 146_097;

/// The day and the second of nanoseconds since 1970-01-01 00:00 UTC, ISO 8601 but for a space: `2026-11-22 23:59:01`.
pub fn utc(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(|n| format!("{n:02}"));
    // Years begin in March here, so that the day that comes and goes is their last; day 0 is that of the year 0.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / ERA_DAYS, days % ERA_DAYS);
    let leap = day / 1460 + day / 146_096 - day / 36_524;
    let year = (day - leap) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = era * 400 + year + next;
    format!("{year:04}-{month:02}-{day:02} {}", clock.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Host;

    /// `date -u -d @SECONDS` of GNU coreutils.
    #[test]
    fn an_instant_is_a_day_and_a_time_of_it() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"),
            (1_735_689_599, "2024-12-31 23:59:59"),
            (1_795_393_303, "2026-11-23 00:21:43"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (18_446_744_073, "2554-07-21 23:34:33"),
        ] {
            assert_eq!(utc(seconds * 1_000_000_000 + 700_000_000), text);
        }
    }

    fn taken(at_s: u64, tool: &str, kernel: &str) -> Taken {
        Taken {
            at_utc_ns: Some(at_s * 1_000_000_000),
            utc_error_ns: Some(3_000_000),
            clock_error_ns: Some(0),
            tool: Some(tool.to_owned()),
            hosts: vec![Host {
                name: "a".to_owned(),
                os: Some("linux".to_owned()),
                kernel: Some(kernel.to_owned()),
                ..Host::default()
            }],
        }
    }

    fn said(all: Vec<Taken>) -> Vec<String> {
        let mut run = RunDocument::new("s", 1, String::new());
        run.records = all
            .into_iter()
            .map(|taken| Record {
                taken: Some(taken),
                ..Record::new(Origin::Emulated, "t", "ping", "a", "b")
            })
            .collect();
        let model = Record::new(Origin::Simulated, "t", "ping", "a", "b");
        run.records.insert(0, model);
        lines(&run)
    }

    #[test]
    fn records_of_one_run_share_a_line_and_those_of_models_have_none() {
        let one = || taken(0, "farpath 0.1.0", "6.12.9");
        assert_eq!(
            said(vec![one(), one()]),
            [
                "emulated: taken 1970-01-01 00:00:00 UTC \u{b1} 3 ms on linux 6.12.9 by farpath 0.1.0; both ends \
                 read one clock"
            ]
        );
        assert!(said(Vec::new()).is_empty());
    }

    #[test]
    fn what_differs_is_named_and_the_largest_error_counts() {
        let other = Taken {
            utc_error_ns: None,
            clock_error_ns: Some(1_500),
            ..taken(60, "iperf 3.12", "5.15.0")
        };
        let all = said(vec![other, taken(0, "farpath 0.1.0", "6.12.9")]);
        assert_eq!(
            all,
            [
                "emulated: taken 1970-01-01 00:00:00 to 1970-01-01 00:01:00 UTC (clock not synchronised) on linux 5.15.0, linux \
                 6.12.9 by farpath 0.1.0, iperf 3.12; clocks of both ends may lie 1.5000 \u{b5}s apart"
            ]
        );
    }

    /// Three tests of 80 s were "taken" until the last of them began.
    #[test]
    fn what_was_taken_ends_with_the_last_test() {
        let mut run = RunDocument::new("s", 1, String::new());
        for start in [0, 80, 160] {
            let mut record = Record::new(Origin::Emulated, "t", "tcp", "a", "b");
            record.taken = Some(taken(start, "farpath 0.1.0", "6.12.9"));
            record.duration_ns = 80_000_000_000;
            run.records.push(record);
        }
        let said = lines(&run);
        assert!(
            said[0].contains("1970-01-01 00:00:00 to 1970-01-01 00:04:00 UTC"),
            "{said:?}"
        );
    }

    /// Begun 60 s after the first of the run, measured for 3 s behind 3 s that are left out.
    #[test]
    fn what_was_left_out_was_taken_too() {
        let mut run = RunDocument::new("s", 1, String::new());
        let mut record = Record::new(Origin::Emulated, "t", "tcp", "a", "b");
        record.taken = Some(taken(0, "farpath 0.1.0", "6.12.9"));
        record.started_ns = 60_000_000_000;
        record.duration_ns = 3_000_000_000;
        for (from, until) in [(None, "00:01:03"), (Some(63_000_000_000), "00:01:06")] {
            record.measured_from_ns = from;
            run.records = vec![record.clone()];
            let said = lines(&run);
            let wanted = format!("1970-01-01 00:00:00 to 1970-01-01 {until} UTC");
            assert!(said[0].contains(&wanted), "{said:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        assert!(said(vec![Taken::default()]).is_empty());
        let tool = Some("tcpdump 4.99".to_owned());
        let captured = Taken {
            tool,
            ..Taken::default()
        };
        assert_eq!(said(vec![captured]), ["emulated: taken by tcpdump 4.99"]);
    }
}
