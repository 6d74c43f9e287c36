//! TOML into checked values, section by section, as the key table says; every fault is reported.

use core::ops::Range;
use std::collections::BTreeMap;

use farpath_units::{Duration, Rate, Ratio, Size};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::bare;
use crate::choice;
use crate::diagnostic::{Diagnostic, shorten};
use crate::key::{Key, Kind, Section};
use crate::literal::{number, whole, written};
use crate::quantity::{self, QueueLimit};

/// A value and where it stands.
pub(crate) type At<T> = Spanned<T>;

/// Most values of a list that a remedy writes out.
const FEW: usize = 4;

/// A value of a key, by what its kind says.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Bool(bool),
    Int(i64),
    Span(Duration),
    Rate(Rate),
    Size(Size),
    Sizes([Size; 3]),
    Ratio(Ratio),
    Float(f64),
    Queue(QueueLimit),
    Texts(Vec<At<String>>),
    Codes(Vec<At<u8>>),
    Table(Fields),
    Tables(Vec<Fields>),
    Point(Vec<(At<String>, String)>),
}

/// One table, checked against its section.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// Where the table begins: its header, or the whole inline table.
    pub(crate) span: Range<usize>,
    /// Keys that were there, with a right value or a wrong one (already reported).
    seen: BTreeMap<&'static str, Range<usize>>,
    values: BTreeMap<&'static str, At<Value>>,
}

/// What a [`Value`] can be read as.
pub(crate) trait Read: Sized {
    fn read(value: &Value) -> Option<Self>;
}

macro_rules! read {
    ($($type:ty = $variant:ident),* $(,)?) => {
        $(impl Read for $type {
            fn read(value: &Value) -> Option<$type> {
                match value {
                    Value::$variant(v) => Some(v.clone()),
                    _ => None,
                }
            }
        })*
    };
}

read! {
    String = Text, bool = Bool, i64 = Int, Duration = Span, Rate = Rate, Size = Size, [Size; 3] = Sizes,
    Ratio = Ratio, f64 = Float, QueueLimit = Queue, Vec<At<String>> = Texts, Vec<At<u8>> = Codes, Fields = Table, Vec<Fields> = Tables,
    Vec<(At<String>, String)> = Point,
}

impl Fields {
    /// The value of a key; `None` when it is absent or was refused.
    pub(crate) fn get<T: Read>(&self, key: &str) -> Option<T> {
        self.values.get(key).and_then(|v| T::read(v.get_ref()))
    }

    /// The value of a key, with its place.
    pub(crate) fn at<T: Read>(&self, key: &str) -> Option<At<T>> {
        let found = self.values.get(key)?;
        Some(Spanned::new(found.span(), T::read(found.get_ref())?))
    }

    /// Where a key's value stands, else where the table begins.
    pub(crate) fn place(&self, key: &str) -> Range<usize> {
        self.values
            .get(key)
            .map_or_else(|| self.span.clone(), Spanned::span)
    }

    /// Whether the key is there, even with a wrong value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.seen.contains_key(key)
    }

    /// The keys that are there.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.seen.keys().copied()
    }

    /// An empty table at a place, for a section that is absent.
    pub(crate) fn empty() -> Fields {
        Fields {
            span: 0..0,
            seen: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }
}

/// How a table is called in messages: `link `stm64``, or only `event`.
fn title_of(section: &Section, table: &DeTable<'_>) -> String {
    match table.get("name").map(Spanned::get_ref) {
        Some(DeValue::String(name)) => format!("{} `{name}`", section.name),
        _ => section.name.to_owned(),
    }
}

