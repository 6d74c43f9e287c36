//! Tags on the wire, and sets of VLANs.

/// The largest VLAN ID; 0 and 4095 name none (IEEE 802.1Q, "Reserved VID values").
pub(super) const LAST: u16 = 4094;

/// How an interface's frames are tagged on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// They have no tag.
    Untagged,
    /// One 802.1Q tag with this VLAN ID.
    Id(u16),
    /// Two tags, or another encapsulation than 802.1Q.
    Other,
}

impl core::fmt::Display for Tag {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Tag::Untagged => f.write_str("no tag"),
            Tag::Id(id) => write!(f, "tag {id}"),
            Tag::Other => f.write_str("a tag that is not a single 802.1Q one"),
        }
    }
}

/// A set of VLAN IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vlans(Vec<u64>);

impl Vlans {
    /// None of them.
    pub fn none() -> Vlans {
        Vlans(vec![0; 64])
    }

    /// Every VLAN.
    pub fn all() -> Vlans {
        let mut all = Vlans::none();
        all.set(1, LAST, true);
        all
    }

    /// Puts in, or takes out, the VLANs from `first` to `last`.
    pub fn set(&mut self, first: u16, last: u16, carried: bool) {
        for id in first.max(1)..=last.min(LAST) {
            let bit = 1 << (id % 64);
            let word = &mut self.0[usize::from(id / 64)];
            *word = if carried { *word | bit } else { *word & !bit };
        }
    }

    /// Puts in, or takes out, a list such as `1,10-20`; `None`, and nothing done, where it is none.
    pub(crate) fn list(&mut self, text: &str, carried: bool) -> Option<()> {
        let id = |text: &str| {
            let id: u16 = text.trim().parse().ok()?;
            (1..=LAST).contains(&id).then_some(id)
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            ranges.push((id(first)?, id(last)?));
        }
        for (first, last) in ranges {
            self.set(first, last, carried);
        }
        Some(())
    }

    /// Whether a VLAN is among them.
    pub fn has(&self, id: u16) -> bool {
        id <= LAST && self.0[usize::from(id / 64)] >> (id % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_vlans_is_read_or_refused_whole() {
        let mut vlans = Vlans::none();
        assert_eq!(vlans.list("1,10-12,4094", true), Some(()));
        let some: Vec<u16> = (0..=4095).filter(|v| vlans.has(*v)).collect();
        assert_eq!(some, [1, 10, 11, 12, 4094]);
        for bad in ["0", "4095", "1,x", "5-", ""] {
            assert_eq!(vlans.list(bad, false), None, "{bad}");
        }
        vlans.list("11", false).expect("a list");
        assert!(vlans.has(10) && !vlans.has(11));
    }
}
