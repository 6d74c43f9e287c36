//! Who watches a run, and may end it.

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
