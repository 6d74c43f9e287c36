//! Commands that stand in a crontab, a unit of systemd or a script, as somebody printed it: nobody typed them at a prompt.

/// Words of a shell before a command.
const BEFORE: [&str; 9] = ["then", "do", "if", "elif", "else", "while", "!", "{", "("];

/// Programs that run the command behind their options.
const WRAPPERS: [&str; 11] = [
    "nice", "ionice", "timeout", "flock", "nohup", "setsid", "stdbuf", "chrt", "taskset", "sudo",
    "doas",
];

/// Fields of a time in a crontab (crontab, 5).
const FIELDS: usize = 5;

/// The commands in a line of such a file, as far as they run one of these programs; none in a comment.
pub(super) fn commands<'t>(text: &'t str, is_program: impl Fn(&str) -> bool) -> Vec<&'t str> {
    if text.starts_with('#') {
        return Vec::new();
    }
    let runs = |part: &'t str| {
        let mut rest = scheduled(part.trim());
        rest = rest.strip_prefix("ExecStart=").unwrap_or(rest);
        while let Some((first, behind)) = rest.split_once(char::is_whitespace)
            && BEFORE.contains(&first)
        {
            rest = behind.trim_start();
        }
        program(rest, &is_program)
    };
    text.split([';', '&', '|']).filter_map(runs).collect()
}

/// What stands behind the time of a line of a crontab, `0 22 * * * …` or `@daily …`; the line itself where it has none.
fn scheduled(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('@') {
        return rest
            .split_once(char::is_whitespace)
            .map_or(text, |(_, rest)| rest.trim_start());
    }
    let is_field = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_digit() || b"*/,-".contains(&b))
    };
    let mut rest = text;
    for _ in 0..FIELDS {
        match rest.split_once(char::is_whitespace) {
            Some((field, behind)) if is_field(field) => rest = behind.trim_start(),
            _ => return text,
        }
    }
    rest
}

/// A command from the program on that it runs: its first word, the second behind the user of a crontab of the system, or one behind a wrapper.
fn program<'t>(text: &'t str, is_program: impl Fn(&str) -> bool) -> Option<&'t str> {
    let name = |word: &'t str| word.rsplit('/').next().unwrap_or(word);
    let first = text.split_whitespace().next()?;
    if is_program(name(first)) {
        return Some(text);
    }
    let (_, behind) = text.split_once(char::is_whitespace)?;
    let mut rest = behind.trim_start();
    let most = if WRAPPERS.contains(&name(first)) {
        usize::MAX
    } else {
        1
    };
    for _ in 0..most.min(rest.len()) {
        if is_program(name(rest.split_whitespace().next()?)) {
            return Some(rest);
        }
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_of_crontabs_units_and_scripts_are_found() {
        let own = |text| commands(text, |name| name == "rsync");
        let rsync = "rsync -a --bwlimit=20000 /a b:/a";
        for text in [
            "0 22 * * * root rsync -a --bwlimit=20000 /a b:/a",
            "*/5 1-4 * * 0,6 rsync -a --bwlimit=20000 /a b:/a",
            "@daily root rsync -a --bwlimit=20000 /a b:/a",
            "ExecStart=rsync -a --bwlimit=20000 /a b:/a",
            "cd /srv && nice -n 19 ionice -c3 rsync -a --bwlimit=20000 /a b:/a",
            "if ! flock -n /run/l rsync -a --bwlimit=20000 /a b:/a; then",
            rsync,
        ] {
            assert_eq!(own(text), [rsync], "{text}");
        }
        for text in [
            "# 0 22 * * * root rsync -a --bwlimit=20000 /a b:/a",
            "we run the rsync of the vendor",
            "",
        ] {
            assert!(own(text).is_empty(), "{text}");
        }
    }
}
