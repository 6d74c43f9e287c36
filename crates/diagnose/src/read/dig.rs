//! dig, and the name servers of `/etc/resolv.conf`: look-ups that took long, and servers that did not answer. No rate is measured by them.

use core::net::IpAddr;

use super::label::{behind_prompt, is_typed};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Place;
use crate::words::{between, decimal};

/// From so many milliseconds on a look-up is said.
pub(crate) const SLOW_MS: f64 = 1000.0;

/// Resolvers wait so many milliseconds for a name server, unless set otherwise.
const GIVEN_UP_MS: f64 = 5000.0;

/// How long resolvers wait for a name server (resolv.conf, 5, `timeout`), for people.
pub(crate) const GIVEN_UP: &str = "a name server that does not answer is given up after 5 s unless set otherwise (resolv.conf, 5, timeout), and the next one is asked";

/// The state of reading.
#[derive(Default)]
pub(super) struct Dig {
    /// The server that the command asked.
    asked: Option<IpAddr>,
    /// The server that it asked answered that it refuses, or was not reached.
    refused: bool,
    /// How long a query took of which the server is not known yet, milliseconds.
    took: Option<(f64, Place)>,
}

impl Tool for Dig {
    fn name(&self) -> &'static str {
        "dig"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(address) = text.strip_prefix("nameserver ") {
            let server = address.trim().parse::<IpAddr>().ok();
            if let Some(server) = server {
                facts.names.serves(server, line.at);
            }
            return server.is_some();
        }
        if facts.completes_names(text, line.at) {
            return true;
        }
        if let Some(asked) = asks(text) {
            (self.asked, self.took, self.refused) = (asked, None, false);
            return false;
        }
        if let Some(said) = unanswered(text) {
            let late = timed_out(said);
            self.refused |= late.is_none() && said.starts_with("communications error");
            // Of a server that refused at once the last line is the same.
            let none = said.starts_with("no servers") && !self.refused;
            let silent = late.or(self.asked.filter(|_| gave_up(said) || none));
            if let Some(server) = silent {
                facts.names.keeps_silent(server, line.at);
            }
            facts.says("dig", said, line.at);
            return true;
        }
        if let Some((server, _)) = between(text, ";; SERVER: ", "").and_then(|s| s.split_once('#'))
            && let Some((ms, at)) = self.took.take()
            && let Ok(server) = server.parse::<IpAddr>()
        {
            facts.names.answers(server, ms, at);
        }
        if let Some(ms) = between(text, ";; Query time: ", " msec").and_then(decimal) {
            match self.asked {
                Some(server) => facts.names.answers(server, ms, line.at),
                None => self.took = Some((ms, line.at)),
            }
            if ms >= SLOW_MS && facts.notes.len() < NOTES_MAX {
                let place = facts.place(line.at);
                let why = match ms >= GIVEN_UP_MS {
                    true => GIVEN_UP,
                    false => "the server that answered had to ask others, or answered late itself",
                };
                let note = format!("{place}: dig looked a name up for {ms:.0} ms: {why}");
                facts.notes.push(note);
            }
            return true;
        }
        is_around(text) || going && (text.starts_with(';') || is_record(text))
    }
}

/// The server that a command of dig asks, none where it names none by its address; and none of what else is typed at a prompt. `None` of
/// other lines.
fn asks(text: &str) -> Option<Option<IpAddr>> {
    let mut words = behind_prompt(text).unwrap_or(text).split_whitespace();
    if words.next() == Some("dig") {
        return Some(words.find_map(|word| word.strip_prefix('@')?.parse().ok()));
    }
    is_typed(text).then_some(None)
}

/// The server that dig waited for in vain: `communications error to 192.0.2.53#53: timed out`.
pub(super) fn timed_out(said: &str) -> Option<IpAddr> {
    let rest = said.strip_prefix("communications error to ")?;
    let (server, rest) = rest.split_once('#')?;
    rest.ends_with(": timed out").then_some(())?;
    server.parse().ok()
}

