//! Whose texts are read now: who printed them, and the host that they are about.

use super::label::{self, Label, WINDOWS};
use super::{Described, Facts, Line};
use crate::fact::{Of, Place};
use crate::seen::{Role, Side};

/// A command that starts the client of a test.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The name at its prompt.
    pub(crate) name: String,
    /// The end that its host is; none where the command has no prompt with a name, or tests both ways.
    pub(crate) side: Option<Side>,
    /// The folder that its prompt shows in place of a name.
    pub(crate) folder: Option<String>,
    /// Where it was typed.
    pub(crate) at: Place,
}

/// So many lines below the line that names its host a table begins at most.
const HEAD: u32 = 2;

/// Most ends of shells that are kept.
const SHELLS_MAX: usize = 1000;

impl Facts {
    /// An empty line: what a label named is over, if anything stood under it.
    pub(super) fn label_ends(&mut self) {
        if self.label.used {
            self.label = Label::default();
        }
    }

    /// What follows a line is of another host, or of the same.
    pub(super) fn labels(&mut self, label: Label, at: Place) {
        self.moments.prompt(at, &label.name);
        self.aside.prompt(&label.name);
        (self.mixed_ports, self.mixed_hosts) = (None, None);
        self.label = label;
    }

    /// The end that is said to have printed the line that is read now.
    pub(crate) fn labelled(&self) -> Option<Side> {
        self.label.side.map(|role| role.side(Side::Sender))
    }

    /// The number of the source that is read now.
    fn here(&self) -> u32 {
        self.sources.len().saturating_sub(1) as u32
    }

    /// The source that is read now, and the name at its prompt, which may be empty: behind one prompt several hosts may print.
    pub(crate) fn prompt(&self) -> (u32, String) {
        let name = match self.mixed_hosts {
            Some(_) => String::new(),
            None => self.label.name.clone(),
        };
        (self.here(), name)
    }

    /// Whoever printed the lines that are read now has this address.
    pub(crate) fn printed_at(&mut self, address: &str) {
        let source = self.here();
        if self.shells.len() < SHELLS_MAX {
            let name = self.label.name.clone();
            let address = crate::address(address);
            if self.label.unix && !address.is_empty() {
                self.prompts.unix.insert(address.clone());
            }
            self.shells.insert((source, name, address));
        }
    }

