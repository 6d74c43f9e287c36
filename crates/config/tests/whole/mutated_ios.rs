//! Mutated configurations: whatever the text, reading and checking it does not panic, the
//! lines are the text, and every place is one in it.

use farpath_config::{Dialect, ios};
use farpath_mutate::{Corpus, run};
use proptest::prelude::*;

use crate::checked;

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

/// What becomes of mutations of `texts` in this dialect.
fn mutated(dialect: Dialect, texts: &[&str]) {
    let corpus = Corpus::of(texts.iter().copied()).odd(&WORDS).by_lines(14);
    let outcomes = run(&corpus, |text, _| {
        if dialect == Dialect::Ios {
            assert_eq!(ios::Tree::parse(text).print(), text);
        }
        let report = checked(text, dialect);
        for finding in &report.findings {
            for evidence in &finding.evidence {
                let span = &evidence.place.span;
                assert!(span.start <= span.end && span.end <= text.len());
            }
            assert!(!finding.text.contains('\n') && !finding.text.is_empty());
        }
        if report.findings.is_empty() {
            "sound"
        } else {
            "faulty"
        }
    });
    outcomes.at_least("sound", 0.02).at_least("faulty", 0.02);
}

#[test]
fn ios() {
    mutated(
        Dialect::Ios,
        &[
            include_str!("../data/catalyst/campus.ios"),
            include_str!("../data/catalyst/as-published.ios"),
        ],
    );
}

#[test]
fn catos() {
    let text = include_str!("../data/catalyst/campus.catos");
    mutated(Dialect::CatOs, &[text]);
}

#[test]
fn hosts() {
    let text = "sysctl -w net.ipv4.tcp_wmem=\"4096 65530 128388607\"\nnet.inet.tcp.recvspace = 16384\niperf -c a -S 0x20\necho 1 > /proc/sys/net/ipv4/tcp_rmem\n";
    mutated(Dialect::Hosts, &[text]);
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
