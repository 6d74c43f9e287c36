//! Columns of adapters that somebody chose: `Get-NetAdapter | ft Name, LinkSpeed, FullDuplex`, in any order.

use super::STATES;
use crate::words::rate;

/// Columns whose values have as many words each; the name has what is left.
const COLUMNS: [(&str, usize); 5] = [
    ("LinkSpeed", 2),
    ("FullDuplex", 1),
    ("Status", 1),
    ("ifIndex", 1),
    ("MacAddress", 1),
];
const NAME: &str = "Name";

/// What a row says of an adapter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    /// Its speed, bit/s, where that was chosen; 0 without a link.
    pub(super) bps: Option<f64>,
    /// Whether it is at full duplex.
    pub(super) full: Option<bool>,
    /// Whether it has a link.
    pub(super) up: Option<bool>,
}

/// How many words the values of a column have; none of a name, or of a column that is not known.
fn width(head: &str) -> Option<usize> {
    let known = COLUMNS.iter().find(|(known, _)| *known == head);
    known.map(|(_, words)| *words)
}

/// Whether a line is the head of such a table: one name, and a speed or a duplex.
pub(super) fn is_head(words: &[&str]) -> bool {
    let names = words.iter().filter(|w| **w == NAME).count();
    let known = words.iter().all(|w| *w == NAME || width(w).is_some());
    names == 1 && known && (words.contains(&"LinkSpeed") || words.contains(&"FullDuplex"))
}

/// A row below these heads; none of a line with a value that its column cannot have.
pub(super) fn row(columns: &[String], words: &[&str]) -> Option<Row> {
    let fixed: usize = columns.iter().filter_map(|head| width(head)).sum();
    let free = words.len().checked_sub(fixed).filter(|free| *free > 0)?;
    let mut row = Row {
        name: String::new(),
        bps: None,
        full: None,
        up: None,
    };
    let mut rest = words;
    for head in columns {
        let (value, others) = rest.split_at_checked(width(head).unwrap_or(free))?;
        rest = others;
        match head.as_str() {
            NAME => row.name = value.join(" "),
            "LinkSpeed" => row.bps = Some(rate(&value.join("").replace(',', "."))?),
            "FullDuplex" => {
                let known = ["False", "True"].iter().position(|w| *w == value[0])?;
                row.full = Some(known == 1);
            }
            "Status" => {
                let known = STATES.iter().position(|w| *w == value[0])?;
                row.up = Some(known == 0);
            }
            _ => {}
        }
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str, line: &str) -> Option<Row> {
        let heads: Vec<&str> = head.split_whitespace().collect();
        assert!(is_head(&heads), "{head}");
        let heads: Vec<String> = heads.into_iter().map(str::to_owned).collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        row(&heads, &words)
    }

    #[test]
    fn columns_stand_in_any_order() {
        let wired = Row {
            name: "Ethernet 2".to_owned(),
            bps: Some(1e9),
            full: Some(false),
            up: None,
        };
        let name_first = of("Name LinkSpeed FullDuplex", "Ethernet 2 1 Gbps False");
        assert_eq!(name_first, Some(wired.clone()));
        let name_last = of("FullDuplex LinkSpeed Name", "False 1 Gbps Ethernet 2");
        assert_eq!(name_last, Some(wired.clone()));
        let with_state = of("Name Status LinkSpeed", "Wi-Fi Up 866,7 Mbps");
        assert_eq!(with_state.and_then(|r| r.bps), Some(866.7e6));
        // What has no link has no duplex: the row is short of a word.
        assert_eq!(of("Name LinkSpeed FullDuplex", "Wi-Fi 0 bps"), None);
        assert!(!is_head(&["Name", "InterfaceDescription", "LinkSpeed"]));
        assert!(!is_head(&["Name", "Status"]));
    }
}
