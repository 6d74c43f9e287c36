//! Sweeps: one scenario, tried at many points.

mod home;
mod key;

use core::ops::Range;
use std::collections::BTreeMap;

use farpath_record::swept::quantity;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::decode::{At, Fields};
use crate::diagnostic::{Diagnostic, shorten};
use crate::literal::written;
use crate::model::Scenario;
use crate::sections::Tables;
use crate::set::{self, Set};
pub(crate) use home::{Home, LABEL, home};
use home::{TOGETHER, values};
pub(crate) use key::Key;

/// A point of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepPoint {
    /// What it is called: each swept key with its value, or in place of the keys of a labelled group its label.
    pub at: BTreeMap<String, String>,
    /// What it sets.
    pub sets: Vec<Set>,
}

/// Most points a sweep may have.
const MOST_POINTS: usize = 100_000;

/// The key of the run's seed, which is that of every point.
const SEED: &str = "scenario.seed";

/// Decodes `[sweep]`, keys in the order of the file.
pub(crate) fn read(root: &DeTable<'_>, faults: &mut Vec<Diagnostic>) -> Vec<Key> {
    let table = match root.get("sweep").map(|v| (v.span(), v.get_ref())) {
        Some((_, DeValue::Table(t))) => t,
        Some((span, _)) => {
            let remedy = "write a line `[sweep]` and below it \"test.bulk.window\" = [\"8 MiB\", \"16 MiB\"]";
            faults.push(Diagnostic::new(span, "`sweep` must be a table").help(remedy));
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let mut keys = keys(table, None, faults);
    if let Some((name, value)) = table.get_key_value(TOGETHER) {
        let groups = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|g| (g.span(), g.get_ref())).collect(),
            _ => Vec::new(),
        };
        let tables = groups
            .iter()
            .filter(|(_, g)| matches!(g, DeValue::Table(_)));
        if groups.is_empty() || tables.count() < groups.len() {
            let title = "`sweep.together` must be an array of tables";
            let remedy = "write a line `[[sweep.together]]` and below it two keys or more, each with as many values";
            faults.push(Diagnostic::new(name.span(), title).help(remedy));
        }
        for (n, (span, group)) in groups.into_iter().enumerate() {
            let DeValue::Table(group) = group else {
                continue;
            };
            let mut of_group = self::keys(group, Some(n), faults);
            of_group.extend(label(group, n, faults));
            of_group.sort_by_key(|k| k.path.span().start);
            check_group(&of_group, span, faults);
            keys.extend(of_group);
        }
    }
    keys.sort_by_key(|k| k.path.span().start);
    for (n, key) in keys.iter().enumerate() {
        let path = key.path.get_ref();
        if let Some(first) = keys[..n].iter().find(|k| k.path.get_ref() == path) {
            let title = format!("sweep key `{}` stands twice", shorten(path));
            faults.push(
                Diagnostic::new(key.path.span(), title)
                    .label("the second")
                    .see(first.path.span(), "the first")
                    .help("a key is swept by itself or together with others: take one out"),
            );
        }
    }
    keys
}

/// The keys of `[sweep]`, or of one of the tables whose keys advance together.
fn keys(table: &DeTable<'_>, group: Option<usize>, faults: &mut Vec<Diagnostic>) -> Vec<Key> {
    let mut keys = Vec::new();
    for (path, value) in table {
        match value.get_ref() {
            _ if path.get_ref() == group.map_or(TOGETHER, |_| LABEL) => {}
            DeValue::Array(list) if !list.is_empty() => {
                let values = list
                    .iter()
                    .map(|v| Spanned::new(v.span(), written(v.get_ref())));
                let values: Vec<At<String>> = values.collect();
                if group.is_none() {
                    refuse_twice(path.get_ref(), &values, faults);
                }
                keys.push(Key {
                    path: Spanned::new(path.span(), path.get_ref().to_string()),
                    spans: values.iter().map(Spanned::span).collect(),
                    values: values.into_iter().map(Spanned::into_inner).collect(),
                    group,
                    is_label: false,
                });
            }
            DeValue::Table(_) => {
                let remedy =
                    "put the whole path in quotes: \"test.bulk.window\" = [\"8 MiB\", \"16 MiB\"]";
                faults.push(
                    Diagnostic::new(
                        path.span(),
                        format!("unknown sweep key `{}`", shorten(path.get_ref())),
                    )
                    .help(remedy),
                );
            }
            _ => {
                let title = format!(
                    "sweep key `{}` has no list of values",
                    shorten(path.get_ref())
                );
                faults.push(
                    Diagnostic::new(value.span(), title).help("write [\"8 MiB\", \"16 MiB\"]"),
                );
            }
        }
    }
    keys.sort_by_key(|k| k.path.span().start);
    keys
}

