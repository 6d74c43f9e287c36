//! Writing a scenario: the one maker of its text.
//!
//! ```
//! use farpath_scenario::{Source, Writer, parse};
//! use farpath_units::{Duration, Rate};
//!
//! let rate: Rate = "10 Gbit/s".parse()?;
//! let mut w = Writer::new("written");
//! w.section("host").put("name", "a");
//! w.section("host").put("name", "b");
//! w.section("link").put("name", "line").put("ends", ["a", "b"]);
//! w.put_from("rate", rate, "nic.txt:3").put("delay", Duration::from_ms(35));
//! let source = Source { name: "written.toml".to_owned(), text: w.finish() };
//! assert!(parse(&source, &[]).is_ok());
//! # Ok::<(), farpath_units::ParseError>(())
//! ```

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::key::{Kind, Section};
use crate::table::section;

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// Text, quoted and escaped as it is written; quantities are text with their unit.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Texts, in this order.
    List(Vec<String>),
    /// A table inside: keys and values.
    Table(Vec<(&'static str, Written)>),
}

/// Columns at which a comment begins where the value leaves room.
const COMMENT_AT: usize = 40;

/// The text of a scenario, section by section.
#[derive(Clone, Debug)]
pub struct Writer {
    text: String,
    open: &'static str,
}

impl Writer {
    /// A scenario of this name, its section `[scenario]` open.
    pub fn new(name: &str) -> Writer {
        let mut writer = Writer {
            text: "[scenario]\n".to_owned(),
            open: "scenario",
        };
        writer.put("name", name);
        writer
    }

    /// Opens one more of a section that may occur several times, such as `host`.
    pub fn section(&mut self, name: &'static str) -> &mut Writer {
        debug_assert!(section(name).is_some(), "{name} is a section");
        self.text.push_str(&format!("\n[[{name}]]\n"));
        self.open = name;
        self
    }

    /// A key of the section that is open.
    pub fn put(&mut self, key: &'static str, value: impl Into<Written>) -> &mut Writer {
        self.put_from(key, value, "")
    }

    /// A key of the section that is open, and where its value comes from: a comment behind it. `from` is one line; what
    /// ends a line in it becomes a blank.
    pub fn put_from(
        &mut self,
        key: &'static str,
        value: impl Into<Written>,
        from: &str,
    ) -> &mut Writer {
        debug_assert!(known(self.open, key), "{key} is a key of {}", self.open);
        let line = format!("{key} = {}", toml(&value.into()));
        self.text.push_str(&line);
        if !from.is_empty() {
            let gap = COMMENT_AT.saturating_sub(line.chars().count()).max(1);
            self.text
                .push_str(&format!("{}# {}", " ".repeat(gap), one_line(from)));
        }
        self.text.push('\n');
        self
    }

    /// A comment, a line for each of its lines.
    pub fn remark(&mut self, text: &str) -> &mut Writer {
        for line in text.lines() {
            let line = format!("# {}", one_line(line));
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
        self
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Whether a section has a key, or a table of this name with the rest of it: `forward.queue`.
fn known(open: &str, key: &str) -> bool {
    let mut inside: Option<&Section> = section(open);
    key.split('.').all(|part| {
        let found = inside.and_then(|s| s.key(part));
        inside = match found.map(|k| k.kind) {
            Some(Kind::Table(sub) | Kind::Tables(sub)) => Some(sub),
            _ => None,
        };
        found.is_some()
    })
}

/// Without what would end a comment, or is forbidden in one.
fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).collect()
}

fn toml(value: &Written) -> String {
    match value {
        Written::Text(text) => quoted(text),
        Written::Count(count) => count.to_string(),
        Written::Number(number) => format!("{number:?}"),
        Written::Flag(flag) => flag.to_string(),
        Written::List(texts) => {
            let all: Vec<String> = texts.iter().map(|t| quoted(t)).collect();
            format!("[{}]", all.join(", "))
        }
        Written::Table(entries) => {
            let entry = |(key, value): &(&str, Written)| format!("{key} = {}", toml(value));
            let all: Vec<String> = entries.iter().map(entry).collect();
            format!("{{ {} }}", all.join(", "))
        }
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl From<&str> for Written {
    fn from(text: &str) -> Written {
        Written::Text(text.to_owned())
    }
}

impl From<String> for Written {
    fn from(text: String) -> Written {
        Written::Text(text)
    }
}

impl From<u64> for Written {
    fn from(count: u64) -> Written {
        Written::Count(count)
    }
}

impl From<bool> for Written {
    fn from(flag: bool) -> Written {
        Written::Flag(flag)
    }
}

impl From<Ratio> for Written {
    fn from(ratio: Ratio) -> Written {
        Written::Number(ratio.get())
    }
}

impl From<Rate> for Written {
    fn from(rate: Rate) -> Written {
        Written::Text(rate.to_string())
    }
}

impl From<Duration> for Written {
    fn from(span: Duration) -> Written {
        Written::Text(span.to_string())
    }
}

impl From<Size> for Written {
    fn from(size: Size) -> Written {
        Written::Text(size.to_string())
    }
}

impl<const N: usize> From<[&str; N]> for Written {
    fn from(texts: [&str; N]) -> Written {
        Written::List(texts.map(str::to_owned).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, parse};

    fn two_hosts(summary: &str, from: &str) -> Writer {
        let mut w = Writer::new("written");
        w.put_from("summary", summary, from);
        w.section("host").put("name", "a");
        w.section("host").put("name", "b");
        w
    }

    fn read(writer: Writer) -> crate::Scenario {
        let text = writer.finish();
        let source = Source {
            name: "written.toml".to_owned(),
            text: text.clone(),
        };
        parse(&source, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let hostile = "a \"quote\", a \\, a\nline, a tab\t, \u{7f}, \u{0}, ü and # no comment";
        let mut w = two_hosts(hostile, "log.txt:3\nname = \"x\"");
        let rate = Rate::from_bps(622_079_999).expect("above zero");
        let delay = Duration::from_ps(137_123_456_789);
        w.section("link")
            .put("name", "line")
            .put("ends", ["a", "b"]);
        w.put_from("rate", rate, "nic.txt:1").put("delay", delay);
        w.put("mtu", 9000_u64).put("tap", false);
        w.put(
            "jitter",
            Written::Table(vec![("max", Duration::from_ms(3).into())]),
        );
        w.put("forward.queue", Size::from_bytes(123_457));
        w.put("forward.loss", Ratio::new(1.25e-7).expect("a ratio"));
        w.remark("two\nlines\r of remarks");
        let scenario = read(w);
        assert_eq!(scenario.summary.as_deref(), Some(hostile));
        let direction = &scenario.links[0].directions[0];
        assert_eq!((direction.rate, direction.delay), (rate, delay));
        assert!(direction.impairments.jitter.is_some());
        assert_eq!(direction.losses.len(), 1);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "is a key of link")]
    fn a_key_that_no_scenario_has_is_a_fault_of_the_program() {
        two_hosts("", "").section("link").put("forward.lost", true);
    }
}
