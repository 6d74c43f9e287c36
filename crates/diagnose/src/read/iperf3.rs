//! iperf3's text: both ends, `-P`, `-R`, `--bidir`, `-u`, `-V`. Both ends' reports stand in the client's own text.

use super::iperf_closing::{Closing, names_sender};
use super::iperf_row::{IperfRow, bracketed, connected, row};
use super::moments::Moments;
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::seen::{End, Report, Row, SERIES, STARTED, Side, Test};
use crate::words::{after, decimal, quantity};
use crate::{address, redact};

/// The state of reading.
#[derive(Default)]
pub(super) struct Iperf3 {
    test: Option<Test>,
    /// The other direction of `--bidir`.
    back: Option<Test>,
    /// Whose text it is, and whether data flows to the client.
    server: bool,
    reverse: bool,
    host: String,
    /// The port that the client's command or its first line names.
    port: Option<u16>,
    /// Connections side by side that were asked for.
    parallel: Option<u32>,
    /// Rate of datagrams that was asked for.
    asked: Option<Figure>,
    /// Where the client's command was typed.
    typed: Option<Place>,
    /// What `-V` says of the size of segments before the first connection.
    mss: Option<Figure>,
    /// Ids whose closing row came without the word behind it: mail broke the line.
    closed: Vec<String>,
    /// Closing rows that were read: mail has them twice.
    reported: Vec<Closing>,
    /// Whether its closing row stands among those of other tests.
    series: bool,
    ids: Vec<String>,
    /// Whether the columns of its intervals have those of a sender, segments sent again.
    repeats: Option<bool>,
    summed: bool,
}

const TOOL: &str = "iperf3";

/// The port of a server that was given none (iperf3, 1, --port).
const PORT: u16 = 5201;

/// So far back the intervals of single streams stand before their sum.
const SPANS_BACK: usize = 4;

