//! How losses on a test's way fall, and what those in bursts leave of a connection.

use farpath_predict::bursts::{Chain, Struck};
use farpath_predict::htcp::Growth;
use farpath_predict::law::{self, Conditions};
use farpath_predict::recovery::{
    CUBIC_C, Losses, cubic_own_window, cubic_random_window, segments_bps,
};
use farpath_predict::repairs::Repairs;
use farpath_predict::{Cc, Rules, cubic_linux, highspeed, scalable};
use farpath_tcp::{Algorithm, Flavour, RtoFloor};
use farpath_units::Size;

use super::super::{Path, mean_loss};
use super::held::Held;
use crate::forecast::flow::Flow;
use crate::model::Loss;

/// What is said where each loss counts as an event.
pub(in crate::forecast) const ONE_BY_ONE: &str =
    "as if losses came one by one: several in one window cut it once, and more gets through";

impl Path<'_> {
    /// Periodic where nothing but `lose_every`, or the name of a frame, loses any: cells and damage go by chance.
    pub(super) fn how_losses_fall(&self) -> Losses {
        let regular = |l: &Loss| matches!(l, Loss::EveryNth(_) | Loss::Scripted { .. });
        let mut ways = self.there.iter().map(|hop| {
            let port = &self.plan.ports[hop.port];
            self.scenario.links[port.link.0].direction(port.way)
        });
        let periodic = ways.all(|way| {
            let of_cells = way.cells.as_ref().map_or(0.0, |cells| cells.loss.get());
            let damaged = way.impairments.corruption.is_some();
            way.losses.iter().all(regular) && of_cells <= 0.0 && !damaged
        });
        match periodic {
            true => Losses::Periodic,
            false => Losses::Random,
        }
    }

    /// The chain by which segments of `len` bytes are lost in bursts, other losses with it; `None` where there is none, or
    /// more than one crossing with one.
    pub(super) fn chain(&self, len: u32) -> Option<Chain> {
        let causes = self.there.iter().flat_map(|hop| {
            let port = &self.plan.ports[hop.port];
            &self.scenario.links[port.link.0].direction(port.way).losses
        });
        let mut bursts = causes.filter(|l| matches!(l, Loss::GilbertElliott { .. }));
        let (Some(cause), None) = (bursts.next(), bursts.next()) else {
            return None;
        };
        let Loss::GilbertElliott {
            p,
            r,
            loss_good,
            loss_bad,
        } = cause
        else {
            return None;
        };
        let chain = Chain {
            p: p.get(),
            r: r.get(),
            loss_good: loss_good.get(),
            loss_bad: loss_bad.get(),
        };
        let arrives = 1.0 - self.loss_ratio(len, &self.there);
        let own = 1.0 - mean_loss(cause, len);
        (own > 0.0 && chain.r > 0.0).then(|| chain.with((1.0 - arrives / own).clamp(0.0, 1.0)))
    }
}

/// Bursts of a window over this last so long that repairs are lost in them (`docs/models/predict.md`, "Losses in bursts").
const SPELLS: f64 = 10.0;
/// Seconds of a round trip below which the timeouts of repairs that are lost in shorter bursts count (the same place).
const BURSTS_SHORT_S: f64 = 0.01;

impl Flow {
    /// Rate at which losses hold one connection; infinite without loss, `None` without a law.
    pub(in crate::forecast) fn loss_bps(&self) -> Option<f64> {
        if self.loss <= 0.0 {
            return Some(f64::INFINITY);
        }
        let cc = self.cc?;
        if let Some(bps) = self.chain.and_then(|chain| self.struck_bps(chain, cc)) {
            return Some(bps);
        }
        if law::borne(cc, self.loss, self.streams as u32).is_some() {
            // Losses are none of its limits: see `delivered`.
            return Some(f64::INFINITY);
        }
        let held = self.under_loss(cc)?;
        let mss = Size::from_bytes(self.config.mss.into());
        let segments = self.repaired(cc, held);
        Some(segments_bps(segments, mss, held.round_trip))
    }

