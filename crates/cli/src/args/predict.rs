//! The arguments of `farpath predict`.

use clap::{Args, Subcommand};

use super::control::AnyControl;

/// `farpath predict`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    farpath predict path --rate 10Gbit/s --rtt 116ms --mtu 9000\n  \
    farpath predict overhead --stack stm64/pos/ip/tcp --mtu 9000")]
pub(crate) struct PredictArgs {
    /// What to predict.
    #[command(subcommand)]
    pub(crate) what: Predict,
}

/// The predictions.
#[derive(Subcommand, Debug)]
pub(crate) enum Predict {
    /// What one TCP connection gets from a path, and what limits it
    Path(PathArgs),
    /// Rate of each layer's units in a protocol stack, headers included
    Overhead(OverheadArgs),
    /// Least round-trip time over a distance, and land-speed product
    Route(RouteArgs),
    /// Ratios of RFC 6349 of a measured transfer
    Rfc6349(Rfc6349Args),
}

/// `farpath predict path`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 ok, 2 wrong arguments.\n\n\
    Examples:\n  \
    farpath predict path --rate 10Gbit/s --rtt 116ms --mtu 9000 --window 64MiB\n  \
    farpath predict path --rate 1Gbit/s --rtt 20ms --framing pos --loss 1e-5\n  \
    farpath predict path --rate 10Gbit/s --rtt 120ms --policer 1Gbit/s,125kB\n  \
    farpath predict path --rate 1Gbit/s --rtt 80ms --loss 1e-5 --goodput 500Mbit/s")]
pub(crate) struct PathArgs {
    /// The line and what its frames are
    #[command(flatten)]
    pub(crate) line: LineArgs,
    /// Round-trip time, with its unit: 116ms
    #[arg(long)]
    pub(crate) rtt: String,
    /// Share of segments lost: 1e-6; without it, none
    #[arg(long)]
    pub(crate) loss: Option<String>,
    /// Most bytes in flight: 64MiB; without it, no window limits
    #[arg(long)]
    pub(crate) window: Option<String>,
    /// Congestion control: reno cubic highspeed scalable htcp bic hybla westwood vegas fast bbr bbr3;
    /// newreno, hstcp, stcp, h-tcp, westwood+ and bbr1 are other names of reno, highspeed, scalable, htcp, westwood and bbr
    #[arg(long, default_value = "cubic", value_parser = AnyControl, hide_possible_values = true)]
    pub(crate) cc: String,
    /// Policer on the way, its rate and burst: 1Gbit/s,125kB
    #[arg(long, value_name = "RATE,BURST")]
    pub(crate) policer: Option<String>,
    /// Queue in front of the line: 18MB, 10ms, 1bdp, '1000 packets'; without it, one that is long enough
    #[arg(long, value_name = "SIZE")]
    pub(crate) queue: Option<String>,
    /// Connections side by side, each with the window named
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) streams: u32,
    /// Goodput that is wanted of all connections, such as 500Mbit/s: says which window, loss ratio and number of connections it needs
    #[arg(long, value_name = "RATE")]
    pub(crate) goodput: Option<String>,
    /// Payload rate that the slower host can process: 5.4Gbit/s
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Segments that one ACK acknowledges; write 1 for a sender that counts acknowledged bytes
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) segments_per_ack: u32,
    /// Initial window in segments
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) initial_window: u32,
    /// First retransmission timeout, of the model with timeouts (pftk_bps): 1s; without it, four round trips
    #[arg(long, value_name = "TIME")]
    pub(crate) t0: Option<String>,
    /// What H-TCP keeps of its window after a loss, 0.5 to 0.8: 0.8 where its queue stays empty; without it, 0.5
    #[arg(long, value_name = "SHARE")]
    pub(crate) beta: Option<f64>,
    /// Print every figure with its formula and note
    #[arg(long)]
    pub(crate) all: bool,
    /// Print a Markdown table, for a ticket or a merge request
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A line, and the frames on it.
#[derive(Args, Debug)]
pub(crate) struct LineArgs {
    /// Rate of the slowest link, with its unit: 10Gbit/s
    #[arg(long)]
    pub(crate) rate: String,
    /// Largest IP datagram in bytes
    #[arg(long, default_value = "1500")]
    pub(crate) mtu: String,
    /// What its frames are: none ethernet pos atm; --rate is what is left for them
    #[arg(long, value_name = "NAME", default_value = "ethernet")]
    pub(crate) framing: String,
    /// TCP without timestamps: 12 bytes more of payload in a segment
    #[arg(long)]
    pub(crate) no_timestamps: bool,
    /// IPv6: 20 bytes less of payload in a segment
    #[arg(long)]
    pub(crate) ipv6: bool,
}

