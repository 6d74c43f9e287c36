//! Counters of frames by the names that drivers give them in `ethtool -S`: damaged, dropped, and those of flow control.

/// What the counter of frames is called that an interface did not get onto its cable: a lost carrier is one of its errors.
pub(crate) const UNSENT: &str = "TX.errors";

/// What an instance may send and receive, by the counters of Amazon's interface ("Network performance metrics", EC2): the counter, what
/// it counts, and what it is for people.
pub(crate) const ALLOWANCES: [(&str, &str, &str); 4] = [
    (
        "bw_out_allowance_exceeded",
        "allowance_out",
        "the bandwidth that the instance may send",
    ),
    (
        "bw_in_allowance_exceeded",
        "allowance_in",
        "the bandwidth that the instance may receive",
    ),
    (
        "pps_allowance_exceeded",
        "allowance_packets",
        "the packets a second of the instance",
    ),
    (
        "conntrack_allowance_exceeded",
        "allowance_connections",
        "the connections that the instance may track",
    ),
];

/// Frames that a card had no room for.
const DROPS: &[&str] = &[
    "rx_missed_errors",
    "rx_no_buffer_count",
    "rx_fifo_errors",
    "rx_out_of_buffer",
    "rx_no_dma_resources",
    "rx_dropped",
    "rx_discards_phy",
    "hc_rx_discards_no_wqe",
];

/// Frames that arrived damaged, by the names of drivers.
const DAMAGED: &[&str] = &[
    "rx_crc_errors",
    "rx_crc_errors_phy",
    "rx_fcs_errors",
    "crc_errors",
    "rx_crc_error",
    "rx_align_errors",
    "align_errors",
    "rx_runts",
];

/// Pause frames that an interface was sent (IEEE 802.3 Annex 31B), by the names of drivers. Of those that resume, none: each pause may
/// have one.
const HEARD: &[&str] = &[
    "rx_pause_ctrl_phy",
    "rx_global_pause",
    "rx_pause",
    "rx_pause_frames",
    "rx_xoff",
    "rx_xoff_pause_rcvd",
    "rx_flow_control_xoff",
    "port.link_xoff_rx",
    "link_xoff_rx.nic",
    "rx_prio0_pause",
];

/// Those that it sent.
const SENT: &[&str] = &[
    "tx_pause_ctrl_phy",
    "tx_global_pause",
    "tx_pause",
    "tx_pause_frames",
    "tx_xoff",
    "tx_xoff_sent",
    "tx_flow_control_xoff",
    "port.link_xoff_tx",
    "link_xoff_tx.nic",
    "tx_prio0_pause",
];

/// Those of the other classes (IEEE 802.1Qbb), which other counters may count too. Traffic without a mark is of class 0.
const CLASSES: [&[&str]; 2] = [
    &[
        "rx_prio1_pause",
        "rx_prio2_pause",
        "rx_prio3_pause",
        "rx_prio4_pause",
        "rx_prio5_pause",
        "rx_prio6_pause",
        "rx_prio7_pause",
    ],
    &[
        "tx_prio1_pause",
        "tx_prio2_pause",
        "tx_prio3_pause",
        "tx_prio4_pause",
        "tx_prio5_pause",
        "tx_prio6_pause",
        "tx_prio7_pause",
    ],
];

/// What a counter counts, and its name.
pub(super) fn named(name: &str) -> Option<(&'static str, &'static str)> {
    let kinds = [
        ("nic_damaged", DAMAGED),
        ("nic_drops", DROPS),
        ("pause_heard", HEARD),
        ("pause_sent", SENT),
        ("pause_heard_of_class", CLASSES[0]),
        ("pause_sent_of_class", CLASSES[1]),
    ];
    let of = |(kind, names): (&'static str, &'static [&'static str])| {
        let known = names.iter().find(|known| **known == name)?;
        Some((kind, *known))
    };
    kinds.into_iter().find_map(of)
}
