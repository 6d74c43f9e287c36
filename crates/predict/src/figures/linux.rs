//! What Linux makes of a climb and of a loss, where that is not what an algorithm's document has.

use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::overflow::Overflow;
use crate::{highspeed, htcp, law, recovery, scalable};

use super::Figures;

const HTCP: &str = "Linux multiplies its growth by RTT/100 ms, 0.1 to 2";
const SCALABLE: &str = "Linux gains a segment a round trip up to 100 segments, and a loss takes an eighth of any window";

const HIGHSPEED: &str = "Linux takes a step for each ACK, whatever it acknowledges, and halves a window that slow start alone brought up; with the ACKs \
    named, in avoidance";

impl Figures<'_> {
    /// How long an algorithm takes as Linux has it, where that is another; empty for all others.
    pub(super) fn of_linux(&self, top: f64) -> String {
        if self.input.cc == Cc::HighSpeed && top > highspeed::HIGH_WINDOW {
            let tabled = self.climb(top).tabled_over(self.share_of_pipe());
            let linux = tabled.map_or_else(String::new, |s| format!(": {s:.4} s"));
            return format!(
                "Outside the formula's range, which ends at {:.0} segments (RFC 3649 §5). Linux's table ends, too, and it gains {:.0} a \
                 round trip beyond{linux}.",
                highspeed::HIGH_WINDOW,
                highspeed::LINUX_INCREASE
            );
        }
        let Some((climb, why)) = self.climb_of_linux(top) else {
            return String::new();
        };
        climb
            .recovery_over(self.share_of_pipe())
            .map_or_else(String::new, |s| format!("{why}: {s:.4} s."))
    }

    /// How long the climb takes in Linux that follows an overflow of slow start, as a sentence without its full stop; empty where nothing is
    /// left to climb, and where it is the document's.
    pub(super) fn first_climb_of_linux(&self, overflow: Overflow) -> String {
        if self.input.cc == Cc::HighSpeed {
            return ". Linux halves there, as slow start moves no row of its table, and takes longer".to_owned();
        }
        let Some((climb, why)) = self.climb_of_linux(overflow.climb.top) else {
            return String::new();
        };
        match (Overflow { climb, ..overflow }).climb_s(self.full) {
            Some(seconds) if seconds > 0.0 => format!(". {why}: {seconds:.1} s"),
            _ => String::new(),
        }
    }

    /// What a loss ratio leaves Linux's H-TCP, as a sentence; empty where that is what it leaves the paper's, and of all others.
    pub(super) fn htcp_of_linux(&self, loss: f64) -> String {
        let mut on = self.conditions();
        on.htcp.scale = htcp::Growth::linux(self.rtt_s).scale;
        let differs = self.input.cc == Cc::Htcp && on.htcp.scale != 1.0;
        let window = law::window(self.input.cc, loss, on).filter(|_| differs);
        window.map_or_else(String::new, |window| {
            let bps = recovery::segments_bps(window, self.mss, self.input.rtt);
            format!("{HTCP}: {:.3} Mbit/s.", bps / 1e6)
        })
    }

    /// The climb from a cut at `top` segments as Linux has it, and what is its own there; `None` where all of it is the document's.
    fn climb_of_linux(&self, top: f64) -> Option<(Climb, &'static str)> {
        let mut climb = self.climb(top);
        climb.rules = Rules::Linux;
        match self.input.cc {
            Cc::Htcp => {
                climb.htcp.scale = htcp::Growth::linux(self.rtt_s).scale;
                (climb.htcp.scale != 1.0).then_some((climb, HTCP))
            }
            Cc::HighSpeed => (climb.segments_per_ack > 1.0).then_some((climb, HIGHSPEED)),
            Cc::Scalable => scalable::differs(top).then_some((climb, SCALABLE)),
            _ => None,
        }
    }
}