/// Checks one table against its section.
pub(crate) fn table(
    span: Range<usize>,
    table: &DeTable<'_>,
    section: &Section,
    faults: &mut Vec<Diagnostic>,
) -> Fields {
    let title = title_of(section, table);
    let mut fields = Fields {
        span,
        seen: BTreeMap::new(),
        values: BTreeMap::new(),
    };
    let variant = variant_of(section, table);
    let fits = |key: &Key| key.only.is_empty() || variant.is_none_or(|v| key.only.contains(&v));
    for (name, value) in table {
        let Some(key) = section.key(name.get_ref()) else {
            let known = section.keys.iter().filter(|k| fits(k)).map(|k| k.name);
            let what = format!("unknown key `{}` in {title}", shorten(name.get_ref()));
            faults.push(Diagnostic::new(name.span(), what).suggest(name.get_ref(), known));
            continue;
        };
        fields.seen.insert(key.name, name.span());
        if !fits(key) {
            let what = format!("`{}` has no meaning in {title}", key.name);
            let kind = variant.unwrap_or_default();
            faults.push(
                Diagnostic::new(name.span(), what)
                    .label(format!("only for kind = {}", quoted(key.only)))
                    .help(key.elsewhere(kind)),
            );
            continue;
        }
        if let Some(found) = read_value(key.name, &key.kind, value, faults) {
            fields
                .values
                .insert(key.name, Spanned::new(value.span(), found));
        }
    }
    for key in section.keys.iter().filter(|k| fits(k)) {
        // A key of some kinds only is missed once the kind is known.
        let wanted = key.required && (variant.is_some() || key.only.is_empty());
        if wanted && !table.contains_key(key.name) {
            let what = format!("{title} has no `{}`", key.name);
            let value = match key.kind {
                Kind::Choice(words) => format!("one of {}", words.join(", ")),
                _ => lower_first(key.doc),
            };
            let remedy = format!("add `{}`: {value}", key.name);
            faults.push(Diagnostic::new(fields.span.clone(), what).help(remedy));
        }
        faults.extend(said_twice(key, &fields, &title));
    }
    fields
}

/// The word after `kind`, if it is one of those that decide which keys have a meaning.
fn variant_of(section: &Section, table: &DeTable<'_>) -> Option<&'static str> {
    let Some(DeValue::String(word)) = table.get("kind").map(Spanned::get_ref) else {
        return None;
    };
    let variants = section.variants();
    variants.iter().find(|v| **v == word.as_ref()).copied()
}

/// The fault of a key and the key that says the same in another way, both given.
fn said_twice(key: &Key, fields: &Fields, title: &str) -> Option<Diagnostic> {
    // Each pair is reported once, at the name that comes first.
    if key.name >= key.instead_of {
        return None;
    }
    let (here, there) = (fields.seen.get(key.name)?, fields.seen.get(key.instead_of)?);
    let what = format!("`{}` and `{}` in {title}", key.name, key.instead_of);
    Some(
        Diagnostic::new(here.clone(), what)
            .see(there.clone(), "and the same in another way")
            .help("keep one of them"),
    )
}

fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|w| format!("\"{w}\""))
        .collect::<Vec<_>>()
        .join(" or ")
}

fn lower_first(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    let first = chars
        .next()
        .map(|c| c.to_lowercase().to_string())
        .unwrap_or_default();
    // An abbreviation keeps its capitals.
    if chars.clone().next().is_some_and(|c| c.is_uppercase()) {
        text.to_owned()
    } else {
        first + chars.as_str()
    }
}

/// A whole number that fits a `u32`.
pub(crate) fn octets(f: &Fields, key: &str) -> Option<u32> {
    f.get::<i64>(key).and_then(|n| u32::try_from(n).ok())
}

/// The value of the first layer that has the key.
pub(crate) fn first<T: Read>(layers: &[&Fields], key: &str) -> Option<T> {
    layers.iter().find_map(|f| f.get(key))
}

