//! mtr, traceroute of Linux, the BSDs and Windows, tcptraceroute, tracepath: delays and losses of the target, where the trace
//! reached it.
//!
//! A router on the way that answered last says nothing of the path's round trip.

use super::label::behind_prompt;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Fact, Figure, Of, Place};
use crate::paths::detour;
use crate::paths::late_hops::{Late, Rise};
use crate::paths::long_way::{LongWay, Timed};
use crate::reach::routing_loop::RoutingLoop;
use crate::words::{after, decimal, number};

mod goal;
pub(super) mod hubs;
mod mtr;
mod silent;

use goal::Command;
use mtr::Screen;
use silent::Silent;

/// A trace that reached its target, and is by TCP or may be.
#[derive(Clone, Debug)]
pub(crate) struct TcpTrace {
    /// Names and addresses of the target.
    pub(crate) names: Vec<String>,
    /// The port that was tried; none where no text says what the probes were.
    pub(crate) port: Option<u16>,
    /// The hop at which the target answered.
    pub(crate) hop: f64,
    /// Least, mean and greatest time of its answers, nanoseconds.
    pub(crate) run: [Figure; 3],
    /// The first of the facts with these times, where they are taken already.
    pub(crate) taken: Option<usize>,
}

/// The facts that are least, mean and greatest time of a run.
pub(crate) const TIMES: [&str; 3] = ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"];

/// A hop that answered a trace: its name, and the share of packets that it did not answer.
pub(crate) type Answered = (String, f64);

/// The end of a trace that counts what its hops answer: its name, how many packets it did not answer, where its answers begin to wait,
/// and whether the hops before it answer what it does not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Traced {
    pub(crate) end: String,
    pub(crate) lost: f64,
    pub(crate) rise: Option<Rise>,
    pub(crate) alone: bool,
}

/// A hop has the loss of the end where it loses this part of it at least; few packets leave it uncertain.
const HAS: f64 = 0.3;

/// A router that loses so many times what the end does leaves packets to itself unanswered.
const OWN: f64 = 3.0;

/// Of fewer packets lost nobody can say where.
const LOST_LEAST: f64 = 3.0;

/// A router that leaves this share of packets to itself unanswered, and is not the end, is named.
const OWN_LEAST: f64 = 0.02;

/// The state of reading: the last hop of the trace that is going.
#[derive(Default)]
pub(super) struct Routes {
    kind: &'static str,
    hop: Option<Hop>,
    hops: f64,
    /// Hops of mtr that answered.
    trail: Vec<Answered>,
    /// The same, with how late their answers are.
    late: Vec<Late>,
    /// Hops of a traceroute that answered.
    timed: Vec<Timed>,
    /// All hops that answered, by their numbers.
    way: Vec<detour::Hop>,
    /// Names and addresses of the target, where the first line says them.
    target: Vec<String>,
    /// Whether the last hop is the target.
    reached: bool,
    /// Hops that did not answer.
    silent: Silent,
    /// The largest packet by the first line of tracepath, bytes.
    pmtu: Option<f64>,
    /// The same by its last line, where it did not reach its target.
    left: Option<f64>,
    /// Where the trace begins.
    at: Option<Place>,
    /// The port that the trace opens, where it is by TCP.
    tcp: Option<u16>,
    /// The same of a command that was typed and has printed nothing.
    typed: Option<Option<u16>>,
    /// Whether no text says what the probes of the trace are.
    unsaid: bool,
    /// A command that was typed and has printed nothing.
    asked: Option<Command>,
    /// The host that the command of the trace names.
    goal: Option<String>,
    /// The name at the prompt under which the trace begins.
    prompt: String,
    /// The head of mtr's screen, whose hops have not begun.
    screen: Option<Screen>,
}

/// A hop.
struct Hop {
    times: Vec<Figure>,
    /// Sent and lost, where it was counted.
    loss: Option<(f64, f64)>,
    /// Its name or address, where losses are counted.
    name: String,
    at: Place,
}

/// Most hops that a packet can pass.
const HOPS_MAX: usize = 255;

impl Hop {
    /// Whether it answered nothing.
    fn is_silent(&self) -> bool {
        match self.loss {
            Some((sent, lost)) => lost >= sent,
            None => self.times.is_empty(),
        }
    }

