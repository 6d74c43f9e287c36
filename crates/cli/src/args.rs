//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod predict;

pub(crate) use predict::{
    LineArgs, OverheadArgs, PathArgs, Predict, PredictArgs, Rfc6349Args, RouteArgs,
};

/// A workbench for long, fat network paths. Describe a path once; predict, simulate and emulate it,
/// compare the results, and see what limits each test.
#[derive(Parser, Debug)]
#[command(
    name = "farpath",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 ok, 1 a failed expectation or finding, 2 bad text or arguments,\n\
                  3 environment (privilege, unwritable output, memory), 4 an emulated run that\n\
                  cannot be believed, 130 interrupted.\n\n\
                  Start with:  farpath run cern-snaky/five-passes --out report"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a scenario: predict, simulate and, with --emulate, run its tests between real kernels; print one table
    Run(RunArgs),
    /// Check a scenario without running it, and show the way its tests take
    Check(CheckArgs),
    /// Write a commented scenario to start from
    New(NewArgs),
    /// List the shipped scenarios, or print one
    Scenarios(ScenariosArgs),
    /// Print the JSON Schema of scenario files, for editors
    Schema,
    /// Ask the closed forms directly
    Predict(PredictArgs),
    /// Compare two sets of runs, or the origins of one: which differences are more than chance
    Compare(CompareArgs),
    /// Run packetdrill scripts against the TCP model, in virtual time
    Conformance(ConformanceArgs),
    /// Check the configuration of routers, or write one
    Config(ConfigArgs),
    /// A path between real Linux kernels: for one command, or to be used by hand
    Lab(LabArgs),
}

/// `farpath lab`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    farpath lab run --rtt 300ms --rate 1Gbit/s --loss 1e-4 -- ping -c 3 server\n  \
    farpath lab up cern-snaky/five-passes\n  \
    farpath lab exec w05gva -- ping -c 3 w05chi\n  \
    farpath lab set link.stm64.delay=100ms\n  \
    farpath lab down")]
