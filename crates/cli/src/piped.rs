//! Files that may be standard input, which `-` names.

use std::path::Path;

/// Whether a file is standard input.
pub(crate) fn is_piped(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// What messages call a file.
pub(crate) fn named(file: &Path) -> String {
    match is_piped(file) {
        true => "standard input".to_owned(),
        false => file.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_alone_is_standard_input() {
        assert_eq!(named(Path::new("-")), "standard input");
        assert_eq!(named(Path::new("./-")), "./-");
    }
}
