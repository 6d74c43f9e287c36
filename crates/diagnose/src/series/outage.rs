//! Outages, where a record, a capture or a log shows them, and what else took datagrams on their way, where a record of farpath says it.

use std::collections::BTreeMap;

use farpath_observe::Limit;

use crate::account::OUTAGE;
use crate::cause::Cause;
use crate::ceiling::payload_share;
use crate::evidence::Evidence;
use crate::items::{Item, LOSSES, of, step};
use crate::lines::lower_port::SPEEDS;
use crate::seen::{Row, Test};
use crate::series::stops::Stop;

/// What the record of a test, and of the links of its run, shows beside its rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recorded {
    /// Frames that all links of the run dropped, by reason: those of all its tests.
    pub(crate) dropped: BTreeMap<String, f64>,
    /// Whether a link was down.
    pub(crate) down: bool,
    /// The longest time in which nothing of the test arrived, where a link was down.
    pub(crate) stop: Option<Stop>,
    /// What limited it, by the word of `limited_by`.
    pub(crate) limit: Option<Limit>,
}

/// What an outage is worth where nothing shows one, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where one does: more than all that the same losses would say of other causes.
const SEEN: f64 = 200.0;

/// A shorter part of the time than this is named besides, and is not the cause: as of all shares.
const PART_LEAST: f64 = 0.2;

/// Reasons of a link that damages or loses frames by chance, by count, or by a list.
const DAMAGE: [&str; 5] = ["error", "checksum", "cell", "scripted", "every_nth"];

impl Recorded {
    /// What took most of the datagrams that were lost, and that in words.
    fn taken(&self) -> Option<(Cause, &'static str)> {
        let count = |reasons: &[&str]| -> f64 {
            let each = reasons
                .iter()
                .filter_map(|reason| self.dropped.get(*reason));
            each.sum()
        };
        let damaged = count(&DAMAGE);
        Some(match self.limit? {
            Limit::Link => (Cause::CongestionLoss, "a full queue on the path dropped"),
            Limit::Nic => (Cause::Nic, "a full queue of the sending host dropped"),
            Limit::Policer => (Cause::Policer, "a policer dropped"),
            Limit::HostCpu => (Cause::HostCpu, "a host with too much to do dropped"),
            Limit::Loss if self.down && count(&["down"]) >= damaged => {
                (Cause::Outage, "a link that was down dropped")
            }
            Limit::Loss if damaged > 0.0 => (
                Cause::RandomLoss,
                "links damaged or lost, whatever was sent,",
            ),
            _ => return None,
        })
    }
}

impl Evidence {
    /// The part of the time in which nothing arrived and a link was down, 0 to 1; 0 where no record, capture or log shows that.
    pub(crate) fn down(&self) -> f64 {
        let down = self.recorded.as_ref().is_some_and(|r| r.down);
        let is_down = |s: &Stop| down || s.dark.is_some() || self.is_flapped(s);
        let stop = self.stop.filter(is_down);
        let seconds = self.seconds.filter(|s| *s > 0.0);
        let both = stop.zip(seconds);
        both.map_or(0.0, |(stop, all)| (self.silent_s(&stop) / all).min(1.0))
    }

    /// The part of the time that an outage cost, 0 to 1: of a log with what the intervals beside its stops lack, in which they began or ended.
    fn outage_cost(&self, stop: &Stop) -> f64 {
        let down = self.down();
        let whole = self.silent_s(stop) >= stop.in_all;
        let seconds = self.seconds.filter(|s| whole && *s > 0.0);
        let cost = seconds.map_or(0.0, |all| (stop.cost_s / all).min(1.0));
        libm::fmax(down, cost)
    }

    /// Of the rest of the time, beside outages, what held the sender for the longest part.
    fn longest_rest(&self) -> Option<(&String, &f64)> {
        let shares = self.account.iter().flat_map(|a| &a.shares);
        let rest = shares.filter(|(word, _)| *word != OUTAGE);
        rest.max_by(|a, b| a.1.total_cmp(b.1))
    }

    /// Whether an outage is what the rate is low by.
    pub(crate) fn outage_leads(&self) -> bool {
        let down = self.down();
        let Some(stop) = self.stop.filter(|_| down > 0.0) else {
            return false;
        };
        let most = self.longest_rest();
        // Of all causes the one that held for the longest time is named first. A full line leaves all that there is.
        let full = most.is_some_and(|(word, _)| Limit::named(word) == Some(Limit::Link));
        // A log has no shares of the rest: of a line that is known what the stop cost decides.
        let unshared = !stop.by_log || self.line.is_none();
        let longest = full || most.map_or(unshared, |(_, share)| down >= *share);
        let cost = self.outage_cost(&stop);
        cost >= PART_LEAST && (longest || costs_most(self, cost))
    }

    /// The speed of a usual port that this flow fills while its path is up, bit/s: half of its intervals that are not empty have what such
    /// a port leaves for payload. A line that is faster is another one of the path.
    fn full_while_up(&self) -> Option<f64> {
        let up: Vec<f64> = self.steady.iter().copied().filter(|r| *r > 0.0).collect();
        let fills = |speed: &f64| {
            let leaves = speed * payload_share(self.mss);
            let full = |rate: &&f64| (FULL[0]..FULL[1]).contains(&(**rate / leaves));
            2 * up.iter().filter(full).count() > up.len()
        };
        SPEEDS.into_iter().find(fills)
    }

