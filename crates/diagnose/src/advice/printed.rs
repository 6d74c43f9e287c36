//! What an undo takes that a command prints: it is printed before anything is changed.

/// What stands behind such a command in an undo: "with the value that `sysctl KEY` printed before".
const BEHIND: &str = "` printed";

/// A command of its own that prints what an undo takes, as far as none of the commands prints it.
pub(super) fn first(commands: &[String], undo: &[String]) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for command in undo.iter().flat_map(|line| named(line)) {
        let known = all.contains(&command) || commands.iter().any(|line| prints(line, command));
        if !known {
            all.push(command);
        }
    }
    match &all[..] {
        [] => None,
        [one] => Some(format!("{one}: keep what it prints, which the undo takes")),
        several => Some(format!(
            "{}: keep what they print, which the undo takes",
            several.join("; ")
        )),
    }
}

/// These commands, behind one that prints what their undo takes.
pub(super) fn behind(commands: Vec<String>, undo: &[String]) -> Vec<String> {
    first(&commands, undo).into_iter().chain(commands).collect()
}

/// The commands that a line of an undo takes something of.
fn named(line: &str) -> Vec<&str> {
    let ends = line.match_indices(BEHIND);
    let begins = ends.filter_map(|(end, _)| line[..end].rsplit_once('`'));
    begins.map(|(_, command)| command).collect()
}

/// Whether a line prints what this command does: the same, or a setting among others, which it does not write.
fn prints(line: &str, command: &str) -> bool {
    let Some(key) = command.strip_prefix("sysctl ") else {
        return line.contains(command);
    };
    let name = key.rsplit('.').next().unwrap_or(key);
    let mut places = line.match_indices(name);
    line.contains("sysctl ") && places.any(|(at, _)| !line[at + name.len()..].starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(commands: &[&str], undo: &[&str]) -> Option<String> {
        let owned = |lines: &[&str]| -> Vec<String> {
            lines.iter().map(|line| (*line).to_owned()).collect()
        };
        first(&owned(commands), &owned(undo))
    }

    #[test]
    fn what_an_undo_takes_is_printed_first() {
        let undo = "sysctl -w net.ipv4.tcp_rmem=VALUE, with the value that `sysctl net.ipv4.tcp_rmem` printed before";
        let set = "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 4194304\"";
        let read =
            Some("sysctl net.ipv4.tcp_rmem: keep what it prints, which the undo takes".to_owned());
        assert_eq!(of(&[set], &[undo]), read);
        // A word about a setting prints nothing.
        assert_eq!(
            of(&["net.ipv4.tcp_rmem bounds nothing", set], &[undo]),
            read
        );
        for prints in [
            "print them first, with sysctl net.ipv4.tcp_rmem net.core.rmem_max",
            "sysctl -a | grep -E 'tcp_rmem|rmem_max'",
        ] {
            assert_eq!(of(&[prints, set], &[undo]), None, "{prints}");
        }
        assert_eq!(of(&[set], &["sysctl -w net.ipv4.tcp_rmem=1"]), None);
    }

    #[test]
    fn each_is_printed_once() {
        let undo = [
            "tc qdisc replace dev eth0 root KIND, with what `tc qdisc show dev eth0` printed before",
            "ethtool -X eth0 default, or as `ethtool -x eth0` printed before; as `tc qdisc show dev eth0` printed",
        ];
        let both =
            "tc qdisc show dev eth0; ethtool -x eth0: keep what they print, which the undo takes";
        assert_eq!(of(&[], &undo).as_deref(), Some(both));
        // BSD writes with the command that prints.
        let bsd = [
            "sysctl net.inet.tcp.sendspace=VALUE, with the value that `sysctl net.inet.tcp.sendspace` printed before",
        ];
        assert!(of(&["sysctl net.inet.tcp.sendspace=65536"], &bsd).is_some());
    }
}
