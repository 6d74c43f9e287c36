//! Expectations: bands, in the unit of the metric, and whether what a source states lies inside.

use std::collections::BTreeMap;

use farpath_record::swept::same;
use farpath_record::{Expect, Origin};

use crate::decode::{At, Fields};
use crate::diagnostic::{Diagnostic, shorten};
use crate::metric::{self, Unit};
use crate::model::Scenario;
use crate::names::Names;
use crate::quantity;
use crate::unitless;

/// An expectation of the scenario's own; bounds are converted to the metric's unit.
pub(crate) fn expect(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<Expect> {
    read(f, names, scenario, (faults, None))
}

/// An expectation of a file beside the scenario: what the scenario lacks is its own fault, not that of the file.
pub(crate) fn beside(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> Option<Expect> {
    let mut lacking = Vec::new();
    let mut expect = read(f, names, scenario, (faults, Some(&mut lacking)))?;
    expect.lacking = lacking.into_iter().next();
    Some(expect)
}

/// What a text says and must not goes to `faults`, what the scenario lacks to the second list; without one it is a fault, too.
fn read(
    f: &Fields,
    names: &Names,
    scenario: &Scenario,
    (faults, mut lacking): (&mut Vec<Diagnostic>, Option<&mut Vec<String>>),
) -> Option<Expect> {
    let before = faults.len();
    let metric: At<String> = f.at("metric")?;
    let (over, minus) = (f.at::<String>("over"), f.at::<String>("minus"));
    for path in [Some(&metric), over.as_ref(), minus.as_ref()]
        .into_iter()
        .flatten()
    {
        match (metric::lacking(path, names), &mut lacking) {
            (Some(why), Some(all)) => all.push(why),
            _ => metric::check(path, names, faults),
        }
    }
    // Of an unknown metric nobody knows the unit.
    if faults.len() > before {
        return None;
    }
    let unit = unit(f);
    if let Some(minus) = &minus {
        check_difference(&metric, over.is_some(), minus, faults);
    }
    let (min, max) = band(f, unit, faults);
    check_band(f, min, max, faults);
    let stated: Option<String> = f.get("stated");
    let note: Option<String> = f.get("note");
    let is_right = faults.len() == before && note.is_none();
    if let Some(stated) = stated.as_deref().filter(|_| is_right)
        && let Some(figure) = single_figure(stated, unit)
        && (min.is_some_and(|m| figure < m) || max.is_some_and(|m| figure > m))
    {
        let d = Diagnostic::new(
            f.place("stated"),
            "what the source states lies outside the band",
        );
        // A band that was not meant comes before a reason for it.
        let doubts = unitless::doubt(f, unit).into_iter();
        let d = doubts.fold(d, |d, doubt| d.help(doubt.in_a_line()));
        faults.push(d.help("add a `note` that says why"));
    }
    let stated_within = stated_within(f, min.zip(max).is_some(), faults);
    let origins: Vec<At<String>> = f.get("origins").unwrap_or_default();
    let mut unswept = Vec::new();
    let point = point(f, scenario, &mut unswept);
    match lacking {
        Some(all) => all.extend(unswept.iter().map(Diagnostic::in_a_line)),
        None => faults.append(&mut unswept),
    }
    (faults.len() == before).then(|| Expect {
        metric: metric.into_inner(),
        over: over.map(At::into_inner),
        minus: minus.map(At::into_inner),
        min,
        max,
        origins: origins.iter().filter_map(|o| origin(o.get_ref())).collect(),
        point,
        stated,
        source: f.get("source"),
        note,
        file: None,
        question: None,
        place: None,
        stated_within,
        lacking: None,
    })
}

/// How narrow the scenario's own band must be, as a share of its middle.
fn stated_within(f: &Fields, has_middle: bool, faults: &mut Vec<Diagnostic>) -> Option<f64> {
    if !f.has("stated_within") {
        return None;
    }
    let share = match f.get::<String>("stated_within") {
        Some(text) => metric::read(Unit::Ratio, &text).ok(),
        None => f.get::<f64>("stated_within"),
    };
    let place = f.place("stated_within");
    if !has_middle {
        let d = Diagnostic::new(place, "`stated_within` without a middle");
        faults.push(d.help("add `value` with a `tolerance`, or `min` and `max`"));
        return None;
    }
    // A band wider than its middle would take any answer.
    let share = share.filter(|s| *s > 0.0 && *s <= 1.0);
    if share.is_none() {
        let d = Diagnostic::new(
            place,
            "`stated_within` is not a share above nothing and up to 100 %",
        );
        faults.push(d.help("write it like \"5 %\", or as a number, 0.05"));
    }
    share
}

/// `stated_within` of a scenario's own expectation is of nobody: only a file beside it can ask it for something.
pub(crate) fn asks_itself(f: &Fields) -> Option<Diagnostic> {
    f.has("stated_within").then(|| {
        let title = "`stated_within` asks a scenario for an expectation of its own";
        let d = Diagnostic::new(f.place("stated_within"), title);
        d.help("move it to a file of `farpath run --expect FILE`")
    })
}

/// The unit of what an expectation compares: the metric's, none of a ratio of two.
fn unit(f: &Fields) -> Unit {
    let metric: Option<String> = f.get("metric");
    match metric {
        Some(metric) if !f.has("over") => Unit::of(&metric),
        _ => Unit::Count,
    }
}

/// The word on bounds of an expectation that may not be what was meant.
pub(crate) fn doubt(f: &Fields) -> Option<Diagnostic> {
    unitless::doubt(f, unit(f)).or_else(|| wide(f))
}

/// The word on a band that begins at nothing.
fn wide(f: &Fields) -> Option<Diagnostic> {
    let text: String = f.get("tolerance")?;
    let percent: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
    let value: String = f.get("value")?;
    (percent >= 100.0).then(|| {
        let title =
            format!("`tolerance = \"{text}\"`: all from nothing to several times `{value}` passes");
        let meant = "a tolerance below 100 %; for a bound alone, `max`";
        Diagnostic::new(f.place("tolerance"), title).help(meant)
    })
}

/// Whether `minus` may be subtracted from `metric`.
fn check_difference(
    metric: &At<String>,
    has_over: bool,
    minus: &At<String>,
    faults: &mut Vec<Diagnostic>,
) {
    if has_over {
        let d = Diagnostic::new(minus.span(), "`over` and `minus` in one expectation");
        faults.push(d.help("a ratio or a difference, not both: write two expectations"));
    } else if Unit::of(minus.get_ref()) != Unit::of(metric.get_ref()) {
        let title = format!(
            "`{}` has another unit than `{}`",
            minus.get_ref(),
            metric.get_ref()
        );
        let d = Diagnostic::new(minus.span(), title);
        faults.push(d.help("subtract only what is measured in the same unit"));
    }
}

/// Whether there is a bound, and the lower one is not above the upper one.
fn check_band(f: &Fields, min: Option<f64>, max: Option<f64>, faults: &mut Vec<Diagnostic>) {
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        let d = Diagnostic::new(f.place("min"), "the lower bound lies above the upper one");
        faults.push(
            d.see(f.place("max"), "the upper bound")
                .help("exchange them"),
        );
    }
    if !["min", "max", "value"].iter().any(|k| f.has(k)) {
        let d = Diagnostic::new(f.span.clone(), "an expectation without a bound");
        faults.push(d.help("add `min`, `max`, or `value` with a `tolerance`"));
    }
}

fn origin(word: &str) -> Option<Origin> {
    Some(match word {
        "predicted" => Origin::Predicted,
        "simulated" => Origin::Simulated,
        "emulated" => Origin::Emulated,
        "measured" => Origin::Measured,
        "captured" => Origin::Captured,
        _ => return None,
    })
}

/// A bound in `unit`: a bare number, or text with a unit; of one metric over another, a number or a share.
pub(crate) fn bound(
    f: &Fields,
    key: &str,
    unit: Unit,
    faults: &mut Vec<Diagnostic>,
) -> Option<f64> {
    if let Some(number) = f.get::<f64>(key) {
        return Some(number);
    }
    let text: At<String> = f.at(key)?;
    let read = match f.has("over") {
        true => share(text.get_ref()),
        false => metric::read(unit, text.get_ref()),
    };
    match read {
        Ok(number) => Some(number),
        Err(said) => {
            let title = format!(
                "`{}` is not a valid bound for this metric",
                shorten(text.get_ref())
            );
            faults.push(Diagnostic::new(text.span(), title).help(said));
            None
        }
    }
}

/// A bound of one metric over another: a number, or a share in %, which may be above 100 %.
fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (number, parts) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text, 1.0),
    };
    let read = number.parse::<f64>().ok().filter(|n| n.is_finite());
    read.map(|n| n / parts).ok_or_else(|| {
        "beside `over` a bound is a share of that metric: write \"0.1 %\", or a number such as 0.001"
            .to_owned()
    })
}

