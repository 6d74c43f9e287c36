//! What is nobody's business is taken out before anything is printed.

/// Words behind which a secret stands.
const SECRETS: [&str; 18] = [
    "password",
    "passwd",
    "secret",
    "key",
    "md5",
    "community",
    "encrypted-password",
    "pre-shared-key",
    "authentication-key",
    "token",
    "snmp-community",
    "psk",
    "passphrase",
    "key-string",
    "tacacs-key",
    "authorization:",
    "bearer",
    "apikey",
];

/// What stands in its place.
const HIDDEN: &str = "***";

/// The text without user names (`name@host`, folders of users), passwords, keys and communities.
pub fn redact(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut hide = false;
    for word in text.split(' ') {
        let lower = word.to_ascii_lowercase();
        let name = lower.trim_matches(|c: char| matches!(c, '"' | '\'' | ':' | '=' | ';' | ','));
        if hide && !word.is_empty() {
            words.push(HIDDEN.to_owned());
            // `password 7 0822…`: a digit that says how it is encrypted does not end it.
            hide = word.len() == 1;
            continue;
        }
        hide = SECRETS.contains(&name);
        words.push(one(word));
    }
    words.join(" ")
}

/// The address of an end, without the interface that some tools print behind it: `192.0.2.10%eno1`.
pub(crate) fn address(host: &str) -> String {
    redact(host.split('%').next().unwrap_or(host))
}

fn one(word: &str) -> String {
    if let Some((key, _)) = word.split_once(['=', ':'])
        && SECRETS.contains(&key.to_ascii_lowercase().as_str())
        && word.len() > key.len() + 1
    {
        return format!("{key}={HIDDEN}");
    }
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
            ("enable secret 5 $1$abc", "enable secret *** ***"),
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
