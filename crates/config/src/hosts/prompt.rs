//! What stands before a command: a shell's prompt, and programs that run another one.

use super::command;

/// Programs whose words after their name are a command.
const RUNNERS: [&str; 4] = ["sudo ", "time ", "nohup ", "exec "];

/// A prompt has no more bytes than this.
const LONGEST: usize = 80;

/// The command behind a shell's prompt. `None` of a line that does not begin with a prompt, and where
/// what follows is not a command of hosts.
pub(super) fn command(line: &str) -> Option<&str> {
    let ends = line.char_indices().take_while(|(at, _)| *at < LONGEST);
    let mut ends = ends.filter(|(_, c)| matches!(c, '$' | '#' | '%' | '>' | '}'));
    ends.find_map(|(at, end)| {
        let rest = without_runner(&line[at + end.len_utf8()..]);
        (is_prompt(&line[..at], end) && is_command(rest)).then_some(rest)
    })
}

/// A line without `sudo` and its like.
pub(super) fn without_runner(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(rest) = RUNNERS.iter().find_map(|r| line.strip_prefix(r)) {
        line = rest.trim_start();
    }
    line
}

/// `[root@a ~]`, `user@a:~`, `a:user {158`, or nothing, before the last character of a prompt.
fn is_prompt(text: &str, end: char) -> bool {
    let text = text.trim_end();
    if text.contains(['"', '\'', '=', '`']) || text.split_whitespace().count() > 4 {
        return false;
    }
    match end {
        '}' => {
            let number = text.rsplit_once('{').map(|(_, number)| number);
            number.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
        }
        _ if text.is_empty() => matches!(end, '$' | '#' | '%'),
        _ if text.starts_with(['[', '(']) => text.contains([']', ')']),
        _ => text
            .split_whitespace()
            .next()
            .is_some_and(|w| w.contains(['@', ':'])),
    }
}

/// Whether it is a command of hosts; `net.core.rmem_max = 1` behind `#` is a setting that is commented out.
fn is_command(rest: &str) -> bool {
    let first = rest.split_whitespace().next().unwrap_or("");
    let sets = rest.starts_with("echo ") && rest.contains("/proc/sys/");
    command::is_one(rest) || command::name(first) == "sysctl" || sets
}
