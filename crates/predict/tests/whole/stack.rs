//! The stack grammar: what it reads, what it makes of it, what it refuses and how.

use farpath_mutate::{Corpus, run};
use farpath_predict::overhead::{Ladder, Stack};
use farpath_predict::{Framing, Signal};
use farpath_units::Size;

fn ladder(stack: &str, mtu: u64) -> Ladder {
    let read: Stack = stack.parse().unwrap_or_else(|e| panic!("{stack}: {e}"));
    read.ladder(Size::from_bytes(mtu))
        .unwrap_or_else(|e| panic!("{stack}: {e}"))
}

fn names(ladder: &Ladder) -> Vec<&str> {
    ladder
        .layers
        .iter()
        .map(|rung| rung.name.as_str())
        .collect()
}

#[test]
fn the_snaky_stack_layer_by_layer() {
    let l = ladder("stm64/pos/mpls*1/eth/vlan/ip/tcp+ts", 9000);
    assert_eq!(
        names(&l),
        [
            "line",
            "payload",
            "pos",
            "mpls",
            "eth",
            "vlan",
            "ip",
            "tcp+ts",
            "application"
        ]
    );
    let bytes: Vec<_> = l.layers.iter().map(|r| r.bytes).collect();
    // Customer's frame 9000 + 4 + 14, one label, PPP 8; the flag makes 9031 on the line.
    let expected = [
        None,
        None,
        Some(9030),
        Some(9022),
        Some(9018),
        Some(9004),
        Some(9000),
        Some(8980),
        Some(8948),
    ];
    assert_eq!(bytes, expected);
    assert_eq!(l.layers[0].rate_bps, 9_953_280_000.0);
    assert_eq!(l.layers[1].rate_bps, 9_584_640_000.0);
    assert!((l.top_bps() - 9_584_640_000.0 * 8948.0 / 9031.0).abs() < 1e-3);
    assert!(l.layers.windows(2).all(|w| w[0].rate_bps >= w[1].rate_bps));
    let json = serde_json::to_value(&l).expect("a ladder serialises");
    assert_eq!(json["layers"][0]["name"], "line");
    assert_eq!(json["layers"][0]["rate_bps"], 9_953_280_000.0);
    // Three crossings of one direction: C/3 of payload for each.
    assert!(l.notes.iter().any(|n| n.contains("fixed-stuff")));
}

#[test]
fn ethernet_lines_bring_their_own_framing() {
    let l = ladder("gbe/ip/tcp+ts", 9000);
    assert_eq!(names(&l), ["line", "eth", "ip", "tcp+ts", "application"]);
    assert!((l.top_bps() - 1e9 * 8948.0 / 9038.0).abs() < 1e-3);
    assert_eq!(ladder("gbe/eth/ip/tcp+ts", 9000), l);
    assert_eq!(ladder("1Gbps/eth/ip/tcp+ts", 9000).top_bps(), l.top_bps());
    let tagged = ladder("10gbe/vlan/ip6/udp", 1500);
    assert_eq!(
        names(&tagged),
        ["line", "eth", "vlan", "ip6", "udp", "application"]
    );
    assert!((tagged.top_bps() - 1e10 * 1452.0 / 1542.0).abs() < 1e-3);
    // A 46-byte payload just fills the smallest frame; what is shorter costs the same.
    let small = ladder("gbe/ip", 68);
    assert_eq!(small.rung("eth").expect("a rung").bytes, Some(86));
    let bare = ladder("622.08Mbps/ip/udp", 1500);
    assert_eq!(names(&bare), ["line", "ip", "udp", "application"]);
    let wan = ladder("10gbe-wan/ip", 1500);
    assert_eq!(names(&wan), ["line", "payload", "eth", "ip"]);
    let labels = ladder("10gbe/mpls*2/ip/tcp", 1500);
    assert!((labels.top_bps() - 1e10 * 1460.0 / 1546.0).abs() < 1e-3);
}

/// RFC 4303 and RFC 4106 by hand: 1500 - 20 - 34 = 1446 of a tunnel's inner datagram, 8 fewer behind a NAT. Of 1499 three bytes are
/// padding: 1479 - 32 is three more than a multiple of 4.
#[test]
fn esp_takes_its_headers_trailer_and_padding() {
    for (stack, mtu, application) in [
        ("gbe/ip/esp/ip/tcp+ts", 1500, 1446 - 52),
        ("gbe/ip/esp/tcp+ts", 1500, 1446 - 32),
        ("gbe/ip/udp/esp/ip/tcp+ts", 1500, 1438 - 52),
        ("gbe/ip6/esp/ip/udp", 1500, 1426 - 28),
        ("gbe/ip/esp/ip/udp", 1499, 1442 - 28),
    ] {
        let found = ladder(stack, mtu);
        let top = found.rung("application").expect("a rung");
        assert_eq!(top.bytes, Some(application), "{stack}");
        let wire = f64::from(u32::try_from(mtu).expect("small") + 38);
        assert!((found.top_bps() - 1e9 * f64::from(application) / wire).abs() < 1.0);
    }
    for wrong in [
        "gbe/esp/ip",
        "gbe/ip/tcp/esp",
        "gbe/ip/esp/mpls",
        "gbe/ip/esp/esp",
    ] {
        assert!(wrong.parse::<Stack>().is_err(), "{wrong}");
    }
}

