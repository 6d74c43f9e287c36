//! What is not TOML, with what to write instead.

use core::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Diagnostic, shorten};
use crate::table;

/// Quotes that a word processor or a page puts in the place of straight ones.
const CURLY: [char; 7] = ['“', '”', '„', '‟', '‘', '’', '‚'];

/// The text as TOML. A broken line makes nonsense of what follows it, so nothing more is said then.
pub(crate) fn tree<'t>(
    text: &'t str,
    faults: &mut Vec<Diagnostic>,
) -> Option<Spanned<DeTable<'t>>> {
    let (tree, errors) = DeTable::parse_recoverable(text);
    for e in &errors {
        let end = text.len();
        let span = e.span().unwrap_or(end..end);
        faults.push(fault(text, span, e.message()));
    }
    errors.is_empty().then_some(tree)
}

fn fault(text: &str, span: Range<usize>, message: &str) -> Diagnostic {
    if message == "duplicate key" {
        return twice(text, span);
    }
    let line = line_of(text, span.start);
    if message.contains("string") && line.contains(CURLY) {
        let straight = line.replace(CURLY, "\"");
        let d = Diagnostic::new(span, "not TOML: curly quotes");
        return d.help(format!("write straight quotes: {}", straight.trim()));
    }
    let d = Diagnostic::new(span.clone(), format!("not TOML: {message}"));
    match unquoted(line) {
        Some((key, value)) if switch(value).is_some() => {
            let is_on = switch(value).unwrap_or_default();
            let text = match value.to_ascii_lowercase().as_str() {
                "true" | "false" => "TOML has it in lower case".to_owned(),
                _ => format!("or, where it is text, {key} = \"{value}\""),
            };
            d.help(format!("write {key} = {is_on}; {text}"))
        }
        Some((key, value)) => d.help(format!("put text in quotes: {key} = \"{value}\"")),
        None => d.help("the format is TOML 1.1: https://toml.io"),
    }
}

/// A key, or a section, that stands where it stands already.
fn twice(text: &str, span: Range<usize>) -> Diagnostic {
    let name = text.get(span.clone()).unwrap_or_default();
    let line = line_of(text, span.start);
    let is_header = line.trim_start().starts_with('[');
    let first = first(text, span.start, is_header, name);
    let d = Diagnostic::new(span, format!("`{}` stands twice", shorten(name)));
    let d = d.label("the second");
    let may_repeat = table::ARRAYS.iter().any(|s| s.name == name);
    let help = match (is_header, &first) {
        (true, _) if may_repeat && !line.trim_start().starts_with("[[") => {
            format!("of [[{name}]], in double brackets, there may be several")
        }
        (true, Some(_)) => "put what is below it below the first, without this line".to_owned(),
        (true, None) => "it is written above, as a key: say it once".to_owned(),
        (false, _) => "a key stands once in a section: take one of the two out".to_owned(),
    };
    match first {
        Some(first) => d.see(first, "the first").help(help),
        None => d.help(help),
    }
}

/// Where the key of a line stands first in its section, or its header before.
fn first(text: &str, at: usize, is_header: bool, name: &str) -> Option<Range<usize>> {
    let here = line_start(text, at);
    let header = line_of(text, at).split('#').next()?.trim();
    let mut found = None;
    let mut start = 0;
    for line in text.get(..here)?.split_inclusive('\n') {
        let word = line.trim_start();
        let begins = start + line.len() - word.len();
        if is_header && word.split('#').next().map(str::trim) == Some(header) {
            found = Some(begins..begins + header.len());
        } else if !is_header && word.starts_with('[') {
            found = None;
        } else if let Some((key, _)) = word.split_once('=')
            && !is_header
            && key.trim() == name
        {
            found = found.or(Some(begins..begins + name.len()));
        }
        start += line.len();
    }
    found
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

fn line_of(text: &str, at: usize) -> &str {
    let rest = text.get(line_start(text, at)..).unwrap_or_default();
    rest.lines().next().unwrap_or_default()
}

/// What a word says as a switch, in any case of its letters; none of another word.
fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Key and value of a line whose value begins like bare text: a word or a number with its unit.
fn unquoted(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let value = value.split('#').next()?.trim();
    let is_text = value.starts_with(|c: char| c.is_alphanumeric());
    (is_text && !value.contains(['"', '\''])).then_some((key.trim(), value))
}
