//! What `farpath diagnose` prints for people.

use farpath_diagnose::{Cause, Diagnosis, FlowReport, History, Ranked, shown};
use farpath_report::{quantity, utc, wrap};

use super::verified::verified;
use crate::left::{WIDTH, change as change_of, entry, span};

/// Most pieces and flows that are shown; the JSON has them.
const SHOWN_MAX: usize = 20;

/// The whole page: what is the matter first, and what it was read from last.
pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    for history in &diagnosis.histories {
        self::history(history, &diagnosis.flows, &mut out);
    }
    let flows: Vec<&FlowReport> = shown(&diagnosis.flows, &diagnosis.histories).collect();
    let mut said = Vec::new();
    for (n, flow) in flows.iter().copied().take(SHOWN_MAX).enumerate() {
        if n > 0 {
            out.push('\n');
        }
        self::flow(flow, &mut said, &mut out);
    }
    let more = flows.len().saturating_sub(SHOWN_MAX);
    if more > 0 {
        out.push_str(&format!("\n{more} more flows: --json has them\n"));
    }
    for c in &diagnosis.contradictions {
        out.push('\n');
        let from = c.from.join(", ");
        entry("but", &format!("{} ({from})", c.text), &mut out);
    }
    read(diagnosis, &mut out);
    out.push_str("\nText for the ticket: --ticket. For programs: --json.\n");
    out
}

/// Most tests of one flow that are listed: the latest.
const LISTED_MAX: usize = 60;

