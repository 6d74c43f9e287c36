//! Command lines as a shell takes them.

/// The words as one line that a shell reads as the same words.
pub(crate) fn line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted = words.into_iter().map(|word| quoted(word.as_ref()));
    quoted.collect::<Vec<_>>().join(" ")
}

/// A word, in single quotes where a shell would not take it as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = [
            "my client.sh",
            "it's",
            "$HOME",
            "",
            "a=b",
            "~",
            "*",
            "é",
            "x\ny",
            "!",
            "-n",
            "\\",
        ];
        let line = line(words);
        let script = format!("printf '%s\\0' {line}");
        let said = Command::new("sh").args(["-c", &script]).output();
        let said = String::from_utf8(said.expect("a shell").stdout).expect("text");
        let read: Vec<&str> = said.split_terminator('\0').collect();
        assert_eq!(read, words, "{line}");
    }

    #[test]
    fn what_needs_no_quotes_has_none() {
        assert_eq!(
            line(["ping", "-c", "3", "-i", "0.2", "server"]),
            "ping -c 3 -i 0.2 server"
        );
        assert_eq!(line(["sh", "-c", "exit 3"]), "sh -c 'exit 3'");
    }
}
