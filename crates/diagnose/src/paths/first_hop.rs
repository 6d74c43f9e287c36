//! Pings to the first hop: whether loss and waiting begin on the link of the host that sent them, or behind it.

use std::net::{IpAddr, Ipv4Addr};

use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::bystander::is_beside;
use crate::flows::flow::{Flow, number};
use crate::flows::placed::by_names;
use crate::read::Facts;

/// What pings to a first hop said.
struct Near<'f> {
    name: &'f str,
    /// Packets sent, and the share of them that was lost.
    lost: Option<(f64, f64)>,
    /// Least and mean round trip, seconds.
    rtt: Option<[f64; 2]>,
}

/// A first hop is nearer than this part of the way to the end.
const NEAR: f64 = 0.5;

/// The longest round trip over one link of a host, seconds: of radio links it is some milliseconds. A choice.
pub(crate) const FAR_S: f64 = 0.01;

/// It has the end's loss where it loses this part of it at least, and answers not all that is sent to itself where it loses so many times as
/// much: as of hops of a trace (`located`).
const HAS: f64 = 0.3;
const OWN: f64 = 3.0;

/// Of fewer packets lost, or to be expected as lost, nobody can say where.
const LOST_LEAST: f64 = 3.0;

/// Round trips that vary by less than this on average, seconds, are even.
const VARIES_S: f64 = 2e-3;

/// A queue that adds this much, seconds, shows where it is. A choice.
const QUEUE_S: f64 = 0.03;

/// Names that gateways have.
const GATEWAYS: [&str; 4] = ["gateway", "router", "fritz.box", "gw"];

/// Whether a ping of these names went to the first hop of an end of a flow: a gateway by its name, or a private address in the network of an end,
/// or where neither end is in one.
pub(crate) fn is_first_hop(names: &[String], flow: &Flow) -> bool {
    let ends = [&flow.from, &flow.to];
    let aliases = flow.test.iter().flat_map(|t| t.aliases.iter().flatten());
    let own = ends.map(|end| &end.host).into_iter().chain(aliases);
    let own: Vec<&String> = own.collect();
    if names.iter().any(|name| own.contains(&name)) {
        return false;
    }
    let private = |name: &&String| name.parse::<Ipv4Addr>().is_ok_and(|a| a.is_private());
    let of_ends: Vec<&String> = own.into_iter().filter(private).collect();
    // Networks of hosts have 256 addresses or fewer, nearly always.
    let beside =
        |name: &String| of_ends.is_empty() || of_ends.iter().any(|end| is_beside(end, name));
    names.iter().any(|name| {
        let label = name.trim_start_matches('_').to_ascii_lowercase();
        let label = label.split(['.', '-']).next().unwrap_or("");
        let named = GATEWAYS
            .iter()
            .any(|g| name.trim_start_matches('_') == *g || label == *g);
        let local = matches!(name.parse(), Ok(IpAddr::V6(a)) if a.is_unicast_link_local());
        named || local || private(&name) && beside(name)
    })
}

/// Whether a ping went to the gateway of the default route that was printed at its own prompt, which is that of an end of a flow.
pub(crate) fn is_gateway(facts: &Facts, flow: &Flow, (ping, names): (u32, &[String])) -> bool {
    let Some(prompt) = facts.pinged_at.get(ping as usize) else {
        return false;
    };
    let ends = [&flow.from.host, &flow.to.host];
    let routed = |name: &String| facts.gateways.contains(&(prompt.clone(), name.clone()));
    let through = names
        .iter()
        .any(|name| routed(name) && !ends.contains(&name));
    through && (prompt.is_empty() || by_names(facts, flow, core::slice::from_ref(prompt)).is_some())
}

/// Whether there are pings, and all of them went to a first hop of a flow's ends.
pub(crate) fn are_near(facts: &Facts, flow: &Flow) -> bool {
    let near = |(n, names): (u32, &Vec<String>)| {
        is_first_hop(names, flow) || is_gateway(facts, flow, (n, names))
    };
    !facts.pings.is_empty() && (0_u32..).zip(&facts.pings).all(near)
}

/// What is known of a ping.
fn near(facts: &Facts, ping: u32) -> Option<Near<'_>> {
    let of = Of::Ping(ping);
    let name = facts.pings.get(ping as usize)?.first()?;
    let value = |name| number(facts, of, name).map(|f| f.value);
    let counted = value("ping_sent").zip(value("ping_received"));
    let lost = counted.filter(|(sent, _)| *sent > 0.0);
    let rtt = value("rtt_min_ns").zip(value("rtt_avg_ns"));
    Some(Near {
        name,
        lost: lost.map(|(sent, received)| (sent, ((sent - received) / sent).max(0.0))),
        rtt: rtt.map(|(least, mean)| [least * NS, mean * NS]),
    })
}

