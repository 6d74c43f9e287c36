//! The arguments of `farpath trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `farpath trace`.
#[derive(Args, Debug)]
#[command(
    after_help = "Several files are read as one capture, in their order: the files of a ring, oldest first. pcap and \
    pcapng are read, also inside gzip or zstd.\n\n\
    Exit codes: 0 read, 2 a file is not a capture or cannot be read.\n\n\
    Examples:\n  \
    farpath trace transfer.pcapng\n  \
    farpath trace --json --top 10 --sort retransmissions ring-*.pcap.gz\n  \
    farpath trace --filter 'host 10.0.0.1 and port 5001' day.pcap.zst\n  \
    tcpdump -w - port 5001 | farpath trace -"
)]
pub(crate) struct TraceArgs {
    /// Capture files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON (farpath.trace/1)
    #[arg(long)]
    pub(crate) json: bool,
    /// List N connections and N flows only; without it, 20 in the table and all in JSON
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Read only what matches: host, src, dst, net, port, tcp, udp, icmp, icmp6, with and, or, not and brackets
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
    /// List only the connection of this number
    #[arg(long, value_name = "N")]
    pub(crate) connection: Option<u64>,
    /// With --connection: glitches and segments from this time on, since its first packet: 12.5s
    #[arg(long, value_name = "TIME", requires = "connection")]
    pub(crate) from: Option<String>,
    /// With --connection: glitches and segments until this time, since its first packet: 14s
    #[arg(long, value_name = "TIME", requires = "connection")]
    pub(crate) to: Option<String>,
    /// Write trace.html to this folder: the connection with most data, or that of --connection; its direction with more data, or that with
    /// the losses
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write a2b_tsg.xpl and b2a_tsg.xpl, time and sequence for xplot, to this folder: of the connection as with --out
    #[arg(long, value_name = "DIR")]
    pub(crate) xplot: Option<PathBuf>,
    /// Write a table of both directions of each connection as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write each segment that is not simply the next one, with its class, as CSV; packed where the name ends in .zst
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Replace addresses and names; equal prefixes stay equal
    #[arg(long)]
    pub(crate) anonymise: bool,
    /// The order of the list, the largest first: id (first packets), bytes (both directions), duration, goodput (of the
    /// faster direction), retransmissions, cost (bytes that glitches cost)
    #[arg(long, value_name = "BY", value_enum, hide_possible_values = true)]
    pub(crate) sort: Option<Sort>,
}

/// What connections are sorted by; the largest first, but for `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    Id,
    Bytes,
    Duration,
    Goodput,
    Retransmissions,
    Cost,
}
