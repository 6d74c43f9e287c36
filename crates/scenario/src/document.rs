//! From text and `--set` arguments to a scenario: the order in which things are read and checked.

use core::ops::Range;
use std::collections::BTreeMap;

use farpath_record::Expect;
use toml::de::{DeTable, DeValue};

use crate::decode::{self, Fields};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, shorten};
use crate::key::Section;
use crate::model::{Scenario, Search};
use crate::names::Names;
use crate::sections::Tables;
use crate::set::{self, Edited, Set};
use crate::source::{Beside, Source};
use crate::syntax::tree;
use crate::table::{
    ARRAYS, BUNDLE, CCC, EVENT, EXPECT, HOST, LINK, LSP, ROUTER, SCENARIO, SEARCH, TEST,
};
use crate::{
    bundle, configured, event, expect, idle, mpls, network, reach, search, sweep, traffic,
};

/// Intervals of the series where a scenario does not say.
const INTERVALS: u32 = 600;

/// Most points of a sweep that are checked for what has no effect at all or some of them.
const POINTS_MOST: usize = 256;

/// A scenario's text with its `--set` arguments applied.
#[derive(Clone, Debug)]
pub struct Document {
    texts: Vec<(String, String)>,
    edited: Edited,
    sets: Vec<Set>,
}

/// Reads `source` with `sets` applied, in order.
///
/// # Errors
/// Every fault found, each with file, line, cause and remedy.
pub fn parse(source: &Source, sets: &[Set]) -> Result<Scenario, Diagnostics> {
    Document::open(source, sets)?.scenario()
}

impl Document {
    /// Applies `sets` to `source`, in order.
    ///
    /// # Errors
    /// A `--set` path that is unknown, or names nothing in this scenario.
    pub fn open(source: &Source, sets: &[Set]) -> Result<Document, Diagnostics> {
        let (edited, faults) = set::apply(&source.text, sets);
        let mut texts = vec![(source.name.clone(), source.text.clone())];
        texts.extend(sets.iter().map(Set::written));
        if faults.is_empty() {
            Ok(Document {
                texts,
                edited,
                sets: sets.to_vec(),
            })
        } else {
            Err(Diagnostics::new(texts, faults))
        }
    }

    /// The text after all edits, comments kept: what `scenario.resolved.toml` holds.
    pub fn resolved_text(&self) -> &str {
        &self.edited.text
    }

    /// How many expectations `--set` left out with their points of the sweep.
    pub fn left_out(&self) -> usize {
        self.edited.left_out
    }

    /// Decodes and checks the text.
    ///
    /// # Errors
    /// Every fault found.
    pub fn scenario(&self) -> Result<Scenario, Diagnostics> {
        let mut faults = Vec::new();
        let found = self.read(&mut faults);
        match found {
            Some(scenario) if faults.is_empty() => {
                let undone = sweep::undone(&self.sets, &scenario);
                match undone.is_empty() {
                    true => Ok(scenario),
                    false => Err(Diagnostics::new(self.texts.clone(), undone)),
                }
            }
            _ => Err(self.diagnostics(faults)),
        }
    }

    /// What the text says that makes no difference to a run of `scenario`, which was read of it; of a sweep, to a run of any
    /// point, or of those at which another key has certain values. Of a sweep with more than 256 points nothing is said.
    pub fn without_effect(&self, scenario: &Scenario) -> Diagnostics {
        if scenario.sweep.is_empty() {
            let mut found = self.idle(scenario, false);
            // What a searched value makes of it is not known between the ends.
            for end in scenario.searches.iter().flat_map(Search::ends) {
                let (there, _) = self.idle_at(&end);
                found.retain(|d| there.iter().any(|at| at.key.is_none() && at.finding == *d));
            }
            return self.diagnostics(found);
        }
        if scenario.point_count() > POINTS_MOST {
            return self.diagnostics(Vec::new());
        }
        let points: Vec<Vec<Set>> = scenario.points().into_iter().map(|p| p.sets).collect();
        let read: Vec<(Vec<idle::AtPoint>, Option<Scenario>)> =
            points.iter().map(|point| self.idle_at(point)).collect();
        let (found, scenarios): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        let unread = self.unread(&points, &scenarios, &found);
        let mut all = idle::swept(&points, found);
        all.extend(unread);
        self.diagnostics(all)
    }

