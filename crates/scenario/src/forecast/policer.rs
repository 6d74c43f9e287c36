//! Policers on a test's way: what closed forms say gets through them.

use farpath_predict::atm::{CELL, CELL_BITS};
use farpath_predict::climb::Climb;
use farpath_predict::clumps::Clumped;
use farpath_predict::policed_pace;
use farpath_predict::policer::{Dropping, Policer, apart, at_once};
use farpath_record::{Record, Uncertainty};

use super::Path;
use super::flow::Flow;
use crate::model::{Bound, PoliceAction, PoliceRule, Shape, Test};

/// Where CUBIC turns back that met a loss below its last window, as a share of it (RFC 9438 §4.7): (1 + β)/2.
const FAST_CONVERGENCE: f64 = 0.85;

/// How many times what is acknowledged slow start sends.
const SLOW_START: f64 = 2.0;

/// Time over which the mean of a transfer without a duration is taken, seconds.
const MEAN_OVER_S: f64 = 60.0;

/// What is said of the bounds of one whose windows come in clumps.
pub(super) const PATHS_WITHIN: &str = "a policer's burst holds the window: how much passes depends on how its segments are spread over a round trip, and 95 of 100 simulated paths lie within the bounds";

/// A policer, as one test's frames meet it.
pub(super) struct Met {
    pub(super) policer: Policer,
    /// Payload bytes for each byte that the policer counts.
    pub(super) payload: f64,
    /// What it drops, frames or cells.
    dropping: Dropping,
    /// Not one datagram passes: the bucket holds less than a frame, or fewer cells than a frame has behind one another.
    takes_all: bool,
    /// The crossing of the way out, from 0 on.
    pub(super) at: usize,
    /// It polices what arrives by that crossing, behind its line and losses, and not what leaves.
    pub(super) arriving: bool,
}

impl Met {
    /// Payload that its rate leaves, bit/s.
    pub(super) fn all_bps(&self) -> f64 {
        match self.takes_all {
            true => 0.0,
            false => self.policer.rate_bps * self.payload,
        }
    }

    /// Whether a full bucket passes so many bytes of payload that come behind one another.
    pub(super) fn holds(&self, bytes: f64) -> bool {
        !self.takes_all && bytes / self.payload <= self.policer.clump_bytes()
    }
}

/// How fast frames follow one another behind the slowest of some lines: its rate, and what a frame takes of it.
#[derive(Clone, Copy)]
struct Pace {
    bps: f64,
    on_wire: f64,
}

impl Pace {
    /// No line yet.
    const NONE: Pace = Pace {
        bps: f64::INFINITY,
        on_wire: 1.0,
    };

    /// Behind one more line.
    fn slower(self, bps: f64, on_wire: f64) -> Pace {
        match bps / on_wire < self.bps / self.on_wire {
            true => Pace { bps, on_wire },
            false => self,
        }
    }

    /// Behind shapers, each with what it counts of a frame, in front of a bucket of `bytes`. What a shaper's own burst holds comes
    /// at the line's rate: one that holds more than the bucket keeps nothing from it.
    fn shaped(self, shapers: &[(Shape, f64)], bytes: f64) -> Pace {
        let smooth = |s: &Shape| s.burst.is_none_or(|burst| burst.as_bytes() as f64 <= bytes);
        let smooth = shapers.iter().filter(|(shape, _)| smooth(shape));
        smooth.fold(self, |pace, (shape, counted)| {
            pace.slower(shape.rate.as_bps() as f64, *counted)
        })
    }

    /// As bit/s of frames of which `counted` bytes are counted each.
    fn of(self, counted: f64) -> f64 {
        self.bps * counted / self.on_wire
    }
}

