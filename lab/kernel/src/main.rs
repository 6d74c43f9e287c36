//! The kernel's TCP and the model's over the same path: same rate, delay, queue and lost segment, and
//! how far their congestion windows lie apart. Real time: a case takes as long as it says.
//!
//! `docs/models/kernel.md` has the figures and says what differs and why.

#![allow(
    clippy::disallowed_methods,
    reason = "a program in real time: it reads the clock, waits, and writes files"
)]

mod case;
mod compare;
mod curve;
mod diag;
mod fault;
mod forward;
mod host;
mod hystart;
mod kernel;
mod line;
mod model;
mod packet;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

use case::{CASES, Case, FLAVOURS};
use compare::{Comparison, compare};
use fault::Fault;
use hystart::HyStart;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Compares the TCP model with this machine's kernel.
#[derive(Debug, Parser)]
#[command(name = "farpath-kernel-lab")]
struct Arguments {
    /// Only cases whose name contains this; may be given several times.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Runs of the kernel for each case; with two it is also compared with itself.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=9))]
    repeat: u8,
    /// Where the curves go.
    #[arg(long, value_name = "FOLDER", default_value = "target/lab")]
    out: PathBuf,
    /// Print the scenarios and run nothing.
    #[arg(long)]
    print: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::from(fault.exit())
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Fault> {
    let wanted = |case: &&Case| {
        arguments.only.is_empty() || arguments.only.iter().any(|text| case.name.contains(text))
    };
    let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
    if arguments.print {
        for case in cases {
            println!("{}", case.scenario(FLAVOURS[0]));
        }
        return Ok(ExitCode::SUCCESS);
    }
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
        .map_err(|e| Fault::Environment(format!("catch Ctrl-C: {e}")))?;
    kernel::preflight()?;
    let mut comparisons = Vec::new();
    for case in cases {
        eprintln!("{}: {} x {} s", case.name, arguments.repeat, case.seconds);
        comparisons.push(one(case, arguments.repeat)?);
    }
    report::write(&comparisons, &arguments.out)?;
    println!(
        "{}\n{}",
        report::table(&comparisons),
        report::fidelity(&comparisons)
    );
    let void = comparisons.iter().any(|c| c.fidelity.fault().is_some());
    // A run that measured something else is not a comparison; the command line calls that 4.
    Ok(if void {
        ExitCode::from(4)
    } else {
        ExitCode::SUCCESS
    })
}

fn one(case: &Case, repeat: u8) -> Result<Comparison, Fault> {
    let models = FLAVOURS.map(|flavour| model::run(case, flavour));
    let models = models.into_iter().collect::<Result<Vec<_>, _>>()?;
    let switch = if case.control == "cubic" {
        Some(HyStart::set(case.hystart)?)
    } else {
        None
    };
    let runs = (0..repeat)
        .map(|_| kernel::run(case, &INTERRUPTED))
        .collect::<Result<Vec<_>, _>>();
    drop(switch);
    Ok(compare(case, &runs?, models))
}
