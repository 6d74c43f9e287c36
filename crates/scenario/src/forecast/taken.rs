//! Streams of datagrams at a steady mean rate beside connections: what they take of a port, the connections do not have.

use farpath_record::Record;
use farpath_record::quantity::quantity;
use farpath_units::Time;

use super::beside::span;
use super::{Path, mean_share};
use crate::model::{Scheduler, Sharing, Test, TestKind};

/// Of a port's rate: what streams may take of it together. Beside more of them connections are held by what the queue drops.
const MOST: f64 = 0.9;
/// Of a port's rate: single packets that take less hardly load it.
pub(super) const LEAST: f64 = 1e-3;
/// Of a port's rate: what single packets must take for a word where they are in no forecast.
const LOADS: f64 = 0.01;
/// What a line takes for a datagram is less than so many times its length.
const FRAMED: f64 = 4.0;

/// What a stream takes of one port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taken {
    /// The stream's test.
    test: usize,
    port: usize,
    /// On the line, bit/s.
    line_bps: f64,
    /// The same of its frames as they wait, which shapers count.
    waits_bps: f64,
    /// It comes and goes, and that is the mean.
    varies: bool,
}

/// Datagrams of a test.
pub(super) struct Sent {
    /// How many a second, on average and while it sends.
    pub(super) a_second: f64,
    pub(super) most: f64,
    /// Bytes of each, and how many come back for it.
    pub(super) len: u32,
    pub(super) answers: f64,
}