    /// Swept keys whose values make the same scenario of all other keys' values, and that nothing is found about.
    fn unread(
        &self,
        points: &[Vec<Set>],
        scenarios: &[Option<Scenario>],
        found: &[Vec<idle::AtPoint>],
    ) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (path, groups) in idle::alike(points) {
            let said = |at: &idle::AtPoint| at.key.as_deref() == Some(path);
            let same = |group: &Vec<usize>| {
                let first = scenarios[group[0]].as_ref();
                let mut others = group.iter().map(|n| scenarios[*n].as_ref());
                first.is_some() && others.all(|other| other == first)
            };
            if found.iter().flatten().any(said) || !groups.iter().all(same) {
                continue;
            }
            let set = points.iter().flatten().find(|set| set.path == path);
            if let Some(place) = set.and_then(|set| sweep::place(&self.texts[0].1, set)) {
                let title = format!(
                    "`{path}` has no effect at any of {} points: the scenario is the same with each of its values",
                    points.len()
                );
                let help = "sweep what reads it as well, or remove it from the sweep";
                all.push(Diagnostic::new(place, title).help(help));
            }
        }
        all
    }

    /// What is right, and may not be what was meant: bounds without a unit, which are read in that of the metric's name,
    /// and a value without a tolerance. One for each expectation or search, none where a text cannot be read.
    pub fn doubts(&self) -> Diagnostics {
        let mut faults = Vec::new();
        let (tree, _) = DeTable::parse_recoverable(&self.edited.text);
        let tables = Tables::read(tree.get_ref(), &mut faults);
        let expects = tables.expects.iter().filter_map(expect::doubt);
        let searches = tables.searches.iter().filter_map(search::doubt);
        self.diagnostics(expects.chain(searches).collect())
    }

    /// The expectations of `source`, a text of `[[expect]]` alone, on `scenario`, which was read of this document; and what
    /// is doubted of them, as by [`Document::doubts`]. One on what the scenario lacks is taken: it says so, and fails.
    ///
    /// # Errors
    /// Every fault found, where it stands in `source`; a text without an expectation is one.
    pub fn expectations(
        &self,
        source: &Source,
        scenario: &Scenario,
    ) -> Result<(Vec<Expect>, Diagnostics), Diagnostics> {
        // This text has no faults, or there were no scenario.
        let (own, _) = DeTable::parse_recoverable(&self.edited.text);
        let tables = Tables::read(own.get_ref(), &mut Vec::new());
        let names = Names::collect(&tables, &mut Vec::new());
        let mut faults = Vec::new();
        let fields = expectations_of(&source.text, &mut faults);
        let expect = |f: &Fields| expect::beside(f, &names, scenario, &mut faults);
        let mut expects: Vec<Expect> = fields.iter().filter_map(expect).collect();
        let texts = || vec![(source.name.clone(), source.text.clone())];
        if !faults.is_empty() {
            return Err(Diagnostics::new(texts(), faults));
        }
        let doubts = fields.iter().filter_map(expect::doubt).collect();
        let doubts = Diagnostics::new(texts(), doubts);
        // Without a fault there is one of each section.
        for ((number, expect), f) in (1..).zip(&mut expects).zip(&fields) {
            let (line, column) = doubts.line_column(&Place::of(f.place("metric")));
            expect.file = Some(source.name.clone());
            expect.question = Some(number);
            expect.place = Some(format!("{}:{line}:{column}", source.name));
        }
        Ok((expects, doubts))
    }

    /// What has no effect at a point of the sweep, where it stands in this text; and the scenario of that point.
    fn idle_at(&self, point: &[Set]) -> (Vec<idle::AtPoint>, Option<Scenario>) {
        let source = Source {
            name: self.texts[0].0.clone(),
            text: self.edited.text.clone(),
        };
        let Ok(document) = Document::open(&source, point) else {
            return (Vec::new(), None);
        };
        let Ok(mut scenario) = document.scenario() else {
            return (Vec::new(), None);
        };
        scenario.sweep.clear();
        let here = |mut finding: Diagnostic| {
            let mut key = None;
            for (n, place) in finding.places.iter_mut().enumerate() {
                place.span = match document.edited.origin(place.span.clone()) {
                    Ok(span) => span,
                    // Of the point itself: a value among others.
                    Err(set) if n == 0 => {
                        let set = point.get(set)?;
                        key = Some(set.path.clone());
                        sweep::place(&source.text, set)?
                    }
                    Err(_) => return None,
                };
            }
            Some(idle::AtPoint { finding, key })
        };
        let found = document.idle(&scenario, true);
        (found.into_iter().filter_map(here).collect(), Some(scenario))
    }

    /// What has no effect; at one point of several, or in all there is.
    fn idle(&self, scenario: &Scenario, is_point: bool) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let (tree, _) = DeTable::parse_recoverable(&self.edited.text);
        let tables = Tables::read(tree.get_ref(), &mut faults);
        match faults.is_empty() {
            true => idle::keys(&tables, scenario, is_point),
            false => Vec::new(),
        }
    }

    fn read(&self, faults: &mut Vec<Diagnostic>) -> Option<Scenario> {
        let tree = tree(&self.edited.text, faults)?;
        let tables = Tables::read(tree.get_ref(), faults);
        let known = tables.names_are_known();
        let scenario = known.then(|| resolve(&tables, &self.texts[0].0, faults));
        if let Some(scenario) = scenario.as_ref().filter(|_| faults.is_empty()) {
            reach::check(scenario, &tables, faults);
        }
        if !faults.is_empty() {
            sweep::check_values(&tables, faults);
        }
        scenario
    }

    fn diagnostics(&self, mut faults: Vec<Diagnostic>) -> Diagnostics {
        for place in faults.iter_mut().flat_map(|f| f.places.iter_mut()) {
            match self.edited.origin(place.span.clone()) {
                Ok(span) => place.span = span,
                Err(set) => (place.text, place.span) = self.written_at(set),
            }
        }
        for fault in &mut faults {
            let first = fault.places.first().and_then(|p| p.text.checked_sub(1));
            if let Some(set) = first.and_then(|n| self.sets.get(n)) {
                fault.remedies.iter_mut().for_each(|r| *r = set.remedy(r));
            }
        }
        Diagnostics::new(self.texts.clone(), faults)
    }

    /// In which text the value of a set stands, and where: a sweep's in the scenario, any other in its own argument.
    fn written_at(&self, n: usize) -> (usize, Range<usize>) {
        let set = self.sets.get(n);
        if let Some(span) = set.and_then(|s| sweep::place(&self.texts[0].1, s)) {
            return (0, span);
        }
        let text = self.texts.get(n + 1).map_or("", |t| t.1.as_str());
        (n + 1, set.map_or(0, Set::value_at)..text.len())
    }
}

