//! What is changed, and how.

use crate::Luck;

/// What stands between words, whatever the language.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\r', '\n', '"', '\'', ',', ';', ':', '=', '/', '(', ')', '[', ']', '{', '}', '<',
    '>', '|',
];

/// Good texts, and what to put in the place of their words.
#[derive(Clone, Debug)]
pub struct Corpus<'a> {
    texts: Vec<&'a str>,
    lines: Vec<&'a str>,
    words: Vec<&'a str>,
    odd: Vec<&'a str>,
    start: Start<'a>,
}

/// What a mutation starts from.
#[derive(Clone, Debug)]
enum Start<'a> {
    /// One of the texts.
    Whole,
    /// Some lines of one of the texts, at most so many.
    Lines(usize),
    /// A head and so many paragraphs at most, from any of the texts.
    Paragraphs(&'a str, Vec<&'a str>, usize),
}

impl<'a> Corpus<'a> {
    /// Starts from one of these texts as a whole.
    ///
    /// # Panics
    /// Without any text that has a word.
    pub fn of(texts: impl IntoIterator<Item = &'a str>) -> Corpus<'a> {
        let texts: Vec<&str> = texts.into_iter().collect();
        let words = texts.iter().flat_map(|t| t.split(SEPARATORS));
        let words: Vec<&str> = words.filter(|w| !w.is_empty() && w.len() < 40).collect();
        assert!(!words.is_empty(), "a corpus has words");
        Corpus {
            lines: texts.iter().flat_map(|t| t.lines()).collect(),
            odd: words.clone(),
            words,
            texts,
            start: Start::Whole,
        }
    }

    /// Puts in these strings as well: what breaks readers of the language.
    pub fn odd(mut self, odd: &[&'a str]) -> Corpus<'a> {
        self.odd = odd.to_vec();
        self
    }

    /// Starts from a few lines of a text, 1 to `most`: small texts are read quickly.
    pub fn by_lines(mut self, most: usize) -> Corpus<'a> {
        self.start = Start::Lines(most);
        self
    }

    /// Starts from `head` and 1 to `most` paragraphs of the texts, each of less than 500 bytes.
    pub fn by_paragraphs(mut self, head: &'a str, most: usize) -> Corpus<'a> {
        let all = self.texts.iter().flat_map(|t| t.split("\n\n"));
        let short = all.filter(|p| p.len() < 500).collect();
        self.start = Start::Paragraphs(head, short, most);
        self
    }

    /// A word of the texts.
    pub fn word(&self, luck: &mut Luck) -> &'a str {
        luck.pick(&self.words)
    }

    /// One to four changes to a text, in half of all cases such that most of it keeps its form:
    /// what comes after the parser is to see odd values, too.
    pub fn mutated(&self, luck: &mut Luck) -> String {
        let mut text = self.start(luck);
        let gentle = luck.odds(2);
        for _ in 0..1 + luck.below(4) {
            if gentle {
                self.exchange(luck, &mut text);
            } else {
                self.damage(luck, &mut text);
            }
        }
        text
    }

    fn start(&self, luck: &mut Luck) -> String {
        match &self.start {
            Start::Whole => luck.pick(&self.texts).to_owned(),
            Start::Lines(most) => {
                let lines: Vec<&str> = luck.pick(&self.texts).split_inclusive('\n').collect();
                let from = luck.below(lines.len());
                let to = (from + 1 + luck.below(*most)).min(lines.len());
                lines[from..to].concat()
            }
            Start::Paragraphs(head, paragraphs, most) => {
                let mut text = (*head).to_owned();
                for _ in 0..1 + luck.below(*most) {
                    text.push('\n');
                    text.push_str(luck.pick(paragraphs));
                    text.push('\n');
                }
                text
            }
        }
    }

    /// Another digit, or another word.
    fn exchange(&self, luck: &mut Luck, text: &mut String) {
        let at = text.floor_char_boundary(luck.below(text.len()));
        let kind = luck.below(4);
        if kind == 0
            && let Some(digit) = text[at..].find(|c: char| c.is_ascii_digit())
        {
            let digit = at + digit;
            text.replace_range(digit..=digit, &luck.below(10).to_string());
            return;
        }
        let start = text[..at].rfind(SEPARATORS).map_or(0, |i| i + 1);
        let end = text[at..].find(SEPARATORS).map_or(text.len(), |i| at + i);
        let new = luck.pick(if kind == 1 { &self.odd } else { &self.words });
        text.replace_range(start.min(end)..end, new);
    }

    /// Bits, bytes and lines changed, cut out, put in.
    fn damage(&self, luck: &mut Luck, text: &mut String) {
        let at = text.floor_char_boundary(luck.below(text.len() + 1));
        match luck.below(8) {
            0 if at < text.len() => {
                let mut bytes = core::mem::take(text).into_bytes();
                bytes[at] ^= 1 << luck.below(8);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
            1 => {
                let end = text.floor_char_boundary(at + luck.below(20));
                text.replace_range(at..end.max(at), "");
            }
            2 => text.insert_str(at, luck.pick(&self.odd)),
            3 => text.insert_str(at, luck.pick(&self.words)),
            4 => {
                let mut lines: Vec<&str> = text.lines().collect();
                let (a, b) = (luck.below(lines.len()), luck.below(lines.len()));
                if !lines.is_empty() {
                    lines.swap(a, b);
                }
                *text = lines.join("\n");
            }
            5 => {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(luck.below(lines.len() + 1), luck.pick(&self.lines));
                *text = lines.join("\n");
            }
            6 if luck.odds(4) => text.truncate(at),
            _ => self.exchange(luck, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutation_follows_from_seed_and_number() {
        let corpus = Corpus::of(["one two\nthree 4", "five µs\n\nsix"]).odd(&["é", "\0"]);
        for corpus in [
            corpus.clone(),
            corpus.clone().by_lines(2),
            corpus.by_paragraphs("head\n", 2),
        ] {
            let texts = |seed| -> Vec<String> {
                let one = |n| corpus.mutated(&mut Luck::new(seed, n));
                (0..2_000).map(one).collect()
            };
            assert_eq!(texts(1), texts(1));
            assert_ne!(texts(1), texts(2));
        }
    }

    #[test]
    fn nothing_but_a_word_can_be_changed() {
        let corpus = Corpus::of(["a"]);
        let texts: Vec<String> = (0..500)
            .map(|n| corpus.mutated(&mut Luck::new(3, n)))
            .collect();
        assert!(texts.iter().any(|t| t != "a"), "{texts:?}");
        assert!(texts.iter().any(String::is_empty));
    }
}
