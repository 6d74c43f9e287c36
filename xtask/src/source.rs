//! Just enough of Rust's lexical grammar to tell code from comments and literals, and product code
//! from tests. Positions and line numbers are those of the original text.

/// The code of one Rust file with every comment and literal replaced by blanks of equal length.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// One entry a line, blanks for what is not code.
    pub(crate) lines: Vec<String>,
    /// For each line, whether it belongs to an item under `#[cfg(test)]`.
    pub(crate) test: Vec<bool>,
}

impl Code {
    /// Splits `text` into code lines and marks tests.
    pub(crate) fn of(text: &str) -> Code {
        let lines: Vec<String> = blank_out(text).split('\n').map(str::to_owned).collect();
        let test = mark_tests(&lines);
        Code { lines, test }
    }

    /// Lines that are not tests: comments and empty lines count.
    pub(crate) fn product_lines(&self) -> usize {
        let last_is_empty = self.lines.last().is_some_and(String::is_empty);
        self.test.iter().filter(|test| !**test).count() - usize::from(last_is_empty)
    }
}

/// Whether a whole file is test code, by its place.
pub(crate) fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs") || path.starts_with("tests/")
}

/// Every comment and literal of Rust text with the line it starts on, from 1.
pub(crate) fn literals(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line, mut i) = (Vec::new(), 1, 0);
    while i < chars.len() {
        let end = literal_end(&chars, i);
        if end > i {
            found.push((line, chars[i..end].iter().collect()));
        }
        let passed = &chars[i..end.max(i + 1)];
        line += passed.iter().filter(|c| **c == '\n').count();
        i = end.max(i + 1);
    }
    found
}

/// Replaces comments, strings and characters by blanks; newlines stay.
fn blank_out(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = literal_end(&chars, i);
        if end == i {
            out.push(chars[i]);
            i += 1;
        } else {
            out.extend(
                chars[i..end]
                    .iter()
                    .map(|c| if *c == '\n' { '\n' } else { ' ' }),
            );
            i = end;
        }
    }
    out
}

/// Where the comment or literal that starts at `i` ends; `i` itself when none starts there.
fn literal_end(chars: &[char], i: usize) -> usize {
    let next = chars.get(i + 1).copied();
    match chars[i] {
        '/' if next == Some('/') => find(chars, i, |c| c == '\n'),
        '/' if next == Some('*') => block_comment_end(chars, i),
        '"' => quoted_end(chars, i),
        '\'' => character_end(chars, i),
        'r' if !continues_name(chars, i) => raw_string_end(chars, i),
        _ => i,
    }
}

/// Whether the character before `i` makes `i` the middle of a name (`br"…"` starts a literal too).
fn continues_name(chars: &[char], i: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    match i.checked_sub(1).map(|before| chars[before]) {
        Some('b') => i >= 2 && is_name(chars[i - 2]),
        Some(c) => is_name(c),
        None => false,
    }
}

fn find(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    chars[from..]
        .iter()
        .position(|c| stop(*c))
        .map_or(chars.len(), |offset| from + offset)
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0, start);
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i.min(chars.len())
}

fn quoted_end(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

/// A character literal, not a lifetime: `'x'` or `'\…'`.
fn character_end(chars: &[char], start: usize) -> usize {
    match (chars.get(start + 1), chars.get(start + 2)) {
        (Some('\\'), Some(_)) => (find(chars, start + 3, |c| c == '\'') + 1).min(chars.len()),
        (Some(_), Some('\'')) => start + 3,
        _ => start,
    }
}

fn raw_string_end(chars: &[char], start: usize) -> usize {
    let open = find(chars, start + 1, |c| c != '#');
    let hashes = open - start - 1;
    if chars.get(open) != Some(&'"') {
        return start;
    }
    let mut i = open + 1;
    while i < chars.len() {
        let close = chars[i] == '"'
            && chars[i + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes;
        if close {
            return (i + 1 + hashes).min(chars.len());
        }
        i += 1;
    }
    chars.len()
}

/// Marks the items under `#[cfg(test)]`, attribute to closing brace or semicolon.
fn mark_tests(lines: &[String]) -> Vec<bool> {
    let mut test = vec![false; lines.len()];
    let mut i = 0;
    while i < lines.len() {
        let line = &lines[i];
        let end = if line.contains("#[cfg(test)]") || line.contains("#[test]") {
            item_end(lines, i)
        } else {
            i
        };
        if line.trim_start().starts_with("#![cfg(test)]") {
            return vec![true; lines.len()];
        }
        if end > i || line.contains("#[cfg(test)]") {
            test[i..=end].fill(true);
        }
        i = end + 1;
    }
    test
}

/// The last line of the item whose attributes start on line `start`.
pub(crate) fn item_end(lines: &[String], start: usize) -> usize {
    let mut depth = 0_i32;
    let mut brackets = 0_i32;
    for (offset, line) in lines[start..].iter().enumerate() {
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                _ => {}
            }
            if depth == 0 && (c == '}' || (c == ';' && brackets == 0)) {
                return start + offset;
            }
        }
    }
    lines.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_blanks() {
        let code = blank_out(
            "a(\"}\\\"{\"); // {\nb('{', '\\'', 'x'); /* { /* } */ } */ c::<'a>(r#\"{\"}\"#)",
        );
        assert!(!code.contains('{') && !code.contains('}'), "{code}");
        assert!(
            code.contains("a(") && code.contains("b(") && code.contains("c::<'a>("),
            "{code}"
        );
        assert_eq!(code.matches('\n').count(), 1);
    }

    #[test]
    fn raw_and_byte_strings_end_where_they_should() {
        let code = blank_out("let a = br##\"x\"#y\"##; let r = 1; for_r\"{\"");
        assert!(
            code.contains("let r = 1;") && !code.contains('x') && !code.contains('{'),
            "{code}"
        );
    }

    #[test]
    fn test_items_are_marked_and_the_rest_is_not() {
        let text = "fn a() {\n}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod other;\n";
        let code = Code::of(text);
        assert_eq!(
            code.test,
            [
                false, false, true, true, true, true, false, true, true, false
            ]
        );
        assert_eq!(code.product_lines(), 3);
    }

    #[test]
    fn an_array_length_does_not_end_an_item() {
        let lines: Vec<String> = ["fn a(x: [u8; 4]) {", "}", ""].map(str::to_owned).to_vec();
        assert_eq!(item_end(&lines, 0), 1);
    }
}