/// The labels of a group's steps.
fn label(group: &DeTable<'_>, n: usize, faults: &mut Vec<Diagnostic>) -> Option<Key> {
    let (key, value) = group.get_key_value(LABEL)?;
    let named = match value.get_ref() {
        DeValue::Table(t) if t.len() == 1 => t.iter().next(),
        _ => None,
    };
    let list = named.and_then(|(name, value)| match value.get_ref() {
        DeValue::Array(list) if is_name(name.get_ref()) && !list.is_empty() => Some((name, list)),
        _ => None,
    });
    let Some((name, list)) = list else {
        let title = "`label` is not a name with a list of words";
        let help = "write label.NAME = [\"WORD\", \"WORD\"], a word for each step; a name has letters, digits, `_` and `-`";
        faults.push(Diagnostic::new(key.span(), title).help(help));
        return None;
    };
    let values: Vec<At<String>> = list
        .iter()
        .map(|v| Spanned::new(v.span(), written(v.get_ref())))
        .collect();
    refuse_twice(name.get_ref(), &values, faults);
    Some(Key {
        path: Spanned::new(name.span(), name.get_ref().to_string()),
        spans: values.iter().map(Spanned::span).collect(),
        values: values.into_iter().map(Spanned::into_inner).collect(),
        group: Some(n),
        is_label: true,
    })
}

fn is_name(text: &str) -> bool {
    let may = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    !text.is_empty() && text.chars().all(may)
}

/// Keys that advance together have as many values each, and no step stands twice.
fn check_group(keys: &[Key], span: Range<usize>, faults: &mut Vec<Diagnostic>) {
    let [first, others @ ..] = keys else { return };
    if others.is_empty() {
        faults.push(
            Diagnostic::new(span, "one key alone advances together with none")
                .help("write it below [sweep], or a second key beside it"),
        );
        return;
    }
    let other = |k: &&Key| k.values.len() != first.values.len();
    let before = faults.len();
    for key in others.iter().filter(other) {
        let title = format!(
            "sweep key `{}` has {} values, and `{}` has {}",
            shorten(key.path.get_ref()),
            key.values.len(),
            shorten(first.path.get_ref()),
            first.values.len()
        );
        faults.push(
            Diagnostic::new(key.path.span(), title)
                .label("its n-th value goes with the n-th of the other")
                .see(first.path.span(), "the other")
                .help("give both as many values; below [sweep] keys are crossed"),
        );
    }
    if faults.len() > before {
        return;
    }
    let set = |k: &&Key| !k.is_label;
    let step = |n: usize| {
        let set = keys.iter().filter(set);
        set.map(|k| &k.values[n]).collect::<Vec<_>>()
    };
    let read = keys.iter().filter(set);
    let read = read.map(|key| key.values.iter().map(|v| meaning(v)).collect::<Vec<_>>());
    let read: Vec<Vec<Meaning<'_>>> = read.collect();
    let alike = |one: usize, other: usize| read.iter().all(|all| all[one] == all[other]);
    let twice = (0..first.values.len()).find(|n| (0..*n).any(|before| alike(before, *n)));
    if let Some(n) = twice {
        let values: Vec<String> = step(n).into_iter().map(|v| shorten(v)).collect();
        let title = format!("the step {} stands twice", values.join(", "));
        faults.push(
            Diagnostic::new(first.path.span(), title)
                .help("take one out; `--repeat` runs every point several times"),
        );
    }
}

/// What a value says: a quantity, by its kind and the bits of its number, or else its text.
type Meaning<'t> = (Option<(&'static str, u64)>, &'t str);

/// The meaning of a value: the same of `2 MiB` and `2048KiB`.
fn meaning(text: &str) -> Meaning<'_> {
    match quantity(text) {
        Some((kind, number)) => (Some((kind, number.to_bits())), ""),
        None => (None, text),
    }
}

/// A value that stands twice, written in one way or in two, would be one point of twice the runs, and count as repeats that are not.
fn refuse_twice(key: &str, values: &[At<String>], faults: &mut Vec<Diagnostic>) {
    let read: Vec<Meaning<'_>> = values.iter().map(|v| meaning(v.get_ref())).collect();
    for (n, value) in values.iter().enumerate() {
        let Some(m) = read[..n].iter().position(|other| *other == read[n]) else {
            continue;
        };
        let first = &values[m];
        let [other, text] = [first, value].map(|v| shorten(v.get_ref()));
        let key = shorten(key);
        let title = match other == text {
            true => format!("sweep key `{key}` has `{text}` twice"),
            false => format!("sweep key `{key}` has `{other}` and `{text}`, which are one value"),
        };
        let d = Diagnostic::new(value.span(), title);
        faults.push(
            d.label("the second")
                .see(first.span(), "the first")
                .help("take one out; `--repeat` runs every point several times"),
        );
    }
}

