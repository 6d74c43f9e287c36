//! Runs a test over mutations.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;

use crate::{Corpus, Luck};

/// How many fixed mutations a suite sees, and how many fresh ones.
pub const MUTATIONS: u64 = 20_000;

/// The seed of the mutations that are always the same.
const FIXED: u64 = 0x6661_7270_6174_6820;

/// How many mutations came to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<&'static str, u64>);

impl Outcomes {
    /// Fails if less than this share of the mutations came to `outcome`: mutations that all end the same
    /// way test only that way. Fewer than 1000 are too few to say so.
    ///
    /// # Panics
    /// Then.
    #[track_caller]
    pub fn at_least(&self, outcome: &str, share: f64) -> &Outcomes {
        let all: u64 = self.0.values().sum();
        let found = self.0.get(outcome).copied().unwrap_or(0);
        assert!(
            all < 1000 || found as f64 >= share * all as f64,
            "{outcome}: less than {:.1} % of {all}: {self}",
            100.0 * share
        );
        self
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.iter().map(|(name, n)| format!("{n} {name}"));
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}

/// Runs `test` over fixed and fresh mutations of `corpus`, side by side. It is given each text, and the
/// luck that made it for what it has to draw itself, and names the outcome.
///
/// # Panics
/// If `test` does; stderr then says which text it was and how to see it again.
pub fn run(corpus: &Corpus<'_>, test: impl Fn(&str, &mut Luck) -> &'static str + Sync) -> Outcomes {
    let number = from_environment("FARPATH_MUTATIONS").unwrap_or(MUTATIONS);
    let drawn = || RandomState::new().hash_one("seed");
    let fresh = from_environment("FARPATH_SEED").unwrap_or_else(drawn);
    let test = &test;
    let name = std::thread::current().name().unwrap_or("").to_owned();
    let part = |seed| {
        let mut outcomes = Outcomes::default();
        for n in 0..number {
            let mut luck = Luck::new(seed, n);
            let text = corpus.mutated(&mut luck);
            let seen = Seen {
                text: &text,
                test: &name,
                seed: fresh,
                number: n,
            };
            *outcomes.0.entry(test(&text, &mut luck)).or_default() += 1;
            drop(seen);
        }
        outcomes
    };
    let (mut all, fresh) = std::thread::scope(|scope| {
        let fixed = scope.spawn(|| part(FIXED));
        let fresh = part(fresh);
        (fixed.join().expect("the fixed mutations pass"), fresh)
    });
    for (outcome, n) in fresh.0 {
        *all.0.entry(outcome).or_default() += n;
    }
    println!("{all}");
    all
}

/// The mutation that a test has in hand.
struct Seen<'a> {
    text: &'a str,
    test: &'a str,
    seed: u64,
    number: u64,
}

/// Nobody else knows which text it was when a test fails.
impl Drop for Seen<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "PACKAGE".to_owned());
            eprintln!(
                "mutation {} failed:\n{:?}\nsee it again: FARPATH_SEED={} FARPATH_MUTATIONS={} cargo test -p {package} {}",
                self.number,
                self.text,
                self.seed,
                self.number + 1,
                self.test
            );
        }
    }
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) => panic!("{name}={text}: write a whole number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_has_an_outcome() {
        let corpus = Corpus::of(["10 Gbit/s", "5 ms"]);
        let outcomes = run(&corpus, |text, _| match text.contains("ms") {
            true => "time",
            false => "rate",
        });
        outcomes.at_least("time", 0.1).at_least("rate", 0.1);
        assert!(outcomes.0.values().sum::<u64>() >= 2);
    }

    #[test]
    #[should_panic(expected = "never: less than 50.0 % of 2000: 2000 always")]
    fn an_outcome_that_does_not_come_about_is_named() {
        Outcomes(BTreeMap::from([("always", 2000)])).at_least("never", 0.5);
    }
}
