//! What is wrong with a host, or worth knowing.
//!
//! Settings are judged by the rules of `config`, as if they stood in a file; what only a running host has is judged here.

use farpath_config::{Dialect, Source, check_with, qos::Options};
use farpath_record::survey::Interface;
use farpath_record::{Finding, Location, Rule, Severity};

use super::{Allowed, Host, HostVerdict, How, MEMORY, PathAsked};
use crate::advice::is_kept;
use crate::cause::Cause;
use crate::ceiling::bps;
use farpath_units::Duration;

farpath_record::rules! {
    /// Every check of a running host; those of settings are `config`'s.
    pub HOST_RULES:
    HOST101 Warning "window of a host"
        "a connection has at most one window in flight per round trip: the smaller of the sender's buffer and the receiver's window";
    HOST102 Warning "interface slower than the path"
        "the slowest link of the path is the host's own";
    HOST103 Warning "memory of all connections"
        "above the second number of tcp_mem the kernel lets no buffer grow, and above the third it drops";
    HOST104 Info "bursts are not paced"
        "without fq, CUBIC and Reno send what an acknowledgement releases at once, and short queues on the way drop it";
    HOST105 Warning "packets dropped by the host"
        "what an interface or a processor drops has crossed the whole path, and costs the sender its window";
    HOST106 Info "receive buffers overran"
        "the kernel had to compress or drop what it had received: the buffer was too small, or the program too slow";
    HOST107 Warning "half duplex"
        "at half duplex acknowledgements collide with data";
    HOST108 Info "processors save power"
        "a frequency that follows the load costs a fast connection its first seconds, and a tenth of its rate";
    HOST109 Info "small packets at a high rate"
        "hosts and losses cost per packet: six times as many packets need six times the processor and a 36th of the loss";
    HOST110 Warning "offload off"
        "without segmentation and receive offload a processor handles each packet by itself";
    HOST111 Info "short receive ring"
        "a card drops what its ring does not hold while the processor is away";
    HOST112 Info "connections refused"
        "a full queue of new connections drops SYNs, and clients wait a second or more";
    HOST113 Info "ssthresh is remembered"
        "a connection to the same host begins with the slow-start threshold that an earlier one was left with";
}

/// From this rate on a host's own costs are worth a word.
const FAST: f64 = 5e9;

/// Of packets, this share dropped is more than an accident at start.
const MANY: f64 = 1e-6;

