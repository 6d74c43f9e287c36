//! Junos text: read, printed, refused.

use farpath_config::Dialect;
use farpath_config::junos::print::{to_braces, to_set};
use farpath_config::junos::{MOST_NESTED, Parsed, parse};
use proptest::prelude::*;

use crate::{checked, found, source};

const UTRECHT: &str = include_str!("../data/utrecht.conf");
const PORTO: &str = include_str!("../data/porto.set");

fn lines(text: &str, dialect: Dialect) -> Vec<String> {
    let parsed = parse(text, dialect);
    assert_eq!(parsed.problems, []);
    to_set(&parsed.tree)
}

/// Line, column and message of each problem.
fn problems(text: &str) -> Vec<(usize, usize, String)> {
    let Parsed { problems, .. } = parse(text, Dialect::Junos);
    let source = source("a.conf", text);
    let told = |p: farpath_config::junos::Problem| {
        assert!(!p.remedy.is_empty());
        let (line, column) = source.line_and_column(p.span.start);
        (line, column, p.message)
    };
    problems.into_iter().map(told).collect()
}

#[test]
fn every_byte_is_printed_again() {
    for (text, dialect) in [(UTRECHT, Dialect::Junos), (PORTO, Dialect::JunosSet)] {
        assert_eq!(parse(text, dialect).tokens.print(), text);
    }
}

#[test]
fn both_forms_come_to_one_tree() {
    for (text, dialect) in [(UTRECHT, Dialect::Junos), (PORTO, Dialect::JunosSet)] {
        let tree = parse(text, dialect).tree;
        let set = to_set(&tree).join("\n");
        assert_eq!(parse(&set, Dialect::JunosSet).tree, tree);
        let braces = to_braces(&tree);
        assert_eq!(parse(&braces, Dialect::Junos).tree, tree, "{braces}");
    }
}

#[test]
fn braces_are_written_as_a_router_does() {
    let set = "set interfaces so-1/0/0 unit 0 family mpls mtu 9188
set protocols mpls label-switched-path a to 192.0.2.1
set protocols mpls label-switched-path b to 192.0.2.2
set interfaces so-1/0/0 description \"to the coast\"
deactivate protocols mpls label-switched-path b";
    let braces = "interfaces {
    so-1/0/0 {
        unit 0 {
            family mpls {
                mtu 9188;
            }
        }
        description \"to the coast\";
    }
}
protocols {
    mpls {
        label-switched-path a {
            to 192.0.2.1;
        }
        inactive: label-switched-path b {
            to 192.0.2.2;
        }
    }
}
";
    assert_eq!(to_braces(&parse(set, Dialect::JunosSet).tree), braces);
}

#[test]
fn lists_marks_and_comments_are_understood() {
    let text = "a { /* c */ x [ p q ]; # d\n inactive: y 1; protect: z { w 2; } password \"$9$x\"; ## SECRET-DATA\n}";
    assert_eq!(
        lines(text, Dialect::Junos),
        [
            "set a x p",
            "set a x q",
            "set a y 1",
            "deactivate a y 1",
            "set a z w 2",
            "protect a z",
            "set a password \"$9$x\""
        ]
    );
}

#[test]
fn commands_undo_commands() {
    let text = "set a b c\nset a b d\ndelete a b c\nset e [ f g ]\ndeactivate e\nset h i\ndelete h\nset j\ndeactivate j\nactivate j\nset a b c";
    assert_eq!(
        lines(text, Dialect::JunosSet),
        [
            "set a b d",
            "set a b c",
            "set e f",
            "set e g",
            "deactivate e",
            "set j"
        ]
    );
}

#[test]
fn replace_and_delete_tags_take_out_what_was_there() {
    let text = "a { b { c 1; } d 2; }\na { replace: b { e 3; } delete: d; }";
    assert_eq!(lines(text, Dialect::Junos), ["set a b e 3"]);
}

