//! What one connection gets through a path's policer.

use farpath_units::Size;

use crate::answer::{Answer, answer};
use crate::cc::Cc;
use crate::climb::Climb;
use crate::clumps::{Clumped, DELAYED_ACK_S, MEAN_OVER_S};
use crate::law;
use crate::path::PathInput;
use crate::policer::Policer;
use crate::window::seconds;

use super::Figures;

/// Payload that passes, bit/s.
pub(super) struct Policed {
    /// The policer's own rate.
    pub(super) all_bps: f64,
    /// Of one connection.
    pub(super) likely_bps: f64,
    /// Where all segments of a window follow one another.
    pub(super) least_bps: f64,
    /// Where they are spread over the round trip as far as the delayed-ACK timer does it.
    pub(super) most_bps: f64,
}

impl Policed {
    /// Of the policer named; `None` without one.
    pub(super) fn of(input: &PathInput, mss: Size, mtu: u32) -> Option<Policed> {
        let (rate, burst) = input.policer?;
        let segment = mss.as_bytes() as f64;
        let counted = f64::from(input.framing.queue_bytes(mtu));
        let wire = f64::from(input.framing.wire_bytes(mtu));
        let policer = Policer {
            rate_bps: rate.as_bps() as f64,
            burst_bytes: burst.as_bytes() as f64,
            arrival_bps: input.rate.as_bps() as f64 * counted / wire,
        };
        let payload = segment / counted;
        let rtt_s = seconds(input.rtt);
        let all_bps = policer.rate_bps * payload;
        let passing = policer.window(rtt_s, DELAYED_ACK_S);
        let of_window = |bytes: f64| {
            let climb = Climb {
                cc: input.cc,
                top: (bytes * payload / segment).max(1.0),
                rtt_s,
                segments_per_ack: f64::from(input.segments_per_ack),
                htcp_beta: input.beta.unwrap_or(crate::htcp::BETA),
            };
            let mean = bytes * 8.0 / rtt_s * payload * climb.mean_share()?;
            Some(mean.min(all_bps))
        };
        // What follows a rate is paced and comes in no clumps.
        let clumped = !matches!(input.cc, Cc::Bbr | Cc::Bbr3);
        let segments = Clumped {
            cc: input.cc,
            initial: f64::from(input.initial_window),
            htcp_beta: input.beta.unwrap_or(crate::htcp::BETA),
            ..Clumped::usual(policer, counted, rtt_s)
        };
        let likely = if clumped {
            segments.passing(0.0, MEAN_OVER_S)
        } else {
            None
        };
        let bounds = [passing.least, passing.most].map(of_window);
        let [likely_bps, least_bps, most_bps] = match (likely, bounds) {
            (Some(likely), [Some(least), Some(most)]) => {
                let likely = (likely * segment * 8.0).min(all_bps);
                [likely, least.min(likely), most.max(likely)]
            }
            _ => [all_bps; 3],
        };
        Some(Policed {
            all_bps,
            likely_bps,
            least_bps,
            most_bps,
        })
    }
}

impl Figures<'_> {
    /// What a policer's burst lets through of one connection.
    pub(super) fn policer_limit(&self) -> Answer {
        let note = match &self.policed {
            None => "No policer was named.".to_owned(),
            Some(policed) if policed.least_bps < policed.most_bps => format!(
                "The mean of the first {MEAN_OVER_S} s. Between {:.4} and {:.4} Mbit/s: it depends on how the \
                 segments of a window are spread over a round trip. The policer's rate leaves {:.4} Mbit/s of payload.",
                policed.least_bps / 1e6,
                policed.most_bps / 1e6,
                policed.all_bps / 1e6
            ),
            Some(_) => "The policer's rate, as payload.".to_owned(),
        };
        answer(
            "policer_limit_bps",
            self.policed.as_ref().map(|p| p.likely_bps),
            "bit/s",
        )
        .by(
            "mean window × 8 / RTT, of clumps that pass: n ≤ b + rT, round trip by round trip",
            law::grounds(self.input.cc).source,
        )
        .note(note)
        .holds("one flow that nothing paces, no loss but the policer's")
    }
}
