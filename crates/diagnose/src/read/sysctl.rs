//! `sysctl` of Linux, FreeBSD, OpenBSD, NetBSD and macOS, and `/proc/sys` by `echo`.

use super::label::behind_prompt;
use super::{Facts, Line, Tool, elsewhere};
use crate::fact::{Figure, Of, Place};
use crate::hosts::host_fault::{NEIGHBOURS_MOST, OWN_PORTS};
use crate::hosts::reassembly::MEMORY;
use crate::hosts::reverse_path::SETTING;
use crate::words::whole;

/// What `tcp_mem` says: from the second value on buffers grow no more, and TCP gets no more than the third, pages.
pub(crate) const LEAST: &str = "tcp_mem_least_pages";
pub(crate) const PRESSURE: &str = "tcp_mem_pressure_pages";
pub(crate) const MOST: &str = "tcp_mem_most_pages";

/// How many connections a host keeps, and how many it keeps at most, as facts have it.
pub(crate) const KEPT: &str = "conntrack_count";
pub(crate) const KEPT_MOST: &str = "conntrack_max";

/// Whether a host carries packets between others, as a fact has it.
pub(crate) const FORWARDS: &str = "ip_forward";

/// The most that a program's backlog may be on a host, as a fact has it.
pub(crate) const BACKLOG_MOST: &str = "backlog_most";

/// The state of reading.
#[derive(Default)]
pub(super) struct Sysctl {
    host: Option<Of>,
    /// Keys whose bare values `cat` or `sysctl -n` is to print yet, the first of them last.
    files: Vec<String>,
}

/// Keys that bear on a path: the key, the names of its numbers (three of a triple), empty where only the first counts.
const KEYS: [(&str, [&str; 3]); 41] = [
    (
        "net.ipv4.tcp_rmem",
        ["", "rmem_default_bytes", "rmem_max_bytes"],
    ),
    (
        "net.ipv4.tcp_wmem",
        ["", "wmem_default_bytes", "wmem_max_bytes"],
    ),
    // Pages, from the second of them on buffers grow no more (tcp, 7).
    ("net.ipv4.tcp_mem", [LEAST, PRESSURE, MOST]),
    ("net.core.rmem_max", ["core_rmem_max_bytes", "", ""]),
    ("net.core.wmem_max", ["core_wmem_max_bytes", "", ""]),
    ("net.core.rmem_default", ["core_rmem_default_bytes", "", ""]),
    ("net.core.wmem_default", ["core_wmem_default_bytes", "", ""]),
    (
        "net.core.netdev_max_backlog",
        ["netdev_max_backlog", "", ""],
    ),
    ("net.core.netdev_budget", ["netdev_budget", "", ""]),
    ("net.core.somaxconn", [BACKLOG_MOST, "", ""]),
    ("net.ipv4.tcp_window_scaling", ["window_scaling", "", ""]),
    ("net.ipv4.tcp_sack", ["sack", "", ""]),
    ("net.ipv4.tcp_timestamps", ["timestamps", "", ""]),
    ("net.ipv4.tcp_moderate_rcvbuf", ["moderate_rcvbuf", "", ""]),
    ("net.ipv4.tcp_adv_win_scale", ["adv_win_scale", "", ""]),
    (
        "net.ipv4.tcp_slow_start_after_idle",
        ["slow_start_after_idle", "", ""],
    ),
    ("net.ipv4.tcp_no_metrics_save", ["no_metrics_save", "", ""]),
    ("net.ipv4.tcp_mtu_probing", ["mtu_probing", "", ""]),
    (
        "net.ipv4.tcp_limit_output_bytes",
        ["limit_output_bytes", "", ""],
    ),
    (
        "net.ipv4.tcp_notsent_lowat",
        ["notsent_lowat_bytes", "", ""],
    ),
    ("net.ipv4.ip_forward", [FORWARDS, "", ""]),
    ("net.ipv6.conf.all.forwarding", [FORWARDS, "", ""]),
    ("net.netfilter.nf_conntrack_count", [KEPT, "", ""]),
    ("net.netfilter.nf_conntrack_max", [KEPT_MOST, "", ""]),
    ("net.nf_conntrack_max", [KEPT_MOST, "", ""]),
    (
        "net.ipv4.ip_local_port_range",
        [OWN_PORTS[0], OWN_PORTS[1], ""],
    ),
    (
        "net.ipv4.neigh.default.gc_thresh3",
        [NEIGHBOURS_MOST, "", ""],
    ),
    ("net.ipv4.ipfrag_high_thresh", [MEMORY, "", ""]),
    ("net.inet.tcp.recvspace", ["recvspace_bytes", "", ""]),
    ("net.inet.tcp.sendspace", ["sendspace_bytes", "", ""]),
    ("net.inet.tcp.recvbuf_max", ["recvbuf_max_bytes", "", ""]),
    ("net.inet.tcp.sendbuf_max", ["sendbuf_max_bytes", "", ""]),
    ("net.inet.tcp.recvbuf_auto", ["recvbuf_auto", "", ""]),
    ("net.inet.tcp.sendbuf_auto", ["sendbuf_auto", "", ""]),
    ("net.inet.tcp.doautorcvbuf", ["recvbuf_auto", "", ""]),
    ("net.inet.tcp.doautosndbuf", ["sendbuf_auto", "", ""]),
    ("net.inet.tcp.autorcvbufmax", ["recvbuf_max_bytes", "", ""]),
    ("net.inet.tcp.autosndbufmax", ["sendbuf_max_bytes", "", ""]),
    ("net.inet.tcp.rfc1323", ["window_scaling", "", ""]),
    ("net.inet.tcp.sack", ["sack", "", ""]),
    ("kern.ipc.maxsockbuf", ["maxsockbuf_bytes", "", ""]),
];

