//! A radio link of an end that is too weak, or too disturbed, for what is sent: its signal, what it repeats and what it gives up.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::interfaces::air::LEAST;
use crate::items::{Item, step};
use crate::paths::first_hop::{FAR_S, are_near};
use crate::read::radio::{FAILED, PACKETS, RETRIES};
use crate::read::{Facts, SIGNAL};
use crate::seen::Side;

/// Between these a signal is weak, and surely, decibels below a milliwatt; and the same of the shares of packets that are repeated, and that
/// are given up. Rules of thumb.
const WEAK: [[f64; 2]; 3] = [[74.0, 76.0], [0.25, 0.35], [0.004, 0.006]];

/// Pings to the first hop are lost in the air where so large a part of them is, and as those that come back vary by more than this on average,
/// seconds: a link repeats what it loses, which takes its time. Choices.
const LOST: f64 = 0.02;
const VARIES_S: f64 = 0.01;

/// What lost pings to the first hop are worth beside a weak link, decibans. A choice.
const BESIDE: f64 = 10.0;

/// A radio link of a host of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeakRadio {
    /// The end that it is of; none where it may be of either.
    pub(crate) side: Option<Side>,
    /// How surely its signal is weak, 0 to 1.
    by_signal: f64,
    /// How surely it is weak by all that is said of it, 0 to 1.
    weak: f64,
    /// All pings of the texts went to a first hop.
    near: bool,
}

impl WeakRadio {
    /// The weakest of the hosts of both ends.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<WeakRadio> {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let each = hosts.filter_map(|host| {
            let value = |name: &'static str| flow.radio(facts, *host, name).map(|f| f.value);
            let packets = value(PACKETS).filter(|n| *n >= LEAST);
            let share = |name: &'static str| Some(value(name)? / packets?);
            let said = [value(SIGNAL), share(RETRIES), share(FAILED)];
            let signs = said.iter().zip(WEAK);
            let signs = signs.map(|(said, [from, to])| said.map_or(0.0, |n| step(n, from, to)));
            let signs: Vec<f64> = signs.collect();
            let weak = signs.iter().copied().fold(0.0, f64::max);
            (weak > 0.0).then_some(WeakRadio {
                side: flow.end_of(*host),
                by_signal: signs[0],
                weak,
                near: are_near(facts, flow),
            })
        });
        each.max_by(|a, b| a.weak.total_cmp(&b.weak))
    }
}

impl Evidence {
    /// The radio link that is too weak, where one of an end surely is.
    pub(crate) fn weak_radio(&self) -> Option<WeakRadio> {
        self.around.weak_radio.filter(|radio| radio.weak >= 0.5)
    }

    /// Whether a weak signal says by itself what the counts of its link say, too.
    pub(crate) fn is_weak_by_signal(&self) -> bool {
        let radio = self.around.weak_radio;
        radio.is_some_and(|radio| radio.by_signal > 0.0)
    }

    /// Whether a weak radio link shows in lost pings to the first hop, without any rate.
    pub(crate) fn air_loses_pings(&self) -> bool {
        let untested = self.rate.is_none() && !self.udp && !self.around.is_damaged();
        let least = self.rtt_floor.as_ref().map_or(f64::INFINITY, |r| r.value);
        let near = self.weak_radio().is_some_and(|r| r.near) && least <= FAR_S;
        let idle = self.rtt_idle.as_ref();
        let varies = idle.is_some_and(|r| r.value - r.low > VARIES_S);
        // Where nothing comes back the first hop may be away.
        let lost = |lost: f64| (LOST..1.0).contains(&lost);
        let lost = self.idle_loss.as_ref().is_some_and(|l| lost(l.value));
        untested && near && lost && varies
    }

    /// What says whether it is the air: the same pings without it.
    pub(crate) fn asks_air(&self, asking: &Asking) -> Option<MissingFact> {
        self.air_loses_pings().then(|| MissingFact {
            fact: "idle_loss_ratio",
            would_decide: "whether the radio link loses them: beside the access point, and by a cable in its stead, hardly a ping is lost then, and all take about as long"
                .to_owned(),
            command: format!(
                "beside the access point, and once more by cable: {}",
                asking.ping(100)
            ),
        })
    }

    /// What a weak radio link speaks for where something is lost: no queue and no policer of the path need be there.
    pub(crate) fn by_weak_radio(&self) -> Vec<(Cause, f64)> {
        let shares = [&self.again, &self.idle_loss];
        let lost = shares.into_iter().flatten().any(|lost| lost.value > 0.0);
        let radio = self.around.weak_radio.filter(|_| lost);
        let weak = radio.map_or(0.0, |radio| radio.weak);
        let all = [
            (Cause::RandomLoss, 14.0),
            // Slow and sturdy modes make a slow line as well.
            (Cause::Link, 2.0),
            (Cause::ShallowBuffer, -12.0),
            (Cause::Policer, -12.0),
            (Cause::CongestionLoss, -8.0),
        ];
        let worth = all.into_iter().filter(|_| weak > 0.0);
        worth.map(|(cause, db)| (cause, weak * db)).collect()
    }
}

/// What a radio link shows at rest, whatever is the cause.
pub(crate) fn by_radio(e: &Evidence, items: &mut Vec<Item>) {
    let Some(signal) = &e.around.signal else {
        return;
    };
    let mut add = |holds: f64, sentence: String, weights: Vec<(Cause, f64)>| {
        items.push(Item {
            holds,
            weights,
            sentence,
        });
    };
    let weights = match e.is_weak_by_signal() {
        true => e.by_weak_radio(),
        false => Vec::new(),
    };
    let text = format!(
        "the radio signal{}{} is weak, -{:.0} dBm: a place nearer to the access point, or another channel or band, gives more",
        if signal.interface.is_empty() {
            ""
        } else {
            " of"
        },
        signal.interface,
        signal.below.value
    );
    let holds = step(signal.below.value, WEAK_DB - 6.0, WEAK_DB);
    add(holds, text, weights);
    let at_rest = e.idle_loss.as_ref().map_or(0.0, |l| l.value);
    let varies = e.rtt_idle.as_ref().map_or(0.0, |r| r.high - r.low);
    let text = format!(
        "at rest the radio link loses {:.0} % of pings, and round trips vary by {:.0} ms",
        at_rest * 100.0,
        varies * 1e3
    );
    add(
        step(at_rest, 0.002, 0.02).max(step(varies, 0.01, 0.05)),
        text,
        match e.air_loses_pings() {
            true => vec![(Cause::RandomLoss, BESIDE)],
            false => Vec::new(),
        },
    );
}

/// From about so far below a milliwatt on a radio link has to fall back to its slow and sturdy modes, decibels. A rule of thumb.
const WEAK_DB: f64 = 73.0;
