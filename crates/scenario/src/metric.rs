//! Which metrics an expectation may name, and how their bounds are read.

pub(crate) use farpath_observe::metric::Unit;
use farpath_observe::metric::{self, Subject};
use farpath_units::{Duration, Rate, Ratio, Size};

use crate::bare;
use crate::decode::At;
use crate::diagnostic::{Diagnostic, nearest, shorten};
use crate::names::Names;

/// A number in `unit`, of text: with its unit where it has one.
pub(crate) fn read(unit: Unit, text: &str) -> Result<f64, String> {
    let text = text.trim();
    if let Ok(plain) = text.parse::<f64>() {
        return match bare::likely(unit, plain) {
            _ if !plain.is_finite() => Err("a finite number".to_owned()),
            Some(meant) if plain > 0.0 => Err(format!("write the unit, such as \"{meant}\"")),
            _ => Ok(plain),
        };
    }
    match unit {
        // A link's rate is never zero, what comes through may be.
        Unit::Bps => match text.parse::<Rate>() {
            Err(farpath_units::ParseError::ZeroRate { .. }) => Ok(0.0),
            rate => rate.map(|r| r.as_bps() as f64).map_err(|e| e.to_string()),
        },
        Unit::Ns => text
            .parse::<Duration>()
            .map(|d| d.as_ps() as f64 / 1e3)
            .map_err(|e| e.to_string()),
        Unit::S => text
            .parse::<Duration>()
            .map(|d| d.as_ps() as f64 / 1e12)
            .map_err(|e| e.to_string()),
        Unit::Bytes => text
            .parse::<Size>()
            .map(|s| s.as_bytes() as f64)
            .map_err(|e| e.to_string()),
        Unit::Ratio => text
            .parse::<Ratio>()
            .map(Ratio::get)
            .map_err(|e| e.to_string()),
        Unit::Count if text.ends_with('%') => Err(
            "this metric is a count: write a plain number, or name in `over` the metric of which it is a share"
                .to_owned(),
        ),
        Unit::Count => Err("this metric is a count: write a plain number".to_owned()),
    }
}

/// Other words for metrics, which spelling alone does not lead to.
const OTHER_WORDS: [(&str, &str); 8] = [
    ("duration", "completion_ns"),
    ("time", "completion_ns"),
    ("took", "completion_ns"),
    ("throughput", "goodput_bps"),
    ("bandwidth", "goodput_bps"),
    ("speed", "goodput_bps"),
    ("rate", "goodput_bps"),
    ("latency", "rtt_p50_ns"),
];

/// Checks that a metric path names something that will exist; a fault with a suggestion if not.
pub(crate) fn check(path: &At<String>, names: &Names, faults: &mut Vec<Diagnostic>) {
    if let Some(u) = unknown(path.get_ref(), names) {
        let known = u.known.iter().map(String::as_str);
        let d = Diagnostic::new(path.span(), u.title);
        faults.push(match u.remedy.as_str() {
            "" => d.suggest(u.part, known),
            remedy => d.help(remedy),
        });
    }
}

/// What a scenario must have so that a metric path names something of it; none where it has that, and where no scenario could
/// have it.
pub(crate) fn lacking(path: &At<String>, names: &Names) -> Option<String> {
    let u = unknown(path.get_ref(), names).filter(|u| u.of_scenario)?;
    let known: Vec<&str> = u.known.iter().map(String::as_str).collect();
    let near = nearest(u.part, &known).filter(|near| !["link", "search"].contains(near));
    let near = near.map_or(String::new(), |near| {
        format!(": did you mean it by `{near}`?")
    });
    Some(match u.title.strip_prefix("there is no ") {
        Some(what) => format!("the scenario has no {what}, and must have one of this name{near}"),
        None => format!("`{}` of the scenario: {}", shorten(path.get_ref()), u.title),
    })
}

fn unknown<'a>(text: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    match first {
        "link" => in_link(text, rest, names),
        "search" => in_search(text, rest, names),
        test => in_test(text, test, rest, names),
    }
}

/// The part of a path that names nothing, and what it could have named.
struct Unknown<'a> {
    part: &'a str,
    /// Another scenario could have it.
    of_scenario: bool,
    title: String,
    known: Vec<String>,
    /// What to do, where there is nothing that it could have named.
    remedy: String,
}

impl<'a> Unknown<'a> {
    fn new<T: ToString>(
        part: &'a str,
        title: String,
        known: impl IntoIterator<Item = T>,
    ) -> Option<Unknown<'a>> {
        let known = known.into_iter().map(|k| k.to_string()).collect();
        Some(Unknown {
            part,
            of_scenario: true,
            title,
            known,
            remedy: String::new(),
        })
    }
}

