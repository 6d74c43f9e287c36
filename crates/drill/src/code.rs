//! The Python of `%{ … }%`, as far as scripts use it: assertions over `tcp_info`, assignments, `print`.

mod expression;
mod token;

use std::collections::BTreeMap;

pub(crate) use expression::Datum;
use expression::Parser;
use token::Token;

/// An assertion that is false: its text, and the values of the names in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(crate) assertion: String,
    pub(crate) values: String,
}

/// Values of names that the code did not set itself.
pub(crate) type Names<'a> = &'a dyn Fn(&str) -> Option<Datum>;

/// Variables, which live from one piece of code to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    variables: BTreeMap<String, Datum>,
    /// What `print` said and nobody took yet, a line each.
    printed: Vec<String>,
}

/// Most variables a script may have.
const VARIABLES: usize = 1000;

impl Code {
    /// Runs `text`: the assertions that are false, behind which it goes on, and whether it came to its
    /// end; if not, what is beyond what is understood.
    pub(crate) fn run(
        &mut self,
        text: &str,
        names: Names<'_>,
    ) -> (Vec<Failed>, Result<(), String>) {
        let mut failed = Vec::new();
        let ended = token::tokens(text).and_then(|tokens| {
            let mut statements = tokens.split(|t| *t == Token::End);
            statements.try_for_each(|statement| match statement {
                [] => Ok(()),
                [Token::Name(word), rest @ ..] if word == "assert" => {
                    failed.extend(self.assert(rest, names)?);
                    Ok(())
                }
                other => self.statement(other, names),
            })
        });
        (failed, ended)
    }

    fn statement(&mut self, tokens: &[Token], names: Names<'_>) -> Result<(), String> {
        match tokens {
            [Token::Name(word), ..] if word == "pass" => Ok(()),
            [Token::Name(word), rest @ ..] if word == "print" => {
                let line = self.line(rest, names);
                self.printed.push(line);
                Ok(())
            }
            [Token::Name(name), Token::Operator(op), rest @ ..]
                if op.ends_with('=') && is_assignment(op) =>
            {
                self.assign(name, op, rest, names)
            }
            [Token::Name(word), ..] => Err(format!("the Python statement `{word}`")),
            _ => Err("a Python expression statement".to_owned()),
        }
    }

    /// What `print` has said since this was asked last, a line each.
    pub(crate) fn take_printed(&mut self) -> Vec<String> {
        core::mem::take(&mut self.printed)
    }

    /// What `print` says of `tokens`: the values of its expressions, a space between them. What is not understood, as `%` behind a text,
    /// stands as it is written, with the values of the names in it.
    fn line(&self, tokens: &[Token], names: Names<'_>) -> String {
        let look = |name: &str| self.variables.get(name).cloned().or_else(|| names(name));
        let said = |part: &[Token]| {
            let mut parser = Parser::new(part, &look);
            match parser.expression() {
                Ok(Datum::Text(text)) if parser.at_end() => text,
                Ok(value) if parser.at_end() => value.to_string(),
                _ => match parser.looked_up() {
                    values if values.is_empty() => token::text(part),
                    values => format!("{} ({values})", token::text(part)),
                },
            }
        };
        let inside = token::within_parentheses(tokens).unwrap_or(tokens);
        let parts: Vec<String> = token::parts(inside).into_iter().map(said).collect();
        // A script's text may not steer a terminal.
        parts.join(" ").replace(char::is_control, "")
    }

    fn assert(&self, tokens: &[Token], names: Names<'_>) -> Result<Option<Failed>, String> {
        let look = |name: &str| self.variables.get(name).cloned().or_else(|| names(name));
        let mut parser = Parser::new(tokens, &look);
        let value = parser.expression()?;
        // What follows a comma is the message: nobody needs it.
        if !parser.at_end_or_comma() {
            return Err("a Python expression".to_owned());
        }
        if value.truth() {
            return Ok(None);
        }
        Ok(Some(Failed {
            assertion: token::text(&tokens[..parser.position()]),
            values: parser.looked_up(),
        }))
    }

    fn assign(
        &mut self,
        name: &str,
        op: &str,
        tokens: &[Token],
        names: Names<'_>,
    ) -> Result<(), String> {
        let value = {
            let look = |name: &str| self.variables.get(name).cloned().or_else(|| names(name));
            let mut parser = Parser::new(tokens, &look);
            let value = parser.expression()?;
            if !parser.at_end() {
                return Err("a Python expression".to_owned());
            }
            match op.strip_suffix('=') {
                Some("") | None => value,
                Some(op) => {
                    let old = look(name).ok_or_else(|| format!("the name `{name}`"))?;
                    old.apply(op, &value)?
                }
            }
        };
        if self.variables.len() >= VARIABLES {
            return Err("so many variables".to_owned());
        }
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }
}

fn is_assignment(op: &str) -> bool {
    matches!(op, "=" | "+=" | "-=" | "*=" | "//=" | "%=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Option<Datum> {
        match name {
            "tcpi_snd_cwnd" => Some(Datum::Int(10)),
            "tcpi_rtt" => Some(Datum::Int(100_500)),
            _ => None,
        }
    }

    #[test]
    fn assertions_hold_or_say_what_is_wrong() {
        let mut code = Code::default();
        let text = "assert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd\n\
                    cwnd = 8; cwnd += 2  # ten\n\
                    assert cwnd == tcpi_snd_cwnd and not tcpi_rtt < 90 * 1000\n\
                    assert 100000 <= tcpi_rtt <= 101000, (tcpi_rtt,\n 'two lines')\n\
                    print(cwnd)";
        assert_eq!(code.run(text, &names), (Vec::new(), Ok(())));
        let (failed, ended) = code.run(
            "assert tcpi_snd_cwnd == cwnd + 1; cwnd = 12\nassert cwnd == 11",
            &names,
        );
        assert_eq!(ended, Ok(()));
        let said = failed
            .iter()
            .map(|f| (f.assertion.as_str(), f.values.as_str()));
        assert_eq!(
            said.collect::<Vec<_>>(),
            [
                ("tcpi_snd_cwnd == cwnd + 1", "tcpi_snd_cwnd = 10, cwnd = 10"),
                ("cwnd == 11", "cwnd = 12"),
            ]
        );
    }

    #[test]
    fn what_is_printed_is_kept_until_it_is_taken() {
        let mut code = Code::default();
        let text = "print tcpi_snd_cwnd, 'segments'\nprint(2 * tcpi_rtt)\nprint('rtt', (tcpi_rtt + 500) // 1000)\n\
                    print 'cwnd=%d' % tcpi_snd_cwnd\nprint nothing";
        assert_eq!(code.run(text, &names), (Vec::new(), Ok(())));
        assert_eq!(
            code.take_printed(),
            [
                "10 segments",
                "201000",
                "rtt 101",
                "'cwnd=%d' % tcpi_snd_cwnd (tcpi_snd_cwnd = 10)",
                "nothing",
            ]
        );
        assert!(code.take_printed().is_empty());
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let mut code = Code::default();
        for (text, reason) in [
            ("assert tcpi_pacing == 1", "the name `tcpi_pacing`"),
            ("import os", "the Python statement `import`"),
            ("assert len(x) == 1", "the function `len`"),
        ] {
            assert_eq!(
                code.run(text, &names),
                (Vec::new(), Err(reason.to_owned())),
                "{text}"
            );
        }
    }
}
