//! Simple queues of MikroTik's RouterOS: to what each holds the traffic that its target sends and receives, and which of them a flow meets.
//!
//! Of a list a packet takes the first queue one of whose targets it is from or to, and within that one again the first.

use core::net::{IpAddr, Ipv4Addr};
use std::collections::BTreeSet;

use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::read::Facts;
use crate::read::simple_queues::{SimpleQueue, contains};

/// Most queues that are compared with a flow.
const QUEUES_MAX: usize = 1000;

/// Most queues within each other.
const DEEPEST: usize = 8;

/// Of more rates than these nobody knows which a flow meets.
const FEW: usize = 3;

impl SimpleQueue {
    /// What it lets through of what its target sends, and of what that receives, as far as these are meant.
    fn limits(&self, meant: [bool; 2]) -> Vec<Figure> {
        let both = self.most.into_iter().zip(meant);
        let rates = both.filter_map(|(bps, meant)| bps.filter(|_| meant));
        rates.map(|bps| Figure::exact(bps, self.at)).collect()
    }

    /// Whether an end is a target; none where that is not known.
    fn holds(&self, host: &str) -> Option<bool> {
        let address = host.parse::<IpAddr>().ok()?;
        let each = || self.targets.iter().map(move |t| contains(t, address));
        if each().any(|within| within == Some(true)) {
            return Some(true);
        }
        // An interface may lead to it.
        let all = !self.targets.is_empty() && each().all(|within| within.is_some());
        all.then_some(false)
    }

    /// Whether the sender of a flow, and its receiver, is a target.
    fn ends(&self, flow: &Flow) -> [Option<bool>; 2] {
        [&flow.from, &flow.to].map(|end| self.holds(&end.host))
    }

    /// The same where one of them surely is.
    fn surely(&self, flow: &Flow) -> Option<[bool; 2]> {
        let held = self.ends(flow).map(|end| end == Some(true));
        held.contains(&true).then_some(held)
    }

    /// Whether a flow may meet it: an end's address is not known, or the router puts another in the place of a private one, which may be
    /// private, too. Within one site nothing is put in its place.
    fn perhaps(&self, flow: &Flow) -> bool {
        if self.ends(flow).contains(&None) {
            return true;
        }
        let ends = [&flow.from, &flow.to];
        let own = |target: &String| ends.iter().any(|end| are_of_one_site(&end.host, target));
        self.targets.iter().any(|t| is_private(t)) && !self.targets.iter().any(own)
    }
}

/// What the queues that a flow meets let through of it, bit/s. Where no address says whether it meets any, the rates of those that it may
/// meet, if they are few.
pub(crate) fn limits(facts: &Facts, flow: &Flow) -> Vec<Figure> {
    let queues = facts.simple_queues.iter();
    let acting = queues.filter(|q| q.acts && q.stated && !q.narrowed);
    let all: Vec<&SimpleQueue> = acting.take(QUEUES_MAX).collect();
    let routers: BTreeSet<&str> = all.iter().map(|q| q.router.as_str()).collect();
    let met = routers
        .into_iter()
        .filter_map(|router| met(&all, router, flow));
    let met: Vec<Vec<Figure>> = met.collect();
    if !met.is_empty() {
        return met.concat();
    }
    let open = all.iter().filter(|q| q.perhaps(flow));
    let open: Vec<Figure> = open.flat_map(|q| q.limits([true; 2])).collect();
    let mut rates: Vec<f64> = open.iter().map(|f| f.value).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    match rates.len() > FEW {
        true => Vec::new(),
        false => open,
    }
}

/// The rates of the queues of a router that a flow surely meets, from the outermost on; none where it meets none of them.
fn met(all: &[&SimpleQueue], router: &str, flow: &Flow) -> Option<Vec<Figure>> {
    let own = || all.iter().copied().filter(move |q| q.router == router);
    let names: BTreeSet<&str> = own().map(|q| q.name.as_str()).collect();
    // One whose parent was cut off stands by itself.
    let parent = |q: &SimpleQueue| names.contains(q.parent.as_str());
    let placed: Vec<(&SimpleQueue, &str)> = own()
        .map(|q| (q, if parent(q) { q.parent.as_str() } else { "" }))
        .collect();
    let mut rates = None;
    let mut within = "";
    for _ in 0..DEEPEST {
        let mut inside = placed.iter().filter(|(_, parent)| *parent == within);
        let next = inside.find_map(|(q, _)| Some((*q, q.surely(flow)?)));
        let Some((queue, meant)) = next else { break };
        rates
            .get_or_insert_with(Vec::new)
            .extend(queue.limits(meant));
        if queue.name.is_empty() {
            break;
        }
        within = queue.name.as_str();
    }
    rates
}

/// An address, or that of a network, where it is a private one of IPv4.
fn private(text: &str) -> Option<Ipv4Addr> {
    let base = text.split('/').next().unwrap_or(text);
    base.parse::<Ipv4Addr>().ok().filter(Ipv4Addr::is_private)
}

fn is_private(text: &str) -> bool {
    private(text).is_some()
}

/// Whether two private addresses are of one network of 65 536: sites have no more, nearly always.
fn are_of_one_site(one: &str, other: &str) -> bool {
    let site = |text: &str| private(text).map(|a| u32::from(a) >> 16);
    site(one).is_some() && site(one) == site(other)
}

#[cfg(test)]
mod tests {
    use super::are_of_one_site;

    #[test]
    fn private_addresses_of_two_sites_may_be_translated() {
        assert!(are_of_one_site("10.1.0.5", "10.1.7.0/24"));
        assert!(!are_of_one_site("10.1.0.5", "192.168.88.0/24"));
        assert!(!are_of_one_site("203.0.113.40", "203.0.113.0/24"));
    }
}
