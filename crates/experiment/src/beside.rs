//! The page of several runs: all they hold in one document, as if the run were one more key of a sweep.

use std::collections::BTreeSet;

use farpath_record::page::{ReportData, RunOfPage};
use farpath_record::{Keys, Point, Repeats, record_notes};

/// The key of points that says which run it is; no key of a scenario is called so, for all of those have dots.
pub const RUN: &str = "run";

/// Lays runs beside each other, each with the name it is to have; none of none, and of one that run as it is. What
/// they do not share is left out: drawing, ways and text of scenarios that differ.
pub fn beside(mut runs: Vec<(String, ReportData)>) -> Option<ReportData> {
    if runs.len() < 2 {
        return runs.pop().map(|(_, data)| data);
    }
    let names = shared(&runs, |d| Some(d.scenario.name.clone()));
    let every: BTreeSet<&str> = runs.iter().map(|(_, d)| d.scenario.name.as_str()).collect();
    let name = names.unwrap_or_else(|| every.into_iter().collect::<Vec<_>>().join(", "));
    let mut all = runs[0].1.clone();
    all.scenario.name = name;
    all.scenario.summary = shared(&runs, |d| d.scenario.summary.clone());
    all.scenario.source = shared(&runs, |d| d.scenario.source.clone());
    all.scenario.text = shared(&runs, |d| d.scenario.text.clone());
    all.topology = shared(&runs, |d| d.topology.clone());
    all.paths = match all.topology {
        Some(_) => shared(&runs, |d| Some(d.paths.clone())).unwrap_or_default(),
        None => Vec::new(),
    };
    all.runs = runs
        .iter()
        .map(|(name, data)| of_page(name, data))
        .collect();
    all.command = None;
    all.captures.clear();
    (all.sequence, all.notes, all.laws) = Default::default();
    let document = &mut all.document;
    document.scenario.clone_from(&all.scenario.name);
    document.sweep = vec![vec![RUN.to_owned()]];
    (document.records, document.links, document.expectations) = Default::default();
    (document.repeats, document.stopped) = (None, None);
    for (name, data) in runs {
        let mark = |point: &mut Point| {
            point.insert(RUN.to_owned(), name.clone());
        };
        let mut one = data.document;
        swept(&mut document.sweep, one.sweep);
        one.records.iter_mut().for_each(|r| mark(&mut r.point));
        one.links.iter_mut().for_each(|l| mark(&mut l.point));
        one.expectations.iter_mut().for_each(|e| mark(&mut e.point));
        document.records.append(&mut one.records);
        document.links.append(&mut one.links);
        let known = &mut document.link_names;
        one.link_names.retain(|name| !known.contains(name));
        known.append(&mut one.link_names);
        document.expectations.append(&mut one.expectations);
        if let Some(mut repeats) = one.repeats {
            repeats.metrics.iter_mut().for_each(|m| mark(&mut m.point));
            add(document.repeats.get_or_insert_default(), repeats);
        }
        let mut traces = data.sequence;
        traces.iter_mut().for_each(|s| mark(&mut s.point));
        all.sequence.append(&mut traces);
        let notes = data.notes.into_iter().map(|note| format!("{name}: {note}"));
        all.notes.extend(notes);
    }
    all.notes.extend(crate::sequence::thin(&mut all.sequence));
    all.keys = Keys::of(&all.document).names().to_vec();
    all.said = record_notes(&all.document, farpath_observe::metric::label);
    Some(all)
}

/// Adds the keys of a run's sweep that no run before it has.
fn swept(all: &mut Vec<Vec<String>>, sweep: Vec<Vec<String>>) {
    for mut axis in sweep {
        axis.retain(|key| !all.iter().flatten().any(|known| known == key));
        all.extend((!axis.is_empty()).then_some(axis));
    }
}

/// What all runs have alike.
fn shared<T: PartialEq>(
    runs: &[(String, ReportData)],
    of: impl Fn(&ReportData) -> Option<T>,
) -> Option<T> {
    let first = of(&runs[0].1)?;
    let same = |(_, d): &(String, ReportData)| of(d).as_ref() == Some(&first);
    runs.iter().all(same).then_some(first)
}

fn of_page(name: &str, data: &ReportData) -> RunOfPage {
    let document = &data.document;
    RunOfPage {
        name: name.to_owned(),
        command: data.command.clone(),
        version: document.built(),
        seed: document.seed,
        scenario_sha256: document.scenario_sha256.clone(),
    }
}

fn add(all: &mut Repeats, mut one: Repeats) {
    all.count = all.count.max(one.count);
    if all.seeds.is_empty() {
        all.seeds = one.seeds;
    }
    all.metrics.append(&mut one.metrics);
}

#[cfg(test)]
mod tests {
    use farpath_record::page::{SCHEMA, ScenarioText};
    use farpath_record::{Origin, Record, RunDocument};

    use super::*;

    fn run(goodput: f64, text: &str) -> ReportData {
        let mut document = RunDocument::new("s", 1, text.to_owned());
        let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        record.set("goodput_bps", goodput);
        record.notes.push("a word".to_owned());
        document.records.push(record);
        ReportData {
            schema: SCHEMA.to_owned(),
            document,
            scenario: ScenarioText {
                name: "s".to_owned(),
                text: Some(text.to_owned()),
                ..ScenarioText::default()
            },
            command: Some(format!("farpath run {text}")),
            topology: None,
            paths: Vec::new(),
            sequence: Vec::new(),
            captures: Vec::new(),
            keys: Vec::new(),
            said: Vec::new(),
            notes: vec!["cut short".to_owned()],
            laws: Vec::new(),
            comparison: None,
            runs: Vec::new(),
        }
    }

    #[test]
    fn runs_are_points_of_one_key() {
        let named = |name: &str, data| (name.to_owned(), data);
        let page = beside(vec![
            named("x", run(1.0, "one")),
            named("y", run(2.0, "two")),
        ])
        .expect("two runs");
        let points: Vec<&str> = page
            .document
            .records
            .iter()
            .map(|r| r.point[RUN].as_str())
            .collect();
        assert_eq!(points, ["x", "y"]);
        assert_eq!(page.keys[0].name, RUN);
        assert_eq!(page.scenario.name, "s");
        assert_eq!(page.scenario.text, None, "the texts differ");
        assert_eq!(page.notes, ["x: cut short", "y: cut short"]);
        assert_eq!(page.runs[1].command.as_deref(), Some("farpath run two"));
        assert!(page.said[0].contains("a word"), "{:?}", page.said);
        let one = run(1.0, "one");
        assert_eq!(beside(vec![named("x", one.clone())]), Some(one));
        assert_eq!(beside(Vec::new()), None);
    }
}
