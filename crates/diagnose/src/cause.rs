//! What may limit a flow: the words of `limited_by`, and those a diagnosis has besides.

/// What limits a flow, or is wrong with its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// The program that sends has nothing more to send.
    Application,
    /// The sender's socket buffer.
    SendBuffer,
    /// The receiver's window.
    ReceiveWindow,
    /// A window without scaling: 65 535 bytes.
    NoWindowScaling,
    /// The transfer was over before its window had opened, by slow start or by congestion avoidance.
    Ramp,
    /// Losses that come whatever is sent.
    RandomLoss,
    /// Losses of a queue that others fill too, or the flow itself.
    CongestionLoss,
    /// Losses of a queue that is too short for a burst.
    ShallowBuffer,
    /// A policer, which drops what exceeds its rate.
    Policer,
    /// A shaper, or a class with a rate of its own.
    Shaper,
    /// A link of the path, which is full.
    Link,
    /// Others share the path.
    CrossTraffic,
    /// The sender's pacing.
    Pacing,
    /// A processor of one of the hosts.
    HostCpu,
    /// An interface of one of the hosts.
    Nic,
    /// A disk.
    Disk,
    /// Packets that arrive out of order.
    Reordering,
    /// Packets larger than a link carries, and nobody says so.
    MtuBlackHole,
    /// A device on the way that drops what carries data, and not for its size.
    Middlebox,
    /// An interface at half duplex.
    Duplex,
    /// The program that receives does not read fast enough.
    Client,
    /// A link of the path was down.
    Outage,
    /// Small writes that wait for acknowledgements: Nagle's algorithm (RFC 1122 §4.2.3.4).
    SmallWrites,
    /// Connections that are opened anew for each request: their handshakes.
    SetUp,
    /// The way back of acknowledgements, which is full or loses them.
    WayBack,
    /// Pause frames: the neighbour of the sender's interface holds it back (IEEE 802.3 Annex 31B).
    PauseFrames,
    /// A window that few losses cut once, and that grows back.
    Recovery,
    /// A full table of connections, which has no room for another.
    FullTable,
    /// Marks of a queue that does not drop (ECN), and the window that was made smaller for them.
    Marks,
    /// A server's accept queue, which its program empties too slowly.
    AcceptQueue,
    /// The look-up of a name, before anything is sent.
    NameLookup,
    /// The way through a proxy: the legs to it and behind it, or the proxy itself.
    Proxy,
    /// The receiving host, which does not put datagrams together from their fragments.
    Reassembly,
    /// A host's reverse path filter, which drops what comes in by another interface than its routes lead out by.
    ReversePath,
    /// Nothing: the rate is what was asked for.
    None,
    /// The facts do not say.
    Unknown,
}

/// Each cause, its name in results, and its name for people.
const NAMES: &[(Cause, &str, &str)] = &[
    (Cause::Application, "application", "the sending application"),
    (Cause::SendBuffer, "send_buffer", "the send buffer"),
    (Cause::ReceiveWindow, "receive_window", "the receive window"),
    (
        Cause::NoWindowScaling,
        "no_window_scaling",
        "a window without scaling",
    ),
    (
        Cause::Ramp,
        "ramp",
        "slow start or a window that still grows",
    ),
    (Cause::RandomLoss, "random_loss", "random loss"),
    (
        Cause::CongestionLoss,
        "congestion_loss",
        "loss of a full queue",
    ),
    (
        Cause::ShallowBuffer,
        "shallow_buffer",
        "a queue that is too short",
    ),
    (Cause::Policer, "policer", "a policer"),
    (Cause::Shaper, "shaper", "a shaper"),
    (Cause::Link, "link", "the line"),
    (Cause::CrossTraffic, "cross_traffic", "other traffic"),
    (Cause::Pacing, "pacing", "pacing"),
    (Cause::HostCpu, "host_cpu", "a host's CPU"),
    (Cause::Nic, "nic", "a host's interface"),
    (Cause::Disk, "disk", "a disk"),
    (Cause::Reordering, "reordering", "reordering"),
    (Cause::MtuBlackHole, "mtu_black_hole", "an MTU black hole"),
    (
        Cause::Middlebox,
        "middlebox",
        "a firewall or another device that drops data",
    ),
    (Cause::Duplex, "duplex", "half duplex"),
    (Cause::Client, "client", "the receiving program"),
    (Cause::Outage, "outage", "an outage"),
    (
        Cause::SmallWrites,
        "small_writes",
        "small writes that wait for acknowledgements",
    ),
    (Cause::SetUp, "set_up", "the set-up of new connections"),
    (
        Cause::WayBack,
        "way_back",
        "the way back of acknowledgements",
    ),
    (Cause::PauseFrames, "pause_frames", "pause frames"),
    (
        Cause::Recovery,
        "cwnd_recovery",
        "a window that grows back after few losses",
    ),
    (
        Cause::FullTable,
        "full_table",
        "a full table of connections",
    ),
    (Cause::Marks, "ecn_marks", "ECN marks of a queue"),
    (
        Cause::AcceptQueue,
        "accept_queue",
        "the server's accept queue, which is full",
    ),
    (Cause::NameLookup, "name_lookup", "the look-up of a name"),
    (Cause::Proxy, "proxy", "the way through the proxy"),
    (
        Cause::Reassembly,
        "reassembly",
        "the reassembly of fragments at the receiver",
    ),
    (
        Cause::ReversePath,
        "reverse_path",
        "a host's reverse path filter",
    ),
    (Cause::None, "none", "nothing"),
    (Cause::Unknown, "unknown", "unknown"),
];

impl Cause {
    /// Every cause but [`Cause::Unknown`], which is the lack of one.
    pub fn all() -> impl Iterator<Item = Cause> {
        NAMES
            .iter()
            .map(|(cause, ..)| *cause)
            .filter(|c| *c != Cause::Unknown)
    }

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Its name for people.
    pub const fn words(self) -> &'static str {
        NAMES[self as usize].2
    }

    /// The cause of this name.
    pub fn named(name: &str) -> Option<Cause> {
        let found = NAMES.iter().find(|(_, n, _)| *n == name);
        found.map(|(cause, ..)| *cause)
    }

    /// Whether losses make it.
    pub(crate) const fn is_loss(self) -> bool {
        matches!(
            self,
            Cause::RandomLoss | Cause::CongestionLoss | Cause::ShallowBuffer | Cause::Policer
        )
    }

    /// Whether it holds a connection up before any data flows, so that it shows without a rate.
    pub(crate) const fn is_before_data(self) -> bool {
        matches!(
            self,
            Cause::FullTable | Cause::AcceptQueue | Cause::NameLookup | Cause::ReversePath
        )
    }

    /// Whether it leaves the same rate from the end of the start on. Losses and a full line have the whole test, and a start that is
    /// not over has nothing else.
    pub(crate) const fn is_steady(self) -> bool {
        !self.is_loss() && !matches!(self, Cause::Ramp | Cause::Link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_causes() {
        for (n, (cause, name, _)) in NAMES.iter().enumerate() {
            assert_eq!(*cause as usize, n, "{name}");
            assert_eq!(Cause::named(name), Some(*cause));
        }
    }
}
