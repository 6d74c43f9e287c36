//! `show processes cpu` of IOS, and what it logs of its processor, `show cpu usage` of Cisco ASA, and `/system resource print` of RouterOS: a
//! full one drops packets that it forwards itself as they arrive.

use super::routeros::{key, typed};
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Of, Place};
use crate::hosts::router_full::{ALL, BUSY, FORWARDS, PACKETS, ROUTER, SOME};
use crate::words::{behind_show, shortens, whole};

/// The state of reading: the router whose command was read, empty where none was.
#[derive(Default)]
pub(super) struct Processes {
    router: String,
    /// Lines of `/system resource print` may follow.
    resources: bool,
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
        let of_resources = asks_resources(text);
        if let Some(router) = asks(text).or(of_resources) {
            self.router = crate::redact(router);
            self.resources = of_resources.is_some();
            return true;
        }
        let resource = key(text).filter(|_| going && self.resources);
        let busy = resource.and_then(of_resource).or_else(|| load_of_asa(text));
        let said = match (load(text), text.contains(HOG)) {
            (Some([all, packets]), _) => {
                is_busy(&self.router, [all, packets], SOME, line.at, facts);
                let full =
                    format!("was busy for {all} % of five seconds, {packets} % with packets");
                (all >= FULL).then_some(full)
            }
            (None, true) => Some("was held by a program for long (CPUHOG)".to_owned()),
            (None, false) => {
                let Some(all) = busy else {
                    return going && (is_row(text) || resource.is_some());
                };
                is_busy(&self.router, [all, all], ALL, line.at, facts);
                (all >= FULL).then(|| format!("was busy for {all} % of the time"))
            }
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

/// How busy the processor of a router was, and how much of that was for packets, percent; and whether the router forwards all with it.
pub(super) fn is_busy(
    router: &str,
    [all, packets]: [u64; 2],
    forwards: &str,
    at: Place,
    facts: &mut Facts,
) {
    facts.exact(Of::Path, BUSY, all as f64 / 100.0, at);
    facts.exact(Of::Path, PACKETS, packets as f64 / 100.0, at);
    facts.word(Of::Path, ROUTER, router, at);
    facts.word(Of::Path, FORWARDS, forwards, at);
}

/// The router whose resources a line asks for: `[admin@gw] > /system resource print`.
fn asks_resources(text: &str) -> Option<&str> {
    let (router, command) = typed(text)?;
    command.contains("/system resource").then_some(router)
}

/// How busy the processor is by a line of these, percent: `cpu-load: 100%`.
fn of_resource((key, value): (&str, &str)) -> Option<u64> {
    let percent = value.strip_suffix('%').filter(|_| key == "cpu-load")?;
    whole(percent).filter(|n| *n <= 100)
}

/// The same of Cisco ASA: `CPU utilization for 5 seconds = 99%; 1 minute: 98%; 5 minutes: 96%`.
fn load_of_asa(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("CPU utilization for 5 seconds = ")?;
    whole(rest.split_once('%')?.0).filter(|n| *n <= 100)
}

/// The router whose command a line is: `r1#show processes cpu sorted`, `r1#sh proc cpu | i CPU`, `asa# show cpu usage`.
fn asks(text: &str) -> Option<&str> {
    let (prompt, mut words) = behind_show(text)?;
    let what = words.next()?;
    let asked = shortens(what, "processes", 4) || what == "cpu";
    let named = prompt.starts_with(|c: char| c.is_ascii_alphanumeric())
        && prompt
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b));
    (named && asked).then_some(prompt)
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
        assert_eq!(asks("asa# show cpu usage"), Some("asa"));
        let asa = "CPU utilization for 5 seconds = 99%; 1 minute: 98%; 5 minutes: 96%";
        assert_eq!((load_of_asa(asa), load(asa)), (Some(99), None));
        let gw = "[admin@gw] > /system resource print";
        assert_eq!(asks_resources(gw), Some("gw"));
        assert_eq!(of_resource(("cpu-load", "100%")), Some(100));
        assert_eq!(of_resource(("cpu-count", "4")), None);
        let row = " 112   812312  9123123    89 12.31% 11.02% 10.90%   0 IP Input";
        assert!(is_row(row.trim()) && !is_row("112 packets were lost"));
    }
}
