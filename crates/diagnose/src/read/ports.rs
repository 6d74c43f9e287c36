//! What routers print of their ports' counters and of policers: which router and port, and how much.

mod cleared;
mod errors;
mod flapped;
mod queues;
mod several;
mod status;
mod tabled;

use crate::fact::{Of, Place};
use crate::interfaces::dead_port::UNLINKED;
use crate::interfaces::port::{FullDuplexPort, Kind, Port, PortReading};
use crate::interfaces::slow_pair::AGREED_ON_LESS;
use crate::reach::network_log::Event;
use crate::words::{after, whole};

use super::optics::{self, Received, Table, nexus};
use super::{Facts, NOTES_MAX, channels};
use errors::Table as Errors;
pub(super) use queues::of_class;
use queues::{Queue, Said};
pub(super) use several::Several;
use status::Table as Status;

/// The router and port whose lines are read.
#[derive(Default)]
pub(super) struct Here {
    port: Port,
    /// Packets that had arrived at it.
    packets: Option<f64>,
    /// Packets that had left by it.
    left: Option<f64>,
    /// Its reading at half duplex, among those of all ports.
    half: Option<usize>,
    /// Its reading of packets that its queue dropped, among those of all ports.
    dropped: Option<usize>,
    /// Rows of policers follow.
    policers: bool,
    /// Tables of a filter's counters and policers follow.
    filter: bool,
    /// What the rows of a table of transceivers are of, where one follows.
    optics: Option<Table>,
    /// The queue of the port.
    queue: Queue,
    /// A table of the states of ports.
    status: Status,
    /// A table of what ports counted, and what such tables said.
    errors: Errors,
    counted: Several,
    /// What tables said of the light that ports receive.
    lights: Several,
}

/// Longest line that is taken for a command.
const COMMAND_MAX: usize = 200;

/// How people write the first word of a command.
const SHOW: [&str; 3] = ["show ", "sho ", "sh "];

