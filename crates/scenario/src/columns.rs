//! Files of numbers beside a scenario, in one or two columns, read strictly: delays, rates and traffic that were written down.

use farpath_units::Duration;

use crate::decode::At;
use crate::diagnostic::{Diagnostic, nearest, shorten};
use crate::source::Beside;

/// Most lines of a file.
pub(crate) const MOST_ROWS: usize = 1_000_000;
/// Latest instant, in whole seconds: as long as any test.
const LATEST_S: u64 = 8_640_000;

/// What is wrong with a file: the line, the fault, the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) title: String,
    pub(crate) remedy: String,
}

impl Fault {
    /// A fault in line `n`, from 0.
    pub(crate) fn new(n: usize, title: String, remedy: &str) -> Fault {
        Fault {
            line: n + 1,
            title,
            remedy: remedy.to_owned(),
        }
    }

    /// A time that is not later than that of the line before.
    pub(crate) fn unsorted(n: usize, remedy: &str) -> Fault {
        let title = "its time is not later than that of the line before".to_owned();
        Fault::new(n, title, remedy)
    }

    /// More lines than [`MOST_ROWS`].
    pub(crate) fn too_many(n: usize, remedy: &str) -> Fault {
        Fault::new(n, "too many lines".to_owned(), remedy)
    }
}

/// Which of two headers the first line of a file is, from 0.
pub(crate) fn header(first: Option<&str>, headers: &[&str; 2]) -> Result<usize, Fault> {
    let found = first.unwrap_or("");
    if let Some(kind) = headers.iter().position(|h| *h == found) {
        return Ok(kind);
    }
    let remedy = match nearest(found, headers) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("begin with `{}`", headers.join("` or `")),
    };
    let title = format!("`{}` is not a valid header", shorten(found));
    Err(Fault::new(0, title, &remedy))
}

/// What `parse` makes of the file that `path` names, in the scenario's folder, whose name has one of these endings.
pub(crate) fn read<T>(
    folder: &Beside,
    path: &At<String>,
    endings: &[&str],
    parse: impl FnOnce(&str) -> Result<T, Fault>,
    faults: &mut Vec<Diagnostic>,
) -> Option<T> {
    let name = path.get_ref();
    let fault = match folder.text(name, endings).map(|text| parse(&text)) {
        Ok(Ok(found)) => return Some(found),
        Ok(Err(Fault {
            line,
            title,
            remedy,
        })) => {
            let title = format!("`{}`, line {line}: {title}", shorten(name));
            Diagnostic::new(path.span(), title).help(remedy)
        }
        Err((title, remedy)) => Diagnostic::new(path.span(), title).help(remedy),
    };
    faults.push(fault);
    None
}

/// The time in a line of two cells, and the other cell. `value` says what that is, and `of` what the time is since the start of.
pub(crate) fn timed<'t>(
    n: usize,
    line: &'t str,
    value: &str,
    of: &str,
) -> Result<(Duration, &'t str), Fault> {
    let Some((time, other)) = line.split_once(',').filter(|(_, o)| !o.contains(',')) else {
        let title = format!("`{}` has not two cells", shorten(line));
        let remedy = format!("write a time, a comma and a {value}");
        return Err(Fault::new(n, title, &remedy));
    };
    let Some(time) = seconds(time) else {
        let title = format!("`{}` is not a valid time", shorten(time));
        let remedy = format!("seconds since the start of the {of}, at most 100 days, such as 12.5");
        return Err(Fault::new(n, title, &remedy));
    };
    Ok((time, other))
}

/// A number of digits alone, 18 at most.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 18 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Microseconds with up to six decimals, exactly.
pub(crate) fn microseconds(text: &str) -> Option<Duration> {
    exact(text, 6)
}

/// Seconds with up to twelve decimals, exactly.
fn seconds(text: &str) -> Option<Duration> {
    exact(text, 12).filter(|time| *time < Duration::from_secs(LATEST_S + 1))
}

/// A number of units of 10^`decimals` ps, with as many decimals at most.
fn exact(text: &str, decimals: u32) -> Option<Duration> {
    let (units, rest) = text.split_once('.').unwrap_or((text, "0"));
    let left = decimals.checked_sub(u32::try_from(rest.len()).ok()?)?;
    let units = whole(units)?.checked_mul(10_u64.pow(decimals))?;
    let rest = whole(rest)? * 10_u64.pow(left);
    Some(Duration::from_ps(units.checked_add(rest)?))
}

/// What breaks readers of numbers in rows.
#[cfg(test)]
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
