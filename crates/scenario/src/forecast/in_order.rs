//! What jitter adds to packets at equal intervals where it keeps their order.

use farpath_element::impair::Distribution;
use farpath_predict::in_order;
use farpath_units::{Duration, Size};
use farpath_wire::FlowDir;

use super::Path;
use super::beside::span;
use crate::model::{Arrivals, Periodic, Test, TestKind};
use crate::plan::{Flow, Hop};

/// No delay is longer than this share of all of them.
const SURELY: f64 = 1.0 - 1e-12;

/// Parts of the delays of equal shares, and how often the last is halved.
const PARTS: u32 = 256;
const HALVINGS: u32 = 32;

/// Packets in front of one that it may have to wait for, beyond which no mean is taken.
const BEFORE_MOST: f64 = 1000.0;

impl Path<'_> {
    /// What jitter adds on average to packets that cross `ways` one after the other, of which a share is `lost`; and whether that is all. Where it
    /// is not, packets that wait for their order have more.
    pub(crate) fn jitter_mean(
        &self,
        all: &Periodic,
        ways: &[&[Hop]],
        lost: f64,
    ) -> (Duration, bool) {
        let mean = self.jitter(ways, Distribution::mean);
        let hops = ways.iter().copied().flatten();
        let mut lines = Vec::new();
        for hop in hops {
            let direction = self.direction(hop.port);
            if let Some((distribution, correlation)) = &direction.impairments.jitter {
                lines.push((hop.port, distribution, *correlation, direction.reorder));
            }
        }
        let held = self.held(ways, (all.count, all.size));
        let jitters = lines.iter().map(|line| spread(line.1));
        let apart = jitters.chain(held.iter().map(|(_, by)| *by));
        let apart = apart.fold(Duration::ZERO, |sum, more| sum + more);
        let twice = (1..lines.len()).any(|n| lines[..n].iter().any(|l| l.0 == lines[n].0));
        let free = lines.iter().all(|(.., reorder)| *reorder);
        if free || (!twice && apart <= all.interval) {
            return (mean, true);
        }
        if let [(_, distribution, correlation, _)] = lines[..]
            && correlation <= 0.0
            && lost <= 0.0
            && held.is_empty()
            && let Some(kept) = kept_in_order(distribution, all)
        {
            return (kept, true);
        }
        (mean, false)
    }

    /// The tests, by name, for whose packets these may have to wait on lines that jitter and keep the order of all packets. No law has that.
    pub(crate) fn kept_behind(&self, all: &Periodic, ways: &[&[Hop]]) -> Vec<&str> {
        let mut lines = Vec::new();
        for hop in ways.iter().copied().flatten() {
            let direction = self.direction(hop.port);
            if let Some((distribution, _)) = &direction.impairments.jitter
                && !direction.reorder
                && spread(distribution) > Duration::ZERO
            {
                lines.push((hop.port, spread(distribution)));
            }
        }
        let own = self.plan.flows[self.flow].test;
        let (start, end) = span(&self.scenario.tests[own]);
        let mut names = Vec::new();
        for (number, flow) in self.plan.flows.iter().enumerate() {
            let test = &self.scenario.tests[flow.test];
            let (from, until) = span(test);
            let apart = from >= end || until <= start;
            if flow.test == own || apart || names.contains(&test.name.as_str()) {
                continue;
            }
            if lines.iter().any(|line| self.waits_for(all, *line, number)) {
                names.push(test.name.as_str());
            }
        }
        names
    }

    /// Whether packets of another flow, by number, may be in front of these on such a line, a port and the spread of its delays.
    fn waits_for(&self, all: &Periodic, line: (usize, Duration), number: usize) -> bool {
        let flow = &self.plan.flows[number];
        let test = &self.scenario.tests[flow.test];
        let dir = FlowDir::forward(number as u16);
        let there = self.plan.walk(self.scenario, dir);
        let crosses = |walk: &[Hop]| walk.iter().any(|hop| hop.port == line.0);
        let answers = test.kind.udp().is_none() && !matches!(test.kind, TestKind::OneWay(_));
        if answers && crosses(&self.plan.walk(self.scenario, dir.turned())) {
            return true;
        }
        crosses(&there) && !self.is_far_ahead(all, line, (flow, &there[..]))
    }

    /// Whether packets of another flow, on the same way as far as that line and at the same intervals, are always so far in front that
    /// these do not wait for them. Of those that leave at one instant the first test's go first.
    fn is_far_ahead(
        &self,
        all: &Periodic,
        (port, spread): (usize, Duration),
        (other, walk): (&Flow, &[Hop]),
    ) -> bool {
        let own = &self.plan.flows[self.flow];
        let [test, with] = [own, other].map(|flow| &self.scenario.tests[flow.test]);
        let at = |walk: &[Hop]| walk.iter().position(|hop| hop.port == port);
        let (Some(mine), Some(theirs)) = (at(&self.there), at(walk)) else {
            return false;
        };
        let ports = |walk: &[Hop]| -> Vec<usize> { walk.iter().map(|hop| hop.port).collect() };
        let same = own.source == other.source
            && ports(&self.there[..=mine]) == ports(&walk[..=theirs])
            && self.there[..mine].iter().all(|hop| {
                let line = &self.direction(hop.port).impairments;
                line.jitter.is_none() && line.reordering.is_none()
            });
        let drawn = [test, with].map(|test| test.start_spread > Duration::ZERO);
        let Some((interval, size)) = ticks(with, other.header_bytes.into()) else {
            return false;
        };
        let apart = interval.as_ps();
        if !same || drawn.contains(&true) || interval != all.interval || apart == 0 {
            return false;
        }
        let later = (with.start.as_ps() % apart + apart - test.start.as_ps() % apart) % apart;
        let ahead = match later {
            0 if other.test > own.test => apart,
            0 => 0,
            later => apart - later,
        };
        let hops = self.hops(&walk[..=theirs]);
        // Each keeps the next one back for the gap behind it as well.
        let takes = hops
            .iter()
            .map(|h| h.time_for(size).saturating_sub(h.delay) + h.framing.gap(h.rate));
        let takes = takes.fold(Duration::ZERO, |sum, time| sum + time);
        Duration::from_ps(ahead) >= spread + takes.times(self.scenario.tests.len() as u64)
    }
}

