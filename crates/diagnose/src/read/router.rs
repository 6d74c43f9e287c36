//! Routers and switches: `show interfaces` of IOS, NX-OS, EOS and Junos, and their configuration as `farpath config` reads it.

use farpath_config::{Dialect, Severity};

use super::ports::{Here, is_interface};
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::interfaces::port::Kind;
use crate::words::{after, decimal, whole};

/// The state of reading `show interfaces`.
#[derive(Default)]
pub(super) struct Interfaces {
    kind: &'static str,
    here: Here,
    /// What the interface is said to have, bit/s: 0 where that was not printed.
    stated: f64,
    /// Whether the interface has no link.
    down: bool,
}

impl Tool for Interfaces {
    fn name(&self) -> &'static str {
        "show interfaces"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if self.begins(text, line.at, facts) {
            self.here.ends(facts);
            self.stated = 0.0;
            return true;
        }
        if !going || self.kind.is_empty() {
            return false;
        }
        let at = line.at;
        if let Some(n) = count(text, "input error") {
            facts.exact(Of::Path, "interface_errors", n, at);
        }
        // Junos counts them in a line of other counters.
        if let Some(n) = count(text, "Collisions:").filter(|n| *n > 0.0) {
            self.here.has(Kind::Collided, n, at, facts);
        }
        // EOS counts late collisions and discards in one line.
        let counts = self.collided(text, at, facts);
        let pauses = super::flow_control::takes(&mut self.here, text, at, facts);
        if self.here.channel(text, facts) || self.here.line(text, at, facts) {
            return true;
        }
        let half = ["half-duplex", "half duplex"]
            .iter()
            .any(|h| starts(text, h));
        if half && !self.down {
            facts.word(Of::Path, "half_duplex", "half", at);
            let kind = match self.kind {
                "junos" => Kind::HalfOfJunos,
                _ => Kind::HalfOfIos,
            };
            self.here.is_half(kind, at, facts);
        }
        if let Some(bps) = of_medium(text).filter(|_| starts(text, "full") && !self.down) {
            self.here.is_full(bps, facts);
        }
        if self.speed(text, at, facts) || half {
            return true;
        }
        if let Some((way, bps)) = carried(text) {
            facts.exact(Of::Path, rate_of(&way), bps, at);
            self.here.has(way, bps, at, facts);
            if let Some(speed) = of_share(text, bps).filter(|_| self.stated == 0.0) {
                facts.exact(Of::Path, "interface_bps", speed, at);
                self.here.has(Kind::Speed, speed, at, facts);
            }
            return true;
        }
        counts
            || pauses
            || match self.kind {
                "ios" => is_ios(text) || is_eos(text),
                "nxos" => is_nxos(text),
                _ => is_junos(text),
            }
    }

    fn is_indented(&self) -> bool {
        true
    }

    fn held(&self) -> usize {
        self.here.held()
    }

    fn finish(&mut self, facts: &mut Facts) {
        let before = facts.count() + self.here.held();
        self.here.finish(facts);
        let gained = facts.count().saturating_sub(before);
        // What a table says is known at its end: it is of the lines that were taken last.
        let source = facts.sources.len().saturating_sub(1) as u32;
        let mut pieces = facts.pieces.iter_mut().rev();
        if let Some(piece) = pieces.find(|p| p.source == source && p.tool == self.name()) {
            piece.facts += gained;
        }
    }
}

