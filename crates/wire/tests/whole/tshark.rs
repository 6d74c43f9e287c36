//! Wireshark's opinion of what is captured. `tshark` must be installed: a missing one is a failure.

use std::io::Write;
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use farpath_units::Time;
use farpath_wire::encode::{Addresses, Extras, FlowInfo, Link, encode};
use farpath_wire::ethernet::{Mac, Vlan};
use farpath_wire::mpls::LabelStack;
use farpath_wire::packet::LinkType;
use farpath_wire::pcapng::Writer;
use farpath_wire::{FlowDir, Frame, Kind, LabelEntry};

fn flow() -> FlowInfo {
    FlowInfo {
        addresses: Addresses::V4([
            Ipv4Addr::new(192, 91, 239, 1),
            Ipv4Addr::new(192, 91, 236, 10),
        ]),
        ports: [40_001, 5001],
        identifier: 77,
        kind: Kind::Udp,
        mss: 8948,
        timestamps: true,
        sack: true,
        window_scale: [Some(7), Some(11)],
        isn: [1000, 2000],
        customer: [Mac::documentation(11), Mac::documentation(12)],
        customer_vlan: Vlan::new(120),
    }
}

fn frame(kind: Kind, seq: u64, len: u16, reverse: bool) -> Frame {
    let dir = FlowDir::forward(3);
    Frame::new(kind, if reverse { dir.turned() } else { dir }, seq, len)
}

/// Two interfaces of one POS link and one Ethernet; a handshake, data below a label, an ACK with
/// SACK, and a router's answer.
fn capture() -> Vec<u8> {
    let flow = flow();
    let ethernet = Link::Ethernet {
        source: Mac::local(1),
        destination: Mac::local(2),
        vlan: Some(Vlan::new(7)),
    };
    let mut writer = Writer::new(Vec::new()).expect("a Vec takes everything");
    let mut interface = |name, link| {
        writer
            .interface(name, link)
            .expect("a Vec takes everything")
    };
    let there = interface("stm64 cernh5>ar5-chicago", LinkType::Ppp);
    let back = interface("stm64 ar5-chicago>cernh5", LinkType::Ppp);
    let lan = interface("lan w05gva>cernh5", LinkType::Ethernet);
    let extras = Extras {
        window: 1 << 20,
        tsval: 10,
        tsecr: 9,
        ..Extras::default()
    };
    let sack = [(17_896, 26_844)];
    let mut data = frame(Kind::Data, 8948, 9000, false);
    data.label = LabelEntry::bottom(100_016, 5, 250);
    data.set_inner(Some(true));
    let mut plain = frame(Kind::Data, 0, 9000, false);
    plain.label = LabelEntry::bottom(100_017, 0, 251);
    let labels = LabelStack::new(&[LabelEntry::bottom(100_016, 5, 1)]).expect("one label fits");
    let packets = [
        (lan, ethernet, frame(Kind::Syn, 0, 60, false), extras),
        (back, Link::Ppp, frame(Kind::SynAck, 0, 60, true), extras),
        (there, Link::Ppp, data, extras),
        (there, Link::Ppp, plain, extras),
        (
            back,
            Link::Ppp,
            frame(Kind::Ack, 8948, 64, true),
            Extras {
                sack: &sack,
                ..extras
            },
        ),
        (
            back,
            Link::Ppp,
            frame(Kind::TimeExceeded, 3, 56, true),
            Extras { labels, ..extras },
        ),
        (
            lan,
            ethernet,
            frame(Kind::EchoRequest, 5, 84, false),
            extras,
        ),
        (lan, ethernet, frame(Kind::Udp, 5, 1500, false), extras),
    ];
    let mut bytes = Vec::new();
    for (i, (interface, link, frame, extras)) in packets.iter().enumerate() {
        bytes.clear();
        let original = encode(frame, &flow, link, extras, &mut bytes);
        let at = Time::from_ps(1_500_000_000_123_999 + i as u64 * 1_000_000);
        writer
            .packet(*interface, at, &bytes, original)
            .expect("a Vec takes everything");
    }
    writer.finish().expect("a Vec takes everything")
}

