//! Links that follow a trace: a test has the mean of the trace over the time in which it is measured.

use farpath_element::impair::RateTrace;
use farpath_units::{Duration, Rate, Time};

use super::Path;
use crate::model::QueueLimit;

/// Part of a rate by which another must differ to be worth a word.
const DIFFERS: f64 = 0.01;

impl Path<'_> {
    fn trace(&self, port: usize) -> Option<&RateTrace> {
        self.direction(port).impairments.trace.as_ref()
    }

    /// The rate of a port: of one that follows a trace its mean over the test's time.
    pub(super) fn rate_of(&self, port: usize) -> Rate {
        let own = self.plan.ports[port].rate;
        let mean = self.trace(port).map(|trace| {
            let (from, until) = self.traced_time(port, trace);
            trace.mean_between(from, until, f64::INFINITY)
        });
        let mean = mean.filter(|bps| *bps >= 1.0);
        mean.and_then(|bps| Rate::from_bps(bps.round() as u64))
            .unwrap_or(own)
    }

    /// What a port carries on average of `most_bps` on the wire: where its trace is above that, the rest is not used.
    pub(super) fn carries_bps(&self, port: usize, most_bps: f64) -> f64 {
        let all = self.lasting_rate(port).as_bps() as f64;
        let carried = self.trace(port).map(|trace| {
            let (from, until) = self.traced_time(port, trace);
            trace.mean_between(from, until, most_bps)
        });
        let short = carried.filter(|bps| *bps > 0.0 && *bps < most_bps * 0.9999);
        short.map_or(all, |bps| bps.min(all))
    }

    /// When a test is measured; of a transfer without a `duration`, as long as the trace takes for it. No time where its
    /// length is not known.
    fn traced_time(&self, port: usize, trace: &RateTrace) -> (Time, Time) {
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        let stops = test.duration.map(|d| test.start + test.omit + d);
        let carried = test.kind.tcp().and_then(|tcp| {
            let config = self.plan.tcp_config(self.scenario, self.flow, tcp);
            let each =
                self.wire_on(port, config.mss + self.header(), 0.0, 0) / f64::from(config.mss);
            let bytes = config.amount? as f64 * f64::from(tcp.parallel) * each;
            Some(trace.carried(test.start, bytes))
        });
        let asked = test.kind.periodic();
        let asked = asked.map(|p| test.start + p.interval.times(p.count.into()));
        let ends = [stops, carried, asked].into_iter().flatten().min();
        let from = test.start + test.omit;
        match ends {
            Some(until) if until > from => (from, until),
            Some(until) => (test.start, until),
            None => (from, from),
        }
    }

    /// What is assumed of the links of the path that follow a trace.
    pub(super) fn words_of_traces(&self) -> Vec<String> {
        let mut ports: Vec<usize> = self
            .there
            .iter()
            .chain(&self.back)
            .map(|h| h.port)
            .collect();
        ports.sort_unstable();
        ports.dedup();
        let traced = |port: usize| Some((port, self.trace(port)?));
        let all = ports.into_iter().filter_map(traced);
        all.map(|(port, trace)| self.words_of_trace(port, trace))
            .collect()
    }

    fn words_of_trace(&self, port: usize, trace: &RateTrace) -> String {
        let (from, until) = self.traced_time(port, trace);
        let of = self.plan.ports[port].link;
        let name = &self.scenario.links[of.0].name;
        let own = self.plan.ports[port].rate;
        if from == until {
            let ends = if trace.repeats() {
                "of a round"
            } else {
                "at its end"
            };
            return format!(
                "as if link `{name}` had {own} all the time, the rate of its trace {ends}: the time of the test is not known"
            );
        }
        let mean = self.rate_of(port);
        let mut words = format!(
            "reckoned with {} on link `{name}`, the mean rate of its trace in the {} of the test",
            mbit(mean),
            seconds(until.since(from)),
        );
        match trace.extremes(from, until) {
            Some((low, high)) if (high - low) as f64 > DIFFERS * mean.as_bps() as f64 => {
                words += &format!(
                    ": the trace goes from {} to {}, and a flow is taken to fill each rate as soon as it is there",
                    mbit_of(low),
                    mbit_of(high)
                );
            }
            Some(_) => {}
            None => words += "; how it goes up and down is not foreseen",
        }
        let differs = (own.as_bps() as f64 / mean.as_bps() as f64 - 1.0).abs() > DIFFERS;
        if let QueueLimit::Bdp(_) | QueueLimit::Time(_) = self.direction(port).queue
            && differs
        {
            let ends = if trace.repeats() {
                "the mean of a round"
            } else {
                "the rate that the trace ends with"
            };
            words += &format!(
                "; the queue in front of it is as long as at {}, {ends}",
                mbit(own)
            );
        }
        words
    }
}

fn mbit(rate: Rate) -> String {
    mbit_of(rate.as_bps())
}

fn mbit_of(bps: u64) -> String {
    format!("{:.3} Mbit/s", bps as f64 / 1e6)
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}
