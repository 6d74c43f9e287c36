//! Mutated inputs: they may be refused, and must not panic, nor must their messages.

use farpath_config::{Dialect, check, json, render, sarif};
use farpath_mutate::{Corpus, run};

use crate::source;

const CORPUS: [&str; 3] = [
    include_str!("../data/utrecht.conf"),
    include_str!("../data/porto.set"),
    "logical-systems { one { interfaces { interface-range r { member xe-0/0/*; member-range xe-0/0/0 to xe-0/0/9; mtu 9; } } } }
class-of-service { schedulers { s { transmit-rate percent 5; priority low; } } scheduler-maps { m { forwarding-class b scheduler s; } } interfaces { xe-0/0/0 { scheduler-map m; } } }
class-of-service { classifiers { dscp c { import default; forwarding-class b { loss-priority low code-points [ ef 001010 ]; } } exp e { forwarding-class b { loss-priority low code-points 010; } } } interfaces { xe-* { unit * { forwarding-class b; classifiers { dscp c; exp e; } } } } }
firewall { family inet { filter f { term t { from { dscp [ ef 8 ]; precedence 5; exp 3; } then { policer p; accept; } } term u { then discard; } } } filter g { term t { then policer q; } } }
interfaces { xe-0/0/0 { unit 0 { family inet { filter { input f; output g; } policer { input p; } } } } }
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

#[test]
fn junos_is_read_or_refused() {
    let corpus = Corpus::of(CORPUS).odd(&ODD).by_lines(15);
    let outcomes = run(&corpus, |text, luck| {
        let sources = [source("x", text)];
        let dialect = [Dialect::Junos, Dialect::JunosSet][luck.below(2)];
        let report = check(&sources, &[Some(dialect)]);
        if luck.odds(16) {
            assert!(!render::text(&report, &sources, false).is_empty());
            assert!(!json::document(&report, &sources).is_empty());
            assert!(!sarif::log(&report, &sources, "0").to_string().is_empty());
        }
        if report.failed() { "refused" } else { "read" }
    });
    outcomes.at_least("read", 0.05).at_least("refused", 0.05);
}
