//! `carrier_changes` of Linux: how often the link of an interface went down or came up.

use super::sys_net::{FOLDER, listed};
use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::whole;

/// What is counted of an interface whose link went down or came up.
pub(crate) const TRANSITIONS: &str = "nic_transitions";

/// The state of reading.
#[derive(Default)]
pub(super) struct Carrier {
    host: Option<Of>,
    /// Interfaces whose counts follow, a line each, the first of them last.
    asked: Vec<String>,
}

/// What the file of an interface is called.
const FILE: &str = "/carrier_changes";

/// Most interfaces of a command.
const ASKED_MAX: usize = 64;

impl Tool for Carrier {
    fn name(&self) -> &'static str {
        "carrier_changes"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let asked = asked(text);
        if !asked.is_empty() {
            self.host = self.host.filter(|h| going && facts.may_be_here(*h));
            self.asked = asked;
            return true;
        }
        let (name, count) = match listed(text, FILE) {
            Some((name, count)) => (crate::redact(name), count),
            None => {
                let Some(count) = whole(text).filter(|_| going) else {
                    return false;
                };
                let Some(name) = self.asked.pop() else {
                    return false;
                };
                (name, count)
            }
        };
        if !going {
            self.host = None;
        }
        let host = *self.host.get_or_insert_with(|| facts.host());
        facts.counted(
            host,
            &name,
            (TRANSITIONS, "carrier_changes"),
            count,
            line.at,
        );
        true
    }
}

/// The interfaces that a command prints the file of, the first of them last: `$ cat /sys/class/net/eth0/carrier_changes`.
fn asked(text: &str) -> Vec<String> {
    if !text.contains("cat ") {
        return Vec::new();
    }
    let names = text.split_whitespace().filter_map(|word| {
        let (_, rest) = word.split_once(FOLDER)?;
        let name = rest.strip_suffix(FILE)?;
        (!name.contains(['*', '/'])).then(|| crate::redact(name))
    });
    let mut all: Vec<String> = names.take(ASKED_MAX).collect();
    all.reverse();
    all
}
