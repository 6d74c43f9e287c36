//! The scenario that `farpath new` writes.

/// A commented scenario of two hosts, one router and a long link: a place to begin.
pub fn template() -> &'static str {
    include_str!("template.toml")
}
