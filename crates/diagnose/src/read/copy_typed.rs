//! Commands of rsync and scp: the host at whose prompt each was typed, the host that it names, and which of the two sends.

use super::label::{behind_prompt, is_typed, is_unix, name_at_prompt, shell_name};
use super::shell::{before, words};
use super::{Facts, Line};
use crate::fact::Place;
use crate::seen::{Side, Test};

/// Programs that copy between this host and another, which their commands name.
const PROGRAMS: [&str; 2] = ["rsync", "scp"];

/// Most commands that are kept.
const TYPED_MAX: usize = 200;

/// Most programs that are kept of what was typed.
const PROGRAMS_MAX: usize = 10_000;

/// A program that was typed at a prompt of a Unix.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Where it was typed.
    at: Place,
    /// The name at the prompt, which may be empty.
    host: String,
    /// The program, without its folder.
    name: String,
}

/// A command that copies files.
#[derive(Clone, Debug)]
pub(crate) struct CopyTyped {
    /// Where it was typed.
    at: Place,
    /// The program.
    tool: &'static str,
    /// Its hosts, where the prompt has a name and the command names one other host.
    ends: Option<CopyEnds>,
    /// The end that its own host is, and the other host, where the prompt has no name.
    unnamed: Option<(Side, String)>,
}

/// The two hosts of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyEnds {
    /// The name at the prompt.
    pub(crate) here: String,
    /// Which end that host is.
    pub(crate) side: Side,
    /// The other host, as the command names it.
    pub(crate) far: String,
}

impl Facts {
    /// Keeps a line that was typed, where it is such a command.
    pub(super) fn typed_copy(&mut self, line: Line<'_>) {
        let text = line.bare;
        let named = PROGRAMS.iter().any(|program| text.contains(program));
        if !named || self.copied.len() >= TYPED_MAX {
            return;
        }
        let command = behind_prompt(text).and_then(of_command);
        let Some((tool, way)) = command.or_else(|| of_command(text)) else {
            return;
        };
        let way = way.map(|(side, far)| (side, crate::redact(&far)));
        let (ends, unnamed) = match (shell_name(text), way) {
            (Some(name), Some((side, far))) => {
                let here = crate::redact(name);
                (Some(CopyEnds { here, side, far }), None)
            }
            (_, way) => (None, way.filter(|_| name_at_prompt(text).is_none())),
        };
        self.copied.push(CopyTyped {
            at: line.at,
            tool,
            ends,
            unnamed,
        });
    }

    /// Keeps the program of a line that was typed.
    pub(super) fn typed_program(&mut self, line: Line<'_>) {
        let text = line.bare;
        let typed = is_unix(text) && is_typed(text);
        let command = behind_prompt(text).filter(|_| typed).unwrap_or("");
        let all = words(command);
        let program = all
            .get(before(&all))
            .and_then(|word| word.rsplit('/').next());
        if let Some(program) = program.filter(|_| self.programs.len() < PROGRAMS_MAX) {
            self.programs.push(Program {
                at: line.at,
                host: crate::redact(name_at_prompt(text).unwrap_or("")),
                name: program.to_owned(),
            });
        }
    }

    /// The name at the prompt, which may be empty, of the last program above a copy in its text, where that is the copy's own.
    pub(crate) fn copy_typed_at(&self, test: &Test) -> Option<&str> {
        let above = |p: &&Program| test.at.lines_below(p.at).is_some();
        let last = self.programs.iter().rfind(above)?;
        let own = test.tool.split(' ').next()?;
        last.name.starts_with(own).then_some(last.host.as_str())
    }

    /// The hosts of a copy, where its prompt has a name and its command names one other host.
    pub(crate) fn copied_by(&self, test: &Test) -> Option<&CopyEnds> {
        self.copy_above(test)?.ends.as_ref()
    }

    /// The end at which a copy was typed, and the other host, where its prompt has no name.
    pub(crate) fn copied_unnamed(&self, test: &Test) -> Option<(Side, &String)> {
        let (side, far) = self.copy_above(test)?.unnamed.as_ref()?;
        Some((*side, far))
    }

    /// The command of a copy above it in its text; none where another program's test stands between.
    fn copy_above(&self, test: &Test) -> Option<&CopyTyped> {
        let above = |c: &&CopyTyped| test.at.lines_below(c.at).is_some();
        let last = self.copied.iter().rfind(above)?;
        let others = |t: &Test| t.at > last.at && t.at < test.at && t.tool != test.tool;
        let is_its = last.tool == test.tool && !self.tests.iter().any(others);
        is_its.then_some(last)
    }
}

/// The program of a command, and the host that it names with the end that its own host is; none of a copy on one host or between two others.
pub(super) fn of_command(command: &str) -> Option<(&'static str, Option<(Side, String)>)> {
    let all = words(command);
    let goes_on = |word: &&str| !word.starts_with(['#', '>', '<', '&']) && !word.starts_with("2>");
    let typed = all.iter().skip(before(&all)).map(String::as_str);
    let typed: Vec<&str> = typed.take_while(goes_on).collect();
    let (program, rest) = typed.split_first()?;
    let program = program.rsplit('/').next()?;
    let tool = PROGRAMS.into_iter().find(|known| *known == program)?;
    let is_place = |word: &&str| !word.starts_with('-');
    let places: Vec<&str> = rest.iter().copied().filter(is_place).collect();
    let (last, sources) = places.split_last()?;
    let from = sources.iter().copied().find_map(host);
    // What stands last behind an option may be its value.
    let valued = rest.iter().rev().nth(1).is_some_and(|word| !is_place(word));
    let way = match (from, host(last)) {
        (None, Some(to)) => Some((Side::Sender, to.to_owned())),
        (Some(from), None) if !valued => Some((Side::Receiver, from.to_owned())),
        _ => None,
    };
    Some((tool, way))
}

/// The host of a place elsewhere: `me@b:/data/`, `b::module`, `rsync://b:873/data/`.
fn host(word: &str) -> Option<&str> {
    let before = match word.split_once("://") {
        Some((_, rest)) => rest.split('/').next()?,
        None => word.split_once(':')?.0,
    };
    let name = before.rsplit('@').next()?.split(':').next()?;
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_name && name.bytes().all(is_part)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{Side, of_command};

    #[test]
    fn a_command_names_the_other_host_and_the_way() {
        for (typed, side, far) in [
            ("rsync -a big archive:/data/", Side::Sender, "archive"),
            (
                "rsync -a me@b.example:/data/ .",
                Side::Receiver,
                "b.example",
            ),
            (
                "sudo rsync -av x rsync://far:873/data/",
                Side::Sender,
                "far",
            ),
            ("rsync -ave 'ssh -p 2222' x lis::srv/", Side::Sender, "lis"),
            (
                "/usr/bin/scp -P 22 x me@192.0.2.7:",
                Side::Sender,
                "192.0.2.7",
            ),
        ] {
            let way = Some((side, far.to_owned()));
            assert_eq!(of_command(typed).map(|(_, way)| way), Some(way), "{typed}");
        }
        let noted = of_command("rsync -a x b:/y --progress  # again").map(|(_, way)| way);
        assert_eq!(noted, Some(Some((Side::Sender, "b".to_owned()))));
        for neither in [
            "rsync -a /a/x:y /b/",
            "scp a:/x b:/y",
            "rsync x b:/y -e ssh",
        ] {
            assert_eq!(of_command(neither).map(|(_, way)| way), Some(None));
        }
        assert_eq!(of_command("iperf3 -c archive:1"), None);
        assert_eq!(of_command("rsync"), None);
    }
}
