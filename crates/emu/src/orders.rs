//! How a new host configures itself: lines for `ip` and `tc`, files, settings.
//!
//! Interfaces are configured by iproute2: one `ip -batch` for everything costs five milliseconds and
//! a page of code less than netlink by hand, and its errors are those people know.

use std::fmt::Write as _;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::bound::Bound;
use crate::layout::mark;
use crate::spec::{DeviceChoice, HostSpec, InterfaceSpec, Route, SMALLEST_IPV6_MTU, Shaping};
use crate::tap::Device;

/// The first and only message to a host's init.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) name: String,
    pub(crate) etc_hosts: String,
    /// Keys with dots, in the order they are written.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) interfaces: Vec<String>,
    pub(crate) device: DeviceChoice,
    /// Lines for `ip -batch`.
    pub(crate) links: Vec<String>,
    /// Lines for `ip -4 -batch` and `ip -6 -batch`: which packets go by another table.
    pub(crate) rules: [Vec<String>; 2],
    /// What congestion windows may not exceed.
    pub(crate) bounds: Vec<Bound>,
    /// Lines for `tc -batch`; a kernel without the discipline goes without.
    pub(crate) shaping: Vec<String>,
}

/// The init's answer, with a descriptor for each interface beside it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Ready { device: Device, notes: Vec<String> },
    Fault(String),
}

/// What is set on every host before it has a network: it neither asks nor announces anything on a modelled link, and
/// no connection learns from an earlier one.
const QUIET: [(&str, &str); 10] = [
    ("net.ipv4.conf.all.rp_filter", "0"),
    ("net.ipv4.conf.default.rp_filter", "0"),
    ("net.ipv4.tcp_no_metrics_save", "1"),
    ("net.ipv6.conf.all.accept_ra", "0"),
    ("net.ipv6.conf.default.accept_ra", "0"),
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.default.autoconf", "0"),
    ("net.ipv6.conf.default.router_solicitations", "0"),
    // No link-local address: nobody on the link could be asked.
    ("net.ipv6.conf.default.addr_gen_mode", "1"),
    ("net.ipv6.conf.default.disable_ipv6", "0"),
];

impl Orders {
    /// `ipv6` is whether this kernel has it.
    pub(crate) fn of(spec: &HostSpec, ipv6: bool) -> Orders {
        let quiet = QUIET
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let settings = quiet.chain(spec.settings.iter().cloned());
        Orders {
            name: spec.name.clone(),
            etc_hosts: etc_hosts(&spec.names),
            settings: settings
                .filter(|(key, _)| ipv6 || !key.starts_with("net.ipv6."))
                .collect(),
            interfaces: spec.interfaces.iter().map(|i| i.name.clone()).collect(),
            device: spec.device,
            links: links(spec, ipv6),
            rules: [true, false].map(|v4| rules(&spec.interfaces, ipv6, v4)),
            bounds: bounds(&spec.interfaces, ipv6),
            shaping: spec.interfaces.iter().filter_map(shaping).collect(),
        }
    }
}

fn etc_hosts(names: &[(IpAddr, String)]) -> String {
    let mut text = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n".to_owned();
    for (address, name) in names {
        // A String takes everything.
        _ = writeln!(text, "{address} {name}");
    }
    text
}

/// All addresses before all routes: a route's source may be an address of another interface.
fn links(spec: &HostSpec, ipv6: bool) -> Vec<String> {
    let interfaces = &spec.interfaces;
    let mut lines = vec!["link set dev lo up".to_owned()];
    for interface in interfaces {
        let InterfaceSpec {
            name,
            mac,
            mtu,
            ring_packets,
            ..
        } = interface;
        let mac: Vec<String> = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        let mac = mac.join(":");
        lines.push(format!(
            "link set dev {name} address {mac} mtu {mtu} txqueuelen {ring_packets} arp off"
        ));
        if let Some(segments) = interface.segments_at_once {
            lines.push(format!("link set dev {name} gso_max_segs {segments}"));
        }
        lines.push(format!("link set dev {name} up"));
        for address in carried(interface, &interface.addresses, ipv6, |a| *a) {
            let (length, how) = if address.is_ipv4() {
                (32, "")
            } else {
                (128, " nodad")
            };
            lines.push(format!("address add {address}/{length} dev {name}{how}"));
        }
    }
    for (number, interface) in interfaces.iter().enumerate() {
        for route in carried(interface, &interface.routes, ipv6, |r| r.to) {
            let mut line = format!(
                "route add {} dev {} src {}",
                route.to, interface.name, route.from
            );
            if let Some(segments) = route.initial_window {
                line += &format!(" initcwnd {segments}");
            }
            if let Some(segments) = route.largest_window {
                line += &format!(" cwnd lock {segments}");
            }
            if let Some(bytes) = route.largest_segment {
                line += &format!(" advmss {bytes}");
            }
            if let Some(control) = &spec.control {
                line += &format!(" congctl {control}");
            }
            if route.bound_only {
                lines.push(format!("{line} table {}", FIRST_TABLE + number));
                // Others stand at 0 (IPv4) or 1024 (IPv6): these come behind.
                line += " metric 2048";
            }
            lines.push(line);
        }
    }
    lines
}

/// Which marks go by tables of their own, in one version of IP.
fn rules(interfaces: &[InterfaceSpec], ipv6: bool, v4: bool) -> Vec<String> {
    let has_own = |interface: &InterfaceSpec| {
        let mut routes = carried(interface, &interface.routes, ipv6, |r| r.to);
        routes.any(|r| r.bound_only && r.to.is_ipv4() == v4)
    };
    let numbered = interfaces.iter().enumerate();
    numbered
        .filter(|(_, interface)| has_own(interface))
        .map(|(n, _)| format!("rule add fwmark {} lookup {}", mark(n), FIRST_TABLE + n))
        .collect()
}

