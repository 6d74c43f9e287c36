//! A test of an access, down or up, whose round trip hardly grew: what a service leaves that is sold at that rate. A long queue would show.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps};
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::infer::{Ranking, usual_line};
use crate::items::{Item, spread};
use crate::lines::bloat::ms;
use crate::programs::follow::TESTERS;
use crate::seen::{Side, Test};

/// Programs that test an access against the nearest server, one way after the other.
const OF_ACCESS: [&str; 2] = ["speedtest", "networkQuality"];

/// From this part of what a line leaves on it is the line that is full.
const FULL: f64 = 0.85;

/// Rates that services are usually sold at, Mbit/s.
const USUAL: [f64; 20] = [
    10.0, 16.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 75.0, 100.0, 125.0, 150.0, 200.0, 250.0, 300.0,
    400.0, 500.0, 600.0, 750.0, 1000.0,
];

/// What headers leave of such a rate, and what many operators give on top. A choice.
const NEAR: [f64; 2] = [0.92, 1.08];

/// The way of connections side by side between any two hosts, for people.
const SHARED: &str = "this way";

/// Rates of services that such connections share, Mbit/s, without those of Ethernet, which are lines. They are fewer than above: a rate is
/// near one of many by chance.
const SHARED_RATES: [f64; 8] = [150.0, 200.0, 250.0, 300.0, 400.0, 500.0, 600.0, 750.0];

/// What headers leave of such a rate, whether they count or not. A choice.
const SHARED_NEAR: [f64; 2] = [0.94, 0.97];

/// The most that is said of the line and of a shaper, one of which the service is, and of all others together: none is a verdict.
const SERVICE: [(Cause, f64); 2] = [(Cause::Link, 0.39), (Cause::Shaper, 0.37)];
const OTHERS: f64 = 0.24;

/// Intervals of a full service differ by less than this part of their mean. A choice.
const LEVEL: f64 = 0.02;

/// What it is worth that one connection fills a usual service, decibans, and the most that is said of the line then. Choices: a rate is near
/// one of the usual ones by chance in one of ten.
const FILLED: f64 = 9.0;
const BY_SERVICE: f64 = 0.6;

/// An item that holds more than this, and gives a cause more than so many decibans, is a ground of its own.
const HOLDS: f64 = 0.3;
const GROUND: f64 = 6.0;

impl Evidence {
    /// Takes which way of an access a test was of.
    pub(crate) fn of_access(&mut self, test: &Test) {
        let way = match test.client {
            Side::Receiver => "down",
            Side::Sender => "up",
        };
        let shared = TESTERS.contains(&test.tool) && test.streams > 1 && !test.udp;
        self.around.access = match OF_ACCESS.contains(&test.tool) {
            true => Some(way),
            false => shared.then_some(SHARED),
        };
    }

    /// Whether connections side by side share just what headers leave of a rate that services are sold at, between two sites. The queue of
    /// such a service drops some of their segments.
    fn shares_service(&self) -> bool {
        self.around.access == Some(SHARED) && self.leaves_service()
    }

    /// Whether the rate is just what headers leave of a rate that services are sold at, between two sites.
    fn leaves_service(&self) -> bool {
        let rate = self.rate.as_ref().map_or(0.0, |r| r.value);
        let near = |mbit: &f64| (SHARED_NEAR[0]..SHARED_NEAR[1]).contains(&(rate / (mbit * 1e6)));
        let sites = self.rtt_floor.is_some() && self.may_cross_service();
        let whole = self.around.group.is_none() && self.is_even();
        whole && sites && SHARED_RATES.iter().any(near)
    }

    /// Whether one connection has just what headers leave of a service's rate, evenly and with some loss, as a full service drops some. Not
    /// where a line is named, or BBR, which loss does not hold, has found a rate.
    fn fills_service(&self) -> bool {
        let alone = self.tester && !self.udp && self.streams == 1.0 && !self.is_bbr();
        let lossy = self.retransmits.as_ref().is_some_and(|r| r.value > 1.0);
        let level = spread(&self.steady).is_some_and(|s| s < LEVEL);
        let open = self.line.is_none() && usual_line(self).is_none() && self.refutes_line() < 0.5;
        let stated = self.shaper.is_some() || self.policer.is_some() || self.half_duplex.is_some();
        alone && lossy && level && open && !stated && self.leaves_service()
    }

