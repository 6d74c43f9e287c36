//! Whether a scenario states what a file of `--expect` demands of it (`stated_within`).

use crate::quantity::quantity;
use crate::results::{Results, split};
use crate::{Expect, Expectation, Keys, Origin, Point, points_words};

/// Why the scenario's own expectations, among `all`, do not state at a point what `expect` demands of them; `None` where they do.
/// `origin` is judged, one of those that `asked` for.
pub(crate) fn unstated(
    expect: &Expect,
    all: &[Expect],
    (point, origin, asked): (&Point, Origin, &[Origin]),
) -> Option<String> {
    let within = expect.stated_within?;
    let own = own(expect, all, point);
    if own.is_empty() {
        return Some("the scenario has no expectation of its own of this".to_owned());
    }
    match by_origin(&own, origin, asked)[..] {
        [] => Some(
            "the `origins` of the scenario's own expectation leave out what is judged".to_owned(),
        ),
        [one] => refused(one, expect, within),
        ref several => Some(format!(
            "the scenario has {} expectations of this, and a statement is one: keep one of them",
            several.len()
        )),
    }
}

/// The scenario's own expectations, among `all`, of what `expect` is of at a point.
fn own<'e>(expect: &Expect, all: &'e [Expect], point: &Point) -> Vec<&'e Expect> {
    let mine = |e: &&Expect| {
        let applies = e.point.iter().all(|(key, v)| point.get(key) == Some(v));
        e.file.is_none() && e.written() == expect.written() && applies
    };
    all.iter().filter(mine).collect()
}

/// Those of them that speak of an origin, or else of any that was `asked` for: of several origins each may have its figure.
fn by_origin<'e>(own: &[&'e Expect], origin: Origin, asked: &[Origin]) -> Vec<&'e Expect> {
    let by = |origins: &[Origin]| -> Vec<&'e Expect> {
        let speaks =
            |e: &&Expect| e.origins.is_empty() || e.origins.iter().any(|o| origins.contains(o));
        own.iter().copied().filter(speaks).collect()
    };
    let stated = by(&[origin]);
    match stated.is_empty() {
        true => by(asked),
        false => stated,
    }
}

