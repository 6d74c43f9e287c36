//! `[[host]]`.

use crate::key::Kind::{Bool, Choice, Name, Sysctl, SysctlTriple};
use crate::key::{COUNT, Kind, MTU, Section, TIME, key};

pub(crate) const HOST: Section = Section {
    name: "host",
    doc: "An end system with a TCP stack.",
    keys: &[
        key("name", Name, "Name, unique among hosts and routers.").required(),
        key(
            "profile",
            Choice(&["bsd-1999", "linux-2004", "linux-5", "linux-6"]),
            "Whose rules the stack follows.",
        )
        .default("linux-6"),
        key(
            "nic",
            Kind::Rate,
            "Rate at which the host puts frames on a link.",
        )
        .default("the link's rate"),
        key("mtu", MTU, "Largest IP datagram the host sends, in bytes.").default("the link's MTU"),
        key(
            "txqueuelen",
            COUNT,
            "Packets that may wait in front of each interface; a link's `queue` says the same for one.",
        )
        .default("1000"),
        key(
            "qdisc",
            Choice(&["pfifo_fast", "fq"]),
            "Queueing discipline in front of its interfaces. `fq` paces each TCP connection.",
        )
        .default("pfifo_fast"),
        key(
            "gro",
            TIME,
            "How long received segments of a connection are gathered, up to 64 KiB, to be acknowledged together.",
        )
        .default("50 us (linux-6), 0 s (the others, `flavour = \"rfc\"`, a written `delayed_ack`)"),
        key(
            "tso",
            Bool,
            "Whether the card is given bursts of up to 64 KiB. While an acknowledgement is near, a sender that does not pace waits to make one whole.",
        )
        .default("true (linux-6), false (the others, `flavour = \"rfc\"`)"),
        key(
            "comp_sack_nr",
            Kind::Int { min: 0, max: 1_000_000 },
            "`net.ipv4.tcp_comp_sack_nr`: acknowledgements of what is out of order that are held back, for 1.1 ms at most, to send one for all. A kernel has 44.",
        )
        .default("44 (linux-6), 0 (the others, `flavour = \"rfc\"`, a written `delayed_ack`)"),
        key(
            "window_scaling",
            Bool,
            "`net.ipv4.tcp_window_scaling` (RFC 7323): where either end of a connection has it off, its windows end at 65535 bytes.",
        )
        .default("true"),
        key("rmem_max", Sysctl, "`net.core.rmem_max`.")
            .default("262144 (bsd-1999), 131071 (linux-2004), 212992 (linux-5, linux-6)"),
        key("wmem_max", Sysctl, "`net.core.wmem_max`.")
            .default("262144 (bsd-1999), 131071 (linux-2004), 212992 (linux-5, linux-6)"),
        key(
            "tcp_rmem",
            SysctlTriple,
            "`net.ipv4.tcp_rmem`, as /proc prints it: minimum, default, maximum.",
        )
        .default("4096 16384 16384 (bsd-1999), 4096 87380 174760 (linux-2004), 4096 131072 6291456 (linux-5), 4096 131072 33554432 (linux-6)"),
        key(
            "tcp_wmem",
            SysctlTriple,
            "`net.ipv4.tcp_wmem`, as /proc prints it: minimum, default, maximum.",
        )
        .default("4096 16384 16384 (bsd-1999), 4096 16384 131072 (linux-2004), 4096 16384 4194304 (linux-5, linux-6)"),
        key(
            "mtu_probing",
            Kind::Int { min: 0, max: 2 },
            "`net.ipv4.tcp_mtu_probing`: 1 searches for the path's MTU behind a black hole, 2 from the start.",
        )
        .default("0"),
        key("send_per_packet", TIME, "Processor time for each frame sent.").default("0 s"),
        key("send_per_byte", TIME, "Processor time for each byte of IP datagram sent, such as `400 ps`.").default("0 s"),
        key("receive_per_packet", TIME, "Processor time for each frame received.").default("0 s"),
        key("receive_per_byte", TIME, "Processor time for each byte of IP datagram received.").default("0 s"),
        key("memory_bus", Kind::Rate, "Rate of the bus between memory and interfaces, which every datagram crosses once, either way.")
            .default("unlimited"),
        key("receive_ring", COUNT, "Received frames that may wait for the processor; more are dropped.").default("1000"),
        key("disk_read", Kind::Rate, "Rate at which files are read for transfers.").default("unlimited"),
        key("disk_write", Kind::Rate, "Rate at which transferred files are written.").default("unlimited"),
    ],
};
