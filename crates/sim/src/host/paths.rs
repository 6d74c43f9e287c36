//! What a host remembers of the paths' MTUs: its route cache.

use farpath_units::{Duration, Time};

/// Linux's `net.ipv4.route.mtu_expires`, and RFC 1191 §6.3's ten minutes.
const EXPIRES: Duration = Duration::from_secs(600);

/// A node, and the bytes of its version's IP header.
pub(crate) type Destination = (u32, u16);

/// The smallest MTU reported of each path, and until when it counts.
#[derive(Debug, Default)]
pub(crate) struct Paths(Vec<(Destination, u16, Time)>);

impl Paths {
    /// What counts at `now`.
    pub(crate) fn mtu(&self, now: Time, to: Destination) -> Option<u16> {
        let known = self.0.iter().find(|path| path.0 == to && now < path.2);
        known.map(|path| path.1)
    }

    /// A router reported `mtu`.
    pub(crate) fn learn(&mut self, now: Time, to: Destination, mtu: u16) {
        let least = self.mtu(now, to).map_or(mtu, |known| known.min(mtu));
        self.0.retain(|path| path.0 != to);
        self.0.push((to, least, now + EXPIRES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_remembered_for_ten_minutes_by_its_smallest_mtu() {
        let at = |s| Time::ZERO + Duration::from_secs(s);
        let (to, other) = ((3, 20), (3, 40));
        let mut paths = Paths::default();
        paths.learn(at(1), to, 4470);
        paths.learn(at(2), to, 1500);
        paths.learn(at(3), to, 4470);
        assert_eq!(paths.mtu(at(602), to), Some(1500));
        assert_eq!(paths.mtu(at(603), to), None);
        assert_eq!(paths.mtu(at(3), other), None);
    }
}