pub(crate) struct LabArgs {
    /// The lab's name: several can be up side by side
    #[arg(long, value_name = "NAME", default_value = crate::lab::NAME, global = true)]
    pub(crate) lab: String,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

/// `farpath lab ...`.
#[derive(Subcommand, Debug)]
pub(crate) enum LabCommand {
    /// Run one command across one path, and let both be gone
    Run(LabRunArgs),
    /// Bring the hosts of a scenario up and leave them there
    Up(LabUpArgs),
    /// Run a command on a host of a lab
    Exec(LabExecArgs),
    /// Change a link of a running lab: link.NAME.delay=50ms, also rate, loss, queue
    Set(LabSetArgs),
    /// What a lab's links carry, and how true it is
    Status(LabStatusArgs),
    /// End a lab: programs, hosts and network
    Down,
}

/// One path between a client and a server.
#[derive(Args, Debug)]
pub(crate) struct OnePath {
    /// Round-trip time, with its unit: 300ms
    #[arg(long)]
    pub(crate) rtt: String,
    /// Rate of the path: 1Gbit/s
    #[arg(long)]
    pub(crate) rate: String,
    /// Share of frames lost from client to server and back: 1e-4
    #[arg(long)]
    pub(crate) loss: Option<String>,
    /// What may wait in front of the path: 1bdp, 512KiB, 10ms, 1000 packets
    #[arg(long, default_value = "1bdp")]
    pub(crate) queue: String,
    /// Largest IP datagram in bytes
    #[arg(long, default_value_t = 1500, value_parser = clap::value_parser!(u32).range(576..=65_521))]
    pub(crate) mtu: u32,
}

/// Settings of a lab's hosts.
#[derive(Args, Debug)]
pub(crate) struct LabControl {
    /// The congestion control of every connection that chooses none: one of the kernel's; highspeed, scalable
    /// or htcp; or bpf:FILE.o, an object of your own
    #[arg(long, value_name = "NAME")]
    pub(crate) cc: Option<String>,
    /// Change settings of the whole machine while the lab runs (net.ipv4.tcp_mem and others), and put them back;
    /// kept in a journal, so that a crash is mended too
    #[arg(long)]
    pub(crate) tune_host: bool,
}

/// `farpath lab run`.
#[derive(Args, Debug)]
#[command(
    after_help = "The command runs on the host `client` and reaches the other as `server`. Its exit code is this \
command's; faults of the lab itself are 125, a command that cannot be run 126, one that is not there 127."
)]
pub(crate) struct LabRunArgs {
    /// The path.
    #[command(flatten)]
    pub(crate) path: OnePath,
    /// Settings of its hosts.
    #[command(flatten)]
    pub(crate) control: LabControl,
    /// Run this on the host `server` first, by a shell
    #[arg(long, value_name = "COMMAND")]
    pub(crate) server: Option<String>,
    /// Wait until something on `server` listens on this TCP port, two minutes at most
    #[arg(long, value_name = "PORT", requires = "server")]
    pub(crate) wait_port: Option<u16>,
    /// Write what both hosts print to DIR/client.log and DIR/server.log
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// Write the outcome as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// The data plane never sleeps, not even while nothing is under way
    #[arg(long)]
    pub(crate) busy: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// `farpath lab up`.
#[derive(Args, Debug)]
pub(crate) struct LabUpArgs {
    /// A scenario file, or the name of a shipped one
    pub(crate) scenario: String,
    /// Change one key of the scenario first
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Seed of everything random; without it, the scenario's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Settings of its hosts.
    #[command(flatten)]
    pub(crate) control: LabControl,
    /// The data plane never sleeps, not even while nothing is under way
    #[arg(long)]
    pub(crate) busy: bool,
    /// Stay here, and end the lab with Ctrl-C
    #[arg(long)]
    pub(crate) foreground: bool,
}

/// `farpath lab exec`.
#[derive(Args, Debug)]
pub(crate) struct LabExecArgs {
    /// The host
    pub(crate) host: String,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// `farpath lab set`.
#[derive(Args, Debug)]
pub(crate) struct LabSetArgs {
    /// The key of a link and its value: link.NAME.delay=50ms, link.NAME.forward.loss=1e-4
    #[arg(value_name = "PATH=VALUE")]
    pub(crate) change: String,
}

/// `farpath lab status`.
#[derive(Args, Debug)]
pub(crate) struct LabStatusArgs {
    /// Print it once and return
    #[arg(long)]
    pub(crate) once: bool,
    /// Print it once, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath run`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    farpath run cern-snaky/five-passes\n  \
    farpath run my-path.toml --set link.ocean.queue=10ms --set test.bulk.window=12MiB --out report\n  \
    farpath run cern-snaky/window-sweep --json | jq '.records[].metrics.goodput_bps'")]
pub(crate) struct RunArgs {
    /// A scenario file, or the name of a shipped one (`farpath scenarios`)
    pub(crate) scenario: String,
    /// Closed forms only, unless other origins are given too
    #[arg(long)]
    pub(crate) predict: bool,
    /// The packet-level simulation only, unless other origins are given too
    #[arg(long)]
    pub(crate) simulate: bool,
    /// Real Linux kernels in real time: every host a set of namespaces, the network between them farpath.
    /// Alone it means all three; FARPATH_LAB=auto makes a machine that cannot do it no failure
    #[arg(long)]
    pub(crate) emulate: bool,
    /// With --emulate: the data plane never sleeps, not even while nothing is under way
    #[arg(long, requires = "emulate")]
    pub(crate) busy: bool,
    /// The congestion control of every connection, as `cc` of a test has it: cubic, htcp, or bpf:FILE.o, an
    /// object of your own that real kernels run and no model knows
    #[arg(long, value_name = "NAME")]
    pub(crate) cc: Option<String>,
    /// With --emulate: change settings of the whole machine for the run (net.ipv4.tcp_mem and others), and
    /// put them back; kept in a journal, so that a crash is mended too
    #[arg(long, requires = "emulate")]
    pub(crate) tune_host: bool,
    /// Run the simulation N times, each with its own seed, and print mean, spread and confidence
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Run N points, repeats and searches at once, fewer where memory is short; all processors if not given.
    /// The results are the same to the bit; real time runs alone
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// Print the records as one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the expectations, and the certificates of --emulate, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write records.json, series.csv, scenario.resolved.toml, report.html and captures here
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Seed of everything random; without it, the scenario's, or 1
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Change one key of the scenario: link.stm64.delay=10ms, test.bulk.window=8MiB
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Run only this test (may be repeated)
    #[arg(long, value_name = "TEST")]
    pub(crate) only: Vec<String>,
    /// Run one instant at a time: slower, and the same to the bit
    #[arg(long)]
    pub(crate) event_by_event: bool,
    /// How many intervals the series have, about: more make a finer and larger record; else the scenario's, or 600
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) intervals: Option<u32>,
}

/// `farpath check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// A scenario file, or the name of a shipped one
    pub(crate) scenario: String,
    /// Change one key of the scenario first
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
}

/// `farpath new`.
#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// Where to write it; standard output if not given
    pub(crate) file: Option<PathBuf>,
}

