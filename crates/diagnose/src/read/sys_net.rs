//! Files that Linux has of each interface: `/sys/class/net/eth0/mtu`.

use crate::words::whole;

/// Their folder.
pub(super) const FOLDER: &str = "/sys/class/net/";

/// The interface and the number in its file, where `grep` prints the file's name before that: `/sys/class/net/eth0/mtu:1500` of `/mtu`.
pub(super) fn listed<'t>(text: &'t str, file: &str) -> Option<(&'t str, u64)> {
    let (name, rest) = text.strip_prefix(FOLDER)?.split_once(file)?;
    let number = whole(rest.strip_prefix(':')?.trim())?;
    Some((name, number))
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn the_name_stands_before_the_number() {
        let of = |text| listed(text, "/mtu");
        assert_eq!(of("/sys/class/net/eth0/mtu:1500"), Some(("eth0", 1500)));
        assert_eq!(of("/sys/class/net/eth0/mtu"), None);
        assert_eq!(of("/sys/class/net/eth0/tx_queue_len:1000"), None);
    }
}
