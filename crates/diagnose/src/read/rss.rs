//! `Get-NetAdapterRss` of Windows: which adapters spread what arrives over several processors (receive side scaling), as a list for each or as a
//! table; and the same in the table of `Get-NetAdapterAdvancedProperty`.

use super::powershell::asks;
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};

mod table;

use table::Table;

/// The adapter that spreads nothing, and one that does, as facts have them.
pub(crate) const RSS_OFF: &str = "rss_off";
pub(crate) const RSS_ON: &str = "rss_on";

/// The commands, in lower case.
const COMMANDS: [&str; 2] = ["get-netadapterrss", "get-netadapteradvancedproperty"];

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
    /// The table that is read.
    table: Option<Table>,
}

impl Tool for Rss {
    fn name(&self) -> &'static str {
        "rss"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if asks(text, &COMMANDS) {
            *self = Rss::default();
            return true;
        }
        if let Some(table) = Table::headed(text, going) {
            if !going {
                *self = Rss::default();
            }
            self.table = Some(table);
            return true;
        }
        if !going {
            return false;
        }
        if let Some(row) = self.table.and_then(|table| table.row(text)) {
            if let Some((name, on)) = row {
                self.name = crate::redact(name);
                self.says(if on { RSS_ON } else { RSS_OFF }, line.at, facts);
            }
            return true;
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
        let host = facts.host_again(&mut self.host);
        facts.word(host, "system", "windows", at);
        facts.word(host, fact, &self.name, at);
    }
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
    use crate::flows::flow::word;
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

    /// Columns that stand apart are read; one that was cut off, and one without its command, are not.
    #[test]
    fn a_table_says_the_same_as_a_list() {
        let said = |text: &str| {
            let (facts, _) = facts(text);
            let of = |name| word(&facts, Of::Host(0), name).map(|(adapter, _)| adapter.to_owned());
            [of(RSS_OFF), of(RSS_ON)]
        };
        let both = [Some("SLOT 2".to_owned()), Some("Ethernet".to_owned())];
        let plain = "PS C:\\> Get-NetAdapterRss | ft Name, Enabled, NumberOfReceiveQueues\n\nName     Enabled NumberOfReceiveQueues\n----     ------- ---------------------\nSLOT 2     False                     1\nEthernet    True                     8\n";
        assert_eq!(said(plain), both);
        let described = "PS C:\\> Get-NetAdapterRss | ft Name, InterfaceDescription, Enabled\n\nName     InterfaceDescription                 Enabled\n----     --------------------                 -------\nSLOT 2   Intel(R) Ethernet Converged Netwo...   False\nEthernet Realtek PCIe GbE Family Controller      True\n";
        assert_eq!(said(described), both);
        let properties = "Name                      DisplayName                    DisplayValue                   RegistryKeyword RegistryValue\n----                      -----------                    ------------                   --------------- -------------\nSLOT 2                    Receive Side Scaling           Disabled                       *RSS            {0}\nSLOT 2                    Interrupt Moderation           Enabled                        *InterruptMo... {1}\nEthernet                  Receive Side Scaling           Enabled                        *RSS            {1}\n";
        assert_eq!(said(properties), both);
        let (properties, whole) = facts(properties);
        assert!(whole, "{:?}", properties.ignored);
        let nothing = [None, None];
        let cut = plain.replace("SLOT 2  ", "SLO... ");
        assert_eq!(said(&cut.replace("True", "    ")), nothing);
        let (_, table) = plain.split_once("\n\n").expect("two parts");
        assert_eq!(said(table), nothing);
    }

    #[test]
    fn a_list_without_its_command_says_nothing() {
        let (facts, _) = facts("Name : SLOT 2\nEnabled : False\n");
        assert_eq!(word(&facts, Of::Host(0), RSS_OFF), None);
    }
}
