//! What captures say of packets that are not TCP: flows of datagrams, and the errors that ICMP reports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Packets of UDP, or echoes of ICMP, between two ends. `a` sent the first packet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceFlow {
    /// Its number, from 1, in the order of first packets.
    pub id: u64,
    /// `udp`, `icmp` or `icmpv6`.
    pub protocol: String,
    /// What it carries, where several packets agree on it: `iperf2`, `iperf3`, `rtp`, `quic`, `dns`, `echo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// Address and port of the end that sent first; of DNS and echoes the address alone.
    pub a: String,
    /// Address and port of the other end; of echoes the address alone.
    pub b: String,
    /// The name that DNS answers of the same capture give to `b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time of its first packet, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub start_ns: i64,
    /// From its first packet to its last, nanoseconds.
    pub duration_ns: u64,
    /// The number of the flow whose first datagram this one's sends again from another port: the same payload within 10 s, to the
    /// same address and port, and unanswered until then. None where no such repetition has an answer, as of reports that want none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<u64>,
    /// What a reader must know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What `a` sent.
    pub a2b: FlowDirection,
    /// What `b` sent.
    pub b2a: FlowDirection,
    /// Of echoes: requests and replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo: Option<EchoFound>,
    /// Of DNS: queries and answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dns: Option<DnsFound>,
    /// Of QUIC: its handshake and its spin bit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quic: Option<QuicFound>,
}

/// What one end of a flow sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowDirection {
    /// Packets.
    pub packets: u64,
    /// Payload bytes: of UDP without its header, of echoes without that of ICMP.
    pub bytes: u64,
    /// Its first packet, nanoseconds since the flow's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_ns: Option<u64>,
    /// Its last packet, nanoseconds since the flow's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_ns: Option<u64>,
    /// Payload before the last packet over the time from the first packet to the last, bit/s; 0 of fewer than two.
    pub rate_bps: u64,
    /// Smallest payload, bytes.
    pub size_min_bytes: u64,
    /// Mean payload, bytes, rounded down.
    pub size_avg_bytes: u64,
    /// Largest payload, bytes.
    pub size_max_bytes: u64,
    /// Packets that were cut into fragments.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub fragmented: u64,
    /// Packets that a router marked instead of dropping them (RFC 3168).
    #[serde(skip_serializing_if = "super::is_zero")]
    pub congestion_marks: u64,
    /// Numbered streams in it: what their numbers and times say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<NumberedStream>,
}

/// Datagrams that carry numbers: those of iperf, and those of one RTP source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NumberedStream {
    /// `iperf2`, `iperf3` or `rtp`.
    pub kind: String,
    /// The RTP source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssrc: Option<u32>,
    /// The RTP payload type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_type: Option<u8>,
    /// The rate of the RTP clock: that of the payload type (RFC 3551), or what the packets keep to, Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_hz: Option<u32>,
    /// The number of the first datagram seen. What was lost before it is not known.
    pub first_number: u64,
    /// Datagrams seen, duplicates included.
    pub packets: u64,
    /// Numbers that never came.
    pub lost: u64,
    /// `lost` over the numbers from the first to the highest.
    #[serde(with = "crate::number::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_ratio: Option<f64>,
    /// Losses in a row count once.
    pub loss_events: u64,
    /// Datagrams that came after one with a higher number.
    pub reordered: u64,
    /// Numbers that came again.
    pub duplicates: u64,
    /// Jitter at the end (RFC 3550 §6.4.1), nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_ns: Option<u64>,
    /// The largest that it was, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_max_ns: Option<u64>,
    /// The longest time from sending to the capture less the shortest, nanoseconds. Two clocks that drift widen it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_spread_ns: Option<u64>,
}

/// Echo requests of one program and their replies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EchoFound {
    /// The identifier in their headers.
    pub identifier: u16,
    /// Requests, each number once.
    pub requests: u64,
    /// Requests that were answered.
    pub replies: u64,
    /// Requests without a reply; the capture went on for the longest round trip after them.
    pub lost: u64,
    /// Further replies to the same request.
    pub duplicates: u64,
    /// Shortest time from a request to its reply at the place of the capture, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_min_ns: Option<u64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_avg_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_max_ns: Option<u64>,
}