/// The sections of a text of expectations alone; what is beside them is a fault, and so is none.
fn expectations_of(text: &str, faults: &mut Vec<Diagnostic>) -> Vec<Fields> {
    let Some(tree) = tree(text, faults) else {
        return Vec::new();
    };
    for (name, _) in tree.get_ref() {
        if name.get_ref() != EXPECT.name {
            let title = format!("`{}` beside [[expect]]", shorten(name.get_ref()));
            let d = Diagnostic::new(name.span(), title);
            faults.push(d.help("this file has expectations alone: the rest is the scenario's"));
        }
    }
    let fields = array(tree.get_ref(), &EXPECT, faults);
    if fields.is_empty() && faults.is_empty() {
        let d = Diagnostic::new(0..0, "there is no [[expect]]");
        faults.push(d.help("write expectations here as in a scenario, or leave the file out"));
    }
    fields
}

impl Tables {
    fn read(root: &DeTable<'_>, faults: &mut Vec<Diagnostic>) -> Tables {
        let mut unknown_section = false;
        let known = || ARRAYS.iter().map(|s| s.name).chain(["scenario", "sweep"]);
        for (name, value) in root {
            // What a section defines is missing where it is not read.
            let is_array = matches!(value.get_ref(), DeValue::Array(_));
            unknown_section |= !is_array && ARRAYS.iter().any(|s| s.name == name.get_ref());
            if !known().any(|k| k == name.get_ref()) {
                unknown_section = true;
                let text = shorten(name.get_ref());
                let is_table = matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_));
                let what = if is_table { "section" } else { "key" };
                faults.push(
                    Diagnostic::new(name.span(), format!("unknown {what} `{text}`"))
                        .suggest(name.get_ref(), known()),
                );
            }
        }
        let scenario = match root.get("scenario").map(|v| (v.span(), v.get_ref())) {
            Some((span, DeValue::Table(t))) => decode::table(span, t, &SCENARIO, faults),
            Some((span, _)) => {
                faults.push(
                    Diagnostic::new(span, "`scenario` must be a table")
                        .help("write a line `[scenario]`"),
                );
                Fields::empty()
            }
            None => {
                let remedy = "begin with a line `[scenario]` and a line `name = \"my-path\"`";
                faults.push(Diagnostic::new(0..0, "there is no [scenario]").help(remedy));
                Fields::empty()
            }
        };
        Tables {
            scenario,
            hosts: array(root, &HOST, faults),
            routers: array(root, &ROUTER, faults),
            links: array(root, &LINK, faults),
            bundles: array(root, &BUNDLE, faults),
            lsps: array(root, &LSP, faults),
            cccs: array(root, &CCC, faults),
            tests: array(root, &TEST, faults),
            events: array(root, &EVENT, faults),
            expects: array(root, &EXPECT, faults),
            searches: array(root, &SEARCH, faults),
            sweep: sweep::read(root, faults),
            unknown_section,
        }
    }
}

