//! Letters of drives of Windows, which may be of shares, and which way a copy goes by the folders of its command.

use std::collections::BTreeMap;

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Place;
use crate::seen::Side;

/// The host of the share that the data comes from, and of the one that it goes to: words of a test.
pub(crate) const SHARES: [&str; 2] = ["sender_share", "receiver_share"];

/// The end of a copy at which its program ran, where the folders of its command say it: a word of a test.
pub(crate) const COPIER: &str = "copying_end";

/// Where a copy reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    /// On a share of this host.
    Share(String),
    /// On the drive of this letter, which may be of a share.
    Drive(char),
    /// Below the folder that the command was typed in.
    Here,
}

impl Folder {
    /// Of `\\hq\iso`, `"D:\my files"`, `small`; none of an option.
    pub(super) fn of(text: &str) -> Option<Folder> {
        let bare = text.trim_matches('"');
        if let Some(host) = share(bare) {
            return Some(Folder::Share(host));
        }
        let mut letters = bare.chars();
        match (letters.next()?, letters.next()) {
            (letter, Some(':')) if letter.is_ascii_alphabetic() => {
                Some(Folder::Drive(letter.to_ascii_uppercase()))
            }
            ('/' | '\\', _) => None,
            _ => Some(Folder::Here),
        }
    }
}

/// The host of a share: `srv` of `\\srv\in`. Paths of the own host begin with `\\?\` or `\\.\`.
fn share(folder: &str) -> Option<String> {
    let (host, _) = folder.strip_prefix("\\\\")?.split_once('\\')?;
    (!matches!(host, "" | "?" | ".")).then(|| crate::redact(host))
}

/// Letters that are of shares, and copies whose way is to be found by them.
#[derive(Clone, Debug, Default)]
pub(super) struct Drives {
    /// The host of the share that a letter stands for, by the source that says it.
    mapped: BTreeMap<(u32, char), String>,
    copies: Vec<Copied>,
}

/// A copy, by the number and place of its test, and the folders that it read and wrote.
#[derive(Clone, Debug)]
struct Copied {
    test: usize,
    at: Place,
    folders: [Option<Folder>; 2],
}

impl Facts {
    /// Takes `Z: \\fs1\vm`, two words of a line that says which share a letter is of.
    fn maps(&mut self, text: &str, at: Place) -> bool {
        let Place::Line(source, _) = at else {
            return false;
        };
        let Some((letter, host)) = mapped(text) else {
            return false;
        };
        self.drives.mapped.insert((source, letter), host);
        true
    }

    /// The last test is a copy between these folders.
    pub(super) fn copied(&mut self, folders: [Option<Folder>; 2], at: Place) {
        let Some(test) = self.tests.len().checked_sub(1) else {
            return;
        };
        self.drives.copies.push(Copied { test, at, folders });
    }

    /// All was read: which way each copy went. Where one folder alone is of another host, the copy ran at the other end.
    pub(super) fn settle_drives(&mut self) {
        let Drives { mapped, copies } = core::mem::take(&mut self.drives);
        for Copied { test, at, folders } in copies {
            let Place::Line(source, _) = at else { continue };
            let hosts = folders.each_ref().map(|folder| match folder {
                Some(Folder::Share(host)) => Some(host.clone()),
                Some(Folder::Drive(letter)) => mapped.get(&(source, *letter)).cloned(),
                _ => None,
            });
            let known = folders.iter().all(Option::is_some);
            let way = match &hosts {
                [Some(_), None] if known => Some(Side::Receiver),
                [None, Some(_)] if known => Some(Side::Sender),
                _ => None,
            };
            let neither = hosts.iter().all(Option::is_none);
            let all = self.tests.get_mut(test);
            let Some(test) = all.filter(|t| t.at == at && t.tool == "robocopy") else {
                continue;
            };
            for (end, host) in SHARES.into_iter().zip(hosts) {
                test.words.extend(host.map(|host| (end, host)));
            }
            if let Some(side) = way {
                test.words.insert(COPIER, side.name().to_owned());
            }
            if way == Some(Side::Receiver) {
                test.received = test.sent.take();
                test.client = Side::Receiver;
                test.words.insert("receiver_system", "windows".to_owned());
            }
            if neither && self.notes.len() < NOTES_MAX {
                let note = format!(
                    "{}: no text says which way this copy went: its command with \\\\HOST\\SHARE, or what `net use` prints, says which folder is of another host",
                    self.place(at)
                );
                self.notes.push(note);
            }
        }
    }
}

