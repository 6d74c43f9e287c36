//! What limited the sender, and for how long.

use farpath_units::{Duration, Time};

/// What keeps a sender from sending more at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Limit {
    /// The application has written nothing more.
    Application = 0,
    /// The socket's send buffer is full of unacknowledged data.
    SendBuffer = 1,
    /// The receiver's window is full.
    ReceiveWindow = 2,
    /// The congestion window, in slow start (the handshake counts here: nothing may be sent yet).
    CwndSlowStart = 3,
    /// The congestion window, after a cut: in fast recovery or congestion avoidance.
    CwndRecovery = 4,
    /// A retransmission timeout is being repaired.
    Loss = 5,
    /// The host's own interface. A sender never says this of itself; its host may.
    Nic = 6,
    /// The host's processor or bus. A sender never says this of itself; its host may.
    HostCpu = 7,
    /// A disk. A sender never says this of itself; its host may.
    Disk = 8,
    /// The rate that the application asks not to be exceeded.
    Pacing = 9,
}

impl Limit {
    /// Every limit, in the order of [`Shares`].
    pub const ALL: [Limit; 10] = [
        Limit::Application,
        Limit::SendBuffer,
        Limit::ReceiveWindow,
        Limit::CwndSlowStart,
        Limit::CwndRecovery,
        Limit::Loss,
        Limit::Nic,
        Limit::HostCpu,
        Limit::Disk,
        Limit::Pacing,
    ];

    /// The word used in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Limit::Application => "application",
            Limit::SendBuffer => "send_buffer",
            Limit::ReceiveWindow => "receive_window",
            Limit::CwndSlowStart => "cwnd_slow_start",
            Limit::CwndRecovery => "cwnd_recovery",
            Limit::Loss => "loss",
            Limit::Nic => "nic",
            Limit::HostCpu => "host_cpu",
            Limit::Disk => "disk",
            Limit::Pacing => "pacing",
        }
    }
}

/// Time spent under each limit since the connection was opened; the times add up to all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    spent: [Duration; Limit::ALL.len()],
    idle: Duration,
}

impl Shares {
    /// Time spent under `limit`.
    pub fn spent(&self, limit: Limit) -> Duration {
        self.spent[limit as usize]
    }

    /// Of the application's time, that in which nothing of what it had written was under way.
    pub fn idle(&self) -> Duration {
        self.idle
    }

    /// What was spent after `before`, and no later than `end` where that is known; both are earlier
    /// or later states of the same account.
    #[must_use]
    pub fn between(&self, before: &Shares, end: Option<&Shares>) -> Shares {
        let mut spent = self.spent;
        for (n, slot) in spent.iter_mut().enumerate() {
            let until = end.map_or(*slot, |end| end.spent[n].min(*slot));
            *slot = until.saturating_sub(before.spent[n]);
        }
        let idle = end.map_or(self.idle, |end| end.idle.min(self.idle));
        let idle = idle.saturating_sub(before.idle);
        Shares { spent, idle }
    }

    /// All of the time.
    pub fn total(&self) -> Duration {
        self.spent.iter().fold(Duration::ZERO, |sum, d| sum + *d)
    }

    /// The limit with the largest share; the first of [`Limit::ALL`] among equals.
    pub fn largest(&self) -> Limit {
        let mut best = Limit::Application;
        for limit in Limit::ALL {
            if self.spent(limit) > self.spent(best) {
                best = limit;
            }
        }
        best
    }
}

/// The running account behind [`Shares`].
#[derive(Clone, Debug)]
pub(crate) struct Account {
    current: Limit,
    /// It is the application's, and nothing is under way.
    idle: bool,
    since: Option<Time>,
    shares: Shares,
}

impl Account {
    pub(crate) fn new() -> Account {
        Account {
            current: Limit::CwndSlowStart,
            idle: false,
            since: None,
            shares: Shares::default(),
        }
    }

    pub(crate) fn open(&mut self, now: Time) {
        self.since = Some(now);
    }

    pub(crate) fn current(&self) -> Limit {
        self.current
    }

    /// From `now` on, `limit` limits, with `flight` bytes under way.
    #[inline]
    pub(crate) fn note(&mut self, now: Time, limit: Limit, flight: u64) {
        let idle = limit == Limit::Application && flight == 0;
        if limit != self.current || idle != self.idle {
            self.settle(now);
            (self.current, self.idle) = (limit, idle);
        }
    }

    /// The account up to `now`.
    pub(crate) fn settle(&mut self, now: Time) -> Shares {
        if let Some(since) = self.since {
            let spent = &mut self.shares.spent[self.current as usize];
            *spent += now.since(since);
            if self.idle {
                self.shares.idle += now.since(since);
            }
            self.since = Some(since.max(now));
        }
        self.shares
    }
}