/// Queries of one client to one server, and their answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DnsFound {
    /// Queries, repetitions left out.
    pub queries: u64,
    /// Times that a query was sent again: from its port, or within 10 s from another one of the client with its number and question.
    pub repeated: u64,
    /// Queries with an answer.
    pub answered: u64,
    /// Queries without one.
    pub unanswered: u64,
    /// Answers by their code: `NOERROR`, `NXDOMAIN`, `SERVFAIL`, `REFUSED` …
    pub rcodes: BTreeMap<String, u64>,
    /// Answers that were cut: the client has to ask again over TCP.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub truncated: u64,
    /// Shortest time from the first sending of a query to its answer, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_min_ns: Option<u64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_avg_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_max_ns: Option<u64>,
    /// Those that took longest, at most five, the longest first; and before them those without an answer, at most five.
    pub slowest: Vec<DnsQuery>,
}

/// One query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DnsQuery {
    /// What was asked for.
    pub name: String,
    /// `A`, `AAAA`, `PTR` …
    #[serde(rename = "type")]
    pub record: String,
    /// When it was sent first, nanoseconds since the flow's first packet.
    pub at_ns: u64,
    /// Until its answer, nanoseconds; none without one.
    pub answer_ns: Option<u64>,
    /// The code of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rcode: Option<String>,
}

/// A QUIC connection, as far as it can be seen from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuicFound {
    /// Its version: `v1`, `v2`, `draft-29` or a hexadecimal number; the last one offered.
    pub version: String,
    /// The connection ID that the client chose for itself, hexadecimal; may be empty.
    pub client_id: String,
    /// The connection ID that the server chose, hexadecimal.
    pub server_id: String,
    /// From the client's first Initial to the server's first Handshake packet, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake_ns: Option<u64>,
    /// From the client's first Initial to its first Handshake packet: a whole round trip and more, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_handshake_ns: Option<u64>,
    /// Packets by kind: `initial`, `zero_rtt`, `handshake`, `retry`, `version_negotiation`, `short`.
    pub packets: BTreeMap<String, u64>,
    /// Initial packets of the client beyond the first, before an answer: sent again, or a long ClientHello.
    pub initials_before_answer: u64,
    /// The spin bit (RFC 9000 §17.4): `spins`, `fixed`, `random`, or `unknown` where too little was seen.
    pub spin: String,
    /// Shortest time from one turn of the spin bit to the next one in the same direction, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_min_ns: Option<u64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_avg_ns: Option<u64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_max_ns: Option<u64>,
    /// How many there are.
    pub rtt_samples: u64,
}

/// Errors of one kind that one router or host reported to one sender about one flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IcmpError {
    /// `port_unreachable`, `host_unreachable`, `net_unreachable`, `prohibited`, `fragmentation_needed`,
    /// `packet_too_big`, `time_exceeded` …
    pub kind: String,
    /// The type of its header.
    #[serde(rename = "type")]
    pub icmp_type: u8,
    /// The code of its header.
    pub code: u8,
    /// Who reported it.
    pub from: String,
    /// To whom: the sender of what it quotes.
    pub to: String,
    /// The protocol of what it quotes: `tcp`, `udp`, `icmp`, `icmpv6` or a number.
    pub protocol: String,
    /// The sender of what it quotes, with its port.
    pub flow_from: String,
    /// Its destination, with its port.
    pub flow_to: String,
    /// The MTU that it states, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<u32>,
    /// Labels of the quoted packet, outermost first (RFC 4950).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<u32>,
    /// How many there were.
    pub count: u64,
    /// Time of the first, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub first_ns: i64,
    /// Time of the last.
    pub last_ns: i64,
    /// The connection of this document that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<u64>,
    /// The flow of this document that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<u64>,
}
