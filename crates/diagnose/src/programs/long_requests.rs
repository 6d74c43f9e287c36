//! Requests that a text counts, each of which takes far longer than the path's round trip: an acknowledgement that is delayed, or the server.

use crate::document::MissingFact;
use crate::evidence::{Evidence, NS};
use crate::fact::{Fact, Of};
use crate::flows::flow::{Flow, number};
use crate::lines::bloat::ms;
use crate::programs::one_by_one::OneByOne;
use crate::read::Facts;
use crate::read::queries::{COUNT, TOOK};

/// How what is said first of them begins.
pub(crate) const LONG: &str = "requests wait for something else than the path: ";

/// How many acknowledgements a host delayed until a timer ran out, as its kernel counts them.
pub(crate) const DELAYED: &str = "host_delayed_acks";

/// Fewer requests show no habit.
const LEAST: f64 = 20.0;

/// The path's round trip is this part of a request at most.
const OF_TIME: f64 = 0.5;

/// Linux delays an acknowledgement by 40 ms to 200 ms, mostly by the first of these; with what ends take beside it, seconds.
const DELAYS: [f64; 2] = [0.036, 0.25];
const SHORTEST: f64 = 0.048;

/// As many acknowledgements were delayed as requests were sent, within this part.
const ALIKE: f64 = 0.3;

/// What makes an end wait for a delayed acknowledgement, and what takes that away.
const NAGLE: &str = "a program that writes a request or an answer in two small pieces waits for it, as Nagle's algorithm holds the second until the first is acknowledged (RFC 9293 §3.7.4): TCP_NODELAY at both ends, or one write for each, takes that wait away";

/// Such requests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LongRequests {
    count: f64,
    took_s: f64,
    rtt_s: f64,
    /// Where they were counted.
    place: String,
    /// Acknowledgements that were delayed, about as many as the requests, and where they were counted.
    delayed: Option<(f64, String)>,
}

impl LongRequests {
    fn each_s(&self) -> f64 {
        self.took_s / self.count
    }

    /// Whether each waits about as long as Linux mostly delays an acknowledgement.
    fn is_as_delayed(&self) -> bool {
        (DELAYS[0]..SHORTEST).contains(&(self.each_s() - self.rtt_s))
    }

    /// What is said first of them, where no cause is known.
    pub(crate) fn said(&self) -> String {
        let begin = format!(
            "{LONG}{:.0} of them took {:.1} s ({}), {} each where they went one by one, and the path's round trip is {} of that",
            self.count,
            self.took_s,
            self.place,
            ms(self.each_s()),
            ms(self.rtt_s)
        );
        match &self.delayed {
            Some((delayed, place)) => format!(
                "{begin}. A host delayed {delayed:.0} acknowledgements ({place}), about one for each request, by 40 ms or more each: {NAGLE}"
            ),
            None if self.is_as_delayed() => format!(
                "{begin}. Linux delays an acknowledgement by 40 ms, and {NAGLE}. Otherwise it is the server's own time"
            ),
            None => {
                format!("{begin}: the rest is the time of the server, or of the program itself")
            }
        }
    }

    /// What decides between both.
    pub(crate) fn asks(&self) -> MissingFact {
        match self.delayed.is_some() || self.is_as_delayed() {
            true => MissingFact {
                fact: "delayed_acks",
                would_decide: "whether each request waits for a delayed acknowledgement: then as many are counted as requests are sent, and a capture shows a small segment that leaves once one has come. Otherwise it is the server".to_owned(),
                command: "on both hosts: nstat -n, then some hundred requests, then nstat | grep DelayedACKs; meanwhile tcpdump -ni INTERFACE -w FILE, and then farpath trace FILE".to_owned(),
            },
            false => OneByOne::asks(),
        }
    }
}

impl Evidence {
    /// Takes requests that a text counts, where no test was run, nothing is known to be lost, and round trips are not what they take.
    pub(crate) fn of_long_requests(&mut self, facts: &Facts, flow: &Flow) {
        let sockets = flow.sockets.len() + flow.far_sockets.len();
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let other = flow.test.is_some() || sockets > 0 || self.around.one_by_one.is_some();
        let counted = number(facts, Of::Path, COUNT).filter(|_| !other && !lossy);
        let took = number(facts, Of::Path, TOOK).map(|ns| ns.value * NS);
        let (Some(counted), Some(took_s), Some(rtt)) = (counted, took, self.rtt.as_ref()) else {
            return;
        };
        let count = counted.value;
        let wait = took_s / count.max(1.0) - rtt.value;
        if count < LEAST || rtt.value * count > OF_TIME * took_s {
            return;
        }
        let is_it = |fact: &&Fact| fact.name == DELAYED;
        let delayed = facts.facts.iter().rfind(is_it).and_then(|fact| {
            let acks = fact.number()?.value;
            let alike = (acks / count - 1.0).abs() <= ALIKE;
            let fits = alike && (DELAYS[0]..DELAYS[1]).contains(&wait);
            fits.then(|| (acks, facts.place(fact.at)))
        });
        let at = counted.from.first();
        self.around.long_requests = Some(LongRequests {
            count,
            took_s,
            rtt_s: rtt.value,
            place: at.map_or_else(String::new, |at| facts.place(*at)),
            delayed,
        });
    }
}
