//! PLACEHOLDER
use farpath_scenario::plan::{Plan, address};
use farpath_scenario::{NodeId, Scenario};
use farpath_units::{Rate, Size};
use crate::spec::*;
pub fn specs(scenario: &Scenario, plan: &Plan) -> Vec<HostSpec> {
    (0..scenario.hosts.len()).map(|node| {
        let interfaces = plan.nodes[node].ports.iter().enumerate().map(|(n, port)| {
            let p = &plan.ports[*port];
            let mtu = scenario.datagram_limit(NodeId(node), p.link);
            let mine = |v| address(NodeId(node), v);
            let mut routes = Vec::new();
            if n == 0 {
                for other in 0..scenario.node_count() { if other != node { for v in [4, 6] {
                    routes.push(Route { to: address(NodeId(other), v), from: mine(v) });
                } } }
            }
            InterfaceSpec {
                name: format!("eth{n}"), mac: [2, 0, 0, 0, node as u8 + 1, n as u8], mtu: mtu.min(LARGEST_MTU),
                addresses: vec![mine(4), mine(6)], routes, ring_packets: 20_000,
                shaping: (p.rate.as_bps() < 30_000_000_000).then(|| {
                    let rate = (p.rate.as_bps() as f64 * f64::from(mtu + 14) / f64::from(mtu + 38)) as u64;
                    Shaping { rate: Rate::from_bps(rate).unwrap(), burst: Size::from_bytes((rate / 8 / 2000).max(140_000)),
                    limit: Size::from_bytes(scenario.hosts[node].txqueuelen * u64::from(mtu + 14)) }
                }),
            }
        }).collect();
        HostSpec { name: scenario.hosts[node].name.clone(), interfaces, settings: vec![
            ("net.ipv4.tcp_rmem".into(), "4096 131072 2000000000".into()), ("net.ipv4.tcp_wmem".into(), "4096 131072 2000000000".into()),
            ("net.ipv4.tcp_no_metrics_save".into(), "1".into())],
            names: (0..scenario.node_count()).flat_map(|n| [4, 6].map(|v| (address(NodeId(n), v), scenario.node_name(NodeId(n)).to_owned()))).collect(),
            device: DeviceChoice::Available }
    }).collect()
}
