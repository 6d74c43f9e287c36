//! Headers both ways: round trips, another implementation's opinion, and a million damaged inputs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::{LaxPacketHeaders, TransportHeader};
use farpath_wire::encode::{Addresses, Extras, FlowInfo, Link, encode};
use farpath_wire::ethernet::{Mac, Vlan};
use farpath_wire::icmp::{self, Icmp, Message};
use farpath_wire::ip::{Ipv4, Ipv6};
use farpath_wire::mpls::LabelStack;
use farpath_wire::packet::{LinkType, Network, Packet, Transport};
use farpath_wire::tcp::{Control, Options, SackBlocks, Tcp};
use farpath_wire::udp::Udp;
use farpath_wire::{Checksum, Flags, FlowDir, Frame, Kind, LabelEntry};
use proptest::prelude::*;

const V4: Addresses = Addresses::V4([
    Ipv4Addr::new(192, 91, 239, 1),
    Ipv4Addr::new(192, 91, 236, 10),
]);
const V6: Addresses = Addresses::V6([
    Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1),
    Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 2),
]);
const ETHERNET: Link = Link::Ethernet {
    source: Mac::local(1),
    destination: Mac::local(2),
    vlan: None,
};

fn flow(addresses: Addresses) -> FlowInfo {
    FlowInfo {
        addresses,
        ports: [40_001, 5001],
        identifier: 77,
        kind: Kind::Udp,
        mss: 8948,
        timestamps: true,
        sack: true,
        window_scale: [Some(7), Some(11)],
        isn: [0xffff_ff00, 1000],
        customer: [Mac::documentation(11), Mac::documentation(12)],
        customer_vlan: Vlan::new(120),
    }
}

fn frame(kind: Kind, len: u16) -> Frame {
    let dir = FlowDir::forward(3);
    let back = matches!(
        kind,
        Kind::Ack | Kind::SynAck | Kind::EchoReply | Kind::TimeExceeded | Kind::FragmentationNeeded
    );
    Frame::new(
        kind,
        if back { dir.turned() } else { dir },
        8948 * 70_000,
        len,
    )
}

fn encoded(frame: &Frame, flow: &FlowInfo, link: &Link, extras: &Extras<'_>) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let original = encode(frame, flow, link, extras, &mut out);
    (out, original)
}

const KINDS: [Kind; 9] = [
    Kind::Data,
    Kind::Ack,
    Kind::Syn,
    Kind::SynAck,
    Kind::Udp,
    Kind::EchoRequest,
    Kind::EchoReply,
    Kind::TimeExceeded,
    Kind::FragmentationNeeded,
];

/// One frame of every kind, plain and below a label with a customer's Ethernet, on every link.
fn samples() -> Vec<(LinkType, Vec<u8>)> {
    let sack = [(8948 * 80_000, 8948 * 90_000), (1, 2), (5, 6)];
    let extras = Extras {
        window: 1 << 24,
        tsval: 7,
        tsecr: 6,
        sack: &sack,
        labels: LabelStack::new(&[LabelEntry::bottom(100_016, 0, 1)]).expect("one label fits"),
        ..Extras::default()
    };
    let tagged = Link::Ethernet {
        source: Mac::local(1),
        destination: Mac::local(2),
        vlan: Some(Vlan::new(7)),
    };
    let mut all = Vec::new();
    for (link, kind) in [ETHERNET, tagged, Link::Ppp]
        .iter()
        .flat_map(|l| KINDS.map(|k| (l, k)))
    {
        let number = if *link == Link::Ppp {
            LinkType::Ppp
        } else {
            LinkType::Ethernet
        };
        for addresses in [V4, V6] {
            for labelled in [false, true] {
                let mut f = frame(kind, 9000);
                if labelled {
                    f.label = LabelEntry::bottom(100_032, 2, 254);
                    f.set_inner(Some(true));
                }
                all.push((number, encoded(&f, &flow(addresses), link, &extras).0));
            }
        }
    }
    all
}

