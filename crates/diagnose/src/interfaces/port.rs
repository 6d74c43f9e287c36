//! A router's port, and what is read of it: each kind of counter, rate and state.

use crate::fact::Place;

/// A port or a policer of a router, as the text names them; empty where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    pub(crate) router: String,
    pub(crate) name: String,
}

/// What a router counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Frames that arrived damaged.
    Damaged,
    /// The same as framing errors, which another counter may count too.
    Framing,
    /// Errors of any kind, where nothing says of which.
    Errors,
    /// Seconds in which the line had bit errors.
    Seconds,
    /// Whether light is too weak: 1 where its alarm is raised, a half where a warning is, else 0.
    Dark,
    /// How much light a port receives, dBm.
    Received,
    /// Packets that a policer dropped.
    Policed,
    /// What part of the bits that come to a policer it drops now, 0 to 1.
    Policing,
    /// Packets that a port's queue dropped.
    Dropped,
    /// Packets that a port dropped as they arrived.
    Refused,
    /// Frames that were too large for a port.
    Giants,
    /// Collisions.
    Collided,
    /// Those of them that were late.
    Late,
    /// Whether a port of Junos is at half duplex.
    HalfOfJunos,
    /// The same of IOS, NX-OS, IOS XR or EOS.
    HalfOfIos,
    /// The same of VRP.
    HalfOfVrp,
    /// The same of RouterOS.
    HalfOfRouterOs,
    /// The same of ProCurve.
    HalfOfProCurve,
    /// The same of SR OS.
    HalfOfSrOs,
    /// A port's speed, bit/s.
    Speed,
    /// What the queue of a class is shaped to, bit/s.
    Shaped,
    /// What part of the queue of a class is full, 0 to 1.
    Filled,
    /// A port's MTU, bytes.
    Mtu,
    /// What the queue of a class sends, bit/s.
    Serves,
    /// What it drops now, while packets wait in it, bit/s.
    Dropping,
    /// How long before its text was printed a port's counters were set to 0, seconds.
    Cleared,
    /// What leaves by a port, bit/s.
    Leaves,
    /// What arrives at it, bit/s.
    Arrives,
    /// Pause frames that a port was sent.
    PausesHeard,
    /// Pause frames that it sent.
    PausesSent,
}

impl Kind {
    /// Whether it is counted up, in tables of ports as well as in a port's own printout.
    pub(crate) fn counts_up(self) -> bool {
        matches!(self, Kind::Damaged | Kind::Dropped | Kind::Refused)
    }
}

/// A reading of a router's counter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PortReading {
    pub(crate) port: Port,
    pub(crate) kind: Kind,
    /// What it stood at.
    pub(crate) value: f64,
    /// The packets that had arrived at the port, where that was printed before; of its duplex, behind it.
    pub(crate) packets: Option<f64>,
    /// Of its duplex, and of what its queue dropped, the packets that had left by the port.
    pub(crate) sent: Option<f64>,
    /// Where it was read.
    pub(crate) at: Place,
}

/// A port of a router or switch that says that it is at full duplex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FullDuplexPort {
    /// The port.
    pub(crate) port: Port,
    /// Its speed, bit/s.
    pub(crate) bps: f64,
    /// Whether it is set so, and does not negotiate.
    pub(crate) fixed: bool,
}

impl Port {
    /// `xe-1/0/3 of r1`, for people.
    pub(crate) fn named(&self, otherwise: &str) -> String {
        let name = match self.name.is_empty() {
            true => otherwise,
            false => &self.name,
        };
        match self.router.is_empty() {
            true => name.to_owned(),
            false => format!("{name} of {}", self.router),
        }
    }
}

/// How a policer of Linux's `tc` is called: its counts are printed by other commands than those of routers.
pub(crate) const OF_TC: &str = "the policer of tc";

/// How a rule of Linux's nftables that drops above a rate is called.
pub(crate) const OF_NFT: &str = "the nft rule";