    /// The most that is said of a line that only a usual rate of services shows.
    pub(crate) fn at_most_of_service(&self) -> f64 {
        match self.fills_service() {
            true => BY_SERVICE,
            false => 1.0,
        }
    }

    /// That a service leaves the rate of one connection of a test as well, which nothing else explains, for people.
    pub(crate) fn service_besides(&self) -> Option<String> {
        let alone = self.tester && !self.udp && self.streams == 1.0;
        let full = usual_line(self).is_some() || self.lower_port().is_some();
        let said = self.fills_service() || self.sold().is_some();
        let may = alone && !full && self.leaves_service() && !said;
        let rate = self.rate.as_ref().filter(|_| may)?.value;
        Some(format!(
            "a service of {} leaves this rate, too: the contract says what is sold, and connections side by side get no more of it",
            named(rate)
        ))
    }

    /// The way of an access whose rate a service leaves that is sold at it, and that rate, bit/s. None where a line is full, a queue is long,
    /// something is lost, or a text states another limit.
    fn sold(&self) -> Option<(&'static str, f64)> {
        let way = self.around.access?;
        let rate = self.rate.as_ref()?.value;
        let line = self.line.as_ref().map(|(line, _)| line.value);
        let filled = line.is_some_and(|line| rate > FULL * line * self.payload_share());
        let full = filled || usual_line(self).is_some() || self.lower_port().is_some();
        let stated = self.shaper.is_some() || self.policer.is_some() || self.half_duplex.is_some();
        let shares = self.shares_service();
        if way == SHARED && !shares {
            return None;
        }
        let lost =
            self.again.is_some() && !shares || self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let damaged = self.around.is_damaged() || self.weak_radio().is_some();
        let waits = self.bloat().is_some() || self.waits_both_ways().is_some();
        let other = full || stated || lost || damaged || waits;
        (rate > 0.0 && !other).then_some((way, rate))
    }

    /// Whether a service that is sold at the rate may be all there is.
    pub(crate) fn may_be_sold(&self) -> bool {
        self.sold().is_some()
    }

    /// The service that leaves this rate, for people, and who knows whether it is one.
    pub(crate) fn sold_in_words(&self) -> Option<String> {
        let (way, rate) = self.sold()?;
        let grew = self.queueing().filter(|_| self.rtt_loaded.is_some());
        let grew = grew.map_or_else(String::new, |grew| {
            format!(
                ": the round trip grew by {} under load, so that no long queue stood",
                ms(grew)
            )
        });
        let unlike = match way {
            "up" => ", and many services have less up than down",
            _ => "",
        };
        Some(format!(
            "a service of {} {way} leaves this rate{grew}. The contract says what is sold{unlike}. A radio link, the device or the test's server may leave as much",
            named(rate)
        ))
    }

    /// What the service is sold at.
    pub(crate) fn asks_service(&self) -> Option<MissingFact> {
        let (way, rate) = self.sold()?;
        let service = named(rate);
        Some(MissingFact {
            fact: "line_bps",
            would_decide: format!(
                "whether the service is sold at {service} {way}: then this is what it gives, and nothing is wrong"
            ),
            command: format!(
                "the contract of the access, both ways: farpath diagnose --line {} ..., and the same test by cable from another device",
                service.replace(' ', "")
            ),
        })
    }
}

/// Weighs one connection that fills a usual service, and loses some of its segments there.
pub(crate) fn by_service(e: &Evidence, items: &mut Vec<Item>) {
    let Some(rate) = e.rate.as_ref().filter(|_| e.fills_service()) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Link, FILLED)],
        sentence: format!(
            "{} is what headers leave of a service of {}, the intervals are level, and its queue drops some where it is full: the contract says what is sold",
            bps(rate.value),
            named(rate.value)
        ),
    });
}

