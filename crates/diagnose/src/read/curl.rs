//! curl: its table of progress, with `-v` whom it was connected to, and with `-w` how long each part of a request took.

use super::copies::{bytes, clock, copy, shown};
use super::label::is_typed;
use super::own_ports::found_no_port;
use super::{Facts, Line, Tool, WINDOWS};
use crate::fact::{Figure, Of, Place};
use crate::hosts::host_fault::NO_PORT;
use crate::redact;
use crate::seen::{End, Side, Test};
use crate::words::{decimal, whole};

mod continued;
mod format;
pub(crate) mod times;

use continued::{Continued, Next};
use format::Format;
use times::Times;

/// The fact that is a header of an answer which a proxy or a cache passed on.
pub(crate) const PASSED_ON: &str = "passed_on";

/// The state of reading.
#[derive(Default)]
pub(super) struct Curl {
    /// The last row that says a rate.
    row: Option<Test>,
    /// What `-w` wrote of the request.
    times: Times,
    /// The command that was typed last is one of curl with `-w`.
    asked: bool,
    /// What it is to write.
    format: Option<Format>,
    /// A command that goes on in the next line.
    command: Option<Continued>,
    /// The server, as `-v` names it: its name, and its address and port.
    server: Option<(String, End)>,
    /// Whom that server is asked for, where it is a proxy.
    through: Option<String>,
    /// The line above is of the request that `-v` prints.
    asks: bool,
    /// How long the transfer took, seconds.
    waited: f64,
    /// Where the transfer began.
    at: Option<Place>,
    /// Its end was printed, which curl says twice.
    over: bool,
    /// The host whose connection found no port.
    host: Option<Of>,
}

impl Tool for Curl {
    fn name(&self) -> &'static str {
        "curl"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let taken = self.takes(line, going, facts);
        if let Some(format) = self.format.as_mut().filter(|_| taken) {
            format.goes_on(line.at);
        }
        taken
    }

    fn held(&self) -> usize {
        self.row.as_ref().map_or(0, Test::facts) + self.times.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(false, facts);
    }
}

/// What a row says, and the system of the host whose prompt stood before it.
fn row(
    (side, rate): (Side, &Figure),
    what: (Option<Figure>, f64),
    at: Place,
    facts: &Facts,
) -> Test {
    let mut row = copy("curl", side, rate, what, at);
    if facts.prompt().1 == WINDOWS {
        let end = match side {
            Side::Receiver => "receiver_system",
            Side::Sender => "sender_system",
        };
        row.words.insert(end, "windows".to_owned());
    }
    row
}

/// An answer that has not begun after so many seconds hangs.
const HUNG_S: f64 = 5.0;

impl Curl {
    /// The table of progress: `100 1024M  100 1024M    0     0  35.7M      0  0:00:28  0:00:28 --:--:-- 36.1M`.
    fn takes(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if self.continues(text, line.at, facts) {
            return true;
        }
        if text.starts_with("% Total ") {
            self.close(false, facts);
            self.begin(line.at);
            return true;
        }
        if text.starts_with("Dload ") {
            return going;
        }
        if let Some(asked) = self.typed(text, line.at) {
            self.command = Continued::begins(text, line.at, asked);
            return false;
        }
        let format = self.format.as_mut();
        let figures = format.and_then(|format| format.figures(text, line.at));
        let figures = figures.or_else(|| times::figures(text, line.at, self.asked));
        if let Some(figures) = figures {
            self.timed(figures, (line.at, going), facts);
            return true;
        }
        if let Some(server) = connected(text) {
            self.close(false, facts);
            (self.at, self.server, self.through) = (None, Some(server), None);
            self.begin(line.at);
            return true;
        }
        if going && self.requests(text) {
            return true;
        }
        if let Some(seconds) = timed_out(text) {
            self.waited = seconds;
            self.begin(line.at);
            self.close(true, facts);
            return true;
        }
        if let Some(header) = passed_on(text) {
            let header: String = header.chars().take(HEADER_MAX).collect();
            facts.word_once(PASSED_ON, &header, line.at);
            return true;
        }
        if going && times::is_beside(text) {
            return true;
        }
        if text.starts_with("* ") && found_no_port(text) {
            let host = facts.host_again(&mut self.host);
            facts.word(host, NO_PORT, "yes", line.at);
            return true;
        }
        if is_around(text) {
            return going || text.starts_with("* ") && text.contains("Trying ");
        }
        self.progress(text, line.at, facts)
    }

