//! iperf 1.7 and 2: reports of client and server, TCP and UDP, parallel streams, `-e`.
//!
//! The client's text is the sender's account, the server's the receiver's. A row with an id that no "connected" line
//! of the client named is the server's, printed into the same terminal.

use std::collections::BTreeMap;

use super::iperf_row::{IperfRow, bracketed, connected, row};
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{End, Report, Row, Side, Test};
use crate::windows::first_buffer::{FIRST_BUFFER, is_of_windows};
use crate::words::{after, decimal, keyed, quantity, size};
use crate::{address, redact};

/// The state of reading.
#[derive(Default)]
pub(super) struct Iperf2 {
    test: Option<Test>,
    /// Which side's text this is.
    server: bool,
    /// Rows by id, with the side they are of.
    rows: Rows,
    /// Ids that a "connected" line named.
    ids: Vec<String>,
    /// Ports of sender and receiver in those lines.
    ports: Vec<[u16; 2]>,
    /// Ids that the other end's "connected" lines named.
    far: Vec<String>,
    /// The last "connected" line was the other end's.
    is_far: bool,
    /// A header said whose text it is.
    headed: bool,
    /// The next row is the server's report.
    reported: bool,
    /// A buffer that was printed before its test.
    buffer: Option<(Figure, Option<Figure>)>,
}

const TOOL: &str = "iperf2";

