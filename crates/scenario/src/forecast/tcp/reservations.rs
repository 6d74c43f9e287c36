//! What is to be said of the law that a loss-limited flow is predicted by.

use farpath_predict::Cc;
use farpath_predict::law::{self, LOSS_MAX};
use farpath_predict::pftk::Pftk;
use farpath_predict::recovery::{CUBIC_C, Losses, cubic_own_window, mathis_constant};
use farpath_predict::repairs::LOSS_HELD;
use farpath_tcp::{ByteCounting, Flavour, UNSCALED_WINDOW};
use farpath_units::Duration;

use crate::forecast::flow::Flow;
use crate::forecast::queues::ShortQueue;
use crate::model::Test;

/// Losses in the measured time below which their mean says little.
const LOSSES_FEW: f64 = 10.0;
/// Round trips up to which Linux's H-TCP halves its window (`htcp_beta_update`).
const HTCP_HALVES: Duration = Duration::from_ms(10);
/// Segments up to which RFC 3649 §5 draws its line.
const HIGHSPEED_MOST: f64 = 83_000.0;

/// Segments in a window below which random losses leave less of Reno's law than 0.95 (`docs/models/predict.md`, "Limits").
const WINDOW_FEW: f64 = 30.0;
/// Of a window of CUBIC: what its own law leaves less than where its Reno-friendly region governs.
const FRIENDLY: f64 = 0.98;
/// Seconds of a round trip up to which Linux's CUBIC has what its law says under random losses, too.
const AS_MUCH_S: f64 = 0.02;

/// Seconds of a round trip up to which simulated connections of BBR have what its law says of losses above 2 %, 300 ms and a segment's
/// own time (`docs/models/predict.md`, "BBR under random losses").
const BBR_HELD_S: f64 = 0.31;

/// Idle round trips by which simulated transfers of BBR without a loss took longer than forecast: 0 to 1.21, over 10 Mbit/s to 1 Gbit/s,
/// 4 to 300 ms and 3 to 30 segments at first (`docs/models/predict.md`, "Limits").
const PACED_MOST: f64 = 1.3;
/// The same of BBR and Reno where a start overflows a queue of half of what the path holds to twice that: by round trips, or by
/// timeouts where the end of a transfer was lost.
const REPAIR_RTTS: f64 = 3.2;
const REPAIR_S: f64 = 0.4;
/// Part of a transfer's time from which on that is worth a word.
pub(super) const REPAIR_WORTH: f64 = 0.01;

/// What is said of CUBIC's law of losses at even distances (`docs/models/predict.md`, "Limits").
const CUBIC_EVENLY: &str = "CUBIC's law counts no fast convergence (RFC 9438 §4.7): of losses at even distances simulated flows have 0.83 to 1.03 of it";
/// The same of Linux's.
const CUBIC_EVENLY_LINUX: &str = "CUBIC's law counts no fast convergence (RFC 9438 §4.7) and no whole segments, by which Linux's is back sooner: of \
    losses at even distances simulated flows have 0.95 to 1.03 of it up to 20 ms, and 0.98 to 1.26 from 50 ms on";

/// What is said of losses in what goes in one flight.
const ONE_FLIGHT: &str = "outside the formula's range: all of it goes in the first flight, where a lost segment often waits for a timer, which no \
    law here has";

