//! A rate that steps down once and stays: a file is written at the rate of memory until the page cache is full, and then at the disk's. One that
//! is read may lie in that cache with its beginning.

use crate::asking::{disks, on_both, shows_busy_disks};
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::filed::file_of;
use crate::flows::flow::word;
use crate::items::{Item, spread};
use crate::read::command::ASKED;
use crate::read::{COPIES, Facts};
use crate::seen::Test;

/// Intervals of the last part differ by less than this part of their mean, and all before are faster than the fastest of them by so many
/// times. Both are choices.
const LEVEL: f64 = 0.25;
const ABOVE: f64 = 1.5;

/// A disk moves a flow whose rate is between these parts of its own.
const OF_DISK: [f64; 2] = [0.7, 1.3];

/// What speaks for a disk, decibans: one of which no text has a word is not named by it.
const HINT: f64 = 6.0;

/// Most that is said of others on the path where a file's disk was not seen: it is not a verdict.
const UNSEEN: f64 = 0.39;

/// What a test shows that stepped down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fell {
    /// The fastest interval, bit/s.
    before: f64,
    /// The mean rate of the last part, bit/s.
    lasting: f64,
    /// Whether a file was sent or written.
    filed: bool,
}

/// The mean of the last of these rates, bit/s, from where they stepped down, or of all where the fastest interval of the test, `peak`, is not
/// among them.
fn last_part(rates: &[f64], peak: f64) -> Option<f64> {
    let level = |from: &usize| {
        let (before, then) = rates.split_at(*from);
        let most = then.iter().copied().fold(0.0, f64::max);
        let stepped = match before.is_empty() {
            true => peak > ABOVE * most,
            false => before.iter().all(|rate| *rate > ABOVE * most),
        };
        stepped && spread(then).is_some_and(|s| s < LEVEL)
    };
    let from = (0..rates.len()).find(level)?;
    let then = &rates[from..];
    Some(then.iter().sum::<f64>() / then.len() as f64)
}

impl Evidence {
    /// Takes the file that a test sent, and a step of its rate.
    pub(crate) fn of_file(&mut self, facts: &Facts, test: &Test) {
        self.file = file_of(facts, test);
        let written = word(facts, Of::Receiver, ASKED).is_some();
        let lasting = last_part(&self.steady, self.peak).filter(|_| !self.udp);
        self.fell = lasting.map(|lasting| Fell {
            before: self.peak,
            lasting,
            filed: written || self.file.is_some() || COPIES.contains(&test.tool),
        });
    }

    /// The rate at which the flow went on after it had stepped down, or else its mean, bit/s; 0 without a rate.
    pub(crate) fn after_fall(&self) -> f64 {
        let mean = self.rate.as_ref().map_or(0.0, |r| r.value);
        self.fell.map_or(mean, |fell| fell.lasting)
    }