impl Tool for Iperf3 {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(host) = text
            .strip_prefix("Connecting to host ")
            .and_then(|t| t.split_once(", port "))
        {
            let asked = self.asked.take();
            self.close(facts);
            self.host = redact(host.0);
            self.port = host.1.trim().parse().ok();
            self.asked = asked;
            return true;
        }
        if text.starts_with("Reverse mode, remote host ") {
            self.reverse = true;
            return true;
        }
        if text.starts_with("Server listening on ") && !text.contains("port")
            || text.starts_with("Accepted connection from ")
        {
            self.close(facts);
            self.server = true;
            return true;
        }
        if let Some(typed) = super::command::typed(text) {
            // What follows is another test, whatever of its head was pasted.
            self.close(facts);
            self.asked_for(&typed, line.at);
            return false;
        }
        if release(text, line.at, facts) || self.known(text, line.at) {
            return true;
        }
        if is_around(text) {
            return going;
        }
        let Some((id, role, rest)) = bracketed(text) else {
            return false;
        };
        if let Some((ends, _)) = connected(rest, "connected to") {
            if self.test.as_ref().is_some_and(Test::is_measured) {
                self.close(facts);
            }
            facts.printed_at(ends[0].0);
            self.connect(id, ends, line.at);
            return true;
        }
        if id == "ID" {
            if role.is_empty() && rest.starts_with("Interval") {
                self.columns(rest.contains("Retr"));
            }
            return rest.starts_with("Interval")
                && (rest.contains("Bitrate") || rest.contains("Retr ") || going);
        }
        let Some(read) = row(text, line.at).filter(|r| r.decimals == 2) else {
            return false;
        };
        // `grep SUM` leaves no heading: the command stands right above.
        let begins = self.typed.and_then(|typed| line.at.lines_below(typed)) == Some(1);
        if self.test.is_none() && !going && !begins && !is_own(read.rest) {
            return false;
        }
        if self.is_of_another(&read, role, line.at, &facts.moments) {
            self.begin_next(facts);
        }
        self.row(&read, role, line.at);
        true
    }

    fn held(&self) -> usize {
        let of = |t: &Option<Test>| t.as_ref().map_or(0, Test::facts);
        of(&self.test) + of(&self.back)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Iperf3 {
    /// What a command asks for; nothing of a server's.
    fn asked_for(&mut self, typed: &super::command::Typed<'_>, at: Place) {
        if typed.server {
            return;
        }
        self.typed = Some(at);
        self.host = typed.value("-c").map(redact).unwrap_or_default();
        let port = typed.value("-p").or_else(|| typed.value("--port"));
        self.port = port.map_or(Some(PORT), |port| port.parse().ok());
        self.parallel = typed.value("-P").and_then(|n| n.parse().ok());
        self.reverse = typed.has("-R") || typed.has("--reverse");
        self.asked = typed.datagram_rate().map(|bps| Figure::exact(bps, at));
    }

    /// Lines of `-V`, and others that stand alone.
    fn known(&mut self, text: &str, at: Place) -> bool {
        if let Some(name) = text.strip_prefix("snd_tcp_congestion ") {
            if let (Some(cc), Some(test)) = (crate::known::control(name), &mut self.test) {
                test.words.insert("cc", cc.to_owned());
            }
            return true;
        }
        if let Some(mss) = text.strip_prefix("TCP MSS: ") {
            let mss = after(mss, "").and_then(decimal);
            let mss = mss.map(|mss| Figure::exact(mss, at));
            match (&mut self.test, mss) {
                (Some(test), Some(mss)) => test.set("mss_bytes", mss),
                (_, mss) => self.mss = mss,
            }
            return true;
        }
        if let Some(cpu) = text.strip_prefix("CPU Utilization: ") {
            // `local/sender 31.0% (0.6%u/30.4%s), remote/receiver 99.2% (1.9%u/97.3%s)`.
            let shares = cpu.split(',').filter_map(|p| p.trim().split_once(' '));
            let shares = shares.filter_map(|(end, v)| Some((end, decimal(v.split('%').next()?)?)));
            for (end, percent) in shares {
                let name = match end.ends_with("receiver") {
                    true => "cpu_receiver_ratio",
                    false => "cpu_sender_ratio",
                };
                if let Some(test) = &mut self.test {
                    test.set(name, Figure::exact(percent / 100.0, at));
                }
            }
            return true;
        }
        text.starts_with("rcv_tcp_congestion ")
            || text.starts_with("Cookie: ")
            || text.starts_with("Control connection MSS ")
            || text.starts_with("Starting Test: protocol: ")
            || text.starts_with("Target Bitrate: ")
    }

    fn connect(&mut self, id: &str, [near, far]: [(&str, u16); 2], at: Place) {
        let end = |(host, port): (&str, u16)| End {
            host: address(host),
            port: Some(port),
        };
        self.ids.push(id.to_owned());
        let streams = self.ids.len() as u32;
        let (host, swap) = (self.host.clone(), self.server != self.reverse);
        let test = self.test.get_or_insert_with(|| Test::new(TOOL, at));
        test.streams = streams;
        if let Some(mss) = self.mss.take() {
            test.set("mss_bytes", mss);
        }
        if let Some(count) = test.count(id) {
            // The client's: its server has one for all.
            count.port = Some(if self.server { far.1 } else { near.1 });
        }
        if streams > 1 {
            return;
        }
        (test.from, test.to) = match swap {
            false => (end(near), end(far)),
            true => (end(far), end(near)),
        };
        if self.reverse {
            test.client = Side::Receiver;
        }
        let to = usize::from(!self.reverse);
        if !host.is_empty() && ![&test.from.host, &test.to.host][to].eq(&host) {
            test.aliases[to].push(host);
        }
    }

    /// The head of a table: a sender's own intervals count segments sent again, those of a receiver do not, whatever of the
    /// log was pasted.
    fn columns(&mut self, repeats: bool) {
        let turned = match (self.server, self.repeats) {
            // A server that sends.
            (true, None) => repeats,
            // The client's intervals have none, and the sender's report has some: the other end sends.
            (false, Some(false)) => repeats,
            _ => false,
        };
        if turned && !self.reverse {
            self.reverse = true;
            if let Some(test) = &mut self.test {
                test.turn();
            }
        }
        self.repeats = self.repeats.or(Some(repeats));
    }

    fn row(&mut self, read: &IperfRow<'_>, role: &str, at: Place) {
        let words: Vec<&str> = read.rest.split_whitespace().collect();
        let last = words.last().copied().unwrap_or("");
        if last == "(omitted)" {
            // Before the time that counts, whose intervals begin at 0 again.
            return;
        }
        let is_back = match self.server {
            true => role.starts_with("TX"),
            false => role.starts_with("RX"),
        };
        let test = if is_back {
            let (host, forward) = (&self.host, self.test.as_ref());
            self.back
                .get_or_insert_with(|| backwards(forward, host, at))
        } else {
            let (host, port, parallel) = (self.host.as_str(), self.port, self.parallel);
            let reverse = self.reverse && !self.server;
            self.test
                .get_or_insert_with(|| headless((host, port), parallel, reverse, at))
        };
        if !role.is_empty() {
            // Connections of both directions were counted together.
            test.streams = (self.ids.len() as u32 / 2).max(1);
        }
        datagrams(test, &words, at);
        let of_sender = names_sender(read.rest);
        if of_sender.is_some() || is_total(test, read) {
            self.closing(read, (role, is_back), of_sender, at);
            return;
        }
        let sum = read.id.starts_with("SUM");
        let same = |r: &Row| (r.from, r.until) == read.span;
        if sum && test.rows.iter().rev().take(SPANS_BACK).any(same) {
            // The single streams were added already.
            return;
        }
        let receiving = if role.is_empty() {
            self.server != self.reverse
        } else {
            role.starts_with("RX")
        };
        let side = match receiving {
            true => Side::Receiver,
            false => Side::Sender,
        };
        let again = words
            .first()
            .and_then(|w| decimal(w))
            // In mail the unit of the window may have gone to the next line; a sum has none.
            .filter(|_| (words.len() >= 2 || sum) && !test.udp && !receiving);
        if again.is_some()
            && words.len() >= 3
            && let Some(cwnd) = quantity(words[1], words[2], at)
        {
            test.numbers.insert("cwnd_bytes", cwnd);
        }
        if let Some(again) = again.filter(|_| !sum)
            && let Some(count) = test.count(read.id)
        {
            count.interval(read.bytes.value, again);
        }
        let cwnd = again.and(test.numbers.get("cwnd_bytes").map(|c| c.value));
        add_row(test, read, (side, again, cwnd), at);
    }

    /// Whether a closing row is of another test than those above it, as `grep` leaves them of logs: its end has reported something else
    /// already, or as much at another time.
    fn is_of_another(&self, read: &IperfRow<'_>, role: &str, at: Place, moments: &Moments) -> bool {
        let Some(sent) = names_sender(read.rest) else {
            return false;
        };
        let mut known = self.reported.iter().rev();
        let known = known.find(|r| r.is_of(read, role) && r.sent == sent);
        known.is_some_and(|r| !r.says(read) || moments.is_dated_between(r.at, at))
    }

    /// Closes a test, and begins another between the same hosts.
    fn begin_next(&mut self, facts: &mut Facts) {
        self.series = true;
        let next = Iperf3 {
            series: true,
            server: self.server,
            reverse: self.reverse,
            host: core::mem::take(&mut self.host),
            port: self.port,
            parallel: self.parallel,
            asked: self.asked.clone(),
            repeats: self.repeats,
            ..Iperf3::default()
        };
        self.close(facts);
        *self = next;
    }

    /// A closing row: of the end that it names or, where mail broke the line, of the sender before the receiver.
    fn closing(
        &mut self,
        read: &IperfRow<'_>,
        (role, is_back): (&str, bool),
        of_sender: Option<bool>,
        at: Place,
    ) {
        let test = if is_back {
            &mut self.back
        } else {
            &mut self.test
        };
        let Some(test) = test else { return };
        let words: Vec<&str> = read.rest.split_whitespace().collect();
        let sum = read.id.starts_with("SUM");
        let again = self.closed.iter().any(|id| id == read.id);
        let sent = of_sender.unwrap_or(!again);
        let mut known = self.reported.iter().filter(|r| r.is_of(read, role));
        // A total of no end's behind both is one of them once more.
        if known.any(|r| r.sent == sent || of_sender.is_none() && !r.sent) {
            return;
        }
        self.reported.push(Closing::of(read, role, sent, at));
        self.summed |= sum && of_sender.is_some();
        report(test, read, (&words, sent, sum), at);
        if of_sender.is_none() && test.udp {
            // iperf 3.0 does not say whose the row is: the sender's bytes, and the receiver's losses.
            arrived(test);
        } else if sent {
            self.closed.push(read.id.to_owned());
        }
    }

    fn close(&mut self, facts: &mut Facts) {
        for mut test in [self.test.take(), self.back.take()].into_iter().flatten() {
            if let Some(asked) = self.asked.clone().filter(|_| test.udp) {
                test.set("application_rate_bps", asked);
            }
            let only_sent = test.sent.is_some() && test.received.is_none() && !test.udp;
            let receiving =
                !test.rows.is_empty() && test.rows.iter().all(|r| r.side == Side::Receiver);
            if self.server && !self.reverse && only_sent && receiving {
                // Not every system counts what is sent again; the closing row says whose it is.
                test.turn();
            }
            if is_unheard(&test) {
                test.received = None;
            }
            if self.series {
                test.words.insert(SERIES, String::new());
            }
            if let Some(utc) = facts.moments.utc_above(test.at) {
                test.set(STARTED, Figure::exact(utc, test.at));
            }
            if test.is_measured() {
                facts.tests.push(test);
            }
        }
        *self = Iperf3::default();
    }
}

/// Lines that carry nothing: rules, and words that mail put on lines of their own.
fn is_around(text: &str) -> bool {
    let is_rule = text.len() > 10 && text.bytes().all(|b| b == b'-' || b == b' ');
    is_rule
        || matches!(
            text,
            "sender" | "receiver" | "iperf Done." | "Test Complete. Summary Results:"
        )
}

/// Whether a row that names no end is a closing one: it begins at the start and ends no earlier than the intervals.
fn is_total(test: &Test, read: &IperfRow<'_>) -> bool {
    let last = test.rows.last().map_or(0.0, |r| r.until);
    test.rows.len() > 1 && read.span.0 == 0.0 && read.span.1 >= last - 0.01
}

/// Whether a row without a head is this tool's and no other's: it names an end, or has a sender's columns behind the rate,
/// segments sent again and the congestion window.
fn is_own(rest: &str) -> bool {
    match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [.., "sender" | "receiver"] => true,
        [again, window, unit] => {
            let whole = again.bytes().all(|b| b.is_ascii_digit());
            whole
                && decimal(window).is_some()
                && matches!(unit, "Bytes" | "KBytes" | "MBytes" | "GBytes")
        }
        _ => false,
    }
}

