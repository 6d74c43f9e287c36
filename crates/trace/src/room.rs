//! Room for what is remembered, shared by all connections.

/// What all connections share: how much more may be remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Segments not yet acknowledged.
    pub(crate) sent: usize,
    /// Events.
    pub(crate) events: usize,
    /// Intervals of flights.
    pub(crate) intervals: usize,
    /// Passages.
    pub(crate) passages: usize,
    /// Requests.
    pub(crate) requests: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room {
            sent: 2 << 20,
            events: 1 << 20,
            intervals: 1 << 20,
            passages: 1 << 20,
            requests: 200_000,
        }
    }
}
