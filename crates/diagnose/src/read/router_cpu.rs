//! `show processes cpu` of IOS, and what it logs of its processor: a full one drops packets that it forwards itself as they arrive.

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Of;
use crate::router_full::{BUSY, PACKETS, ROUTER};
use crate::words::{shortens, whole};

/// The state of reading: the router whose command was read, empty where none was.
#[derive(Default)]
pub(super) struct Processes {
    router: String,
}

/// From this part of the time on a processor is full, percent. A choice.
const FULL: u64 = 90;

/// What IOS logs of a program that did not let go of the processor.
const HOG: &str = "%SYS-3-CPUHOG:";

impl Tool for Processes {
    fn name(&self) -> &'static str {
        "show processes"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(router) = asks(text) {
            self.router = crate::redact(router);
            return true;
        }
        let said = match (load(text), text.contains(HOG)) {
            (Some([all, packets]), _) => {
                facts.exact(Of::Path, BUSY, all as f64 / 100.0, line.at);
                facts.exact(Of::Path, PACKETS, packets as f64 / 100.0, line.at);
                facts.word(Of::Path, ROUTER, &self.router, line.at);
                let full =
                    format!("was busy for {all} % of five seconds, {packets} % with packets");
                (all >= FULL).then_some(full)
            }
            (None, true) => Some("was held by a program for long (CPUHOG)".to_owned()),
            (None, false) => return going && is_row(text),
        };
        if let Some(said) = said
            && facts.notes.len() < NOTES_MAX
        {
            let router = match self.router.as_str() {
                "" => "a router",
                name => name,
            };
            let note = format!(
                "{}: the processor of {router} {said}: what a router forwards with its processor it drops then as it arrives; show interfaces counts that (Input queue, overrun, ignored)",
                facts.place(line.at)
            );
            facts.notes.push(note);
        }
        true
    }
}

/// The router whose command a line is: `r1#show processes cpu sorted`, `r1#sh proc cpu | i CPU`.
fn asks(text: &str) -> Option<&str> {
    let (prompt, command) = text.split_once(['#', '>'])?;
    let mut words = command.split_whitespace();
    let mut is = |name: &str, least: usize| {
        let word = words.next();
        word.is_some_and(|w| shortens(w, name, least))
    };
    let named = prompt.starts_with(|c: char| c.is_ascii_alphanumeric())
        && prompt
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    (named && is("show", 2) && is("processes", 4)).then_some(prompt)
}

/// How busy the processor was, and how much of that was for packets, percent: `CPU utilization for five seconds: 99%/98%; one minute: …`.
fn load(text: &str) -> Option<[u64; 2]> {
    let rest = text.strip_prefix("CPU utilization for five seconds: ")?;
    let (all, packets) = rest.split(';').next()?.split_once("%/")?;
    Some([whole(all)?, whole(packets.strip_suffix('%')?)?])
}

/// `PID Runtime(ms)  Invoked  uSecs  5Sec  1Min  5Min TTY Process`, and a row under it.
fn is_row(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_head = text.starts_with("PID ") && text.contains("Runtime");
    let shares = || words[4..7].iter().all(|w| w.ends_with('%'));
    is_head || words.len() >= 9 && whole(words[0]).is_some() && shares()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_busy_a_router_is_stands_in_its_first_line() {
        let text = "CPU utilization for five seconds: 99%/98%; one minute: 97%; five minutes: 95%";
        assert_eq!(load(text), Some([99, 98]));
        assert_eq!(load("CPU utilization for one minute: 12%"), None);
        assert_eq!(asks("r1#sh proc cpu | i CPU"), Some("r1"));
        assert_eq!(asks("r1#show interfaces"), None);
        let row = " 112   812312  9123123    89 12.31% 11.02% 10.90%   0 IP Input";
        assert!(is_row(row.trim()) && !is_row("112 packets were lost"));
    }
}