/// Whether a receiver's report of nothing is none: a test that was interrupted prints it, while the sender went on until its
/// end, or had sent more than a socket's buffer holds (4 MiB, where nobody asks for more).
fn is_unheard(test: &Test) -> bool {
    const BUFFER: f64 = 4.0 * 1024.0 * 1024.0;
    let is_nothing = |r: &Report| r.goodput.value == 0.0;
    let nothing = test.received.as_ref().is_some_and(is_nothing);
    let mut late = test.rows.iter().rev().take(2);
    let went_on = test.rows.len() > 1 && late.all(|r| r.side == Side::Sender && r.bps > 0.0);
    let sent = test.sent.as_ref().and_then(|r| r.bytes.as_ref());
    nothing && !test.udp && (went_on || sent.is_some_and(|b| b.value > BUFFER))
}

/// What arrived of the datagrams that were sent.
fn arrived(test: &mut Test) {
    let count = |name| test.numbers.get(name).map(|f: &Figure| f.value);
    let (lost, sent) = (count("datagrams_lost"), count("datagrams"));
    if let (Some(report), Some(lost), Some(sent)) = (&test.sent, lost, sent)
        && sent > 0.0
    {
        let part = (1.0 - lost / sent).clamp(0.0, 1.0);
        test.received = Some(Report {
            goodput: report.goodput.times(part),
            bytes: report.bytes.as_ref().map(|b| b.times(part)),
            seconds: report.seconds,
        });
    }
}

