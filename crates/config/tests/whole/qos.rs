//! Each check of quality of service on a configuration that fails it and one that does not, and
//! what is read of a whole one.

use farpath_config::qos::{Category, Match, Options, Port, Trust};
use farpath_config::{
    Dialect, Finding, RULES, Report, Severity, Source, Status, check_with, doubts, ios, json, place,
};

use crate::{checked, source};

const CAMPUS: &str = include_str!("../data/catalyst/campus.ios");
const CAMPUS_CATOS: &str = include_str!("../data/catalyst/campus.catos");
const PUBLISHED: &str = include_str!("../data/catalyst/as-published.ios");

fn report(texts: &[&str], options: &Options) -> (Vec<Source>, Report) {
    let texts_by_number = texts.iter().enumerate();
    let sources: Vec<Source> = texts_by_number
        .map(|(i, text)| source(&format!("sw{i}.conf"), text))
        .collect();
    let dialects: Vec<_> = texts
        .iter()
        .map(|t| {
            if t.contains("set qos") {
                Dialect::CatOs
            } else {
                Dialect::Ios
            }
        })
        .map(Some)
        .collect();
    let report = check_with(&sources, &dialects, options);
    (sources, report)
}

fn of<'a>(report: &'a Report, id: &str) -> Vec<&'a Finding> {
    report.findings.iter().filter(|f| f.rule == id).collect()
}

/// Asserts that `text` gives a finding `id` of `severity` at `line` whose message holds `says`.
#[track_caller]
fn finds(text: &str, id: &str, severity: Severity, line: usize, says: &str) {
    let (sources, report) = report(&[text], &Options::default());
    let hit = of(&report, id).into_iter().find(|f| {
        let at = sources[place(f).file].line_and_column(place(f).span.start);
        f.severity == severity && at.0 == line && f.text.contains(says)
    });
    let hit = hit.unwrap_or_else(|| {
        panic!(
            "{id} at line {line} saying `{says}`: {:#?}",
            report.findings
        )
    });
    assert!(
        severity == Severity::Info || !hit.remedies.is_empty(),
        "{id}"
    );
}

#[track_caller]
fn silent(text: &str, id: &str) {
    let (_, report) = report(&[text], &Options::default());
    assert_eq!(of(&report, id), Vec::<&Finding>::new(), "{text}");
}

/// A port that passes every check, with `more` in it.
fn sound(more: &str) -> String {
    format!(
        "mls qos\ninterface GigabitEthernet3/1\n ! farpath port-type 1p2q2t\n mls qos trust dscp\n wrr-queue cos-map 1 1 0\n wrr-queue cos-map 1 2 2 3 4 6 7\n wrr-queue cos-map 2 1 1\n priority-queue cos-map 1 5\n{more}"
    )
}

#[test]
fn whole_configurations_are_understood_and_pass() {
    for text in [CAMPUS, CAMPUS_CATOS] {
        let (_, report) = report(&[text], &Options::default());
        assert_eq!(
            report.files[0].status(),
            Status::Passed,
            "{:?}",
            report.files[0]
        );
        assert!(report.files[0].recognised > 10);
        let grave: Vec<_> = report
            .findings
            .iter()
            .filter(|f| f.severity > Severity::Info)
            .collect();
        assert_eq!(grave, Vec::<&Finding>::new());
    }
}

#[test]
fn a_whole_configuration_becomes_ports_classes_and_circuits() {
    let device = ios::read(CAMPUS, 0);
    assert_eq!(device.name.as_deref(), Some("edge-1"));
    let names: Vec<&str> = device.interfaces.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    let port = Port::of(&device, &device.interfaces[0], &Options::default());
    assert_eq!(
        (port.mtu, port.trust, port.enabled),
        (9216, Trust::Dscp, true)
    );
    assert_eq!(port.rate.expect("named").as_bps(), 1_000_000_000);
    assert_eq!(port.unit.as_bytes(), 512);
    let numbers: Vec<_> = port
        .queues
        .iter()
        .map(|q| (q.weight, q.credit.as_bytes(), q.limit_percent))
        .collect();
    assert_eq!(numbers, [(252, 129_024, 70), (36, 18_432, 15), (0, 0, 15)]);
    assert_eq!(
        port.queues[0]
            .limit("512 kB".parse().expect("size"))
            .as_bytes(),
        358_400
    );
    assert_eq!(port.queues[0].thresholds[1].cos, [2, 3, 4, 6, 7]);
    assert_eq!(port.queues[0].thresholds[1].random, Some((70, 100)));
    assert_eq!(port.queues[1].thresholds[0].tail_percent, 80);
    assert!(port.queues[2].strict && port.queues[2].thresholds[0].cos == [5]);
    assert_eq!(
        (
            port.queue_of_dscp(8),
            port.queue_of_dscp(0),
            port.queue_of_dscp(46)
        ),
        ((2, 1), (1, 1), (3, 1))
    );
    let edge = Port::of(&device, &device.interfaces[3], &Options::default());
    assert_eq!(edge.internal_dscp(8, None), 0, "untrusted");
    let classes = &edge.policies[0].classes;
    assert_eq!(classes[0].matches, [Match::Dscp(vec![1, 8])]);
    assert_eq!(classes[1].set_dscp, Some(8));
    let police = classes[2].police.expect("policer");
    assert_eq!(
        (police.rate.as_bps(), police.burst.as_bytes()),
        (200_000_000, 4_000_000)
    );
    let circuit = &device.interfaces[6].pvcs[0];
    let contract = circuit.contract.as_ref().expect("contract").value;
    assert_eq!(
        (circuit.vpi, circuit.vci, contract.category),
        (0, 100, Category::VbrNrt)
    );
    assert_eq!(contract.peak.expect("peak").as_bps(), 500_000_000);
    assert_eq!(contract.sustained.expect("sustained").as_bps(), 300_000_000);
    assert_eq!(contract.burst, Some(200));
}