impl Flow {
    /// Where the law of its losses is out of its range, or not that of its algorithm. One connection carries `amount` bytes behind one
    /// another, where they are limited.
    pub(in crate::forecast) fn doubts_of_loss(
        &self,
        loss_bps: f64,
        amount: Option<u64>,
    ) -> Vec<String> {
        if self.loss <= 0.0 {
            return Vec::new();
        }
        if self.is_one_flight(amount) {
            return vec![ONE_FLIGHT.to_owned()];
        }
        let mut doubts = Vec::new();
        let cuts = self.cuts(loss_bps);
        if cuts > LOSS_MAX && self.cc.is_some_and(Cc::is_bbr) {
            doubts.push(self.doubt_of_bbr().to_owned());
        } else if cuts > LOSS_MAX {
            doubts.push(self.doubt_of_timeouts(cuts));
        }
        if self.cc == Some(Cc::Reno) && self.chain.is_none() && loss_bps < self.window_bps() {
            doubts.push(self.law_of_reno());
        }
        if let Some(constant) = self.highspeed_as_reno()
            && loss_bps < self.window_bps()
        {
            doubts.push(format!(
                "HighSpeed is Reno up to 38 segments, and its law is Reno's here: {constant:.2} / √p segments"
            ));
        }
        doubts.extend(self.doubt_of_bursts(loss_bps));
        doubts.extend(self.notes_of_short_path(loss_bps));
        doubts.extend(self.doubt_of_law(loss_bps));
        doubts.extend(self.doubt_of_ack_ratio());
        doubts
    }

    /// What timeouts are taken for where losses are so many that they govern, and what Padhye's model has of them.
    fn doubt_of_timeouts(&self, cuts: f64) -> String {
        let timeout_s = self.timeout_s();
        let pftk = Pftk {
            segments_per_ack: self.segments_per_step(),
            window: self.cap(),
            timeout_s,
            ..Pftk::of_rtt(self.rtt_s())
        };
        let mbps = pftk.full(cuts.min(0.999)) * self.mss() * 8.0 * self.streams / 1e6;
        let timer = format!(
            "T0 = {:.0} ms, of `rto_min` and a round trip; the published curves have T0 = 4 RTT, {:.0} ms",
            timeout_s * 1e3,
            4e3 * self.rtt_s()
        );
        let at_random = self.chain.is_none() && self.losses == Losses::Random;
        let Some(share) = self.share_of_repairs().filter(|_| at_random) else {
            return format!(
                "outside the formula's range: above 2 % of loss timeouts govern; Reno with them would get {mbps:.3} Mbit/s (PFTK with {timer})"
            );
        };
        let range = match cuts > LOSS_HELD || !self.config.sack {
            true => "outside the formula's range: ",
            false => "",
        };
        let found = match (self.config.sack, self.finds_lost_repairs()) {
            (true, true) => "SACK and RACK",
            (true, false) => "SACK",
            (false, _) => "SACK: this one has none, and gets less",
        };
        format!(
            "{range}above 2 % of loss timeouts govern: with the round trips of repairs they leave {share:.2} of the law (terms of Padhye et al. \
             1998, the timeouts those of simulated senders with {found}); PFTK has {mbps:.3} Mbit/s, of a Reno without SACK ({timer})"
        )
    }

    /// The share that repairs and timeouts leave of what losses would; `None` without a law.
    fn share_of_repairs(&self) -> Option<f64> {
        let cc = self.cc?;
        let held = self.under_loss(cc)?;
        Some(self.repaired(cc, held) / held.segments)
    }

    /// Whether losses leave CUBIC a window of its Reno-friendly region, `segments`: clearly more than its own, which grows with what
    /// round trips are longer by.
    fn is_friendly(&self, cc: Cc, segments: f64) -> bool {
        let own = cubic_own_window(self.loss, self.rtt_s(), CUBIC_C);
        cc == Cc::Cubic && own < FRIENDLY * segments
    }

    /// With which constant that region was taken, and what is not in it.
    fn law_of_friendly(&self) -> String {
        let (constant, growth) = match self.config.flavour {
            Flavour::Linux => (1.27, "not raised at the old window, as in Linux"),
            Flavour::Rfc => (1.41, "raised at the old window"),
        };
        format!(
            "CUBIC's Reno-friendly law is {constant} / √p segments here, growth {growth}; Reno's is 1.31 / √p. Gaps between random losses in \
             which its cubic runs away give more: simulated, up to 7 % at 50 ms and up to a quarter at 150 ms"
        )
    }

    /// Reno's constant, where HighSpeed's window is one in which it is Reno.
    fn highspeed_as_reno(&self) -> Option<f64> {
        let alone = self.cc == Some(Cc::HighSpeed) && self.chain.is_none();
        let loss = self.loss_for_law();
        let constant = law::highspeed_as_reno(loss, self.losses).filter(|_| alone)?;
        Some(constant * (self.loss / loss).sqrt())
    }

