//! Requests that a program sends one by one, each once the answer to the one before has come: a round trip for each is what they take.

use crate::advice::{NO_RISK, Remedy};
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::flow::{Flow, number, word};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::read::Facts;
use crate::read::queries::{COUNT, FETCHES, TOOK};
use crate::seen::Side;

/// Fewer requests show no habit.
const LEAST: f64 = 20.0;

/// As many segments went as came, within this part: a request in one, and its answer in one.
const ALIKE: f64 = 0.1;

/// Requests have less than the first of these parts of a full segment on average, and answers less than the second.
const SMALL: [f64; 2] = [0.5, 0.9];

/// More of what was sent than this part was sent again: timeouts are what such a connection waits for then.
const AGAIN: f64 = 0.01;

/// Round trips are what the time goes to where they are this part of it at least; they are no more than it, but for rounding.
const OF_TIME: [f64; 2] = [0.7, 1.15];

/// The round trip of hosts side by side in one data centre, seconds. A choice, for an example.
const NEAR_S: f64 = 0.0005;

/// Requests of a small connection beside a test are said from so many seconds on that they waited for the path. A choice.
const LONG_S: f64 = 10.0;

/// What the product of both speaks by where a text or a kernel counts the time, and where none does, decibans.
const TIMED: f64 = 40.0;
const UNTIMED: f64 = 20.0;

/// Requests one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OneByOne {
    count: f64,
    /// The round trip, seconds.
    rtt_s: f64,
    /// What a text says of the time that they took, seconds.
    took_s: Option<f64>,
    /// How long the kernel had something under way, seconds.
    busy_s: Option<f64>,
    /// Mean bytes of a segment that the asking end sent, and of one that it received.
    bytes: Option<[f64; 2]>,
    /// Each fetches as many rows as the program asks for at a time.
    fetches: bool,
    /// The end that asks.
    pub(crate) asker: Side,
}

/// Whether so many round trips are most of a time.
fn are_most(count: f64, rtt_s: f64, seconds: f64) -> bool {
    (OF_TIME[0]..OF_TIME[1]).contains(&(count * rtt_s / seconds))
}

impl OneByOne {
    /// Of a socket of this end: as many small segments went as came, and its kernel has its rates limited by the program.
    fn of_socket(facts: &Facts, n: u32, side: Side) -> Option<OneByOne> {
        let get = |name: &'static str| number(facts, Of::Socket(n), name).map(|f| f.value);
        word(facts, Of::Socket(n), "app_limited")?;
        let [sent, received] = [get("data_segments_sent")?, get("data_segments_received")?];
        let [out, back] = [get("bytes_sent")?, get("bytes_received")?];
        let (mss, rtt_s) = (get("mss_bytes")?, get("rtt_loaded_ns")? * NS);
        let busy_s = get("busy_ns").map(|ns| ns * NS).filter(|s| *s > 0.0);
        // The server's port is the lower one, and what it sends are the answers.
        let [here, peer] = facts.sockets.get(n as usize)?;
        let serves = here.port < peer.port;
        let bytes = match serves {
            true => [back / received, out / sent],
            false => [out / sent, back / received],
        };
        let small = bytes[0] < SMALL[0] * mss && bytes[1] < SMALL[1] * mss;
        let alike = (sent / received - 1.0).abs() <= ALIKE;
        let again = get("bytes_retransmitted").is_some_and(|bytes| bytes > AGAIN * out);
        let waits = get("unsent_bytes").is_some_and(|bytes| bytes > 0.0);
        let busy = busy_s.is_none_or(|busy| are_most(sent, rtt_s, busy));
        let seen = sent >= LEAST && small && alike && busy && !again && !waits && rtt_s > 0.0;
        seen.then_some(OneByOne {
            count: sent,
            rtt_s,
            took_s: None,
            busy_s,
            bytes: Some(bytes),
            fetches: false,
            asker: if serves { side.other() } else { side },
        })
    }

    /// Of the only socket of a flow.
    fn of_flow(facts: &Facts, flow: &Flow) -> Option<OneByOne> {
        match (&flow.sockets[..], &flow.far_sockets[..]) {
            ([n], []) => OneByOne::of_socket(facts, *n, Side::Sender),
            ([], [n]) => OneByOne::of_socket(facts, *n, Side::Receiver),
            _ => None,
        }
    }

    /// Whether the only socket of a flow shows requests that waited so long for the path that they are worth a word beside a test.
    pub(crate) fn waits_long(facts: &Facts, flow: &Flow) -> bool {
        let own = OneByOne::of_flow(facts, flow);
        own.is_some_and(|of| of.waits_s() >= LONG_S)
    }

