//! What the headers in a capture hold beyond the frames: addresses, ports, options.

use std::net::{IpAddr, Ipv4Addr};

use farpath_predict::Framing;
use farpath_scenario::plan::{Plan, PortPlan, address};
use farpath_scenario::{Ccc, NodeId, Protocol, Scenario};
use farpath_units::Duration;
use farpath_wire::encode::{Addresses, FlowInfo, Link};
use farpath_wire::ethernet::{Mac, Vlan};
use farpath_wire::{Flags, FlowDir, Frame, Kind};

/// The headers of a run.
pub(super) struct Headers {
    /// By flow number.
    pub(super) flows: Vec<Flow>,
    /// By port number.
    pub(super) links: Vec<Link>,
    /// The largest datagram a port's link carries, by port number.
    mtus: Vec<u32>,
}

/// The headers of one flow.
pub(super) struct Flow {
    pub(super) info: FlowInfo,
    /// What each end is ready to receive unless a frame says otherwise, in bytes.
    windows: [u64; 2],
    /// What a receiver offers first whose window follows what arrives.
    first: Option<u64>,
    /// 4 or 6.
    pub(super) version: u8,
    /// Length of the flow's full forward datagrams.
    len: u16,
    /// By port that data takes: see [`Timestamps::stamp`](farpath_wire::Timestamps::stamp).
    turns: Vec<(usize, Duration)>,
}

/// The window of an end that receives no data.
const IDLE_WINDOW: u64 = 65_535;

impl Headers {
    pub(super) fn new(scenario: &Scenario, plan: &Plan) -> Headers {
        let link = |port: &PortPlan| {
            let model = &scenario.links[port.link.0];
            match model.framing {
                Framing::Pos => Link::Ppp,
                _ => Link::Ethernet {
                    source: mac(port.from),
                    destination: mac(port.to),
                    vlan: model.vlan.map(Vlan::new),
                },
            }
        };
        Headers {
            flows: (0..plan.flows.len())
                .map(|n| Flow::new(scenario, plan, n))
                .collect(),
            links: plan.ports.iter().map(link).collect(),
            mtus: plan
                .ports
                .iter()
                .map(|p| {
                    scenario.links[p.link.0]
                        .direction_from(p.from)
                        .mtu
                        .min(65_535)
                })
                .collect(),
        }
    }

    /// The MTU of the link on which `node` would have sent a frame of `flow`; 0 if there is none.
    pub(super) fn next_mtu(&self, plan: &Plan, node: NodeId, flow: FlowDir) -> u32 {
        let Some(node) = plan.nodes.get(node.0) else {
            return 0;
        };
        let output = node.routes.get(flow.index()).copied().flatten();
        let port = output.and_then(|n| node.ports.get(usize::from(n)));
        port.map_or(0, |port| self.mtus[*port])
    }
}

impl Flow {
    fn new(scenario: &Scenario, plan: &Plan, number: usize) -> Flow {
        let flow = &plan.flows[number];
        let test = &scenario.tests[flow.test];
        let ends = [flow.source, flow.sink];
        let addresses = match ends.map(|n| address(n, test.ip)) {
            [IpAddr::V6(a), IpAddr::V6(b)] => Addresses::V6([a, b]),
            both => Addresses::V4(both.map(|a| match a {
                IpAddr::V4(a) => a,
                IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
            })),
        };
        let header = u32::from(flow.header_bytes);
        let mut info = FlowInfo {
            addresses,
            ports: Plan::flow_ports(number),
            identifier: Plan::echo_identifier(number),
            kind: match test.kind.protocol() {
                Protocol::Icmp => Kind::EchoRequest,
                Protocol::Udp => Kind::Udp,
                Protocol::Tcp => Kind::Data,
            },
            mss: 0,
            timestamps: false,
            sack: false,
            window_scale: [None, None],
            isn: [number as u32 * 64_000, number as u32 * 64_000 + 32_000],
            customer: ends.map(mac),
            customer_vlan: carried_vlan(scenario, plan, number),
        };
        let mut windows = [IDLE_WINDOW; 2];
        let mut first = None;
        let mut len = test.kind.datagram_bytes(header).unwrap_or_default();
        if let Some(tcp) = test.kind.tcp() {
            let config = plan.tcp_config(scenario, number, tcp);
            let bare = if test.ip == 6 { 60 } else { 40 };
            len = config.mss + header;
            // RFC 9293 §3.7.1: the MSS of a SYN does not count options.
            info.mss = len.saturating_sub(bare) as u16;
            (info.timestamps, info.sack) = (config.timestamps, config.sack);
            windows[1] = config.first_offer();
            first = config.autotuning.map(|_| windows[1]);
            let [sends, receives] = config.window_scaling;
            info.window_scale = [
                sends.then_some(0),
                receives.then_some(scale(config.receive_window)),
            ];
        }
        Flow {
            info,
            windows,
            first,
            version: test.ip,
            len: len.min(65_535) as u16,
            turns: turns(scenario, plan, number),
        }
    }