impl Here {
    /// Takes the command that printed what follows, with its prompt: `ops@r1> show interfaces xe-1/0/3 extensive`,
    /// `r1#sh int te0/1 | i rate|BW`, `ops@r1> show policer`, `ops@r1> show firewall filter IN`. The system whose command it is, if it is
    /// one of these.
    pub(super) fn command(&mut self, text: &str) -> Option<&'static str> {
        let at = SHOW.iter().find_map(|word| text.find(word));
        let at = at.filter(|_| text.len() < COMMAND_MAX)?;
        let (prompt, command) = text.split_at(at);
        let prompt = prompt.trim_end();
        let router = prompt.trim_end_matches(['#', '>', '%']);
        if router.len() == prompt.len() && !prompt.is_empty() {
            return None;
        }
        let router = router.rsplit(['@', ':']).next().unwrap_or("");
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if !router.chars().all(is_name) {
            return None;
        }
        let mut words = command.split_whitespace().skip(1);
        let what = words.next()?;
        let optics = command.contains(" transceiver");
        let port = words.find(|w| !["diagnostics", "optics"].contains(w));
        let port = port.filter(|_| what.starts_with("int"));
        let port = port.and_then(|word| named_port(word, words.next()));
        self.policers = what == "policer";
        self.filter = what == "firewall";
        let tables = self.policers || self.filter;
        let queuing = ["queuing", "queueing"].contains(&what);
        if !tables && !queuing && !what.starts_with("int") {
            return None;
        }
        self.queue.begins(queuing);
        if !prompt.is_empty() {
            self.port.router = crate::redact(router);
        }
        self.is(port.as_deref().unwrap_or(""));
        self.optics = optics.then(Table::default);
        let junos = tables || prompt.ends_with('>') && port.as_deref().is_none_or(is_interface);
        Some(if junos { "junos" } else { "ios" })
    }

    /// The lines that follow were printed by this router.
    pub(super) fn of_router(&mut self, name: &str) {
        self.port.router = crate::redact(name);
    }

    /// So many packets had arrived at the port that is read now.
    pub(super) fn arrived(&mut self, packets: f64) {
        self.packets = Some(packets);
    }

    /// How many facts tables said that are handed over at their end.
    pub(super) fn held(&self) -> usize {
        self.counted.held() + self.lights.held()
    }

    /// The lines that follow are about this port.
    pub(super) fn is(&mut self, port: &str) {
        self.port.name = crate::redact(port.trim());
        (self.packets, self.half) = (None, None);
        (self.left, self.dropped) = (None, None);
    }

    /// Takes the list of members of the port channel that is read now.
    pub(super) fn channel(&self, text: &str, facts: &mut Facts) -> bool {
        let members = channels::members(text);
        let is_one = members.is_some();
        if let Some(members) = members {
            facts.channels.has(&self.port.router, members);
        }
        is_one
    }

    /// Takes a line with counters.
    pub(super) fn line(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        if (self.policers || self.filter) && self.policer(text, at, facts) {
            return true;
        }
        let states = self.status.line(text, &self.port.router, at);
        if states {
            self.unlinked(text, at, facts);
        }
        if states || self.light(text, at) || self.queues(text, at, facts) {
            return true;
        }
        if let Some(ago) = flapped::recently(text) {
            self.flapped(ago, at, facts);
        }
        if let Some(seconds) = cleared::ago(text).or_else(|| cleared::long_ago(text)) {
            self.has(Kind::Cleared, seconds, at, facts);
        }
        let router = &self.port.router;
        if self.errors.line(text, router, at, &mut self.counted) {
            return true;
        }
        self.refused(text, at, facts);
        if let Some(n) = giants(text) {
            self.has(Kind::Giants, n, at, facts);
        }
        let drops = dropped(text);
        if let Some(n) = packets(text, INPUT) {
            self.packets = Some(n);
            facts.port_passed(&self.port, Kind::Arrives, text, at);
        }
        if let Some(n) = self.half
            && let Some(half) = facts.ports.get_mut(n)
        {
            half.packets = half.packets.or(self.packets);
            half.sent = half.sent.or_else(|| packets(text, OUTPUT));
        }
        if let Some(n) = packets(text, OUTPUT) {
            self.sent(n, facts);
            facts.port_passed(&self.port, Kind::Leaves, text, at);
        }
        if let Some((kind, n)) = drops {
            self.counts(kind, n, at, facts);
        }
        if drops.is_some() || packets(text, INPUT).is_some() {
            return true;
        }
        let Some((kind, n)) = counted(text) else {
            return false;
        };
        self.counts(kind, n, at, facts);
        true
    }

    /// A row of a port without a link: the one that was asked for, or one that its switch shut by itself.
    fn unlinked(&self, text: &str, at: Place, facts: &mut Facts) {
        let Some((name, state)) = status::unlinked(text) else {
            return;
        };
        let port = Port {
            router: self.port.router.clone(),
            name: crate::redact(name),
        };
        let said = format!("{} has no link ({state})", port.named("a port"));
        if status::SHUT.contains(&state) {
            facts.word(Of::Path, Event::Shut.fact(), &said, at);
        } else if optics::is_same(name, &self.port.name) {
            facts.word(Of::Path, UNLINKED, &said, at);
        }
    }

    /// So many packets had left by the port that is read now: what stands above and below of its queue's drops is of as many.
    fn sent(&mut self, n: f64, facts: &mut Facts) {
        self.left = Some(n);
        if let Some(reading) = self.dropped.and_then(|at| facts.ports.get_mut(at)) {
            reading.sent = reading.sent.or(self.left);
        }
    }

    /// What the port that is read now counts of a kind.
    fn counts(&mut self, kind: Kind, n: f64, at: Place, facts: &mut Facts) {
        self.has(kind, n, at, facts);
        if kind == Kind::Dropped {
            self.dropped = facts.ports.len().checked_sub(1);
        }
    }

    /// What the port that is read now has, of a kind.
    pub(super) fn has(&self, kind: Kind, value: f64, at: Place, facts: &mut Facts) {
        self.reads(self.port.clone(), kind, value, at, facts);
    }

    /// The port that is read now is at half duplex; what passed it stands below.
    pub(super) fn is_half(&mut self, kind: Kind, at: Place, facts: &mut Facts) {
        self.has(kind, 1.0, at, facts);
        self.half = facts.ports.len().checked_sub(1);
    }

    /// The port that is read now is at full duplex, at this speed, bit/s.
    pub(super) fn is_full(&self, bps: f64, facts: &mut Facts) {
        let port = self.port.clone();
        facts.full_ports.push(FullDuplexPort {
            port,
            bps,
            fixed: false,
        });
    }

    fn reads(&self, port: Port, kind: Kind, value: f64, at: Place, facts: &mut Facts) {
        facts.ports.push(PortReading {
            port,
            kind,
            value,
            packets: self.packets.filter(|_| kind != Kind::Policed),
            sent: self.left.filter(|_| kind == Kind::Dropped),
            at,
        });
    }

    /// What a port had no room for as it arrived.
    fn refused(&self, text: &str, at: Place, facts: &mut Facts) {
        for (what, packets) in refused(text) {
            let mut port = self.port.clone();
            port.name = match port.name.as_str() {
                "" => what.to_owned(),
                name => format!("{what} of {name}"),
            };
            self.reads(port, Kind::Refused, packets, at, facts);
        }
    }

    /// The link of a port changed so long before its text was printed.
    fn flapped(&self, ago: &str, at: Place, facts: &mut Facts) {
        if facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: the link of {} went down or came up {ago} before this was printed: what was sent while it was down was lost",
                facts.place(at),
                self.port.named("a router's port")
            );
            facts.notes.push(note);
        }
    }

    /// Nothing follows: what tables counted is handed over.
    pub(super) fn finish(&mut self, facts: &mut Facts) {
        self.ends(facts);
        self.counted.ends(facts);
        self.lights.ends(facts);
    }

    /// What was read is over: the only connected port of a table, and of several those at half duplex.
    pub(super) fn ends(&mut self, facts: &mut Facts) {
        if let Some((said, at)) = self.status.halves()
            && facts.notes.len() < NOTES_MAX
        {
            let note = format!("{}: {said}", facts.place(at));
            facts.notes.push(note);
        }
        let Some(connected) = self.status.ended() else {
            return;
        };
        let (port, at) = (connected.port, connected.at);
        if let Some(bps) = connected.bps.filter(|_| connected.fixed) {
            facts.full_ports.push(FullDuplexPort {
                port: port.clone(),
                bps,
                fixed: true,
            });
        }
        if connected.less {
            let named = port.named("a port");
            let said = format!("{named} agreed on 100 Mbit/s and can run at 1 Gbit/s");
            facts.word(Of::Path, AGREED_ON_LESS, &said, at);
        }
        if let Some(bps) = connected.bps {
            self.reads(port.clone(), Kind::Speed, bps, at, facts);
        }
        if connected.half {
            facts.word(Of::Path, "half_duplex", "half", at);
            self.reads(port, Kind::HalfOfIos, 1.0, at, facts);
        }
    }

    /// A line about the queues of a port.
    fn queues(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        match self.queue.line(text) {
            None => return false,
            Some(Said::Nothing) => {}
            Some(Said::Port(port)) => self.is(&port),
            Some(Said::Dropped(queue, packets)) => {
                let queue = self.queue(&queue);
                if let Some(pps) = queues::dropped_now(text) {
                    facts.drops_now(&queue, pps, at);
                }
                self.reads(queue, Kind::Dropped, packets as f64, at, facts);
            }
            Some(Said::Sends(queue, bps)) => {
                self.reads(self.queue(&queue), Kind::Serves, bps as f64, at, facts);
            }
        }
        true
    }

    /// A queue of the port that is read now.
    fn queue(&self, queue: &str) -> Port {
        let queue = crate::redact(queue);
        let mut port = self.port.clone();
        port.name = match port.name.as_str() {
            "" => queue,
            name => format!("{queue} at {name}"),
        };
        port
    }

    /// A line of a table of transceivers.
    fn light(&mut self, text: &str, at: Place) -> bool {
        let Some(table) = &mut self.optics else {
            return false;
        };
        if let Some(received) = optics::of_nexus(text) {
            self.receives(&received, at);
            return true;
        }
        if let Some(port) = nexus::port(text) {
            self.is(port);
            return true;
        }
        if table.heads(text) || nexus::is_around(text) {
            return true;
        }
        let Some(row) = table.row(text) else {
            return false;
        };
        if let Some(received) = row {
            self.receives(&received, at);
        }
        true
    }

    /// How much light a port receives.
    fn receives(&mut self, received: &Received<'_>, at: Place) {
        let name = match received.port {
            "" => self.port.name.clone(),
            port => crate::redact(port),
        };
        let port = Port {
            router: self.port.router.clone(),
            name,
        };
        self.lights.receives(port, received.dbm, received.weak, at);
    }

    /// A row of `show policer`, or of a filter's policers: name, bytes, packets. Its counters, which stand before them, drop nothing.
    fn policer(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["Policers:"] => self.policers = true,
            ["Counters:"] | ["Filter:", _] => self.policers = false,
            ["Name", "Bytes", "Packets"] => {}
            [name, bytes, packets] => {
                let (Some(_), Some(packets)) = (whole(bytes), whole(packets)) else {
                    return false;
                };
                if self.policers {
                    self.polices(name, packets, at, facts);
                }
            }
            _ => return false,
        }
        true
    }

    /// A policer of this router dropped so many packets.
    fn polices(&self, name: &str, packets: u64, at: Place, facts: &mut Facts) {
        let port = Port {
            router: self.port.router.clone(),
            name: crate::redact(name),
        };
        self.reads(port, Kind::Policed, packets as f64, at, facts);
    }
}

