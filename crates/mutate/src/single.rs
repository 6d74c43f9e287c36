//! Every single change: each line taken out, each word altered, one at a time.

/// A text with one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Single {
    /// The line as it was, without white space around it.
    pub line: String,
    /// The word that was replaced, and what stands there now; `None` if the line was taken out.
    pub word: Option<(String, String)>,
    /// The text now.
    pub text: String,
}

/// Takes out each line of `text`, and gives each word a letter more and another last digit.
pub fn single_changes(text: &str) -> Vec<Single> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let changed = |word, now: &str| Single {
            line: line.trim().to_owned(),
            word,
            text: format!("{}{now}{}", &text[..start], &text[end..]),
        };
        if !line.trim().is_empty() {
            all.push(changed(None, ""));
        }
        for (at, word) in words(line) {
            for now in altered(word) {
                let with = format!("{}{now}{}", &line[..at], &line[at + word.len()..]);
                all.push(changed(Some((word.to_owned(), now)), &with));
            }
        }
        start = end;
    }
    all
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = line.split([' ', '\t', '\n', ';', '{', '}']);
    let at = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    parts.filter(|p| !p.is_empty()).map(move |p| (at(p), p))
}

/// A word with a letter more, and with its last digit counted up if it has one.
fn altered(word: &str) -> Vec<String> {
    let mut all = vec![format!("{word}x")];
    if let Some(at) = word.rfind(|c: char| c.is_ascii_digit()) {
        let next = (word.as_bytes()[at] - b'0' + 1) % 10;
        all.push(format!("{}{next}{}", &word[..at], &word[at + 1..]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_and_words_change() {
        let all: Vec<String> = single_changes("a 9;\n\nb\n")
            .into_iter()
            .map(|s| s.text)
            .collect();
        assert_eq!(
            all,
            [
                "\nb\n",
                "ax 9;\n\nb\n",
                "a 9x;\n\nb\n",
                "a 0;\n\nb\n",
                "a 9;\n\n",
                "a 9;\n\nbx\n"
            ]
        );
    }
}
