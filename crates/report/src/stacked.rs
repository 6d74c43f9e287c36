//! Rows that are wider than a terminal, in two lines each: words above numbers.

use crate::allowed;
use crate::grid::{Column, fits, heights};
use crate::stated::DITTO;

/// The head of what rows are of, without a sweep.
pub(crate) const METRIC: &str = "test, metric";

/// Most lines of what a row is of, beside its numbers.
const TALL: usize = 3;

/// Lines above rows, each with the number of its row.
type Headings = Vec<(usize, String)>;

/// Rows that a line of `width` characters holds with no word broken, where that can be: as they are, with what is allowed behind what
/// is stated, with what they are of on a line above, or with all words but the verdict there. What they are of stands above as well where
/// it would be a column of many lines.
pub(crate) fn make_room(
    columns: Vec<Column>,
    headings: Headings,
    width: usize,
) -> (Vec<Column>, Headings) {
    let is_of =
        |c: &&Column| !c.number && ![allowed::STATED, allowed::HEAD].contains(&c.head.as_str());
    let labels = columns.iter().take_while(is_of).count();
    let mut merged = columns.clone();
    allowed::make_room(&mut merged, width);
    let heights = heights(&merged, width);
    if fits(&merged, width) && heights[..labels].iter().all(|lines| *lines <= TALL) {
        return (merged, headings);
    }
    let (of, rest) = columns.split_at(labels);
    let (above, named) = stacked(of, rest.to_vec(), headings.clone());
    if fits(&above, width) {
        return (above, named);
    }
    let is_said = |c: &Column| !c.number && !c.head.is_empty();
    let (said, rest): (Vec<Column>, Vec<Column>) = columns.into_iter().partition(is_said);
    stacked(&said, rest, headings)
}

/// Rows in two lines each: what a row is of stands above its numbers.
pub(crate) fn stacked(
    texts: &[Column],
    rest: Vec<Column>,
    mut headings: Headings,
) -> (Vec<Column>, Headings) {
    let rows = texts.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        let words: Vec<String> = texts.iter().filter_map(|c| word(c, row)).collect();
        if !words.is_empty() {
            headings.push((row, format!("  {}", words.join(", "))));
        }
    }
    let mut columns = vec![Column::text("", vec![String::new(); rows])];
    columns.extend(rest);
    (columns, headings)
}

/// A cell with the head of its column; nothing of an empty one.
fn word(column: &Column, row: usize) -> Option<String> {
    match (column.head.as_str(), column.cells[row].trim()) {
        (_, "") => None,
        (METRIC | "point", cell) => Some(cell.to_owned()),
        (head, DITTO) => Some(format!("{head} as above")),
        (head, cell) => Some(format!("{head} {cell}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::lay_out;

    fn texts(cells: [&str; 2]) -> Vec<String> {
        cells.map(str::to_owned).into()
    }

    fn number(head: &str, cells: [&str; 2]) -> Column {
        Column {
            head: head.to_owned(),
            cells: texts(cells),
            number: true,
        }
    }

    /// Cells were broken over lines at 80 columns.
    #[test]
    fn a_row_that_is_too_wide_has_its_words_above_its_numbers() {
        let of = [
            Column::text("cc", texts(["  cubic", "  reno"])),
            Column::text("queue", texts(["1bdp", "2bdp"])),
        ];
        let numbers = ["n", "min"].map(|head| number(head, ["4", "12"]));
        let groups = vec![(0, "bulk goodput, simulated".to_owned())];
        let (columns, headings) = stacked(&of, numbers.into(), groups);
        let shown = lay_out(&columns, &headings, 80);
        let expected = [
            "   n  min",
            "  --  ---",
            "bulk goodput, simulated",
            "  cc cubic, queue 1bdp",
            "   4    4",
            "  cc reno, queue 2bdp",
            "  12   12",
        ];
        assert_eq!(shown, expected, "\n{}", shown.join("\n"));
    }

    /// A label of many keys was a column of sixteen letters and six lines, and `limited by` was as narrow.
    #[test]
    fn labels_of_many_lines_go_above() {
        let heads = |point: &str| {
            let columns = vec![
                Column::text(METRIC, texts(["  goodput", ""])),
                Column::text("point", texts([point, point])),
                number("predicted", ["? 989.97 Mbit/s", "12 Mbit/s"]),
                number("simulated", ["989.97 Mbit/s", "12 Mbit/s"]),
                Column::text("limited by", texts(["the receive window", "the link"])),
            ];
            let (columns, headings) = make_room(columns, Vec::new(), 80);
            let heads: Vec<String> = columns.into_iter().map(|c| c.head).collect();
            (heads.join("|"), headings)
        };
        let (beside, none) = heads("delay 10 ms, loss 1e-4");
        assert_eq!(beside, "test, metric|point|predicted|simulated|limited by");
        assert!(none.is_empty());
        let long =
            "delay 10 ms, loss 1e-4, cc cubic, queue 1bdp, window 64 MiB, parallel 4, mtu 9000 B";
        let (least, above) = heads(long);
        assert_eq!(least, "|predicted|simulated|limited by");
        assert_eq!(
            above,
            [(0, format!("  goodput, {long}")), (1, format!("  {long}"))]
        );
    }

    /// `allowed`, `limited by` and the verdict of a second file left columns of six letters.
    #[test]
    fn words_go_above_as_far_as_they_must() {
        let columns = || {
            vec![
                Column::text("cc", texts(["  cubic", "  reno"])),
                Column::text(allowed::STATED, texts(["as the source has it", "\""])),
                number("predicted", ["989.97 Mbit/s", "12 Mbit/s"]),
                number("simulated", ["989.97 Mbit/s", "12 Mbit/s"]),
                Column::text(allowed::HEAD, texts(["900 to 990 Mbit/s", "\""])),
                Column::text("limited by", texts(["the line", "loss"])),
                Column::text("", texts(["ok", "FAIL"])),
            ]
        };
        let heads = |width: usize| {
            let (columns, headings) = make_room(columns(), Vec::new(), width);
            let heads: Vec<String> = columns.into_iter().map(|c| c.head).collect();
            (heads.join("|"), headings)
        };
        let whole = "cc|stated|predicted|simulated|allowed|limited by|";
        assert_eq!(heads(80), (whole.to_owned(), Vec::new()));
        let (merged, none) = heads(64);
        assert_eq!(merged, "cc|stated, allowed|predicted|simulated|limited by|");
        assert!(none.is_empty());
        let (least, above) = heads(50);
        assert_eq!(least, "|predicted|simulated|");
        let wanted = [
            "  cc cubic, stated as the source has it, allowed 900 to 990 Mbit/s, limited by the line",
            "  cc reno, stated as above, allowed as above, limited by loss",
        ];
        assert_eq!(
            above,
            [(0, wanted[0].to_owned()), (1, wanted[1].to_owned())]
        );
    }
}
