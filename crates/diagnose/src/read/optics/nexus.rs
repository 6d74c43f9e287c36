//! `show interface … transceiver details` of NX-OS: blocks of lines, one block for a port, which its name heads.

/// What lines of a block begin with that carry nothing here.
const AROUND: [&str; 31] = [
    "transceiver is ",
    "type is ",
    "name is ",
    "part number is ",
    "revision is ",
    "serial number is ",
    "nominal bitrate is ",
    "Link length supported for ",
    "Link length is ",
    "number of lanes ",
    "firmware version is ",
    "cisco id is ",
    "cisco extended id number is ",
    "cisco part number is ",
    "cisco product id is ",
    "cisco vendor id is ",
    "cisco version id is ",
    "clei is ",
    "nv1 is ",
    "SFP Detail Diagnostics Information",
    "Lane Number:",
    "DOM is not supported",
    "DOM is supported",
    "Current ",
    "Measurement ",
    "Temperature ",
    "Voltage ",
    "Tx Power ",
    "Rx Power ",
    "Transmit Fault Count ",
    "Note: ++ ",
];

/// The port that heads a block: `Ethernet1/49`, alone in its line.
pub(crate) fn port(text: &str) -> Option<&str> {
    let place = text.strip_prefix("Ethernet")?;
    let numbered = place.starts_with(|c: char| c.is_ascii_digit())
        && place.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    numbered.then_some(text)
}

/// Whether a line is of a block, and carries nothing here.
pub(crate) fn is_around(text: &str) -> bool {
    AROUND.iter().any(|begin| text.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_heads_its_block_alone() {
        assert_eq!(port("Ethernet1/49"), Some("Ethernet1/49"));
        assert_eq!(port("Ethernet101/1/3"), Some("Ethernet101/1/3"));
        for other in ["Ethernet1/49 is up", "Ethernet", "Ethernet/1", "Eth1/49"] {
            assert_eq!(port(other), None, "{other}");
        }
        assert!(is_around("nominal bitrate is 10300 MBit/sec"));
        assert!(!is_around("the name is unknown"));
    }
}