/// Whether a name is that of a port of Junos, `xe-0/0/3 `: a kind, and where the card is.
pub(super) fn is_interface(head: &str) -> bool {
    let name = head.trim_end_matches([' ', ',']);
    let parts = name.split_once('-');
    parts.is_some_and(|(kind, place)| {
        (2..=4).contains(&kind.len())
            && kind.bytes().all(|b| b.is_ascii_lowercase())
            && place
                .bytes()
                .all(|b| b.is_ascii_digit() || b"/:.".contains(&b))
    })
}

/// The port that a command names, in one word or in two: `xe-1/0/3`, `Ethernet52`, `ethernet 1/9`.
fn named_port(word: &str, next: Option<&str>) -> Option<String> {
    if word.contains('/') || is_numbered(word) {
        return Some(word.to_owned());
    }
    let number = next.filter(|n| n.starts_with(|c: char| c.is_ascii_digit()) && n.contains('/'));
    let is_kind = word.bytes().all(|b| b.is_ascii_alphabetic());
    number
        .filter(|_| is_kind)
        .map(|number| format!("{word}{number}"))
}

/// Whether a word is the name of a port of EOS without a slash: `Ethernet52`, `Po10`.
fn is_numbered(word: &str) -> bool {
    let digit = word.find(|c: char| c.is_ascii_digit());
    let (kind, number) = word.split_at(digit.unwrap_or(word.len()));
    let kinds = ["Ethernet", "Et", "Port-Channel", "Po"];
    let known = kinds.iter().any(|known| known.eq_ignore_ascii_case(kind));
    known && whole(number).is_some()
}

