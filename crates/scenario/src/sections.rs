//! The sections of a file, before names join them.

use crate::decode::Fields;
use crate::sweep::Key;

/// Every section of a file, decoded but not yet joined by names.
pub(crate) struct Tables {
    pub(crate) scenario: Fields,
    pub(crate) hosts: Vec<Fields>,
    pub(crate) routers: Vec<Fields>,
    pub(crate) links: Vec<Fields>,
    pub(crate) bundles: Vec<Fields>,
    pub(crate) lsps: Vec<Fields>,
    pub(crate) cccs: Vec<Fields>,
    pub(crate) tests: Vec<Fields>,
    pub(crate) events: Vec<Fields>,
    pub(crate) expects: Vec<Fields>,
    pub(crate) searches: Vec<Fields>,
    pub(crate) sweep: Vec<Key>,
    /// There was a section of an unknown name, or one in single brackets: what it would have defined is missing.
    pub(crate) unknown_section: bool,
}

impl Tables {
    /// Whether a name that is not found is the fault of who wrote it, not of an earlier fault.
    pub(crate) fn names_are_known(&self) -> bool {
        let sections = [
            &self.hosts,
            &self.routers,
            &self.links,
            &self.bundles,
            &self.lsps,
            &self.tests,
            &self.searches,
        ];
        !self.unknown_section
            && sections
                .iter()
                .flat_map(|s| s.iter())
                .all(|f| f.get::<String>("name").is_some())
    }
}

/// The name of a table's `name` key, for messages.
pub(crate) fn name_of(fields: &Fields) -> String {
    fields.get("name").unwrap_or_default()
}