/// Whether dig gave up after it had waited.
pub(super) fn gave_up(said: &str) -> bool {
    said.starts_with("connection timed out")
}

/// `;; connection timed out; no servers could be reached`, `;; communications error to 192.0.2.53#53: timed out`: what dig says.
pub(super) fn unanswered(text: &str) -> Option<&str> {
    let said = text.strip_prefix(";; ")?;
    let begins = [
        "connection timed out",
        "communications error to ",
        "no servers could be reached",
    ];
    begins
        .iter()
        .any(|begin| said.starts_with(begin))
        .then_some(said)
}

/// Lines that carry nothing, by what they begin with.
fn is_around(text: &str) -> bool {
    let begins = [
        "; <<>> DiG ",
        ";; global options:",
        ";; Got answer:",
        ";; ->>HEADER<<-",
        ";; SERVER: ",
        ";; WHEN: ",
        ";; MSG SIZE",
    ];
    begins.iter().any(|begin| text.starts_with(begin))
}

/// `www.example.org.  300  IN  A  192.0.2.1`: a name, how long it may be kept, seconds, a class.
fn is_record(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let [name, ttl, "IN", _] = words[..] else {
        return false;
    };
    name.ends_with('.') && ttl.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::read::{Source, read};

    #[test]
    fn name_servers_that_do_not_answer_are_said() {
        let text = "$ cat /etc/resolv.conf\nnameserver 192.0.2.53\nnameserver 192.0.2.54\n$ dig @192.0.2.53 www.example.org\n;; communications error to 192.0.2.53#53: timed out\n;; connection timed out; no servers could be reached\n$ dig www.example.org\n; <<>> DiG 9.18.24 <<>> www.example.org\n;; ANSWER SECTION:\nwww.example.org.\t300\tIN\tA\t198.51.100.7\n\n;; Query time: 5003 msec\n;; SERVER: 192.0.2.54#53(192.0.2.54) (UDP)\n;; WHEN: Sun Nov 29 10:00:00 UTC 2026\n$ dig @192.0.2.54 www.example.org | grep time\n;; Query time: 1 msec\n";
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
        let notes = [
            "t.txt:5: dig says: communications error to 192.0.2.53#53: timed out",
            "t.txt:6: dig says: connection timed out; no servers could be reached",
            "t.txt:12: dig looked a name up for 5003 ms: a name server that does not answer",
        ];
        assert_eq!(facts.notes.len(), notes.len(), "{:?}", facts.notes);
        for (said, begins) in facts.notes.iter().zip(notes) {
            assert!(said.starts_with(begins), "{said}");
        }
        // The first of the servers does not answer, so that every look-up waits: that is an answer.
        assert!(!facts.is_empty(), "{facts:?}");
        assert!(facts.tests.is_empty() && facts.facts.is_empty());
    }

    /// dig 9.18 with one try says no more than its last line; of a server that refuses, that line is the same.
    #[test]
    fn a_server_that_gave_no_answer_at_all_kept_silent() {
        let read = |between: &str| {
            let text = format!(
                "$ cat /etc/resolv.conf\nnameserver 192.0.2.53\nnameserver 192.0.2.54\n$ dig @192.0.2.53 www.example.org +tries=1\n; (1 server found)\n;; global options: +cmd\n{between};; no servers could be reached\n"
            );
            read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.into_bytes(),
            }])
        };
        let server = |text: &str| read(text).names.silent_server().map(|(ip, _)| ip);
        let dead = "192.0.2.53".parse().ok();
        assert_eq!(server(""), dead);
        let refused = ";; communications error to 192.0.2.53#53: connection refused\n";
        assert_eq!(server(refused), None);
        let late = ";; communications error to 192.0.2.53#53: timed out\n";
        assert_eq!(server(late), dead);
    }
}
