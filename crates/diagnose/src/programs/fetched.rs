//! Files that a program fetched one by one, each so small that all of it leaves at once: its round trips are what it takes, and the rate at
//! which it came says nothing of the path.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::programs::each_file::EachFile;
use crate::programs::opened;
use crate::seen::Test;

/// How many files a test fetched; one is timed from its first byte on, several by the clock on the wall.
pub(crate) const FILES: &str = "files";

/// What leaves at once on a new connection, segments (RFC 6928 §2).
const WINDOW: f64 = 10.0;

/// A file that takes more round trips than these waits for an answer, opens a connection besides, or waits for the server.
const ANSWERS: f64 = 0.7;
const OPENS: f64 = 1.6;
const SERVES: f64 = 6.0;

/// What speaks for their set-up, decibans, above what it takes to be a cause.
const ONE: f64 = 30.0;
const ALL: f64 = 60.0;

/// Files that were fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fetched(EachFile);

impl Fetched {
    /// Of a test that says how many it fetched, how much that was, and how long it took.
    pub(crate) fn of(test: &Test) -> Option<Fetched> {
        let count = test.numbers.get(FILES)?.value;
        let report = test.received.as_ref()?;
        let bytes = report.bytes.as_ref()?.value;
        let files = EachFile {
            count,
            bytes: bytes / count,
            each_s: report.seconds / count,
        };
        (count >= 1.0).then_some(Fetched(files))
    }

    /// What opens fewer connections, or several at a time.
    pub(crate) fn remedy(self) -> Remedy {
        let commands = [
            "keep one connection open for all of them (HTTP keep-alive; curl with all addresses in one call): each file takes a round trip less",
            "several at a time: xargs -P 16 -n 50 wget -q < LIST, with LIST as the file of addresses",
            "or one archive in place of the files (tar): its rate is the path's",
        ];
        Remedy {
            commands: commands.map(str::to_owned).to_vec(),
            risk: "a server may refuse many connections of one client".to_owned(),
            ..Remedy::default()
        }
    }

    /// What several of them wait for, by the round trips that each takes.
    fn several(self, rtt_s: Option<f64>) -> (Vec<(Cause, f64)>, String) {
        let (rounds, text) = self.0.rounds(rtt_s);
        let Some(rounds) = rounds else {
            return (Vec::new(), text);
        };
        match rounds {
            n if n < ANSWERS => (Vec::new(), text),
            n if n < OPENS => (
                vec![(Cause::Application, ALL)],
                format!("{text}: each is asked for once the one before has come"),
            ),
            n if n < SERVES => (
                vec![(Cause::SetUp, ALL - opened::UNSEEN)],
                format!(
                    "{text}: one sets a connection up, another carries the request and its answer"
                ),
            ),
            _ => (
                Vec::new(),
                format!("{text}: the server, or the names that are looked up, take the rest"),
            ),
        }
    }

    /// What one of them waits for: nothing of that is in its rate.
    fn one(self, rate: f64, rtt_s: f64) -> (Vec<(Cause, f64)>, String) {
        let text = format!(
            "{} leave at once on any connection: {} is how fast they were read from the socket, and says nothing of the path. What they wait for is its set-up and the request, a round trip of {} each",
            bytes(self.0.bytes),
            bps(rate),
            ms(rtt_s)
        );
        let weights = vec![
            (Cause::SetUp, ONE - opened::UNSEEN),
            (Cause::Link, -40.0),
            (Cause::ReceiveWindow, -20.0),
            (Cause::SendBuffer, -20.0),
        ];
        (weights, text)
    }
}

impl Evidence {
    /// Whether what was fetched leaves at once, so that its rate is none of the path's.
    pub(crate) fn left_at_once(&self) -> bool {
        self.fetched
            .is_some_and(|of| of.0.bytes <= WINDOW * self.mss)
    }
}

/// Weighs what small files wait for.
pub(crate) fn by_files(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(of), Some(rate)) = (e.fetched, &e.rate) else {
        return;
    };
    if !e.left_at_once() {
        return;
    }
    let rtt_s = e.rtt_by_itself().map(|rtt| rtt.value);
    let (weights, sentence) = match rtt_s {
        rtt if of.0.count > 1.0 => of.several(rtt),
        Some(rtt) if of.0.each_s < rtt => of.one(rate.value, rtt),
        _ => return,
    };
    items.push(Item {
        holds: 1.0,
        weights,
        sentence,
    });
}
