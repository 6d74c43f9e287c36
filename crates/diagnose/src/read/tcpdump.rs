//! What `tcpdump` prints of handshakes: the options of each SYN.

use super::label::name_at_prompt;
use super::reported_mtu::ReportedMtu;
use super::{Facts, Line, Tool};
use crate::fact::Place;
use crate::reach::barred::Barred;
use crate::redact::address;
use crate::seen::End;
use crate::windows::zero_window::Announced;
use crate::words::{after, between, decimal, whole};

/// A SYN, as a text shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Syn {
    /// The end that sent it.
    pub(crate) from: End,
    /// The end it went to.
    pub(crate) to: End,
    /// Whether it answers another.
    pub(crate) answers: bool,
    /// The largest segment that its end takes, with the bytes of options, bytes.
    pub(crate) mss: Option<f64>,
    /// By how many bits its end shifts its window; none where it does not offer that.
    pub(crate) shift: Option<u32>,
    /// Whether selective acknowledgements are permitted.
    pub(crate) sack: bool,
    /// Whether it has a timestamp.
    pub(crate) stamps: bool,
    /// What is the same of one packet wherever it is seen: its sequence number, the identification of its IP packet, and its timestamp.
    pub(crate) packet: [Option<u64>; 3],
    /// The host's name at the prompt that it was printed under; empty without one.
    pub(crate) shell: String,
    /// Where it was read.
    pub(crate) at: Place,
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Tcpdump {
    /// A SYN whose options go on in the next line, and where it began.
    held: Option<(String, Place)>,
    /// The identification of the IP packet whose segment stands in the next line.
    id: Option<u64>,
    /// The name at the prompt of the command above, and the port that it is of.
    asked: Option<(String, u16)>,
    /// What routers report of packets that are too large, and whether they are sent again.
    reported: ReportedMtu,
    /// Lines of segments with data, and where the first of them stands.
    data: usize,
    first: Option<Place>,
}

/// Longest SYN that is put together from wrapped lines, bytes.
const HELD_MAX: usize = 2048;

/// Most SYNs that are kept.
const SYNS_MAX: usize = 10_000;

/// What it says when it ends.
const ENDS: [&str; 6] = [
    " packets captured",
    " packet captured",
    " packets received by filter",
    " packet received by filter",
    " packets dropped by kernel",
    " packets dropped by interface",
];

impl Tool for Tcpdump {
    fn name(&self) -> &'static str {
        "tcpdump"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((mut held, at)) = self.held.take()
            && going
            && held.len() + text.len() < HELD_MAX
        {
            held.push(' ');
            held.push_str(text);
            self.take(held, at, facts);
            return true;
        }
        let (Some((from, to, rest)), Some(flags)) = (ends(text), between(text, "Flags [", "]"))
        else {
            // With -v a line of the packet stands before that of its segment.
            let packet = ["IP (tos ", "IP6 (flowlabel ", "IP6 (class ", "IP6 (hlim "];
            let listens = text.starts_with("listening on ") && text.contains("link-type");
            let talks = listens || text.starts_with("tcpdump: ");
            let counts = ENDS.iter().any(|e| text.ends_with(e));
            let known = packet.iter().any(|p| text.contains(p)) || talks || counts;
            self.nothing(line, facts);
            let barred = Barred::of_packet(text, line.at);
            let icmp = barred.is_some() || self.reported.report(line, facts);
            if let Some(barred) = barred {
                facts.bars(barred);
            }
            let known = known || icmp;
            self.id = identification(text);
            return known || facts.asks_for_names(text, line.at);
        };
        if flags.contains('S') {
            self.take(text.to_owned(), line.at, facts);
            return true;
        }
        self.id = None;
        let window = between(rest, "win ", "").and_then(|w| w.split([',', ' ']).next());
        if let Some(window) = window.and_then(whole).filter(|_| !flags.contains('R')) {
            facts.announces(&Announced {
                ends: [&from, &to],
                window,
                time: time(text),
                at: line.at,
            });
        }
        let length = between(rest, "length ", "").map_or("", |l| l.trim_end_matches(':'));
        let length = length.split([':', ' ']).next().and_then(whole);
        if let Some(bytes) = length.filter(|bytes| *bytes > 0) {
            let sequence = between(rest, "seq ", ",").unwrap_or("");
            let segment = format!("{} {} {sequence}", from.shown(), to.shown());
            self.reported
                .segment((&to.host, segment), bytes, line.at, facts);
            self.data += 1;
            self.first.get_or_insert(line.at);
        }
        true
    }

    fn finish(&mut self, facts: &mut Facts) {
        if let Some(at) = self.first.take() {
            facts.notes.push(format!(
                "{}: {} segments of tcpdump's text are not read: tcpdump -w FILE saves what they show, and farpath reads FILE",
                facts.place(at),
                core::mem::take(&mut self.data)
            ));
        }
        self.held = None;
    }
}