#[test]
fn a_listing_saved_with_its_notes_is_read_as_meant_and_says_what_a_switch_would_refuse() {
    finds(
        PUBLISHED,
        "QOS020",
        Severity::Info,
        5,
        "weights 99:1 on GigabitEthernet3/1",
    );
    finds(
        PUBLISHED,
        "IOS005",
        Severity::Warning,
        6,
        "is not a command",
    );
    finds(
        PUBLISHED,
        "IOS002",
        Severity::Error,
        7,
        "no comment may follow",
    );
    finds(PUBLISHED, "QOS001", Severity::Error, 5, "not switched on");
    finds(
        PUBLISHED,
        "QOS008",
        Severity::Error,
        7,
        "no port of this switch trusts",
    );
    finds(
        PUBLISHED,
        "QOS019",
        Severity::Warning,
        8,
        "CoS 6 (routing and control)",
    );
    silent(PUBLISHED, "QOS003");
    let one_line =
        "interface GigabitEthernet3/1\n wrr-queue bandwidth 99 1 99 % of it to queue 1\n";
    finds(one_line, "IOS002", Severity::Error, 2, "`% of it");
}

#[test]
fn a_word_glued_to_a_sign_ends_the_weights() {
    let text = "interface GigabitEthernet3/1\n wrr-queue bandwidth 99 1 99% of it to queue 1\n";
    finds(text, "QOS020", Severity::Info, 2, "weights 99:1");
    finds(text, "IOS002", Severity::Error, 2, "`99% of it");
}

#[test]
fn qos001_switched_off() {
    finds(
        &sound("").replace("mls qos\ni", "no mls qos\ni"),
        "QOS001",
        Severity::Error,
        1,
        "switched off",
    );
    silent(&sound(""), "QOS001");
    silent("interface GigabitEthernet3/1\n mtu 9000\n", "QOS001");
}

#[test]
fn qos002_port_types() {
    finds(
        &sound(" wrr-queue bandwidth 100 150 200\n"),
        "QOS002",
        Severity::Error,
        9,
        "3 weights",
    );
    finds(
        &sound(" wrr-queue queue-limit 70 15 15\n"),
        "QOS002",
        Severity::Error,
        9,
        "3 queue limits",
    );
    finds(
        &sound(" wrr-queue threshold 3 50 100\n"),
        "QOS002",
        Severity::Error,
        9,
        "priority-queue cos-map",
    );
    finds(
        &sound("").replace("map 1 2 2", "map 1 3 2"),
        "QOS002",
        Severity::Error,
        6,
        "threshold 3",
    );
    let guessed = "mls qos\ninterface GigabitEthernet3/1\n wrr-queue bandwidth 100 150 200\n";
    finds(guessed, "QOS002", Severity::Info, 3, "1p3q8t");
    finds(
        &guessed.replace("150 200", ""),
        "QOS002",
        Severity::Error,
        3,
        "1 weights",
    );
    finds(
        &sound("").replace("1p2q2t", "2q2t"),
        "QOS002",
        Severity::Error,
        8,
        "no strict queue",
    );
}

#[test]
fn qos003_cos_twice_or_not_at_all() {
    finds(
        &sound(" wrr-queue cos-map 2 2 4\n"),
        "QOS003",
        Severity::Error,
        9,
        "CoS 4 is mapped 2 times",
    );
    finds(
        &sound("").replace("2 2 3 4 6 7", "2 3 4 6 7"),
        "QOS003",
        Severity::Warning,
        5,
        "CoS 2 (queue 1 threshold 2)",
    );
    silent(&sound(""), "QOS003");
}

#[test]
fn qos004_idle_queue_and_starved_class() {
    let idle = sound("")
        .replace(" wrr-queue cos-map 2 1 1\n", "")
        .replace("map 1 1 0", "map 1 1 0 1");
    finds(&idle, "QOS004", Severity::Warning, 5, "no CoS goes there");
    finds(
        &sound(" wrr-queue bandwidth 255 1\n"),
        "QOS004",
        Severity::Warning,
        5,
        "0.39 %",
    );
    silent(&sound(" wrr-queue bandwidth 99 1\n"), "QOS004");
}

#[test]
fn qos005_credit_below_a_frame() {
    finds(
        &sound(" wrr-queue bandwidth 90 5\n"),
        "QOS005",
        Severity::Warning,
        9,
        "1280 B",
    );
    silent(&sound(" wrr-queue bandwidth 90 6\n"), "QOS005");
    finds(
        &sound(" mtu 9216\n wrr-queue bandwidth 90 6\n"),
        "QOS005",
        Severity::Warning,
        10,
        "MTU 9216",
    );
    let stated = sound(" ! farpath wrr-unit 1 KiB\n mtu 9216\n wrr-queue bandwidth 90 8\n");
    finds(&stated, "QOS005", Severity::Error, 11, "8192 B");
    silent(&stated.replace("90 8", "90 9"), "QOS005");
}

