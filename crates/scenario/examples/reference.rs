//! Prints `docs/reference/scenario.md`, or with `--schema` the JSON Schema.

fn main() {
    if std::env::args().any(|a| a == "--schema") {
        println!("{:#}", farpath_scenario::schema());
    } else {
        print!("{}", farpath_scenario::reference());
    }
}
