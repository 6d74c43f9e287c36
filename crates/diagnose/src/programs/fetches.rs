//! Transfers of one host's files by commands that differ: through a proxy or past it, by either version of IP, at a limited rate.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::flows::flow::{Flow, alike};
use crate::hosts::machine::FULL;
use crate::items::{Item, step};
use crate::read::{Facts, Fetch, FetchedBy};
use crate::seen::{End, Side};

/// What a proxy is worth where no transfer went past it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where one did, and was faster. A choice: it was at another time.
const SEEN: f64 = 120.0;

/// From so many times the rate on the way through a proxy is what differs, and surely.
const FASTER: [f64; 2] = [1.2, 2.0];

/// What a full processor of such a proxy is worth besides, decibans: it is what the way through the proxy waits for.
const FULL_PROXY: f64 = 14.0;

/// A transfer beside another.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    /// The proxy that it went through, and the address that it fetched, where the other went past that proxy and was faster.
    proxy: Option<(End, String, String)>,
    /// The end of the transfer that the proxy is.
    side: Side,
    /// How many times as fast the other was.
    times: f64,
    sentence: String,
}

/// How a command gets its file, for people.
fn in_words(fetch: &Fetch, again: bool) -> String {
    if let Some(title) = fetch.title.as_ref().filter(|_| again) {
        return format!("by the same command \"{title}\"");
    }
    let way = match &fetch.way {
        FetchedBy::Through(proxy) => Some(format!("through the proxy {}", proxy.shown())),
        FetchedBy::Direct => Some("without a proxy".to_owned()),
        FetchedBy::Unsaid => None,
    };
    let options = (!fetch.options.is_empty()).then(|| format!("with {}", fetch.options.join(" ")));
    let all: Vec<String> = way.into_iter().chain(options).collect();
    match all.is_empty() {
        true => "without such options".to_owned(),
        false => all.join(", "),
    }
}

/// What a rate besides says of the ways of the two, where their proxies differ.
fn means(own: &Fetch, other: &Fetch, faster: bool) -> String {
    let again = faster && own.is_again(other);
    if let Some(title) = own.title.as_ref().filter(|_| again) {
        return format!(
            ". What holds the rate is what differs between the two: this one is \"{title}\""
        );
    }
    if own.way == other.way {
        return String::new();
    }
    match (&own.way, &other.way, faster) {
        (FetchedBy::Through(proxy), _, true) => format!(
            ". What holds the rate lies on the way through {}: the leg to it, the proxy itself, or the leg behind it",
            proxy.host
        ),
        (FetchedBy::Through(_), _, false) | (_, FetchedBy::Through(_), true) => {
            ": the proxy keeps copies, or its way is the better one".to_owned()
        }
        (FetchedBy::Unsaid, FetchedBy::Direct, true) => {
            ". Whether this one went through a proxy of the environment, env | grep -i proxy says"
                .to_owned()
        }
        _ => String::new(),
    }
}

impl Beside {
    /// Of the transfers of other commands that one whose rate differs most.
    fn of(facts: &Facts, flow: &Flow, rate: f64) -> Option<Beside> {
        let own = facts.fetched_by(flow.test.as_ref()?)?;
        let others = facts.fetches.iter();
        let others = others.filter(|other| own.is_beside(other) || own.is_again(other));
        let each = others.filter_map(|other| {
            let there = other.rate.as_ref().filter(|there| there.value > 0.0)?;
            Some((other, there, there.value / rate))
        });
        let apart = |times: f64| times.max(1.0 / times);
        let (other, there, times) =
            each.max_by(|(.., a), (.., b)| apart(*a).total_cmp(&apart(*b)))?;
        if apart(times) < FASTER[0] {
            return None;
        }
        let faster = times > 1.0;
        let place = there.from.first().map(|at| facts.place(*at));
        let sentence = format!(
            "{} {} came at {}{}, {:.1} times as {}{}",
            in_words(other, own.is_again(other)),
            match own.url == other.url {
                true => "the same file",
                false => "another file of the same host",
            },
            bps(there.value),
            place.map_or_else(String::new, |place| format!(" ({place})")),
            apart(times),
            if faster { "fast" } else { "slow" },
            means(own, other, faster)
        );
        let proxy = match &own.way {
            FetchedBy::Through(proxy) if faster && own.way != other.way => {
                Some((proxy.clone(), own.url.clone(), own.host.clone()))
            }
            _ => None,
        };
        let sends = |(proxy, ..): &(End, String, String)| proxy.host == flow.from.host;
        let side = match proxy.as_ref().is_some_and(sends) {
            true => Side::Sender,
            false => Side::Receiver,
        };
        Some(Beside {
            proxy,
            side,
            times,
            sentence,
        })
    }

