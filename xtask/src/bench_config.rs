//! Ten megabytes of router configuration, read and checked.

use std::fmt::Write as _;

use farpath_config::{Source, check};

/// Bytes of the two files together, at least.
const BYTES: usize = 10_000_000;

/// Two routers joined by one link, with as many circuits between them as fit.
pub(crate) fn sources() -> Vec<Source> {
    let mut texts = [String::new(), String::new()];
    let mut circuit = 0;
    while texts.iter().map(String::len).sum::<usize>() < BYTES {
        for (side, text) in texts.iter_mut().enumerate() {
            router(text, side, circuit);
        }
        circuit += 1;
    }
    let named = texts.into_iter().zip(["left.conf", "right.conf"]);
    let source = |(text, name): (String, &str)| Source {
        name: name.to_owned(),
        text,
    };
    named.map(source).collect()
}

/// What one circuit needs on one router; the link itself comes with the first.
fn router(text: &mut String, side: usize, n: usize) {
    let (here, there) = (side + 1, 2 - side);
    if n == 0 {
        write!(
            text,
            "interfaces {{\n    so-0/0/0 {{\n        mtu 9192;\n        unit 0 {{\n            family inet {{\n                address 192.0.2.{here}/30;\n            }}\n            family mpls;\n        }}\n    }}\n}}\nprotocols {{\n    rsvp {{\n        interface all;\n    }}\n    mpls {{\n        interface all;\n    }}\n}}\n"
        )
        .expect("a string takes all");
    }
    let (card, vlan) = (n / 4000, n % 4000 + 1);
    write!(
        text,
        "interfaces {{\n    /* customer {n} */\n    ge-{card}/1/0 {{\n        vlan-tagging;\n        encapsulation vlan-ccc;\n        unit {vlan} {{\n            encapsulation vlan-ccc;\n            vlan-id {vlan};\n            family ccc;\n        }}\n    }}\n}}\nprotocols {{\n    mpls {{\n        label-switched-path c{n}-{here}-{there} {{\n            to 192.0.2.{there};\n            no-cspf;\n        }}\n    }}\n    connections {{\n        remote-interface-switch c{n} {{\n            interface ge-{card}/1/0.{vlan};\n            transmit-lsp c{n}-{here}-{there};\n            receive-lsp c{n}-{there}-{here};\n        }}\n    }}\n}}\n"
    )
    .expect("a string takes all");
}

/// Reads and checks `sources`, and makes sure that circuits were found.
pub(crate) fn check_all(sources: &[Source]) {
    let report = check(sources, &[]);
    assert!(!report.failed() && report.circuits.iter().all(|c| c.complete));
    assert!(!report.circuits.is_empty());
}
