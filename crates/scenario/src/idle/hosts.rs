//! Hosts that take part in nothing, and keys of a host that are about what it does not do.

use farpath_units::Size;

use super::Reader;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::model::{LinkId, NodeId, Tcp, Test, TestKind};
use crate::sections::name_of;

/// About a host that sends data by TCP.
const OF_SENDER: [&str; 4] = ["mtu_probing", "qdisc", "tso", "tcp_wmem"];

/// About one that receives data by TCP.
const OF_RECEIVER: [&str; 3] = ["gro", "comp_sack_nr", "tcp_rmem"];

/// About either.
const OF_TCP: [&str; 6] = [
    "gro",
    "tso",
    "comp_sack_nr",
    "window_scaling",
    "mtu_probing",
    "qdisc",
];

impl Reader<'_> {
    pub(super) fn hosts(&mut self) {
        let (tables, scenario) = (self.tables, self.scenario);
        for (number, f) in tables.hosts.iter().enumerate() {
            let node = NodeId(number);
            let of: Vec<&Test> = scenario
                .tests
                .iter()
                .filter(|t| t.from == node || t.to == node)
                .collect();
            if of.is_empty() {
                let title = format!("host `{}` takes part in no test", name_of(f));
                let d = Diagnostic::new(f.span.clone(), title);
                self.found
                    .push(d.help("name it in `from` or `to` of a test, or remove it"));
                continue;
            }
            let tcp: Vec<&Tcp> = of.iter().filter_map(|t| t.kind.tcp()).collect();
            match tcp.is_empty() {
                true => self.say_all(
                    f,
                    &OF_TCP,
                    "no test of this host is of TCP",
                    "it is about TCP",
                ),
                false => self.role(f, node),
            }
            self.buffers(f, &tcp);
            self.beside_window(f, node);
            if !of.iter().any(|t| matches!(t.kind, TestKind::Transfer(_))) {
                let why = "no test of this host transfers files";
                let help = "it is about kind = \"transfer\"";
                self.say_all(f, &["disk_read", "disk_write"], why, help);
            }
            self.machine(f, node);
        }
    }

    /// Keys about the other end of TCP's data. What both ends say alike has its effect at one of them.
    fn role(&mut self, f: &Fields, node: NodeId) {
        let tests = &self.scenario.tests;
        let flows = self.plan.flows.iter();
        let mut flows = flows.filter(|flow| tests[flow.test].kind.tcp().is_some());
        let (sends, receives) = (
            flows.clone().any(|flow| flow.source == node),
            flows.any(|flow| flow.sink == node),
        );
        let others = self.tables.hosts.iter();
        let others: Vec<&Fields> = others.filter(|o| o.span != f.span).collect();
        for (has, keys, why) in [
            (sends, &OF_SENDER[..], "this host sends no data by TCP"),
            (
                receives,
                &OF_RECEIVER[..],
                "this host receives no data by TCP",
            ),
        ] {
            let said = |key: &&&str| f.has(key) && !others.iter().any(|o| o.has(key));
            for key in keys.iter().filter(said).filter(|_| !has) {
                self.say(f, key, why, "write it for the host at the other end");
            }
        }
    }

    /// Sizes of buffers that no connection takes.
    fn buffers(&mut self, f: &Fields, tcp: &[&Tcp]) {
        if !tcp.iter().any(|t| t.socket_buffer.is_some()) {
            let why = "no TCP test of this host asks for a `socket_buffer`, which it limits";
            let help = "add `socket_buffer` to a test; without it `tcp_rmem` and `tcp_wmem` count";
            self.say_all(f, &["rmem_max", "wmem_max"], why, help);
        }
        // An exact `window` says all to a model; a real host's buffers still have to hold it.
        if tcp.iter().all(|t| t.socket_buffer.is_some()) {
            let why = "no TCP test of this host leaves its buffers to the kernel";
            let help = "it counts where a test has no `socket_buffer`";
            self.say_all(f, &["tcp_rmem", "tcp_wmem"], why, help);
        }
    }

    /// A buffer's limit that every exact `window` exceeds. Where it holds the window it is what an emulated host needs.
    fn beside_window(&mut self, f: &Fields, node: NodeId) {
        let Some(host) = self.scenario.hosts.get(node.0) else {
            return;
        };
        for (key, most, receives) in [
            ("tcp_rmem", host.tcp_rmem[2], true),
            ("tcp_wmem", host.tcp_wmem[2], false),
        ] {
            let flows = self.plan.flows.iter();
            let flows = flows.filter(|w| node == if receives { w.sink } else { w.source });
            let tcp = flows.filter_map(|w| self.scenario.tests[w.test].kind.tcp());
            let windows: Option<Vec<Size>> = tcp.map(|t| t.window).collect();
            let least = windows.and_then(|all| all.into_iter().min());
            if let Some(window) = least.filter(|w| *w > most && f.has(key)) {
                let why = format!("`window` is exact, and its {window} are more than this allows");
                let help = "leave `window` out for what a kernel makes of its buffers, or allow twice the window, as a real host needs";
                self.say(f, key, &why, help);
            }
        }
    }

    /// A card that is faster than its links, and a ring in front of a processor that takes no time.
    fn machine(&mut self, f: &Fields, node: NodeId) {
        let busy = ["receive_per_packet", "receive_per_byte", "memory_bus"];
        if f.has("receive_ring") && !busy.iter().any(|k| f.has(k)) {
            let why = "the processor of this host takes no time";
            let help = "add `receive_per_packet`, or remove it";
            self.say(f, "receive_ring", why, help);
        }
        let scenario = self.scenario;
        let links = || {
            let all = scenario.links.iter().enumerate();
            all.filter(|(_, l)| l.ends.contains(&node))
        };
        let own = links().map(|(_, l)| l.direction_from(node).rate).max();
        let moves = links().any(|(number, _)| {
            let link = LinkId(number);
            self.rate_moves(link, scenario.way_from(node, link))
        });
        let nic = scenario.hosts.get(node.0).and_then(|h| h.nic);
        if let (Some(nic), Some(own)) = (nic, own)
            && nic > own
            && !moves
        {
            let why = format!("no link of this host sends more than {own}");
            self.say(f, "nic", &why, "write a lower rate, or remove it");
        }
    }
}
