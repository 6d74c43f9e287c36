//! MTUs of interfaces, as files of Linux print them: `cat /sys/class/net/eth0/mtu`.

use super::sys_net::{FOLDER, listed};
use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::whole;

/// The state of reading.
#[derive(Default)]
pub(super) struct SysMtu {
    host: Option<Of>,
    /// Interfaces whose MTUs follow, a line each, the first of them last.
    asked: Vec<String>,
    /// Those of all interfaces follow, and nothing says whose each is.
    each: bool,
}

/// What the file of an interface is called.
const FILE: &str = "/mtu";

/// All files at once, of which `cat` prints no name.
const EACH: &str = "/sys/class/net/*/mtu";

/// The MTU of the interface by which a host talks to itself: it is on no path.
const LOOPBACK: u64 = 65_536;

/// Most interfaces of a command.
const ASKED_MAX: usize = 64;

impl Tool for SysMtu {
    fn name(&self) -> &'static str {
        "mtu"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let asked = asked(line.bare);
        let each = asks_each(line.bare);
        if each || !asked.is_empty() {
            self.host = self.host.filter(|h| going && facts.may_be_here(*h));
            (self.asked, self.each) = (asked, each);
            return true;
        }
        if !going {
            self.host = None;
            self.asked.clear();
            self.each = false;
        }
        if let Some(name) = headed(line.bare) {
            self.asked = vec![name];
            return true;
        }
        let (name, mtu) = match (listed(line.bare, FILE), whole(line.bare)) {
            (Some((name, mtu)), _) => (name.to_owned(), mtu),
            (None, Some(mtu)) => match self.asked.pop() {
                Some(name) => (name, mtu),
                None if self.each && mtu >= LOOPBACK => return true,
                None if self.each => ("an interface".to_owned(), mtu),
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

/// Whether a command prints the files of all interfaces.
fn asks_each(text: &str) -> bool {
    let files = text.split_once("cat ").map(|(_, files)| files.trim());
    files == Some(EACH)
}

/// The interface whose MTU stands below, where `head` and `tail` print the file's name above it: `==> /sys/class/net/eth0/mtu <==`.
fn headed(text: &str) -> Option<String> {
    let file = text.strip_prefix("==> ")?.strip_suffix(" <==")?;
    let name = file.strip_prefix(FOLDER)?.strip_suffix(FILE)?;
    (!name.contains('/')).then(|| name.to_owned())
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
            "==> /sys/class/net/ens3/mtu <==\n1450\n==> /sys/class/net/docker0/mtu <==\n1500",
        ] {
            let facts = taken(SysMtu::default(), text);
            let all = facts.interfaces.iter();
            let all: Vec<(&str, f64)> = all.map(|i| (i.name.as_str(), i.mtu)).collect();
            assert_eq!(all, [("ens3", 1450.0), ("docker0", 1500.0)], "{text}");
        }
    }

    /// A pattern of a shell leaves the names out: what is not the loopback is of some interface.
    #[test]
    fn without_names_each_is_of_some_interface() {
        let facts = taken(
            SysMtu::default(),
            "ci# cat /sys/class/net/*/mtu\n9000\n65536",
        );
        let all = facts.interfaces.iter();
        let all: Vec<(&str, f64)> = all.map(|i| (i.name.as_str(), i.mtu)).collect();
        assert_eq!(all, [("an interface", 9000.0)]);
    }
}
