//! What a script's options and shell lines set.

use farpath_tcp::Algorithm;
use farpath_units::{Duration, Rate};

use crate::tunnel::Tunnel;

/// The family of stacks whose manners a script expects where the RFCs leave a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manners {
    /// Linux.
    #[default]
    Linux,
    /// FreeBSD; chosen by settings of `net.inet`.
    FreeBsd,
}

/// Everything that can be set about the endpoint and the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whose choices.
    pub manners: Manners,
    /// RFC 7323 timestamps.
    pub timestamps: bool,
    /// RFC 7323 window scaling.
    pub window_scaling: bool,
    /// RFC 2018.
    pub sack: bool,
    /// Losses by time (RFC 8985).
    pub rack: bool,
    /// Tail loss probes (RFC 8985 §7).
    pub tail_probe: bool,
    /// F-RTO (RFC 5682).
    pub frto: bool,
    /// Acknowledgements of what is out of order that may wait for one (`tcp_comp_sack_nr`; a kernel has 44).
    pub compressed_sacks: u32,
    /// Duplicates are reported (RFC 2883).
    pub dsack: bool,
    /// Linux's `tcp_ecn`: 0 never, 1 asks and agrees, 2 agrees.
    pub ecn: u8,
    /// Bytes the receive window opens with.
    pub receive_space: u32,
    /// They were asked for, by SO_RCVBUF: the window does not grow, and its scale is for them.
    pub receive_space_asked: bool,
    /// Bytes it may grow to: decides the window scale.
    pub receive_space_max: u64,
    /// Congestion control.
    pub algorithm: Algorithm,
    /// Initial window in segments.
    pub initial_window: u32,
    /// MTU of the interface in bytes.
    pub mtu: u16,
    /// IP header bytes.
    pub ip_header: u16,
    /// Largest segment announced, where a route sets it.
    pub advertised_mss: Option<u16>,
    /// TCP_MAXSEG: no segment is larger, nor announced larger.
    pub user_mss: Option<u16>,
    /// Floor of the RTO's variation term.
    pub rto_min: Duration,
    /// The delayed-ACK timer.
    pub delayed_ack: Duration,
    /// cwnd falls back to the initial window after an idle RTO (RFC 5681 §4.1).
    pub slow_start_after_idle: bool,
    /// Segments leave at a pace: the interface's queue is `fq`.
    pub paces: bool,
    /// And no faster than the application asks (SO_MAX_PACING_RATE); with such a rate they do without `fq`.
    pub pacing_rate: Option<Rate>,
    /// Bursts of a sender that paces are longer on a short path (`tcp_tso_rtt_log` is not 0).
    pub longer_bursts: bool,
    /// SYNs sent again with a timeout that doubles (`tcp_syn_retries`).
    pub syn_retries: u32,
    /// SYNs sent again before those, each after the first timeout (`tcp_syn_linear_timeouts`). A SYN-ACK's timeout doubles at once.
    pub syn_linear: u32,
    /// SYN-ACKs sent again at most (`tcp_synack_retries`).
    pub syn_ack_retries: u32,
    /// A RST anywhere in the window resets, as before RFC 5961.
    pub insecure_reset: bool,
    /// A SYN in the window resets, as before RFC 5961.
    pub insecure_syn: bool,
    /// SYNs with FIN are dropped.
    pub drop_syn_fin: bool,
    /// Segments in datagrams to this UDP port are taken out of them (`net.inet.tcp.udp_tunneling_port`).
    pub udp_port: Option<u16>,
    /// Bytes that a datagram around a segment takes of it.
    pub udp_overhead: u16,
    /// The other side's UDP port, where segments travel in datagrams.
    pub udp_remote: Option<u16>,
    /// Segments to closed ports are not answered.
    pub blackhole: bool,
    /// What times may differ by.
    pub tolerance: Duration,
    /// Length of a timestamp tick where timestamps are to be checked.
    pub timestamp_tick: Option<Duration>,
    /// Segments must be cut as the script has them.
    pub strict_segments: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            manners: Manners::Linux,
            timestamps: true,
            window_scaling: true,
            sack: true,
            rack: true,
            tail_probe: true,
            frto: true,
            compressed_sacks: 0,
            dsack: true,
            ecn: 2,
            receive_space: 65_535,
            receive_space_asked: false,
            receive_space_max: 6 << 20,
            algorithm: Algorithm::Cubic,
            initial_window: 10,
            mtu: 1500,
            ip_header: 20,
            advertised_mss: None,
            user_mss: None,
            rto_min: Duration::from_ms(200),
            delayed_ack: Duration::from_ms(40),
            slow_start_after_idle: true,
            paces: false,
            pacing_rate: None,
            longer_bursts: true,
            syn_retries: 6,
            syn_linear: 4,
            syn_ack_retries: 5,
            insecure_reset: false,
            insecure_syn: false,
            drop_syn_fin: true,
            udp_port: None,
            udp_overhead: 8,
            udp_remote: None,
            blackhole: false,
            tolerance: Duration::from_us(4000),
            timestamp_tick: None,
            strict_segments: false,
        }
    }
}

