//! `farpath completions` and `farpath man`: what a shell and `man` know of the command line.

#![allow(
    clippy::disallowed_methods,
    reason = "writes into the folder it was given, naming each file in errors"
)]

use std::fs;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::{Exit, Failure, print};

/// Prints a shell's script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "farpath", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Writes a page for each command: `farpath.1`, `farpath-run.1`, `farpath-lab-run.1`.
pub(crate) fn manual(args: &ManArgs) -> Result<Exit, Failure> {
    let folder = args.folder.display();
    let failed = |e: std::io::Error| {
        Failure::environment(format!("write the manual to {folder}: {e}"))
            .hint("name a folder you may write to")
    };
    fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(failed)?;
    print(&format!("Wrote the manual pages to {folder}.\n"))?;
    Ok(Exit::Ok)
}
