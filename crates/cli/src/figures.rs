//! `farpath figures`: the figures of a run's page as files.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are read and written here, with errors that name the path"
)]

use std::fs;

use farpath_report::figures::{Bars, Figure, FiguresError, Log, Look, figures};
use farpath_units::Duration;

use crate::args::{self, FiguresArgs};
use crate::exit::{Exit, Failure, print};
use crate::output::prepare_file;
use crate::value::maybe;

pub(crate) fn run(args: &FiguresArgs) -> Result<Exit, Failure> {
    let report = match args.run.is_dir() {
        true => args.run.join("report.json"),
        false => args.run.clone(),
    };
    let name = report.display();
    let text = fs::read_to_string(&report).map_err(|e| {
        Failure::usage(format!("read {name}: {e}"))
            .hint("name a folder written by `farpath run --out`, or the report.json in it")
    })?;
    let drawn = figures(&text, &look(args)?).map_err(|error| match error {
        FiguresError::Refused(why) => {
            Failure::usage(format!("{}: {why}", asked(args))).hint(REMEDY)
        }
        FiguresError::NoScript => Failure::environment(error.to_string())
            .hint("`make build` in the repository builds it whole"),
        FiguresError::Drawing(why) => Failure::usage(format!("{name}: {why}"))
            .hint("name a folder written by `farpath run --out`, or the report.json in it"),
    })?;
    if drawn.iter().all(|f| f.svg.is_empty()) {
        return Err(nothing(args, &drawn));
    }
    let beside = report.with_file_name("figures");
    let folder = args.into.as_deref().unwrap_or(&beside);
    fs::create_dir_all(folder).map_err(|e| {
        Failure::environment(format!("create folder {}: {e}", folder.display()))
            .hint("choose a place you may write to")
    })?;
    let mut count: usize = 0;
    for figure in drawn.iter().filter(|f| !f.svg.is_empty()) {
        let path = folder.join(format!("{}.svg", figure.name));
        prepare_file(&path)?.write(figure.svg.as_bytes())?;
        count += 1;
    }
    let plural = if count == 1 { "" } else { "s" };
    let fewer = match count > MANY && args.name.is_none() {
        true => ": `--name TEXT` writes those with that in their name, such as goodput",
        false => "",
    };
    print(&format!(
        "{count} figure{plural} in {}{fewer}\n",
        folder.display()
    ))?;
    Ok(Exit::Ok)
}

/// What of the arguments a run may not have.
fn asked(args: &FiguresArgs) -> String {
    let options = [
        ("--from", &args.from),
        ("--to", &args.to),
        ("--x-range", &args.x_range),
        ("--y-range", &args.y_range),
    ];
    let given = options
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)));
    let renamed = args.rename.iter().map(|pair| format!("--rename '{pair}'"));
    let laws = args.law.iter().map(|law| format!("--law {law}"));
    given
        .chain(renamed)
        .chain(laws)
        .collect::<Vec<_>>()
        .join(" ")
}

const REMEDY: &str = "`farpath figures RUN` without these options draws all there is; axes and ends can be read there";

fn look(args: &FiguresArgs) -> Result<Look, Failure> {
    let seconds = |flag: &str, text: &Option<String>| -> Result<Option<f64>, Failure> {
        Ok(maybe::<Duration>(flag, text.as_deref())?.map(Duration::as_secs_f64))
    };
    let (from, to) = (seconds("from", &args.from)?, seconds("to", &args.to)?);
    if let (Some(low), Some(high)) = (from, to)
        && low >= high
    {
        return Err(
            Failure::usage(format!("{}: no time is between them", asked(args)))
                .hint("--from is the earlier one: --from 2s --to 5s"),
        );
    }
    Ok(Look {
        bars: match args.bars {
            args::Bars::Range => Bars::Range,
            args::Bars::Ci95 => Bars::Ci95,
        },
        width: Some(args.width),
        dark: args.dark,
        title: args.title.clone(),
        from,
        to,
        log: args.log.map(|log| match log {
            args::Log::None => Log::None,
            args::Log::X => Log::X,
            args::Log::Y => Log::Y,
            args::Log::Xy => Log::Xy,
        }),
        range: ends("x-range", args.x_range.as_deref(), "1MiB..64MiB")?,
        y_range: ends("y-range", args.y_range.as_deref(), "0..100Mbit/s")?,
        rename: args
            .rename
            .iter()
            .map(|pair| renamed(pair))
            .collect::<Result<_, _>>()?,
        laws: args.law.clone(),
        name: args.name.clone(),
    })
}

/// The two ends of a range.
fn ends(
    flag: &str,
    text: Option<&str>,
    example: &str,
) -> Result<Option<(String, String)>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    match text.split_once("..").or_else(|| text.split_once(':')) {
        Some((low, high)) if !low.is_empty() && !high.is_empty() => {
            Ok(Some((low.trim().to_owned(), high.trim().to_owned())))
        }
        _ => Err(
            Failure::usage(format!("--{flag} {text}: two values are wanted")).hint(format!(
                "write both, with two dots between them: --{flag} {example}"
            )),
        ),
    }
}

/// A text and what it is to be called: values have `=` in them, so the last one divides.
fn renamed(pair: &str) -> Result<(String, String), Failure> {
    match pair.rsplit_once('=') {
        Some((text, new)) if !text.is_empty() => Ok((text.to_owned(), new.to_owned())),
        _ => Err(
            Failure::usage(format!("--rename {pair}: two texts are wanted"))
                .hint("write both, with = between them: --rename link.neck.forward.queue=buffer"),
        ),
    }
}

/// So many files are worth a word on how to have fewer.
const MANY: usize = 40;

/// Figures that an error names; the others are counted.
const NAMED: usize = 20;

/// No figure is called so, or there is none at all.
fn nothing(args: &FiguresArgs, drawn: &[Figure]) -> Failure {
    let run = args.run.display();
    let Some(part) = &args.name else {
        return Failure::usage(format!("{run} has no figure"))
            .hint("a run has figures of what has a path, is swept, repeated or goes on over time");
    };
    let names: Vec<&str> = drawn.iter().map(|f| f.name.as_str()).collect();
    let meant = match nearest(part, &names) {
        Some(name) => format!("did you mean {name}? "),
        None => String::new(),
    };
    let (names, rest) = names.split_at(names.len().min(NAMED));
    let more = match rest.len() {
        0 => String::new(),
        n => format!("\n  and {n} more"),
    };
    Failure::usage(format!(
        "--name {part}: no figure of {run} has that in its name"
    ))
    .hint(format!("{meant}there are\n  {}{more}", names.join("\n  ")))
}

/// The first name with the longest beginning of `part` in it, of three letters at least.
fn nearest<'n>(part: &str, names: &[&'n str]) -> Option<&'n str> {
    let mut beginnings = (3..=part.len()).rev().filter_map(|end| part.get(..end));
    let has = |begin: &str| names.iter().copied().find(|name| name.contains(begin));
    beginnings.find_map(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_has_the_longest_beginning() {
        let names = ["s-path-ping", "s-goodput", "s-rate-on-ar"];
        assert_eq!(nearest("goodputs", &names), Some("s-goodput"));
        assert_eq!(nearest("rate-of-ar", &names), Some("s-rate-on-ar"));
        assert_eq!(nearest("xyz", &names), None);
        assert_eq!(nearest("go", &names), None);
    }
}
