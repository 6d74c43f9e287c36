//! Plays a script in virtual time.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};
use farpath_wire::tcp::Control;

use crate::code::{Code, Failed};
use crate::compare::{Numbers, Sent};
use crate::endpoint::{Host, Outcome};
use crate::outcome::{Difference, Played, Printed, Verdict};
use crate::settings::{Manners, Settings};
use crate::shell::{self, Files, Question};
use crate::syntax::{Call, Direction, Do, Event, PacketSpec, Returned, Script, When};

/// Longest run in virtual seconds.
const LONGEST_S: u64 = 200_000;
/// Most differences of one run.
const DIFFERENCES: usize = 32;
/// Most timer expiries of one run.
const EXPIRIES: u32 = 1_000_000;

/// Plays `script` against a host with Linux's defaults, changed by the script's options and shell
/// lines. `files` gives the text of files that shell lines run, such as `../common/defaults.sh`.
pub fn run(script: &Script, files: Files<'_>) -> Verdict {
    play(script, files).verdict
}

/// The same, with what the script's code prints.
pub fn play(script: &Script, files: Files<'_>) -> Played {
    let settings = match settings(script) {
        Ok(settings) => settings,
        Err(verdict) => {
            return Played {
                verdict,
                printed: Vec::new(),
            };
        }
    };
    let mut runner = Runner::new(settings, files);
    let ended = script.events.iter().try_for_each(|e| runner.event(e));
    let printed = core::mem::take(&mut runner.printed);
    Played {
        verdict: verdict(ended, runner),
        printed,
    }
}

/// What the script's options set; the verdict where it needs what cannot be run here.
fn settings(script: &Script) -> Result<Settings, Verdict> {
    let mut settings = Settings::default();
    for (name, value, line) in &script.options {
        if let Err(reason) = settings.option(name, value) {
            return Err(Verdict::Unsupported {
                line: *line,
                reason,
            });
        }
    }
    for event in &script.events {
        if let Do::Unsupported(reason) = &event.action.0 {
            return Err(Verdict::Unsupported {
                line: event.line,
                reason: reason.clone(),
            });
        }
    }
    Ok(settings)
}

/// What became of a run that ended so.
fn verdict(ended: Result<(), End>, mut runner: Runner<'_>) -> Verdict {
    match (ended, runner.waiting) {
        (Err(End::Differs(last)), _) => runner.differences.push(last),
        (Err(End::Unsupported { line, reason }), _) if runner.differences.is_empty() => {
            return Verdict::Unsupported { line, reason };
        }
        (Ok(()), Some(waiting)) => runner.differences.push(difference(
            waiting.line,
            "call",
            format!("{}() returns {}", waiting.call.name, waiting.call.returned),
            "it still waits at the end",
        )),
        (Ok(()), None) | (Err(End::Unsupported { .. }), _) => {}
    }
    let mut found = runner.differences.into_iter();
    match found.next() {
        Some(first) => Verdict::Differs {
            first,
            behind: found.collect(),
        },
        None => Verdict::Pass,
    }
}

/// Why a script is not played to its end.
enum End {
    /// What follows would have no meaning.
    Differs(Difference),
    /// It needs what cannot be run here.
    Unsupported { line: u32, reason: String },
}

/// A call that blocks, and when it is to return.
struct Waiting {
    line: u32,
    call: Call,
    end: Time,
}

/// From when to when something is allowed.
#[derive(Clone, Copy)]
struct Span {
    from: Time,
    to: Time,
}

struct Runner<'a> {
    host: Host,
    settings: Settings,
    files: Files<'a>,
    now: Time,
    /// When the event before was due.
    nominal: Time,
    sent: VecDeque<Sent>,
    numbers: Numbers,
    code: Code,
    /// What the code printed.
    printed: Vec<Printed>,
    waiting: Option<Waiting>,
    expiries: u32,
    /// What went otherwise, and let the run go on.
    differences: Vec<Difference>,
}