#[test]
fn a_data_segment_carries_what_the_descriptor_says() {
    let mut f = frame(Kind::Data, 9000);
    f.set_flags(Flags::DONT_FRAGMENT);
    f.class = 0x20;
    let extras = Extras {
        window: 65_535 << 7,
        tsval: 1,
        tsecr: 2,
        ..Extras::default()
    };
    let (bytes, original) = encoded(&f, &flow(V4), &ETHERNET, &extras);
    assert_eq!((bytes.len(), original), (14 + 20 + 32, 9014));
    let packet = Packet::parse(LinkType::Ethernet, &bytes).expect("own bytes parse");
    let Some((Network::V4(ip), Transport::Tcp(tcp))) = packet.ip else {
        panic!("{packet:?}")
    };
    assert_eq!(
        (
            ip.total_length,
            ip.tos,
            ip.ttl,
            ip.dont_fragment,
            ip.identification
        ),
        (9000, 0x20, 64, true, 0)
    );
    // isn + 1 + offset, modulo 2^32.
    let expected = (0xffff_ff00u64 + 1 + 8948 * 70_000) as u32;
    assert_eq!(
        (tcp.sequence, tcp.acknowledgement, tcp.window),
        (expected, 1001, 65_535)
    );
    assert_eq!(
        (tcp.options.timestamps, packet.payload_bytes),
        (Some((1, 2)), 8948)
    );
}

/// RFC 7323 §2.2: a SYN offers, a SYN-ACK agrees, and a shift holds where both did.
#[test]
fn windows_are_scaled_where_both_ends_offer_it() {
    for (scales, offered, agreed, window) in [
        ([Some(7), Some(11)], Some(7), Some(11), 31),
        ([Some(7), None], Some(7), None, 65_535),
        ([None, Some(11)], None, None, 65_535),
        ([None, None], None, None, 65_535),
    ] {
        let flow = FlowInfo {
            window_scale: scales,
            ..flow(V4)
        };
        let extras = Extras {
            window: 65_535,
            ..Extras::default()
        };
        let of = |kind: Kind| {
            let (bytes, _) = encoded(&frame(kind, 60), &flow, &ETHERNET, &extras);
            let packet = Packet::parse(LinkType::Ethernet, &bytes).expect("own bytes parse");
            match packet.ip {
                Some((_, Transport::Tcp(tcp))) => (tcp.options.window_scale, tcp.window),
                _ => panic!("{packet:?}"),
            }
        };
        assert_eq!(of(Kind::Syn), (offered, 65_535), "{scales:?}");
        assert_eq!(of(Kind::SynAck), (agreed, 65_535), "{scales:?}");
        assert_eq!(of(Kind::Ack), (None, window), "{scales:?}");
    }
}

#[test]
fn an_ack_carries_three_sack_blocks_beside_timestamps_and_four_without() {
    let sack = [(10, 20), (30, 40), (50, 60), (70, 80)];
    for (timestamps, blocks) in [(true, 3), (false, 4)] {
        let info = FlowInfo {
            timestamps,
            ..flow(V4)
        };
        let (bytes, _) = encoded(
            &frame(Kind::Ack, 80),
            &info,
            &ETHERNET,
            &Extras {
                sack: &sack,
                ..Extras::default()
            },
        );
        let packet = Packet::parse(LinkType::Ethernet, &bytes).expect("own bytes parse");
        let Some((_, Transport::Tcp(tcp))) = packet.ip else {
            panic!("{packet:?}")
        };
        assert_eq!(tcp.options.sack.blocks().len(), blocks);
        assert_eq!(
            tcp.options.sack.blocks()[1].0,
            0xffff_ff00u32.wrapping_add(31)
        );
        assert_eq!(tcp.control, Control::ACK);
    }
}

/// RFC 3168 §6.1: a SYN asks, a SYN-ACK agrees, an ACK echoes, and data says that the window was reduced.
#[test]
fn ecn_has_the_bits_of_its_kind_of_segment() {
    for (kind, bits) in [
        (Kind::Syn, Control::ECE.with(Control::CWR)),
        (Kind::SynAck, Control::ECE),
        (Kind::Ack, Control::ECE),
        (Kind::Data, Control::CWR),
    ] {
        let control = |flags: Flags| {
            let mut frame = frame(kind, 80);
            frame.set_flags(flags);
            let (bytes, _) = encoded(&frame, &flow(V4), &ETHERNET, &Extras::default());
            let packet = Packet::parse(LinkType::Ethernet, &bytes).expect("own bytes parse");
            match packet.ip {
                Some((_, Transport::Tcp(tcp))) => tcp.control,
                _ => panic!("{packet:?}"),
            }
        };
        let plain = control(Flags::NONE);
        assert_eq!(control(Flags::ECN), plain.with(bits), "{kind:?}");
        assert!(!plain.contains(Control::ECE) && !plain.contains(Control::CWR));
    }
}

