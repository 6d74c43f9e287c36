//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

mod control;
mod diagnose;
mod figures;
mod host;
mod lab;
mod predict;
mod trace;

pub(crate) use diagnose::DiagnoseArgs;
pub(crate) use figures::{Bars, FiguresArgs, Log};
pub(crate) use host::HostArgs;
pub(crate) use lab::{
    LabArgs, LabCommand, LabControl, LabLsArgs, LabRunArgs, LabStatusArgs, LabUpArgs, OnePath,
};
pub(crate) use predict::{
    LineArgs, OverheadArgs, PathArgs, Predict, PredictArgs, Rfc6349Args, RouteArgs,
};
pub(crate) use trace::{Sort, TraceArgs};

/// A workbench for long, fat network paths. Describe a path once; predict, simulate and emulate it,
/// compare the results, and see what limits each test.
#[derive(Parser, Debug)]
#[command(
    name = "farpath",
    version = env!("FARPATH_VERSION"),
    max_term_width = 80,
    after_help = "Exit codes: 0 ok, 1 a failed expectation or a finding, 2 bad text or arguments, \
                  3 environment (privilege, unwritable output, memory), 4 an emulated run with an invalid \
                  certificate and no other failure, 130 interrupted.\n\n\
                  Examples:\n  farpath predict path --rate 10Gbit/s --rtt 116ms --window 4MiB\n  \
                  farpath run cern-snaky/five-passes --out report\n  \
                  farpath lab run --rtt 300ms --rate 50Mbit/s -- ping -c 3 server"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Predict and simulate a scenario and, with --emulate, run it between real kernels; print one table
    Run(RunArgs),
    /// Check a scenario without running it, and show the path of each test
    Check(CheckArgs),
    /// Write a commented scenario to start from
    New(NewArgs),
    /// List the shipped scenarios, or print one
    Scenarios(ScenariosArgs),
    /// Print the JSON Schema of scenario files, for editors
    #[command(
        after_help = "Exit codes: 0 ok, 3 it cannot be written.\n\nExample:\n  farpath schema > scenario.schema.json"
    )]
    Schema,
    /// Compute closed forms for a path or a protocol stack
    Predict(PredictArgs),
    /// Compare two sets of runs, or the origins of one: which differences are more than chance
    Compare(CompareArgs),
    /// Say what captures show: each TCP connection, what was sent again and why, what limited it
    Trace(TraceArgs),
    /// Say what limits a flow, from what other tools printed: logs, pings, settings
    Diagnose(DiagnoseArgs),
    /// Say what this host's settings allow on a long path, and what to change
    Host(HostArgs),
    /// Write the figures of a run's page as SVG files
    Figures(FiguresArgs),
    /// Run packetdrill scripts against the TCP model, in virtual time
    Conformance(ConformanceArgs),
    /// Check router configurations, or write one
    Config(ConfigArgs),
    /// Emulate a path between real Linux kernels: for one command, or to be used by hand
    Lab(LabArgs),
    /// Print a script by which a shell completes farpath's commands and options
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// `farpath completions`.
#[derive(Args, Debug)]
#[command(
    after_help = "bash reads ~/.local/share/bash-completion/completions/farpath, zsh _farpath in a folder of \
    $fpath, fish ~/.config/fish/completions/farpath.fish.\n\n\
    Exit codes: 0 ok, 2 an unknown shell.\n\n\
    Examples:\n  \
    farpath completions bash > farpath.bash\n  \
    farpath completions zsh > _farpath"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// `farpath man`.
#[derive(Args, Debug)]
#[command(
    after_help = "A page for each command: man reads them in ~/.local/share/man/man1, and `man farpath-predict-path` works.\n\n\
    Exit codes: 0 written, 3 the folder cannot be written.\n\n\
    Example:\n  \
    farpath man man1"
)]
pub(crate) struct ManArgs {
    /// A folder; it is made if it does not exist
    pub(crate) folder: PathBuf,
}

