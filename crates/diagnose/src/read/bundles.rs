//! `show etherchannel summary` of IOS, `show port-channel summary` of NX-OS and EOS, and `show port-channel` of EOS: which members of a
//! group of links carry something.

use super::{Facts, Line, Tool, channels};
use crate::fact::Place;
use crate::words::{behind_show, shortens};

/// A member of a group of links, as a text has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// The host whose bond it is of; none of a router or switch.
    pub(crate) host: Option<u32>,
    /// The router or switch; empty where nothing names it.
    pub(crate) device: String,
    /// The bond or port channel; empty where nothing names it.
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) at: Place,
}

/// What a member does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It carries its part.
    Up,
    /// It has no link.
    Down,
    /// Its own end keeps it out of the group.
    Suspended,
    /// It has not agreed with its other end that it is of the group.
    Alone,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Bundles {
    router: String,
    /// The port channel whose members are read.
    group: String,
    /// Whether members that are listed carry something, where EOS lists them below a heading.
    active: Option<bool>,
    /// The next line is what the router hashes.
    hash: bool,
}

/// What lines begin with that head a table, or say more of a port channel.
const HEADS: [&str; 10] = [
    "Flags",
    "Group ",
    "Channel",
    "Number of ",
    "Port-Channel ",
    "Port ",
    "Minimum links",
    "Minimum speed",
    "Current weight",
    "No Active Ports",
];

/// The headings of EOS.
const ACTIVE: &str = "Active Ports:";
const INACTIVE: &str = "Configured, but inactive ports:";

impl Tool for Bundles {
    fn name(&self) -> &'static str {
        "port channels"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some(router) = asks(text) {
            *self = Bundles {
                router: crate::redact(router),
                ..Bundles::default()
            };
            return true;
        }
        let named = row(text).or_else(|| heading(text));
        if named.is_some() && !going {
            *self = Bundles::default();
        }
        if let Some((group, members)) = named {
            self.group = crate::redact(group);
            self.active = None;
            self.table(members, at, facts);
            return true;
        }
        if !going {
            return false;
        }
        if self.hashes(text, facts) {
            return true;
        }
        if text == INACTIVE {
            self.active = Some(false);
            return true;
        }
        if let Some(ports) = text.strip_prefix(ACTIVE) {
            self.active = Some(true);
            for port in ports.split_whitespace() {
                self.has(port, State::Up, at, facts);
            }
            return true;
        }
        if self.listed(text, at, facts) {
            return true;
        }
        // Members of a row that did not fit into it.
        let mut words = text.split_whitespace();
        if !self.group.is_empty() && words.all(|word| member(word).is_some()) {
            self.table(text, at, facts);
            return true;
        }
        is_legend(text) || HEADS.iter().any(|head| text.starts_with(head))
    }
}

impl Bundles {
    /// Takes the members of a row: `Gi0/0(s)    Gi0/1(P)`.
    fn table(&self, members: &str, at: Place, facts: &mut Facts) {
        for (name, flags) in members.split_whitespace().filter_map(member) {
            if let Some(state) = state(flags) {
                self.has(name, state, at, facts);
            }
        }
    }

    /// Takes what the router hashes, below its heading, and what that command says besides.
    fn hashes(&mut self, text: &str, facts: &mut Facts) -> bool {
        let below = core::mem::replace(&mut self.hash, text == channels::HASHES);
        let is_one = below && channels::is_hash(text);
        if is_one {
            facts.channels.hashes(&self.router, text);
        }
        is_one || self.hash || channels::is_per_protocol(text)
    }

    /// A member below a heading of EOS: `Ethernet13    Waiting for LACP response`. A peer's ports are in its own text.
    fn listed(&self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(active) = self.active else {
            return false;
        };
        let (name, reason) = text.split_once(' ').unwrap_or((text, ""));
        let place = name.trim_start_matches("Peer").strip_prefix("Ethernet");
        if !place.is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit())) {
            return false;
        }
        let reason = reason.to_ascii_lowercase();
        let state = match active {
            true => State::Up,
            false if reason.contains("lacp") => State::Alone,
            false if reason.contains("down") => State::Down,
            false => State::Suspended,
        };
        if !name.starts_with("Peer") {
            self.has(name, state, at, facts);
        }
        true
    }

    fn has(&self, name: &str, state: State, at: Place, facts: &mut Facts) {
        facts.bundles(Member {
            host: None,
            device: self.router.clone(),
            group: self.group.clone(),
            name: crate::redact(name),
            state,
            at,
        });
    }
}

/// The router whose command a line is: `sw1#sh etherchannel summary`, `leaf1>show port-channel 5 detailed`.
fn asks(text: &str) -> Option<&str> {
    let (router, mut words) = behind_show(text)?;
    let what = words.next()?;
    let known = shortens(what, "etherchannel", 5) || shortens(what, "port-channel", 6);
    let router = router.rsplit(['@', ':']).next().unwrap_or("");
    let plain = !router.contains(char::is_whitespace);
    (plain && known).then_some(router)
}

/// The port channel and the members of a row: `1      Po1(SU)         LACP      Gi0/0(s)    Gi0/1(P)`, `Po146(D)    LACP(aF*)   Et43(D)`.
fn row(text: &str) -> Option<(&str, &str)> {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let (head, members) = behind.trim_start().split_once(' ')?;
    let (group, _) = member(head)?;
    let place = group.strip_prefix("Po")?;
    let numbered = !place.is_empty() && place.bytes().all(|b| b.is_ascii_digit());
    numbered.then_some((group, members))
}

