//! The lengths that are let through, each with its reason: `xtask/waivers.toml`.

use serde::Deserialize;

use crate::tree::TextFile;

/// Where the waivers are written.
pub(super) const PATH: &str = "xtask/waivers.toml";

/// Every waiver.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Waivers {
    /// Files that may be longer.
    #[serde(default, rename = "file")]
    pub(super) files: Vec<LongFile>,
    /// Functions that may be longer.
    #[serde(default, rename = "function")]
    pub(super) functions: Vec<LongFunction>,
}

/// A file that may be longer than the others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LongFile {
    /// Path from the root.
    pub(super) path: String,
    /// Most lines without tests.
    pub(super) lines: usize,
    /// Why it is not split.
    pub(super) reason: String,
}

/// A function that may be longer than the others.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LongFunction {
    /// Path of its file from the root.
    pub(super) path: String,
    /// Its name.
    pub(super) name: String,
    /// Most lines, signature and closing brace included.
    pub(super) lines: usize,
    /// Why it is not split.
    pub(super) reason: String,
}

impl Waivers {
    /// The waivers among the repository's files.
    pub(super) fn of(files: &[TextFile]) -> Result<Waivers, String> {
        let file = files.iter().find(|file| file.path == PATH);
        let file = file.ok_or_else(|| format!("{PATH} is missing"))?;
        let waivers: Waivers = toml::from_str(&file.text).map_err(|e| format!("{PATH}: {e}"))?;
        let mut reasons = waivers
            .files
            .iter()
            .map(|w| &w.reason)
            .chain(waivers.functions.iter().map(|w| &w.reason));
        match reasons.any(|reason| reason.trim().is_empty()) {
            true => Err(format!("{PATH}: a waiver without a reason")),
            false => Ok(waivers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Waivers, String> {
        Waivers::of(&[TextFile {
            path: PATH.to_owned(),
            text: text.to_owned(),
        }])
    }

    #[test]
    fn a_waiver_needs_a_reason() {
        assert!(read("[[file]]\npath = \"a.rs\"\nlines = 700\nreason = \" \"\n").is_err());
        assert!(read("[[file]]\npath = \"a.rs\"\nlines = 700\n").is_err());
        assert_eq!(
            read("[[file]]\npath = \"a.rs\"\nlines = 700\nreason = \"one table\"\n")
                .unwrap()
                .files
                .len(),
            1
        );
    }
}
