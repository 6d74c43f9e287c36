//! Requests that wait for their server: the time until the first byte of an answer, beyond the round trip that the path takes for it.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::hosts::throttled_server::Late;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::read::Facts;
use crate::read::curl::times::Wait;

/// What it is worth, decibans. A choice: what was lost and sent again delays an answer, too, where no ping shows that anything is lost.
const WAITED: f64 = 20.0;

/// A round trip of fewer seconds is that of a host to itself, or within a site: the request was typed at the server, or beside it. A choice.
const NEAR: f64 = 1e-3;

/// A request that waited for its server, and where that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ServerWait {
    wait: Wait,
    at: Place,
}

impl ServerWait {
    /// What it waited for the first byte of its answer.
    pub(crate) fn late(self) -> Late {
        Late {
            own_s: self.wait.own,
            whole_s: self.wait.whole,
            at: self.at,
        }
    }
}

impl Facts {
    /// A request waited for its server for most of its time. The longest wait counts.
    pub(crate) fn waits_for_server(&mut self, wait: Wait, at: Place) {
        let longer = |known: ServerWait| wait.own > known.wait.own;
        if self.server_wait.is_none_or(longer) {
            self.server_wait = Some(ServerWait { wait, at });
        }
    }
}

/// The same, for people.
#[derive(Clone, Debug)]
pub(crate) struct Waited {
    said: String,
    /// The request was typed at the server, or beside it.
    near: bool,
}

impl Waited {
    fn of(ServerWait { wait, at }: ServerWait, facts: &Facts) -> Waited {
        let most = if wait.is_most { "at most " } else { "" };
        let said = format!(
            "of {} that a request took {} passed before the first byte of its answer, beyond one round trip of {most}{} ({}): a path that loses nothing takes no longer than that round trip, and the rest is the server's, or that of a proxy which answers for it",
            ms(wait.whole),
            ms(wait.own),
            ms(wait.trip),
            facts.place(at)
        );
        Waited {
            said,
            near: wait.trip < NEAR,
        }
    }

    /// What shows that the server takes as long without the path; of a request without a path, what the server is busy with.
    pub(crate) fn asks(&self) -> Vec<MissingFact> {
        if self.near {
            return vec![MissingFact {
                fact: "server_time",
                would_decide: "whether a processor or a disk of the server is busy while a request waits: where neither is, its program waits for something else"
                    .to_owned(),
                command: "on the server, while a request waits: top -H -b -n 1 | head -20; iostat -x 5 2"
                    .to_owned(),
            }];
        }
        vec![MissingFact {
            fact: "server_time",
            would_decide: "whether the server takes as long without the path: the same request, typed there"
                .to_owned(),
            command: "on the server, several times while it is slow: curl -s -o /dev/null -w 'connect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n' URL"
                .to_owned(),
        }]
    }

    /// Where the server spends the time.
    fn change(&self) -> Change {
        let remedy = Remedy {
            commands: vec![
                "how long each request takes, in the log of the program: of nginx $request_time and $upstream_response_time in its log_format. Where the second is as long as the first, what stands behind it is slow, such as an application or its database".to_owned(),
                "top -H and vmstat 1 5 while a request waits: whether a processor or a disk is busy. Where neither is, the program waits for something else".to_owned(),
                "ss -tnp state established, on the server: which other hosts the program has connections to, and may wait for".to_owned(),
                "nothing on the path: more bandwidth, or larger windows and buffers, do not shorten that wait".to_owned(),
            ],
            risk: crate::advice::NO_RISK.to_owned(),
            ..Remedy::default()
        };
        remedy.change("the server", None, None)
    }
}

impl Evidence {
    /// Takes a wait for a server where no rate was measured, nothing is known to be lost, and nothing else held connections up; and the
    /// longest request, whatever it waited for.
    pub(crate) fn of_server_wait(&mut self, facts: &Facts) {
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let around = &self.around;
        let other =
            around.full_table.is_some() || around.accept_queue.is_some() || around.names.is_some();
        let wait = facts
            .server_wait
            .filter(|_| self.rate.is_none() && !lossy && !other);
        self.around.server_wait = wait.map(|wait| Waited::of(wait, facts));
        self.of_request(facts);
    }

    /// What to ask on the server.
    pub(crate) fn find_server_wait(&self) -> Option<Change> {
        self.around.server_wait.as_ref().map(Waited::change)
    }
}

/// Weighs it.
pub(crate) fn by_server_wait(e: &Evidence, items: &mut Vec<Item>) {
    // A group of the server that waits for processors makes its program wait.
    let by_group = e.is_throttled_server(Cause::HostCpu);
    let by_group = by_group.then_some((Cause::HostCpu, WAITED));
    items.extend(e.around.server_wait.as_ref().map(|waited| {
        Item {
            holds: 1.0,
            weights: by_group
                .into_iter()
                .chain([(Cause::Application, WAITED)])
                .collect(),
            sentence: waited.said.clone(),
        }
    }));
}
