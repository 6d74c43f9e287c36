//! The one result type, for every origin: predicted, simulated, emulated, measured, captured; its
//! JSON and CSV; traces of connections; the judging of expectations; statistics over repeats, and comparison;
//! findings: what is wrong or worth knowing, by which rule, with its evidence.

mod certificate;
pub mod compare;
mod compared;
mod count;
mod document;
mod expect;
mod finding;
mod judge;
mod kinds;
mod link;
mod measured;
mod notes;
mod number;
pub mod page;
mod point;
mod present;
pub mod quantity;
mod range;
mod ranks;
mod read;
mod repeats;
mod results;
mod schema;
mod seen;
mod sequence;
mod stated;
pub mod statistics;
mod stopped;
pub mod survey;
pub mod swept;
mod taken;
mod times;
pub mod trace;
mod unfinished;
mod zero;

pub use certificate::Certificate;
pub use count::count_of;
pub use document::{CLOCK_ENDS, RECORD_SCHEMA, RUN_SCHEMA};
pub use expect::Expect;
pub use finding::{Evidence, Finding, Location, Role, Rule, Severity};
pub use judge::{judge, unmeasured};
pub use kinds::{Kind, kinds_words, two_kinds};
pub use link::{DROP_REASONS, link_metric};
pub use notes::{
    FEW_LOSSES, FOREIGN, Label, NOT_FOLLOWED, ONE_RUN, WAS_DOWN, in_one, record_notes,
    record_notes_of,
};
pub use point::{KeyName, Keys, Point, points_words};
pub use read::{ReadError, read};
pub use repeats::{MetricSummary, Repeats, is_nothing};
pub use results::{Results, counting, median};
pub use schema::*;
pub use seen::{Missing, Seen};
pub use sequence::{Sequence, SequenceBurst, SequenceKind};
pub use stated::unstated_at;
pub use stopped::{Done, INTERRUPTED, Stopped};
pub use taken::{EvidenceQuality, Host, Route, RouteHop, Taken, Uncertainty};
pub use times::Times;
pub use unfinished::{EndedRun, RESUME_SCHEMA, RunOf, Unfinished};
pub use zero::ABSENT_IS_ZERO;
