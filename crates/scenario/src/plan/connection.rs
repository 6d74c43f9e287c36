//! What a scenario's hosts make of a TCP test: segment size and windows.

use farpath_tcp::{
    ByteCounting, Config, Flavour, LARGEST_WINDOW, MtuProbing, Profile, Reading, SlowStart,
    UNSCALED_WINDOW,
};
use farpath_units::Size;
use farpath_wire::FlowDir;

use crate::model::{Host, NodeId, Scenario, Tcp};
use crate::plan::Plan;

/// The sysctls a node without any of its own has: a router's, or a current Linux's.
fn limits(scenario: &Scenario, node: NodeId) -> Option<&Host> {
    scenario.hosts.get(node.0)
}

impl Plan {
    /// Payload bytes of a full segment of a flow: the smaller datagram limit of its ends, less headers, or what a router on
    /// the way makes of the sizes they offer.
    pub fn mss(&self, scenario: &Scenario, flow: usize) -> u32 {
        let f = &self.flows[flow];
        let ends = self.datagram_of_ends(scenario, flow);
        // What lowers an offer over IPv4 leaves IPv6 alone.
        let test = &scenario.tests[f.test];
        let headers = test.version().fixed_headers();
        let lowered = self.most_offered(scenario, flow, test.ip);
        let lowered = lowered.map(|mss| mss.saturating_add(headers));
        let datagram = lowered.unwrap_or(u32::MAX).min(ends);
        datagram.saturating_sub(u32::from(f.header_bytes)).max(1)
    }

    /// The largest datagram that both ends of a flow send, by their first links, bytes.
    pub fn datagram_of_ends(&self, scenario: &Scenario, flow: usize) -> u32 {
        let f = &self.flows[flow];
        let dir = FlowDir::forward(flow as u16);
        let limit = |dir: FlowDir, node: NodeId| {
            let walk = self.walk(scenario, dir);
            walk.first().map_or(u32::MAX, |hop| {
                scenario.datagram_limit(node, self.ports[hop.port].link)
            })
        };
        limit(dir, f.source).min(limit(dir.turned(), f.sink))
    }

    /// The largest segment that the routers on a flow's way, there and back, let SYNs over version `ip` of IP (4 or 6) offer,
    /// bytes; none where they leave them alone.
    pub fn most_offered(&self, scenario: &Scenario, flow: usize, ip: u8) -> Option<u32> {
        let dir = FlowDir::forward(flow as u16);
        let ways = [dir, dir.turned()].map(|dir| self.walk(scenario, dir));
        let links = ways.iter().flatten().map(|hop| self.ports[hop.port].link);
        let version = usize::from(ip == 6);
        links
            .filter_map(|l| scenario.links[l.0].segments[version])
            .min()
    }

