//! Stretches of a connection's time, what held it back in each, and shares of their sum.

use std::collections::BTreeMap;

use farpath_units::Time;

/// What keeps a connection from being faster. The words are those of `limited_by` in every origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Limit {
    /// The application has written nothing more.
    Application,
    /// The socket's send buffer is full of unacknowledged data.
    SendBuffer,
    /// The receiver's window is full.
    ReceiveWindow,
    /// The congestion window, in slow start; the handshake counts here.
    CwndSlowStart,
    /// The congestion window, after a cut: in fast recovery or congestion avoidance.
    CwndRecovery,
    /// A retransmission timeout is being repaired.
    Loss,
    /// The link that leads out of the sending host: its interface, and the line behind it.
    Nic,
    /// A processor or bus of one of the hosts.
    HostCpu,
    /// A disk of one of the hosts.
    Disk,
    /// A link of the path, which was full.
    Link,
    /// A policer, which dropped what exceeded its rate.
    Policer,
    /// Packets larger than a link carries.
    Mtu,
    /// The sender's own pacing: what its application allows, or what a model of the path has it send.
    Pacing,
    /// The evidence does not say.
    Unknown,
}

/// The words of `limited_by` as records, tables and pages have them.
pub const WORDS: [(Limit, &str, &str); 14] = [
    (Limit::Application, "application", "the application"),
    (Limit::SendBuffer, "send_buffer", "the send buffer"),
    (Limit::ReceiveWindow, "receive_window", "the receive window"),
    (Limit::CwndSlowStart, "cwnd_slow_start", "slow start"),
    (Limit::CwndRecovery, "cwnd_recovery", "congestion avoidance"),
    (Limit::Loss, "loss", "loss"),
    (Limit::Nic, "nic", "the host's own link"),
    (Limit::HostCpu, "host_cpu", "the host"),
    (Limit::Disk, "disk", "the disk"),
    (Limit::Link, "link", "a link"),
    (Limit::Policer, "policer", "a policer"),
    (Limit::Mtu, "mtu", "the MTU"),
    (Limit::Pacing, "pacing", "pacing"),
    (Limit::Unknown, "unknown", "unknown"),
];

impl Limit {
    /// The word in records.
    pub const fn name(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// Its name for people.
    pub const fn words(self) -> &'static str {
        WORDS[self as usize].2
    }

    /// The limit of a word; none for another word.
    pub fn named(word: &str) -> Option<Limit> {
        let found = WORDS.iter().find(|(_, name, _)| *name == word);
        found.map(|(limit, ..)| *limit)
    }
}

/// A stretch of a connection's time, and how long each limit held it back in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its start.
    pub from: Time,
    /// Its end.
    pub until: Time,
    pub(crate) spent: [f64; WORDS.len()],
    /// Of the application's seconds, those in which nothing of what it had written was under way.
    pub(crate) idle: f64,
}

impl Stretch {
    /// Nothing is known of it yet.
    pub fn new(from: Time, until: Time) -> Stretch {
        Stretch {
            from,
            until,
            spent: [0.0; WORDS.len()],
            idle: 0.0,
        }
    }

    /// Adds seconds under a limit; what is not positive adds nothing.
    pub fn add(&mut self, limit: Limit, seconds: f64) {
        if seconds > 0.0 {
            self.spent[limit as usize] += seconds;
        }
    }

    /// Of the application's seconds so many are idle: nothing of what it had written was under way. No link takes them,
    /// whatever waits for it.
    pub fn set_idle(&mut self, seconds: f64) {
        self.idle = seconds.max(0.0);
    }

    /// A whole stretch under one limit.
    pub fn whole(from: Time, until: Time, limit: Limit) -> Stretch {
        let mut stretch = Stretch::new(from, until);
        stretch.add(limit, until.since(from).as_secs_f64());
        stretch
    }

    /// Seconds under a limit.
    pub fn spent(&self, limit: Limit) -> f64 {
        self.spent[limit as usize]
    }

    /// A part of it, of each limit alike.
    pub(crate) fn scaled(mut self, part: f64) -> Stretch {
        self.spent.iter_mut().for_each(|spent| *spent *= part);
        self.idle *= part;
        self
    }

    /// The same with what filled the windows as the congestion window's: it came behind a hole that is being repaired.
    pub(crate) fn of_repair(mut self) -> Stretch {
        for limit in IN_FLIGHT {
            let moved = std::mem::take(&mut self.spent[limit as usize]);
            self.add(Limit::CwndRecovery, moved);
        }
        self
    }

    /// The same with so many seconds in which its sender waited for the retransmission timer as that timeout's, of each limit alike. Idle
    /// time is none of them.
    pub(crate) fn of_timeout(mut self, seconds: f64) -> Stretch {
        let idle = self.idle.min(self.spent(Limit::Application));
        self.spent[Limit::Application as usize] -= idle;
        let windows = [Limit::CwndSlowStart, Limit::CwndRecovery, Limit::Unknown];
        let mut waited = Stretch::new(self.from, self.until);
        self.take(
            &[&windows, &IN_FLIGHT, &OTHERS],
            seconds,
            Limit::Loss,
            &mut waited,
        );
        self.add(Limit::Application, idle);
        self.add(Limit::Loss, waited.spent(Limit::Loss));
        self
    }

    /// All of its seconds.
    pub fn total(&self) -> f64 {
        self.spent.iter().sum()
    }

    /// Moves up to `seconds` of what was spent under `others`, each in proportion, to `limit` of another stretch; how
    /// many there were.
    pub(crate) fn take(
        &mut self,
        others: &[&[Limit]],
        seconds: f64,
        limit: Limit,
        to: &mut Stretch,
    ) -> f64 {
        let others = || others.iter().copied().flatten();
        let there: f64 = others().map(|l| self.spent(*l)).sum();
        let share = if there > seconds {
            seconds / there
        } else {
            1.0
        };
        for other in others() {
            let moved = share * self.spent(*other);
            self.spent[*other as usize] -= moved;
            to.add(limit, moved);
        }
        share * there
    }
}

/// What else bounds what is in flight.
pub(crate) const IN_FLIGHT: [Limit; 2] = [Limit::SendBuffer, Limit::ReceiveWindow];

/// All others.
pub(crate) const OTHERS: [Limit; 8] = [
    Limit::Application,
    Limit::Nic,
    Limit::HostCpu,
    Limit::Disk,
    Limit::Link,
    Limit::Policer,
    Limit::Mtu,
    Limit::Pacing,
];

/// Shares of all the time of these, by the words of records; they add up to 1.
pub(crate) fn sum(stretches: &[Stretch]) -> BTreeMap<String, f64> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for stretch in stretches {
        for (limit, name, _) in WORDS {
            if stretch.spent(limit) > 0.0 {
                *shares.entry(name.to_owned()).or_default() += stretch.spent(limit);
            }
        }
    }
    let sum: f64 = shares.values().sum();
    shares.values_mut().for_each(|share| *share /= sum);
    shares
}

/// The limit with the largest share; the first by name among equals.
pub fn largest(shares: &BTreeMap<String, f64>) -> Option<String> {
    let mut best: Option<(&String, f64)> = None;
    for (name, share) in shares {
        if best.is_none_or(|(_, s)| *share > s) {
            best = Some((name, *share));
        }
    }
    best.map(|(name, _)| name.clone())
}