/// How much later than the earliest a packet may surely be.
fn spread(distribution: &Distribution) -> Duration {
    distribution
        .quantile(SURELY, SURELY)
        .saturating_sub(distribution.least())
}

/// The interval of a test's packets and the bytes of their IP datagrams, where all are alike; a datagram has so many bytes of headers.
pub(super) fn ticks(test: &Test, header: u32) -> Option<(Duration, u32)> {
    if let Some(all) = test.kind.periodic() {
        return Some((all.interval, all.size));
    }
    let udp = test.kind.udp()?;
    let varies = udp.on_off.is_some() || udp.envelope.is_some() || udp.replay.is_some();
    let is_even = udp.arrivals == Arrivals::Constant && udp.cells.is_none() && !varies;
    let interval = udp.rate.time_for(Size::from_bytes(udp.size.into()));
    is_even.then_some((interval, udp.size + header))
}

/// The mean delay of packets that meet one such line; `None` where that has no form, or too many are in front of one another.
fn kept_in_order(distribution: &Distribution, all: &Periodic) -> Option<Duration> {
    distribution.share_within(Duration::ZERO)?;
    let quantile = |u: f64| distribution.quantile(u, u).as_ps() as f64;
    let (longest, apart) = (quantile(SURELY), all.interval.as_ps() as f64);
    if (longest / apart).min(f64::from(all.count)) > BEFORE_MOST {
        return None;
    }
    let equal = (1..PARTS).map(|n| f64::from(n) / f64::from(PARTS));
    let last = (1..=HALVINGS).map(|n| 1.0 - libm::exp2(-f64::from(n)) / f64::from(PARTS));
    let mut panels = vec![0.0];
    for bound in equal.chain(last).map(quantile).chain([longest]) {
        if panels.last().is_some_and(|before| bound > *before) {
            panels.push(bound);
        }
    }
    let within = |ps: f64| distribution.share_within(Duration::from_ps(ps as u64));
    let share = |ps: f64| within(ps).unwrap_or(1.0);
    let ps = in_order::mean_delay(all.count.max(1), apart, &panels, share);
    Some(Duration::from_ps(ps.round() as u64))
}
