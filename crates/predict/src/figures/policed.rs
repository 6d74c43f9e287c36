//! What one connection gets through a path's policer.

use farpath_units::Size;

use crate::answer::{Answer, answer};
use crate::clumps::{Clumped, MEAN_OVER_S};
use crate::law;
use crate::path::PathInput;
use crate::policer::{Policer, apart, at_once};
use crate::window::seconds;

use super::Figures;

/// Payload that passes, bit/s.
pub(super) struct Policed {
    /// The policer's own rate.
    pub(super) all_bps: f64,
    /// Of one connection.
    pub(super) likely_bps: f64,
    /// Below it one simulated path of forty is.
    pub(super) least_bps: f64,
    /// Above it one of forty is; at most the policer's own rate.
    pub(super) most_bps: f64,
    /// The line brings no more than it lets through.
    passes_all: bool,
    /// It takes part of each burst of a sender that paces: no law says what is left.
    pub(super) cuts_paced: bool,
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
        let same = |bps: f64, passes_all: bool| Policed {
            all_bps: bps,
            likely_bps: bps,
            least_bps: bps,
            most_bps: bps,
            passes_all,
            cuts_paced: false,
        };
        if policer.burst_bytes < counted {
            return Some(same(0.0, false));
        }
        if policer.passes_all(counted) {
            return Some(same(all_bps, true));
        }
        // What follows a rate is paced and comes in no clumps.
        let clumped = !input.cc.is_bbr();
        let segments = Clumped {
            cc: input.cc,
            initial: f64::from(input.initial_window),
            htcp: crate::htcp::Growth::keeping(input.beta.unwrap_or(crate::htcp::BETA)),
            ..Clumped::usual(policer, counted, rtt_s)
        };
        let likely = if clumped {
            segments.passing(0.0, MEAN_OVER_S)
        } else {
            None
        };
        // BBR comes down for its probes in front of a policer as of a line.
        let sending = all_bps * (1.0 - law::probing(input.cc, rtt_s));
        let [likely_bps, least_bps, most_bps] = likely.map_or([sending; 3], |likely| {
            let likely = (likely * segment * 8.0).min(all_bps);
            let [low, high] = segments.spread();
            [likely, likely * low, (likely * high).min(all_bps)]
        });
        Some(Policed {
            all_bps,
            likely_bps,
            least_bps,
            most_bps,
            passes_all: false,
            cuts_paced: !clumped && policer.cuts_paced(counted, rtt_s),
        })
    }

    /// What `streams` that start at once have together of which one alone has `bps`.
    pub(super) fn together(&self, bps: f64, streams: u32) -> f64 {
        at_once(bps, f64::from(streams), self.all_bps)
    }

    /// The most that they have: as if they had started apart.
    fn most_together(&self, streams: u32) -> f64 {
        apart(self.most_bps, f64::from(streams), self.all_bps)
    }
}

/// Between what 95 of 100 simulated paths like `input` lie, bit/s of payload, all its connections together. `None` where the policer's
/// rate says what passes, nothing does, or `input` has none.
pub fn policed_range(input: &PathInput) -> Option<[f64; 2]> {
    let figures = Figures::of(input).ok()?;
    let policed = figures.policed.as_ref()?;
    let (least, most) = (policed.least_bps, policed.most_bps);
    let streams = input.streams;
    (least < most).then(|| {
        [
            policed.together(least, streams),
            policed.most_together(streams),
        ]
    })
}