impl Tcpdump {
    /// Takes the port of a command, and that a capture of it saw nothing.
    fn nothing(&mut self, line: Line<'_>, facts: &mut Facts) {
        let text = line.bare;
        if text.contains("tcpdump ") {
            let port = after(text, " port ").map(|word| word.trim_matches(['\'', '"', ')']));
            let port = port.and_then(|port| port.parse().ok());
            self.asked = name_at_prompt(text).map(crate::redact).zip(port);
        }
        if text == "0 packets captured"
            && let Some((host, port)) = self.asked.take()
        {
            facts.captured_nothing(host, port, line.at);
        }
    }

    /// Takes a SYN, or holds it where its options go on.
    fn take(&mut self, text: String, at: Place, facts: &mut Facts) {
        let open = text
            .split_once("options [")
            .is_some_and(|(_, options)| !options.contains(']'));
        if open {
            self.held = Some((text, at));
            return;
        }
        let id = identification(&text).or(self.id.take());
        if let Some(mut syn) = syn(&text, at).filter(|_| facts.syns.len() < SYNS_MAX) {
            syn.packet[1] = id;
            syn.shell.clone_from(&facts.label.name);
            facts.syns.push(syn);
        }
    }
}

/// `IP (tos 0x0, ttl 64, id 4112, offset 0, …`: which packet of its host it is. Linux answers with 0, which says nothing.
fn identification(text: &str) -> Option<u64> {
    let packet = between(text, "IP (tos ", "")?;
    let id = whole(between(packet, ", id ", ",")?)?;
    Some(id).filter(|id| *id > 0)
}

/// `… 192.0.2.1.40000 > 192.0.2.2.5201: Flags [S], …`: both ends, and what is behind them.
fn ends(text: &str) -> Option<(End, End, &str)> {
    let (before, rest) = text.split_once(": Flags [")?;
    let mut words = before.split_whitespace().rev();
    let to = end(words.next()?)?;
    let arrow = words.next()? == ">";
    let from = end(words.next()?)?;
    arrow.then_some((from, to, rest))
}

/// When a packet was seen, seconds of its day: `14:02:11.100200 IP …`, with a date before it or without.
fn time(text: &str) -> Option<f64> {
    let of_day = |word: &str| {
        let parts: Vec<f64> = word.split(':').map_while(decimal).collect();
        let whole = word.matches(':').count() == 2;
        match parts[..] {
            [hours, minutes, seconds] if whole => Some((hours * 60.0 + minutes) * 60.0 + seconds),
            _ => None,
        }
    };
    text.split_whitespace().take(2).find_map(of_day)
}

/// `192.0.2.1.40000`, `2001:db8::1.5201`, `host.example.net.http`.
fn end(text: &str) -> Option<End> {
    let (host, port) = text.rsplit_once('.')?;
    (!host.is_empty()).then(|| End {
        host: address(host),
        port: port.parse().ok(),
    })
}

fn syn(text: &str, at: Place) -> Option<Syn> {
    let (from, to, rest) = ends(text)?;
    let (flags, rest) = rest.split_once(']')?;
    let options = between(rest, "options [", "]").unwrap_or("");
    let option = |name: &str| {
        let mut each = options.split(',').map(str::trim);
        each.find_map(|o| o.strip_prefix(name)).map(str::trim)
    };
    let sequence = between(rest, "seq ", "").unwrap_or("");
    let sequence = sequence.split([',', ':', ' ']).next();
    let stamp = option("TS val ").unwrap_or("").split(' ').next();
    Some(Syn {
        from,
        to,
        answers: flags.contains('.'),
        mss: option("mss ").and_then(decimal),
        // Larger ones count as 14 (RFC 7323 §2.3).
        shift: option("wscale ").and_then(whole).map(|s| s.min(14) as u32),
        sack: option("sackOK").is_some(),
        stamps: option("TS ").is_some(),
        packet: [sequence.and_then(whole), None, stamp.and_then(whole)],
        shell: String::new(),
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_syn_are_read() {
        let text = "192.0.2.10.51514 > 198.51.100.20.5201: Flags [S], cksum 0xe1a9 (correct), seq 3021771, win 64240, options [mss 1460,sackOK,TS val 913 ecr 0,nop,wscale 7], length 0";
        let own = syn(text, Place::You).expect("a SYN");
        assert_eq!((own.from.port, own.to.port), (Some(51514), Some(5201)));
        assert_eq!((own.mss, own.shift), (Some(1460.0), Some(7)));
        assert!(own.sack && own.stamps && !own.answers);
        assert_eq!(own.packet, [Some(3_021_771), None, Some(913)]);
        let packet = "03:20:11.1 IP (tos 0x0, ttl 64, id 4112, offset 0, flags [DF], proto TCP (6), length 60)";
        assert_eq!(identification(packet), Some(4112));
        assert_eq!(identification(&packet.replace("4112", "0")), None);
        let bare = "IP6 2001:db8::2.5201 > 2001:db8::1.40000: Flags [S.E], seq 1, ack 2, win 65535, options [mss 1440], length 0";
        let bare = syn(bare, Place::You).expect("an answer");
        assert_eq!(bare.from.host, "2001:db8::2");
        assert_eq!((bare.mss, bare.shift), (Some(1440.0), None));
        assert!(bare.answers && !bare.sack && !bare.stamps);
        assert!(syn("a > b: Flags [S]", Place::You).is_none());
    }
}
