//! What PowerShell prints of a Windows host: `Get-NetAdapter`, `Get-NetAdapterStatistics`, and `Get-NetTCPSetting` as a table.

mod chosen;

use super::frames::UNSENT;
use super::modes::{Duplexed, Negotiated};
use super::windows::tuned;
use super::{Facts, Line, NOTES_MAX, PORT, Tool};
use crate::fact::{Of, Place};
use crate::figures::bps;
use crate::interfaces::counter::{Counter, Link, Unit, Way};
use crate::words::{rate, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct PowerShell {
    host: Option<Of>,
    /// The table that is read, and the heads of its columns behind the first.
    table: Table,
    columns: Vec<String>,
    /// The adapter that a list is of.
    name: String,
    /// Adapters that have a link.
    up: Vec<Adapter>,
    /// Hosts with several of them.
    several: Vec<(Of, Vec<Adapter>)>,
    /// The command above asks by which adapter a host is reached, and the one that it named first.
    routes: bool,
    used: Option<String>,
}

/// Which table is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Table {
    #[default]
    None,
    Adapters,
    /// Columns of adapters that somebody chose.
    Chosen,
    Statistics,
    Settings,
}

/// An adapter with a link.
#[derive(Clone, Debug, PartialEq)]
struct Adapter {
    name: String,
    /// What it is, as far as the table has room for that.
    described: String,
    /// Its speed, bit/s.
    bps: f64,
    at: Place,
}

/// Commands whose output is read here.
const COMMANDS: [&str; 2] = ["get-netadapter", "get-netadapterstatistics"];

/// Commands that say by which adapter a host is reached.
const ROUTES: [&str; 3] = ["find-netroute", "test-netconnection", "tnc"];

/// Templates of TCP's settings, and the one that Windows 10 and its servers use.
const TEMPLATES: [&str; 7] = [
    IN_FORCE,
    "Automatic",
    "InternetCustom",
    "DatacenterCustom",
    "Datacenter",
    "Compat",
    "Custom",
];
const IN_FORCE: &str = "Internet";

/// Counters of errors, and what they are counted as.
const COUNTERS: [(&str, (&str, &str)); 4] = [
    ("ReceivedDiscardedPackets", ("nic_dropped", "RX.dropped")),
    ("ReceivedPacketErrors", ("nic_damaged", "RX.errors")),
    ("OutboundDiscardedPackets", ("queue_drops", "TX.dropped")),
    ("OutboundPacketErrors", ("nic_unsent", UNSENT)),
];

/// Counters of what passed.
const PASSED: [(&str, Counter); 4] = [
    ("ReceivedBytes", (TOOL, Way::Received, Unit::Bytes)),
    (
        "ReceivedUnicastPackets",
        (TOOL, Way::Received, Unit::Packets),
    ),
    ("SentBytes", (TOOL, Way::Sent, Unit::Bytes)),
    ("SentUnicastPackets", (TOOL, Way::Sent, Unit::Packets)),
];
const TOOL: &str = "powershell";

/// What `Status` may be.
const STATES: [&str; 4] = ["Up", "Disconnected", "Disabled", "Not"];

/// Words of adapters that another one carries, or none.
const VIRTUAL: [&str; 8] = [
    "virtual",
    "vethernet",
    "loopback",
    "bluetooth",
    "wireguard",
    "tap-",
    "vpn",
    "npcap",
];

/// Words of adapters by radio.
const RADIO: [&str; 3] = ["wi-fi", "wireless", "wlan"];

impl Tool for PowerShell {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if asks(text, &COMMANDS) {
            self.begins(going, facts);
            return true;
        }
        if asks(text, &ROUTES) {
            self.begins(going, facts);
            self.routes = true;
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if let Some(table) = head(&words) {
            self.begins(going, facts);
            self.table = table;
            let behind = usize::from(table != Table::Chosen);
            self.columns = words[behind..].iter().map(|w| (*w).to_owned()).collect();
            return true;
        }
        if let Some((key, value)) = text.split_once(" :") {
            return self.list((key.trim(), value.trim()), going, at, facts);
        }
        match self.table {
            _ if !going => false,
            Table::None => false,
            Table::Adapters => self.adapter(text, at, facts),
            Table::Chosen => self.chosen(&words, at, facts),
            Table::Statistics => self.statistics(&words, text, at, facts),
            Table::Settings => self.settings(&words, at, facts),
        }
    }

    fn held(&self) -> usize {
        self.up.len().min(1)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.settle(facts);
        for (host, all) in core::mem::take(&mut self.several) {
            let is_used = |a: &&Adapter| self.used.as_ref() == Some(&a.name);
            match all.iter().find(is_used) {
                Some(used) => takes(host, used, facts),
                None => leaves(&all, facts),
            }
        }
    }
}

