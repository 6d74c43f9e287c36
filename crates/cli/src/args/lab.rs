//! `farpath lab` on the command line.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::control::AnyControl;

/// `farpath lab`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    farpath lab run --rtt 300ms --rate 1Gbit/s --loss 1e-4 -- ping -c 3 server\n  \
    farpath lab up cern-snaky/five-passes\n  \
    farpath lab exec w05gva -- ping -c 3 w05chi\n  \
    farpath lab set link.stm64.delay=100ms\n  \
    farpath lab set link.stm64.forward.loss=1e-4\n  \
    farpath lab set link.stm64.reverse.loss=10%\n  \
    farpath lab set link.stm64.jitter.max=5ms link.stm64.reorder=true\n  \
    farpath lab set link.stm64.up=false\n  \
    farpath lab status --once --json\n  \
    farpath lab ls\n  \
    farpath lab down")]
pub(crate) struct LabArgs {
    /// Name of the lab: several can be up at once
    #[arg(long, value_name = "NAME", default_value = crate::lab::NAME, global = true, value_parser = farpath_emu::state::lab_name)]
    pub(crate) lab: String,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: LabCommand,
}

/// `farpath lab ...`.
#[derive(Subcommand, Debug)]
pub(crate) enum LabCommand {
    /// Run one command across an emulated path, then remove the path
    Run(Box<LabRunArgs>),
    /// Start the hosts and the network of a scenario, and leave them running
    Up(LabUpArgs),
    /// Run a command on a host of a lab
    Exec(LabExecArgs),
    /// Change a link of a running lab: delay, rate, loss, jitter, down and up
    Set(LabSetArgs),
    /// Show, once a second, what a lab's links carry and how late frames are delivered
    Status(LabStatusArgs),
    /// List your labs that are up
    Ls(LabLsArgs),
    /// End a lab: programs, hosts and network
    #[command(
        after_help = "It also removes what a lab left that was killed, and restores what --tune-host had changed.\n\n\
    Exit codes: 0 nothing of it is left, 3 there is no such lab.\n\nExample:\n  farpath lab down"
    )]
    Down,
}

/// One path between a client and a server.
#[derive(Args, Debug)]
#[command(next_help_heading = "The path")]
pub(crate) struct OnePath {
    /// Round-trip time, with its unit: 300ms. Each way with a delay of its own needs none
    #[arg(long, value_name = "TIME", required_unless_present_any = ["scenario", "there", "back"])]
    pub(crate) rtt: Option<String>,
    /// Rate of the path: 1Gbit/s, or 1Gbps. Each way may have its own instead (--there, --back)
    #[arg(long, value_name = "RATE")]
    pub(crate) rate: Option<String>,
    /// Share of frames lost in each direction: 1e-4; without it, none
    #[arg(long, value_name = "SHARE")]
    pub(crate) loss: Option<String>,
    /// Losses in bursts: share of frames lost, mean length of a burst in frames: 1%,10
    #[arg(long, value_name = "SHARE,FRAMES", conflicts_with = "loss")]
    pub(crate) burst_loss: Option<String>,
    /// Delay added to each frame, random from 0 to this; frames keep their order: 5ms, or a table as a link's `jitter` has it
    #[arg(long, value_name = "TIME")]
    pub(crate) jitter: Option<String>,
    /// Frames held back so that others overtake: their share, and how long: 1%,10ms
    #[arg(long, value_name = "SHARE,TIME")]
    pub(crate) reorder: Option<String>,
    /// Share of frames that arrive twice: 1%
    #[arg(long, value_name = "SHARE")]
    pub(crate) duplicate: Option<String>,
    /// Share of frames that arrive with a wrong checksum: 0.1%
    #[arg(long, value_name = "SHARE")]
    pub(crate) corrupt: Option<String>,
    /// The path is down from one time to another, counted from the start of the command: 5s-8s; 5s- is to the end, and
    /// there:5s-8s or back:5s-8s one direction (may be repeated)
    #[arg(long, value_name = "[WAY:]FROM-[TO]")]
    pub(crate) down: Vec<String>,
    /// Limit of the queue in front of the path: 512KiB, 10ms, 1000 packets, 1bdp; without it 1bdp, a rate times the
    /// round-trip time
    #[arg(long, value_name = "LIMIT")]
    pub(crate) queue: Option<String>,
    /// Largest IP datagram in bytes; without it 1500
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(576..=65_521))]
    pub(crate) mtu: Option<u32>,
    /// What differs from client to server: loss=1%, delay=250ms, rate=1Mbit/s or any other key of a link's direction; a
    /// time alone is a delay (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) there: Vec<String>,
    /// What differs from server to client: loss=1% (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) back: Vec<String>,
}