/// `farpath run`.
#[derive(Args, Debug)]
#[command(
    after_help = "A scenario's [sweep] lists values of its keys, and the run has a point for each combination; \
    `farpath new` writes a scenario that shows how. --set with a swept key runs that one value, or those of a list.\n\n\
    What an [[expect]] of the scenario, or of a file of --expect, allows is judged, by the median of the repeats.\n\n\
    Exit codes: 0 ok, 1 an expectation failed, 2 wrong text or arguments, 3 the machine cannot do it (memory, privilege, an \
    unwritable folder), 4 an emulated run with an invalid certificate, 130 interrupted. 1 comes before 4 where an expectation \
    fails by a value that no invalid certificate is about.\n\n\
    Examples:\n  \
    farpath run cern-snaky/five-passes\n  \
    farpath run my-path.toml --set link.ocean.queue=10ms --out report\n  \
    farpath run my-path.toml --repeat 5 --junit run.xml\n  \
    farpath run my-path.toml --expect marks.toml --junit marks.xml\n  \
    farpath run cern-snaky/window-sweep --json | jq '.records[].metrics'"
)]
pub(crate) struct RunArgs {
    /// A scenario file, or the name of a shipped one (`farpath scenarios`)
    pub(crate) scenario: String,
    /// Predict only, unless --simulate or --emulate is given too
    #[arg(long)]
    pub(crate) predict: bool,
    /// Simulate only, packet by packet, unless --predict or --emulate is given too
    #[arg(long)]
    pub(crate) simulate: bool,
    /// Emulate too: run the tests between real Linux kernels, in real time. Each host is a set of namespaces,
    /// and farpath is the network between them. With FARPATH_LAB=auto, skipped where the machine cannot do it
    #[arg(long)]
    pub(crate) emulate: bool,
    /// With --emulate: never let the data plane sleep; it occupies a processor and delivers with the least
    /// lateness
    #[arg(long, requires = "emulate")]
    pub(crate) busy: bool,
    /// Congestion control of every connection: a value of a test's key `cc` such as cubic or htcp, or
    /// bpf:FILE.o, a BPF object of your own that only --emulate can run
    #[arg(long, value_name = "NAME", value_parser = control::AnyControl, hide_possible_values = true)]
    pub(crate) cc: Option<String>,
    /// With --emulate: change settings of the whole machine, such as net.ipv4.tcp_mem, and restore them after
    /// the run; after a crash, the next lab or `lab down` restores them
    #[arg(long, requires = "emulate")]
    pub(crate) tune_host: bool,
    /// Repeat each point and search N times, each time with its own seed, and print mean, spread and confidence interval
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,
    /// Simulate up to N points, repeats and searches in parallel, fewer where memory is short; without it, one
    /// per processor. The results do not depend on N; emulated runs go one by one
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// Print the records as one JSON document instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the table as Markdown, for a ticket or a merge request
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write the expectations, and with --emulate the certificates, as JUnit XML; of a run that could not begin, one case
    /// with its error. Each run needs a file of its own
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write records.json, metrics.csv, links.csv, series.csv, scenario.resolved.toml, report.html and captures here.
    /// Those of an earlier run stay until these are written. A run that is interrupted writes the points and repeats that had ended
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with a run of the same command that was stopped: what had ended is taken from --out DIR, and the rest is run.
    /// Simulated results are those of one run, to the bit
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// Which repeats keep their time series in what is written: all, the first, which the page draws, or none. On the page mean
    /// rates and queues of links go with them; links.csv has those of all
    #[arg(long, value_enum, default_value_t = Series::All)]
    pub(crate) series: Series,
    /// Random seed; without it, the scenario's, or 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: Option<u64>,
    /// Change one key of the scenario: link.stm64.delay=10ms, test.bulk.window=8MiB (may be repeated)
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Judge the [[expect]] sections of this file, too: it has nothing else in it. One that names a test or link which the
    /// scenario has not fails (may be repeated)
    #[arg(long = "expect", value_name = "FILE")]
    pub(crate) expects: Vec<String>,
    /// Judge by the files of --expect alone: what the scenario expects itself is the answer that their stated_within reads,
    /// and counts in no table, JUnit file or exit code
    #[arg(long, requires = "expects")]
    pub(crate) marks_only: bool,
    /// Run only this test (may be repeated)
    #[arg(long, value_name = "TEST")]
    pub(crate) only: Vec<String>,
    /// Put a captured connection beside a test: TEST=FILE, the connection with the most bytes, or TEST=FILE#ID
    /// (may be repeated)
    #[arg(long, value_name = "TEST=FILE[#ID]")]
    pub(crate) captured: Vec<String>,
    /// Simulate event by event: slower, with bit-identical results
    #[arg(long)]
    pub(crate) event_by_event: bool,
    /// Most intervals of a time series, about: each lasts 1, 2 or 5 times a power of ten, so there may be two fifths of
    /// them; without it, the scenario's, or 600
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) intervals: Option<u32>,
}

