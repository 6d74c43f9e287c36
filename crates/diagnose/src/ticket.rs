//! The text for the ticket.

use crate::advice::NO_RISK;
use crate::ceiling::bps;
use crate::document::{Contradiction, FlowReport};
use crate::evidence::NS;
use crate::history::{History, shown};
use crate::windows::no_rate::headline;

/// Columns that a ticket's text is wrapped at.
const WIDTH: usize = 78;

/// Plain text that says what was found, why, and what comes next.
pub(crate) fn text(
    flows: &[FlowReport],
    histories: &[History],
    contradictions: &[Contradiction],
) -> String {
    let mut out = String::new();
    for history in histories {
        let words = format!("{}: {}.", history.name, history.words(flows));
        wrap(&words, "", &mut out);
        out.push('\n');
    }
    let mut said_above: Vec<(String, &str)> = Vec::new();
    for flow in shown(flows, histories) {
        let rate = rate(flow);
        let verdict = &flow.verdict;
        let mut paragraph = format!("{}: {rate}. ", flow.name);
        paragraph.push_str(&limited(flow));
        wrap(&paragraph, "", &mut out);
        if let Some((second, share)) = verdict
            .second
            .as_ref()
            .and_then(|s| s.share.map(|share| (s, share)))
            && verdict.cause != "unknown"
            && share >= 0.2
        {
            let words = crate::Cause::named(second.cause).map_or("", crate::Cause::words);
            let besides = format!(
                "For {:.0} % of the time it is limited by {words}.",
                share * 100.0
            );
            wrap(&besides, "", &mut out);
        }
        let said = usize::from(headline(verdict).is_some());
        for because in verdict.because.iter().skip(said) {
            wrap(because, "- ", &mut out);
        }
        if let Some(target) = &flow.target {
            wrap(&format!("Expected: {target}."), "", &mut out);
        }
        let next = next(flow);
        match said_above.iter().find(|(known, _)| *known == next) {
            Some((known, above)) if !known.is_empty() => {
                let text = format!("What to change and to send is as for {above}, above.");
                wrap(&text, "", &mut out);
            }
            _ => out.push_str(&next),
        }
        said_above.push((next, flow.name.as_str()));
        out.push('\n');
    }
    for c in contradictions {
        wrap(&format!("Contradiction: {}", c.text), "", &mut out);
    }
    out.trim_end().to_owned() + "\n"
}

/// What is to change and what is asked for.
fn next(flow: &FlowReport) -> String {
    let mut out = String::new();
    changes(flow, &mut out);
    if !flow.missing.is_empty() && flow.verdict.confidence < 0.9 {
        wrap("Please send:", "", &mut out);
        for missing in &flow.missing {
            command(&of_customer(&missing.command), &mut out);
            wrap(&missing.would_decide, "      ", &mut out);
        }
    }
    out
}

/// A confidence of so much or less rounds to 0 %.
pub(crate) const NOTHING: f64 = 0.005;

/// What limits a flow, in a sentence.
fn limited(flow: &FlowReport) -> String {
    let verdict = &flow.verdict;
    let words = crate::Cause::named(verdict.cause).map_or("unknown", crate::Cause::words);
    if let Some(first) = headline(verdict) {
        let (begin, rest) = first.split_at(1);
        return format!("{}{rest}.", begin.to_uppercase());
    }
    match (verdict.cause, verdict.confidence) {
        ("unknown", _) => {
            let second = verdict.second.as_ref().filter(|s| s.confidence > NOTHING);
            let second = second.map_or_else(String::new, |second| {
                let likely = crate::Cause::named(second.cause).map_or("", crate::Cause::words);
                let odds = second.confidence * 100.0;
                format!("; the likeliest is {likely} ({odds:.0} %)")
            });
            format!("What limits it cannot be said from these facts{second}.")
        }
        ("none", _) => "It is what was asked for.".to_owned(),
        ("link", c) if c >= 0.6 => {
            format!("This is the line ({:.0} %){}.", c * 100.0, unheld(flow))
        }
        (_, c) if c >= 0.6 => format!("It is limited by {words} ({:.0} %).", c * 100.0),
        (_, c) => format!("It is probably limited by {words} ({:.0} %).", c * 100.0),
    }
}

