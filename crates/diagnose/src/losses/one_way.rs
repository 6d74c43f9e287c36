//! Packets that went one way, counted at the other end: what they lost is of the way that the data goes, or of the one that its
//! acknowledgements go. Pings know only both together.

use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::{Flow, alike};
use crate::part::part;
use crate::paths::pinged::{apart, names};
use crate::paths::rest::share_lost;
use crate::read::Facts;

/// What was counted of one way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneWay {
    /// Name or address of the end that sent them; empty where it is the host whose command it was.
    pub(crate) from: String,
    /// The same of the end that received them.
    pub(crate) to: String,
    /// Packets, and those of them that did not arrive.
    pub(crate) sent: f64,
    pub(crate) lost: f64,
    /// By how much their delays differ, ms; none where no text says that.
    pub(crate) varied_ms: Option<f64>,
    /// The least delay, ms, by the clocks of both ends; none where no text says that.
    pub(crate) least_ms: Option<f64>,
    /// Whether some came twice, or out of order.
    pub(crate) disordered: bool,
    /// Where it was read.
    pub(crate) at: Place,
}

/// What was counted of the way that a flow's data goes, and of the one back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OneWayLoss {
    there: OneWay,
    back: Option<OneWay>,
}

impl OneWay {
    /// Whether it is the way that the data of a flow goes, or the one back; none of another path.
    fn is_there(&self, facts: &Facts, flow: &Flow) -> Option<bool> {
        let ends = [0, 1].map(|n| names(flow, n));
        let own = [&self.from, &self.to];
        let is = |name: &String, end: &[String]| end.iter().any(|other| alike(other, name));
        // Neither end may be another host for certain.
        let fits = |order: [usize; 2]| {
            let pairs = || own.into_iter().zip(order.map(|n| &ends[n]));
            let other = |(name, end): (&String, &Vec<String>)| {
                !is(name, end) && apart(facts, core::slice::from_ref(name), end)
            };
            pairs().any(|(name, end)| is(name, end)) && !pairs().any(other)
        };
        match (fits([0, 1]), fits([1, 0])) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Several of one way as one, which stands where the first does.
    fn together<'w>(all: impl IntoIterator<Item = &'w OneWay>) -> Option<OneWay> {
        let mut all = all.into_iter();
        let first = all.next()?.clone();
        Some(all.fold(first, |both, next| {
            OneWay {
                sent: both.sent + next.sent,
                lost: both.lost + next.lost,
                varied_ms: both
                    .varied_ms
                    .zip(next.varied_ms)
                    .map(|(a, b)| libm::fmax(a, b)),
                least_ms: both
                    .least_ms
                    .zip(next.least_ms)
                    .map(|(a, b)| libm::fmin(a, b)),
                disordered: both.disordered || next.disordered,
                ..both
            }
        }))
    }

    /// Whether nothing was lost, late, doubled or out of order.
    fn is_clean(&self) -> bool {
        let even = self.varied_ms.is_none_or(|ms| ms < EVEN_MS);
        self.lost <= 0.0 && !self.disordered && even
    }

    /// `from a.example to b.example`, with the ends that are known; a space before.
    fn ends(&self) -> String {
        let ends = [("from", &self.from), ("to", &self.to)];
        let named = ends.iter().filter(|(_, end)| !end.is_empty());
        named.map(|(word, end)| format!(" {word} {end}")).collect()
    }

    /// The share that was lost, 0 to 1, with its bounds.
    fn share(&self) -> Figure {
        share_lost(Figure::exact(0.0, self.at), self.sent, self.lost)
    }
}

impl OneWayLoss {
    /// What was counted of a flow's path. Of no flow in particular it is the way that lost most.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Option<OneWayLoss> {
        let all = &facts.one_way;
        let nameless = [0, 1].iter().all(|n| names(flow, *n).is_empty());
        if nameless && flow.test.is_none() {
            let share = |way: &&OneWay| way.lost / way.sent;
            let worst = all.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
            let back = all
                .iter()
                .find(|way| way.from == worst.to && way.to == worst.from);
            return Some(OneWayLoss {
                there: worst.clone(),
                back: back.cloned(),
            });
        }
        let ways: Vec<(&OneWay, Option<bool>)> = all
            .iter()
            .map(|way| (way, way.is_there(facts, flow)))
            .collect();
        let of = |there: bool| {
            let own = ways.iter().filter(|(_, way)| *way == Some(there));
            OneWay::together(own.map(|(way, _)| *way))
        };
        Some(OneWayLoss {
            there: of(true)?,
            back: of(false),
        })
    }

    /// The share that the data's way lost, 0 to 1, with its bounds.
    pub(crate) fn share(&self) -> Figure {
        self.there.share()
    }

    /// Whether a loss is this one.
    fn is(&self, loss: &Figure) -> bool {
        loss.from.contains(&self.there.at)
    }

    /// What was lost on which way, for people.
    fn said(&self) -> String {
        let there = &self.there;
        let back = self.back.as_ref().map_or_else(String::new, |back| {
            format!(
                "; of {:.0} that went the other way {:.0} were lost",
                back.sent, back.lost
            )
        });
        let way = there.ends();
        format!(
            "{} of the packets that went one way{way} were lost ({:.0} of {:.0}){back}; no text says whether the path was idle meanwhile{}",
            part(there.lost / there.sent),
            there.lost,
            there.sent,
            self.clocks()
        )
    }
}

