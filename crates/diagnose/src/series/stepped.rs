//! A path that changed in mid-test: the rate stepped by what the round trip did the other way round, so that as much was in flight
//! before and after. All else that is said is then of the path as it was at the end.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::{Evidence, NS};
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::items::{Item, LOSSES, of};
use crate::lines::bloat::ms;
use crate::paths::apart::step_of;
use crate::paths::pinged;
use crate::paths::routes::far_apart;
use crate::read::Facts;
use crate::seen::{Report, Row, Side, Test};

/// Each part has so many intervals at least, which differ by less than this part of the fastest.
const ROWS_LEAST: usize = 2;
const EVEN: f64 = 0.1;

/// So many intervals at most lie between the parts, and belong to neither: the change itself, and what is repaired after it.
const BETWEEN_MAX: usize = 2;

/// Rate and round trip make the same in flight within this.
const SAME: f64 = 1.15;

/// What changed, before and after.
#[derive(Clone, Debug)]
pub(crate) struct Stepped {
    /// Rates, bit/s.
    rates: [f64; 2],
    /// Mean round trips, nanoseconds.
    rtts: [f64; 2],
    /// TTL of the answers.
    ttl: Option<[u32; 2]>,
    /// Segments sent again between the two.
    again: f64,
    /// When the second part begins, seconds since the start of the test.
    from_s: f64,
}

impl Stepped {
    /// Whether the path is longer now than it was.
    pub(crate) fn is_longer(&self) -> bool {
        self.rtts[1] > self.rtts[0]
    }

    fn sentence(&self) -> String {
        let [before, after] = self.rtts.map(|ns| ms(ns * NS));
        let [fast, now] = self.rates.map(bps);
        let flight = self.rates[1] * self.rtts[1] * NS / 8.0;
        let change = match self.ttl {
            Some([a, b]) if a != b => {
                format!("the route changed: RTT {before} to {after}, TTL {a} to {b}")
            }
            _ => format!(
                "the route changed, or a queue of others filled for good: RTT {before} to {after}"
            ),
        };
        let again = match self.again {
            n if n > 0.0 => format!("; the {n:.0} segments sent again meanwhile are the change's"),
            _ => String::new(),
        };
        format!(
            "{change}; {fast} before it and {now} since are both {} in flight, which a window holds; all else is of the {now} since{again}",
            bytes(flight)
        )
    }
}

/// The mean rate of the first intervals, of one to all of them; none of fewer than a part has, or of such as differ.
fn means<'r>(rows: impl Iterator<Item = &'r Row>) -> Vec<Option<f64>> {
    let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, 0.0_f64);
    let each = rows.zip(1..).map(|(row, n)| {
        sum += row.bps;
        (least, most) = (least.min(row.bps), most.max(row.bps));
        let even = most > 0.0 && most - least < EVEN * most;
        (n >= ROWS_LEAST && even).then(|| sum / n as f64)
    });
    each.collect()
}

/// Where the rate of these intervals steps: those before, how many lie between, and where those after begin.
fn parts(rows: &[&Row]) -> Option<(f64, f64, usize, usize)> {
    let ends = means(rows.iter().rev().copied());
    // The first of all may be slow start.
    let begins = [0, 1].map(|first| means(rows.iter().skip(first).copied()));
    let all = begins.iter().enumerate().flat_map(|(first, begins)| {
        let each = begins.iter().enumerate();
        each.filter_map(move |(n, mean)| Some((first + n + 1, (*mean)?)))
    });
    let stepped = all.flat_map(|(until, before)| {
        let gaps = (until..=until + BETWEEN_MAX).filter(|from| *from < rows.len());
        let after = |from: usize| Some((before, ends[rows.len() - from - 1]?, until, from));
        gaps.filter_map(after).collect::<Vec<_>>()
    });
    stepped.max_by(|a, b| {
        let by = |of: &(f64, f64, usize, usize)| libm::fabs(libm::log(of.0 / of.1));
        by(a).total_cmp(&by(b))
    })
}