impl Host<'_> {
    /// Everything, worst first.
    pub(super) fn findings(
        &self,
        all: &[Allowed],
        path: Option<PathAsked>,
        verdict: &HostVerdict,
    ) -> Vec<Finding> {
        let mut list = self.of_settings(path, Duration::from_ns(verdict.rtt_ns));
        if let Some(wanted) = verdict.wanted_bps {
            self.of_ceilings(all, wanted, &mut list);
        }
        self.of_kernel(&mut list);
        let rate = path.map(|p| p.rate.as_bps() as f64);
        if let Some(interface) = self.survey.way_out() {
            let rate = rate
                .or(interface.speed_bps.map(|s| s as f64))
                .unwrap_or(0.0);
            self.of_interface(interface, rate, &mut list);
        }
        for interface in &self.survey.interfaces {
            drops(interface, &mut list);
        }
        let rate = rate.unwrap_or(0.0);
        let slow = ["powersave", "ondemand", "conservative"];
        if let Some(governor) = self.survey.governor.as_deref().filter(|g| slow.contains(g))
            && rate >= FAST
        {
            let file = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
            let text = format!("the processors' frequency follows the load ({governor})");
            let remedy = "cpupower frequency-set -g performance";
            let undo = format!("to undo: cpupower frequency-set -g {governor}");
            list.push(finding(&HOST108, text, file, governor, &[remedy, &undo]));
        }
        list.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.rule.cmp(&b.rule)));
        list
    }

    /// Settings by the rules for files of settings; windows are judged by their ceilings.
    fn of_settings(&self, path: Option<PathAsked>, rtt: Duration) -> Vec<Finding> {
        let sources: Vec<Source> = self
            .survey
            .settings
            .iter()
            .map(|(key, setting)| Source {
                name: setting.file.clone(),
                text: format!("{key} = {}", setting.value),
            })
            .collect();
        let options = Options {
            rtt: Some(rtt),
            rate: path.map(|p| p.rate),
            ..Options::default()
        };
        let dialects = vec![Some(Dialect::Hosts); sources.len()];
        let report = check_with(&sources, &dialects, &options);
        let of_windows = |f: &&farpath_config::Finding| f.rule == "HOST003";
        let kept = report.findings.iter().filter(|f| !of_windows(f));
        kept.map(|f| {
            let source = |place: &farpath_config::Place| sources.get(place.file);
            let mut located = f.located(|place| {
                let source = source(place);
                location(
                    source.map_or("", |s| s.name.as_str()),
                    source.map_or("", |s| s.text.as_str()),
                )
            });
            let setting = source(farpath_config::place(f)).and_then(|s| s.text.split_once(" = "));
            if let Some((key, now)) = setting {
                typed(&mut located.remedies, key, now);
            }
            located
        })
        .collect()
    }

    /// Windows and lines below what the path leaves.
    fn of_ceilings(&self, all: &[Allowed], wanted: f64, list: &mut Vec<Finding>) {
        let low = |a: &&Allowed| a.limit.rate.value < super::ENOUGH * wanted;
        for a in all.iter().filter(low) {
            let rate = bps(a.limit.rate.value);
            let file = self
                .survey
                .settings
                .get(&a.by)
                .map_or("", |s| s.file.as_str());
            let value = self.survey.setting(&a.by).unwrap_or("");
            let excerpt = format!("{} = {value}", a.by);
            let way = a.way.name();
            let one = match (a.limit.cause, a.by.as_str()) {
                (Cause::Nic, name) => {
                    // Both ways are one interface.
                    let known = list.iter().any(|f| f.rule == HOST102.id);
                    let text = format!(
                        "{name} carries {rate} of payload, of {} wanted",
                        bps(wanted)
                    );
                    let file = format!("/sys/class/net/{name}/speed");
                    let remedy = "a faster interface, or several";
                    (!known).then(|| finding(&HOST102, text, &file, name, &[remedy]))
                }
                // HOST005 says it.
                (Cause::Link | Cause::NoWindowScaling, _) => None,
                // Nothing of the host's makes it larger, and both ways are one window.
                _ if a.largest => {
                    let text = format!(
                        "TCP has no larger window: {rate} a connection, of {} wanted",
                        bps(wanted)
                    );
                    let known = list.iter().any(|f| f.text == text);
                    let several = format!(
                        "{} connections side by side (RFC 7323 §2.3)",
                        (wanted / a.limit.rate.value).ceil()
                    );
                    (!known).then(|| finding(&HOST101, text, file, &excerpt, &[&several]))
                }
                (_, MEMORY) => {
                    let text = format!(
                        "{way}: {} allows all connections together {rate}, of {} wanted",
                        a.by,
                        bps(wanted)
                    );
                    Some(finding(&HOST103, text, file, &excerpt, &[]))
                }
                _ => {
                    let who = match a.how {
                        How::Requested => "a program that asks for its buffer",
                        _ => "a connection",
                    };
                    let text = format!(
                        "{way}: {} allows {who} {rate}, of {} wanted",
                        a.by,
                        bps(wanted)
                    );
                    let mut one = finding(&HOST101, text, file, &excerpt, &[]);
                    // Most programs ask for nothing, and should not.
                    if a.how == How::Requested {
                        one.severity = Severity::Info;
                    }
                    Some(one)
                }
            };
            list.extend(one);
        }
    }

    /// What the kernel counted since it started.
    fn of_kernel(&self, list: &mut Vec<Finding>) {
        let survey = self.survey;
        let n = |name: &str| survey.counter(name);
        let file = "/proc/net/netstat";
        let tight = n("TcpExtTCPMemoryPressures");
        if tight > 0 {
            let text =
                format!("{tight} times the memory of all connections ran short since the start");
            list.push(finding(
                &HOST103,
                text,
                file,
                "TcpExtTCPMemoryPressures",
                &[],
            ));
        }
        let pruned = n("TcpExtPruneCalled") + n("TcpExtTCPRcvQDrop") + n("TcpExtTCPBacklogDrop");
        let collapsed = n("TcpExtTCPRcvCollapsed");
        if pruned + collapsed > 0 {
            let text = format!(
                "receive buffers overran {pruned} times since the start, {collapsed} segments were compressed"
            );
            let remedy = "nstat -az before and after a test says whether it still happens";
            list.push(finding(
                &HOST106,
                text,
                file,
                "TcpExtPruneCalled",
                &[remedy],
            ));
        }
        let refused = n("TcpExtListenDrops");
        if refused > 0 {
            let text = format!("{refused} new connections were dropped since the start");
            let remedy = "raise net.core.somaxconn, and the backlog that the server asks for";
            list.push(finding(
                &HOST112,
                text,
                file,
                "TcpExtListenDrops",
                &[remedy],
            ));
        }
        self.of_processors(list);
        self.of_memories(list);
    }

    /// Packets that never came as far as TCP.
    fn of_processors(&self, list: &mut Vec<Finding>) {
        let survey = self.survey;
        if let Some(s) = survey.softnet.filter(|s| s.dropped > 0) {
            let text = format!(
                "processors dropped {} of {} packets since the start: their queue was full",
                s.dropped, s.processed
            );
            let backlog = survey.numbers("net.core.netdev_max_backlog");
            let now = backlog.and_then(|b| b.first().copied()).unwrap_or(1000);
            let remedies = [
                format!(
                    "sysctl -w net.core.netdev_max_backlog={}",
                    now.saturating_mul(10).clamp(10_000, 250_000)
                ),
                format!("to undo: sysctl -w net.core.netdev_max_backlog={now}"),
            ];
            let remedies = remedies.each_ref().map(String::as_str);
            let excerpt = format!("dropped {}", s.dropped);
            let one = finding(
                &HOST105,
                text,
                "/proc/net/softnet_stat",
                &excerpt,
                &remedies,
            );
            list.push(rated(one, s.dropped, s.processed));
        }
    }

    /// What one connection leaves to the next.
    fn of_memories(&self, list: &mut Vec<Finding>) {
        let survey = self.survey;
        if survey.setting("net.ipv4.tcp_no_metrics_save") == Some("0") {
            let key = "net.ipv4.tcp_no_metrics_save";
            let text = format!("{key} = 0: what one connection lost slows the start of the next");
            let setting = survey.settings.get(key);
            let remedies = [
                "sysctl -w net.ipv4.tcp_no_metrics_save=1",
                "to undo: sysctl -w net.ipv4.tcp_no_metrics_save=0",
            ];
            let file = setting.map_or("", |s| s.file.as_str());
            list.push(finding(
                &HOST113,
                text,
                file,
                &format!("{key} = 0"),
                &remedies,
            ));
        }
    }

    /// The interface that the path takes.
    fn of_interface(&self, i: &Interface, rate: f64, list: &mut Vec<Finding>) {
        let name = &i.name;
        let place = format!("/sys/class/net/{name}");
        if i.duplex.as_deref() == Some("half") {
            let text = format!("{name} is at half duplex");
            let remedy = format!("ethtool -s {name} autoneg on, on both ends of its cable");
            list.push(finding(&HOST107, text, &place, "duplex half", &[&remedy]));
        }
        self.of_qdisc(i, list);
        if rate >= FAST {
            at_speed(i, rate, list);
        }
    }

    /// Whether what leaves the interface is paced.
    fn of_qdisc(&self, i: &Interface, list: &mut Vec<Finding>) {
        let name = &i.name;
        let place = format!("/sys/class/net/{name}");
        let cc = self
            .survey
            .setting("net.ipv4.tcp_congestion_control")
            .unwrap_or("");
        // BBR paces by itself since Linux 4.13; a virtual interface's queue is not where packets wait.
        let is_paced = |q: &str| q.split(' ').any(|q| q == "fq" || q == "noqueue");
        if let Some(qdisc) = i.qdisc.as_deref().filter(|q| !is_paced(q))
            && !cc.starts_with("bbr")
        {
            let text = format!("{name} has the queueing discipline {qdisc}: {cc} is not paced");
            let default = self.survey.setting("net.core.default_qdisc");
            let remedies = paced(name, qdisc, default);
            list.push(finding(
                &HOST104,
                text,
                &place,
                &format!("qdisc {qdisc}"),
                &remedies.each_ref().map(String::as_str),
            ));
        }
    }
}