/// Why the scenario's own expectation does not state what `expect` demands at the point and of the origin of `judged`, where it
/// names fewer keys of the sweep: it is of other points, too, and does not hold at one of them.
pub(crate) fn of_more_points(
    expect: &Expect,
    all: &[Expect],
    judged: &Expectation,
    (asked, results): (&[Origin], &Results<'_>),
) -> Option<String> {
    expect.stated_within?;
    let stated = by_origin(&own(expect, all, &judged.point), judged.origin, asked);
    let [own] = stated[..] else {
        return None;
    };
    let key = expect.point.keys().find(|k| !own.point.contains_key(*k))?;
    let (subject, _) = split(&own.metric)?;
    let meant = |p: &&Point| own.point.iter().all(|(key, v)| p.get(key) == Some(v));
    let fails = |p: &&Point| {
        let actual = results.compared(own, judged.origin, p);
        actual.is_some_and(|v| {
            own.min.is_some_and(|min| v < min) || own.max.is_some_and(|max| v > max)
        })
    };
    let points = results.points(&subject, Some(judged.origin));
    let failed = points.iter().filter(meant).find(fails)?;
    let value = failed.get(key).map_or("another point", String::as_str);
    Some(format!(
        "`at` of the scenario's own expectation lacks `{key}`, so that it is of every point, and it does not hold at {value}"
    ))
}

/// Why a band is not what is demanded.
fn refused(own: &Expect, expect: &Expect, within: f64) -> Option<String> {
    let middle = |e: &Expect| Some((e.min? + e.max?) / 2.0);
    let width = own.max.zip(own.min).map(|(max, min)| max - min);
    let percent = |share: f64| (share * 1e4).round() / 1e2;
    let remedy = format!(
        "state `value` with a `tolerance`, at most {} %",
        percent(within / 2.0)
    );
    // A band of exactly that width is one, whatever binary fractions say.
    let most = middle(own).map(|m| m.abs() * within * (1.0 + 1e-9));
    if !width.zip(most).is_some_and(|(width, most)| width <= most) {
        let why = "the scenario's own band is wider than";
        return Some(format!(
            "{why} {} % of its middle: {remedy}",
            percent(within)
        ));
    }
    let asked = middle(expect)?;
    let holds = |band: &Expect, figure: f64| Some(band.min? <= figure && figure <= band.max?);
    // Two who round the same figure differently agree: the own middle is in the other's band, and as near to its middle as asked.
    let figure = middle(own)?;
    let near = (figure - asked).abs() <= asked.abs() * within / 2.0;
    if holds(own, asked)? || (near && holds(expect, figure)?) {
        return None;
    }
    // The file's own figure stays with whoever marks.
    let shown = |v: f64| quantity(&own.written(), v);
    Some(match own.min.zip(own.max)? {
        (min, max) if min < max => {
            format!("your answer, {} to {}, is not it", shown(min), shown(max))
        }
        (exact, _) => format!("your answer, {}, is not it", shown(exact)),
    })
}

/// What the scenario's own expectations, among `all`, lack of what each expectation of a file demands, before anything has run.
/// A line says where that one stands, of what it is, at which of `points` it is not stated unless that is all of them, and why.
/// Where a file names no origins, predictions and simulation are judged.
pub fn unstated_at(all: &[Expect], points: &[Point]) -> Vec<String> {
    let every: Vec<&Point> = points.iter().collect();
    let mut lines = Vec::new();
    for expect in all.iter().filter(|e| e.lacking.is_none()) {
        let origins = match expect.origins.is_empty() {
            true => &[Origin::Predicted, Origin::Simulated],
            false => &expect.origins[..],
        };
        let meant = |p: &&&Point| expect.point.iter().all(|(key, v)| p.get(key) == Some(v));
        let mut lacks: Vec<(String, Vec<&Point>)> = Vec::new();
        for point in every.iter().filter(meant).copied() {
            let each = origins
                .iter()
                .filter_map(|o| unstated(expect, all, (point, *o, origins)));
            for why in each {
                match lacks.iter_mut().find(|(known, _)| *known == why) {
                    // Of a second origin.
                    Some((_, at)) if at.last() == Some(&point) => {}
                    Some((_, at)) => at.push(point),
                    None => lacks.push((why, vec![point])),
                }
            }
        }
        let place = expect.place.as_ref();
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        lines.extend(lacks.iter().map(|(why, at)| {
            let at = match points_words(at, &every, &Keys::default()) {
                all if all.is_empty() => all,
                some => format!(" at {some}"),
            };
            format!("{place}{}{at}: {why}", expect.written())
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(min: f64, max: f64) -> Expect {
        Expect {
            metric: "small.goodput_bps".to_owned(),
            min: Some(min),
            max: Some(max),
            ..Expect::default()
        }
    }

    /// What is lacking where these are the scenario's own, and the file expects 100 within 5 %.
    fn lacks(own: &[Expect]) -> String {
        let mut marks = band(98.0, 102.0);
        marks.file = Some("marks.toml".to_owned());
        marks.stated_within = Some(0.05);
        let all = [own, &[marks]].concat();
        unstated_at(&all, &[Point::new()]).join("; ")
    }

    #[test]
    fn one_narrow_band_is_a_statement() {
        assert_eq!(lacks(&[band(98.0, 102.0)]), "");
        assert!(lacks(&[]).contains("no expectation of its own"));
        // A figure of more digits than the file's: its middle is in the file's band.
        assert_eq!(lacks(&[band(100.1, 102.0)]), "");
        let wrong = "your answer, 102 bit/s to 103 bit/s, is not it";
        let said = lacks(&[band(102.0, 103.0)]);
        assert_eq!(said, format!("small.goodput_bps: {wrong}"));
        // What hits by number is a guess.
        let shots: Vec<Expect> = (0..8)
            .map(|n| band(93.0 + 2.0 * f64::from(n), 95.0 + 2.0 * f64::from(n)))
            .collect();
        assert!(
            lacks(&shots).contains("8 expectations of this"),
            "{}",
            lacks(&shots)
        );
    }

    /// It was refused though right to three digits, as it holds no other figure's middle.
    #[test]
    fn an_exact_figure_is_a_statement() {
        for own in [100.0, 99.9, 98.0, 102.0] {
            assert_eq!(lacks(&[band(own, own)]), "", "{own}");
        }
        let said = lacks(&[band(103.0, 103.0)]);
        let wrong = "small.goodput_bps: your answer, 103 bit/s, is not it";
        assert_eq!(said, wrong);
    }

    #[test]
    fn a_wide_band_is_told_how_to_state_it() {
        let said = lacks(&[band(1.0, 900.0)]);
        assert!(said.contains("with a `tolerance`, at most 2.5 %"), "{said}");
    }

    #[test]
    fn a_statement_on_what_is_not_judged_is_none() {
        let of = |origins: &[Origin]| Expect {
            origins: origins.to_vec(),
            ..band(98.0, 102.0)
        };
        assert!(lacks(&[of(&[Origin::Emulated])]).contains("leave out what is judged"));
        assert_eq!(lacks(&[of(&[Origin::Simulated])]), "");
        assert_eq!(
            lacks(&[of(&[Origin::Simulated]), of(&[Origin::Predicted])]),
            ""
        );
    }

    /// Notes named neither the place of a demand nor the point at which it is not met.
    #[test]
    fn what_is_not_stated_has_a_place_and_points() {
        let at = |window: &str| Point::from([("test.small.window".to_owned(), window.to_owned())]);
        let points = ["1 MiB", "2 MiB", "4 MiB"].map(at);
        let mut marks = band(98.0, 102.0);
        marks.file = Some("marks.toml".to_owned());
        marks.place = Some("marks.toml:7:10".to_owned());
        marks.stated_within = Some(0.05);
        let said = |own: Expect, marks: &Expect| unstated_at(&[own, marks.clone()], &points);
        let of = |point: Point| Expect {
            point,
            ..band(98.0, 102.0)
        };
        let none = "the scenario has no expectation of its own of this";
        let two = "test.small.window 2 MiB; test.small.window 4 MiB";
        let head = "marks.toml:7:10: small.goodput_bps";
        assert_eq!(
            said(of(points[0].clone()), &marks),
            [format!("{head} at {two}: {none}")]
        );
        let elsewhere = Expect {
            metric: "small.rtos".to_owned(),
            ..band(0.0, 1.0)
        };
        assert_eq!(said(elsewhere, &marks), [format!("{head}: {none}")]);
        marks.point = points[1].clone();
        assert_eq!(
            said(of(points[0].clone()), &marks),
            [format!("{head} at test.small.window 2 MiB: {none}")]
        );
    }
}