impl<'a> Path<'a> {
    /// The path as connections of `number` find it beside steady streams that last as long as they do; the same path for all others.
    pub(super) fn beside_streams(self, number: usize) -> Path<'a> {
        let own = &self.scenario.tests[number];
        if own.kind.tcp().is_none() || self.parted().is_some() {
            return self;
        }
        let taken = self.taken_by_streams(number);
        if taken.is_empty() {
            return self;
        }
        let beside = Path {
            taken,
            ..self.clone()
        };
        let is_left = |t: &Taken| beside.left(t.port) >= 1.0 - MOST;
        match beside.taken.iter().all(is_left) && beside.is_outlasted(own) {
            true => beside,
            false => self,
        }
    }

    /// Whether a test's forecast is without what another takes.
    pub(super) fn is_taken_off(&self, test: usize) -> bool {
        self.taken.iter().any(|t| t.test == test)
    }

    /// What streams take of the line of a port, bit/s.
    pub(super) fn line_taken_bps(&self, port: usize) -> f64 {
        let here = self.taken.iter().filter(|t| t.port == port);
        here.map(|t| t.line_bps).sum()
    }

    /// What they take of the shaper in front of it, bit/s.
    pub(super) fn waits_taken_bps(&self, port: usize) -> f64 {
        let here = self.taken.iter().filter(|t| t.port == port);
        here.map(|t| t.waits_bps).sum()
    }

    /// The share of a port that streams leave.
    pub(super) fn left(&self, port: usize) -> f64 {
        let of_line = self.line_taken_bps(port) / self.lasting_rate(port).as_bps() as f64;
        let of_shaper = self
            .shape_bps(port)
            .map_or(0.0, |bps| self.waits_taken_bps(port) / bps);
        1.0 - of_line.max(of_shaper)
    }

    /// Whether the streams last until a test is over, for certain where no clock ends it.
    fn is_outlasted(&self, own: &Test) -> bool {
        let until = match span(own).1 {
            Time::MAX => self.certain_end(own),
            until => Some(until),
        };
        let lasts = |until: Time| {
            let mut ends = self
                .taken
                .iter()
                .map(|t| span(&self.scenario.tests[t.test]).1);
            ends.all(|end| end >= until)
        };
        until.is_some_and(lasts)
    }

    /// What the steady streams take that are there when `number` is measured first, and as long as its clock runs.
    fn taken_by_streams(&self, number: usize) -> Vec<Taken> {
        let own = &self.scenario.tests[number];
        let (mut all, mut seen) = (Vec::new(), None);
        for (flow, of) in self.plan.flows.iter().enumerate() {
            let other = &self.scenario.tests[of.test];
            let (from, until) = span(other);
            let (start, end) = span(own);
            let apart = from > start + own.omit || until < end && end < Time::MAX;
            if of.test == number || of.asks || apart || seen == Some(of.test) {
                continue;
            }
            seen = Some(of.test);
            let path = Path::new(self.scenario, self.plan, flow);
            all.extend(path.takes(of.test, other, self).unwrap_or_default());
        }
        all
    }

    /// What a test takes of the ports of `others`, if it is a steady stream that is known to be served wherever it meets them.
    fn takes(&self, number: usize, test: &Test, others: &Path<'_>) -> Option<Vec<Taken>> {
        let sent = self.sent(test).filter(|sent| self.passes(test, sent))?;
        let (len, answers) = (sent.len, sent.answers);
        let mut all = Vec::new();
        let mut ports: Vec<usize> = others.there.iter().map(|h| h.port).collect();
        ports.sort_unstable();
        ports.dedup();
        for port in ports {
            let bits = [
                self.wire_on(port, len, answers, len),
                self.waits_on(port, len, answers, len),
            ];
            let [line_bps, waits_bps] = bits.map(|bytes| bytes * 8.0 * sent.a_second);
            if line_bps <= 0.0 {
                continue;
            }
            let most_bps = line_bps * sent.most / sent.a_second.max(f64::MIN_POSITIVE);
            let part = self.served(port, others, most_bps)?;
            all.push(Taken {
                test: number,
                port,
                line_bps: line_bps * part,
                waits_bps: waits_bps * part,
                varies: sent.most > sent.a_second,
            });
        }
        let share = |t: &Taken| t.line_bps / self.lasting_rate(t.port).as_bps() as f64;
        let hardly = test.kind.periodic().is_some() && all.iter().all(|t| share(t) < LEAST);
        (!hardly).then_some(all)
    }

    /// What a test sends, if that is datagrams at a steady mean rate; `None` of all others.
    pub(super) fn sent(&self, test: &Test) -> Option<Sent> {
        match &test.kind {
            TestKind::Udp(udp) => {
                let most = udp.rate.as_bps() as f64 / 8.0 / f64::from(udp.size.max(1));
                let other = udp.envelope.is_some() || udp.replay.is_some() || udp.cells.is_some();
                (!other).then_some(Sent {
                    a_second: most * mean_share(udp),
                    most,
                    len: udp.size + self.header(),
                    answers: 0.0,
                })
            }
            kind => {
                let all = kind.periodic()?;
                let apart_s = all.interval.as_secs_f64();
                (apart_s > 0.0).then_some(Sent {
                    a_second: 1.0 / apart_s,
                    most: 1.0 / apart_s,
                    len: all.size,
                    answers: f64::from(matches!(kind, TestKind::Ping(_))),
                })
            }
        }
    }

    /// Whether all that a test sends passes all of the way.
    fn passes(&self, test: &Test, sent: &Sent) -> bool {
        let len = sent.len;
        let bps = sent.most * 8.0 * f64::from(len);
        self.parted().is_none()
            && self.discarded(test).is_none()
            && self.policers(test, len, len).is_empty()
            && self.loss_ratio(len, &self.there) <= 0.0
            && bps < self.narrowest((len, len), (sent.answers, len), bps).bps
    }

    /// Whether single packets of another test load a port of the connections of `number`, and are not in their forecast.
    pub(super) fn meets_packets(&self, number: usize) -> bool {
        let (start, end) = span(&self.scenario.tests[number]);
        let rates = self.there.iter().map(|hop| self.lasting_rate(hop.port));
        let slowest_bps = rates
            .min()
            .map_or(f64::INFINITY, |rate| rate.as_bps() as f64);
        self.plan.flows.iter().enumerate().any(|(flow, of)| {
            let other = &self.scenario.tests[of.test];
            let Some(all) = other.kind.periodic() else {
                return false;
            };
            let (from, until) = span(other);
            let meets = from < end && start < until && !of.asks && !self.is_taken_off(of.test);
            // Most are a packet a second, whose way need not be walked.
            let bps = f64::from(all.size) * 8.0 / all.interval.as_secs_f64();
            if !meets || bps * FRAMED < LOADS * slowest_bps {
                return false;
            }
            let path = Path::new(self.scenario, self.plan, flow);
            let Some(sent) = path.sent(other) else {
                return false;
            };
            self.there.iter().any(|hop| {
                let bytes = path.wire_on(hop.port, sent.len, sent.answers, sent.len);
                let bps = bytes * 8.0 * sent.a_second;
                bps >= LOADS * self.lasting_rate(hop.port).as_bps() as f64
            })
        })
    }

    /// Which part of what a stream sends a port serves whatever `others` send, of which it takes `most_bps` of the line; `None` where that
    /// is not known.
    fn served(&self, port: usize, others: &Path<'_>, most_bps: f64) -> Option<f64> {
        let is_plain = self.holds_frames(port)
            && self.in_turn(port).is_none()
            && self.direction(port).impairments.trace.is_none();
        let Some(queueing) = self.queueing(port).filter(|_| is_plain) else {
            return is_plain.then_some(1.0);
        };
        let line_bps = self.lasting_rate(port).as_bps() as f64;
        if queueing.fq_codel.is_some() {
            let test = self.plan.flows[others.flow].test;
            let alike = self.plan.flows.iter().filter(|f| f.test == test && !f.asks);
            let share_bps = line_bps / (alike.count() + 1) as f64;
            return Some((share_bps / most_bps).min(1.0));
        }
        if queueing.classes.len() <= 1 {
            return Some(1.0);
        }
        let (own, theirs) = (self.class_number(port)?, others.class_number(port)?);
        let sharing = [own, theirs].map(|n| queueing.classes[n].sharing);
        let first = |goes: bool| goes.then_some(1.0);
        match (queueing.scheduler, sharing) {
            _ if own == theirs => Some(1.0),
            (Scheduler::Strict, _) | (_, [Sharing::Priority, Sharing::Priority]) => {
                first(own < theirs)
            }
            (_, [Sharing::Weight(_), Sharing::Priority]) => None,
            (_, [Sharing::Priority, Sharing::Weight(_)]) => Some(1.0),
            (_, [Sharing::Weight(weight), Sharing::Weight(other)]) => {
                let share = f64::from(weight) / f64::from(weight.saturating_add(other).max(1));
                Some((share * line_bps / most_bps).min(1.0))
            }
        }
    }

    /// Says what is not in the test's forecast because streams take it.
    pub(super) fn note_taken(&self, record: &mut Record) {
        let mut tests: Vec<usize> = self.taken.iter().map(|t| t.test).collect();
        tests.dedup();
        for test in tests {
            let of_test = self.taken.iter().filter(|t| t.test == test);
            let share = |t: &&Taken| t.line_bps / self.lasting_rate(t.port).as_bps() as f64;
            let Some(most) = of_test.max_by(|a, b| share(a).total_cmp(&share(b))) else {
                continue;
            };
            let (when, rest) = match most.varies {
                true => (
                    "on average",
                    "it comes and goes, and the test has the rest at most",
                ),
                false => ("all the time", "the test has the rest"),
            };
            record.notes.push(format!(
                "`{}` takes {} of {} {when}, headers and framing included: {rest}",
                self.scenario.tests[test].name,
                quantity("line_bps", most.line_bps),
                self.port_name(most.port)
            ));
        }
    }
}
