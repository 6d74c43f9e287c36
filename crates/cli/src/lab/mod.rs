//! `farpath lab`: paths between real kernels, for one command or to be used by hand.

#![allow(
    clippy::disallowed_methods,
    reason = "it drives programs in real time and keeps their logs"
)]

mod connections;
mod control;
mod one_path;
mod run;
mod status;
mod up;

use std::ffi::OsStr;
use std::process::ExitCode;

use farpath_emu::state::Registry;

use crate::args::{LabArgs, LabCommand};
use crate::exit::{Exit, Failure, print};

pub(crate) fn lab(args: &LabArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        LabCommand::Run(run) => Ok(run::run(run)),
        LabCommand::Up(up) => up::up(&args.lab, up).map(ExitCode::from),
        LabCommand::Exec(exec) => {
            let lab = registry()?.read(&args.lab).map_err(environment)?;
            let host = lab.hosts.iter().find(|(name, _)| *name == exec.host);
            let Some((_, init)) = host else {
                let known: Vec<&str> = lab.hosts.iter().map(|(n, _)| n.as_str()).collect();
                let known = known.join(", ");
                return Err(Failure::usage(format!(
                    "`{}` is no host of lab `{}`",
                    exec.host, lab.name
                ))
                .hint(format!("its hosts are: {known}")));
            };
            let (program, arguments) = exec.command.split_first().ok_or_else(no_command)?;
            let code = init
                .run(OsStr::new(program), arguments)
                .map_err(environment)?;
            Ok(ExitCode::from(code.clamp(0, 255) as u8))
        }
        LabCommand::Set(set) => {
            print(&control::ask(
                &args.lab,
                &control::Request::Set(set.change.clone()),
            )?)?;
            Ok(Exit::Ok.into())
        }
        LabCommand::Status(status) => status::status(&args.lab, status).map(ExitCode::from),
        LabCommand::Down => {
            let registry = registry()?;
            registry.stop(&args.lab).map_err(environment)?;
            // A lab that was kept in the foreground has none.
            drop(std::fs::remove_file(
                registry.folder().join(format!("{}.log", args.lab)),
            ));
            print(&format!(
                "lab `{}` is down; nothing of it is left\n",
                args.lab
            ))?;
            Ok(Exit::Ok.into())
        }
    }
}

fn no_command() -> Failure {
    Failure::usage("no command given").hint("farpath lab exec HOST -- ping -c 3 OTHER")
}

fn registry() -> Result<Registry, Failure> {
    Registry::open().map_err(environment)
}

fn environment(e: impl std::fmt::Display) -> Failure {
    Failure::environment(e.to_string())
}
