//! A million mutated scripts: the reader may refuse them, the runner may find them unlike anything,
//! and neither may panic or run for ever.

#![allow(clippy::disallowed_methods, reason = "reads the scripts of this crate")]

use std::fs;
use std::path::Path;

use farpath_drill::{Verdict, parse, run};

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

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// What breaks readers and arithmetic.
const ODD: &[&str] = &[
    "0",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999",
    "-1",
    "65535",
    "2147483648:2147483648(0)",
    "1:1(0)",
    "S",
    "SF.",
    "R",
    "F.",
    "...",
    "~",
    "*",
    "+",
    "`",
    "%{",
    "}%",
    "[",
    "{",
    "<",
    ">",
    "<...>",
    "(",
    ")",
    "|",
    "é",
    "\u{0}",
    "//",
    "/*",
    "\n",
    "#endif",
    "#ifdef X\n",
    "0x",
    "+1000000",
    ".000001",
    "wscale 255",
    "mss 0",
    "mss 1",
    "win 4294967295",
    "sack 5:1",
    "sack 1:4294967295",
    "ecr 0",
    "TS val 0 ecr 0",
    "--mtu=41\n",
    "--mtu=0\n",
    "--tolerance_usecs=99999999999\n",
    "`sysctl -q net.ipv4.tcp_rmem=\"1 1 18446744073709551615\"`\n",
    "+0 write(4, ..., 4000000000) = 4000000000\n",
    "+0 close(4) = 0\n",
    "+0 shutdown(4, SHUT_WR) = 0\n",
    "+9000 > . 1:1(0) ack 1\n",
    "+0 setsockopt(4, SOL_SOCKET, SO_RCVBUF, [1], 4) = 0\n",
    "+0 setsockopt(4, SOL_TCP, TCP_MAXSEG, [1], 4) = 0\n",
    "+0 %{ assert 1 << 63 == -1 // 0 }%\n",
];

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("it is text"))
        .collect()
}

/// A script of the corpus, with words exchanged, lines moved, or bytes changed.
fn mutated(luck: &mut Luck, corpus: &[String], lines: &[&str], words: &[&str]) -> String {
    let mut text = corpus[luck.below(corpus.len())].clone();
    for _ in 0..1 + luck.below(4) {
        match luck.below(5) {
            0 => {
                let mut bytes = text.into_bytes();
                let at = luck.below(bytes.len());
                bytes[at] ^= 1 << luck.below(8);
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
            1 => {
                let mut all: Vec<&str> = text.lines().collect();
                let (a, b) = (luck.below(all.len()), luck.below(all.len()));
                all.swap(a, b);
                text = all.join("\n");
            }
            2 => {
                let mut all: Vec<&str> = text.lines().collect();
                let at = luck.below(all.len());
                all.insert(at, luck.pick(lines));
                text = all.join("\n");
            }
            n => {
                let spots: Vec<usize> = text
                    .match_indices([' ', '\n'])
                    .map(|(i, _)| i + 1)
                    .collect();
                let Some(start) = (!spots.is_empty()).then(|| spots[luck.below(spots.len())])
                else {
                    continue;
                };
                let end = text[start..]
                    .find([' ', '\n', ',', ')'])
                    .map_or(text.len(), |i| start + i);
                let new = luck.pick(if n == 3 { ODD } else { words });
                text.replace_range(start..end, new);
            }
        }
        if text.is_empty() {
            text.push(' ');
        }
    }
    text
}

fn a_quarter(seed: u64) {
    let corpus = corpus();
    let lines: Vec<&str> = corpus
        .iter()
        .flat_map(|t| t.lines())
        .chain(ODD.iter().copied())
        .collect();
    let words: Vec<&str> = corpus
        .iter()
        .flat_map(|t| t.split([' ', '\n', ',', '(', ')']))
        .filter(|w| !w.is_empty() && w.len() < 40)
        .collect();
    let mut luck = Luck(seed);
    let (mut bad, mut pass, mut differs, mut unsupported, mut said) = (0, 0, 0, 0, 0usize);
    for _ in 0..250_000 {
        let text = mutated(&mut luck, &corpus, &lines, &words);
        match parse(&text) {
            Err(e) => {
                bad += 1;
                said += e.to_string().len();
            }
            Ok(script) => {
                let verdict = run(&script, &|_| None);
                said += verdict.to_string().len();
                match verdict {
                    Verdict::Pass => pass += 1,
                    Verdict::Differs(_) => differs += 1,
                    Verdict::Unsupported { .. } => unsupported += 1,
                }
            }
        }
    }
    println!(
        "{bad} refused, {pass} pass, {differs} differ, {unsupported} unsupported, {said} bytes said"
    );
    // Mutations that all end the same way would test only that way.
    assert!(bad > 5_000 && pass > 5_000 && differs > 5_000 && unsupported > 1_000);
}

#[test]
fn first_quarter_of_a_million() {
    a_quarter(1);
}

#[test]
fn second_quarter_of_a_million() {
    a_quarter(2);
}

#[test]
fn third_quarter_of_a_million() {
    a_quarter(3);
}

#[test]
fn last_quarter_of_a_million() {
    a_quarter(4);
}