/// Keys whose value is a congestion control.
const CONTROLS: [&str; 2] = [
    "net.ipv4.tcp_congestion_control",
    "net.inet.tcp.cc.algorithm",
];

impl Tool for Sysctl {
    fn name(&self) -> &'static str {
        "sysctl"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        if let Some(keys) = printed(line.bare) {
            self.files = keys;
            return false;
        }
        let file = self.files.pop().filter(|key| is_value(key, line.bare));
        let file = file.map(|key| (key, line.bare));
        if file.is_none() {
            self.files.clear();
        }
        let Some((key, value)) = file.or_else(|| setting(line.bare)) else {
            return false;
        };
        if facts.mixed_hosts.is_some() {
            facts.leaves_unplaced();
            self.host = None;
            return true;
        }
        if !going {
            self.host = None;
        }
        let host = *self.host.get_or_insert_with(|| facts.settings_of());
        let value = value.trim().trim_matches(['"', '\'']).trim();
        put(host, &key, value, line.at, facts)
    }
}

/// Makes a fact of a setting; whether it is one, of a path or of something else.
pub(super) fn put(host: Of, key: &str, value: &str, at: Place, facts: &mut Facts) -> bool {
    if key == "kern.ostype" || key == "kern.version" {
        let name = value.split_whitespace().next().unwrap_or("");
        let name = match name {
            "Darwin" => "macos".to_owned(),
            _ => name.to_ascii_lowercase(),
        };
        if let Some(system) = crate::known::System::named(&name) {
            facts.word(host, "system", system.name(), at);
        }
    } else if key == "kernel.osrelease" {
        if value.starts_with(|c: char| c.is_ascii_digit()) {
            facts.word(host, "kernel", value, at);
        }
    } else if CONTROLS.contains(&key) {
        if let Some(name) = crate::known::control(value) {
            facts.word(host, "cc", name, at);
        }
    } else if key == "net.core.default_qdisc" {
        if let Some(name) = crate::known::qdisc(value) {
            facts.word(host, "qdisc", name, at);
        }
    } else if let Some((_, names)) = KEYS.iter().find(|(k, _)| *k == key) {
        let numbers: Option<Vec<u64>> = value.split_whitespace().map(whole).collect();
        let Some(numbers) = numbers.filter(|n| !n.is_empty()) else {
            return false;
        };
        let triple = !names[2].is_empty();
        if triple != (numbers.len() == 3) {
            return false;
        }
        for (name, number) in names.iter().zip(numbers) {
            if !name.is_empty() {
                facts.number(host, name, Figure::exact(number as f64, at));
            }
        }
    } else if key.starts_with("net.ipv4.conf.") && key.ends_with(".rp_filter") {
        if let Some(kind) = whole(value) {
            facts.exact(host, SETTING, kind as f64, at);
        }
        return true;
    } else if !MACOS.contains(&key) {
        // A setting all the same, of something else.
        return true;
    }
    let system = match key.starts_with("net.ipv4")
        || key.starts_with("net.core")
        || key == "kernel.osrelease"
    {
        true => "linux",
        false => bsd(key),
    };
    let known = facts.latest_word(host, "system").map(|(name, _)| name);
    // A key that several BSDs have says less than one of a single system.
    let says_more = known.is_none() || known == Some("bsd") && system != "bsd";
    if !system.is_empty() && says_more {
        facts.word(host, "system", system, at);
    }
    true
}

/// Keys that only macOS has.
const MACOS: [&str; 7] = [
    "net.inet.tcp.doautorcvbuf",
    "net.inet.tcp.doautosndbuf",
    "net.inet.tcp.autorcvbufmax",
    "net.inet.tcp.autosndbufmax",
    "net.inet.tcp.win_scale_factor",
    "kern.osproductversion",
    "kern.osproductversioncompat",
];

