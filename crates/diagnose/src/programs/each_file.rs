//! Files that one program moves one after another: what each takes, beside the round trip of the path.

use crate::ceiling::bytes;
use crate::lines::bloat::ms;

/// Files that were moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EachFile {
    /// How many.
    pub(crate) count: f64,
    /// Bytes of each, and the time that each took, seconds.
    pub(crate) bytes: f64,
    pub(crate) each_s: f64,
}

impl EachFile {
    /// How many round trips each took, where one is known, and all of that in words.
    pub(crate) fn rounds(self, rtt_s: Option<f64>) -> (Option<f64>, String) {
        let text = format!(
            "{:.0} files of {} each took {} a file",
            self.count,
            bytes(self.bytes),
            ms(self.each_s)
        );
        let Some(rtt) = rtt_s else {
            return (None, text);
        };
        let rounds = self.each_s / rtt;
        let text = format!("{text}, {rounds:.1} round trips of {}", ms(rtt));
        (Some(rounds), text)
    }
}