#[test]
fn a_customer_frame_in_a_tunnel_over_sdh_has_all_its_headers() {
    let mut f = frame(Kind::Data, 9000);
    f.label = LabelEntry::bottom(100_016, 0, 250);
    f.set_inner(Some(true));
    let (bytes, original) = encoded(&f, &flow(V4), &Link::Ppp, &Extras::default());
    assert_eq!(original, 4 + f.link_payload());
    let packet = Packet::parse(LinkType::Ppp, &bytes).expect("own bytes parse");
    assert_eq!(packet.labels.entries(), [f.label]);
    let customer = packet.customer.expect("an Ethernet header below the label");
    assert_eq!(
        (customer.source, customer.vlan),
        (Mac::documentation(11), Some(Vlan::new(120)))
    );
    assert!(matches!(
        packet.ip,
        Some((Network::V4(_), Transport::Tcp(_)))
    ));
}

#[test]
fn a_router_says_which_labels_the_dead_frame_had() {
    let died = {
        let mut f = frame(Kind::Udp, 60);
        f.ttl = 1;
        f
    };
    let labels = LabelStack::new(&[LabelEntry::bottom(100_016, 0, 1)]).expect("one label fits");
    for (addresses, router) in [
        (V4, IpAddr::from([10, 0, 0, 1])),
        (V6, IpAddr::from([9u16; 8])),
    ] {
        let extras = Extras {
            answerer: Some(router),
            quoted: Some(&died),
            labels,
            ..Extras::default()
        };
        let (bytes, _) = encoded(
            &frame(Kind::TimeExceeded, 56),
            &flow(addresses),
            &ETHERNET,
            &extras,
        );
        let packet = Packet::parse(LinkType::Ethernet, &bytes).expect("own bytes parse");
        let Some((network, Transport::Icmp(icmp))) = packet.ip else {
            panic!("{packet:?}")
        };
        assert_eq!((icmp.message, icmp.labels), (Message::TimeExceeded, labels));
        let source = match network {
            Network::V4(ip) => IpAddr::V4(ip.source),
            Network::V6(ip) => IpAddr::V6(ip.source),
        };
        assert_eq!((source, icmp.quoted.len()), (router, 128));
    }
}

#[test]
fn short_ethernet_frames_are_padded_and_captured_whole() {
    let info = FlowInfo {
        timestamps: false,
        sack: false,
        ..flow(V4)
    };
    let (bytes, original) = encoded(&frame(Kind::Ack, 40), &info, &ETHERNET, &Extras::default());
    assert_eq!((bytes.len(), original), (60, 60));
}

/// Recomputes every checksum of an encoded frame over the whole datagram, payload zeros.
#[test]
fn checksums_are_right_over_a_payload_of_zeros() {
    for (link, mut bytes) in samples() {
        let start = {
            let packet = Packet::parse(link, &bytes).expect("own bytes parse");
            let outer = packet
                .ethernet
                .map_or(4, |e| if e.vlan.is_some() { 18 } else { 14 });
            outer + 4 * packet.labels.entries().len() + packet.customer.map_or(0, |_| 18)
        };
        let datagram = &mut bytes.split_off(start);
        if datagram[0] >> 4 == 4 {
            let (ip, _) = Ipv4::parse(datagram).expect("own bytes parse");
            assert_eq!(Checksum::new().with(&datagram[..20]).value(), 0);
            datagram.resize(usize::from(ip.total_length), 0);
            let pseudo = if ip.protocol == 1 {
                Checksum::new()
            } else {
                ip.pseudo_header(ip.total_length - 20)
            };
            assert_eq!(pseudo.with(&datagram[20..]).value(), 0);
        } else {
            let (ip, _) = Ipv6::parse(datagram).expect("own bytes parse");
            datagram.resize(40 + usize::from(ip.payload_length), 0);
            let pseudo = ip.pseudo_header(ip.next_header, u32::from(ip.payload_length));
            assert_eq!(pseudo.with(&datagram[40..]).value(), 0);
        }
    }
}