/// Reads a value of a kind; a value that does not fit is a fault.
pub(crate) fn read_value(
    name: &str,
    kind: &Kind,
    value: &At<DeValue<'_>>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let at = value.span();
    match (kind, value.get_ref()) {
        (Kind::Text, DeValue::String(s)) => Some(Value::Text(s.to_string())),
        (Kind::Name | Kind::Ref(_), DeValue::String(s)) => {
            read_name(name, s, at, faults).then(|| Value::Text(s.to_string()))
        }
        (Kind::Bool, DeValue::Boolean(b)) => Some(Value::Bool(*b)),
        (kind, DeValue::String(s)) if is_quantity(kind) => match read_text(name, kind, s) {
            Ok(v) => Some(v),
            Err((title, remedy)) => fault(faults, at, title, &remedy),
        },
        (Kind::Choices(_) | Kind::Texts | Kind::Refs { .. }, DeValue::Array(list)) => {
            read_list(name, kind, list, at, faults)
        }
        (Kind::Table(section), DeValue::Table(t)) => {
            Some(Value::Table(table(at, t, section, faults)))
        }
        (Kind::Tables(section), DeValue::Table(t)) => {
            Some(Value::Tables(vec![table(at, t, section, faults)]))
        }
        (Kind::Tables(section), DeValue::Array(list)) => {
            let mut all = Vec::new();
            for item in list.iter() {
                match item.get_ref() {
                    DeValue::Table(t) => all.push(table(item.span(), t, section, faults)),
                    other => wrong_type(name, kind, other, item.span(), faults),
                }
            }
            Some(Value::Tables(all))
        }
        (Kind::Codes { max, names }, found) => {
            crate::code::read(name, (*max, *names), found, at, faults).map(Value::Codes)
        }
        (Kind::Point, DeValue::Table(t)) => Some(Value::Point(point(t))),
        (kind, found) => read_number(name, kind, found, at, faults),
    }
}

/// Whether text is read as a quantity or a word of this kind, by [`read_text`].
fn is_quantity(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Octets { .. }
            | Kind::Span { .. }
            | Kind::Rate
            | Kind::Size { .. }
            | Kind::Sysctl
            | Kind::SysctlTriple
            | Kind::Ratio
            | Kind::BitErrorRate
            | Kind::Queue
            | Kind::Class
            | Kind::Bound
            | Kind::Framing
            | Kind::Choice(_)
            | Kind::Control(_)
    )
}

/// Reads a bare number of a kind that allows one; anything else is of the wrong type.
fn read_number(
    name: &str,
    kind: &Kind,
    found: &DeValue<'_>,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Value> {
    match (kind, whole(found), number(found)) {
        (Kind::Int { min, max } | Kind::Octets { min, max }, Some(n), _) => {
            in_range(name, n, *min, *max, at, faults)
        }
        (Kind::Sysctl, Some(n), _) => {
            let Some(Value::Int(n)) = in_range(name, n, 1, i64::MAX, at, faults) else {
                return None;
            };
            Some(Value::Size(Size::from_bytes(n.unsigned_abs())))
        }
        (Kind::Class, Some(n), _) => in_range(name, n, 0, 255, at, faults),
        (Kind::Ratio, _, Some(x)) => match Ratio::new(x) {
            Some(r) => Some(Value::Ratio(r)),
            None => fault(
                faults,
                at,
                format!("`{name}` must lie between 0 and 1"),
                "a ratio: 1e-4, or \"0.01 %\"",
            ),
        },
        (Kind::BitErrorRate, _, Some(x)) => bit_error_rate(name, x, at, faults),
        (Kind::Bound, _, Some(x)) => Some(Value::Float(x)),
        (Kind::Number { above, max }, _, Some(x)) if *above < x && x <= *max => {
            Some(Value::Float(x))
        }
        (Kind::Number { above, max }, _, Some(_)) => fault(
            faults,
            at,
            format!("`{name}` must be above {above} and at most {max}"),
            "a plain number, such as 1.5",
        ),
        _ => {
            wrong_type(name, kind, found, at, faults);
            None
        }
    }
}