impl Evidence {
    /// What pings to a first hop say of where loss and waiting begin, a sentence each.
    pub(crate) fn first_hop(&self, facts: &Facts, flow: &Flow) -> Vec<String> {
        let each = flow.pings.near.iter().filter_map(|ping| near(facts, *ping));
        // What is as far away as the end, or farther than links are long, is not the first hop.
        let floor = self.rtt_floor.as_ref().map_or(f64::INFINITY, |f| f.value);
        let most = libm::fmin(NEAR * floor, FAR_S);
        let far = |near: &Near| near.rtt.is_some_and(|[least, _]| least > most);
        let (others, first): (Vec<Near<'_>>, Vec<Near<'_>>) = each.partition(far);
        let of_first = first
            .iter()
            .flat_map(|near| [self.loses(near), self.waits_there(near)])
            .flatten();
        let of_others = others.iter().filter_map(|near| self.holds_answers(near));
        let queue = self.queue_there(&first);
        of_first.chain(queue).chain(of_others).collect()
    }

    /// Where the queue is that fills under load: pings to the first hop at rest and under load meet it, or they do not. Of one run nobody
    /// says which it was.
    fn queue_there(&self, first: &[Near]) -> Option<String> {
        let added = self.queueing().filter(|added| *added >= QUEUE_S)?;
        let runs: Vec<[f64; 2]> = first.iter().filter_map(|near| near.rtt).collect();
        let [near, _, ..] = first else {
            return None;
        };
        let least = runs.iter().map(|run| run[0]).reduce(libm::fmin)?;
        let most = runs.iter().map(|run| run[1]).reduce(libm::fmax)?;
        let lies = match most - least < HAS * added {
            true => {
                "the queue that fills lies behind it, at its uplink or farther on, and not on the local link"
            }
            false => "the local link is where they wait: a radio link, or the queue before it",
        };
        Some(format!(
            "in {} runs of pings to {}, the first hop, the slowest took {:.1} ms on average and the shortest answer {:.1} ms, and under load those to the end take {:.0} ms longer: {lies}",
            runs.len(),
            near.name,
            1e3 * most,
            1e3 * least,
            1e3 * added
        ))
    }

    /// That a router or switch, which forwards what goes to the end, does not answer all that is sent to itself.
    fn holds_answers(&self, near: &Near) -> Option<String> {
        let (sent, share) = near.lost?;
        let end = self.idle_loss.as_ref().filter(|_| !self.udp)?;
        let own = sent * share >= LOST_LEAST && share > OWN * end.value && end.high < share;
        own.then(|| {
            format!(
                "{} leaves {:.1} % of the pings to itself unanswered, and the end far fewer: routers and switches hold their own answers to pings to a rate, and the path lost none of these",
                near.name,
                100.0 * share
            )
        })
    }

    /// Where loss begins.
    fn loses(&self, near: &Near) -> Option<String> {
        let (sent, share) = near.lost?;
        let lost = sent * share;
        let (name, percent) = (near.name, 100.0 * share);
        let end = self.idle_loss.as_ref().filter(|_| !self.udp);
        if lost < LOST_LEAST {
            let expected = end.filter(|e| e.low > 0.0).map_or(0.0, |e| e.value * sent);
            return (lost <= 0.0 && expected >= LOST_LEAST).then(|| {
                format!("none of {sent:.0} pings to {name}, the first hop, was lost: the loss begins behind it")
            });
        }
        let of_end = match end {
            Some(end) if share > OWN * end.value => {
                return (end.high < share).then(|| {
                    format!(
                        "{name}, the first hop, leaves {percent:.1} % of the pings to itself unanswered, and the end far fewer: that is its own, and no loss of the path"
                    )
                });
            }
            Some(end) if share < HAS * end.value => return None,
            Some(end) => format!(", of {:.1} % to the end", 100.0 * end.value),
            None => String::new(),
        };
        Some(format!(
            "pings to {name}, the first hop, lose {percent:.1} % already{of_end}: that is lost on the local link, a radio link or a cable, or in the first router"
        ))
    }

    /// Where round trips begin to vary.
    fn waits_there(&self, near: &Near) -> Option<String> {
        let [least, mean] = near.rtt?;
        let added = mean - least;
        let end = self.rtt_idle.as_ref().map(|r| r.value - r.low);
        let name = near.name;
        let ms = |s: f64| format!("{:.1} ms", 1e3 * s);
        if added >= VARIES_S && end.is_none_or(|end| added >= HAS * end) {
            return Some(format!(
                "round trips to {name}, the first hop, vary by {} on average already: a radio link, or a queue on the local link",
                ms(added)
            ));
        }
        let behind = end.filter(|end| *end >= VARIES_S && added < HAS * end)?;
        Some(format!(
            "round trips vary by {} on average to the end, and by {} to {name}, the first hop: what delays them lies behind it",
            ms(behind),
            ms(added)
        ))
    }
}