/// `farpath predict route`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 ok, 2 wrong arguments.\n\n\
    Examples:\n  \
    farpath predict route --from 46.23,6.05 --to 41.88,-87.63 --rtt 116ms\n  \
    farpath predict route --distance 10949km --rate 5.44Gbit/s --mark 59562")]
pub(crate) struct RouteArgs {
    /// Length of the route: 7067km
    #[arg(long, required_unless_present = "from", conflicts_with = "from")]
    pub(crate) distance: Option<String>,
    /// One end, latitude and longitude in degrees: 46.23,6.05; south and west are negative
    #[arg(
        long,
        value_name = "LAT,LON",
        requires = "to",
        allow_hyphen_values = true
    )]
    pub(crate) from: Option<String>,
    /// The other end; the distance is that of the great circle
    #[arg(
        long,
        value_name = "LAT,LON",
        requires = "from",
        allow_hyphen_values = true
    )]
    pub(crate) to: Option<String>,
    /// A measured round-trip time, for the fibre it leaves room for: 116ms
    #[arg(long)]
    pub(crate) rtt: Option<String>,
    /// Rate of a transfer, for its land-speed product: 5.44Gbit/s
    #[arg(long)]
    pub(crate) rate: Option<String>,
    /// The mark that was claimed for it, in terabit-metres a second: 59562
    #[arg(long, value_name = "NUMBER", requires = "rate")]
    pub(crate) mark: Option<f64>,
    /// How much was transferred: 1.1TB
    #[arg(long, value_name = "SIZE", requires_all = ["rate", "time"])]
    pub(crate) volume: Option<String>,
    /// In which time: 27min
    #[arg(long, value_name = "TIME", requires = "volume")]
    pub(crate) time: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath predict rfc6349`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 ok, 2 wrong arguments.\n\n\
    Example:\n  \
    farpath predict rfc6349 --rate 1Gbit/s --bytes 1GB --time 10s")]
pub(crate) struct Rfc6349Args {
    /// The line and what its frames are
    #[command(flatten)]
    pub(crate) line: LineArgs,
    /// Payload transferred: 1GB
    #[arg(long, value_name = "SIZE")]
    pub(crate) bytes: String,
    /// How long that took: 10s
    #[arg(long, value_name = "T")]
    pub(crate) time: String,
    /// Payload that was sent again: 5MB
    #[arg(long, value_name = "SIZE")]
    pub(crate) retransmitted: Option<String>,
    /// Round-trip time of the idle path: 25ms
    #[arg(long, requires = "loaded_rtt")]
    pub(crate) rtt: Option<String>,
    /// Mean round-trip time during the transfer: 32ms
    #[arg(long, value_name = "TIME", requires = "rtt")]
    pub(crate) loaded_rtt: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `farpath predict overhead`.
#[derive(Args, Debug)]
#[command(
    after_help = "A stack begins with a signal (gbe 10gbe stm64 oc12c ...) or a rate without a \
    slash (622Mbps), and goes on with its layers:\n  \
    eth  pos  atm  aal5-llc  aal5-vc  aal5-bridged  aal5-bridged-vc  vlan\n  \
    pppoe  mpls  mpls*2  ip  ip6  esp  tcp  tcp+ts  udp\n\
    An eth above mpls is a customer's frame in a tunnel, without preamble, FCS and gap.\n\n\
    Exit codes: 0 ok, 2 wrong arguments.\n\n\
    Examples:\n  \
    farpath predict overhead --mtu 9000 --stack stm64/pos/mpls/eth/vlan/ip/tcp\n  \
    farpath predict overhead --stack oc12c/atm/aal5-llc/ip/tcp --mtu 9180"
)]
pub(crate) struct OverheadArgs {
    /// Protocol layers from the line up, joined by `/`: stm64/pos/ip/tcp
    #[arg(long)]
    pub(crate) stack: String,
    /// Largest IP datagram in bytes
    #[arg(long, default_value = "1500")]
    pub(crate) mtu: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
