//! Who watches a run, and may end it.

use farpath_record::{Keys, Point};

/// Receives how far a run is, and decides whether it goes on. Every method but `interrupted` may do nothing.
pub trait Progress: Send {
    /// So many equal parts are to be done in all. Called once, before any is begun.
    fn expect(&mut self, parts: u64);

    /// What is being done now, in a few words.
    fn say(&mut self, label: &str);

    /// So many more thousandths of a part are done.
    fn advance(&mut self, thousandths: u64);

    /// What is worth knowing and no fault: one line.
    fn note(&mut self, text: &str);

    /// Whether the run is to end as soon as it can. Asked many times a second.
    fn interrupted(&self) -> bool;
}

/// The same of one point of a sweep: its notes name the point.
pub(crate) struct AtPoint<'p> {
    /// The point in words; empty without a sweep.
    words: String,
    all: &'p mut dyn Progress,
}

impl<'p> AtPoint<'p> {
    /// Of that point, whose notes go on to `all`.
    pub(crate) fn new(point: &Point, all: &'p mut dyn Progress) -> AtPoint<'p> {
        AtPoint {
            words: Keys::default().words(point),
            all,
        }
    }
}

impl Progress for AtPoint<'_> {
    fn expect(&mut self, parts: u64) {
        self.all.expect(parts);
    }

    fn say(&mut self, label: &str) {
        self.all.say(label);
    }

    fn advance(&mut self, thousandths: u64) {
        self.all.advance(thousandths);
    }

    fn note(&mut self, text: &str) {
        match self.words.is_empty() {
            true => self.all.note(text),
            false => self.all.note(&format!("at {}: {text}", self.words)),
        }
    }

    fn interrupted(&self) -> bool {
        self.all.interrupted()
    }
}

/// Nobody watches, and nobody interrupts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn expect(&mut self, _parts: u64) {}
    fn say(&mut self, _label: &str) {}
    fn advance(&mut self, _thousandths: u64) {}
    fn note(&mut self, _text: &str) {}
    fn interrupted(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Said(Vec<String>);

    impl Progress for Said {
        fn expect(&mut self, _parts: u64) {}
        fn say(&mut self, _label: &str) {}
        fn advance(&mut self, _thousandths: u64) {}
        fn note(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }
        fn interrupted(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_note_of_a_point_of_a_sweep_names_it() {
        let (mut said, mut point) = (Said(Vec::new()), Point::new());
        AtPoint::new(&point, &mut said).note("late");
        point.insert("test.bulk.cc".to_owned(), "bic".to_owned());
        AtPoint::new(&point, &mut said).note("late");
        assert_eq!(said.0, ["late", "at test.bulk.cc bic: late"]);
    }
}
