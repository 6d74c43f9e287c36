//! ping of Linux, the BSDs, macOS, Windows and Solaris, and fping.
//!
//! The closing lines are read; where there are none, the single answers.

mod asked;
mod first;

use self::asked::Asked;
use self::first::First;
use super::parted::{Answer, parted, turned};
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::reach::answered_twice::DUPLICATES;
use crate::words::{between, decimal, number, whole};

/// The bytes of pings that were answered and that no router might cut into pieces, with their headers.
pub(crate) const WHOLE: &str = "ping_whole_bytes";

/// The state of reading.
#[derive(Default)]
pub(super) struct Ping {
    /// Whose path the run is of; that of all flows where no line said whom it went to.
    to: Option<Of>,
    /// Single answers.
    answers: Vec<Answer>,
    /// Packets of the run that is being closed: sent and received.
    counted: Option<(f64, f64, Place)>,
    /// Bytes of each packet, with its headers, if the first line said so.
    size: Option<f64>,
    /// The host of the pings says itself that they are too large: it sent none.
    unsent: bool,
    /// Whether a closing line gave the times.
    closed: bool,
    /// What a command asked for that was typed, and of whose run nothing has come.
    asked: Option<Asked>,
    /// Whether no router may cut the packets of the run, as its command says.
    whole: bool,
    /// Whether the first ping alone was lost.
    first: First,
}

const NS: f64 = 1e6;

/// Most bytes before a closing line's own words.
const NAMED_MAX: usize = 24;

/// Pings of this many bytes with their headers are sent to try an MTU.
const LARGE: f64 = 1200.0;

/// Most single answers that are kept.
const ANSWERS_MAX: usize = 100_000;

