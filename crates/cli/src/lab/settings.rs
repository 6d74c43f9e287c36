//! What a direction of a lab's link is set to, by its scenario or by `lab set`.

use farpath_scenario::{Direction, Loss};
use farpath_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use super::change::percent;

/// What is set of one direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    rate_bps: u64,
    /// Propagation one way.
    delay_ns: u64,
    /// What is lost, and what else happens to frames, in words; empty where nothing does.
    impairments: Vec<String>,
}

impl Settings {
    /// Those of a direction as it is now.
    pub(super) fn of(direction: &Direction) -> Settings {
        let others = &direction.impairments;
        let others = [
            ("jitter", others.jitter.is_some()),
            ("reordering", others.reordering.is_some()),
            ("duplication", others.duplication.is_some()),
            ("corruption", others.corruption.is_some()),
        ];
        let others = others.into_iter().filter(|(_, is_set)| *is_set);
        let others = others.map(|(name, _)| name.to_owned());
        Settings {
            rate_bps: direction.rate.as_bps(),
            delay_ns: direction.delay.as_ns(),
            impairments: direction.losses.iter().map(loss).chain(others).collect(),
        }
    }

    /// A row below [`head`], of a direction in these words.
    pub(super) fn row(&self, place: &str) -> String {
        let rate = Rate::from_bps(self.rate_bps).map_or("0".to_owned(), |rate| rate.to_string());
        let delay = Duration::from_ns(self.delay_ns).to_string();
        let more = match self.impairments.join(", ") {
            none if none.is_empty() => "no loss".to_owned(),
            some => some,
        };
        columns([place, &rate, &delay, &more])
    }
}

/// The heads of the columns.
pub(super) fn head() -> String {
    columns(["settings", "rate", "delay", "loss"])
}

fn columns([place, rate, delay, loss]: [&str; 4]) -> String {
    format!("{place:<32} {rate:>15} {delay:>10}  {loss}\n")
}

/// A cause of loss, in few words.
fn loss(loss: &Loss) -> String {
    match loss {
        Loss::Bernoulli(ratio) => percent(*ratio),
        Loss::EveryNth(n) => format!("every {n}th"),
        Loss::BitError(ratio) => format!("bit errors {ratio:e}"),
        Loss::GilbertElliott { p, r, .. } => {
            format!("bursts {} in, {} out", percent(*p), percent(*r))
        }
        Loss::Scripted { segment, .. } => format!("segment {segment}"),
    }
}

#[cfg(test)]
mod tests {
    use farpath_scenario::{Set, Source, Way, parse};

    use super::*;

    /// A link as its scenario has it, and as `lab set` has made it since.
    #[test]
    fn what_is_set_of_a_link_fits_a_terminal() {
        let text = "[scenario]\nname = \"x\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n[[link]]\nname = \"path\"\nends = [\"a\", \"b\"]\n\
                    rate = \"20 Mbit/s\"\ndelay = \"40 ms\"\n";
        let row = |sets: &[&str], way: Way| {
            let source = Source {
                name: "x".to_owned(),
                text: text.to_owned(),
            };
            let sets: Vec<Set> = sets.iter().map(|s| s.parse().expect("a key")).collect();
            let scenario = parse(&source, &sets).expect("a scenario");
            Settings::of(scenario.links[0].direction(way)).row("path a>b")
        };
        let words = |row: &str| {
            let words: Vec<&str> = row.split_whitespace().skip(2).collect();
            words.join(" ")
        };
        let plain = row(&[], Way::Forward);
        assert_eq!(words(&plain), "20 Mbit/s 40 ms no loss");
        let sets = [
            "link.path.forward.rate=5Mbit/s",
            "link.path.forward.delay=80ms",
            "link.path.forward.loss=1%",
            "link.path.forward.jitter.max=5ms",
        ];
        let set = row(&sets, Way::Forward);
        assert_eq!(words(&set), "5 Mbit/s 80 ms 1 %, jitter");
        assert_eq!(row(&sets, Way::Reverse), plain);
        let longest = [head(), plain, set].map(|row| row.chars().count());
        assert!(longest.iter().all(|length| *length <= 80), "{longest:?}");
    }
}