fn fault(
    faults: &mut Vec<Diagnostic>,
    at: Range<usize>,
    title: String,
    remedy: &str,
) -> Option<Value> {
    let d = Diagnostic::new(at, title);
    faults.push(if remedy.is_empty() { d } else { d.help(remedy) });
    None
}

fn wrong_type(
    name: &str,
    kind: &Kind,
    found: &DeValue<'_>,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) {
    let example = match (kind, found) {
        (Kind::Bool, DeValue::String(word)) => (!quantity::denies(word)).to_string(),
        (Kind::Bool, _) => (number(found) != Some(0.0)).to_string(),
        (kind, found) => bare::meant(kind, found).unwrap_or_else(|| quantity::example(kind)),
    };
    if let (true, Some(n)) = (needs_unit(kind), number(found)) {
        let like = bare::like(name, kind, n);
        faults.push(
            Diagnostic::new(at, format!("missing unit: `{name}` is a bare number"))
                .label("of what?")
                .help(format!("write the unit, as text: {name} = \"{like}\"")),
        );
        return;
    }
    if let Some(remedy) = bare::in_segments(name, found) {
        faults.push(Diagnostic::new(at, bare::wrong(name, kind, found)).help(remedy));
        return;
    }
    let remedy = match (found, kind) {
        (DeValue::Array(_), Kind::SysctlTriple | Kind::Name) => format!("write {name} = {example}"),
        (DeValue::Array(list), _) => several(name, kind, list),
        (found, Kind::Int { min, max }) if bare::denies(found) => bare::left_out(name, *min, *max),
        _ => format!("write {name} = {example}"),
    };
    let title = bare::wrong(name, kind, found);
    faults.push(Diagnostic::new(at, title).help(remedy));
}

/// Whether a number of this kind says nothing without its unit.
fn needs_unit(kind: &Kind) -> bool {
    use Kind::{Queue, Rate, Size, Span};
    matches!(kind, Span { .. } | Rate | Size { .. } | Queue)
}

/// Where several values of a key go: a few bare numbers with the unit that they lack.
fn several(key: &str, kind: &Kind, list: &DeArray<'_>) -> String {
    let with_unit = |value: &At<DeValue<'_>>| {
        let n = number(value.get_ref()).filter(|_| needs_unit(kind))?;
        Some(format!("\"{}\"", bare::like(key, kind, n)))
    };
    let values: Option<Vec<String>> = list.iter().map(with_unit).collect();
    let few = values.filter(|v| (1..=FEW).contains(&v.len()));
    let values = few.map_or_else(|| "...".to_owned(), |v| v.join(", "));
    format!(
        "several values are a sweep: below [sweep] write \"SECTION.NAME.{key}\" = [{values}]; --set with a list replaces them there"
    )
}

/// Whether `s` may be a name; reports it when not.
fn read_name(key: &str, s: &str, at: Range<usize>, faults: &mut Vec<Diagnostic>) -> bool {
    let good = !s.is_empty()
        && s.len() <= 64
        && s.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if !good {
        faults.push(
            Diagnostic::new(at, format!("`{}` is not a valid name", shorten(s)))
                .label(format!("in `{key}`"))
                .help("names are made of A-Z, a-z, 0-9, `_` and `-`, at most 64 of them"),
        );
    }
    good
}

