//! What came of checking some configuration files.

use std::collections::BTreeSet;

use crate::ccc::{Circuit, Hop};
use crate::dialect::Dialect;
use crate::finding::{Finding, Severity, place};
use crate::junos::model::Router;
use crate::neighbor::Neighbor;
use crate::platform::Platform;
use crate::qos::Device;
use crate::source::{Place, Source};

/// Why a text, or a part of it, could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it went wrong.
    pub place: Place,
    /// What is wrong there.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// Something a configuration gives a name to, or calls by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// What it is: "label-switched-path", "policy-map".
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where it is defined or referred to.
    pub place: Place,
}

/// How much of a file was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    Passed,
    /// It could be read, and some statements are not known.
    PartiallyUnrecognised,
    /// It could not be read to the end as it is meant.
    Failed,
}

impl Status {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Passed => "PASSED",
            Status::PartiallyUnrecognised => "PARTIALLY_UNRECOGNISED",
            Status::Failed => "FAILED",
        }
    }

    /// The same in words: of the reading, not of what was found.
    pub const fn words(self) -> &'static str {
        match self {
            Status::Passed => "read whole",
            Status::PartiallyUnrecognised => "read in part",
            Status::Failed => "not read to its end",
        }
    }
}

/// One file: what was read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// As the user named it.
    pub name: String,
    /// The language it was read in.
    pub dialect: Dialect,
    /// Whether it is of none that is read, and was refused for that.
    pub foreign: bool,
    /// The machine it is for, of IOS texts.
    pub platform: Option<Platform>,
    /// What could not be read.
    pub faults: Vec<Fault>,
    /// Statements that were understood.
    pub recognised: usize,
    /// Statements that were not.
    pub unrecognised: Vec<Place>,
    /// Statements that were understood, make no difference to a run, and have no finding of their own.
    pub without_effect: Vec<Place>,
    /// What the file defines.
    pub defined: Vec<Structure>,
    /// What it refers to and nothing defines.
    pub undefined: Vec<Structure>,
    /// What it defines and nothing refers to.
    pub unused: Vec<Structure>,
}

impl FileReport {
    /// The name of its language in results.
    pub fn language(&self) -> &'static str {
        match self.foreign {
            true => "unknown",
            false => self.dialect.name(),
        }
    }

    /// How much of it was understood.
    pub fn status(&self) -> Status {
        if !self.faults.is_empty() {
            Status::Failed
        } else if self.unrecognised.is_empty() {
            Status::Passed
        } else {
            Status::PartiallyUnrecognised
        }
    }
}

/// All files: what was read, and what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// In the order they were given; a [`Place`]'s file is a number in this list.
    pub files: Vec<FileReport>,
    /// Ordered by file and place.
    pub findings: Vec<Finding>,
    /// The Junos routers, in the order of their files; a circuit names them by number.
    pub routers: Vec<Router>,
    /// The IOS and CatOS devices, in the order of their files.
    pub devices: Vec<Device>,
    /// The circuits between the routers.
    pub circuits: Vec<Circuit>,
    /// Both directions of every link between the routers: two interfaces in one subnet.
    pub hops: Vec<Hop>,
    /// What listings of neighbours say, in the order of their files.
    pub neighbors: Vec<Neighbor>,
}

impl Report {
    /// A report on files that are not checked yet; where no dialect is given, it is detected from the text.
    pub(crate) fn new(sources: &[Source], dialects: &[Option<Dialect>]) -> Report {
        let file = |(i, source): (usize, &Source)| FileReport {
            name: source.name.clone(),
            dialect: dialects
                .get(i)
                .copied()
                .flatten()
                .unwrap_or_else(|| Dialect::detect(&source.text)),
            foreign: false,
            platform: None,
            faults: Vec::new(),
            recognised: 0,
            unrecognised: Vec::new(),
            without_effect: Vec::new(),
            defined: Vec::new(),
            undefined: Vec::new(),
            unused: Vec::new(),
        };
        Report {
            files: sources.iter().enumerate().map(file).collect(),
            findings: Vec::new(),
            routers: Vec::new(),
            devices: Vec::new(),
            circuits: Vec::new(),
            hops: Vec::new(),
            neighbors: Vec::new(),
        }
    }

