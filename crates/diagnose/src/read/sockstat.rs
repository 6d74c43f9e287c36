//! `/proc/net/sockstat` of Linux: the memory that all TCP sockets of a host have together.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::{after, whole};

/// What all TCP sockets of a host have of memory, pages, and how many of them no program has open any more.
pub(crate) const USED: &str = "tcp_memory_pages";
pub(crate) const ORPHANS: &str = "tcp_orphan_count";

/// The state of reading.
#[derive(Default)]
pub(super) struct Sockstat {
    host: Option<Of>,
}

/// What its other lines begin with.
const OTHERS: [&str; 7] = [
    "sockets: used ",
    "UDP: inuse ",
    "UDPLITE: inuse ",
    "RAW: inuse ",
    "FRAG: inuse ",
    "TCP6: inuse ",
    "MPTCP: ",
];

impl Tool for Sockstat {
    fn name(&self) -> &'static str {
        "sockstat"
    }

    /// `TCP: inuse 27 orphan 0 tw 2 alloc 41 mem 3812`: its last number is of pages, and orphans are sockets that no program has open.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if !going {
            self.host = None;
        }
        if !text.starts_with("TCP: inuse ") {
            return OTHERS.iter().any(|head| text.starts_with(head));
        }
        if let Some(pages) = after(text, " mem ").and_then(whole) {
            let host = *self.host.get_or_insert_with(|| facts.host());
            facts.exact(host, USED, pages as f64, line.at);
            if let Some(orphans) = after(text, " orphan ").and_then(whole) {
                facts.exact(host, ORPHANS, orphans as f64, line.at);
            }
        }
        true
    }
}