/// The routing table of what is marked for the first interface; the others' follow. The kernel's own
/// tables are above 252.
const FIRST_TABLE: usize = 1000;

fn bounds(interfaces: &[InterfaceSpec], ipv6: bool) -> Vec<Bound> {
    let of = |interface: &InterfaceSpec| -> Vec<Bound> {
        let routes = carried(interface, &interface.routes, ipv6, |r| r.to);
        let bound = |r: &Route| {
            let segments = r.largest_window?;
            Some(Bound {
                from: r.from,
                to: r.to,
                segments,
            })
        };
        routes.filter_map(bound).collect()
    };
    interfaces.iter().flat_map(of).collect()
}

/// Those an interface of its MTU can carry.
fn carried<'a, T>(
    interface: &InterfaceSpec,
    all: &'a [T],
    ipv6: bool,
    address: impl Fn(&T) -> IpAddr,
) -> impl Iterator<Item = &'a T> {
    let ipv6 = ipv6 && interface.mtu >= SMALLEST_IPV6_MTU;
    all.iter().filter(move |t| ipv6 || address(t).is_ipv4())
}

fn shaping(interface: &InterfaceSpec) -> Option<String> {
    let Shaping { rate, burst, limit } = interface.shaping?;
    Some(format!(
        "qdisc replace dev {} root tbf rate {}bit burst {} limit {}",
        interface.name,
        rate.as_bps(),
        burst.as_bytes(),
        limit.as_bytes()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Route;
    use farpath_units::{Rate, Size};

    fn route(to: IpAddr, from: IpAddr) -> Route {
        Route {
            to,
            from,
            bound_only: false,
            initial_window: None,
            largest_window: None,
            largest_segment: None,
        }
    }

    fn spec() -> HostSpec {
        let [v4, v6, far4, far6] = ["198.18.0.1", "2001:db8::1", "198.18.0.2", "2001:db8::2"]
            .map(|a| a.parse::<IpAddr>().unwrap());
        HostSpec {
            name: "a".to_owned(),
            interfaces: vec![InterfaceSpec {
                name: "eth0".to_owned(),
                mac: [2, 0, 0, 0, 0, 0x1f],
                mtu: 1500,
                addresses: vec![v4, v6],
                routes: vec![
                    Route {
                        largest_segment: Some(1360),
                        ..route(far4, v4)
                    },
                    Route {
                        bound_only: true,
                        initial_window: Some(3),
                        largest_window: Some(40),
                        largest_segment: None,
                        ..route(far6, v6)
                    },
                ],
                ring_packets: 20_000,
                segments_at_once: None,
                shaping: Some(Shaping {
                    rate: Rate::from_bps(1_000_000_000).unwrap(),
                    burst: Size::from_bytes(125_000),
                    limit: Size::from_bytes(1_514_000),
                }),
            }],
            settings: vec![("net.ipv4.tcp_rmem".to_owned(), "1 2 3".to_owned())],
            control: None,
            names: vec![(far4, "b".to_owned())],
            device: DeviceChoice::Available,
        }
    }

    #[test]
    fn an_interface_becomes_lines_for_ip() {
        let orders = Orders::of(&spec(), true);
        assert_eq!(
            orders.links,
            [
                "link set dev lo up",
                "link set dev eth0 address 02:00:00:00:00:1f mtu 1500 txqueuelen 20000 arp off",
                "link set dev eth0 up",
                "address add 198.18.0.1/32 dev eth0",
                "address add 2001:db8::1/128 dev eth0 nodad",
                "route add 198.18.0.2 dev eth0 src 198.18.0.1 advmss 1360",
                "route add 2001:db8::2 dev eth0 src 2001:db8::1 initcwnd 3 cwnd lock 40 table 1000",
                "route add 2001:db8::2 dev eth0 src 2001:db8::1 initcwnd 3 cwnd lock 40 metric 2048",
            ]
        );
        assert_eq!(
            orders.rules,
            [vec![], vec!["rule add fwmark 1 lookup 1000".to_owned()]]
        );
        assert_eq!(
            orders.shaping,
            ["qdisc replace dev eth0 root tbf rate 1000000000bit burst 125000 limit 1514000"]
        );
        assert!(orders.etc_hosts.ends_with("\n198.18.0.2 b\n"));
        assert_eq!(orders.settings.last().unwrap().1, "1 2 3");
    }

    #[test]
    fn a_host_without_segmentation_offload_is_told_so_before_it_is_up() {
        let mut told = spec();
        told.interfaces[0].segments_at_once = Some(1);
        let links = Orders::of(&told, true).links;
        assert_eq!(
            links[2..4],
            ["link set dev eth0 gso_max_segs 1", "link set dev eth0 up"]
        );
    }

    #[test]
    fn a_congestion_control_is_on_every_route() {
        let mut told = spec();
        told.control = Some("htcp".to_owned());
        let orders = Orders::of(&told, true);
        let routes = orders.links.iter().filter(|l| l.starts_with("route add"));
        assert!(routes.clone().count() == 3 && routes.clone().all(|l| l.contains(" congctl htcp")));
    }

    #[test]
    fn without_ipv6_nothing_asks_for_it() {
        let mut small = spec();
        small.interfaces[0].mtu = 1279;
        for orders in [Orders::of(&spec(), false), Orders::of(&small, true)] {
            assert!(
                orders.links.iter().all(|l| !l.contains("2001:")) && orders.rules[1].is_empty(),
                "{orders:?}"
            );
        }
        let settings = Orders::of(&spec(), false).settings;
        assert!(settings.iter().all(|(key, _)| !key.contains("ipv6")));
    }
}
