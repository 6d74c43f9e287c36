//! Carries the report's script and style sheet, which `make build` leaves in `web/dist`, into the crate.
//! Without them the crate still builds, and its pages say what is missing.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script's work is to read and write files"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let dist = here.join("../../web/dist");
    // A watched path that does not exist counts as changed in every build, so the folder is made to exist.
    // Where that is not allowed, the only cost is that this script runs again.
    fs::create_dir_all(&dist).ok();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());
    for name in ["report.js", "report.css", "figures.js"] {
        carry(&dist.join(name), &out.join(name));
    }
}

/// Copies a part of the bundle; an absent part becomes an empty file.
fn carry(from: &Path, to: &Path) {
    let text = fs::read_to_string(from).unwrap_or_default();
    fs::write(to, text).expect("cargo's output folder is writable");
}
