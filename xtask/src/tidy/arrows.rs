//! The arrows between crates: down only, peers never import each other.
//!
//! A crate imports from lower floors only ([`FLOORS`]). What a crate's tests import does not count: the
//! predictor is the simulator's oracle.

use serde_json::Value;

use super::finding::Finding;
use super::metadata::{packages, text};

/// Each crate and its floor. An arrow must go to a lower floor.
const FLOORS: &[(&str, u32)] = &[
    ("farpath-units", 0),
    ("farpath-predict", 1),
    ("farpath-record", 1),
    ("farpath-wire", 1),
    ("farpath-observe", 2),
    ("farpath-element", 2),
    ("farpath-tcp", 2),
    ("farpath-config", 2),
    ("farpath-scenario", 3),
    ("farpath-drill", 3),
    ("farpath-wan", 4),
    ("farpath-trace", 4),
    ("farpath-sim", 5),
    ("farpath-emu", 5),
    ("farpath-probe", 5),
    ("farpath-diagnose", 5),
    ("farpath-experiment", 7),
    ("farpath-report", 7),
    ("farpath", 9),
];

/// Tools around the product and what only tests need: they may import what they like and are imported by no product.
const OUTSIDE: &[&str] = &["xtask", "farpath-arranged", "farpath-mutate"];

/// Arrows that go down and are still not wanted, with the reason.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    (
        "farpath-probe",
        "farpath-scenario",
        "measuring needs no scenario: jobs come from whoever has one",
    ),
    (
        "farpath-element",
        "farpath-record",
        "models know nothing of results",
    ),
    (
        "farpath-tcp",
        "farpath-record",
        "models know nothing of results",
    ),
    (
        "farpath",
        "farpath-sim",
        "the engine runs every origin; the command line asks it",
    ),
    (
        "farpath-report",
        "farpath-scenario",
        "a report is drawn from records, whatever their origin",
    ),
    (
        "farpath-report",
        "farpath-sim",
        "a report is drawn from records, whatever their origin",
    ),
    (
        "farpath-report",
        "farpath-element",
        "a report is drawn from records, whatever their origin",
    ),
    (
        "farpath-report",
        "farpath-tcp",
        "a report is drawn from records, whatever their origin",
    ),
];

/// Crates whose foreign dependencies are limited to [`CORE_FOREIGN`].
const CORE: [&str; 4] = [
    "farpath-units",
    "farpath-wire",
    "farpath-element",
    "farpath-tcp",
];

/// All that the core may take from outside.
const CORE_FOREIGN: [&str; 2] = ["libm", "thiserror"];

/// Checks a `cargo metadata --no-deps` document.
pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    packages(metadata).flat_map(check_package).collect()
}

fn check_package(package: &Value) -> Vec<Finding> {
    let name = text(package, "name");
    if OUTSIDE.contains(&name) {
        return Vec::new();
    }
    let finding = |message| Finding::new(&manifest(name), 0, message);
    let Some(floor) = floor_of(name) else {
        return vec![finding(format!(
            "`{name}` has no floor: give it one in xtask/src/tidy/arrows.rs"
        ))];
    };
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    dependencies
        .filter(|dependency| text(dependency, "kind") != "dev")
        .filter_map(|dependency| fault(name, floor, text(dependency, "name")))
        .map(finding)
        .collect()
}

/// What is wrong with the arrow from `name`, which lives on `floor`, to `target`.
fn fault(name: &str, floor: u32, target: &str) -> Option<String> {
    if let Some((_, _, why)) = FORBIDDEN
        .iter()
        .find(|(from, to, _)| *from == name && *to == target)
    {
        return Some(format!("`{name}` may not depend on `{target}`: {why}"));
    }
    if OUTSIDE.contains(&target) {
        return Some(format!(
            "`{name}` may not depend on `{target}`: tools are not part of the product"
        ));
    }
    if let Some(below) = floor_of(target) {
        return (below >= floor).then(|| {
            format!(
                "`{name}` may not depend on `{target}`: arrows point down, and peers stay strangers"
            )
        });
    }
    (CORE.contains(&name) && !CORE_FOREIGN.contains(&target)).then(|| {
        format!(
            "`{name}` may not depend on `{target}`: the core takes {} and nothing else",
            CORE_FOREIGN.join(", ")
        )
    })
}

fn floor_of(name: &str) -> Option<u32> {
    FLOORS
        .iter()
        .find(|(crate_name, _)| *crate_name == name)
        .map(|(_, floor)| *floor)
}

fn manifest(name: &str) -> String {
    let folder = if name == "farpath" {
        "cli"
    } else {
        name.trim_start_matches("farpath-")
    };
    format!("crates/{folder}/Cargo.toml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(name: &str, dependency: &str, kind: Option<&str>) -> Vec<Finding> {
        check(
            &json!({"packages": [{"name": name, "dependencies": [{"name": dependency, "kind": kind}]}]}),
        )
    }

    #[test]
    fn arrows_down_pass() {
        assert_eq!(findings("farpath", "farpath-experiment", None), []);
        assert_eq!(findings("farpath-experiment", "farpath-sim", None), []);
        assert_eq!(findings("farpath-element", "farpath-wire", None), []);
        assert_eq!(findings("farpath-element", "libm", None), []);
        assert_eq!(findings("farpath-scenario", "toml", None), []);
    }

    #[test]
    fn arrows_up_and_between_peers_fail() {
        for (from, to) in [
            ("farpath-units", "farpath-wire"),
            ("farpath-element", "farpath-tcp"),
            ("farpath-wire", "farpath-record"),
            ("farpath-scenario", "farpath-sim"),
            ("farpath-sim", "xtask"),
            ("farpath-sim", "farpath-arranged"),
            ("farpath-config", "farpath-mutate"),
        ] {
            assert_eq!(findings(from, to, None).len(), 1, "{from} to {to}");
            assert_eq!(
                findings(from, to, Some("build")).len(),
                1,
                "{from} to {to}, build script"
            );
        }
    }

    #[test]
    fn models_know_no_results_and_reports_and_the_command_line_no_simulator() {
        assert!(
            findings("farpath-tcp", "farpath-record", None)[0]
                .message
                .contains("results")
        );
        assert!(
            findings("farpath-report", "farpath-sim", None)[0]
                .message
                .contains("records")
        );
        assert!(
            findings("farpath", "farpath-sim", None)[0]
                .message
                .contains("engine")
        );
    }

    #[test]
    fn tests_may_import_anything() {
        assert_eq!(findings("farpath-tcp", "farpath-sim", Some("dev")), []);
        assert_eq!(findings("farpath-units", "proptest", Some("dev")), []);
        assert_eq!(findings("farpath-units", "farpath-mutate", Some("dev")), []);
    }

    #[test]
    fn the_core_takes_nothing_else_from_outside() {
        assert!(
            findings("farpath-wire", "rand", None)[0]
                .message
                .contains("libm")
        );
    }

    #[test]
    fn a_new_crate_needs_a_floor() {
        assert!(
            findings("farpath-archive", "libc", None)[0]
                .message
                .contains("floor")
        );
    }
}
