//! What expectations allow, in the table: the bands of a figure, each once.

use farpath_record::{Expectation, Origin};

use crate::band::{band, is_withheld, print};
use crate::grid::{Column, fits};
use crate::judges;

/// Head of the column that has them.
pub(crate) const HEAD: &str = "allowed";

/// The column beside them that has the source's words.
pub(crate) const STATED: &str = "stated";

/// What all who judge a figure allow: `0.85 to 3 ms`. Each origin, or file, of a band of its own is named. A file's figure that
/// the scenario is to state stays with whoever marks.
pub(crate) fn words(judged: &[&Expectation]) -> String {
    let mut all: Vec<String> = Vec::new();
    for (file, its) in judges::of(judged) {
        let mut bands: Vec<(String, Vec<Origin>)> = Vec::new();
        for e in its
            .iter()
            .filter(|e| e.unstated.is_none() && !is_withheld(e))
        {
            let words = one(e);
            match bands.iter_mut().find(|(known, _)| *known == words) {
                Some((_, origins)) => origins.push(e.origin),
                None => bands.push((words, vec![e.origin])),
            }
        }
        let several = bands.len() > 1;
        for (words, origins) in bands {
            let whose: Vec<&str> = origins.iter().map(|o| o.name()).collect();
            let text = match several {
                true => format!("{} {words}", whose.join(", ")),
                false => words,
            };
            let text = file.map_or(text.clone(), |file| {
                format!("{} {text}", judges::short(file))
            });
            if !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all.join("; ")
}

/// One band: the unit of both its ends is said once.
fn one(e: &Expectation) -> String {
    let Some((min, max)) = e.min.zip(e.max) else {
        return band(e, |v| tidy(&print(e, v)));
    };
    let texts = [print(e, min), print(e, max)];
    let [low, high] = texts.each_ref().map(|text| text.rsplit_once(' '));
    match (low, high) {
        _ if texts[0] == texts[1] => band(e, |v| print(e, v)),
        (Some((number, unit)), Some((_, other))) if min == 0.0 || unit == other => {
            format!("{} to {}", tidy(number), tidy(&texts[1]))
        }
        _ => format!("{} to {}", tidy(&texts[0]), tidy(&texts[1])),
    }
}

/// A number, with its unit or without, less the zeros that end its fraction: of a bound they say nothing.
fn tidy(text: &str) -> String {
    let (number, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    match number.contains('.') && !number.contains('e') {
        true => {
            number
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
                + rest
        }
        false => text.to_owned(),
    }
}

/// Where a line of `width` characters has no room for the column without breaking words, its cells follow what is stated.
pub(crate) fn make_room(columns: &mut Vec<Column>, width: usize) {
    let place = |head: &str| columns.iter().position(|c| c.head == head);
    let (Some(stated), Some(allowed)) = (place(STATED), place(HEAD)) else {
        return;
    };
    if fits(columns, width) {
        return;
    }
    let bands = columns.remove(allowed);
    for (cell, band) in columns[stated].cells.iter_mut().zip(bands.cells) {
        let gap = if cell.is_empty() || band.is_empty() {
            ""
        } else {
            "; "
        };
        let word = if band.is_empty() { "" } else { "allowed " };
        *cell += &format!("{gap}{word}{band}");
    }
    columns[stated].head = format!("{STATED}, {HEAD}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expect(metric: &str, origin: Origin, min: Option<f64>, max: Option<f64>) -> Expectation {
        Expectation {
            min,
            max,
            actual: Some(1.0),
            pass: true,
            ..Expectation::new(origin, metric)
        }
    }

    #[test]
    fn a_band_is_as_short_as_it_can_be() {
        let said = |metric: &str, min, max| words(&[&expect(metric, Origin::Simulated, min, max)]);
        let (rtt, rate) = ("ping.rtt_avg_ns", "bulk.goodput_bps");
        assert_eq!(said(rtt, Some(0.85e6), Some(3e6)), "850 µs to 3 ms");
        assert_eq!(said(rtt, Some(1.5e6), Some(3e6)), "1.5 to 3 ms");
        assert_eq!(said(rtt, None, Some(0.4e6)), "at most 400 µs");
        assert_eq!(said(rtt, Some(0.0), Some(0.4e6)), "0 to 400 µs");
        assert_eq!(said(rate, Some(9.4e9), None), "at least 9.4 Gbit/s");
        assert_eq!(said("bulk.retransmits", Some(0.0), Some(0.0)), "0");
        assert_eq!(
            said("a.x_bps over b.x_bps", Some(0.95), Some(1.0)),
            "0.95 to 1"
        );
        assert_eq!(
            said("l.queue_max_bytes", Some(250_880.0), Some(261_120.0)),
            "250.88 to 261.12 kB"
        );
    }

    #[test]
    fn bands_of_several_are_named() {
        let (rtt, band) = ("ping.rtt_avg_ns", (Some(1e6), Some(2e6)));
        let one = expect(rtt, Origin::Predicted, band.0, band.1);
        let same = expect(rtt, Origin::Simulated, band.0, band.1);
        assert_eq!(words(&[&one, &same]), "1 to 2 ms");
        let other = expect(rtt, Origin::Simulated, Some(3e6), Some(4e6));
        assert_eq!(
            words(&[&one, &other]),
            "predicted 1 to 2 ms; simulated 3 to 4 ms"
        );
        let mut marks = expect(rtt, Origin::Simulated, Some(3e6), Some(4e6));
        marks.file = Some("course/marks.toml".to_owned());
        assert_eq!(words(&[&one, &marks]), "1 to 2 ms; marks.toml 3 to 4 ms");
        marks.unstated = Some("there is none".to_owned());
        assert_eq!(
            words(&[&one, &marks]),
            "1 to 2 ms",
            "it is whoever marks who has the figure"
        );
        (marks.unstated, marks.asks) = (None, true);
        assert_eq!(
            words(&[&one, &marks]),
            "1 to 2 ms",
            "of a right answer, too"
        );
    }
}
