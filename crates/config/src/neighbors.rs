//! What devices say of their neighbours: `show cdp neighbors detail`, `show lldp neighbors`. They show which port is at
//! the other end of which cable.

use std::collections::BTreeSet;

use crate::dialect::Dialect;
use crate::ios::full_name;
pub use crate::neighbor::Neighbor;
use crate::report::{Fault, Report};
use crate::source::{Place, Source};

/// Beginnings of lines that only such listings have.
const SIGNS: [&str; 6] = [
    "Device ID:",
    "Device-ID:",
    "Local Intf:",
    "Port (Our Port):",
    "Local Interface ",
    "Capability Codes:",
];

/// Whether a line is one of a listing of neighbours.
pub(crate) fn is_sign(line: &str) -> bool {
    SIGNS.iter().any(|s| line.starts_with(s)) || asks(line)
}

/// Whether a line is the command itself, or ends with it.
fn asks(line: &str) -> bool {
    ["show cdp nei", "show lldp nei", "sh cdp nei", "sh lldp nei"]
        .iter()
        .any(|c| line.contains(c))
}

/// Reads the listings among `sources`.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    for number in report.files_in(&[Dialect::Neighbors]) {
        let mut listing = Listing::new(number);
        for line in sources[number].text.split_inclusive('\n') {
            listing.line(line);
        }
        listing.end_entry();
        let file = &mut report.files[number];
        file.recognised = listing.found.len();
        file.faults = listing.faults;
        report.neighbors.append(&mut listing.found);
    }
}

/// What follows is read as.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// An entry of several lines for each neighbour.
    Detail,
    /// Junos: a line for each.
    Table,
    /// IOS without `detail`: names are cut off there.
    Cut,
}

struct Listing {
    file: usize,
    at: usize,
    form: Form,
    asked: Option<String>,
    /// Of the entry that is being read: where it begins, port, device, the device's port.
    entry: (usize, Option<String>, Option<String>, Option<String>),
    found: Vec<Neighbor>,
    faults: Vec<Fault>,
}

