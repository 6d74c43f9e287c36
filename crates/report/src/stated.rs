//! What sources state, in the table: the same words of one metric once, and then where they stand.

use farpath_record::{Keys, Point};

/// The same words again, in the row below.
pub(crate) const DITTO: &str = "\"";

/// A row's metric in full, its point, and what the source states there.
pub(crate) type Statement<'a> = (&'a str, &'a Point, &'a str);

/// The cells of the column. Words that stand in an earlier row of the metric are a ditto mark right below it, and else the
/// point of that row, where that is shorter.
pub(crate) fn cells(rows: &[Statement<'_>], keys: &Keys) -> Vec<String> {
    let cell = |(n, (path, _, stated)): (usize, &Statement<'_>)| {
        let same = |(other, _, words): &&Statement<'_>| other == path && words == stated;
        let above = n.checked_sub(1).and_then(|above| rows.get(above));
        if stated.is_empty() || above.is_none() {
            return (*stated).to_owned();
        }
        if above.as_ref().is_some_and(same) {
            return DITTO.to_owned();
        }
        let first = rows[..n].iter().find(same);
        let place = first.map(|(_, at, _)| format!("as at {}", keys.words(at)));
        let shorter = place.filter(|p| p.chars().count() < stated.chars().count());
        shorter.unwrap_or_else(|| (*stated).to_owned())
    };
    rows.iter().enumerate().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_printed_once() {
        let at = |queue: &str, cc: &str| -> Point {
            let pairs = [("queue", queue), ("cc", cc)];
            pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).into()
        };
        let points = [
            at("1", "reno"),
            at("1", "bbr"),
            at("2", "reno"),
            at("3", "reno"),
        ];
        let mut run = farpath_record::RunDocument::new("s", 1, String::new());
        run.sweep = vec![vec!["queue".to_owned()], vec!["cc".to_owned()]];
        let keys = Keys::of(&run);
        let long = "a fraction of what the circuit had";
        let said = |stated: [&str; 4]| {
            let rows = points.iter().zip(stated).map(|(p, s)| ("bulk.x", p, s));
            cells(&rows.collect::<Vec<_>>(), &keys)
        };
        let place = "as at queue 1, cc reno";
        assert_eq!(said([long, "all", long, long]), [long, "all", place, "\""]);
        assert_eq!(said(["all", long, "all", ""]), ["all", long, "all", ""]);
        let rows = [("a.x", &points[0], long), ("b.x", &points[0], long)];
        assert_eq!(cells(&rows, &keys), [long, long], "of another metric");
    }
}