    /// The numbers of the files in one of these dialects; not of those that were refused before they were read.
    pub(crate) fn files_in(&self, dialects: &[Dialect]) -> Vec<usize> {
        let wanted = |i: &usize| {
            let file = &self.files[*i];
            dialects.contains(&file.dialect) && file.faults.is_empty()
        };
        (0..self.files.len()).filter(wanted).collect()
    }

    /// Refuses file `number` of another system, by its name where that shows, and one that is of no language that is read.
    pub(crate) fn refuse_foreign(&mut self, number: usize, text: &str) {
        let message = match crate::foreign::system(text) {
            Some(system) => format!("this is a configuration of {system}, which is not read"),
            None if Dialect::is_unknown(text) => {
                "this is in no language that is read: no line is one of a configuration".to_owned()
            }
            None => return,
        };
        let file = &mut self.files[number];
        file.foreign = true;
        file.faults.push(Fault {
            place: Place {
                file: number,
                span: 0..text.find('\n').unwrap_or(text.len()),
            },
            message,
            remedy: "junos, ios and catos are; --dialect says that it is one of them".to_owned(),
        });
    }

    /// Says of files of which nothing is understood that they cannot be what is meant.
    pub(crate) fn refuse_empty(&mut self) {
        for (number, file) in self.files.iter_mut().enumerate() {
            if file.recognised > 0 || !file.faults.is_empty() {
                continue;
            }
            let start = Place {
                file: number,
                span: 0..0,
            };
            let first = file.unrecognised.iter().min_by_key(|p| p.span.start);
            file.faults.push(Fault {
                place: first.unwrap_or(&start).clone(),
                message: match first {
                    Some(_) => "nothing in this file is understood",
                    None => "there is no statement in this file",
                }
                .to_owned(),
                remedy: match first {
                    Some(_) => {
                        "see that whatever fetched it has succeeded; --dialect says what it is"
                    }
                    None => "see that whatever fetched it has succeeded",
                }
                .to_owned(),
            });
        }
    }

    /// Takes what a finding is about from the statements without effect: a check has a use for it. Of hosts all of them stay, for none has
    /// an effect.
    fn keep_idle(&mut self) {
        let starts = self.findings.iter().map(place);
        let found: BTreeSet<(usize, usize)> = starts.map(|p| (p.file, p.span.start)).collect();
        let is_found = |p: &Place| {
            let [start, end] = [p.span.start, p.span.end.max(p.span.start)].map(|at| (p.file, at));
            found.range(start..end).next().is_some()
        };
        let files = self.files.iter_mut();
        for file in files.filter(|f| f.dialect != Dialect::Hosts) {
            file.without_effect.retain(|p| !is_found(p));
        }
    }

    /// Orders what was found by file and place, faults too.
    pub(crate) fn sort(&mut self) {
        self.keep_idle();
        for file in &mut self.files {
            file.faults.sort_by_key(|f| f.place.span.start);
            file.unrecognised.sort_by_key(|p| p.span.start);
            // What a group or a range brings to several places is one statement.
            file.without_effect.sort_by_key(|p| p.span.start);
            file.without_effect.dedup();
        }
        let order = |f: &Finding| (place(f).file, place(f).span.start);
        self.findings
            .sort_by(|a, b| (order(a), &a.rule).cmp(&(order(b), &b.rule)));
    }

    /// Whether any file could not be read.
    pub fn failed(&self) -> bool {
        self.files.iter().any(|f| f.status() == Status::Failed)
    }

    /// The gravest severity found with certainty; `None` if nothing was.
    pub fn worst(&self) -> Option<Severity> {
        let certain = self.findings.iter().filter(|f| !f.is_uncertain());
        certain.map(|f| f.severity).max()
    }
}
