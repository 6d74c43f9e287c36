//! What a test's connections would have beside those of others if all had as much where they meet (max-min fairness).

mod classes;

use farpath_predict::Cc;
use farpath_predict::recovery::CUBIC_BETA;
use farpath_record::quantity::quantity;

use classes::in_classes;

use super::beside::span;
use super::flow::Flow;
use super::{Narrowest, Path};
use crate::model::Test;
use crate::plan::Hop;

/// Of what a test has alone: what equal shares must leave for a word.
const LESS: f64 = 0.99;
/// Of a rate: what sums of steps may be below it.
const ROUNDING: f64 = 1e-9;
/// Round trips no further from each other than this are equal.
const APART: f64 = 0.01;
/// Of its share: what a connection may have had more or less in the mean, since the others began later.
const UNEVEN: f64 = 0.1;

/// What equal shares of a full link leave a test, or those of its scheduler.
pub(super) struct EqualShare {
    /// Of what it has alone on its path; none where some of the connections are not like the others, and theirs are not equal.
    pub(super) of_alone: Option<f64>,
    pub(super) words: String,
}

/// Connections of one test, alike.
struct Rival<'p, 'a> {
    path: &'p Path<'a>,
    streams: f64,
    /// Payload of each alone on its path, bit/s.
    most_bps: f64,
    /// IP datagram and payload bytes.
    size: (u32, u32),
    /// It has what it is to have.
    is_served: bool,
}

/// What is said of connections that share the queue of a link.
const ALIKE: &str = "the forecast is an equal share for each, which is the mean of many runs; shares of one are apart, the more the fewer losses it has";

/// What is said of connections with a queue of their own each: over 20 and 200 Mbit/s, 20 ms beside up to 100 ms, one flow each.
const BY_FLOW: &str = "which has a queue for each flow: the forecast is an equal share for each. Simulated beside a fifth of the round trip CUBIC and \
    H-TCP had up to 9 % less than that, and Reno up to 21 %";

/// Whether another test is there when one is measured first, and until that is over.
fn is_beside(own: &Test, other: &Test) -> bool {
    let begins = other.start + other.start_spread <= own.start + own.omit;
    (begins || other.start == own.start) && span(other).1 >= span(own).1
}

/// Whether connections of two tests that begin one after the other have equal shares in the mean of the measurement. A full queue cuts them alike, and
/// each cut leaves of what sets them apart the part that it leaves of a window.
fn comes_together(own: &Test, other: &Test, shared: &Flow) -> bool {
    let all_there = (own.start + own.start_spread).max(other.start + other.start_spread);
    let measured = own.start + own.omit;
    let keeps = match shared.cc {
        Some(Cc::Reno) => 0.5,
        Some(Cc::Cubic) => CUBIC_BETA,
        _ => return false,
    };
    let cycle_s = shared.cycle_s(shared.room / shared.streams);
    let (Some(cycle_s), Some(duration)) = (cycle_s, own.duration) else {
        return false;
    };
    let fades_s = cycle_s / -libm::log(keeps);
    let before_s = measured.since(all_there).as_secs_f64();
    let uneven = libm::exp(-before_s / fades_s) * (fades_s / duration.as_secs_f64()).min(1.0);
    measured >= all_there && uneven < UNEVEN
}

impl Rival<'_, '_> {
    /// What a port carries for one bit/s of payload of each connection that is not served yet.
    fn needs(&self, port: usize) -> f64 {
        let (len, payload) = self.size;
        let wire = self.path.wire_on(port, len, 0.0, 0);
        match self.is_served {
            true => 0.0,
            false => self.streams * wire / f64::from(payload.max(1)),
        }
    }
}

