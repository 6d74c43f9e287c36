//! Plain English: the field's own words (sample, p50, p99, limit, unknown, configured, randomness) and
//! sentences that are understood at the first reading.

use super::finding::Finding;
use crate::prose::{Kind, Piece, pieces};
use crate::source::is_test_file;
use crate::tree::TextFile;

/// Most words of a sentence in pages and help texts. A word has a letter in it: numbers and signs are not
/// counted, a code span counts as one. A sentence ends with `.`, `!` or `?`, or with its paragraph.
const SENTENCE_WORDS: usize = 35;

/// Words that are refused together.
struct Phrase {
    /// In lower case; a word in brackets is matched with its brackets.
    words: &'static [&'static str],
    /// Not refused behind one of these words.
    unless_after: &'static [&'static str],
    /// Not refused before one of these words.
    unless_before: &'static [&'static str],
    /// What to write.
    instead: &'static str,
}

const fn phrase(words: &'static [&'static str], instead: &'static str) -> Phrase {
    Phrase {
        words,
        unless_after: &[],
        unless_before: &[],
        instead,
    }
}

const SAMPLE: &str = "a measurement is a sample and is sampled; anything else is read or checked";

/// What parts words that stand beside each other.
const PAUSES: [char; 6] = [',', '.', ';', ':', '!', '?'];

/// What may follow "is no".
const COMPARATIVES: [&str; 19] = [
    "longer", "more", "less", "fewer", "later", "earlier", "larger", "smaller", "shorter",
    "faster", "slower", "stricter", "finer", "worse", "better", "greater", "higher", "lower",
    "older",
];

const fn is_no(words: &'static [&'static str]) -> Phrase {
    Phrase {
        words,
        unless_after: &["there"],
        unless_before: &COMPARATIVES,
        instead: "write \"unknown y `x`\", or \"is not a y\"",
    }
}

/// Refused wherever prose is written.
const PHRASES: [Phrase; 21] = [
    phrase(&["look", "at"], SAMPLE),
    phrase(&["looks", "at"], SAMPLE),
    phrase(&["looked", "at"], SAMPLE),
    phrase(&["looking", "at"], SAMPLE),
    phrase(&["a", "look"], SAMPLE),
    phrase(&["one", "look"], SAMPLE),
    Phrase {
        words: &["looks"],
        unless_after: &[],
        unless_before: &["at", "up", "for", "like", "most"],
        instead: SAMPLE,
    },
    phrase(&["(half)"], "write p50"),
    phrase(&["half", "of", "them"], "write p50, or say half of what"),
    phrase(&["99", "of", "100"], "write p99"),
    phrase(&["one", "time", "in", "a"], "write p99, or a ratio"),
    phrase(&["one", "time", "in", "100"], "write p99, or a ratio"),
    phrase(&["may", "be)"], "write the limit: (limit 10 ms)"),
    phrase(&["to", "be", "had"], "write \"is available\""),
    phrase(&["as", "well", "have"], "say what to do"),
    phrase(&["does", "so"], "name what it does"),
    phrase(&["told"], "write configured, set, reported or named"),
    is_no(&["is", "no"]),
    is_no(&["are", "no"]),
    is_no(&["was", "no"]),
    is_no(&["were", "no"]),
];

/// Refused in what users read; in the code and in pages about it, keyed luck is a term of `docs/concepts/terms.md`.
const USERS_PHRASES: [Phrase; 2] = [
    phrase(&["luck"], "write randomness, or chance"),
    phrase(&["lucky"], "write random"),
];

/// Pages for those who change farpath, where terms of the code may stand.
const ABOUT_CODE: [&str; 5] = [
    "docs/ARCHITECTURE.md",
    "docs/concepts/terms.md",
    "docs/decisions/",
    "docs/models/",
    "CONTRIBUTING.md",
];

/// The file that lists what is refused.
const OWN: &str = "xtask/src/tidy/plain.rs";

/// Checks every page, comment and string literal.
pub(super) fn check(files: &[TextFile]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.path != OWN)
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for piece in pieces(file) {
        let is_users = is_users(&file.path, piece.kind);
        let users = USERS_PHRASES.iter().filter(|_| is_users);
        for phrase in PHRASES.iter().chain(users) {
            let starts = (0..piece.words.len()).filter(|i| stands_at(&piece, *i, phrase));
            findings.extend(starts.map(|i| {
                let message = format!("`{}`: {}", phrase.words.join(" "), phrase.instead);
                Finding::new(&file.path, piece.words[i].0, message)
            }));
        }
        let is_help = file.path.ends_with("cli/src/args.rs") && piece.kind != Kind::Row;
        if piece.kind == Kind::Paragraph || is_help {
            findings.extend(long_sentences(&file.path, &piece));
        }
    }
    findings
}

/// Whether users read this, not only those who change farpath.
fn is_users(path: &str, kind: Kind) -> bool {
    match kind {
        Kind::Paragraph | Kind::Row => !ABOUT_CODE.iter().any(|p| path.starts_with(p)),
        Kind::Comment => path.ends_with("cli/src/args.rs") || path.starts_with("scenarios/"),
        Kind::Literal => !is_test_file(path) && !path.starts_with("xtask/"),
    }
}

fn stands_at(piece: &Piece, at: usize, phrase: &Phrase) -> bool {
    let word = |i: usize| piece.words.get(i).map(|(_, word)| word.as_str());
    let same = |i: usize, wanted: &str| word(i).is_some_and(|w| plain(w, wanted));
    let end = at + phrase.words.len();
    let before = at.checked_sub(1);
    let joined = |i: usize| i + 1 == end || word(i).is_some_and(|w| !w.ends_with(PAUSES));
    (at..end)
        .zip(phrase.words)
        .all(|(i, wanted)| same(i, wanted) && joined(i))
        && !phrase.unless_before.iter().any(|w| same(end, w))
        && !phrase
            .unless_after
            .iter()
            .any(|w| before.is_some_and(|i| same(i, w)))
}

