//! curl: its table of progress, and with `-v` whom it was connected to.

use super::copies::{bytes, clock, copy, shown};
use super::{Facts, Line, Tool, WINDOWS};
use crate::fact::{Figure, Of, Place};
use crate::intercepted::PASSED_ON;
use crate::redact;
use crate::seen::{End, Side, Test};
use crate::words::{decimal, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct Curl {
    /// The last row that says a rate.
    row: Option<Test>,
    /// The server, as `-v` names it: its name, and its address and port.
    server: Option<(String, End)>,
    /// How long the transfer took, seconds.
    waited: f64,
    /// Where the transfer began.
    at: Option<Place>,
    /// Its end was printed, which curl says twice.
    over: bool,
}

impl Tool for Curl {
    fn name(&self) -> &'static str {
        "curl"
    }

    /// The table of progress: `100 1024M  100 1024M    0     0  35.7M      0  0:00:28  0:00:28 --:--:-- 36.1M`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if text.starts_with("% Total ") {
            self.close(false, facts);
            self.begin(line.at);
            return true;
        }
        if text.starts_with("Dload ") {
            return going;
        }
        if let Some(server) = connected(text) {
            self.close(false, facts);
            (self.at, self.server) = (None, Some(server));
            self.begin(line.at);
            return true;
        }
        if let Some(seconds) = timed_out(text) {
            self.waited = seconds;
            self.begin(line.at);
            self.close(true, facts);
            return true;
        }
        if let Some(header) = passed_on(text) {
            if facts.latest(Of::Path, PASSED_ON).is_none() {
                let header: String = header.chars().take(HEADER_MAX).collect();
                facts.word(Of::Path, PASSED_ON, &header, line.at);
            }
            return true;
        }
        if is_around(text) {
            return going || text.starts_with("* ") && text.contains("Trying ");
        }
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
        let figures = [down, up, rate, rate_up].map(|word| bytes(word, line.at));
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
            self.row = Some(row((side, &rate), (Some(all), seconds), line.at, facts));
        }
        true
    }

    fn held(&self) -> usize {
        self.row.as_ref().map_or(0, Test::facts)
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
    /// A transfer begins, or goes on.
    fn begin(&mut self, at: Place) {
        self.at = self.at.or(Some(at));
        self.over &= self.server.is_none() && self.row.is_none();
    }

    /// A transfer is over: what its last row says, or that it was connected and nothing came. Only one that was connected is said to be
    /// timed out so.
    fn close(&mut self, timed_out: bool, facts: &mut Facts) {
        let waited = core::mem::take(&mut self.waited);
        let row = self.row.take();
        let connected = self.server.is_some() || timed_out && !self.over;
        let hung = row.is_none() && connected && waited >= HUNG_S;
        let at = self.at.unwrap_or(Place::You);
        let nothing = || {
            let none = Figure::exact(0.0, at);
            let what = (Some(none.clone()), waited);
            copy("curl", Side::Receiver, &none, what, at)
        };
        let Some(mut test) = row.or_else(|| hung.then(nothing)) else {
            return;
        };
        (self.over, self.at) = (timed_out, None);
        if let Some((name, server)) = self.server.take() {
            let n = usize::from(test.client == Side::Sender);
            test.aliases[n].push(name);
            let end = if n == 0 { &mut test.from } else { &mut test.to };
            *end = server;
        }
        facts.tests.push(test);
    }
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
