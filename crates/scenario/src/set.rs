//! `--set SECTION.NAME.KEY=VALUE`: edits of the text before it is decoded, comments kept.

mod remedy;
mod swept;
mod unknown;

use core::fmt;
use core::ops::Range;
use core::str::FromStr;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::decode::{Fields, read_value};
use crate::diagnostic::{Diagnostic, shorten};
use crate::key::{Key, Kind, Section};
use crate::table::{self, ARRAYS};
pub(crate) use unknown::named_so;

/// In place of a table, or of a whole number that need not be there: there is none.
const NONE: &str = "none";

/// What a sweep's edits are called.
pub(crate) const SWEEP: &str = "[sweep]";

/// One `--set` argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// `SECTION.NAME.KEY`, or `SECTION.NAME.KEY.KEY`, or `scenario.KEY`.
    pub path: String,
    /// The value: a TOML number, boolean, string, array or inline table; anything else is text.
    pub value: String,
    /// What the user wrote in its place, if it was another option: its name, and its value with or without a path.
    option: Option<(String, String)>,
}

impl Set {
    /// An edit of `path` to `value`.
    pub fn new(path: impl Into<String>, value: impl Into<String>) -> Set {
        Set {
            path: path.into(),
            value: value.into(),
            option: None,
        }
    }

    /// The same edit, asked for by `option` (`--queue`) with the value `text`: errors name these.
    #[must_use]
    pub fn of_option(mut self, option: &str, text: &str) -> Set {
        self.option = Some((option.to_owned(), text.to_owned()));
        self
    }

    /// What the user wrote: the option's name, and its value.
    pub(crate) fn written(&self) -> (String, String) {
        let own = || ("--set".to_owned(), self.to_string());
        self.option.clone().unwrap_or_else(own)
    }

    /// Where in what the user wrote the value begins.
    pub(crate) fn value_at(&self) -> usize {
        let (_, text) = self.written();
        let path = text.strip_suffix(self.value.as_str());
        path.map_or(0, str::len)
    }

    /// Whether a sweep makes it.
    pub(crate) fn is_swept(&self) -> bool {
        self.option.as_ref().is_some_and(|(name, _)| name == SWEEP)
    }

    /// Bytes of the path that the user did not write.
    fn unwritten(&self) -> usize {
        let path = self.value_at().saturating_sub(1);
        self.path.len().saturating_sub(path)
    }
}

/// A `--set` argument without an equals sign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` sets nothing: write SECTION.NAME.KEY=VALUE, such as link.stm64.delay=10ms")]
pub struct NoValue(String);

impl FromStr for Set {
    type Err = NoValue;

    fn from_str(text: &str) -> Result<Set, NoValue> {
        match text.split_once('=') {
            Some((path, value)) if !path.trim().is_empty() => {
                Ok(Set::new(path.trim(), value.trim()))
            }
            _ => Err(NoValue(shorten(text))),
        }
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.path, self.value)
    }
}

/// One replacement that was made in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Which `--set` made it.
    set: usize,
    /// Where the new text begins.
    start: usize,
    /// Length of what it replaced.
    old: usize,
    /// Length of the new text.
    new: usize,
}

/// A text after all edits, and how to find back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    edits: Vec<Edit>,
    /// Expectations whose points were taken from the sweep.
    pub(crate) left_out: usize,
}

impl Edited {
    /// Where a span of the edited text comes from: the `--set` argument that wrote it, or the
    /// place in the original.
    pub(crate) fn origin(&self, span: Range<usize>) -> Result<Range<usize>, usize> {
        let (mut start, mut end) = (span.start, span.end.max(span.start));
        for edit in self.edits.iter().rev() {
            let edit_end = edit.start + edit.new;
            if start >= edit.start && start < edit_end && end <= edit_end {
                return Err(edit.set);
            }
            let back = |at: usize| {
                if at >= edit_end {
                    at - edit.new + edit.old
                } else {
                    at.min(edit.start + edit.old)
                }
            };
            (start, end) = (back(start), back(end));
        }
        Ok(start..end)
    }

    fn replace(&mut self, set: usize, span: Range<usize>, new: &str) {
        self.text.replace_range(span.clone(), new);
        self.edits.push(Edit {
            set,
            start: span.start,
            old: span.len(),
            new: new.len(),
        });
    }
}

/// Applies every edit in turn; faults carry the number of their `--set` as text number, from 1.
pub(crate) fn apply(text: &str, sets: &[Set]) -> (Edited, Vec<Diagnostic>) {
    let mut edited = Edited {
        text: text.to_owned(),
        ..Edited::default()
    };
    let mut faults = Vec::new();
    for (i, set) in sets.iter().enumerate() {
        if let Err(mut fault) = apply_one(&mut edited, i, set) {
            let unwritten = set.unwritten();
            for place in &mut fault.places {
                place.text = i + 1;
                let Range { start, end } = place.span;
                place.span = start.saturating_sub(unwritten)..end.saturating_sub(unwritten);
            }
            faults.push(*fault);
        }
    }
    (edited, faults)
}