/// A flow's tests one below the other, and what they show together.
fn history(history: &History, flows: &[FlowReport], out: &mut String) {
    entry("flow", &history.name, out);
    entry("measured", &history.words(flows), out);
    let title = format!("\n{:<25}{:>14}  {}\n", "test", "rate", "limited by");
    out.push_str(&title);
    let rule = |n: usize| "-".repeat(n);
    out.push_str(&format!("{:<25}{:>14}  {}\n", rule(23), rule(13), rule(39)));
    let earlier = history.tests.len().saturating_sub(LISTED_MAX);
    if earlier > 0 {
        out.push_str(&format!("{earlier} earlier tests: --json has them\n"));
    }
    for flow in history.tests[earlier..].iter().map(|n| &flows[*n]) {
        let seen = &flow.observed;
        let at = seen.at_utc_ns.and_then(|ns| u64::try_from(ns).ok());
        let when = match (at, &seen.source) {
            (Some(ns), _) => format!("{} UTC", utc(ns)),
            (None, source) => last_of(source.as_deref().unwrap_or(""), NAME),
        };
        let rate = seen.goodput_bps.map_or_else(String::new, bps);
        let verdict = &flow.verdict;
        let cause = Cause::named(verdict.cause).map_or("unknown", Cause::words);
        let odds = verdict.confidence * 100.0;
        let said = match verdict.cause {
            "unknown" => cause.to_owned(),
            _ => format!("{cause}, {odds:.0} %"),
        };
        let room = WIDTH - 41;
        for (n, part) in wrap(&said, room, room).iter().enumerate() {
            let row = match n {
                0 => format!("{when:<25}{rate:>14}  {part}"),
                _ => format!("{:41}{part}", ""),
            };
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }
    out.push_str("\nThe last test of each cause is below, the others are in --json.\n\n");
}

/// Columns of a test's name.
const NAME: usize = 23;

/// The end of a text that is longer than `room` characters, with a mark where it was cut.
fn last_of(text: &str, room: usize) -> String {
    let long = text.chars().count();
    match long > room {
        true => format!(
            "~{}",
            text.chars().skip(long + 1 - room).collect::<String>()
        ),
        false => text.to_owned(),
    }
}

/// What was read, and what was not.
fn read(diagnosis: &Diagnosis, out: &mut String) {
    if !(diagnosis.read.is_empty() && diagnosis.notes.is_empty()) {
        out.push('\n');
    }
    let known = diagnosis.read.iter().filter(|p| p.tool != "unknown");
    let mut word = "read";
    for piece in known.clone().take(SHOWN_MAX) {
        let text = format!(
            "{} as {}: {}",
            piece.source,
            piece.tool,
            count(piece.facts, "fact")
        );
        entry(word, &text, out);
        word = "";
    }
    let more = known.count().saturating_sub(SHOWN_MAX);
    if more > 0 {
        entry("", &format!("{more} more pieces"), out);
    }
    let mut word = "left out";
    for piece in diagnosis.read.iter().filter(|p| p.tool == "unknown") {
        let more = match piece.ignored_more {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        let text = format!(
            "{}: lines that no known tool prints: {}{more}",
            piece.source,
            ranges(&piece.ignored_lines).join(", ")
        );
        entry(word, &text, out);
        word = "";
    }
    for note in &diagnosis.notes {
        entry("note", note, out);
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// `1-3`, `7`: consecutive numbers together.
fn ranges(lines: &[u32]) -> Vec<String> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match all.last_mut() {
            Some((_, end)) if *end + 1 == *line => *end = *line,
            _ => all.push((*line, *line)),
        }
    }
    let shown = |(a, b): (u32, u32)| {
        if a == b {
            a.to_string()
        } else {
            format!("{a}-{b}")
        }
    };
    all.into_iter().map(shown).collect()
}

fn bps(value: f64) -> String {
    quantity("goodput_bps", value)
}

/// A flow. What is to change and what is missing stands once where it is the same for several; `said` has it with the flow above it.
fn flow<'d>(flow: &'d FlowReport, said: &mut Vec<(String, &'d str)>, out: &mut String) {
    let word = if flow.unrated { "slow" } else { "flow" };
    entry(word, &flow.name, out);
    let seen = &flow.observed;
    let rate = match (seen.goodput_bps, &seen.source) {
        _ if flow.unrated => "no rate, as it is not a transfer".to_owned(),
        (Some(rate), Some(source)) => {
            let side = seen.side.map_or(String::new(), |s| format!(", by the {s}"));
            format!("{} ({source}{side})", bps(rate))
        }
        _ => "no rate in these texts".to_owned(),
    };
    let rate = match (seen.goodput_bps, seen.stalled_ns) {
        (None, Some(ns)) => format!(
            "stalled: nothing was acknowledged for {}",
            quantity("stalled_ns", ns)
        ),
        _ => rate,
    };
    entry("measured", &rate, out);
    verdict(flow, out);
    if let Some(target) = &flow.target {
        entry("target", target, out);
    }
    let mut next = String::new();
    for change in &flow.changes {
        change_of(change, &mut next);
    }
    if let Some(verify) = &flow.verify {
        verified(verify, flow.verdict.cause, &mut next);
    }
    let mut word = "missing";
    for missing in &flow.missing {
        entry(
            word,
            &format!("{}: {}", missing.fact, missing.would_decide),
            &mut next,
        );
        entry("", &format!("  {}", missing.command), &mut next);
        word = "";
    }
    match said.iter().find(|(known, _)| *known == next) {
        Some((known, above)) if !known.is_empty() => {
            let text = format!("what is to change and what is missing are those of {above}, above");
            entry("alike", &text, out);
        }
        _ => out.push_str(&next),
    }
    said.push((next, flow.name.as_str()));
    streams(flow, out);
    ceilings(flow, out);
}

/// What limits it, what comes next, and why.
fn verdict(flow: &FlowReport, out: &mut String) {
    let verdict = &flow.verdict;
    let words = Cause::named(verdict.cause).map_or("unknown", Cause::words);
    let second = verdict.second.as_ref().filter(|s| is_worth_naming(s));
    let next = second.filter(|s| s.share.is_none_or(|share| share < BESIDES));
    let next = next.map_or(0.0, |s| s.confidence);
    let second = second.map_or_else(String::new, |s| named(verdict.cause, s));
    let text = match verdict.cause {
        "unknown" => format!("unknown{second}"),
        "none" => format!(
            "nothing: the rate is what was asked for ({:.0} %)",
            verdict.confidence * 100.0
        ),
        "link" => format!(
            "this is the line ({:.0} %){second}",
            verdict.confidence * 100.0
        ),
        cause => format!(
            "{words} ({cause}), {:.0} %{second}",
            verdict.confidence * 100.0
        ),
    };
    entry("limited by", &text, out);
    if !matches!(verdict.cause, "unknown" | "none")
        && let Some(doubt) = doubt(verdict.confidence, next)
    {
        entry("in doubt", &doubt, out);
    }
    let mut word = "because";
    for because in &verdict.because {
        entry(word, because, out);
        word = "";
    }
}

/// What held besides the verdict's cause, or is the next likeliest, if it has a hundredth of the odds.
fn named(cause: &str, other: &Ranked) -> String {
    let words = Cause::named(other.cause).map_or("", Cause::words);
    let besides = other.share.filter(|s| cause != "unknown" && *s >= BESIDES);
    match besides {
        Some(share) => format!("; besides {words}, {:.0} % of the time", share * 100.0),
        None if other.confidence > NOTHING => {
            format!("; next {words}, {:.0} %", other.confidence * 100.0)
        }
        None => String::new(),
    }
}

/// A confidence of so much or less rounds to 0 %.
const NOTHING: f64 = 0.005;

/// What held besides for this part of the time or more is named with it.
const BESIDES: f64 = 0.2;

/// Less than this is left in doubt without a word, percent.
const DOUBT_LEAST: f64 = 10.0;

/// What the confidences of a verdict and of what is next leave of 1.
fn doubt(first: f64, next: f64) -> Option<String> {
    let percent = |share: f64| (share * 100.0).round();
    let rest = 100.0 - percent(first) - percent(next);
    (rest >= DOUBT_LEAST).then(|| {
        format!("{rest:.0} %: all other causes together, and what these texts do not show")
    })
}

/// Whether what is next has a hundredth of the odds, or held for a part of the time.
fn is_worth_naming(next: &Ranked) -> bool {
    next.confidence > NOTHING || next.share.is_some_and(|share| share >= BESIDES)
}

/// The connections side by side, each with its rate.
fn streams(flow: &FlowReport, out: &mut String) {
    if flow.streams.is_empty() {
        return;
    }
    // Beside a rate and where it was read; a longer name has a line of its own.
    let most = WIDTH / 2;
    let names = flow.streams.iter().map(|s| s.name.chars().count());
    let wide = names.filter(|n| *n <= most).max().unwrap_or(0).max(10) + 2;
    out.push_str(&format!(
        "\n{:<wide$}{:>14}  read at\n",
        "connection", "rate"
    ));
    out.push_str(&format!(
        "{:<wide$}{:>14}  {}\n",
        "-".repeat(wide - 2),
        "-".repeat(13),
        "-".repeat(7)
    ));
    for stream in flow.streams.iter().take(SHOWN_MAX) {
        let rate = stream.goodput_bps.map_or_else(String::new, bps);
        let source = stream.source.as_deref().unwrap_or("");
        let name = match stream.name.chars().count() > most {
            true => {
                out.push_str(&stream.name);
                out.push('\n');
                ""
            }
            false => stream.name.as_str(),
        };
        let row = format!("{name:<wide$}{rate:>14}  {source}");
        out.push_str(row.trim_end());
        out.push('\n');
    }
    let more = flow.streams.len().saturating_sub(SHOWN_MAX);
    if more > 0 {
        out.push_str(&format!("{more} more connections: --json has all\n"));
    }
}

/// The ceilings, lowest first, the measured rate among them.
fn ceilings(flow: &FlowReport, out: &mut String) {
    if flow.ceilings.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n{:<18}{:>14}  {:<28}\n",
        "ceiling", "rate", "between"
    ));
    out.push_str(&format!(
        "{:<18}{:>14}  {}\n",
        "-".repeat(16),
        "-".repeat(13),
        "-".repeat(28)
    ));
    let mut shown = false;
    let mut measured = |below: f64, out: &mut String| {
        if let Some(rate) = flow.observed.goodput_bps.filter(|r| !shown && *r < below) {
            out.push_str(&format!("{:<18}{:>14}\n", "= measured", bps(rate)));
            shown = true;
        }
    };
    for c in &flow.ceilings {
        measured(c.limit_bps, out);
        let row = format!(
            "{:<18}{:>14}  {}",
            c.cause,
            bps(c.limit_bps),
            span(c.low_bps, c.high_bps)
        );
        out.push_str(row.trim_end());
        out.push('\n');
        let from = if c.from.is_empty() {
            String::new()
        } else {
            format!(" ({})", c.from.join(", "))
        };
        for line in wrap(&format!("{}{from}", c.formula), WIDTH - 4, WIDTH - 4) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    measured(f64::INFINITY, out);
}

#[cfg(test)]
mod tests {
    use farpath_diagnose::Ranked;

    use super::{doubt, is_worth_naming, last_of, named};

    #[test]
    fn a_name_that_is_cut_is_marked() {
        assert_eq!(last_of("day-1.json", 10), "day-1.json");
        assert_eq!(last_of("far/day-1.json", 10), "~ay-1.json");
    }

    #[test]
    fn what_has_no_odds_is_not_named() {
        let of = |confidence, share| Ranked {
            cause: "link",
            confidence,
            share,
        };
        assert_eq!(named("unknown", &of(0.0, Some(0.6))), "");
        assert!(named("unknown", &of(0.3, Some(0.6))).ends_with(", 30 %"));
        assert!(named("policer", &of(0.0, Some(0.6))).ends_with(", 60 % of the time"));
        assert_eq!(named("policer", &of(0.005, None)), "");
        assert!(!is_worth_naming(&of(0.005, None)));
    }

    #[test]
    fn what_a_verdict_leaves_in_doubt_is_said() {
        let rest = doubt(0.61, 0.16).expect("it is much");
        assert!(rest.starts_with("23 %: all other causes"), "{rest}");
        assert_eq!(doubt(0.94, 0.04), None);
    }
}