/// Has an interface pace that has this queueing discipline now, and how it has that again.
fn paced(name: &str, qdisc: &str, default: Option<&str>) -> [String; 2] {
    let kind = qdisc.split(' ').next().unwrap_or(qdisc);
    let key = "net.core.default_qdisc";
    match kind {
        "mq" => {
            let (first, back) = match default {
                Some(default) => (String::new(), format!("{key}={default}")),
                None => (
                    format!("sysctl {key}, and keep what it prints; "),
                    format!("{key} with that value"),
                ),
            };
            [
                // Another handle has another mq made, whose queues get the default.
                format!(
                    "{first}sysctl -w {key}=fq, then tc qdisc replace dev {name} root handle 100: mq"
                ),
                format!(
                    "to undo: sysctl -w {back}, then tc qdisc del dev {name} root, after which the kernel makes its own mq again"
                ),
            ]
        }
        kind if is_kept(kind) => [
            format!(
                "keep the {kind}, which was put there for what it does, and put fq below it where it has a place for it: tc class show dev {name}"
            ),
            format!(
                "tc qdisc show dev {name}, and keep what it prints, before anything is changed"
            ),
        ],
        kind => [
            format!("tc qdisc replace dev {name} root fq"),
            format!("to undo: tc qdisc replace dev {name} root {kind}"),
        ],
    }
}

