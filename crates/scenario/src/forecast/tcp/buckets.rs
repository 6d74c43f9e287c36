//! Shapers whose buckets hold more than a frame: what connections carry while one lasts, and behind it.

use farpath_record::Record;
use farpath_tcp::MtuProbing;
use farpath_units::Duration;

use super::delivered::Delivered;
use super::{Flow, Ramp, completes, nothing_measured};
use crate::forecast::{Path, put};
use crate::model::{Tcp, Test};

/// A test's connections behind one shaper more or less.
struct Stage<'a> {
    path: Path<'a>,
    flow: Flow,
    ramp: Ramp,
    kept: Delivered,
    /// What is left of one connection's steady rate, bit/s.
    each: f64,
    /// The port of the shaper that is the narrowest place, where its bucket holds more than a frame, and by how many seconds of its rate
    /// that is ahead.
    ahead: Option<(usize, f64)>,
}

impl Stage<'_> {
    fn ahead_s(&self) -> f64 {
        self.ahead.map_or(0.0, |(_, seconds)| seconds)
    }

    /// When each connection has delivered all that it carries, from the start; never where that is not limited.
    fn ends_s(&self) -> f64 {
        let steady = self.each * self.flow.streams;
        self.flow.ends_s(steady, &self.ramp, self.kept) - self.ahead_s()
    }

    /// Payload of one connection that is delivered at a time, bits.
    fn delivered(&self, at: Duration) -> f64 {
        self.ramp.delivered(at, self.each) + self.ahead_s() * self.each
    }
}

