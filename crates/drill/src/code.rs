//! The Python of `%{ … }%`, as far as scripts use it: assertions over `tcp_info`, assignments, `print`.

mod expression;
mod token;

use std::collections::BTreeMap;

pub(crate) use expression::Datum;
use expression::Parser;
use token::Token;

/// Why a piece of code did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An assertion is false: its text, and the values of the names in it.
    Failed { assertion: String, values: String },
    /// Beyond what is understood.
    Unsupported(String),
}

/// Values of names that the code did not set itself.
pub(crate) type Names<'a> = &'a dyn Fn(&str) -> Option<Datum>;

/// Variables, which live from one piece of code to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    variables: BTreeMap<String, Datum>,
}

/// Most variables a script may have.
const VARIABLES: usize = 1000;

impl Code {
    /// Runs `text`.
    pub(crate) fn run(&mut self, text: &str, names: Names<'_>) -> Result<(), Stop> {
        let tokens = token::tokens(text).map_err(Stop::Unsupported)?;
        for statement in tokens.split(|t| *t == Token::End) {
            if !statement.is_empty() {
                self.statement(statement, names)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, tokens: &[Token], names: Names<'_>) -> Result<(), Stop> {
        match tokens {
            [Token::Name(word), rest @ ..] if word == "assert" => self.assert(rest, names),
            [Token::Name(word), ..] if word == "print" || word == "pass" => Ok(()),
            [Token::Name(name), Token::Operator(op), rest @ ..]
                if op.ends_with('=') && is_assignment(op) =>
            {
                self.assign(name, op, rest, names)
            }
            [Token::Name(word), ..] => {
                Err(Stop::Unsupported(format!("the Python statement `{word}`")))
            }
            _ => Err(Stop::Unsupported(
                "a Python expression statement".to_owned(),
            )),
        }
    }

    fn assert(&self, tokens: &[Token], names: Names<'_>) -> Result<(), Stop> {
        let look = |name: &str| self.variables.get(name).cloned().or_else(|| names(name));
        let mut parser = Parser::new(tokens, &look);
        let value = parser.expression().map_err(Stop::Unsupported)?;
        // What follows a comma is the message: nobody needs it.
        if !parser.at_end_or_comma() {
            return Err(Stop::Unsupported("a Python expression".to_owned()));
        }
        if value.truth() {
            return Ok(());
        }
        Err(Stop::Failed {
            assertion: token::text(&tokens[..parser.position()]),
            values: parser.looked_up(),
        })
    }

    fn assign(
        &mut self,
        name: &str,
        op: &str,
        tokens: &[Token],
        names: Names<'_>,
    ) -> Result<(), Stop> {
        let value = {
            let look = |name: &str| self.variables.get(name).cloned().or_else(|| names(name));
            let mut parser = Parser::new(tokens, &look);
            let value = parser.expression().map_err(Stop::Unsupported)?;
            if !parser.at_end() {
                return Err(Stop::Unsupported("a Python expression".to_owned()));
            }
            match op.strip_suffix('=') {
                Some("") | None => value,
                Some(op) => {
                    let old = look(name)
                        .ok_or_else(|| Stop::Unsupported(format!("the name `{name}`")))?;
                    old.apply(op, &value).map_err(Stop::Unsupported)?
                }
            }
        };
        if self.variables.len() >= VARIABLES {
            return Err(Stop::Unsupported("so many variables".to_owned()));
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
        assert_eq!(code.run(text, &names), Ok(()));
        assert_eq!(
            code.run("assert tcpi_snd_cwnd == cwnd + 1", &names),
            Err(Stop::Failed {
                assertion: "tcpi_snd_cwnd == cwnd + 1".to_owned(),
                values: "tcpi_snd_cwnd = 10, cwnd = 10".to_owned(),
            })
        );
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
                Err(Stop::Unsupported(reason.to_owned())),
                "{text}"
            );
        }
    }
}