    /// The hop and the share of packets that it did not answer, where it answered any.
    fn answered(&self) -> Option<Answered> {
        let (sent, lost) = self.loss.filter(|(sent, _)| *sent > 0.0)?;
        (!self.is_silent()).then(|| (self.name.clone(), lost / sent))
    }

    /// The hop, and by how much its mean is above its least, where both were counted.
    fn late(&self) -> Option<Late> {
        let [least, mean, _] = &self.times[..] else {
            return None;
        };
        let counted = self.loss.is_some();
        counted.then(|| (self.name.clone(), mean.value - least.value))
    }

    /// The hop of a line with its number and its least time, where it answered.
    fn stands(&self, text: &str) -> Option<detour::Hop> {
        let times = self.times.iter().map(|t| t.value);
        let name = match self.loss {
            Some(_) => self.name.as_str(),
            None => named(text)?,
        };
        Some(detour::Hop {
            number: numbered(text)?,
            name: crate::redact(name),
            least_ms: times.reduce(f64::min)?,
        })
    }

    /// The hop of a traceroute's line, where it answered.
    fn timed(&self, text: &str) -> Option<Timed> {
        let times = || self.times.iter().map(|t| t.value);
        let least = times().reduce(f64::min).filter(|_| self.loss.is_none())?;
        Some(Timed {
            name: named(text)?.to_owned(),
            least,
            most: times().fold(least, f64::max),
            answers: self.times.len(),
        })
    }
}

/// The name or address in a line of a traceroute: before its times, or behind them on Windows.
fn named(text: &str) -> Option<&str> {
    let is_time = |w: &&str| {
        let number = w.trim_start_matches('<').trim_end_matches("ms");
        matches!(*w, "*" | "ms") || decimal(number).is_some()
    };
    let mut words = text.split_whitespace().skip(1);
    words.find(|w| !is_time(w)).map(name_of)
}

const NS: f64 = 1e6;

/// What IPv4 and ICMP add to a ping's data, bytes (RFC 791 and RFC 792).
const IPV4_ECHO: f64 = 28.0;

impl Tool for Routes {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            "traceroute"
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(kind) = begins(text) {
            self.close(facts);
            self.kind = kind;
            let said = || after(text, " on TCP port ")?.parse::<u16>().ok();
            let typed = self.typed.take();
            self.tcp = typed.flatten().or_else(said);
            self.unsaid = typed.is_none() && self.tcp.is_none() && text.starts_with("traceroute");
            self.target = target(text);
            self.pmtu = after(text, "pmtu ").and_then(decimal);
            let screen = self.screen.take();
            let at = screen.as_ref().map_or(line.at, |screen| screen.at);
            self.at = Some(at);
            let asked = self.asked.take().filter(|command| command.heads(at));
            let prompt = asked.as_ref().and_then(|command| command.prompt.clone());
            self.prompt = prompt.unwrap_or_else(|| facts.prompt().1);
            self.goal = asked.and_then(|command| command.host);
            self.shows(screen);
            return true;
        }
        if self.heads_screen(line, facts) {
            return true;
        }
        if let Some(words) = typed(text) {
            self.typed = Some(port_of(&words));
            self.asked = Command::of(text, &words, line.at);
            return false;
        }
        if let Some(rest) = text.strip_prefix("Resume: pmtu ") {
            return self.resume(rest, line.at, facts);
        }
        // A line between two hops that nobody knows does not end the trace.
        if !going && !self.is_next(text) {
            return false;
        }
        let hop = match self.kind {
            "mtr" => mtr::hop(text, line.at),
            _ => traced(text, line.at),
        };
        match hop {
            Some(hop) => {
                let is_target = self.is_target(text);
                self.timed.extend(hop.timed(text));
                self.way.extend(hop.stands(text));
                self.take(hop, numbered(text), is_target);
                true
            }
            None => {
                text.starts_with("over a maximum of")
                    || text.starts_with("Trace complete")
                    || text.starts_with("Too many hops: pmtu ")
                    || text.starts_with("MPLS Label")
                    || text.starts_with("[MPLS")
                    // Another router at the same distance.
                    || text.contains("|--") || text.contains("`|")
                    || self.kind == "mtr" && mtr::is_alternative(text)
            }
        }
    }

    /// What its last hop will say: times, pings and the number of hops.
    fn held(&self) -> usize {
        let Some(hop) = self.hop.as_ref().filter(|_| self.reached) else {
            return usize::from(self.hop.is_some());
        };
        1 + if hop.times.is_empty() { 0 } else { 3 } + hop.loss.map_or(0, |_| 2)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

/// The tool whose output begins with this line.
fn begins(text: &str) -> Option<&'static str> {
    if mtr::heads(text) {
        return Some("mtr");
    }
    let is_trace = text.starts_with("traceroute to ")
        || text.starts_with("traceroute6 to ")
        || text.starts_with("Tracing the path to ")
        || text.starts_with("Tracing route to ");
    if is_trace {
        return Some("traceroute");
    }
    (text.contains("[LOCALHOST]") && text.contains("pmtu")).then_some("tracepath")
}

