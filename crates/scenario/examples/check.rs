//! Reads a scenario, with edits, and prints what is wrong with it.

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let sets: Result<Vec<farpath_scenario::Set>, _> = args.map(|a| a.parse()).collect();
    let (source, sets) = match (farpath_scenario::load(&name), sets) {
        (Ok(source), Ok(sets)) => (source, sets),
        (Err(e), _) => return eprintln!("{e}"),
        (_, Err(e)) => return eprintln!("{e}"),
    };
    match farpath_scenario::parse(&source, &sets) {
        Ok(s) => println!("{}: right", s.name),
        Err(e) => eprint!("{e}"),
    }
}
