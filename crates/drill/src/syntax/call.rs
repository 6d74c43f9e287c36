//! System calls: `write(4, ..., 1000) = 1000`.

use core::fmt;

use super::ParseError;
use super::cursor::Cursor;

/// Deepest nesting of lists and structures in an argument.
const DEPTH: u32 = 16;
/// Most arguments, elements or fields in one place.
const ELEMENTS: usize = 256;

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// `...`
    Ellipsis,
    /// A number.
    Int(i64),
    /// A symbol, or several joined by `|`: `O_RDWR`, `EPOLLIN`.
    Symbols(Vec<String>),
    /// A quoted string.
    Text(String),
    /// `[1, 4]`
    List(Vec<Value>),
    /// `{onoff=1, linger=0}`; fields without a name have an empty one.
    Struct(Vec<(String, Value)>),
}

impl Value {
    /// A number, if it is one.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            Value::List(list) if list.len() == 1 => list[0].int(),
            _ => None,
        }
    }

    /// Whether `symbol` is among the symbols.
    pub(crate) fn has(&self, symbol: &str) -> bool {
        matches!(self, Value::Symbols(all) if all.iter().any(|s| s == symbol))
    }

    /// A field of a structure.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Struct(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            Value::List(list) if list.len() == 1 => list[0].field(name),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Ellipsis => f.write_str("..."),
            Value::Int(n) => write!(f, "{n}"),
            Value::Symbols(all) => f.write_str(&all.join("|")),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(all) => {
                f.write_str("[")?;
                for (n, value) in all.iter().enumerate() {
                    write!(f, "{}{value}", if n > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Struct(all) => {
                f.write_str("{")?;
                for (n, (name, value)) in all.iter().enumerate() {
                    write!(f, "{}{name}={value}", if n > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// What a call returns, or is to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Returned {
    /// `= ?`: anything.
    Any,
    /// A value that is not an error.
    Value(i64),
    /// -1 and the error's name.
    Error(String),
}

impl fmt::Display for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Returned::Any => f.write_str("?"),
            Returned::Value(n) => write!(f, "{n}"),
            Returned::Error(name) => write!(f, "-1 {name}"),
        }
    }
}

/// A system call with what it is to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Value>,
    pub(crate) returned: Returned,
}

impl Call {
    /// Reads the call whose name was read already and whose `(` is next.
    pub(super) fn read(name: String, at: &mut Cursor<'_>) -> Result<Call, ParseError> {
        at.need("(", "arguments stand in parentheses")?;
        let arguments = list(at, ")", 0)?;
        at.space()?;
        at.need("=", "say what the call returns: `= 0`")?;
        at.space()?;
        let returned = returned(at)?;
        Ok(Call {
            name,
            arguments,
            returned,
        })
    }

    /// An argument as a number.
    pub(crate) fn int(&self, n: usize) -> Option<i64> {
        self.arguments.get(n)?.int()
    }
}

fn returned(at: &mut Cursor<'_>) -> Result<Returned, ParseError> {
    if at.take("?") {
        return Ok(Returned::Any);
    }
    let negative = at.take("-");
    let number = at.number()?;
    let value = i64::try_from(number)
        .map_err(|_| at.error("the result is too large", "at most 63 bits fit"))?;
    at.blanks();
    let name = at.word();
    at.blanks();
    if at.peek() == Some(b'(') {
        at.until(")")?;
    }
    if name.is_empty() {
        return Ok(Returned::Value(if negative { -value } else { value }));
    }
    if !(negative && value == 1 && name.starts_with('E')) {
        return Err(at.error(
            format!("`{name}` after the result"),
            "an error is written `-1 EAGAIN (its text)`",
        ));
    }
    Ok(Returned::Error(name))
}

/// Values up to `end`, which is taken.
fn list(at: &mut Cursor<'_>, end: &str, depth: u32) -> Result<Vec<Value>, ParseError> {
    let mut values = Vec::new();
    loop {
        at.space()?;
        if at.take(end) {
            return Ok(values);
        }
        if values.len() >= ELEMENTS {
            return Err(at.error("too many arguments", "at most 256 fit"));
        }
        values.push(value(at, depth)?);
        at.space()?;
        if !at.take(",") {
            at.need(end, "separate arguments with commas")?;
            return Ok(values);
        }
    }
}

fn value(at: &mut Cursor<'_>, depth: u32) -> Result<Value, ParseError> {
    if depth > DEPTH {
        return Err(at.error("arguments are nested too deeply", "at most 16 levels fit"));
    }
    at.space()?;
    if at.take("...") {
        return Ok(Value::Ellipsis);
    }
    match at.peek() {
        Some(b'[') => {
            at.bump();
            Ok(Value::List(list(at, "]", depth + 1)?))
        }
        Some(b'{') => {
            at.bump();
            structure(at, depth + 1)
        }
        Some(b'"') => {
            at.bump();
            Ok(Value::Text(at.until("\"")?))
        }
        _ => operands(at, depth),
    }
}

/// Numbers and symbols joined by `|`.
fn operands(at: &mut Cursor<'_>, depth: u32) -> Result<Value, ParseError> {
    let (mut symbols, mut bits) = (Vec::new(), 0i64);
    loop {
        at.space()?;
        match at.peek() {
            Some(b'0'..=b'9' | b'-') => bits |= number(at)?,
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                let word = at.word();
                if at.peek() == Some(b'(') {
                    at.bump();
                    let inside = list(at, ")", depth + 1)?;
                    // `htons(8080)`, `inet_addr("1.2.3.4")`, `msg_iov(1)=[...]`.
                    at.space()?;
                    if at.take("=") {
                        return Ok(Value::Struct(vec![(word, value(at, depth + 1)?)]));
                    }
                    return Ok(inside.into_iter().next().unwrap_or(Value::Ellipsis));
                }
                if symbols.len() >= ELEMENTS {
                    return Err(at.error("too many symbols", "at most 256 fit"));
                }
                symbols.push(word);
            }
            _ => return Err(at.expected("an argument", "a number, SYMBOL, [list] or {struct}")),
        }
        at.space()?;
        if !at.take("|") {
            break;
        }
    }
    Ok(if symbols.is_empty() {
        Value::Int(bits)
    } else {
        Value::Symbols(symbols)
    })
}