impl Path<'_> {
    /// What equal shares leave test `number`; `None` where that is what it has alone, or another test is not connections that carry data
    /// without a pause.
    pub(super) fn equal_share(
        &self,
        number: usize,
        others: &[(usize, Path<'_>)],
    ) -> Option<EqualShare> {
        let tests = &self.scenario.tests;
        let mut all = vec![(number, self)];
        let met = others.iter().filter(|(n, _)| !self.is_taken_off(*n));
        all.extend(met.map(|(n, path)| (*n, path)));
        let mut rivals = self.rivals(&all)?;
        if let Some(share) = self.class_share(&all, &rivals) {
            return Some(share);
        }
        let (alone_bps, streams) = (rivals[0].most_bps, rivals[0].streams);
        let (port, each_bps) = self.first_full(&mut rivals)?;
        if each_bps >= LESS * alone_bps {
            return None;
        }
        let together: f64 = rivals.iter().map(|r| r.streams).sum();
        let fill = rivals.iter().all(|r| r.needs(port) > 0.0);
        let own = &tests[number];
        let shared = self.sharing(own, port, together, each_bps)?;
        let queues = self.queueing(port);
        let by_flow = queues.is_some_and(|queues| queues.fq_codel.is_some());
        let alike = |(n, path): &(usize, &Path<'_>)| {
            let other = &tests[*n];
            path.goes_by_losses(other)
                && match by_flow {
                    true => is_beside(own, other),
                    false => self.is_like((own, &shared), other, path),
                }
        };
        let is_equal = fill && all.iter().all(alike) && self.stays_full(port, &shared);
        let name = self.port_name(port);
        let words = match (is_equal, by_flow) {
            (true, true) => format!("{together:.0} connections fill {name}, {BY_FLOW}"),
            (true, false) => format!(
                "{together:.0} connections, alike in everything that is known of them, fill {name}: {ALIKE}"
            ),
            (false, _) if in_classes(port, &rivals) => format!(
                "{name} serves their classes by its scheduler, and what that leaves it is not foreseen: simulate"
            ),
            (false, _) => format!(
                "equal shares of {name} leave it {}, and those of unlike round trips or algorithms are not equal",
                quantity("goodput_bps", each_bps * streams)
            ),
        };
        Some(EqualShare {
            of_alone: is_equal.then_some(each_bps / alone_bps),
            words,
        })
    }

    /// The connections of some tests, each with its path, by number; `None` where some are not such as carry data without a pause, at a rate
    /// that is known.
    fn rivals<'p, 'b>(&self, all: &[(usize, &'p Path<'b>)]) -> Option<Vec<Rival<'p, 'b>>> {
        let of = |&(number, path): &(usize, &'p Path<'b>)| {
            let test = &self.scenario.tests[number];
            let tcp = test.kind.bulk()?;
            if path.parted().is_some() || path.flow_of(tcp).loss_bps().is_none() {
                return None;
            }
            let load = path.load(test);
            Some(Rival {
                path,
                streams: f64::from(tcp.parallel),
                most_bps: load.bps / f64::from(tcp.parallel),
                size: load.size,
                is_served: load.bps <= 0.0,
            })
        };
        all.iter().map(of).collect()
    }

    /// Whether a test's connections write until its time is over, and lose only what overflows a queue, by which they go. What goes by delay or a
    /// model of the path keeps what it measured first, and shares of Scalable do not come together.
    fn goes_by_losses(&self, test: &Test) -> bool {
        let Some(flow) = test.kind.bulk().map(|tcp| self.flow_of(tcp)) else {
            return false;
        };
        let otherwise = matches!(
            flow.cc,
            Some(Cc::Bbr | Cc::Bbr3 | Cc::Fast | Cc::Scalable | Cc::Vegas | Cc::Westwood) | None
        );
        !otherwise
            && flow.config.amount.is_none()
            && flow.loses_nothing()
            && self.dropping(test).is_empty()
    }

    /// Whether nothing but their number sets another test's connections apart from this one's: what begins together or long before it is measured,
    /// with the same settings, over hops of the same rates and jitter and an equal round trip, in the same class of the full port, has the same in
    /// the mean.
    fn is_like(&self, (own, shared): (&Test, &Flow), other: &Test, path: &Path<'_>) -> bool {
        let (Some(one), Some(two)) = (own.kind.bulk(), other.kind.bulk()) else {
            return false;
        };
        let [one, two] = [self.flow_of(one), path.flow_of(two)];
        let [rtt_s, other_s] = [&one, &two].map(|flow| flow.base.as_secs_f64());
        let together = own.start == other.start && own.start_spread == other.start_spread;
        let same_time = (together || comes_together(own, other, shared))
            && own.later.is_empty()
            && other.later.is_empty()
            && span(other).1 >= span(own).1;
        let jitter = |hop: &Hop| &self.direction(hop.port).impairments.jitter;
        let same_hop = |(one, two): (&Hop, &Hop)| {
            self.lasting_rate(one.port) == self.lasting_rate(two.port) && jitter(one) == jitter(two)
        };
        let port = shared.narrowest.port;
        let class = |path: &Path<'_>| port.and_then(|port| path.class_number(port));
        same_time
            && one.config == two.config
            && (rtt_s / other_s - 1.0).abs() < APART
            && self.header() == path.header()
            && class(self) == class(path)
            && self.there.len() == path.there.len()
            && self.there.iter().zip(&path.there).all(same_hop)
    }

    /// So many connections of a test's kind that fill a port together, `each_bps` of payload for one.
    fn sharing(&self, test: &Test, port: usize, together: f64, each_bps: f64) -> Option<Flow> {
        let flow = self.flow_of(test.kind.bulk()?);
        let room = self.own_room(port, flow.config.mss + self.header());
        Some(Flow {
            streams: together,
            narrowest: Narrowest {
                bps: together * each_bps,
                place: "link",
                port: Some(port),
            },
            room: room.map_or(f64::INFINITY, |segments| segments as f64),
            ..flow
        })
    }

    /// Whether connections that share a port fill it at all times: it stays as it is, and its queue of whole frames is long enough for that.
    fn stays_full(&self, port: usize, shared: &Flow) -> bool {
        let line = &self.direction(port).impairments;
        self.holds_frames(port)
            && line.trace.is_none()
            && line.flap.is_none()
            && !self.plan.ports[port].changes
            && self
                .short_queue(shared, shared.narrowest.bps, true)
                .is_none()
    }

    /// The port that holds the first of some rivals, and what each of its connections has then: all grow alike until a port is full or they
    /// have what they have alone. `None` where no port does.
    fn first_full(&self, rivals: &mut [Rival<'_, '_>]) -> Option<(usize, f64)> {
        let hops = rivals.iter().flat_map(|r| &r.path.there);
        let mut ports: Vec<usize> = hops.map(|hop| hop.port).collect();
        ports.sort_unstable();
        ports.dedup();
        let left = |port: usize| {
            let shape_bps = self.shape_bps(port).unwrap_or(f64::INFINITY);
            let all_bps = shape_bps.min(self.lasting_rate(port).as_bps() as f64);
            all_bps - self.line_taken_bps(port)
        };
        let mut left: Vec<f64> = ports.iter().map(|port| left(*port)).collect();
        let mut each_bps = 0.0;
        while !rivals.first()?.is_served {
            let need = |port: usize| -> f64 { rivals.iter().map(|r| r.needs(port)).sum() };
            let needs: Vec<f64> = ports.iter().map(|port| need(*port)).collect();
            let steps = left.iter().zip(&needs).map(|(left, need)| left / need);
            let (full, by_port) = steps
                .enumerate()
                .filter(|(_, step)| step.is_finite())
                .min_by(|a, b| a.1.total_cmp(&b.1))?;
            let growing = rivals.iter().filter(|r| !r.is_served);
            let by_rival = growing
                .map(|r| r.most_bps - each_bps)
                .fold(f64::INFINITY, f64::min);
            let step = by_port.min(by_rival).max(0.0);
            each_bps += step;
            for (left, need) in left.iter_mut().zip(&needs) {
                *left -= step * need;
            }
            let is_full = by_port <= by_rival;
            let port = ports[full];
            if is_full && rivals[0].needs(port) > 0.0 {
                return Some((port, each_bps));
            }
            let served_bps = each_bps * (1.0 + ROUNDING);
            for rival in &mut *rivals {
                let held = is_full && rival.needs(port) > 0.0;
                rival.is_served |= held || served_bps >= rival.most_bps;
            }
        }
        None
    }
}
