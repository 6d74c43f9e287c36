//! Words that other tools have for what a key says: whoever writes one of them is shown the key.

/// Words, the key that they mean, and how that differs from what they say elsewhere; empty where it does not.
const WORDS: &[(&[&str], &str, &str)] = &[
    (
        &[
            "bandwidth",
            "bw",
            "speed",
            "capacity",
            "throughput",
            "bitrate",
            "bit_rate",
            "datarate",
        ],
        "rate",
        "",
    ),
    (
        &["rtt", "round_trip", "ping"],
        "delay",
        ": that of one way, half of the round trip",
    ),
    (
        &["latency", "propagation", "one_way_delay", "owd"],
        "delay",
        ": that of one way",
    ),
    (
        &[
            "packet_loss",
            "loss_rate",
            "drop",
            "drops",
            "plr",
            "drop_rate",
        ],
        "loss",
        "",
    ),
    (&["ber", "bit_errors"], "bit_error_rate", ""),
    (
        &[
            "buffer",
            "buffer_size",
            "queue_size",
            "queue_limit",
            "qlen",
            "limit",
        ],
        "queue",
        "",
    ),
    (&["duplicate", "duplicates"], "duplication", ""),
    (&["corrupt"], "corruption", ""),
    (
        &[
            "congestion_control",
            "congestion",
            "tcp_cc",
            "ca",
            "variant",
            "algorithm",
        ],
        "cc",
        "",
    ),
    (&["streams", "flows", "connections"], "parallel", ""),
    (&["time", "length", "runtime", "seconds"], "duration", ""),
    (&["size", "file_size", "filesize", "volume"], "bytes", ""),
    (&["src", "client", "sender"], "from", ""),
    (
        &["dst", "dest", "destination", "server", "receiver", "target"],
        "to",
        "",
    ),
    (
        &["rwnd", "receive_window", "tcp_window", "wnd"],
        "window",
        "",
    ),
    (
        &[
            "sndbuf",
            "send_buffer",
            "buffer",
            "so_sndbuf",
            "rcvbuf",
            "so_rcvbuf",
        ],
        "socket_buffer",
        "",
    ),
    (
        &["mss", "segment", "segment_size"],
        "adjust_mss",
        ", which a router lowers on its way; what hosts announce is the MTU of their link less 40 bytes",
    ),
    (&["interval"], "intervals", ""),
];

/// Words of tests for which there are no keys, and why.
const OF_TESTS: &[(&[&str], &str)] = &[
    (
        &["mss", "segment", "segment_size"],
        "segments follow from the `mtu` of the links, less 40 bytes of headers, and from `adjust_mss` of a link",
    ),
    (
        &["nagle", "nodelay", "tcp_nodelay", "no_delay"],
        "Nagle's algorithm is not simulated: what a program writes is sent at once, as with TCP_NODELAY. \
         `farpath lab run` has real kernels, and says where small writes waited",
    ),
    (
        &["rtt", "latency"],
        "round trips follow from the `delay` of the links, one way each",
    ),
];

/// What to write instead of a word, where it is another one for one of the keys `known`, or for what needs none.
pub(crate) fn remedy(word: &str, known: &[&str]) -> Option<String> {
    let word = word.to_lowercase().replace('-', "_");
    let keyed = WORDS
        .iter()
        .find(|(words, key, _)| words.contains(&word.as_str()) && known.contains(key));
    let keyed = keyed.map(|(_, key, differs)| format!("here it is `{key}`{differs}"));
    let is_of_test = known.contains(&"cc");
    let none = OF_TESTS
        .iter()
        .find(|(words, _)| is_of_test && words.contains(&word.as_str()));
    keyed.or_else(|| none.map(|(_, why)| (*why).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_lead_to_the_key_of_the_table_at_hand() {
        let link = ["name", "rate", "delay", "queue", "adjust_mss"];
        let said = |word, known: &[&str]| remedy(word, known);
        assert_eq!(
            said("bandwidth", &link).as_deref(),
            Some("here it is `rate`")
        );
        assert!(said("rtt", &link).is_some_and(|s| s.contains("`delay`: that of one way, half")));
        assert_eq!(said("buffer", &link).as_deref(), Some("here it is `queue`"));
        let test = ["name", "cc", "socket_buffer", "window"];
        assert_eq!(
            said("buffer", &test).as_deref(),
            Some("here it is `socket_buffer`")
        );
        assert!(said("mss", &test).is_some_and(|s| s.contains("`mtu` of the links")));
        assert!(said("nagle", &test).is_some_and(|s| s.contains("TCP_NODELAY")));
        assert_eq!(said("colour", &test), None);
        // Names of metrics are nobody's keys.
        assert_eq!(said("rtt", &["goodput_bps", "rtt_mean_ns"]), None);
    }
}