fn in_range(
    name: &str,
    n: i64,
    min: i64,
    max: i64,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Value> {
    if (min..=max).contains(&n) {
        return Some(Value::Int(n));
    }
    let range = if max == i64::MAX {
        format!("at least {min}")
    } else {
        format!("between {min} and {max}")
    };
    let title = if name == "mtu" && n < min {
        format!("MTU too small: IPv4 needs {min} bytes (RFC 791 §3.2)")
    } else {
        format!("`{name}` must be {range}, not {n}")
    };
    fault(
        faults,
        at,
        title,
        if name == "mtu" {
            "1500 is usual, 9000 for jumbo frames"
        } else {
            ""
        },
    )
}

fn bit_error_rate(
    name: &str,
    p: f64,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Value> {
    if (0.0..1.0).contains(&p) {
        return Some(Value::Float(p));
    }
    fault(
        faults,
        at,
        format!("`{name}` must be at least 0 and below 1"),
        "a good fibre has about 1e-12",
    )
}

/// A value that stands as text.
pub(crate) fn read_text(name: &str, kind: &Kind, s: &str) -> Result<Value, (String, String)> {
    let text = s.trim();
    match kind {
        Kind::Octets { min, max } => {
            let n = quantity::size(name, text)?.as_bytes();
            match i64::try_from(n).ok().filter(|n| (min..=max).contains(&n)) {
                Some(n) => Ok(Value::Int(n)),
                None => Err((
                    format!("`{name}` must be between {min} and {max} bytes"),
                    String::new(),
                )),
            }
        }
        Kind::Span { zero } => quantity::span(name, text, *zero).map(Value::Span),
        Kind::Rate => quantity::rate(name, text).map(Value::Rate),
        Kind::Size { max } => quantity::limited_size(name, text, *max).map(Value::Size),
        Kind::Sysctl => quantity::sysctl(name, text).map(Value::Size),
        Kind::SysctlTriple => quantity::sysctl_triple(name, text).map(Value::Sizes),
        Kind::Ratio => quantity::ratio(name, text).map(Value::Ratio),
        Kind::BitErrorRate => match text.parse::<f64>().ok().filter(|p| (0.0..1.0).contains(p)) {
            Some(p) => Ok(Value::Float(p)),
            None => Err((
                format!("`{name}` must be a number of at least 0 and below 1"),
                "a good fibre has about 1e-12".to_owned(),
            )),
        },
        Kind::Queue => quantity::queue(name, text).map(Value::Queue),
        Kind::Class => quantity::class(name, text).map(|c| Value::Int(i64::from(c))),
        Kind::Framing => choice::one_of(name, text, &crate::signal::words()).map(Value::Text),
        Kind::Choice(words) => choice::one_of(name, text, words).map(Value::Text),
        Kind::Control(words) => choice::control(name, text, words).map(Value::Text),
        // Its unit is known only when the metric is; judged there.
        _ => Ok(Value::Text(text.to_owned())),
    }
}

fn read_list(
    name: &str,
    kind: &Kind,
    list: &DeArray<'_>,
    at: Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Value> {
    let mut texts = Vec::new();
    for item in list.iter() {
        let DeValue::String(s) = item.get_ref() else {
            wrong_type(name, kind, item.get_ref(), item.span(), faults);
            return None;
        };
        match kind {
            Kind::Refs { .. } if !read_name(name, s, item.span(), faults) => return None,
            Kind::Choices(words) if !words.contains(&s.as_ref()) => {
                let (title, remedy) = choice::none("origin", s, words);
                return fault(faults, item.span(), title, &remedy);
            }
            _ => texts.push(Spanned::new(item.span(), s.to_string())),
        }
    }
    let (min, max) = match kind {
        Kind::Refs { min, max, .. } => (*min, *max),
        _ => (1, 10_000),
    };
    if texts.len() < min || texts.len() > max {
        let many = if min == max {
            format!("{min}")
        } else {
            format!("{min} to {max}")
        };
        return fault(
            faults,
            at,
            format!("`{name}` has {} entries and needs {many}", texts.len()),
            "",
        );
    }
    Some(Value::Texts(texts))
}

/// Paths and literals as they are written.
fn point(table: &DeTable<'_>) -> Vec<(At<String>, String)> {
    let mut all: Vec<(At<String>, String)> = table
        .iter()
        .map(|(k, v)| {
            (
                Spanned::new(k.span(), k.get_ref().to_string()),
                written(v.get_ref()),
            )
        })
        .collect();
    all.sort_by_key(|(k, _)| k.span().start);
    all
}
