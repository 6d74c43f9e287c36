//! Published laws as curves over the points of a sweep, for the page.

use std::collections::BTreeMap;

use farpath_predict::Cc;
use farpath_predict::published::{Place, Published};
use farpath_record::Point;
use farpath_record::page::{LawCurve, LawPart, PublishedLaw};
use farpath_scenario::{Scenario, law_place};

use crate::Experiment;

/// Steps of a curve between its ends, beside the swept values themselves.
const STEPS: u32 = 96;
/// An axis is logarithmic where its greatest value is more than this many times its least, as on the page.
const DECADE: f64 = 8.0;
/// What changes by less than this over a sweep does not depend on it.
const LEVEL: f64 = 0.01;
/// A law has no more curves: a page cannot show them.
const MOST_CURVES: usize = 64;

/// Where one test stands on the sweep.
type Row<'a> = (&'a Point, Place);

/// The laws that change over a key of the sweep, of every test of long TCP connections.
pub(crate) fn laws(experiment: &Experiment) -> Vec<PublishedLaw> {
    let scenario = &experiment.loaded.scenario;
    let axes = scenario.sweep_keys();
    let mut found = Vec::new();
    for test in &scenario.tests {
        let rows: Vec<Row<'_>> = experiment
            .swept()
            .filter_map(|(point, at, plan)| Some((point, law_place(at, plan, &test.name)?)))
            .collect();
        let own = |law: &Published| {
            let mut points = experiment.swept();
            points.any(|(_, at, _)| is_of(*law, at, &test.name))
        };
        let own: Vec<Published> = Published::ALL.into_iter().filter(own).collect();
        for axis in &axes {
            let Some(key) = leading(axis, &rows) else {
                continue;
            };
            let others = axes.iter().filter(|other| *other != axis);
            let others: Vec<&[String]> = others.map(Vec::as_slice).collect();
            found.extend(Published::ALL.into_iter().filter_map(|law| {
                let curves = curves(law, key, axis, &others, &rows);
                (!curves.is_empty()).then(|| PublishedLaw {
                    apart: !own.contains(&law),
                    ..in_words(law, &test.name, key, curves)
                })
            }));
        }
    }
    found
}

/// Whether a law is of a test's connections: of their congestion control, and the window limit where a window is set.
fn is_of(law: Published, scenario: &Scenario, test: &str) -> bool {
    let named = scenario.tests.iter().find(|t| t.name == test);
    named.and_then(|t| t.kind.tcp()).is_some_and(|tcp| {
        let cc = tcp.cc.algorithm.name().parse::<Cc>();
        match law {
            Published::Window => tcp.window.is_some() || tcp.socket_buffer.is_some(),
            _ => cc.is_ok_and(|cc| law.is_of(cc)),
        }
    })
}

fn in_words(law: Published, test: &str, key: &str, curves: Vec<LawCurve>) -> PublishedLaw {
    let words = law.words();
    PublishedLaw {
        name: law.name().to_owned(),
        title: words.title.to_owned(),
        formula: words.formula.to_owned(),
        source: words.source.to_owned(),
        range: words.range.to_owned(),
        test: test.to_owned(),
        metric: "goodput_bps".to_owned(),
        key: key.to_owned(),
        apart: false,
        curves,
    }
}

/// The key of those that advance together whose quantity is another one at each step, as the page chooses it. A rate is none:
/// what round trips take of it is not straight between two of its values.
fn leading<'a>(axis: &'a [String], rows: &[Row<'_>]) -> Option<&'a str> {
    let steps = |keys: &[String]| {
        let step = |(point, _): &Row<'_>| -> Vec<String> {
            keys.iter().filter_map(|k| point.get(k).cloned()).collect()
        };
        let mut all: Vec<Vec<String>> = rows.iter().map(step).collect();
        all.sort();
        all.dedup();
        all
    };
    let count = steps(axis).len();
    let leads = |key: &&String| {
        let own = steps(std::slice::from_ref(*key));
        let numbers = own.iter().flatten().all(|v| quantity(v).is_some());
        own.len() == count && count > 1 && numbers
    };
    axis.iter().find(leads).map(String::as_str)
}

