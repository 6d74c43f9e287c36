//! What a scenario's hosts make of a TCP test: segment size and windows.

use farpath_tcp::{ByteCounting, Config, LARGEST_WINDOW, MtuProbing, Profile, Reading};
use farpath_units::Size;
use farpath_wire::FlowDir;

use crate::model::{Host, NodeId, Scenario, Tcp};
use crate::plan::Plan;

/// The sysctls a node without any of its own has: a router's, or a current Linux's.
fn limits(scenario: &Scenario, node: NodeId) -> Option<&Host> {
    scenario.hosts.get(node.0)
}

impl Plan {
    /// Payload bytes of a full segment of a flow: the smaller datagram limit of its ends, less headers.
    pub fn mss(&self, scenario: &Scenario, flow: usize) -> u32 {
        let f = &self.flows[flow];
        let dir = FlowDir::forward(flow as u16);
        let limit = |dir: FlowDir, node: NodeId| {
            let walk = self.walk(scenario, dir);
            walk.first().map_or(u32::MAX, |hop| {
                scenario.datagram_limit(node, self.ports[hop.port].link)
            })
        };
        let datagram = limit(dir, f.source).min(limit(dir.turned(), f.sink));
        datagram.saturating_sub(u32::from(f.header_bytes)).max(1)
    }

    /// Both ends' parameters of one connection.
    pub fn tcp_config(&self, scenario: &Scenario, flow: usize, tcp: &Tcp) -> Config {
        let f = &self.flows[flow];
        let (sender, receiver) = (limits(scenario, f.source), limits(scenario, f.sink));
        let profile = |host: Option<&Host>| host.map_or(Profile::Linux6, |h| h.profile);
        let (sends, receives) = (profile(sender), profile(receiver));
        let max = |size: Option<Size>| size.unwrap_or(DEFAULT_MAX).as_bytes();
        let (receive_window, send_buffer) = match (tcp.window, tcp.socket_buffer) {
            (Some(window), _) => (window.as_bytes(), u64::MAX),
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
                    // A BSD neither grew nor doubled it.
                    Profile::Bsd1999 => Size::from_bytes(2 * rmem[1].as_bytes()),
                    Profile::Linux2004 => rmem[1],
                    Profile::Linux6 => rmem[2],
                };
                (
                    receives.receive_window(grown.as_bytes() / 2, u64::MAX),
                    match sends {
                        Profile::Bsd1999 => wmem[1].as_bytes(),
                        _ => sends.send_buffer(wmem[2].as_bytes() / 2, u64::MAX),
                    },
                )
            }
        };
        Config {
            receive_window: receive_window.min(LARGEST_WINDOW),
            send_buffer,
            initial_window: tcp.initial_window,
            sack: tcp.sack,
            timestamps: tcp.timestamps,
            delayed_ack: tcp.delayed_ack,
            algorithm: tcp.cc.algorithm,
            flavour: tcp.cc.flavour,
            slow_start: tcp.cc.slow_start,
            remembered_window: tcp.cc.remembered_window,
            idle_restart: tcp.cc.idle_restart,
            pacing: tcp.cc.pacing,
            initial_ssthresh: tcp.initial_ssthresh,
            amount: match scenario.tests[f.test].kind.exchange(0) {
                Some(_) => Some(0),
                None => tcp.bytes.map(Size::as_bytes),
            },
            rto_min: tcp.rto_min,
            mss: self.mss(scenario, flow),
            byte_counting: sends.byte_counting(),
            recovery: tcp.recovery,
            rto: tcp.rto,
            mtu_probing: sender.map_or(MtuProbing::Off, |h| h.mtu_probing),
            quick_acks: tcp.quick_acks,
            reading: Reading::AtOnce,
        }
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

/// `net.core.rmem_max` of a current Linux.
const DEFAULT_MAX: Size = Size::from_bytes(212_992);
/// `net.ipv4.tcp_rmem` of a current Linux.
const DEFAULT_RMEM: [Size; 3] = [
    Size::from_bytes(4096),
    Size::from_bytes(131_072),
    Size::from_bytes(6_291_456),
];
/// `net.ipv4.tcp_wmem` of a current Linux.
const DEFAULT_WMEM: [Size; 3] = [
    Size::from_bytes(4096),
    Size::from_bytes(16_384),
    Size::from_bytes(4_194_304),
];