/// `link.NAME.A>B.METRIC`, of which `rest` follows the first dot.
fn in_link<'a>(text: &str, rest: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let Some(link) = names.find_link(name) else {
        let title = format!("there is no link `{}`", shorten(name));
        return Unknown::new(name, title, names.links());
    };
    let (way, metric) = rest.split_once('.').unwrap_or((rest, ""));
    let [a, b] = &names.link_ends[link];
    let ways = [format!("{a}>{b}"), format!("{b}>{a}")];
    let Some(side) = ways.iter().position(|w| w == way) else {
        let title = format!("`{}` is not a direction of link `{name}`", shorten(way));
        return Unknown::new(way, title, ways);
    };
    if let Some(rest) = metric.strip_prefix("queue.") {
        let (class, metric) = rest.split_once('.').unwrap_or((rest, ""));
        let classes = &names.link_classes[link][side];
        if !classes.iter().any(|c| c == class) {
            let title = format!("{way} of link `{name}` has no class `{}`", shorten(class));
            return Unknown::new(class, title, classes);
        }
        return in_registry(text, metric, "a queue", Subject::Queue);
    }
    if let Some(rest) = metric.strip_prefix("police.") {
        let (policer, metric) = rest.split_once('.').unwrap_or((rest, ""));
        let known = &names.link_policers[link][side];
        if !known.iter().any(|p| p == policer) {
            let title = format!(
                "{way} of link `{name}` has no policer `{}`",
                shorten(policer)
            );
            return Unknown::new(policer, title, known);
        }
        return in_registry(text, metric, "a policer", Subject::Policer);
    }
    in_registry(text, metric, "a link", Subject::Link)
}

/// `search.NAME.METRIC`, of which `rest` follows the first dot.
fn in_search<'a>(text: &str, rest: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let (name, metric) = rest.split_once('.').unwrap_or((rest, ""));
    let Some(results) = names.find_search(name) else {
        let title = format!("there is no search `{}`", shorten(name));
        return Unknown::new(name, title, names.searches());
    };
    match results {
        Some(own) if !metric.is_empty() && own.iter().all(|r| r != metric) => {
            let title = format!("search `{name}` has no metric `{}`", shorten(metric));
            Unknown::new(metric, title, own)
        }
        _ => in_registry(text, metric, "a search", Subject::Search),
    }
}

/// `TEST.METRIC`.
fn in_test<'a>(text: &str, test: &'a str, metric: &'a str, names: &Names) -> Option<Unknown<'a>> {
    let Some(number) = names.find_test(test) else {
        let title = format!("there is no test `{}`", shorten(test));
        if names.tests().next().is_none() {
            return Some(Unknown {
                part: test,
                of_scenario: true,
                title: format!("{title}: the scenario has no tests"),
                known: Vec::new(),
                remedy: "add a [[test]]: its `name` is what stands before the point here"
                    .to_owned(),
            });
        }
        return Unknown::new(test, title, names.tests().chain(["link", "search"]));
    };
    // A kind that is misspelt is a fault of its own.
    let kind = Subject::of_test(&names.test_kinds[number]).unwrap_or(Subject::Tcp);
    let of = match kind {
        Subject::Ping => "a ping".to_owned(),
        _ => format!("a {} test", kind.name()),
    };
    let mut unknown = in_registry(text, metric, &of, kind)?;
    let mut tests = Subject::TESTS.iter();
    unknown.of_scenario = tests.any(|(other, ..)| metric::of(*other).any(|m| m.name == metric));
    Some(unknown)
}

fn in_registry<'a>(text: &str, metric: &'a str, of: &str, subject: Subject) -> Option<Unknown<'a>> {
    let known = || metric::of(subject).map(|m| m.name);
    if known().any(|name| name == metric) {
        return None;
    }
    let title = if metric.is_empty() {
        format!("no metric after {of} in `{}`", shorten(text))
    } else {
        format!("{of} has no metric `{}`", shorten(metric))
    };
    let unknown = Unknown::new(metric, title, known())?;
    let meant = OTHER_WORDS.iter().find(|(word, _)| *word == metric);
    let meant = meant.filter(|(_, name)| known().any(|known| known == *name));
    Some(Unknown {
        of_scenario: false,
        remedy: meant.map_or(String::new(), |(_, name)| format!("did you mean `{name}`?")),
        ..unknown
    })
}
