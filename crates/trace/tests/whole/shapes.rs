//! Captures made by hand: every format and wrapping around the same small connection.

/// A TCP segment as somebody made it.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    pub(crate) from_a: bool,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) control: u8,
    pub(crate) window: u16,
    pub(crate) options: Vec<u8>,
    pub(crate) payload: Vec<u8>,
}

/// The one's complement of the one's complement sum (RFC 1071).
pub(crate) fn sum(parts: &[&[u8]]) -> u16 {
    let all: Vec<u8> = parts.concat();
    let mut sum = 0u32;
    for pair in all.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
    }
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

impl Tcp {
    /// Header and payload, the checksum right for these addresses.
    pub(crate) fn bytes(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let ports: [u16; 2] = if self.from_a {
            [40_000, 5001]
        } else {
            [5001, 40_000]
        };
        let mut b = Vec::new();
        b.extend(ports[0].to_be_bytes());
        b.extend(ports[1].to_be_bytes());
        b.extend(self.seq.to_be_bytes());
        b.extend(self.ack.to_be_bytes());
        b.push(((20 + self.options.len()) as u8 / 4) << 4);
        b.push(self.control);
        b.extend(self.window.to_be_bytes());
        b.extend([0; 4]);
        b.extend(&self.options);
        b.extend(&self.payload);
        let length = (b.len() as u32).to_be_bytes();
        let check = sum(&[from, to, &length, &[0, 0, 0, 6], &b]);
        b[16..18].copy_from_slice(&check.to_be_bytes());
        b
    }
}

const A4: [u8; 4] = [10, 0, 0, 1];
const B4: [u8; 4] = [10, 0, 0, 2];

fn ends(from_a: bool) -> ([u8; 4], [u8; 4]) {
    if from_a { (A4, B4) } else { (B4, A4) }
}

fn address6(last: u8) -> [u8; 16] {
    let mut a = [0; 16];
    (a[0], a[1], a[15]) = (0x20, 1, last);
    a
}

/// An IPv4 datagram, with options where there are some.
pub(crate) fn ipv4(
    protocol: u8,
    (from, to): ([u8; 4], [u8; 4]),
    options: &[u8],
    body: &[u8],
) -> Vec<u8> {
    let header = 20 + options.len();
    let mut b = vec![0x40 | (header / 4) as u8, 0];
    b.extend(((header + body.len()) as u16).to_be_bytes());
    b.extend([0, 7, 0x40, 0, 64, protocol, 0, 0]);
    b.extend(from);
    b.extend(to);
    b.extend(options);
    b.extend(body);
    b
}

pub(crate) fn v4(tcp: &Tcp) -> Vec<u8> {
    let (from, to) = ends(tcp.from_a);
    ipv4(6, (from, to), &[], &tcp.bytes(&from, &to))
}

/// With a loose source route of three no-operations.
pub(crate) fn v4_options(tcp: &Tcp) -> Vec<u8> {
    let (from, to) = ends(tcp.from_a);
    ipv4(6, (from, to), &[1, 1, 1, 0], &tcp.bytes(&from, &to))
}

fn v6_with(tcp: &Tcp, first: u8, extension: &[u8]) -> Vec<u8> {
    let [from, to] = if tcp.from_a { [1, 2] } else { [2, 1] }.map(address6);
    let body = tcp.bytes(&from, &to);
    let mut b = vec![0x60, 0, 0, 0];
    b.extend(((extension.len() + body.len()) as u16).to_be_bytes());
    b.extend([first, 64]);
    b.extend(from);
    b.extend(to);
    b.extend(extension);
    b.extend(body);
    b
}

pub(crate) fn v6(tcp: &Tcp) -> Vec<u8> {
    v6_with(tcp, 6, &[])
}

