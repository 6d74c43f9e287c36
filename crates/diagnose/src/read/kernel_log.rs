//! What a kernel logs of the network: what went wrong is a note, with what to do. And what it and `lspci` say of the slots of cards.

pub(crate) mod events;
pub(crate) mod links;
mod slot;

use super::{Facts, Line, NOTES_MAX, TableFull, Tool, moments};
use crate::fact::Of;
use crate::words::between;

/// The program that a kernel logged as killed, as the memory of its host ran out, and as that of a control group did.
pub(crate) const KILLED: &str = "oom_killed";
pub(crate) const KILLED_IN_GROUP: &str = "oom_killed_in_group";

/// What a slot is said to carry, and what its card could use of another, among the facts of a host.
pub(crate) const CARRIES: &str = "slot_bps";
pub(crate) const COULD: &str = "slot_most_bps";

/// The word of a host whose kernel logged that its sockets have all the memory that TCP may take.
pub(crate) const SHORT: &str = "tcp_memory_short";

/// The fact of an interface that did not send: what a kernel logged.
pub(crate) const WATCHDOG: &str = "transmit_timeout";

/// What a kernel logs where its sockets have all the memory that TCP may take (Linux, net/ipv4/tcp.c).
const OUT_OF_MEMORY: &str = "TCP: out of memory -- consider tuning tcp_mem";

/// What it logs where it kills a program as memory runs out: that of the host, or of a control group (Linux, mm/oom_kill.c).
const HOST_FULL: &str = "Out of memory: Kill";
const GROUP_FULL: &str = "Memory cgroup out of memory: Kill";

/// What it logs where its table of connections is full (Linux, net/netfilter/nf_conntrack_core.c).
const TABLE_FULL: &str = "_conntrack: table full, dropping packet";

/// What it logs where an interface did not send for seconds (Linux, net/sched/sch_generic.c).
const NOT_SENT: &str = "NETDEV WATCHDOG: ";

/// Words of a line of the log, and what it means. Of each kind one note is enough.
const SAYS: [(&str, &str); 12] = [
    (
        TABLE_FULL,
        "what would begin a connection is dropped while the table of connections is full: raise net.netfilter.nf_conntrack_max on that host, or have it track fewer (notrack)",
    ),
    (
        OUT_OF_MEMORY,
        "no socket's buffer grows then, and what arrives is dropped: raise net.ipv4.tcp_mem, or find what holds the memory (ss -tm)",
    ),
    (
        HOST_FULL,
        "the memory of the host ran out, and the connections of that program broke: more memory, or a limit for what grows there (MemoryMax= of systemd)",
    ),
    (
        GROUP_FULL,
        "its container had all the memory that it may have, and the connections of that program broke: raise its limit (memory.max; resources.limits.memory of Kubernetes, docker update --memory, MemoryMax= of systemd), or have the program need less",
    ),
    (
        "TCP: too many orphaned sockets",
        "connections that programs closed with data still to send are reset: find what closes early, or peers that take nothing more; more room for them is net.ipv4.tcp_max_orphans and net.ipv4.tcp_mem",
    ),
    (
        "ossible SYN flooding on port",
        "more connections begin than the program accepts: raise its backlog and net.core.somaxconn; options may be missing from connections with SYN cookies",
    ),
    (
        NOT_SENT,
        "the interface did not send for seconds, and its driver reset it: its firmware, driver or slot",
    ),
    (
        "neighbour: arp_cache: neighbor table overflow!",
        "packets wait or are dropped as no address can be looked up: raise net.ipv4.neigh.default.gc_thresh3",
    ),
    (
        "neighbour: ndisc_cache: neighbor table overflow!",
        "packets wait or are dropped as no address can be looked up: raise net.ipv6.neigh.default.gc_thresh3",
    ),
    (
        "net_ratelimit: ",
        "the log leaves out what came too often: dmesg has the first of each",
    ),
    ("Link is Down", UNLINKED),
    ("Link is down", UNLINKED),
];

/// The fact of a host whose log a text sets aside.
const OTHER: &str = "log_of_other";

/// What a driver logs of a link that it lost.
const UNLINKED: &str = "what was sent meanwhile was lost: dmesg -T has when it went and came; a cable, its plug or transceiver, or the port at its other end";

/// Which of them were said.
#[derive(Default)]
pub(super) struct KernelLog {
    said: [bool; SAYS.len()],
    slots: slot::Slots,
    links: links::Links,
    events: events::Events,
    /// The host that the lines are of.
    host: Option<Of>,
    /// Whether the last line is one of `lspci`.
    lists: bool,
}