#[test]
fn qos006_scavenger_misplaced() {
    let shared = sound(" wrr-queue bandwidth 90 10\n")
        .replace("map 1 1 0", "map 1 1 0 1")
        .replace("map 2 1 1", "map 2 1 4")
        .replace(" 3 4 6", " 3 6");
    finds(&shared, "QOS006", Severity::Warning, 5, "shares queue 1");
    finds(
        &sound(" wrr-queue bandwidth 10 90\n"),
        "QOS006",
        Severity::Warning,
        5,
        "weight 90",
    );
    silent(&sound(" wrr-queue bandwidth 90 10\n"), "QOS006");
    let le = sound(" ! farpath lbe share 10 % dscp 1\n wrr-queue bandwidth 90 10\n");
    finds(
        &le,
        "QOS006",
        Severity::Warning,
        5,
        "DSCP 1 (CoS 0), shares queue 1",
    );
    silent(
        &le.replace("mls qos\ni", "mls qos\nmls qos map dscp-cos 1 to 1\ni"),
        "QOS006",
    );
}

#[test]
fn qos007_share_off_target() {
    let text = |w: &str| {
        sound(&format!(
            " ! farpath wrr-unit 1536 B\n ! farpath lbe share 1 %\n wrr-queue bandwidth {w}\n"
        ))
    };
    finds(
        &text("10 1"),
        "QOS007",
        Severity::Warning,
        11,
        "1.00 % is wanted",
    );
    finds(&text("40 1"), "QOS007", Severity::Info, 11, "wanted");
    silent(&text("99 1"), "QOS007");
}

#[test]
fn qos008_marks_not_trusted() {
    finds(
        &sound("").replace(" mls qos trust dscp\n", ""),
        "QOS008",
        Severity::Error,
        4,
        "no port",
    );
    finds(
        &sound(" switchport\n switchport mode access\n").replace("trust dscp", "trust cos"),
        "QOS008",
        Severity::Error,
        4,
        "access port",
    );
    silent(
        &sound(" switchport\n switchport mode trunk\n").replace("trust dscp", "trust cos"),
        "QOS008",
    );
    // A member of a trunk is one, and so is a port with tagged subinterfaces.
    for tagged in [
        "mls qos\ninterface Port-channel1\n switchport\n switchport mode trunk\ninterface GigabitEthernet1/1\n mls qos trust cos\n channel-group 1 mode on\n",
        "mls qos\ninterface GigabitEthernet1/1\n mls qos trust cos\ninterface GigabitEthernet1/1.100\n encapsulation dot1Q 100\n ip address 192.0.2.1 255.255.255.252\n",
    ] {
        silent(tagged, "QOS008");
    }
    let class = "mls qos\nclass-map match-any C\n match ip dscp 8\npolicy-map P\n class C\n  police 100000000 10000000 conform-action transmit exceed-action drop\ninterface GigabitEthernet1/1\n service-policy input P\n";
    finds(class, "QOS008", Severity::Error, 8, "leaves with DSCP 0");
    silent(
        &class.replace("  police", "  trust dscp\n  police"),
        "QOS008",
    );
}

/// A Catalyst 6500 whose access port trusts marks and whose routed uplink does not: every mark that arrives there is lost.
#[test]
fn qos008_a_routed_port_without_trust_beside_one_that_trusts() {
    let text = "hostname core-6500\nmls qos\ninterface GigabitEthernet1/1\n switchport\n switchport mode access\n mls qos trust dscp\ninterface TenGigabitEthernet2/1\n no switchport\n ip address 192.0.2.1 255.255.255.252\n";
    finds(
        text,
        "QOS008",
        Severity::Warning,
        7,
        "TenGigabitEthernet2/1 is a routed port that trusts no marks, and GigabitEthernet1/1 trusts them",
    );
    for more in [
        " mls qos trust dscp\n",
        " mls qos trust ip-precedence\n",
        " mls qos cos 3\n",
        " shutdown\n",
    ] {
        silent(&(text.to_owned() + more), "QOS008");
    }
    // Off it changes no mark; nobody else believes any; a VLAN's interface has no trust of its own.
    silent(&text.replace("mls qos\n", "no mls qos\n"), "QOS008");
    silent(&text.replace(" mls qos trust dscp\n", ""), "QOS008");
    silent(&text.replace("TenGigabitEthernet2/1", "Vlan20"), "QOS008");
    silent(
        &text.replace("TenGigabitEthernet2/1", "Loopback0"),
        "QOS008",
    );
    let policy = "policy-map P\n class class-default\n  set dscp cs1\n";
    silent(
        &(policy.to_owned() + text + " service-policy input P\n"),
        "QOS008",
    );
}

#[test]
fn qos009_maps_not_inverse() {
    let text = "mls qos\nmls qos map cos-dscp 0 10 16 24 32 46 48 56\nmls qos map dscp-cos 10 to 2\ninterface GigabitEthernet1/1\n switchport mode trunk\n mls qos trust cos\n";
    finds(
        text,
        "QOS009",
        Severity::Warning,
        3,
        "CoS 1 becomes DSCP 10 and CoS 2",
    );
    finds(
        &text.replace("trust cos", "trust dscp"),
        "QOS009",
        Severity::Info,
        3,
        "CoS 1",
    );
    silent(&text.replace("10 to 2", "10 to 1"), "QOS009");
}

