//! A firewall's or host's full table of connections (`nf_conntrack`): what would begin another is dropped, and its SYN sent again.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::items::Item;
use crate::read::Facts;

/// What it is worth where no log and no connection that fails show it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where both do. A choice: the log need not be of the time at which connections failed.
const SEEN: f64 = 116.0;

/// The setting that says how many connections are kept.
const MOST: &str = "net.netfilter.nf_conntrack_max";

/// A full table beside connections that do not open.
#[derive(Clone, Debug)]
pub(crate) struct FullTable {
    /// Whose it is, for people.
    host: String,
    /// Where its kernel says so, and where a connection did not open.
    logged: String,
    failed: String,
    /// Whether it opened late, and not never.
    late: bool,
}

impl FullTable {
    /// Of a text in which connections fail, or open late.
    fn of(facts: &Facts) -> Option<FullTable> {
        let (host, at) = facts.refused.table_full.as_ref()?;
        let [never, late] = [facts.refused.timed_out, facts.refused.asked_again];
        let failed: Place = never.or(late)?;
        Some(FullTable {
            host: match host.as_str() {
                "" => "the host of that log".to_owned(),
                name => name.to_owned(),
            },
            logged: facts.place(*at),
            failed: facts.place(failed),
            late: never.is_none(),
        })
    }

    fn sentence(&self) -> String {
        format!(
            "the table of connections of {} is full, as its kernel says ({}), and a connection {} ({}): a SYN for which the table has no room is dropped, and sent again after 1, 3 and 7 s (RFC 6298)",
            self.host,
            self.logged,
            match self.late {
                true => "opened so late that its SYN had been sent again",
                false => "timed out before it was open",
            },
            self.failed
        )
    }

    /// Room for more of them, or fewer that are kept.
    fn change(&self) -> Change {
        let remedy = Remedy {
            commands: vec![
                format!("sysctl net.netfilter.nf_conntrack_count {MOST}, and keep what it prints: the first is near the second while it is full"),
                format!("sysctl -w {MOST}=N, with twice what it was; each takes some 300 bytes of memory"),
                "conntrack -S: drop and insert_failed no longer grow; conntrack -L | head -1000: whose connections these are, and in which state".to_owned(),
                "or do not keep what needs none: a rule with notrack for such traffic in the table raw, and shorter net.netfilter.nf_conntrack_tcp_timeout_established".to_owned(),
            ],
            undo: vec![format!(
                "sysctl -w {MOST}=VALUE, with the value that `sysctl {MOST}` printed before"
            )],
            persist: vec![format!("{MOST} = N in a file of /etc/sysctl.d")],
            risk: "a rule with notrack takes its traffic from what depends on states, such as NAT"
                .to_owned(),
            ..Remedy::default()
        };
        remedy.change(&self.host, None, None)
    }
}

impl Evidence {
    /// Takes a full table, where nothing was transferred and connections did not open.
    pub(crate) fn of_full_table(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        self.around.full_table = FullTable::of(facts).filter(|_| nothing);
    }

    /// What to change about it.
    pub(crate) fn empty_table(&self) -> Option<Change> {
        self.around.full_table.as_ref().map(FullTable::change)
    }
}

/// Weighs it.
pub(crate) fn by_full_table(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.full_table.as_ref().map(|table| Item {
        holds: 1.0,
        weights: vec![(Cause::FullTable, SEEN)],
        sentence: table.sentence(),
    }));
}
