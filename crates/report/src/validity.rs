//! Which numbers of a run no valid record says.

use farpath_record::{Origin, Point, Record, RunDocument};

use crate::table::GROUP;

/// What the sign before a number means.
pub(crate) const UNTRUSTED: &str =
    "! INVALID: the certificate failed, and the number may not be trusted";

/// Whether a valid record says it: one of the path's test or group, or any where the path has neither.
pub(crate) fn trusted(run: &RunDocument, path: &str, origin: Origin, point: &Point) -> bool {
    let here = |r: &&Record| r.origin == origin && r.point == *point;
    let mut all = run.records.iter().filter(here).peekable();
    let named = all.clone().any(|r| of_path(r, path));
    all.peek().is_none() || all.any(|r| r.valid && (!named || of_path(r, path)))
}

/// Whether a record is of the test or the group that a metric in full begins with.
pub(crate) fn of_path(record: &Record, path: &str) -> bool {
    match path.strip_prefix(GROUP) {
        Some(rest) => record.group.as_deref() == rest.split('.').next(),
        None => Some(record.test.as_str()) == path.trim_start_matches("search.").split('.').next(),
    }
}
