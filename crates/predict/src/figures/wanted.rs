//! What a goodput that is wanted needs: a window, a loss ratio, a number of connections.

use crate::answer::{Answer, Value, answer};
use crate::law::{self, LOSS_MAX};
use crate::parallel::streams_to_fill;
use crate::window;

use super::{Figures, OUTSIDE};

const NONE_WANTED: &str = "No goodput was named.";

/// What was asked for.
struct Wanted {
    /// Of all connections together, bit/s.
    bps: f64,
    /// Of each, while it sends: BBR's probes are left out of the time.
    each_bps: f64,
    /// Segments of each in flight.
    segments: f64,
}

impl Figures<'_> {
    /// The inverse of `goodput_bps`.
    pub(crate) fn about_wanted(&self) -> Vec<Answer> {
        let wanted = self.wanted();
        vec![
            self.window_for(wanted.as_ref()),
            self.loss_for(wanted.as_ref()),
            self.streams_for(wanted.as_ref()),
        ]
    }

    /// What is wanted, or in words why nothing is said of it.
    fn wanted(&self) -> Result<Wanted, String> {
        let bps = self.input.goodput.ok_or(NONE_WANTED)?.as_bps() as f64;
        let sending = 1.0 - law::probing(self.input.cc, self.rtt_s);
        let host = self.input.host.map(|rate| rate.as_bps() as f64);
        let policer = self.policed.as_ref().map(|p| p.all_bps * sending);
        for (what, most) in [
            ("line", Some(self.line_bps * sending)),
            ("host", host),
            ("policer", policer),
        ] {
            if let Some(most) = most
                && bps > most
            {
                let (bps, most) = (bps / 1e6, most / 1e6);
                return Err(format!(
                    "Out of reach: the {what} leaves {most:.4} Mbit/s of the {bps:.4} wanted."
                ));
            }
        }
        let each_bps = bps / f64::from(self.input.streams) / sending;
        Ok(Wanted {
            bps,
            each_bps,
            segments: each_bps * self.rtt_s / 8.0 / self.mss.as_bytes() as f64,
        })
    }

    /// The least window that gives it.
    fn window_for(&self, wanted: Result<&Wanted, &String>) -> Answer {
        let bytes = wanted.map(|wanted| {
            let segments = self.in_flight(wanted.segments);
            let whole = libm::ceil(segments * (1.0 - 1e-12)).max(1.0);
            whole * self.mss.as_bytes() as f64
        });
        let (value, note) = match bytes {
            Err(why) => (None, why.clone()),
            Ok(bytes) => match window::shift_for(bytes) {
                None => (
                    None,
                    "Beyond window scaling (1073725440 B): more connections are needed.".to_owned(),
                ),
                Some(shift) => (
                    Some(bytes),
                    format!(
                        "{:.0} whole segments of each connection; a window scale of {shift} or more.",
                        bytes / self.mss.as_bytes() as f64
                    ),
                ),
            },
        };
        answer("window_for_goodput_bytes", value, "B")
            .by("⌈G × RTT / (8 n MSS)⌉ × MSS", "RFC 7323 §1.1")
            .note(note)
            .holds("payload in flight, empty queues; what waits in a queue needs window on top")
    }

    /// The largest loss ratio at which it is reached.
    fn loss_for(&self, wanted: Result<&Wanted, &String>) -> Answer {
        let grounds = law::grounds(self.input.cc);
        let (value, note) = match wanted {
            Err(why) => (Value::Null, why.clone()),
            Ok(wanted) => self.loss_allowed(wanted),
        };
        let linux = wanted.map_or_else(|_| String::new(), |w| self.loss_of_linux(w.segments));
        answer("loss_ratio_for_goodput", value, "")
            .by(grounds.loss, grounds.source)
            .note(note)
            .note(linux)
            .holds("as `loss_limit_bps`, the mean window equal to what the goodput needs")
    }

    fn loss_allowed(&self, wanted: &Wanted) -> (Value, String) {
        let cc = self.input.cc;
        if cc.is_bbr() {
            let all = wanted.each_bps * f64::from(self.input.streams) / self.line_bps;
            let loss = law::bears(cc, all, self.input.streams);
            return (Value::from(loss), law::no_law(cc).to_owned());
        }
        // What is lost behind the line took its time there, too.
        let spare = Some(1.0 - wanted.bps / self.line_bps).filter(|spare| *spare > 0.0);
        let by_law = law::loss_for(cc, wanted.segments, self.conditions());
        match by_law.map(|loss| loss.min(spare.unwrap_or(1.0))) {
            None => (Value::Null, law::no_law(cc).to_owned()),
            Some(loss) if loss >= 1.0 => (
                Value::Null,
                "The goodput needs too few segments for the formula.".to_owned(),
            ),
            Some(loss) => (
                Value::from(loss),
                format!(
                    "{}One segment lost in {:.3e}; {:.1} segments in flight on the mean.",
                    if loss > LOSS_MAX { OUTSIDE } else { "" },
                    1.0 / loss,
                    wanted.segments
                ),
            ),
        }
    }

    /// How many connections with the window and the loss named reach it together.
    fn streams_for(&self, wanted: Result<&Wanted, &String>) -> Answer {
        let loss = self.loss_bps.filter(|_| !self.input.cc.is_bbr());
        let limits = [self.window_under_loss(), loss].into_iter().flatten();
        let each = limits.fold(f64::INFINITY, f64::min);
        let policed = self.policed.as_ref().map(|p| p.likely_bps);
        let (streams, note) = match wanted {
            Err(why) => (None, why.clone()),
            Ok(_) if self.lawless => (None, "Nothing is known of one.".to_owned()),
            Ok(wanted) if policed.is_some_and(|bps| bps < wanted.bps.min(each)) => (
                None,
                "The policer holds each to its burst: what several have together says `goodput_bps` with --streams."
                    .to_owned(),
            ),
            Ok(wanted) => match streams_to_fill(wanted.bps, each) {
                None => (None, "More than 2³² connections.".to_owned()),
                Some(n) => (Some(n), self.each_has(each)),
            },
        };
        answer("streams_for_goodput", streams.map(f64::from), "")
            .by(
                "⌈G / min(whole segments of the window, loss)⌉",
                "Hacker, Athey, Noble, IPDPS 2002",
            )
            .note(note)
            .holds("streams that lose by themselves; near the line they also lose to each other")
    }

    fn each_has(&self, each_bps: f64) -> String {
        match each_bps.is_finite() {
            true => format!("Each has {:.6} Mbit/s.", each_bps / 1e6),
            false => "Neither window nor loss was named: one is enough.".to_owned(),
        }
    }
}
