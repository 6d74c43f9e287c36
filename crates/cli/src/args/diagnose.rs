//! The arguments of `farpath diagnose`.

use std::path::PathBuf;

use clap::Args;

/// `farpath diagnose`.
#[derive(Args, Debug)]
#[command(
    after_help = "Paste everything into one file, or give several: iperf logs of either end, pings, what ss prints, traces of routes, sysctl, \
ethtool, counters, records of farpath. Captures are known by their first bytes: pcap and pcapng, also in gzip or zstd. What is not understood is left out, and named. Give a host's text a file of its own: sender.txt and receiver.txt \
say whose it is.\n\n\
With --live nothing is read but what this host's kernel says of its connections and of itself. It shows every connection of the \
network namespace to any user; those of containers are seen from inside only.\n\n\
Exit codes: 0 explained, or nothing is wrong; 1 unknown, or --verify does not agree; 2 nothing in it could be read, or no connection was seen; \
130 interrupted.\n\n\
Examples:\n  \
farpath diagnose ticket.txt --line 1Gbit/s\n  \
farpath diagnose --measured 472kbit/s --rtt 275ms --window 16KiB\n  \
farpath diagnose ticket.txt --scenario twin.toml --verify\n  \
farpath diagnose - --json < ticket.txt\n  \
farpath diagnose --live 'dst 192.0.2.1 and port 5201' --for 30s"
)]
pub(crate) struct DiagnoseArgs {
    /// What tools printed, or captures; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Watch running connections of this host in place of files: 'dst HOST and port N', with dst and src (an address, a
    /// network or a name), port, dport and sport. Nothing is sent
    #[arg(long, value_name = "FILTER", conflicts_with_all = ["files", "scenario", "verify", "flow"])]
    pub(crate) live: Option<String>,
    /// With --live: how often a sample is taken: 50ms; without it, 100ms
    #[arg(long, value_name = "TIME", requires = "live")]
    pub(crate) every: Option<String>,
    /// With --live: for how long: 30s; without it, until the connections end or Ctrl-C
    #[arg(long = "for", value_name = "TIME", requires = "live")]
    pub(crate) length: Option<String>,
    /// Round-trip time of the idle path: 120ms
    #[arg(long)]
    pub(crate) rtt: Option<String>,
    /// Rate of the path's slowest link: 10Gbit/s
    #[arg(long, value_name = "RATE")]
    pub(crate) line: Option<String>,
    /// Rate that was expected: 5Gbit/s
    #[arg(long, value_name = "RATE")]
    pub(crate) target: Option<String>,
    /// Rate of one connection that you measured; beside a log it is another, unless the log's was as fast: 472kbit/s
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
    /// The flow that --scenario and --verify are about, from 1 as the page lists them
    #[arg(long, value_name = "N")]
    pub(crate) flow: Option<usize>,
    /// Write the flow as a scenario into this file, each value with the line it was read in, or that it is assumed
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,
    /// Simulate that scenario as it is and after the first change, and compare with what was measured
    #[arg(long)]
    pub(crate) verify: bool,
    /// With --verify: run both between real kernels too, for at most 20 s each
    #[arg(long, requires = "verify")]
    pub(crate) emulate: bool,
    /// Print one JSON document (`farpath.diagnosis/1`)
    #[arg(long, conflicts_with = "ticket")]
    pub(crate) json: bool,
    /// Print the text for the ticket only
    #[arg(long)]
    pub(crate) ticket: bool,
}
