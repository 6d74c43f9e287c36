//! Lines of ethtool and tc without the name of their interface, where one command line asks several.

use super::{Nic, begins, head};
use crate::words::whole;

impl Nic {
    /// Whether a line is of an interface that nothing names, where several were asked: nothing is made of it.
    pub(super) fn is_unnamed(&mut self, text: &str, going: bool) -> bool {
        if head(text).is_some() {
            return false;
        }
        if !going {
            self.interface.clear();
        }
        let begun = begins(text);
        let kind = begun.unwrap_or(if going { self.kind } else { "" });
        let nameless = self.interface.is_empty();
        let value = text.split_once(':').map_or("", |(_, value)| value.trim());
        let counts = whole(value).is_some();
        let unnamed = match (kind, begun) {
            ("tc", Some(_)) => true,
            // What is counted stands below no name, whatever was printed before it.
            ("ethtool", Some(_)) => nameless || counts || text == "NIC statistics:",
            ("tc", None) => nameless && (text.starts_with("Sent ") || text.starts_with("backlog ")),
            ("ethtool", None) => nameless && (counts || self.is_asked(text)),
            _ => false,
        };
        if unnamed {
            self.kind = kind;
            self.host = None;
            self.interface.clear();
        }
        unnamed
    }
}