    /// What simulated connections of BBR have of its law under many losses, and on which round trips.
    fn doubt_of_bbr(&self) -> &'static str {
        match self.rtt_s() <= BBR_HELD_S {
            true => {
                "BBR's law knows no timeouts: simulated, one connection has 0.94 to 1.1 times as much on round trips of up to 300 ms"
            }
            false => {
                "BBR's law knows no timeouts: simulated, one connection has 0.94 to 1.1 times as much on round trips of up to 300 ms, \
                 and at 600 ms 0.97 to 1.01 times with a loss of 5 %, 0.5 to 1 times with 10 %"
            }
        }
    }

    /// What more segments for each ACK than `delayed_ack` says, as super-frames make, do to a sender by Linux's rules: BIC grows by them,
    /// and HighSpeed takes a step for each ACK.
    fn doubt_of_ack_ratio(&self) -> Option<String> {
        if self.counts_acks() && self.config.tso > 0 {
            return Some(format!(
                "HighSpeed in Linux takes a step for each ACK, here one for {:.0} segments: where super-frames are acknowledged whole there are \
                 fewer, and the flow has less",
                self.counted_per_ack()
            ));
        }
        (self.cc == Some(Cc::Bic) && self.config.tso > 0).then(|| {
            format!(
                "BIC in Linux grows faster by the segments for each ACK, here taken for {:.2}: where super-frames are acknowledged whole \
                 they are more, and so is what the flow has",
                self.counted_per_ack()
            )
        })
    }

    /// Where fewer losses are expected than have a mean, and what the test would get without any where it begins so much `late`.
    pub(super) fn doubt_of_few_losses(
        &self,
        test: &Test,
        loss_bps: f64,
        short: Option<&ShortQueue>,
        late: Duration,
    ) -> Option<String> {
        if self.loss <= 0.0 {
            return None;
        }
        let (segments, when) = match (test.duration, self.config.amount) {
            (Some(span), _) => {
                let bytes = self.steady(loss_bps) * span.as_secs_f64() / 8.0;
                (bytes / self.mss(), "the measured time")
            }
            (None, Some(bytes)) => (bytes as f64 * self.streams / self.mss(), "the transfer"),
            (None, None) => return None,
        };
        let expected = segments * self.cuts(loss_bps);
        (expected < LOSSES_FEW && loss_bps < self.window_bps()).then(|| {
            format!(
                "outside the formula's range: it is the mean of many losses, and {expected:.1} are expected in {when}; without any: {:.3} Mbit/s",
                self.without_losses().by_start(test, short, late) / 1e6
            )
        })
    }

    /// With which of its constants Reno's law was taken: `predict path` takes another unless --segments-per-ack says otherwise.
    pub(super) fn law_of_reno(&self) -> String {
        let counted = match (self.config.byte_counting, self.segments_per_step()) {
            (ByteCounting::Off, 1.0) => "counts ACKs, one for each segment",
            (ByteCounting::Off, _) => "counts ACKs",
            _ => "counts bytes",
        };
        let (lost, what) = match self.losses {
            Losses::Random => ("at random", "repairs and timeouts"),
            Losses::Periodic => ("periodically", "the round trips of repairs"),
        };
        let left = self.share_of_repairs().map_or_else(String::new, |share| {
            format!("; {what} leave {share:.2} of it")
        });
        format!(
            "Reno's law is {:.2} / √p segments here: it {counted}, and they are lost {lost}; `predict path` has 0.87 \
             (ACKs, periodic), and 1.22 with --segments-per-ack 1{left}",
            mathis_constant(self.losses, self.segments_per_step())
        )
    }

    /// Where a SYN-ACK offers less than the first flight of a transfer: it is not scaled (RFC 7323 §2.2).
    pub(super) fn doubt_of_first_offer(&self, test: &Test) -> Option<String> {
        let bytes = self.config.amount.filter(|_| test.duration.is_none())?;
        let said = self.config.first_offer().min(UNSCALED_WINDOW);
        let offered = (said / u64::from(self.config.mss)).max(1);
        let (grows, longer) = match self.config.autotuning.is_some() {
            true => (", and its window grows as they come", "two round trips"),
            false => ("", "a round trip"),
        };
        let few = bytes > said && offered < u64::from(self.config.first_window());
        few.then(|| {
            format!("a receiver offers {offered} of these segments at first{grows}: a short transfer takes up to {longer} longer")
        })
    }

    /// Where a transfer is of an algorithm that paces it from its start on, as no forecast does.
    pub(super) fn doubt_of_paced_start(&self, test: &Test) -> Option<String> {
        let bytes = self.config.amount.filter(|_| test.duration.is_none())?;
        let (sent, begun) = (bytes as f64 / self.mss(), self.initial());
        let paces = self.cc.is_some_and(Cc::is_bbr);
        let fills = sent > self.pipe() + self.room || begun.min(sent) > self.room;
        let longer = match fills {
            true => format!(
                "overflowed no queue: simulated, transfers of BBR that do take up to {}",
                self.longest_repair()
            ),
            false => format!(
                "not paced: simulated, transfers of BBR take up to {PACED_MOST} round trips ({:.2} s) longer",
                PACED_MOST * self.rtt_s()
            ),
        };
        (paces && sent > begun).then(|| format!("as if its start were {longer}"))
    }

    /// Where slow start overflows a queue behind which a transfer still fills the line, since the window is full before, or the cut leaves as
    /// much: no forecast has the time in which what was lost is sent again.
    pub(super) fn doubt_of_repair(&self, test: &Test, transfer_s: f64) -> Option<String> {
        let bytes = self.config.amount.filter(|_| test.duration.is_none())?;
        let doubles = self.config.slow_start == farpath_tcp::SlowStart::Standard;
        let (began, overflow) = self.overflow().filter(|_| doubles)?;
        let sent = bytes as f64 / self.mss();
        let (pipe, window) = (self.pipe(), overflow.window);
        let fills = began >= pipe || overflow.climb_s(pipe.min(self.cap())) == Some(0.0);
        let by_then = self.slow_start(window).cost().sent;
        let worth = self.repair_s() > REPAIR_WORTH * transfer_s;
        (fills && window < self.config.first_ssthresh() && sent > by_then && worth).then(|| {
            format!(
                "slow start overflows the queue at a window of some {:.3} MB, if nothing ends it before, and what is lost is sent again: \
                 simulated, transfers that end soon after take up to {}",
                window * self.mss() / 1e6,
                self.longest_repair()
            )
        })
    }

    pub(super) fn repair_s(&self) -> f64 {
        REPAIR_S.max(REPAIR_RTTS * self.rtt_s())
    }

    pub(super) fn longest_repair(&self) -> String {
        format!("{:.2} s longer", self.repair_s())
    }

    /// Where slow start ends at a threshold that a test sets or a host remembers, long before the window is full: no forecast has the climb.
    /// One connection carries `amount` bytes behind one another, where they are limited.
    pub(in crate::forecast) fn doubt_of_threshold(
        &self,
        loss_bps: f64,
        amount: Option<u64>,
    ) -> Option<String> {
        let threshold = self.config.first_ssthresh();
        let full = self.steady(loss_bps) / self.streams * self.rtt_s() / 8.0 / self.mss();
        let sent = amount.map_or(f64::INFINITY, |b| b as f64 / self.mss());
        let by_then = self.slow_start(threshold).cost().sent;
        let set = match self.config.initial_ssthresh {
            Some(_) => "initial_ssthresh",
            None => "remembered_window",
        };
        (threshold < full && sent > by_then && !self.cc.is_some_and(Cc::is_bbr)).then(|| {
            format!(
                "as if slow start went on to the {full:.0} segments of the forecast: `{set}` ends it at {threshold:.0}, and the forecast has \
                 neither the climb from there nor the time that it takes: simulate"
            )
        })
    }

    /// Whether Linux's H-TCP halves its window on this path, however empty its queue.
    fn halves_as_htcp(&self) -> bool {
        self.config.flavour == Flavour::Linux && self.base <= HTCP_HALVES
    }

    /// Where the law that a loss-limited flow is predicted by is not that of its algorithm.
    pub(super) fn doubt_of_law(&self, loss_bps: f64) -> Option<String> {
        let over = loss_bps * self.streams / self.narrowest.bps;
        let fills = self.window_bps() * self.streams > self.narrowest.bps;
        if self.losses == Losses::Random
            && fills
            && let Some(words) = law::near_the_line(over)
        {
            return Some(words);
        }
        if loss_bps * self.streams >= self.steady(f64::INFINITY) {
            return None;
        }
        let cc = self.cc?;
        let segments = match self.chain {
            None => self.under_loss(cc)?.segments,
            Some(_) => loss_bps * self.rtt_s() / 8.0 / self.mss(),
        };
        let random = self.losses == Losses::Random && self.chain.is_none();
        if self.chain.is_none() && segments < WINDOW_FEW {
            return Some(self.doubt_of_few_segments(cc, segments));
        }
        if random && self.is_friendly(cc, segments) {
            return Some(self.law_of_friendly());
        }
        let doubt = match cc {
            Cc::Cubic if random && self.is_linux_cubic() && self.rtt_s() < AS_MUCH_S => {
                "CUBIC's law is one of periodic losses: under random ones of the same mean simulated flows have 0.9 to 1.1 times as much up to 16 ms, \
                 and more while the start counts"
            }
            Cc::Cubic if random => {
                "CUBIC's law is one of periodic losses: random ones of the same mean give up to a quarter more, and more while the start counts: \
                 do not rank it beside others by forecasts"
            }
            Cc::Cubic if self.chain.is_none() && self.is_linux_cubic() => CUBIC_EVENLY_LINUX,
            Cc::Cubic if self.chain.is_none() => CUBIC_EVENLY,
            Cc::Htcp if random => {
                "H-TCP's law is one of periodic losses and of a window cut to half: under random ones a simulated flow has up to a third more at 50 ms and above (three fifths with `flavour = \"rfc\"`), up to a fifth at 16 and 30 ms, and up to 7 % at 10 ms"
            }
            Cc::Htcp if self.halves_as_htcp() => return None,
            Cc::Htcp => {
                "H-TCP's law is of a window cut to half: it keeps its least over its largest round trip, from half to four fifths, so that where its \
                 queue stays empty four fifths are left, and the flow gets more"
            }
            Cc::HighSpeed if segments > HIGHSPEED_MOST => {
                "outside the formula's range: HighSpeed's law goes on above 83000 segments, its table does not"
            }
            Cc::HighSpeed if self.highspeed_as_reno().is_some() => {
                match random && self.config.flavour == Flavour::Linux {
                    true => {
                        "windows that random losses leave above 38 segments grow as HighSpeed's: simulated, flows have up to a third more"
                    }
                    false => return None,
                }
            }
            Cc::HighSpeed if random && self.config.flavour == Flavour::Linux => {
                "HighSpeed's law is the line of RFC 3649: Linux's table and random losses give 1.1 to 1.5 times as much, most at windows of 40 to 120 segments"
            }
            Cc::Bic if random => {
                "BIC's law is one of periodic losses: under random ones simulated flows have 1.3 to 1.4 times as much at windows of 30 to 45 segments, \
                 1.1 to 1.2 times at 120, as much at 320, and 0.92 to 1.06 of it at 900 to 2000"
            }
            // Of super-frames `doubt_of_ack_ratio` says that they have more.
            Cc::Bic if self.chain.is_none() && self.config.tso == 0 => {
                "BIC's law counts no fast convergence and no whole segments: of losses at even distances simulated flows have 0.6 to 0.8 of it"
            }
            _ => return None,
        };
        Some(doubt.to_owned())
    }
}
