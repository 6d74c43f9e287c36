//! The first ping of a run, where it alone was lost: whoever asks for a hardware address (ARP, ND) may drop what waits for it.

use crate::fact::Place;
use crate::read::Facts;
use crate::words::{after, whole};

/// So many behind it have to be answered. A choice.
const ANSWERED_LEAST: u64 = 3;

/// Most marks of a router that are kept.
const MARKS_MAX: usize = 100_000;

/// What a run showed in its order.
#[derive(Default)]
pub(super) struct First {
    /// What a router prints of each ping: `.!!!!`.
    marks: String,
    /// The numbers of the first and the last answer, where they have some.
    numbers: Option<(u64, u64)>,
}

impl First {
    /// Takes a line of marks.
    pub(super) fn marks(&mut self, text: &str) {
        if is_marks(text) && self.marks.len() + text.len() <= MARKS_MAX {
            self.marks.push_str(text);
        }
    }

    /// Takes an answer: `64 bytes from 10.0.77.2: icmp_seq=2 ttl=255 time=1.10 ms`.
    pub(super) fn answer(&mut self, text: &str) {
        let number = after(text, "icmp_seq=").and_then(whole);
        if let Some(number) = number {
            let first = self.numbers.map_or(number, |(first, _)| first.min(number));
            self.numbers = Some((first, number));
        }
    }

    /// The pings that count of so many sent: without the first where that alone was lost. Linux numbers them from 1.
    pub(super) fn counted(&self, sent: u64, received: u64, at: Place, facts: &mut Facts) -> u64 {
        let one = received >= ANSWERED_LEAST && received + 1 == sent;
        let marked = self.marks.starts_with(".!") && self.marks.matches('.').count() == 1;
        let alone = marked || self.numbers == Some((2, sent));
        if !one || !alone {
            return sent;
        }
        let place = facts.place(at);
        facts.notes.push(format!(
            "{place}: the first ping alone was not answered, and all {received} behind it were: while a host or router asks for a hardware address (ARP, ND), it may drop the packet that waits for it. That is not counted as loss of the path; a second run right behind this one answers all"
        ));
        received
    }
}

/// Whether a line is of a router's marks alone.
pub(super) fn is_marks(text: &str) -> bool {
    text.bytes().all(|b| b == b'!' || b == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was 20 % of loss, and a ceiling.
    #[test]
    fn the_first_ping_alone_is_not_loss_of_the_path() {
        let counted = |first: &First, sent, received| {
            first.counted(sent, received, Place::You, &mut Facts::default())
        };
        let marks = |text: &str| {
            let mut first = First::default();
            first.marks(text);
            first
        };
        assert_eq!(counted(&marks(".!!!!"), 5, 4), 4);
        assert_eq!(counted(&marks("!!.!!"), 5, 4), 5);
        assert_eq!(counted(&marks(".!.!!"), 5, 3), 5);
        let answers = |numbers: &[u64]| {
            let mut first = First::default();
            for n in numbers {
                first.answer(&format!(
                    "64 bytes from 10.0.77.2: icmp_seq={n} ttl=255 time=1 ms"
                ));
            }
            first
        };
        assert_eq!(counted(&answers(&[2, 3, 4, 5]), 5, 4), 4);
        assert_eq!(counted(&answers(&[1, 2, 4, 5]), 5, 4), 5);
        assert_eq!(counted(&answers(&[1, 2, 3, 4]), 5, 4), 5);
    }
}
