//! `farpath`: describe a path once; predict it, simulate it, lay the answers side by side.

mod args;
mod captured;
mod captures;
mod check;
mod compare;
mod completions;
mod config;
mod conformance;
mod diagnose;
mod drafts;
mod exit;
mod figures;
mod host;
mod lab;
mod lbe;
mod left;
mod mistake;
mod new;
mod output;
mod piped;
mod predict;
mod progress;
mod run;
mod scenarios;
mod shell;
mod trace;
mod value;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> std::process::ExitCode {
    farpath_experiment::lab::roles();
    let words: Vec<_> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return mistake::report(error, &words),
    };
    let outcome = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::New(args) => new::new(&args),
        Command::Scenarios(args) => scenarios::list(&args),
        Command::Schema => scenarios::schema(),
        Command::Predict(args) => predict::predict(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Trace(args) => trace::trace(&args),
        Command::Diagnose(args) => diagnose::diagnose(&args),
        Command::Host(args) => host::host(&args),
        Command::Figures(args) => figures::run(&args),
        Command::Config(args) => config::config(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => completions::manual(&args),
        Command::Conformance(args) => conformance::conformance(&args),
        Command::Lab(args) => {
            return match lab::lab(&args) {
                Ok(code) => code,
                Err(failure) => failure.report(),
            };
        }
    };
    match outcome {
        Ok(code) => code.into(),
        Err(failure) => failure.report(),
    }
}