/// Which of the BSDs has a key; empty where several have it.
fn bsd(key: &str) -> &'static str {
    match key {
        "net.inet.tcp.recvbuf_max" | "net.inet.tcp.cc.algorithm" | "net.inet.tcp.sendbuf_max" => {
            "freebsd"
        }
        k if MACOS.contains(&k) => "macos",
        k if k.starts_with("net.inet") || k.starts_with("kern.") => "bsd",
        _ => "",
    }
}

/// Whether a key is one of Linux's that have nothing to do with networks: `kernel.osrelease`, `fs.file-max`.
fn of_kernel(key: &str) -> bool {
    let part = [
        "kernel.", "fs.", "vm.", "dev.", "user.", "debug.", "abi.", "crypto.", "sunrpc.",
    ]
    .iter()
    .find_map(|begin| key.strip_prefix(begin));
    part.is_some_and(|rest| {
        !rest.is_empty()
            && rest.len() < 100
            && rest
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/'))
    })
}

/// The key and value of a line that is a setting, however it was written.
fn setting(text: &str) -> Option<(String, &str)> {
    if let Some((before, rest)) = text.split_once("/proc/sys/") {
        return of_file(before.trim(), rest);
    }
    let (key, value) = match text.split_once('=') {
        // What else `sysctl -a` prints is of the same host.
        Some((key, value)) if of_kernel(key.trim()) => return Some((key.trim().to_owned(), value)),
        Some(pair) => pair,
        // FreeBSD and macOS print a colon.
        None => text.split_once(": ")?,
    };
    let key = key.trim();
    let key = ["sysctl -w ", "sudo sysctl -w ", "sysctl "]
        .iter()
        .find_map(|s| key.strip_prefix(s))
        .unwrap_or(key)
        .trim();
    // Keys may be parted by slashes: the first separator is that of all.
    let slashed = key.find(['.', '/']).map(|at| key.as_bytes()[at]) == Some(b'/');
    let key = match slashed {
        true => key.replace('/', "."),
        false => key.to_owned(),
    };
    let is_key = (key.starts_with("net.") || key.starts_with("kern.") || key == "kernel.osrelease")
        && key.len() < 100
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/'));
    is_key.then(|| (key, value.split('#').next().unwrap_or(value)))
}

/// The keys whose bare values the commands of a line print, `cat FILE ...; sysctl -n KEY`, the first of them last; files are those below
/// `/proc/sys/`, and `conntrack -C` prints what such a file has.
fn printed(text: &str) -> Option<Vec<String>> {
    if !["cat ", "conntrack ", "sysctl -n"]
        .iter()
        .any(|c| text.contains(c))
    {
        return None;
    }
    let typed = behind_prompt(text).unwrap_or(text);
    let mut keys: Vec<String> = elsewhere::parts(typed)
        .filter_map(files)
        .flatten()
        .collect();
    keys.reverse();
    (!keys.is_empty()).then_some(keys)
}

/// The keys whose bare values one command prints.
fn files(command: &str) -> Option<Vec<String>> {
    let mut words = command
        .split_whitespace()
        .skip_while(|word| *word == "sudo");
    let key = |word: &str| Some(word.strip_prefix("/proc/sys/")?.replace('/', "."));
    match words.next()? {
        "cat" => words.map(key).collect(),
        "sysctl" => {
            let bare = ["-n", "-ne", "-en"].contains(&words.next()?);
            let is_key = |word: &&str| word.contains('.') && !word.starts_with('-');
            let keys = words.take_while(is_key).map(str::to_owned);
            bare.then(|| keys.collect())
        }
        "conntrack" => {
            let counts = ["-C", "--count"].contains(&words.next()?) && words.next().is_none();
            counts.then(|| vec!["net.netfilter.nf_conntrack_count".to_owned()])
        }
        _ => None,
    }
}

/// Whether a line may be the bare value of a key: whole numbers and nothing else, or the name of a congestion control.
fn is_value(key: &str, text: &str) -> bool {
    let control = CONTROLS.contains(&key) && crate::known::control(text).is_some();
    control || text.split_whitespace().all(|word| whole(word).is_some())
}

/// Of a file below `/proc/sys/`: `echo VALUE > FILE`, or what `grep . FILE ...` prints, `FILE:VALUE`.
fn of_file<'a>(before: &'a str, rest: &'a str) -> Option<(String, &'a str)> {
    let (file, value) = match before.strip_prefix("echo") {
        Some(value) => (rest, value.trim().trim_end_matches('>').trim()),
        None if before.is_empty() => rest.split_once([':', '='])?,
        None => return None,
    };
    let key = file.split_whitespace().next()?.replace('/', ".");
    key.starts_with("net.").then_some((key, value))
}