#[test]
fn pos_is_meant_where_none_is_named() {
    assert_eq!(
        ladder("stm16/ip/tcp", 4470),
        ladder("oc48c/pos/ip/tcp", 4470)
    );
    assert_eq!(
        ladder("stm64/mpls/eth/ip", 9000)
            .rung("pos")
            .expect("a rung")
            .bytes,
        Some(9026)
    );
}

#[test]
fn ladders_and_framings_agree() {
    for mtu in [68, 576, 1500, 4470, 9000, 9180, 65_535] {
        for (stack, framing) in [
            ("1Gbps/ip", Framing::None),
            ("gbe/ip", Framing::Ethernet),
            ("gbe/vlan/ip", Framing::EthernetTagged),
            ("stm64/ip", Framing::Pos),
        ] {
            let l = ladder(stack, u64::from(mtu));
            let payload = l.rung("payload").unwrap_or(&l.layers[0]).rate_bps;
            let expected = payload * f64::from(mtu) / f64::from(framing.wire_bytes(mtu));
            assert!(
                (l.top_bps() / expected - 1.0).abs() < 1e-12,
                "{stack} {mtu}"
            );
        }
    }
}

#[test]
fn cells_are_filled_whole() {
    // 40-byte ACKs: one cell without LLC/SNAP, two with it; 1500 bytes take 32 cells.
    let cells = |stack: &str, mtu| {
        ladder(stack, mtu)
            .rung("atm")
            .expect("a rung")
            .bytes
            .expect("bytes")
            / 53
    };
    assert_eq!(cells("stm1/atm/aal5-llc/ip", 1500), 32);
    assert_eq!(cells("stm1/atm/aal5-llc/ip", 4470), 94);
    assert_eq!(cells("stm1/atm/aal5-llc/ip", 9180), 192);
    assert_eq!(cells("stm1/atm/aal5-vc/ip", 88), 2);
    assert_eq!(cells("stm1/atm/aal5-vc/ip", 89), 3);
    assert_eq!(cells("stm1/atm/aal5-llc/ip", 80), 2);
    assert_eq!(cells("stm1/atm/aal5-llc/ip", 81), 3);
}

/// 8 bytes of 1500 go to PPPoE, also within a tag and in the cells of a bridged circuit: 18 + 8 + 1492 = 1518 of a frame, and
/// 24 + 8 + 1492 + 8 = 1532 of AAL5 fill 32 cells.
#[test]
fn pppoe_takes_eight_bytes_of_each_frame() {
    let frame = |stack: &str| ladder(stack, 1492).rung("eth").expect("a rung").bytes;
    assert_eq!(frame("fe/pppoe/ip"), Some(1518));
    assert_eq!(frame("fe/vlan/pppoe/ip"), Some(1522));
    let cells = ladder("stm1/atm/aal5-bridged/pppoe/ip", 1492);
    assert_eq!(cells.rung("atm").expect("a rung").bytes, Some(32 * 53));
    assert!(
        cells.notes.iter().any(|n| n.contains("--mtu 1492")),
        "{:?}",
        cells.notes
    );
}

#[test]
fn refusals_teach() {
    let cases = [
        ("", "begins with its line"),
        ("stm65/ip", "stm64"),
        ("gbe", "no `ip` or `ip6`"),
        ("gbe/mpls", "no `ip` or `ip6`"),
        ("gbe/foo/ip", "`foo` is not a layer"),
        ("gbe//ip", "`` is not a layer"),
        ("gbe/pos/ip", "this line is Ethernet"),
        ("stm64/eth/ip", "10gbe-wan"),
        ("stm64/vlan/ip", "a tag belongs"),
        ("stm64/mpls/pos/ip", "directly after the line"),
        ("stm64/mpls*0/ip", "1 to 16"),
        ("stm64/mpls*17/ip", "1 to 16"),
        ("stm64/mpls*+1/ip", "1 to 16"),
        ("stm64/mpls*/ip", "1 to 16"),
        ("stm64/atm/ip", "aal5-llc"),
        ("stm64/atm", "aal5-llc"),
        ("stm64/aal5-llc/ip", "directly after `atm`"),
        ("gbe/tcp", "stand on `ip`"),
        ("gbe/ip/tcp/udp", "stand on `ip`"),
        ("gbe/ip/ip6", "one datagram"),
        ("gbe/ip/mpls", "below the datagram"),
        ("gbe/eth/eth/ip", "customer's"),
        ("stm64/pppoe/ip", "crosses an Ethernet"),
        ("gbe/ip/pppoe", "crosses an Ethernet"),
        ("10Gbit/s/ip", "begins with its line"),
    ];
    for (text, phrase) in cases {
        let message = text.parse::<Stack>().expect_err(text).to_string();
        assert!(
            message.contains(phrase),
            "{text}: {message:?} lacks {phrase:?}"
        );
    }
    let many = format!("gbe{}/ip", "/mpls".repeat(40));
    assert!(many.parse::<Stack>().is_err());
}

