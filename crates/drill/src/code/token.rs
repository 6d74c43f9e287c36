//! Words of Python.

/// Most tokens of one piece of code.
const TOKENS: usize = 20_000;

/// Operators, longer ones first.
const OPERATORS: [&str; 30] = [
    "//=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "%=", "//", "**", "<<", ">>", "<", ">", "=",
    "+", "-", "*", "/", "%", "(", ")", ",", "[", "]", ":", "&", "|", "~",
];

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    Operator(&'static str),
    /// The end of a statement.
    End,
}

/// The words of `text`. A line ends a statement unless a bracket is open.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0u32);
    let mut tokens = Vec::new();
    while at < bytes.len() {
        if tokens.len() >= TOKENS {
            return Err("so much Python".to_owned());
        }
        let from = at;
        let run = |wanted: fn(u8) -> bool| bytes[from..].iter().take_while(|b| wanted(**b)).count();
        match bytes[at] {
            b'\n' | b';' => {
                at += 1;
                if depth == 0 {
                    tokens.push(Token::End);
                }
            }
            b' ' | b'\t' | b'\r' | b'\\' => at += 1,
            b'#' => at += run(|b| b != b'\n'),
            b'0'..=b'9' | b'.' => {
                at += run(|b| b.is_ascii_alphanumeric() || b == b'.');
                tokens.push(number(&text[from..at])?);
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                at += run(|b| b.is_ascii_alphanumeric() || b == b'_');
                tokens.push(Token::Name(text[from..at].to_owned()));
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1;
                }
                tokens.push(Token::Text(
                    String::from_utf8_lossy(&bytes[from + 1..at]).into_owned(),
                ));
                at = (at + 1).min(bytes.len());
            }
            _ => {
                let op = OPERATORS
                    .iter()
                    .find(|op| bytes[at..].starts_with(op.as_bytes()))
                    .ok_or_else(|| "a Python character outside the subset".to_owned())?;
                match *op {
                    "(" | "[" => depth += 1,
                    ")" | "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at += op.len();
                tokens.push(Token::Operator(op));
            }
        }
    }
    Ok(tokens)
}

fn number(text: &str) -> Result<Token, String> {
    let refused = || format!("the Python number `{text}`");
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16)
            .map(Token::Int)
            .map_err(|_| refused());
    }
    if text.contains('.') {
        return text.parse().map(Token::Float).map_err(|_| refused());
    }
    text.parse().map(Token::Int).map_err(|_| refused())
}

/// Tokens as text, for messages.
pub(super) fn text(tokens: &[Token]) -> String {
    let words: Vec<String> = tokens
        .iter()
        .map(|token| match token {
            Token::Int(n) => n.to_string(),
            Token::Float(n) => n.to_string(),
            Token::Text(text) => format!("'{text}'"),
            Token::Name(name) => name.clone(),
            Token::Operator(op) => (*op).to_owned(),
            Token::End => String::new(),
        })
        .collect();
    words.join(" ")
}

/// How much deeper in brackets what follows a token is.
fn step(token: &Token) -> i32 {
    match token {
        Token::Operator("(" | "[") => 1,
        Token::Operator(")" | "]") => -1,
        _ => 0,
    }
}

/// What stands in the parentheses around all of `tokens`, where there are such.
pub(super) fn within_parentheses(tokens: &[Token]) -> Option<&[Token]> {
    let [Token::Operator("("), inside @ .., Token::Operator(")")] = tokens else {
        return None;
    };
    let mut depth = 0;
    let closes_early = inside.iter().any(|token| {
        depth += step(token);
        depth < 0
    });
    (!closes_early).then_some(inside)
}

/// What commas outside of brackets keep apart.
pub(super) fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        depth += step(token);
        depth == 0 && *token == Token::Operator(",")
    });
    parts.filter(|part| !part.is_empty()).collect()
}