fn difference(
    line: u32,
    kind: &'static str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Difference {
    Difference {
        line,
        expected: expected.into(),
        got: got.into(),
        kind,
    }
}

fn differs(
    line: u32,
    kind: &'static str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> End {
    End::Differs(difference(line, kind, expected, got))
}

fn unsupported(line: u32, reason: impl Into<String>) -> End {
    End::Unsupported {
        line,
        reason: reason.into(),
    }
}

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

fn seconds(t: Time) -> String {
    format!("{:.6} s", t.as_secs_f64())
}

impl<'a> Runner<'a> {
    fn new(settings: Settings, files: Files<'a>) -> Runner<'a> {
        Runner {
            host: Host::new(settings.clone()),
            settings,
            files,
            now: Time::ZERO,
            nominal: Time::ZERO,
            sent: VecDeque::new(),
            numbers: Numbers::default(),
            code: Code::default(),
            printed: Vec::new(),
            waiting: None,
            expiries: 0,
            differences: Vec::new(),
        }
    }

    /// Keeps a difference behind which the run goes on; the last one that is kept ends it.
    fn note(&mut self, found: Difference) -> Result<(), End> {
        if self.differences.len() + 1 >= DIFFERENCES {
            return Err(End::Differs(found));
        }
        self.differences.push(found);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), End> {
        let line = event.line;
        let span = self.span(line, event.when)?;
        if let Do::Segment(spec) = &event.action.0
            && spec.direction == Direction::Outbound
        {
            let sent = self.expect(line, spec, event.when, span)?;
            let inexact = event.when.any || event.when.to_us.is_some();
            self.nominal = if inexact { sent } else { span.from };
            return Ok(());
        }
        if !event.when.any {
            self.advance(line, span.from)?;
        }
        self.nominal = if event.when.any { self.now } else { span.from };
        match &event.action.0 {
            Do::Segment(spec) => self.arrive(line, spec)?,
            Do::Call(call) => self.call(line, call, event.when, span)?,
            Do::Code(text) => self.run_code(line, text)?,
            Do::Shell(text) => self.run_shell(line, text)?,
            Do::Unsupported(reason) => return Err(unsupported(line, reason)),
        }
        self.collect()
    }

    fn span(&self, line: u32, when: When) -> Result<Span, End> {
        let base = if when.relative {
            self.nominal
        } else {
            Time::ZERO
        };
        let to_us = when.to_us.unwrap_or(when.from_us);
        let span = Span {
            from: base + Duration::from_us(when.from_us),
            to: base + Duration::from_us(to_us),
        };
        if span.to > at(LONGEST_S * 1_000_000) {
            return Err(unsupported(line, "a run of more than 200000 s"));
        }
        Ok(span)
    }

    /// Lets time pass up to `until`; what is due at `until` itself waits for the event there.
    fn advance(&mut self, line: u32, until: Time) -> Result<(), End> {
        while self.host.deadline() < until {
            self.expire(line)?;
        }
        self.now = self.now.max(until);
        Ok(())
    }

    /// The next timer runs out.
    fn expire(&mut self, line: u32) -> Result<(), End> {
        self.expiries += 1;
        if self.expiries > EXPIRIES {
            return Err(unsupported(line, "so many timers"));
        }
        self.now = self.now.max(self.host.deadline());
        let mut out = Vec::new();
        self.host.on_deadline(self.now, &mut out);
        self.keep(out);
        self.collect()
    }

    fn keep(&mut self, out: Vec<crate::endpoint::Packet>) {
        let at = self.now;
        self.sent
            .extend(out.into_iter().map(|packet| Sent { at, packet }));
    }

    /// What is ready goes out, and a call that waits is asked again.
    fn collect(&mut self) -> Result<(), End> {
        let mut out = Vec::new();
        self.host.flush(self.now, &mut out);
        self.keep(out);
        let Some(waiting) = &self.waiting else {
            return Ok(());
        };
        let call = waiting.call.clone();
        let (call_line, end) = (waiting.line, waiting.end);
        let outcome = self.host.call(self.now, &call);
        if outcome == Outcome::Blocks {
            return Ok(());
        }
        self.waiting = None;
        judge(call_line, &call, outcome)?;
        let tolerance = self.settings.tolerance;
        if self.now + tolerance < end || self.now > end + tolerance {
            self.note(difference(
                call_line,
                "time",
                format!("{}() returns at {}", call.name, seconds(end)),
                format!("it returned at {}", seconds(self.now)),
            ))?;
        }
        let mut out = Vec::new();
        self.host.flush(self.now, &mut out);
        self.keep(out);
        Ok(())
    }

    fn arrive(&mut self, line: u32, spec: &PacketSpec) -> Result<(), End> {
        if spec.control.contains(Control::URG) || spec.urgent.is_some() {
            return Err(unsupported(line, "urgent data"));
        }
        let syn = spec.control.contains(Control::SYN) && !spec.control.contains(Control::ACK);
        if syn && spec.len > 0 && self.host.settings_mut().manners == Manners::Linux {
            return Err(unsupported(line, "TCP Fast Open"));
        }
        let packet = self.numbers.inbound(spec);
        let mut out = Vec::new();
        let before = self.host.connections();
        self.host.on_packet(self.now, &packet, &mut out);
        if self.host.connections() > before {
            // packetdrill compares the segments of the connection that a script opened last.
            self.sent.clear();
        }
        self.keep(out);
        Ok(())
    }

    fn call(&mut self, line: u32, call: &Call, when: When, span: Span) -> Result<(), End> {
        if let Some(waiting) = &self.waiting {
            return Err(differs(
                waiting.line,
                "call",
                format!("{}() returns {}", waiting.call.name, waiting.call.returned),
                format!("it still waits at {}", seconds(self.now)),
            ));
        }
        let outcome = self.host.call(self.now, call);
        match (outcome, when.end_us) {
            (Outcome::Blocks, Some(end_us)) => {
                let length = Duration::from_us(end_us.saturating_sub(when.from_us));
                self.waiting = Some(Waiting {
                    line,
                    call: call.clone(),
                    end: span.from + length,
                });
                Ok(())
            }
            (outcome, _) => judge(line, call, outcome),
        }
    }

    fn run_code(&mut self, line: u32, text: &str) -> Result<(), End> {
        let (host, now) = (&self.host, self.now);
        let (failed, ended) = self.code.run(text, &|name| host.name(now, name));
        let printed = self.code.take_printed().into_iter();
        self.printed
            .extend(printed.map(|text| Printed { line, text }));
        for Failed { assertion, values } in failed {
            let got = format!("{values} at {}", seconds(now));
            self.note(difference(line, "assertion", assertion, got))?;
        }
        ended.map_err(|reason| unsupported(line, reason))
    }

    fn run_shell(&mut self, line: u32, text: &str) -> Result<(), End> {
        let questions = shell::read(text, self.host.settings_mut(), self.files)
            .map_err(|reason| unsupported(line, reason))?;
        for Question::Count { state, number } in questions {
            let got = self.host.count(&state);
            if got != number {
                let expected = format!("{number} sockets in {state}");
                self.note(difference(line, "state", expected, got.to_string()))?;
            }
        }
        Ok(())
    }

    /// The script expects a segment; returns when it was sent.
    fn expect(
        &mut self,
        line: u32,
        spec: &PacketSpec,
        when: When,
        span: Span,
    ) -> Result<Time, End> {
        let tolerance = self.settings.tolerance;
        let latest = if when.any {
            at(LONGEST_S * 1_000_000)
        } else {
            span.to + tolerance
        };
        let shown = || spec.text.clone();
        let Some(mut sent) = self.next_sent(line, latest)? else {
            return Err(differs(
                line,
                "no segment",
                shown(),
                format!("nothing by {}", seconds(latest)),
            ));
        };
        self.numbers.begin(spec, &sent.packet);
        if !self.settings.strict_segments {
            self.recut(line, spec, &mut sent, latest)?;
        }
        if let Some(what) = self.numbers.differs(spec, &sent.packet, &self.settings) {
            let got = format!(
                "{} at {}",
                self.numbers.show(&sent.packet),
                seconds(sent.at)
            );
            let found = difference(line, what, shown(), got);
            if ANOTHER.contains(&what) {
                return Err(End::Differs(found));
            }
            self.note(found)?;
            self.numbers.learn(spec, &sent.packet);
        }
        let early = sent.at + tolerance < span.from;
        if !when.any && (early || sent.at > latest) {
            self.note(difference(
                line,
                "time",
                format!("{} at {}", spec.text, seconds(span.from)),
                format!("it left at {}", seconds(sent.at)),
            ))?;
        }
        Ok(sent.at)
    }

    /// The next segment sent, if there is one by `latest`.
    fn next_sent(&mut self, line: u32, latest: Time) -> Result<Option<Sent>, End> {
        loop {
            if let Some(sent) = self.sent.pop_front() {
                return Ok(Some(sent));
            }
            if self.host.deadline() > latest {
                return Ok(None);
            }
            self.expire(line)?;
        }
    }

    /// Joins segments, or splits one, where that gives the script's: a host with segmentation
    /// offload cuts later than the script's tap.
    fn recut(
        &mut self,
        line: u32,
        spec: &PacketSpec,
        sent: &mut Sent,
        latest: Time,
    ) -> Result<(), End> {
        if sent.packet.len > spec.len && spec.len > 0 {
            let first = sent.split(spec.len);
            self.sent.push_front(*sent);
            *sent = first;
            return Ok(());
        }
        let wants_fin = spec.control.contains(Control::FIN);
        let short = |sent: &Sent| {
            sent.packet.len > 0
                && (sent.packet.len < spec.len
                    || (sent.packet.len == spec.len && wants_fin && !sent.packet.has(Control::FIN)))
        };
        while short(sent) {
            let Some(mut next) = self.next_sent(line, latest)? else {
                return Ok(());
            };
            let room = spec.len - sent.packet.len;
            if next.packet.len > room && room > 0 {
                let rest = next.split(room);
                self.sent.push_front(next);
                next = rest;
            }
            if !sent.join(&next) {
                self.sent.push_front(next);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// What makes a segment another one than the script's: what follows it has no meaning.
const ANOTHER: [&str; 4] = ["flags", "sequence number", "length", "UDP ports"];

/// Holds what a call gave against what the script expects.
fn judge(line: u32, call: &Call, outcome: Outcome) -> Result<(), End> {
    let got = match outcome {
        Outcome::Returns(n) => Returned::Value(n),
        Outcome::Fails(error) => Returned::Error(error.to_owned()),
        Outcome::Blocks => {
            let expected = format!("{}() returns {}", call.name, call.returned);
            return Err(differs(line, "call", expected, "it waits"));
        }
        Outcome::Fills { expected, got } => {
            let expected = format!("{}() gives {expected}", call.name);
            return Err(differs(line, "call", expected, got));
        }
        Outcome::Unsupported(reason) => return Err(unsupported(line, reason)),
    };
    let same_name = |name: &str| {
        if name == "EWOULDBLOCK" {
            "EAGAIN".to_owned()
        } else {
            name.to_owned()
        }
    };
    let equal = match (&call.returned, &got) {
        (Returned::Error(a), Returned::Error(b)) => same_name(a) == same_name(b),
        (a, b) => a == b,
    };
    if call.returned == Returned::Any || equal {
        return Ok(());
    }
    Err(differs(
        line,
        "call",
        format!("{}() returns {}", call.name, call.returned),
        got.to_string(),
    ))
}