impl Tool for KernelLog {
    fn name(&self) -> &'static str {
        match (self.lists, self.links.router) {
            (true, _) => "lspci",
            (false, true) => "syslog",
            (false, false) => "dmesg",
        }
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        if let Some(said) = self.slots.line(line.bare) {
            self.lists = !is_logged(line.bare);
            self.slot(said, line, facts);
            return true;
        }
        self.lists = false;
        if facts.aside.is_open() {
            return self.other(line, facts);
        }
        let is_link = self.links.line(line, facts);
        if !is_link && self.events.line(line, facts) {
            self.links.router = true;
            return true;
        }
        let found = SAYS.iter().position(|(words, _)| line.bare.contains(words));
        let Some(n) = found.filter(|_| is_logged(line.bare)) else {
            return is_link;
        };
        let new = !core::mem::replace(&mut self.said[n], true);
        // That the log leaves something out says nothing by itself.
        if new && !SAYS[n].0.starts_with("net_ratelimit") {
            facts.word(Of::Path, LOGGED, SAYS[n].0, line.at);
        }
        if new && SAYS[n].0 == OUT_OF_MEMORY {
            let host = facts.host_again(&mut self.host);
            facts.word(host, SHORT, "yes", line.at);
        }
        let fact = match SAYS[n].0 {
            HOST_FULL => Some(KILLED),
            GROUP_FULL => Some(KILLED_IN_GROUP),
            _ => None,
        };
        if let Some((fact, program)) = fact.filter(|_| new).zip(program(line.bare)) {
            let host = facts.host_again(&mut self.host);
            facts.word(host, fact, program, line.at);
        }
        if new && SAYS[n].0 == NOT_SENT {
            facts.word(Of::Path, WATCHDOG, message(line.bare), line.at);
        }
        if SAYS[n].0 == TABLE_FULL {
            fills_table(line, facts);
        }
        if new && facts.notes.len() < NOTES_MAX {
            let words = crate::redact(message(line.bare));
            let when = dated(line.bare).map_or_else(String::new, |at| format!(" ({at})"));
            let note = format!(
                "{}: the kernel says{when}: {words}: {}",
                facts.place(line.at),
                SAYS[n].1
            );
            facts.notes.push(note);
        }
        true
    }
}

impl KernelLog {
    /// Takes a line of a host that the text sets aside: nothing in it is of the path.
    fn other(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let found = SAYS.iter().any(|(words, _)| line.bare.contains(words));
        let logged = found && is_logged(line.bare) || links::is_of(line.bare);
        if logged {
            let host = facts.host_again(&mut self.host);
            facts.word(host, OTHER, "yes", line.at);
        }
        logged
    }

    /// What a line says of a slot.
    fn slot(&mut self, said: slot::Said, line: Line<'_>, facts: &mut Facts) {
        for (name, value) in [CARRIES, COULD].into_iter().zip(said) {
            let Some(value) = value else { continue };
            let host = facts.host_again(&mut self.host);
            facts.exact(host, name, value, line.at);
        }
    }
}

/// A table of connections is full, as a line says. The first one counts, and its date is that of the last line of its host.
fn fills_table(line: Line<'_>, facts: &mut Facts) {
    let now = TableFull {
        host: crate::redact(&facts.label.name),
        at: line.at,
        logged: dated(line.bare).and_then(moments::seconds),
    };
    match &mut facts.refused.table_full {
        Some(known) if known.host == now.host => known.logged = known.logged.max(now.logged),
        Some(_) => {}
        none => *none = Some(now),
    }
}

/// The program in `Killed process 1234 (postgres) total-vm:...`.
fn program(text: &str) -> Option<&str> {
    let (_, rest) = between(text, " process ", ")")?.split_once(" (")?;
    Some(rest).filter(|name| !name.is_empty())
}

/// The words of a line of which a note says what to do: that is more than nothing.
pub(crate) const LOGGED: &str = "kernel_log";

/// Whether a line is of a kernel's log, with its time in brackets or behind `kernel:`, or stands alone.
fn is_logged(text: &str) -> bool {
    let alone = |words: &str| text.starts_with(words.trim_start_matches('_'));
    text.starts_with('[')
        || text.contains("kernel: ")
        || text.starts_with("nf_conntrack: ")
        || text.starts_with("ip_conntrack: ")
        || SAYS.iter().any(|(words, _)| alone(words))
}

/// What was said, without the time.
fn message(text: &str) -> &str {
    let text = text.split_once("kernel: ").map_or(text, |(_, rest)| rest);
    let timed = text.strip_prefix('[').and_then(|t| t.split_once("] "));
    timed.map_or(text, |(_, rest)| rest)
}

/// When it was said, where a line of `dmesg -T` has a date: `[Tue Mar  3 02:11:09 2026]`.
fn dated(text: &str) -> Option<&str> {
    let (at, _) = text.strip_prefix('[')?.split_once("] ")?;
    let day = at.starts_with(|c: char| c.is_ascii_uppercase());
    (day && at.contains(':')).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stands_without_its_time() {
        let text = "[12345.678901] nf_conntrack: table full, dropping packet";
        assert!(is_logged(text));
        assert_eq!(message(text), "nf_conntrack: table full, dropping packet");
        assert_eq!(dated(text), None);
        let day = dated("[Tue Mar  3 02:11:09 2026] nf_conntrack: table full");
        assert_eq!(day, Some("Tue Mar  3 02:11:09 2026"));
        let text = "Nov 20 10:00:00 fw kernel: TCP: out of memory -- consider tuning tcp_mem";
        assert!(is_logged(text));
        assert!(message(text).starts_with("TCP: out of memory"));
        assert!(is_logged(
            "[ 8123.4] ixgbe 0000:01:00.0 eth0: NIC Link is Down"
        ));
        assert!(!is_logged("we had _conntrack: table full, dropping packet"));
    }
}
