//! `farpath lab`: paths between real kernels, for one command or to be used by hand.

#![allow(
    clippy::disallowed_methods,
    reason = "it drives programs in real time and keeps their logs"
)]

mod accept_queue;
mod asleep;
mod at_rest;
mod back;
mod buffer;
mod busiest;
mod bytes;
mod cause;
mod change;
mod closing;
mod connections;
mod control;
mod crossed;
mod datagrams;
mod doubt;
mod ending;
mod failed;
mod held;
mod impaired;
mod inside;
mod judged;
mod limits;
mod list;
mod logs;
mod lost;
mod many;
mod name;
mod named;
mod one_path;
mod one_way;
mod outages;
mod outcomes;
mod packets;
mod path;
mod pool;
mod present;
mod programs;
mod refusals;
mod refused;
mod reports;
mod resolver;
mod run;
mod samples;
mod seen;
mod sender;
mod settings;
mod short_queue;
mod sockets;
mod standing;
mod status;
mod too_soon;
mod totals;
mod unheard;
mod unreached;
mod up;
mod waits;
mod watch;

use std::ffi::OsStr;
use std::process::ExitCode;

use farpath_emu::state::StateError;

pub(crate) use closing::PERCENTILE_LEAST;
pub(crate) use named::NAME;
pub(crate) use outcomes::SCHEMA as RUN_SCHEMA;
pub(crate) use programs::{FAULT, Port};
pub(crate) use run::report_refusal;

use named::{registry, running};
use programs::no_command;

use crate::args::{LabArgs, LabCommand};
use crate::exit::{Exit, Failure, print};
use crate::progress::Bar;
use farpath_experiment::{algorithms, lab};

pub(crate) fn lab(args: &LabArgs) -> Result<ExitCode, Failure> {
    let asked = ask_of(args);
    let of_one_that_is_up = matches!(
        args.command,
        LabCommand::Exec(_) | LabCommand::Set(_) | LabCommand::Status(_) | LabCommand::Down
    );
    match asked {
        // `up` has started none here, and has not failed either.
        Err(_) if of_one_that_is_up && is_not_run(&args.lab) => Ok(Exit::Ok.into()),
        asked => asked,
    }
}

/// Whether no lab of that name is up because this machine can have none, which `FARPATH_LAB=auto` allows; it is said.
fn is_not_run(name: &str) -> bool {
    let up = registry().is_ok_and(|registry| registry.read(name).is_ok());
    !up && matches!(lab::prepare(&mut Bar::new()), Ok(Some(_)))
}

fn ask_of(args: &LabArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        LabCommand::Run(run) if run.print_scenario => Ok(run::show(run)),
        LabCommand::Run(run) => {
            let title =
                "`lab run` takes no --lab: its path has no name, and is gone when the command ends";
            let is_named = args.lab != NAME || run.lab != NAME;
            Ok(run::run(run, is_named.then(|| Failure::usage(title))))
        }
        LabCommand::Up(up) => up::up(&args.lab, up).map(ExitCode::from),
        LabCommand::Exec(exec) => {
            let lab = running(&args.lab)?;
            let host = lab.hosts.iter().find(|(name, _)| *name == exec.host);
            let Some((_, init)) = host else {
                let known: Vec<&str> = lab.hosts.iter().map(|(n, _)| n.as_str()).collect();
                let known = known.join(", ");
                return Err(Failure::usage(format!(
                    "unknown host `{}` in lab `{}`",
                    exec.host, lab.name
                ))
                .hint(format!("its hosts are: {known}")));
            };
            let (program, arguments) = exec.command.split_first().ok_or_else(no_command)?;
            let code = init
                .run(OsStr::new(program), arguments)
                .map_err(Failure::environment)?;
            Ok(ExitCode::from(code.clamp(0, 255) as u8))
        }
        LabCommand::Set(set) => {
            print(&control::ask(
                &args.lab,
                &control::Request::Set(set.changes.clone()),
            )?)?;
            Ok(Exit::Ok.into())
        }
        LabCommand::Status(status) => status::status(&args.lab, status).map(ExitCode::from),
        LabCommand::Ls(ls) => list::list(ls).map(ExitCode::from),
        LabCommand::Down => {
            let registry = registry()?;
            let stopped = registry.stop(&args.lab);
            let is_unknown = matches!(stopped, Err(StateError::Unknown { .. }));
            let has_ended = stopped.is_ok() || is_unknown;
            // One that has ended by itself has left this alone; one that was kept in the foreground has none.
            let removed = has_ended && std::fs::remove_file(registry.log_of(&args.lab)).is_ok();
            registry.leave();
            let bar = &mut Bar::new();
            lab::recover(bar)?;
            algorithms::sweep(bar);
            if !(is_unknown && removed) {
                stopped.map_err(Failure::environment)?;
            }
            print(&format!(
                "lab `{}` is down; nothing of it is left\n",
                args.lab
            ))?;
            Ok(Exit::Ok.into())
        }
    }
}
