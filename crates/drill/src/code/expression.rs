//! Expressions: Python's precedence from `or` down to names and numbers.

use core::fmt;

use super::token::Token;

/// Deepest nesting of parentheses and signs.
const DEPTH: u32 = 64;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Datum {
    Int(i64),
    Float(f64),
    Text(String),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Int(n) => write!(f, "{n}"),
            Datum::Float(n) => write!(f, "{n}"),
            Datum::Text(text) => write!(f, "'{text}'"),
        }
    }
}

impl Datum {
    pub(super) fn truth(&self) -> bool {
        match self {
            Datum::Int(n) => *n != 0,
            Datum::Float(n) => *n != 0.0,
            Datum::Text(text) => !text.is_empty(),
        }
    }

    fn real(&self) -> Option<f64> {
        match self {
            Datum::Int(n) => Some(*n as f64),
            Datum::Float(n) => Some(*n),
            Datum::Text(_) => None,
        }
    }

    /// `self op other`.
    pub(super) fn apply(&self, op: &str, other: &Datum) -> Result<Datum, String> {
        let refused = || format!("the Python operation `{self} {op} {other}`");
        if let (Datum::Int(a), Datum::Int(b)) = (self, other) {
            let whole = match op {
                "+" => a.checked_add(*b),
                "-" => a.checked_sub(*b),
                "*" => a.checked_mul(*b),
                "//" => a.checked_div_euclid(*b),
                "%" => a.checked_rem_euclid(*b),
                "&" => Some(a & b),
                "|" => Some(a | b),
                "<<" => u32::try_from(*b).ok().and_then(|b| a.checked_shl(b)),
                ">>" => u32::try_from(*b).ok().and_then(|b| a.checked_shr(b)),
                "/" if *b != 0 => return Ok(Datum::Float(*a as f64 / *b as f64)),
                _ => None,
            };
            return whole.map(Datum::Int).ok_or_else(refused);
        }
        let (Some(a), Some(b)) = (self.real(), other.real()) else {
            return Err(refused());
        };
        Ok(Datum::Float(match op {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" if b != 0.0 => a / b,
            _ => return Err(refused()),
        }))
    }

    fn compare(&self, op: &str, other: &Datum) -> Result<bool, String> {
        let order = match (self, other) {
            (Datum::Int(a), Datum::Int(b)) => Some(a.cmp(b)),
            (Datum::Text(a), Datum::Text(b)) => Some(a.cmp(b)),
            _ => match (self.real(), other.real()) {
                (Some(a), Some(b)) => a.partial_cmp(&b),
                _ => None,
            },
        };
        let Some(order) = order else {
            return Ok(op == "!=");
        };
        Ok(match op {
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            _ => return Err(format!("the Python operator `{op}`")),
        })
    }
}

/// Values of names.
type Look<'a> = &'a dyn Fn(&str) -> Option<Datum>;

/// Reads and evaluates in one go.
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    look: Look<'a>,
    seen: Vec<(String, Datum)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token], look: Look<'a>) -> Parser<'a> {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            look,
            seen: Vec::new(),
        }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn at_end_or_comma(&self) -> bool {
        self.at_end() || self.next_is(",")
    }

    /// The names that were looked up, with their values.
    pub(super) fn looked_up(&self) -> String {
        let shown: Vec<String> = self
            .seen
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        shown.join(", ")
    }

    fn next_is(&self, op: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Operator(o)) if *o == op)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.tokens.get(self.at), Some(Token::Name(n)) if n == word);
        self.at += usize::from(there);
        there
    }

    fn take_operator(&mut self, among: &[&str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Operator(op)) if among.contains(op) => {
                self.at += 1;
                Some(op)
            }
            _ => None,
        }
    }

    /// `or`, and what binds closer. Both sides are always evaluated: nothing has effects.
    pub(super) fn expression(&mut self) -> Result<Datum, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("a Python expression nested so deeply".to_owned());
        }
        let mut value = self.conjunction()?;
        while self.take_word("or") {
            let other = self.conjunction()?;
            value = if value.truth() { value } else { other };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn conjunction(&mut self) -> Result<Datum, String> {
        let mut value = self.negation()?;
        while self.take_word("and") {
            let other = self.negation()?;
            value = if value.truth() { other } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Datum, String> {
        let mut odd = None;
        while self.take_word("not") {
            odd = Some(!odd.unwrap_or(false));
        }
        let value = self.comparison()?;
        Ok(match odd {
            None => value,
            Some(odd) => Datum::Int(i64::from(value.truth() != odd)),
        })
    }

    /// `a <= b <= c` is true when every pair is.
    fn comparison(&mut self) -> Result<Datum, String> {
        let mut left = self.operation(0)?;
        let mut verdict = None;
        while let Some(op) = self.take_operator(&["==", "!=", "<=", ">=", "<", ">"]) {
            let right = self.operation(0)?;
            let holds = left.compare(op, &right)?;
            verdict = Some(verdict.unwrap_or(true) && holds);
            left = right;
        }
        Ok(verdict.map_or(left, |holds| Datum::Int(i64::from(holds))))
    }

    /// Binary operators by level: `|`, `&`, shifts, sums, products.
    fn operation(&mut self, level: usize) -> Result<Datum, String> {
        const LEVELS: [&[&str]; 5] = [
            &["|"],
            &["&"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "//", "/", "%"],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.signed();
        };
        let mut value = self.operation(level + 1)?;
        while let Some(op) = self.take_operator(operators) {
            let other = self.operation(level + 1)?;
            value = value.apply(op, &other)?;
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<Datum, String> {
        let mut negative = false;
        while let Some(op) = self.take_operator(&["-", "+"]) {
            negative ^= op == "-";
        }
        let value = self.atom()?;
        if negative {
            return Datum::Int(0).apply("-", &value);
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Datum, String> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Int(n)) => Ok(Datum::Int(n)),
            Some(Token::Float(n)) => Ok(Datum::Float(n)),
            Some(Token::Text(text)) => Ok(Datum::Text(text)),
            Some(Token::Operator("(")) => {
                let value = self.expression()?;
                match self.take_operator(&[")"]) {
                    Some(_) => Ok(value),
                    None => Err("a Python tuple or an open parenthesis".to_owned()),
                }
            }
            Some(Token::Name(name)) => self.name(name),
            _ => Err("a Python expression".to_owned()),
        }
    }

    fn name(&mut self, name: String) -> Result<Datum, String> {
        if self.take_operator(&["("]).is_some() {
            if name != "abs" {
                return Err(format!("the function `{name}`"));
            }
            let value = self.expression()?;
            if self.take_operator(&[")"]).is_none() {
                return Err("a Python call".to_owned());
            }
            return match value.real() {
                Some(n) if n < 0.0 => Datum::Int(0).apply("-", &value),
                Some(_) => Ok(value),
                None => Err("abs of a text".to_owned()),
            };
        }
        match name.as_str() {
            "True" => return Ok(Datum::Int(1)),
            "False" | "None" => return Ok(Datum::Int(0)),
            _ => {}
        }
        let value = (self.look)(&name).ok_or_else(|| format!("the name `{name}`"))?;
        if !self.seen.iter().any(|(n, _)| *n == name)
            && name.starts_with(|c: char| c.is_lowercase())
        {
            self.seen.push((name, value.clone()));
        }
        Ok(value)
    }
}