/// The path options, by the names that clap knows them by.
const PATH: [&str; 13] = [
    "rtt",
    "rate",
    "loss",
    "burst_loss",
    "jitter",
    "reorder",
    "duplicate",
    "corrupt",
    "down",
    "queue",
    "mtu",
    "there",
    "back",
];

/// Settings of a lab's hosts.
#[derive(Args, Debug)]
#[command(next_help_heading = "The hosts")]
pub(crate) struct LabControl {
    /// Names of hosts resolve to IPv4 addresses only; without it to both, IPv6 first
    #[arg(short = '4')]
    pub(crate) ipv4: bool,
    /// Names of hosts resolve to IPv6 addresses only
    #[arg(short = '6', conflicts_with = "ipv4")]
    pub(crate) ipv6: bool,
    /// Congestion control of every connection that chooses none itself: one of the kernel's; highspeed,
    /// scalable or htcp; or bpf:FILE.o, a BPF object of your own
    #[arg(long, value_name = "NAME", value_parser = AnyControl, hide_possible_values = true)]
    pub(crate) cc: Option<String>,
    /// Change settings of the whole machine, such as net.ipv4.tcp_mem, and restore them when the lab ends;
    /// after a crash, the next lab or `lab down` restores them
    #[arg(long)]
    pub(crate) tune_host: bool,
    /// Never let the data plane sleep: it occupies a processor and delivers with the least lateness
    #[arg(long)]
    pub(crate) busy: bool,
}

/// `farpath lab run`.
#[derive(Args, Debug)]
#[command(
    after_help = "The command runs on the host `client` and reaches the other host as `server`. With SCENARIO it runs \
on the host that --on names, and the hosts have the scenario's names; its tests are not run, and its expectations not judged.\n\n\
Exit codes: the command's own, or 124 when --timeout ended it, 125 for wrong arguments and any other fault of the lab, \
126 for a command that cannot be run, 127 for one that does not exist. With --strict 4 for an invalid certificate, and where nothing crossed the path. \
Standard output is the command's alone: the server's goes to standard error.\n\n\
Examples:\n  \
farpath lab run --rtt 300ms --rate 1Gbit/s --loss 1e-4 -- ping -c 3 server\n  \
farpath lab run --rtt 80ms --rate 20Mbit/s --there loss=1% -- ping -c 3 server\n  \
farpath lab run --rtt 80ms --rate 20Mbit/s --print-scenario > path.toml\n  \
farpath lab run cern-snaky/one-pass --timeout 60s -- ping -c 3 w05chi"
)]
pub(crate) struct LabRunArgs {
    /// A scenario file, or the name of a shipped one, in place of the options of the path
    #[arg(conflicts_with_all = PATH)]
    pub(crate) scenario: Option<String>,
    /// The path.
    #[command(flatten)]
    pub(crate) path: OnePath,
    /// Change one key of the scenario first, or of the options' path: link.path.forward.red=... (may be repeated)
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Not taken: its path has no name. The other commands of `lab` have this option, and its help does not list it.
    #[arg(long, value_name = "NAME", default_value = crate::lab::NAME, hide = true)]
    pub(crate) lab: String,
    /// Host that runs the command; without it the first host of the scenario's first test, or its first host
    #[arg(long, value_name = "HOST")]
    pub(crate) on: Option<String>,
    /// Host that runs --server; without it the second host of the scenario's first test, or its second host
    #[arg(long, value_name = "HOST")]
    pub(crate) server_on: Option<String>,
    /// Settings of its hosts.
    #[command(flatten)]
    pub(crate) control: LabControl,
    /// Shell command to start on the server's host first
    #[arg(long, value_name = "COMMAND", help_heading = None)]
    pub(crate) server: Option<String>,
    /// Wait until something on the server's host listens on this TCP port, or UDP port (7000/udp): at most two minutes, or --timeout
    #[arg(long, value_name = "PORT", requires = "server")]
    pub(crate) wait_port: Option<crate::lab::Port>,
    /// Judge only TCP connections with this port at one end, where a program has others that carry more (may be repeated)
    #[arg(long, value_name = "PORT", value_parser = tcp_port)]
    pub(crate) port: Vec<u16>,
    /// End the command after this time, with exit code 124: 60s
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Copy what is printed on both hosts to DIR/client.log and DIR/server.log
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// Capture what each host sends and is given: the first 128 bytes of each packet, as DIR/HOST.pcapng
    #[arg(long, value_name = "DIR")]
    pub(crate) capture: Option<PathBuf>,
    /// Write the outcome as JUnit XML: a case each for the command, the server and the certificate. Each run needs a file of its own
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write what the last line says as JSON: exit code, time, RTT, certificate, and the connection that carried most
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Exit with 4 when the certificate is invalid, or the command sent nothing over the path; without it that is a note, and
    /// a skipped case in JUnit
    #[arg(long)]
    pub(crate) strict: bool,
    /// Random seed; without it the scenario's, or 1
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Print the path of the options as a scenario, with a test of ten seconds to go on with, and run nothing
    #[arg(long, conflicts_with_all = ["scenario", "junit", "json"])]
    pub(crate) print_scenario: bool,
    /// The command and its arguments
    #[arg(
        last = true,
        required_unless_present = "print_scenario",
        value_name = "COMMAND"
    )]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// A port of TCP.