    /// Takes what a record shows. What an outage did is taken out of what the rest of the time is judged by: its intervals, and segments
    /// that were sent again, as nobody counts those that it took apart from others.
    pub(crate) fn of_outage(&mut self, test: &Test) {
        self.recorded.clone_from(&test.recorded);
        let Some(recorded) = &test.recorded else {
            return;
        };
        // Where it says of no link that it was down, none was: a program paused, or a timer ran.
        self.stop = recorded.stop;
        let (Some(stop), down) = (recorded.stop, self.down()) else {
            return;
        };
        if let Some(from) = stop.from.filter(|_| down > 0.0) {
            let several = stop.in_all > stop.lasted;
            let still = |r: &&Row| several && r.bps <= 0.0;
            let apart = |r: &&Row| r.until <= from || r.from >= from + stop.lasted;
            let up = |r: &&Row| apart(r) && !still(r);
            let later = test.rows.iter().skip(test.rows.len().div_ceil(5));
            self.steady = later.filter(up).map(|r| r.bps).collect();
        }
        self.account = self.account.take().map(|a| a.with_outage(down));
        self.retransmits = None;
    }
}

/// Weighs what a record shows of outages, and of lost datagrams.
pub(crate) fn by_outage(e: &Evidence, items: &mut Vec<Item>) {
    if e.udp {
        of_datagrams(e, items);
        return;
    }
    let down = e.down();
    let Some(stop) = e.stop.filter(|_| down > 0.0) else {
        return;
    };
    let leads = e.outage_leads();
    let (by, why) = match (stop.dark, &e.account) {
        (Some(again), _) if stop.by_log => {
            ("the log", crate::series::blackout::though(again, false))
        }
        (Some(again), account) => (
            account.as_ref().map_or("the capture", |a| a.by),
            crate::series::blackout::though(again, stop.to_end),
        ),
        (None, _) => {
            let by = if stop.by_log { "the log" } else { "the record" };
            (by, ", as a link was down".to_owned())
        }
    };
    let when = e.when(&stop);
    items.push(Item {
        holds: f64::from(u8::from(leads)),
        weights: vec![(Cause::Outage, SEEN)],
        sentence: format!(
            "{by}: {when} nothing arrived ({:.0} % of the time){why}{}",
            100.0 * down,
            while_up(e.longest_rest(), down)
        ),
    });
    if stop.dark.is_some() && !stop.by_log {
        // A capture tells what was lost with the path from what was lost else.
        return;
    }
    // What was lost with the link says nothing of queues, chance or policers.
    items.push(Item {
        holds: step(down, 0.0, PART_LEAST),
        // A log counts what was lost with the path and else in one.
        weights: of(&LOSSES, if stop.by_log { -18.0 } else { -10.0 }),
        sentence: String::new(),
    });
}

/// An outage is the cause where it cost this part of what is missing to the line.
const COST: f64 = 1.0 / 3.0;

/// An interval fills a port that has between these parts of what it leaves for payload: rounding, and the timestamps that not every host sends.
const FULL: [f64; 2] = [0.985, 1.01];

/// Whether the rate would come so much nearer to the line without the outage, which cost this part of the time. A log of which most intervals
/// fill a usual port has that for its line.
fn costs_most(e: &Evidence, part: f64) -> bool {
    let (Some(rate), Some((line, _))) = (&e.rate, &e.line) else {
        return false;
    };
    let by_log = e.stop.is_some_and(|stop| stop.by_log);
    let port = e.full_while_up().filter(|_| by_log);
    let most = port.map_or(line.value, |port| libm::fmin(port, line.value));
    let missing = most * payload_share(e.mss) - rate.value;
    let cost = rate.value * part / (1.0 - part).max(f64::MIN_POSITIVE);
    cost >= COST * missing
}

/// What limited the rest of the time, if one thing held for most of it.
fn while_up(most: Option<(&String, &f64)>, down: f64) -> String {
    let Some((word, share)) = most.filter(|_| down < 1.0) else {
        return String::new();
    };
    let part = share / (1.0 - down);
    match Limit::named(word).filter(|_| part > 0.5) {
        Some(limit) => format!(
            "; of the rest {} held it for {:.0} %",
            limit.words(),
            100.0 * part
        ),
        None => String::new(),
    }
}

/// What took datagrams: a record has counted it, link by link.
fn of_datagrams(e: &Evidence, items: &mut Vec<Item>) {
    let taken = e.recorded.as_ref().and_then(Recorded::taken);
    let (Some((cause, words)), Some(lost)) = (taken, &e.idle_loss) else {
        return;
    };
    let when = match (&e.stop, cause) {
        (Some(stop), Cause::Outage) => format!("; {} none arrived", stop.shown()),
        _ => String::new(),
    };
    items.push(Item {
        holds: step(lost.value, 0.002, 0.005),
        weights: vec![(cause, SEEN)],
        sentence: format!(
            "the record: {words} most of the {:.1} % of the datagrams that were lost{when}",
            100.0 * lost.value
        ),
    });
}