type Refusal = Box<Diagnostic>;

/// A path, taken apart and found in the key table.
pub(crate) struct Target<'p> {
    section: &'static Section,
    name: Option<&'p str>,
    keys: Vec<&'static Key>,
}

impl<'p> Target<'p> {
    /// The section's and the thing's name, if the path names a thing.
    pub(crate) fn named(&self) -> Option<(&'static str, &'p str)> {
        self.name.map(|n| (self.section.name, n))
    }

    /// The first table on the way to the key that `f` has not, and that cannot be without some keys: its path from there on.
    pub(crate) fn absent(&self, f: &Fields) -> Option<(String, &'static Section)> {
        let mut inside = Some(f.clone());
        let mut way = Vec::new();
        for key in self.keys.split_last()?.1 {
            let Kind::Table(table) = key.kind else {
                return None;
            };
            way.push(key.name);
            // One that was refused has been reported already.
            let is_there = inside.as_ref().is_some_and(|f| f.has(key.name));
            inside = inside.and_then(|f| f.get(key.name));
            if !is_there && table.keys.iter().any(|k| k.required) {
                return Some((way.join("."), table));
            }
        }
        None
    }

    /// Whether `value` takes away a table, or a whole number that need not be there.
    fn is_taken_away(&self, value: &str) -> bool {
        let goes = |key: &&Key| match key.kind {
            Kind::Table(_) | Kind::Tables(_) => true,
            Kind::Int { .. } => !key.required,
            _ => false,
        };
        value == NONE && self.keys.last().is_some_and(goes)
    }

    /// The key that is set.
    pub(crate) fn key(&self) -> Option<&'static Key> {
        self.keys.last().copied()
    }

    /// The faults of a value by itself; their places are of no text.
    pub(crate) fn refused(&self, value: &str) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let document = format!("v = {}", literal(value));
        let (tree, _) = DeTable::parse_recoverable(&document);
        let read = tree
            .get_ref()
            .get("v")
            .filter(|_| !self.is_taken_away(value));
        if let (Some(key), Some(read)) = (self.key(), read) {
            read_value(key.name, &key.kind, read, &mut faults);
        }
        faults
    }
}

/// Finds a `--set` path in the key table.
///
/// # Errors
/// A fault whose span lies in the path.
pub(crate) fn target(path: &str) -> Result<Target<'_>, Refusal> {
    let mut at = 0;
    let parts: Vec<(Range<usize>, &str)> = path
        .split('.')
        .map(|p| {
            let here = at..at + p.len();
            at = here.end + 1;
            (here, p)
        })
        .collect();
    let (head_span, head) = parts[0].clone();
    let settable = || {
        ARRAYS
            .iter()
            .filter(|s| s.key("name").is_some())
            .map(|s| s.name)
            .chain(["scenario"])
    };
    let Some(section) =
        table::section(head).filter(|s| s.name == "scenario" || s.key("name").is_some())
    else {
        let d = Diagnostic::new(head_span, format!("`{}` cannot be set", shorten(head)));
        return Err(Box::new(d.suggest(head, settable())));
    };
    let named = section.name != "scenario";
    let first_key = if named { 2 } else { 1 };
    if parts.len() <= first_key {
        let shape = match parts.get(1).and_then(|(_, part)| section.key(part)) {
            _ if !named => format!("{head}.KEY=VALUE"),
            Some(key) => format!("{head}.NAME.{}=VALUE", key.name),
            None => format!("{head}.NAME.KEY=VALUE"),
        };
        return Err(Box::new(
            Diagnostic::new(0..path.len(), "the path is too short").help(format!("write {shape}")),
        ));
    }
    let mut keys = Vec::new();
    let mut inside = section;
    for (i, (span, part)) in parts.iter().enumerate().skip(first_key) {
        let Some(key) = inside.key(part) else {
            let d = Diagnostic::new(
                span.clone(),
                format!("unknown key `{}` in {}", shorten(part), inside.name),
            );
            return Err(Box::new(
                d.suggest(part, inside.keys.iter().map(|k| k.name)),
            ));
        };
        keys.push(key);
        match key.kind {
            Kind::Table(sub) => inside = sub,
            _ if i + 1 == parts.len() => {}
            Kind::Tables(sub) => {
                let fault = unknown::within_tables((path, key), sub, &parts[i + 1]);
                return Err(Box::new(fault));
            }
            _ => {
                let fault = unknown::beyond((path, key), inside, (span, &parts[i + 1]));
                return Err(Box::new(fault));
            }
        }
    }
    Ok(Target {
        section,
        name: named.then_some(parts[1].1),
        keys,
    })
}

