//! Rebuilds the crate when a shipped scenario changes: they are embedded.

fn main() {
    println!("cargo::rerun-if-changed=../../scenarios");
}