#[test]
fn qos010_marking_differs_along_the_path() {
    let first = "mls qos\nclass-map match-any C\n match any\npolicy-map P\n class C\n  set ip dscp 8\ninterface GigabitEthernet1/1\n service-policy input P\n";
    let second = first
        .replace("match any\n", "match ip dscp 8\n")
        .replace("set ip dscp 8", "set ip dscp 0");
    let (_, back) = report(&[&second, first], &Options::default());
    let becomes = |f: &&Finding| place(f).file == 0 && f.text.contains("becomes 0");
    assert_eq!(of(&back, "QOS010").iter().filter(|f| becomes(f)).count(), 1);
    let (_, found) = report(&[first, &second], &Options::default());
    assert!(
        of(&found, "QOS010")
            .iter()
            .any(|f| place(f).file == 1 && f.text.contains("becomes 0")),
        "{:?}",
        found.findings
    );
    let (_, found) = report(&[first, first], &Options::default());
    assert!(of(&found, "QOS010").is_empty());
    let (_, found) = report(
        &[first, &format!("{first}mls qos map dscp-cos 8 to 0\n")],
        &Options::default(),
    );
    assert!(of(&found, "QOS010")[0].text.contains("DSCP 8"));
}

#[test]
fn qos011_policer_burst() {
    let text = |burst: u64| {
        format!(
            "mls qos\npolicy-map P\n class class-default\n  police 100000000 {burst} conform-action transmit exceed-action drop\n"
        )
    };
    // A tenth of 100 Mbit/s for 100 ms is 125 000 B.
    finds(&text(100_000), "QOS011", Severity::Warning, 4, "8.0 %");
    silent(&text(125_000), "QOS011");
    finds(
        &text(2_000),
        "QOS011",
        Severity::Error,
        4,
        "less than two frames",
    );
    let options = Options {
        rtt: Some("10 ms".parse().expect("time")),
        ..Options::default()
    };
    let (_, found) = report(&[&text(10_000)], &options);
    // As `farpath predict path --policer` has it for a line that is not known; a bucket a round trip would be 8 Mbit/s.
    assert!(
        of(&found, "QOS011")[0]
            .text
            .contains("about 10.7 Mbit/s of payload"),
        "{:?}",
        found.findings
    );
    assert_eq!(of(&found, "QOS011")[0].severity, Severity::Error);
    // In the same words, with the range, and the command itself.
    let said = &of(&found, "QOS011")[0];
    assert!(
        said.text
            .contains("of payload, limited by a policer (predicted for CUBIC,")
            && said.text.contains("of 100 simulated paths 95 lie between"),
        "{said:?}"
    );
    let command =
        "`farpath predict path --rate LINE --rtt 10ms --policer 100Mbit/s,10kB` predicts the same";
    assert!(said.remedies[1].starts_with(command), "{said:?}");
    // Between a tenth of a round trip and the whole of it the law says whether one connection has the rate.
    let at = |burst: u64, rtt: &str| {
        let options = Options {
            rtt: Some(rtt.parse().expect("time")),
            ..Options::default()
        };
        let (_, found) = report(&[&text(burst)], &options);
        let of = of(&found, "QOS011");
        of.first().map(|f| (f.severity, f.text.clone()))
    };
    let (severity, said) = at(200_000, "120 ms").expect("found");
    assert_eq!(severity, Severity::Warning);
    assert!(
        said.contains("13.3 %") && said.contains("gets about"),
        "{said}"
    );
    assert_eq!(at(1_500_000, "120 ms"), None);
}

/// A field has one value, and the first class that matches takes the frame.
#[test]
fn qos012_classes_that_no_frame_reaches() {
    let text = |maps: &str, classes: &str| format!("mls qos\n{maps}policy-map P\n{classes}");
    let both = "class-map match-all BOTH\n match ip dscp cs1\n match ip dscp af11\n";
    let classes = " class BOTH\n  set ip dscp cs1\n";
    finds(
        &text(both, classes),
        "QOS012",
        Severity::Warning,
        2,
        "no frame has both dscp 8 and dscp 10",
    );
    silent(
        &text(&both.replace("match-all", "match-any"), classes),
        "QOS012",
    );
    // Precedence is the upper half of the field.
    let nested = both.replace("dscp af11", "precedence 1");
    silent(&text(&nested, classes), "QOS012");
    let maps = "class-map match-any FIRST\n match ip precedence 1\nclass-map match-any LATER\n match ip dscp af11\n";
    let order = |one: &str, other: &str| {
        format!(" class {one}\n  set ip dscp cs1\n class {other}\n  set ip dscp af21\n")
    };
    finds(
        &text(maps, &order("FIRST", "LATER")),
        "QOS012",
        Severity::Warning,
        9,
        "class LATER gets nothing: class FIRST before it takes all that it matches",
    );
    silent(&text(maps, &order("LATER", "FIRST")), "QOS012");
    let other = maps.replace("dscp af11", "dscp af21");
    silent(&text(&other, &order("FIRST", "LATER")), "QOS012");
}