#[test]
fn another_implementation_reads_the_same() {
    let mut compared = 0;
    for (link, bytes) in samples() {
        let ours = Packet::parse(link, &bytes).expect("own bytes parse");
        if link != LinkType::Ethernet || !ours.labels.entries().is_empty() {
            continue;
        }
        let theirs = LaxPacketHeaders::from_ethernet(&bytes).expect("their parser accepts");
        assert!(theirs.stop_err.is_none(), "{:?}", theirs.stop_err);
        match (
            ours.ip.expect("IP").1,
            theirs.transport.expect("a transport header"),
        ) {
            (Transport::Tcp(a), TransportHeader::Tcp(b)) => {
                assert_eq!(
                    (a.source, a.destination),
                    (b.source_port, b.destination_port)
                );
                assert_eq!(
                    (a.sequence, a.acknowledgement, a.window),
                    (b.sequence_number, b.acknowledgment_number, b.window_size)
                );
                assert_eq!(
                    (
                        a.control.contains(Control::SYN),
                        a.control.contains(Control::ACK)
                    ),
                    (b.syn, b.ack)
                );
                assert_eq!(a.header_bytes(), b.header_len());
                for option in b.options_iterator() {
                    use etherparse::TcpOptionElement as E;
                    match option.expect("their options parse") {
                        E::Noop => {}
                        E::MaximumSegmentSize(v) => assert_eq!(a.options.mss, Some(v)),
                        E::WindowScale(v) => assert_eq!(a.options.window_scale, Some(v)),
                        E::SelectiveAcknowledgementPermitted => assert!(a.options.sack_permitted),
                        E::SelectiveAcknowledgement(first, _) => {
                            assert_eq!(a.options.sack.blocks()[0], first)
                        }
                        E::Timestamp(v, e) => assert_eq!(a.options.timestamps, Some((v, e))),
                    }
                }
            }
            (Transport::Udp(a), TransportHeader::Udp(b)) => {
                assert_eq!(
                    (a.source, a.destination, a.length),
                    (b.source_port, b.destination_port, b.length)
                );
            }
            (Transport::Icmp(a), TransportHeader::Icmpv4(b)) => {
                same_icmp(a.message, &format!("{b:?}"))
            }
            (Transport::Icmp(a), TransportHeader::Icmpv6(b)) => {
                same_icmp(a.message, &format!("{b:?}"))
            }
            (a, b) => panic!("{a:?} against {b:?}"),
        }
        compared += 1;
    }
    assert_eq!(compared, 2 * 2 * KINDS.len());
}

fn same_icmp(ours: Message, theirs: &str) {
    let name = match ours {
        Message::EchoRequest { .. } => "EchoRequest",
        Message::EchoReply { .. } => "EchoReply",
        Message::TimeExceeded => "TimeExceeded",
        Message::TooBig { .. } if theirs.contains("FragmentationNeeded") => "FragmentationNeeded",
        Message::TooBig { .. } => "PacketTooBig",
        Message::Other { .. } => panic!("{theirs}"),
    };
    assert!(theirs.contains(name), "{ours:?} against {theirs}");
}

#[test]
fn a_million_damaged_frames_do_not_panic() {
    let samples = samples();
    // SplitMix64: small, and the same on every machine.
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let (mut accepted, mut refused) = (0u32, 0u32);
    let mut bytes = Vec::new();
    for i in 0..1_000_000usize {
        let (link, sample) = &samples[i % samples.len()];
        bytes.clear();
        bytes.extend(sample);
        for _ in 0..1 + random() % 4 {
            let r = random();
            let place = (r >> 32) as usize % bytes.len();
            match r & 3 {
                0 => bytes.truncate(place + 1),
                1 => bytes[place] ^= 1 << (r >> 8 & 7),
                _ => bytes[place] = (r >> 8) as u8,
            }
        }
        match Packet::parse(*link, &bytes) {
            Ok(packet) => accepted += u32::from(packet.payload_bytes < 70_000),
            Err(_) => refused += 1,
        }
    }
    // Both must happen often, or the damage is not of the right kind.
    assert!(
        accepted > 100_000 && refused > 100_000,
        "{accepted} accepted, {refused} refused"
    );
}

prop_compose! {
    fn any_options()(mss in any::<Option<u16>>(), window_scale in prop::option::of(0u8..15), sack_permitted in any::<bool>(),
                     timestamps in any::<Option<(u32, u32)>>(), sack in prop::collection::vec(any::<(u32, u32)>(), 0..5)) -> Options {
        let fixed = 4 * usize::from(mss.is_some()) + 4 * usize::from(window_scale.is_some())
            + match (sack_permitted, timestamps.is_some()) { (_, true) => 12, (true, false) => 4, _ => 0 };
        let room = (40 - fixed).saturating_sub(4) / 8;
        Options { mss, window_scale, sack_permitted, timestamps, sack: SackBlocks::new(&sack[..sack.len().min(room)]) }
    }
}