impl Tool for Iperf2 {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((host, rest)) = text
            .strip_prefix("Client connecting to ")
            .and_then(|t| t.split_once(", "))
        {
            return self.header(host, rest, line.at, facts);
        }
        if text
            .strip_prefix("Server listening on ")
            .is_some_and(|t| t.starts_with("TCP port") || t.starts_with("UDP port"))
        {
            // iperf3 prints a port without a protocol.
            self.close(facts);
            (self.server, self.headed) = (true, true);
            return true;
        }
        if text.contains(" window size:") || text.starts_with("UDP buffer size:") {
            return self.buffer(text, line.at);
        }
        if is_decoration(text) {
            return going;
        }
        if self.bracket(line, facts) || csv(text, line.at, facts) {
            return true;
        }
        going && is_column_head(text)
    }

    fn held(&self) -> usize {
        self.test.as_ref().map_or(0, Test::facts)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

/// `-y C`: time, both ends with ports, id, interval, bytes, bit/s; of datagrams jitter, lost, sent and more.
fn csv(text: &str, at: Place, facts: &mut Facts) -> bool {
    let words: Vec<&str> = text.split(',').collect();
    let [
        time,
        near,
        near_port,
        far,
        far_port,
        _,
        span,
        bytes,
        bps,
        rest @ ..,
    ] = &words[..]
    else {
        return false;
    };
    let is_time = time.len() == 14 && time.bytes().all(|b| b.is_ascii_digit());
    let (Some((from, until)), Some(bytes), Some(bps)) =
        (span.split_once('-'), decimal(bytes), decimal(bps))
    else {
        return false;
    };
    let (Some(from), Some(until), true) = (decimal(from), decimal(until), is_time) else {
        return false;
    };
    let end = |host: &str, port: &str| End {
        host: address(host),
        port: port.parse().ok(),
    };
    let mut test = Test::new(TOOL, at);
    (test.from, test.to) = (end(near, near_port), end(far, far_port));
    // Either end prints its own address first; the one with the well-known port is the server.
    if near_port.parse::<u16>().is_ok_and(|p| p < 32_768)
        && far_port.parse::<u16>().is_ok_and(|p| p >= 32_768)
    {
        core::mem::swap(&mut test.from, &mut test.to);
        test.received = whole_report(bps, bytes, until - from, at);
    } else {
        test.sent = whole_report(bps, bytes, until - from, at);
    }
    if let [_, lost, sent, ..] = rest
        && let Some((lost, sent)) = decimal(lost).zip(decimal(sent))
    {
        test.udp = true;
        test.set("datagrams_lost", Figure::exact(lost, at));
        test.set("datagrams", Figure::exact(sent, at));
    }
    // Intervals of one test follow each other, and the last line says all of them again.
    let same = facts
        .tests
        .last_mut()
        .filter(|t| t.tool == TOOL && t.from == test.from && t.to == test.to);
    match same {
        Some(last) => *last = test,
        None => facts.tests.push(test),
    }
    true
}

fn whole_report(bps: f64, bytes: f64, seconds: f64, at: Place) -> Option<Report> {
    Some(Report {
        goodput: Figure::exact(bps, at),
        bytes: Some(Figure::exact(bytes, at)),
        seconds,
    })
}

/// Lines that carry nothing.
fn is_decoration(text: &str) -> bool {
    text.len() > 10 && text.bytes().all(|b| b == b'-' || b == b' ')
}

fn is_column_head(text: &str) -> bool {
    text.starts_with("Interval") && text.contains("Transfer") && text.contains("Bandwidth")
        || text.starts_with("Sending ") && text.contains("datagrams")
        || text.starts_with("Receiving ") && text.contains("datagrams")
        || text.starts_with("TOS ")
        || text.starts_with("Write buffer size:")
        || text.starts_with("Waiting for server threads")
}

impl Iperf2 {
    fn header(&mut self, host: &str, rest: &str, at: Place, facts: &mut Facts) -> bool {
        if !rest.starts_with("TCP port") && !rest.starts_with("UDP port") {
            return false;
        }
        self.close(facts);
        (self.server, self.headed) = (false, true);
        if facts.labelled() == Some(Side::Receiver) {
            // Whoever is called so, here it sends.
            facts.label.side = None;
        }
        let mut test = Test::new(TOOL, at);
        test.udp = rest.starts_with("UDP");
        let port = rest.split_whitespace().nth(2);
        test.service = port.and_then(|port| port.trim_end_matches(',').parse().ok());
        test.to.host = redact(host);
        self.test = Some(test);
        true
    }

    /// `TCP window size: 16.0 MByte (WARNING: requested 8.00 MByte)`.
    fn buffer(&mut self, text: &str, at: Place) -> bool {
        let Some((_, rest)) = text.split_once("size:") else {
            return false;
        };
        let mut words = rest.split_whitespace();
        let read = words.next().zip(words.next());
        let Some(got) = read.and_then(|(v, u)| quantity(v, u, at)) else {
            return false;
        };
        if text.contains("UDP") {
            return true;
        }
        let asked = rest.split_once("requested").and_then(|(_, asked)| {
            let mut words = asked
                .split(|c: char| c.is_whitespace() || c == ')')
                .filter(|w| !w.is_empty());
            quantity(words.next()?, words.next()?, at)
        });
        if asked.is_none() && rest.contains("(default)") && grows(got.value) {
            let sends = self.test.as_mut().filter(|_| !self.server);
            if let Some(test) = sends.filter(|_| is_of_windows(got.value)) {
                test.set(FIRST_BUFFER, got);
            }
            return true;
        }
        match &mut self.test {
            Some(test) => set_buffer(test, self.server, got, asked),
            None => self.buffer = Some((got, asked)),
        }
        true
    }

    /// A line that begins with an id in brackets.
    fn bracket(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let Some((id, _, rest)) = bracketed(line.bare) else {
            return false;
        };
        if let Some((ends, more)) = connected(rest, "connected with") {
            self.connect(id, ends, more, line.at, facts);
            return true;
        }
        if rest.starts_with("Server Report") {
            self.reported = true;
            return self.test.is_some();
        }
        if id == "ID"
            && rest.starts_with("Interval")
            && rest.contains("Bandwidth")
            && !rest.contains("Retr ")
        {
            if self.test.is_none() && rest.contains("Write/Err") {
                // Only these columns were pasted: they are a client's that sends.
                self.test = Some(Test::new(TOOL, line.at));
                self.headed = true;
            }
            return true;
        }
        if let Some(mss) = rest
            .strip_prefix("MSS size ")
            .and_then(|r| r.split(' ').next())
            .and_then(decimal)
            && let Some(test) = &mut self.test
        {
            test.set("mss_bytes", Figure::exact(mss, line.at));
            return true;
        }
        if id == "CT" {
            return self.test.is_some();
        }
        if rest.starts_with("Sent ") && rest.contains("datagrams")
            || rest.starts_with("WARNING: did not receive ack")
        {
            return self.test.is_some();
        }
        let Some(read) = row(line.bare, line.at) else {
            return false;
        };
        let ours = self.test.as_ref().is_some_and(|t| t.tool == TOOL) || read.decimals != 2;
        if !ours
            || !read.role.is_empty()
            || read.rest.ends_with("sender")
            || read.rest.ends_with("receiver")
        {
            return false;
        }
        self.row(&read, line.at, facts);
        true
    }

    fn connect(
        &mut self,
        id: &str,
        ends: [(&str, u16); 2],
        more: &str,
        at: Place,
        facts: &mut Facts,
    ) {
        if self.is_others(ends, facts) {
            self.is_far = true;
            self.far.push(id.to_owned());
            return;
        }
        self.is_far = false;
        if self.test.is_none() || !self.rows.is_empty() && self.server {
            self.close(facts);
            if !self.headed {
                self.server = of_server(ends, facts);
            }
            let mut test = Test::new(TOOL, at);
            if let Some((got, asked)) = self.buffer.take() {
                set_buffer(&mut test, self.server, got, asked);
            }
            self.test = Some(test);
        }
        let Some(test) = &mut self.test else { return };
        let end = |(host, port): (&str, u16)| End {
            host: address(host),
            port: Some(port),
        };
        let (from, to) = match self.server {
            false => (end(ends[0]), end(ends[1])),
            true => (end(ends[1]), end(ends[0])),
        };
        if !test.to.host.is_empty() && test.to.host != to.host {
            test.aliases[1].push(core::mem::take(&mut test.to.host));
        }
        test.from = from;
        test.to = to;
        let (near, far) = (ends[0].1, ends[1].1);
        self.ports.push(match self.server {
            false => [near, far],
            true => [far, near],
        });
        if let Some(parts) = keyed(more, "icwnd/mss/irtt=") {
            let parts: Vec<f64> = parts.split('/').filter_map(decimal).collect();
            if let [_, mss, rtt] = parts[..] {
                test.set("mss_bytes", Figure::exact(mss, at));
                test.set("handshake_rtt_ns", Figure::exact(rtt * 1000.0, at));
            }
        }
        if !self.ids.iter().any(|i| i == id) {
            self.ids.push(id.to_owned());
        }
        test.streams = self.ids.len().max(1) as u32;
    }

    /// Whether a "connected" line is the other end's of the test that is read: with the same ports, or said to be.
    fn is_others(&self, ends: [(&str, u16); 2], facts: &Facts) -> bool {
        let (near, far) = (ends[0].1, ends[1].1);
        let theirs = match self.server {
            false => [far, near],
            true => [near, far],
        };
        let said = facts.labelled() == Some(Side::Receiver) && !self.server;
        self.test.is_some() && (self.ports.contains(&theirs) || said && !self.ports.is_empty())
    }

    /// Whether a row is the receiver's.
    fn of_receiver(&mut self, id: &str, facts: &Facts) -> bool {
        if core::mem::take(&mut self.reported) {
            return true;
        }
        let among = |ids: &[String]| ids.iter().any(|i| i == id);
        let is_far = match (among(&self.ids), among(&self.far)) {
            (true, false) => !self.server && facts.labelled() == Some(Side::Receiver),
            (false, true) => true,
            (true, true) => self.is_far,
            (false, false) if id.starts_with("SUM") => self.is_far,
            // A client's terminal may show a server's row.
            (false, false) => !self.server && !self.ids.is_empty(),
        };
        self.server != is_far
    }

    fn row(&mut self, read: &IperfRow<'_>, at: Place, facts: &Facts) {
        let receiver = self.of_receiver(read.id, facts);
        let test = self.test.get_or_insert_with(|| Test::new(TOOL, at));
        extras(test, read, at);
        let key = (read.id.to_owned(), receiver);
        let entry = (
            read.span.0,
            read.span.1,
            read.bytes.clone(),
            read.rate.clone(),
            (counted(read.rest), at),
        );
        self.rows.entry(key).or_default().push(entry);
        // The test grows as it is read, so that its piece counts what it gave.
        let side = if receiver {
            Side::Receiver
        } else {
            Side::Sender
        };
        test.rows.push(Row {
            from: read.span.0,
            until: read.span.1,
            bps: read.rate.value,
            retransmits: None,
            cwnd: None,
            side,
            at,
        });
    }

    /// The test is over: rows become a report of each side and intervals.
    fn close(&mut self, facts: &mut Facts) {
        let rows = core::mem::take(&mut self.rows);
        self.ids.clear();
        self.ports.clear();
        self.far.clear();
        (self.is_far, self.reported) = (false, false);
        let Some(mut test) = self.test.take() else {
            return;
        };
        if rows.is_empty() && test.numbers.is_empty() {
            return;
        }
        test.rows.clear();
        for receiver in [false, true] {
            summarise(&mut test, &rows, receiver);
        }
        facts.tests.push(test);
    }
}

/// Whether a "connected" line without a header before it is a server's: by what is said of it, else by its ports.
fn of_server(ends: [(&str, u16); 2], facts: &Facts) -> bool {
    if let Some(side) = facts.labelled() {
        return side == Side::Receiver;
    }
    /// Where iperf listens, and where a client's ports begin.
    const LISTENS: u16 = 5001;
    const EPHEMERAL: u16 = 32_768;
    let (near, far) = (ends[0].1, ends[1].1);
    far != LISTENS && (near == LISTENS || near < EPHEMERAL && far >= EPHEMERAL)
}

/// Whether a socket's buffer of this size, which nobody asked for, is where Linux or macOS begins: it grows with the connection.
/// Of other systems, as of old Windows, the default is what the connection has.
fn grows(bytes: f64) -> bool {
    const FIXED: [f64; 9] = [8.0, 8.8, 16.0, 17.1, 24.0, 32.0, 48.0, 63.0, 64.0];
    let kib = bytes / 1024.0;
    !FIXED.iter().any(|fixed| (kib - fixed).abs() < 0.06)
}

fn set_buffer(test: &mut Test, server: bool, got: Figure, asked: Option<Figure>) {
    let (name, requested) = match server {
        false => ("send_buffer_bytes", "send_buffer_requested_bytes"),
        true => ("receive_buffer_bytes", "receive_buffer_requested_bytes"),
    };
    test.set(name, got);
    if let Some(asked) = asked {
        test.set(requested, asked);
    }
}

/// What stands behind the rate: loss of datagrams, or the columns of `-e`.
fn extras(test: &mut Test, read: &IperfRow<'_>, at: Place) {
    let words: Vec<&str> = read.rest.split_whitespace().collect();
    if let [_, "ms", ..] = words[..]
        && let Some((lost, sent)) = lost_of(&read.rest[read.rest.find("ms").unwrap_or(0) + 2..])
    {
        test.udp = true;
        test.numbers
            .insert("datagrams_lost", Figure::exact(lost, at));
        test.numbers.insert("datagrams", Figure::exact(sent, at));
        return;
    }
    if let [writes, again] = words[..]
        && writes.contains('/')
        && let Some(again) = decimal(again)
    {
        test.numbers.insert("retransmits", Figure::exact(again, at));
    }
    if let [writes, again, cwnd, unit, ..] = words[..]
        && writes.contains('/')
        && unit == "us"
        && let Some(again) = decimal(again)
        && let Some((_, rtt)) = cwnd.split_once('/')
        && let Some(rtt) = rtt.split('(').next().and_then(decimal)
    {
        // The summary comes last and says all of them again.
        test.numbers.insert("retransmits", Figure::exact(again, at));
        test.numbers
            .insert("rtt_loaded_ns", Figure::exact(rtt * 1000.0, at));
    }
}

/// Segments sent again in an interval, and the congestion window at its end in bytes, of the columns of `-e`.
fn counted(rest: &str) -> [Option<f64>; 2] {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [writes, again, more @ ..] = &words[..] else {
        return [None, None];
    };
    let again = decimal(again).filter(|_| writes.contains('/'));
    let cwnd = more.first().and_then(|w| w.split_once('/'));
    [again, again.and(cwnd.and_then(|(w, _)| size(w)))]
}

/// `  0/  893 (0%)`.
fn lost_of(text: &str) -> Option<(f64, f64)> {
    let (lost, rest) = text.split_once('/')?;
    let sent = after(rest, "").unwrap_or("");
    let sent = sent.split('(').next().unwrap_or(sent);
    Some((decimal(lost)?, decimal(sent)?))
}

/// A row as it was printed: start, end, payload, rate, and what was counted in it and where.
type Printed = (f64, f64, Figure, Figure, ([Option<f64>; 2], Place));

/// Rows by id, and whether the receiver printed them.
type Rows = BTreeMap<(String, bool), Vec<Printed>>;

/// Makes a report and intervals of the rows of one side.
fn summarise(test: &mut Test, rows: &Rows, receiver: bool) {
    let of_side = rows.iter().filter(|((_, r), _)| *r == receiver);
    let sums: Vec<_> = of_side
        .clone()
        .filter(|((id, _), _)| id.starts_with("SUM"))
        .collect();
    let chosen: Vec<_> = match sums.is_empty() {
        true => of_side.collect(),
        false => sums,
    };
    let side = if receiver {
        Side::Receiver
    } else {
        Side::Sender
    };
    let mut intervals: BTreeMap<u64, Row> = BTreeMap::new();
    let mut report: Option<Report> = None;
    for (_, list) in &chosen {
        let last = list.iter().map(|r| r.1).fold(0.0, f64::max);
        let count = list.len();
        for (n, (from, until, bytes, rate, ([again, cwnd], at))) in list.iter().enumerate() {
            let whole = *from == 0.0 && *until >= last * 0.999 && (n + 1 == count);
            if whole {
                add(&mut report, rate, bytes, *until);
                continue;
            }
            let row = intervals.entry((from * 1000.0) as u64).or_insert(Row {
                from: *from,
                until: *until,
                bps: 0.0,
                retransmits: Some(0.0),
                cwnd: Some(0.0),
                side,
                at: *at,
            });
            let plus = |a: Option<f64>, b: &Option<f64>| a.zip(*b).map(|(a, b)| a + b);
            row.bps += rate.value;
            row.retransmits = plus(row.retransmits, again);
            row.cwnd = plus(row.cwnd, cwnd);
        }
    }
    test.rows.extend(intervals.into_values());
    match receiver {
        false => test.sent = report,
        true => test.received = report,
    }
}

/// Streams side by side: rates add up.
fn add(report: &mut Option<Report>, rate: &Figure, bytes: &Figure, seconds: f64) {
    *report = Some(match report.take() {
        None => Report {
            goodput: rate.clone(),
            bytes: Some(bytes.clone()),
            seconds,
        },
        Some(r) => Report {
            goodput: r.goodput.plus(rate),
            bytes: r.bytes.map(|b| b.plus(bytes)),
            seconds: r.seconds.max(seconds),
        },
    });
}