/// TCP header bytes without options.
const TCP_HEADER: u16 = 20;
/// Largest window scale (RFC 7323 §2.3).
const LARGEST_SCALE: u8 = 14;

impl Settings {
    /// The MSS announced: what the MTU leaves, or what a route says.
    pub(crate) fn mss(&self) -> u16 {
        self.advertised_mss
            .unwrap_or(self.room())
            .min(self.user_mss.unwrap_or(u16::MAX))
            .max(1)
    }

    /// What the MTU leaves for payload and options.
    pub(crate) fn room(&self) -> u16 {
        let datagram = self.udp_remote.map_or(0, |_| self.udp_overhead);
        let headers = self.ip_header + TCP_HEADER;
        self.mtu.saturating_sub(headers.saturating_add(datagram))
    }

    /// The ports around what a connection sends.
    pub(crate) fn tunnel(&self) -> Option<Tunnel> {
        let (from, to) = (self.udp_port?, self.udp_remote?);
        Some(Tunnel { from, to })
    }

    /// The smallest scale with which 16 bits can say the largest window.
    pub(crate) fn window_scale(&self) -> Option<u8> {
        let most = match self.receive_space_asked {
            true => u64::from(self.receive_space),
            false => self.receive_space_max,
        };
        let mut scale = 0;
        while scale < LARGEST_SCALE && most >> scale > 65_535 {
            scale += 1;
        }
        self.window_scaling.then_some(scale)
    }

    /// One `--name=value` of a script.
    ///
    /// # Errors
    /// What the script needs and cannot have.
    pub fn option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("--{name}={value}: not a number"))
        };
        match name {
            "tolerance_usecs" => self.tolerance = Duration::from_us(number()?.min(60_000_000)),
            "tcp_ts_tick_usecs" => {
                let tick = number()?.min(1_000_000);
                self.timestamp_tick = (tick > 0).then_some(Duration::from_us(tick));
            }
            "mtu" => self.mtu = u16::try_from(number()?).unwrap_or(u16::MAX),
            "ip_version" => match value {
                "ipv4" | "ipv4_mapped_ipv6" => self.ip_header = 20,
                "ipv6" => self.ip_header = 40,
                _ => return Err(format!("--ip_version={value}")),
            },
            // Which of the two follows from each segment.
            "udp_encapsulation" if value == "tcp" => {}
            "strict_segments" => self.strict_segments = true,
            // The size of an arriving super-segment's parts, and whether its memory is given back before the run ends.
            "mss" | "send_omit_free" => {}
            // Where a packet would go on a real host, and how noisy its tool is.
            "local_ip" | "remote_ip" | "gateway_ip" | "netmask_ip" | "bind_port"
            | "connect_port" | "speed" | "init_scripts" | "verbose" | "non_fatal" | "dry_run"
            | "wire_client" | "wire_server" => {}
            _ => return Err(format!("the option --{name}")),
        }
        Ok(())
    }
}