impl Path<'_> {
    /// The policers that all of a test's datagrams of `len` bytes, `payload` of them, meet on the way out, and that drop of them.
    pub(super) fn policers(&self, test: &Test, len: u32, payload: u32) -> Vec<Met> {
        let mut all = Vec::new();
        let (mut paced_by, mut shapes) = (Pace::NONE, Vec::new());
        for (at, hop) in self.there.iter().enumerate() {
            let port = &self.plan.ports[hop.port];
            let link = &self.scenario.links[port.link.0];
            let in_queue = f64::from(link.framing.queue_bytes(len + hop.extra));
            let on_wire = f64::from(link.framing.wire_bytes(len + hop.extra));
            let here = paced_by.slower(port.rate.as_bps() as f64, on_wire);
            let shape = self.queueing(hop.port).and_then(|q| q.shape);
            let shaped_before = shapes.len();
            shapes.extend(shape.map(|shape| (shape, in_queue)));
            let [leaving, arriving] = self.policed_by(hop, test);
            let leaving = leaving.map(|rule| (rule, false));
            let arriving = arriving.map(|rule| (rule, true));
            for (rule, behind) in leaving.into_iter().chain(arriving) {
                let of_all = bucket(rule).filter(|_| self.carries_all(hop.port));
                let Some((rate_bps, burst_bytes)) = of_all else {
                    continue;
                };
                let counted = in_queue + f64::from(rule.overhead);
                let (line, shapes) = match behind {
                    true => (here, &shapes[..]),
                    false => (paced_by, &shapes[..shaped_before]),
                };
                let pace = line.shaped(shapes, burst_bytes);
                let policer = Policer {
                    rate_bps,
                    burst_bytes,
                    arrival_bps: pace.of(counted),
                };
                if policer.passes_all(counted) {
                    continue;
                }
                let met = Met {
                    policer,
                    payload: f64::from(payload) / counted.max(1.0),
                    dropping: Dropping::Frames,
                    takes_all: burst_bytes < counted,
                    at,
                    arriving: behind,
                };
                all.push(met);
            }
            paced_by = here;
            let of_cells = self.cell_policers(hop.port);
            for policer in of_cells.filter(|_| self.carries_all(hop.port)) {
                // Frames come as far apart as an earlier link leaves them, the cells of one at the line's rate.
                let met = Met {
                    policer: Policer {
                        arrival_bps: paced_by.of(on_wire),
                        ..policer
                    },
                    payload: f64::from(payload) / on_wire,
                    dropping: Dropping::Cells,
                    takes_all: policer.clump_bytes() < on_wire,
                    at,
                    arriving: true,
                };
                all.push(met);
            }
        }
        all
    }

    /// The policers that full segments of a flow meet.
    pub(super) fn meets_policers(&self, test: &Test, flow: &Flow) -> Vec<Met> {
        let header = self.header();
        let mss = flow.config.mss;
        self.policers(test, mss + header, mss)
    }

    /// What a port polices of cells: a bucket for each rate of the contract below the line's, which holds
    /// L/I + 1 − δ/I cells where they come δ apart, are to come I apart, and may come L early (ITU-T I.371).
    fn cell_policers(&self, port: usize) -> impl Iterator<Item = Policer> {
        let line = self.plan.ports[port].rate.as_bps() as f64;
        let cells = &self.direction(port).cells;
        let contract = cells.as_ref().and_then(|c| c.police);
        let contract = contract.filter(|p| !p.tags).map(|p| p.contract);
        let rates = contract.map(|contract| {
            let pcr = contract.pcr.as_bps() as f64;
            let cdvt_s = contract.cdvt.as_secs_f64();
            let bits = CELL_BITS as f64;
            let sustained = contract.obeyed().map(|(scr, mbs)| {
                let scr = scr.as_bps() as f64;
                let apart_s = bits / scr - bits / pcr;
                (scr, cdvt_s + (mbs.max(1) - 1) as f64 * apart_s)
            });
            [Some((pcr, cdvt_s)), sustained]
        });
        let below = rates.into_iter().flatten().flatten();
        below
            .filter(move |(rate, _)| *rate < line)
            .map(move |(rate, early_s)| Policer {
                rate_bps: rate,
                burst_bytes: early_s * rate / 8.0 + f64::from(CELL) * (1.0 - rate / line),
                arrival_bps: line,
            })
    }

    /// Goodput of a test of connections through the policer that leaves them least, all together, and between which values it lies;
    /// `None` where none is the limit.
    pub(super) fn policed(&self, test: &Test, flow: &Flow, steady: f64) -> Option<[f64; 3]> {
        let all = self.meets_policers(test, flow).into_iter();
        let passing = all
            .filter(|met| !self.fills_faster(met, flow))
            .filter_map(|met| self.passing(test, flow, steady, &met));
        passing.min_by(|[a, ..], [b, ..]| a.total_cmp(b))
    }

    /// Whether a bucket fills faster than segments come once the line is full. Behind it, too, a slower line sets how fast acknowledgements
    /// come, and with them segments. A shaper whose own burst is more than the bucket lets them come at once.
    fn fills_faster(&self, met: &Met, flow: &Flow) -> bool {
        let shape = flow
            .narrowest
            .port
            .and_then(|port| self.queueing(port)?.shape);
        let burst = shape.and_then(|s| s.burst).map_or(0, |b| b.as_bytes());
        let smooth = burst as f64 <= met.policer.burst_bytes;
        !met.takes_all && smooth && flow.narrowest.bps <= met.all_bps()
    }

    /// Where a slower line lets segments come more slowly than a policer's bucket fills, but not in slow start, which sends twice what is
    /// acknowledged: no forecast has what the bucket drops then, and the climb from there.
    pub(super) fn doubt_of_bucket(&self, test: &Test, flow: &Flow) -> Option<String> {
        let line_bps = flow.narrowest.bps;
        let in_flight = (flow.pipe() + flow.room) * f64::from(flow.config.mss);
        let bytes = test.kind.bulk().and_then(|tcp| tcp.bytes);
        let each = bytes.map_or(f64::INFINITY, |b| b.as_bytes() as f64);
        let most = in_flight.min(flow.window as f64).min(each * flow.streams);
        let overflows = |met: &Met| {
            let left = 1.0 - met.all_bps() / (SLOW_START * line_bps);
            let held = met.policer.burst_bytes * met.payload / left;
            self.fills_faster(met, flow) && left > 0.0 && held < most
        };
        let all = self.meets_policers(test, flow);
        let met = all.iter().find(|met| overflows(met))?;
        Some(format!(
            "as if no policer of {:.0} Mbit/s were on the way: the line sends less, but slow start comes at up to twice the line's rate, which its \
             bucket does not hold, and the climb from there is not foreseen: simulate",
            met.policer.rate_bps / 1e6
        ))
    }

    /// What [`Path::policed`] says, of one policer.
    fn passing(&self, test: &Test, flow: &Flow, steady: f64, met: &Met) -> Option<[f64; 3]> {
        let mss = flow.config.mss;
        if met.takes_all {
            return Some([0.0; 3]);
        }
        let rtt_s = flow.base.as_secs_f64();
        let all = met.all_bps();
        let timeout = flow.config.delayed_ack.timeout.as_secs_f64();
        // What is paced, or follows a rate, comes in no clumps.
        let clumped = flow.config.pacing.is_none();
        let likely = flow.cc.filter(|_| clumped).and_then(|cc| {
            let segments = Clumped {
                policer: met.policer,
                counted_bytes: f64::from(mss) / met.payload,
                cc,
                rtt_s,
                initial: f64::from(flow.config.first_window()),
                gather_s: flow.config.gro.as_secs_f64(),
                delayed_ack_s: timeout,
                compressed_sacks: flow.config.compressed_sacks,
                htcp: farpath_predict::htcp::Growth::PAPER,
                dropping: met.dropping,
            };
            let omit = test.omit.as_secs_f64();
            let until = test
                .duration
                .map_or(MEAN_OVER_S, |d| omit + d.as_secs_f64());
            let likely_alone = segments.passing(omit, until)? * f64::from(mss) * 8.0;
            let [low, high] = segments.spread();
            let drawn = test.later.iter().copied().max();
            let starts_apart = drawn.unwrap_or(test.start_spread) >= flow.base;
            let together = match starts_apart {
                true => apart,
                false => at_once,
            };
            let [likely, low] =
                [1.0, low].map(|share| together(likely_alone * share, flow.streams, all));
            Some([likely, low, apart(likely_alone * high, flow.streams, all)])
        });
        let [likely, low, high] = match likely {
            Some(all) => all,
            None => match self.paced(flow, met) {
                Some((top, _)) if steady <= top => return None,
                Some((_, mean)) => {
                    let likely = mean.min(all);
                    [likely, likely * FAST_CONVERGENCE, all]
                }
                None => [all; 3],
            },
        };
        let counted = f64::from(mss) / met.payload;
        let cut = !clumped && met.policer.cuts_paced(counted, flow.burst_rtt_s());
        let low = if cut { 0.0 } else { low };
        (likely < steady).then_some([likely, low, high])
    }

    /// What connections that pace have in front of a policer before it cuts them, all together in bit/s, and what they have on average;
    /// `None` where nothing paces or no law says what a loss does.
    fn paced(&self, flow: &Flow, met: &Met) -> Option<(f64, f64)> {
        flow.config.pacing?;
        let rtt_s = flow.base.as_secs_f64();
        let mss = f64::from(flow.config.mss);
        let top = met.policer.paced_window(rtt_s) * met.payload;
        let climb = Climb {
            cc: flow.cc?,
            top: (top / mss / flow.streams).max(1.0),
            rtt_s,
            segments_per_ack: flow.counted_per_ack(),
            htcp: flow.htcp(),
            rules: flow.rules(),
        };
        let each = Policer {
            rate_bps: met.policer.rate_bps / flow.streams,
            burst_bytes: met.policer.burst_bytes / flow.streams,
            ..met.policer
        };
        let followed = policed_pace::mean_window(each, mss / met.payload, climb);
        let mean = match followed {
            Some(segments) => segments * mss * flow.streams,
            None => top * climb.mean_share()?,
        };
        Some((top * 8.0 / rtt_s, mean * 8.0 / rtt_s))
    }

    /// What a record says of such a test besides its goodput.
    pub(super) fn note_policed(
        &self,
        flow: &Flow,
        [_, low, high]: [f64; 3],
        share: f64,
        record: &mut Record,
    ) {
        record.limited_by = Some("policer".to_owned());
        if low < high {
            // Both ends of a sender's that paces are bounds; those of another are what simulations gave.
            let level = flow.config.pacing.is_none().then_some(0.95);
            let bounds = Uncertainty {
                low: Some(low * share),
                high: Some(high * share),
                level,
            };
            record.uncertainty.insert("goodput_bps".to_owned(), bounds);
            let why = match low > 0.0 {
                true if flow.config.pacing.is_some() => {
                    "a policer cuts the window of a sender that paces, too: the mean of climbs between cuts, without what slow start and the losses themselves cost"
                }
                true => PATHS_WITHIN,
                false => {
                    "outside the formula's range: the policer's bucket holds no burst of a sender that paces, and takes part of each"
                }
            };
            record.notes.push(why.to_owned());
        }
    }
}

