//! `[[search]]`, as text describes it.

use crate::decode::{At, Fields, read_text};
use crate::diagnostic::{Diagnostic, shorten};
use crate::expect::bound;
use crate::key::Kind;
use crate::metric::{self, Unit};
use crate::model::{Amount, Dimension, Find, Search};
use crate::names::Names;
use crate::quantity::example;
use crate::sections::Tables;
use crate::set::{self, Set};
use crate::sought::{find, share};
use crate::sweep::check_path;
use crate::unitless;
use farpath_units::Ratio;

/// The keys of the ends of what is tried.
const ENDS: [&str; 2] = ["low", "high"];

/// A search; all its metrics have one unit, and the bracket is the right way round.
pub(crate) fn search(
    f: &Fields,
    names: &Names,
    tables: &Tables,
    faults: &mut Vec<Diagnostic>,
) -> Option<Search> {
    let before = faults.len();
    let ends = ENDS.map(|key| end(f, key, faults));
    let find = find(f);
    let keys: Vec<At<String>> = f.get("keys")?;
    for key in &keys {
        check_path(key, tables, "search key", faults);
    }
    if let [Some(low), Some(high)] = ends {
        check_ends(f, [low, high], find, faults);
        keys.iter()
            .for_each(|key| check_kind(key, f, [low, high], faults));
    }
    let metrics: Vec<At<String>> = f.get("metrics")?;
    let only: Vec<At<String>> = f.get("only").unwrap_or_default();
    check_metrics(&metrics, &only, names, faults);
    let unit = unit(f);
    let at_least = bound(f, "at_least", unit, faults);
    let at_most = bound(f, "at_most", unit, faults);
    if let (Some(least), Some(most)) = (at_least, at_most)
        && least > most
    {
        let d = Diagnostic::new(f.place("at_least"), "`at_least` is above `at_most`");
        faults.push(
            d.see(f.place("at_most"), "the upper bound")
                .help("nothing holds both: keep one of them, or exchange them"),
        );
    }
    let [low, high] = [ends[0]?, ends[1]?];
    let strings = |list: &[At<String>]| list.iter().map(|s| s.get_ref().clone()).collect();
    (faults.len() == before).then(|| Search {
        name: f.get("name").unwrap_or_default(),
        keys: strings(&keys),
        find,
        low,
        high,
        resolution: f
            .get("resolution")
            .or(Ratio::new(0.001))
            .unwrap_or_default(),
        only: strings(&only),
        metrics: strings(&metrics),
        at_least,
        at_most: at_most.or(at_least.is_none().then_some(0.0)),
    })
}

impl Search {
    /// What its lowest and its highest value set.
    pub(crate) fn ends(&self) -> [Vec<Set>; 2] {
        let set = |value: Amount| {
            let keys = self.keys.iter();
            keys.map(|key| Set::new(key, value.to_string())).collect()
        };
        [set(self.low), set(self.high)]
    }
}

/// One end of what is tried.
fn end(f: &Fields, key: &str, faults: &mut Vec<Diagnostic>) -> Option<Amount> {
    let help = "a rate, a size, a time, a number of packets, bdp or a ratio: \"1 Mbit/s\", \"64 KiB\", \"300 ms\", \"10 packets\", \"2bdp\", \"0.1 %\"";
    if let Some(share) = share(f, key) {
        return Some(share);
    }
    if let Some(n) = f.get::<f64>(key) {
        let title = format!("missing unit: `{key}` is a bare number, {n}");
        faults.push(Diagnostic::new(f.place(key), title).help(help));
        return None;
    }
    let text: At<String> = f.at(key)?;
    let amount = text.get_ref().parse();
    if amount.is_err() {
        let title = format!("`{key}` cannot be `{}`", shorten(text.get_ref()));
        faults.push(Diagnostic::new(text.span(), title).help(help));
    }
    amount.ok()
}