/// That no host holds a full line back, where nothing is to be changed.
fn unheld(flow: &FlowReport) -> &'static str {
    match flow.changes.is_empty() {
        true => ": no setting of a host holds it back",
        false => "",
    }
}

/// What an option would say to this program, in words for whoever has no such program.
const TOLD: [(&str, &str); 3] = [
    ("--line", "tell us the rate of the line"),
    ("--rtt", "tell us which of those pings is of this path"),
    ("--mtu", "tell us whether it is answered"),
];

/// What is asked for, without commands of this program: `farpath diagnose --line 1Gbit/s ...` is a rate that somebody tells.
fn of_customer(command: &str) -> String {
    const OWN: &str = "farpath diagnose ";
    const REST: &str = " ...";
    let Some((before, rest)) = command.split_once(OWN) else {
        return command.to_owned();
    };
    let told = TOLD.iter().find(|(option, _)| rest.starts_with(option));
    let (Some((_, words)), Some((_, behind))) = (told, rest.split_once(REST)) else {
        return command.to_owned();
    };
    let before = before.replace(": where it is answered, ", "; ");
    let behind = behind
        .strip_prefix(" with the one that is")
        .unwrap_or(behind);
    format!("{before}{words}{behind}")
}

/// How fast it was, or for how long it has stood still.
fn rate(flow: &FlowReport) -> String {
    match (flow.observed.goodput_bps, flow.observed.stalled_ns) {
        _ if flow.unrated => "slow beside the transfers".to_owned(),
        (Some(rate), _) => bps(rate),
        (None, Some(ns)) => format!("stalled for {:.1} s", ns * NS),
        (None, None) => "no rate".to_owned(),
    }
}

/// What to change, and what that leaves.
fn changes(flow: &FlowReport, out: &mut String) {
    for change in &flow.changes {
        wrap(&format!("To change on {}:", change.host), "", out);
        for command in &change.commands {
            self::command(command, out);
        }
        if !change.undo.is_empty() {
            wrap("To undo:", "", out);
        }
        for command in &change.undo {
            self::command(command, out);
        }
        if change.risk != NO_RISK {
            wrap(&format!("Beware: {}.", change.risk), "", out);
        }
        if let Some(after) = change.predicted_bps {
            let then = change
                .then
                .as_ref()
                .and_then(|t| crate::Cause::named(t.cause));
            let by = then.map_or("other limits", crate::Cause::words);
            let start = change.start_ns.map_or_else(String::new, |ns| {
                format!(
                    " once slow start is over, which takes about {:.0} s: a test from its start on shows less",
                    ns * NS
                )
            });
            wrap(
                &format!("After that, {by} would allow up to {}{start}.", bps(after)),
                "",
                out,
            );
        }
    }
}

/// How commands begin that stand behind others: each has a line of its own. What begins otherwise is words.
const COMMANDS: [&str; 48] = [
    "cat ",
    "curl ",
    "date",
    "dd ",
    "delete interfaces ",
    "dmesg",
    "echo ",
    "ethtool ",
    "findmnt ",
    "Get-",
    "grep ",
    "hostname",
    "ifconfig ",
    "ip ",
    "ip6tables ",
    "ipadm ",
    "iperf -",
    "iperf3 -",
    "iptables ",
    "kubectl ",
    "ls ",
    "lspci",
    "mount ",
    "mountpoint ",
    "mpstat ",
    "ndd ",
    "netsh ",
    "netstat ",
    "nft ",
    "no -",
    "no ip ",
    "nstat ",
    "numactl ",
    "ping ",
    "ping6 ",
    "route ",
    "set interfaces ",
    "Set-",
    "show ",
    "ss -",
    "sysctl ",
    "taskset ",
    "tc ",
    "tcpdump ",
    "tracepath ",
    "traceroute ",
    "uname",
    "vmstat ",
];

