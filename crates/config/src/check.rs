//! Checking files of several languages at once.

use crate::dialect::Dialect;
use crate::report::Report;
use crate::source::Source;

/// Reads and checks `sources` together: circuits and classes of service cross devices. `dialects`
/// names each file's language; where it is `None`, or missing, the text tells.
pub fn check(sources: &[Source], dialects: &[Option<Dialect>]) -> Report {
    let mut report = Report::new(sources, dialects);
    // Each language looks for its own files with `Report::files_in` and fills in what it found.
    crate::junos::check(sources, &mut report);
    report.sort();
    report
}