/// How what is said of a way begins that shows nothing wrong.
pub(crate) const CLEAN_WAY: &str = "nothing is wrong on this way at this rate";

/// Delays that differ by less than this, ms, show no queue that grew. A choice, as for the answers of a trace.
const EVEN_MS: f64 = 30.0;

impl OneWayLoss {
    /// That nothing is wrong on the ways that were counted, and what that does not test, for people; none where something is.
    fn clean(&self) -> Option<String> {
        let there = &self.there;
        let both = [Some(there), self.back.as_ref()];
        if !both.into_iter().flatten().all(OneWay::is_clean) {
            return None;
        }
        let varied = match there.varied_ms {
            Some(ms) => format!(", and their delays differ by {ms:.1} ms"),
            None => String::new(),
        };
        let (back, other) = match &self.back {
            Some(back) => (
                format!("; so did all {:.0} that went the other way", back.sent),
                "",
            ),
            None => (String::new(), "the other way, "),
        };
        Some(format!(
            "{CLEAN_WAY}: all {:.0} packets{} arrived{varied}{back}. Not tested are {other}a higher rate, larger packets, other times, and what TCP makes of the path: iperf3, or pscheduler task throughput, tests that{}",
            there.sent,
            there.ends(),
            self.clocks()
        ))
    }

    /// That the clocks of both ends differ, where a delay is below zero; a full stop before. Empty where none is.
    fn clocks(&self) -> String {
        let ways = [Some(&self.there), self.back.as_ref()];
        let mut ways = ways.into_iter().flatten();
        let below = ways.find_map(|way| Some((way, way.least_ms.filter(|ms| *ms < 0.0)?)));
        let Some((way, least)) = below else {
            return String::new();
        };
        let back = self.back.as_ref().and_then(|back| back.least_ms);
        let apart = match self.there.least_ms.zip(back) {
            Some((there, back)) => format!(
                ", by {:.1} ms if both ways take as long: a half of the round trip, {:.1} ms, is then the delay of each",
                libm::fabs(there - back) / 2.0,
                there + back
            ),
            None => String::new(),
        };
        format!(
            ". The delay{} is below zero ({least:.1} ms), which cannot be: the clocks of both hosts are not synchronised, and differ{apart}. On both: chronyc tracking, or ntpq -p; until they agree, delays of one way say nothing, and the sum of both is right",
            way.ends()
        )
    }
}

impl Evidence {
    /// That packets that went one way show nothing wrong, for people.
    pub(crate) fn clean_way(&self) -> Option<String> {
        self.around.one_way.as_ref().and_then(OneWayLoss::clean)
    }

    /// What packets that went one way say of a loss, for people; none where it is known by something else.
    pub(crate) fn lost_one_way(&self, loss: &Figure) -> Option<String> {
        let own = self.around.one_way.as_ref();
        own.filter(|way| way.is(loss)).map(OneWayLoss::said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred packets of which none was lost, with this least delay, ms.
    fn way(least_ms: f64) -> OneWay {
        OneWay {
            from: "a.example".to_owned(),
            to: "b.example".to_owned(),
            sent: 100.0,
            lost: 0.0,
            varied_ms: Some(0.7),
            least_ms: Some(least_ms),
            disordered: false,
            at: Place::You,
        }
    }

    /// A delay below zero was passed over: nothing was wrong.
    #[test]
    fn a_delay_below_zero_is_clocks_that_differ() {
        let said = |there: f64, back: f64| {
            let both = OneWayLoss {
                there: way(there),
                back: Some(way(back)),
            };
            both.clean().expect("nothing was lost")
        };
        for (there, back) in [(-8.1, 32.1), (32.1, -8.1)] {
            let text = said(there, back);
            assert!(text.contains("differ, by 20.1 ms"), "{text}");
        }
        let text = said(12.0, 12.1);
        assert!(!text.contains("clocks"), "{text}");
    }
}
