//! What `curl -w` writes of a request: when its name was looked up, its connection open, its first byte there, all of it; bytes, and bytes a
//! second (curl, 1, `--write-out`).

use std::collections::BTreeMap;

use crate::fact::{Figure, Place};
use crate::figures::ms;
use crate::programs::request_times::Parts;
use crate::read::copies::copy;
use crate::read::dig::GIVEN_UP;
use crate::read::label::{behind_prompt, is_typed};
use crate::seen::{Side, Test};
use crate::words::number;

/// What a request waited for its server, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wait {
    /// From the request to the first byte of its answer, without a round trip.
    pub(crate) own: f64,
    /// The round trip, or the most that it may be.
    pub(crate) trip: f64,
    /// It is the most: the look-up of the name may be in it.
    pub(crate) is_most: bool,
    /// All that the request took.
    pub(crate) whole: f64,
}

/// The variables of curl that are read: seconds since the request began, bytes, and bytes a second.
pub(super) const VARIABLES: [&str; 11] = [
    "time_namelookup",
    "time_connect",
    "time_appconnect",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "size_download",
    "size_upload",
    "speed_download",
    "speed_upload",
];

/// What people write for them in a format of their own.
const SHORT: [(&str, &str); 17] = [
    ("namelookup", "time_namelookup"),
    ("dns", "time_namelookup"),
    ("lookup", "time_namelookup"),
    ("connect", "time_connect"),
    ("tcp", "time_connect"),
    ("conn", "time_connect"),
    ("appconnect", "time_appconnect"),
    ("tls", "time_appconnect"),
    ("ssl", "time_appconnect"),
    ("pretransfer", "time_pretransfer"),
    ("redirect", "time_redirect"),
    ("starttransfer", "time_starttransfer"),
    ("ttfb", "time_starttransfer"),
    ("firstbyte", "time_starttransfer"),
    ("total", "time_total"),
    ("size", "size_download"),
    ("speed", "speed_download"),
];

/// Units that may stand behind a figure, by the beginning of its variable: those of curl.
const UNITS: [(&str, &[&str]); 3] = [
    ("time_", &["seconds", "secs", "sec", "s"]),
    ("size_", &["bytes", "B"]),
    ("speed_", &["bytes/sec", "bytes/s", "B/s"]),
];

/// Other variables of curl, in the lines of a format.
const BESIDE: [&str; 10] = [
    "content_type",
    "http_code",
    "http_version",
    "num_connects",
    "num_redirects",
    "remote_ip",
    "response_code",
    "size_header",
    "size_request",
    "url_effective",
];

/// Without the time of its first byte so many bytes are a transfer.
const LARGE: f64 = 1e6;

/// A transfer spends more than this part of its time behind its first byte.
const DATA: f64 = 0.5;

/// When a SYN that nobody has answered is sent again, seconds since the first: by a timer of 1 s that doubles (RFC 6298 §2.1 and §5.5).
const SENT_AGAIN: [f64; 6] = [1.0, 3.0, 7.0, 15.0, 31.0, 63.0];

/// From so many seconds on the look-up of a name is said.
const LOOKED_UP: f64 = 1.0;

/// A request that spends more than this part of its time on the look-up of its name waits for that, from so many seconds on. Choices.
const NAME: f64 = 0.5;
const FELT: f64 = 0.1;

/// From so many seconds on a wait for the first byte of an answer is the server's, where it is more than this part of the request's time.
const SERVED: f64 = 1.0;
const OWN: f64 = 0.5;

/// A request of no more bytes goes out at once: ten segments (RFC 6928 §2). A larger one takes time to be sent.
const AT_ONCE: f64 = 14_600.0;

/// How a sentence about a request begins.
pub(super) const WROTE: &str = "of what curl -w wrote";

/// The figures of one request, by curl's variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Times(BTreeMap<&'static str, Figure>);

/// The variable that a word of a format names, and whether it is curl's own word.
fn variable(word: &str) -> Option<(&'static str, bool)> {
    let word = word.to_ascii_lowercase();
    if let Some(name) = VARIABLES.iter().find(|name| **name == word) {
        return Some((*name, true));
    }
    let short = SHORT.iter().find(|(short, _)| *short == word);
    short.map(|(_, name)| (*name, false))
}

/// The figure in a word, with curl's unit behind it or without one. `None` of everything else.
fn figure(name: &str, word: &str, at: Place) -> Option<Figure> {
    let (_, units) = UNITS.iter().find(|(begin, _)| name.starts_with(begin))?;
    let bare = units.iter().find_map(|unit| word.strip_suffix(unit));
    number(bare.unwrap_or(word), at)
}

