//! Writes the page of a stored `report.json`: `cargo run -p farpath-report --example page -- report.json page.html`.

#![allow(
    clippy::disallowed_methods,
    reason = "a program of its own, which reads one file and writes one"
)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: page REPORT_JSON PAGE_HTML");
        return ExitCode::from(2);
    };
    match convert(from, to) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{from}: {error}");
            ExitCode::from(3)
        }
    }
}

fn convert(from: &str, to: &str) -> Result<(), Box<dyn std::error::Error>> {
    let data = serde_json::from_str(&std::fs::read_to_string(from)?)?;
    std::fs::write(to, farpath_report::html::render(&data))?;
    Ok(())
}
