//! How often the cause was named, by level of evidence and by cause, and how well confidence was met.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::level::Level;

/// What was said of a case at a level.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) number: u64,
    pub(super) level: Level,
    pub(super) truth: &'static str,
    /// The other cause of a case that has two.
    pub(super) other: Option<&'static str>,
    /// What was injected; a line that is full where nothing was.
    pub(super) injected: &'static str,
    pub(super) said: &'static str,
    pub(super) confidence: f64,
    pub(super) second: Option<&'static str>,
    /// What was said once the missing facts it had named were given; none where none was named that can be had.
    pub(super) then: Option<&'static str>,
    /// The missing facts that it named.
    pub(super) asked: Vec<&'static str>,
    /// What the first change says will limit next.
    pub(super) next: Option<&'static str>,
    /// The predicted rate over that of the changed run; none where nothing was predicted or changed.
    pub(super) predicted: Option<f64>,
    /// Whether that run's rate was within the bounds that were said.
    pub(super) bounded: bool,
    /// The case, for whoever wants to see it again.
    pub(super) note: String,
    /// What weights are fitted from.
    pub(super) sample: super::fit::Sample,
}

/// All outcomes.
#[derive(Default)]
pub(super) struct Score(Vec<Outcome>);

/// Most wrong cases that are listed.
const SHOWN: usize = 60;

/// Causes that are losses: which kind it is, the sender's host does not see.
const LOSSES: [&str; 4] = [
    "random_loss",
    "congestion_loss",
    "shallow_buffer",
    "policer",
];

impl Outcome {
    /// The cause is named; of two, one of them.
    fn right(&self) -> bool {
        self.said == self.truth || Some(self.said) == self.other
    }

    /// The cause, or another kind of loss where it is one.
    fn kind(&self) -> bool {
        let loss = |c: &str| LOSSES.contains(&c);
        self.right() || loss(self.truth) && loss(self.said)
    }

    /// A healthy path is blamed on something.
    fn blames(&self) -> bool {
        self.injected == "link" && !matches!(self.said, "link" | "none" | "unknown")
    }

    /// Both of two causes are named.
    fn both(&self) -> bool {
        let is_other = |c: &str| c == self.truth || Some(c) == self.other;
        let named = [self.second, self.next];
        let mut named = named.into_iter().flatten();
        self.right() && named.any(|s| s != self.said && is_other(s))
    }
}

/// Percent of a list that something holds of.
fn percent(all: &[&Outcome], f: impl Fn(&Outcome) -> bool) -> f64 {
    100.0 * all.iter().filter(|o| f(o)).count() as f64 / all.len().max(1) as f64
}

