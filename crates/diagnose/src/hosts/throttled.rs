//! A control group that has used up its share of the processors, and waits until its next period: `nr_throttled` of `cpu.stat`
//! (Documentation/scheduler/sched-bwc.rst of Linux). Its processors need not be full.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number};
use crate::hosts::counted::growth;
use crate::hosts::machine::FULL;
use crate::hosts::throttled_prompt;
use crate::hosts::throttled_server::Served;
use crate::items::{Item, step};
use crate::read::Facts;
use crate::read::cgroup::{FIRST_VERSION, PERIODS, PROCESSORS, THROTTLED, WAITED};
use crate::seen::Side;

/// Fewer periods say nothing.
const PERIODS_LEAST: f64 = 10.0;

/// From the first part of its periods on a group waits, and from the second on surely. A choice.
const SHARE: [f64; 2] = [0.1, 0.5];

/// How much that says, decibans, and how much of it counters say that were read once: they are of all the time since the group was made.
const WEIGHTS: [(Cause, f64); 3] = [
    (Cause::HostCpu, 40.0),
    (Cause::SendBuffer, -8.0),
    (Cause::ReceiveWindow, -8.0),
];
const ONCE: f64 = 0.8;

/// The most that is said by such counters.
const ONCE_MOST: f64 = 0.8;

/// What holds more than this is what is changed.
const HOLDS: f64 = 0.3;

/// What a group at an end waited.
#[derive(Clone, Debug)]
pub(crate) struct Throttled {
    /// The end that it is of, where that is known.
    pub(crate) side: Option<Side>,
    /// Its periods, and those in which it waited.
    periods: f64,
    throttled: f64,
    /// How long it waited, seconds.
    waited: Option<f64>,
    /// How many processors it may use.
    pub(crate) processors: Option<f64>,
    /// That limit is one of version 1.
    pub(crate) first_version: bool,
    /// By how much they grew, and not what they stand at.
    pub(crate) grew: bool,
    /// It is of that end as its prompt, which names no host, is that of the test.
    by_prompt: bool,
    /// The server whose it is, where a request asked that one and was late.
    pub(crate) served: Option<Served>,
}

/// What was read last of some hosts.
fn last<'f>(facts: &'f Facts, hosts: &[u32], name: &'static str) -> Option<&'f Figure> {
    let mut each = hosts.iter().rev();
    each.find_map(|host| number(facts, Of::Host(*host), name))
}

impl Throttled {
    /// What these hosts count; none where too few periods passed, or it waited in too few of them.
    pub(crate) fn of(facts: &Facts, hosts: &[u32], side: Option<Side>) -> Option<Throttled> {
        let (all, stood) = (last(facts, hosts, PERIODS)?, last(facts, hosts, THROTTLED)?);
        let grown = |name| growth(facts, hosts, name).map(|by| by.value);
        let grew = grown(PERIODS).filter(|by| *by >= PERIODS_LEAST);
        let grew = grew.zip(grown(THROTTLED));
        let (periods, throttled) = grew.unwrap_or((all.value, stood.value));
        let waited = match grew {
            Some(_) => grown(WAITED),
            None => last(facts, hosts, WAITED).map(|ns| ns.value),
        };
        let found = Throttled {
            side,
            periods,
            throttled,
            waited: waited.map(|ns| ns * 1e-9).filter(|s| *s > 0.0),
            processors: last(facts, hosts, PROCESSORS).map(|count| count.value),
            first_version: last(facts, hosts, FIRST_VERSION).is_some(),
            grew: grew.is_some(),
            by_prompt: false,
            served: None,
        };
        let enough = periods >= PERIODS_LEAST && throttled <= periods;
        (enough && found.holds() > 0.0).then_some(found)
    }

    /// The group that was read at the prompt of a test before and after it.
    fn at_prompt(facts: &Facts, flow: &Flow) -> Option<Throttled> {
        let (side, hosts) = throttled_prompt::of_test(facts, flow)?;
        let by_prompt = hosts.iter().all(|host| flow.end_of(*host).is_none());
        let own = Throttled::of(facts, &hosts, Some(side)).filter(|own| own.grew)?;
        Some(Throttled { by_prompt, ..own })
    }

    /// How surely it waits, 0 to 1.
    fn holds(&self) -> f64 {
        let trust = if self.grew { 1.0 } else { ONCE };
        trust * step(self.throttled / self.periods, SHARE[0], SHARE[1])
    }