#[test]
fn groups_are_applied_where_named_and_yield_to_what_is_there() {
    let text =
        "groups { g { interfaces { <xe-*> { mtu 9192; speed 10g; unit <*> { family mpls; } } } }
        h { interfaces { xe-0/0/1 { mtu 4000; description far; } } } }
        apply-groups [ g h ];
        interfaces { xe-0/0/0 { mtu 1500; unit 0; } xe-0/0/1 { unit 5; }
        xe-0/0/2 { apply-groups-except g; unit 0; } ge-0/0/0 { unit 0; } }";
    let all = lines(text, Dialect::Junos);
    let of = |name: &str| -> Vec<&str> {
        let path = format!("set interfaces {name} ");
        all.iter().filter_map(|l| l.strip_prefix(&path)).collect()
    };
    assert_eq!(
        of("xe-0/0/0"),
        ["mtu 1500", "unit 0 family mpls", "speed 10g"]
    );
    assert_eq!(
        of("xe-0/0/1"),
        [
            "unit 5 family mpls",
            "mtu 9192",
            "speed 10g",
            "description far"
        ]
    );
    assert_eq!(of("xe-0/0/2"), ["apply-groups-except g", "unit 0"]);
    assert_eq!(of("ge-0/0/0"), ["unit 0"]);
}

#[test]
fn ranges_give_their_members_what_they_say() {
    let text = "interfaces { interface-range edge { member xe-0/0/7; member-range xe-0/0/0 to xe-0/0/1; mtu 9000; }
        xe-0/0/0 { mtu 1500; } xe-0/0/1 { unit 0; } xe-0/0/2 { unit 0; } }";
    let all = lines(text, Dialect::Junos);
    for (line, there) in [
        ("set interfaces xe-0/0/7 mtu 9000", true),
        ("set interfaces xe-0/0/0 mtu 1500", true),
        ("set interfaces xe-0/0/0 mtu 9000", false),
        ("set interfaces xe-0/0/1 mtu 9000", true),
        ("set interfaces xe-0/0/2 mtu 9000", false),
    ] {
        assert_eq!(all.iter().any(|l| l == line), there, "{line}: {all:?}");
    }
}

#[test]
fn one_fault_gives_one_error_and_reading_goes_on() {
    let told = |line: usize, column: usize, message: &str| vec![(line, column, message.to_owned())];
    for (text, expected) in [
        (
            "a {\n    b 1;\n",
            told(1, 3, "the block `a` is never closed"),
        ),
        (
            "a {\n    b {\n        c 1;\n    d 2;\n}\n",
            told(2, 7, "the block `a b` is never closed"),
        ),
        (
            "a {\n    b 1;\n}\n}\nc 2;\n",
            told(4, 1, "`}` closes nothing"),
        ),
        (
            "a {\n    b {\n        c 1;\n    }\n    }\n    d 1;\n}\n",
            told(5, 5, "`}` closes nothing"),
        ),
        (
            "a {\n    b 1\n    c 2;\n}\n",
            told(2, 7, "no `;` after `1`"),
        ),
        ("a {\n    b 1\n}\n", told(2, 7, "no `;` after `1`")),
        (
            "a {\n    b \"x;\n    c 2;\n}\n",
            told(2, 7, "this string is never closed"),
        ),
        (
            "a 1; /* b\nc 2;\n",
            told(1, 6, "this comment is never closed"),
        ),
        ("a [ b c;\nd 1;\n", told(1, 3, "this list is never closed")),
        ("a ] b;\n", told(1, 3, "`]` closes nothing")),
        ("{ a 1; }\n", told(1, 1, "this block has no name")),
        (
            "a { apply-groups x; }",
            told(1, 18, "there is no group `x`"),
        ),
    ] {
        assert_eq!(problems(text), expected, "{text}");
    }
    let deep = "a {".repeat(MOST_NESTED + 5) + &"}".repeat(MOST_NESTED + 5) + " b 1;";
    let found = problems(&deep);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].2.contains("nested deeper than 64"));
    let endless = "a {".repeat(200_000);
    assert_eq!(problems(&endless).len(), 2);
    let long = format!("{};", "a ".repeat(100_000));
    assert!(problems(&long)[0].2.contains("more than 256 words"));
}