impl Met {
    /// Payload that it has passed so many seconds after the start of a stream of `comes_bps` at the most, bits; infinite where it drops nothing.
    pub(super) fn passed_bits(&self, comes_bps: f64, seconds: f64) -> f64 {
        if self.takes_all {
            return 0.0;
        }
        let counted = comes_bps / self.payload;
        let passed = match self.dropping {
            Dropping::Frames => self.policer.stream_bps(f64::INFINITY, seconds) * seconds,
            Dropping::Cells if counted <= self.policer.rate_bps => return f64::INFINITY,
            // Once the bucket is empty each frame loses some cells.
            Dropping::Cells => {
                self.policer.burst_bytes * 8.0 / (1.0 - self.policer.rate_bps / counted)
            }
        };
        passed * self.payload
    }
}

/// Rate and burst beyond which a policer drops, if it drops at all.
pub(super) fn bucket(rule: &PoliceRule) -> Option<(f64, f64)> {
    let of = |rate: farpath_units::Rate, burst: f64| (rate.as_bps() as f64, burst);
    let burst = rule.burst.as_bytes() as f64;
    let [_, yellow, red] = rule.actions;
    match (yellow, red, rule.bound) {
        (PoliceAction::Drop, ..) | (_, PoliceAction::Drop, Bound::None) => {
            Some(of(rule.rate, burst))
        }
        (_, PoliceAction::Drop, Bound::Excess(more)) => {
            Some(of(rule.rate, burst + more.as_bytes() as f64))
        }
        (_, PoliceAction::Drop, Bound::Peak(rate, burst)) => {
            Some(of(rate, burst.as_bytes() as f64))
        }
        _ => None,
    }
}
