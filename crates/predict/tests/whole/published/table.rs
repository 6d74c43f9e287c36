//! Reads the carried tables: comma-separated, double quotes, first line the source.

use std::collections::BTreeMap;

/// One row by column name.
pub(crate) struct Row(BTreeMap<String, String>);

impl Row {
    pub(crate) fn text(&self, column: &str) -> &str {
        self.0
            .get(column)
            .unwrap_or_else(|| panic!("no column {column}"))
    }

    pub(crate) fn number(&self, column: &str) -> f64 {
        let text = self.text(column);
        text.parse()
            .unwrap_or_else(|_| panic!("{column} is {text:?}"))
    }

    /// `None` where the cell is empty.
    pub(crate) fn maybe(&self, column: &str) -> Option<f64> {
        (!self.text(column).is_empty()).then(|| self.number(column))
    }

    /// Asserts that `value`, rounded as the cell is printed, is the cell: within half a unit of
    /// its last digit, and a thousandth of a unit for the printer's own rounding.
    #[track_caller]
    pub(crate) fn prints(&self, column: &str, value: f64) {
        let text = self.text(column);
        let printed = self.number(column);
        let mantissa = text.split(['e', 'E']).next().expect("a first part");
        let exponent: i32 = text
            .split_once(['e', 'E'])
            .map_or(0, |(_, e)| e.parse().expect("an exponent"));
        let places = mantissa
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len() as i32);
        let unit = libm::exp10(f64::from(exponent - places));
        assert!(
            (value - printed).abs() <= 0.501 * unit,
            "{column}: {value} is not printed as {text}"
        );
    }
}

/// The rows of a carried table.
pub(crate) fn rows(table: &str) -> Vec<Row> {
    let (source, body) = table.split_once('\n').expect("a source line");
    assert!(source.starts_with("# source: "), "a table names its source");
    let mut lines = body.lines();
    let head = cells(lines.next().expect("a header"));
    let rows: Vec<Row> = lines
        .map(|line| {
            let cells = cells(line);
            assert_eq!(cells.len(), head.len(), "{line}");
            Row(head.iter().cloned().zip(cells).collect())
        })
        .collect();
    assert!(!rows.is_empty());
    rows
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}
