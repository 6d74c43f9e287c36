//! Levels of evidence.

/// A level of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// The log of iperf3.
    Log,
    /// A ping besides.
    Ping,
    /// The settings of both hosts besides.
    Settings,
    /// The sender's `ss` besides.
    Ss,
    /// A ping and a capture at the receiver, and nothing else.
    AtReceiver,
    /// A ping and a capture at the sender, and nothing else.
    AtSender,
}

impl Level {
    /// All of them, with their names in tables.
    pub(super) const ALL: [(Level, &'static str); 6] = [
        (Level::Log, "log"),
        (Level::Ping, "+ ping"),
        (Level::Settings, "+ sysctl"),
        (Level::Ss, "+ ss"),
        (Level::AtReceiver, "at receiver"),
        (Level::AtSender, "at sender"),
    ];
}