/// Hop-by-hop options, then destination options, then an atomic fragment.
pub(crate) fn v6_extended(tcp: &Tcp) -> Vec<u8> {
    let mut e = vec![60, 0, 1, 4, 0, 0, 0, 0];
    e.extend([44, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    e.extend([6, 0, 0, 0, 0, 0, 0, 9]);
    v6_with(tcp, 0, &e)
}

/// In another datagram.
pub(crate) fn ip_in_ip(tcp: &Tcp) -> Vec<u8> {
    ipv4(4, ([1; 4], [2; 4]), &[], &v4(tcp))
}

/// In GRE with a key.
pub(crate) fn gre(tcp: &Tcp) -> Vec<u8> {
    let mut g = vec![0x20, 0, 8, 0, 0, 0, 0, 5];
    g.extend(v4(tcp));
    ipv4(47, ([1; 4], [2; 4]), &[], &g)
}

/// In VXLAN.
pub(crate) fn vxlan(tcp: &Tcp) -> Vec<u8> {
    let inner = ethernet(&v4(tcp));
    let mut u = vec![0x30, 0x39, 0x12, 0xb5];
    u.extend((16 + inner.len() as u16).to_be_bytes());
    u.extend([0, 0, 8, 0, 0, 0, 0, 0, 42, 0]);
    u.extend(inner);
    ipv4(17, ([1; 4], [2; 4]), &[], &u)
}

/// In a datagram of UDP to a port, behind what stands there first.
fn in_udp(port: u16, first: &[u8], inner: &[u8]) -> Vec<u8> {
    let mut u = vec![0x30, 0x39];
    u.extend(port.to_be_bytes());
    u.extend((8 + first.len() as u16 + inner.len() as u16).to_be_bytes());
    u.extend([0, 0]);
    u.extend(first);
    u.extend(inner);
    ipv4(17, ([1; 4], [2; 4]), &[], &u)
}

/// In GENEVE with one option of four bytes.
pub(crate) fn geneve(tcp: &Tcp) -> Vec<u8> {
    let first = [2, 0, 0x65, 0x58, 0, 0, 42, 0, 1, 2, 3, 1, 0, 0, 0, 9];
    in_udp(6081, &first, &ethernet(&v4(tcp)))
}

/// In GTP-U, plain.
pub(crate) fn gtp(tcp: &Tcp) -> Vec<u8> {
    in_udp(2152, &[0x30, 255, 0, 60, 0, 0, 0, 7], &v4(tcp))
}

/// In GTP-U with a sequence number and the extension header of a 5G session.
pub(crate) fn gtp_extended(tcp: &Tcp) -> Vec<u8> {
    let first = [0x36, 255, 0, 68, 0, 0, 0, 7, 0, 1, 0, 0x85, 1, 0, 9, 0];
    in_udp(2152, &first, &v6(tcp))
}

fn mirrored(first: &[u8], tcp: &Tcp) -> Vec<u8> {
    let mut g = first.to_vec();
    g.extend(ethernet(&v4(tcp)));
    ipv4(47, ([1; 4], [2; 4]), &[], &g)
}

/// Mirrored by ERSPAN, type I.
pub(crate) fn erspan(tcp: &Tcp) -> Vec<u8> {
    mirrored(&[0, 0, 0x88, 0xbe], tcp)
}

/// Type II: a sequence number, and a header of eight bytes.
pub(crate) fn erspan_ii(tcp: &Tcp) -> Vec<u8> {
    mirrored(
        &[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 1, 0, 1, 0, 0, 0, 0],
        tcp,
    )
}

/// Type III, with the subheader that its last bit tells of.
pub(crate) fn erspan_iii(tcp: &Tcp) -> Vec<u8> {
    let mut first = vec![
        0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
    ];
    first.extend([0; 8]);
    mirrored(&first, tcp)
}

fn is_v6(ip: &[u8]) -> bool {
    ip[0] >> 4 == 6
}

fn ethertype(ip: &[u8]) -> [u8; 2] {
    if is_v6(ip) { [0x86, 0xdd] } else { [8, 0] }
}

pub(crate) fn ethernet(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![2; 12];
    b.extend(ethertype(ip));
    b.extend(ip);
    b
}

/// Two VLAN tags.
pub(crate) fn qinq(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![2; 12];
    b.extend([0x88, 0xa8, 0, 5, 0x81, 0, 0, 6]);
    b.extend(ethertype(ip));
    b.extend(ip);
    b
}

/// Two labels and IP.
pub(crate) fn mpls(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![2; 12];
    b.extend([0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64]);
    b.extend(ip);
    b
}

/// A label, a control word and a customer's Ethernet.
pub(crate) fn pseudowire(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![2; 12];
    b.extend([0x88, 0x47, 0, 2, 1, 64, 0, 0, 0, 0]);
    b.extend(ethernet(ip));
    b
}

pub(crate) fn ppp(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![0xff, 3, 0, if is_v6(ip) { 0x57 } else { 0x21 }];
    b.extend(ip);
    b
}

pub(crate) fn c_hdlc(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![0x0f, 0];
    b.extend(ethertype(ip));
    b.extend(ip);
    b
}

pub(crate) fn sll(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![0; 14];
    b.extend(ethertype(ip));
    b.extend(ip);
    b
}

pub(crate) fn sll2(ip: &[u8]) -> Vec<u8> {
    let mut b = ethertype(ip).to_vec();
    b.extend([0; 18]);
    b.extend(ip);
    b
}

pub(crate) fn raw(ip: &[u8]) -> Vec<u8> {
    ip.to_vec()
}

/// RFC 1042: LLC and SNAP before the type.
pub(crate) fn snap(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![0xaa, 0xaa, 3, 0, 0, 0];
    b.extend(ethertype(ip));
    b.extend(ip);
    b
}

/// FDDI: frame control and two addresses before that.
pub(crate) fn fddi(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![0x50; 13];
    b.extend(snap(ip));
    b
}

pub(crate) fn null(ip: &[u8]) -> Vec<u8> {
    let mut b = vec![2, 0, 0, 0];
    b.extend(ip);
    b
}

/// A connection of `count` segments of 1000 bytes from a to b, each acknowledged after 10 ms, with a clean end.
pub(crate) fn connection(count: u32) -> Vec<(u64, Tcp)> {
    let blank = Tcp {
        from_a: true,
        seq: 0,
        ack: 0,
        control: 0x10,
        window: 8192,
        options: Vec::new(),
        payload: Vec::new(),
    };
    let (mut all, mut at) = (Vec::new(), 1_000_000_000_000u64);
    let (a, b) = (0xffff_f000u32, 7_000u32);
    let mut push = |after: u64, tcp: Tcp| {
        at += after;
        all.push((at, tcp));
    };
    let options = vec![2, 4, 3, 232, 3, 3, 2, 1];
    push(
        0,
        Tcp {
            seq: a,
            control: 2,
            options: options.clone(),
            ..blank.clone()
        },
    );
    push(
        10_000_000,
        Tcp {
            from_a: false,
            seq: b,
            ack: a.wrapping_add(1),
            control: 0x12,
            options,
            ..blank.clone()
        },
    );
    let next = |n: u32| a.wrapping_add(1 + 1000 * n);
    push(
        20_000,
        Tcp {
            seq: next(0),
            ack: b + 1,
            ..blank.clone()
        },
    );
    for n in 0..count {
        let payload = vec![n as u8; 1000];
        push(
            20_000,
            Tcp {
                seq: next(n),
                ack: b + 1,
                payload,
                ..blank.clone()
            },
        );
        push(
            10_000_000,
            Tcp {
                from_a: false,
                seq: b + 1,
                ack: next(n + 1),
                ..blank.clone()
            },
        );
    }
    let end = next(count);
    push(
        30_000,
        Tcp {
            seq: end,
            ack: b + 1,
            control: 0x11,
            ..blank.clone()
        },
    );
    push(
        10_000_000,
        Tcp {
            from_a: false,
            seq: b + 1,
            ack: end.wrapping_add(1),
            control: 0x11,
            ..blank.clone()
        },
    );
    push(
        20_000,
        Tcp {
            seq: end.wrapping_add(1),
            ack: b + 2,
            ..blank
        },
    );
    all
}

/// The byte order of a file.
#[derive(Clone, Copy)]
struct Order {
    big: bool,
}

impl Order {
    fn two(self, v: u16) -> [u8; 2] {
        if self.big {
            v.to_be_bytes()
        } else {
            v.to_le_bytes()
        }
    }

    fn four(self, v: u32) -> [u8; 4] {
        if self.big {
            v.to_be_bytes()
        } else {
            v.to_le_bytes()
        }
    }

    fn eight(self, v: u64) -> [u8; 8] {
        if self.big {
            v.to_be_bytes()
        } else {
            v.to_le_bytes()
        }
    }
}

/// A pcap file of frames, in one of its four kinds.
pub(crate) fn pcap(
    link: u32,
    frames: &[(u64, Vec<u8>, u32)],
    big: bool,
    nanoseconds: bool,
) -> Vec<u8> {
    let order = Order { big };
    let mut f = Vec::new();
    f.extend(order.four(if nanoseconds {
        0xa1b2_3c4d
    } else {
        0xa1b2_c3d4
    }));
    f.extend(order.two(2));
    f.extend(order.two(4));
    f.extend([0; 8]);
    f.extend(order.four(262_144));
    f.extend(order.four(link));
    for (at, bytes, original) in frames {
        let part = (at % 1_000_000_000) as u32;
        f.extend(order.four((at / 1_000_000_000) as u32));
        f.extend(order.four(if nanoseconds { part } else { part / 1000 }));
        f.extend(order.four(bytes.len() as u32));
        f.extend(order.four((*original).max(bytes.len() as u32)));
        f.extend(bytes);
    }
    f
}

/// One block of a pcapng file.
fn block(kind: u32, body: &[u8], order: Order) -> Vec<u8> {
    let padded = body.len().next_multiple_of(4);
    let mut b = Vec::new();
    b.extend(order.four(kind));
    b.extend(order.four(padded as u32 + 12));
    b.extend(body);
    b.resize(8 + padded, 0);
    b.extend(order.four(padded as u32 + 12));
    b
}

/// Time, bytes and length on the line.
type Packet = (u64, Vec<u8>, u32);

/// A section of a pcapng file: two interfaces of one link type, whose packets alternate; the second has ticks of
/// 2⁻²⁰ s, or 1 ns, and an offset of a second. At the end it says that it lost 3 packets.
pub(crate) fn section(
    link: u16,
    frames: &[(u64, Vec<u8>, u32)],
    big: bool,
    binary: bool,
) -> Vec<u8> {
    let all = frames.iter().cloned().enumerate();
    let all: Vec<_> = all.map(|(n, frame)| (n % 2, frame)).collect();
    section_with(link, &all, big, binary)
}

/// The same of frames that say at which interface they were.
pub(crate) fn section_of(link: u16, frames: &[(usize, Packet)]) -> Vec<u8> {
    section_with(link, frames, false, false)
}

fn section_with(link: u16, frames: &[(usize, Packet)], big: bool, binary: bool) -> Vec<u8> {
    let order = Order { big };
    let mut head = order.four(0x1a2b_3c4d).to_vec();
    head.extend(order.two(1));
    head.extend(order.two(0));
    head.extend(order.eight(u64::MAX));
    let mut f = block(0x0a0d_0d0a, &head, order);
    let interface = |resolution: Option<u8>, offset: u64| {
        let mut b = order.two(link).to_vec();
        b.extend([0; 6]);
        if let Some(r) = resolution {
            b.extend(order.two(9));
            b.extend(order.two(1));
            b.extend([r, 0, 0, 0]);
        }
        if offset > 0 {
            b.extend(order.two(14));
            b.extend(order.two(8));
            b.extend(order.eight(offset));
        }
        b.extend([0; 4]);
        block(1, &b, order)
    };
    f.extend(interface(None, 0));
    f.extend(interface(Some(if binary { 0x94 } else { 9 }), 1));
    for (n, (at, bytes, original)) in frames {
        let ticks = match (*n, binary) {
            (0, _) => at / 1000,
            (_, false) => at - 1_000_000_000,
            (_, true) => ((u128::from(at - 1_000_000_000) << 20) / 1_000_000_000) as u64,
        };
        let mut b = order.four(*n as u32).to_vec();
        b.extend(order.four((ticks >> 32) as u32));
        b.extend(order.four(ticks as u32));
        b.extend(order.four(bytes.len() as u32));
        b.extend(order.four((*original).max(bytes.len() as u32)));
        b.extend(bytes);
        f.extend(block(6, &b, order));
    }
    let mut statistics = order.four(1).to_vec();
    statistics.extend([0; 8]);
    statistics.extend(order.two(5));
    statistics.extend(order.two(8));
    statistics.extend(order.eight(3));
    statistics.extend([0; 4]);
    f.extend(block(5, &statistics, order));
    f
}
