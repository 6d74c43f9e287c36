//! robocopy of Windows: the closing lines of a copy to or from a share.

use super::copies::copy;
use super::{Facts, Line, Tool};
use crate::fact::Figure;
use crate::seen::Side;
use crate::small_files::COPIED;
use crate::words::{decimal, number, whole};

/// The state of reading: bytes and files that were copied, and the time that this took, seconds.
#[derive(Default)]
pub(super) struct Robocopy {
    bytes: Option<f64>,
    seconds: Option<f64>,
    files: Option<u64>,
    /// Several files are copied at a time (`/MT`).
    side_by_side: bool,
    /// The hosts whose shares are read and written.
    shares: [Option<String>; 2],
}

/// The host of the share that the data comes from, and of the one that it goes to: words of a test.
pub(crate) const SHARES: [&str; 2] = ["sender_share", "receiver_share"];

impl Tool for Robocopy {
    fn name(&self) -> &'static str {
        "robocopy"
    }

    /// `Speed :            38,220,800 Bytes/sec.`, below `Bytes :   1.000 g   1.000 g   0   0   0   0` and
    /// `Times :   0:00:28   0:00:28`. Which way the copy went is not said: the host of the text sends.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if is_typed(text) {
            self.side_by_side = has_threads(text);
            self.shares = typed_shares(text);
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
                    let shares = core::mem::take(&mut self.shares);
                    for (end, share) in SHARES.into_iter().zip(shares) {
                        test.words.extend(share.map(|host| (end, host)));
                    }
                    let several = core::mem::take(&mut self.side_by_side);
                    if let Some(files) = self.files.take().filter(|_| !several) {
                        test.set(COPIED, Figure::exact(files as f64, line.at));
                    }
                    facts.tests.push(test);
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
                self.shares[usize::from(key == "Dest")] = share(value);
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

/// The host of a share: `srv` of `\\srv\in`.
fn share(folder: &str) -> Option<String> {
    let (host, _) = folder
        .trim_matches('"')
        .strip_prefix("\\\\")?
        .split_once('\\')?;
    (!host.is_empty()).then(|| crate::redact(host))
}

/// The hosts of the shares that a typed command reads and writes.
fn typed_shares(text: &str) -> [Option<String>; 2] {
    let mut words = text.split_whitespace().skip_while(|word| !is_typed(word));
    let mut next = || words.next().and_then(share);
    // The first is the program itself.
    let _ = next();
    [next(), next()]
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
    use super::typed_shares;

    #[test]
    fn the_hosts_of_shares_are_those_of_the_command() {
        for (text, from, to) in [
            (
                "C:\\>robocopy D:\\vm \\\\fs2\\vm big.vhdx /J",
                None,
                Some("fs2"),
            ),
            (
                "PS C:\\> robocopy.exe \\\\lonfs\\homes$ D:\\homes /E",
                Some("lonfs"),
                None,
            ),
            ("robocopy \"\\\\a\\x\" \"\\\\b\\x\"", Some("a"), Some("b")),
        ] {
            let shares = typed_shares(text);
            assert_eq!(
                [shares[0].as_deref(), shares[1].as_deref()],
                [from, to],
                "{text}"
            );
        }
    }
}