fn band(f: &Fields, unit: Unit, faults: &mut Vec<Diagnostic>) -> (Option<f64>, Option<f64>) {
    let (min, max) = (bound(f, "min", unit, faults), bound(f, "max", unit, faults));
    let Some(value) = bound(f, "value", unit, faults) else {
        if f.has("tolerance") && !f.has("value") {
            let d = Diagnostic::new(f.place("tolerance"), "`tolerance` without `value`");
            faults.push(
                d.help("`tolerance` is half a band around `value`; `min` and `max` stand alone"),
            );
        }
        return (min, max);
    };
    if f.has("min") || f.has("max") {
        let d = Diagnostic::new(f.place("value"), "`value` beside `min` or `max`");
        faults.push(d.help("keep `value` and `tolerance`, or `min` and `max`"));
    }
    let half = tolerance(f, value, unit, faults);
    (Some(value - half), Some(value + half))
}

fn tolerance(f: &Fields, value: f64, unit: Unit, faults: &mut Vec<Diagnostic>) -> f64 {
    // A share of the value, whatever the metric's unit.
    let share = f
        .get::<String>("tolerance")
        .and_then(|t| t.trim().strip_suffix('%').map(str::to_owned));
    let half = match share.map(|s| s.trim().parse::<f64>()) {
        Some(Ok(percent)) if percent.is_finite() => Some(value.abs() * percent / 100.0),
        Some(_) => {
            let d = Diagnostic::new(f.place("tolerance"), "the tolerance is not a ratio");
            faults.push(d.help("write it like \"0.5 %\""));
            None
        }
        None => bound(f, "tolerance", unit, faults),
    };
    match half {
        Some(h) if h < 0.0 => {
            faults.push(
                Diagnostic::new(f.place("tolerance"), "negative tolerance")
                    .help("write it without the sign"),
            );
            0.0
        }
        other => other.unwrap_or(0.0),
    }
}

