//! Prints `docs/reference/scenario.md`.

fn main() {
    print!("{}", farpath_scenario::reference());
}
