//! `Get-NetAdapterRss` of Windows: which adapters spread what arrives over several processors (receive side scaling), as a list for each.

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};

/// The adapter that spreads nothing, and one that does, as facts have them.
pub(crate) const RSS_OFF: &str = "rss_off";
pub(crate) const RSS_ON: &str = "rss_on";

/// The command, in lower case.
const COMMAND: &str = "get-netadapterrss";

/// What its list has of each adapter, as far as a colon or a space.
const KEYS: [&str; 10] = [
    "Name",
    "InterfaceDescription",
    "Enabled",
    "NumberOfReceiveQueues",
    "Profile",
    "BaseProcessor",
    "MaxProcessor",
    "MaxProcessors",
    "RssProcessorArray",
    "IndirectionTable",
];

/// The state of reading.
#[derive(Default)]
pub(super) struct Rss {
    host: Option<Of>,
    /// The adapter that is read.
    name: String,
}

impl Tool for Rss {
    fn name(&self) -> &'static str {
        "rss"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if asks(text) {
            *self = Rss::default();
            return true;
        }
        if !going {
            return false;
        }
        let Some((key, value)) = text.split_once(" :") else {
            return is_array(text);
        };
        let key = key.split([':', ' ']).next().unwrap_or(key);
        let value = value.trim();
        match (key, value) {
            ("Name", _) => self.name = crate::redact(value),
            ("Enabled", "True") => self.says(RSS_ON, line.at, facts),
            ("Enabled", "False") => self.says(RSS_OFF, line.at, facts),
            _ => {}
        }
        KEYS.contains(&key)
    }
}

impl Rss {
    /// Whether the adapter spreads what arrives.
    fn says(&mut self, fact: &'static str, at: Place, facts: &mut Facts) {
        let known = self.host.filter(|host| facts.may_be_here(*host));
        let host = known.unwrap_or_else(|| facts.host());
        self.host = Some(host);
        facts.word(host, "system", "windows", at);
        facts.word(host, fact, &self.name, at);
    }
}

/// Whether a line is the command, behind a prompt of Windows.
fn asks(text: &str) -> bool {
    let Some((prompt, command)) = text.split_once('>') else {
        return false;
    };
    let first = command.split_whitespace().next().unwrap_or("");
    prompt.contains(":\\") && first.eq_ignore_ascii_case(COMMAND)
}

/// Whether a line goes on with numbers of processors: `0:8/0  0:10/0`.
fn is_array(text: &str) -> bool {
    let of_array = |c: char| c.is_ascii_digit() || matches!(c, ':' | '/' | ' ');
    text.contains(':') && text.chars().all(of_array)
}

#[cfg(test)]
mod tests {
    use super::{RSS_OFF, RSS_ON};
    use crate::fact::Of;
    use crate::flow::word;
    use crate::read::taken::whole as facts;

    #[test]
    fn each_adapter_is_off_or_on() {
        let text = "PS C:\\> Get-NetAdapterRss\n\nName                                            : SLOT 2\nInterfaceDescription                            : Intel(R) Ethernet Converged Network Adapter X710\nEnabled                                         : False\nNumberOfReceiveQueues                           : 1\nBaseProcessor: [Group:Number]                   : 0:0\nRssProcessorArray: [Group:Number/NUMA Distance] : 0:0/0  0:2/0\n                                                  0:4/0  0:6/0\n\nName                                            : SLOT 3\nEnabled                                         : True\n";
        let (facts, whole) = facts(text);
        assert!(whole, "{:?}", facts.ignored);
        let said = |name| word(&facts, Of::Host(0), name).map(|(adapter, _)| adapter);
        assert_eq!(said(RSS_OFF), Some("SLOT 2"));
        assert_eq!(said(RSS_ON), Some("SLOT 3"));
        assert_eq!(said("system"), Some("windows"));
        assert_eq!(facts.hosts.len(), 1);
    }

    #[test]
    fn a_list_without_its_command_says_nothing() {
        let (facts, _) = facts("Name : SLOT 2\nEnabled : False\n");
        assert_eq!(word(&facts, Of::Host(0), RSS_OFF), None);
    }
}
