//! Answers of routers that are under way.

use std::collections::BTreeMap;

use super::router::Told;

/// Answers of routers that are under way, by the handle of what they are about, and how many of each are.
#[derive(Debug, Default)]
pub(super) struct Answers(BTreeMap<u32, (Told, u32)>);

impl Answers {
    /// What the answer of this handle says.
    pub(super) fn get(&self, handle: u32) -> Option<&Told> {
        self.0.get(&handle).map(|(told, _)| told)
    }

    /// A router has answered; to copies it says the same.
    pub(super) fn made(&mut self, told: Told) {
        self.0.entry(told.handle).or_insert((told, 0)).1 += 1;
    }

    /// An answer is under way once more.
    pub(super) fn copied(&mut self, handle: u32) {
        if let Some((_, live)) = self.0.get_mut(&handle) {
            *live += 1;
        }
    }

    /// An answer has arrived, or is lost. Returns what it says.
    pub(super) fn gone(&mut self, handle: u32) -> Option<Told> {
        let (told, live) = self.0.get_mut(&handle)?;
        let told = *told;
        *live -= 1;
        if *live == 0 {
            self.0.remove(&handle);
        }
        Some(told)
    }
}
