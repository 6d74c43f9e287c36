//! `show run sysopt` of Cisco ASA: the largest segment that it lets TCP announce through it.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::{behind_show, shortens, whole};

/// The largest segment that a firewall lets TCP announce, bytes, as a fact has it.
pub(crate) const CLAMP: &str = "mss_clamp_bytes";

/// The state of reading.
#[derive(Default)]
pub(super) struct Sysopt;

impl Tool for Sysopt {
    fn name(&self) -> &'static str {
        "show run sysopt"
    }

    /// `sysopt connection tcpmss 1380`; its least value has the word `minimum` before it, and 0 leaves it open.
    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        if asks(line.bare) {
            return true;
        }
        let words: Vec<&str> = line.bare.split_whitespace().collect();
        if let ["sysopt", "connection", "tcpmss", bytes] = words[..]
            && let Some(bytes) = whole(bytes).filter(|n| *n > 0)
        {
            facts.exact(Of::Path, CLAMP, bytes as f64, line.at);
        }
        matches!(words[..], ["sysopt", _, ..] | ["no", "sysopt", _, ..])
    }
}

/// Whether a line is its command: `asa# show run sysopt`, `asa# sh running-config all sysopt`.
fn asks(text: &str) -> bool {
    behind_show(text).is_some_and(|(_, mut words)| {
        let run = words
            .next()
            .is_some_and(|word| shortens(word, "running-config", 3));
        run && words.any(|word| word == "sysopt")
    })
}

#[cfg(test)]
mod tests {
    use super::{CLAMP, Sysopt};
    use crate::read::taken::taken;

    #[test]
    fn an_asa_says_how_large_segments_may_be() {
        let text = "asa# show run sysopt\nno sysopt connection timewait\nsysopt connection tcpmss 1460\nsysopt connection tcpmss minimum 0\n";
        let facts = taken(Sysopt, text);
        let said: Vec<f64> = facts.of_path(CLAMP).map(|f| f.value).collect();
        assert_eq!(said, [1460.0]);
    }
}
