//! The course: its commands work, and every solution's expectations hold.

use std::path::Path;

use crate::documents::{commands, type_in};

const PAGES: [(&str, &str); 5] = [
    (
        "cern-snaky",
        include_str!("../../../../docs/course/cern-snaky.md"),
    ),
    (
        "wan-2003",
        include_str!("../../../../docs/course/wan-2003.md"),
    ),
    (
        "infn-lbe",
        include_str!("../../../../docs/course/infn-lbe.md"),
    ),
    (
        "slac-binp",
        include_str!("../../../../docs/course/slac-binp.md"),
    ),
    (
        "lbnl-oc12",
        include_str!("../../../../docs/course/lbnl-oc12.md"),
    ),
];

#[test]
fn every_page_has_a_solution_that_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, page) in PAGES {
        let found = commands("", page);
        let solution = format!("farpath run docs/course/solutions/{name}.toml");
        assert!(found.contains(&solution), "{name}: {found:?}");
        for line in found {
            // `make scenarios` runs the shipped ones whole.
            let shipped = line.starts_with("farpath run ") && line != solution;
            let typed = if shipped {
                format!("{line} --predict")
            } else {
                line
            };
            let printed = type_in(&root, &typed)
                .unwrap_or_else(|said| panic!("{name}: `{typed}` failed: {said}"));
            if typed == solution {
                assert!(printed.contains(" ok, 0 failed"), "{name}: {printed}");
                // Each answer is judged, and a note says why it is so.
                for exercise in ["Exercise 1: ", "Exercise 2: "] {
                    assert!(printed.contains(exercise), "{name}: {printed}");
                }
            }
        }
    }
}