    /// Takes a command that was typed, of curl or another; whether it is one of curl with `-w`.
    fn typed(&mut self, text: &str, at: Place) -> Option<bool> {
        let asked = times::asked(text)?;
        self.asked = asked;
        self.format = Format::typed(text, at).filter(|_| asked);
        Some(asked)
    }

    /// Takes a line of the request that `-v` prints, or of a tunnel through a proxy.
    fn requests(&mut self, text: &str) -> bool {
        let through = asked_of_proxy(text).filter(|_| self.server.is_some());
        let header = |text: &str| {
            let (name, _) = text.split_once(": ").unwrap_or((" ", ""));
            name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        self.asks = is_request(text) || self.asks && header(text);
        let taken = self.asks || through.is_some();
        if let Some(host) = through {
            self.through = Some(redact(host));
        }
        taken
    }

    /// Takes a line that the command above it goes on in.
    fn continues(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(command) = self.command.take().filter(|_| !is_typed(text)) else {
            return false;
        };
        match command.takes(text, at) {
            Next::Open(command) => {
                self.command = Some(command);
                true
            }
            Next::Whole(command) => {
                // What was printed above it is of another request.
                self.close(false, facts);
                self.typed(&command, at);
                true
            }
            Next::Other => false,
        }
    }

    /// A row of the table of progress.
    fn progress(&mut self, text: &str, at: Place, facts: &Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [
            share,
            _,
            received,
            down,
            sent,
            up,
            rate,
            rate_up,
            total,
            spent,
            left,
            _,
        ] = words[..]
        else {
            return false;
        };
        let shares = [share, received, sent].map(whole);
        let times = [total, spent, left].iter().all(|t| t.contains(':'));
        let figures = [down, up, rate, rate_up].map(|word| bytes(word, at));
        let [Some(down), Some(up), Some(rate), Some(rate_up)] = figures else {
            return false;
        };
        if !times || shares.iter().any(|s| s.is_none_or(|s| s > 100)) {
            return false;
        }
        let seconds = clock(spent).unwrap_or(0.0);
        let (side, rate, all) = match down.value >= up.value {
            true => (Side::Receiver, rate, down),
            false => (Side::Sender, rate_up, up),
        };
        self.waited = seconds;
        if rate.value > 0.0 {
            self.row = Some(row((side, &rate), (Some(all), seconds), at, facts));
        }
        true
    }

    /// Figures that `-w` wrote: of the transfer before them, unless they do not stand just behind it, or it has such already.
    fn timed(
        &mut self,
        figures: Vec<(&'static str, Figure)>,
        (at, going): (Place, bool),
        facts: &mut Facts,
    ) {
        if !going || self.times.has_any(&figures) {
            self.close(false, facts);
        }
        self.begin(at);
        self.times.add(figures);
    }

    /// A transfer begins, or goes on.
    fn begin(&mut self, at: Place) {
        self.at = self.at.or(Some(at));
        self.over &= self.server.is_none() && self.row.is_none();
    }

    /// A transfer is over: what its last row says, or that it was connected and nothing came. Only one that was connected is said to be
    /// timed out so.
    fn close(&mut self, timed_out: bool, facts: &mut Facts) {
        let waited = core::mem::take(&mut self.waited);
        let times = core::mem::take(&mut self.times);
        let from = self.at.unwrap_or(Place::You);
        note(&times, from, facts);
        // What `-w` wrote is of the same transfer as the rows before it, and exact.
        let row = self.row.take().map(|row| times.with_trip(row));
        let row = times.test(from).or(row);
        let connected = self.server.is_some() || timed_out && !self.over;
        let hung = row.is_none() && connected && waited >= HUNG_S;
        let at = self.at.unwrap_or(Place::You);
        let nothing = || {
            let none = Figure::exact(0.0, at);
            let what = (Some(none.clone()), waited);
            copy("curl", Side::Receiver, &none, what, at)
        };
        let Some(mut test) = row.or_else(|| hung.then(nothing)) else {
            self.at = self.at.filter(|_| times.len() == 0);
            return;
        };
        (self.over, self.at) = (timed_out, None);
        if let Some((name, server)) = self.server.take() {
            let n = usize::from(test.client == Side::Sender);
            test.aliases[n].push(name);
            if let Some(host) = self.through.take() {
                facts.goes_through(("curl", "as -v shows"), &server, from);
                test.name = format!("{host} through this proxy");
            }
            let end = if n == 0 { &mut test.from } else { &mut test.to };
            *end = server;
        }
        facts.tests.push(test);
    }
}

/// Most requests of which is said what their times show.
const SAID_MAX: usize = 4;

/// Says what the times of a request show.
fn note(times: &Times, at: Place, facts: &mut Facts) {
    if let Some(answered) = times.opens() {
        facts.tries.opens(at, answered);
    }
    if times.asked_again() {
        facts.refused.asked_again.get_or_insert(at);
    }
    if let Some(waited) = times.looked_up() {
        facts.names.waits(waited, at);
    }
    if let Some(waited) = times.served() {
        facts.waits_for_server(waited, at);
    }
    if let Some(parts) = times.request() {
        facts.times_request(parts, at);
    }
    let of_times = facts.notes.iter().filter(|n| n.contains(times::WROTE));
    if of_times.count() < SAID_MAX {
        let said = times.said(&facts.place(at));
        facts.notes.extend(said);
    }
}

/// What `-w '%{json}'` wrote; `false` of another document.
pub(super) fn json(value: &serde_json::Value, at: Place, facts: &mut Facts) -> bool {
    let Some(times) = Times::of_json(value, at) else {
        return false;
    };
    note(&times, at, facts);
    facts.tests.extend(times.test(at));
    true
}

/// `* Connected to www.example.org (192.0.2.80) port 443 (#0)`: the server's name, address and port.
fn connected(text: &str) -> Option<(String, End)> {
    let rest = text.strip_prefix("* Connected to ")?;
    let (name, rest) = rest.split_once(" (")?;
    let (address, rest) = rest.split_once(") port ")?;
    let port = rest.split_whitespace().next()?.parse().ok()?;
    let end = End {
        host: redact(address),
        port: Some(port),
    };
    Some((redact(name), end))
}

/// The first line of a request, as `-v` prints it: `GET /f HTTP/1.1`, whose `> ` is taken for a sign of quotation.
fn is_request(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [method, _, version] = words[..] else {
        return false;
    };
    let is_method = !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase());
    is_method && version.starts_with("HTTP/")
}

/// The server that a proxy is asked for: `* Establish HTTP proxy tunnel to h:443`, `CONNECT h:443 HTTP/1.1`, `GET http://h/f HTTP/1.1`. Who is
/// asked for a whole address is a proxy.
fn asked_of_proxy(text: &str) -> Option<&str> {
    let tunnel = text.strip_prefix("* Establish HTTP proxy tunnel to ");
    let asked = text.split_whitespace().nth(1).filter(|_| is_request(text));
    let connects = asked.filter(|_| text.starts_with("CONNECT "));
    let whole = || {
        let (scheme, rest) = asked?.split_once("://")?;
        let known = ["http", "https", "ftp"].contains(&scheme);
        known.then(|| rest.split('/').next().unwrap_or(rest))
    };
    let authority = tunnel.or(connects).or_else(whole)?;
    Some(
        authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host),
    )
}