    /// What repairs and timeouts leave of a window that losses hold, in segments. Only random losses strike a repair as well, which then
    /// waits for a timer.
    pub(super) fn repaired(&self, cc: Cc, held: Held) -> f64 {
        let round_trip_s = held.round_trip.as_secs_f64();
        let own = match cc {
            Cc::Reno => 0.0,
            Cc::Cubic => cubic_own_window(self.loss, round_trip_s, CUBIC_C),
            Cc::HighSpeed => highspeed::own_window(self.loss_for_law()),
            _ => held.segments,
        };
        if self.losses == Losses::Periodic {
            return Repairs::window_of_even(held.segments, own, self.loss);
        }
        let repairs = Repairs {
            rtt_s: round_trip_s,
            timeout_s: self.timeout_s(),
            finds_lost_repairs: self.finds_lost_repairs(),
        };
        repairs.window(held.segments, own, self.loss)
    }

    /// Whether its sender finds by RACK that a repair is lost (RFC 8985).
    pub(super) fn finds_lost_repairs(&self) -> bool {
        self.config.sack && self.config.recovery.rack
    }

    /// The first retransmission timeout on a path whose round trips do not vary.
    pub(super) fn timeout_s(&self) -> f64 {
        let least = self.config.rto_min.as_secs_f64();
        match self.config.rto.floor {
            RtoFloor::Variation => self.rtt_s() + least,
            RtoFloor::Timeout => self.rtt_s().max(least),
        }
    }

    /// Why no figure is given.
    pub(in crate::forecast) fn without_law(&self) -> String {
        let text = format!(
            "no closed form says what {} does at a loss ratio of {:.2e}. {}",
            self.called(),
            self.loss,
            self.cc.map_or("", law::no_law)
        );
        text.trim_end_matches([' ', '.']).to_owned()
    }

    /// Its algorithm, and of which form of it a law is known where that is another.
    pub(super) fn called(&self) -> String {
        let name = self.config.algorithm.name();
        match self.config.algorithm {
            Algorithm::Bic if self.cc.is_none() => {
                format!(
                    "{name} with the paper's steps (`flavour = \"rfc\"`: Linux's have one, which `predict path` takes)"
                )
            }
            _ => name.to_owned(),
        }
    }

    /// Mean window in segments that the law of `cc` leaves where round trips take `rtt_s`.
    pub(super) fn window_by_law(&self, cc: Cc, rtt_s: f64) -> Option<f64> {
        if cc == Cc::Cubic && self.losses == Losses::Random {
            return Some(match self.config.flavour {
                Flavour::Linux => cubic_linux::random_window(self.loss, rtt_s),
                Flavour::Rfc => cubic_random_window(self.loss, rtt_s, Rules::Document),
            });
        }
        if self.is_linux_cubic() {
            return Some(cubic_linux::window(self.loss, rtt_s, self.losses));
        }
        if cc == Cc::Scalable {
            return Some(match self.config.flavour {
                Flavour::Linux => scalable::linux_window(self.loss, self.losses),
                Flavour::Rfc => scalable::paper_window(self.loss, self.losses),
            });
        }
        let on = Conditions {
            rtt_s,
            segments_per_ack: self.counted_per_ack(),
            losses: self.losses,
            htcp: self.htcp(),
        };
        law::window(cc, self.loss_for_law(), on)
    }

    /// The loss ratio by which the law of its window is taken. Linux's HighSpeed takes a step for each ACK, so that its losses count as much
    /// more frequent.
    pub(super) fn loss_for_law(&self) -> f64 {
        match self.counts_acks() {
            true => self.loss * self.counted_per_ack(),
            false => self.loss,
        }
    }

    /// Whether its sender takes a step for each ACK, whatever it acknowledges, as HighSpeed in Linux.
    pub(super) fn counts_acks(&self) -> bool {
        self.cc == Some(Cc::HighSpeed) && self.config.flavour == Flavour::Linux
    }