/// A number, or a product of numbers.
fn number(at: &mut Cursor<'_>) -> Result<i64, ParseError> {
    let mut product = 1i64;
    loop {
        let negative = at.take("-");
        let value = at.number()? as i64;
        if at.peek() == Some(b'.') && !at.starts_with("...") {
            // A fraction, as in a rate; only its whole part means anything to a model of sockets.
            at.bump();
            at.while_is(|b| b.is_ascii_digit());
        }
        product = product.wrapping_mul(if negative {
            value.wrapping_neg()
        } else {
            value
        });
        at.space()?;
        if !at.take("*") {
            return Ok(product);
        }
        at.space()?;
    }
}

/// Fields up to `}`.
fn structure(at: &mut Cursor<'_>, depth: u32) -> Result<Value, ParseError> {
    let mut fields = Vec::new();
    loop {
        at.space()?;
        if at.take("}") {
            return Ok(Value::Struct(fields));
        }
        if fields.len() >= ELEMENTS {
            return Err(at.error("too many fields", "at most 256 fit"));
        }
        if !at.starts_with("...") {
            at.take(".");
        }
        let mut ahead = at.clone();
        let name = ahead.word();
        if ahead.peek() == Some(b'(') {
            // `msg_name(...)=...`
            ahead.bump();
            list(&mut ahead, ")", depth)?;
        }
        ahead.space()?;
        if !name.is_empty() && ahead.take("=") {
            *at = ahead;
            fields.push((name, value(at, depth)?));
        } else {
            fields.push((String::new(), value(at, depth)?));
        }
        at.space()?;
        if !at.take(",") {
            at.need("}", "separate fields with commas")?;
            return Ok(Value::Struct(fields));
        }
    }
}