/// Whether a part of a text is a command, also of a host that is named before it: `on the sender: ip addr`.
fn is_command(part: &str) -> bool {
    let mut texts = part.split(": ").take(2);
    texts.any(|text| COMMANDS.iter().any(|begin| text.starts_with(begin)))
}

/// A command, or what to do, on lines of its own: several commands on one each, and what is longer than a line under itself.
fn command(text: &str, out: &mut String) {
    let fits = 4 + text.chars().count() <= WIDTH;
    let mut parts: Vec<String> = Vec::new();
    for part in text.split("; ") {
        match parts.last_mut().filter(|_| fits || !is_command(part)) {
            Some(last) => {
                last.push_str("; ");
                last.push_str(part);
            }
            None => parts.push(part.to_owned()),
        }
    }
    for part in &parts {
        let mut lines = String::new();
        wrap(part, "    ", &mut lines);
        for (n, line) in lines.lines().enumerate() {
            out.push_str(if n == 0 { "" } else { "  " });
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// Wraps a paragraph; `head` stands before its first line, blanks before the others.
fn wrap(text: &str, head: &str, out: &mut String) {
    let indent = " ".repeat(head.len());
    let mut line = head.to_owned();
    for word in words(text) {
        let full = line.chars().count() + 1 + word.chars().count() > WIDTH;
        if full && line.trim() != head.trim() {
            out.push_str(line.trim_end());
            out.push('\n');
            line.clone_from(&indent);
        }
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(&word);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// The words of a text; a number and its `%` are one.
fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match all.last_mut().filter(|_| word.starts_with('%')) {
            Some(last) => *last = format!("{last} {word}"),
            None => all.push(word.to_owned()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{command, of_customer};

    /// Words behind a semicolon stay with their sentence; a command behind one has its own line.
    #[test]
    fn words_are_not_commands() {
        let lines = |text: &str| {
            let mut out = String::new();
            command(text, &mut out);
            let first = out.lines().filter(|l| !l.starts_with("      "));
            first.map(|l| l.trim().to_owned()).collect::<Vec<_>>()
        };
        for text in [
            "tc qdisc show dev eth0: where that is a tbf write parent HANDLE in place of root; where it is a cake, leave that line out",
            "elsewhere: what its system calls window scaling (RFC 7323); say which it is with --receiver or --sender",
            "let the receiving program ask for a larger socket buffer (SO_RCVBUF; iperf3 has -w on the client, for both ends)",
        ] {
            assert_eq!(lines(text).len(), 1, "{text}");
        }
        let two = "on a, before and after a test: ethtool -S eth0 | grep -E 'drop|discard|missed|buffer'; ip -s -s link show eth0";
        assert_eq!(lines(two)[1], "ip -s -s link show eth0");
        let named = "during a test, on the routers of the path: show interfaces, of each member of a bundle; of hosts with a bond: cat /proc/net/bonding/bond0";
        assert!(lines(named)[1].starts_with("of hosts with a bond: cat"));
    }

    #[test]
    fn a_customer_is_asked_for_no_command_of_this_program() {
        let is = |from: &str, to: &str| assert_eq!(of_customer(from), to);
        is(
            "farpath diagnose --line 1Gbit/s ..., or ethtool INTERFACE on both hosts",
            "tell us the rate of the line, or ethtool INTERFACE on both hosts",
        );
        is(
            "ping -c 20 h, or farpath diagnose --rtt 100ms ... with the one that is",
            "ping -c 20 h, or tell us which of those pings is of this path",
        );
        is(
            "ping -M do -c 3 -s 8972 h: where it is answered, farpath diagnose --mtu 9000 ...",
            "ping -M do -c 3 -s 8972 h; tell us whether it is answered",
        );
        is("ping -c 20 h", "ping -c 20 h");
    }
}
