//! Others' traffic on an interface that is full: who they are, and how it gives way.

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;

/// What shows who fills an interface, by the system of the router.
const SHOWS: &str = "while it is full, at the router with that interface: show flow monitor NAME cache, or show ip cache flow where NetFlow is on (IOS), show services accounting flow (Junos), the top talkers of a collector of NetFlow or sFlow; iftop -n -i INTERFACE or nethogs INTERFACE (Linux)";

/// What makes others give way. A queue for each flow needs no agreement on what matters.
const GIVES_WAY: [&str; 6] = [
    "first what stands there: show policy-map interface of IOS, show class-of-service interface of Junos, tc -s qdisc show and tc class show of Linux, of the full interface. Keep what it prints",
    "a queue for each flow before the line: fair-queue in the class of IOS, fq_codel or cake of Linux; who sends little then waits for none of the others",
    "a class with a share of its own for what matters: bandwidth percent N of IOS, transmit-rate percent N of a scheduler of Junos, htb with rate and ceil of Linux",
    "bulk, such as backups, copies and updates, in a class that gives way to all others: DSCP LE (RFC 8622), CS1 where that is not known, with the least share",
    "bulk at another time, such as at night, or at a lower rate of its own program",
    "more bandwidth, where all of it is wanted at that time",
];

impl Evidence {
    /// Who fills an interface, where others are the likeliest cause, and a text has an interface that is full.
    pub(crate) fn asks_others(&self, likely: &[Cause]) -> Option<MissingFact> {
        let led = likely.first() == Some(&Cause::CrossTraffic);
        (led && self.is_full_of_others()).then(|| MissingFact {
            fact: "other_traffic",
            would_decide:
                "who the others are that fill the interface: which of them is to give way, and when"
                    .to_owned(),
            command: SHOWS.to_owned(),
        })
    }

    /// How others give way on a full interface; none where no text has one.
    pub(crate) fn change_others(&self) -> Option<Change> {
        self.is_full_of_others().then(|| Change {
            host: "the router with the full interface".to_owned(),
            commands: GIVES_WAY.map(str::to_owned).to_vec(),
            undo: vec!["the policy, or the queue, that the interface had before".to_owned()],
            risk: "what this flow gets more others get less: whose traffic matters is to be agreed, and a share that is too large starves the rest".to_owned(),
            ..Change::default()
        })
    }
}