    /// Both ends' parameters of one connection.
    pub fn tcp_config(&self, scenario: &Scenario, flow: usize, tcp: &Tcp) -> Config {
        let f = &self.flows[flow];
        let ends @ [sender, receiver] = [f.source, f.sink].map(|node| limits(scenario, node));
        let [sends, receives] = ends.map(|h| h.map_or(Profile::Linux6, |h| h.profile));
        let max = |size: Option<Size>| size.unwrap_or(DEFAULT_MAX).as_bytes();
        let mss = self.mss(scenario, flow);
        let is_bulk = scenario.tests[f.test].kind.bulk().is_some();
        let largest_window = largest_window(tcp, mss).filter(|_| is_bulk);
        let mut autotuning = None;
        let (receive_window, send_buffer) = match (tcp.window, tcp.socket_buffer) {
            (Some(window), _) => (largest_window.unwrap_or(window.as_bytes()), u64::MAX),
            (None, Some(request)) => (
                receives.receive_window(request.as_bytes(), max(receiver.map(|h| h.rmem_max))),
                sends.send_buffer(request.as_bytes(), max(sender.map(|h| h.wmem_max))),
            ),
            (None, None) => {
                let rmem = receiver.map_or(DEFAULT_RMEM, |h| h.tcp_rmem);
                let wmem = sender.map_or(DEFAULT_WMEM, |h| h.tcp_wmem);
                // The kernels of 2004 grew the sending buffer by themselves, the receiving one not
                // yet; a buffer that grew was not doubled first, hence the halves.
                let grown = match receives {
                    Profile::Bsd1999 | Profile::Linux2004 => rmem[1],
                    Profile::Linux5 | Profile::Linux6 => rmem[2],
                };
                // By the kernel's rules it grows with what arrives, and who asks for the RFC's way has all of it at once.
                let grows = tcp.cc.flavour == Flavour::Linux && rmem[1] < rmem[2];
                autotuning = receives.autotuning(rmem[1].as_bytes()).filter(|_| grows);
                (
                    receives.grown_window(grown.as_bytes()),
                    match sends {
                        Profile::Bsd1999 => wmem[1].as_bytes(),
                        _ => sends.send_buffer(wmem[2].as_bytes() / 2, u64::MAX),
                    },
                )
            }
        };
        let window_scaling = ends.map(|h| h.is_none_or(|h| h.window_scaling));
        let exchange = scenario.tests[f.test].kind.exchange(0);
        Config {
            receive_window: receive_window.min(most_said(window_scaling)),
            send_buffer,
            initial_window: tcp.initial_window,
            sack: tcp.sack,
            timestamps: tcp.timestamps,
            window_scaling,
            delayed_ack: tcp.delayed_ack,
            algorithm: tcp.cc.algorithm,
            flavour: tcp.cc.flavour,
            slow_start: tcp.cc.slow_start,
            remembered_window: tcp.cc.remembered_window,
            largest_window,
            idle_restart: tcp.cc.idle_restart,
            pacing: tcp.cc.pacing,
            initial_ssthresh: tcp.initial_ssthresh,
            amount: exchange.map_or(tcp.bytes.map(Size::as_bytes), |_| Some(0)),
            rto_min: tcp.rto_min,
            mss,
            byte_counting: sends.byte_counting(),
            recovery: tcp.recovery,
            rto: tcp.rto,
            retries: sends.retries(),
            mtu_probing: sender.map_or(MtuProbing::Off, |h| h.mtu_probing),
            quick_acks: tcp.quick_acks,
            gro: tcp.gro,
            tso: if tcp.tso { LARGEST_SUPER_FRAME } else { 0 },
            autotuning,
            compressed_sacks: tcp.compressed_sacks,
            reading: Reading::AtOnce,
        }
    }
}

/// The largest window that can be said between two ends, whether each scales or not.
fn most_said(window_scaling: [bool; 2]) -> u64 {
    match window_scaling {
        [true, true] => LARGEST_WINDOW,
        _ => UNSCALED_WINDOW,
    }
}

/// What bounds cwnd in bytes.
///
/// Deviation from RFC 5681 §3.1: by the kernel's rules cwnd grows past a window that bounds what is in flight.
/// A test's `window` bounds both, as a lab does with a route's locked `cwnd`; that counts whole segments.
fn largest_window(tcp: &Tcp, mss: u32) -> Option<u64> {
    let window = tcp
        .window
        .filter(|_| tcp.cc.flavour == Flavour::Linux)?
        .as_bytes();
    let segments = window / u64::from(mss);
    Some(if segments == 0 {
        window
    } else {
        segments * u64::from(mss)
    })
}

/// From where on slow start is limited, in segments (RFC 3742), if it is.
pub(crate) fn max_ssthresh(config: &Config) -> Option<f64> {
    match config.slow_start {
        SlowStart::Limited { max_ssthresh } => Some(f64::from(max_ssthresh)),
        _ => None,
    }
}

/// Segments for each step of slow start's growth: with byte counting every acknowledged segment
/// counts, without it every acknowledgement (RFC 3465 §2).
pub fn segments_per_growth(config: &Config) -> f64 {
    let every = f64::from(config.delayed_ack.every.max(1));
    match config.byte_counting {
        ByteCounting::Off => every,
        ByteCounting::Limit(limit) => (every / f64::from(limit.max(1))).max(1.0),
        ByteCounting::Full => 1.0,
    }
}

/// Bytes of the largest burst that is handed to a card as one segment (`gso_max_size` of Linux's interfaces).
const LARGEST_SUPER_FRAME: u64 = 65_536;
/// `net.core.rmem_max` of a current Linux.
const DEFAULT_MAX: Size = Size::from_bytes(212_992);
/// `net.ipv4.tcp_rmem` of a current Linux (6.18).
const DEFAULT_RMEM: [Size; 3] = [
    Size::from_bytes(4096),
    Size::from_bytes(131_072),
    Size::from_bytes(33_554_432),
];
/// `net.ipv4.tcp_wmem` of a current Linux.
const DEFAULT_WMEM: [Size; 3] = [
    Size::from_bytes(4096),
    Size::from_bytes(16_384),
    Size::from_bytes(4_194_304),
];