/// One row per packet, one column per field; several values of a field are joined by a comma.
fn tshark(capture: &[u8], fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.args([
        "-n",
        "-r",
        "-",
        "-o",
        "tcp.relative_sequence_numbers:FALSE",
        "-o",
        "ip.check_checksum:TRUE",
        "-T",
        "fields",
    ]);
    for field in fields {
        command.args(["-e", field]);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("tshark runs: install the package `tshark`");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(capture).expect("tshark reads the capture");
    drop(stdin);
    let output = child.wait_with_output().expect("tshark ends");
    assert!(output.status.success(), "tshark: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("tshark prints UTF-8");
    text.lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

#[test]
fn wireshark_reads_link_labels_and_transport() {
    let rows = tshark(
        &capture(),
        &[
            "frame.interface_name",
            "frame.protocols",
            "frame.len",
            "mpls.label",
            "mpls.exp",
            "mpls.ttl",
            "vlan.id",
        ],
    );
    let row = |i: usize| rows[i].iter().map(String::as_str).collect::<Vec<_>>();
    let (there, back, lan) = (
        "stm64 cernh5>ar5-chicago",
        "stm64 ar5-chicago>cernh5",
        "lan w05gva>cernh5",
    );
    assert_eq!(
        row(0),
        [
            lan,
            "eth:ethertype:vlan:ethertype:ip:tcp",
            "78",
            "",
            "",
            "",
            "7"
        ]
    );
    assert_eq!(row(1), [back, "ppp:ip:tcp", "64", "", "", "", ""]);
    let tunnel = "ppp:mpls:pwethheuristic:pwethnocw:eth:ethertype:vlan:ethertype:ip:tcp";
    assert_eq!(row(2)[..4], [there, tunnel, "9026", "100016"]);
    assert_eq!(row(2)[4..], ["5", "250", "120"]);
    assert_eq!(row(3)[..4], [there, "ppp:mpls:ip:tcp", "9008", "100017"]);
    assert_eq!(row(6)[1], "eth:ethertype:vlan:ethertype:ip:icmp");
    assert_eq!(row(7)[1], "eth:ethertype:vlan:ethertype:ip:udp");
    assert_eq!(rows.len(), 8);
}

#[test]
fn wireshark_reads_tcp_fields_and_options() {
    let rows = tshark(
        &capture(),
        &[
            "tcp.seq",
            "tcp.ack",
            "tcp.len",
            "tcp.options.mss_val",
            "tcp.options.wscale.shift",
            "tcp.options.sack_le",
            "tcp.options.sack_re",
            "tcp.options.timestamp.tsval",
            "tcp.window_size",
        ],
    );
    assert_eq!(
        rows[0],
        ["1000", "0", "0", "8948", "7", "", "", "10", "65535"]
    );
    assert_eq!(rows[1][..5], ["2000", "1001", "0", "8948", "11"]);
    assert_eq!(rows[2][..3], ["9949", "2001", "8948"]);
    // 1 MiB, through the shift that the SYN announced.
    assert_eq!(
        (rows[2][8].as_str(), rows[4][8].as_str()),
        ("1048576", "1048576")
    );
    assert_eq!(
        (
            rows[4][1].as_str(),
            rows[4][5].as_str(),
            rows[4][6].as_str()
        ),
        ("9949", "18897", "27845")
    );
}

#[test]
fn wireshark_reads_a_routers_labels_and_the_time() {
    let rows = tshark(
        &capture(),
        &[
            "icmp.type",
            "icmp.mpls.label",
            "icmp.ext.checksum.status",
            "icmp.checksum.status",
            "frame.time_epoch",
        ],
    );
    assert_eq!(rows[5][..2], ["11", "100016"]);
    assert_eq!(rows[5][3], "1", "{:?}", rows[5]);
    // Picoseconds are rounded down to nanoseconds.
    assert_eq!(rows[0][4], "1500.000000123");
}

#[test]
fn wireshark_finds_header_checksums_right() {
    let rows = tshark(&capture(), &["ip.checksum.status", "_ws.expert.message"]);
    for row in rows {
        // 1 is "good"; the quoted datagram of the router's answer has a second header.
        assert!(row[0] == "1" || row[0] == "1,1", "{row:?}");
        assert!(
            !row[1].contains("Bogus") && !row[1].contains("Malformed"),
            "{row:?}"
        );
    }
}
