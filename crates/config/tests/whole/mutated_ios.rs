//! A million mutated configurations: whatever the text, reading and checking it does not panic, the
//! lines are the text, and every place is one in it.

use farpath_config::{Dialect, Source, check, ios};
use farpath_units::Key;
use proptest::prelude::*;

const SEEDS: [(&str, Dialect); 4] = [
    (include_str!("../data/catalyst/campus.ios"), Dialect::Ios),
    (
        include_str!("../data/catalyst/campus.catos"),
        Dialect::CatOs,
    ),
    (
        include_str!("../data/catalyst/as-published.ios"),
        Dialect::Ios,
    ),
    (
        "sysctl -w net.ipv4.tcp_wmem=\"4096 65530 128388607\"\nnet.inet.tcp.recvspace = 16384\niperf -c a -S 0x20\necho 1 > /proc/sys/net/ipv4/tcp_rmem\n",
        Dialect::Hosts,
    ),
];

const WORDS: [&str; 40] = [
    "\n",
    " ",
    "no ",
    "default ",
    "!",
    "! farpath lbe share 1 % dscp 8\n",
    "! farpath wrr-unit 0 B\n",
    "! farpath port-type 1p8q8t\n",
    "interface range gi1/1 - 99 , x\n",
    "interface ",
    "pvc 0/1\n",
    "wrr-queue bandwidth 1 255\n",
    "wrr-queue cos-map 8 8 0-7\n",
    "wrr-queue queue-limit 100 100 100\n",
    "wrr-queue random-detect min-threshold 1 100 0\n",
    "priority-queue cos-map 1 5\n",
    "mls qos\n",
    "mls qos map dscp-cos 0-63 to 7\n",
    "mls qos trust cos\n",
    "policy-map P\n",
    "class C\n",
    "class-map C\n",
    "match ip dscp ef\n",
    "police 1 1\n",
    "police cir 400000000000 bc 1000000000\n",
    "vbr-nrt 1 100000000 1\n",
    "banner motd ^C",
    "certificate\n",
    "quit\n",
    "end\n",
    "channel-group 1 mode on\n",
    "18446744073709551616",
    "4294967296",
    "0",
    "-",
    ",",
    "255",
    "ü\u{fffd}",
    "\t",
    "set qos wrr 1p2q2t 1 2\n",
];

fn mutated(seed: &str, bits: impl Fn(u64) -> u64) -> String {
    let mut bytes = seed.as_bytes().to_vec();
    // A piece of the text is enough, and small ones are quick.
    let start = bits(100) as usize % bytes.len();
    bytes.drain(..start);
    bytes.truncate(300);
    for n in 0..1 + bits(0) % 4 {
        let draw = bits(n + 1);
        let at = (draw >> 8) as usize % bytes.len().max(1);
        let word = WORDS[(draw >> 40) as usize % WORDS.len()].as_bytes();
        if bytes.is_empty() {
            break;
        }
        match draw % 6 {
            0 => bytes[at] ^= 1 << (draw >> 32 & 7),
            1 => drop(bytes.drain(at..(at + (draw >> 32) as usize % 12).min(bytes.len()))),
            2 | 3 => drop(bytes.splice(at..at, word.iter().copied())),
            4 => bytes.truncate(at.max(1)),
            _ => {
                let digit = bytes[at..].iter_mut().find(|b| b.is_ascii_digit());
                digit
                    .into_iter()
                    .for_each(|b| *b = b'0' + (draw >> 32) as u8 % 10);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn taken(text: String, dialect: Dialect) -> usize {
    let length = text.len();
    let sources = [Source {
        name: "x".to_owned(),
        text,
    }];
    let report = check(&sources, &[Some(dialect)]);
    for finding in &report.findings {
        for evidence in &finding.evidence {
            let span = &evidence.place.span;
            assert!(span.end <= length && span.start <= span.end);
        }
        assert!(!finding.text.contains('\n') && !finding.text.is_empty());
    }
    report.findings.len()
}

fn run(part: u64) {
    let luck = Key::new(part).with("ios").stream();
    let (mut some, mut none) = (0_u32, 0_u32);
    for n in 0..250_000 {
        let (seed, dialect) = SEEDS[(n % 4) as usize];
        let text = mutated(seed, |k| luck.bits(n * 128 + k));
        if dialect == Dialect::Ios {
            assert_eq!(ios::Tree::parse(&text).print(), text);
        }
        match taken(text, dialect) {
            0 => none += 1,
            _ => some += 1,
        }
    }
    assert!(some > 10_000 && none > 10_000, "{some} {none}");
}

#[test]
fn first_quarter_of_a_million() {
    run(1);
}

#[test]
fn second_quarter_of_a_million() {
    run(2);
}

#[test]
fn third_quarter_of_a_million() {
    run(3);
}

#[test]
fn last_quarter_of_a_million() {
    run(4);
}

proptest! {
    #[test]
    fn lines_are_the_text(text in "([ \t]{0,3}(interface Gi1/1|mls qos|pvc 0/1|!|no shutdown|banner motd #|exit|[a-z0-9/ #]{0,12})(\r?\n)?){0,30}") {
        let tree = ios::Tree::parse(&text);
        prop_assert_eq!(tree.print(), &text[..]);
        // Every line is in one section, and sections nest.
        for (number, line) in tree.lines().iter().enumerate() {
            prop_assert!(line.end > number && line.end <= tree.lines().len());
            if let Some(parent) = line.parent {
                prop_assert!(parent < number && line.end <= tree.lines()[parent].end);
            }
        }
    }

    #[test]
    fn indentation_does_not_matter_where_every_mode_knows_its_commands(depth in 0_usize..3) {
        let text = include_str!("../data/catalyst/campus.ios");
        let flat: String = text.lines().map(|l| if l.contains("3082") || l.trim() == "quit" { l.to_owned() + "\n" } else { " ".repeat(depth) + l.trim_start() + "\n" }).collect();
        let (a, b) = (ios::read(text, 0), ios::read(&flat, 0));
        prop_assert_eq!(a.understood, b.understood);
        for (x, y) in a.interfaces.iter().zip(&b.interfaces) {
            prop_assert_eq!(x.pvcs.len(), y.pvcs.len());
            prop_assert_eq!(x.queueing.cos_maps.len(), y.queueing.cos_maps.len());
        }
    }
}
