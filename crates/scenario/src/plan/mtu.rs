//! Where a path carries less than its ends believe, and what its routers say of that.

use farpath_element::RouteAction;
use farpath_predict::IpVersion;
use farpath_tcp::MtuProbing;
use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::{LinkId, NodeId, Scenario, Test};
use crate::plan::{Output, Plan};

/// A place on a flow's way that a datagram is too large for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MtuStep {
    /// The port it came over, or could not enter.
    pub port: usize,
    /// The node that cannot send it on.
    pub node: NodeId,
    /// The link that does not carry it.
    pub link: LinkId,
    /// The largest datagram that goes on, in bytes.
    pub mtu: u32,
    /// It is reported to the source (RFC 1191 §4): the node answers, and it is not a label switch that finds the datagram too
    /// large.
    pub answers: bool,
    /// The source searches for the path's MTU by itself (RFC 4821).
    pub probes: bool,
    /// The version of IP of the datagrams.
    pub version: IpVersion,
}

impl MtuStep {
    /// In words, for datagrams of `len` bytes: which link, who says so, and what helps.
    pub fn describe(&self, scenario: &Scenario, len: u32) -> String {
        let (link, node) = (
            &scenario.links[self.link.0].name,
            scenario.node_name(self.node),
        );
        let MtuStep { mtu, answers, .. } = *self;
        if answers {
            format!(
                "link `{link}` lets through {mtu} of {len} bytes: `{node}` tells the sender, whose segments shrink; for none to be lost, set the hosts' mtu to {mtu}"
            )
        } else if self.probes {
            format!(
                "link `{link}` lets through {mtu} of {len} bytes and `{node}` does not tell the sender: full segments vanish until its search finds that; set the hosts' mtu to {mtu}, or let `{node}` answer"
            )
        } else {
            let key = match self.version {
                IpVersion::V4 => "adjust_mss",
                IpVersion::V6 => "adjust_mss_ipv6",
            };
            format!(
                "link `{link}` lets through {mtu} of {len} bytes and `{node}` does not tell the sender: full segments vanish; set the hosts' mtu to {mtu}, \
                 let `{node}` answer, lower what SYNs offer (link `{link}`, {key} = {}), or set the sender's mtu_probing = 1",
                mtu.saturating_sub(self.version.fixed_headers())
            )
        }
    }

    /// The same of datagrams that are sent again as they are, or never: those of pings and streams of UDP.
    pub fn describe_lost(&self, scenario: &Scenario, len: u32) -> String {
        let link = &scenario.links[self.link.0].name;
        let mtu = self.mtu;
        format!(
            "link `{link}` lets through {mtu} of {len} bytes: none of these datagrams gets through, as all have DF set and stay whole"
        )
    }

    /// What becomes of them where a Linux host sends as it does by default: a `ping` without `-M`, a socket without `IP_MTU_DISCOVER`.
    pub(crate) fn by_default(&self, scenario: &Scenario) -> String {
        let node = scenario.node_name(self.node);
        match self.answers {
            true => format!(
                "By default a Linux sender loses the first ones alone, for `{node}` tells it, and fragments the others"
            ),
            false => {
                format!("So it is with a Linux sender by default, for `{node}` does not tell it")
            }
        }
    }
}

impl Plan {
    /// The length of a flow's largest datagrams.
    pub fn largest_datagram(&self, scenario: &Scenario, flow: usize) -> u32 {
        let header = u32::from(self.flows[flow].header_bytes);
        let kind = &scenario.tests[self.flows[flow].test].kind;
        let own = kind.datagram_bytes(header);
        own.unwrap_or_else(|| self.mss(scenario, flow) + header)
    }

    /// Where a flow's largest datagrams are too large for its way, and their length.
    pub fn steps_of(&self, scenario: &Scenario, flow: usize) -> (u32, Vec<MtuStep>) {
        let len = self.largest_datagram(scenario, flow);
        let dir = FlowDir::forward(flow as u16);
        (len, self.mtu_steps(scenario, dir, len))
    }

    /// What is to be said of a flow over TCP whose full segments vanish on the way, and nobody tells.
    pub fn hole_note(&self, scenario: &Scenario, flow: usize) -> Option<String> {
        let test = &scenario.tests[self.flows[flow].test];
        test.kind.tcp()?;
        let (len, steps) = self.steps_of(scenario, flow);
        let silent = steps.iter().find(|step| !step.answers)?;
        Some(silent.describe(scenario, len))
    }

    /// Every place that datagrams of `len` bytes without permission to fragment are too large for, as their source
    /// would find them, one behind the other: each is looked for with what the one before lets through.
    pub fn mtu_steps(&self, scenario: &Scenario, dir: FlowDir, len: u32) -> Vec<MtuStep> {
        let mut steps: Vec<MtuStep> = Vec::new();
        let mut len = len;
        while let Some(step) = self.mtu_step(scenario, dir, len) {
            len = step.mtu;
            steps.push(step);
        }
        steps
    }

    /// The first of them; its MTU is less than `len`.
    fn mtu_step(&self, scenario: &Scenario, dir: FlowDir, len: u32) -> Option<MtuStep> {
        let flow = &self.flows[usize::from(dir.flow())];
        let (from, to) = flow.ends(dir);
        let sender = scenario.hosts.get(from.0);
        let probes = sender.is_some_and(|h| h.mtu_probing != MtuProbing::Off);
        let test = scenario.tests.get(flow.test);
        let version = test.map_or(IpVersion::V4, Test::version);
        let frame = Frame::new(Kind::Data, dir, 0, u16::try_from(len).unwrap_or(u16::MAX));
        let mut last = None;
        let mut swallowed = None;
        let end = self.follow(from, frame, |port, frame| {
            let link = self.ports[port].link;
            let carries = scenario.links[link.0]
                .direction_from(self.ports[port].from)
                .mtu;
            let over = frame.link_payload().saturating_sub(carries);
            if over > 0 && swallowed.is_none() {
                swallowed = Some((port, len.saturating_sub(over)));
            }
            last = Some(port);
        });
        if let Some((port, mtu)) = swallowed {
            return Some(MtuStep {
                port,
                node: self.ports[port].from,
                link: self.ports[port].link,
                mtu,
                answers: false,
                probes,
                version,
            });
        }
        let port = last.filter(|_| end.is_some_and(|end| end != to))?;
        let (next, mtu) = self.onward(port, dir)?;
        let node = self.ports[port].to;
        (mtu < len).then(|| MtuStep {
            port,
            node,
            link: self.ports[next].link,
            mtu,
            answers: scenario.answers(node),
            probes,
            version,
        })
    }

    /// The port that the node behind `port` sends a datagram of `dir` on to, and the largest that it does.
    fn onward(&self, port: usize, dir: FlowDir) -> Option<(usize, u32)> {
        let forwarding = &self.ports[port].forwarding;
        let (output, mtu) = match *forwarding.routes.get(dir.index())? {
            RouteAction::Forward { output, mtu } | RouteAction::Push { output, mtu, .. } => {
                (output, mtu)
            }
            RouteAction::Spread { spread, mtu } => {
                (forwarding.spreads[usize::from(spread)].usual(dir), mtu)
            }
            RouteAction::None | RouteAction::Deliver => return None,
        };
        match self.ports[port].outputs[usize::from(output)] {
            Output::Port(next) => Some((next, mtu.into())),
            Output::Node(_) => None,
        }
    }
}