#[test]
fn qos023_policer_below_the_plan() {
    let text = "mls qos\npolicy-map P\n class class-default\n  police 800000000 30000000 conform-action transmit exceed-action drop\n";
    let planned = |rate: &str| Options {
        rate: Some(rate.parse().expect("rate")),
        ..Options::default()
    };
    let (_, found) = report(&[text], &planned("10Gbit/s"));
    assert_eq!(
        of(&found, "QOS023")[0].text,
        "class class-default: a policer of 800.0 Mbit/s, of the 10.0 Gbit/s that are planned"
    );
    let (_, found) = report(&[text], &planned("800Mbit/s"));
    assert!(of(&found, "QOS023").is_empty());
    silent(text, "QOS023");
}

/// What a line carries no faster than the bucket fills never empties it: only a frame that is larger than it is lost.
#[test]
fn qos011_is_silent_where_the_line_is_no_faster_than_the_policer() {
    let text = |burst: u64, mbps: u64| {
        format!(
            "mls qos\npolicy-map P\n class class-default\n  police 100000000 {burst} conform-action transmit exceed-action drop\ninterface GigabitEthernet1/1\n speed {mbps}\n duplex full\n service-policy input P\n"
        )
    };
    silent(&text(8_000, 100), "QOS011");
    finds(
        &text(1_500, 100),
        "QOS011",
        Severity::Error,
        4,
        "no full frame passes",
    );
    let of_burst = |burst: u64| {
        let (_, found) = report(&[&text(burst, 1000)], &Options::default());
        let found = of(&found, "QOS011")[0].text.clone();
        found.split("about ").nth(1).map(str::to_owned)
    };
    let [few, many] = [8_000, 100_000].map(of_burst);
    assert!(few.is_some() && few != many, "{few:?} {many:?}");
}

#[test]
fn qos012_policies_without_effect() {
    let text = "mls qos\nclass-map match-any C\n match any\npolicy-map P\n class D\n  trust dscp\ninterface GigabitEthernet1/1\n service-policy input PP\n service-policy output P\n";
    finds(text, "QOS012", Severity::Warning, 2, "used by no policy");
    finds(text, "QOS012", Severity::Warning, 5, "no class map");
    finds(
        text,
        "QOS012",
        Severity::Warning,
        8,
        "PP on GigabitEthernet1/1 is not defined",
    );
    finds(text, "QOS012", Severity::Warning, 9, "arriving traffic");
    let (_, report) = report(&[text], &Options::default());
    let names = |list: &[farpath_config::Structure]| {
        list.iter().map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&report.files[0].undefined), ["D", "PP"]);
    assert_eq!(names(&report.files[0].unused), ["C"]);
}

#[test]
fn qos013_duplex_and_speed() {
    let text = |lines: &str| format!("interface FastEthernet1/1\n{lines}");
    finds(
        &text(" duplex half\n"),
        "QOS013",
        Severity::Error,
        2,
        "half duplex",
    );
    finds(
        &text(" speed 100\n"),
        "QOS013",
        Severity::Error,
        2,
        "negotiates duplex",
    );
    silent(&text(" speed 100\n duplex full\n"), "QOS013");
    // As older releases write it.
    finds(
        &text(" speed 100\n half-duplex\n"),
        "QOS013",
        Severity::Error,
        3,
        "half duplex",
    );
    silent(&text(" speed 100\n full-duplex\n"), "QOS013");
    // What is plugged into a switch has no file here.
    finds(
        &text(" switchport mode access\n speed 100\n duplex full\n"),
        "QOS013",
        Severity::Info,
        3,
        "an end that negotiates hears the speed and falls to half duplex",
    );
    silent(&text(" switchport mode access\n"), "QOS013");
    silent(&text(" shutdown\n duplex half\n"), "QOS013");
}

#[test]
fn qos014_thresholds() {
    finds(
        &sound(" wrr-queue threshold 1 80 40\n"),
        "QOS014",
        Severity::Warning,
        9,
        "do not rise",
    );
    finds(
        &sound(
            " wrr-queue random-detect min-threshold 1 40 100\n wrr-queue random-detect max-threshold 1 70 100\n",
        ),
        "QOS014",
        Severity::Warning,
        9,
        "threshold 2",
    );
    silent(
        &sound(
            " wrr-queue random-detect min-threshold 1 40 70\n wrr-queue random-detect max-threshold 1 70 100\n",
        ),
        "QOS014",
    );
}

#[test]
fn qos015_strict_queue_open_to_hosts() {
    let host = "interface GigabitEthernet3/2\n switchport mode access\n mls qos trust dscp\n";
    finds(
        &(sound("") + host),
        "QOS015",
        Severity::Warning,
        11,
        "GigabitEthernet3/2",
    );
    silent(
        &(sound("") + &host.replace(" mls qos trust dscp\n", "")),
        "QOS015",
    );
}

#[test]
fn qos016_wait_of_the_low_queue() {
    // 99 · 1536 B and a frame less a byte at 1 Gbit/s: (152 064 + 1517) · 8 ns.
    finds(
        &sound(" wrr-queue bandwidth 99 1\n"),
        "QOS016",
        Severity::Info,
        9,
        "1.229 ms",
    );
}

#[test]
fn qos017_pause_and_qos() {
    finds(
        &sound(" flowcontrol receive on\n"),
        "QOS017",
        Severity::Warning,
        9,
        "pause",
    );
    silent(&sound(" flowcontrol receive off\n"), "QOS017");
}