impl Score {
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.0.push(outcome);
    }

    /// The outcomes at a level, those that something holds of.
    fn of(&self, level: Level, f: impl Fn(&Outcome) -> bool) -> Vec<&Outcome> {
        let of = self.0.iter().filter(|o| o.level == level);
        of.filter(|o| f(o)).collect()
    }

    /// The tables.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "level        cases  top %  or other loss %  first two %  unknown %  false blame %  both %\n",
        );
        for (level, name) in Level::ALL {
            let all = self.of(level, |_| true);
            let healthy = self.of(level, |o| o.injected == "link");
            let _written = writeln!(
                text,
                "{name:<12}{:>6}{:>7.1}{:>17.1}{:>13.1}{:>11.1}{:>15.1}{:>8.1}",
                all.len(),
                percent(&all, Outcome::right),
                percent(&all, Outcome::kind),
                percent(&all, |o| o.right() || o.second == Some(o.truth)),
                percent(&all, |o| o.said == "unknown"),
                percent(&healthy, Outcome::blames),
                percent(&all, Outcome::both),
            );
        }
        self.next(&mut text);
        for (level, name) in Level::ALL {
            self.confusion(level, name, &mut text);
        }
        self.calibration(&mut text);
        let wrong = self
            .0
            .iter()
            .filter(|o| !o.right() && o.level > Level::Settings || o.blames());
        for outcome in wrong.take(SHOWN) {
            let _written = writeln!(
                text,
                "case {} {:?}: {} said {} ({:.2}), second {:?}: {}",
                outcome.number,
                outcome.level,
                outcome.truth,
                outcome.said,
                outcome.confidence,
                outcome.second,
                outcome.note
            );
        }
        text
    }

    /// A line for each text: its case, level, truth, other cause, verdict, confidence, second, what was asked and what came of it,
    /// and the predicted rate after the change over that which came.
    pub(super) fn rows(&self) -> String {
        let mut rows = String::from(
            "case\tlevel\tinjected\ttruth\tother\tsaid\tconfidence\tsecond\tasked\tthen\tpredicted\n",
        );
        for o in &self.0 {
            let word = |word: Option<&'static str>| word.unwrap_or("-");
            let _written = writeln!(
                rows,
                "{}\t{:?}\t{}\t{}\t{}\t{}\t{:.3}\t{}\t{}\t{}\t{}",
                o.number,
                o.level,
                o.injected,
                o.truth,
                word(o.other),
                o.said,
                o.confidence,
                word(o.second),
                o.asked.join(" "),
                word(o.then),
                o.predicted
                    .map_or("-".to_owned(), |ratio| format!("{ratio:.3}"))
            );
        }
        rows
    }

    /// Whether what was asked for led to the cause, and whether the predicted rate came about.
    fn next(&self, text: &mut String) {
        text.push_str(
            "\nlevel        asked  then right %  of those not named %  predicted  within 10 %  within bounds %\n",
        );
        for (level, name) in Level::ALL {
            let asked = self.of(level, |o| o.then.is_some());
            let open = self.of(level, |o| o.then.is_some() && !o.right());
            let then =
                |o: &Outcome| o.then == Some(o.truth) || o.then == o.other && o.then.is_some();
            let predicted = self.of(level, |o| o.predicted.is_some() && o.right());
            let near = |o: &Outcome| o.predicted.is_some_and(|p| (0.9..=1.1).contains(&p));
            let _written = writeln!(
                text,
                "{name:<12}{:>6}{:>14.1}{:>22.1}{:>11}{:>13.1}{:>17.1}",
                asked.len(),
                percent(&asked, then),
                percent(&open, then),
                predicted.len(),
                percent(&predicted, near),
                percent(&predicted, |o| o.bounded),
            );
        }
    }

    /// What was said of each cause.
    fn confusion(&self, level: Level, name: &str, text: &mut String) {
        let mut table: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for o in self.of(level, |_| true) {
            let truth = match o.other {
                Some(other) => format!("{} and {other}", o.truth),
                None => o.truth.to_owned(),
            };
            *table.entry(truth).or_default().entry(o.said).or_default() += 1;
        }
        let _written = writeln!(text, "\n{name}: what was said of each cause");
        for (truth, said) in table {
            let said: Vec<String> = said.iter().map(|(s, n)| format!("{s} {n}")).collect();
            let _written = writeln!(text, "{truth:<16} {}", said.join(", "));
        }
    }

    /// How often each confidence was right, over all levels.
    fn calibration(&self, text: &mut String) {
        text.push_str("\nconfidence  cases  right %  captures alone  right %\n");
        for tenth in 4..10 {
            let low = f64::from(tenth) / 10.0;
            let within = |o: &Outcome| {
                o.said != "unknown"
                    && o.confidence >= low
                    && (o.confidence < low + 0.1 || tenth == 9)
            };
            let all: Vec<&Outcome> = self.0.iter().filter(|o| within(o)).collect();
            let far = |o: &&&Outcome| o.level > Level::Ss;
            let captures: Vec<&Outcome> = all.iter().filter(far).copied().collect();
            let _written = writeln!(
                text,
                "{:.1}-{:.1}     {:>6}{:>9.1}{:>16}{:>9.1}",
                low,
                low + 0.1,
                all.len(),
                percent(&all, Outcome::right),
                captures.len(),
                percent(&captures, Outcome::right),
            );
        }
        text.push('\n');
    }
}
