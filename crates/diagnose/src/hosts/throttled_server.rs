//! A request that waits for a server whose control group has used up its share of the processors: texts give the group's host the address, or
//! the name, that the request asks.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::alike;
use crate::hosts::throttled::Throttled;
use crate::lines::bloat::ms;
use crate::programs::request_times::Timed;
use crate::programs::server_wait::ServerWait;
use crate::read::{Facts, FetchedBy};
use crate::seen::Side;

/// A wait of fewer seconds is shorter than one period of a group, 0.1 s by default (Documentation/scheduler/sched-bwc.rst of Linux).
const PERIOD_S: f64 = 0.1;

/// A request that waited for the first byte of its answer for most of its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    /// That wait, beyond a round trip, seconds.
    pub(crate) own_s: f64,
    /// All that the request took, seconds.
    pub(crate) whole_s: f64,
    /// Where it was read.
    pub(crate) at: Place,
}

/// The server that such a request asks, and what the request shows, for people.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) server: String,
    pub(crate) said: String,
}

/// Whether a host's text is of the one that is asked under this name or address.
fn is_asked(facts: &Facts, host: u32, asked: &str) -> bool {
    let owns = |name: &String| {
        let mut all = facts.prompts.owns.iter();
        all.any(|(owner, address)| address == asked && alike(owner, name))
    };
    let names = facts.hosts.get(host as usize).into_iter().flatten();
    let mut names = names.filter(|name| !name.is_empty());
    names.any(|name| alike(name, asked) || owns(name))
}

impl Evidence {
    /// The group of the server that a late request asks, where no rate was measured, nothing is known to be lost, and no proxy answers.
    pub(crate) fn throttled_server(&self, facts: &Facts) -> Option<Throttled> {
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        if self.rate.is_some() || lossy {
            return None;
        }
        let waited = facts.server_wait.map(ServerWait::late);
        let late = waited.or_else(|| facts.timed.and_then(Timed::late))?;
        let fetch = facts.fetch_above(late.at)?;
        let through = matches!(fetch.way, FetchedBy::Through(_));
        if through || fetch.host.is_empty() || late.own_s < PERIOD_S {
            return None;
        }
        let all = 0..facts.hosts.len() as u32;
        let own: Vec<u32> = all.filter(|n| is_asked(facts, *n, &fetch.host)).collect();
        let mut names = facts.hosts.get(*own.first()? as usize)?.iter();
        let server = names.find(|name| !name.is_empty())?.clone();
        let mut group = Throttled::of(facts, &own, Some(Side::Sender))?;
        group.served = Some(Served {
            server,
            said: format!(
                "of {} that a request to it took {} passed before the first byte of its answer, beyond one round trip ({})",
                ms(late.whole_s),
                ms(late.own_s),
                facts.place(late.at)
            ),
        });
        Some(group)
    }

    /// Whether this cause is the group of a server that a late request asks.
    pub(crate) fn is_throttled_server(&self, cause: Cause) -> bool {
        let group = self.throttled_first().filter(|own| own.served.is_some());
        cause == Cause::HostCpu && group.is_some()
    }

    /// Whether the group waits while requests are late, where its counters were read once and are of all the time since it was made.
    pub(crate) fn asks_throttled_server(&self) -> Option<MissingFact> {
        let group = self.throttled_first().filter(|own| !own.grew)?;
        let served = group.served.as_ref()?;
        Some(MissingFact {
            fact: "throttled_now",
            would_decide: format!(
                "whether the group of {} waits while requests are late: nr_throttled grows meanwhile",
                served.server
            ),
            command: "in that container, before some late requests and after them: cat /sys/fs/cgroup/cpu.stat; of a pod: kubectl exec POD -- cat /sys/fs/cgroup/cpu.stat".to_owned(),
        })
    }
}
