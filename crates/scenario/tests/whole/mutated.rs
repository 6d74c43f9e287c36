//! Mutated inputs: the reader may refuse them, and must not panic, nor must its messages.

use farpath_mutate::{Corpus, run};
use farpath_scenario::{Diagnostics, Document, Set, Source, shipped, template};

const ODD: &[&str] = &[
    "0",
    "-1",
    "1e309",
    "nan",
    "\"\"",
    "\"0 ms\"",
    "\"-1 s\"",
    "\"1e9 Gbit/s\"",
    "[]",
    "{}",
    "[[link]]",
    "true",
    "=",
    "\"",
    "'''",
    "\n",
    "]",
    "{",
    "\u{fffd}",
    "é",
    "\u{0}",
    "#",
    "9223372036854775808",
    "\"99999999 d\"",
    "1979-05-27",
    ".",
    "\"%\"",
];

fn texts() -> Vec<String> {
    let mut all: Vec<String> = shipped().map(|s| s.text.to_owned()).collect();
    all.push(template().to_owned());
    all
}

/// The words of errors that are worth drawing: doing so takes longer than finding them.
fn refused(error: &Diagnostics) -> &'static str {
    let text = error.to_string();
    let named = text.contains('x') || text.contains("in --set");
    assert!(text.starts_with("error: ") && named, "{text}");
    "refused aloud"
}

fn source(text: &str) -> Source {
    Source {
        name: "x".to_owned(),
        text: text.to_owned(),
    }
}

#[test]
fn paragraphs_are_read_or_refused() {
    let texts = texts();
    let corpus = Corpus::of(texts.iter().map(String::as_str)).odd(ODD);
    let corpus = corpus.by_paragraphs("[scenario]\nname = \"x\"\n", 4);
    let outcomes = run(&corpus, |text, luck| {
        let mut sets = Vec::new();
        if luck.odds(8) {
            let table = luck.pick(&["link", "test", "ccc", "scenario"]);
            let path = format!("{table}.{}.{}", corpus.word(luck), corpus.word(luck));
            sets.push(Set::new(path, luck.pick(ODD)));
            let known = [
                "link.stm64.forward.queue",
                "test.bulk.window",
                "scenario.seed",
            ];
            sets.push(Set::new(luck.pick(&known), corpus.word(luck)));
        }
        let result = Document::open(&source(text), &sets).and_then(|d| d.scenario());
        match result {
            Ok(_) => "read",
            Err(e) if luck.odds(16) => refused(&e),
            Err(_) => "refused",
        }
    });
    outcomes
        .at_least("read", 0.002)
        .at_least("refused aloud", 0.02);
}

/// Everything that joins sections is reached; whole files take their time, and one in eight is read.
#[test]
fn whole_files_are_read_or_refused() {
    let texts = texts();
    let corpus = Corpus::of(texts.iter().map(String::as_str)).odd(ODD);
    let outcomes = run(&corpus, |text, luck| {
        if !luck.odds(8) {
            return "left out";
        }
        match Document::open(&source(text), &[]).and_then(|d| d.scenario()) {
            Ok(_) => "read",
            Err(e) => refused(&e),
        }
    });
    outcomes
        .at_least("read", 0.01)
        .at_least("refused aloud", 0.01);
}