proptest! {
    #[test]
    fn tcp_round_trip(ports in any::<(u16, u16)>(), numbers in any::<(u32, u32)>(), control in any::<u8>(),
                      window in any::<u16>(), urgent in any::<u16>(), options in any_options()) {
        let tcp = Tcp { source: ports.0, destination: ports.1, sequence: numbers.0, acknowledgement: numbers.1,
                        control: Control(control), window, urgent, options };
        let mut bytes = Vec::new();
        tcp.write(Checksum::new(), &mut bytes);
        prop_assert_eq!(bytes.len(), tcp.header_bytes());
        prop_assert_eq!(Checksum::new().with(&bytes).value(), 0);
        prop_assert_eq!(Tcp::parse(&bytes), Ok((tcp, &[][..])));
    }

    #[test]
    fn ip_and_udp_round_trip(a in any::<(u8, u16, u16, bool, bool, u8, u8)>(), ends in any::<(u32, u32)>(), wide in any::<(u128, u128, u32)>()) {
        let v4 = Ipv4 { tos: a.0, total_length: a.1.max(20), identification: a.2, dont_fragment: a.3, more_fragments: a.4,
                        fragment_offset: a.2 & 0x1fff, ttl: a.5, protocol: a.6,
                        source: ends.0.into(), destination: ends.1.into() };
        let mut bytes = Vec::new();
        v4.write(&mut bytes);
        prop_assert_eq!(Ipv4::parse(&bytes), Ok((v4, &[][..])));
        let v6 = Ipv6 { traffic_class: a.0, flow_label: wide.2 & 0xf_ffff, payload_length: a.1, next_header: a.5, hop_limit: a.6,
                        source: wide.0.into(), destination: wide.1.into() };
        bytes.clear();
        v6.write(&mut bytes);
        prop_assert_eq!(Ipv6::parse(&bytes), Ok((v6, &[][..])));
        let udp = Udp { source: a.1, destination: a.2, length: a.1.max(8) };
        bytes.clear();
        udp.write(v4.pseudo_header(udp.length), &mut bytes);
        prop_assert_eq!(Udp::parse(&bytes), Ok((udp, &[][..])));
    }

    #[test]
    fn label_stacks_and_icmp_round_trip(labels in prop::collection::vec(any::<u32>(), 1..9), quoted in prop::collection::vec(any::<u8>(), 0..300),
                                        v6 in any::<bool>(), pick in 0..4, id in any::<(u16, u16)>()) {
        let version = if v6 { icmp::Version::V6 } else { icmp::Version::V4 };
        let entries: Vec<LabelEntry> = labels.iter().map(|l| LabelEntry(*l)).collect();
        let stack = LabelStack::new(&entries).expect("at most eight");
        let mut bytes = Vec::new();
        stack.write(&mut bytes);
        prop_assert_eq!(LabelStack::parse(&bytes), Ok((stack, &[][..])));
        let message = match pick {
            0 => Message::EchoRequest { identifier: id.0, sequence: id.1 },
            1 => Message::EchoReply { identifier: id.0, sequence: id.1 },
            2 => Message::TimeExceeded,
            _ => Message::TooBig { mtu: u32::from(id.0) },
        };
        let carries = message == Message::TimeExceeded || (matches!(message, Message::TooBig { .. }) && !v6);
        let sent = Icmp { message, quoted: &quoted, labels: if carries { stack } else { LabelStack::EMPTY } };
        bytes.clear();
        sent.write(version, Checksum::new(), &mut bytes);
        prop_assert_eq!(bytes.len(), sent.bytes(version));
        prop_assert_eq!(Checksum::new().with(&bytes).value(), 0);
        let got = Icmp::parse(version, &bytes).expect("own bytes parse");
        prop_assert_eq!((got.message, got.labels), (sent.message, sent.labels));
        prop_assert_eq!(&got.quoted[..quoted.len()], &quoted[..]);
        prop_assert!(got.quoted[quoted.len()..].iter().all(|b| *b == 0));
    }
}
