//! Runs that were arranged so that what limits them is known: the truth that every origin is held to.
//!
//! A [`Case`] is the text of a scenario with one test, `bulk`, and the limits that its time must go to. The path has
//! four nodes: a sender `s`, two routers and a receiver `d`. For tests only: nothing in the product depends on it.

pub mod told;
pub mod witness;

use farpath_observe::Limit;

/// A run with a known limit.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, with its round-trip time.
    pub name: String,
    /// What was arranged.
    pub arranged: Arranged,
    /// Round-trip time of the empty path, milliseconds.
    pub rtt_ms: u64,
    /// The scenario.
    pub text: String,
}

/// What limits a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arranged {
    /// An application that thinks between its requests.
    Application,
    /// A send buffer of 64 KiB.
    SendBuffer,
    /// A receive window of 64 KiB.
    ReceiveWindow,
    /// A transfer that is over before its window has opened.
    SlowStart,
    /// One packet in a hundred is lost.
    Loss,
    /// A link between the routers.
    Link,
    /// A policer between the routers.
    Policer,
    /// The sender's own interface.
    Nic,
    /// A link that carries less than the hosts believe, and says nothing.
    Mtu,
}

/// The path; what stands in braces is filled in.
const PATH: &str = include_str!("path.toml");

/// The round-trip times, milliseconds.
pub const ROUND_TRIPS_MS: [u64; 3] = [10, 50, 200];

impl Arranged {
    /// All of them.
    pub const ALL: [Arranged; 9] = [
        Arranged::Application,
        Arranged::SendBuffer,
        Arranged::ReceiveWindow,
        Arranged::SlowStart,
        Arranged::Loss,
        Arranged::Link,
        Arranged::Policer,
        Arranged::Nic,
        Arranged::Mtu,
    ];

    /// The limits that share the time: one, but for losses, which the window is also short of long afterwards.
    pub fn limits(self) -> &'static [Limit] {
        match self {
            Arranged::Application => &[Limit::Application],
            Arranged::SendBuffer => &[Limit::SendBuffer],
            Arranged::ReceiveWindow => &[Limit::ReceiveWindow],
            Arranged::SlowStart => &[Limit::CwndSlowStart],
            Arranged::Loss => &[Limit::CwndRecovery, Limit::Loss],
            Arranged::Link => &[Limit::Link],
            Arranged::Policer => &[Limit::Policer],
            Arranged::Nic => &[Limit::Nic],
            Arranged::Mtu => &[Limit::Mtu],
        }
    }

    /// Whether bare rates and the path together must name it; others they may leave unknown.
    pub fn is_known_by_rates(self) -> bool {
        matches!(self, Arranged::Link | Arranged::Nic)
    }

    /// Whether closed forms name it: they know a path's rate, windows, losses and MTUs, and no policers, nor
    /// call a short transfer anything but the rate that it would have reached.
    pub fn is_known_to_closed_forms(self) -> bool {
        !matches!(self, Arranged::SlowStart | Arranged::Policer)
    }

    /// The case at a round-trip time.
    pub fn at(self, rtt_ms: u64) -> Case {
        let name = format!("{self:?} at {rtt_ms} ms");
        Case {
            text: self.text(rtt_ms),
            name,
            arranged: self,
            rtt_ms,
        }
    }

    /// The keys of its test beside the usual ones.
    fn test(self, rtt_ms: u64) -> String {
        // In whole round trips: what is left out for the start, and what is measured; 2 s at least.
        let measured = (60 * rtt_ms).max(2000);
        match self {
            Arranged::Application => format!(
                "kind = \"request\"\nblock = \"10 kB\"\nthink_time = \"{} ms\"\nduration = \"{measured} ms\"",
                9 * rtt_ms
            ),
            Arranged::SlowStart => "kind = \"tcp\"\nbytes = \"500 kB\"".to_owned(),
            Arranged::Mtu => "kind = \"tcp\"\nduration = \"10 s\"".to_owned(),
            _ => format!(
                "kind = \"tcp\"\nomit = \"{} ms\"\nduration = \"{measured} ms\"",
                20 * rtt_ms
            ),
        }
    }

    fn text(self, rtt_ms: u64) -> String {
        // Between the routers: rate, and what else is true of it.
        let (rate, more) = match self {
            Arranged::SlowStart | Arranged::Nic => ("1 Gbit/s", ""),
            Arranged::Loss => ("1 Gbit/s", "loss = 0.01"),
            Arranged::Policer => (
                "1 Gbit/s",
                "police = { name = \"p\", rate = \"20 Mbit/s\", burst = \"30 kB\" }",
            ),
            Arranged::Mtu => ("1 Gbit/s", "mtu = 1400"),
            _ => ("100 Mbit/s", ""),
        };
        let access = if self == Arranged::Nic {
            "50 Mbit/s"
        } else {
            "1 Gbit/s"
        };
        let small = "4096 65536 65536";
        let large = "4096 33554432 67108864";
        let wmem = if self == Arranged::SendBuffer {
            small
        } else {
            large
        };
        let rmem = match self {
            Arranged::ReceiveWindow => "4096 131072 131072",
            _ => large,
        };
        let answers = if self == Arranged::Mtu {
            "answers = false\n"
        } else {
            ""
        };
        let test = self.test(rtt_ms);
        let queue = if self == Arranged::Link {
            "queue = \"1bdp\"\n"
        } else {
            ""
        };
        let delay = (rtt_ms * 500).to_string();
        let values = [
            ("wmem", wmem),
            ("rmem", rmem),
            ("large", large),
            ("answers", answers),
            ("access", access),
            ("rate", rate),
            ("delay", &delay),
            ("queue", queue),
            ("more", more),
            ("test", &test),
        ];
        let mut text = PATH.to_owned();
        for (name, value) in values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }
}

/// Every case: each arrangement at each round-trip time.
pub fn cases() -> impl Iterator<Item = Case> {
    let each = Arranged::ALL.into_iter();
    each.flat_map(|arranged| ROUND_TRIPS_MS.map(|rtt_ms| arranged.at(rtt_ms)))
}
