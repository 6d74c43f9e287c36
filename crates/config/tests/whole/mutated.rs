//! A million mutated inputs: they may be refused, and must not panic, nor must their messages.

use farpath_config::{Dialect, Source, check, json, render, sarif};

const CORPUS: [&str; 3] = [
    include_str!("../data/utrecht.conf"),
    include_str!("../data/porto.set"),
    "logical-systems { one { interfaces { interface-range r { member xe-0/0/*; member-range xe-0/0/0 to xe-0/0/9; mtu 9; } } } }
class-of-service { schedulers { s { transmit-rate percent 5; priority low; } } scheduler-maps { m { forwarding-class b scheduler s; } } interfaces { xe-0/0/0 { scheduler-map m; } } }
firewall { policer p { if-exceeding { bandwidth-limit 50m; burst-size-limit 15k; } then discard; } }
protocols { mpls { path p { 192.0.2.1 strict; } label-switched-path l { to 192.0.2.2; primary p; } static-label-switched-path q { ingress; } } connections { interface-switch i { interface xe-0/0/0.1; interface xe-0/0/0.2; } } }
",
];

const ODD: [&str; 18] = [
    "{",
    "}",
    "[",
    "]",
    ";",
    "\"",
    "/*",
    "*/",
    "#",
    "\u{a0}",
    "é",
    "\u{0}",
    "\n",
    "18446744073709551616g",
    "<*>",
    "<[>",
    "inactive:",
    "apply-groups",
];

/// xorshift64*: a fixed sequence for each seed.
struct Luck(u64);

impl Luck {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

/// A few lines of the corpus, some words exchanged, some bytes changed.
fn mutated(luck: &mut Luck, lines: &[&str], words: &[&str]) -> String {
    let mut bytes = Vec::new();
    let from = luck.below(lines.len());
    for line in &lines[from..(from + 2 + luck.below(14)).min(lines.len())] {
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    for _ in 0..1 + luck.below(4) {
        let at = luck.below(bytes.len());
        let end = (at + luck.below(12)).min(bytes.len());
        match luck.below(4) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << luck.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, ODD[luck.below(ODD.len())].bytes())),
            _ => drop(bytes.splice(at..end, words[luck.below(words.len())].bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn run(seed: u64, inputs: u32) {
    let lines: Vec<&str> = CORPUS.iter().flat_map(|t| t.lines()).collect();
    let words: Vec<&str> = CORPUS.iter().flat_map(|t| t.split_whitespace()).collect();
    let mut luck = Luck(seed);
    let (mut right, mut said) = (0_u32, 0_usize);
    for i in 0..inputs {
        let sources = [Source {
            name: "x".to_owned(),
            text: mutated(&mut luck, &lines, &words),
        }];
        let dialect = [Dialect::Junos, Dialect::JunosSet][luck.below(2)];
        let report = check(&sources, &[Some(dialect)]);
        right += u32::from(!report.failed());
        if i % 16 == 0 {
            said += render::text(&report, &sources, false).len();
            said += json::document(&report, &sources).len();
            said += sarif::log(&report, &sources, "0").to_string().len();
        }
    }
    assert!(
        right > inputs / 20,
        "only {right} of {inputs} could be read: the mutations are too wild"
    );
    assert!(said > 0);
}

#[test]
fn a_quarter_million_inputs_1() {
    run(1, 250_000);
}

#[test]
fn a_quarter_million_inputs_2() {
    run(2, 250_000);
}

#[test]
fn a_quarter_million_inputs_3() {
    run(3, 250_000);
}

#[test]
fn a_quarter_million_inputs_4() {
    run(4, 250_000);
}