/// Where in the scenario's text the value stands that a point of its sweep sets; none of a set of another kind.
pub(crate) fn place(text: &str, set: &Set) -> Option<Range<usize>> {
    if set.written().0 != set::SWEEP {
        return None;
    }
    let (tree, _) = DeTable::parse_recoverable(text);
    let values = values(tree.get_ref(), &set.path)?.get_ref().as_array()?;
    let value = values.iter().find(|v| written(v.get_ref()) == set.value)?;
    Some(value.span())
}

impl Scenario {
    /// Every point of the sweep, last key fastest; one without edits where nothing is swept.
    pub fn points(&self) -> Vec<SweepPoint> {
        let mut points = vec![SweepPoint::default()];
        for axis in self.axes() {
            let steps = axis.first().map_or(0, |(_, values)| values.len());
            let label = axis.iter().find(|(key, _)| self.labels.contains(key));
            let with = |point: &SweepPoint, step: usize| {
                let mut point = point.clone();
                for (key, values) in &axis {
                    let value = &values[step];
                    if label.is_none_or(|(label, _)| label == key) {
                        point.at.insert(key.clone(), value.clone());
                    }
                    if !self.labels.contains(key) {
                        let written = format!("{key} = {value}");
                        let set = Set::new(key, value).of_option(set::SWEEP, &written);
                        point.sets.push(set);
                    }
                }
                point
            };
            points = points
                .iter()
                .flat_map(|point| (0..steps).map(move |step| with(point, step)))
                .collect();
        }
        points
    }

    /// How many points the sweep has; 1 where nothing is swept.
    pub fn point_count(&self) -> usize {
        let steps = self.axes().into_iter();
        steps
            .map(|axis| axis.first().map_or(0, |(_, values)| values.len()))
            .fold(1, usize::saturating_mul)
    }

    /// The keys that points have, in the order of the file, those that advance together in one list: a labelled group's label.
    pub fn sweep_keys(&self) -> Vec<Vec<String>> {
        let keys = |axis: &Vec<&(String, _)>| {
            let all: Vec<String> = axis.iter().map(|(key, _)| key.clone()).collect();
            match all.iter().find(|key| self.labels.contains(key)) {
                Some(label) => vec![label.clone()],
                None => all,
            }
        };
        self.axes().iter().map(keys).collect()
    }

    /// The keys of the sweep by themselves, or with those they advance together with.
    fn axes(&self) -> Vec<Vec<&(String, Vec<String>)>> {
        let mut axes: Vec<Vec<&(String, Vec<String>)>> = Vec::new();
        for key in &self.sweep {
            let group = self.together.iter().find(|g| g.contains(&key.0));
            let axis = axes.iter_mut().find(|axis| {
                group.is_some_and(|g| axis.first().is_some_and(|first| g.contains(&first.0)))
            });
            match axis {
                Some(axis) => axis.push(key),
                None => axes.push(vec![key]),
            }
        }
        axes
    }
}

/// Whether a `--set` path means something in this scenario; a fault with a suggestion if not.
pub(crate) fn check_path(
    path: &At<String>,
    tables: &Tables,
    what: &str,
    faults: &mut Vec<Diagnostic>,
) {
    let target = match set::target(path.get_ref()) {
        Ok(target) => target,
        Err(fault) => {
            let mut d = Diagnostic::new(
                path.span(),
                format!("unknown {what} `{}`", shorten(path.get_ref())),
            )
            .label(fault.title);
            d.remedies = fault.remedies;
            faults.push(d);
            return;
        }
    };
    let Some((section, name)) = target.named() else {
        return;
    };
    let there = match section {
        "host" => &tables.hosts,
        "router" => &tables.routers,
        "link" => &tables.links,
        "bundle" => &tables.bundles,
        "lsp" => &tables.lsps,
        "ccc" => &tables.cccs,
        "test" => &tables.tests,
        "event" => &tables.events,
        _ => &tables.searches,
    };
    let names: Vec<String> = there.iter().filter_map(|f| f.get("name")).collect();
    if !names.iter().any(|n| n == name) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let d = Diagnostic::new(
            path.span(),
            format!("unknown {what} `{}`", shorten(path.get_ref())),
        )
        .label(format!("there is no {section} `{}`", shorten(name)));
        faults.push(set::named_so(d, section, name, (&names, there.len())));
        return;
    }
    let is_named = |f: &&Fields| f.get::<String>("name").as_deref() == Some(name);
    if let Some(owner) = there.iter().find(is_named) {
        check_table(path, (&target, owner), tables, faults);
    }
}

