//! The configuration files of a scenario's routers.

use farpath_config::{Dialect, Report, Source};

use super::NodeId;

/// The configuration files of a scenario, read and checked together.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The files, in the order of their routers.
    pub sources: Vec<Source>,
    /// What was read and found.
    pub report: Report,
    /// The router each file belongs to.
    pub(crate) nodes: Vec<NodeId>,
    /// The language that the scenario states for each.
    pub(crate) dialects: Vec<Option<Dialect>>,
    /// Where links end on interfaces of these files.
    pub(crate) plugs: Vec<Plug>,
}

/// An end of a link at an interface of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plug {
    pub(crate) file: usize,
    pub(crate) interface: String,
    /// Number of the link.
    pub(crate) link: usize,
    /// Number of the end in its `ends`.
    pub(crate) side: usize,
}
