//! Traffic that was written down: a CSV file of two columns.

use std::sync::Arc;

use farpath_units::Duration;

use crate::decode::{At, shorten};
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Replay;
use crate::source::Beside;

/// Most rows of a file.
const MOST_ROWS: usize = 1_000_000;
/// Latest instant, in whole seconds: as long as any test.
const LATEST_S: u64 = 8_640_000;
/// Most bytes of a row, and most bits a second.
const MOST: u64 = 1_000_000_000_000_000;
const HEADERS: [&str; 2] = ["time_s,bytes", "time_s,rate_bps"];

/// What is wrong with a file: the line, the fault, the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    line: usize,
    title: String,
    remedy: String,
}

impl Fault {
    /// A fault in line `n`, from 0.
    pub(crate) fn new(n: usize, title: String, remedy: &str) -> Fault {
        at(n, title, remedy)
    }

    /// As a fault of the scenario that names the file.
    pub(crate) fn of_file(self, name: &str, place: std::ops::Range<usize>) -> Diagnostic {
        let title = format!("`{}`, line {}: {}", shorten(name), self.line, self.title);
        Diagnostic::new(place, title).help(self.remedy)
    }

    #[cfg(test)]
    pub(crate) fn line(&self) -> usize {
        self.line
    }
}

/// The file that `path` names, in the scenario's folder.
pub(crate) fn load(
    folder: &Beside,
    path: &At<String>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Arc<Replay>> {
    let name = path.get_ref();
    let fault = match folder.text(name, &["csv"]) {
        Err((title, remedy)) => Diagnostic::new(path.span(), title).help(remedy),
        Ok(text) => match parse(&text) {
            Ok(replay) => return Some(Arc::new(replay)),
            Err(fault) => fault.of_file(name, path.span()),
        },
    };
    faults.push(fault);
    None
}

fn at(line: usize, title: String, remedy: &str) -> Fault {
    Fault {
        line: line + 1,
        title,
        remedy: remedy.to_owned(),
    }
}

/// Reads the text of a file, strictly.
pub(crate) fn parse(text: &str) -> Result<Replay, Fault> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, l)| l);
    let Some(kind) = HEADERS.iter().position(|h| *h == header) else {
        let remedy = match nearest(header, &HEADERS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "begin with `time_s,bytes` or `time_s,rate_bps`".to_owned(),
        };
        let title = format!("`{}` is not a valid header", shorten(header));
        return Err(at(0, title, &remedy));
    };
    let mut rows: Vec<(Duration, u64)> = Vec::new();
    for (n, line) in lines {
        let row = row(n, line, ["bytes", "bits per second"][kind])?;
        if rows.last().is_some_and(|last| last.0 >= row.0) {
            let title = "its time is not later than that of the line before".to_owned();
            let remedy = "sort the lines by time, and add up what happens at one instant";
            return Err(at(n, title, remedy));
        }
        if rows.len() == MOST_ROWS {
            let remedy = "at most a million are replayed";
            return Err(at(n, "too many lines".to_owned(), remedy));
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
        return Err(at(rows.len(), title, remedy[kind]));
    }
    Ok(if kind == 0 {
        Replay::Bytes(rows)
    } else {
        Replay::Rates(rows)
    })
}

/// One line; `of` is what its second cell counts.
fn row(n: usize, line: &str, of: &str) -> Result<(Duration, u64), Fault> {
    let mut cells = line.split(',');
    let (Some(time), Some(value), None) = (cells.next(), cells.next(), cells.next()) else {
        let title = format!("`{}` has not two cells", shorten(line));
        return Err(at(n, title, "write a time, a comma and a number"));
    };
    let Some(time) = seconds(time) else {
        let title = format!("`{}` is not a valid time", shorten(time));
        let remedy = "seconds since the start of the test, at most 100 days, such as 12.5";
        return Err(at(n, title, remedy));
    };
    let Some(value) = whole(value).filter(|v| *v <= MOST) else {
        let title = format!("`{}` is not a number of {of}", shorten(value));
        let remedy = "a whole number without a unit, at most 10^15";
        return Err(at(n, title, remedy));
    };
    Ok((time, value))
}

pub(crate) fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Seconds with up to twelve decimals, exactly.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let (secs, rest) = text.split_once('.').unwrap_or((text, "0"));
    let secs = whole(secs).filter(|s| *s <= LATEST_S)?;
    if rest.len() > 12 {
        return None;
    }
    let fraction = whole(rest)? * 10_u64.pow(12 - rest.len() as u32);
    Some(Duration::from_ps(secs * 1_000_000_000_000 + fraction))
}

#[cfg(test)]
pub(crate) mod tests {
    use farpath_mutate::{Corpus, run};

    use super::*;

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

    /// What breaks readers of numbers in rows.
    pub(crate) const ODD: [&str; 12] = [
        "-",
        "+",
        "e",
        "x",
        "\"",
        "\0",
        ",,",
        ".",
        "\n\n",
        "1e309",
        "nan",
        "18446744073709551616",
    ];

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
