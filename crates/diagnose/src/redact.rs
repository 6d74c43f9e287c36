//! What is nobody's business is taken out before anything is printed.

use farpath_config::masked;

/// What stands in its place.
const HIDDEN: &str = "***";

/// The text without user names (`name@host`, folders of users), passwords, keys and communities.
pub fn redact(text: &str) -> String {
    let masked = masked(text);
    let words: Vec<String> = masked.split(' ').map(without_user).collect();
    words.join(" ")
}

/// The address of an end, without the interface that some tools print behind it: `192.0.2.10%eno1`.
pub(crate) fn address(host: &str) -> String {
    redact(host.split('%').next().unwrap_or(host))
}

/// A word without the name of a user.
fn without_user(word: &str) -> String {
    let mut text = word.to_owned();
    for folder in [concat!("/ho", "me/"), concat!("/Us", "ers/"), "C:\\Users\\"] {
        if let Some(at) = text.find(folder) {
            let start = at + folder.len();
            let end = text[start..]
                .find(['/', '\\'])
                .map_or(text.len(), |e| start + e);
            text.replace_range(start..end, HIDDEN);
        }
    }
    if let Some(at) = text.find('@')
        && at > 0
        && at + 1 < text.len()
    {
        text.replace_range(..at, HIDDEN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_names_are_taken_out() {
        for (text, clean) in [
            ("les@iepm.example:~> iperf", "***@iepm.example:~> iperf"),
            (
                "snmp-server community publ1c RO",
                "snmp-server community *** RO",
            ),
            ("enable secret 5 $1$abc", "enable secret 5 ***"),
            ("snmp-community: publ1c", "snmp-community: ***"),
            ("Authorization: Bearer abc", "Authorization: ***"),
            (
                concat!("logs/ho", "me/anna/t.txt"),
                concat!("logs/ho", "me/***/t.txt"),
            ),
            ("password=hunter2", "password=***"),
            ("10.0.0.1", "10.0.0.1"),
            ("a@", "a@"),
        ] {
            assert_eq!(redact(text), clean, "{text}");
        }
    }
}