/// A test of which only the command and the report were pasted.
fn headless(
    (host, port): (&str, Option<u16>),
    parallel: Option<u32>,
    reverse: bool,
    at: Place,
) -> Test {
    let mut test = Test::new(TOOL, at);
    test.service = port;
    if reverse {
        test.client = Side::Receiver;
    }
    let far = if reverse {
        &mut test.from
    } else {
        &mut test.to
    };
    host.clone_into(&mut far.host);
    test.streams = parallel.unwrap_or(1).clamp(1, 1024);
    test
}

/// The test of the other direction.
fn backwards(forward: Option<&Test>, host: &str, at: Place) -> Test {
    let mut test = Test::new(TOOL, at);
    test.client = Side::Receiver;
    if let Some(forward) = forward {
        test.service = forward.service;
        test.from.host.clone_from(&forward.to.host);
        test.to.host.clone_from(&forward.from.host);
    }
    if !host.is_empty() {
        test.aliases[0].push(host.to_owned());
    }
    test
}

/// `0.006 ms  1/3433 (0.029%)` and `1700` of datagrams.
fn datagrams(test: &mut Test, words: &[&str], at: Place) {
    let Some(n) = words.iter().position(|w| *w == "ms") else {
        return;
    };
    let Some((lost, sent)) = words.get(n + 1).and_then(|w| w.split_once('/')) else {
        return;
    };
    if let Some((lost, sent)) = decimal(lost).zip(decimal(sent)) {
        test.udp = true;
        test.numbers
            .insert("datagrams_lost", Figure::exact(lost, at));
        test.numbers.insert("datagrams", Figure::exact(sent, at));
    }
}

