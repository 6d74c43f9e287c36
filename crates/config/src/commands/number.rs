//! The numbers of commands: what each is, the least and the most it may be.

/// What a number is, its least and its greatest value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) &'static str, pub(crate) u64, pub(crate) u64);

pub(crate) const MSS: Number = Number("a segment size", 500, 1460);
pub(crate) const MSS_IPV6: Number = Number("a segment size over IPv6", 40, 1940);
pub(crate) const MTU: Number = Number("an MTU", 64, 65_535);
pub(crate) const MTU_NEXUS: Number = Number("an MTU of a Nexus", 64, 9216);
pub(crate) const SPEED: Number = Number("a speed in Mbit/s", 10, 400_000);
pub(crate) const VLAN: Number = Number("a VLAN ID", 1, 4094);
pub(crate) const CHANNEL: Number = Number("a channel's number", 1, 4096);

pub(crate) const DIAL_POOL: Number = Number("a pool of dialers", 1, 255);
pub(crate) const BUNDLE: Number = Number("a bundle's number", 1, 65_535);
pub(crate) const QUEUE: Number = Number("a queue's number", 1, 8);
pub(crate) const STRICT_QUEUE: Number = Number("the strict queue's number", 1, 1);
pub(crate) const WEIGHT: Number = Number("a weight", 1, 255);
pub(crate) const THRESHOLD: Number = Number("a threshold's number", 1, 8);
pub(crate) const OCCUPANCY: Number = Number("a threshold in percent", 0, 100);
pub(crate) const SHARE: Number = Number("a queue's share of the buffer in percent", 1, 100);
pub(crate) const STRICT_SHARE: Number =
    Number("the strict queue's share of the buffer in percent", 1, 100);

pub(crate) const COS: Number = Number("a CoS", 0, 7);
pub(crate) const DSCP: Number = Number("a DSCP", 0, 63);
pub(crate) const PRECEDENCE: Number = Number("a precedence", 0, 7);
pub(crate) const EXPERIMENTAL: Number = Number("experimental bits", 0, 7);

pub(crate) const RATE: Number = Number("a rate in bit/s", 1, 400_000_000_000);
pub(crate) const PEAK_RATE: Number = Number("a peak rate in bit/s", 1, 400_000_000_000);
pub(crate) const KBPS: Number = Number("a rate in kbit/s", 1, 100_000_000);
pub(crate) const BANDWIDTH: Number = Number("a bandwidth in kbit/s", 1, 400_000_000);
pub(crate) const PERCENT: Number = Number("a share in percent", 1, 100);
pub(crate) const RATIO: Number = Number("a ratio", 1, 65_536);
pub(crate) const BURST: Number = Number("a burst in bytes", 1, 1_000_000_000);
pub(crate) const BURST_BITS: Number = Number("a burst in bits", 1, 8_000_000_000);
pub(crate) const BURST_KBIT: Number = Number("a burst in kbit", 1, 1_000_000);

pub(crate) const VPI: Number = Number("a VPI", 0, 4095);
pub(crate) const VCI: Number = Number("a VCI", 1, 65_535);
pub(crate) const PEAK_CELLS: Number = Number("a peak cell rate in kbit/s", 1, 100_000_000);
pub(crate) const SUSTAINED_CELLS: Number =
    Number("a sustainable cell rate in kbit/s", 1, 100_000_000);
pub(crate) const BURST_CELLS: Number = Number("a burst in cells", 1, 65_535);
