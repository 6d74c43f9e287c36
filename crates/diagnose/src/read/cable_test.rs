//! `show cable-diagnostics tdr` of IOS: pairs of a cable that are open or short, and at what length.

use super::{Facts, Line, Tool};
use crate::interfaces::slow_pair::PAIR_FAULT;
use crate::words::whole;

/// What a pair's status begins with where it is at fault.
const FAULTS: [(&str, &str); 3] = [
    ("Open", "open"),
    ("Short", "short"),
    ("Impedance", "mismatched"),
];

/// What lines above the rows begin with, and the rule between them and the rows.
const HEADS: [&str; 3] = [
    "TDR test last run on",
    "Interface Speed Local pair",
    "Interface Speed  Local pair",
];
const RULE: &str = "---------";

/// The state of reading: the port that the rows are of, empty before the first one, and whether it runs at 100 Mbit/s or less.
#[derive(Default)]
pub(super) struct CableTest {
    port: String,
    slow: bool,
}

impl Tool for CableTest {
    fn name(&self) -> &'static str {
        "cable test"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if HEADS.iter().any(|begin| text.starts_with(begin)) {
            self.port.clear();
            return true;
        }
        if !going {
            return false;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let pair = match words[..] {
            [port, speed, "Pair", ref pair @ ..] => {
                self.port = crate::redact(port);
                self.slow = matches!(speed, "10M" | "100M");
                pair
            }
            ["Pair", ref pair @ ..] if !self.port.is_empty() => pair,
            _ => return text.starts_with(RULE),
        };
        let fault = pair.iter().find_map(|word| {
            let find = |(begin, _): &&(&str, &str)| word.starts_with(*begin);
            Some(FAULTS.iter().find(find)?.1)
        });
        if let (Some(fault), [name, metres, ..]) = (fault.filter(|_| self.slow), pair) {
            let at = whole(metres).map_or_else(String::new, |m| format!(" {m} m from there"));
            let said = format!("{}: pair {name} of its cable is {fault}{at}", self.port);
            facts.word_once(PAIR_FAULT, &said, line.at);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Of;
    use crate::flows::flow::word;
    use crate::read::taken::taken;

    const TDR: &str = "\
TDR test last run on: November 25 03:20:11
Interface Speed Local pair Pair length        Remote pair Pair status
--------- ----- ---------- ------------------ ----------- --------------------
Gi1/0/22  100M  Pair A     21   +/- 10 meters Pair A      Normal
                Pair B     21   +/- 10 meters Pair B      Normal
                Pair C     3    +/- 10 meters N/A         Open
                Pair D     21   +/- 10 meters N/A         Normal
";

    #[test]
    fn a_pair_at_fault_is_named_with_its_length() {
        let of = |text: &str| {
            let facts = taken(CableTest::default(), text);
            word(&facts, Of::Path, PAIR_FAULT).map(|(said, _)| said.to_owned())
        };
        let said = of(TDR).expect("one is open");
        assert_eq!(said, "Gi1/0/22: pair C of its cable is open 3 m from there");
        assert_eq!(of(&TDR.replace("Open", "Normal")), None);
        // A link of 1 Gbit/s has all four pairs, whatever a test of its cable says.
        assert_eq!(of(&TDR.replace("100M ", "1000M")), None);
    }
}
