//! The forecast of a TCP test whose full segments a link on the way does not carry.

use farpath_predict::path_mtu::BlackHole;
use farpath_record::Record;
use farpath_tcp::{Config, MtuProbing};
use farpath_units::Duration;
use farpath_wire::FlowDir;

use super::flow::{Flow, goes_on};
use super::tcp::{completes, nothing_measured};
use super::{Path, put};
use crate::model::{Scenario, Tcp, Test};
use crate::plan::{MtuStep, Plan};

/// Length of the answer of a router that cannot send on what is too large (RFC 792).
const ANSWER: u32 = 56;
/// Most bytes of the first flight: the window of a SYN-ACK is not scaled (RFC 7323 §2.2).
const FIRST_FLIGHT: f64 = 65_535.0;

/// The full segment of a flow's connections, bytes: what both hosts agree on, or less where path MTU discovery finds that.
pub fn full_segment(scenario: &Scenario, plan: &Plan, flow: usize, tcp: &Tcp) -> u32 {
    Path::new(scenario, plan, flow).flow_of(tcp).config.mss
}

impl Path<'_> {
    /// Where full segments of `config` are too large, in order; what fits in a smaller one has no full one.
    fn mtu_steps(&self, config: &Config) -> Vec<MtuStep> {
        let dir = FlowDir::forward(self.flow as u16);
        let len = config.mss + self.header();
        let steps = self.plan.mtu_steps(self.scenario, dir, len);
        let last = steps.last().map_or(0, |step| step.mtu);
        let room = u64::from(last.saturating_sub(self.header()));
        match config.amount {
            Some(bytes) if bytes > 0 && bytes <= room => Vec::new(),
            _ => steps,
        }
    }

    /// The largest segment of the path, where the routers tell of it or the sender probes; `None` where the hosts
    /// know it, or never learn.
    pub(super) fn found_mss(&self, config: &Config) -> Option<u32> {
        let steps = self.mtu_steps(config);
        let probes = config.mtu_probing != MtuProbing::Off;
        let found = probes || steps.iter().all(|step| step.answers);
        let last = steps.last().filter(|_| found)?;
        Some(last.mtu.saturating_sub(self.header()).max(1))
    }

    /// What reports cost: each router's answer to what was sent in vain.
    pub(super) fn reported_after(&self, config: &Config) -> Duration {
        let mut len = config.mss + self.header();
        let mut sum = Duration::ZERO;
        for step in self.mtu_steps(config).iter().filter(|step| step.answers) {
            let until = self.there.iter().position(|hop| hop.port == step.port);
            let hops = self.hops(&self.there[..until.map_or(0, |n| n + 1)]);
            let way = hops.iter().map(|h| h.time_for(len) + h.time_for(ANSWER));
            sum = way.fold(sum, |sum, time| sum + time);
            len = step.mtu;
        }
        sum
    }

    /// The first place of which nobody tells the sender, and what the whole path carries.
    pub(super) fn hole(&self, config: &Config) -> Option<(MtuStep, u32)> {
        let steps = self.mtu_steps(config);
        let last = steps.last().map(|step| step.mtu)?;
        let silent = steps.iter().find(|step| !step.answers)?;
        Some((*silent, last))
    }

    /// Says of datagrams of `len` bytes, there and back for `ways` of two, that a link does not carry them; whether that is so.
    pub(crate) fn refuses(&self, len: u32, ways: usize, record: &mut Record) -> bool {
        let dir = FlowDir::forward(self.flow as u16);
        let steps = |dir| self.plan.mtu_steps(self.scenario, dir, len);
        let lost = |step: &MtuStep| step.describe_lost(self.scenario, len);
        let there = steps(dir).first().map(|step| {
            let by_default = step.by_default(self.scenario);
            format!("{}. {by_default}", lost(step))
        });
        // A kernel's own answers to pings have no DF, and routers fragment them.
        let back = || steps(dir.turned()).first().map(lost);
        let note = there.or_else(|| back().filter(|_| ways > 1));
        let refuses = note.is_some();
        record.notes.extend(note);
        refuses
    }

    /// Says of a test that its full segments vanish, if they do; whether that is all there is to say.
    pub(super) fn swallowed(&self, config: &Config, record: &mut Record) -> bool {
        let Some((step, _)) = self.hole(config) else {
            return false;
        };
        let len = config.mss + self.header();
        record.notes.push(step.describe(self.scenario, len));
        if config.mtu_probing != MtuProbing::Off {
            return false;
        }
        put(&mut record.metrics, "goodput_bps", 0.0);
        record.limited_by = Some("mtu".to_owned());
        true
    }

    /// What a sender that probes has to get across; on any path if it always probes. `None` where no closed form has its algorithm.
    fn black_hole(&self, flow: &Flow, agreed: &Config) -> Option<BlackHole> {
        let segment = u64::from(agreed.mss);
        let hole = self.hole(agreed);
        let carried = hole.map_or(flow.config.mss, |(_, mtu)| {
            mtu.saturating_sub(self.header())
        });
        let rate = flow.narrowest.bps / 8.0 / flow.streams;
        let rtt_s = flow.base.as_secs_f64();
        let initial = f64::from(agreed.first_window());
        Some(BlackHole {
            rtt_s,
            rto_min_s: agreed.rto_min.as_secs_f64(),
            segment,
            fits: carried.into(),
            first: (initial * segment as f64).min(FIRST_FLIGHT),
            initial,
            pipe: (rate * rtt_s).min(flow.window as f64),
            cc: flow.cc?,
            segments_per_ack: flow.counted_per_ack(),
            always: agreed.mtu_probing == MtuProbing::Always,
            rack: agreed.sack && agreed.recovery.rack,
        })
    }

    /// Where the sender of a bulk test probes, of its usual `steady` rate: its goodput and its end, with what it is worth until it is across.
    pub(super) fn across(
        &self,
        test: &Test,
        (flow, agreed): (&Flow, &Config),
        steady: f64,
        record: &mut Record,
    ) {
        let is_hole = self.hole(agreed).is_some();
        let always = agreed.mtu_probing == MtuProbing::Always;
        if agreed.mtu_probing == MtuProbing::Off || !(always || is_hole) {
            return;
        }
        let hole = self.black_hole(flow, agreed);
        let Some((hole, crossing)) = hole.and_then(|hole| Some((hole, hole.cross()?))) else {
            if is_hole {
                not_foreseen(record);
            }
            return;
        };
        let late_s = flow.called_after(test).as_secs_f64();
        let each = steady / flow.streams;
        let lost_s = late_s + crossing.full_s - crossing.bytes * 8.0 / each;
        let m = &mut record.metrics;
        if crossing.first_s >= 2.0 {
            put(m, "silent_s", crossing.first_s);
        }
        m.remove("ramp_s");
        if goes_on(test, agreed.amount, crossing.full_s, crossing.bytes) {
            put(m, "ramp_s", crossing.full_s);
        }
        let most = agreed.amount.map_or(f64::INFINITY, |bytes| bytes as f64);
        let ends_s = match most > crossing.bytes {
            true => lost_s + most * 8.0 / each,
            false => hole.arrived_s(most).unwrap_or(crossing.full_s) + late_s,
        };
        let by = |seconds: f64| match seconds >= ends_s {
            true => most,
            false => ((seconds - lost_s).max(0.0) * each / 8.0).min(most),
        };
        let omit_s = test.omit.as_secs_f64();
        let stops_s = test.duration.map(|span| omit_s + span.as_secs_f64());
        // Without a `duration` until all of it has arrived.
        let until_s = stops_s.unwrap_or(ends_s);
        let bits = (by(until_s) - by(omit_s)) * flow.streams * 8.0;
        record.absent.remove("goodput_bps");
        put(
            &mut record.metrics,
            "goodput_bps",
            bits / (until_s - omit_s),
        );
        record.metrics.remove("completion_ns");
        record.absent.remove("completion_ns");
        let completion = agreed.amount.map(|_| ends_s);
        completes(test, completion, record);
        nothing_measured(test, completion, record);
        let over_s = until_s.min(ends_s);
        let worth_s = (over_s - lost_s.max(omit_s)).max(0.0);
        if !always && worth_s < 0.5 * (over_s - omit_s) {
            record.limited_by = Some("mtu".to_owned());
        }
    }

    /// Says of answers or flows whose full segments vanish until a sender that probes is across that what this takes is not foreseen, if
    /// any of it is measured.
    pub(super) fn note_crossing(
        &self,
        test: &Test,
        (flow, agreed): (&Flow, &Config),
        record: &mut Record,
    ) {
        let probes = agreed.mtu_probing != MtuProbing::Off;
        if !probes || self.hole(agreed).is_none() {
            return;
        }
        let crossing = self.black_hole(flow, agreed).and_then(|hole| hole.cross());
        let one = record.kind != "flows";
        let is_over = crossing.is_some_and(|c| one && c.full_s <= test.omit.as_secs_f64());
        if !is_over {
            not_foreseen(record);
        }
    }
}

/// Takes back what a record says as if a sender that probes began with what the path carries.
fn not_foreseen(record: &mut Record) {
    for metric in [
        "goodput_bps",
        "completion_ns",
        "ramp_s",
        "request_rate",
        "response_avg_ns",
    ] {
        record.metrics.remove(metric);
        record.absent.remove(metric);
    }
    record.limited_by = None;
    record.notes.push(
        "how long its search for what the path carries takes is not foreseen here, and so no rate and no end: simulate"
            .to_owned(),
    );
}
