//! What captures say of how a connection began, what was asked on it and answered, and who broke it off.

use serde::{Deserialize, Serialize};

/// How a connection began; none where no SYN was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// SYNs that `a` sent, repetitions included; a copy that the network made is not one.
    pub syns: u64,
    /// SYNs that `a` sent again.
    pub syn_retransmissions: u64,
    /// SYN-ACKs that `b` sent again.
    pub syn_ack_retransmissions: u64,
    /// A SYN-ACK was seen.
    pub answered: bool,
    /// From the first SYN to the first SYN-ACK at the place of the capture, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syn_ack_ns: Option<u64>,
    /// From the first SYN to the last one that `a` sent before an answer: what lost SYNs cost, nanoseconds.
    pub waited_ns: u64,
    /// SYNs of `syn_retransmissions` that were seen behind the first SYN-ACK: it had not come to `a` when they left.
    pub syns_after_answer: u64,
    /// From the last SYN before the answer to the last one behind it, nanoseconds; 0 without one.
    pub waited_after_answer_ns: u64,
    /// From the first SYN-ACK to the first and the last one that `b` sent again behind its acknowledgement and before any data, nanoseconds; none
    /// without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged_again_ns: Option<[u64; 2]>,
    /// From the first SYN to the ACK that ends the handshake, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake_ns: Option<u64>,
    /// What `a` offered: `mss 1460`, `window_scale 7`, `sack`, `timestamps`.
    pub offered: Vec<String>,
    /// What `b` answered.
    pub answered_with: Vec<String>,
    /// What `a` offered and `b` did not take: its own choice, or something between took the option out.
    pub not_agreed: Vec<String>,
}

/// The first reset of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reset {
    /// Whose it is, by its address: `a` or `b`.
    pub by: String,
    /// When, nanoseconds since the connection's first packet.
    pub at_ns: u64,
    /// What it answers: `closed_port`, `syn_ack`, `data_after_close`, `after_close` or `mid_stream`.
    pub answers: String,
    /// Since the packet before, nanoseconds.
    pub idle_ns: u64,
    /// Its TTL or hop limit at the place of the capture.
    pub ttl: u8,
    /// Least and most of that end's other packets; none where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_usual: Option<[u8; 2]>,
    /// Its TTL is not one of that end's other packets: something between sent it, perhaps.
    pub middlebox_suspected: bool,
}

/// A TLS handshake in clear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TlsFound {
    /// The name that the client asks for (RFC 6066 §3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `1.3`, `1.2` …; none before the server answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// From the ClientHello until application data may flow, nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake_ns: Option<u64>,
    /// The code of an alert before that (RFC 8446 §6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert: Option<u8>,
}

/// One request and its response. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Its first byte at the place of the capture, since the connection's first packet.
    pub at_ns: u64,
    /// Bytes of the request.
    pub request_bytes: u64,
    /// Bytes of the response; 0 without one.
    pub response_bytes: u64,
    /// From the first byte of the request to the last, repetitions included.
    pub client_sending_ns: u64,
    /// The round trip between the ends, as far as the response did not come sooner.
    pub wire_ns: u64,
    /// Between the request's last byte and the response's first at the server.
    pub server_thinking_ns: u64,
    /// From the first byte of the response to the last, and what that one then waited in queues, where acknowledgements show it.
    pub response_ns: u64,
    /// Time in which the client's window was closed during the response.
    pub slow_reader_ns: u64,
    /// From the response's last byte to the next request at the client; none of the last request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_thinking_ns: Option<u64>,
    /// Some of the request was sent again before it was acknowledged.
    #[serde(skip_serializing_if = "super::is_false")]
    pub repeated: bool,
    /// It is a part of the TLS handshake.
    #[serde(skip_serializing_if = "super::is_false")]
    pub tls_handshake: bool,
}

/// All requests of a connection together. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestTotals {
    /// Which end asks: true where it is `a`.
    pub client_is_a: bool,
    /// Requests.
    pub requests: u64,
    /// Requests that are not listed, because there are too many.
    pub left_out: u64,
    /// Requests without a response.
    pub unanswered: u64,
    /// Bytes that the server sent before the first request.
    pub greeting_bytes: u64,
    /// Sum of the requests' bytes.
    pub request_bytes: u64,
    /// Sum of the responses' bytes.
    pub response_bytes: u64,
    /// Sum of `client_sending_ns`.
    pub client_sending_ns: u64,
    /// Sum of `wire_ns`.
    pub wire_ns: u64,
    /// Sum of `server_thinking_ns`.
    pub server_thinking_ns: u64,
    /// The longest of them.
    pub server_thinking_max_ns: u64,
    /// Sum of `response_ns`.
    pub response_ns: u64,
    /// Sum of `slow_reader_ns`.
    pub slow_reader_ns: u64,
    /// Sum of `client_thinking_ns`.
    pub client_thinking_ns: u64,
}

impl RequestTotals {
    /// Adds one request.
    pub fn add(&mut self, r: &Request) {
        self.requests += 1;
        self.unanswered += u64::from(r.response_bytes == 0);
        self.request_bytes += r.request_bytes;
        self.response_bytes += r.response_bytes;
        self.client_sending_ns += r.client_sending_ns;
        self.wire_ns += r.wire_ns;
        self.server_thinking_ns += r.server_thinking_ns;
        self.server_thinking_max_ns = self.server_thinking_max_ns.max(r.server_thinking_ns);
        self.response_ns += r.response_ns;
        self.slow_reader_ns += r.slow_reader_ns;
        self.client_thinking_ns += r.client_thinking_ns.unwrap_or(0);
    }
}