fn apply_one(edited: &mut Edited, number: usize, set: &Set) -> Result<(), Refusal> {
    // What runs at no point of the sweep, a search, takes the value from where the key itself stands.
    match !set.is_swept() && is_list_of_sweep(edited, number, set) {
        true => Ok(()),
        false => in_place(edited, number, set),
    }
}

/// Gives the sweep the value, or the values, of a key that it has; true of a list, which the key itself does not take.
fn is_list_of_sweep(edited: &mut Edited, number: usize, set: &Set) -> bool {
    let (tree, errors) = DeTable::parse_recoverable(&edited.text);
    let found = target(&set.path).ok().filter(|_| errors.is_empty());
    let Some(edits) =
        found.and_then(|target| swept::edits(&edited.text, tree.get_ref(), &target, set))
    else {
        return false;
    };
    edited.left_out += edits.left_out;
    for (span, new) in edits.replaced {
        edited.replace(number, span, &new);
    }
    edits.of_list
}

/// Gives the key itself the value.
fn in_place(edited: &mut Edited, number: usize, set: &Set) -> Result<(), Refusal> {
    let (tree, errors) = DeTable::parse_recoverable(&edited.text);
    let target = target(&set.path)
        .map_err(|fault| unknown::with_section(fault, tree.get_ref(), &set.path))?;
    if !errors.is_empty() {
        return Ok(()); // The text itself is wrong, which is reported in its own place.
    }
    let value = literal(&set.value);
    let (span, new) = match find(tree.get_ref(), &target, set)? {
        Found::Root => (
            edited.text.len()..edited.text.len(),
            format!("\n[scenario]\n{} = {value}\n", target.keys[0].name),
        ),
        Found::Table(span, t) => {
            let apart = text_apart(&edited.text, t, &target.keys);
            if !apart.is_empty() {
                for span in apart.into_iter().rev() {
                    edited.replace(number, span, "");
                }
                return in_place(edited, number, set);
            }
            if target.is_taken_away(&set.value) {
                match entry(&edited.text, t, &target.keys) {
                    Some(span) => edited.replace(number, span, ""),
                    None => unknown::beside(t, &target, &set.path)?,
                }
                return Ok(());
            }
            match rival(t, &target.keys) {
                Some(rival) => (rival, format!("{} = {value}", target.keys[0].name)),
                None => place(&edited.text, (span, t), &target.keys, &value),
            }
        }
    };
    edited.replace(number, span, &new);
    Ok(())
}

/// The entry that says the same in another way, which the new one must replace.
fn rival(table: &DeTable<'_>, keys: &[&Key]) -> Option<Range<usize>> {
    let [key] = keys else { return None };
    if key.instead_of.is_empty() || table.contains_key(key.name) {
        return None;
    }
    table
        .get_key_value(key.instead_of)
        .map(|(k, v)| k.span().start..v.span().end)
}

enum Found<'t> {
    /// `[scenario]` is absent: it can be made.
    Root,
    /// The table that holds, or will hold, the first key.
    Table(Range<usize>, &'t DeTable<'t>),
}

fn find<'t>(root: &'t DeTable<'t>, target: &Target<'_>, set: &Set) -> Result<Found<'t>, Refusal> {
    let section = root.get(target.section.name);
    let Some(wanted) = target.name else {
        return Ok(match section.map(|s| (s.span(), s.get_ref())) {
            Some((span, DeValue::Table(t))) => Found::Table(span, t),
            _ => Found::Root,
        });
    };
    let mut names = Vec::new();
    if let Some(DeValue::Array(list)) = section.map(Spanned::get_ref) {
        for item in list.iter() {
            let DeValue::Table(t) = item.get_ref() else {
                continue;
            };
            if let Some(DeValue::String(name)) = t.get("name").map(Spanned::get_ref) {
                if name == wanted {
                    return Ok(Found::Table(item.span(), t));
                }
                names.push(name.as_ref());
            }
        }
    }
    let start = target.section.name.len() + 1;
    let title = format!("there is no {} `{}`", target.section.name, shorten(wanted));
    let fault = Diagnostic::new(start..(start + wanted.len()).min(set.path.len()), title);
    let all = section.and_then(|s| s.get_ref().as_array());
    let all = (&names[..], all.map_or(0, |list| list.len()));
    Err(Box::new(named_so(fault, target.section.name, wanted, all)))
}

/// The text that says what `keys` mean, where that is not one value behind the key but sections or dotted keys: whole lines
/// of a section, entries of an inline table. In the order of the text; none where it is one value, or absent.
fn text_apart(text: &str, table: &DeTable<'_>, keys: &[&Key]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some((name, value, whole)) = reached(table, keys)
        && is_apart(name, value)
    {
        collect(text, value, whole, &mut found);
    }
    found.sort_by_key(|span| span.start);
    found
}