#[test]
fn qos018_unequal_members() {
    let member = |n: u32, more: &str| {
        format!(
            "interface GigabitEthernet1/{n}\n channel-group 1 mode on\n mls qos trust dscp\n{more}"
        )
    };
    let text = format!(
        "mls qos\n{}{}",
        member(1, ""),
        member(2, " wrr-queue bandwidth 90 10\n")
    );
    finds(&text, "QOS018", Severity::Warning, 6, "channel 1");
    silent(&text.replace(" wrr-queue bandwidth 90 10\n", ""), "QOS018");
}

#[test]
fn qos021_and_022_buffer_and_mtu() {
    finds(
        &sound(" wrr-queue queue-limit 80 20\n priority-queue queue-limit 15\n"),
        "QOS021",
        Severity::Error,
        9,
        "115 %",
    );
    silent(
        &sound(" wrr-queue queue-limit 70 15\n priority-queue queue-limit 15\n"),
        "QOS021",
    );
    finds(
        &sound(" ! farpath lbe share 1 % mtu 9000\n wrr-queue bandwidth 99 1\n"),
        "QOS022",
        Severity::Warning,
        9,
        "9000 is meant",
    );
}

#[test]
fn atm_contracts() {
    let text = |line: &str| {
        format!(
            "interface ATM1/0\n ! farpath line stm1\n pvc 0/100\n  {line}\n  encapsulation aal5snap\n"
        )
    };
    finds(
        &text("vbr-nrt 100000 120000 200"),
        "ATM001",
        Severity::Error,
        4,
        "sustainable rate of 120.000",
    );
    finds(
        &text("vbr-nrt 160000 100000 200"),
        "ATM002",
        Severity::Error,
        4,
        "149.760",
    );
    finds(&text("ubr 149761"), "ATM002", Severity::Error, 4, "149.760");
    // (4470 + 8 + 8) / 48 is 94 cells.
    finds(
        &text("vbr-nrt 100000 50000 93"),
        "ATM003",
        Severity::Warning,
        4,
        "is 94",
    );
    let sound = text("vbr-nrt 149760 50000 94");
    for id in ["ATM001", "ATM002", "ATM003", "ATM004"] {
        silent(&sound, id);
    }
    let two = format!(
        "{} pvc 0/101\n  cbr 100000\n",
        text("vbr-nrt 100000 50000 100")
    );
    finds(&two, "ATM004", Severity::Warning, 3, "150.000");
}

#[test]
fn values_out_of_range_say_where_what_and_what_to_write() {
    for (line, column, says) in [
        (
            " wrr-queue bandwidth 300 1",
            22,
            "a weight 300 is out of range",
        ),
        (
            " wrr-queue bandwidth 99 0",
            25,
            "a weight 0 is out of range",
        ),
        (" wrr-queue cos-map 1 1 8", 24, "a CoS 8 is out of range"),
        (
            " wrr-queue dscp-map 1 1 64",
            25,
            "a DSCP 64 is out of range",
        ),
        (
            " wrr-queue threshold 1 80 101",
            27,
            "a threshold in percent 101",
        ),
        (" mls qos cos 9", 14, "a CoS 9 is out of range"),
        (" mtu 99999", 6, "an MTU 99999"),
        (" pvc 0/99999", 8, "a VCI 99999"),
    ] {
        let text = format!("mls qos\ninterface GigabitEthernet3/1\n{line}\n");
        let (sources, report) = report(&[&text], &Options::default());
        let fault = of(&report, "IOS003");
        assert_eq!(fault.len(), 1, "{line} {:?}", report.findings);
        assert_eq!(
            sources[0].line_and_column(place(fault[0]).span.start),
            (3, column),
            "{line}"
        );
        assert!(fault[0].text.contains(says), "{}", fault[0].text);
        assert!(
            fault[0].remedies[0].contains(" to "),
            "{:?}",
            fault[0].remedies
        );
    }
    let (_, report) = report(&["class-map C\n match ip dscp 70\n"], &Options::default());
    assert!(of(&report, "IOS003")[0].text.contains("a DSCP 70"));
}

#[test]
fn text_cut_short_is_named() {
    finds(
        "interface Gi3/1\n wrr-queue cos-map 1 1\n",
        "IOS004",
        Severity::Error,
        2,
        "a CoS is missing",
    );
    finds(
        "wrr-queue bandwidth 99 1\n",
        "IOS006",
        Severity::Error,
        1,
        "none is open",
    );
    let (_, report) = report(
        &["hostname a\nbanner motd #\nmls qos\n"],
        &Options::default(),
    );
    assert_eq!(report.files[0].status(), Status::Failed);
    assert_eq!(report.files[0].faults.len(), 1);
}

/// A bucket that the text does not state is said to be taken: 250 ms of a round trip of 5 s.
#[test]
fn qos011_says_where_a_burst_is_taken() {
    let options = Options {
        rtt: Some("5 s".parse().expect("time")),
        ..Options::default()
    };
    let with = |police: &str| {
        let text = format!(
            "version 17.6\nhostname a\npolicy-map P\n class class-default\n  police {police} conform-action transmit exceed-action drop\n"
        );
        let (_, found) = report(&[&text], &options);
        let all = of(&found, "QOS011");
        all.iter()
            .map(|f| (f.severity, f.text.clone()))
            .collect::<Vec<_>>()
    };
    let taken = with("cir 100000000");
    let says = "no burst is stated: 250 ms of the rate are taken";
    assert!(
        taken[0].0 == Severity::Warning && taken[0].1.contains(says),
        "{taken:?}"
    );
    let stated = with("cir 100000000 bc 3125000");
    assert!(
        stated[0].0 == Severity::Error && !stated[0].1.contains("taken"),
        "{stated:?}"
    );
}

