//! The engine of a run: what a scenario's points give, from every origin that is asked.
//!
//! It has no terminal, no files and no exit codes: it tells [`Progress`] how far it is and returns [`Fault`]s,
//! each with its remedy and whose it is to mend.
//!
//! ```
//! use farpath_experiment::{Experiment, Request, Silent};
//!
//! let mut request = Request::new("cern-snaky/one-pass");
//! request.only = vec!["ping-folded".to_owned()];
//! let outcome = Experiment::new(request)?.run(None, &mut Silent)?;
//! assert!(outcome.document.expectations.iter().all(|e| e.pass));
//! # Ok::<(), farpath_experiment::Fault>(())
//! ```

pub mod algorithms;
pub mod beside;
mod emulate;
mod experiment;
mod fault;
mod jobs;
mod kinds;
pub mod lab;
mod laws;
pub mod live;
mod loaded;
mod losses;
mod memory;
pub mod origin;
mod origins;
mod page;
mod planned;
mod predict;
mod probes;
mod progress;
mod records;
mod request;
mod resume;
mod search;
mod sequence;
mod simulate;
mod spread;
pub mod tap;
mod unset;
mod unvaried;

pub use experiment::{Experiment, Outcome, Part};
pub use fault::{Class, Fault, Faults};
pub use loaded::{Files, Loaded, open};
pub use planned::{Hosts, Planned, plan_jobs};
pub use progress::{Progress, Silent};
pub use records::{Paths, records};
pub use request::Request;
pub use spread::spread;
