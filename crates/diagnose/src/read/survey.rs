//! A survey of a host, as facts: the same that its settings give when they are pasted.

use std::collections::BTreeMap;

use farpath_record::survey::Survey;

use super::modes::{Duplexed, Negotiated};
use super::qdisc::Queue;
use super::{Facts, counters, sysctl};
use crate::fact::{Of, Place};
use crate::seen::{Role, Side};

/// Counters of an interface that grow when it drops what it received.
const DROPS: [&str; 3] = [".rx_missed_errors", ".rx_over_errors", ".rx_crc_errors"];

impl Facts {
    /// Adds what a survey says of a host; `side` is the end it is of, none if it may be either.
    pub fn survey(&mut self, survey: &Survey, side: Option<Side>) -> Of {
        let names = survey.name.iter().map(|n| crate::redact(n)).collect();
        let host = Of::Host(self.hosts.len() as u32);
        self.hosts.push(names);
        self.sides.push(side.map(Role::End));
        for (key, setting) in &survey.settings {
            let at = self.file(&setting.file);
            sysctl::put(host, key, &setting.value, at, self);
        }
        if let Some(kernel) = &survey.kernel {
            let at = self.file("/proc/sys/kernel/osrelease");
            self.word(host, "kernel", kernel, at);
        }
        if let Some(interface) = survey.way_out() {
            let at = self.file(&format!("/sys/class/net/{}", interface.name));
            if let Some(speed) = interface.speed_bps {
                self.exact(host, "nic_bps", speed as f64, at);
                self.negotiated.push(Negotiated {
                    name: crate::redact(&interface.name),
                    at: Some(at),
                    ..Negotiated::default()
                });
            }
            if interface.duplex.as_deref() == Some("half") {
                self.word(host, "half_duplex", "half", at);
            }
            if let (Of::Host(host), Some("half" | "full")) = (host, interface.duplex.as_deref()) {
                self.duplexes.push(Duplexed {
                    host,
                    name: crate::redact(&interface.name),
                    half: interface.duplex.as_deref() == Some("half"),
                    at,
                });
            }
            let root = interface.qdisc.as_deref().and_then(|q| q.split(' ').next());
            if let Some(root) = root.and_then(crate::known::qdisc) {
                self.word(host, "root_qdisc", root, at);
            }
            let kind = interface
                .qdisc
                .as_deref()
                .and_then(|q| q.split(' ').next_back());
            if let Some(kind) = kind.and_then(crate::known::qdisc) {
                self.word(host, "qdisc", kind, at);
                self.queue(host, &interface.name, (kind, root == Some(kind)));
            }
        }
        host
    }

    /// Keeps what queues packets before an interface, at its root or below it; no file says how much it has room for.
    fn queue(&mut self, host: Of, port: &str, (kind, single): (&'static str, bool)) {
        if let Of::Host(host) = host {
            self.queues.push(Queue {
                host,
                interface: port.to_owned(),
                kind,
                limit: String::new(),
                single,
                options: String::new(),
            });
        }
    }

    /// Names by which texts call a host.
    pub fn call(&mut self, host: Of, names: Vec<String>) {
        if let Of::Host(n) = host
            && let Some(known) = self.hosts.get_mut(n as usize)
        {
            known.extend(names);
        }
    }

    /// Adds by how much counters grew while something was watched, by their names in `nstat`; those of interfaces as
    /// `NAME.rx_missed_errors`, those of processors as `softnet.dropped`.
    pub fn grown(&mut self, host: Of, counters: &BTreeMap<String, u64>) {
        let at = self.file("counters of this host");
        // Two readings: when the watch began, and now.
        let start = self.file("counters of this host, before");
        let mut drops = 0;
        for (name, grown) in counters {
            counters::put(host, name, *grown, at, self);
            if let Some(port) = name.strip_suffix(".tx_dropped") {
                let queue = ("queue_drops", "TX.dropped");
                self.counted(host, port, queue, 0, start);
                self.counted(host, port, queue, *grown, at);
            }
            if name == "softnet.dropped" || DROPS.iter().any(|d| name.ends_with(d)) {
                drops += grown;
            }
        }
        self.counted(host, "", ("nic_drops", "all"), 0, start);
        self.counted(host, "", ("nic_drops", "all"), drops, at);
    }

    /// A file of one value, as a source without lines.
    pub(crate) fn file(&mut self, name: &str) -> Place {
        let known = self.sources.iter().position(|s| s == name);
        let number = known.unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.ignored.push(Vec::new());
            self.ignored_count.push(0);
            self.sources.len() - 1
        });
        Place::Line(number as u32, 0)
    }
}
