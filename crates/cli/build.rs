//! Tells the binary its version and the commit it was built from.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script's work is to ask the machine it runs on"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=FARPATH_VERSION={}", version());
}

/// `0.1.0 (1a2b3c4d5e6f 2026-11-22)`; `-dirty` behind a commit that is not all of what was built.
///
/// A build with assertions is for development. It does not say its commit, because it would be
/// built again after every commit.
fn version() -> String {
    let number = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    if env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some() {
        return format!("{number} (development build)");
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
    match commit.zip(date) {
        Some((commit, date)) => format!("{number} ({commit} {date})"),
        // Built from an archive of the sources.
        None => number,
    }
}

/// What git prints in one line; nothing without git or outside a checkout.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
