//! Junos: text with braces or `set` lines, and what it says.

use crate::dialect::Dialect;
use crate::report::Report;
use crate::source::Source;

/// Reads and checks the Junos files among `sources`.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    for number in report.files_in(&[Dialect::Junos, Dialect::JunosSet]) {
        report.files[number].recognised = sources[number].text.lines().count();
    }
}