/// Whether a line is a command of curl with `-w`, or another that was typed; `None` of all other lines.
pub(super) fn asked(text: &str) -> Option<bool> {
    // `sudo curl`, `for n in 1 2; do curl`: behind a prompt it need not be the first word.
    let behind = behind_prompt(text).and_then(|command| writes(command, true));
    // A format has the sign of a prompt in it.
    let typed = behind.or_else(|| writes(text, false));
    typed.or_else(|| is_typed(text).then_some(false))
}

/// Whether a command of curl has `-w`; `None` of others. Its name is the first word, or `anywhere`.
fn writes(command: &str, anywhere: bool) -> Option<bool> {
    let mut words = command.split_whitespace();
    let at = words.position(|w| w.rsplit('/').next() == Some("curl"))?;
    let short = |w: &str| w.starts_with('-') && !w.starts_with("--") && w.contains('w');
    let has = words.any(|w| short(w) || w.starts_with("--write-out"));
    (at == 0 || anywhere).then_some(has)
}

/// The figures in a line of what `-w` wrote: `time_connect: 0.120`, `connect=0.12 ttfb=0.37 total=28.5`; under a command that `asked` for
/// them a short name alone, too. `None` of every other line, and where a unit is not curl's.
pub(super) fn figures(text: &str, at: Place, asked: bool) -> Option<Vec<(&'static str, Figure)>> {
    let hints = ["time_", "size_", "speed_", "onnect"];
    if !asked && !hints.iter().any(|hint| text.contains(hint)) {
        return None;
    }
    let between = |c: char| c.is_whitespace() || "=:;|,\"'()[]".contains(c);
    let words: Vec<&str> = text.split(between).filter(|w| !w.is_empty()).collect();
    let (mut all, mut own) = (Vec::new(), false);
    let mut rest = words.iter().copied().peekable();
    while let Some(word) = rest.next() {
        let Some((name, is_own)) = variable(word) else {
            continue;
        };
        all.push((name, figure(name, rest.next()?, at)?));
        own |= is_own;
        let (_, units) = UNITS.iter().find(|(begin, _)| name.starts_with(begin))?;
        if rest.peek().is_some_and(|next| units.contains(next)) {
            rest.next();
        }
        // A name begins with a letter and is none of another unit; a comma of other languages leaves a number.
        if rest.peek().is_some_and(|next| is_odd(next)) {
            return None;
        }
    }
    let has = |name: &str| all.iter().any(|(known, _)| *known == name);
    let whole = has("time_connect") && (has("time_total") || has("time_starttransfer"));
    (own || whole || asked && !all.is_empty()).then_some(all)
}

/// Whether a word behind a figure makes something else of it: a number, or a unit that is not curl's.
fn is_odd(word: &str) -> bool {
    let units = [
        "ms", "msec", "us", "min", "k", "m", "g", "kb", "mb", "gb", "kib", "mib", "gib", "kbit",
        "mbit", "gbit", "bits", "bps", "kbps", "mbps", "gbps",
    ];
    let (bare, _) = word.split_once('/').unwrap_or((word, ""));
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    is_number || units.contains(&bare.to_ascii_lowercase().as_str())
}

/// Whether a line beside such figures has another of curl's variables.
pub(super) fn is_beside(text: &str) -> bool {
    let name = text.split([':', '=', ' ']).next().unwrap_or("");
    BESIDE.contains(&name)
}