/// `police` as IOS-XE prints it again, with units; a burst that is not stated is a quarter of a second's.
#[test]
fn a_policer_of_ios_xe_is_read_with_its_units() {
    for (police, burst) in [
        ("rate 100000000 bps burst 62500 bytes", 62_500),
        ("rate 100000000 bps", 3_125_000),
        ("cir 100000000 bc 62500", 62_500),
        ("cir 100000000", 3_125_000),
        (
            "rate 100000000 bps burst 62500 bytes peak-rate 200000000 bps peak-burst 125000 bytes",
            62_500,
        ),
    ] {
        let text = format!(
            "version 17.6\nhostname a\npolicy-map P\n class class-default\n  police {police}\n   conform-action transmit\n   exceed-action drop\n"
        );
        let (_, found) = report(&[&text], &Options::default());
        assert!(
            of(&found, "IOS003").is_empty(),
            "{police}: {:?}",
            found.findings
        );
        assert_eq!(found.files[0].status(), Status::Passed, "{police}");
        let class = &found.devices[0].policy_maps[0].classes[0];
        let read = class.police.as_ref().expect("a policer").value;
        assert_eq!(read.rate.as_bps(), 100_000_000, "{police}");
        assert_eq!(read.burst.as_bytes(), burst, "{police}");
    }
}

#[test]
fn qos022_packets_larger_than_the_interface() {
    let text = |ip: u32| {
        format!(
            "hostname a\ninterface TenGigabitEthernet1/1\n mtu 9000\n ip address 192.0.2.1 255.255.255.252\n ip mtu {ip}\n"
        )
    };
    finds(
        &text(9100),
        "QOS022",
        Severity::Warning,
        5,
        "more than its `mtu 9000`",
    );
    silent(&text(9000), "QOS022");
}

#[test]
fn ios007_segments_that_do_not_fit_the_interface() {
    let text = |name: &str, mtu: &str, mss: u32| {
        format!(
            "hostname a\ninterface {name}\n ip address 192.0.2.1 255.255.255.252\n{mtu} ip tcp adjust-mss {mss}\n"
        )
    };
    for (name, mtu, fits) in [
        ("Tunnel0", " ip mtu 1400\n", 1360),
        ("GigabitEthernet1/1", " mtu 1400\n", 1360),
        ("Tunnel7", "", 1436),
    ] {
        let line = 4 + mtu.lines().count();
        silent(&text(name, mtu, fits), "IOS007");
        let says = format!("{fits} B and 40 B");
        let more = text(name, mtu, fits + 1);
        finds(&more, "IOS007", Severity::Warning, line, &says);
    }
    silent(&text("GigabitEthernet1/1", "", 1460), "IOS007");
}

#[test]
fn what_is_not_understood_makes_findings_uncertain_and_never_makes_one() {
    let text = sound(" wrr-queue bandwidth 10 90\n wrr-queue novel 1 2 3\n");
    let (sources, found) = report(&[&text], &Options::default());
    let finding = of(&found, "QOS006");
    assert_eq!(
        sources[0].line_and_column(doubts(finding[0])[0].span.start),
        (10, 2)
    );
    assert_eq!(found.files[0].status(), Status::PartiallyUnrecognised);
    let (_, before) = report(&[&sound("")], &Options::default());
    let (_, after) = report(
        &[&sound(" something else\n wrr-queue novel 1 2 3\n")],
        &Options::default(),
    );
    assert_eq!(before.findings.len(), after.findings.len());
    let typo = sound("").replace("mls qos\ni", "mls qoss\ni");
    let (_, found) = report(&[&typo], &Options::default());
    assert_eq!(doubts(of(&found, "QOS001")[0]).len(), 1);
}

#[test]
fn port_types_and_targets_can_be_stated_by_the_user() {
    let text = "mls qos\ninterface GigabitEthernet3/1\n mls qos trust dscp\n wrr-queue bandwidth 100 150 200\n";
    let options = |t: &str| Options {
        port_type: Some(t.parse().expect(t)),
        ..Options::default()
    };
    assert!(of(&report(&[text], &options("1p3q1t")).1, "QOS002").is_empty());
    assert_eq!(
        of(&report(&[text], &options("1p2q2t")).1, "QOS002").len(),
        1
    );
}

