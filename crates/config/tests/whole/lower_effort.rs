//! The configurations farpath writes for a lower-effort class: they pass the checks, give the share
//! asked for, and no line of them can be lost or altered unnoticed.

use farpath_config::qos::{Lbe, Options, Overshoot, Port, Written, shares};
use farpath_config::{Dialect, Severity, ios, qos};
use farpath_units::Size;

use crate::checked;

fn wanted(share: &str, mtu: u32) -> Lbe {
    Lbe {
        share: share.parse().expect(share),
        mtu,
        port_type: None,
        rate: "1 Gbit/s".parse().expect("rate"),
        dscp: 8,
        interface: None,
        dialect: Dialect::Ios,
        unit: None,
    }
}

fn write(lbe: &Lbe) -> Written {
    lbe.write().unwrap_or_else(|e| panic!("{lbe:?}: {e}"))
}

#[test]
fn what_is_written_is_whole_and_passes_every_check() {
    for share in ["0.5 %", "1 %", "5 %", "10 %", "30 %"] {
        for mtu in [576, 1500, 9000, 9216] {
            for port_type in [
                "2q2t", "1p2q2t", "1p2q1t", "1p3q1t", "1p3q8t", "1p7q8t", "2q8t",
            ] {
                for (dscp, dialect) in [
                    (8, Dialect::Ios),
                    (1, Dialect::Ios),
                    (8, Dialect::CatOs),
                    (1, Dialect::CatOs),
                ] {
                    let lbe = Lbe {
                        port_type: Some(port_type.parse().expect(port_type)),
                        dscp,
                        dialect,
                        ..wanted(share, mtu)
                    };
                    if lbe.share.get() * f64::from(lbe.port_type.expect("set").weighted) >= 1.0 {
                        assert!(
                            lbe.write()
                                .expect_err("refused")
                                .cause
                                .contains("equal part")
                        );
                        continue;
                    }
                    let written = write(&lbe);
                    let report = checked(&written.text, dialect);
                    let grave: Vec<_> = report
                        .findings
                        .iter()
                        .filter(|f| f.severity > Severity::Info)
                        .collect();
                    assert!(
                        grave.is_empty() && report.files[0].unrecognised.is_empty(),
                        "{}\n{grave:#?}",
                        written.text
                    );
                    let target = lbe.share.get();
                    assert!((written.share - target).abs() <= 0.01, "{written:?}");
                    assert!(
                        written.bounds.0 >= target - 0.01 && written.bounds.1 <= target + 0.01,
                        "{written:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_written_reads_back_as_meant() {
    let written = write(&wanted("1 %", 9000));
    let device = ios::read(&written.text, 0);
    let port = Port::of(&device, &device.interfaces[0], &Options::default());
    assert!(port.enabled);
    assert_eq!(
        (
            port.queue_of_dscp(8).0,
            port.queue_of_dscp(0).0,
            port.queue_of_dscp(48).0
        ),
        (2, 1, 1)
    );
    assert_eq!(port.queue_of_dscp(46).0, 3);
    assert!(port.weighted().all(|q| q.credit.as_bytes() >= 9018));
    let credits: Vec<Size> = port.weighted().map(|q| q.credit).collect();
    let full = vec![qos::Mix::of(Size::from_bytes(9018)); 2];
    let share = shares(&credits, &full, Overshoot::Carried)[1];
    assert!((share - written.share).abs() < 1e-12);
}

#[test]
fn the_configuration_of_one_percent_is_this_one() {
    assert_eq!(
        write(&wanted("1 %", 9000)).text,
        include_str!("../data/catalyst/lbe-1-percent.ios")
    );
}

#[test]
fn no_smaller_weights_would_do() {
    let written = write(&wanted("1 %", 1500));
    assert_eq!(written.weights, [97, 1]);
    // One less for the others: a queue of 1518-byte frames sends two of them on 1536 bytes of credit.
    let credits = [Size::from_bytes(96 * 1536), Size::from_bytes(1536)];
    let (_, most) = qos::share_bounds(&credits, 1, Size::from_bytes(1518));
    assert!(most > 0.02, "{most}");
}

#[test]
fn what_cannot_be_met_is_refused_with_the_reason() {
    let refused = |lbe: Lbe, says: &str| {
        let e = lbe.write().expect_err(says);
        assert!(e.cause.contains(says), "{e}");
        // Only a unit that was given can be left out, and does not grow with the frame.
        let has_unit = lbe.unit.is_some();
        assert!(!e.remedy.is_empty());
        assert_eq!(e.remedy.contains("leave out --wrr-unit"), has_unit, "{e}");
        assert_eq!(e.remedy.contains("--mtu"), has_unit, "{e}");
    };
    let unit = |bytes| Lbe {
        unit: Some(Size::from_bytes(bytes)),
        ..wanted("1 %", 9000)
    };
    refused(
        unit(256),
        "needs a weight of 36 for a frame of 9018 B, and then has at least 12.37 %",
    );
    refused(unit(16), "needs a weight of 564, and 255 is the most");
    // Within a point, and fifty times what was asked for.
    refused(wanted("0.01 %", 1500), "then has at least 0.39 %");
    refused(wanted("50 %", 1500), "equal part");
    refused(wanted("0", 1500), "share of 0");
    refused(wanted("1 %", 20), "MTU of 20");
    for (dscp, says) in [
        (0, "best effort"),
        (46, "voice"),
        (48, "voice or routing"),
        (64, "over 63"),
    ] {
        refused(
            Lbe {
                dscp,
                ..wanted("1 %", 1500)
            },
            says,
        );
    }
    let port = |text: &str| Lbe {
        port_type: Some(text.parse().expect(text)),
        ..wanted("1 %", 1500)
    };
    refused(port("1p1q4t"), "one weighted queue");
    refused(port("1p8q4t"), "more queues");
    let named = |text: &str| Lbe {
        interface: Some(text.to_owned()),
        ..wanted("1 %", 1500)
    };
    refused(named("FastEthernet3/1"), "port of 100 Mbit/s");
    refused(
        named("Gigabit Ethernet3/1\nmls"),
        "not the name of an interface",
    );
}

/// Alterations of a line: each number, each word another one could stand for, one number dropped.
fn alterations(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let mut all = Vec::new();
    let mut put = |i: usize, new: Option<String>| {
        let mut changed: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        match new {
            Some(new) => changed[i] = new,
            None => drop(changed.remove(i)),
        }
        all.push(changed.join(" "));
    };
    for (i, word) in words.iter().enumerate() {
        if let Ok(n) = word.parse::<u32>() {
            for other in [0, 1, n.saturating_sub(1), n + 1, n * 2, n * 10] {
                if other != n {
                    put(i, Some(other.to_string()));
                }
            }
            put(i, None);
        }
        for (from, to) in [
            ("dscp", "cos"),
            ("trust-dscp", "trust-cos"),
            ("trust-dscp", "untrusted"),
            ("enable", "disable"),
            ("qos", "qoss"),
            ("cos-map", "dscp-map"),
            ("bandwidth", "queue-limit"),
        ] {
            if *word == from {
                put(i, Some(to.to_owned()));
            }
        }
    }
    if line
        .trim_start()
        .starts_with(|c: char| c.is_ascii_lowercase())
        && !line.contains("set ")
    {
        let indent = line.len() - line.trim_start().len();
        all.push(format!("{}no {}", &line[..indent], line.trim_start()));
    }
    all.sort();
    all.dedup();
    all
}

/// Why a changed configuration does as well as the one written, where it does.
fn equivalent(before: &str, after: Option<&str>) -> Option<&'static str> {
    let words = |s: &str| s.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (words(before), after.map(words));
    if a.iter().any(|w| w == "description" || w == "name") {
        return Some("a description does nothing");
    }
    let b = b?;
    if a.first() == Some(&"interface".to_owned()) && b.first() == Some(&"interface".to_owned()) {
        return Some("the same class on another port");
    }
    let threshold = if a[0] == "wrr-queue" {
        Some(3)
    } else {
        (a[..2] == ["set", "qos"] && a[2] == "map").then_some(6)
    };
    if let Some(i) =
        threshold.filter(|i| a.len() == b.len() && a[1] != "bandwidth" && a.get(*i) != b.get(*i))
    {
        let others = (0..a.len()).all(|k| k == i || a[k] == b[k]);
        return others.then_some("the same queue; another of its thresholds, none of which is set");
    }
    if a[..2] == ["set", "qos"]
        && a.ends_with(&["3", "1", "cos", "5"].map(str::to_owned))
        && b.ends_with(&["3", "cos", "5"].map(str::to_owned))
    {
        return Some("a strict queue has one threshold");
    }
    if a.iter().any(|w| w == "bandwidth" || w == "wrr") && a.len() == b.len() {
        return Some("within a point of the share wanted");
    }
    if a.starts_with(&["set".to_owned(), "port".to_owned()]) && a.len() == b.len() {
        return Some("the same on another port of the type");
    }
    None
}

struct Score {
    found: usize,
    same: usize,
    missed: Vec<String>,
}

fn mutate(lbe: &Lbe) -> Score {
    let text = write(lbe).text;
    let lines: Vec<&str> = text.lines().collect();
    let mut score = Score {
        found: 0,
        same: 0,
        missed: Vec::new(),
    };
    for (i, line) in lines.iter().enumerate() {
        // Comments are not configuration.
        if line.trim_start().starts_with(['!', '#']) {
            continue;
        }
        let altered = alterations(line).into_iter().map(Some).chain([None]);
        for new in altered {
            let mut changed: Vec<&str> = lines.clone();
            match &new {
                Some(new) => changed[i] = new,
                None => drop(changed.remove(i)),
            }
            let report = checked(&changed.join("\n"), lbe.dialect);
            let fault = |f: &&farpath_config::Finding| f.severity > Severity::Info;
            let more = report.findings.iter().any(|f| fault(&f));
            if more || !report.files[0].unrecognised.is_empty() {
                score.found += 1;
            } else if equivalent(line, new.as_deref()).is_some() {
                score.same += 1;
            } else {
                score.missed.push(format!("`{line}` to {new:?}"));
            }
        }
    }
    score
}

#[test]
fn single_line_changes_are_found_or_do_not_matter() {
    let ios = wanted("1 %", 9000);
    let cases = [
        ios.clone(),
        Lbe {
            dscp: 1,
            ..wanted("1 %", 1500)
        },
        Lbe {
            port_type: Some("1p3q8t".parse().expect("type")),
            ..wanted("10 %", 1500)
        },
        Lbe {
            dialect: Dialect::CatOs,
            ..ios
        },
    ];
    for lbe in cases {
        let score = mutate(&lbe);
        let all = score.found + score.same + score.missed.len();
        println!(
            "{} {} {}: {} changes, {} found, {} equivalent, {} missed",
            lbe.dialect,
            lbe.share,
            lbe.mtu,
            all,
            score.found,
            score.same,
            score.missed.len()
        );
        println!("{:#?}", score.missed);
        assert!(all > 60, "{all}");
        let found = score.found as f64 / (all - score.same) as f64;
        assert!(found >= 0.9, "{found} {:#?}", score.missed);
        assert!(
            score.same * 3 < all,
            "{} of {all} are taken for equivalent",
            score.same
        );
    }
}
