//! A bond that sends the packets of one connection over several links in turn (`balance-rr`), and a sender whose kernel has seen segments
//! come late: these overtake each other, and are sent again though nothing lost them.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, number, word};
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;

/// What Linux calls that mode in `/proc/net/bonding` (Documentation/networking/bonding.rst).
const MODE: &str = "round-robin";

/// By how many segments Linux takes one to be late before it has seen more (`tcp_reordering`), and what it surely has seen from.
const FIRST: f64 = 3.0;
const SEEN: f64 = 30.0;

/// Where fewer than this part of what was sent again had arrived, most of it was lost.
const LOST: [f64; 2] = [0.2, 0.4];

/// What sends and counts out of order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoundRobin {
    /// The host of the bond, for people, and where that was read.
    bond: Option<(String, String)>,
    /// By how many segments the sender's kernel has seen one to be late.
    late_by: Option<Figure>,
}

impl RoundRobin {
    /// Of a sender, or a host on the way: what arrives by a bond is put in order by nobody, and that is its sender's.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> RoundRobin {
        let hosts = flow.senders.iter().chain(&flow.between);
        let bond = hosts.copied().find_map(|host| {
            let (mode, at) = word(facts, Of::Host(host), "bond_mode")?;
            let name = flow.host_called(facts, host, "a host");
            mode.contains(MODE).then(|| (name, facts.place(at)))
        });
        let sockets = flow.sockets.iter();
        let late = sockets.filter_map(|s| number(facts, Of::Socket(*s), "reordering_segments"));
        RoundRobin {
            bond,
            late_by: late.max_by(|a, b| a.value.total_cmp(&b.value)).cloned(),
        }
    }
}

impl Evidence {
    /// The host whose bond sends round and round, for people.
    pub(crate) fn bond_in_turn(&self) -> Option<&str> {
        let bond = self.around.round_robin.bond.as_ref();
        bond.map(|(host, _)| host.as_str())
    }
}

/// Weighs both, as far as something was sent again and nobody says that most of it was lost.
pub(crate) fn by_round_robin(e: &Evidence, items: &mut Vec<Item>) {
    let again = e.sent_again().unwrap_or(0.0);
    if e.udp || again <= 0.0 {
        return;
    }
    let lost = e.duplicates.as_ref();
    let unneeded = lost.map_or(1.0, |share| step(share.value, LOST[0], LOST[1]));
    let RoundRobin { bond, late_by } = &e.around.round_robin;
    items.extend(bond.as_ref().map(|(host, place)| Item {
        holds: unneeded,
        weights: [of(&LOSSES, -14.0), vec![(Cause::Reordering, 28.0)]].concat(),
        sentence: format!(
            "the bond of {host} sends the packets of one connection over its links in turn (balance-rr, {place}): they overtake each other, and what is late is sent again as if it were lost"
        ),
    }));
    items.extend(late_by.as_ref().map(|late| Item {
        holds: unneeded * step(late.value, FIRST, SEEN),
        weights: vec![(Cause::Reordering, 10.0)],
        sentence: format!(
            "the sender's kernel has seen segments that were {:.0} others late (reordering; it begins with {FIRST:.0})",
            late.value
        ),
    }));
}
