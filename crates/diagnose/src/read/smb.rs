//! Which dialect of SMB a client and its server speak: `Get-SmbConnection` of Windows, and `smbstatus` of Samba.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::whole;

/// The generation of a dialect, and that of the first.
pub(crate) const DIALECT: &str = "smb_dialect";
pub(crate) const OLD_DIALECT: &str = "1";

/// The state of reading.
#[derive(Default)]
pub(super) struct Smb {
    table: Table,
}

/// Which table is read.
#[derive(Clone, Copy, Default)]
enum Table {
    #[default]
    None,
    /// Of Windows, with so many columns behind that of the dialect.
    Connections(usize),
    /// Of Samba.
    Status,
}

impl Tool for Smb {
    fn name(&self) -> &'static str {
        "smb"
    }

    /// `ServerName ShareName UserName Credential Dialect NumOpens` and `hq iso CORP\a CORP\a 3.1.1 1`; as a list `Dialect : 3.1.1`; of
    /// Samba `PID Username Group Machine Protocol Version Encryption Signing` and `811 a users 192.0.2.7 (ipv4:192.0.2.7:51022) SMB3_11 - -`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        if let Some(table) = head(&words) {
            self.table = table;
            return true;
        }
        let found = match (&words[..], self.table) {
            (["Dialect", ":", dialect], _) => generation(dialect),
            _ if !going => return false,
            (rule, _) if rule.iter().all(|w| w.bytes().all(|b| b == b'-')) => return true,
            (row, Table::Connections(behind)) => {
                let at = row.len().checked_sub(behind + 1);
                at.and_then(|at| generation(row[at]))
            }
            ([pid, rest @ ..], Table::Status) if whole(pid).is_some() => {
                rest.iter().find_map(|word| of_samba(word))
            }
            _ => return false,
        };
        let Some(generation) = found else {
            return false;
        };
        facts.word(Of::Path, DIALECT, generation, line.at);
        true
    }
}

/// The table that a line heads.
fn head(words: &[&str]) -> Option<Table> {
    match words {
        ["ServerName", columns @ ..] => {
            let dialect = columns.iter().position(|name| *name == "Dialect")?;
            Some(Table::Connections(columns.len() - 1 - dialect))
        }
        ["PID", "Username", .., "Protocol", "Version"]
        | ["PID", "Username", .., "Protocol", "Version", _, _] => Some(Table::Status),
        _ => None,
    }
}

/// The generation of a dialect as Windows writes it: `1.5`, `2.0.2`, `3.1.1`.
fn generation(dialect: &str) -> Option<&'static str> {
    let (first, rest) = dialect.split_once('.')?;
    let is_number = |part: &str| whole(part).is_some_and(|n| n < 100);
    if !rest.split('.').all(is_number) {
        return None;
    }
    match first {
        "1" => Some(OLD_DIALECT),
        "2" => Some("2"),
        "3" => Some("3"),
        _ => None,
    }
}

/// The same as Samba writes it: `NT1`, `SMB2_10`, `SMB3_11`.
fn of_samba(dialect: &str) -> Option<&'static str> {
    match dialect {
        "NT1" => Some(OLD_DIALECT),
        _ if dialect.starts_with("SMB2_") => Some("2"),
        _ if dialect.starts_with("SMB3_") => Some("3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::DIALECT;
    use crate::fact::Value;
    use crate::read::{Source, read};

    #[test]
    fn dialects_of_windows_and_samba_are_read() {
        let of = |text: &str| {
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.as_bytes().to_vec(),
            }]);
            let all = facts.facts.into_iter().filter(|f| f.name == DIALECT);
            let words = all.filter_map(|f| match f.value {
                Value::Word(word) => Some(word),
                Value::Number(_) => None,
            });
            words.collect::<Vec<String>>()
        };
        let windows = "ServerName ShareName UserName     Credential   Dialect NumOpens\n---------- --------- --------     ----------   ------- --------\nhq         iso       CORP\\jdoe    CORP\\jdoe    1.5     1\nnas        a         CORP\\jdoe    CORP\\jdoe    3.1.1   2\n";
        assert_eq!(of(windows), ["1", "3"]);
        let list = "ServerName            : hq\nDialect               : 2.0.2\nEncrypted             : False\n";
        assert_eq!(of(list), ["2"]);
        let samba = "Samba version 4.9.5\nPID     Username     Group        Machine                                   Protocol Version  Encryption           Signing\n----------------------------------------------------------------------------------------------------------------------------------------\n12345   jdoe         users        192.0.2.7 (ipv4:192.0.2.7:51022)          NT1               -                    -\n";
        assert_eq!(of(samba), ["1"]);
        assert_eq!(
            of("Dialect : German\nhq iso a b 1.5 1\n"),
            Vec::<String>::new()
        );
    }
}
