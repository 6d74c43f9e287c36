//! robocopy of Windows: the closing lines of a copy to or from a share.

use super::copies::copy;
use super::drives::Folder;
use super::{Facts, Line, Tool};
use crate::fact::Figure;
use crate::programs::small_files::COPIED;
use crate::seen::Side;
use crate::words::{decimal, number, whole};

/// The state of reading: bytes and files that were copied, and the time that this took, seconds.
#[derive(Default)]
pub(super) struct Robocopy {
    bytes: Option<f64>,
    seconds: Option<f64>,
    files: Option<u64>,
    /// Several files are copied at a time (`/MT`).
    side_by_side: bool,
    /// The folders that are read and written.
    folders: [Option<Folder>; 2],
}

impl Tool for Robocopy {
    fn name(&self) -> &'static str {
        "robocopy"
    }

    /// `Speed :            38,220,800 Bytes/sec.`, below `Bytes :   1.000 g   1.000 g   0   0   0   0` and
    /// `Times :   0:00:28   0:00:28`. Which way the copy went follows from its folders, once all is read.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if is_typed(text) {
            self.side_by_side = has_threads(text);
            self.folders = typed_folders(text);
            return false;
        }
        let Some((key, value)) = text.split_once(" : ").map(|(k, v)| (k.trim(), v.trim())) else {
            return text.starts_with("ROBOCOPY") || going && text.starts_with("Total ");
        };
        match key {
            "Speed" => {
                let Some(digits) = value.strip_suffix(" Bytes/sec.") else {
                    return value.ends_with(" MegaBytes/min.");
                };
                let digits = digits.replace([',', '.', ' '], "");
                if let Some(rate) = number(&digits, line.at).filter(|r| r.value > 0.0) {
                    let bytes = self.bytes.take().map(|b| Figure::exact(b, line.at));
                    let seconds = self.seconds.take().unwrap_or(0.0);
                    let what = (bytes, seconds);
                    let mut test = copy("robocopy", Side::Sender, &rate, what, line.at);
                    let several = core::mem::take(&mut self.side_by_side);
                    if let Some(files) = self.files.take().filter(|_| !several) {
                        test.set(COPIED, Figure::exact(files as f64, line.at));
                    }
                    facts.tests.push(test);
                    facts.copied(core::mem::take(&mut self.folders), line.at);
                }
                true
            }
            "Bytes" => {
                self.bytes = copied(value);
                going || self.bytes.is_some()
            }
            "Times" => {
                let clock = value.split_whitespace().nth(1);
                self.seconds = clock.and_then(super::copies::clock);
                self.seconds.is_some()
            }
            "Files" => {
                self.files = value.split_whitespace().nth(1).and_then(whole);
                going
            }
            "Options" => {
                self.side_by_side |= has_threads(value);
                going
            }
            "Source" | "Dest" if going => {
                self.folders[usize::from(key == "Dest")] = Folder::of(value);
                true
            }
            "Ended" | "Started" | "Dirs" => going,
            _ => false,
        }
    }
}

/// Whether a line is a command that copies, behind a prompt or by itself: `robocopy D:\small \\srv\in /E`. Its own head has `::`.
fn is_typed(text: &str) -> bool {
    let is = |word: &str| {
        let end = word.rsplit(['>', '\\']).next().unwrap_or(word);
        ["robocopy", "robocopy.exe"]
            .iter()
            .any(|name| end.eq_ignore_ascii_case(name))
    };
    text.split_whitespace().take(4).any(is) && !text.contains("::")
}

/// The folders that a typed command reads and writes.
fn typed_folders(text: &str) -> [Option<Folder>; 2] {
    let words = words(text);
    let mut words = words.into_iter().skip_while(|word| !is_typed(word)).skip(1);
    let mut next = || words.next().and_then(Folder::of);
    [next(), next()]
}

/// The words of a command; those between quotes are one.
fn words(text: &str) -> Vec<&str> {
    let mut rest = text.trim_start();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (word, behind) = match rest.strip_prefix('"') {
            Some(inner) => inner.split_once('"').unwrap_or((inner, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        all.push(word);
        rest = behind.trim_start();
    }
    all
}

/// Whether options have several files copied at a time: `/MT`, `/MT:16`.
fn has_threads(text: &str) -> bool {
    let is = |word: &str| word == "/mt" || word.starts_with("/mt:") && word != "/mt:1";
    text.to_ascii_lowercase().split_whitespace().any(is)
}

/// The second column of `Bytes`: `1.000 g   1.000 g`, `10240   10240`.
fn copied(value: &str) -> Option<f64> {
    let mut sizes = Vec::new();
    for word in value.split_whitespace() {
        let worth = match word {
            "k" => 1024.0,
            "m" => 1024.0 * 1024.0,
            "g" => 1024.0 * 1024.0 * 1024.0,
            "t" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            _ => {
                sizes.push(decimal(word)?);
                continue;
            }
        };
        *sizes.last_mut()? *= worth;
    }
    // Gigabytes in four digits do not count bytes.
    let whole_number = value.split_whitespace().all(|w| whole(w).is_some());
    sizes.get(1).copied().filter(|_| whole_number)
}

#[cfg(test)]
mod tests {
    use super::{Folder, typed_folders};

    #[test]
    fn folders_are_those_of_the_command() {
        let share = |host: &str| Some(Folder::Share(host.to_owned()));
        let drive = Some(Folder::Drive('D'));
        for (text, folders) in [
            (
                "C:\\>robocopy D:\\vm \\\\fs2\\vm big.vhdx /J",
                [drive.clone(), share("fs2")],
            ),
            (
                "PS C:\\> robocopy.exe \\\\lonfs\\homes$ D:\\homes /E",
                [share("lonfs"), drive.clone()],
            ),
            ("robocopy \"\\\\a\\x y\" \"D:\\x y\"", [share("a"), drive]),
            ("robocopy /?", [None, None]),
        ] {
            assert_eq!(typed_folders(text), folders, "{text}");
        }
    }
}
