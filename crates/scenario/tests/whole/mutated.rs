//! A million mutated inputs: the reader may refuse them, and must not panic, nor must its messages.

use farpath_scenario::{Document, Set, Source, shipped, template};

/// xorshift64*: a fixed sequence for each seed.
struct Luck(u64);

impl Luck {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

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

fn corpus() -> Vec<String> {
    let mut all: Vec<String> = shipped().map(|s| s.text.to_owned()).collect();
    all.push(template().to_owned());
    all
}

/// A small document: a few paragraphs of the corpus, some words exchanged, some bytes changed.
fn mutated(luck: &mut Luck, paragraphs: &[&str], words: &[&str]) -> String {
    let mut text = String::from("[scenario]\nname = \"x\"\n");
    for _ in 0..1 + luck.below(4) {
        text.push('\n');
        text.push_str(luck.pick(paragraphs));
        text.push('\n');
    }
    // Half the inputs stay TOML, so that what comes after the parser sees strange values too.
    if luck.below(2) == 0 {
        for _ in 0..1 + luck.below(3) {
            exchange(luck, &mut text, words);
        }
        return text;
    }
    let mut bytes = text.into_bytes();
    for _ in 0..1 + luck.below(4) {
        let at = luck.below(bytes.len());
        match luck.below(4) {
            0 => bytes[at] ^= 1 << luck.below(8),
            1 => {
                let end = (at + luck.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let odd = luck.pick(ODD);
                bytes.splice(at..at, odd.bytes());
            }
            _ => {
                let word = luck.pick(words);
                let end = (at + word.len()).min(bytes.len());
                bytes.splice(at..end, word.bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Replaces one word of `text` by another word, or by something odd.
fn exchange(luck: &mut Luck, text: &mut String, words: &[&str]) {
    let spots: Vec<usize> = text.match_indices([' ', '"']).map(|(i, _)| i + 1).collect();
    let start = spots[luck.below(spots.len())];
    let end = text[start..]
        .find([' ', '"', '\n', ',', ']'])
        .map_or(text.len(), |i| start + i);
    let new = if luck.below(3) == 0 {
        luck.pick(ODD)
    } else {
        luck.pick(words)
    };
    text.replace_range(start..end, new);
}

fn run(seed: u64, inputs: u32) {
    let corpus = corpus();
    let paragraphs: Vec<&str> = corpus
        .iter()
        .flat_map(|t| t.split("\n\n"))
        .filter(|p| p.len() < 500)
        .collect();
    let words: Vec<&str> = corpus
        .iter()
        .flat_map(|t| t.split([' ', '"', '\n', ',']))
        .filter(|w| !w.is_empty() && w.len() < 40)
        .collect();
    let mut luck = Luck(seed);
    let (mut right, mut said) = (0_u32, 0_usize);
    for i in 0..inputs {
        let source = Source {
            name: "x".to_owned(),
            text: mutated(&mut luck, &paragraphs, &words),
        };
        let mut sets = Vec::new();
        if i % 8 == 0 {
            let path = format!(
                "{}.{}.{}",
                luck.pick(&["link", "test", "ccc", "scenario"]),
                luck.pick(&words),
                luck.pick(&words)
            );
            sets.push(Set::new(path, luck.pick(ODD)));
            sets.push(Set::new(
                *luck.pick(&[
                    &"link.stm64.forward.queue",
                    &"test.bulk.window",
                    &"scenario.seed",
                ]),
                luck.pick(&words),
            ));
        }
        let result = Document::open(&source, &sets).and_then(|d| d.scenario());
        match result {
            Ok(_) => right += 1,
            // Drawing the messages takes longer than finding them; a part of them is enough.
            Err(e) if i % 32 == 0 || !sets.is_empty() && i % 16 == 0 => {
                let text = e.to_string();
                assert!(text.starts_with("error: ") && text.contains("x"), "{text}");
                said += text.len();
            }
            Err(_) => {}
        }
    }
    assert!(
        right > 0,
        "every input was refused: the mutations are too coarse to test anything"
    );
    assert!(said > 0);
}

#[test]
fn first_quarter_of_a_million() {
    run(0x9e37_79b9_7f4a_7c15, 250_000);
}

#[test]
fn second_quarter_of_a_million() {
    run(0xd1b5_4a32_d192_ed03, 250_000);
}

#[test]
fn third_quarter_of_a_million() {
    run(0x8cb9_2ba7_2f3d_8dd7, 250_000);
}

#[test]
fn last_quarter_of_a_million() {
    run(0xa076_1d64_78bd_642f, 250_000);
}

/// Whole files with a few bytes changed: everything that joins sections is reached.
#[test]
fn whole_files_with_single_changes() {
    let corpus = corpus();
    let words: Vec<&str> = corpus
        .iter()
        .flat_map(|t| t.split([' ', '"', '\n', ',']))
        .filter(|w| !w.is_empty() && w.len() < 40)
        .collect();
    let mut luck = Luck(0x2d35_8dcc_aa6c_78a5);
    for i in 0..4_000 {
        let mut text = corpus[i % corpus.len()].clone();
        exchange(&mut luck, &mut text, &words);
        let source = Source {
            name: "x".to_owned(),
            text,
        };
        if let Err(e) = Document::open(&source, &[]).and_then(|d| d.scenario()) {
            assert!(e.to_string().starts_with("error: "));
        }
    }
}