/// Which repeats keep their time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Series {
    All,
    First,
    None,
}

/// `farpath check`.
#[derive(Args, Debug)]
#[command(after_help = "Keys that make no difference to a run are warnings.\n\n\
    Exit codes: 0 it can be run, 2 it cannot, or lacks what --expect names or asks.\n\n\
    Examples:\n  \
    farpath check cern-snaky/five-passes\n  \
    farpath check my-path.toml --set link.ocean.delay=58ms")]
pub(crate) struct CheckArgs {
    /// A scenario file, or the name of a shipped one
    pub(crate) scenario: String,
    /// Change one key of the scenario first (may be repeated)
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Check the [[expect]] sections of this file beside it, as farpath run judges them (may be repeated)
    #[arg(long = "expect", value_name = "FILE")]
    pub(crate) expects: Vec<String>,
}

/// `farpath new`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 written, 3 it cannot be written, or a file is there already: nothing is overwritten.\n\n\
    Example:\n  \
    farpath new ocean.toml"
)]
pub(crate) struct NewArgs {
    /// Where to write it; standard output if not given, or -
    pub(crate) file: Option<PathBuf>,
}

/// `farpath scenarios`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 ok, 2 there is no such scenario.\n\n\
    Examples:\n  \
    farpath scenarios\n  \
    farpath scenarios cern-snaky/one-pass > my-path.toml")]
pub(crate) struct ScenariosArgs {
    /// Print this scenario's text; without it, all names and what each shows
    pub(crate) name: Option<String>,
}

