//! The words of a command, as a shell has them.

/// Most words of a command.
const WORDS_MAX: usize = 60;

/// What may stand before a program.
const BEFORE: [&str; 6] = ["sudo", "doas", "time", "env", "nice", "exec"];

/// The words of a command without the quotes around them, as far as the next command.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == '|' || c == ';' => break,
            None if c.is_whitespace() => all.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
        if all.len() >= WORDS_MAX {
            break;
        }
    }
    all.extend(word);
    let end = all.iter().position(|word| word == "&&");
    all.truncate(end.unwrap_or(all.len()));
    all
}

/// A setting of the environment, or of wget: `http_proxy=http://192.0.2.8:3128`.
pub(super) fn setting(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    (is_name && !name.is_empty()).then_some((name, value))
}

/// How many words stand before the program of a command: settings, and programs that run it.
pub(super) fn before(all: &[String]) -> usize {
    let is_before = |word: &&String| setting(word).is_some() || BEFORE.contains(&word.as_str());
    all.iter().take_while(is_before).count()
}

/// The words behind `program` in a command, `sudo /usr/bin/aria2c -x16 …`; none where it runs another one.
pub(super) fn behind_program(command: &str, program: &str) -> Option<Vec<String>> {
    let mut all = words(command);
    let begin = before(&all);
    let name = all.get(begin)?.rsplit(['/', '\\']).next()?;
    (name.trim_end_matches(".exe") == program).then(|| all.split_off(begin + 1))
}