impl Interfaces {
    /// Takes a command or the head of an interface: what follows is about it.
    fn begins(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        if let Some(kind) = self.here.command(text) {
            (self.kind, self.down) = (kind, false);
            if text.contains('|') {
                // What is filtered may lack the line that begins an interface.
                facts.word(Of::Path, "interface", kind, at);
            }
            return true;
        }
        if super::foreign::is_of_asa(text) {
            return false;
        }
        let states = [" is up,", " is down,", " is administratively down,"];
        let mut each = states.iter();
        if text.contains(" line protocol is ")
            && let Some(state) = each.find(|s| text.contains(&format!("{s} line protocol is ")))
        {
            (self.kind, self.down) = ("ios", *state != states[0]);
            self.here.is(text.split(' ').next().unwrap_or(""));
            facts.word(Of::Path, "interface", self.kind, at);
            return true;
        }
        if let Some(name) = of_nexus(text) {
            (self.kind, self.down) = ("nxos", !text.ends_with(" is up"));
            self.here.is(name);
            facts.word(Of::Path, "interface", self.kind, at);
            return true;
        }
        // Pasted without its first words, the line begins with the interface's name.
        let physical = text.split_once("Physical link is ");
        let named = |head: &str| head.starts_with("Physical interface: ") || is_interface(head);
        if physical.is_some_and(|(head, _)| named(head)) {
            let down = physical.is_some_and(|(_, state)| state.starts_with("Down"));
            (self.kind, self.down) = ("junos", down);
            self.here.is(interface_of(text));
            facts.word(Of::Path, "interface", self.kind, at);
            return true;
        }
        if text.starts_with("Physical interface: ") {
            (self.kind, self.down) = ("junos", false);
            self.here.is(interface_of(text));
            return true;
        }
        false
    }

    /// Takes what a line counts of collisions.
    fn collided(&self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let mut counts = false;
        for (before, kind) in [
            ("late collision", Kind::Late),
            ("collisions", Kind::Collided),
            ("collision ", Kind::Collided),
        ] {
            if let Some(n) = count(text, before) {
                self.here.has(kind, n, at, facts);
                counts = true;
            }
        }
        counts
    }

    /// Takes a line that says how fast the interface is.
    fn speed(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let stated = MTUS.iter().find_map(|head| text.strip_prefix(head));
        if let Some(rest) = stated.and_then(|r| r.split_once(" BW ")) {
            if let Some(mtu) = after(rest.0, "").and_then(decimal).filter(|m| *m > 0.0) {
                self.here.has(Kind::Mtu, mtu, at, facts);
            }
            if let Some(kbit) = after(rest.1, "").and_then(decimal).filter(|k| *k > 0.0) {
                self.stated = kbit * 1e3;
                facts.exact(Of::Path, "interface_bps", kbit * 1e3, at);
                self.here.has(Kind::Speed, kbit * 1e3, at, facts);
            }
            return true;
        }
        // What a tunnel of IOS takes, whatever its MTU is.
        let tunnel = after(text, "Tunnel transport MTU ").and_then(decimal);
        if let Some(mtu) = tunnel.filter(|mtu| *mtu > 0.0) {
            facts.exact(Of::Path, "mtu_tunnel_bytes", mtu, at);
            return true;
        }
        if let Some(speed) =
            crate::words::between(text, "Speed: ", ",").and_then(crate::words::rate)
        {
            facts.exact(Of::Path, "interface_bps", speed, at);
            self.here.has(Kind::Speed, speed, at, facts);
            return true;
        }
        let Some(medium) = of_medium(text) else {
            return false;
        };
        // The BW of several links together is above the medium of each.
        if medium > self.stated {
            facts.exact(Of::Path, "interface_medium_bps", medium, at);
            self.here.has(Kind::Speed, medium, at, facts);
        }
        true
    }
}

/// What the line of an MTU and a stated bandwidth begins with: EOS tells packets from frames.
const MTUS: [&str; 3] = ["MTU ", "IP MTU ", "Ethernet MTU "];

/// The speed of the medium in `Full-duplex, 1000Mb/s, …`, `Full Duplex, 1Gbps, …`, and `full-duplex, 10 Gb/s, …` of NX-OS, bit/s. What BW says
/// is the statement `bandwidth`, where one stands in the configuration.
fn of_medium(text: &str) -> Option<f64> {
    let (duplex, rest) = text.split_once(", ")?;
    let (mode, word) = duplex.split_at_checked(4)?;
    let modes = ["full", "half", "auto"];
    let is_mode = modes.iter().any(|m| mode.eq_ignore_ascii_case(m));
    let word = word.strip_prefix(['-', ' '])?;
    let is_duplex = word.eq_ignore_ascii_case("duplex");
    let (speed, _) = rest.split_once(',').unwrap_or((rest, ""));
    let bps = crate::words::rate(&speed.replace(' ', ""))?;
    (is_mode && is_duplex && bps > 0.0).then_some(bps)
}

