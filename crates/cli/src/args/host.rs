//! The arguments of `farpath host`.

use std::path::PathBuf;

use clap::Args;

/// `farpath host`.
#[derive(Args, Debug)]
#[command(
    after_help = "Reads the settings of the kernel, its counters, and the interfaces that are up. Nothing is sent and nothing is \
changed, and no privilege is needed: what a user may not read is listed as unknown.\n\n\
Exit codes: 0 the host allows the path; 1 a finding; 3 no Linux, or its settings cannot be read. Findings that are worth knowing and \
no more (info) do not change the exit code.\n\n\
Examples:\n  \
farpath host\n  \
farpath host --path 10Gbit/s,150ms\n  \
farpath host --path 10Gbit/s,150ms --mtu 9000 --json"
)]
pub(crate) struct HostArgs {
    /// The path to judge it for, its slowest link's rate and its round-trip time: 10Gbit/s,150ms
    #[arg(long, value_name = "RATE,RTT")]
    pub(crate) path: Option<String>,
    /// Largest IP packet of the path: 9000; without it, that of the interface
    #[arg(long)]
    pub(crate) mtu: Option<String>,
    /// The interface the path takes; without it, that of the default route
    #[arg(long, value_name = "NAME")]
    pub(crate) interface: Option<String>,
    /// Read copies of /proc and /sys below this folder, such as those of another host, in place of this host's; copy with cp, as tar takes files of /proc for empty
    #[arg(long, value_name = "FOLDER", default_value = "/")]
    pub(crate) root: PathBuf,
    /// Print one JSON document (`farpath.host/1`)
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the tables as Markdown, for a ticket
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}