/// The words around a count of packets that arrived, and of such that left: of IOS and NX-OS behind it, of Junos before it.
const INPUT: [&str; 3] = [" packets input", " input packets ", "Input"];
const OUTPUT: [&str; 3] = [" packets output", " output packets ", "Output"];

/// `118277366 packets input, …` of IOS, `118277366 input packets  91283746152 bytes` of NX-OS, `Input  packets:  118277366` of Junos.
fn packets(text: &str, [ios, nexus, way]: [&str; 3]) -> Option<f64> {
    let cisco = || {
        [ios, nexus]
            .iter()
            .find_map(|w| Some(text.split_once(w)?.0))
    };
    let junos = || {
        let (head, rest) = text.split_once(':')?;
        let mut words = head.split_whitespace();
        let is_it = words.next() == Some(way) && words.next() == Some("packets");
        rest.split_whitespace().next().filter(|_| is_it)
    };
    whole(cisco().or_else(junos)?).map(|n| n as f64)
}

/// `…, 0 total input drops`, `…, 218812 total output drops`, which IOS XR counts behind packets.
fn dropped(text: &str) -> Option<(Kind, f64)> {
    let kinds = [
        (" total output drops", Kind::Dropped),
        (" total input drops", Kind::Refused),
    ];
    kinds.iter().find_map(|(words, kind)| {
        let (head, _) = text.split_once(words)?;
        let n = whole(head.split_whitespace().next_back()?)?;
        Some((*kind, n as f64))
    })
}