/// The name in `Ethernet1/1 is up`, `Ethernet1/2 is down (Link not connected)`, `port-channel10 is up` of NX-OS.
fn of_nexus(text: &str) -> Option<&str> {
    let (name, state) = text.split_once(" is ")?;
    let kinds = ["Ethernet", "port-channel", "mgmt"];
    let place = kinds.iter().find_map(|kind| name.strip_prefix(kind))?;
    let numbered = place.starts_with(|c: char| c.is_ascii_digit())
        && place.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    let begins = state == "up" || state == "down" || state.starts_with("down (");
    (numbered && begins).then_some(name)
}

/// What the rate of one way of an interface is called.
pub(super) fn rate_of(way: &Kind) -> &'static str {
    match way {
        Kind::Leaves => "interface_sent_bps",
        _ => "interface_received_bps",
    }
}

/// The rate of `Output rate    : 9987412304 bps (931022 pps)`, of `Output bytes  : 141702031002  9882000000 bps` of `extensive`, and of `5 minute output rate 9876543000 bits/sec, 912 packets/sec`,
/// which NX-OS has of `30 seconds`, and of `5 minutes output rate 9.87 Gbps (99.9% with framing overhead), 912 packets/sec` of EOS.
pub(super) fn carried(text: &str) -> Option<(Kind, f64)> {
    let junos = || {
        let (head, rest) = text.split_once(':')?;
        let rate = ["Input rate", "Output rate"].contains(&head.trim());
        rate.then(|| rest.trim().split_once(" bps"))?
    };
    let extensive = || {
        let (head, rest) = text.split_once(':')?;
        let mut head = head.split_whitespace();
        let way = head.next().filter(|w| ["Input", "Output"].contains(w));
        let bytes = head.next() == Some("bytes") && head.next().is_none();
        let (_, rate) = rest.trim().split_once(' ')?;
        way.filter(|_| bytes)?;
        rate.trim().split_once(" bps")
    };
    let ios = || {
        let (head, rest) = text.split_once("put rate ")?;
        let rate = [" minute ", " second ", " seconds "]
            .iter()
            .any(|span| head.contains(span));
        rate.then(|| rest.split_once(" bits/sec"))?
    };
    let eos = || {
        let (head, rest) = text.split_once("put rate ")?;
        let timed = head.contains(" minutes ") || head.contains(" seconds ");
        let (rate, _) = rest.split_once("bps").filter(|_| timed)?;
        crate::words::rate(&format!("{}bps", rate.replace(' ', "")))
    };
    let printed = junos().or_else(extensive).or_else(ios);
    let printed = printed.and_then(|(bps, _)| whole(bps)).map(|n| n as f64);
    let bps = printed.or_else(eos)?;
    let way = match text.starts_with("Output") || text.contains("output rate") {
        true => Kind::Leaves,
        false => Kind::Arrives,
    };
    Some((way, bps))
}

/// A smaller share of a port's speed is rounded too far to say the speed, percent.
const SHARE_LEAST: f64 = 5.0;

/// Rates of Ethernet, bit/s (IEEE 802.3), and how near what a share says comes to one of them.
const ETHERNET: [f64; 13] = [
    10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9, 800e9,
];
const NEAR: f64 = 0.03;

/// What preamble and gap add to each packet, bits (IEEE 802.3 §4.2.3.2, §7.2.3.2).
const FRAMING: f64 = 160.0;

