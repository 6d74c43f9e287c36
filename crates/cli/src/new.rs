//! `farpath new`: a commented scenario to start from.

#![allow(
    clippy::disallowed_methods,
    reason = "writes the one file it was asked for, naming it in errors"
)]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use farpath_scenario::template;

use crate::args::NewArgs;
use crate::exit::{Exit, Failure, print};

pub(crate) fn new(args: &NewArgs) -> Result<Exit, Failure> {
    let Some(path) = args.file.as_ref().filter(|f| f.as_os_str() != "-") else {
        print(template())?;
        return Ok(Exit::Ok);
    };
    create(path, template())?;
    print(&wrote(path))?;
    Ok(Exit::Ok)
}

/// Writes a scenario; a file that is there stays as it is.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        let failure =
            Failure::usage("-: a scenario is not written to standard output beside other text");
        return Err(failure.hint("name a file"));
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|e| {
            let failure = Failure::environment(format!("create {}: {e}", path.display()));
            match e.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    failure.hint("choose another name: nothing is overwritten")
                }
                _ => failure.hint("choose a place you may write to"),
            }
        })?;
    file.write_all(text.as_bytes())
        .map_err(|e| Failure::environment(format!("write {}: {e}", path.display())))
}

/// What is said once a scenario is written.
pub(crate) fn wrote(path: &Path) -> String {
    format!(
        "Wrote {0}.\nNext:  farpath check {0}  and  farpath run {0}\n",
        path.display()
    )
}