impl Figures<'_> {
    /// What a policer's burst lets through of one connection.
    pub(super) fn policer_limit(&self) -> Answer {
        let note = match &self.policed {
            None => "No policer was named.".to_owned(),
            Some(policed) if policed.passes_all => {
                "The line brings no more than the policer lets through.".to_owned()
            }
            Some(policed) if policed.all_bps == 0.0 => {
                "The burst is less than a frame: none passes.".to_owned()
            }
            Some(policed) if policed.least_bps < policed.most_bps => {
                let streams = self.input.streams;
                let whose = match streams {
                    1 => "Of 100 simulated paths 95 lie between".to_owned(),
                    n => format!("{n} streams together: of 100 simulated paths 95 lie between"),
                };
                format!(
                    "The mean of the first {MEAN_OVER_S} s. {whose} {:.4} and {:.4} Mbit/s: it depends on how the \
                     segments of a window are spread over a round trip. The policer's rate leaves {:.4} Mbit/s of payload.",
                    policed.together(policed.least_bps, streams) / 1e6,
                    policed.most_together(streams) / 1e6,
                    policed.all_bps / 1e6
                )
            }
            Some(policed) if policed.cuts_paced => {
                format!(
                    "The bucket holds no burst of a sender that paces, a millisecond of its rate: no law says what passes; {}.",
                    self.input.cc.without_form()
                )
            }
            Some(_) => match law::probing_words(self.input.cc, self.rtt_s) {
                Some(probing) => format!("The policer's rate, as payload, {probing}"),
                None => "The policer's rate, as payload.".to_owned(),
            },
        };
        let lawful = self.policed.as_ref().filter(|p| !p.cuts_paced);
        answer("policer_limit_bps", lawful.map(|p| p.likely_bps), "bit/s")
            .by(
                "mean window × 8 / RTT, of clumps that pass: n ≤ b + rT, round trip by round trip",
                "docs/models/predict.md, policers",
            )
            .note(note)
            .holds("one flow that nothing paces, no loss but the policer's")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::Cc;
    use crate::path::path;

    /// `rate` and `burst` behind a line of 1 Gbit/s, 50 ms: what the figure named is, and what it says.
    fn figure(streams: u32, rate: &str, burst: u64, name: &str) -> (f64, String) {
        let named = |text: &str| text.parse().expect("a rate");
        let rtt = farpath_units::Duration::from_ms(50);
        let input = PathInput {
            policer: Some((named(rate), Size::from_bytes(burst))),
            streams,
            ..PathInput::new(named("1 Gbit/s"), rtt, Size::from_bytes(1500))
        };
        let all = path(&input).expect("a path");
        let found = all.into_iter().find(|a| a.name == name).expect("a figure");
        (found.value.number().expect("a number"), found.note)
    }

    /// 1514 bytes are counted of 1538 on the line, so 985 Mbit/s are more than ever come.
    #[test]
    fn a_policer_of_the_lines_rate_drops_nothing() {
        for rate in ["1 Gbit/s", "985 Mbit/s"] {
            let (bps, _) = figure(1, rate, 15_000, "goodput_bps");
            assert!((bps - 1e9 * 1448.0 / 1538.0).abs() < 1.0, "{rate}: {bps}");
        }
        assert!(figure(1, "900 Mbit/s", 15_000, "goodput_bps").0 < 500e6);
        assert_eq!(figure(1, "1 Gbit/s", 1513, "goodput_bps").0, 0.0);
    }

    /// Simulated at 1 Gbit/s and 165 ms: buckets of 15, 30, 45, 60 and 90 kB pass 119, 251, 378, 821 and 802 Mbit/s of BBR's 953.
    #[test]
    fn a_bucket_that_holds_no_burst_of_a_pace_has_no_law() {
        let rate: farpath_units::Rate = "1 Gbit/s".parse().expect("a rate");
        let found = |burst: u64| {
            let input = PathInput {
                policer: Some((rate, Size::from_bytes(burst))),
                cc: Cc::Bbr,
                ..PathInput::new(
                    "10 Gbit/s".parse().expect("a rate"),
                    farpath_units::Duration::from_ms(165),
                    Size::from_bytes(1500),
                )
            };
            let all = path(&input).expect("a path");
            ["goodput_bps", "policer_limit_bps"].map(|name| {
                let found = all.iter().find(|a| a.name == name);
                found.and_then(|a| a.value.number())
            })
        };
        assert_eq!(found(15_000), [None; 2]);
        assert_eq!(found(45_000), [None; 2]);
        assert!(found(60_000)[0].is_some_and(|bps| bps > 900e6));
    }

    /// 20 Mbit/s and 40 ms: ten seconds after each probe one takes 0.24 s.
    #[test]
    fn bbr_probes_in_front_of_a_policer_too() {
        let input = PathInput {
            policer: Some((
                "20 Mbit/s".parse().expect("a rate"),
                Size::from_bytes(100_000),
            )),
            cc: Cc::Bbr,
            ..PathInput::new(
                "1 Gbit/s".parse().expect("a rate"),
                farpath_units::Duration::from_ms(40),
                Size::from_bytes(1500),
            )
        };
        let all = path(&input).expect("a path");
        let found = |name: &str| {
            let found = all.iter().find(|a| a.name == name);
            found.map(|a| (a.value.number(), a.note.clone()))
        };
        let wanted = 20e6 * 1448.0 / 1514.0 * (1.0 - 0.24 / 10.24);
        for name in ["policer_limit_bps", "goodput_bps"] {
            let (bps, note) = found(name).expect("a figure");
            assert!(
                bps.is_some_and(|bps| (bps - wanted).abs() < 1.0),
                "{name}: {bps:?}"
            );
            assert!(note.contains("2.3 % less for ProbeRTT"), "{note}");
        }
    }

    #[test]
    fn the_range_of_streams_holds_what_they_have_together() {
        let (bps, _) = figure(4, "100 Mbit/s", 25_000, "goodput_bps");
        let (_, note) = figure(4, "100 Mbit/s", 25_000, "policer_limit_bps");
        let words = note.split_whitespace();
        let numbers: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
        let [.., low, high, _] = numbers[..] else {
            panic!("{note}");
        };
        assert!(
            low <= bps / 1e6 + 1e-3 && bps / 1e6 <= high + 1e-3,
            "{bps}: {note}"
        );
    }
}