/// A value of a sweep as the page's axis has it: a ratio or plain number, nanoseconds, bytes, metres. A rate is none, as in
/// [`leading`].
fn quantity(text: &str) -> Option<f64> {
    let (unit, value) = farpath_record::swept::quantity(text)?;
    (unit != "bps").then_some(value)
}

/// One curve for each value of the other keys on which the law depends; none where it changes nowhere.
fn curves(
    law: Published,
    key: &str,
    axis: &[String],
    others: &[&[String]],
    rows: &[Row<'_>],
) -> Vec<LawCurve> {
    let mut groups: BTreeMap<Point, Vec<(f64, Place)>> = BTreeMap::new();
    for (point, place) in rows {
        let Some(x) = point.get(key).and_then(|v| quantity(v)) else {
            continue;
        };
        let rest = point.iter().filter(|(k, _)| !axis.contains(k));
        let rest: Point = rest.map(|(k, v)| (k.clone(), v.clone())).collect();
        groups.entry(rest).or_default().push((x, *place));
    }
    for at in groups.values_mut() {
        at.sort_by(|p, q| p.0.total_cmp(&q.0));
    }
    let drawn = groups.into_iter();
    let mut all: Vec<LawCurve> = drawn
        .map(|(at, places)| LawCurve {
            at,
            parts: parts(law, key, &places),
        })
        .filter(|curve| !curve.parts.is_empty())
        .collect();
    if !all.iter().any(changes) {
        return Vec::new();
    }
    for keys in others {
        all = without(keys, all);
    }
    all.truncate(MOST_CURVES);
    all
}

/// The curves without a key on which none of them depends.
fn without(keys: &[String], curves: Vec<LawCurve>) -> Vec<LawCurve> {
    let mut kept: Vec<LawCurve> = Vec::new();
    for curve in &curves {
        let mut at = curve.at.clone();
        at.retain(|k, _| !keys.contains(k));
        match kept.iter().find(|one| one.at == at) {
            Some(one) if one.parts != curve.parts => return curves,
            Some(_) => {}
            None => kept.push(LawCurve {
                at,
                parts: curve.parts.clone(),
            }),
        }
    }
    kept
}

fn changes(curve: &LawCurve) -> bool {
    let values = || curve.parts.iter().flat_map(|p| &p.y).copied();
    let (low, high) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(0.0, f64::max),
    );
    high - low > LEVEL * high
}

/// A law along x, in pieces that lie within its range or outside; broken where it has no value.
fn parts(law: Published, key: &str, places: &[(f64, Place)]) -> Vec<LawPart> {
    let mut parts: Vec<LawPart> = Vec::new();
    let mut last: Option<(f64, f64, bool)> = None;
    for x in grid(places) {
        let Some(place) = between(key, places, x) else {
            continue;
        };
        let Some(y) = law.goodput_bps(place) else {
            last = None;
            continue;
        };
        let (x, y, holds) = (rounded(x), rounded(y), law.holds(place));
        let begins = last.is_none_or(|(.., held)| held != holds);
        if begins {
            // Another piece begins where the one before it ends.
            let joint = last.map(|(x, y, _)| (x, y));
            parts.push(LawPart {
                holds,
                x: joint.iter().map(|(x, _)| *x).collect(),
                y: joint.iter().map(|(_, y)| *y).collect(),
            });
        }
        if let Some(part) = parts.last_mut() {
            part.x.push(x);
            part.y.push(y);
        }
        last = Some((x, y, holds));
    }
    parts.retain(|part| part.x.len() > 1);
    parts
}

/// From the least value above 0 to the greatest, by equal steps or, where they span decades, by equal shares; with the swept values.
fn grid(places: &[(f64, Place)]) -> Vec<f64> {
    let mut all: Vec<f64> = places.iter().map(|(x, _)| *x).collect();
    let positive = all.iter().copied().filter(|x| *x > 0.0);
    let (low, high) = (
        positive.clone().fold(f64::INFINITY, f64::min),
        positive.fold(0.0, f64::max),
    );
    if low >= high {
        return all;
    }
    let log = high > DECADE * low;
    let step = |n: u32| {
        let share = f64::from(n) / f64::from(STEPS);
        match log {
            true => low * libm::pow(high / low, share),
            false => low + (high - low) * share,
        }
    };
    all.extend((1..STEPS).map(step));
    all.sort_by(f64::total_cmp);
    all.dedup_by(|b, a| (*b - *a).abs() <= 1e-9 * a.abs());
    all
}

