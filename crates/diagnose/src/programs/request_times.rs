//! What a request took that a client timed, part by part: how many round trips are in it, and whether they are those of a connection that is
//! opened for it alone.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::hosts::throttled_server::Late;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::read::Facts;

/// How what is said first of a request begins.
pub(crate) const REQUEST: &str = "no text says how fast a transfer was; a request took ";

/// What it is worth that round trips of the set-up are what a request waits for, decibans. A choice.
const SET_UP: f64 = 122.0;

/// A request of fewer seconds is not slow, and a shorter round trip is not worth the saving, seconds. Choices.
const LONG: f64 = 0.3;
const FAR: f64 = 0.02;

/// Round trips are this part of such a request at least, and those of the set-up this part. Choices.
const OF_TIME: f64 = 0.8;
const OF_SET_UP: f64 = 0.4;

/// TLS takes a whole number of round trips, within this part of one: processors take the rest.
const NEAR: f64 = 0.25;

/// TLS takes so many round trips at most: one (RFC 8446), two of older versions, and some for a chain of certificates that is longer than the first
/// window, or a try with another group. What takes longer waits for something else. A choice.
const TLS_MOST: f64 = 4.0;

/// From this part of a long request on, TLS that takes longer is what is slow. A choice.
const OF_TLS: f64 = 0.5;

/// A request that spends more than this part of its time on the wait for its answer is late by that. A choice.
const OF_ANSWER: f64 = 0.5;

/// The parts of a request, seconds each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Parts {
    /// The look-up of its name.
    pub(crate) looked_up: f64,
    /// From then on, until its connection was open.
    pub(crate) opened: f64,
    /// From then on, until TLS was ready; 0 without TLS.
    pub(crate) tls: f64,
    /// From the request to the first byte of its answer.
    pub(crate) waited: f64,
    /// All of it.
    pub(crate) whole: f64,
    /// Its SYN had been sent again by the time its connection was open.
    pub(crate) again: bool,
}

impl Parts {
    /// Round trips of TLS, where it took a whole number of them.
    fn of_tls(self) -> Option<f64> {
        let trips = self.tls / self.opened;
        let whole = trips.round();
        ((trips - whole).abs() <= NEAR && whole <= TLS_MOST).then_some(whole)
    }

    /// Whether TLS takes most of a long request, and far longer than its round trips.
    fn waits_in_tls(self) -> bool {
        let beyond = self.opened > 0.0 && self.tls > TLS_MOST * self.opened;
        let most = self.whole >= LONG && self.tls >= OF_TLS * self.whole;
        most && beyond && !self.again
    }

    /// How many round trips are in it, where these are most of a long request, and many of them those of its set-up.
    fn set_up(self) -> Option<f64> {
        let trips = 2.0 + self.of_tls()?;
        let long = self.whole >= LONG && self.opened >= FAR && !self.again;
        let most = trips * self.opened >= OF_TIME * self.whole;
        let own = self.opened + self.tls >= OF_SET_UP * self.whole;
        (long && most && own).then_some(trips)
    }

    /// Each of them, for people.
    fn shown(self) -> String {
        let tls = match self.tls > 0.0 {
            true => format!(", {} TLS", ms(self.tls)),
            false => String::new(),
        };
        format!(
            "{} the look-up of its name, {} the opening of its connection{tls}, {} until the first byte of its answer",
            ms(self.looked_up),
            ms(self.opened),
            ms(self.waited)
        )
    }
}

/// The longest request that texts time, and where that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timed {
    parts: Parts,
    at: Place,
}

impl Timed {
    /// What it waited for the first byte of its answer beyond a round trip, where that is most of it.
    pub(crate) fn late(self) -> Option<Late> {
        let parts = self.parts;
        let own_s = parts.waited - parts.opened;
        (own_s > OF_ANSWER * parts.whole && !parts.again).then_some(Late {
            own_s,
            whole_s: parts.whole,
            at: self.at,
        })
    }
}

impl Facts {
    /// A client timed a request. The longest counts.
    pub(crate) fn times_request(&mut self, parts: Parts, at: Place) {
        let longer = |known: Timed| parts.whole > known.parts.whole;
        if self.timed.is_none_or(longer) {
            self.timed = Some(Timed { parts, at });
        }
    }
}

/// The same, with its place for people.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    parts: Parts,
    place: String,
}

impl Request {
    /// What is said first of it, where no cause is known.
    pub(crate) fn said(&self) -> String {
        let parts = self.parts;
        let begin = format!(
            "{REQUEST}{} in all ({}): {}",
            ms(parts.whole),
            self.place,
            parts.shown()
        );
        if parts.again {
            return format!(
                "{begin}. A connection opens in one round trip: the SYN of this one had been sent again by then, after 1 s, and again after 3 and 7 s where it took as long (RFC 6298). It or its answer was lost, or the server's accept queue was full"
            );
        }
        if parts.waits_in_tls() {
            return format!(
                "{begin}. TLS takes one or two round trips, {} each: the rest is the time of an end, which checks a certificate, asks another host about it or has a busy processor, or a segment was lost meanwhile and sent again",
                ms(parts.opened)
            );
        }
        match parts.whole < LONG {
            true => format!("{begin}. Nothing in it waits for long"),
            false => begin,
        }
    }