/// `curl: (28) Operation timed out after 60001 milliseconds with 0 bytes received`: seconds, where nothing had come.
fn timed_out(text: &str) -> Option<f64> {
    let (_, rest) = text.split_once("Operation timed out after ")?;
    let (ms, rest) = rest.split_once(" milliseconds with ")?;
    let nothing = rest.starts_with("0 bytes received") || rest.starts_with("0 out of ");
    Some(decimal(ms)? / 1e3).filter(|_| nothing)
}

/// Longest part of a header that is kept, characters.
const HEADER_MAX: usize = 120;

/// The header of an answer that a proxy or a cache passed on, as `-v` and `-I` print it: `< Via: 1.1 cache7 (squid/5.7)`,
/// `X-Cache: MISS from cache7`.
fn passed_on(text: &str) -> Option<&str> {
    let header = text.strip_prefix("< ").unwrap_or(text);
    let (name, value) = header.split_once(": ")?;
    let is_via = || {
        let version = value.strip_prefix("HTTP/").unwrap_or(value);
        let version = version.split_whitespace().next().unwrap_or("");
        name.eq_ignore_ascii_case("via") && ["1.0", "1.1", "2", "2.0", "3"].contains(&version)
    };
    (is_via() || name.eq_ignore_ascii_case("x-cache")).then_some(header)
}

/// What `-v` prints of names, headers and the connection.
fn is_around(text: &str) -> bool {
    ["* ", "> ", "< ", "{ [", "} ["]
        .iter()
        .any(|b| text.starts_with(b))
        || text == ">"
        || text == "<"
}