/// The letter and the host of the share that a line has side by side.
fn mapped(text: &str) -> Option<(char, String)> {
    let words: Vec<&str> = text.split_whitespace().take(8).collect();
    words.windows(2).find_map(|pair| {
        let mut letters = pair[0].strip_suffix(':')?.chars();
        let letter = letters.next().filter(|_| letters.next().is_none())?;
        let host = share(pair[1].trim_matches('"'))?;
        let is = letter.is_ascii_alphabetic();
        is.then(|| (letter.to_ascii_uppercase(), host))
    })
}

/// `net use` and `Get-SmbMapping` of Windows.
pub(super) struct NetUse;

/// The heads of their tables.
const HEADS: [&[&str]; 2] = [
    &["Status", "Local", "Remote", "Network"],
    &["Status", "Local", "Path", "Remote", "Path"],
];

/// How a letter's connection is: the first word of a row.
const STATES: [&str; 6] = [
    "OK",
    "Disconnected",
    "Unavailable",
    "Paused",
    "Reconnecting",
    "Connecting",
];

/// What a row of a long name is continued with, and what stands around a table.
const NETWORK: &str = "Microsoft Windows Network";
const ABOVE: &str = "New connections will ";
const BELOW: &str = "The command completed successfully";

impl Tool for NetUse {
    fn name(&self) -> &'static str {
        "net use"
    }

    /// `OK           Z:        \\fs1\vm                  Microsoft Windows Network`; typed, `net use Z: \\fs1\vm`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let words: Vec<&str> = text.split_whitespace().take(8).collect();
        if is_typed(&words) {
            facts.maps(text, line.at);
            return true;
        }
        if text.starts_with(ABOVE) || HEADS.iter().any(|head| words == *head) {
            return true;
        }
        let around = text == NETWORK || text.starts_with(BELOW);
        let row = words.first().is_some_and(|word| STATES.contains(word));
        going && (around || row && facts.maps(text, line.at))
    }
}

/// Whether `net use` was typed, behind a prompt or by itself.
fn is_typed(words: &[&str]) -> bool {
    words.windows(2).take(3).any(|pair| {
        let end = pair[0].rsplit(['>', '\\']).next().unwrap_or(pair[0]);
        end.eq_ignore_ascii_case("net") && pair[1].eq_ignore_ascii_case("use")
    })
}

#[cfg(test)]
mod tests {
    use super::{COPIER, Folder, SHARES};
    use crate::read::taken::whole;
    use crate::seen::Side;

    #[test]
    fn folders_are_shares_drives_or_below_the_own() {
        for (text, folder) in [
            ("\\\\hq\\iso", Some(Folder::Share("hq".to_owned()))),
            ("\"d:\\my files\"", Some(Folder::Drive('D'))),
            ("small", Some(Folder::Here)),
            ("/MIR", None),
            ("\\\\?\\D:\\iso", None),
        ] {
            assert_eq!(Folder::of(text), folder, "{text}");
        }
    }

    /// Which end this host is follows from the folder that is of another one; of two letters `net use` says which that is.
    #[test]
    fn the_way_of_a_copy_is_that_of_its_folders() {
        let table = "C:\\>net use\nNew connections will be remembered.\n\nStatus       Local     Remote                    Network\n\n-------------------------------------------------------------------------------\nOK           Z:        \\\\fs1\\vm                  Microsoft Windows Network\nThe command completed successfully.\n\n";
        let receives = Some(Side::Receiver);
        for (folders, table, way) in [
            ("\\\\hq\\iso D:\\iso", "", receives),
            ("D:\\iso \\\\hq\\iso", "", Some(Side::Sender)),
            ("\"D:\\my files\" \\\\hq\\iso", "", Some(Side::Sender)),
            ("Z:\\iso D:\\iso", "", None),
            ("Z:\\iso D:\\iso", table, receives),
            ("\\\\hq\\iso \\\\fs1\\iso", "", None),
        ] {
            let text = format!(
                "C:\\>robocopy {folders} big.iso\n   ROBOCOPY     ::     Robust File Copy for Windows\n   Bytes :   9.765 g   9.765 g         0         0         0         0\n   Times :   3:33:12   3:33:12                       0:00:00   0:00:00\n   Speed :              819200 Bytes/sec.\n{table}"
            );
            let (facts, _) = whole(&text);
            let test = &facts.tests[0];
            assert_eq!(test.words.contains_key(COPIER), way.is_some(), "{text}");
            assert_eq!(test.received.is_some(), way == receives, "{text}");
            if let Some(side) = way {
                assert_eq!(test.client, side, "{text}");
                let share = SHARES[side.other() as usize];
                assert!(test.words.contains_key(share), "{text}");
            }
        }
    }
}
