//! A script is options, then events: when, and what.

use super::ParseError;
use super::call::Call;
use super::cursor::Cursor;
use super::packet::{self, Direction, PacketSpec, Read};

/// Largest script read, in bytes.
const SCRIPT_BYTES: usize = 4 << 20;
/// Most events of a script.
const EVENTS: usize = 100_000;

/// A script, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// `--name=value` lines: name without dashes, value (empty where there is none), line.
    pub options: Vec<(String, String, u32)>,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// One event of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its line, from 1.
    pub line: u32,
    /// When.
    pub when: When,
    /// What.
    pub action: Action,
}

/// When an event is due, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Counted from the event before, not from the start.
    pub relative: bool,
    /// `*`: at whatever time.
    pub any: bool,
    /// The time, or the earliest.
    pub from_us: u64,
    /// `~`: the latest time.
    pub to_us: Option<u64>,
    /// `...`: when a call that blocks returns.
    pub end_us: Option<u64>,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action(pub(crate) Do);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    Segment(PacketSpec),
    Call(Call),
    /// Python between `%{` and `}%`.
    Code(String),
    /// Shell between backticks.
    Shell(String),
    /// Read and understood, and beyond what can be run.
    Unsupported(String),
}

/// Reads a script.
///
/// # Errors
/// The first line that is not of the syntax, with cause and remedy.
pub fn parse(text: &str) -> Result<Script, ParseError> {
    let mut at = Cursor::new(text);
    if text.len() > SCRIPT_BYTES {
        return Err(at.error("the script is too large", "at most 4 MiB are read"));
    }
    let mut script = Script {
        options: Vec::new(),
        events: Vec::new(),
    };
    loop {
        at.space()?;
        if at.peek().is_none() {
            return Ok(script);
        }
        if at.peek() == Some(b'#') {
            directive(&mut at)?;
            continue;
        }
        if at.starts_with("--") {
            script.options.push(option(&mut at)?);
            continue;
        }
        if script.events.len() >= EVENTS {
            return Err(at.error("too many events", "at most 100000 are read"));
        }
        script.events.push(event(&mut at)?);
    }
}

/// `#ifdef NAME … #else … #endif`: what is not for us is passed over. `FreeBSD` is the one name
/// defined: scripts use it for what their authors' host really does.
fn directive(at: &mut Cursor<'_>) -> Result<(), ParseError> {
    let here = at.clone();
    let line = at.while_is(|b| b != b'\n');
    let mut words = line.split_whitespace();
    let passed_over = match (words.next(), words.next()) {
        (Some("#ifdef"), Some(name)) => name != "FreeBSD",
        (Some("#ifndef"), Some(name)) => name == "FreeBSD",
        (Some("#else"), _) => true,
        (Some("#endif"), _) => false,
        _ => {
            return Err(here.expected(
                "#ifdef NAME, #ifndef NAME, #else or #endif",
                "a comment begins with //",
            ));
        }
    };
    if !passed_over {
        return Ok(());
    }
    let mut depth = 0u32;
    while at.peek().is_some() {
        at.bump();
        let line = at.clone().while_is(|b| b != b'\n');
        match line.split_whitespace().next() {
            Some("#ifdef" | "#ifndef") => depth += 1,
            Some("#else" | "#endif") if depth == 0 => {
                at.while_is(|b| b != b'\n');
                return Ok(());
            }
            Some("#endif") => depth -= 1,
            _ => {}
        }
        at.while_is(|b| b != b'\n');
    }
    Err(here.error("no #endif follows", "close the condition"))
}

fn option(at: &mut Cursor<'_>) -> Result<(String, String, u32), ParseError> {
    let line = at.line();
    at.take("--");
    let name = at.word();
    if name.is_empty() {
        return Err(at.expected("an option", "write --name=value"));
    }
    let value = if at.take("=") {
        at.while_is(|b| !b.is_ascii_whitespace())
    } else {
        String::new()
    };
    Ok((name, value, line))
}

fn event(at: &mut Cursor<'_>) -> Result<Event, ParseError> {
    let line = at.line();
    let when = when(at)?;
    at.space()?;
    let action = match at.peek() {
        Some(b'<') => segment(Direction::Inbound, at)?,
        Some(b'>') => segment(Direction::Outbound, at)?,
        Some(b'`') => {
            at.bump();
            Do::Shell(at.until("`")?)
        }
        Some(b'%') if at.take("%{") => Do::Code(at.until("}%")?),
        Some(b) if b.is_ascii_alphabetic() => {
            let name = at.word();
            at.blanks();
            Do::Call(Call::read(name, at)?)
        }
        _ => {
            return Err(at.expected(
                "an event",
                "a packet (< or >), a system call, `shell` or %{ code }%",
            ));
        }
    };
    Ok(Event {
        line,
        when,
        action: Action(action),
    })
}

fn segment(direction: Direction, at: &mut Cursor<'_>) -> Result<Do, ParseError> {
    at.bump();
    Ok(match packet::read(direction, at)? {
        Read::Segment(spec) => Do::Segment(spec),
        Read::Unsupported(reason) => Do::Unsupported(reason),
    })
}

fn when(at: &mut Cursor<'_>) -> Result<When, ParseError> {
    if at.take("*") {
        return Ok(When {
            any: true,
            ..When::default()
        });
    }
    let relative = at.take("+");
    if relative {
        at.blanks();
    }
    let timed = at.peek().is_some_and(|b| b.is_ascii_digit() || b == b'.');
    if !timed {
        if relative {
            return Err(at.expected("a time", "write it like +0 or +.1"));
        }
        return Ok(When {
            relative: true,
            ..When::default()
        });
    }
    let mut when = When {
        relative,
        from_us: at.seconds()?,
        ..When::default()
    };
    at.blanks();
    if at.take("~") {
        at.blanks();
        at.take("+");
        when.to_us = Some(at.seconds()?);
    } else if at.take("...") {
        at.blanks();
        at.take("+");
        when.end_us = Some(at.seconds()?);
    }
    let last = when.to_us.or(when.end_us);
    if last.is_some_and(|last| last < when.from_us) {
        return Err(at.error(
            "the time ends before it begins",
            "write the earlier time first",
        ));
    }
    Ok(when)
}