/// A key of a table that is not there and cannot be without others, which are not swept: no point could be read.
fn check_table(
    path: &At<String>,
    (target, owner): (&set::Target<'_>, &Fields),
    tables: &Tables,
    faults: &mut Vec<Diagnostic>,
) {
    let Some(((way, table), (section, name))) = target.absent(owner).zip(target.named()) else {
        return;
    };
    let whole = format!("{section}.{name}.{way}");
    let is_set = |k: &&crate::key::Key| {
        let mut paths = tables.sweep.iter().map(|s| &s.path).chain([path]);
        paths.any(|p| {
            let rest = p.get_ref().strip_prefix(&whole);
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(k.name))
        })
    };
    let required = || table.keys.iter().filter(|k| k.required);
    let missing: Vec<String> = required()
        .filter(|k| !is_set(k))
        .map(|k| format!("`{}`", k.name))
        .collect();
    if missing.is_empty() {
        return;
    }
    let all: Vec<String> = required().map(|k| format!("`{way}.{}`", k.name)).collect();
    let title = format!(
        "`{way}` is not there, and needs {}, too",
        missing.join(" and ")
    );
    faults.push(Diagnostic::new(path.span(), title).help(format!(
        "write {} below [[{section}]] `{name}`: the points set this key among them",
        all.join(" and ")
    )));
}

/// Every point runs with the run's seed: a list of seeds would give the same figures at each of them.
fn seed(key: &Key) -> Diagnostic {
    let repeats = key.values.len().max(2);
    let help = format!(
        "take it out and run with `--repeat {repeats}`: each repeat of a point has a seed of its own, and the spread of its figures is said"
    );
    Diagnostic::new(key.path.span(), format!("`{SEED}` cannot be swept"))
        .label("every point has the run's own seed")
        .help(help)
}

/// The sweep of a scenario, checked.
pub(crate) fn check(tables: &Tables, scenario: &mut Scenario, faults: &mut Vec<Diagnostic>) {
    for key in &tables.sweep {
        let path = key.path.get_ref();
        match key.is_label {
            true => scenario.labels.push(path.clone()),
            false if path == SEED => faults.push(seed(key)),
            false => check_path(&key.path, tables, "sweep key", faults),
        }
        scenario.sweep.push((path.clone(), key.values.clone()));
        if let Some(n) = key.group {
            let missing = (n + 1).saturating_sub(scenario.together.len());
            scenario.together.extend(vec![Vec::new(); missing]);
            scenario.together[n].push(path.clone());
        }
        if scenario.point_count() > MOST_POINTS {
            let title = format!("the sweep has more than {MOST_POINTS} points");
            faults.push(
                Diagnostic::new(key.path.span(), title)
                    .help("points multiply from key to key: try fewer values"),
            );
            break;
        }
    }
}

/// The faults of the values by themselves: where something else in the text is wrong, no point is read that would find them.
pub(crate) fn check_values(tables: &Tables, faults: &mut Vec<Diagnostic>) {
    for key in tables.sweep.iter().filter(|k| !k.is_label) {
        let Ok(target) = set::target(key.path.get_ref()) else {
            continue;
        };
        for (value, span) in key.values.iter().zip(&key.spans) {
            let here = |mut fault: Diagnostic| {
                fault.places.truncate(1);
                fault.places.iter_mut().for_each(|p| p.span = span.clone());
                fault
            };
            faults.extend(target.refused(value).into_iter().map(here));
        }
    }
}

/// Every `--set` that a key of the sweep would undo, because one of the two is a part of the other.
pub(crate) fn undone(sets: &[Set], scenario: &Scenario) -> Vec<Diagnostic> {
    let part = |whole: &str, of: &str| {
        of.strip_prefix(whole)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let mut faults = Vec::new();
    for (n, set) in sets.iter().enumerate().filter(|(_, s)| !s.is_swept()) {
        let keys = scenario.sweep.iter().map(|(key, _)| key.as_str());
        let mut of_set = keys.filter(|key| part(key, &set.path) || part(&set.path, key));
        if let Some(key) = of_set.next() {
            let title = format!("the sweep sets `{}` after this", shorten(key));
            let mut fault = Diagnostic::new(0..set.value_at().saturating_sub(1), title)
                .label("undone at every point")
                .help(format!(
                    "set `{key}` itself, which is then swept no more; or take it out of the sweep"
                ));
            fault.places[0].text = n + 1;
            faults.push(fault);
        }
    }
    faults
}
