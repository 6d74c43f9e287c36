//! What a shell completes of `--cc`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use farpath_experiment::algorithms;

/// Takes any text, since a kernel may have an algorithm of its own and `bpf:FILE.o` is one, and names those that are known to a shell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyControl;

impl TypedValueParser for AnyControl {
    type Value = String;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(algorithms::names().map(PossibleValue::new)))
    }
}