/// Whether a word of the text is `wanted`, whatever its case and the punctuation around it.
fn plain(word: &str, wanted: &str) -> bool {
    let bracket = wanted.contains(['(', ')']);
    let kept = |c: char| c.is_alphanumeric() || c == '`' || (bracket && (c == '(' || c == ')'));
    word.trim_matches(|c| !kept(c)).eq_ignore_ascii_case(wanted)
}

fn long_sentences(path: &str, piece: &Piece) -> Vec<Finding> {
    let sentences = piece.words.split_inclusive(|(_, word)| ends_sentence(word));
    let long = sentences.filter_map(|sentence| {
        let count = sentence
            .iter()
            .filter(|(_, w)| w.contains(char::is_alphabetic))
            .count();
        (count > SENTENCE_WORDS).then_some((sentence[0].0, count))
    });
    long.map(|(line, count)| {
        Finding::new(
            path,
            line,
            format!("a sentence of {count} words, at most {SENTENCE_WORDS}"),
        )
    })
    .collect()
}

fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches([')', ']', '"', '*', '_', '\'', '”', '’']);
    word.ends_with(['.', '!', '?']) && !["e.g.", "i.e.", "vs.", "cf."].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let file = TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check_file(&file).into_iter().map(|f| f.message).collect()
    }

    #[test]
    fn the_ten_worst_sentences_are_refused() {
        for text in [
            "a program waited 235 ms or more for a processor (10 ms may be)",
            "late by 0.004 ms (half), 0.037 ms at most",
            "late by 0.037 ms (99 of 100)",
            "one time in 100 a program waited",
            "one time in a hundred a program waited",
            "an object of your own may as well have another .name",
            "what measures waits does so no more in step with pings",
            "A record that was looked\nat twice",
            "a whole cut lies between two looks.",
            "`fast` is no congestion control",
            "`cc = fast` is no cc",
            "congestion control `fast` is not to be had here",
            "a host is told its window",
        ] {
            assert_eq!(messages("docs/models/a.md", text).len(), 1, "{text}");
            let comment = format!("/// {}", text.replace('\n', "\n/// "));
            assert_eq!(messages("crates/tcp/src/a.rs", &comment).len(), 1, "{text}");
            let literal = format!("f(\"{}\")", text.replace('\n', " \\\n    "));
            assert_eq!(messages("crates/tcp/src/a.rs", &literal).len(), 1, "{text}");
        }
    }

    #[test]
    fn plain_sentences_pass() {
        for text in [
            "lateness p50 0.004 ms, p99 0.037 ms (limit 10 ms)",
            "unknown congestion control `fast`; it is not available here",
            "there is no such link, and the queue is no longer than the limit",
            "it looks up `told` and looks for `a look at it`",
            "half a segment, 99 of 1000 frames",
            "a folder as it is, no list to keep",
            "this may be lost (or it may be late)",
        ] {
            assert_eq!(messages("docs/models/a.md", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn code_and_the_words_of_others_are_not_refused() {
        assert_eq!(
            messages("crates/tcp/src/a.rs", "let told = luck.looks(a_look);"),
            [""; 0]
        );
        assert_eq!(
            messages("scenarios/a.toml", "stated = \"we were told\""),
            [""; 0]
        );
        assert_eq!(
            messages("docs/a.md", "> we were told\n```\ntold\n```\n"),
            [""; 0]
        );
    }

    #[test]
    fn users_read_of_randomness_and_developers_of_keyed_luck() {
        let found = |path, text| messages(path, text).len();
        assert_eq!(found("README.md", "what is luck"), 1);
        assert_eq!(
            found("crates/cli/src/args.rs", "/// The seed of all luck"),
            1
        );
        assert_eq!(found("crates/report/src/a.rs", "f(\"that is luck\")"), 1);
        assert_eq!(found("docs/models/a.md", "keyed luck"), 0);
        assert_eq!(found("crates/report/src/a.rs", "// keyed luck"), 0);
    }

    #[test]
    fn sentences_have_35_words_at_most() {
        let sentence = |words: usize| format!("{}last.", "word ".repeat(words - 1));
        let text = |words| format!("A short one. {} Another, e.g. this.\n", sentence(words));
        assert_eq!(messages("docs/a.md", &text(35)), [""; 0]);
        assert_eq!(
            messages("docs/a.md", &text(36)),
            ["a sentence of 36 words, at most 35"]
        );
        let help = format!("    /// {}\n", sentence(36));
        assert_eq!(messages("crates/cli/src/args.rs", &help).len(), 1);
        let listed = format!("f(\"{0}:\\n  {0}\")", "word ".repeat(20));
        assert_eq!(messages("crates/cli/src/args.rs", &listed), [""; 0]);
        assert_eq!(
            messages("crates/cli/src/run.rs", &help),
            [""; 0],
            "not a help text"
        );
    }

    #[test]
    fn numbers_signs_rows_and_blocks_are_not_counted() {
        let numbers = format!("{} = `a b c`.", "word 1.5 + ".repeat(34));
        assert_eq!(messages("docs/a.md", &numbers), [""; 0]);
        let long = "word ".repeat(40);
        assert_eq!(
            messages("docs/a.md", &format!("| {long} |\n```\n{long}\n```\n")),
            [""; 0]
        );
        let items = format!("- {}\n- {}\n", "word ".repeat(20), "word ".repeat(20));
        assert_eq!(messages("docs/a.md", &items), [""; 0]);
    }
}
