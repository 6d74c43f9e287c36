//! Every shipped scenario is right, and says what its name promises.

use farpath_scenario::{
    Ccc, Loss, QueueLimit, Scenario, Source, TestKind, Way, load, parse, shipped, template,
};
use farpath_units::{Duration, Rate, Size};

fn read(name: &str) -> Scenario {
    let source = load(name).expect("it is shipped");
    parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn all_of_them_parse_and_state_their_sources() {
    let mut names = Vec::new();
    for s in shipped() {
        let scenario = read(&s.name);
        assert!(scenario.source.is_some(), "{} names no source", s.name);
        for e in &scenario.expects {
            assert!(
                e.stated.is_some() && e.source.is_some(),
                "{}: {} states nothing",
                s.name,
                e.metric
            );
        }
        names.push(s.name);
    }
    for wanted in [
        "capacity",
        "five-passes",
        "five-passes-one-loss",
        "one-pass",
        "three-passes",
        "two-passes",
        "window-sweep",
    ] {
        assert!(
            names.contains(&format!("cern-snaky/{wanted}")),
            "{wanted} is missing"
        );
    }
}

#[test]
fn the_template_parses() {
    let source = Source {
        name: "my-path.toml".to_owned(),
        text: template().to_owned(),
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        (
            scenario.hosts.len(),
            scenario.links.len(),
            scenario.tests.len()
        ),
        (2, 2, 2)
    );
}