    /// What the way through a proxy is worth, decibans.
    fn worth(&self) -> f64 {
        SEEN * step(self.times, FASTER[0], FASTER[1])
    }
}

impl Evidence {
    /// Takes the transfer by another command whose rate differs most.
    pub(crate) fn of_fetches(&mut self, facts: &Facts, flow: &Flow) {
        let rate = self.rate.as_ref().map(|rate| rate.value);
        let rate = rate.filter(|rate| *rate > 0.0);
        self.around.fetched_beside = rate.and_then(|rate| Beside::of(facts, flow, rate));
        self.of_stream_window(facts, flow);
    }

    /// The proxy that holds the rate, with the address and the host of the file.
    fn slow_proxy(&self) -> Option<&(End, String, String)> {
        let beside = self.around.fetched_beside.as_ref()?;
        beside.proxy.as_ref().filter(|_| beside.worth() >= SEEN)
    }

    /// The proxy that holds the rate and whose processor is full, with what fills it, for people.
    fn full_proxy(&self) -> Option<String> {
        let (proxy, ..) = self.slow_proxy()?;
        let side = self.around.fetched_beside.as_ref()?.side;
        let cpu = self.cpu.as_ref().filter(|cpu| cpu.value >= FULL[1])?;
        let (_, program) = self.cpu_of.as_ref().filter(|(of, _)| *of == Some(side))?;
        let by = match program.as_str() {
            "" => String::new(),
            program => format!(" with {program}"),
        };
        Some(format!(
            "a processor of {} is {:.0} % busy{by}, which is what the way through this proxy waits for",
            proxy.host,
            100.0 * cpu.value
        ))
    }

    /// Which leg of the way through a proxy it is, where the proxy itself does not show it.
    pub(crate) fn asks_proxy(&self) -> Option<MissingFact> {
        let (proxy, url, _) = self.slow_proxy().filter(|_| self.full_proxy().is_none())?;
        let host = &proxy.host;
        Some(MissingFact {
            fact: "proxy_rate_bps",
            would_decide: "which part of the way through the proxy holds the rate: as slow on the proxy itself, it is the leg behind it, and else the proxy or the leg to it".to_owned(),
            command: format!(
                "on {host}: curl --noproxy '*' -o /dev/null {url}; from here: iperf3 -c {host} -R -t 10, with iperf3 -s there"
            ),
        })
    }

    /// What to change about a proxy.
    pub(crate) fn change_proxy(&self) -> Option<Change> {
        let (proxy, _, file_host) = self.slow_proxy()?;
        let host = &proxy.host;
        let remedy = Remedy {
            commands: vec![
                format!(
                    "on {host}, during a download: top; ss -tin: a full processor, a scanner of what passes, a disk of copies, or a rate that it gives each client (of Squid: delay_pools)"
                ),
                format!(
                    "or past it, where its owner allows that: no_proxy={file_host} in the environment of the program"
                ),
            ],
            risk: "what a proxy scans and logs passes it by then".to_owned(),
            ..Remedy::default()
        };
        Some(remedy.change(host, None, None))
    }
}

/// Whether a host of these names is a proxy that another command went through, and this flow's did not: it is on another way.
pub(crate) fn goes_past(facts: &Facts, flow: &Flow, names: &[String]) -> bool {
    let Some(own) = flow.test.as_ref().and_then(|test| facts.fetched_by(test)) else {
        return false;
    };
    let is = |fetch: &Fetch| match &fetch.way {
        FetchedBy::Through(proxy) => names.iter().any(|name| alike(name, &proxy.host)),
        FetchedBy::Direct | FetchedBy::Unsaid => false,
    };
    // One that does not say how it goes may go through it, by the environment.
    own.way != FetchedBy::Unsaid && !is(own) && facts.fetches.iter().any(is)
}

/// Weighs it.
pub(crate) fn by_fetches(e: &Evidence, items: &mut Vec<Item>) {
    crate::programs::stream_window::by_stream_window(e, items);
    items.extend(e.full_proxy().map(|sentence| Item {
        holds: 1.0,
        weights: vec![(Cause::HostCpu, FULL_PROXY)],
        sentence,
    }));
    items.extend(e.around.fetched_beside.as_ref().map(|beside| Item {
        holds: 1.0,
        weights: match beside.proxy {
            Some(_) => vec![(Cause::Proxy, beside.worth())],
            None => Vec::new(),
        },
        sentence: beside.sentence.clone(),
    }));
}