/// The words of a command that traces, with or without its prompt: `$ sudo traceroute -T -p 80 192.0.2.9`.
fn typed(text: &str) -> Option<Vec<&str>> {
    const NAMES: [&str; 5] = [
        "traceroute",
        "traceroute6",
        "tcptraceroute",
        "tracepath",
        "mtr",
    ];
    let words = behind_prompt(text).unwrap_or(text).split_whitespace();
    let words = words.skip_while(|w| matches!(*w, "sudo" | "doas"));
    let name = words.clone().next()?.rsplit('/').next()?;
    if !NAMES.contains(&name) {
        return None;
    }
    // `traceroute to 192.0.2.9 (192.0.2.9), …` is what it prints.
    let words: Vec<&str> = words.collect();
    (words.get(1) != Some(&"to")).then_some(words)
}

/// The port that a command's probes open, where they are of TCP: 80 unless it says another.
fn port_of(words: &[&str]) -> Option<u16> {
    let (name, options) = words.split_first()?;
    let is_flag = |w: &&str| w.starts_with('-') && !w.starts_with("--") && w.contains('T');
    let bare = name.ends_with("tcptraceroute");
    let tcp = bare || options.iter().any(|w| is_flag(w) || *w == "--tcp");
    let behind = |two: &[&str]| match two {
        ["-p" | "-P" | "--port", port] => port.parse::<u16>().ok(),
        _ => None,
    };
    // `tcptraceroute HOST PORT`.
    let last = || options.last().filter(|_| bare)?.parse::<u16>().ok();
    let port = options.windows(2).find_map(behind).or_else(last);
    tcp.then(|| port.unwrap_or(80))
}

/// Names and addresses in a first line: `traceroute to host (192.0.2.9), 30 hops max`, `Tracing route to host [192.0.2.9]`.
pub(super) fn target(text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once(" to ") else {
        return Vec::new();
    };
    let words = rest.split_whitespace();
    let own = words.take_while(|w| !matches!(*w, "over" | "from" | "on") && !w.starts_with("hops"));
    own.take(2).map(|w| name_of(w).to_owned()).collect()
}

/// A name or an address without the signs around it.
pub(super) fn name_of(word: &str) -> &str {
    word.trim_matches(|c: char| "()[],".contains(c))
}

/// The number that a line of a hop begins with.
fn numbered(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// ` 4  host (10.0.0.1)  1.2 ms  1.3 ms  1.4 ms`, `  4    12 ms    11 ms    12 ms  10.0.0.1`, ` 4:  10.0.0.1   1.2ms`.
fn traced(text: &str, at: Place) -> Option<Hop> {
    let first = text.split_whitespace().next()?;
    decimal(first.trim_end_matches(['?', ':']))?;
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    let mut times = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let joined = word.strip_suffix("ms").filter(|v| !v.is_empty());
        let apart = (words.get(n + 1) == Some(&"ms")).then(|| word.trim_start_matches('<'));
        if let Some(time) = joined.or(apart).and_then(|v| number(v, at)) {
            times.push(time);
        }
    }
    let answers = !times.is_empty()
        || words.contains(&"*")
        || text.contains("no reply")
        || text.contains("pmtu");
    answers.then_some(Hop {
        times,
        loss: None,
        name: String::new(),
        at,
    })
}

impl Routes {
    /// Takes the next hop, with its number, and whether it is the target if it answered.
    fn take(&mut self, hop: Hop, number: Option<u32>, is_target: bool) {
        let is_silent = hop.is_silent();
        self.hops += 1.0;
        self.reached = !is_silent && is_target;
        self.silent.take(number, is_silent);
        self.trail.extend(hop.answered());
        self.late.extend(hop.late());
        if !is_silent {
            self.hop = Some(hop);
        }
    }

