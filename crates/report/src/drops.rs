//! Where frames were lost: which link, which way, for which reason.

use std::collections::{BTreeMap, BTreeSet};

use farpath_observe::metric::drop_words;
use farpath_record::{Keys, LinkRecord, Record, RunDocument, median};

use crate::grid::Column;
use crate::layout::Layout;
use crate::markdown::{self, lines};
use crate::points::point_columns;
use crate::wrapped::push_wrapped;

/// Directions of links that have lines of their own; the rest is named.
const MOST: usize = 12;
/// Of the rest as many are named; of more, how many there are.
const NAMED: usize = 24;

/// What is said of reasons that do not add up.
const APART: &str =
    "Each number is a median by itself: the reasons need not add up to what was lost.";

/// One direction of a link, of one origin, and the points at which it lost frames, in the order of the run.
struct Direction<'a> {
    points: Vec<Vec<&'a LinkRecord>>,
    /// Frames lost, of all reasons and at all points.
    all: f64,
}

/// A row for each direction of a link that dropped or marked frames and each point at which it did; directions that dropped most
/// come first, points in the order of the run. Empty when nothing was lost. Several repeats count by their median.
pub(crate) fn table(run: &RunDocument, layout: Layout) -> String {
    let directions = directions(run);
    if directions.is_empty() {
        return String::new();
    }
    let repeats = match &run.repeats {
        Some(r) => format!(", medians of {} repeats", r.count),
        None => String::new(),
    };
    let marks = directions.iter().flat_map(|d| &d.points);
    let what = match marks.flatten().any(|l| marked(l) > 0) {
        true => "Frames lost, and marked as having met congestion (ECN)",
        false => "Frames lost",
    };
    let title = format!("\n{what}{repeats}{}\n\n", whole(run));
    let mut out = markdown::heading(&title, layout.form);
    let several = run.links.iter().any(|l| l.origin != run.links[0].origin);
    let (first, rest) = directions.split_at(directions.len().min(MOST));
    let (columns, headings) = columns(first, several, &Keys::of(run));
    for line in lines(&columns, &headings, layout) {
        out += &format!("{line}\n");
    }
    if run.repeats.is_some() && first.iter().any(Direction::has_apart) {
        out.push('\n');
        push_wrapped(&mut out, APART, "", layout);
    }
    if !rest.is_empty() {
        let name = |d: &Direction<'_>| format!("{} ({})", d.name(several), d.all);
        let mut names: Vec<String> = rest.iter().take(NAMED).map(name).collect();
        if rest.len() > NAMED {
            names.push(format!("{} more", rest.len() - NAMED));
        }
        out.push('\n');
        push_wrapped(
            &mut out,
            &format!("Also on {}", names.join(", ")),
            "",
            layout,
        );
    }
    out
}

/// That links count the whole run, where tests do not: a test's own retransmissions of its measurement are fewer.
fn whole(run: &RunDocument) -> &'static str {
    let omits = |r: &Record| r.measured_from_ns.is_some_and(|from| from > r.started_ns);
    match run.records.iter().any(omits) {
        true => " in the whole run, what `omit` leaves out too",
        false => "",
    }
}

/// Frames that a link's queues marked in place of dropping them (RFC 3168).
fn marked(link: &LinkRecord) -> u64 {
    link.queues.iter().map(|queue| queue.marked).sum()
}