/// Both ends measure the same, and are in order.
fn check_ends(f: &Fields, [low, high]: [Amount; 2], find: Find, faults: &mut Vec<Diagnostic>) {
    if low.of != high.of {
        let title = format!("`low` is {}, and `high` {}", low.of.noun(), high.of.noun());
        let d = Diagnostic::new(f.place("high"), title).see(f.place("low"), "the lower end");
        faults.push(d.help(format!("write both as {}", low.of.noun())));
    } else if low.n >= high.n {
        let d = Diagnostic::new(f.place("low"), "`low` is not below `high`");
        let help = match find {
            Find::Highest => "`low` is a value that holds, `high` one that fails",
            Find::Lowest => "`low` is a value that fails, `high` one that holds",
        };
        faults.push(d.see(f.place("high"), "the upper end").help(help));
    }
}

/// A key takes what is tried, at both ends.
fn check_kind(key: &At<String>, f: &Fields, ends: [Amount; 2], faults: &mut Vec<Diagnostic>) {
    let Ok(target) = set::target(key.get_ref()) else {
        return; // reported already
    };
    let Some(last) = target.key() else { return };
    let takes: &[Dimension] = match last.kind {
        Kind::Rate => &[Dimension::Rate],
        Kind::Size { .. } | Kind::Sysctl | Kind::Octets { .. } => &[Dimension::Size],
        Kind::Span { .. } => &[Dimension::Time],
        Kind::Queue => &[
            Dimension::Size,
            Dimension::Time,
            Dimension::Packets,
            Dimension::Bdp,
        ],
        Kind::Ratio => &[Dimension::Ratio],
        _ => &[],
    };
    let [low, high] = ends;
    if !takes.contains(&low.of) {
        let title = match takes {
            [] => format!("`{}` takes no rate, size, time or ratio", last.name),
            [first, ..] => format!(
                "`{}` takes {}, and `low` is {}",
                last.name,
                first.noun(),
                low.of.noun()
            ),
        };
        let help = match takes {
            [] => "a [sweep] tries values of other kinds, one by one".to_owned(),
            _ => format!(
                "write `low` and `high` as `{}` has them, such as {}",
                last.name,
                example(&last.kind)
            ),
        };
        faults.push(Diagnostic::new(key.span(), title).help(help));
        return;
    }
    if low.of != high.of {
        return; // reported already
    }
    for (name, end) in ENDS.into_iter().zip(ends) {
        let Err((title, remedy)) = read_text(last.name, &last.kind, &end.to_string()) else {
            continue;
        };
        let d = Diagnostic::new(f.place(name), title);
        let d = d.see(key.span(), "what it is set to");
        faults.push(match remedy.as_str() {
            "" => d.help(format!("write another `{name}`")),
            remedy => d.help(remedy),
        });
    }
}

/// Metrics are those of tests that run in the search.
fn check_metrics(
    metrics: &[At<String>],
    only: &[At<String>],
    names: &Names,
    faults: &mut Vec<Diagnostic>,
) {
    for m in metrics {
        metric::check(m, names, faults);
    }
    let of_links = |m: &&At<String>| {
        ["link.", "search."]
            .iter()
            .any(|p| m.get_ref().starts_with(p))
    };
    for m in metrics.iter().filter(of_links) {
        let d = Diagnostic::new(m.span(), "a search watches the metrics of tests only");
        faults.push(d.help("name a metric such as `bulk.loss_ratio`"));
    }
    only.iter().for_each(|t| {
        names.test(t, faults);
    });
    for m in metrics.iter().filter(|_| !only.is_empty()) {
        let test = m.get_ref().split('.').next().unwrap_or("");
        if names.find_test(test).is_some() && !only.iter().any(|o| o.get_ref() == test) {
            let d = Diagnostic::new(
                m.span(),
                format!("test `{test}` does not run in this search"),
            );
            faults.push(d.help("add it to `only`"));
        }
    }
}

/// The word on a bound of a search that may not be what was meant.
pub(crate) fn doubt(f: &Fields) -> Option<Diagnostic> {
    unitless::doubt(f, unit(f))
}

/// The unit of the metrics that a search watches.
fn unit(f: &Fields) -> Unit {
    let metrics: Vec<At<String>> = f.get("metrics").unwrap_or_default();
    let first = metrics.first();
    first.map_or(Unit::Count, |m| Unit::of(m.get_ref()))
}
