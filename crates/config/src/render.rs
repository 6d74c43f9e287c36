//! A report as a compiler prints one.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::dialect::Dialect;
use crate::finding::{Finding, Role, Severity, doubts, place};
use crate::report::{Fault, FileReport, Report, Status};
use crate::rules::rule;
use crate::secrets::{Masked, masked};
use crate::source::{Lines, Place, Source};

/// How many findings are printed: more than that help nobody; JSON and SARIF have them all.
pub const MOST: usize = 100;

/// Statements of a kind that are printed for a file: of those nobody understood, for one.
const MOST_LISTED: usize = 5;

/// Runs of lines that are named of the others.
const MOST_RUNS: usize = 40;

/// Columns of the output.
const WIDTH: usize = 80;

/// The report as text; `colour` adds terminal escapes.
pub fn text(report: &Report, sources: &[Source], colour: bool) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let page = Page {
        sources,
        lines: sources.iter().map(Lines::of).collect(),
        renderer: renderer.term_width(WIDTH),
    };
    let mut out = String::new();
    let faults: Vec<&Fault> = report.files.iter().flat_map(|f| &f.faults).collect();
    for fault in faults.iter().take(MOST) {
        out.push_str(&page.fault(fault));
    }
    let left = MOST - faults.len().min(MOST);
    let gravest_first = |f: &&Finding| core::cmp::Reverse((!f.is_uncertain(), f.severity));
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(gravest_first);
    for finding in findings.iter().take(left) {
        out.push_str(&page.finding(finding));
    }
    let hidden = (faults.len() + findings.len()).saturating_sub(MOST);
    if hidden > 0 {
        out.push_str(&format!(
            "{hidden} more not shown; `--json` has them all\n\n"
        ));
    }
    out.push_str(&page.coverage(report));
    out.push_str(&summary(report));
    out
}

struct Page<'s> {
    sources: &'s [Source],
    lines: Vec<Lines<'s>>,
    renderer: Renderer,
}

