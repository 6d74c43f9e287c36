//! Texts in, verdicts out.

mod beside;
mod both_ends;
mod documented;
mod hostile;
mod pasted;
mod run_here;
mod seeds;
mod slac;
mod strangers;
mod surroundings;
mod two;
mod views;

use farpath_diagnose::{Diagnosis, Known, Source, diagnose, read};

/// The diagnosis of one text.
fn of(text: &str, known: &Known) -> Diagnosis {
    let source = Source {
        name: "ticket.txt".to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let mut facts = read(&[source]);
    known.tell(&mut facts);
    diagnose(&facts, "0")
}