/// The one figure a text states, if it states exactly one and its unit can be read.
fn single_figure(stated: &str, unit: Unit) -> Option<f64> {
    let is_digit = |c: char| c.is_ascii_digit();
    let start = stated.find(is_digit)?;
    let end = start
        + stated[start..]
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(stated.len() - start);
    // Any other digit makes it two figures, or a list such as 580/581/584 ms.
    if stated[end..].contains(is_digit) || stated[..start].ends_with(['-', '/', '<', '>', '~']) {
        return None;
    }
    let word = stated[end..]
        .split_whitespace()
        .next()
        .unwrap_or("")
        .trim_end_matches([',', ';', '.', ')']);
    let number = stated[start..end].trim_end_matches('.');
    if unit == Unit::Count || quantity::split(number).0.len() != number.len() {
        return None;
    }
    let per_second = match word {
        "Mbits/sec" => "Mbit/s",
        "Gbits/sec" => "Gbit/s",
        other => other,
    };
    metric::read(unit, &format!("{number} {per_second}"))
        .ok()
        .filter(|_| !word.is_empty())
}

/// The sweep's points an expectation names; each must be one that the sweep tries.
fn point(
    f: &Fields,
    scenario: &Scenario,
    faults: &mut Vec<Diagnostic>,
) -> BTreeMap<String, String> {
    let mut point = BTreeMap::new();
    let of_points: Vec<String> = scenario.sweep_keys().concat();
    let swept = scenario.sweep.iter().filter(|(k, _)| of_points.contains(k));
    let sweep: Vec<&(String, Vec<String>)> = swept.collect();
    for (path, value) in f.get::<Vec<(At<String>, String)>>("at").unwrap_or_default() {
        let keys = sweep.iter().map(|(k, _)| k.as_str());
        let Some((_, values)) = sweep.iter().find(|(k, _)| k == path.get_ref()) else {
            let d = Diagnostic::new(
                path.span(),
                match scenario.sweep.iter().any(|(k, _)| k == path.get_ref()) {
                    true => format!("`{}` has a label", shorten(path.get_ref())),
                    false => format!("`{}` is not swept", shorten(path.get_ref())),
                },
            );
            faults.push(d.suggest(path.get_ref(), keys));
            continue;
        };
        // The point's words are the sweep's, however the expectation writes the quantity.
        if let Some(word) = values.iter().find(|v| same(v, &value)) {
            point.insert(path.into_inner(), word.clone());
        } else {
            let d = Diagnostic::new(
                path.span(),
                format!(
                    "the sweep never sets `{}` to `{}`",
                    shorten(path.get_ref()),
                    shorten(&value)
                ),
            );
            faults.push(d.suggest(&value, values.iter().map(String::as_str)));
        }
    }
    faults.extend(apart(f, scenario, &point));
    point
}