    /// With what a text counts, where that is of these: as many, and of a time that round trips fill for the most part.
    fn counted(self, said: Option<(f64, f64)>) -> OneByOne {
        let is_it = |(count, seconds): &(f64, f64)| {
            (count / self.count - 1.0).abs() <= ALIKE && are_most(*count, self.rtt_s, *seconds)
        };
        match said.filter(is_it) {
            Some((count, seconds)) => OneByOne {
                count,
                took_s: Some(seconds),
                ..self
            },
            None => self,
        }
    }

    /// How long they wait for the path, seconds.
    fn waits_s(self) -> f64 {
        self.count * self.rtt_s
    }

    fn sentence(self) -> String {
        let bytes = self.bytes.map_or_else(String::new, |[out, back]| {
            format!("small segments go to and fro one for one, {out:.0} bytes out and {back:.0} back on average: ")
        });
        let of = match (self.took_s, self.busy_s) {
            (Some(seconds), _) => format!(" of the {seconds:.1} s that they took"),
            (None, Some(seconds)) => {
                format!(", and for {seconds:.1} s its kernel had something under way")
            }
            (None, None) => String::new(),
        };
        format!(
            "{bytes}{:.0} requests · {} = {:.1} s{of}. Each waits for the answer to the one before, a round trip",
            self.count,
            ms(self.rtt_s),
            self.waits_s()
        )
    }

    /// Fewer round trips, or shorter ones.
    pub(crate) fn remedy(self) -> Remedy {
        let (count, waits) = (self.count, self.waits_s());
        let tenth = waits / 10.0;
        let first = match self.fetches {
            true => format!(
                "more rows in each round trip: set arraysize 1000 in SQL*Plus, setFetchSize of JDBC, FetchSize of ODP.NET, the prefetch of OCI. Ten times as many rows wait for {tenth:.1} s in place of {waits:.1} s"
            ),
            false => format!(
                "more in each request (a JOIN or IN (...) in place of a query for each row, batches): {count:.0} round trips are {waits:.1} s, and a tenth of them {tenth:.1} s"
            ),
        };
        Remedy {
            commands: vec![
                first,
                "or several requests at a time: pipelining, or a pool of connections side by side"
                    .to_owned(),
                format!(
                    "or the program near to what it asks: over {} the same requests wait for {:.1} s",
                    ms(NEAR_S),
                    count * NEAR_S
                ),
                "nothing on the path: more bandwidth, or larger windows and buffers, do not shorten a round trip"
                    .to_owned(),
            ],
            risk: NO_RISK.to_owned(),
            ..Remedy::default()
        }
    }

    /// What shows how much of each is the server's own time.
    pub(crate) fn asks() -> MissingFact {
        MissingFact {
            fact: "server_time",
            would_decide: "how many requests there are, and how long the server takes for each: the rest of their time is the path's round trip".to_owned(),
            command: "in the log of the server, or in that of the program: of PostgreSQL log_min_duration_statement = 0, or pg_stat_statements; of MySQL long_query_time = 0".to_owned(),
        }
    }
}

impl Evidence {
    /// Takes requests that go one by one: those of the only socket of a flow without a test, or those that a text counts.
    pub(crate) fn of_one_by_one(&mut self, facts: &Facts, flow: &Flow) {
        if flow.test.is_some() {
            return;
        }
        let get = |name: &'static str| number(facts, Of::Path, name).map(|f| f.value);
        let said = get(COUNT).zip(get(TOOK).map(|ns| ns * NS));
        let of_socket = OneByOne::of_flow(facts, flow);
        let alone = flow.sockets.is_empty() && flow.far_sockets.is_empty();
        let by_text = said.filter(|_| alone).zip(self.rtt.as_ref());
        let by_text = by_text.and_then(|((count, seconds), rtt)| {
            let fits = count >= LEAST && are_most(count, rtt.value, seconds);
            fits.then_some(OneByOne {
                count,
                rtt_s: rtt.value,
                took_s: Some(seconds),
                busy_s: None,
                bytes: None,
                fetches: word(facts, Of::Path, FETCHES).is_some(),
                asker: Side::Sender,
            })
        });
        self.around.one_by_one = of_socket.map(|of| of.counted(said)).or(by_text);
    }
}

/// Weighs them: neither a window nor a buffer holds what waits for an answer.
pub(crate) fn by_round_trips(e: &Evidence, items: &mut Vec<Item>) {
    let Some(of) = e.around.one_by_one else {
        return;
    };
    let timed = of.took_s.or(of.busy_s).is_some();
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Application, if timed { TIMED } else { UNTIMED }),
            (Cause::ReceiveWindow, -10.0),
            (Cause::SendBuffer, -10.0),
            (Cause::NoWindowScaling, -10.0),
            (Cause::Client, -10.0),
        ],
        sentence: of.sentence(),
    });
}
