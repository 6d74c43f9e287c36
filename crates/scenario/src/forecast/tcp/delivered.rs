//! What a connection delivers of the rate it could send at for long: less where the queue in front of the line is short,
//! and with BBR, which bears losses, less those and its probes for the shortest round trip.

use farpath_predict::law::{self, Probes};
use farpath_units::Duration;

use super::ramp::Ramp;
use crate::forecast::flow::Flow;
use crate::forecast::queues::ShortQueue;
use crate::model::Test;

/// What is delivered of a steady rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    /// The share that is left at all times.
    pub(super) share: f64,
    /// Pauses beside it.
    probes: Option<Probes>,
}

impl Delivered {
    /// Nothing is lost of the rate.
    pub(super) const ALL: Delivered = Delivered {
        share: 1.0,
        probes: None,
    };

    /// The part of the time from `from_s` to `until_s` after the start that no probe takes.
    pub(super) fn over(&self, from_s: f64, until_s: f64) -> f64 {
        let span = until_s - from_s;
        match self.probes {
            Some(probes) if span > 0.0 => {
                let paused = probes.cost_by_s(until_s) - probes.cost_by_s(from_s);
                (1.0 - paused / span).max(0.0)
            }
            _ => 1.0,
        }
    }

    /// What the probes of `test` cost, where there are any before `ends_s`, when all is delivered.
    pub(super) fn note(&self, flow: &Flow, test: &Test, ends_s: f64) -> Option<String> {
        self.probes?;
        let (from, span) = (test.omit.as_secs_f64(), test.duration?.as_secs_f64());
        let until = from + span;
        let spared = 1.0 - self.over(from, until);
        let probed = ends_s > until && spared > 0.0;
        probed.then(|| law::probed_words(flow.cc?, flow.rtt_s(), spared))?
    }

    /// When a transfer that takes `seconds` without probes is over.
    pub(super) fn finished_s(&self, seconds: f64) -> f64 {
        let Some(probes) = self.probes else {
            return seconds;
        };
        // Each begins so long after the one before has ended.
        seconds + (seconds / probes.every_s).floor() * probes.costs_s()
    }
}

impl Flow {
    /// What is delivered of its steady rate, beside the queue that is too short for it.
    pub(super) fn kept(&self, short: Option<&ShortQueue>) -> Delivered {
        let filled = short
            .filter(|queue| queue.is_counted)
            .map_or(1.0, |queue| queue.share);
        Delivered {
            share: filled * self.borne().unwrap_or_else(|| self.carried()),
            ..self.kept_policed()
        }
    }

    /// The same in front of a policer, whose law has its losses: all but for probes.
    pub(super) fn kept_policed(&self) -> Delivered {
        Delivered {
            probes: self.cc.and_then(|cc| law::probes(cc, self.rtt_s())),
            ..Delivered::ALL
        }
    }

    /// The same connections where nothing is lost.
    pub(super) fn without_losses(&self) -> Flow {
        Flow {
            loss: 0.0,
            lost_behind: 0.0,
            chain: None,
            ..self.clone()
        }
    }

    /// The goodput of a test of these connections, its start included, that lose nothing and begin so much later, bit/s.
    pub(super) fn by_start(&self, test: &Test, short: Option<&ShortQueue>, late: Duration) -> f64 {
        let (steady, kept) = (self.steady(f64::INFINITY), self.kept(short));
        let ramp = self.ramp(steady / self.streams).after(late);
        self.by_law(test, steady * kept.share, &ramp, kept).0
    }

    /// Goodput of all connections, and the time of a transfer of fixed size.
    pub(super) fn by_law(
        &self,
        test: &Test,
        steady: f64,
        ramp: &Ramp,
        kept: Delivered,
    ) -> (f64, Option<f64>) {
        let each = steady / self.streams;
        let ends_s = self.ends_s(steady, ramp, kept);
        self.measured(test, ends_s, kept, |at| ramp.delivered(at, each))
    }

    /// The same where one connection has delivered so many bits of payload at a time, and all that it carries at `ends_s`.
    pub(super) fn measured(
        &self,
        test: &Test,
        ends_s: f64,
        kept: Delivered,
        by: impl Fn(Duration) -> f64,
    ) -> (f64, Option<f64>) {
        let most = self
            .config
            .amount
            .map_or(f64::INFINITY, |all| all as f64 * 8.0);
        let delivered = |from: Duration, span: Duration| {
            let until = |at: Duration| match at.as_secs_f64() >= ends_s {
                true => most,
                false => by(at).min(most),
            };
            until(from + span) - until(from)
        };
        match (test.duration, self.config.amount) {
            (None, Some(bytes)) => {
                let bits = bytes as f64 * 8.0 - delivered(Duration::ZERO, test.omit);
                let measured_s = ends_s - test.omit.as_secs_f64();
                (bits * self.streams / measured_s, Some(ends_s))
            }
            (duration, _) => {
                let (omit, span) = (test.omit, duration.unwrap_or_default());
                let until = (omit + span).as_secs_f64();
                // A transfer that is over by then has lost nothing to pauses.
                let awake = match ends_s <= until {
                    true => 1.0,
                    false => kept.over(omit.as_secs_f64(), until),
                };
                let bps = self.streams * delivered(omit, span) / span.as_secs_f64();
                (bps * awake, self.config.amount.map(|_| ends_s))
            }
        }
    }

    /// When each connection has delivered what it has to carry, from the start; never where that is not limited.
    pub(super) fn ends_s(&self, steady: f64, ramp: &Ramp, kept: Delivered) -> f64 {
        let each = steady / self.streams;
        self.config.amount.map_or(f64::INFINITY, |bytes| {
            kept.finished_s(ramp.transfer_s(bytes, each))
        })
    }

    /// The share that losses which are none of its limits leave of its steady rate.
    pub(in crate::forecast) fn share_borne(&self) -> f64 {
        self.borne().unwrap_or(1.0)
    }

    /// The share of its steady rate that arrives of a flow whose losses have a law: what is lost behind the line took its time there, too.
    fn carried(&self) -> f64 {
        let steady = self.steady(self.loss_bps().unwrap_or(f64::INFINITY));
        let arrives = self.narrowest.bps * (1.0 - self.lost_behind);
        (arrives / steady).min(1.0)
    }

    /// What BBR delivers under its losses of its steady rate; others' losses are in their law.
    fn borne(&self) -> Option<f64> {
        let of_line = law::borne(self.cc?, self.loss, self.streams as u32)?;
        let of_window = self.window_bps() * self.streams * (1.0 - self.loss);
        Some(of_window.min(self.narrowest.bps * of_line) / self.steady(f64::INFINITY))
    }
}