/// 4 packets of 1514 B are 0.2 % of the 2.5 MB of 500 Mbit/s over 40 ms; CUBIC keeps the line busy from 3/7 of them on.
#[test]
fn qos033_a_queue_far_below_what_is_in_flight() {
    let at = |text: &str, rtt: Option<&str>| {
        let options = Options {
            rtt: rtt.map(|rtt| rtt.parse().expect("time")),
            ..Options::default()
        };
        let (_, found) = report(&[text], &options);
        let of = of(&found, "QOS033");
        assert!(of.len() < 2, "{of:?}");
        let said = |f: &&Finding| (f.severity, f.text.clone(), f.remedies.join("; "));
        of.first().map(said)
    };
    let class = |lines: &str| {
        format!(
            "version 15.4\npolicy-map OUT\n class class-default\n{lines}interface GigabitEthernet0/0/0\n service-policy output OUT\n"
        )
    };
    let shaped = |limit: &str| {
        class(&format!(
            "  shape average 500000000\n  queue-limit {limit}\n"
        ))
    };
    let (severity, said, remedy) = at(&shaped("4 packets"), Some("40 ms")).expect("found");
    assert_eq!(severity, Severity::Warning);
    for part in [
        "class class-default: a queue of 4 packets before 500 Mbit/s holds 6056 B, 0.2 % of what is in flight over a round trip of 40 ms;",
        "at most about 42",
        "slow start overflows the queue at a window of",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(remedy.starts_with("`queue-limit 708 packets`"), "{remedy}");
    assert!(remedy.contains("up to 1652 packets"), "{remedy}");
    for (limit, rtt, found) in [
        ("4", Some("40 ms"), true),
        ("64 packets", Some("40 ms"), true),
        ("100 packets", Some("40 ms"), false),
        ("64 packets", None, false),
        ("9 packets", None, true),
        ("2 ms", Some("40 ms"), false),
        ("1 ms", Some("40 ms"), true),
        ("1000 bytes", Some("0.1 ms"), true),
        ("percent 1", Some("40 ms"), false),
    ] {
        assert_eq!(at(&shaped(limit), rtt).is_some(), found, "{limit}, {rtt:?}");
    }
    // A port's own queue counts where the round trip is known; what goes first does not.
    let plain = class("  queue-limit 4 packets\n");
    let first = class("  priority\n  queue-limit 4 packets\n");
    assert!(at(&plain, Some("40 ms")).is_some());
    assert_eq!(at(&plain, None), None);
    assert_eq!(at(&first, Some("40 ms")), None);
    let inner = "version 15.4\npolicy-map IN\n class class-default\n  queue-limit 4 packets\npolicy-map OUT\n class class-default\n  shape average 500000000\n  service-policy IN\ninterface GigabitEthernet0/0/0\n service-policy output OUT\n";
    assert!(at(inner, None).is_some());
}

#[test]
fn qos033_a_queue_of_ios_xr_that_holds_no_frame() {
    let text = "!! IOS XR Configuration 7.3.2\npolicy-map OUT\n class class-default\n  queue-limit 10 us\n  shape average 500 mbps\n !\n end-policy-map\n!\ninterface TenGigE0/0/0/1\n service-policy output OUT\n!\nend\n";
    finds(
        text,
        "QOS033",
        Severity::Warning,
        4,
        "holds 625 B, less than one full frame of 1514 B",
    );
}

#[test]
fn every_check_has_a_number_a_name_and_a_reason() {
    let ids: Vec<&str> = RULES.iter().map(|r| r.id).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    for n in 1..=18 {
        assert!(ids.contains(&format!("QOS{n:03}").as_str()), "{n}");
    }
    for rule in RULES {
        assert!(!rule.title.is_empty() && !rule.explanation.is_empty());
    }
}

/// The pages of the checks have each with its severity; those of circuits have other words.
#[test]
fn every_check_has_its_row_in_the_documentation() {
    let page = include_str!("../../../../docs/models/catalyst-qos.md");
    let circuits = include_str!("../../../../docs/models/ccc.md");
    for rule in RULES.iter().filter(|r| r.id != "CONFIG001") {
        let severity = format!("{:?}", rule.severity).to_lowercase();
        let begins = format!("| {} | {severity} | ", rule.id);
        let row = format!("{begins}{} | {} |", rule.title, rule.explanation);
        let found = match rule.id.starts_with("CCC") {
            true => circuits.contains(&begins),
            false => page.contains(&row),
        };
        assert!(found, "{row}");
    }
}

#[test]
fn an_empty_configuration_is_no_fault() {
    for text in ["", "!\n", "end\n"] {
        assert_eq!(checked(text, Dialect::Ios).findings, []);
    }
}

#[test]
fn the_document_has_its_old_keys_and_those_every_finding_has() {
    let text =
        "mls qos\ninterface GigabitEthernet3/1\n mls qos trust dscp\n duplex half\n frobnicate\n";
    let (sources, report) = report(&[text], &Options::default());
    let document: serde_json::Value =
        serde_json::from_str(&json::document(&report, &sources)).expect("it is JSON");
    let findings = document["findings"].as_array().expect("a list");
    let half = findings.iter().find(|f| f["id"] == "QOS013");
    assert_eq!(
        half.expect("half duplex"),
        &serde_json::json!({
            "id": "QOS013",
            "rule": "QOS013",
            "name": "duplex or speed",
            "severity": "error",
            "message": "GigabitEthernet3/1 is half duplex",
            "text": "GigabitEthernet3/1 is half duplex",
            "explanation": "half duplex collides under load, and a speed fixed at one end only leaves the other at half duplex",
            "remedies": ["`duplex full` at both ends (`full-duplex` in older IOS), or `duplex auto` at both: some cards of older IOS do not have that"],
            "place": {"file": "sw0.conf", "line": 4, "column": 2},
            "related": [],
            "uncertain": [{"file": "sw0.conf", "line": 5, "column": 2}],
            "evidence": [
                {"source": "sw0.conf", "line": 4, "column": 2, "excerpt": " duplex half"},
                {"role": "doubt", "source": "sw0.conf", "line": 5, "column": 2, "excerpt": " frobnicate"},
            ],
        })
    );
}
