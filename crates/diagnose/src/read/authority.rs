//! Where an address leads, behind its scheme (RFC 3986 §3.2).

/// The host of `me@dtn.example.org:2811/dev/` or `[2001:db8::1]:443/file`; it may be empty.
pub(super) fn host(rest: &str) -> Option<&str> {
    Some(parts(rest.split('/').next()?).0)
}

/// The host and the port of `user:secret@192.0.2.8:3128`, without whoever asks; the host may be empty.
pub(super) fn parts(authority: &str) -> (&str, Option<&str>) {
    let bare = authority.rsplit('@').next().unwrap_or(authority);
    match bare.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match bare.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (bare, None),
        },
    }
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