/// What is delivered at a time behind all of them: the least.
fn least(stages: &[Stage<'_>], at: Duration) -> f64 {
    let all = stages.iter().map(|stage| stage.delivered(at));
    all.fold(f64::INFINITY, f64::min)
}

/// When all have delivered what each connection carries: the last.
fn last_s(stages: &[Stage<'_>]) -> f64 {
    stages.iter().map(Stage::ends_s).fold(0.0, f64::max)
}

/// When a test ends, seconds from its start.
fn until_s(test: &Test, stages: &[Stage<'_>]) -> f64 {
    let stops = test.duration.map(|span| (test.omit + span).as_secs_f64());
    last_s(stages).min(stops.unwrap_or(f64::INFINITY))
}

/// The stages from the first one on that holds at the end of a test; the shapers of those before never hold anything back.
fn holding<'s, 'a>(test: &Test, stages: &'s [Stage<'a>]) -> &'s [Stage<'a>] {
    let at = |from: usize| match (test.duration, stages[from].flow.config.amount) {
        (Some(span), None) => -least(&stages[from..], test.omit + span),
        _ => last_s(&stages[from..]),
    };
    let mut from = 0;
    while from + 1 < stages.len() && at(from) <= at(from + 1) {
        from += 1;
    }
    &stages[from..]
}

impl<'a> Path<'a> {
    /// What closed forms say of a test that carries data without a pause. What a shaper's bucket holds passes beside its rate: with a bucket
    /// of b bytes no more than b + r t in a time t.
    pub(crate) fn tcp(&self, test: &Test, tcp: &Tcp, record: &mut Record) {
        let stages = self.tcp_stages(test, tcp);
        let [held, rest, ..] = holding(test, &stages) else {
            let path = stages.last().map_or(self, |stage| &stage.path);
            path.at_rates(test, tcp, record);
            if stages.is_empty() && record.limited_by.as_deref() == Some("link") {
                let flow = self.flow_of(tcp);
                record.notes.extend(self.doubt_of_shaper(&flow));
            }
            return;
        };
        let behind = holding(test, &stages);
        let (begins_s, until_s) = (test.omit.as_secs_f64(), until_s(test, behind));
        let empty_s = empty_s(behind, until_s);
        let mostly = empty_s - begins_s < 0.5 * (until_s - begins_s);
        let path = if mostly { &held.path } else { &rest.path };
        path.at_rates(test, tcp, record);
        if !record.metrics.contains_key("goodput_bps") {
            return;
        }
        record.metrics.remove("completion_ns");
        record.absent.remove("completion_ns");
        let ends_s = last_s(behind);
        let by = |at: Duration| least(behind, at);
        let (goodput, completion) = held.flow.measured(test, ends_s, held.kept, by);
        put(&mut record.metrics, "goodput_bps", goodput);
        completes(test, completion, record);
        nothing_measured(test, completion, record);
        if record.metrics.remove("rtt_max_ns").is_some() {
            let steady = held.each * held.flow.streams;
            held.path.longest(test, &held.flow, steady, record);
        }
        record.notes.extend(held.note());
    }

    /// Where a shaper's bucket holds more than a frame, and the forecast has its rate alone.
    pub(in crate::forecast) fn doubt_of_shaper(&self, flow: &Flow) -> Option<String> {
        let len = flow.config.mss + self.header();
        let (port, _) = self.ahead(flow.narrowest, len)?;
        let link = &self.scenario.links[self.plan.ports[port].link.0].name;
        Some(format!(
            "as if the bucket of the shaper of `{link}` held a single frame: what a full one lets pass beside its rate is not in the forecast"
        ))
    }

    /// The path of a test's data at its end, without the shapers that never hold it back, and after how long the bucket of one that does is
    /// empty, in seconds.
    pub(in crate::forecast) fn behind_buckets(&self, test: &Test, tcp: &Tcp) -> (Path<'a>, f64) {
        let stages = self.tcp_stages(test, tcp);
        let behind = holding(test, &stages);
        match behind {
            [] => (self.clone(), 0.0),
            [held] => (held.path.clone(), 0.0),
            [held, ..] => (held.path.clone(), empty_s(behind, until_s(test, behind))),
        }
    }

    /// The path as it is, and with each shaper opened that was narrowest before, as far as these have deep buckets; empty where none has,
    /// and where no form joins the bucket to what else holds the connections.
    fn tcp_stages(&self, test: &Test, tcp: &Tcp) -> Vec<Stage<'a>> {
        let mut path = self.clone();
        let mut stages = Vec::new();
        loop {
            let flow = path.flow_of(tcp);
            let ahead = path.ahead(flow.narrowest, flow.config.mss + path.header());
            let joined = !stages.is_empty() || ahead.is_some() && path.joins(test, tcp, &flow);
            let Some(loss_bps) = flow.loss_bps().filter(|_| joined) else {
                return Vec::new();
            };
            let steady = flow.steady(loss_bps);
            let short = path.short_queue(&flow, steady, true);
            let kept = flow.kept(short.as_ref());
            let agreed = path.plan.tcp_config(path.scenario, path.flow, tcp);
            let late = path.reported_after(&agreed) + flow.called_after(test);
            let opened = ahead.map(|(port, _)| path.open(port));
            stages.push(Stage {
                ramp: flow.ramp(steady / flow.streams).after(late),
                each: steady * kept.share / flow.streams,
                path,
                flow,
                kept,
                ahead,
            });
            let Some(opened) = opened else {
                return stages;
            };
            path = opened;
        }
    }

    /// Whether nothing but the line, the window and losses by chance holds a test's connections.
    fn joins(&self, test: &Test, tcp: &Tcp, flow: &Flow) -> bool {
        let agreed = self.plan.tcp_config(self.scenario, self.flow, tcp);
        let named = (0..tcp.parallel).any(|stream| !self.named(test, stream).is_empty());
        !named
            && !flow.loses_all()
            && agreed.mtu_probing == MtuProbing::Off
            && self.meets_policers(test, flow).is_empty()
            && self.parted().is_none()
    }
}

/// When the bucket of the first stage is empty, in seconds from the start, at `until_s` at the latest.
fn empty_s(stages: &[Stage<'_>], until_s: f64) -> f64 {
    let (Some(first), Some(rest)) = (stages.first(), stages.get(1..)) else {
        return 0.0;
    };
    let (mut before, mut after) = (0.0, until_s);
    for _ in 0..60 {
        let middle = 0.5 * (before + after);
        let at = Duration::from_secs_f64(middle);
        match first.delivered(at) < least(rest, at) {
            true => after = middle,
            false => before = middle,
        }
    }
    after
}

impl Stage<'_> {
    /// What is counted of the bucket, and what is not.
    fn note(&self) -> Option<String> {
        let (port, seconds) = self.ahead?;
        let link = &self.path.scenario.links[self.path.plan.ports[port].link.0].name;
        let bytes = seconds * self.each * self.flow.streams / 8.0;
        Some(format!(
            "the shaper of `{link}` lets {:.3} MB of payload pass beside its rate until its bucket is empty: the forecast counts that, and not what its queue drops when the bucket is empty",
            bytes / 1e6
        ))
    }
}
