//! `show interfaces counters errors` of IOS, NX-OS and EOS, and `counters discards`: what each port counts.

use super::several::Several;
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port};
use crate::words::whole;

/// The table that is read: what its columns count.
#[derive(Default)]
pub(super) struct Table {
    columns: Vec<Option<Kind>>,
}

/// What columns count, as each system calls them. Others are of frames too short or too long, of collisions, and of the same errors again.
const COLUMNS: [(&str, Kind); 4] = [
    ("FCS", Kind::Damaged),
    ("FCS-Err", Kind::Damaged),
    ("InDiscards", Kind::Refused),
    ("OutDiscards", Kind::Dropped),
];

/// What other tables of errors have in their heads.
const OTHERS: [&str; 4] = ["Align-Err", "Single-Col", "Giants", "Symbol-Err"];

impl Table {
    /// Takes a line of the table, which is of a router.
    pub(super) fn line(
        &mut self,
        text: &str,
        router: &str,
        at: Place,
        counted: &mut Several,
    ) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((name, cells)) = words.split_first() else {
            return false;
        };
        let kinds = || cells.iter().map(|w| kind_of(w));
        let is_head = || kinds().any(|k| k.is_some()) || cells.iter().any(|w| OTHERS.contains(w));
        if *name == "Port" && is_head() {
            self.columns = kinds().collect();
            return true;
        }
        let is_row = !self.columns.is_empty()
            && cells.len() == self.columns.len()
            && name.contains(|c: char| c.is_ascii_digit())
            && cells.iter().all(|c| *c == "--" || whole(c).is_some());
        if !is_row {
            return false;
        }
        for (kind, cell) in self.columns.iter().zip(cells) {
            if let (Some(kind), Some(n)) = (kind, whole(cell)) {
                let port = Port {
                    router: router.to_owned(),
                    name: crate::redact(name),
                };
                counted.adds(port, (*kind, n as f64), None, at);
            }
        }
        true
    }
}

/// What a column counts.
fn kind_of(head: &str) -> Option<Kind> {
    let mut all = COLUMNS.iter();
    all.find(|(name, _)| *name == head).map(|(_, kind)| *kind)
}
