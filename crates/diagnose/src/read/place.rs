//! Places of texts, for people.

use super::Facts;
use crate::fact::Place;

impl Facts {
    /// A place for people: `ticket.txt:19`, `sender.pcapng#1`.
    pub fn place(&self, at: Place) -> String {
        let name = |source: u32| {
            let name = self.sources.get(source as usize);
            name.map_or("", String::as_str)
        };
        match at {
            Place::You => "you".to_owned(),
            // A file of one value has no lines.
            Place::Line(source, 0) => name(source).to_owned(),
            Place::Line(source, line) => format!("{}:{line}", name(source)),
            Place::Connection(source, id) => format!("{}#{id}", name(source)),
        }
    }
}