/// The speed of a port by the share of it that EOS prints beside such a rate, bit/s: `9.81 Gbps (99.6% with framing overhead), 841 kpps`.
fn of_share(text: &str, bps: f64) -> Option<f64> {
    let (before, packets) = text.split_once("% with framing overhead), ")?;
    let share = decimal(before.rsplit('(').next()?).filter(|share| *share >= SHARE_LEAST)?;
    let mut words = packets.split_whitespace();
    let number = decimal(words.next()?)?;
    let many = match words.next()? {
        "packets/sec" | "pps" => 1.0,
        "kpps" => 1e3,
        "Mpps" => 1e6,
        _ => return None,
    };
    let speed = 100.0 * (bps + FRAMING * many * number) / share;
    let near = |known: &f64| (speed / known - 1.0).abs() < NEAR;
    ETHERNET.into_iter().find(near)
}

/// The name in `Physical interface: xe-1/0/3, Enabled, …`, or in a line that begins with it.
fn interface_of(text: &str) -> &str {
    let name = text.strip_prefix("Physical interface: ").unwrap_or(text);
    name.split([',', ' ']).next().unwrap_or("")
}

/// Lines of Junos that carry nothing here: a key and its value, a heading, a row of numbers.
fn is_junos(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    let is_key = text.contains(": ") && text.len() < 200 && !begins;
    let words = text.split_whitespace();
    let mut numbers = words.skip_while(|w| whole(w).is_none()).peekable();
    let is_row = numbers.peek().is_some() && numbers.all(|w| whole(w).is_some());
    is_key || is_row || text.ends_with(':') && text.len() < 60 || text.starts_with("PCS statistics")
}

/// Whether a line, or its part behind `Link-mode: `, begins so, whatever its capitals.
fn starts(text: &str, words: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.starts_with(words) || lower.contains(&format!(": {words}"))
}

/// The number before these words, or behind them where they end with a colon.
fn count(text: &str, words: &str) -> Option<f64> {
    let at = text.find(words)?;
    let n = match words.ends_with(':') {
        true => text[at + words.len()..].split_whitespace().next()?,
        false => text[..at].split_whitespace().next_back()?,
    };
    whole(n.trim_end_matches(',')).map(|n| n as f64)
}

/// What other lines of EOS begin with, and what they have in them.
const EOS: [&str; 13] = [
    "IP MTU ",
    "Ethernet MTU ",
    "IPv6 ",
    "Broadcast address is ",
    "Address determined by ",
    "Member of ",
    "Active members in ",
    "... ",
    "Fallback mode ",
    "Loopback Mode ",
    "Up ",
    "Down ",
    "Sent ",
];
const WITHIN_EOS: [&str; 4] = [
    "link status changes since ",
    "PAUSE input",
    "PAUSE output",
    ", subnet is ",
];

/// Lines of IOS that carry nothing here.
fn is_ios(text: &str) -> bool {
    [
        "Hardware is ",
        "Description: ",
        "Internet address is ",
        "reliability ",
        "Encapsulation ",
        "Keepalive ",
        "ARP type:",
        "Last input ",
        "Last clearing ",
        "Input queue:",
        "Queueing strategy:",
        "Output queue",
        "5 minute ",
        "30 second ",
        "Full-duplex",
        "Full Duplex",
        "Auto-duplex",
        "Auto Duplex",
        "output flow-control ",
        "input flow-control ",
        "Media-type ",
        "Received ",
        // IOS XR.
        "Interface state transitions: ",
        "output flow control is ",
        "ARP type ",
        "Layer 1 Transport Mode is ",
        "Carrier delay ",
        "loopback not set",
        "Last link flapped ",
        "Loopback not set",
        "Output ",
        "Dampening ",
    ]
    .iter()
    .any(|b| text.starts_with(b))
        || [
            "packets input,",
            "packets output,",
            "runts,",
            "CRC,",
            "output errors,",
            "collisions,",
            "babbles,",
            "lost carrier,",
            "buffer failures,",
            "input packets with dribble",
            "watchdog,",
            "unknown protocol drops",
            "drops for unrecognized upper-level protocol",
            "carrier transitions",
            "output buffer failures",
            "L2 Switched:",
            "L3 in Switched:",
            "L3 out Switched:",
        ]
        .iter()
        .any(|w| text.contains(w))
}