#[test]
fn impossible_mtus_are_refused() {
    let mtu = |stack: &str, bytes| {
        stack
            .parse::<Stack>()
            .expect(stack)
            .ladder(Size::from_bytes(bytes))
            .expect_err(stack)
            .to_string()
    };
    assert!(mtu("gbe/ip/tcp", 67).contains("below 68 B"));
    assert!(mtu("gbe/ip6/tcp", 1000).contains("below 1280 B"));
    assert!(mtu("gbe/ip/tcp", 65_536).contains("above 65535 B"));
}

/// What is read can be priced.
#[test]
fn no_stack_panics() {
    const LAYERS: [&str; 23] = [
        "eth",
        "pos",
        "atm",
        "aal5-llc",
        "aal5-vc",
        "vlan",
        "mpls",
        "mpls*2",
        "mpls*16",
        "ip",
        "ip6",
        "tcp",
        "tcp+ts",
        "udp",
        "esp",
        "622Mbps",
        "mpls*",
        "*",
        "99999999999",
        "",
        "µ",
        "\0",
        "/",
    ];
    let tops = [
        "ip/tcp+ts",
        "ip6/udp",
        "mpls*2/eth/vlan/ip/tcp",
        "ip/udp/esp/ip6/tcp",
        "atm/aal5-llc/ip/tcp",
    ];
    let of_line = |signal: &Signal| tops.map(|top| format!("{}/{top}", signal.name));
    let stacks: Vec<String> = Signal::all().iter().flat_map(of_line).collect();
    let corpus = Corpus::of(stacks.iter().map(String::as_str)).odd(&LAYERS);
    let outcomes = run(&corpus, |text, _| {
        let Ok(stack) = text.parse::<Stack>() else {
            return "refused";
        };
        let ladder = stack
            .ladder(Size::from_bytes(1500))
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        let falls = ladder
            .layers
            .windows(2)
            .all(|w| w[0].rate_bps >= w[1].rate_bps && w[1].rate_bps > 0.0);
        assert!(falls, "{text}: {ladder:?}");
        "read"
    });
    outcomes.at_least("read", 0.02).at_least("refused", 0.1);
}

/// The ladder printed in the OC-12 document, and the one its stack gives: three columns apart.
#[test]
fn the_oc12_ladder_with_and_without_its_fixed_stuff() {
    for (line, rates) in [
        ("oc12c", [599.040, 542.527, 540.408, 538.053]),
        (
            "oc12c-fixed-stuff-forgotten",
            [600.768, 544.092, 541.966, 539.605],
        ),
    ] {
        let l = ladder(&format!("{line}/atm/aal5-llc/ip/tcp"), 9180);
        for (rung, mbps) in ["payload", "aal5", "ip", "application"].iter().zip(rates) {
            let found = l.rung(rung).expect("a rung").rate_bps / 1e6;
            assert!((found - mbps).abs() < 0.001, "{line} {rung}: {found}");
        }
    }
    assert!("gbe-fixed-stuff-forgotten/ip".parse::<Stack>().is_err());
}

/// A DS3 with PLCP (ITU-T G.804): 96 000 cells a second.
#[test]
fn a_ds3_carries_96_000_cells_a_second() {
    let l = ladder("ds3-atm/ip/tcp", 576);
    let rate = |name| l.rung(name).expect("a rung").rate_bps;
    assert_eq!(
        (rate("line"), rate("payload")),
        (44_736_000.0, 40_704_000.0)
    );
    assert_eq!(rate("payload") - rate("aal5"), 3_840_000.0);
    assert_eq!(rate("aal5"), 36_864_000.0);
}

/// A line of cells names its adaptation layer or gets LLC and SNAP; frames of other kinds are refused.
#[test]
fn a_line_of_cells_brings_its_adaptation_layer() {
    assert_eq!(
        ladder("oc12c-atm/ip/tcp", 9180).top_bps(),
        ladder("oc12c/atm/aal5-llc/ip/tcp", 9180).top_bps()
    );
    let vc = ladder("oc12c-atm/aal5-vc/ip", 88);
    assert_eq!(vc.rung("atm").expect("a rung").bytes, Some(106));
    assert_eq!(ladder("oc12c-atm/atm/aal5-vc/ip", 88), vc);
    let bridged = ladder("oc3c-atm/aal5-bridged/ip", 1500);
    assert_eq!(bridged.rung("aal5").expect("a rung").bytes, Some(32 * 48));
    assert!("oc12c-atm/pos/ip".parse::<Stack>().is_err());
    assert!("oc12c-atm/atm/ip".parse::<Stack>().is_err());
}
