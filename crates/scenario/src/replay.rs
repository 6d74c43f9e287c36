//! Traffic that was written down: a CSV file of two columns.

use farpath_units::Duration;

use crate::columns::{Fault, MOST_ROWS, header, timed, whole};
use crate::diagnostic::shorten;
use crate::model::Replay;

/// Most bytes of a row, and most bits a second.
const MOST: u64 = 1_000_000_000_000_000;
const HEADERS: [&str; 2] = ["time_s,bytes", "time_s,rate_bps"];

/// Reads the text of a file, strictly.
pub(crate) fn parse(text: &str) -> Result<Replay, Fault> {
    let mut lines = text.lines().enumerate();
    let kind = header(lines.next().map(|(_, line)| line), &HEADERS)?;
    let mut rows: Vec<(Duration, u64)> = Vec::new();
    for (n, line) in lines {
        let row = row(n, line, ["bytes", "bits per second"][kind])?;
        if rows.last().is_some_and(|last| last.0 >= row.0) {
            let remedy = "sort the lines by time, and add up what happens at one instant";
            return Err(Fault::unsorted(n, remedy));
        }
        if rows.len() == MOST_ROWS {
            return Err(Fault::too_many(n, "at most a million are replayed"));
        }
        rows.push(row);
    }
    let least = kind + 1;
    if rows.len() < least || rows.iter().all(|r| r.1 == 0) {
        let remedy = [
            "add a line with a time and bytes",
            "a rate holds until the next line: write at least two, and a rate above 0",
        ];
        let title = "nothing is sent".to_owned();
        return Err(Fault::new(rows.len(), title, remedy[kind]));
    }
    Ok(if kind == 0 {
        Replay::Bytes(rows)
    } else {
        Replay::Rates(rows)
    })
}

/// One line; `of` is what its second cell counts.
fn row(n: usize, line: &str, of: &str) -> Result<(Duration, u64), Fault> {
    let (time, value) = timed(n, line, "number", "test")?;
    let Some(value) = whole(value).filter(|v| *v <= MOST) else {
        let title = format!("`{}` is not a number of {of}", shorten(value));
        let remedy = "a whole number without a unit, at most 10^15";
        return Err(Fault::new(n, title, remedy));
    };
    Ok((time, value))
}

#[cfg(test)]
mod tests {
    use farpath_mutate::{Corpus, run};

    use super::*;
    use crate::columns::ODD;

    #[test]
    fn both_columns_are_read_exactly() {
        let bytes = parse("time_s,bytes\n0,100\n0.000000000001,5\n12.5,0\n");
        let rows = vec![
            (Duration::ZERO, 100),
            (Duration::from_ps(1), 5),
            (Duration::from_ms(12_500), 0),
        ];
        assert_eq!(bytes, Ok(Replay::Bytes(rows)));
        let rates = parse("time_s,rate_bps\n0,1000\n2,3000\n3,0").expect("rates");
        assert_eq!(rates.total(), (Duration::from_secs(3), 5000.0));
    }

    #[test]
    fn faults_name_their_line_and_a_remedy() {
        for (text, line, said) in [
            ("", 1, "header"),
            ("time_s,byte\n1,2\n", 1, "header"),
            ("time_s,bytes\n", 1, "nothing"),
            ("time_s,bytes\n1,0\n", 2, "nothing"),
            ("time_s,rate_bps\n1,7\n", 2, "nothing"),
            ("time_s,bytes\n1,2\n\n", 3, "two cells"),
            ("time_s,bytes\n1,2,3\n", 2, "two cells"),
            ("time_s,bytes\n-1,2\n", 2, "valid time"),
            ("time_s,bytes\n1e3,2\n", 2, "valid time"),
            ("time_s,bytes\n9999999,2\n", 2, "valid time"),
            ("time_s,bytes\n1,2 kB\n", 2, "not a number"),
            ("time_s,bytes\n1,2.5\n", 2, "not a number"),
            ("time_s,bytes\n1,2\n1,2\n", 3, "not later"),
        ] {
            let fault = parse(text).expect_err(text);
            assert!(
                fault.line == line && fault.title.contains(said),
                "{text}: {fault:?}"
            );
            assert!(!fault.remedy.is_empty());
        }
    }

    #[test]
    fn files_are_read_or_refused() {
        const BYTES: &str = "time_s,bytes\n0,100\n0.25,1500\n1.5,0\n7,123456789\n";
        const RATES: &str = "time_s,rate_bps\n0,100\n0.25,1500\n1.5,0\n7,123456789\n";
        let outcomes = run(
            &Corpus::of([BYTES, RATES]).odd(&ODD),
            |text, _| match parse(text) {
                Ok(_) => "read",
                Err(_) => "refused",
            },
        );
        outcomes.at_least("read", 0.05).at_least("refused", 0.05);
    }
}
