//! What had ended of a run that was stopped, for one that goes on with it: `farpath.resume/1`.

use serde::{Deserialize, Serialize};

use crate::{LinkRecord, Origin, Point, Record, Sequence};

/// Value of `schema` in an [`Unfinished`].
pub const RESUME_SCHEMA: &str = "farpath.resume/1";

/// The single runs of a stopped run that had ended, and what they are runs of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    /// `farpath.resume/1`.
    pub schema: String,
    /// farpath's version.
    pub version: String,
    /// The commit farpath was built from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The seed of the first repeat.
    pub seed: u64,
    /// SHA-256 of the scenario as it was run, as [`RunDocument`](crate::RunDocument) has it.
    pub scenario_sha256: String,
    /// Options outside the scenario's text that change what its tests give, in order: `--only bulk`.
    pub options: Vec<String>,
    /// What had ended.
    pub runs: Vec<EndedRun>,
}

/// Which single run of a run one is; of a search, all its steps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunOf {
    /// Who answered.
    pub origin: Origin,
    /// The search, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The sweep point.
    pub point: Point,
    /// Number of the repeat, from 0.
    pub repeat: u32,
}

/// A single run that had ended, as its origin gave it: nothing is judged or compared yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndedRun {
    /// Which one it is.
    pub of: RunOf,
    /// Its records.
    pub records: Vec<Record>,
    /// Both directions of every link.
    pub links: Vec<LinkRecord>,
    /// Traces of connections.
    pub sequences: Vec<Sequence>,
}

impl Unfinished {
    /// Reads what [`Unfinished::to_json`] wrote, number for number.
    ///
    /// # Errors
    /// Text that is not JSON of this schema.
    pub fn from_json(text: &str) -> serde_json::Result<Unfinished> {
        serde_json::from_str(text)
    }

    /// All of it as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("map keys are strings")
    }

    /// Why the runs of this are not those of `other`, in words that go on after `it is of`; nothing where they are.
    pub fn differs_from(&self, other: &Unfinished) -> Option<String> {
        let built = |of: &Unfinished| (of.version.clone(), of.commit.clone());
        let options = match self.options.is_empty() {
            true => "a run without options such as --only".to_owned(),
            false => format!("a run with {}", self.options.join(" ")),
        };
        let differences = [
            (
                self.schema != other.schema,
                format!("schema {}", self.schema),
            ),
            (
                built(self) != built(other),
                format!("another build of farpath, {}", self.version),
            ),
            (self.seed != other.seed, format!("seed {}", self.seed)),
            (
                self.scenario_sha256 != other.scenario_sha256,
                "another scenario, or of other values of its keys".to_owned(),
            ),
            (self.options != other.options, options),
        ];
        let mut differences = differences.into_iter();
        differences.find(|(is, _)| *is).map(|(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfinished() -> Unfinished {
        let mut record = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        // No short decimal has the bits of these.
        record.set("goodput_bps", 1e9 / 3.0);
        record.set("rtt_avg_ns", 0.1 + 0.2);
        Unfinished {
            schema: RESUME_SCHEMA.to_owned(),
            version: "0.1.0".to_owned(),
            commit: None,
            seed: 7,
            scenario_sha256: "ab".to_owned(),
            options: Vec::new(),
            runs: vec![EndedRun {
                of: RunOf {
                    origin: Origin::Simulated,
                    search: None,
                    point: [("link.ab.delay".to_owned(), "5 ms".to_owned())].into(),
                    repeat: 3,
                },
                records: vec![record],
                links: Vec::new(),
                sequences: Vec::new(),
            }],
        }
    }

    #[test]
    fn what_is_read_has_the_bits_of_what_was_written() {
        let one = unfinished();
        assert_eq!(Unfinished::from_json(&one.to_json()).ok(), Some(one));
        assert!(Unfinished::from_json("{}").is_err());
    }

    #[test]
    fn runs_of_something_else_are_named() {
        let one = unfinished();
        assert_eq!(one.differs_from(&unfinished()), None);
        let seed = Unfinished {
            seed: 8,
            ..unfinished()
        };
        assert_eq!(seed.differs_from(&one).as_deref(), Some("seed 8"));
        let only = Unfinished {
            options: vec!["--only bulk".to_owned()],
            ..unfinished()
        };
        let said = only.differs_from(&one);
        assert_eq!(said.as_deref(), Some("a run with --only bulk"));
        let commit = Unfinished {
            commit: Some("1a2b3c4d5e6f".to_owned()),
            ..unfinished()
        };
        let said = commit.differs_from(&one).expect("another build");
        assert!(said.contains("build of farpath"), "{said}");
        let text = Unfinished {
            scenario_sha256: "cd".to_owned(),
            ..unfinished()
        };
        let said = text.differs_from(&one).expect("another text");
        assert!(said.contains("another scenario"), "{said}");
    }
}