/// The port channel in `Port Channel Port-Channel5:`, `Port Channel Port-Channel1 (Fallback State: Unconfigured):`.
fn heading(text: &str) -> Option<(&str, &str)> {
    let name = text.strip_prefix("Port Channel ")?.strip_suffix(':')?;
    let name = name.split(' ').next()?;
    name.starts_with("Port-Channel").then_some((name, ""))
}

/// The name and the flags of `Gi0/0(s)`: names have a number, and protocols have none.
fn member(word: &str) -> Option<(&str, &str)> {
    let (name, flags) = word.strip_suffix(')')?.split_once('(')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.ends_with(|c: char| c.is_ascii_digit());
    let letters = |b: u8| b.is_ascii_alphabetic() || b"+-*^".contains(&b);
    let is_flags = (1..=4).contains(&flags.len()) && flags.bytes().all(letters);
    (is_name && is_flags).then_some((name, flags))
}

/// What flags say of a member; none of one that waits in reserve, or of flags that are not known.
fn state(flags: &str) -> Option<State> {
    let of = [
        ('P', State::Up),
        ('D', State::Down),
        ('r', State::Down),
        ('s', State::Suspended),
        ('u', State::Suspended),
        ('i', State::Suspended),
        ('I', State::Alone),
        ('w', State::Alone),
    ];
    of.into_iter()
        .find(|(flag, _)| flags.contains(*flag))
        .map(|(_, state)| state)
}

/// Whether a line explains flags: `I - stand-alone s - suspended`.
fn is_legend(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|word| word.len() == 1) && words.next() == Some("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The members that are read of a text, every line of which is taken but rulers.
    fn of(text: &str) -> Vec<(String, String, State)> {
        let mut tool = Bundles::default();
        let mut facts = Facts::default();
        for (n, line) in (1..).zip(text.lines()) {
            let line = Line {
                bare: line.trim(),
                at: Place::Line(0, n),
            };
            let taken = tool.line(line, n > 1, &mut facts);
            let ruler = !line.bare.contains(char::is_alphanumeric);
            assert!(taken || ruler, "{}", line.bare);
        }
        let all = facts.members.into_iter();
        all.map(|m| (m.group, m.name, m.state)).collect()
    }

    fn said(all: &[(&str, &str, State)]) -> Vec<(String, String, State)> {
        let owned = |(group, name, state): &(&str, &str, State)| {
            ((*group).to_owned(), (*name).to_owned(), *state)
        };
        all.iter().map(owned).collect()
    }

    #[test]
    fn members_are_read_of_each_system() {
        let ios = "sw1#sh etherchannel summary
Flags:  D - down        P - bundled in port-channel
        I - stand-alone s - suspended
        H - Hot-standby (LACP only)
        w - waiting to be aggregated

Number of channel-groups in use: 2
Number of aggregators:           2

Group  Port-channel  Protocol    Ports
------+-------------+-----------+-----------------------------------------------
1      Po1(SU)         LACP      Gi0/0(s)    Gi0/1(P)    Gi0/2(H)
2      Po2(SD)         LACP      Gi1/0(D)
";
        assert_eq!(
            of(ios),
            said(&[
                ("Po1", "Gi0/0", State::Suspended),
                ("Po1", "Gi0/1", State::Up),
                ("Po2", "Gi1/0", State::Down),
            ])
        );
        let nxos = "n9k1# show port-channel summary
Flags:  D - Down        P - Up in port-channel (members)
        M - Not in use. Min-links not met
--------------------------------------------------------------------------------
Group Port-       Type     Protocol  Member Ports
      Channel
--------------------------------------------------------------------------------
1     Po1(SU)     Eth      LACP      Eth1/42(D)   Eth1/43(P)
                                     Eth1/46(P)
";
        assert_eq!(
            of(nxos),
            said(&[
                ("Po1", "Eth1/42", State::Down),
                ("Po1", "Eth1/43", State::Up),
                ("Po1", "Eth1/46", State::Up),
            ])
        );
        let eos = "leaf1#show port-channel summary
Number of channels in use: 1
Number of aggregators: 1

   Port-Channel       Protocol     Ports
 ------------------ --------------- --------------------------------
   Po146(U)           LACP(aF*)    Et43(D) Et44(PG+)
";
        assert_eq!(
            of(eos),
            said(&[("Po146", "Et43", State::Down), ("Po146", "Et44", State::Up),])
        );
    }

    #[test]
    fn port_channels_of_eos_list_what_is_inactive() {
        let text = "leaf1#show port-channel detailed
Port Channel Port-Channel1 (Fallback State: Unconfigured):
Minimum links: unconfigured
Minimum speed: unconfigured
Current weight/Max weight: 1/16
  Active Ports:
       Port            Time Became Active       Protocol       Mode      Weight
    --------------- ------------------------ -------------- ------------ ------
       Ethernet2       15:57:38                 LACP           Active      1
       PeerEthernet5   13:46:32                 LACP           Active      0
  Configured, but inactive ports:
       Port         Reason
    --------------- -------------------------
       Ethernet1    waiting for LACP response
Port Channel Port-Channel5:
  Active Ports: Ethernet10 Ethernet9
";
        assert_eq!(
            of(text),
            said(&[
                ("Port-Channel1", "Ethernet2", State::Up),
                ("Port-Channel1", "Ethernet1", State::Alone),
                ("Port-Channel5", "Ethernet10", State::Up),
                ("Port-Channel5", "Ethernet9", State::Up),
            ])
        );
    }

    #[test]
    fn prose_is_no_port_channel() {
        for text in ["1 of Po1 is down", "Po1 (SU) is up", "1 LACP(a) Gi0/1(D)"] {
            assert_eq!(row(text), None, "{text}");
        }
        assert_eq!(asks("the group > show interfaces"), None);
    }
}
