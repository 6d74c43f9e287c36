//! Mutated scripts: the reader may refuse them, the runner may find them unlike anything,
//! and neither may panic or run for ever.

#![allow(clippy::disallowed_methods, reason = "reads the scripts of this crate")]

use std::fs;
use std::path::Path;

use farpath_drill::{Verdict, parse};
use farpath_mutate::{Corpus, run};

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

fn scripts() -> Vec<String> {
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

#[test]
fn scripts_are_refused_or_run_to_a_verdict() {
    let scripts = scripts();
    let corpus = Corpus::of(scripts.iter().map(String::as_str)).odd(ODD);
    let outcomes = run(&corpus, |text, _| {
        let script = match parse(text) {
            Ok(script) => script,
            Err(e) => {
                assert!(!e.to_string().is_empty());
                return "refused";
            }
        };
        let verdict = farpath_drill::run(&script, &|_| None);
        assert!(!verdict.to_string().is_empty());
        match verdict {
            Verdict::Pass => "pass",
            Verdict::Differs { .. } => "differ",
            Verdict::Unsupported { .. } => "unsupported",
        }
    });
    for outcome in ["refused", "pass", "differ"] {
        outcomes.at_least(outcome, 0.02);
    }
    outcomes.at_least("unsupported", 0.004);
}
