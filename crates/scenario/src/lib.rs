//! Text in, typed [`Scenario`] out, with errors that name file, line, cause and remedy.
//!
//! ```
//! use farpath_scenario::{Set, load, parse};
//!
//! let source = load("cern-snaky/five-passes").expect("it is shipped");
//! let scenario = parse(&source, &[Set::new("scenario.seed", "7")]).expect("it is right");
//! assert_eq!((scenario.name.as_str(), scenario.seed), ("snaky-ccc", 7));
//! ```
//!
//! The format is one table of keys ([`schema`], [`reference`](fn@reference) and `--set` read it too);
//! `docs/reference/scenario.md` prints it.

mod aqm;
mod arrivals;
mod atm;
mod bare;
mod bundle;
mod choice;
mod code;
mod columns;
mod conditioning;
mod configured;
mod congestion;
mod decode;
mod diagnostic;
mod document;
mod event;
mod expect;
mod flat;
mod forecast;
mod idle;
mod impair;
mod key;
mod kind;
mod literal;
mod managed;
mod metric;
mod model;
mod mpls;
mod named;
mod names;
mod network;
mod network_kind;
mod observed;
mod other_word;
mod pace;
pub mod plan;
mod quantity;
mod queueing;
mod reach;
mod recovery;
mod reference;
mod replay;
#[cfg(test)]
mod routed;
mod schema;
mod search;
mod sections;
mod set;
mod signal;
mod sought;
mod source;
mod stack;
mod starts;
mod sweep;
mod syntax;
mod table;
mod template;
mod trace;
mod traffic;
mod unitless;
mod writer;

pub use arrivals::arrivals;
pub use atm::{CellContract, CellDiscard, CellPolicer, CellQueue, Cells};
pub use configured::{Stated, Wired, wired};
pub use diagnostic::{Diagnostic, Diagnostics, Place, nearest};
pub use document::{Document, parse};
pub use flat::keys_of;
pub use forecast::{
    buffer_note, forecast, full_segment, law_place, meet, round_shares, tiny_queues,
};
pub use managed::{managers, with_managers, without_managers};
pub use model::*;
pub use pace::Pace;
pub use reference::reference;
pub use schema::schema;
pub use set::{NoValue, Set};
pub use source::{Shipped, Source, SourceError, load, load_expectations, shipped};
pub use sweep::SweepPoint;
pub use template::template;
pub use writer::{Writer, Written};
