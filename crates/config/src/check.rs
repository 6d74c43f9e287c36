//! Checking files of several languages at once.

use crate::dialect::Dialect;
use crate::qos::Options;
use crate::report::Report;
use crate::source::Source;

/// Reads and checks `sources` together: circuits and classes of service cross devices. `dialects`
/// names each file's language; where it is `None`, or missing, it is detected from the text.
pub fn check(sources: &[Source], dialects: &[Option<Dialect>]) -> Report {
    check_with(sources, dialects, &Options::default())
}

/// As [`check`], with what the user knows of ports, round-trip times, tests and targets.
pub fn check_with(sources: &[Source], dialects: &[Option<Dialect>], options: &Options) -> Report {
    let mut report = Report::new(sources, dialects);
    for (number, source) in sources.iter().enumerate() {
        let stated = dialects.get(number).copied().flatten().is_some();
        if !stated && options.platform.is_none() {
            report.refuse_foreign(number, &source.text);
        }
    }
    // Each language looks for its own files with `Report::files_in` and fills in what it found.
    let unknown = crate::junos::check(sources, options, &mut report);
    crate::qos::check(sources, options, &mut report);
    crate::bundles::check(sources, &mut report);
    crate::links::check(sources, &unknown, &mut report);
    crate::routes::check(sources, &mut report);
    crate::subnets::check(sources, &mut report);
    crate::neighbors::check(sources, &mut report);
    crate::joined::check(sources, &unknown, options, &mut report);
    crate::vlan::check(sources, &unknown, &mut report);
    crate::hosts::check(sources, options, &mut report);
    report.refuse_empty();
    report.sort();
    report
}