/// The fault of values that the sweep has and never has together, since their keys advance together.
fn apart(f: &Fields, scenario: &Scenario, point: &BTreeMap<String, String>) -> Option<Diagnostic> {
    let asked = |group: &Vec<String>| {
        let named = scenario.sweep.iter().filter(|(key, _)| group.contains(key));
        let named = named.filter_map(|(key, values)| Some((key, values, point.get(key)?)));
        named.collect::<Vec<_>>()
    };
    let apart = scenario.together.iter().map(asked).find(|asked| {
        let steps = asked.first().map_or(0, |(_, values, _)| values.len());
        let is_at = |n: usize| asked.iter().all(|(_, all, v)| all.get(n) == Some(*v));
        !asked.is_empty() && !(0..steps).any(is_at)
    })?;
    let words = apart
        .iter()
        .map(|(key, _, value)| format!("`{key}` = `{value}`"));
    let title = format!(
        "no point of the sweep has {}",
        words.collect::<Vec<_>>().join(" with ")
    );
    let d = Diagnostic::new(f.place("at"), title);
    Some(d.help("these keys advance together: take the values of one step"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_another_metric_is_a_number_or_a_percentage() {
        assert_eq!(share("50 %"), Ok(0.5));
        assert_eq!(share(" 150% "), Ok(1.5));
        assert_eq!(share("0.25"), Ok(0.25));
        for wrong in ["10 Mbit/s", "%", "nan %", ""] {
            assert!(
                share(wrong).is_err_and(|why| why.contains("0.1 %")),
                "{wrong}"
            );
        }
    }

    #[test]
    fn one_figure_is_found_and_a_list_is_not() {
        assert_eq!(single_figure("stable at 990 Mbps", Unit::Bps), Some(990e6));
        assert_eq!(single_figure("966 Mbits/sec", Unit::Bps), Some(966e6));
        assert_eq!(single_figure("it became 581ms", Unit::Ns), Some(581e6));
        assert_eq!(single_figure("580/581/584 ms", Unit::Ns), None);
        assert_eq!(single_figure("3 arrows", Unit::Count), None);
        assert_eq!(single_figure("half a dozen", Unit::Bps), None);
        assert_eq!(single_figure("990 parsecs", Unit::Bps), None);
    }
}
