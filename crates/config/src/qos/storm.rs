//! Storm control of switch ports: levels above which frames of a kind are dropped for the rest of a second.

use farpath_units::Rate;

/// Which frames are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storm {
    /// Broadcasts.
    Broadcast,
    /// Multicasts, on many switches with broadcasts and control frames.
    Multicast,
    /// Unicast frames, all of them.
    Unicast,
}

impl Storm {
    /// As IOS writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Storm::Broadcast => "broadcast",
            Storm::Multicast => "multicast",
            Storm::Unicast => "unicast",
        }
    }
}

/// `storm-control … level`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StormControl {
    /// Which frames it is about.
    pub of: Storm,
    /// Above which level they are dropped.
    pub level: StormLevel,
}

/// A level of storm control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StormLevel {
    /// Percent of the port's rate, 0 to 100.
    Percent(f64),
    /// Bits a second.
    Bps(f64),
    /// Packets a second.
    Pps(f64),
}

impl StormLevel {
    /// Whether it lets no frame through: 0 of whatever it counts.
    pub(super) fn is_nothing(self) -> bool {
        let (StormLevel::Percent(level) | StormLevel::Bps(level) | StormLevel::Pps(level)) = self;
        level <= 0.0
    }
}

impl StormControl {
    /// The rate above which frames are dropped, on a port of this one; none of packets, or where the port's is not known.
    pub(crate) fn rate(&self, line: Option<Rate>) -> Option<Rate> {
        let bps = match self.level {
            StormLevel::Percent(percent) => line?.as_bps() as f64 * percent / 100.0,
            StormLevel::Bps(bps) => bps,
            StormLevel::Pps(_) => return None,
        };
        Rate::from_bps(bps as u64)
    }
}
