//! The arguments of `farpath diagnose`.

use std::path::PathBuf;

use clap::Args;

/// `farpath diagnose`.
#[derive(Args, Debug)]
#[command(
    after_help = "Paste everything into one file, or give several: iperf logs of either end, pings, what ss prints, traces of routes, sysctl, \
ethtool, counters, records of farpath. Captures are known by their first bytes: pcap and pcapng, also in gzip or zstd. What is not understood is left out, and named. Give a host's text a file of its own: sender.txt and receiver.txt \
say whose it is.\n\n\
Exit codes: 0 explained, or nothing is wrong; 1 unknown; 2 nothing in it could be read.\n\n\
Examples:\n  \
farpath diagnose ticket.txt --line 1Gbit/s\n  \
farpath diagnose --measured 472kbit/s --rtt 275ms --window 16KiB\n  \
farpath diagnose - --json < ticket.txt"
)]
pub(crate) struct DiagnoseArgs {
    /// What tools printed, or captures; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Round-trip time of the idle path: 120ms
    #[arg(long)]
    pub(crate) rtt: Option<String>,
    /// Rate of the path's slowest link: 10Gbit/s
    #[arg(long, value_name = "RATE")]
    pub(crate) line: Option<String>,
    /// Rate that was expected: 5Gbit/s
    #[arg(long, value_name = "RATE")]
    pub(crate) target: Option<String>,
    /// Rate that was measured, where no log says it: 472kbit/s
    #[arg(long, value_name = "RATE")]
    pub(crate) measured: Option<String>,
    /// Share of packets that the path loses: 1e-5
    #[arg(long)]
    pub(crate) loss: Option<String>,
    /// Largest IP packet of the path: 9000
    #[arg(long)]
    pub(crate) mtu: Option<String>,
    /// System of the sender: linux, freebsd, openbsd, netbsd, macos, windows, solaris
    #[arg(long, value_name = "SYSTEM")]
    pub(crate) sender: Option<String>,
    /// System of the receiver
    #[arg(long, value_name = "SYSTEM")]
    pub(crate) receiver: Option<String>,
    /// Congestion control of the sender: cubic, reno, bbr
    #[arg(long, value_name = "NAME")]
    pub(crate) cc: Option<String>,
    /// Largest receive window: 16KiB
    #[arg(long, value_name = "SIZE")]
    pub(crate) window: Option<String>,
    /// Largest send buffer: 4MiB
    #[arg(long, value_name = "SIZE")]
    pub(crate) send_buffer: Option<String>,
    /// Print one JSON document (`farpath.diagnosis/1`)
    #[arg(long, conflicts_with = "ticket")]
    pub(crate) json: bool,
    /// Print the text for the ticket only
    #[arg(long)]
    pub(crate) ticket: bool,
}