/// What the path is between two swept values: straight from one to the other, as round trips follow delays, and segments MTUs.
/// Losses go as [`loss_between`] says; `None` where that does not know.
fn between(key: &str, places: &[(f64, Place)], x: f64) -> Option<Place> {
    let above = places.partition_point(|(at, _)| *at < x);
    let (Some((to, high)), Some((from, low))) =
        (places.get(above), places.get(above.saturating_sub(1)))
    else {
        return places.last().map(|(_, place)| *place);
    };
    if *to <= *from || x >= *to {
        return Some(*high);
    }
    let share = (x - from) / (to - from);
    let on = |low: f64, high: f64| low + (high - low) * share;
    Some(Place {
        rtt_s: on(low.rtt_s, high.rtt_s),
        mss: on(low.mss, high.mss),
        loss: loss_between(key, [(*from, low.loss), (*to, high.loss)], x)?,
        window: on(low.window, high.window),
        streams: on(low.streams, high.streams),
        bursts: low.bursts || high.bursts,
    })
}

/// The loss ratio at a value of a key between two others, from those at these. What arrives is a power of what one chance of a loss
/// leaves, times what all other causes leave, however often a frame meets it: a straight line of logarithms. `None` where it
/// changes by a key of which no such chance is known.
fn loss_between(key: &str, [(from, low), (to, high)]: [(f64, f64); 2], x: f64) -> Option<f64> {
    if low == high {
        return Some(low);
    }
    let left = |value: f64| chance(key, value).map(|chance| libm::log1p(-chance));
    let (begins, ends, here) = (left(from)?, left(to)?, left(x)?);
    let arrives = |loss: f64| libm::log1p(-loss);
    let share = (here - begins) / (ends - begins);
    let loss = -libm::expm1(arrives(low) + (arrives(high) - arrives(low)) * share);
    let known = begins.is_finite() && ends.is_finite() && loss.is_finite();
    known.then_some(loss)
}

/// The chance of a loss that a value of a key is: of a frame, a cell, a bit.
fn chance(key: &str, value: f64) -> Option<f64> {
    match key.rsplit('.').next()? {
        "loss" | "share" | "cell_loss" | "bit_error_rate" => Some(value),
        "lose_every" => Some(1.0 / value),
        _ => None,
    }
}