    /// Whether its sender has CUBIC as Linux computes it.
    pub(super) fn is_linux_cubic(&self) -> bool {
        self.cc == Some(Cc::Cubic) && self.config.flavour == Flavour::Linux
    }

    /// Whose rules its sender follows.
    pub(in crate::forecast) fn rules(&self) -> Rules {
        match self.config.flavour {
            Flavour::Linux => Rules::Linux,
            Flavour::Rfc => Rules::Document,
        }
    }

    /// H-TCP as the sender has it.
    pub(in crate::forecast) fn htcp(&self) -> Growth {
        match self.config.flavour {
            Flavour::Linux => Growth::linux(self.base.as_secs_f64()),
            Flavour::Rfc => Growth::PAPER,
        }
    }

    /// Payload of one connection that a chain's losses strike, bit/s.
    pub(super) fn struck_bps(&self, chain: Chain, cc: Cc) -> Option<f64> {
        let struck = Struck {
            chain,
            cc,
            rtt_s: self.rtt_s(),
            pipe: self.narrowest.bps / self.streams * self.rtt_s() / 8.0 / self.mss(),
            cap: self.window as f64 / self.mss(),
            room: self.room / self.streams,
            segments_per_ack: self.counted_per_ack(),
            htcp: self.htcp(),
        };
        let bps = struck.segments_per_s()? * self.mss() * 8.0 * (1.0 - self.loss);
        Some(bps * self.share_of_struck(chain, bps))
    }

    /// What longer round trips and a window that stands leave of `bps`, where a chain's events come one by one.
    fn share_of_struck(&self, chain: Chain, bps: f64) -> f64 {
        let segments = (bps * self.rtt_s() / 8.0 / self.mss()).max(1.0);
        let rtt_s = self.rtt_s() + self.lengthened(segments).as_secs_f64();
        let stands = match self.is_linux_cubic() {
            true => cubic_linux::friendly_share(1.0 / chain.apart(segments), rtt_s, Losses::Random),
            false => 1.0,
        };
        stands * self.rtt_s() / rtt_s
    }

    /// Where bursts are so long that repairs are lost in them, or so far apart that no mean of their events is taken.
    pub(super) fn doubt_of_bursts(&self, loss_bps: f64) -> Option<String> {
        let (chain, cc) = (self.chain?, self.cc?);
        let by_rate = law::borne(cc, self.loss, self.streams as u32).is_some();
        if !by_rate && self.struck_bps(chain, cc).is_none() {
            return Some(ONE_BY_ONE.to_owned());
        }
        let spell = chain.spell();
        let window = (loss_bps.min(self.window_bps()) * self.rtt_s() / 8.0 / self.mss()).max(1.0);
        if spell > window / SPELLS {
            return Some(format!(
                "outside the formula's range: bursts last {spell:.0} segments and the window is {window:.0}: repairs are lost in them, and there is less by the timeouts, each twice as long as the last"
            ));
        }
        let timeout = (self.rtt_s() + self.config.rto_min.as_secs_f64()) / self.rtt_s();
        (!by_rate && spell > 1.0 && self.rtt_s() < BURSTS_SHORT_S).then(|| {
            format!(
                "outside the formula's range: repairs that are lost in bursts wait for timeouts of {timeout:.0} round trips here: simulated, \
                 Reno and CUBIC have 0.4 to 1.1 times as much at 4 and 8 ms, and 0.02 to 1 times as much at 2 ms and below"
            )
        })
    }

    /// Losses that cut the window, for each segment: all of a round trip count as one where they come in bursts.
    pub(super) fn cuts(&self, loss_bps: f64) -> f64 {
        let bps = loss_bps.min(self.window_bps());
        match self.chain {
            Some(chain) => 1.0 / chain.apart((bps * self.rtt_s() / 8.0 / self.mss()).max(1.0)),
            None => self.loss,
        }
    }
}
