//! The speed that a port's name says, where its text prints none: `GigabitEthernet1/0/21`.

/// What names of ports begin with before their place, in small letters, and the speed of such a port, bit/s. A port may run slower than its
/// name says, and never faster.
const KINDS: [(&str, f64); 19] = [
    ("fastethernet", 100e6),
    ("fa", 100e6),
    ("gigabitethernet", 1e9),
    ("gi", 1e9),
    ("ge-", 1e9),
    ("twogigabitethernet", 2.5e9),
    ("tw", 2.5e9),
    ("fivegigabitethernet", 5e9),
    ("tengigabitethernet", 10e9),
    ("tengige", 10e9),
    ("te", 10e9),
    ("xe-", 10e9),
    ("twentyfivegige", 25e9),
    ("fortygigabitethernet", 40e9),
    ("fortygige", 40e9),
    ("fo", 40e9),
    ("hundredgige", 100e9),
    ("hundredgigabitethernet", 100e9),
    ("hu", 100e9),
];

/// The speed that the name of a port says, bit/s; none of a name that says none, and of part of a port.
pub(crate) fn named_speed(name: &str) -> Option<f64> {
    let at = name.find(|c: char| c.is_ascii_digit())?;
    let (kind, place) = name.split_at(at);
    let is_place = place.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    let kind = kind.to_ascii_lowercase();
    let own = KINDS.iter().find(|(known, _)| *known == kind);
    own.filter(|_| is_place && place.contains('/'))
        .map(|(_, bps)| *bps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_speed_of_a_whole_port() {
        assert_eq!(named_speed("GigabitEthernet1/0/21"), Some(1e9));
        assert_eq!(named_speed("Te1/1/2"), Some(10e9));
        assert_eq!(named_speed("TenGigE0/1/0/5"), Some(10e9));
        assert_eq!(named_speed("ge-0/0/1"), Some(1e9));
        for other in [
            "GigabitEthernet1/0/21.100",
            "Ethernet1/49",
            "Po1",
            "Vlan10",
            "Serial0/1/0",
            "",
        ] {
            assert_eq!(named_speed(other), None, "{other}");
        }
    }
}