/// `farpath scenarios`.
#[derive(Args, Debug)]
pub(crate) struct ScenariosArgs {
    /// Print this scenario's text
    pub(crate) name: Option<String>,
}

/// `farpath compare`.
#[derive(Args, Debug)]
#[command(
    after_help = "Two files are A and B; of one, the origins are compared (predicted and simulated).\n\
    With --tolerance the exit code is 1 if a difference is larger than that and more than chance,\n\
    or if one side lacks a test. Sets of several files: A1 A2 --with B1 B2.\n\n\
    Examples:\n  \
    farpath compare report/records.json\n  \
    farpath compare report/records.json report --tolerance 1%"
)]
pub(crate) struct CompareArgs {
    /// Files written by `farpath run --json`, or folders written by `--out`
    #[arg(required = true, value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,
    /// The second set, where a set is of several files
    #[arg(long, value_name = "RECORD", num_args = 1..)]
    pub(crate) with: Vec<PathBuf>,
    /// Largest difference accepted, as a share of A: 1%
    #[arg(long, value_name = "RATIO")]
    pub(crate) tolerance: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath conformance`.
#[derive(Args, Debug)]
#[command(
    after_help = "A script passes, differs (its first difference is shown: line, expected, got) or needs\n\
    what the model does not have. Nothing in a script is executed: shell lines are read for the\n\
    settings they make, and files they run (../common/defaults.sh) likewise. Times may differ by\n\
    4 ms, or what --tolerance_usecs in the script says.\n\n\
    Scripts are not shipped: the public ones are GPL. Fetch them where you want them:\n  \
    git clone https://github.com/google/packetdrill\n  \
    farpath conformance packetdrill/gtests/net/tcp\n  \
    farpath conformance packetdrill/gtests/net/tcp/slow_start --verbose --junit slow-start.xml\n\n\
    Exit codes: 0 nothing differs, 1 a script differs, 2 a file is not a script."
)]
pub(crate) struct ConformanceArgs {
    /// Scripts, or folders: every .pkt file below them
    #[arg(value_name = "FOLDER|FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the verdicts as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also list the scripts that pass and those that are unsupported
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// `farpath config`.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// The subcommands of `farpath config`.
#[derive(Subcommand, Debug)]
pub(crate) enum ConfigCommand {
    /// Check the configuration of one or several routers together
    Check(ConfigCheckArgs),
    /// Write two routers' configuration for a circuit that crosses their link several times
    Snaky(SnakyArgs),
    /// Write the configuration of a lower-effort class (LBE, scavenger) on a Catalyst port
    Lbe(ConfigLbeArgs),
}

/// `farpath config snaky`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  \
    farpath config snaky --passes 5 --routers geneva,chicago --mtu 9000 --out tunnel")]
pub(crate) struct SnakyArgs {
    /// How often a frame crosses the link on its way: an odd number
    #[arg(long, value_name = "N")]
    pub(crate) passes: u32,
    /// The two routers' names
    #[arg(long, value_name = "A,B", default_value = "left,right")]
    pub(crate) routers: String,
    /// The interfaces of the link between them
    #[arg(long, value_name = "A,B", default_value = "so-1/0/0,so-1/0/0")]
    pub(crate) core: String,
    /// The addresses of that link's ends, of which the prefix's length follows the second
    #[arg(
        long,
        value_name = "A,B/LENGTH",
        default_value = "192.0.2.1,192.0.2.2/30"
    )]
    pub(crate) addresses: String,
    /// The customer's interfaces
    #[arg(long, value_name = "A,B", default_value = "ge-1/1/0,ge-1/1/0")]
    pub(crate) access: String,
    /// The customer's VLAN
    #[arg(long, value_name = "ID", default_value_t = 600)]
    pub(crate) vlan: u16,
    /// The customer's largest IP packet, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 9000)]
    pub(crate) mtu: u32,
    /// The link's rate, of which each LSP reserves its part
    #[arg(long, default_value = "10 Gbit/s")]
    pub(crate) rate: String,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Style::Set)]
    pub(crate) style: Style,
    /// Write A.conf and B.conf here; standard output if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// The two forms of Junos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Style {
    /// Blocks in braces
    Brace,
    /// `set` commands
    Set,
}

/// `farpath config check`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 ok, 1 a finding of the --fail-on severity or graver, 2 text that cannot be read,\n\
                  3 a file that cannot be opened. Uncertain findings change nothing.\n\n\
                  Examples:\n  farpath config snaky --passes 5 --routers geneva,chicago --out tunnel\n  \
                  farpath config check tunnel/geneva.conf tunnel/chicago.conf --fail-on warning"
)]
pub(crate) struct ConfigCheckArgs {
    /// The routers' configuration, a file each
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON document (`farpath.config/1`)
    #[arg(long, conflicts_with = "sarif")]
    pub(crate) json: bool,
    /// Print a SARIF 2.1.0 log
    #[arg(long)]
    pub(crate) sarif: bool,
    /// The least severity that makes the command fail
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
    /// The language of all files: junos, junos-set, ios, catos, hosts; without it, their text tells
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// What the text does not say of switch ports.
    #[command(flatten)]
    pub(crate) ports: PortArgs,
    /// Round-trip time policers and windows are judged at, with its unit: 100ms
    #[arg(long)]
    pub(crate) rtt: Option<String>,
    /// Rate of the test a circuit is for, one way: more than it can carry is a warning (CCC016)
    #[arg(long)]
    pub(crate) rate: Option<String>,
    /// The share the low class is to have: 1%
    #[arg(long)]
    pub(crate) share: Option<String>,
}

/// What a configuration does not say of switch ports.
#[derive(Args, Debug)]
pub(crate) struct PortArgs {
    /// Hardware of the ports: 1p2q2t, 2q2t ...; without it, the commonest at each port's speed
    #[arg(long, value_name = "TYPE")]
    pub(crate) port_type: Option<String>,
    /// Bytes the ports count for a unit of WRR weight: 256B
    #[arg(long, value_name = "SIZE")]
    pub(crate) wrr_unit: Option<String>,
}

/// `farpath config lbe`.
#[derive(Args, Debug)]
#[command(
    after_help = "Writes the smallest weights whose share is within a point for every packet size, and says\n\
                  what the share really is. A target no weights meet is refused with the reason.\n\n\
                  Example:\n  farpath config lbe --share 1% --mtu 9000"
)]
pub(crate) struct ConfigLbeArgs {
    /// The low class's share when all queues are full: 1%
    #[arg(long)]
    pub(crate) share: String,
    /// Largest IP packet in bytes
    #[arg(long, default_value = "1500")]
    pub(crate) mtu: String,
    /// What the text does not say of the port.
    #[command(flatten)]
    pub(crate) ports: PortArgs,
    /// Rate of the port, with its unit
    #[arg(long, default_value = "1Gbit/s")]
    pub(crate) rate: String,
    /// The low class's DSCP: 8 is CS1, 1 is LE (RFC 8622)
    #[arg(long, default_value_t = 8)]
    pub(crate) dscp: u8,
    /// The port; without it, the first of module 3
    #[arg(long, value_name = "NAME")]
    pub(crate) interface: Option<String>,
    /// The language: ios or catos
    #[arg(long, value_name = "NAME", default_value = "ios")]
    pub(crate) dialect: String,
}

/// The least severity that makes `farpath config check` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// Errors only
    Error,
    /// Warnings too
    Warning,
    /// Anything
    Info,
}
