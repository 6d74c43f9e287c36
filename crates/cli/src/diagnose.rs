//! `farpath diagnose`: texts of other tools in, what limits each flow out.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary reads the files it is given, with errors that name the path"
)]

use std::io::{IsTerminal, Read};
use std::path::Path;

use farpath_diagnose::{Diagnosis, Known, Source, System, read};

use crate::args::DiagnoseArgs;
use crate::exit::{Exit, Failure, print, print_json};
use crate::value::{maybe, mtu};

mod live;
mod page;

/// Longest file that is read, bytes.
const FILE_MAX: u64 = 256 << 20;

/// What teaches by example where nothing was given.
const LESSON: &str = "save what the tools printed into one file, for example

    $ iperf3 -c HOST -t 30                 on the client
    $ ss -tinm dst HOST                    there, while it runs
    $ ping -c 20 HOST
    $ sysctl net.ipv4.tcp_rmem net.ipv4.tcp_wmem      on both hosts

and run: farpath diagnose ticket.txt --line 1Gbit/s";

pub(crate) fn diagnose(args: &DiagnoseArgs) -> Result<Exit, Failure> {
    let known = known(args)?;
    if let Some(filter) = &args.live {
        let diagnosis = live::live(filter, args, &known)?;
        return shown(&diagnosis, args);
    }
    if args.files.is_empty() && known.measured.is_none() {
        let message = "nothing to diagnose";
        return Err(Failure::usage(message).hint(LESSON));
    }
    let mut sources = Vec::new();
    for file in &args.files {
        sources.push(source(file)?);
    }
    let mut facts = read(&sources);
    if facts.is_empty() && known.measured.is_none() {
        return Err(unreadable(&facts.notes));
    }
    known.tell(&mut facts);
    let diagnosis = farpath_diagnose::diagnose(&facts, env!("CARGO_PKG_VERSION"));
    shown(&diagnosis, args)
}

/// Prints it in the form that is wanted.
fn shown(diagnosis: &Diagnosis, args: &DiagnoseArgs) -> Result<Exit, Failure> {
    match (args.json, args.ticket) {
        (true, _) => print_json(diagnosis)?,
        (_, true) => print(&diagnosis.ticket)?,
        _ => print(&page::page(diagnosis))?,
    }
    Ok(outcome(diagnosis))
}

/// Explained is 0; where any flow's cause is unknown, 1.
fn outcome(diagnosis: &Diagnosis) -> Exit {
    let unknown = diagnosis.flows.iter().any(|f| f.verdict.cause == "unknown");
    if unknown { Exit::Finding } else { Exit::Ok }
}

fn unreadable(notes: &[String]) -> Failure {
    let mut message =
        "nothing in it could be read: no line is one that a known tool prints".to_owned();
    for note in notes {
        message.push_str(&format!("\n{note}"));
    }
    Failure::usage(message).hint(LESSON)
}

fn known(args: &DiagnoseArgs) -> Result<Known, Failure> {
    Ok(Known {
        rtt: maybe("rtt", args.rtt.as_deref())?,
        line: maybe("line", args.line.as_deref())?,
        target: maybe("target", args.target.as_deref())?,
        measured: maybe("measured", args.measured.as_deref())?,
        loss: maybe("loss", args.loss.as_deref())?,
        mtu: args.mtu.as_deref().map(mtu).transpose()?,
        sender: system("sender", args.sender.as_deref())?,
        receiver: system("receiver", args.receiver.as_deref())?,
        cc: args.cc.clone(),
        send_buffer: maybe("send-buffer", args.send_buffer.as_deref())?,
        window: maybe("window", args.window.as_deref())?,
    })
}

fn system(flag: &str, name: Option<&str>) -> Result<Option<System>, Failure> {
    let Some(name) = name else { return Ok(None) };
    System::named(name).map(Some).ok_or_else(|| {
        let all: Vec<&str> = System::NAMES.iter().map(|(n, _)| *n).collect();
        Failure::usage(format!("--{flag} {name}: no such system"))
            .hint(format!("write one of {}", all.join(", ")))
    })
}

fn source(file: &Path) -> Result<Source, Failure> {
    let piped = file.as_os_str() == "-";
    let name = if piped {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    if piped && std::io::stdin().is_terminal() {
        crate::exit::note("paste the text, and end it with Ctrl-D");
    }
    let mut bytes = Vec::new();
    let found = match piped {
        true => std::io::stdin()
            .lock()
            .take(FILE_MAX + 1)
            .read_to_end(&mut bytes),
        false => {
            std::fs::File::open(file).and_then(|f| f.take(FILE_MAX + 1).read_to_end(&mut bytes))
        }
    };
    found.map_err(|e| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name files with what tools printed, or - for standard input")
    })?;
    if bytes.len() as u64 > FILE_MAX {
        let message = format!("{name}: more than {} MiB", FILE_MAX >> 20);
        return Err(Failure::usage(message).hint("give the part that belongs to the ticket"));
    }
    Ok(Source { name, bytes })
}