    /// Whether a hop that answers is the target. Tracepath says so; mtr goes on until it is, unless its end was cut off. A traceroute of
    /// which the address is known ends there, and nowhere else.
    fn is_target(&self, text: &str) -> bool {
        let is_address = |w: &&String| w.parse::<std::net::IpAddr>().is_ok();
        let mut addresses = self.target.iter().filter(is_address).peekable();
        match self.kind {
            "tracepath" => text.ends_with("reached") || text.contains("reached "),
            "mtr" => self.may_end_at(text),
            _ if addresses.peek().is_none() => true,
            _ => addresses.any(|a| text.split_whitespace().any(|w| name_of(w) == a)),
        }
    }

    /// `Resume: pmtu 1400 hops 12 back 12`. Where the target was not reached the hops are left out, and only a router's report is known
    /// of what does not pass.
    fn resume(&mut self, rest: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(pmtu) = after(rest, "").and_then(decimal) else {
            return false;
        };
        let arrived = rest.contains(" hops ");
        self.left = Some(pmtu).filter(|_| !arrived);
        if arrived {
            facts.exact(Of::Path, "mtu_bytes", pmtu, at);
            if self.pmtu.is_some_and(|first| pmtu < first) {
                facts.exact(Of::Path, "mtu_discovered_bytes", pmtu, at);
            }
        } else if self.pmtu.is_some_and(|first| pmtu < first) {
            facts.exact(Of::Path, "mtu_reported_bytes", pmtu, at);
        }
        true
    }

    /// Whether a line begins with the number of the hop that comes next.
    fn is_next(&self, text: &str) -> bool {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        !self.kind.is_empty()
            && self.hops > 0.0
            && decimal(&text[..end]).is_some_and(|n| n == self.hops + 1.0)
    }

    /// The trace did not reach its target: it ended at a router, or in a loop of them.
    fn ends_on_the_way(
        &self,
        (kind, at): (&str, Place),
        end: Option<(u32, Option<f64>)>,
        hops: &[detour::Hop],
        facts: &mut Facts,
    ) {
        if let Some(found) = RoutingLoop::of(hops, &self.target, at) {
            facts.routing_loop.get_or_insert(found);
        }
        facts.unreached(kind, at, end);
    }

    fn close(&mut self, facts: &mut Facts) {
        let kind = core::mem::take(&mut self.kind);
        let hops = core::mem::take(&mut self.hops);
        let reached = core::mem::take(&mut self.reached);
        let (tcp, unsaid) = (self.tcp.take(), core::mem::take(&mut self.unsaid));
        let (hop, at) = (self.hop.take(), self.at.take());
        let trail = core::mem::take(&mut self.trail);
        let late = core::mem::take(&mut self.late);
        let timed = core::mem::take(&mut self.timed);
        let hops_by = core::mem::take(&mut self.way);
        let (silent, left) = (core::mem::take(&mut self.silent), self.left.take());
        let passed = silent.passed();
        if let Some(at) = at.filter(|_| !passed.is_empty()) {
            facts.silent_hops = Some((passed, at));
        }
        let end = silent.since().map(|first| (first, left));
        let Some(hop) = hop else {
            if let (Some(end), Some(at)) = (end, at) {
                facts.unreached(kind, at, Some(end));
            }
            return;
        };
        facts.exact(Of::Path, "hops", hops, hop.at);
        let ends_at = self.ends_at(&hop, &hops_by);
        facts.trace_targets.insert(hop.at, ends_at);
        facts.traced_at.insert(hop.at, self.prompt.clone());
        if !reached {
            self.ends_on_the_way((kind, at.unwrap_or(hop.at)), end, &hops_by, facts);
            return;
        }
        facts.goes_by(detour::Way {
            at: at.unwrap_or(hop.at),
            end: hop.at,
            target: self.target.clone(),
            hops: hops_by,
        });
        if timed.len() <= HOPS_MAX {
            facts.long_way = LongWay::of(&timed);
        }
        let by = |a: &&Figure, b: &&Figure| a.value.total_cmp(&b.value);
        let (least, most) = (hop.times.iter().min_by(by), hop.times.iter().max_by(by));
        if let (Some(least), Some(most)) = (least, most) {
            let mut mean = least.with(most);
            mean.value = match kind {
                "mtr" => hop.times[1].value,
                _ => hop.times.iter().map(|t| t.value).sum::<f64>() / hop.times.len() as f64,
            };
            let run = [least.times(NS), mean.times(NS), most.times(NS)];
            match tcp.is_some() || unsaid {
                true => facts.traced_by_tcp(TcpTrace {
                    names: self.target.iter().map(|name| crate::redact(name)).collect(),
                    port: tcp,
                    hop: hops,
                    run,
                    taken: None,
                }),
                false => facts.took_times(run),
            }
        }
        if let Some((sent, lost)) = hop.loss {
            facts.exact(Of::Path, "ping_sent", sent, hop.at);
            facts.exact(Of::Path, "ping_received", (sent - lost).round(), hop.at);
            if trail.len() <= HOPS_MAX {
                locate(&trail, lost.round(), hop.at, facts);
                if let Some(traced) = facts.traced.last_mut() {
                    traced.rise = Rise::of(&late);
                }
            }
        }
    }
}