/// The directions that lost or marked frames, those that lost most first; of equals the order of the run holds.
fn directions(run: &RunDocument) -> Vec<Direction<'_>> {
    let (mut of, mut at) = (BTreeMap::new(), BTreeMap::new());
    let mut directions: Vec<Direction<'_>> = Vec::new();
    for link in &run.links {
        let name = (link.origin, &link.link, &link.direction);
        let d = *of.entry(name).or_insert(directions.len());
        if d == directions.len() {
            let (points, all) = (Vec::new(), 0.0);
            directions.push(Direction { points, all });
        }
        let points = &mut directions[d].points;
        let p = *at.entry((d, &link.point)).or_insert(points.len());
        match points.get_mut(p) {
            Some(repeats) => repeats.push(link),
            None => points.push(vec![link]),
        }
    }
    for one in &mut directions {
        let touched = |l: &&LinkRecord| l.drops.values().any(|n| *n > 0) || marked(l) > 0;
        one.points.retain(|repeats| repeats.iter().any(touched));
        let lost = |repeats: &Vec<&LinkRecord>| middle(repeats, |l| l.drops.values().sum());
        one.all = one.points.iter().map(lost).sum();
    }
    directions.retain(|d| !d.points.is_empty());
    directions.sort_by(|a, b| b.all.total_cmp(&a.all));
    directions
}

/// The table's columns and headings; with origins where there are `several`.
fn columns(
    directions: &[Direction<'_>],
    several: bool,
    keys: &Keys,
) -> (Vec<Column>, Vec<(usize, String)>) {
    let mut headings = Vec::new();
    let mut names = Vec::new();
    for direction in directions {
        let name = direction.name(several);
        headings.push((names.len(), name.clone()));
        names.extend(vec![name; direction.points.len()]);
    }
    let rows: Vec<&Vec<&LinkRecord>> = directions.iter().flat_map(|d| &d.points).collect();
    let points: Vec<_> = rows.iter().map(|repeats| &repeats[0].point).collect();
    let mut columns = point_columns(&points, keys);
    match columns.first_mut() {
        Some(first) => first.indent(),
        None => {
            columns.push(Column::text("link, direction", names));
            headings.clear();
        }
    }
    let number = |head: &str, of: &dyn Fn(&[&LinkRecord]) -> f64| Column {
        head: head.to_owned(),
        cells: rows.iter().map(|r| of(r).to_string()).collect(),
        number: true,
    };
    columns.push(number("lost", &lost));
    // Documents of earlier versions know only what was sent.
    let offered = |l: &LinkRecord| l.offered.unwrap_or(l.frames);
    columns.push(number("offered", &|r| middle(r, offered).round()));
    if rows.iter().any(|r| r.iter().any(|l| marked(l) > 0)) {
        columns.push(number("marked", &|r| middle(r, marked)));
    }
    let how = rows.iter().map(|r| how(r)).collect();
    columns.push(Column::text("how", how));
    (columns, headings)
}

impl Direction<'_> {
    /// Whether the medians of the reasons at a point do not add up to that of all that was lost there.
    fn has_apart(&self) -> bool {
        let is_apart = |repeats: &Vec<&LinkRecord>| {
            let sum: f64 = reasons(repeats).iter().map(|(_, n)| n).sum();
            (sum - lost(repeats)).abs() > 0.1
        };
        self.points.iter().any(is_apart)
    }

    /// `neck a>b`, with its origin where there are `several`.
    fn name(&self, several: bool) -> String {
        let link = self.points[0][0];
        let name = format!("{} {}", link.link, link.direction);
        match several {
            true => format!("{name}, {}", link.origin.name()),
            false => name,
        }
    }
}

/// The median of the repeats.
fn middle(repeats: &[&LinkRecord], of: impl Fn(&LinkRecord) -> u64) -> f64 {
    let values = repeats.iter().map(|l| of(l) as f64).collect();
    median(values).unwrap_or(0.0)
}

/// Frames that were lost.
fn lost(repeats: &[&LinkRecord]) -> f64 {
    middle(repeats, |l| l.drops.values().sum())
}

/// For which reasons, each with its frames.
fn reasons<'a>(repeats: &[&'a LinkRecord]) -> Vec<(&'a String, f64)> {
    let drops = repeats.iter().flat_map(|l| &l.drops);
    let names: BTreeSet<&String> = drops.filter(|(_, n)| **n > 0).map(|(r, _)| r).collect();
    let of = |reason: &str| middle(repeats, |l| l.drops.get(reason).copied().unwrap_or(0));
    names.into_iter().map(|r| (r, of(r))).collect()
}

