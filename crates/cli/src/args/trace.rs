//! The arguments of `farpath trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `farpath trace`.
#[derive(Args, Debug)]
#[command(
    after_help = "Several files are read as one capture, in their order: the files of a ring, oldest first. pcap and \
    pcapng are read, also inside gzip or zstd.\n\n\
    Examples:\n  \
    farpath trace transfer.pcapng\n  \
    farpath trace --json --top 10 --sort retransmissions ring-*.pcap.gz\n  \
    tcpdump -w - port 5001 | farpath trace -\n\n\
    Exit codes: 0 read, 2 a file is no capture or cannot be read."
)]
pub(crate) struct TraceArgs {
    /// Capture files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON (farpath.trace/1)
    #[arg(long)]
    pub(crate) json: bool,
    /// List N connections only; 20 in the table, all in JSON if not given
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// The order of the list
    #[arg(long, value_name = "BY", value_enum)]
    pub(crate) sort: Option<Sort>,
}

/// What connections are sorted by; the largest first, but for `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Their first packets
    Id,
    /// New bytes, both directions
    Bytes,
    /// From the first packet to the last
    Duration,
    /// Goodput of the faster direction
    Goodput,
    /// Segments sent again
    Retransmissions,
    /// Bytes that glitches cost
    Cost,
}