    fn sentence(&self) -> String {
        let whose = match (&self.served, self.side) {
            (Some(served), _) => format!("the control group of the server, {},", served.server),
            (None, Some(side)) if self.by_prompt => format!(
                "the {}'s control group, which was read at the prompt of the test before and after it,",
                side.name()
            ),
            (None, Some(side)) => format!("the {}'s control group", side.name()),
            (None, None) => {
                "the control group of a host of which no text says which end it is".to_owned()
            }
        };
        let waited = self
            .waited
            .map_or_else(String::new, |seconds| format!(", {seconds:.1} s in all"));
        let most = self.processors.map_or_else(String::new, |count| {
            let file = match self.first_version {
                true => "cpu.cfs_quota_us",
                false => "cpu.max",
            };
            format!(": it may use {count:.2} processors ({file}), however idle they are")
        });
        let beside = self.served.as_ref();
        let beside = beside.map_or_else(String::new, |served| format!("; {}", served.said));
        format!(
            "{whose} used up its share of the processors and waited in {:.0} of {:.0} periods (nr_throttled) {}{waited}{most}{beside}",
            self.throttled,
            self.periods,
            match self.grew {
                true => "from one reading to the next",
                false => "since it was made",
            }
        )
    }
}

impl Evidence {
    /// The group that waits in the largest part of its periods: of an end that is known, or else of a host that may be either.
    pub(crate) fn of_throttled(&mut self, facts: &Facts, flow: &Flow) {
        let end_of = |host: u32| flow.end_of(host).filter(|_| !flow.assumed.contains(&host));
        let of_side = |side: Option<Side>| -> Option<Throttled> {
            let all = flow.senders.iter().chain(&flow.receivers).copied();
            let own: Vec<u32> = all.filter(|host| end_of(*host) == side).collect();
            Throttled::of(facts, &own, side)
        };
        let ends = [Side::Sender, Side::Receiver].map(Some).map(&of_side);
        let known = ends.into_iter().flatten();
        let known = known.max_by(|a, b| a.holds().total_cmp(&b.holds()));
        let more = |_: &Throttled| known.as_ref().is_none_or(|known| !known.grew);
        let at_prompt = Throttled::at_prompt(facts, flow).filter(more);
        let served = self.throttled_server(facts).or(at_prompt).or(known);
        self.around.throttled = served.or_else(|| of_side(None));
    }

    /// The group whose limit is to be raised: it is of an end, and no processor is full.
    pub(crate) fn throttled_first(&self) -> Option<&Throttled> {
        let full = self.cpu.as_ref().is_some_and(|cpu| cpu.value >= FULL[0]);
        let own = self.around.throttled.as_ref();
        own.filter(|own| !full && own.side.is_some() && own.holds() > HOLDS)
    }

    /// Whose a group is that waits, where no text says which end it is.
    pub(crate) fn asks_whose_group(&self) -> Option<MissingFact> {
        let own = self.around.throttled.as_ref();
        let open = |own: &&Throttled| own.side.is_none() || own.by_prompt;
        let own = own.filter(|own| open(own) && own.holds() > HOLDS)?;
        Some(MissingFact {
            fact: "group_host",
            would_decide: format!(
                "whose control group it is that waited in {:.0} of {:.0} periods: where it is of an end, its share of the processors is what holds the rate",
                own.throttled, own.periods
            ),
            command: "of a pod: kubectl get pod -o wide, whose IP is the transfer's; of a host: hostname -I there, or its text in a file of its own, sender.txt or receiver.txt".to_owned(),
        })
    }

    /// The most that is said of a processor by counters that were read once, or whose host a prompt without a name says.
    pub(crate) fn at_most_of_throttled(&self, cause: Cause) -> f64 {
        match self.throttled_first() {
            Some(own) if cause == Cause::HostCpu && (!own.grew || own.by_prompt) => ONCE_MOST,
            _ => 1.0,
        }
    }
}

/// Weighs a group that waits.
pub(crate) fn by_throttled(e: &Evidence, items: &mut Vec<Item>) {
    let Some(own) = &e.around.throttled else {
        return;
    };
    items.push(Item {
        holds: own.holds(),
        weights: match own.side {
            Some(_) => WEIGHTS.to_vec(),
            None => Vec::new(),
        },
        sentence: own.sentence(),
    });
}
