//! Texts in, verdicts out.

mod already;
mod beside;
mod both_ends;
mod cables;
mod documented;
mod everyday;
mod holes;
mod hostile;
mod pasted;
mod run_here;
mod seeds;
mod slac;
mod strangers;
mod surroundings;
mod two;
mod views;
mod wording;

use farpath_diagnose::{Diagnosis, Known, Source, diagnose, read};

/// The diagnosis of one text.
fn of(text: &str, known: &Known) -> Diagnosis {
    of_files(&[("ticket.txt", text)], known)
}

/// The diagnosis of several files, by name and text.
fn of_files(files: &[(&str, &str)], known: &Known) -> Diagnosis {
    let source = |(name, text): &(&str, &str)| Source {
        name: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let mut facts = read(&files.iter().map(source).collect::<Vec<_>>());
    known.tell(&mut facts);
    diagnose(&facts, "0")
}

/// The line is known to the user.
fn on(line: &str) -> Known {
    Known {
        line: Some(line.parse().expect("a rate")),
        ..Known::default()
    }
}
