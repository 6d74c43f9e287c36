//! What compilers do not check: who may import whom, how long things get, which words stay out, what is
//! plain English, which RFCs and linked pages exist, and under which terms dependencies come.

mod arrows;
mod banned;
mod finding;
mod length;
mod licences;
mod links;
mod metadata;
mod plain;
pub(crate) mod rfc;
mod unused;
mod waivers;
mod words;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::tree;
use waivers::Waivers;

/// Runs every check and prints what it finds; `Ok(true)` when there is nothing to say.
pub(crate) fn run() -> Result<bool, String> {
    let root = tree::root();
    let files = tree::read(&root)?;
    let workspace = metadata(&root, &["--no-deps"])?;
    let everything = metadata(&root, &[])?;
    let waivers = Waivers::of(&files)?;
    let known = rfc::known()?;

    let mut findings = arrows::check(&workspace);
    findings.extend(unused::check(&workspace, &files));
    findings.extend(licences::check(&everything));
    findings.extend(licences::check_decisions(&workspace, &files));
    findings.extend(length::check(&files, &waivers));
    findings.extend(banned::check(&files));
    findings.extend(words::check(&files));
    findings.extend(plain::check(&files));
    findings.extend(links::check(&root, &files));
    findings.extend(rfc::check(&files, &known));
    findings.sort();
    findings.dedup();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: {} files, nothing to say", files.len()),
        n => println!("tidy: {n} findings"),
    }
    Ok(findings.is_empty())
}

fn metadata(root: &Path, extra: &[&str]) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(extra)
        .current_dir(root)
        .output()
        .map_err(|e| format!("run cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("read cargo metadata: {e}"))
}