/// The usual rate of a service that leaves this one, bit/s, or the rate itself, for people.
fn named(rate: f64) -> String {
    let share = |mbit: f64| rate / (mbit * 1e6);
    let near = |mbit: &f64| (NEAR[0]..NEAR[1]).contains(&share(*mbit));
    let off = |mbit: f64| (share(mbit) - 1.0).abs();
    let all = USUAL.into_iter().filter(near);
    let nearest = all.min_by(|a, b| off(*a).total_cmp(&off(*b)));
    nearest.map_or_else(|| bps(rate), |mbit| format!("{mbit:.0} Mbit/s"))
}

/// Whether something that was read speaks for a cause by itself.
fn is_grounded(cause: Cause, e: &Evidence, items: &[Item], ceilings: &[Limit]) -> bool {
    let service = SERVICE.iter().any(|(own, _)| *own == cause);
    let worth = |i: &Item| i.weights.iter().any(|(c, w)| *c == cause && *w > GROUND);
    let speaks = items.iter().any(|i| i.holds > HOLDS && worth(i));
    // What a service's queue drops has a law's ceiling, too.
    let law = cause.is_loss() && e.shares_service();
    let stated = ceilings.iter().any(|l| l.cause == cause) && !law;
    !service && (speaks || stated)
}

/// Gives the lead to what a service is, the line or a shaper, where it may be all there is and nothing that was read speaks for the first.
pub(crate) fn even_out(e: &Evidence, items: &[Item], ceilings: &[Limit], ranking: &mut [Ranking]) {
    let first = ranking.first().map(|r| r.cause);
    let grounded = first.is_none_or(|cause| is_grounded(cause, e, items, ceilings));
    if grounded || !e.may_be_sold() {
        return;
    }
    let of_service = |cause: Cause| {
        let own = SERVICE.iter().find(|(own, _)| *own == cause);
        own.map(|(_, share)| *share)
    };
    let others = ranking.iter().filter(|r| of_service(r.cause).is_none());
    let all: f64 = others.map(|r| r.confidence).sum();
    let part = OTHERS / libm::fmax(all, OTHERS);
    for r in ranking.iter_mut() {
        r.confidence = of_service(r.cause).unwrap_or(part * r.confidence);
    }
    ranking.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// A test of so many Mbit/s up, and its round trip under load, ms; 6.1 ms at rest.
    fn upload(mbit: f64, loaded_ms: f64) -> Evidence {
        let exact = |value: f64| Figure::exact(value, Place::You);
        let mut e = Evidence {
            rate: Some(exact(mbit * 1e6)),
            rtt: Some(exact(loaded_ms * 1e-3)),
            rtt_floor: Some(exact(6.1e-3)),
            rtt_loaded: Some(exact(loaded_ms * 1e-3)),
            tester: true,
            streams: 4.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.of_access(&Test::new("speedtest", Place::You));
        e
    }

    #[test]
    fn a_rate_is_near_that_of_a_usual_service_or_stands_for_itself() {
        for (mbit, name) in [
            (50.4, "50 Mbit/s"),
            (251.7, "250 Mbit/s"),
            (480.0, "500 Mbit/s"),
            (45.0, "45.0 Mbit/s"),
            (2140.0, "2.14 Gbit/s"),
        ] {
            assert_eq!(named(mbit * 1e6), name);
        }
    }

    #[test]
    fn a_service_is_named_where_no_line_is_full_and_no_queue_is_long() {
        let said = upload(50.4, 12.1).sold_in_words().expect("it may be one");
        for says in ["a service of 50 Mbit/s up", "grew by 6.0 ms", "contract"] {
            assert!(said.contains(says), "{said}");
        }
        // 94 and 941 Mbit/s are what lines leave, and 120 ms are a queue that others feel.
        for e in [upload(94.0, 12.1), upload(941.0, 12.1), upload(50.4, 126.1)] {
            assert!(!e.may_be_sold(), "{e:?}");
        }
        let mut other = upload(50.4, 12.1);
        other.of_access(&Test::new("iperf3", Place::You));
        assert!(!other.may_be_sold());
    }

    /// Four connections of a test from memory, so many Mbit/s together, 6.1 ms apart.
    fn side_by_side(mbit: f64, streams: u32) -> Evidence {
        let mut e = upload(mbit, 6.2);
        let mut test = Test::new("iperf3", Place::You);
        test.streams = streams;
        e.streams = f64::from(streams);
        e.rtt_loaded = None;
        e.again = Some(Figure::exact(7.6e-4, Place::You));
        e.of_access(&test);
        e
    }

    /// 476 Mbit/s are what is left of 500, and some of their segments are lost at its queue. Of one connection it is said besides.
    #[test]
    fn connections_that_share_a_usual_rate_may_have_all_of_a_service() {
        let said = side_by_side(476.0, 4).sold_in_words().expect("one");
        assert!(
            said.starts_with("a service of 500 Mbit/s this way"),
            "{said}"
        );
        for e in [side_by_side(476.0, 1), side_by_side(440.0, 4)] {
            assert!(!e.may_be_sold(), "{e:?}");
        }
        let alone = side_by_side(476.0, 1).service_besides();
        assert!(alone.is_some_and(|said| said.contains("500 Mbit/s")));
        assert_eq!(side_by_side(476.0, 4).service_besides(), None);
        let near = Evidence {
            rtt_floor: Some(Figure::exact(2e-4, Place::You)),
            ..side_by_side(476.0, 4)
        };
        assert!(!near.may_be_sold());
        let law = Limit {
            cause: Cause::RandomLoss,
            rate: Figure::between(300e6, 150e6, 600e6, Place::You),
            formula: String::new(),
            bursts: Some(900e6),
        };
        let of = |cause, confidence| Ranking { cause, confidence };
        let mut ranking = vec![of(Cause::RandomLoss, 0.8), of(Cause::Link, 0.2)];
        even_out(&side_by_side(476.0, 4), &[], &[law], &mut ranking);
        assert_eq!(ranking[0].cause, Cause::Link);
    }

    /// One connection with so many Mbit/s, level, that lost 60 segments.
    #[test]
    fn one_connection_that_fills_a_usual_service_and_loses_some_is_the_lines() {
        let of = |mbit: f64, again: f64| Evidence {
            retransmits: Some(Figure::exact(again, Place::You)),
            steady: [1.0, 1.004, 0.997, 1.003, 0.998, 1.001]
                .map(|part| part * mbit * 1e6)
                .to_vec(),
            peak: 1.004 * mbit * 1e6,
            interval_s: 1.0,
            ..side_by_side(mbit, 1)
        };
        let full = of(472.0, 60.0);
        assert_eq!(full.at_most_of_service(), BY_SERVICE);
        let mut items = Vec::new();
        by_service(&full, &mut items);
        assert!(items[0].sentence.contains("500 Mbit/s"));
        // It is said once.
        assert_eq!(full.service_besides(), None);
        // Another rate, no loss, and a line that is known.
        let known = Evidence {
            line: Some((Figure::exact(1e9, Place::You), "the line")),
            ..of(472.0, 60.0)
        };
        for e in [of(440.0, 60.0), of(472.0, 0.0), known] {
            assert_eq!(e.at_most_of_service(), 1.0);
        }
    }

    #[test]
    fn the_service_leads_and_is_no_verdict() {
        let of = |cause, confidence| Ranking { cause, confidence };
        let before = || {
            vec![
                of(Cause::CongestionLoss, 0.6),
                of(Cause::Link, 0.2),
                of(Cause::ReceiveWindow, 0.1),
                of(Cause::Shaper, 0.1),
            ]
        };
        let mut ranking = before();
        even_out(&upload(50.4, 12.1), &[], &[], &mut ranking);
        let order: Vec<Cause> = ranking.iter().map(|r| r.cause).collect();
        assert_eq!(order[..2], [Cause::Link, Cause::Shaper]);
        let sum: f64 = ranking.iter().map(|r| r.confidence).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{ranking:?}");
        // What something speaks for stays first.
        let ground = Item {
            holds: 1.0,
            weights: vec![(Cause::CongestionLoss, 14.0)],
            sentence: String::new(),
        };
        let mut ranking = before();
        even_out(&upload(50.4, 12.1), &[ground], &[], &mut ranking);
        assert_eq!(ranking, before());
    }
}