    /// The window that a frame offers: its own, or the one said last.
    pub(super) fn window(&mut self, frame: &Frame, own: Option<u64>) -> u64 {
        let way = usize::from(frame.flow.is_reverse());
        if let Some(first) = self.first.filter(|_| way == 1) {
            let said = own.or(matches!(frame.kind, Kind::Syn | Kind::SynAck).then_some(first));
            self.windows[way] = said.unwrap_or(self.windows[way]);
        }
        own.unwrap_or(self.windows[way])
    }

    /// From the other direction of a port's link to the sender and back to the port, for what is shortest; none where the way
    /// back takes another link.
    pub(super) fn turn(&self, port: usize) -> Option<Duration> {
        let found = self.turns.iter().find(|turn| turn.0 == port);
        found.map(|turn| turn.1)
    }

    /// The frame that `error` is about, as it died: of the flow's full length, and at the end of its
    /// TTL where that was why.
    pub(super) fn died(&self, error: &Frame) -> Frame {
        let mut died = Frame::new(self.info.kind, error.flow.turned(), error.seq, self.len);
        if error.kind == Kind::TimeExceeded {
            died.ttl = 1;
        }
        if self.info.kind == Kind::Data || error.kind == Kind::FragmentationNeeded {
            died.set_flags(Flags::DONT_FRAGMENT);
        }
        died
    }
}

fn turns(scenario: &Scenario, plan: &Plan, number: usize) -> Vec<(usize, Duration)> {
    let there = FlowDir::forward(number as u16);
    let (forth, back) = (
        plan.walk(scenario, there),
        plan.walk(scenario, there.turned()),
    );
    let mut turns: Vec<(usize, Duration)> = Vec::new();
    for (n, hop) in forth.iter().enumerate() {
        if turns.iter().any(|turn| turn.0 == hop.port) {
            continue;
        }
        // A tap sees a frame at the end of its transmission.
        if let Some(m) = back.iter().position(|h| h.port == hop.port ^ 1) {
            let way =
                plan.propagation(scenario, &back[m..]) + plan.propagation(scenario, &forth[..n]);
            turns.push((hop.port, way));
        }
    }
    turns
}

fn mac(node: NodeId) -> Mac {
    Mac::documentation(node.0 as u8)
}

/// The shift that lets 16 bits announce `window` (RFC 7323 §2.2).
fn scale(window: u64) -> u8 {
    (0..14)
        .find(|shift| window >> shift <= u64::from(u16::MAX))
        .unwrap_or(14)
}

/// The VLAN that the circuit at a flow's source carries.
fn carried_vlan(scenario: &Scenario, plan: &Plan, number: usize) -> Vlan {
    let walk = plan.walk(scenario, FlowDir::forward(number as u16));
    let access = walk.first().map(|hop| plan.ports[hop.port].link);
    let tag = scenario.cccs.iter().find_map(|c| match c {
        Ccc::RemoteInterface {
            interface, vlan, ..
        } if Some(*interface) == access => *vlan,
        _ => None,
    });
    Vlan::new(tag.unwrap_or(1))
}