    /// What decides why a SYN was sent again, or what else is slow.
    fn asks(&self) -> Option<MissingFact> {
        let parts = self.parts;
        if parts.again {
            return Some(MissingFact {
                fact: "accept_queue",
                would_decide: "whether the server drops a SYN as its accept queue is full: the counts grow then, and a Recv-Q of ss is above its Send-Q. Otherwise a capture at both ends shows which of SYN and answer the path loses".to_owned(),
                command: "on the server, twice, some seconds apart, while it is slow: nstat -az TcpExtListenOverflows TcpExtListenDrops; ss -ltn; tcpdump -ni INTERFACE 'tcp[tcpflags] & tcp-syn != 0'".to_owned(),
            });
        }
        if parts.waits_in_tls() {
            return Some(MissingFact {
                fact: "tls_time",
                would_decide: "who lets TLS wait: as slow on the server itself, it is the server, its processor, or a host that it asks; fast by openssl, which asks nobody about the certificate, it is the client's check of that. A capture shows which message waits, and whether one was sent again".to_owned(),
                command: "on the client, and with localhost on the server, several times: time openssl s_client -connect HOST:443 -servername NAME </dev/null; meanwhile, on the server: top; on the client: tcpdump -ni INTERFACE -w FILE port 443, and then farpath trace FILE".to_owned(),
            });
        }
        (parts.whole < LONG).then(|| MissingFact {
            fact: "slow_request",
            would_decide: "which request is slow: this one is not".to_owned(),
            command: "in the browser, F12, the tab Network, sorted by time: the longest request; then curl of that URL, with the same -w".to_owned(),
        })
    }

    fn sentence(&self, trips: f64) -> String {
        let parts = self.parts;
        let before = trips - 1.0;
        format!(
            "a request took {} in all ({}): {}. These are {trips:.0} round trips of {}, and {before:.0} of them passed before it was sent: its connection was opened for it alone",
            ms(parts.whole),
            self.place,
            parts.shown(),
            ms(parts.opened)
        )
    }

    /// Connections that stay open, and fewer round trips for new ones.
    fn change(&self) -> Change {
        let parts = self.parts;
        let mut commands = vec![format!(
            "keep the connection open, and use it again (keep-alive, a pool of connections, HTTP/2 with one for all): each request then takes one round trip, {}, and the server's own time",
            ms(parts.opened)
        )];
        if parts.of_tls().is_some_and(|trips| trips >= 2.0) {
            commands.push("TLS 1.3 at both ends, which takes one round trip in place of two (RFC 8446); openssl s_client -connect HOST:443 shows what is used. Resumption with early data (0-RTT) leaves out that one as well".to_owned());
        }
        commands.push("or a proxy or cache near to the clients, which keeps its connections to the server open".to_owned());
        commands.push("nothing on the path: more bandwidth, or larger windows and buffers, do not shorten a round trip".to_owned());
        let remedy = Remedy {
            commands,
            risk: "a request with early data may be sent twice by somebody else: only for such as change nothing".to_owned(),
            ..Remedy::default()
        };
        remedy.change("the client", None, None)
    }
}

impl Evidence {
    /// Takes a request that a client timed, where no rate was measured.
    pub(crate) fn of_request(&mut self, facts: &Facts) {
        let timed = facts.timed.filter(|_| self.rate.is_none());
        self.around.request = timed.map(|timed| Request {
            parts: timed.parts,
            place: facts.place(timed.at),
        });
    }

    /// How many round trips a request took, most of them before it was sent, where nothing else is known to hold it up.
    pub(crate) fn request_trips(&self) -> Option<f64> {
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let around = &self.around;
        let other = around.full_table.is_some()
            || around.accept_queue.is_some()
            || around.names.is_some()
            || around.server_wait.is_some();
        let own = around.request.as_ref().filter(|_| !lossy && !other)?;
        own.parts.set_up()
    }

    /// What decides why it was late, or what else is slow, where no ping was lost.
    pub(crate) fn asks_request(&self) -> Option<MissingFact> {
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let own = self.around.request.as_ref().filter(|_| !lossy)?;
        own.asks()
    }

    /// What to change about it.
    pub(crate) fn keep_connections(&self) -> Option<Change> {
        self.request_trips()?;
        self.around.request.as_ref().map(Request::change)
    }
}

/// Weighs it.
pub(crate) fn by_request(e: &Evidence, items: &mut Vec<Item>) {
    let trips = e.request_trips();
    let own = e.around.request.as_ref().zip(trips);
    items.extend(own.map(|(request, trips)| Item {
        holds: 1.0,
        weights: vec![(Cause::SetUp, SET_UP)],
        sentence: request.sentence(trips),
    }));
}

#[cfg(test)]
mod tests {
    use super::Parts;

    /// Four round trips of 281 ms, two of them of TLS, in 1135 ms.
    const FAR: Parts = Parts {
        looked_up: 0.0012,
        opened: 0.2807,
        tls: 0.5643,
        waited: 0.2889,
        whole: 1.1352,
        again: false,
    };

    #[test]
    fn round_trips_of_a_set_up_are_counted() {
        assert_eq!(FAR.set_up(), Some(4.0));
        let one = Parts {
            tls: 0.282,
            whole: 0.853,
            ..FAR
        };
        assert_eq!(one.set_up(), Some(3.0));
        // A server that takes its time, a short path, a short request, and a SYN that was sent again are something else.
        for other in [
            Parts {
                waited: 1.3,
                whole: 2.146,
                ..FAR
            },
            Parts {
                opened: 0.01,
                tls: 0.02,
                waited: 0.3,
                whole: 0.331,
                ..FAR
            },
            Parts {
                opened: 0.0118,
                tls: 0.0253,
                waited: 0.0209,
                whole: 0.0742,
                ..FAR
            },
            Parts {
                opened: 1.02,
                again: true,
                ..FAR
            },
            // Nor are 170 round trips in a row those of TLS.
            Parts {
                opened: 0.03,
                tls: 5.1,
                waited: 0.04,
                whole: 5.2,
                ..FAR
            },
        ] {
            assert_eq!(other.set_up(), None, "{other:?}");
        }
    }
}