/// What an interface costs at a high rate.
fn at_speed(i: &Interface, rate: f64, list: &mut Vec<Finding>) {
    let name = &i.name;
    let place = format!("/sys/class/net/{name}");
    for (offload, on) in &i.offloads {
        if !on {
            let text = format!("{offload} of {name} is off");
            let remedy = format!("ethtool -K {name} {offload} on");
            let undo = format!("to undo: ethtool -K {name} {offload} off");
            list.push(finding(
                &HOST110,
                text,
                &place,
                &format!("{offload} off"),
                &[&remedy, &undo],
            ));
        }
    }
    if let Some([now, most]) = i.receive_ring.filter(|[now, most]| now < most) {
        let text = format!("the receive ring of {name} holds {now} frames of {most} that it could");
        let remedy = format!("ethtool -G {name} rx {most}");
        let undo = format!("to undo: ethtool -G {name} rx {now}");
        list.push(finding(
            &HOST111,
            text,
            &place,
            &format!("rx ring {now}"),
            &[&remedy, &undo],
        ));
    }
    if let Some(mtu) = i.mtu_bytes.filter(|m| *m <= 1500) {
        let text = format!(
            "{name} has an MTU of {mtu} bytes at {}",
            super::plain(&bps(rate))
        );
        let remedy =
            format!("ip link set {name} mtu 9000, if every switch on the way carries that");
        let undo = format!("to undo: ip link set {name} mtu {mtu}");
        list.push(finding(
            &HOST109,
            text,
            &place,
            &format!("mtu {mtu}"),
            &[&remedy, &undo],
        ));
    }
}

/// `write 1, which ...` as a command, and the one that undoes it.
fn typed(remedies: &mut Vec<String>, key: &str, now: &str) {
    let Some(rest) = remedies.first().and_then(|r| r.strip_prefix("write ")) else {
        return;
    };
    let end = rest.find([' ', ',']).unwrap_or(rest.len());
    let (value, why) = rest.split_at(end);
    if value.is_empty() || !value.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return;
    }
    let command = format!("sysctl -w {key}={value}{why}");
    *remedies = vec![command, format!("to undo: sysctl -w {key}={now}")];
}

/// What an interface dropped since it came up.
fn drops(i: &Interface, list: &mut Vec<Finding>) {
    let n = |name: &str| i.statistics.get(name).copied().unwrap_or(0);
    let name = &i.name;
    let missed = n("rx_missed_errors")
        .max(n("rx_fifo_errors"))
        .max(n("rx_over_errors"));
    let damaged = n("rx_crc_errors");
    let sent = n("tx_errors") + n("tx_carrier_errors");
    let causes = [
        (
            missed,
            "rx_packets",
            "received packets found no room in its ring",
            "ethtool -g NAME; ethtool -G NAME rx N, with the maximum that the first prints, and interrupts on several processors; to undo: ethtool -G NAME rx with the value that it printed",
        ),
        (
            damaged,
            "rx_packets",
            "received frames were damaged",
            "clean or change its cable, plug or transceiver",
        ),
        (
            sent,
            "tx_packets",
            "packets could not be sent",
            "check the cable and the duplex of both its ends",
        ),
    ];
    for (count, of, what, remedy) in causes {
        if count > 0 {
            let text = format!("{name}: {count} {what} since it came up");
            let place = format!("/sys/class/net/{name}/statistics");
            let remedy = remedy.replace("NAME", name);
            let one = finding(&HOST105, text, &place, &count.to_string(), &[&remedy]);
            list.push(rated(one, count, n(of)));
        }
    }
}

/// A few drops among very many packets are worth knowing, and no more.
fn rated(mut finding: Finding, count: u64, of: u64) -> Finding {
    if (count as f64) < MANY * of as f64 {
        finding.severity = Severity::Info;
    }
    finding
}

fn finding(rule: &Rule, text: String, source: &str, excerpt: &str, remedies: &[&str]) -> Finding {
    let remedies = remedies.iter().map(|r| (*r).to_owned()).collect();
    Finding::new(rule, text, location(source, excerpt), remedies)
}

fn location(source: &str, excerpt: &str) -> Location {
    Location::Text {
        source: source.to_owned(),
        line: 1,
        column: 1,
        excerpt: excerpt.to_owned(),
    }
}