fn array(root: &DeTable<'_>, section: &Section, faults: &mut Vec<Diagnostic>) -> Vec<Fields> {
    let refuse = |span, faults: &mut Vec<Diagnostic>| {
        faults.push(
            Diagnostic::new(span, format!("`{}` may occur several times", section.name))
                .help(format!("write it in double brackets: [[{}]]", section.name)),
        );
    };
    let mut all = Vec::new();
    match root.get(section.name).map(|v| (v.span(), v.get_ref())) {
        Some((_, DeValue::Array(list))) => {
            for item in list.iter() {
                match item.get_ref() {
                    DeValue::Table(t) => all.push(decode::table(item.span(), t, section, faults)),
                    _ => refuse(item.span(), faults),
                }
            }
        }
        Some((span, _)) => refuse(span, faults),
        None => {}
    }
    all
}

fn resolve(tables: &Tables, source: &str, faults: &mut Vec<Diagnostic>) -> Scenario {
    let folder = Beside::of(source);
    let names = Names::collect(tables, faults);
    let hosts: Vec<_> = tables.hosts.iter().map(network::host).collect();
    let routers: Vec<_> = tables.routers.iter().map(network::router).collect();
    let links: Vec<_> = tables
        .links
        .iter()
        .filter_map(|f| network::link(f, &names, &hosts, &folder, faults))
        .collect();
    let mut scenario = Scenario {
        name: tables.scenario.get("name").unwrap_or_default(),
        source: tables.scenario.get("source"),
        summary: tables.scenario.get("summary"),
        seed: tables
            .scenario
            .get::<i64>("seed")
            .map_or(1, i64::unsigned_abs),
        intervals: tables
            .scenario
            .get::<i64>("intervals")
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(INTERVALS),
        hosts,
        routers,
        links,
        bundles: Vec::new(),
        lsps: Vec::new(),
        cccs: Vec::new(),
        tests: Vec::new(),
        events: Vec::new(),
        expects: Vec::new(),
        sweep: Vec::new(),
        together: Vec::new(),
        labels: Vec::new(),
        searches: Vec::new(),
        configuration: configured::load(tables, &folder, faults),
        files: BTreeMap::new(),
    };
    paths(tables, &names, &mut scenario, faults);
    scenario.tests = tables
        .tests
        .iter()
        .filter_map(|f| traffic::test(f, &names, &scenario, &folder, faults))
        .collect();
    let events = event::all(&tables.events, &names, &scenario.links, faults);
    scenario.events = event::in_order(events);
    for f in &tables.events {
        crate::impair::check_event(f, &scenario, faults);
    }
    sweep::check(tables, &mut scenario, faults);
    scenario.searches = tables
        .searches
        .iter()
        .filter_map(|f| search::search(f, &names, tables, faults))
        .collect();
    faults.extend(tables.expects.iter().filter_map(expect::asks_itself));
    scenario.expects = tables
        .expects
        .iter()
        .filter_map(|f| expect::expect(f, &names, &scenario, faults))
        .collect();
    scenario.files = folder.files();
    scenario
}

/// The bundles, LSPs and cross-connects, those of the text and those of the routers' configurations.
fn paths(tables: &Tables, names: &Names, scenario: &mut Scenario, faults: &mut Vec<Diagnostic>) {
    // Numbers of links and LSPs hold only when none was dropped.
    if scenario.links.len() == tables.links.len() {
        scenario.bundles = tables
            .bundles
            .iter()
            .filter_map(|f| bundle::bundle(f, names, scenario, faults))
            .collect();
        scenario.lsps = tables
            .lsps
            .iter()
            .filter_map(|f| mpls::lsp(f, names, scenario, faults))
            .collect();
        if scenario.lsps.len() == tables.lsps.len() {
            scenario.cccs = tables
                .cccs
                .iter()
                .filter_map(|f| mpls::ccc(f, names, scenario, faults))
                .collect();
        }
    }
    if let Some(mut configuration) = scenario.configuration.take() {
        configuration.plug_in(tables, scenario);
        if faults.is_empty() {
            configured::apply(&configuration, tables, scenario, faults);
        }
        scenario.configuration = Some(configuration);
    }
}
