//! Goodputs of one connection that hang on few loss events: a mark in the table, and a word beside a verdict.

use farpath_record::{Expectation, FEW_LOSSES, Origin, Point, RunDocument};

/// What the mark means of origins that ran a test, below the table.
pub(crate) const KEY: &str = "? of what was simulated, emulated or measured: it hangs on fewer than three loss events, which are chance; more \
    repeats or a longer `duration` tell";

/// What is to be said of a verdict on such a value.
const DOUBT: &str = "; it hangs on fewer than three loss events, which are chance";

/// Whether the value of a metric in full hangs on few loss events, as its record says. Of several repeats it does not: they show how far
/// chance moves it.
pub(crate) fn is_few(run: &RunDocument, path: &str, origin: Origin, point: &Point) -> bool {
    let Some((test, metric)) = path.split_once('.') else {
        return false;
    };
    let mine = run.records.iter().filter(|r| r.test == test);
    let mut mine = mine.filter(|r| r.origin == origin && r.point == *point);
    let (Some(one), None) = (mine.next(), mine.next()) else {
        return false;
    };
    let of_metric = |note: &&String| note.split(' ').next() == Some(metric);
    let mut notes = one.notes.iter().filter(of_metric);
    notes.any(|note| note.contains(FEW_LOSSES))
}

/// What is to be said of the verdict on an expectation; empty of most.
pub(crate) fn doubt(run: &RunDocument, e: &Expectation) -> &'static str {
    match is_few(run, &e.metric, e.origin, &e.point) {
        true => DOUBT,
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Layout, render};
    use farpath_record::Record;

    /// A goodput of 48 Mbit/s where 94 are predicted, with one random loss; in so many repeats.
    fn text(repeats: u32, events: &str) -> String {
        let mut run = RunDocument::new("s", 1, String::new());
        let mut predicted = Record::new(Origin::Predicted, "bulk", "tcp", "a", "b");
        predicted.set("goodput_bps", 94e6);
        run.records.push(predicted);
        for repeat in 0..repeats {
            let mut one = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
            one.repeat = repeat;
            one.set("goodput_bps", 48e6);
            one.notes.push(format!("goodput_bps is {events}"));
            run.records.push(one);
        }
        render(&run, Layout::default())
    }

    #[test]
    fn a_goodput_of_few_loss_events_is_marked_and_not_its_forecast() {
        let few = format!("of few losses, {FEW_LOSSES}");
        let marked = text(1, &few);
        assert!(marked.contains("? 48 Mbit/s"), "{marked}");
        assert!(!marked.contains("? 94 Mbit/s"), "{marked}");
        assert_eq!(marked.matches("? of what was simulated").count(), 1);
        for other in [text(1, "of many losses"), text(2, &few)] {
            assert!(other.contains("? 94 Mbit/s"), "{other}");
            assert!(!other.contains("? 48 Mbit/s"), "{other}");
        }
    }

    #[test]
    fn a_verdict_on_few_loss_events_says_so() {
        let mut run = RunDocument::new("s", 1, String::new());
        let mut one = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        one.set("goodput_bps", 48e6);
        run.records.push(one);
        run.expectations.push(Expectation {
            min: Some(9e7),
            max: Some(1e8),
            actual: Some(4.8e7),
            ..Expectation::new(Origin::Simulated, "bulk.goodput_bps")
        });
        let said = |run: &RunDocument| crate::failures::failures(run).concat();
        assert!(!said(&run).contains(DOUBT));
        let note = format!("goodput_bps is of few losses, {FEW_LOSSES}");
        run.records[0].notes.push(note);
        assert!(said(&run).contains(DOUBT), "{}", said(&run));
    }
}