    /// Whoever printed the lines that are read now asked these for something: it is another host.
    pub(crate) fn reached<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let (source, own) = self.prompt();
        // What was typed at a prompt without a name may be of another host than the one whose prompt stands above.
        let room = self.prompts.reached.len() < SHELLS_MAX && !self.label.unnamed;
        for name in names.filter(|n| room && !own.is_empty() && !n.is_empty()) {
            let target = crate::address(name);
            if own == WINDOWS {
                let asked = (source, target.clone());
                self.prompts.by_windows.insert(asked);
            }
            self.prompts.reached.insert((own.clone(), target));
        }
    }

    /// Whoever printed the lines that are read now runs the client of a test, and is that end of it: who calls that host a server means
    /// another service.
    pub(super) fn connects(&mut self, line: Line<'_>, side: Option<Side>) {
        if self.label.side == Some(Role::Server) {
            self.label.side = None;
        }
        if self.prompts.clients.len() >= SHELLS_MAX {
            self.prompts.clients.clear();
        }
        // What stands behind no prompt may be prose.
        let named = label::prompt(line.bare).is_some() && self.label.name != WINDOWS;
        self.prompts.clients.push(Client {
            name: self.label.name.clone(),
            side: side.filter(|_| named),
            folder: label::folder(line.bare).map(str::to_owned),
            at: line.at,
        });
    }

    /// Whoever printed the lines that are read now runs the server of a test.
    pub(super) fn serves(&mut self) {
        if !self.label.name.is_empty() {
            self.prompts.serves.insert(self.label.name.clone());
        }
    }

    /// An interface of whoever printed the lines that are read now has this address.
    pub(super) fn owns(&mut self, address: &str) {
        let (_, own) = self.prompt();
        self.owned_by(&own, address);
    }

    /// The host or pod of this name has this address.
    pub(super) fn owned_by(&mut self, name: &str, address: &str) {
        if !name.is_empty() && self.prompts.owns.len() < SHELLS_MAX {
            let pair = (crate::redact(name), crate::address(address));
            self.prompts.owns.insert(pair);
        }
    }

    /// The default route of whoever printed the lines that are read now leads through this gateway.
    pub(super) fn routes_through(&mut self, gateway: &str) {
        if self.gateways.len() < SHELLS_MAX && self.mixed_hosts.is_none() {
            let pair = (self.label.name.clone(), crate::address(gateway));
            self.gateways.insert(pair);
        }
    }

    /// A text says the name of its host, which no prompt does.
    pub(super) fn names(&mut self, host: Of, name: &str) {
        if let Of::Host(n) = host
            && let Some(names) = self
                .hosts
                .get_mut(n as usize)
                .filter(|names| names.is_empty())
        {
            names.push(crate::redact(name));
        }
    }

    /// Whoever printed the lines that are read now has this name and address.
    pub(crate) fn printed_by(&mut self, name: &str, address: &str) {
        let source = self.here();
        if self.shells.len() < SHELLS_MAX && !name.is_empty() && !address.is_empty() {
            self.shells
                .insert((source, crate::redact(name), address.to_owned()));
        }
    }

    /// Whether the lines that are read now may be of a host: their prompt has no other name.
    pub(super) fn may_be_here(&self, host: Of) -> bool {
        let name = &self.label.name;
        let Of::Host(n) = host else { return false };
        if self.mixed_hosts.is_some() || self.aside.is_mixed(n) {
            return false;
        }
        let names = &self.hosts[n as usize];
        name.is_empty() || name == WINDOWS || names.is_empty() || names.contains(name)
    }

    /// The host that lines which are read now are of: the `known` one, where they may be of that, or a new one, which is known from then on.
    pub(super) fn host_again(&mut self, known: &mut Option<Of>) -> Of {
        let same = known.filter(|host| self.may_be_here(*host));
        let host = same.unwrap_or_else(|| self.host());
        *known = Some(host);
        host
    }

    /// The host of a table that begins here, where the line above it, with an empty one between, names that.
    pub(super) fn headed(&self, at: Place) -> Option<Of> {
        let (above, host) = self.head?;
        at.lines_below(above).filter(|n| *n <= HEAD)?;
        Some(host)
    }

    /// A new host, whom the piece that begins is about.
    pub(crate) fn host(&mut self) -> Of {
        self.host_sources.push(self.here());
        let host = self.hosts.len() as u32;
        if self.mixed_hosts.is_some() {
            self.hosts.push(Vec::new());
            self.sides.push(None);
            self.aside.mixes(host);
            self.leaves_unplaced();
            return Of::Host(host);
        }
        let named = Some(self.label.name.clone()).filter(|n| !n.is_empty() && n != WINDOWS);
        self.hosts.push(named.into_iter().collect());
        let by_file = self.sources.last().and_then(|name| label::role_of(name));
        self.sides.push(self.label.side.or(by_file));
        self.aside.host(host);
        Of::Host(host)
    }

    /// The host whose settings begin here: that of the `uname` before them, if there was one.
    pub(crate) fn settings_of(&mut self) -> Of {
        self.described(Described::System, Described::Settings)
    }

    /// The host whose `uname` stands here: that of the settings before it, if they had none.
    pub(crate) fn system_of(&mut self) -> Of {
        self.described(Described::Settings, Described::System)
    }

    /// A host of which the one thing was said in this source and the other is now; else a new one.
    fn described(&mut self, before: Described, now: Described) -> Of {
        let source = self.sources.len() as u32;
        let of_label = |host: Of| match host {
            Of::Host(n) if self.mixed_hosts.is_none() && !self.aside.is_mixed(n) => {
                let name = &self.label.name;
                let names = &self.hosts[n as usize];
                let system = self.latest_word(host, "system").map(|(word, _)| word);
                let of_kind = (name == WINDOWS) == (system == Some("windows"));
                let fits = names.is_empty() && of_kind && !self.described_unnamed;
                (name.is_empty() || fits || names.contains(name))
                    && [None, self.sides[n as usize]].contains(&self.label.side)
            }
            _ => false,
        };
        if let Some((in_source, host, what)) = self.described
            && in_source == source
            && what == before
            && of_label(host)
        {
            self.described = Some((source, host, Described::Both));
            return host;
        }
        let host = self.host();
        self.described_unnamed = self.label.unix && self.label.name.is_empty();
        self.described = Some((source, host, now));
        host
    }
}
