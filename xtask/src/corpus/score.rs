//! How often the cause was named, by level of evidence and by cause, and how well confidence was met.

use std::collections::BTreeMap;
use std::fmt::Write;

/// What was said of a case at a level.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) number: u64,
    pub(super) level: usize,
    pub(super) truth: &'static str,
    /// What was injected; a line that is full where nothing was.
    pub(super) injected: &'static str,
    pub(super) said: &'static str,
    pub(super) confidence: f64,
    pub(super) second: Option<&'static str>,
    /// The case, for whoever wants to see it again.
    pub(super) note: String,
    /// What weights are fitted from.
    pub(super) sample: super::fit::Sample,
}

/// All outcomes.
#[derive(Default)]
pub(super) struct Score(Vec<Outcome>);

/// Most wrong cases that are listed.
const SHOWN: usize = 40;

/// Causes that are losses: which kind it is, the sender's host does not see.
const LOSSES: [&str; 4] = [
    "random_loss",
    "congestion_loss",
    "shallow_buffer",
    "policer",
];

/// Levels of evidence.
pub(super) const LEVELS: [&str; 4] = ["log", "+ ping", "+ sysctl", "+ ss"];

impl Outcome {
    fn right(&self) -> bool {
        self.said == self.truth
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
}

impl Score {
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.0.push(outcome);
    }

    /// The tables.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "level      cases  top %  or other loss %  first two %  unknown %  false blame %\n",
        );
        for (level, name) in LEVELS.iter().enumerate() {
            let all: Vec<&Outcome> = self.0.iter().filter(|o| o.level == level).collect();
            let share = |f: &dyn Fn(&Outcome) -> bool| {
                100.0 * all.iter().filter(|o| f(o)).count() as f64 / all.len().max(1) as f64
            };
            let healthy = all.iter().filter(|o| o.injected == "link").count().max(1);
            let blamed = all.iter().filter(|o| o.blames()).count();
            let _written = writeln!(
                text,
                "{name:<10}{:>6}{:>7.1}{:>17.1}{:>13.1}{:>11.1}{:>15.1}",
                all.len(),
                share(&|o| o.right()),
                share(&|o| o.kind()),
                share(&|o| o.right() || o.second == Some(o.truth)),
                share(&|o| o.said == "unknown"),
                100.0 * blamed as f64 / healthy as f64
            );
        }
        self.confusion(&mut text);
        self.calibration(&mut text);
        for outcome in self
            .0
            .iter()
            .filter(|o| o.level == 3 && !o.right())
            .take(SHOWN)
        {
            let _written = writeln!(
                text,
                "case {}: {} said {} ({:.2}), second {:?}: {}",
                outcome.number,
                outcome.truth,
                outcome.said,
                outcome.confidence,
                outcome.second,
                outcome.note
            );
        }
        text
    }

    /// With all of the evidence, what was said of each cause.
    fn confusion(&self, text: &mut String) {
        let mut table: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for o in self.0.iter().filter(|o| o.level == 3) {
            *table.entry(o.truth).or_default().entry(o.said).or_default() += 1;
        }
        text.push_str("\nwith ss, what was said of each cause\n");
        for (truth, said) in table {
            let said: Vec<String> = said.iter().map(|(s, n)| format!("{s} {n}")).collect();
            let _written = writeln!(text, "{truth:<16}{}", said.join(", "));
        }
    }

    /// How often each confidence was right, over all levels.
    fn calibration(&self, text: &mut String) {
        text.push_str("\nconfidence  cases  right %\n");
        for tenth in 4..10 {
            let low = f64::from(tenth) / 10.0;
            let known = self.0.iter().filter(|o| o.said != "unknown");
            let all: Vec<&Outcome> = known
                .filter(|o| o.confidence >= low && (o.confidence < low + 0.1 || tenth == 9))
                .collect();
            let right = all.iter().filter(|o| o.right()).count();
            let _written = writeln!(
                text,
                "{:.1}-{:.1}     {:>6}{:>9.1}",
                low,
                low + 0.1,
                all.len(),
                100.0 * right as f64 / all.len().max(1) as f64
            );
        }
        text.push('\n');
    }
}
