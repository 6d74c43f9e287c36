//! `Get-SmbMultichannelConnection` of Windows: over which pairs of interfaces a client of SMB reaches its server, which of them are selected, how
//! many connections each has, and whether the client's interface spreads what arrives over several processors.

use super::powershell::asks;
use super::{Facts, Line, NOTES_MAX, RSS_OFF, Tool};
use crate::fact::{Of, Place};
use crate::figures::bps;
use crate::words::{rate, whole};

/// The command, in lower case.
const COMMAND: [&str; 1] = ["get-smbmultichannelconnection"];

/// Most pairs of interfaces that are kept.
const PAIRS_MAX: usize = 64;

/// More connections than this no pair has: a choice, far above what Windows allows.
const CHANNELS_MAX: u64 = 10_000;

/// What a list has of each pair, in lower case.
const KEYS: [&str; 19] = [
    "servername",
    "selected",
    "failed",
    "failurecount",
    "clientipaddress",
    "serveripaddress",
    "clientinterfaceindex",
    "serverinterfaceindex",
    "clientinterfacefriendlyname",
    "clientlinkspeed",
    "serverlinkspeed",
    "clientrsscapable",
    "clientrdmacapable",
    "serverrsscapable",
    "serverrdmacapable",
    "maxchannels",
    "currentchannels",
    "smbinstance",
    "pscomputername",
];

/// The state of reading.
#[derive(Default)]
pub(super) struct Multichannel {
    host: Option<Of>,
    /// Rows of the table follow.
    table: bool,
    pairs: Vec<Pair>,
}

/// An interface of the client and one of the server.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    at: Place,
    server: String,
    client: String,
    selected: bool,
    /// Whether the client's interface spreads what arrives.
    rss: Option<bool>,
    /// The speed of the client's, bit/s, where it is said.
    bps: Option<f64>,
    /// The connections that it has.
    channels: Option<u64>,
}

impl Pair {
    fn new(server: &str, at: Place) -> Pair {
        Pair {
            at,
            server: crate::redact(server),
            client: String::new(),
            selected: false,
            rss: None,
            bps: None,
            channels: None,
        }
    }

    /// A line of a list.
    fn says(&mut self, key: &str, value: &str) {
        match key {
            "selected" => self.selected = value == "True",
            "clientipaddress" => self.client = crate::redact(value),
            "clientrsscapable" => self.rss = yes(value),
            "currentchannels" => self.channels = whole(value).filter(|n| *n <= CHANNELS_MAX),
            "clientlinkspeed" => self.bps = speed(value),
            _ => {}
        }
    }
}

/// `True` or `False`.
fn yes(value: &str) -> Option<bool> {
    match value {
        "True" => Some(true),
        "False" => Some(false),
        _ => None,
    }
}

/// `10 Gbps`, or the bit/s alone.
fn speed(value: &str) -> Option<f64> {
    let bare = whole(value).map(|n| n as f64);
    bare.or_else(|| rate(&value.replace(' ', "")))
        .filter(|bps| *bps > 0.0)
}

impl Tool for Multichannel {
    fn name(&self) -> &'static str {
        "smb multichannel"
    }

    /// `Server Name Selected Client IP Server IP Client Interface Index …` and `fs01 True 192.0.2.10 192.0.2.20 12 14 True False`; as a list
    /// `ServerName : fs01`, behind the command.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if asks(text, &COMMAND) {
            self.settle(facts);
            return true;
        }
        if text.starts_with("Server Name ") && text.contains(" Client RSS Capable") {
            if !going {
                self.settle(facts);
            }
            self.table = true;
            return true;
        }
        if !going {
            return false;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if self.table {
            return self.row(&words, line.at);
        }
        let Some((key, value)) = text.split_once(" :") else {
            return false;
        };
        let key = key.trim().to_ascii_lowercase();
        let value = value.trim();
        if key == "servername" && self.pairs.len() < PAIRS_MAX {
            self.pairs.push(Pair::new(value, line.at));
        } else if let Some(last) = self.pairs.last_mut() {
            last.says(&key, value);
        }
        KEYS.contains(&key.as_str())
    }

    fn held(&self) -> usize {
        self.pairs.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.settle(facts);
    }
}

impl Multichannel {
    /// A row of the table, or the rule below its head: server, selected, two addresses, two numbers of interfaces, and whether the client's has
    /// RSS and RDMA.
    fn row(&mut self, words: &[&str], at: Place) -> bool {
        if words.iter().all(|w| w.bytes().all(|b| b == b'-')) {
            return true;
        }
        let [server, selected, client, _, first, second, rss, _] = words else {
            return false;
        };
        let (Some(selected), Some(rss)) = (yes(selected), yes(rss)) else {
            return false;
        };
        let numbers = whole(first).is_some() && whole(second).is_some();
        if numbers && self.pairs.len() < PAIRS_MAX {
            self.pairs.push(Pair {
                selected,
                client: crate::redact(client),
                rss: Some(rss),
                ..Pair::new(server, at)
            });
        }
        numbers
    }

