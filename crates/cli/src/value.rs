//! Values of options that are given as text: quantities, names, sizes.

use std::fmt::Display;
use std::str::FromStr;

use farpath_config::Dialect;
use farpath_units::Size;

use crate::exit::Failure;

/// The value of `--flag`.
pub(crate) fn read<T: FromStr<Err: Display>>(flag: &str, text: &str) -> Result<T, Failure> {
    text.parse().map_err(|e| wrong(flag, text, e))
}

/// The value of `--flag`, if it is given.
pub(crate) fn maybe<T: FromStr<Err: Display>>(
    flag: &str,
    text: Option<&str>,
) -> Result<Option<T>, Failure> {
    text.map(|t| read(flag, t)).transpose()
}

/// The value of `--mtu`.
pub(crate) fn mtu(text: &str) -> Result<Size, Failure> {
    farpath_predict::mtu_from_text(text).map_err(|e| wrong("mtu", text, e))
}

/// The value of `--dialect`.
pub(crate) fn dialect(name: &str) -> Result<Dialect, Failure> {
    Dialect::named(name).ok_or_else(|| {
        let all: Vec<&str> = Dialect::ALL.iter().map(|d| d.name()).collect();
        Failure::usage(format!("unknown dialect `{name}`"))
            .hint(format!("write one of {}", all.join(", ")))
    })
}

fn wrong(flag: &str, text: &str, why: impl Display) -> Failure {
    Failure::usage(format!("--{flag} {text}: {why}"))
}