#[test]
fn a_line_that_is_no_command_is_told_and_left_out() {
    let parsed = parse(
        "set a b\nbegin c\nset\nset d }\nset e \"f\n",
        Dialect::JunosSet,
    );
    let messages: Vec<&str> = parsed.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`begin` is not a command here",
            "the line names no statement",
            "this has no place in a `set` line",
            "this string is never closed"
        ]
    );
    assert_eq!(to_set(&parsed.tree), ["set a b", "set e \"f\""]);
}

/// Statements over a small vocabulary, so that paths share beginnings.
fn statements() -> impl Strategy<Value = Vec<Vec<String>>> {
    let word = prop::sample::select(vec![
        "interfaces",
        "xe-0/0/0",
        "unit",
        "0",
        "family",
        "mpls",
        "mtu",
        "9000",
        "protocols",
        "label-switched-path",
        "to",
        "192.0.2.1",
        "a b",
        "x;y",
        "",
    ]);
    let statement = prop::collection::vec(word.prop_map(str::to_owned), 1..7);
    prop::collection::vec(statement, 0..20)
}

proptest! {
    #[test]
    fn set_lines_braces_and_trees_agree(all in statements()) {
        let quoted = |w: &String| if w.contains([' ', ';']) || w.is_empty() { format!("\"{w}\"") } else { w.clone() };
        let lines: Vec<String> = all
            .iter()
            .map(|s| format!("set {}", s.iter().map(quoted).collect::<Vec<_>>().join(" ")))
            .collect();
        let text = lines.join("\n");
        let parsed = parse(&text, Dialect::JunosSet);
        prop_assert_eq!(parsed.problems, vec![]);
        let braces = to_braces(&parsed.tree);
        let again = parse(&braces, Dialect::Junos);
        prop_assert_eq!(again.problems, vec![]);
        prop_assert_eq!(&again.tree, &parsed.tree);
        prop_assert_eq!(again.tokens.print(), braces);
    }

    #[test]
    fn any_text_is_printed_again(text in "[a-z {};\"\\[\\]#/*\n\u{a0}é]{0,60}") {
        prop_assert_eq!(parse(&text, Dialect::Junos).tokens.print(), text);
    }
}

/// A router with a policer that is applied, one that is not, and statements of other matters.
const EDGE: &str = "version 12.1;
system { host-name a; }
firewall {
    policer used { if-exceeding { bandwidth-limit 1g; burst-size-limit 62500; } then discard; }
    policer spare { if-exceeding { bandwidth-limit 1g; burst-size-limit 12m; } then discard; }
    family ccc { filter in { term all { then { policer used; count c; accept; } } } }
}
interfaces {
    xe-0/0/0 {
        description customer;
        hold-time up 100 down 100;
        encapsulation ethernet-ccc;
        unit 0 { family ccc { filter { input in; } } }
    }
}
routing-options { static { route 0.0.0.0/0 discard; } }
";

#[test]
fn statements_without_effect_are_named_by_their_lines() {
    let report = checked(EDGE, Dialect::Junos);
    let source = source("a.conf", EDGE);
    let idle = &report.files[0].without_effect;
    let lines: Vec<usize> = idle
        .iter()
        .map(|p| source.line_and_column(p.span.start).0)
        .collect();
    // The spare policer's three, `count`, `hold-time` and the route.
    assert_eq!(lines, [5, 5, 5, 6, 11, 16]);
    let text = farpath_config::render::text(&report, &[source], false);
    assert!(
        text.contains("6 statements have no effect in a run\n")
            && text.contains("  and 1 more, line 16\n"),
        "{text}"
    );
    // An inactive statement is meant to do nothing, and a description says what is meant.
    let off = checked(
        &EDGE.replace("        hold-time", "        inactive: hold-time"),
        Dialect::Junos,
    );
    assert_eq!(off.files[0].without_effect.len(), 5);
}

