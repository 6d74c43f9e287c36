//! A metric in full, as an expectation names it, in words: what it is of and what it is.

use farpath_record::quantity::unitless;

use crate::group::{FAIRNESS, of_group};

/// Splits a metric in full into what it is of and what it is: `("link stm64: a>b", "bytes")`. Of a second metric, only
/// what differs from the first is named: `("link stm64: a>b over b>a", "bytes")`.
pub(crate) fn subject(path: &str) -> (String, String) {
    let mut words = path.split(' ');
    let (of, what, way) = parts(words.next().unwrap_or(""));
    let (mut heading, mut label) = (heading(&of, &way), what.clone());
    while let (Some(word), Some(other)) = (words.next(), words.next()) {
        let (other_of, other_what, other_way) = parts(other);
        let same_what = other_what == what;
        if !way.is_empty() && other_of == of && same_what {
            heading = format!("{heading} {word} {other_way}");
            continue;
        }
        label = format!("{label} {word}");
        for (said, differs) in [
            (&other_of, other_of != of),
            (&other_way, other_way != way),
            (&other_what, !same_what),
        ] {
            if differs && !said.is_empty() {
                label = format!("{label} {said}");
            }
        }
    }
    (heading, label)
}

fn heading(of: &str, way: &str) -> String {
    if way.is_empty() {
        of.to_owned()
    } else {
        format!("{of}: {way}")
    }
}

/// The subject, the metric without its unit, and a link's direction.
fn parts(path: &str) -> (String, String, String) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let (of, what, way) = match first {
        "link" => {
            let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let (way, metric) = rest.split_once('.').unwrap_or((rest, ""));
            (format!("link {name}"), metric, way)
        }
        "search" => {
            let (name, metric) = rest.split_once('.').unwrap_or((rest, ""));
            (format!("search {name}"), metric, "")
        }
        "group" if rest.contains('.') => {
            let (name, _) = rest.split_once('.').unwrap_or((rest, ""));
            let label = of_group(path).map_or(FAIRNESS, |(_, _, label)| label);
            (format!("group {name}"), label, "")
        }
        _ if rest == "jain_index" => (first.to_owned(), FAIRNESS, ""),
        _ => (first.to_owned(), rest, ""),
    };
    (of, unitless(what).to_owned(), way.to_owned())
}
