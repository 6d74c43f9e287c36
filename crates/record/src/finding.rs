//! Findings: what is wrong or worth knowing, by which rule, where it shows, what to do about it.
//!
//! One type for all that judges: checks of configurations, diagnoses, records. Rules stand in tables
//! made with [`rules!`](crate::rules!).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Origin;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// It works, and probably not as meant.
    Warning,
    /// It cannot work as it is.
    Error,
}

impl Severity {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A check, by its stable id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `CCC003`: never given to another check.
    pub id: &'static str,
    /// The severity its findings usually have.
    pub severity: Severity,
    /// A few words: "tail mismatch".
    pub title: &'static str,
    /// Why it matters, in a sentence or two.
    pub explanation: &'static str,
}

/// One thing a check found; `P` says where, a [`Location`] unless the checker has a form of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding<P = Location> {
    /// The id of its rule.
    pub rule: Cow<'static, str>,
    /// How bad it is here.
    pub severity: Severity,
    /// What is wrong here, with names and figures.
    pub text: String,
    /// Where it shows; the place of the fault comes first.
    pub evidence: Vec<Evidence<P>>,
    /// What to do instead, one line each.
    pub remedies: Vec<String>,
}

/// A place that has to do with a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence<P = Location> {
    /// What it is to the finding.
    #[serde(default, skip_serializing_if = "Role::is_fault")]
    pub role: Role,
    /// What is there, in a few words: "defined here"; empty for a fault and a doubt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Where.
    #[serde(flatten)]
    pub place: P,
}

/// What a place is to a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The fault itself.
    #[default]
    Fault,
    /// It has to do with the fault.
    Related,
    /// It was not understood, and the finding may depend on it.
    Doubt,
}

impl Role {
    fn is_fault(&self) -> bool {
        *self == Role::Fault
    }
}

/// A place for people to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Location {
    /// Of a text.
    Text {
        /// Name of the file, as the user gave it.
        source: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The line, or its first 200 characters.
        excerpt: String,
    },
    /// Of a record.
    Record {
        /// Where the record comes from.
        origin: Origin,
        /// Its test.
        test: String,
        /// Its sweep point.
        point: BTreeMap<String, String>,
        /// The metric.
        metric: String,
    },
}

impl<P> Finding<P> {
    /// A finding of `rule` at its usual severity.
    pub fn new(rule: &Rule, text: String, place: P, remedies: Vec<String>) -> Finding<P> {
        let mut finding = Finding {
            rule: Cow::Borrowed(rule.id),
            severity: rule.severity,
            text,
            evidence: Vec::new(),
            remedies,
        };
        finding.add(Role::Fault, place, "");
        finding
    }

    fn add(&mut self, role: Role, place: P, note: &str) {
        let note = note.to_owned();
        self.evidence.push(Evidence { role, note, place });
    }

    /// Names a place that has to do with it.
    pub fn relate(&mut self, place: P, note: &str) {
        self.add(Role::Related, place, note);
    }

    /// Names places nobody understood that it may depend on: with any, it is uncertain.
    pub fn doubt(&mut self, places: impl IntoIterator<Item = P>) {
        for place in places {
            self.add(Role::Doubt, place, "");
        }
    }

    /// The places with this role.
    pub fn with(&self, role: Role) -> impl Iterator<Item = &Evidence<P>> {
        self.evidence.iter().filter(move |e| e.role == role)
    }

    /// Whether it may depend on what nobody understood.
    pub fn is_uncertain(&self) -> bool {
        self.with(Role::Doubt).next().is_some()
    }

    /// The same, each place said another way.
    pub fn located<Q>(&self, mut to: impl FnMut(&P) -> Q) -> Finding<Q> {
        let evidence = self.evidence.iter().map(|e| Evidence {
            role: e.role,
            note: e.note.clone(),
            place: to(&e.place),
        });
        Finding {
            rule: self.rule.clone(),
            severity: self.severity,
            text: self.text.clone(),
            evidence: evidence.collect(),
            remedies: self.remedies.clone(),
        }
    }
}

/// Makes a static [`Rule`](crate::Rule) of each row, named by its id, and a list of them all.
///
/// ```
/// farpath_record::rules! {
///     /// Every check of lamps.
///     pub LAMPS:
///     LAMP001 Error "dark" "a lamp without current gives no light";
/// }
/// assert_eq!((LAMPS[0].id, LAMP001.title), ("LAMP001", "dark"));
/// ```
#[macro_export]
macro_rules! rules {
    ($(#[$doc:meta])* $vis:vis $all:ident: $($id:ident $severity:ident $title:literal $why:literal;)*) => {
        $(pub(crate) static $id: $crate::Rule = $crate::Rule {
            id: stringify!($id),
            severity: $crate::Severity::$severity,
            title: $title,
            explanation: $why,
        };)*

        $(#[$doc])*
        $vis static $all: &[&$crate::Rule] = &[$(&$id),*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    rules! {
        /// One.
        LAMPS:
        LAMP001 Warning "dim" "a lamp with little current gives little light";
    }

    #[test]
    fn a_finding_comes_back_from_json() {
        let text = Location::Text {
            source: "r1.conf".to_owned(),
            line: 3,
            column: 5,
            excerpt: "    lamp;".to_owned(),
        };
        let record = Location::Record {
            origin: Origin::Measured,
            test: "bulk".to_owned(),
            point: BTreeMap::from([("link.a.rate".to_owned(), "1 Gbit/s".to_owned())]),
            metric: "goodput_bps".to_owned(),
        };
        let mut finding = Finding::new(LAMPS[0], "it is dim".to_owned(), text.clone(), Vec::new());
        finding.relate(record, "as measured");
        assert!(!finding.is_uncertain());
        finding.doubt([text]);
        assert!(finding.is_uncertain());
        let json = serde_json::to_string(&finding).expect("it has names for keys");
        assert_eq!(
            json,
            r#"{"rule":"LAMP001","severity":"warning","text":"it is dim","evidence":[{"source":"r1.conf","line":3,"column":5,"excerpt":"    lamp;"},{"role":"related","note":"as measured","origin":"measured","test":"bulk","point":{"link.a.rate":"1 Gbit/s"},"metric":"goodput_bps"},{"role":"doubt","source":"r1.conf","line":3,"column":5,"excerpt":"    lamp;"}],"remedies":[]}"#
        );
        assert_eq!(
            serde_json::from_str::<Finding>(&json).expect("the same"),
            finding
        );
    }

    #[test]
    fn severities_rise() {
        assert!(Severity::Info < Severity::Warning && Severity::Warning < Severity::Error);
    }
}