    /// Which of the mean rate and that of the last part is nearer to a disk's, as a part of that.
    pub(crate) fn part_of_disk(&self, disk: &Figure) -> Option<f64> {
        let mean = self.rate.as_ref()?.value;
        let parts = [mean, self.after_fall()].map(|rate| rate / disk.value);
        let off = |part: &f64| libm::fabs(libm::log(part.max(f64::MIN_POSITIVE)));
        parts.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// Whether a disk moves what the flow does, on average or from its step on.
    pub(crate) fn goes_at_disk(&self, disk: &Figure) -> bool {
        let part = self.part_of_disk(disk);
        part.is_some_and(|part| part > OF_DISK[0] && part < OF_DISK[1])
    }

    /// The rate of the last part, where it is that of a disk of an end and the mean is not, bit/s.
    pub(crate) fn lasts_at_disk(&self) -> Option<Figure> {
        let (disk, mean) = (self.around.disk.as_ref()?, self.rate.as_ref()?);
        let lasting = self.fell?.lasting;
        let nearer = self.part_of_disk(disk) == Some(lasting / disk.value);
        let own = nearer && self.goes_at_disk(disk) && mean.value > 0.0;
        own.then(|| mean.times(lasting / mean.value))
    }

    /// Whether a file's disk, of which no text has a word, may be what the rate stepped down to.
    fn may_fall_to_disk(&self) -> bool {
        let lossless = self.sent_again().is_none_or(|again| again <= 1.0);
        let unseen = self.around.disk_of.is_none();
        unseen && lossless && self.fell.is_some_and(|fell| fell.filed)
    }

    /// The most that is said of others on the path then.
    pub(crate) fn at_most_of_fall(&self, cause: Cause) -> f64 {
        match cause == Cause::CrossTraffic && self.may_fall_to_disk() {
            true => UNSEEN,
            false => 1.0,
        }
    }

    /// How busy that disk is.
    pub(crate) fn asks_disk_of_fall(&self) -> Option<MissingFact> {
        let shows = self.systems.into_iter().any(shows_busy_disks);
        (shows && self.may_fall_to_disk()).then(|| MissingFact {
            fact: "disk_busy_ratio",
            would_decide: "whether a disk holds what lasts: memory may have taken the first part"
                .to_owned(),
            command: format!(
                "in the last part of a test: {}",
                on_both(self.systems, disks)
            ),
        })
    }
}

/// Weighs a step of what is sent from a file, or written to one.
pub(crate) fn by_fall(e: &Evidence, items: &mut Vec<Item>) {
    let Some(fell) = e.fell.filter(|fell| fell.filed) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Disk, HINT)],
        sentence: format!(
            "the rate stepped from {} down to {}, and stayed: a file goes at the rate of memory until the page cache is full, and then at that of its disk",
            bps(fell.before),
            bps(fell.lasting)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    const GBIT: f64 = 1e9;

    /// Later intervals of these Gbit/s.
    fn last(gbit: &[f64], peak: f64) -> Option<f64> {
        let rates: Vec<f64> = gbit.iter().map(|gbit| gbit * GBIT).collect();
        last_part(&rates, peak * GBIT).map(|rate| (rate / 1e6).round())
    }

    #[test]
    fn a_step_down_to_a_level_part_is_seen() {
        assert_eq!(last(&[9.4, 9.4, 1.1, 1.2, 1.1, 1.2], 9.4), Some(1150.0));
        // The fast part lies in the first fifth, which these are without.
        assert_eq!(last(&[1.1, 1.2, 1.1, 1.2], 9.4), Some(1150.0));
        assert_eq!(last(&[1.1, 1.2, 1.1, 1.2], 1.3), None);
        // Up again, down for too short, down in steps.
        assert_eq!(last(&[9.4, 1.1, 9.4, 1.1, 9.4, 1.1, 9.4, 1.1], 9.4), None);
        assert_eq!(last(&[9.4, 9.4, 9.4, 1.1, 1.2, 1.1], 9.4), None);
        assert_eq!(last(&[9.4, 6.0, 4.0, 2.5, 1.6, 1.0, 0.6], 9.4), None);
    }

    /// 3.6 Gbit/s on average, 1.16 Gbit/s in the last part.
    fn evidence(disk: Option<f64>) -> Evidence {
        let mut e = Evidence {
            rate: Some(Figure::exact(3.6 * GBIT, Place::You)),
            retransmits: Some(Figure::exact(0.0, Place::You)),
            fell: Some(Fell {
                before: 9.41 * GBIT,
                lasting: 1.16 * GBIT,
                filed: true,
            }),
            ..Evidence::default()
        };
        e.around.disk = disk.map(|bps| Figure::exact(bps, Place::You));
        e.around.disk_of = disk.map(|_| crate::seen::Side::Receiver);
        e
    }

    #[test]
    fn what_lasts_is_held_against_the_disk() {
        let lasts = |disk: f64| {
            evidence(Some(disk))
                .lasts_at_disk()
                .map(|r| r.value.round())
        };
        assert_eq!(lasts(1.18 * GBIT), Some(1.16 * GBIT));
        // The mean is the disk's, or neither is.
        assert_eq!(lasts(3.7 * GBIT), None);
        assert_eq!(lasts(0.2 * GBIT), None);
        let disk = Figure::exact(3.7 * GBIT, Place::You);
        assert!(evidence(None).goes_at_disk(&disk));
    }

    #[test]
    fn without_a_word_of_the_disk_others_are_not_named() {
        let open = evidence(None);
        assert_eq!(open.at_most_of_fall(Cause::CrossTraffic), UNSEEN);
        assert!(open.asks_disk_of_fall().is_some());
        let seen = evidence(Some(1.18 * GBIT));
        assert_eq!(seen.at_most_of_fall(Cause::CrossTraffic), 1.0);
        assert!(seen.asks_disk_of_fall().is_none());
        // What is sent from memory has no page cache.
        let mut memory = evidence(None);
        memory.fell = memory.fell.map(|fell| Fell {
            filed: false,
            ..fell
        });
        assert_eq!(memory.at_most_of_fall(Cause::CrossTraffic), 1.0);
    }
}
