//! packetdrill scripts against the TCP model, in virtual time.
//!
//! [`parse`] reads the public syntax into a [`Script`]; [`run`] plays the script against an
//! [`endpoint::Host`], which makes a whole TCP endpoint of `farpath_tcp`'s sender and receiver, and
//! says in a [`Verdict`] whether it did what the script expects. Nothing in a script is executed:
//! shell lines are read for the settings they make.

mod code;
mod compare;
pub mod endpoint;
mod outcome;
mod run;
mod settings;
mod shell;
mod syntax;
mod tunnel;

pub use outcome::{Difference, Played, Printed, Verdict};
pub use run::{play, run};
pub use settings::Settings;
pub use shell::Files;
pub use syntax::{Action, Event, ParseError, Script, When, parse};
