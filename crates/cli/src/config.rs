//! `farpath config`: router configuration, checked and written.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary reads the files it is given, with errors that name the path"
)]

mod between;

use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use farpath_config::ccc::snaky::{Router, Snaky};
use farpath_config::{Dialect, Report, Severity, Source, check_with, json, render, sarif};
use farpath_units::Size;
use serde_json::Value;

use crate::args::{ConfigArgs, ConfigCheckArgs, ConfigCommand, FailOn, SnakyArgs, Style};
use crate::exit::{Exit, Failure, has_colours, print};
use crate::lbe;
use crate::output::prepare_file;
use crate::piped::{is_piped, named};
use crate::value::{self, maybe};
use between::Between;

pub(crate) fn config(args: &ConfigArgs) -> Result<Exit, Failure> {
    match &args.command {
        ConfigCommand::Check(args) => check_files(args),
        ConfigCommand::Snaky(args) => snaky(args),
        ConfigCommand::Lbe(args) => lbe::write(args),
    }
}

fn check_files(args: &ConfigCheckArgs) -> Result<Exit, Failure> {
    let mut sources = Vec::new();
    for file in &args.files {
        sources.push(read(file)?);
    }
    let dialect = args.dialect.as_deref().map(value::dialect).transpose()?;
    let options = lbe::options(args)?;
    let report = check_with(&sources, &vec![dialect; sources.len()], &options);
    let memory = maybe::<Size>("memory", args.memory.as_deref())?;
    let path = || Between::of(&report, &sources, &options, memory);
    let shown = if args.json {
        let path = path().map_or_else(Value::default, |p| p.value());
        json::document_with_path(&report, &sources, &path) + "\n"
    } else if args.sarif {
        format!(
            "{:#}\n",
            sarif::log(&report, &sources, env!("CARGO_PKG_VERSION"))
        )
    } else {
        let colour = has_colours(&std::io::stdout());
        let path = path().map_or_else(String::new, |p| p.text(colour));
        render::text(&report, &sources, colour) + &path
    };
    print(&shown)?;
    Ok(outcome(&report, args.fail_on))
}

fn outcome(report: &Report, fail_on: FailOn) -> Exit {
    let threshold = match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    };
    if report.failed() {
        Exit::Usage
    } else if report.worst().is_some_and(|s| s >= threshold) {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

fn read(file: &Path) -> Result<Source, Failure> {
    let (piped, name) = (is_piped(file), named(file));
    let mut bytes = Vec::new();
    let found = match piped {
        true => std::io::stdin().lock().read_to_end(&mut bytes),
        false => std::fs::File::open(file).and_then(|mut f| f.read_to_end(&mut bytes)),
    };
    found.map_err(|e| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name files with the configuration of a router each, or - for standard input")
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::usage(format!("{name}: byte {at} is not UTF-8 text"))
            .hint("save the configuration as text")
    })?;
    Ok(Source { name, text })
}

fn snaky(args: &SnakyArgs) -> Result<Exit, Failure> {
    let tunnel = tunnel(args)?;
    let dialect = match args.style {
        Style::Brace => Dialect::Junos,
        Style::Set => Dialect::JunosSet,
    };
    let texts = tunnel
        .write(dialect)
        .map_err(|e| Failure::usage(format!("snaky tunnel: {e}")))?;
    let named = tunnel.routers.iter().map(|r| r.name.as_str()).zip(texts);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::environment(format!("create folder {}: {e}", folder.display()))
                .hint("choose a place you may write to")
        })?;
        for (name, text) in named {
            prepare_file(&folder.join(format!("{name}.conf")))?.write(text.as_bytes())?;
        }
        print(&(tunnel.expectation().join("\n") + "\n"))?;
    } else {
        // What goes into a file must stay configuration.
        let expected = tunnel.expectation().into_iter().map(|l| format!("# {l}\n"));
        let texts = named.map(|(n, t)| format!("\n# {n}\n{t}"));
        print(&expected.chain(texts).collect::<String>())?;
    }
    Ok(Exit::Ok)
}

fn tunnel(args: &SnakyArgs) -> Result<Snaky, Failure> {
    let (ends, length) = args.addresses.split_once('/').ok_or_else(|| {
        Failure::usage(format!("--addresses {}: no prefix length", args.addresses))
            .hint("write both, and the length: 192.0.2.1,192.0.2.2/30")
    })?;
    let names = pair("--routers", &args.routers)?;
    let core = pair("--core", &args.core)?;
    let access = pair("--access", &args.access)?;
    let addresses = pair("--addresses", ends)?;
    let router = |i: usize| {
        Ok::<_, Failure>(Router {
            name: names[i].to_owned(),
            core: core[i].to_owned(),
            address: parsed("addresses", addresses[i], "192.0.2.1,192.0.2.2/30")?,
            access: access[i].to_owned(),
        })
    };
    Ok(Snaky {
        passes: args.passes,
        routers: [router(0)?, router(1)?],
        prefix: parsed("addresses", length, "192.0.2.1,192.0.2.2/30")?,
        vlan: args.vlan,
        mtu: args.mtu,
        rate: parsed("rate", &args.rate, "10 Gbit/s")?,
    })
}

fn parsed<T: FromStr<Err: Display>>(flag: &str, text: &str, example: &str) -> Result<T, Failure> {
    value::read(flag, text.trim())
        .map_err(|e: Failure| e.hint(format!("write --{flag} \"{example}\"")))
}

/// The two values of `A,B`.
fn pair<'a>(option: &str, text: &'a str) -> Result<[&'a str; 2], Failure> {
    let all: Vec<&str> = text.split(',').map(str::trim).collect();
    <[&str; 2]>::try_from(all).map_err(|all| {
        Failure::usage(format!("{option} {text}: {} values", all.len()))
            .hint(format!("write one for each router: {option} A,B"))
    })
}