impl Tool for Ping {
    fn name(&self) -> &'static str {
        "ping"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("PING ") || text.starts_with("Pinging ") || text.starts_with("PING6(") {
            self.close(facts);
            let asked = self.asked.take().unwrap_or_default();
            self.size = size(text);
            self.goes(target(text), &asked, facts);
            self.whole |= asked.whole_of_bsd && text.ends_with(" data bytes");
            if text.starts_with("Pinging ") {
                facts.prompts.windows.insert(self.of());
            }
            return true;
        }
        if let Some(command) = asked::typed(text) {
            self.asked = Some(Asked::of(command));
            self.unsent = false;
            return false;
        }
        if let Some(name) = named(text) {
            let (host, port) = apart(name);
            self.statistics(host, facts);
            if text.starts_with("Sending ") {
                self.first = First::default();
            }
            self.size = asked::routers_size(text).or(self.size);
            if let (Some(port), Some(of)) = (port, self.to) {
                facts.exact(of, "service_port", f64::from(port), line.at);
            }
            return true;
        }
        if going {
            self.first.marks(text);
        }
        self.answer(text, line.at, facts)
            || self.count(text, line.at, facts)
            || self.times(text, line.at, facts)
            || self.reported(text, line.at, facts)
            || fping(text, line.at, facts)
            || self.cisco(text, line.at, facts)
            || going && is_around(text)
    }

    /// What single answers will say, where no closing line does: least, mean, most and their size.
    fn held(&self) -> usize {
        match self.closed || self.answers.is_empty() {
            true => 0,
            false => 3 + usize::from(self.is_cut_with_size()),
        }
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

/// `PING host (192.0.2.9) 8972(9000) bytes of data.`, `PING host (192.0.2.9): 8972 data bytes`, `Pinging 192.0.2.9 with 8972 bytes of data:`:
/// the bytes of a packet with its headers.
fn size(text: &str) -> Option<f64> {
    let data = between(text, "with ", " bytes")
        .or_else(|| between(text, "): ", " data bytes"))
        .or_else(|| between(text, ") ", "("))?;
    whole(data.trim()).map(|n| n as f64 + 28.0)
}

/// Lines that carry nothing.
fn is_around(text: &str) -> bool {
    text.starts_with("Approximate round trip times")
        || first::is_marks(text)
        || text.starts_with("Request timed out")
        || text.starts_with("Request timeout for icmp_seq")
        || text.contains(TOO_LARGE)
        || text.starts_with("no answer yet for icmp_seq")
}

/// `From 192.0.2.1 icmp_seq=1 Frag needed and DF set (mtu = 1400)`, `ping: local error: message too long, mtu=1400` (also `mtu: 1400`).
fn reported(of: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
    let rest = between(text, "Frag needed and DF set (mtu = ", "")
        .or_else(|| between(text, "essage too long, mtu", ""));
    let Some(rest) = rest else { return false };
    let digits = rest.trim_start_matches(['=', ':', ' ']);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    if let Some(mtu) = whole(&digits[..end]).filter(|m| *m >= MTU_LEAST) {
        facts.exact(of, "mtu_reported_bytes", mtu as f64, at);
        if text.contains(UNSENT) {
            facts.exact(of, "mtu_known_there_bytes", mtu as f64, at);
        } else if text.contains(TOO_LARGE) {
            facts.exact(of, "mtu_router_bytes", mtu as f64, at);
        }
    }
    true
}

/// What a router says of pings that it does not pass on.
const TOO_LARGE: &str = "Frag needed and DF set";

/// What a host says of pings that it does not send.
const UNSENT: &str = "local error";

/// The same without a size, by the host or a router: of Windows, whose line may begin with who says it, and of macOS and the BSDs.
fn is_refused(text: &str) -> bool {
    let windows = text.strip_prefix("Reply from ");
    let windows = windows.and_then(|rest| rest.split_once(": ").map(|(_, said)| said));
    let windows = windows.unwrap_or(text);
    windows.starts_with("Packet needs to be fragmented but DF set")
        || text.starts_with("ping: sendto: Message too long")
}

/// Every link carries packets of this many bytes (RFC 791).
pub(super) const MTU_LEAST: u64 = 68;

/// How many answers came beside the first to each ping: `6 packets transmitted, 6 received, +1 duplicates, 0% packet loss`.
fn doubled(text: &str) -> Option<u64> {
    let count = between(text, "+", " duplicates").and_then(whole)?;
    (count > 0).then_some(count)
}

impl Ping {
    /// What a router or the own host says of pings that are too large.
    fn reported(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let is_report = reported(self.of(), text, at, facts);
        let refused = is_refused(text);
        self.unsent |= is_report || refused;
        is_report || refused
    }

    /// `64 bytes from 10.0.0.1: icmp_seq=1 ttl=54 time=250.4 ms`, `Reply from …: bytes=32 time=12ms TTL=54`.
    fn answer(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let is_answer = text.contains(" bytes from ")
            && (text.contains("icmp_seq") || text.contains("seq=") || text.contains("icmp_seq="))
            || text.starts_with("Reply from ") && text.contains("bytes=");
        // Other languages keep the names of fields: `Antwort von 192.0.2.9: Bytes=32 Zeit=37ms TTL=118`.
        let is_field = || text.contains("TTL=") || text.contains("ttl=");
        let time = took(text, at);
        if !(is_answer || is_field() && time.is_some()) {
            return false;
        }
        self.begins_with(text, facts);
        self.first.answer(text);
        let ttl = ttl(text);
        if let Some(ttl) = ttl.filter(|_| facts.reply_ttls.len() < ANSWERS_MAX) {
            facts.reply_ttls.push((at, ttl, self.of()));
        }
        if let Some(ms) = time
            && self.answers.len() < ANSWERS_MAX
        {
            self.answers.push((ms, ttl));
        }
        true
    }

    /// `20 packets transmitted, 20 received, 0% packet loss, time 19026ms`, `Packets: Sent = 4, Received = 4, Lost = 0`.
    fn count(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let pair = if text.contains("packets transmitted,") {
            let sent = text.split_whitespace().next().and_then(whole);
            let received = between(text, "transmitted,", "received")
                .and_then(|r| r.split_whitespace().next())
                .and_then(whole);
            sent.zip(received)
        } else {
            counted(text)
        };
        let Some((sent, received)) = pair else {
            return false;
        };
        self.closes_typed(facts);
        if received <= sent && sent > 0 {
            if self.counted.is_some() {
                // A run of which only the end was pasted.
                self.to = None;
            }
            let of = self.of();
            if let Some(doubled) = doubled(text) {
                facts.exact(of, DUPLICATES, doubled as f64, at);
            }
            self.counted = Some((sent as f64, received as f64, at));
            if self.unsent && received == 0 {
                // What was never sent, or was refused with a word, is not lost.
                if let Some(size) = self.size {
                    facts.exact(of, "ping_refused_bytes", size, at);
                }
                return true;
            }
            self.passed(sent as f64, received as f64, at, facts);
            if let Some(size) = self.size.filter(|_| self.whole && received > 0) {
                facts.exact(of, WHOLE, size, at);
            }
        }
        true
    }

    /// Notes how many pings of a run were sent and answered, and of which size.
    fn passed(&self, sent: f64, received: f64, at: Place, facts: &mut Facts) {
        let of = self.of();
        if let Some(size) = self.size.filter(|s| *s >= LARGE && received <= 0.0) {
            // None of them is a hole for packets of this size, not a share that the path loses.
            facts.exact(of, "ping_large_lost_bytes", size, at);
            return;
        }
        let counts = self.first.counted(sent as u64, received as u64, at, facts);
        facts.exact(of, "ping_sent", counts as f64, at);
        facts.exact(of, "ping_received", received, at);
        if let Some(size) = self.size.filter(|_| received > 0.0) {
            facts.exact(of, "ping_answered_bytes", size, at);
        }
    }

    /// `rtt min/avg/max/mdev = 250.1/251.0/260.2/1.4 ms`, `round-trip min/avg/max = …`, `Minimum = 1ms, …`.
    fn times(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let closing = ["rtt min/avg/max", "round-trip"]
            .iter()
            .find_map(|words| text.find(words));
        // People name what they paste: `ping: rtt min/avg/max/mdev = …`.
        let figures = if let Some(closing) = closing.filter(|at| *at <= NAMED_MAX)
            && text[closing..].contains('=')
        {
            let text = &text[closing..];
            let values = text.split_once('=').map_or("", |(_, v)| v).trim();
            if !values.contains("ms") {
                return false;
            }
            slashed(values, at)
        } else {
            of_windows(text, at)
        };
        let Some(figures) = figures else {
            return false;
        };
        self.closes_typed(facts);
        self.closed = true;
        self.ended(&figures, facts);
        true
    }

    /// `Success rate is 100 percent (5/5), round-trip min/avg/max = 580/581/584 ms` of a router.
    fn cisco(&self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(rest) = text.strip_prefix("Success rate is ") else {
            return false;
        };
        let Some((received, sent)) = between(rest, "(", ")").and_then(|c| c.split_once('/')) else {
            return false;
        };
        let (Some(received), Some(sent)) = (decimal(received), decimal(sent)) else {
            return false;
        };
        self.passed(sent, received, at, facts);
        if let Some(figures) = between(rest, "min/avg/max = ", "").and_then(|v| slashed(v, at)) {
            times(self.of(), &figures, facts);
        }
        true
    }

    /// An answer under a command whose first line was not pasted, or behind a run's closing lines, is of another run.
    fn begins_with(&mut self, text: &str, facts: &mut Facts) {
        let asked = self.asked.take();
        if asked.is_some() || self.counted.is_some() || self.closed {
            self.close(facts);
            self.size = None;
            self.goes(answerer(text), &asked.unwrap_or_default(), facts);
        }
        self.size = self.size.or_else(|| answered_size(text));
    }

    /// Whether its closing lines were not pasted, and the size of its packets is known.
    fn is_cut_with_size(&self) -> bool {
        self.size.is_some() && self.counted.is_none()
    }

    /// What a run said in all: where its answers show that the path changed in it, what each path said.
    fn ended(&self, figures: &[Figure; 3], facts: &mut Facts) {
        let of = self.of();
        let Some(parts) = parted(&self.answers) else {
            facts
                .turned
                .extend(turned(&self.answers).map(|ttl| (of, ttl)));
            times(of, figures, facts);
            return;
        };
        for part in &parts {
            times(of, part, facts);
        }
    }

    fn close(&mut self, facts: &mut Facts) {
        let had = core::mem::take(&mut self.closed);
        if let (Some(size), Some((time, _)), true) =
            (self.size, self.answers.first(), self.is_cut_with_size())
        {
            let at = time.from.first().copied().unwrap_or(Place::You);
            facts.exact(self.of(), "ping_answered_bytes", size, at);
        }
        self.counted = None;
        self.first = First::default();
        self.unsent = false;
        let all = || self.answers.iter().map(|a| &a.0);
        let by = |a: &&Figure, b: &&Figure| a.value.total_cmp(&b.value);
        if let (false, Some(least), Some(most)) = (had, all().min_by(by), all().max_by(by)) {
            let mut mean = least.with(most);
            mean.value = all().map(|a| a.value).sum::<f64>() / self.answers.len() as f64;
            self.ended(&[least.clone(), mean, most.clone()], facts);
        }
        self.answers.clear();
    }

    /// Closing lines right under a command are of a run of its own, which goes where the command says.
    fn closes_typed(&mut self, facts: &mut Facts) {
        let Some(asked) = self.asked.take() else {
            return;
        };
        // What its host said of their size stands between the two.
        let unsent = self.unsent;
        self.close(facts);
        (self.size, self.unsent) = (asked.size, unsent);
        self.goes(asked.to.iter().cloned().collect(), &asked, facts);
    }

    /// A run begins that goes to a host of these names, as a command asked for it.
    fn goes(&mut self, names: Vec<String>, asked: &Asked, facts: &mut Facts) {
        self.to = of(facts, names);
        self.whole = asked.whole;
        if let (Some(Of::Ping(n)), Some(ipv6)) = (self.to, asked.ipv6) {
            facts.by_ipv6.insert(n, ipv6);
        }
    }

    /// Whose path the run is of.
    fn of(&self) -> Of {
        self.to.unwrap_or(Of::Path)
    }

    /// The head of a run's closing lines, which names its target once more: a run begins here where its first line was not pasted.
    fn statistics(&mut self, name: &str, facts: &mut Facts) {
        let same = match self.to {
            // `ping -4 HOST` of a name that is in no DNS prints an empty name.
            Some(Of::Ping(_)) if name.is_empty() => true,
            Some(Of::Ping(n)) => facts.pings[n as usize].iter().any(|own| own == name),
            _ => false,
        };
        if let Some(asked) = self.asked.take() {
            self.close(facts);
            self.size = asked.size;
            self.goes(vec![name.to_owned()], &asked, facts);
        } else if self.counted.is_some() || !same {
            self.close(facts);
            self.size = self.size.filter(|_| same);
            self.goes(vec![name.to_owned()], &Asked::default(), facts);
        }
    }
}

/// A ping more, if a name is that of a host.
fn of(facts: &mut Facts, names: Vec<String>) -> Option<Of> {
    let names = names.iter().filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(|name| crate::redact(name)).collect();
    (!names.is_empty()).then(|| facts.ping(names))
}

/// Who answered: `64 bytes from host (192.0.2.9): icmp_seq=1`, `Reply from 192.0.2.9: bytes=32`; none in other languages.
fn answerer(text: &str) -> Vec<String> {
    let rest = between(text, " bytes from ", "").or_else(|| between(text, "Reply from ", ""));
    let words = rest.unwrap_or("").split_whitespace();
    let bare = words.map(|w| w.trim_matches(|c: char| "()[],:".contains(c)));
    let names = bare.take_while(|w| is_host(w)).take(2);
    names.map(str::to_owned).collect()
}

/// The bytes of the packet that was answered, with its headers: `1380 bytes from 192.0.2.9` are 1400, and `bytes=32` of Windows 60. Those of
/// IPv6 have 20 more in their header.
fn answered_size(text: &str) -> Option<f64> {
    let address = answerer(text).pop()?;
    let ip = if address.contains(':') { 40.0 } else { 20.0 };
    let icmp = || whole(text.split_once(" bytes from ")?.0.trim());
    let data = || whole(crate::words::after(text, ": bytes=")?);
    let with_icmp = icmp().or_else(|| data().map(|n| n.saturating_add(8)))?;
    Some(with_icmp as f64 + ip)
}

/// Whom a run goes to, by name and address: `PING host (192.0.2.9) 56(84)`, `PING6(56=40+8+8 bytes) 2001:db8::1 --> 2001:db8::2`,
/// `Pinging host [192.0.2.9] with 32 bytes`, `PING host (host (192.0.2.9)) 56 data bytes`.
fn target(text: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || "()[],".contains(c);
    let all = match text.split_once("--> ") {
        Some((_, to)) => to,
        None => text.split_once(' ').map_or("", |(_, rest)| rest),
    };
    let words = all.split(ends).filter(|word| !word.is_empty());
    let hosts = words.take_while(|word| is_host(word) && !matches!(*word, "with" | "from"));
    let mut names: Vec<String> = Vec::new();
    for name in hosts.take(3).map(str::to_owned) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a word may be the name or the address of a host.
pub(super) fn is_host(word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name = word.starts_with(char::is_alphabetic) && word.chars().all(part);
    name || word.parse::<std::net::IpAddr>().is_ok()
}

/// The target in the head of closing lines: `--- host ping statistics ---`, `Ping statistics for 192.0.2.9:`; of a router's ping in its first.
fn named(text: &str) -> Option<&str> {
    let router = text
        .starts_with("Sending ")
        .then(|| between(text, "ICMP Echos to ", ","))
        .flatten();
    let name = between(text, "--- ", " ping statistics")
        .or_else(|| between(text, "----", " PING Statistics"))
        .or_else(|| between(text, "Ping statistics for ", ""))
        .or(router)?;
    Some(name.trim().trim_end_matches(':'))
}

/// `203.0.113.40:443` of a tool that opens connections: its host, and the port.
fn apart(name: &str) -> (&str, Option<u16>) {
    let port = name
        .rsplit_once(':')
        .filter(|(host, _)| !host.contains(':'));
    match port.and_then(|(host, port)| Some((host, port.parse().ok()?))) {
        Some((host, port)) => (host, Some(port)),
        None => (name, None),
    }
}

/// The time of an answer, in the language of whoever sent the ping: `time=250.4 ms`, `Zeit=37ms`, `temps<1ms`, ms.
fn took(text: &str, at: Place) -> Option<Figure> {
    text.match_indices(['=', '<']).find_map(|(n, _)| {
        let rest = &text[n + 1..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
            .unwrap_or(rest.len());
        let is_ms = rest[end..].trim_start().starts_with("ms");
        number(&rest[..end].replace(',', "."), at).filter(|_| is_ms)
    })
}

/// The hops that an answer had left: `ttl=54`, `TTL=118`, `hlim=60` of IPv6.
fn ttl(text: &str) -> Option<u32> {
    let value = ["ttl=", "TTL=", "hlim="]
        .iter()
        .find_map(|key| crate::words::after(text, key))?;
    let end = value.find(|c: char| !c.is_ascii_digit());
    value[..end.unwrap_or(value.len())].parse().ok()
}

/// Packets sent and received in a closing line of any language: `Packets: Sent = 4, Received = 4, Lost = 0 (0% loss),`, and
/// `4 Pakete übertragen, 4 empfangen, 0% Paketverlust`. The third number has to follow from the two.
fn counted(text: &str) -> Option<(u64, u64)> {
    let parts: Vec<&str> = text.splitn(3, ',').map(str::trim).collect();
    let [sent, received, lost] = parts[..] else {
        return None;
    };
    let behind = |part: &str| {
        let (_, value) = part.split_once(" = ")?;
        whole(
            value
                .split_whitespace()
                .next()?
                .trim_end_matches([',', '.']),
        )
    };
    if sent.contains(": ") {
        let (sent, received, lost) = (behind(sent)?, behind(received)?, behind(lost)?);
        return (received.checked_add(lost) == Some(sent)).then_some((sent, received));
    }
    let first = |part: &str| whole(part.split_whitespace().next()?);
    let (sent, received) = (first(sent)?, first(received)?);
    let said = decimal(&lost.split_once('%')?.0.replace(',', "."))?;
    let share = 100.0 - 100.0 * received as f64 / (sent as f64).max(1.0);
    ((share - said).abs() < 1.0).then_some((sent, received))
}

/// `Minimum = 1ms, Maximum = 3ms, Average = 2ms` of Windows, in any language: least, mean and greatest.
fn of_windows(text: &str, at: Place) -> Option<[Figure; 3]> {
    let ms = |part: &str| {
        let (name, value) = part.split_once(" = ")?;
        let is_name = name
            .trim()
            .chars()
            .all(|c| c.is_alphabetic() || c == ' ' || c == '.');
        let value = value.trim().strip_suffix("ms")?;
        number(value.trim(), at).filter(|_| is_name)
    };
    let mut parts = text.trim_end_matches(['.', ',']).split(',').map(ms);
    let (least, most, mean) = (parts.next()??, parts.next()??, parts.next()??);
    let ordered = least.value <= mean.value && mean.value <= most.value;
    (ordered && parts.next().is_none()).then_some([least, mean, most])
}

/// Least, mean and greatest, in milliseconds.
fn times(of: Of, [least, mean, most]: &[Figure; 3], facts: &mut Facts) {
    // Each is rounded by itself.
    let ordered = least.low <= mean.high && mean.low <= most.high;
    if !ordered || least.value > most.value || least.value < 0.0 {
        return;
    }
    facts.number(of, "rtt_min_ns", least.times(NS));
    facts.number(of, "rtt_avg_ns", mean.times(NS));
    facts.number(of, "rtt_max_ns", most.times(NS));
}

/// `250.1/251.0/260.2/1.4 ms`.
fn slashed(text: &str, at: Place) -> Option<[Figure; 3]> {
    let values = text.split_whitespace().next()?;
    // Some languages have a comma in numbers.
    let values = values.trim_end_matches("ms").replace(',', ".");
    let mut parts = values.split('/').map(|v| number(v, at));
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// `host : xmt/rcv/%loss = 10/10/0%, min/avg/max = 0.04/0.06/0.09`.
fn fping(text: &str, at: Place, facts: &mut Facts) -> bool {
    let Some(counts) = between(text, "xmt/rcv/%loss = ", "%") else {
        return false;
    };
    let mut parts = counts.split('/').map(whole);
    let (Some(Some(sent)), Some(Some(received))) = (parts.next(), parts.next()) else {
        return false;
    };
    if received > sent || sent == 0 {
        return false;
    }
    let host = text.split_once(" :").map_or("", |(host, _)| host.trim());
    let of = of(facts, target(&format!("PING {host}"))).unwrap_or(Of::Path);
    facts.exact(of, "ping_sent", sent as f64, at);
    facts.exact(of, "ping_received", received as f64, at);
    if let Some(figures) = between(text, "min/avg/max = ", "").and_then(|v| slashed(v, at)) {
        times(of, &figures, facts);
    }
    true
}