/// One bucket on a ge- port beside an xe- port: 950 Mbit/s of 1 Gbit/s leaves most segments of a burst, of 10 Gbit/s few. The
/// figures are those of the law of `policed_tcp` for either line.
#[test]
fn a_policer_is_judged_by_the_port_it_is_on() {
    use farpath_config::qos::policed_tcp;
    use farpath_units::{Duration, Rate, Size};
    let with = |ge: &str, xe: &str| {
        let text = format!(
            "interfaces {{ ge-0/0/1 {{ unit 0 {{ family inet {{ filter {{ {ge} }} address 192.0.2.1/30; }} }} }} xe-0/0/0 {{ unit 0 {{ family inet {{ filter {{ {xe} }} address 192.0.2.5/30; }} }} }} }}
firewall {{ policer p {{ if-exceeding {{ bandwidth-limit 950m; burst-size-limit 50k; }} then discard; }} family inet {{ filter f {{ term a {{ then {{ policer p; accept; }} }} }} }} }}"
        );
        let report = checked(&text, Dialect::Junos);
        let found = report.findings.iter().find(|f| f.rule == "QOS011");
        found.map(|f| f.text.clone()).unwrap_or_default()
    };
    let gets = |line: u64| {
        let [rate, line] = [950_000_000, line].map(|bps| Rate::from_bps(bps).expect("a rate"));
        let rtt = Duration::from_ms(100);
        let got = policed_tcp(rate, Size::from_bytes(50_000), Some(line), rtt);
        format!("gets about {:.1}", got.expect("something passes"))
    };
    let (slow, fast) = (gets(1_000_000_000), gets(10_000_000_000));
    assert_ne!(slow, fast);
    for (ge, xe, says) in [
        ("input f;", "", &slow),
        ("", "input f;", &fast),
        ("input f;", "input f;", &fast),
        // What leaves a port came in at another one.
        ("output f;", "", &fast),
        ("", "", &fast),
    ] {
        let said = with(ge, xe);
        assert!(said.contains(says), "{ge} {xe}: {said}");
    }
}

