//! MTUs of interfaces, as files of Linux print them: `cat /sys/class/net/eth0/mtu`.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::whole;

/// The state of reading.
#[derive(Default)]
pub(super) struct SysMtu {
    host: Option<Of>,
    /// Interfaces whose MTUs follow, a line each, the first of them last.
    asked: Vec<String>,
}

/// Where the file of an interface lies, and what it is called.
const FOLDER: &str = "/sys/class/net/";
const FILE: &str = "/mtu";

/// Most interfaces of a command.
const ASKED_MAX: usize = 64;

impl Tool for SysMtu {
    fn name(&self) -> &'static str {
        "mtu"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let asked = asked(line.bare);
        if !asked.is_empty() {
            self.host = self.host.filter(|h| going && facts.may_be_here(*h));
            self.asked = asked;
            return true;
        }
        if !going {
            self.host = None;
            self.asked.clear();
        }
        let (name, mtu) = match (listed(line.bare), whole(line.bare)) {
            (Some(both), _) => both,
            (None, Some(mtu)) => match self.asked.pop() {
                Some(name) => (name, mtu),
                None => return false,
            },
            (None, None) => return false,
        };
        let host = *self.host.get_or_insert_with(|| facts.host());
        facts.interface(host, &name, mtu as f64);
        true
    }
}

/// The interfaces that a command prints the file of, the first of them last. Nothing of one that prints other files besides.
fn asked(text: &str) -> Vec<String> {
    let Some((_, files)) = text.split_once("cat ") else {
        return Vec::new();
    };
    let name = |word: &str| {
        let name = word.strip_prefix(FOLDER)?.strip_suffix(FILE)?;
        (!name.contains(['*', '/', '$'])).then(|| name.to_owned())
    };
    let names: Option<Vec<String>> = files.split_whitespace().map(name).collect();
    let mut all = names.unwrap_or_default();
    all.truncate(ASKED_MAX);
    all.reverse();
    all
}

/// The interface and its MTU, where `grep` prints the file's name before it: `/sys/class/net/eth0/mtu:1500`.
fn listed(text: &str) -> Option<(String, u64)> {
    let (name, rest) = text.strip_prefix(FOLDER)?.split_once(FILE)?;
    let mtu = whole(rest.strip_prefix(':')?.trim())?;
    Some((name.to_owned(), mtu))
}

#[cfg(test)]
mod tests {
    use super::SysMtu;
    use crate::read::taken::taken;

    #[test]
    fn each_file_has_a_line() {
        for text in [
            "ci# cat /sys/class/net/ens3/mtu /sys/class/net/docker0/mtu\n1450\n1500",
            "/sys/class/net/ens3/mtu:1450\n/sys/class/net/docker0/mtu:1500",
        ] {
            let facts = taken(SysMtu::default(), text);
            let all = facts.interfaces.iter();
            let all: Vec<(&str, f64)> = all.map(|i| (i.name.as_str(), i.mtu)).collect();
            assert_eq!(all, [("ens3", 1450.0), ("docker0", 1500.0)], "{text}");
        }
    }
}
