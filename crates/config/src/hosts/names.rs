//! Settings of Linux that bear on TCP, by name: those of 6.18 (`sysctl -N -a`) and of kernels back to 2.4.

use crate::near::nearest;

/// `tcp_…` of `net.ipv4`, and `core.…` of `net`; sorted.
const KNOWN: [&str; 154] = [
    "core.bpf_jit_enable",
    "core.bpf_jit_harden",
    "core.bpf_jit_kallsyms",
    "core.bpf_jit_limit",
    "core.busy_poll",
    "core.busy_read",
    "core.default_qdisc",
    "core.dev_weight",
    "core.dev_weight_rx_bias",
    "core.dev_weight_tx_bias",
    "core.devconf_inherit_init_net",
    "core.divert_version",
    "core.fb_tunnels_only_for_init_net",
    "core.flow_limit_cpu_bitmap",
    "core.flow_limit_table_len",
    "core.gro_normal_batch",
    "core.high_order_alloc_disable",
    "core.hot_list_length",
    "core.lo_cong",
    "core.max_skb_frags",
    "core.mem_pcpu_rsv",
    "core.message_burst",
    "core.message_cost",
    "core.mod_cong",
    "core.netdev_budget",
    "core.netdev_budget_usecs",
    "core.netdev_max_backlog",
    "core.netdev_rss_key",
    "core.netdev_tstamp_prequeue",
    "core.netdev_unregister_timeout_secs",
    "core.no_cong",
    "core.no_cong_thresh",
    "core.optmem_max",
    "core.rmem_default",
    "core.rmem_max",
    "core.rps_default_mask",
    "core.rps_sock_flow_entries",
    "core.skb_defer_max",
    "core.somaxconn",
    "core.tstamp_allow_data",
    "core.txrehash",
    "core.warnings",
    "core.wmem_default",
    "core.wmem_max",
    "core.xfrm_acq_expires",
    "core.xfrm_aevent_etime",
    "core.xfrm_aevent_rseqth",
    "core.xfrm_larval_drop",
    "tcp_abc",
    "tcp_abort_on_overflow",
    "tcp_adv_win_scale",
    "tcp_allowed_congestion_control",
    "tcp_app_win",
    "tcp_autocorking",
    "tcp_available_congestion_control",
    "tcp_available_ulp",
    "tcp_backlog_ack_defer",
    "tcp_base_mss",
    "tcp_bic",
    "tcp_bic_fast_convergence",
    "tcp_bic_low_window",
    "tcp_challenge_ack_limit",
    "tcp_child_ehash_entries",
    "tcp_comp_sack_delay_ns",
    "tcp_comp_sack_nr",
    "tcp_comp_sack_slack_ns",
    "tcp_congestion_control",
    "tcp_cookie_size",
    "tcp_default_init_rwnd",
    "tcp_dma_copybreak",
    "tcp_dsack",
    "tcp_early_demux",
    "tcp_early_retrans",
    "tcp_ecn",
    "tcp_ecn_fallback",
    "tcp_ecn_option",
    "tcp_ecn_option_beacon",
    "tcp_ehash_entries",
    "tcp_fack",
    "tcp_fastopen",
    "tcp_fastopen_blackhole_timeout_sec",
    "tcp_fastopen_key",
    "tcp_fin_timeout",
    "tcp_frto",
    "tcp_frto_response",
    "tcp_fwmark_accept",
    "tcp_invalid_ratelimit",
    "tcp_keepalive_intvl",
    "tcp_keepalive_probes",
    "tcp_keepalive_time",
    "tcp_l3mdev_accept",
    "tcp_limit_output_bytes",
    "tcp_low_latency",
    "tcp_max_orphans",
    "tcp_max_reordering",
    "tcp_max_ssthresh",
    "tcp_max_syn_backlog",
    "tcp_max_tw_buckets",
    "tcp_mem",
    "tcp_migrate_req",
    "tcp_min_rtt_wlen",
    "tcp_min_snd_mss",
    "tcp_min_tso_segs",
    "tcp_moderate_rcvbuf",
    "tcp_mtu_probe_floor",
    "tcp_mtu_probing",
    "tcp_no_metrics_save",
    "tcp_no_ssthresh_metrics_save",
    "tcp_notsent_lowat",
    "tcp_orphan_retries",
    "tcp_pacing_ca_ratio",
    "tcp_pacing_ss_ratio",
    "tcp_pingpong_thresh",
    "tcp_plb_cong_thresh",
    "tcp_plb_enabled",
    "tcp_plb_idle_rehash_rounds",
    "tcp_plb_rehash_rounds",
    "tcp_plb_suspend_rto_sec",
    "tcp_probe_interval",
    "tcp_probe_threshold",
    "tcp_recovery",
    "tcp_reflect_tos",
    "tcp_reordering",
    "tcp_retrans_collapse",
    "tcp_retries1",
    "tcp_retries2",
    "tcp_rfc1337",
    "tcp_rmem",
    "tcp_rto_max_ms",
    "tcp_rto_min_us",
    "tcp_sack",
    "tcp_shrink_window",
    "tcp_slow_start_after_idle",
    "tcp_stdurg",
    "tcp_syn_linear_timeouts",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_syncookies",
    "tcp_thin_dupack",
    "tcp_thin_linear_timeouts",
    "tcp_timestamps",
    "tcp_tso_rtt_log",
    "tcp_tso_win_divisor",
    "tcp_tw_recycle",
    "tcp_tw_reuse",
    "tcp_tw_reuse_delay",
    "tcp_vegas_alpha",
    "tcp_vegas_beta",
    "tcp_vegas_cong_avoid",
    "tcp_vegas_gamma",
    "tcp_westwood",
    "tcp_window_scaling",
    "tcp_wmem",
    "tcp_workaround_signed_windows",
];