fn tcp_port(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| {
        "a port of TCP is a number from 1 to 65535, as in --port 7000; datagrams are counted whatever their port".to_owned()
    })
}

/// `farpath lab up`.
#[derive(Args, Debug)]
#[command(
    after_help = "The lab runs until `farpath lab down`. The scenario's tests are not run: `lab exec` runs what you like.\n\n\
    Exit codes: 0 it is up, or FARPATH_LAB=auto and the machine cannot do it; 2 wrong text or arguments, 3 the machine cannot do it.\n\n\
    Examples:\n  \
    farpath lab up cern-snaky/five-passes\n  \
    farpath lab down"
)]
pub(crate) struct LabUpArgs {
    /// A scenario file, or the name of a shipped one
    pub(crate) scenario: String,
    /// Change one key of the scenario first (may be repeated)
    #[arg(long = "set", value_name = "SECTION.NAME.KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Random seed; without it, the scenario's, or 1
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Settings of its hosts.
    #[command(flatten)]
    pub(crate) control: LabControl,
    /// Stay in the foreground until Ctrl-C ends the lab
    #[arg(long)]
    pub(crate) foreground: bool,
}

/// `farpath lab exec`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: the command's own, 2 for an unknown host, 3 where no such lab is up.\n\n\
    Example:\n  \
    farpath lab exec w05gva -- ping -c 3 w05chi"
)]
pub(crate) struct LabExecArgs {
    /// The host that runs it, by its name in the scenario
    pub(crate) host: String,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// `farpath lab set`.
#[derive(Args, Debug)]
#[command(
    after_help = "What can be changed while a lab runs, of a link or of one direction of it, `forward` or `reverse`: `rate`, `delay`, `queue`, \
`loss` and the other causes of loss, `jitter`, `reordering`, `duplication`, `corruption`, `reorder`, and `up`. All changes of a \
command are made, or none.\n\n\
Exit codes: 0 changed, 2 an unknown key or a wrong value, 3 no such lab is up.\n\n\
Examples:\n  \
    farpath lab set link.stm64.delay=100ms\n  \
    farpath lab set link.stm64.forward.loss=1e-4\n  \
    farpath lab set link.stm64.reverse.loss=10%\n  \
    farpath lab set link.stm64.jitter.max=5ms link.stm64.reorder=true\n  \
    farpath lab set link.stm64.up=false"
)]
pub(crate) struct LabSetArgs {
    /// Keys of links and their values: link.NAME.delay=50ms, link.NAME.forward.loss=1e-4
    #[arg(value_name = "PATH=VALUE", required = true)]
    pub(crate) changes: Vec<String>,
}

/// `farpath lab status`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 ok, 3 no such lab is up.\n\nExample:\n  farpath lab status --once --json"
)]
pub(crate) struct LabStatusArgs {
    /// Print once and return
    #[arg(long)]
    pub(crate) once: bool,
    /// Print once, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath lab ls`.
#[derive(Args, Debug)]
#[command(
    after_help = "A `lab run` is listed while its command runs, as run-PROCESS. With --lab run-PROCESS, `exec` runs another command in it \
and `down` ends it.\n\nExit codes: 0 ok, also where none is up.\n\nExample:\n  farpath lab ls"
)]
pub(crate) struct LabLsArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