    /// What was read is over.
    fn settle(&mut self, facts: &mut Facts) {
        self.table = false;
        let all = core::mem::take(&mut self.pairs);
        let own: Vec<&Pair> = all.iter().filter(|pair| pair.selected).collect();
        let Some(first) = own.first() else {
            return;
        };
        let host = facts.host_again(&mut self.host);
        facts.word(host, "system", "windows", first.at);
        if let Some(without) = own.iter().find(|pair| pair.rss == Some(false)) {
            let name = format!("the interface with {}", without.client);
            facts.word(host, RSS_OFF, &name, without.at);
        }
        // Of several interfaces one connection has one, and which is not said.
        if let ([only], Some(speed)) = (&own[..], first.bps) {
            facts.exact(host, "nic_bps", speed, only.at);
        }
        if facts.notes.len() < NOTES_MAX {
            let note = format!("{}: {}", facts.place(first.at), in_words(&own, all.len()));
            facts.notes.push(note);
        }
    }
}

/// How a client reaches its server, for people: `own` are the pairs that are selected, of so many. Without RSS and RDMA a client has one
/// connection for each pair, with RSS up to four (Microsoft, "Manage SMB Multichannel").
fn in_words(own: &[&Pair], all: usize) -> String {
    let server = own.first().map_or("", |pair| pair.server.as_str());
    let counted: Option<u64> = own.iter().map(|pair| pair.channels).sum();
    let connections = counted.map_or_else(String::new, |n| format!(", with {n} connections"));
    let slowest = own.iter().filter_map(|pair| pair.bps).reduce(libm::fmin);
    let speed = slowest.map_or_else(String::new, |slowest| {
        format!(", the slowest of them at {}", bps(slowest))
    });
    let spreads = match own.iter().any(|pair| pair.rss == Some(false)) {
        true => {
            ". Where the client's interface has no RSS, a pair has one connection, and one processor of the client receives for it. With RSS it has up to four"
        }
        false => "",
    };
    format!(
        "SMB to {server} goes over {} of {all} pairs of interfaces{speed}{connections}{spreads}",
        own.len()
    )
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::read::RSS_OFF;
    use crate::read::taken::whole;

    const COMMAND: &str = "PS C:\\> Get-SmbMultichannelConnection";

    #[test]
    fn the_table_says_which_pairs_are_selected_and_which_interfaces_spread_nothing() {
        let table = "Server Name Selected Client IP    Server IP   Client Interface Index Server Interface Index Client RSS Capable Client RDMA Capable\n----------- -------- ---------    ---------   ---------------------- ---------------------- ------------------ -------------------\nfs01        True     192.0.2.10   192.0.2.20  12                     14                     False              False\nfs01        False    192.0.2.11   192.0.2.20  13                     14                     True               False\n";
        let (facts, all) = whole(&format!("{COMMAND}\n\n{table}"));
        assert!(all, "{:?}", facts.ignored);
        let off = word(&facts, Of::Host(0), RSS_OFF).map(|(name, _)| name);
        assert_eq!(off, Some("the interface with 192.0.2.10"));
        let notes = facts.notes.join("\n");
        assert!(
            notes.contains("SMB to fs01 goes over 1 of 2 pairs"),
            "{notes}"
        );
        assert!(notes.contains("one connection"), "{notes}");
        // An interface that is not selected says nothing of the way.
        let other = table.replace("False              False", "True               False");
        let (facts, _) = whole(&format!("{COMMAND}\n\n{other}"));
        assert_eq!(word(&facts, Of::Host(0), RSS_OFF), None);
    }

    #[test]
    fn the_list_has_speeds_and_connections() {
        let list = "ServerName           : fs01\nSelected             : True\nFailed               : False\nClientIpAddress      : 192.0.2.10\nServerIpAddress      : 192.0.2.20\nClientInterfaceIndex : 12\nServerInterfaceIndex : 14\nClientLinkSpeed      : 10000000000\nServerLinkSpeed      : 1 Gbps\nClientRSSCapable     : True\nClientRDMACapable    : False\nMaxChannels          : 4\nCurrentChannels      : 4\n";
        let (facts, all) = whole(&format!("{COMMAND} | fl *\n\n{list}"));
        assert!(all, "{:?}", facts.ignored);
        let speed = number(&facts, Of::Host(0), "nic_bps").map(|n| n.value);
        assert_eq!(speed, Some(10e9));
        let notes = facts.notes.join("\n");
        assert!(notes.contains("with 4 connections"), "{notes}");
        // Without its command such a list is another's.
        let (facts, _) = whole(list);
        assert_eq!(number(&facts, Of::Host(0), "nic_bps"), None);
    }
}
