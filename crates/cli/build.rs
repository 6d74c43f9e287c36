//! Tells the binary its version and the commit it was built from.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script's work is to ask the machine it runs on"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let number = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let (version, commit) = match commit() {
        Ok(Some(commit)) => (format!("{number} ({commit})"), commit),
        Ok(None) => (number, String::new()),
        Err(why) => (format!("{number} ({why})"), String::new()),
    };
    println!("cargo::rustc-env=FARPATH_VERSION={version}");
    println!("cargo::rustc-env=FARPATH_COMMIT={commit}");
}

/// `1a2b3c4d5e6f 2026-11-22`; `-dirty` behind a commit that is not all of what was built. None of an archive of the sources.
///
/// A build with assertions is for development. It does not say its commit, because it would be
/// built again after every commit.
fn commit() -> Result<Option<String>, &'static str> {
    if env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some() {
        return Err("development build");
    }
    for part in ["HEAD", "index", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", part]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let commit = git(&[
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]);
    let date = git(&["log", "-1", "--format=%cs"]);
    let both = commit.zip(date);
    Ok(both.map(|(commit, date)| format!("{commit} {date}")))
}

/// What git prints in one line; nothing without git or outside a checkout.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