impl Facts {
    /// The times of a run over the path, which are so many facts behind the first of them, are of something else.
    pub(crate) fn gives_back(&mut self, first: usize) {
        for fact in self.facts.iter_mut().skip(first).take(TIMES.len()) {
            let is_it = fact.of == Of::Path && TIMES.contains(&fact.name);
            fact.name = if is_it { "doubtful_ns" } else { fact.name };
        }
        for name in TIMES {
            let is_it = |f: &Fact| f.of == Of::Path && f.name == name;
            match self.facts.iter().rposition(is_it) {
                Some(last) => self.latest.insert((Of::Path, name), last),
                None => self.latest.remove(&(Of::Path, name)),
            };
        }
    }

    /// A trace ended at a router on the way; `end` is the hop from which on nothing answered, and the largest packet of tracepath, bytes.
    pub(super) fn unreached(&mut self, tool: &str, at: Place, end: Option<(u32, Option<f64>)>) {
        if self.notes.len() >= NOTES_MAX {
            return;
        }
        let silent = end.map_or_else(String::new, |(first, _)| {
            format!(
                "; from hop {first} on nothing answered it, which routers and firewalls that drop probes do as well as a fault: pings or a test say whether the target is reached"
            )
        });
        let packets = end.and_then(|(_, left)| left);
        let packets = packets.filter(|pmtu| *pmtu > IPV4_ECHO);
        let packets = packets.map_or_else(String::new, |pmtu| {
            format!(
                ". Its packets had {pmtu:.0} bytes in the end: whether such a size passes behind the last router that answered, it does not say. By IPv4 ping -M do -s {:.0} ADDRESS does",
                pmtu - IPV4_ECHO
            )
        });
        self.notes.push(format!(
            "{}: {tool} did not reach its target: its times are of a router on the way, and are left out{silent}{packets}",
            self.place(at)
        ));
    }
}

/// Adds what the hops of a trace that reached its end say of where packets are lost; `lost` of them did not come back from the end.
pub(crate) fn locate(trail: &[Answered], lost: f64, at: Place, facts: &mut Facts) {
    let Some((name, end)) = trail.last() else {
        return;
    };
    facts.traced.push(Traced {
        end: crate::redact(name),
        lost,
        rise: None,
        alone: false,
    });
    let is_own = |(_, share): &&Answered| *share > OWN * end;
    if let Some((name, share)) = trail.iter().rfind(|hop| is_own(hop) && hop.1 > OWN_LEAST) {
        facts.word(Of::Path, "loss_own_hop", name, at);
        facts.exact(Of::Path, "loss_own_ratio", *share, at);
    }
    if lost < LOST_LEAST || *end <= 0.0 {
        return;
    }
    let clean = trail.iter().rposition(|(_, share)| *share < HAS * end);
    let lasts = clean.map_or(0, |n| n + 1);
    let Some(first) = trail[lasts..].iter().position(|hop| !is_own(&hop)) else {
        return;
    };
    let begins = lasts + first;
    if let Some(traced) = facts.traced.last_mut() {
        traced.alone = clean.is_some() && begins + 1 == trail.len();
    }
    facts.word(Of::Path, "loss_hop", &trail[begins].0, at);
    let before = clean.map_or("", |n| &trail[n].0);
    facts.word(Of::Path, "loss_after_hop", before, at);
    facts.exact(Of::Path, "loss_hop_number", (begins + 1) as f64, at);
}