/// `farpath compare`.
#[derive(Args, Debug)]
#[command(
    after_help = "Two files are A and B. Sets of several files: A1 A2 --with B1 B2. \
    With one file, its origins are compared, such as predicted and simulated. With --between, two values of a key \
    that a run swept are A and B, at each point of the other keys; several files are then one set.\n\n\
    A page of all runs that are named, however many, is written by --out: figures with a bar or a curve for each, \
    their curves over time laid over each other, and one table. More than two without --with have the page alone.\n\n\
    Exit codes: 0 ok. 1, with --tolerance only: a difference is larger than that and chance does not \
    explain it, or one side lacks a test. 2: a file holds no records, or nothing in them can be compared.\n\n\
    Examples:\n  \
    farpath compare report/records.json\n  \
    farpath compare sweep --between cc=reno,cubic\n  \
    farpath compare report/records.json report --tolerance 1%\n  \
    farpath compare report/records.json report --metric goodput\n  \
    farpath compare report --out page"
)]
pub(crate) struct CompareArgs {
    /// Files written by `farpath run --json`, or folders written by `--out`
    #[arg(required = true, value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,
    /// Files of the second set, where sets have several files
    #[arg(long, value_name = "RECORD", num_args = 1..)]
    pub(crate) with: Vec<PathBuf>,
    /// Compare two values of a key of the sweep, by its whole name or its last parts: cc=reno,cubic
    #[arg(long, value_name = "KEY=A,B", conflicts_with = "with")]
    pub(crate) between: Option<String>,
    /// Write a page of all the runs here (report.html, with JSON and CSV)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Largest difference accepted, as a share of A: 1%; without it, all are
    #[arg(long, value_name = "RATIO")]
    pub(crate) tolerance: Option<String>,
    /// Compare only this metric: goodput or goodput_bps (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Vec<String>,
    /// Print the table as Markdown, for a ticket or a merge request
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath conformance`.
#[derive(Args, Debug)]
#[command(
    after_help = "A script passes, differs (what differs is shown: line, expected, got) or is \
    unsupported: it needs what the model does not have. Nothing in a script is executed: shell lines, and \
    files they run such as ../common/defaults.sh, are only read for the settings they make. Times may differ \
    by 4 ms, or by what the script sets (--tolerance_usecs).\n\n\
    Exit codes: 0 nothing differs, 1 a script differs, 2 a file is not a script.\n\n\
    Scripts are not shipped: the public ones are GPL. Examples, which fetch and run them:\n  \
    git clone https://github.com/google/packetdrill\n  \
    farpath conformance packetdrill/gtests/net/tcp\n  \
    farpath conformance -v --junit tcp.xml packetdrill/gtests/net/tcp"
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
#[command(after_help = "Examples:\n  \
    farpath config snaky --passes 5 --routers geneva,chicago --out tunnel\n  \
    farpath config check tunnel/geneva.conf tunnel/chicago.conf --fail-on warning")]
pub(crate) struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// The subcommands of `farpath config`.
#[derive(Subcommand, Debug)]
pub(crate) enum ConfigCommand {
    /// Check the configurations of one or several routers together
    Check(ConfigCheckArgs),
    /// Write the configurations of two routers for a circuit that crosses their link several times
    Snaky(SnakyArgs),
    /// Write the configuration of a lower-effort class (LBE, scavenger) on a Catalyst port
    Lbe(ConfigLbeArgs),
}

/// `farpath config snaky`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 written, 2 wrong arguments, 3 the folder cannot be written.\n\n\
    Example:\n  \
    farpath config snaky --passes 5 --routers geneva,chicago --out tunnel"
)]
pub(crate) struct SnakyArgs {
    /// How many times a frame crosses the link on its way through the circuit: an odd number
    #[arg(long, value_name = "N")]
    pub(crate) passes: u32,
    /// Names of the two routers
    #[arg(long, value_name = "A,B", default_value = "left,right")]
    pub(crate) routers: String,
    /// Interfaces of the link between them, one on each router
    #[arg(long, value_name = "A,B", default_value = "so-1/0/0,so-1/0/0")]
    pub(crate) core: String,
    /// Addresses of the two interfaces, and the length of their prefix
    #[arg(
        long,
        value_name = "A,B/LENGTH",
        default_value = "192.0.2.1,192.0.2.2/30"
    )]
    pub(crate) addresses: String,
    /// Interfaces to the customer, one on each router
    #[arg(long, value_name = "A,B", default_value = "ge-1/1/0,ge-1/1/0")]
    pub(crate) access: String,
    /// VLAN of the customer
    #[arg(long, value_name = "ID", default_value_t = 600)]
    pub(crate) vlan: u16,
    /// Largest IP packet of the customer, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 9000)]
    pub(crate) mtu: u32,
    /// Rate of the link, of which each LSP reserves an equal part
    #[arg(long, default_value = "10Gbit/s")]
    pub(crate) rate: String,
    /// Form of the configuration: brace, blocks in braces, or set, a command a line
    #[arg(long, value_enum, default_value_t = Style::Set)]
    pub(crate) style: Style,
    /// Write A.conf and B.conf here; standard output if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// The two forms of Junos: blocks in braces, and `set` commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Style {
    Brace,
    Set,
}

/// `farpath config check`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 ok, 1 a finding of the --fail-on severity or worse, 2 text or a file that cannot be read. \
                  Uncertain findings do not change the exit code.\n\n\
                  Examples:\n  farpath config snaky --passes 5 --routers geneva,chicago --out tunnel\n  \
                  farpath config check tunnel/geneva.conf tunnel/chicago.conf --fail-on warning"
)]
pub(crate) struct ConfigCheckArgs {
    /// Configurations, one file for each router; - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON document (`farpath.config/1`)
    #[arg(long, conflicts_with = "sarif")]
    pub(crate) json: bool,
    /// Print a SARIF 2.1.0 log
    #[arg(long)]
    pub(crate) sarif: bool,
    /// The least severity of a finding that makes the command fail
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
    /// Language of all files: junos, junos-set, ios, catos, hosts, neighbors; without it, detected in each file
    #[arg(long, value_name = "NAME")]
    pub(crate) dialect: Option<String>,
    /// Machine of all IOS files: catalyst-6500, catalyst, catalyst-9000 (3650 and 3850, too), ios-router, ios-xe, ios-xr, nx-os; without it, detected in each file
    #[arg(long, value_name = "NAME")]
    pub(crate) platform: Option<String>,
    /// What the text does not say of switch ports.
    #[command(flatten)]
    pub(crate) ports: PortArgs,
    /// Round-trip time for the checks of policers and windows, with its unit: 100ms; several router files are also joined to a path of this round trip
    #[arg(long)]
    pub(crate) rtt: Option<String>,
    /// One-way rate of the test that is planned: 1Gbit/s; circuits (CCC016) and windows of hosts (HOST003) are held
    /// against it
    #[arg(long)]
    pub(crate) rate: Option<String>,
    /// Transmit buffer of each port of a joined path whose queues divide it, as no configuration says: 512kB
    #[arg(long, value_name = "SIZE", requires = "rtt")]
    pub(crate) memory: Option<String>,
    /// Linux release of hosts whose settings are checked, as `uname -r` prints it: 6.18; a window's part of a buffer depends on it
    #[arg(long, value_name = "RELEASE")]
    pub(crate) kernel: Option<String>,
    /// Share that the lower-effort class should have: 1%
    #[arg(long)]
    pub(crate) share: Option<String>,
}

/// What a configuration does not say of switch ports.
#[derive(Args, Debug)]
pub(crate) struct PortArgs {
    /// Hardware of the ports: 1p2q2t, 2q2t ...; without it, the most common at each port's speed
    #[arg(long, value_name = "TYPE")]
    pub(crate) port_type: Option<String>,
    /// Bytes for each unit of WRR weight: 256B
    #[arg(long, value_name = "SIZE")]
    pub(crate) wrr_unit: Option<String>,
}

/// `farpath config lbe`.
#[derive(Args, Debug)]
#[command(
    after_help = "Writes the smallest weights that give the share within one percentage point for every packet \
                  size, and by their ratio within a factor of two, and prints the actual share. A share that no weights give is refused, with the reason.\n\n\
                  Exit codes: 0 ok, 2 no weights give the share, or wrong arguments.\n\n\
                  Example:\n  farpath config lbe --share 1% --mtu 9000"
)]
pub(crate) struct ConfigLbeArgs {
    /// Share of the lower-effort class when all queues are full: 1%
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
    /// DSCP of the lower-effort class: 8 is CS1, 1 is LE (RFC 8622)
    #[arg(long, default_value_t = 8)]
    pub(crate) dscp: u8,
    /// Name of the port; without it, the first port of module 3
    #[arg(long, value_name = "NAME")]
    pub(crate) interface: Option<String>,
    /// Language: ios or catos
    #[arg(long, value_name = "NAME", default_value = "ios")]
    pub(crate) dialect: String,
}

/// The least severity that makes `farpath config check` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    Error,
    Warning,
    Info,
}
