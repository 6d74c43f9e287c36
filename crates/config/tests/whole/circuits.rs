//! Circuits over two routers: walked, checked, broken, written.

use farpath_config::ccc::snaky::{Router, Snaky, SnakyError};
use farpath_config::{Dialect, Finding, Report, Severity, Source, check, doubts};
use farpath_mutate::{Single, single_changes};
use farpath_units::Rate;

use crate::source;

const UTRECHT: &str = include_str!("../data/utrecht.conf");
const PORTO: &str = include_str!("../data/porto.set");

fn sources(texts: [&str; 2]) -> Vec<Source> {
    let names = ["utrecht.conf", "porto.set"].into_iter();
    names.zip(texts).map(|(n, t)| source(n, t)).collect()
}

fn checked(texts: [&str; 2]) -> Report {
    check(&sources(texts), &[])
}

/// Numbers of the certain findings of at least this severity, once each.
fn ids(report: &Report, least: Severity) -> Vec<&str> {
    let found = report.findings.iter();
    let found = found.filter(|f| f.severity >= least && !f.is_uncertain());
    let mut ids: Vec<&str> = found.map(|f| &*f.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// What is found when text in Utrecht's file, then in Porto's, is replaced.
fn changed(utrecht: &[(&str, &str)], porto: &[(&str, &str)]) -> Report {
    let apply = |text: &str, changes: &[(&str, &str)]| {
        changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    };
    checked([&apply(UTRECHT, utrecht), &apply(PORTO, porto)])
}

#[test]
fn the_pair_walks_there_and_back_and_nothing_is_wrong() {
    let report = checked([UTRECHT, PORTO]);
    assert_eq!(report.files[0].dialect, Dialect::Junos);
    assert_eq!(report.files[1].dialect, Dialect::JunosSet);
    for file in &report.files {
        assert_eq!(file.status().name(), "PASSED", "{file:?}");
    }
    let [circuit] = &report.circuits[..] else {
        panic!("one circuit, not {:?}", report.circuits);
    };
    assert!(circuit.complete);
    let lsps = |chain: &farpath_config::ccc::Chain| -> Vec<String> {
        chain.crossings.iter().map(|c| c.lsp.clone()).collect()
    };
    assert_eq!(lsps(&circuit.forward), ["north-1", "south-2", "north-3"]);
    let reverse = circuit.reverse.as_ref().expect("it has one");
    assert_eq!(lsps(reverse), ["south-1", "north-2", "south-3"]);
    assert_eq!((circuit.one_way(), circuit.both_ways()), (2, 3));
    assert_eq!(circuit.crossings(), 6);
    assert_eq!(ids(&report, Severity::Warning), [""; 0]);
    assert_eq!(ids(&report, Severity::Info), ["CCC013", "CCC016", "CCC021"]);
}

#[test]
fn a_value_of_a_group_says_where_it_was_applied() {
    let report = checked([UTRECHT, PORTO]);
    let port = report.routers[0]
        .interfaces
        .iter()
        .find(|i| i.name == "ge-0/2/3");
    let mtu = port
        .and_then(|p| p.mtu.as_ref())
        .expect("the group gives it");
    let shown = |p: &farpath_config::Place| UTRECHT[p.span.clone()].to_owned();
    assert_eq!(shown(&mtu.place), "9018");
    assert_eq!(mtu.applied.as_ref().map(shown).as_deref(), Some("customer"));
}

#[test]
fn each_fault_is_found_by_its_check() {
    type Changes<'c> = &'c [(&'c str, &'c str)];
    let cases: &[(&str, Changes<'_>, Changes<'_>)] = &[
        (
            "CCC001",
            &[("transmit-lsp north-1", "transmit-lsp north-9")],
            &[],
        ),
        (
            "CCC002",
            &[("receive-lsp south-3", "receive-lsp east-3")],
            &[],
        ),
        (
            "CCC003",
            &[],
            &[("south-3 to 203.0.113.1", "south-3 to 203.0.113.2")],
        ),
        (
            "CCC004",
            &[],
            &[(
                "set protocols connections lsp-switch fold-out receive-lsp north-1\n",
                "",
            )],
        ),
        (
            "CCC005",
            &[("transmit-lsp north-2", "transmit-lsp north-3")],
            &[],
        ),
        (
            "CCC006",
            &[
                ("receive-lsp south-2", "receive-lsp south-9"),
                ("receive-lsp south-1", "receive-lsp south-2"),
            ],
            &[
                (
                    "fold-back receive-lsp north-2",
                    "fold-back receive-lsp north-9",
                ),
                (
                    "fold-out receive-lsp north-1",
                    "fold-out receive-lsp north-1\nset protocols connections lsp-switch round receive-lsp north-2\nset protocols connections lsp-switch round transmit-lsp south-2",
                ),
            ],
        ),
        (
            "CCC008",
            &[(
                "lsp-switch fold-back {\n            transmit-lsp north-2;\n            receive-lsp south-1;\n        }",
                "",
            )],
            &[],
        ),
        (
            "CCC010",
            &[(
                "label-switched-path north-3",
                "static-label-switched-path north-3",
            )],
            &[],
        ),
        ("CCC011", &[("vlan-tagging;", "")], &[]),
        ("CCC011", &[("vlan-id 733", "vlan-id 734")], &[]),
        (
            "CCC012",
            &[("interface so-2/1/0.0;\n    }\n    mpls", "}\n    mpls")],
            &[],
        ),
        (
            "CCC013",
            &[("mtu 9040", "mtu 9020")],
            &[("mpls mtu 9040", "mpls mtu 9020")],
        ),
        ("CCC014", &[("mtu 9018", "mtu 9000")], &[]),
        (
            "CCC015",
            &[(
                "interface so-2/1/0.0;\n    }\n    mpls",
                "interface so-2/1/0.0 { bandwidth 8g; }\n    }\n    mpls",
            )],
            &[],
        ),
        (
            "CCC017",
            &[("mtu 9100;", "mtu 9100; link-mode half-duplex;")],
            &[],
        ),
        (
            "CCC018",
            &[(
                "label-switched-path north-3 {",
                "label-switched-path spare { to 203.0.113.2; }\n label-switched-path north-3 {",
            )],
            &[],
        ),
        (
            "CCC019",
            &[(
                "family ccc;",
                "family ccc; family inet { address 10.0.0.1/24; }",
            )],
            &[],
        ),
        (
            "CCC020",
            &[("lsp-switch fold-out", "inactive: lsp-switch fold-out")],
            &[],
        ),
        (
            "CCC022",
            &[(
                "bandwidth 3g;\n        }\n        interface",
                "bandwidth 3g; fast-reroute;\n        }\n        interface",
            )],
            &[],
        ),
    ];
    for (id, utrecht, porto) in cases {
        let report = changed(utrecht, porto);
        let faults: Vec<_> = report.files.iter().flat_map(|f| &f.faults).collect();
        assert_eq!(faults, Vec::<&farpath_config::Fault>::new(), "{id}");
        let all = ids(&report, Severity::Info);
        assert!(
            all.contains(id),
            "{id} not in {all:?}: {:#?}",
            report.findings
        );
    }
}

#[test]
fn chains_stitched_crosswise_end_at_the_wrong_interface() {
    let second = "
set interfaces ge-1/0/4 unit 734 encapsulation vlan-ccc
set interfaces ge-1/0/4 unit 734 vlan-id 734
set interfaces ge-1/0/4 unit 734 family ccc
set protocols mpls label-switched-path south-4 to 203.0.113.1
set protocols connections remote-interface-switch other interface ge-1/0/4.734
set protocols connections remote-interface-switch other transmit-lsp south-4
";
    let porto =
        format!("{PORTO}{second}").replace("fold receive-lsp north-3", "other receive-lsp north-3");
    let utrecht = UTRECHT.replace(
        "lsp-switch fold-out",
        "remote-interface-switch third { interface ge-0/2/3.735; transmit-lsp north-3; receive-lsp south-4; }\nlsp-switch fold-out",
    );
    let report = checked([&utrecht, &porto]);
    assert!(
        ids(&report, Severity::Error).contains(&"CCC007"),
        "{:#?}",
        report.findings
    );
}

#[test]
fn chains_of_different_length_are_told() {
    let utrecht = UTRECHT
        .replace("receive-lsp south-3", "receive-lsp south-1")
        .replace("lsp-switch fold-back {\n            transmit-lsp north-2;\n            receive-lsp south-1;\n        }", "");
    let porto: String = PORTO
        .lines()
        .filter(|l| !l.contains("fold-back"))
        .map(|l| format!("{l}\n"))
        .collect();
    let report = checked([&utrecht, &porto]);
    assert!(
        ids(&report, Severity::Warning).contains(&"CCC009"),
        "{:#?}",
        report.findings
    );
}

#[test]
fn a_statement_nobody_knows_makes_findings_uncertain_and_none_certain() {
    let before = checked([UTRECHT, PORTO]);
    let porto = PORTO.replace("fold-out receive-lsp", "fold-out take-from");
    let report = checked([UTRECHT, &porto]);
    assert_eq!(
        ids(&report, Severity::Warning),
        ids(&before, Severity::Warning)
    );
    let doubted: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.is_uncertain())
        .collect();
    assert!(doubted.iter().any(|f| f.rule == "CCC004"));
    assert_eq!(report.files[1].status().name(), "PARTIALLY_UNRECOGNISED");
    let named = &doubts(doubted[0])[0];
    let line = sources([UTRECHT, &porto])[1]
        .line_and_column(named.span.start)
        .0;
    assert_eq!(
        porto.lines().nth(line - 1).map(|l| l.contains("take-from")),
        Some(true)
    );
}

#[test]
fn one_file_alone_gives_warnings_where_the_other_is_missing() {
    let source = &sources([UTRECHT, PORTO])[..1];
    let report = check(source, &[]);
    assert_eq!(
        ids(&report, Severity::Error),
        [""; 0],
        "{:#?}",
        report.findings
    );
    assert!(ids(&report, Severity::Warning).contains(&"CCC002"));
}

fn snaky(passes: u32) -> Snaky {
    let router = |name: &str, core: &str, address: [u8; 4], access: &str| Router {
        name: name.to_owned(),
        core: core.to_owned(),
        address: address.into(),
        access: access.to_owned(),
    };
    Snaky {
        passes,
        routers: [
            router("ams", "so-1/0/0", [192, 0, 2, 1], "ge-1/1/0"),
            router("nyc", "so-0/2/0", [192, 0, 2, 2], "ge-0/1/0"),
        ],
        prefix: 30,
        vlan: 600,
        mtu: 9000,
        rate: Rate::from_bps(9_584_640_000).expect("not zero"),
    }
}

fn written(passes: u32, dialect: Dialect) -> Vec<Source> {
    let texts = snaky(passes).write(dialect).expect("it can be written");
    texts
        .into_iter()
        .enumerate()
        .map(|(n, text)| source(&format!("r{n}"), &text))
        .collect()
}

#[test]
fn what_is_written_passes_its_checks_in_both_forms() {
    for passes in [1, 3, 5, 7, 9] {
        for dialect in [Dialect::Junos, Dialect::JunosSet] {
            let report = check(&written(passes, dialect), &[]);
            assert_eq!(report.files[0].dialect, dialect);
            assert_eq!(report.files[0].status().name(), "PASSED");
            assert_eq!(
                ids(&report, Severity::Warning),
                [""; 0],
                "{:#?}",
                report.findings
            );
            let [circuit] = &report.circuits[..] else {
                panic!("one circuit");
            };
            assert!(circuit.complete);
            assert_eq!(circuit.both_ways(), passes);
            assert_eq!(circuit.one_way(), passes.div_ceil(2));
            assert_eq!(circuit.crossings() as u32, 2 * passes);
        }
    }
    assert_eq!(snaky(4).write(Dialect::Junos), Err(SnakyError::Even(4)));
    assert_eq!(snaky(0).write(Dialect::Junos), Err(SnakyError::Passes(0)));
}

/// Why a change nobody noticed means the same.
fn equivalent(change: &Single) -> Option<&'static str> {
    let line = &change.line;
    let word = change.word.as_ref().map_or("", |(word, _)| word);
    if line.contains("host-name") || line == "system {" {
        return Some("the host name is only shown");
    }
    if line.contains("from 192.0.2.") {
        return Some("without `from` the router takes an address of its own");
    }
    let connection = line.contains("remote-interface-switch") || line.contains("lsp-switch");
    if connection && line.ends_with('{') && (word.starts_with("snaky-") || word.starts_with('S')) {
        return Some("a connection's name is only shown");
    }
    None
}