/// Settings of `net.ipv4` that are gone, and the first release without them.
const REMOVED: [(&str, (u32, u32)); 5] = [
    ("tcp_abc", (3, 9)),
    ("tcp_cookie_size", (3, 10)),
    ("tcp_frto_response", (3, 10)),
    ("tcp_thin_dupack", (4, 11)),
    ("tcp_tw_recycle", (4, 12)),
];

/// The first release without a setting, where a kernel of this release has it no longer.
pub(super) fn removed(key: &str, release: (u32, u32)) -> Option<(u32, u32)> {
    let own = key.strip_prefix("net.ipv4.")?;
    let (_, since) = REMOVED.iter().find(|(name, _)| *name == own)?;
    (release >= *since).then_some(*since)
}

/// The setting that is probably meant by one of `net.core` or `net.ipv4.tcp_…` that no Linux has.
pub(super) fn meant(key: &str) -> Option<String> {
    let (before, own) = match key.strip_prefix("net.ipv4.") {
        Some(own) if own.starts_with("tcp_") => ("net.ipv4.", own),
        _ => (
            "net.",
            key.strip_prefix("net.")
                .filter(|k| k.starts_with("core."))?,
        ),
    };
    if KNOWN.binary_search(&own).is_ok() {
        return None;
    }
    // `tcp_rmem_max`: a setting's name, and more.
    let longer = KNOWN.iter().filter(|k| own.starts_with(&format!("{k}_")));
    let longer = longer.max_by_key(|k| k.len()).copied();
    let found = longer.or_else(|| nearest(KNOWN.iter().copied(), own))?;
    Some(format!("{before}{found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_misspelt_ones_are_found() {
        assert!(KNOWN.is_sorted());
        for (key, wanted) in [
            ("net.ipv4.tcp_rmem", None),
            ("net.core.wmem_max", None),
            ("net.ipv4.tcp_rmem_max", Some("net.ipv4.tcp_rmem")),
            ("net.ipv4.tcp_wmem_", Some("net.ipv4.tcp_wmem")),
            ("net.core.rmem_mx", Some("net.core.rmem_max")),
            (
                "net.ipv4.tcp_window_scalling",
                Some("net.ipv4.tcp_window_scaling"),
            ),
            ("net.ipv4.tcp_of_another_kernel", None),
            ("net.ipv4.ip_forward", None),
        ] {
            assert_eq!(meant(key).as_deref(), wanted, "{key}");
        }
    }
}