/// Ethernet's header is 14 bytes, 18 with a tag: 9000 needs a port of 9014 or 9018.
#[test]
fn an_mtu_of_a_protocol_is_held_against_the_ports() {
    let found = |name: &str, port: &str, unit: &str| {
        let text = format!(
            "interfaces {{ {name} {{ {port} unit 0 {{ {unit} family inet {{ mtu 9000; address 192.0.2.1/30; }} }} }} }}"
        );
        let report = checked(&text, Dialect::Junos);
        let found = report.findings.iter().filter(|f| f.rule == "QOS022");
        found.map(|f| f.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        found("ge-0/0/0", "", ""),
        [
            "`family inet mtu 9000` of ge-0/0/0.0 needs a port of 9014 bytes, and `ge-0/0/0` has 1514 by default"
        ]
    );
    assert_eq!(
        found("xe-0/0/0", "vlan-tagging; mtu 9014;", "vlan-id 5;"),
        [
            "`family inet mtu 9000` of xe-0/0/0.0 needs a port of 9018 bytes, and `xe-0/0/0` has 9014"
        ]
    );
    for (name, port) in [("ge-0/0/0", "mtu 9014;"), ("ae0", "mtu 9192;"), ("lo0", "")] {
        assert_eq!(found(name, port, ""), Vec::<String>::new(), "{name} {port}");
    }
}

#[test]
fn an_lsp_to_a_router_that_is_not_given_is_named() {
    let text = |more: &str| {
        format!(
            "system {{ host-name r1; }} interfaces {{ lo0 {{ unit 0 {{ family inet {{ address 192.0.2.1/32; {more} }} }} }} }}
protocols {{ mpls {{ label-switched-path a {{ to 192.0.2.9; }} label-switched-path b {{ to 192.0.2.9; }} }} }}"
        )
    };
    let found = |text: &str| {
        let report = checked(text, Dialect::Junos);
        let found = report.findings.iter().filter(|f| f.rule == "CCC024");
        found.map(|f| f.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        found(&text("")),
        [
            "LSP `a` of `r1` goes to 192.0.2.9, an address that none of the given routers has, and so does another"
        ]
    );
    assert_eq!(found(&text("address 192.0.2.9/32;")), Vec::<String>::new());
}

#[test]
fn policers_and_their_names_are_checked() {
    let found = |text: &str| -> Vec<String> {
        let report = checked(text, Dialect::Junos);
        let lines = report.findings.iter();
        lines.map(|f| format!("{} {}", f.rule, f.text)).collect()
    };
    let all = found(EDGE);
    assert!(
        all.iter()
            .any(|l| l.starts_with("QOS011 policer used: a burst of")),
        "{all:?}"
    );
    assert!(!all.iter().any(|l| l.contains("spare")), "{all:?}");
    let all = found(&EDGE.replace("input in;", "input inn;"));
    assert!(
        all.contains(&"JUN001 filter `inn` is not defined".to_owned()),
        "{all:?}"
    );
    let mpls = "protocols { mpls { label-switched-path l { to 192.0.2.9; primary via-a; } path via-b { 192.0.2.2 strict; } } }";
    let all = found(mpls);
    assert!(
        all.contains(&"JUN001 path `via-a` is not defined".to_owned()),
        "{all:?}"
    );
    let all = found(&mpls.replace("via-b", "via-a"));
    assert!(!all.iter().any(|l| l.contains("via-a")), "{all:?}");
    let all = found(&EDGE.replacen("then discard;", "then loss-priority high;", 1));
    assert!(
        all.iter().any(|l| l.starts_with("JUN002 policer used")),
        "{all:?}"
    );
}

/// Two classes of one code point, and a class that nothing defines: either is refused when it is committed.
#[test]
fn a_classifier_has_each_code_point_once_and_its_classes_are_defined() {
    let found = |text: &str| -> Vec<String> {
        let source = crate::source("a.conf", text);
        let report =
            farpath_config::check(std::slice::from_ref(&source), &[Some(Dialect::JunosSet)]);
        let at = |f: &farpath_config::Finding| {
            source
                .line_and_column(farpath_config::place(f).span.start)
                .0
        };
        let grave = report.findings.iter();
        let grave = grave.filter(|f| f.severity == farpath_config::Severity::Error);
        grave
            .map(|f| format!("{} {} {}", f.rule, at(f), f.text))
            .collect()
    };
    let text = "set system host-name r1
set class-of-service classifiers dscp C forwarding-class SCAV loss-priority high code-points cs1
set class-of-service classifiers dscp C forwarding-class BULK loss-priority low code-points cs1
set class-of-service forwarding-classes class BULK queue-num 2
";
    let none: [String; 0] = [];
    let all = found(text);
    for said in [
        "JUN001 2 forwarding-class `SCAV` is not defined",
        "JUN003 3 classifier `C` classes code point 001000 into `SCAV` and into `BULK`: Junos refuses to commit it",
    ] {
        assert!(all.contains(&said.to_owned()), "{said}: {all:?}");
    }
    assert_eq!(all.len(), 2, "{all:?}");
    // The same by another name, in binary, and of a label's three bits.
    let binary = found(&text.replacen("code-points cs1", "code-points 001000", 1));
    assert_eq!(binary, all);
    // Other code points, and classes that are there by default or by a queue, are sound.
    let sound = text
        .replace(
            "loss-priority low code-points cs1",
            "loss-priority low code-points cs2",
        )
        .replace("SCAV", "best-effort");
    assert_eq!(found(&sound), none);
    let by_queue = sound.replace("best-effort", "SCAV")
        + "set class-of-service forwarding-classes queue 3 SCAV\n";
    assert_eq!(found(&by_queue), none);
    // One class with a code point at two levels of loss is another matter than two classes.
    let twice = sound
        + "set class-of-service classifiers dscp C forwarding-class BULK loss-priority high code-points cs2\n";
    assert_eq!(found(&twice), none);
    for refers in [
        "set class-of-service interfaces ge-0/0/0 unit 0 forwarding-class SCAV\n",
        "set firewall family inet filter f term a then forwarding-class SCAV\n",
        "set class-of-service rewrite-rules dscp R forwarding-class SCAV loss-priority low code-point cs1\n",
    ] {
        let all = found(refers);
        assert!(
            all.contains(&"JUN001 1 forwarding-class `SCAV` is not defined".to_owned()),
            "{refers}: {all:?}"
        );
    }
}

const CLASSED: &str = "set class-of-service classifiers dscp IN forwarding-class assured-forwarding loss-priority low code-points af11
set class-of-service forwarding-classes queue 0 best-effort
set class-of-service forwarding-classes queue 2 assured-forwarding
set class-of-service forwarding-classes queue 4 bulk
set class-of-service scheduler-maps CORE forwarding-class best-effort scheduler BE
set class-of-service scheduler-maps CORE forwarding-class assured-forwarding scheduler AF
set class-of-service scheduler-maps CORE forwarding-class bulk scheduler BULK
set class-of-service schedulers BE transmit-rate percent 40
set class-of-service schedulers AF transmit-rate percent 5
set class-of-service schedulers BULK transmit-rate percent 55
set class-of-service interfaces xe-0/0/0 scheduler-map CORE
set class-of-service interfaces xe-0/0/1 unit 0 classifiers dscp IN
";

/// A class is filled by a classifier, a filter or an interface; shares are of one port.
#[test]
fn classes_without_frames_or_scheduler_and_shares_above_the_whole_are_found() {
    let found = |text: &str| -> Vec<String> {
        let found = found(text, Dialect::JunosSet, "JUN003");
        found.into_iter().map(|f| f.1).collect()
    };
    let idle = "class `bulk` has 55 % and a scheduler in `CORE`, and nothing is classed into it";
    assert_eq!(found(CLASSED), [idle]);
    for filled in [
        "set class-of-service classifiers dscp IN forwarding-class bulk loss-priority low code-points cs1\n",
        "set firewall family inet filter f term a then forwarding-class bulk\n",
        "set class-of-service interfaces xe-0/0/2 unit 0 forwarding-class bulk\n",
    ] {
        let none: [&str; 0] = [];
        assert_eq!(found(&format!("{CLASSED}{filled}")), none, "{filled}");
    }
    let high = CLASSED.replace("AF transmit-rate percent 5", "AF transmit-rate percent 15");
    assert_eq!(
        found(&high),
        ["the shares of scheduler-map `CORE` add up to 110 %", idle]
    );
    let left = CLASSED.replace("set class-of-service scheduler-maps CORE forwarding-class assured-forwarding scheduler AF\n", "");
    let missing = "classifier `IN` classes frames into `assured-forwarding`, and scheduler-map `CORE` has no scheduler for it";
    assert_eq!(found(&left), [missing, idle]);
    // What no interface has is nobody's.
    let unused = CLASSED.replace("xe-0/0/0 scheduler-map CORE", "xe-0/0/0 unit 0");
    assert!(found(&unused).is_empty());
}

const OPEN_ENDED: &str = "set interfaces xe-0/0/0 unit 0 family inet filter output SCAV
set firewall family inet filter SCAV term scav from dscp 8
set firewall family inet filter SCAV term scav then accept
";

/// What no term matches is discarded: a filter needs a term that takes all that is left.
#[test]
fn filters_that_end_in_a_discard_are_found_where_an_interface_has_them() {
    let found = |text: &str| found(text, Dialect::JunosSet, "JUN004");
    use farpath_config::Severity::{Error, Info, Warning};
    let with = |more: &str| found(&format!("{OPEN_ENDED}{more}"));
    let rest = "filter `SCAV` has no term that takes the rest, which is discarded";
    let none = format!("{rest}: no frame without a mark passes");
    assert_eq!(with(""), [(Error, none.clone())]);
    let term = "set firewall family inet filter SCAV term";
    // A term with conditions takes no rest, whatever it does.
    assert_eq!(
        with(&format!("{term} more from protocol tcp\n")),
        [(Warning, rest.to_owned())]
    );
    assert_eq!(
        with(&format!(
            "{term} more from dscp 8\n{term} more from protocol tcp\n"
        )),
        [(Error, none)]
    );
    for accepts in ["accept", "count all", "policer p", "forwarding-class be"] {
        assert_eq!(with(&format!("{term} rest then {accepts}\n")), []);
    }
    let meant = "filter `SCAV` discards in term `rest` what no term before it matches: no frame without a mark passes";
    for discards in ["discard", "reject"] {
        let closed = with(&format!(
            "{term} rest then {discards}\n{term} late then accept\n"
        ));
        assert_eq!(closed, [(Info, meant.to_owned())]);
    }
    // What no interface has discards nothing.
    let unused = OPEN_ENDED.replace("output SCAV", "output OTHER");
    assert_eq!(found(&unused), []);
}

/// Junos takes several leaves of a statement in one `set` line; the one form and the other come to one tree.
#[test]
fn leaves_of_one_statement_may_stand_in_one_line() {
    for (one, several) in [
        (
            "set firewall policer P1 if-exceeding bandwidth-limit 1g burst-size-limit 62500\nset firewall policer P1 then discard\n",
            "set firewall policer P1 if-exceeding bandwidth-limit 1g\nset firewall policer P1 if-exceeding burst-size-limit 62500\nset firewall policer P1 then discard\n",
        ),
        (
            "set firewall filter F term a then policer P1 accept\n",
            "set firewall filter F term a then policer P1\nset firewall filter F term a then accept\n",
        ),
        (
            "set interfaces xe-0/0/0 mtu 9192 encapsulation ethernet-ccc unit 0 family ccc filter input F\n",
            "set interfaces xe-0/0/0 mtu 9192\nset interfaces xe-0/0/0 encapsulation ethernet-ccc\nset interfaces xe-0/0/0 unit 0 family ccc filter input F\n",
        ),
        (
            "set groups G firewall policer P1 if-exceeding bandwidth-limit 1g burst-size-limit 62500\n",
            "set groups G firewall policer P1 if-exceeding bandwidth-limit 1g\nset groups G firewall policer P1 if-exceeding burst-size-limit 62500\n",
        ),
        // A value that is a word of the statement beside it.
        (
            "set system host-name mtu\nset interfaces xe-0/0/0 description mtu\n",
            "set system host-name mtu\nset interfaces xe-0/0/0 description mtu\n",
        ),
    ] {
        let lines_of = |text| lines(text, Dialect::JunosSet);
        assert_eq!(lines_of(one), lines_of(several), "{one}");
    }
    let text = "set interfaces xe-1/1/0 unit 0 family inet policer input P1\nset firewall policer P1 if-exceeding bandwidth-limit 1g burst-size-limit 62500\nset firewall policer P1 then discard\n";
    let report = checked(text, Dialect::JunosSet);
    let rules: Vec<&str> = report.findings.iter().map(|f| &*f.rule).collect();
    assert!(
        rules.contains(&"QOS011") && !rules.contains(&"JUN002"),
        "{rules:?}"
    );
}

/// Every name of class-of-service that is used and defined nowhere is one that Junos refuses.
#[test]
fn undefined_names_of_class_of_service_are_found() {
    for (line, name) in [
        (
            "class-of-service interfaces xe-0/0/0 unit 0 rewrite-rules exp N",
            "rewrite-rule",
        ),
        (
            "class-of-service schedulers S drop-profile-map loss-priority high protocol any drop-profile N",
            "drop-profile",
        ),
        (
            "class-of-service interfaces xe-0/0/0 output-traffic-control-profile N",
            "traffic-control-profile",
        ),
        (
            "class-of-service traffic-control-profiles T scheduler-map N",
            "scheduler-map",
        ),
        (
            "class-of-service rewrite-rules dscp R import N",
            "rewrite-rule",
        ),
        (
            "firewall family inet filter F term a from source-prefix-list N",
            "prefix-list",
        ),
        (
            "firewall family inet filter F term a then three-color-policer two-rate N",
            "three-color-policer",
        ),
    ] {
        let report = checked(
            &format!("set system host-name a\nset {line}\n"),
            Dialect::JunosSet,
        );
        let texts: Vec<&str> = report.findings.iter().map(|f| &*f.text).collect();
        let words = format!("{name} `N` is not defined");
        assert!(texts.contains(&&*words), "{line}: {texts:?}");
    }
    let text = "set class-of-service interfaces xe-0/0/0 unit 0 rewrite-rules dscp default\nset class-of-service interfaces xe-0/0/0 unit 0 rewrite-rules exp R\nset class-of-service rewrite-rules exp R import default\n";
    let report = checked(text, Dialect::JunosSet);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

/// Policies, communities and the prefix lists of policies, which Junos refuses to commit where nothing defines them.
#[test]
fn undefined_names_of_policies_are_found() {
    let sound = "set protocols bgp group X import [ IN CHECK ]
set protocols bgp group X export ( OUT && CHECK )
set protocols bgp group X neighbor 192.0.2.1 export OUT
set protocols ospf export OUT
set policy-options prefix-list NETS 192.0.2.0/24
set policy-options community BLUE members 65000:1
set policy-options policy-statement IN term a from prefix-list NETS
set policy-options policy-statement IN term a from community BLUE
set policy-options policy-statement IN term b from prefix-list-filter NETS orlonger
set policy-options policy-statement OUT term a then community add BLUE
set policy-options policy-statement CHECK then reject
";
    let found = |text: &str| {
        let report = checked(text, Dialect::JunosSet);
        let texts = report.findings.into_iter().map(|f| f.text);
        texts.collect::<Vec<String>>()
    };
    assert_eq!(found(sound), Vec::<String>::new());
    // A part of a configuration shows none of them.
    let part = "set protocols bgp group X import IN\n";
    assert_eq!(found(part), Vec::<String>::new());
    for (old, new, name) in [
        ("[ IN CHECK ]", "[ IN CHEKC ]", "policy-statement `CHEKC`"),
        (
            "192.0.2.1 export OUT",
            "192.0.2.1 export OTU",
            "policy-statement `OTU`",
        ),
        ("ospf export OUT", "ospf export O", "policy-statement `O`"),
        (
            "prefix-list NETS\n",
            "prefix-list NET\n",
            "prefix-list `NET`",
        ),
        (
            "prefix-list-filter NETS",
            "prefix-list-filter NET",
            "prefix-list `NET`",
        ),
        (
            "from community BLUE",
            "from community BLEU",
            "community `BLEU`",
        ),
        (
            "community add BLUE",
            "community add BLEU",
            "community `BLEU`",
        ),
    ] {
        assert!(sound.contains(old), "{old}");
        let texts = found(&sound.replacen(old, new, 1));
        assert_eq!(texts, [format!("{name} is not defined")], "{new}");
    }
}

/// What Junos commits without a word: a protocol on an interface, or a unit, that is not there.
#[test]
fn interfaces_of_protocols_that_are_not_there_are_found() {
    let text = |interface: &str| {
        format!(
            "set interfaces xe-0/0/0 unit 0 family inet address 192.0.2.1/30\nset protocols ospf area 0.0.0.0 interface {interface}\n"
        )
    };
    for (interface, count) in [
        ("xe-0/0/0.0", 0),
        ("xe-0/0/0", 0),
        ("lo0.0 passive", 0),
        ("all", 0),
        ("xe-0/0/9.0", 1),
        ("xe-0/0/0.5", 1),
    ] {
        let report = checked(&text(interface), Dialect::JunosSet);
        let found = report.findings.iter().filter(|f| f.rule == "JUN009");
        let found: Vec<_> = found.collect();
        assert_eq!(found.len(), count, "{interface}");
        for finding in found {
            assert!(finding.text.contains(interface), "{}", finding.text);
            assert_eq!(finding.remedies, ["`xe-0/0/0.0` is"]);
        }
    }
}

/// A length above 128 was read as if it were one.
#[test]
fn prefixes_of_ipv6_have_128_bits() {
    for (length, faults) in [(64, 0), (128, 0), (129, 1)] {
        let text =
            format!("set interfaces xe-0/0/0 unit 0 family inet6 address 2001:db8::1/{length}\n");
        let report = checked(&text, Dialect::JunosSet);
        assert_eq!(report.files[0].faults.len(), faults, "{length}");
    }
}

/// Without its letter a rate is in bit/s: 500 was read as a policer of 500 bit/s.
#[test]
fn policers_below_the_least_rate_are_refused() {
    for (rate, faults) in [("500", 1), ("8000", 0), ("500m", 0)] {
        let text = format!(
            "set firewall policer P if-exceeding bandwidth-limit {rate}\nset firewall policer P if-exceeding burst-size-limit 625k\nset firewall policer P then discard\n"
        );
        let report = checked(&text, Dialect::JunosSet);
        assert_eq!(report.files[0].faults.len(), faults, "{rate}");
    }
}