impl PowerShell {
    /// Another command or table begins.
    fn begins(&mut self, going: bool, facts: &mut Facts) {
        self.settle(facts);
        self.host = self.host.filter(|h| going && facts.may_be_here(*h));
        (self.table, self.columns) = (Table::None, Vec::new());
        self.routes = false;
        self.name.clear();
    }

    /// The host whose lines are read.
    fn host(&mut self, at: Place, facts: &mut Facts) -> Of {
        if let Some(host) = self.host {
            return host;
        }
        let host = facts.host();
        facts.word(host, "system", "windows", at);
        self.host = Some(host);
        host
    }

    /// `Ethernet  Intel(R) Ethernet Connection I219-V  12 Up  00-00-5E-00-53-01  1 Gbps`.
    fn adapter(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_state = |n: &usize| whole(words[*n]).is_some() && STATES.contains(&words[n + 1]);
        let last = words.len().saturating_sub(1);
        let Some(n) = (1..last).rfind(is_state) else {
            return false;
        };
        let [.., value, unit] = words[..] else {
            return false;
        };
        let Some(speed) = rate(&format!("{}{unit}", value.replace(',', "."))) else {
            return true;
        };
        let name = crate::redact(text.split("  ").next().unwrap_or(text));
        let up = words[n + 1] == STATES[0];
        let host = self.host(at, facts);
        facts.links(host, &name, Link::of(up));
        if up && speed > 0.0 {
            let described = words[..n].join(" ").to_ascii_lowercase();
            self.up.push(Adapter {
                name,
                described,
                bps: speed,
                at,
            });
        }
        true
    }

    /// `Ethernet  1 Gbps  True`.
    fn chosen(&mut self, words: &[&str], at: Place, facts: &mut Facts) -> bool {
        let Some(row) = chosen::row(&self.columns, words) else {
            return false;
        };
        let name = crate::redact(&row.name);
        let host = self.host(at, facts);
        let up = row.up.unwrap_or(row.bps != Some(0.0));
        facts.links(host, &name, Link::of(up));
        if let Some(full) = row.full.filter(|_| up) {
            self.duplex(&name, full, at, facts);
        }
        if let Some(bps) = row.bps.filter(|bps| up && *bps > 0.0) {
            self.up.push(Adapter {
                described: name.to_ascii_lowercase(),
                name,
                bps,
                at,
            });
        }
        true
    }

    /// Whether an adapter is at full duplex.
    fn duplex(&mut self, name: &str, full: bool, at: Place, facts: &mut Facts) {
        let host = self.host(at, facts);
        if !full {
            facts.word(host, "half_duplex", "half", at);
        }
        if let Of::Host(host) = host {
            facts.duplexes.push(Duplexed {
                host,
                name: name.to_owned(),
                half: !full,
                at,
            });
        }
    }

    /// `Ethernet  86463187713  61063113  82063173471  60211337`.
    fn statistics(&mut self, words: &[&str], text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(names) = words.len().checked_sub(self.columns.len()) else {
            return false;
        };
        let numbers: Option<Vec<u64>> = words[names..].iter().map(|w| whole(w)).collect();
        let Some(numbers) = numbers.filter(|_| names > 0) else {
            return false;
        };
        let name = crate::redact(text.split("  ").next().unwrap_or(text));
        let host = self.host(at, facts);
        for (column, n) in self.columns.iter().zip(numbers) {
            if let Some((_, counter)) = PASSED.iter().find(|(head, _)| head == column) {
                facts.passes(host, &name, *counter, n, at);
            }
        }
        true
    }

    /// `Internet  Normal  CUBIC`: templates without a value in each column are left.
    fn settings(&mut self, words: &[&str], at: Place, facts: &mut Facts) -> bool {
        let fits = words.len() <= self.columns.len() + 1;
        if !fits || !words.first().is_some_and(|w| TEMPLATES.contains(w)) {
            return false;
        }
        if words.len() == self.columns.len() + 1 && words[0] == IN_FORCE {
            let host = self.host(at, facts);
            for (column, value) in self.columns.iter().zip(&words[1..]) {
                match column.as_str() {
                    "AutoTuningLevelLocal" => tuned(host, value, at, facts),
                    "CongestionProvider" => {
                        if let Some(cc) = crate::known::control(value) {
                            facts.word(host, "cc", cc, at);
                        }
                    }
                    _ => {}
                }
            }
        }
        true
    }

