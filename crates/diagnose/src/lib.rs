//! From a ticket to a cause: texts that other tools printed become facts, and facts a verdict.
//!
//! [`read()`] recognises what a text is made of, also where several things were pasted into one, and gives
//! [`Facts`]: a name, a value with its error, whom it is about, and the line it was read in. [`diagnose`] makes of
//! them, for each flow, every ceiling beside the measured rate, the cause with its confidence, what is missing and
//! what to change. Connections of captures join them as [`Facts::capture`]. Nothing here opens a file or a socket, and a line
//! that is not understood is counted and left.

mod account;
mod advice;
mod asking;
mod besides;
mod captured;
mod cause;
mod ceiling;
mod complaint;
mod contradicted;
mod document;
mod evidence;
mod fact;
mod figures;
mod flows;
mod history;
mod host;
mod hosts;
mod infer;
mod interfaces;
mod items;
mod known;
mod lines;
mod losses;
mod missing;
mod names;
mod observed;
mod part;
mod paths;
mod ports;
mod programs;
mod reach;
mod read;
mod redact;
mod seen;
mod series;
mod shares;
mod signs;
mod target;
mod ticket;
mod twin;
mod user;
mod verdict;
mod weights;
mod windows;
mod words;

pub use account::Account;
pub use cause::Cause;
pub use complaint::is_beside;
pub use document::{
    Ceiling, Change, Contradiction, Diagnosis, FlowReport, MissingFact, Observed, Piece, Ranked,
    Stream, Then, VerdictReport, Verify,
};
pub use fact::{Fact, Figure, Of, Place, Value};
pub use history::{Change as RateChange, History, shown};
pub use host::{
    Congestion, HostCeiling, HostPath, HostReport, HostVerdict, How, PathAsked, RateAt, Way, judge,
};
pub use known::System;
pub use read::{Facts, LiveFlow, LiveRow, Source, read};
pub(crate) use redact::address;
pub use redact::redact;
pub use seen::{End, Report, Side, Test};
pub use twin::{NoTwin, Run, Twin, twin};
pub use user::Known;
pub use verdict::{Unfitted, diagnose, unfitted};
