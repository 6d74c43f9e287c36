//! A window that its receiver keeps shut: nothing is under way, and the sender's persist timer runs and is doubled (RFC 9293 §3.8.6.1).

use crate::asking::queues;
use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::document::MissingFact;
use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::flow::{Flow, number};
use crate::items::{Item, LOSSES, of};
use crate::read::Facts;
use crate::words::{between, decimal};

/// The name of the fact: probes in a row that nobody answered, of a socket whose persist timer runs.
pub(crate) const UNANSWERED: &str = "unanswered_probes";

/// A timer that was doubled so often met more than a window that was shut for a moment: 1.4 s, where the first probe waits for 200 ms.
const DOUBLED: f64 = 3.0;

/// One probe may be under way; so many without an answer are not.
const DEAF: f64 = 2.0;

/// The most that is said of the receiving program where nobody saw what it leaves unread: a proxy in its stead shuts a window, too.
const UNSEEN: f64 = 0.85;

/// The same where probes are not answered: the other host, or the path, may be down.
const MAY_BE_DOWN: f64 = 0.5;

/// A sender's socket that waits for its window to open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShutWindow {
    /// How often the timer was doubled.
    doubled: f64,
    /// Probes in a row that nobody answered.
    unanswered: f64,
    /// How long nothing new was sent, seconds, where its kernel says it.
    pub(crate) silent_s: Option<f64>,
    /// What waits to be sent, bytes.
    waits: f64,
}

/// Of a socket whose persist timer runs, how many probes nobody answered: `timer:(persist,5.2sec,0)`.
pub(crate) fn unanswered(text: &str) -> Option<f64> {
    let timer = between(text, "timer:(persist,", ")")?;
    decimal(timer.split(',').nth(1)?)
}

/// Whether the last reading of a socket shows its persist timer, which was doubled.
pub(crate) fn is_shut(facts: &Facts, socket: u32) -> bool {
    let latest = |name: &'static str| facts.latest(Of::Socket(socket), name);
    let (Some(head), Some(timer), Some(backoff)) = (
        latest("send_queue_bytes"),
        latest(UNANSWERED),
        latest("backoff"),
    ) else {
        return false;
    };
    let is_last = timer.at == head.at && backoff.at.lines_below(head.at).is_some();
    is_last && backoff.number().is_some_and(|b| b.value >= DOUBLED)
}

impl ShutWindow {
    /// That of sockets without a test, where all of them wait so: the one whose timer was doubled most.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<ShutWindow> {
        let get = |s: u32, name| number(facts, Of::Socket(s), name).map_or(0.0, |f| f.value);
        let all = &flow.sockets;
        if flow.test.is_some() || !all.iter().all(|s| is_shut(facts, *s)) {
            return None;
        }
        let each = all.iter().copied();
        let most = each.max_by(|a, b| get(*a, "backoff").total_cmp(&get(*b, "backoff")))?;
        Some(ShutWindow {
            doubled: get(most, "backoff"),
            unanswered: get(most, UNANSWERED),
            silent_s: Some(get(most, "pause_ns") * NS).filter(|s| *s > 0.0),
            waits: get(most, "send_queue_bytes"),
        })
    }

    /// Whether nobody answers its probes.
    fn is_deaf(&self) -> bool {
        self.unanswered >= DEAF
    }

    /// What it shows, for people.
    fn sentence(&self) -> String {
        let silent = self.silent_s.map_or_else(String::new, |s| {
            format!(", nothing new was sent for {s:.0} s")
        });
        let ends = match self.is_deaf() {
            true => format!(
                "{:.0} probes in a row were not answered: the other host or the path is down, or its program does not read",
                self.unanswered
            ),
            false => "probes are answered, so that path and host are up: the receiving program does not read, which no setting of buffers changes".to_owned(),
        };
        format!(
            "the receiver's window is shut, and nothing moves: the sender's persist timer was doubled {:.0} times{silent}, and {} wait. Its {ends}",
            self.doubled,
            bytes(self.waits)
        )
    }
}

/// What holds a sender that still moves.
const OTHERS: [Cause; 8] = [
    Cause::Application,
    Cause::Ramp,
    Cause::ReceiveWindow,
    Cause::NoWindowScaling,
    Cause::SendBuffer,
    Cause::Pacing,
    Cause::Shaper,
    Cause::Link,
];

/// Weighs a window that stays shut: it is its program's, and not one that is too small.
pub(crate) fn by_shut_window(e: &Evidence, items: &mut Vec<Item>) {
    crate::windows::zero_window::by_zero_window(e, items);
    items.extend(e.shut.as_ref().map(|shut| {
        Item {
            holds: 1.0,
            weights: [
                of(&LOSSES, -30.0),
                of(&OTHERS, -40.0),
                vec![(Cause::Client, 40.0)],
            ]
            .concat(),
            sentence: shut.sentence(),
        }
    }));
}

impl Evidence {
    /// The most that is said of the program that keeps a window shut.
    pub(crate) fn at_most_of_shut(&self, cause: Cause) -> f64 {
        match self.shut.filter(|_| cause == Cause::Client) {
            Some(shut) if shut.is_deaf() => MAY_BE_DOWN,
            Some(_) if self.counted_else.is_open() => UNSEEN,
            None if cause == Cause::Client && self.shows_zero_window() => UNSEEN,
            _ => 1.0,
        }
    }

    /// Whether windows of 0 are all that shows of a program that does not read.
    pub(crate) fn shows_zero_window(&self) -> bool {
        let zero = self.around.zero_window.is_some() && self.rate.is_none();
        zero && self.counted_else.is_open()
    }

    /// What shows whether the receiving program reads: no rate, and nothing of the path, says more.
    pub(crate) fn asks_shut(&self) -> Vec<MissingFact> {
        let open = self.counted_else.is_open();
        let queue = queues(self.systems[1]).filter(|_| open);
        let queue = queue.map(|command| MissingFact {
            fact: "receive_queue_bytes",
            would_decide: "whether the receiving program reads what came: a Recv-Q that stays is its, and an empty one a proxy's or another device's between".to_owned(),
            command: format!("on the receiver, while it hangs, several times: {command}"),
        });
        queue.into_iter().collect()
    }
}
