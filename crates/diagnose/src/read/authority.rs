//! Where an address leads, behind its scheme (RFC 3986 §3.2).

/// The host of `me@dtn.example.org:2811/dev/` or `[2001:db8::1]:443/file`; it may be empty.
pub(super) fn host(rest: &str) -> Option<&str> {
    let end = rest.split('/').next()?.rsplit('@').next()?;
    let bracketed = end.strip_prefix('[').and_then(|end| end.split(']').next());
    bracketed.or_else(|| end.split(':').next())
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_stands_between_who_asks_and_the_port() {
        for (rest, name) in [
            ("dtn.example.org:2811/dev/", "dtn.example.org"),
            ("me@dl.example.net/ds.tar", "dl.example.net"),
            ("[2001:db8::1]:443/file", "2001:db8::1"),
            ("", ""),
        ] {
            assert_eq!(host(rest), Some(name), "{rest}");
        }
    }
}