fn report(
    test: &mut Test,
    read: &IperfRow<'_>,
    (words, sent, sum): (&[&str], bool, bool),
    at: Place,
) {
    if sent
        && !test.udp
        && let Some(again) = words.first().and_then(|w| decimal(w))
    {
        let old = test.numbers.get("retransmits").map_or(0.0, |f| f.value);
        let all = if sum { again } else { old + again };
        test.numbers.insert("retransmits", Figure::exact(all, at));
        if !sum && let Some(count) = test.count(read.id) {
            count.whole(read.bytes.value, again);
        }
    }
    if !sum {
        test.each[usize::from(!sent)].push(read.rate.clone());
    }
    let slot = if sent {
        &mut test.sent
    } else {
        &mut test.received
    };
    let new = Report {
        goodput: read.rate.clone(),
        bytes: Some(read.bytes.clone()),
        seconds: read.span.1 - read.span.0,
    };
    *slot = Some(match slot.take() {
        Some(old) if !sum => Report {
            goodput: old.goodput.plus(&new.goodput),
            bytes: old.bytes.zip(new.bytes).map(|(a, b)| a.plus(&b)),
            seconds: old.seconds.max(new.seconds),
        },
        _ => new,
    });
}

/// Adds a stream's interval to that of all of them.
fn add_row(
    test: &mut Test,
    read: &IperfRow<'_>,
    (side, again, cwnd): (Side, Option<f64>, Option<f64>),
    at: Place,
) {
    let recent = test.rows.iter_mut().rev().take(256);
    let same = recent
        .into_iter()
        .find(|r| r.side == side && r.from == read.span.0 && r.until == read.span.1);
    match same {
        Some(row) => {
            row.bps += read.rate.value;
            row.retransmits = row.retransmits.zip(again).map(|(a, b)| a + b);
            row.cwnd = row.cwnd.zip(cwnd).map(|(a, b)| a + b);
        }
        None => test.rows.push(Row {
            from: read.span.0,
            until: read.span.1,
            bps: read.rate.value,
            retransmits: again,
            cwnd,
            side,
            at,
        }),
    }
}

/// Takes `iperf 3.9 (cJSON 1.7.13)` as the release 3009: the major one by a thousand, and the minor.
pub(super) fn release(text: &str, at: Place, facts: &mut Facts) -> bool {
    let Some(minor) = text.strip_prefix("iperf 3.") else {
        return false;
    };
    let end = minor.find(|c: char| !c.is_ascii_digit());
    if let Ok(minor) = minor[..end.unwrap_or(minor.len())].parse::<u16>() {
        let release = 3000.0 + f64::from(minor);
        facts.exact(Of::Path, "iperf3_release", release, at);
    }
    true
}