/// To seven digits: more cannot be seen.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(loss: f64, rtt_s: f64) -> Place {
        Place {
            rtt_s,
            mss: 1448.0,
            loss,
            window: 65536.0,
            streams: 1.0,
            bursts: false,
        }
    }

    fn value(curve: &LawCurve, x: f64) -> f64 {
        let mut points = curve.parts.iter().flat_map(|p| p.x.iter().zip(&p.y));
        let near = |(at, _): &(&f64, &f64)| (*at / x - 1.0).abs() < 1e-6;
        *points.find(near).expect("a point there").1
    }

    fn over<'a>(rows: &'a [(Point, Place)], law: Published) -> Vec<LawCurve> {
        let rows: Vec<Row<'a>> = rows.iter().map(|(p, place)| (p, *place)).collect();
        let (axis, cc) = (["link.l.loss".to_owned()], ["test.bulk.cc".to_owned()]);
        curves(law, "link.l.loss", &axis, &[&cc], &rows)
    }

    fn at(loss: &str, cc: &str) -> Point {
        let pairs = [("link.l.loss", loss), ("test.bulk.cc", cc)];
        pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).into()
    }

    #[test]
    fn a_law_is_one_curve_where_it_depends_on_nothing_else() {
        let mut rows = Vec::new();
        for cc in ["reno", "cubic"] {
            for (text, loss) in [("0", 0.0), ("1e-4", 1e-4), ("0.1 %", 1e-3), ("0.05", 0.05)] {
                rows.push((at(text, cc), place(loss, 0.1)));
            }
        }
        let found = over(&rows, Published::Mathis);
        assert_eq!(found.len(), 1);
        assert!(found[0].at.is_empty());
        for loss in [1e-4, 1e-3] {
            let wanted = 1448.0 * 80.0 * (1.5_f64 / loss).sqrt();
            assert!((value(&found[0], loss) / wanted - 1.0).abs() < 1e-5);
        }
        let parts = &found[0].parts;
        assert_eq!(
            parts.iter().map(|p| p.holds).collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(parts[0].x.last(), parts[1].x.first());
        assert!(parts.iter().map(|p| p.x.len()).sum::<usize>() > 90);
        // The window's ceiling does not depend on losses.
        assert!(over(&rows, Published::Window).is_empty());
    }

    /// The law at each value drawn between 300 and 30 000, where a ratio that is straight in n had a third of it at 3000.
    #[test]
    fn a_law_over_every_nth_frame_is_the_formula_at_each_value() {
        let key = "link.l.forward.lose_every";
        let points: Vec<(Point, Place)> = [300.0, 30_000.0]
            .iter()
            .map(|n: &f64| {
                let point = [(key.to_owned(), n.to_string())].into();
                (point, place(1.0 / n, 0.04))
            })
            .collect();
        let rows: Vec<Row<'_>> = points.iter().map(|(p, place)| (p, *place)).collect();
        let found = curves(Published::Mathis, key, &[key.to_owned()], &[], &rows);
        assert_eq!(found.len(), 1);
        let drawn = found[0].parts.iter().flat_map(|p| p.x.iter().zip(&p.y));
        let mut many = 0;
        for (n, y) in drawn {
            let wanted = 1448.0 * 8.0 / 0.04 * (1.5 * n).sqrt();
            assert!((y / wanted - 1.0).abs() < 1e-5, "{n}: {y} {wanted}");
            many += 1;
        }
        assert!(many > 90, "{many}");
    }

    /// Two crossings of a link, and another cause beside it.
    #[test]
    fn losses_between_two_values_follow_their_chance() {
        let others = 0.999;
        let loss = |chance: f64| 1.0 - (1.0 - chance) * (1.0 - chance) * others;
        let near = |found: Option<f64>, wanted: f64| {
            let found = found.expect("it is known");
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
        };
        let every = [(2.0, loss(0.5)), (8.0, loss(0.125))];
        near(loss_between("link.l.lose_every", every, 4.0), loss(0.25));
        let share = [(0.01, loss(0.01)), (0.03, loss(0.03))];
        for key in ["link.l.loss", "link.l.forward.corruption.share"] {
            near(loss_between(key, share, 0.02), loss(0.02));
        }
        // 192 cells, each of which takes the frame with it.
        let cells = |chance: f64| -libm::expm1(192.0 * libm::log1p(-chance));
        let rare = [(1e-6, cells(1e-6)), (1e-4, cells(1e-4))];
        near(loss_between("link.l.cell_loss", rare, 1e-5), cells(1e-5));
        // One that does not change needs no chance; of one that does by another key only the values swept are known.
        let chain = "link.l.gilbert_elliott.r";
        assert_eq!(loss_between(chain, [(0.1, 0.01), (0.5, 0.002)], 0.2), None);
        let level = [(1.0, 0.01), (2.0, 0.01)];
        assert_eq!(loss_between("link.l.delay", level, 1.5), Some(0.01));
    }

    #[test]
    fn a_law_has_a_curve_for_each_round_trip() {
        let rows: Vec<(Point, Place)> = [("reno", 0.1), ("cubic", 0.2)]
            .into_iter()
            .flat_map(|(cc, rtt)| {
                ["1e-4", "1e-3"].map(|l| (at(l, cc), place(l.parse().expect("it is"), rtt)))
            })
            .collect();
        let found = over(&rows, Published::MathisDelack);
        assert_eq!(found.len(), 2);
        let ratio = value(&found[1], 1e-3) / value(&found[0], 1e-3);
        assert!((ratio - 2.0).abs() < 1e-5, "{ratio}");
    }

    #[test]
    fn a_rate_leads_no_axis() {
        assert_eq!(quantity("64 KiB"), Some(65536.0));
        assert_eq!((quantity("cubic"), quantity("10 Gbit/s")), (None, None));
    }
}