    /// A line of `Format-List`: `ReceivedDiscardedPackets : 12`.
    fn list(
        &mut self,
        (key, value): (&str, &str),
        going: bool,
        at: Place,
        facts: &mut Facts,
    ) -> bool {
        let counter = COUNTERS.iter().find(|(name, _)| *name == key);
        let passed = PASSED.iter().find(|(name, _)| *name == key);
        let known = counter.is_some() || passed.is_some();
        let names = ["ifAlias", "InterfaceAlias"].contains(&key);
        let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric());
        if self.routes && going && is_key {
            if key == "InterfaceAlias" {
                self.used.get_or_insert_with(|| crate::redact(value));
            }
            return true;
        }
        if !(known || names || going && is_key && key != "SettingName") {
            return false;
        }
        if !going {
            self.begins(false, facts);
        }
        if names || key == "Name" {
            self.name = crate::redact(value);
            return true;
        }
        match (counter, passed, whole(value)) {
            (Some((_, counter)), _, Some(n)) => {
                let host = self.host(at, facts);
                facts.counted(host, &self.name, *counter, n, at);
            }
            (_, Some((_, counter)), Some(n)) => {
                let host = self.host(at, facts);
                facts.passes(host, &self.name, *counter, n, at);
            }
            _ => self.says((key, value), at, facts),
        }
        true
    }

    /// What a list says of an adapter's link.
    fn says(&mut self, (key, value): (&str, &str), at: Place, facts: &mut Facts) {
        match (key, rate(&value.replace(' ', ""))) {
            ("LinkSpeed", Some(speed)) if speed > 0.0 => {
                self.host(at, facts);
                self.up.push(Adapter {
                    name: self.name.clone(),
                    described: self.name.to_ascii_lowercase(),
                    bps: speed,
                    at,
                });
            }
            ("FullDuplex", _) if ["True", "False"].contains(&value) => {
                let name = self.name.clone();
                self.duplex(&name, value == "True", at, facts);
            }
            _ => {}
        }
    }

    /// A table is over: the only adapter with a link that no other one carries. Which of several the flow uses another command may say.
    fn settle(&mut self, facts: &mut Facts) {
        let mut real = core::mem::take(&mut self.up);
        real.retain(|adapter| !adapter.is_of(&VIRTUAL));
        let Some(first) = real.first() else {
            return;
        };
        let host = self.host(first.at, facts);
        match real.len() {
            1 => takes(host, first, facts),
            _ => self.several.push((host, real)),
        }
    }
}

impl Adapter {
    /// Whether its name or its kind has one of these words.
    fn is_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.described.contains(word))
    }
}

/// The adapter that a host's flows use.
fn takes(host: Of, adapter: &Adapter, facts: &mut Facts) {
    facts.word(host, PORT, &adapter.name, adapter.at);
    if adapter.is_of(&RADIO) {
        facts.exact(host, "radio_sends_bps", adapter.bps, adapter.at);
        return;
    }
    facts.exact(host, "nic_bps", adapter.bps, adapter.at);
    facts.negotiated.push(Negotiated {
        name: adapter.name.clone(),
        at: Some(adapter.at),
        ..Negotiated::default()
    });
}

/// Says that nothing says which of several adapters a flow uses.
fn leaves(all: &[Adapter], facts: &mut Facts) {
    let each = all.iter().map(|a| format!("{} {}", a.name, bps(a.bps)));
    let each: Vec<String> = each.collect();
    if let Some(first) = all.first().filter(|_| facts.notes.len() < NOTES_MAX) {
        facts.notes.push(format!(
            "{}: several adapters have a link: {}; which of them the flow uses, Find-NetRoute -RemoteIPAddress HOST says, and none is taken for its line",
            facts.place(first.at),
            each.join(", ")
        ));
    }
}

/// Whether a line is one of these commands, in lower case, behind a prompt of Windows.
pub(super) fn asks(text: &str, commands: &[&str]) -> bool {
    let Some((prompt, command)) = text.split_once('>') else {
        return false;
    };
    let first = command.split_whitespace().next().unwrap_or("");
    let first = first.to_ascii_lowercase();
    prompt.contains(":\\") && commands.contains(&first.as_str())
}

/// The table that a line is the head of.
fn head(words: &[&str]) -> Option<Table> {
    let has = |name: &str| words.contains(&name);
    if chosen::is_head(words) {
        return Some(Table::Chosen);
    }
    match *words.first()? {
        "Name" if has("ifIndex") && has("LinkSpeed") => Some(Table::Adapters),
        "Name" if has("ReceivedBytes") && has("SentBytes") => Some(Table::Statistics),
        "SettingName" if words.len() > 1 && !has(":") => Some(Table::Settings),
        _ => None,
    }
}