/// What changed in a flow's test, and the test since then.
fn of_flow(facts: &Facts, flow: &Flow) -> Option<(Stepped, Test)> {
    let test = flow.test.as_ref().filter(|t| !t.udp)?;
    if !flow.captured.is_empty() || test.account.is_some() {
        return None;
    }
    let mut runs = pinged::runs(facts, flow);
    runs.sort_by(|a, b| a[1].value.total_cmp(&b[1].value));
    let (short, long, ttls) = far_apart(facts, &runs)?;
    let has = |side: &Side| test.rows.iter().any(|r| r.side == *side);
    let side = [Side::Receiver, Side::Sender].into_iter().find(has)?;
    let rows: Vec<&Row> = test.rows.iter().filter(|r| r.side == side).collect();
    let (before, after, until, from) = parts(&rows)?;
    let mut rtts = [short[1].value, long[1].value];
    let mut ttl = ttls.map(|(a, b)| [a, b]);
    if after > before {
        rtts.reverse();
        ttl = ttl.map(|[a, b]| [b, a]);
    }
    let product = before * rtts[0] / (after * rtts[1]);
    if !(1.0 / SAME..SAME).contains(&product) {
        return None;
    }
    let counted = |rows: &[&Row]| rows.iter().filter_map(|r| r.retransmits).sum::<f64>();
    let stepped = Stepped {
        rates: [before, after],
        rtts,
        ttl,
        again: counted(&rows[until..from]),
        from_s: rows[from].from,
    };
    let since = since(test, &stepped, &rows[from..], side);
    Some((stepped, since))
}

/// A test as if it had begun when the path had changed.
fn since(test: &Test, stepped: &Stepped, rows: &[&Row], side: Side) -> Test {
    let mut since = test.clone();
    since.rows.retain(|r| r.from >= stepped.from_s);
    let bits = |r: &&Row| r.bps * (r.until - r.from);
    let rates = rows.iter().map(|r| r.bps);
    let at = rows[0].at;
    let low = rates.clone().fold(f64::INFINITY, f64::min);
    let goodput = Figure::between(stepped.rates[1], low, rates.fold(0.0, f64::max), at);
    let report = Report {
        goodput,
        bytes: Some(Figure::exact(rows.iter().map(bits).sum::<f64>() / 8.0, at)),
        seconds: rows.iter().map(|r| r.until - r.from).sum(),
    };
    (since.sent, since.received) = match side {
        Side::Sender => (Some(report), None),
        Side::Receiver => (None, Some(report)),
    };
    // Means of all the time are of neither path.
    for whole in ["rtt_loaded_ns", "handshake_rtt_ns", "retransmits"] {
        since.numbers.remove(whole);
    }
    let again: Option<Vec<f64>> = rows.iter().map(|r| r.retransmits).collect();
    if let Some(again) = again {
        since.set("retransmits", Figure::exact(again.iter().sum(), at));
    }
    // It was watched from its middle on.
    since.set("bytes_before", Figure::exact(1.0, at));
    since.counts.clear();
    since.each = [Vec::new(), Vec::new()];
    since
}

/// Gives each flow whose path changed in mid-test what changed, and the test since then.
pub(crate) fn since_the_change(facts: &Facts, flows: &mut [Flow]) {
    for flow in flows {
        if let Some((stepped, since)) = of_flow(facts, flow) {
            (flow.stepped, flow.test) = (Some(stepped), Some(since));
        }
    }
}

impl Evidence {
    /// Takes what sockets say of all the time from a flow whose path changed meanwhile.
    pub(crate) fn of_step(&mut self, flow: &Flow) {
        self.around.stepped.clone_from(&flow.stepped);
        let Some(stepped) = &flow.stepped else { return };
        let now = stepped.rtts[1] * NS;
        let far = |rtt: &Figure| libm::fabs(rtt.value - now) > step_of(now);
        self.rtt_floor = self.rtt_floor.take().filter(|rtt| !far(rtt));
        self.rtt_loaded = self.rtt_loaded.take().filter(|rtt| !far(rtt));
        let counted = flow.test.as_ref();
        self.retransmits = counted.and_then(|t| t.numbers.get("retransmits").cloned());
        self.recounted = None;
        self.again = self.retransmits.clone().and_then(|r| self.share_of(&r));
        (self.worked, self.filled) = (None, None);
    }
}

/// What a path that changed in mid-test says: what fills a fixed window goes by the round trip alone.
pub(crate) fn by_step(e: &Evidence, items: &mut Vec<Item>) {
    let windows = [(Cause::ReceiveWindow, 12.0), (Cause::SendBuffer, 12.0)];
    let others = [
        (Cause::Application, -14.0),
        (Cause::Link, -10.0),
        (Cause::Shaper, -10.0),
    ];
    items.extend(e.around.stepped.as_ref().map(|stepped| Item {
        holds: 1.0,
        weights: [of(&LOSSES, -14.0), windows.to_vec(), others.to_vec()].concat(),
        sentence: stepped.sentence(),
    }));
    items.extend(e.around.turned.map(|[a, b]| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "the TTL of the pings' answers changed from {a} to {b} and stayed so: the route changed, there or back, and the round trip did not"
        ),
    }));
}

/// What a run of pings of a flow's path says of its TTL, where that alone changed.
pub(crate) fn turned(facts: &Facts, flow: &Flow) -> Option<[u32; 2]> {
    let mut all = facts.turned.iter();
    all.find(|(of, _)| flow.pings.is_own(*of))
        .map(|(_, ttl)| *ttl)
}
