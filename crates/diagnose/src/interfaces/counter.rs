//! What hosts count of what their interfaces pass, and whether these have a link.

/// Which way an interface passes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    Received,
    Sent,
}

/// What of it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Bytes,
    Packets,
}

/// A counter of what passed: the tool that prints it, and what it counts. Those of two tools do not begin at the same time.
pub(crate) type Counter = (&'static str, Way, Unit);

/// What a text says of an interface's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Up,
    Down,
    /// It is a part of a bond or a bridge, which has the addresses.
    Member,
}

impl Link {
    /// Whether it has one.
    pub(crate) fn of(up: bool) -> Link {
        match up {
            true => Link::Up,
            false => Link::Down,
        }
    }
}