/// Lines of EOS that carry nothing here; the rest are as those of IOS.
fn is_eos(text: &str) -> bool {
    let begins = EOS.iter().any(|head| text.starts_with(head));
    begins || WITHIN_EOS.iter().any(|words| text.contains(words))
}

/// Lines of NX-OS that carry nothing here.
fn is_nxos(text: &str) -> bool {
    let begins = [
        "admin state is ",
        "Dedicated Interface",
        "Belongs to ",
        "Hardware: ",
        "Description: ",
        "Internet Address is ",
        "reliability ",
        "Encapsulation ",
        "Port mode is ",
        "full-duplex",
        "auto-duplex",
        "Beacon is ",
        "Auto-Negotiation is ",
        "Input flow-control ",
        "Auto-mdix ",
        "Rate mode ",
        "Switchport monitor ",
        "EtherType is ",
        "EEE (",
        "admin fec state is ",
        "Last link flapped ",
        "Last clearing ",
        "Load-Interval ",
        "input rate ",
    ];
    let counters = [
        " interface resets",
        " unicast packets",
        " jumbo packets",
        " output packets",
        " short frame",
        " bad etype drop",
        " input discard",
        " output error ",
        " Rx pause",
        " Tx pause",
    ];
    matches!(text, "RX" | "TX")
        || begins.iter().any(|b| text.starts_with(b))
        || counters.iter().any(|c| text.contains(c))
}

/// Most findings of configurations that are noted.
const FINDINGS_MAX: usize = 20;

/// Reads a whole source as configuration of a router; `false` if it is none.
pub(super) fn configuration(number: u32, name: &str, text: &str, facts: &mut Facts) -> bool {
    let dialect = Dialect::detect(text);
    if dialect == Dialect::Hosts || !is_configuration(dialect, text) {
        return false;
    }
    let source = farpath_config::Source {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let sources = [source];
    let report = farpath_config::check(&sources, &[Some(dialect)]);
    if report.failed() {
        return false;
    }
    super::conditioned::conditioned(&report, &sources[0], number, facts);
    let at = crate::Place::Line(number, 1);
    let lines = text.lines().count() as u32;
    let severe = report
        .findings
        .iter()
        .filter(|f| f.severity >= Severity::Warning);
    let notes: Vec<String> = severe
        .take(FINDINGS_MAX)
        .map(|f| format!("{name}: {}: {}", f.rule, crate::redact(&f.text)))
        .collect();
    facts.number(
        Of::Path,
        "configuration_findings",
        Figure::exact(notes.len() as f64, at),
    );
    facts.notes.extend(notes);
    facts.took(dialect.name(), at, 1, false);
    if let Some(piece) = facts.pieces.last_mut() {
        piece.last = lines.max(1);
    }
    true
}

/// Most of the lines are statements: a ticket with a few lines of configuration in it is read line by line.
fn is_configuration(dialect: Dialect, text: &str) -> bool {
    let lines = || {
        text.lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .take(2000)
    };
    let all = lines().count();
    let statements = match dialect {
        Dialect::Junos => lines().filter(|l| l.ends_with(['{', ';', '}'])).count(),
        Dialect::JunosSet => lines()
            .filter(|l| l.starts_with("set ") || l.starts_with("delete "))
            .count(),
        _ => {
            let known = [
                "interface ",
                "hostname ",
                "ip ",
                "no ",
                "mls ",
                "policy-map ",
                "class-map ",
                "router ",
                "!",
                "switchport",
                "wrr-queue",
                "set ",
            ];
            let heads = text
                .lines()
                .filter(|l| known.iter().any(|k| l.starts_with(k)) || l.starts_with(' '));
            if text.lines().any(|l| {
                l.starts_with("interface ")
                    || l.starts_with("policy-map ")
                    || l.starts_with("set qos")
            }) {
                heads.take(2000).count()
            } else {
                0
            }
        }
    };
    all >= 3 && statements * 10 >= all * 9
}
