//! Reasons for which frames are dropped.

/// Why a frame was dropped; every reason has a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Drop {
    /// The queue was full.
    Tail = 0,
    /// Early, by active queue management.
    Red = 1,
    /// A policer found it out of contract.
    Policed = 2,
    /// Lost or damaged on the way, by chance.
    Error = 3,
    /// Larger than the link carries.
    Mtu = 4,
    /// Its TTL ran out.
    Ttl = 5,
    /// Nowhere to go.
    NoRoute = 6,
    /// The link was down.
    Down = 7,
    /// The host could not take it.
    Host = 8,
    /// Lost on purpose, by name.
    Scripted = 9,
    /// Damaged on the way, and found by the end host's checksum.
    Checksum = 10,
    /// Cells of it, or the end of the frame before it, were lost.
    Cell = 11,
    /// Every n-th frame of a flow, on purpose.
    EveryNth = 12,
}

impl Drop {
    /// Every reason, in the order of the counters.
    pub const ALL: [Drop; 13] = [
        Drop::Tail,
        Drop::Red,
        Drop::Policed,
        Drop::Error,
        Drop::Mtu,
        Drop::Ttl,
        Drop::NoRoute,
        Drop::Down,
        Drop::Host,
        Drop::Scripted,
        Drop::Checksum,
        Drop::Cell,
        Drop::EveryNth,
    ];

    /// The reason's name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Drop::Tail => "tail",
            Drop::Red => "red",
            Drop::Policed => "policed",
            Drop::Error => "error",
            Drop::Mtu => "mtu",
            Drop::Ttl => "ttl",
            Drop::NoRoute => "no_route",
            Drop::Down => "down",
            Drop::Host => "host",
            Drop::Scripted => "scripted",
            Drop::Checksum => "checksum",
            Drop::Cell => "cell",
            Drop::EveryNth => "every_nth",
        }
    }
}