/// Packets that a port had no room for as they arrived, and what had none: `Input queue: 0/75/12/0 (size/max/drops/flushes); …`,
/// `…, 4 overrun, 0 ignored`, `…, 0 no buffer`, and `…, 7 input discards` of EOS.
fn refused(text: &str) -> Vec<(&'static str, f64)> {
    let before = |words: &str| {
        let (head, _) = text.split_once(words)?;
        whole(head.split_whitespace().next_back()?)
    };
    let queue = text.strip_prefix("Input queue: ").and_then(|rest| {
        let sizes = rest.split([' ', ';', ',']).next()?;
        whole(sizes.split('/').nth(2)?)
    });
    let ring = [before(" overrun"), before(" ignored")];
    let ring = ring.into_iter().flatten().reduce(u64::saturating_add);
    let ring = ring.filter(|_| text.contains(" input error"));
    let buffers = before(" no buffer");
    let all = [
        ("the input queue", queue),
        ("the receive ring", ring),
        ("the buffers", buffers),
        ("the input", before(" input discards")),
    ];
    let said = all
        .into_iter()
        .filter_map(|(what, n)| Some((what, n? as f64)));
    said.collect()
}

/// Frames that were too large, where there were any: `0 runts, 9210 giants` of IOS and EOS, `0 runts  12 giants  0 CRC` of NX-OS.
fn giants(text: &str) -> Option<f64> {
    let (head, _) = text.split_once(" giants")?;
    let (runts, n) = head.rsplit_once(' ')?;
    let n = whole(n).filter(|n| *n > 0 && runts.contains(" runts"))?;
    Some(n as f64)
}

/// The counter of errors, drops, bit errors or weak light in a line.
fn counted(text: &str) -> Option<(Kind, f64)> {
    let behind = |words: &str| after(text, words).and_then(|n| whole(n.trim_end_matches(',')));
    let before = |words: &str| {
        let (head, _) = text.split_once(words)?;
        whole(head.split_whitespace().next_back()?)
    };
    let found = |kind, n: Option<u64>| n.map(|n| (kind, n as f64));
    if let Some(errors) = before(" input errors,") {
        let damaged = before(" CRC").into_iter().chain(before(" frame")).max();
        return found(Kind::Damaged, damaged).or(Some((Kind::Errors, errors as f64)));
    }
    // NX-OS counts damaged frames in another line than errors of all kinds, and sets no commas.
    if text.contains(" giants  ") {
        return found(Kind::Damaged, before(" CRC "));
    }
    let mut discards = [" output discards", " output discard"].into_iter();
    if let Some(words) = discards.find(|words| text.ends_with(*words)) {
        return found(Kind::Dropped, before(words));
    }
    if let Some(rest) = text.strip_prefix("Laser ") {
        let (key, value) = rest.split_once(':')?;
        let key = key.trim_end();
        let alarm = key.ends_with(" low alarm") && key.contains("power");
        return alarm.then(|| (Kind::Dark, f64::from(u8::from(value.trim() == "On"))));
    }
    if text.starts_with("Carrier transitions: ") {
        return found(Kind::Dropped, behind("Drops: "));
    }
    if text.contains("Total output drops: ") {
        return found(Kind::Dropped, behind("Total output drops: "));
    }
    if text.starts_with("Bit errors ") {
        return found(Kind::Seconds, behind("Bit errors "));
    }
    found(Kind::Framing, behind("Framing errors: "))
        .or_else(|| found(Kind::Damaged, behind("CRC/Align errors ")))
        .or_else(|| found(Kind::Errors, behind("Input errors: ")))
}

#[cfg(test)]
mod tests {
    use super::named_port;

    #[test]
    fn a_command_names_its_port_in_one_word_or_two() {
        for (words, name) in [
            (["xe-1/0/3", "extensive"], Some("xe-1/0/3")),
            (["Ethernet52", "|"], Some("Ethernet52")),
            (["ethernet", "1/9"], Some("ethernet1/9")),
            (["Gi", "1/0/1"], Some("Gi1/0/1")),
            (["status", "|"], None),
            (["queue", "ge-0/0/3"], None),
        ] {
            let found = named_port(words[0], Some(words[1]));
            assert_eq!(found.as_deref(), name, "{words:?}");
        }
    }
}