/// For which reasons, those of most frames first, each with its number where there are several.
fn how(repeats: &[&LinkRecord]) -> String {
    let mut reasons = reasons(repeats);
    reasons.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    if let [(reason, _)] = reasons[..] {
        return words(reason, repeats);
    }
    let counted = reasons
        .iter()
        .map(|(reason, n)| format!("{n} {}", words(reason, repeats)));
    counted.collect::<Vec<_>>().join(", ")
}

/// A reason; of frames that were too large for what follows, with the name of that.
fn words(reason: &str, repeats: &[&LinkRecord]) -> String {
    let refused = repeats.iter().flat_map(|l| &l.too_large_for);
    let names: BTreeSet<&str> = refused.map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    match reason {
        "mtu" if !names.is_empty() => format!("too large for {}", names.join(" or ")),
        _ => drop_words(reason).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::{Origin, Point, Repeats};

    fn link(name: &str, drops: &[(&str, u64)]) -> LinkRecord {
        LinkRecord {
            offered: Some(1000),
            frames: 900,
            drops: drops.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect(),
            ..LinkRecord::new(Origin::Simulated, name, "a>b")
        }
    }

    /// The lines below the heads and their rule, blanks as one.
    fn rows(run: &RunDocument) -> Vec<String> {
        let text = table(run, Layout::default());
        let plain = |l: &str| l.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().skip(5).map(plain).collect()
    }

    #[test]
    fn the_worst_link_comes_first_with_all_its_reasons() {
        let mut run = RunDocument::new("x", 1, String::new());
        run.links = vec![
            link("clean", &[("tail", 0)]),
            link("near", &[("tail", 3)]),
            link("far", &[("error", 2), ("tail", 40)]),
        ];
        assert_eq!(
            table(&run, Layout::default()),
            "
Frames lost

link, direction  lost  offered  how
---------------  ----  -------  --------------------------
far a>b            42     1000  40 queue full, 2 by chance
near a>b            3     1000  queue full
"
        );
        // Three repeats: the middle one counts, also where a reason is missing in one.
        let mut repeated = run.clone();
        for (repeat, drops) in [(1, &[("tail", 9)][..]), (2, &[("tail", 4), ("error", 1)])] {
            let mut again = link("near", drops);
            again.repeat = repeat;
            repeated.links.push(again);
        }
        let near = "near a>b 5 1000 4 queue full, 0 by chance";
        assert!(
            rows(&repeated).contains(&near.to_owned()),
            "{:?}",
            rows(&repeated)
        );
        // Four and none are not five.
        let said = |run: &RunDocument| table(run, Layout::default()).contains("need not add up");
        repeated.repeats = Some(Repeats {
            count: 3,
            seeds: Vec::new(),
            metrics: Vec::new(),
        });
        assert!(said(&repeated));
        for link in &mut repeated.links {
            link.drops.remove("error");
        }
        assert!(!said(&repeated) && !said(&run));
        run.links[1].origin = Origin::Emulated;
        let near = "near a>b, emulated 3 1000 queue full";
        assert!(rows(&run).contains(&near.to_owned()), "{:?}", rows(&run));
        // A test leaves out what came before its measurement, and its links do not.
        let mut test = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
        (test.started_ns, test.measured_from_ns) = (5, Some(5));
        run.records = vec![test];
        let titled = |run: &RunDocument| {
            let text = table(run, Layout::default());
            text.lines().nth(1).map(str::to_owned)
        };
        assert_eq!(titled(&run).as_deref(), Some("Frames lost"));
        run.records[0].measured_from_ns = Some(6);
        assert_eq!(
            titled(&run).as_deref(),
            Some("Frames lost in the whole run, what `omit` leaves out too")
        );
        run.links.truncate(1);
        assert_eq!(table(&run, Layout::default()), "");
    }

    /// Frames that a router could not send on stand at the link they came over: the next one refused them.
    #[test]
    fn frames_that_are_too_large_are_said_to_be_so_for_the_next_link() {
        let mut run = RunDocument::new("x", 1, String::new());
        let mut wide = link("wide", &[("mtu", 7)]);
        run.links = vec![wide.clone()];
        assert_eq!(rows(&run), ["wide a>b 7 1000 too large"]);
        wide.too_large_for = vec!["thin b>c".to_owned()];
        run.links = vec![wide.clone()];
        assert_eq!(rows(&run), ["wide a>b 7 1000 too large for thin b>c"]);
        wide.drops.insert("tail".to_owned(), 9);
        run.links = vec![wide];
        let both = "wide a>b 16 1000 9 queue full, 7 too large for thin b>c";
        assert_eq!(rows(&run), [both]);
    }

    /// Marks were in no table.
    #[test]
    fn marks_stand_beside_what_was_lost() {
        let mut marks = link("neck", &[("red", 0)]);
        let text = r#"{"class": "all", "offered": 8, "frames": 8, "bytes": 600, "drops": {}, "marked": 5, "waiting": 0,
            "queue_max_bytes": 0, "delay_max_ns": 0, "delay_mean_ns": 0}"#;
        marks.queues = vec![serde_json::from_str(text).expect("a queue")];
        let mut run = RunDocument::new("x", 1, String::new());
        run.links = vec![
            link("clean", &[("tail", 0)]),
            marks,
            link("far", &[("tail", 3)]),
        ];
        assert_eq!(
            rows(&run),
            ["far a>b 3 1000 0 queue full", "neck a>b 0 1000 5"]
        );
        let text = table(&run, Layout::default());
        assert!(text.contains("Frames lost, and marked"), "{text}");
        assert!(text.contains("offered  marked  how"), "{text}");
    }

    /// Not the order of their losses: a reader follows a key from value to value.
    #[test]
    fn points_stand_in_the_order_of_the_sweep_below_their_link() {
        let mut run = RunDocument::new("x", 1, String::new());
        run.sweep = vec![vec!["link.neck.queue".to_owned()]];
        for (queue, lost) in [("1bdp", 7), ("2bdp", 0), ("4bdp", 9), ("8bdp", 8)] {
            for (name, lost) in [("near", lost / 7), ("neck", lost)] {
                let mut one = link(name, &[("tail", lost)]);
                one.point = Point::from([("link.neck.queue".to_owned(), queue.to_owned())]);
                run.links.push(one);
            }
        }
        let at = |queue: &str, lost: u64| format!("{queue} {lost} 1000 queue full");
        let neck = [
            "neck a>b".to_owned(),
            at("1bdp", 7),
            at("4bdp", 9),
            at("8bdp", 8),
        ];
        let near = [
            "near a>b".to_owned(),
            at("1bdp", 1),
            at("4bdp", 1),
            at("8bdp", 1),
        ];
        assert_eq!(rows(&run), [neck, near].concat());
    }

    #[test]
    fn links_that_have_no_line_are_named() {
        let mut run = RunDocument::new("x", 1, String::new());
        let names = |to: usize| (0..to).map(|n| format!("l{n}"));
        run.links = names(MOST + 2).map(|n| link(&n, &[("host", 1)])).collect();
        let text = table(&run, Layout::default());
        assert!(
            text.ends_with("\nAlso on l12 a>b (1), l13 a>b (1)\n"),
            "{text}"
        );
        run.links = names(MOST + NAMED + 3)
            .map(|n| link(&n, &[("host", 1)]))
            .collect();
        let text = table(&run, Layout::default()).replace('\n', " ");
        assert!(text.ends_with("l35 a>b (1), 3 more "), "{text}");
    }
}