/// Whether a warning, an error or text that cannot be read comes of a change.
fn is_noticed(files: &[Source], dialect: Dialect) -> bool {
    let report = check(files, &vec![Some(dialect); files.len()]);
    let warned = |f: &Finding| f.severity >= Severity::Warning;
    report.failed() || report.findings.iter().any(warned)
}

#[test]
fn changes_to_a_written_configuration_are_found() {
    for passes in [3, 5, 7, 9] {
        for dialect in [Dialect::Junos, Dialect::JunosSet] {
            let sources = written(passes, dialect);
            let (mut found, mut same, mut missed) = (0, 0, Vec::new());
            for number in 0..sources.len() {
                let mut files = sources.clone();
                for mut change in single_changes(&sources[number].text) {
                    files[number].text = core::mem::take(&mut change.text);
                    if is_noticed(&files, dialect) {
                        found += 1;
                    } else if equivalent(&change).is_some() {
                        same += 1;
                    } else {
                        missed.push(change);
                    }
                }
            }
            let share = f64::from(found) / (f64::from(found) + missed.len() as f64);
            println!(
                "| {passes} | `{dialect}` | {found} | {same} | {} | {:.1} % |",
                missed.len(),
                100.0 * share
            );
            assert!(share >= 0.95, "{passes} {dialect}: {missed:#?}");
        }
    }
}

#[test]
fn a_report_reads_like_a_compilers() {
    let porto = PORTO.replace("south-3 to 203.0.113.1", "south-3 to 203.0.113.7");
    let both = sources([UTRECHT, &porto]);
    let report = check(&both, &[]);
    let text = farpath_config::render::text(&report, &both, false);
    assert_eq!(text, include_str!("../data/report.txt"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 80));
}
