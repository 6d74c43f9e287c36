//! The repository's own tools: `cargo xtask tidy`, `cargo xtask gen [--check]`, `cargo xtask dist`, `cargo xtask bench`, `cargo xtask same`.
//!
//! For those who change farpath, not for those who use it; nothing in the product depends on it.

#![allow(
    clippy::disallowed_methods,
    reason = "a tool over the source tree reads and writes files"
)]

mod bench;
mod bench_config;
mod bench_parts;
mod bench_trace;
mod captures;
mod corpus;
mod figure;
mod gen_pages;
mod gen_registry;
mod prose;
mod same;
mod source;
mod tidy;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy           check what compilers do not: arrows, lengths, words, links, citations, licences
       cargo xtask bench [CASE]   measure what speed claims say, into target/bench.json; `trace`: captures alone
       cargo xtask gen            write the generated pages under docs/reference
       cargo xtask gen --check    fail when a generated page differs from what is committed
       cargo xtask dist FOLDER    write shell completions and manual pages, for packages
       cargo xtask corpus [N]     simulate N runs with a known cause, and say how often diagnose names it
       cargo xtask corpus --twins run the twins that diagnose makes of them, and say how often they agree
       cargo xtask corpus --blind [FROM [N]]   the same with runs nobody has seen, numbered from FROM of theirs
       cargo xtask corpus --healthy [FROM N]   the same with paths on which nothing is wrong
       cargo xtask corpus --lab [FROM N]   the same between real kernels, in labs
       cargo xtask corpus --two [N]   the same with runs that have two causes
       cargo xtask corpus --plot ROWS...   draw how often each confidence was right, from target/corpus.tsv of runs
       cargo xtask corpus --fit   fit the weights of diagnose to the corpus's training half, and write them
       cargo xtask corpus --fit [N] | --refit   the same with N runs, or with those that were simulated for the last fit
       cargo xtask captures FOLDER  compare what `trace` says of captures of others with their tables
       cargo xtask same [--write] compare what `make scenarios` gave with xtask/same.txt, or take it as the baseline
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["tidy"] => tidy::run(),
        ["bench"] => bench::bench(None),
        ["bench", "trace"] => bench::bench_captures(),
        ["bench", case] => bench::bench(Some(case)),
        ["gen"] => gen_pages::run(gen_pages::Mode::Write),
        ["gen", "--check"] => gen_pages::run(gen_pages::Mode::Check),
        ["dist", folder] => gen_pages::dist(folder.as_ref()),
        ["same"] => same::run(same::Mode::Check),
        ["same", "--write"] => same::run(same::Mode::Write),
        ["captures", folder] => captures::run(folder.as_ref()),
        ["corpus", "--plot", files @ ..] if !files.is_empty() => corpus::plot(files),
        ["corpus", args @ ..] => corpus::asked(args).and_then(|(n, what)| corpus::run(n, what)),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(3)
        }
    }
}
