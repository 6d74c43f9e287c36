//! How frames are spread over the members of a channel.

use crate::commands::Statement;

/// `port-channel load-balance src-dst-mac`, `src-dst mac` of NX-OS, `ethernet source-dest-mac` of its older releases. What else is hashed has no
/// bearing.
pub(super) fn hash(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    let text = s.words.rest().text;
    let is_it = !s.off && is_by_mac(text);
    s.reader.device.channel_hash = is_it.then(|| s.stated(text.to_owned()));
    match is_it {
        true => Some(()),
        false => s.pass_over(),
    }
}

/// Whether MAC addresses alone choose the member.
fn is_by_mac(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["src-mac" | "dst-mac" | "src-dst-mac"] => true,
        ["src" | "dst" | "src-dst", "mac", ..] => true,
        ["ethernet", by, ..] => ["source-mac", "destination-mac", "source-dest-mac"].contains(&by),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macs_alone_are_told_from_what_else_is_hashed() {
        for text in [
            "src-mac",
            "dst-mac",
            "src-dst-mac",
            "src-dst mac",
            "src mac rotate 2",
            "ethernet source-dest-mac",
        ] {
            assert!(is_by_mac(text), "{text}");
        }
        for text in [
            "src-dst-ip",
            "src-dst ip-l4port",
            "src-dst-mixed-ip-port",
            "ethernet source-dest-port",
            "extended dst-ip src-ip",
            "",
        ] {
            assert!(!is_by_mac(text), "{text}");
        }
    }
}
