//! Reading the configuration files of a scenario's routers, and finding one's way in them.

use farpath_config::junos::model::Router as Junos;
use farpath_config::qos::Device;
use farpath_config::{Dialect, Finding, Place, Severity, Source, check, place};

use super::interface::{has, interfaces};
use crate::decode::At;
use crate::diagnostic::Diagnostic;
use crate::model::{Configuration, NodeId, Scenario};
use crate::sections::Tables;
use crate::source::Beside;

/// Ends of files that hold configurations.
const ENDINGS: [&str; 5] = ["conf", "cfg", "txt", "junos", "ios"];

/// Errors of these checks leave no circuit to build; others are findings to be read.
const NO_CIRCUIT: [&str; 11] = [
    "CCC001", "CCC002", "CCC003", "CCC004", "CCC005", "CCC006", "CCC007", "CCC008", "CCC010",
    "CCC011", "CCC012",
];

/// The configurations that `routers` name, in the scenario's folder; `None` if there are
/// none.
pub(crate) fn load(
    tables: &Tables,
    folder: &Beside,
    faults: &mut Vec<Diagnostic>,
) -> Option<Configuration> {
    let (mut sources, mut dialects, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    for (number, router) in tables.routers.iter().enumerate() {
        let Some(file) = router.at::<String>("config") else {
            continue;
        };
        match folder.text(file.get_ref(), &ENDINGS) {
            Err((title, remedy)) => faults.push(Diagnostic::new(file.span(), title).help(remedy)),
            Ok(text) => sources.push(Source {
                name: file.get_ref().clone(),
                text: text.as_ref().to_owned(),
            }),
        }
        let dialect: Option<String> = router.get("dialect");
        dialects.push(dialect.and_then(|d| Dialect::named(&d)));
        nodes.push(NodeId(tables.hosts.len() + number));
    }
    if sources.is_empty() || sources.len() < nodes.len() {
        return None;
    }
    let report = check(&sources, &dialects);
    let configuration = Configuration {
        sources,
        report,
        nodes,
        dialects,
        plugs: Vec::new(),
    };
    configuration.refuse(tables, faults);
    Some(configuration)
}

impl Configuration {
    /// Says what of the files cannot be read or built.
    fn refuse(&self, tables: &Tables, faults: &mut Vec<Diagnostic>) {
        for file in &self.report.files {
            for fault in &file.faults {
                let title = format!("{}: {}", self.at(&fault.place), fault.message);
                let place = self.named_at(tables, fault.place.file);
                faults.push(Diagnostic::new(place, title).help(fault.remedy.clone()));
            }
        }
        let fatal = |f: &&Finding| f.severity == Severity::Error && NO_CIRCUIT.contains(&&*f.rule);
        for finding in self.report.findings.iter().filter(fatal) {
            let at = place(finding);
            let title = format!("{}: {}", self.at(at), finding.text);
            let place = self.named_at(tables, at.file);
            let mut d = Diagnostic::new(place, title).label(&*finding.rule);
            for remedy in &finding.remedies {
                d = d.help(remedy.clone());
            }
            faults.push(d);
        }
    }

    /// `cernh5.conf, line 12, column 5`.
    pub(super) fn at(&self, place: &Place) -> String {
        let source = &self.sources[place.file];
        let (line, column) = source.line_and_column(place.span.start);
        format!("{}, line {line}, column {column}", source.name)
    }

    /// Where the scenario names a file.
    pub(super) fn named_at(&self, tables: &Tables, file: usize) -> core::ops::Range<usize> {
        let router = self.nodes[file].0 - tables.hosts.len();
        tables.routers[router].place("config")
    }

    /// The switch a file is about.
    pub(super) fn device(&self, file: usize) -> Option<&Device> {
        self.report.devices.iter().find(|d| d.file == file)
    }

    /// The places where a link ends on a Junos router whose interface it names: the router, the
    /// link's number and side, and the interface.
    pub(super) fn junos_ends<'a>(
        &'a self,
        tables: &'a Tables,
        scenario: &Scenario,
    ) -> Vec<(&'a Junos, usize, usize, At<String>)> {
        let mut ends = Vec::new();
        for (number, (link, f)) in scenario.links.iter().zip(&tables.links).enumerate() {
            let Some(names) = interfaces(f) else { continue };
            for (side, name) in names.into_iter().enumerate() {
                let node = link.ends[side];
                let routers = self.report.routers.iter();
                let here = |r: &&Junos| self.node(r) == node && has(r, name.get_ref());
                let Some(router) = routers.into_iter().find(here) else {
                    continue;
                };
                ends.push((router, number, side, name));
            }
        }
        ends
    }

    /// The node of a Junos router, as numbered in the report.
    pub(super) fn node(&self, router: &Junos) -> NodeId {
        self.nodes[router.place.file]
    }
}
