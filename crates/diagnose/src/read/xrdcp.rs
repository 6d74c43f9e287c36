//! `xrdcp` of XRootD: its line of progress, whose rate is the mean since the start.

use super::copies::{bytes, copy, shown};
use super::label::behind_prompt;
use super::shell::{before, words};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::redact::address;
use crate::seen::{End, Side};
use crate::words::whole;

/// The tool's name.
pub(super) const TOOL: &str = "xrdcp";

/// The state of reading: what the command copies, and the last line of progress.
#[derive(Default)]
pub(super) struct Xrdcp {
    typed: Option<(Side, End)>,
    progress: Option<Progress>,
}

/// What a line of progress says: bytes that are across, and bytes a second.
struct Progress {
    done: Figure,
    rate: Figure,
    at: Place,
}

impl Tool for Xrdcp {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let text = shown(line.bare);
        if let Some(typed) = typed(text) {
            self.close(facts);
            self.typed = Some(typed);
            return true;
        }
        let Some(progress) = progress(text, line.at) else {
            return false;
        };
        self.progress = Some(progress).filter(|p| p.rate.value > 0.0);
        true
    }

    fn held(&self) -> usize {
        usize::from(self.progress.is_some())
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Xrdcp {
    /// Hands over what is across, at its mean rate.
    fn close(&mut self, facts: &mut Facts) {
        let last = core::mem::take(self);
        let Some(progress) = last.progress else {
            return;
        };
        let seconds = progress.done.value / progress.rate.value;
        let side = last.typed.as_ref().map_or(Side::Sender, |(side, _)| *side);
        let what = (Some(progress.done), seconds);
        let mut test = copy(TOOL, side, &progress.rate, what, progress.at);
        match last.typed {
            Some((Side::Receiver, server)) => test.from = server,
            Some((Side::Sender, server)) => test.to = server,
            None if facts.notes.len() < NOTES_MAX => facts.notes.push(format!(
                "{}: which way it went no line says: it is taken for sent",
                facts.place(test.at)
            )),
            None => {}
        }
        facts.tests.push(test);
    }
}

/// The server of `root://eos.example.org:1094//eos/x.root`; none of a file of this host.
fn server(place: &str) -> Option<End> {
    let (_, rest) = place.split_once("://")?;
    let named = rest.split('/').next()?.rsplit('@').next()?;
    let port = |port: &str| u16::try_from(whole(port)?).ok();
    let (host, port) = match named.rsplit_once(':') {
        Some((host, number)) if port(number).is_some() => (host, port(number)),
        _ => (named, None),
    };
    let host = address(host.trim_matches(['[', ']']));
    (!host.is_empty()).then_some(End { host, port })
}

/// Which end a command is, and its server: `$ xrdcp -f root://eos.example.org//eos/x.root /dev/null`. A copy between two servers is of neither.
fn typed(text: &str) -> Option<(Side, End)> {
    if !text.contains(TOOL) {
        return None;
    }
    let all = words(behind_prompt(text).unwrap_or(text));
    let begin = before(&all);
    let name = all.get(begin)?.rsplit('/').next()?;
    let [.., from, to] = &all[begin + 1..] else {
        return None;
    };
    if name != TOOL || [from, to].iter().any(|place| place.starts_with('-')) {
        return None;
    }
    match (server(from), server(to)) {
        (Some(from), None) => Some((Side::Receiver, from)),
        (None, Some(to)) => Some((Side::Sender, to)),
        _ => None,
    }
}

/// `[1.863GB/10GB][18%][=========>                 ][94.21MB/s]`.
fn progress(text: &str, at: Place) -> Option<Progress> {
    let all = text.strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = all.split("][").collect();
    let [both, part, bar, rate] = parts[..] else {
        return None;
    };
    let is_bar = bar.chars().all(|c| "=> ".contains(c));
    whole(part.trim().strip_suffix('%')?).filter(|_| is_bar)?;
    let (done, _) = both.split_once('/')?;
    rate.strip_suffix("/s")?;
    Some(Progress {
        done: bytes(done, at)?,
        rate: bytes(rate, at)?,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::{End, Side, server, typed};

    #[test]
    fn the_server_of_a_copy_is_one_end() {
        let end = |host: &str, port| End {
            host: host.to_owned(),
            port,
        };
        let got = typed("wn1$ xrdcp -f root://eos.example.org//eos/x.root /dev/null");
        assert_eq!(got, Some((Side::Receiver, end("eos.example.org", None))));
        let sent = typed("$ xrdcp /data/x.root root://se.example.org:1094//store/x.root");
        assert_eq!(
            sent,
            Some((Side::Sender, end("se.example.org", Some(1094))))
        );
        assert_eq!(typed("$ xrdcp root://a.org//x root://b.org//x"), None);
        assert_eq!(typed("we used xrdcp to copy it"), None);
        assert_eq!(server("file:///data/x.root"), None);
    }
}