impl Listing {
    fn new(file: usize) -> Listing {
        Listing {
            file,
            at: 0,
            form: Form::Detail,
            asked: None,
            entry: (0, None, None, None),
            found: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn line(&mut self, whole: &str) {
        let line = whole.trim();
        if asks(line) {
            self.end_entry();
            self.form = Form::Detail;
            let name = line.split(['#', '>']).next().unwrap_or_default();
            let name = name.rsplit('@').next().unwrap_or(name).trim();
            self.asked = (!name.is_empty() && !asks(name)).then(|| name.to_owned());
        } else if line.starts_with("Local Interface ") {
            self.form = Form::Table;
        } else if line.starts_with("Device ID ") && line.contains("Local Int") {
            self.form = Form::Cut;
            self.fault("a listing without `detail` cuts names off");
        } else {
            match self.form {
                Form::Detail => self.detail(line),
                Form::Table => self.row(line),
                Form::Cut => {}
            }
        }
        self.at += whole.len();
    }

    /// A line of an entry. IOS begins one with the device (CDP) or the port (LLDP), CatOS with the port.
    fn detail(&mut self, line: &str) {
        let value = |key: &str| line.strip_prefix(key).map(|v| v.trim().to_owned());
        if let Some(device) = value("Device ID:") {
            self.begin();
            self.entry.2 = Some(device);
        } else if let Some(port) = value("Local Intf:").or_else(|| value("Port (Our Port):")) {
            self.begin();
            self.entry.1 = Some(port);
        } else if let Some(device) = value("Device-ID:").or_else(|| value("System Name:")) {
            self.entry.2 = Some(device);
        } else if let Some(port) = value("Port id:") {
            self.entry.3 = Some(port);
        } else if line.starts_with("Port-ID (") {
            self.entry.3 = line.split_once("):").map(|(_, p)| p.trim().to_owned());
        } else if let Some(ports) = value("Interface:") {
            let (own, far) = ports.split_once(',').unwrap_or((&ports, ""));
            self.entry.1 = Some(own.trim().to_owned());
            self.entry.3 = far.rsplit_once(':').map(|(_, p)| p.trim().to_owned());
        }
    }

    fn row(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [port, _, .., far_port, device] = words[..]
            && port.contains('/')
        {
            let owned = |word: &str| Some(word.to_owned());
            self.entry = (self.at, owned(port), owned(device), owned(far_port));
            self.end_entry();
        }
    }

    fn begin(&mut self) {
        self.end_entry();
        self.entry = (self.at, None, None, None);
    }

    /// Keeps the entry if it names both ends.
    fn end_entry(&mut self) {
        if let (at, Some(port), Some(device), Some(far_port)) = core::mem::take(&mut self.entry) {
            self.found.push(Neighbor {
                place: Place {
                    file: self.file,
                    span: at..at,
                },
                asked: self.asked.clone(),
                port,
                device,
                far_port,
            });
        }
    }

    fn fault(&mut self, message: &str) {
        self.faults.push(Fault {
            place: Place {
                file: self.file,
                span: self.at..self.at,
            },
            message: message.to_owned(),
            remedy: "give `show cdp neighbors detail` or `show lldp neighbors detail`".to_owned(),
        });
    }
}

/// A port's name in one form, whichever way it is shortened; without its unit.
pub fn port_name(written: &str) -> String {
    let joined: String = written.split_whitespace().collect();
    let whole = joined.split_once('.').map_or(&*joined, |(port, _)| port);
    full_name(whole).to_ascii_lowercase()
}

/// Whether a device that says it is `said` is the one its file names `name`: without its domain, on CatOS the name in
/// parentheses behind the serial number.
pub fn is_device(said: &str, name: &str) -> bool {
    let inner = said
        .split_once('(')
        .map(|(_, name)| name.trim_end_matches(')'));
    let bare = |name: &str| {
        let name = name.split('.').next().unwrap_or(name);
        name.to_ascii_lowercase()
    };
    [Some(said), inner]
        .into_iter()
        .flatten()
        .any(|s| bare(s) == bare(name))
}

/// The one other device of `names` that the description of a port names, and the one port of it, in the form of
/// [`port_name`], where the description has it. `own` is the number of the port's device.
pub fn described<'p>(
    text: &str,
    own: usize,
    names: &[&str],
    ports_of: impl Fn(usize) -> Vec<&'p str>,
) -> Option<(usize, Option<String>)> {
    let is_apart = |c: char| !(c.is_ascii_alphanumeric() || "/-._".contains(c));
    let words: Vec<&str> = text.split(is_apart).filter(|w| !w.is_empty()).collect();
    let named = |m: &usize| *m != own && words.iter().any(|w| is_device(w, names[*m]));
    let all: Vec<usize> = (0..names.len()).filter(named).collect();
    let [to] = all[..] else { return None };
    let pairs = words.windows(2).map(|pair| port_name(&pair.concat()));
    let written: Vec<String> = words.iter().map(|w| port_name(w)).chain(pairs).collect();
    let ports = ports_of(to).into_iter();
    let ports: BTreeSet<&str> = ports.filter(|p| written.iter().any(|w| w == p)).collect();
    let one = ports.first().filter(|_| ports.len() == 1);
    Some((to, one.map(|p| (*p).to_owned())))
}

impl Neighbor {
    /// Whether the device of this name was asked; where the listing does not say which, its file `named` begins with the name.
    pub fn is_of(&self, device: &str, named: &str) -> bool {
        let own = named.rsplit('/').next().unwrap_or(named);
        match &self.asked {
            Some(asked) => is_device(asked, device),
            None => own
                .split(['.', '_', '-'])
                .next()
                .is_some_and(|stem| is_device(stem, device)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Option<String>, String, String, String)> {
        let source = Source {
            name: "listing.txt".to_owned(),
            text: text.to_owned(),
        };
        let report = crate::check(&[source], &[]);
        assert_eq!(report.files[0].dialect, Dialect::Neighbors, "{text}");
        assert!(!report.failed(), "{text}");
        let all = report.neighbors.into_iter();
        all.map(|n| {
            (
                n.asked,
                port_name(&n.port),
                n.device,
                port_name(&n.far_port),
            )
        })
        .collect()
    }

    #[test]
    fn listings_of_each_system_name_both_ports() {
        let one = |asked: &str, port: &str, device: &str, far: &str| {
            let own = str::to_owned;
            vec![(Some(own(asked)), own(port), own(device), own(far))]
        };
        for (text, expected) in [
            (
                "sw1#show cdp neighbors detail\n-------------------------\nDevice ID: ams.example.net\nEntry address(es): \n  IP address: 192.0.2.1\nPlatform: cisco 7206VXR,  Capabilities: Router \nInterface: GigabitEthernet1/1,  Port ID (outgoing port): GigabitEthernet0/1\nHoldtime : 137 sec\n",
                one(
                    "sw1",
                    "gigabitethernet1/1",
                    "ams.example.net",
                    "gigabitethernet0/1",
                ),
            ),
            (
                "sw2> (enable) show cdp neighbors detail\nPort (Our Port): 3/1\nDevice-ID: ams\nDevice Addresses:\n  IP Address: 192.0.2.1\nHoldtime: 150 sec\nPlatform: cisco 7206\nPort-ID (Port on Neighbors's Device): GigabitEthernet0/1\n",
                one("sw2", "3/1", "ams", "gigabitethernet0/1"),
            ),
            (
                "sw1#show lldp neighbors detail\n------------------------------------------------\nLocal Intf: Gi1/1\nChassis id: 0011.2233.4455\nPort id: Gi0/1\nPort Description: to sw1\nSystem Name: ams\n",
                one("sw1", "gigabitethernet1/1", "ams", "gigabitethernet0/1"),
            ),
            (
                "op@chi> show lldp neighbors \nLocal Interface    Parent Interface    Chassis Id          Port info          System Name\nge-0/0/0           -                   00:11:22:33:44:55   Gi1/2              sw1\n",
                one("chi", "ge-0/0/0", "sw1", "gigabitethernet1/2"),
            ),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_listing_that_cuts_names_off_is_refused() {
        let text = "sw1#show cdp neighbors\nDevice ID        Local Intrfce     Holdtme    Capability  Platform  Port ID\nams.example.net  Gig 1/1           137        R           7206      Gig 0/1\n";
        let source = Source {
            name: "listing.txt".to_owned(),
            text: text.to_owned(),
        };
        let report = crate::check(&[source], &[]);
        let fault = &report.files[0].faults[0];
        assert!(fault.remedy.contains("detail"), "{fault:?}");
    }

    #[test]
    fn a_device_is_known_by_any_of_its_names() {
        assert!(is_device("AMS.example.net", "ams"));
        assert!(is_device("TBA04251336(sw2)", "sw2"));
        assert!(!is_device("ams2", "ams"));
    }
}