impl Page<'_> {
    fn fault(&self, fault: &Fault) -> String {
        let title = fold(&fault.message, "error: ".len());
        let group = Group::with_title(Level::ERROR.primary_title(title.as_str()));
        let group = self.snippet(group, &fault.place, AnnotationKind::Primary, None);
        let help = fold(&fault.remedy, "   = help: ".len());
        let group = group.element(Level::HELP.message(help.as_str()));
        self.renderer.render(&[group]) + "\n\n"
    }

    fn finding(&self, finding: &Finding) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let rule = rule(&finding.rule);
        let lead = finding.severity.name().len() + rule.id.len() + 4;
        let title = fold(&finding.text, lead);
        let title = level.primary_title(title.as_str()).id(rule.id);
        let mut group = self.snippet(
            Group::with_title(title),
            place(finding),
            AnnotationKind::Primary,
            Some(rule.title),
        );
        for other in finding.with(Role::Related).take(3) {
            group = self.snippet(
                group,
                &other.place,
                AnnotationKind::Context,
                Some(&other.note),
            );
        }
        let why = fold(rule.explanation, "   = note: ".len());
        group = group.element(Level::NOTE.message(why.as_str()));
        let doubts = self.doubts(finding);
        if let Some(doubts) = &doubts {
            group = group.element(Level::NOTE.message(doubts.as_str()));
        }
        let remedies: Vec<String> = finding
            .remedies
            .iter()
            .map(|r| fold(r, "   = help: ".len()))
            .collect();
        for remedy in &remedies {
            group = group.element(Level::HELP.message(remedy.as_str()));
        }
        self.renderer.render(&[group]) + "\n\n"
    }

    /// What makes a finding uncertain.
    fn doubts(&self, finding: &Finding) -> Option<String> {
        let doubts = doubts(finding);
        let first = doubts.first()?;
        let line = |p: &&Place| self.lines[p.file].line_and_column(p.span.start).0;
        let same = doubts.iter().filter(|p| p.file == first.file);
        let lines: Vec<String> = same.take(3).map(|p| line(p).to_string()).collect();
        let text = format!(
            "uncertain: {} this depends on not understood, {}:{}",
            plural(doubts.len(), "statement"),
            self.sources[first.file].name,
            lines.join(", ")
        );
        Some(fold(&text, "   = note: ".len()))
    }

    fn snippet<'a>(
        &'a self,
        group: Group<'a>,
        place: &Place,
        kind: AnnotationKind,
        label: Option<&'a str>,
    ) -> Group<'a> {
        let Some(source) = self.sources.get(place.file) else {
            return group;
        };
        let (start, text) = self.lines[place.file].around(&place.span);
        let (line, _) = self.lines[place.file].line_and_column(start);
        let at = |byte: usize| text.floor_char_boundary(byte.saturating_sub(start));
        let span = at(place.span.start)..at(place.span.end.max(place.span.start));
        let masked = Masked::of(text);
        let span = masked.span(&span);
        let snippet = Snippet::source(masked.text)
            .path(source.name.as_str())
            .line_start(line)
            .annotation(kind.span(span).label(label));
        group.element(snippet)
    }

    fn coverage(&self, report: &Report) -> String {
        let mut out = String::new();
        for (number, file) in report.files.iter().enumerate() {
            let unknown = file.unrecognised.len();
            out.push_str(&format!(
                "{}: {}, {}, {} of {} statements understood\n",
                file.name,
                language(file),
                file.status().words(),
                file.recognised,
                file.recognised + unknown
            ));
            out.push_str(&self.listed(number, "not understood", &file.unrecognised));
            for name in file.undefined.iter().take(MOST_LISTED) {
                let (line, column) = self.lines[number].line_and_column(name.place.span.start);
                out.push_str(&format!(
                    "  not defined     {line}:{column}  {} {}\n",
                    name.kind, name.name
                ));
            }
            out.push_str(&self.idle(number, file));
        }
        out
    }

    /// The first of these statements, each on a line.
    fn listed(&self, file: usize, what: &str, places: &[Place]) -> String {
        let mut out = String::new();
        for place in places.iter().take(MOST_LISTED) {
            let (line, column) = self.lines[file].line_and_column(place.span.start);
            let (_, text) = self.lines[file].around(&place.span);
            let shown: String = masked(text).trim().chars().take(50).collect();
            out.push_str(&format!("  {what:<14}  {line}:{column}  {shown}\n"));
        }
        if places.len() > MOST_LISTED {
            let rest = &places[MOST_LISTED..];
            let more = format!("and {} more, {}", rest.len(), self.lines_of(file, rest));
            out.push_str(&format!("  {}\n", fold(&more, 2)));
        }
        out
    }

    /// `line 3`, `lines 3, 7 to 9`; the JSON document has all of very many.
    fn lines_of(&self, file: usize, places: &[Place]) -> String {
        let number = |p: &Place| self.lines[file].line_and_column(p.span.start).0;
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for line in places.iter().map(number) {
            match runs.last_mut() {
                Some((_, last)) if line <= *last + 1 => *last = line.max(*last),
                _ => runs.push((line, line)),
            }
        }
        let one = |(first, last): &(usize, usize)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        let shown: Vec<String> = runs.iter().take(MOST_RUNS).map(one).collect();
        let many = runs.len() > 1 || runs.iter().any(|(first, last)| first != last);
        let beyond = if runs.len() > MOST_RUNS { " ..." } else { "" };
        let word = if many { "lines" } else { "line" };
        format!("{word} {}{beyond}", shown.join(", "))
    }

    /// What was understood and makes no difference to a run.
    fn idle(&self, number: usize, file: &FileReport) -> String {
        let idle = &file.without_effect;
        match (idle.len(), file.dialect) {
            (0, _) => String::new(),
            (_, Dialect::Hosts) => {
                "  none has an effect in a run: write them as keys of a [[host]]\n".to_owned()
            }
            (1, _) => format!(
                "  1 statement has no effect in a run\n{}",
                self.listed(number, "no effect", idle)
            ),
            (n, _) => format!(
                "  {n} statements have no effect in a run\n{}",
                self.listed(number, "no effect", idle)
            ),
        }
    }
}

/// `junos`, or `ios (IOS-XE router)`.
fn language(file: &FileReport) -> String {
    match file.platform {
        Some(platform) => format!("{} ({platform})", file.language()),
        None => file.language().to_owned(),
    }
}

/// The last line: how many of each.
fn summary(report: &Report) -> String {
    let (uncertain, certain): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|f| f.is_uncertain());
    let count = |severity| certain.iter().filter(|f| f.severity == severity).count();
    let failed = report
        .files
        .iter()
        .filter(|f| f.status() == Status::Failed)
        .count();
    let mut parts = vec![
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warning), "warning"),
        format!("{} for information", count(Severity::Info)),
    ];
    if !uncertain.is_empty() {
        parts.push(format!("{} uncertain", uncertain.len()));
    }
    if failed > 0 {
        parts.push(format!(
            "{} not readable as a whole",
            plural(failed, "file")
        ));
    }
    format!(
        "{} in {}\n",
        parts.join(", "),
        plural(report.files.len(), "file")
    )
}

fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Breaks a text into lines of [`WIDTH`] columns, the first of which starts at column `lead`.
fn fold(text: &str, lead: usize) -> String {
    let mut out = String::new();
    let mut column = lead;
    for word in text.split(' ') {
        let long = word.chars().count();
        if column > lead && column + 1 + long > WIDTH {
            out.push('\n');
            column = lead;
        } else if !out.is_empty() {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += long;
    }
    out
}