impl Times {
    /// The figures of `-w '%{json}'`; none of another document.
    pub(super) fn of_json(value: &serde_json::Value, at: Place) -> Option<Times> {
        value.get("curl_version")?;
        let get = |name: &'static str| {
            let n = value.get(name)?.as_f64()?;
            (n.is_finite() && n >= 0.0).then(|| (name, Figure::exact(n, at)))
        };
        let all: BTreeMap<_, _> = VARIABLES.into_iter().filter_map(get).collect();
        (!all.is_empty()).then_some(Times(all))
    }

    /// Adds figures of the same request.
    pub(super) fn add(&mut self, figures: Vec<(&'static str, Figure)>) {
        self.0.extend(figures);
    }

    /// Whether one of these is known already: what follows is of another request.
    pub(super) fn has_any(&self, figures: &[(&'static str, Figure)]) -> bool {
        figures.iter().any(|(name, _)| self.0.contains_key(name))
    }

    /// How many figures there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, name: &str) -> Option<&Figure> {
        self.0.get(name).filter(|figure| figure.value > 0.0)
    }

    /// How long the connection took to open, seconds. None where another connection was used again, where the look-up is not known, and
    /// where several requests are in the times.
    fn opened(&self) -> Option<Figure> {
        let (open, looked_up) = (self.get("time_connect")?, self.0.get("time_namelookup")?);
        let trip = open.value - looked_up.value;
        let (low, high) = (open.low - looked_up.high, open.high - looked_up.low);
        let once = self.get("time_redirect").is_none() && low > 0.0;
        let at = open.from.first().copied().unwrap_or(Place::You);
        once.then(|| Figure::between(trip, low, high, at))
    }

    /// The round trip to whoever answered, seconds: what its connection took to open, unless the SYN was sent again meanwhile.
    fn trip(&self) -> Option<Figure> {
        self.opened().filter(|open| open.value < SENT_AGAIN[0])
    }

    /// Whether its SYN had been sent again by the time it was open.
    pub(super) fn asked_again(&self) -> bool {
        self.opened()
            .is_some_and(|open| open.value >= SENT_AGAIN[0])
    }

    /// How long the connection took to open, for people, and what that shows.
    fn opening(&self) -> String {
        if let Some(open) = self.longest_trip() {
            return format!(
                "its connection was open after {}, with the look-up of its name: one round trip takes at most that",
                ms(open)
            );
        }
        let Some(open) = self.opened() else {
            return "no round trip is known, as its times do not show a connection that was opened for it alone".to_owned();
        };
        let open = open.value;
        let again = SENT_AGAIN.iter().filter(|after| open >= **after);
        let again: Vec<String> = again.map(|after| format!("{after:.0} s")).collect();
        match again.is_empty() {
            true => format!(
                "its connection was open after {}, one round trip to whoever answered, which a proxy may be",
                ms(open)
            ),
            false => format!(
                "its connection was open after {}, which is not taken for a round trip: its SYN had been sent again by then, after {} (RFC 6298), as it or its answer was lost or late, or the server's accept queue was full (nstat -az TcpExtListenOverflows TcpExtListenDrops there)",
                ms(open),
                again.join(", ")
            ),
        }
    }

    /// Whether a connection was opened, or was not within a second and more behind the look-up of its name; none where nothing says it.
    pub(super) fn opens(&self) -> Option<bool> {
        if self.get("time_connect").is_some() {
            return Some(true);
        }
        let asked = self.0.contains_key("time_connect");
        let later = ["time_starttransfer", "size_download", "size_upload"];
        let nothing = later.iter().all(|name| self.get(name).is_none());
        let looked_up = self.get("time_namelookup")?.value;
        let whole = self.get("time_total")?.value;
        let waited = whole - looked_up >= SENT_AGAIN[0];
        (asked && nothing && waited).then_some(false)
    }

    /// How long the name was looked up, and how long all of it took, seconds, where the look-up is most of it.
    pub(super) fn looked_up(&self) -> Option<[f64; 2]> {
        let took = self.get("time_namelookup")?.value;
        let whole = self.get("time_total").or(self.get("time_starttransfer"))?;
        let most = took >= FELT && took > NAME * whole.value;
        most.then_some([took, whole.value])
    }

    /// From the request to the first byte of its answer, seconds.
    fn waited(&self) -> Option<f64> {
        let first = self.get("time_starttransfer")?.value;
        let names = ["time_pretransfer", "time_appconnect", "time_connect"];
        let asked = names.iter().filter_map(|name| self.get(name));
        let asked = asked.map(|asked| asked.value).reduce(f64::max)?;
        let once = self.get("time_redirect").is_none();
        Some(first - asked).filter(|waited| once && *waited >= 0.0)
    }

    /// The parts of a request without a transfer to speak of; none where its connection was not opened for it alone.
    pub(super) fn request(&self) -> Option<Parts> {
        let opened = self.opened()?.value;
        let open = self.get("time_connect")?.value;
        let ready = self.get("time_appconnect").map_or(open, |t| t.value);
        let small = self.test(Place::You).is_none();
        small.then_some(Parts {
            looked_up: self.0.get("time_namelookup")?.value,
            opened,
            tls: (ready - open).max(0.0),
            waited: self.waited()?,
            whole: self.get("time_total")?.value,
            again: opened >= SENT_AGAIN[0],
        })
    }

    /// The most that the round trip may be, seconds: what its connection took to open with the look-up of its name, where that is not known
    /// by itself, and unless the SYN may have been sent again meanwhile.
    fn longest_trip(&self) -> Option<f64> {
        let alone = !self.0.contains_key("time_namelookup") && self.get("time_redirect").is_none();
        let open = self.get("time_connect").filter(|_| alone)?.value;
        (open < SENT_AGAIN[0]).then_some(open)
    }

    /// How long the first byte of the answer took beyond a round trip, where that is most of the request. None where nothing bounds the round
    /// trip, and where more was sent than goes out at once.
    pub(super) fn served(&self) -> Option<Wait> {
        let known = self.trip().map(|trip| trip.value);
        let trip = known.or_else(|| self.longest_trip())?;
        let own = self.waited()? - trip;
        let whole = self.get("time_total").or(self.get("time_starttransfer"))?;
        let sent = self.get("size_upload").map_or(0.0, |size| size.value);
        let most = own >= SERVED && own > OWN * whole.value && sent <= AT_ONCE;
        most.then_some(Wait {
            own,
            trip,
            is_most: known.is_none(),
            whole: whole.value,
        })
    }

    /// The transfer, where there was one: one that is over with its first bytes says nothing of the path's rate.
    pub(super) fn test(&self, at: Place) -> Option<Test> {
        let value = |name| self.get(name).map_or(0.0, |f| f.value);
        let ways = [
            ("size_download", "speed_download", Side::Receiver),
            ("size_upload", "speed_upload", Side::Sender),
        ];
        let more = |a, b| value(a) > value(b);
        let down = more("size_download", "size_upload");
        let sent = more("size_upload", "size_download") || more("speed_upload", "speed_download");
        let up = sent && !down;
        let (size, speed, side) = ways[usize::from(up)];
        let (size, total) = (self.get(size), self.get("time_total").map(|t| t.value));
        let rate = match (self.get(speed), size.zip(total)) {
            (Some(rate), _) => rate.clone(),
            (None, Some((size, total))) => size.times(1.0 / total),
            (None, None) => return None,
        };
        // A format may have the mean rate of all the time, and no size.
        let size = size.cloned().or_else(|| Some(rate.times(total?)));
        let first = self.get("time_starttransfer").filter(|_| !up);
        let is_transfer = match (total, first) {
            (Some(total), Some(first)) => total - first.value > DATA * total,
            _ => size.as_ref().is_some_and(|size| size.value >= LARGE),
        };
        let what = (size, total.unwrap_or(0.0));
        is_transfer.then(|| self.with_trip(copy("curl", side, &rate, what, at)))
    }

    /// A test of this transfer, with the round trip of its connection.
    pub(super) fn with_trip(&self, mut test: Test) -> Test {
        if let Some(trip) = self.trip() {
            test.set("handshake_rtt_ns", trip.times(1e9));
        }
        test
    }

    /// What is known of a request, and what is not, for people; `place` is where it was read.
    pub(super) fn said(&self, place: &str) -> Option<String> {
        self.get("time_connect")
            .or(self.get("time_starttransfer"))?;
        let looked_up = self.get("time_namelookup").map(|t| t.value);
        let looked_up = looked_up
            .filter(|s| *s >= LOOKED_UP)
            .map_or_else(String::new, |s| {
                format!(
                    "its name was looked up for {} before anything was sent: {GIVEN_UP}; ",
                    ms(s)
                )
            });
        let opened = self.opening();
        let waited = self.waited().map_or_else(String::new, |waited| {
            let own = match self.trip() {
                Some(trip) => format!("that round trip and {}", ms((waited - trip.value).max(0.0))),
                None => "a round trip and the time".to_owned(),
            };
            format!(
                "; the first byte came {} after it asked: {own} of the server",
                ms(waited)
            )
        });
        let small = match self.test(Place::You) {
            Some(_) => "",
            None => "; too little was transferred to say how fast the path is",
        };
        Some(format!(
            "{place}: {WROTE}, {looked_up}{opened}{waited}{small}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// The tests and notes of a text, and whether all of it was read.
    fn tests(text: &str) -> (Vec<Test>, Vec<String>, bool) {
        let source = Source {
            name: "w.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let facts = read(&[source]);
        let whole = facts.ignored_count == [0];
        (facts.tests, facts.notes, whole)
    }

    /// The round trip is 0.116 s, the rate 35.7 MB/s, and of 0.25 s until the first byte 0.134 s are the server's.
    #[test]
    fn formats_of_people_are_read() {
        let lines = "  time_namelookup:  0.004000s\n     time_connect:  0.120000s\n  time_appconnect:  0.250000s\ntime_pretransfer:  0.250000s\n    time_redirect:  0.000000s\ntime_starttransfer:  0.500000s\n        http_code: 200\n                   ----------\n       time_total:  28.500000s\n    size_download: 1017450000 bytes\n   speed_download: 35700000 bytes/sec\n";
        let short = "dns=0.004000 connect=0.120000 tls=0.250000 ttfb=0.500000 total=28.500000 size=1017450000 speed=35700000\n";
        let json = "{\"curl_version\":\"libcurl/8.5.0\",\"http_code\":200,\"size_download\":1017450000,\"speed_download\":35700000,\"time_appconnect\":0.25,\"time_connect\":0.12,\"time_namelookup\":0.004,\"time_pretransfer\":0.25,\"time_redirect\":0,\"time_starttransfer\":0.5,\"time_total\":28.5}\n";
        for text in [lines, short, json] {
            let (all, notes, whole) = tests(text);
            assert_eq!((all.len(), whole), (1, true), "{text}");
            let (rate, side) = all[0].goodput().expect("a rate");
            assert_eq!((rate.value, side), (285.6e6, Side::Receiver), "{text}");
            let trip = all[0].numbers.get("handshake_rtt_ns").expect("a trip");
            assert!((trip.value - 116e6).abs() < 1e3, "{text}");
            let said = notes.join("\n");
            assert!(said.contains("open after 116 ms, one round trip"), "{said}");
            assert!(
                said.contains("250 ms after it asked: that round trip and 134 ms"),
                "{said}"
            );
        }
    }

    /// Connections that were open after 1.037 and 3.071 s, beside one of 18 ms: their SYNs were sent again after 1 s, and after 3 s.
    #[test]
    fn what_a_syn_waited_for_is_not_a_round_trip() {
        let (all, notes, whole) = tests(
            "dns 0.000 connect 1.037 ttfb 1.059 total 1.060 size 14211\ndns 0.000 connect 0.018 ttfb 0.040 total 0.041 size 14211\ndns 0.000 connect 3.071 total 12.500 size 90000000\n",
        );
        assert_eq!((all.len(), notes.len(), whole), (1, 3, true), "{notes:?}");
        assert!(!all[0].numbers.contains_key("handshake_rtt_ns"));
        let says = [
            "open after 1037 ms, which is not taken for a round trip: its SYN had been sent again by then, after 1 s (",
            "open after 18.0 ms, one round trip",
            "sent again by then, after 1 s, 3 s (",
        ];
        for (note, says) in notes.iter().zip(says) {
            assert!(note.contains(says), "{note}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let small = "time_namelookup: 0.004\ntime_connect: 0.120\ntime_starttransfer: 0.370\ntime_total: 0.371\nspeed_download: 1380\n";
        let (all, notes, _) = tests(small);
        assert_eq!(all.len(), 0);
        let said = notes.join("\n");
        assert!(said.contains("too little was transferred"), "{said}");
        // Two requests, the second on the connection of the first.
        let again = "connect=0.120 dns=0.004 total=2.5 size=90000000\nconnect=0.000 dns=0.000 total=2.4 size=90000000\n";
        let (all, notes, _) = tests(again);
        assert_eq!(all.len(), 2);
        let mut trips = all
            .iter()
            .map(|t| t.numbers.contains_key("handshake_rtt_ns"));
        assert_eq!([trips.next(), trips.next()], [Some(true), Some(false)]);
        assert_eq!(notes.len(), 1, "{notes:?}");
        // Units that are not curl's, commas in numbers, formats and sentences are left.
        let at = Place::You;
        for text in [
            "time_total: 28.5 ms",
            "time_connect=0,120 time_total=28,5",
            "speed_download: 285 Mbit/s",
            "curl -w 'time_connect: %{time_connect}' https://example.org/",
            "we connect: 3 of them",
            "total: 28.5",
        ] {
            assert!(figures(text, at, false).is_none(), "{text}");
        }
    }

    /// A format of short names, a line each, is known by the command above it; its look-up took 5 s.
    #[test]
    fn names_of_a_format_are_read_under_their_command() {
        let lines = "namelookup: 5.012211\nconnect: 5.024101\nappconnect: 5.051302\nstarttransfer: 5.074411\ntotal: 5.081012\nsize: 51231\nspeed: 10082\n";
        let command = "$ curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\n' https://www.example.org/\n";
        let (all, notes, whole) = tests(&format!("{command}{lines}"));
        assert_eq!((all.len(), notes.len(), whole), (0, 1, true), "{notes:?}");
        for says in [
            "its name was looked up for 5012 ms before anything was sent",
            "given up after 5 s",
            "open after 11.9 ms, one round trip",
        ] {
            assert!(notes[0].contains(says), "{notes:?}");
        }
        // Without the command, and below another one, such lines are anybody's.
        for before in ["", "$ curl -O https://www.example.org/\n", "$ ss -ti\n"] {
            let (_, notes, whole) = tests(&format!("{before}{lines}"));
            assert_eq!((notes.len(), whole), (0, false), "{before}: {notes:?}");
        }
    }
}
