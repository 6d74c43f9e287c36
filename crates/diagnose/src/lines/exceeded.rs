//! A rate above all that the line said to carry it leaves: one of the two figures is of something else.

use crate::ceiling::{Limit, bps, carried};
use crate::document::Contradiction;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::Flow;
use crate::paths::around::PORT;
use crate::read::Facts;
use crate::seen::Side;

/// Payload of so many times a line's own rate did not cross it, whatever its frames: rounding, and clocks of reports, are off by less.
const ABOVE: f64 = 1.03;

/// A sender counts what it handed to its kernel: so much of it may not have left, bytes.
pub(crate) const HANDED: f64 = 16.0 * 1024.0 * 1024.0;

/// A line that carried more than it can.
#[derive(Clone, Debug)]
pub(crate) struct Exceeded {
    /// What it would have left.
    limit: Limit,
    /// Its rate, and what it is.
    line: (Figure, &'static str),
    /// Interfaces that were that line, for people.
    ports: Vec<String>,
}

impl Evidence {
    /// Whether a rate is more than a line can have carried.
    fn exceeds(&self, line: &Figure) -> bool {
        let Some(rate) = self.rate.as_ref().filter(|_| self.filled.is_none()) else {
            return false;
        };
        let handed = match (self.side, self.seconds) {
            (Some(Side::Sender), _) if self.udp => return false,
            (Some(Side::Sender), Some(seconds)) => HANDED * self.streams * 8.0 / seconds,
            (Some(Side::Sender), None) => return false,
            _ => 0.0,
        };
        rate.low - handed > ABOVE * line.high
    }

    /// Leaves out a line that the rate contradicts, and takes the slowest of what else is known that it does not.
    pub(crate) fn of_exceeded(&mut self, facts: &Facts, flow: &Flow) {
        let group = self.around.group.is_some();
        let Some((line, what)) = self.line.clone().filter(|_| !group) else {
            return;
        };
        let speed = line.value;
        let outdone = self.is_outdone((&line, what), (facts, flow));
        let exceeded = !outdone && self.exceeds(&line);
        if !outdone && !exceeded {
            return;
        }
        if what == PORT {
            self.leave_halves(speed, (facts, flow));
        }
        if exceeded {
            let ports = self.slow_ports().iter().map(|p| p.named()).collect();
            let called = self.line_called(what);
            self.exceeded = Some(Exceeded {
                limit: carried(self.payload_share(), &line, &called),
                line: (line, what),
                ports,
            });
        }
        (self.line, self.stated) = (None, self.stated.take().filter(|s| !self.exceeds(s)));
        self.ports.clear();
        self.line = self.stated.clone().map(|line| (line, "the line"));
        let hosts = |all: &[u32], end: Of| -> Vec<Of> {
            let own = all.iter().map(|h| Of::Host(*h));
            own.chain([end]).collect()
        };
        let ends = [
            hosts(&flow.senders, Of::Sender),
            hosts(&flow.receivers, Of::Receiver),
        ];
        for of in ends.into_iter().flatten() {
            let gone = |s: &Figure| self.exceeds(s) || outdone && s.value <= speed;
            let port = flow.speed_of(facts, of).filter(|s| !gone(s));
            if let Some(speed) = port {
                self.of_port(of, &speed, (facts, flow));
            }
        }
    }

    /// That the rate is above the line that was left out; `otherwise` where none was.
    pub(crate) fn above_line(&self, otherwise: &str) -> String {
        match &self.exceeded {
            Some(Exceeded { line, .. }) => format!(
                "the rate is above the {} that {} was said to have",
                bps(line.0.value),
                line.1
            ),
            None => otherwise.to_owned(),
        }
    }

    /// What its line is called: an interface of an end by its name and its host's.
    pub(crate) fn line_called(&self, what: &str) -> String {
        let port = self.slow_ports().first();
        let port = port.map(|p| format!("the interface {}", p.named()));
        port.as_deref()
            .unwrap_or(what)
            .replace("interface an interface", "interface")
    }

    /// That the rate and the line that was left out cannot both be true, and which of them is likely wrong.
    pub(crate) fn exceeded_in_words(&self, facts: &Facts, flow: &Flow) -> Option<Contradiction> {
        let Exceeded { limit, line, ports } = self.exceeded.as_ref()?;
        let rate = self.rate.as_ref()?;
        let said = |figure: &Figure| figure.from.contains(&Place::You);
        let likely = match (said(&line.0), said(rate)) {
            (true, true) => "one of the two that you gave is wrong, or of another link".to_owned(),
            (true, false) => format!(
                "the test was timed, so that the {} you gave is likely wrong, or that of another link",
                bps(line.0.value)
            ),
            (false, true) => {
                "the rate that you gave may be of several connections, of another path, or in bytes"
                    .to_owned()
            }
            (false, false) if line.1 == PORT => format!(
                "the test likely left by another interface than {}, or by several, or stayed within one host: `ip route get ADDRESS` names it",
                match ports.first() {
                    Some(port) => port.as_str(),
                    None => "that",
                }
            ),
            (false, false) => {
                "it was likely read at another time, or is of another link".to_owned()
            }
        };
        let text = format!(
            "{}: measured {}, above what the line would allow ({}: {}): both cannot be true, and the line is left out. {}",
            flow.name(),
            bps(rate.value),
            bps(limit.rate.high),
            limit.formula,
            capital(&likely)
        );
        let places = rate.from.iter().chain(&line.0.from);
        Some(Contradiction {
            text,
            from: places.map(|at| facts.place(*at)).collect(),
        })
    }
}

/// A sentence with a capital letter at its start.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
