//! `farpath diagnose`: texts of other tools, captures and records in, what limits each flow out.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary reads the files it is given, with errors that name the path"
)]

use std::fs::File;
use std::io::{Cursor, IsTerminal, Read};
use std::path::Path;

use farpath_diagnose::{Diagnosis, Facts, Known, NoTwin, Source, System, Verify, is_beside, read};
use farpath_trace::Analysis;

use crate::args::DiagnoseArgs;
use crate::exit::{Exit, Failure, print, print_json};
use crate::new::{create, wrote};
use crate::piped::{is_piped, named};
use crate::value::{maybe, mtu};

mod live;
mod page;
mod twin;
mod verified;

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
    let no_lab = twin::prepare(args)?;
    if let Some(filter) = &args.live {
        let diagnosis = live::live(filter, args, &known)?;
        return shown(&diagnosis, args);
    }
    if args.files.is_empty() && known.measured.is_none() {
        let message = "nothing to diagnose";
        return Err(Failure::usage(message).hint(LESSON));
    }
    let (mut texts, mut captures) = (Vec::new(), Vec::new());
    for file in &args.files {
        match given(file)? {
            Given::Text(source) => texts.push(source),
            Given::Capture(name, analysis) => captures.push((name, analysis)),
        }
    }
    let mut facts = read(&texts);
    for (name, analysis) in &captures {
        facts.capture(name, analysis);
    }
    drop(captures);
    if facts.is_empty() && known.measured.is_none() {
        return Err(unreadable(&facts));
    }
    known.tell(&mut facts);
    let mut diagnosis = farpath_diagnose::diagnose(&facts, env!("CARGO_PKG_VERSION"));
    if args.scenario.is_some() || args.verify || args.flow.is_some() {
        twin_of(args, &facts, &mut diagnosis, no_lab)?;
    }
    shown(&diagnosis, args)
}

/// Prints it in the form that is wanted.
fn shown(diagnosis: &Diagnosis, args: &DiagnoseArgs) -> Result<Exit, Failure> {
    match (args.json, args.ticket) {
        (true, _) => print_json(diagnosis)?,
        (_, true) => print(&diagnosis.ticket)?,
        _ => print(&page::page(diagnosis))?,
    }
    if let (Some(path), false, false) = (&args.scenario, args.json, args.ticket) {
        print(&wrote(path))?;
    }
    Ok(outcome(diagnosis))
}

/// The twin of the flow of this number, from 1: written, and run beside what was measured.
fn twin_of(
    args: &DiagnoseArgs,
    facts: &Facts,
    diagnosis: &mut Diagnosis,
    no_lab: Option<String>,
) -> Result<(), Failure> {
    let flow = args.flow.unwrap_or(1);
    // What is not a transfer stands behind all flows, and has no twin.
    let count = diagnosis.flows.iter().filter(|f| !f.unrated).count();
    let number = flow.checked_sub(1).filter(|n| *n < count);
    let Some(report) = number.and_then(|n| diagnosis.flows.get_mut(n)) else {
        return Err(twin::none(NoTwin::NoFlow { count }, flow));
    };
    let made = match farpath_diagnose::twin(facts, flow - 1) {
        Ok(made) => made,
        // What was asked for with --verify is the diagnosis all the same.
        Err(why) if args.scenario.is_none() => {
            if args.verify {
                report.verify = Some(Verify::impossible(why));
            }
            return Ok(());
        }
        Err(why) => return Err(twin::none(why, flow)),
    };
    if let Some(path) = &args.scenario {
        create(path, &made.scenario)?;
    }
    if args.verify {
        report.verify = Some(twin::verify(&made, args.emulate, no_lab)?);
    }
    Ok(())
}

/// Explained is 0; where any flow's cause is unknown that does not just stand beside an explained one, or a twin does not agree, 1.
fn outcome(diagnosis: &Diagnosis) -> Exit {
    let flows = &diagnosis.flows;
    let doubted = |v: &Verify| v.agrees == Some(false);
    let mut each = flows.iter().enumerate();
    let unknown = each.any(|(n, f)| {
        let open = f.verdict.cause == "unknown" && !is_beside(flows, n);
        open || f.verify.as_ref().is_some_and(doubted)
    });
    if unknown { Exit::Finding } else { Exit::Ok }
}

fn unreadable(facts: &Facts) -> Failure {
    let mut tools: Vec<&str> = facts.pieces.iter().map(|p| p.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut message = match tools.is_empty() {
        true => "nothing in it could be read: no line is one that a known tool prints".to_owned(),
        false => format!(
            "what was read ({}) says nothing of a path or a host that bears on a rate",
            tools.join(", ")
        ),
    };
    for note in &facts.notes {
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

/// A text, or what a capture says.
enum Given {
    Text(Source),
    Capture(String, Box<Analysis>),
}

/// Reads a file, or standard input: a capture by its first bytes, all else as text.
fn given(file: &Path) -> Result<Given, Failure> {
    let (piped, name) = (is_piped(file), named(file));
    if piped && std::io::stdin().is_terminal() {
        crate::exit::note("paste the text, and end it with Ctrl-D");
    }
    let unread = |e: std::io::Error| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name files with what tools printed, captures, or - for standard input")
    };
    let (mut from, length): (Box<dyn Read>, u64) = match piped {
        true => (Box::new(std::io::stdin().lock()), 0),
        false => {
            let file = File::open(file).map_err(unread)?;
            let length = file.metadata().map_or(0, |m| m.len());
            (Box::new(file), length)
        }
    };
    let mut head = Vec::new();
    from.by_ref()
        .take(4)
        .read_to_end(&mut head)
        .map_err(unread)?;
    let is_capture = farpath_trace::is_capture(&head);
    let mut whole = Cursor::new(head).chain(from);
    if is_capture {
        let analysis = crate::trace::read_one(&name, Box::new(whole), length)?;
        return Ok(Given::Capture(name, Box::new(analysis)));
    }
    let mut bytes = Vec::new();
    whole
        .by_ref()
        .take(FILE_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unread)?;
    if bytes.len() as u64 > FILE_MAX {
        let message = format!("{name}: more than {} MiB", FILE_MAX >> 20);
        return Err(Failure::usage(message).hint("give the part that belongs to the ticket"));
    }
    Ok(Given::Text(Source { name, bytes }))
}