/// The entry that gives `keys` their value, with what would be left of its line or its comma; none where it is absent.
fn entry(text: &str, table: &DeTable<'_>, keys: &[&Key]) -> Option<Range<usize>> {
    let (name, value, whole) = reached(table, keys)?;
    Some(whole(text, name.span().start..value.span().end))
}

/// What a span is widened to when it is taken out: its lines, or its comma.
type Whole = fn(&str, Range<usize>) -> Range<usize>;

/// The name and the value that `keys` lead to, and what goes with them when they are taken out; none where they are absent.
fn reached<'t, 'd>(
    table: &'t DeTable<'d>,
    keys: &[&Key],
) -> Option<(&'t Spanned<DeString<'d>>, &'t Spanned<DeValue<'d>>, Whole)> {
    let (last, way) = keys.split_last()?;
    let (mut inside, mut whole): (_, Whole) = (table, whole_lines);
    for key in way {
        let (name, value) = inside.get_key_value(key.name)?;
        if !is_apart(name, value) {
            whole = whole_entry;
        }
        inside = value.get_ref().as_table()?;
    }
    let (name, value) = inside.get_key_value(last.name)?;
    Some((name, value, whole))
}

/// Whether a value is not behind its key: what a header or a dotted key defines has the header's or the key's place.
fn is_apart(name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> bool {
    name.span().start >= value.span().start
}

/// The headers and the entries of a value that is not behind its key.
fn collect(text: &str, value: &Spanned<DeValue<'_>>, whole: Whole, found: &mut Vec<Range<usize>>) {
    let is_header = text[value.span().start..].starts_with('[');
    match value.get_ref() {
        DeValue::Array(list) => list.iter().for_each(|v| collect(text, v, whole, found)),
        DeValue::Table(table) => {
            found.extend(is_header.then(|| whole(text, value.span())));
            for (name, inner) in table {
                match is_apart(name, inner) {
                    true => collect(text, inner, whole, found),
                    false => found.push(whole(text, name.span().start..inner.span().end)),
                }
            }
        }
        _ => {}
    }
}

fn whole_lines(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n');
    start..end.map_or(text.len(), |at| span.end + at + 1)
}

/// An entry of an inline table with the comma behind it.
fn whole_entry(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind(['{', ',']);
    let behind = text[span.end..].trim_start();
    let comma = text.len() - behind.len() + 1;
    let end = if behind.starts_with(',') {
        comma
    } else {
        span.end
    };
    start.map_or(0, |at| at + 1)..end
}

/// What to replace, and by what, so that `keys` under the table at `span` take `value`: of the tables on the way to it the
/// last one that has a place of its own, a header or braces, takes what is left of the path.
fn place(
    text: &str,
    home: (Range<usize>, &DeTable<'_>),
    keys: &[&Key],
    value: &str,
) -> (Range<usize>, String) {
    let (mut home, mut rest) = (home, keys);
    let mut inside = home.1;
    for (n, key) in keys.iter().enumerate() {
        let Some(old) = inside.get(key.name) else {
            break;
        };
        if n + 1 == keys.len() {
            return (old.span(), value.to_owned());
        }
        let DeValue::Table(inner) = old.get_ref() else {
            break;
        };
        inside = inner;
        if text[old.span().start.min(text.len())..].starts_with(['[', '{']) {
            (home, rest) = ((old.span(), inner), &keys[n + 1..]);
        }
    }
    let (span, table) = home;
    let dotted = rest.iter().map(|k| k.name).collect::<Vec<_>>().join(".");
    if text[span.start.min(text.len())..].starts_with('{') {
        let comma = if table.is_empty() { "" } else { "," };
        return (
            span.start + 1..span.start + 1,
            format!(" {dotted} = {value}{comma}"),
        );
    }
    (span.end..span.end, format!("\n{dotted} = {value}"))
}

/// The value as TOML: itself if it is a literal, else text in quotes.
fn literal(value: &str) -> String {
    let single_line = !value.contains(['\n', '\r']);
    let document = format!("v = {value}");
    let (tree, errors) = DeTable::parse_recoverable(&document);
    let whole = tree.get_ref().len() == 1
        && tree
            .get_ref()
            .get("v")
            .is_some_and(|v| v.span().end >= document.trim_end().len());
    match tree.get_ref().get("v").map(Spanned::get_ref) {
        Some(v)
            if errors.is_empty() && single_line && whole && !matches!(v, DeValue::Datetime(_)) =>
        {
            value.to_owned()
        }
        _ => toml::Value::String(value.to_owned()).to_string(),
    }
}
