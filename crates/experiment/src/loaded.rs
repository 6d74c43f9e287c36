//! A scenario as it was asked for: its text with `--set` applied, what it means, and what is left of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use farpath_scenario::{
    Diagnostic, Document, Scenario, Set, Source, load, load_expectations, shipped, without_managers,
};
use sha2::{Digest, Sha256};

use crate::Fault;

/// Files that a scenario reads, by their names in it.
pub type Files = BTreeMap<String, Arc<str>>;

/// A scenario's text with `--set` applied, and what it means.
#[derive(Debug)]
pub struct Loaded {
    /// Where the text comes from.
    pub source: Source,
    /// The text.
    pub document: Document,
    /// What it means.
    pub scenario: Scenario,
    /// Every file that it reads; of a sweep, those of all points.
    pub files: Files,
}

/// Reads a scenario, a file or the name of a shipped one, with its `--set` arguments.
pub fn open(name: &str, sets: &[Set]) -> Result<Loaded, Fault> {
    read(load(name)?, sets)
}

/// Reads a scenario's text with its `--set` arguments.
pub(crate) fn read(source: Source, sets: &[Set]) -> Result<Loaded, Fault> {
    let document = Document::open(&source, sets)?;
    let mut scenario = document.scenario()?;
    find_objects(&mut scenario, &source.name);
    Ok(Loaded {
        files: scenario.files.clone(),
        source,
        document,
        scenario,
    })
}

/// Object files of a scenario lie in its folder.
fn find_objects(scenario: &mut Scenario, source: &str) {
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    let tests = scenario.tests.iter_mut();
    for tcp in tests.filter_map(|t| t.kind.tcp_mut()) {
        if let Some(object) = &mut tcp.cc.object {
            *object = folder.join(&*object).display().to_string();
        }
    }
}

impl Loaded {
    /// Expects what a file of expectations says, too; gives what is doubted of them, a line each.
    pub fn expect(&mut self, file: &str) -> Result<Vec<String>, Fault> {
        let source = load_expectations(file)?;
        let (expects, doubts) = self.document.expectations(&source, &self.scenario)?;
        self.scenario.expects.extend(expects);
        Ok(doubts.lines())
    }

    /// What of the text makes no difference to a run, or lets nothing through, a line each: as `farpath check` has it. A shipped scenario's
    /// own text is as its source describes it: of that only what `--set` says is named.
    pub fn without_effect(&self) -> Vec<String> {
        // Tests may have been left out since it was read.
        let Ok(scenario) = self.document.scenario() else {
            return Vec::new();
        };
        if scenario.tests.is_empty() {
            return Vec::new();
        }
        let mut found = self.document.without_effect(&scenario);
        if shipped().any(|s| s.name == self.source.name) {
            let is_set = |d: &Diagnostic| d.places.first().is_some_and(|p| p.text > 0);
            found.faults.retain(is_set);
        }
        found.lines()
    }

    /// SHA-256 of the scenario's text; each file it reads adds, in order of their names, a zero byte, its
    /// name, a zero byte and its own SHA-256 in hexadecimal.
    pub fn sha256(&self) -> String {
        let mut all = without_managers(self.document.resolved_text()).to_owned();
        for (name, text) in &self.files {
            all.push_str(&format!("\0{name}\0{}", hex(text)));
        }
        hex(&all)
    }
}

fn hex(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

/// Leaves out the tests that `only` does not name, the expectations on them, and every search: how many expectations. None
/// named leaves all.
pub(crate) fn keep_only(scenario: &mut Scenario, only: &[String]) -> Result<usize, Fault> {
    let before = scenario.expects.len();
    if only.is_empty() {
        return Ok(0);
    }
    for name in only {
        if !scenario.tests.iter().any(|t| t.name == *name) {
            return Err(Fault::NoSuchTest {
                name: name.clone(),
                known: scenario.tests.iter().map(|t| t.name.clone()).collect(),
            });
        }
    }
    scenario.tests.retain(|t| only.contains(&t.name));
    let tests = scenario.tests.clone();
    let kept = |metric: &str| {
        let test = metric.split('.').next().unwrap_or_default();
        tests.iter().any(|t| t.name == test)
    };
    scenario
        .expects
        .retain(|e| kept(&e.metric) && [&e.over, &e.minus].into_iter().flatten().all(|m| kept(m)));
    scenario.searches.clear();
    Ok(before - scenario.expects.len())
}
