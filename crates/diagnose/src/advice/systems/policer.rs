//! What to change of a policer itself: its rate and its bucket, by who runs it, or the instance of a cloud that it is of.

use super::Sending;
use crate::ceiling::{bps, bytes};
use crate::lines::bloat::ms;

/// The least that a bucket is to hold: ten packets of 1500 bytes.
const BUCKET_LEAST: f64 = 15_000.0;

/// A flow that has less than this part of what a policer lets through is not held by its rate alone.
const OF_ITS_RATE: f64 = 0.8;

/// Goes before what holds the sender below what passes.
pub(super) const OR_BELOW: &str =
    "or hold this sender below that rate, so that nothing is dropped, with what follows";

/// A deeper bucket where it is short, or may be so, and a higher rate.
pub(super) fn raised(now: &Sending, rate: f64) -> Vec<String> {
    let deeper = match (now.bucket, now.burst) {
        (Some(bucket), _) => Some(deeper(bucket)),
        (None, Some(_)) => None,
        (None, None) => unread(now, rate),
    };
    deeper.into_iter().chain([higher(now, rate)]).collect()
}

/// What to ask first of a rate that a service lets through, bit/s, whatever is sent.
pub(super) fn ask(rate: f64) -> String {
    format!(
        "ask the provider, or who else runs the policer or shaper, for its rate, and hold it against the contract: {} pass, however much is sent. Where more is sold it is theirs to set; until then",
        bps(rate)
    )
}

/// A higher rate of a policer that a text states, bit/s, where datagrams pass at this rate.
pub(super) fn higher_for_datagrams(stated: f64, passed: f64) -> String {
    format!(
        "at the policer: a higher rate than its {}, where the contract allows that (police cir of IOS, bandwidth-limit of Junos). It counts the headers of each datagram, so that {} of payload pass; until then",
        bps(stated),
        bps(passed)
    )
}

/// How the policer is had again as it was.
pub(super) fn back(now: &Sending, rate: f64) -> String {
    let burst = now
        .burst
        .map_or_else(String::new, |burst| format!(" and {}", bytes(burst)));
    format!("at the policer: {}{burst}, as it was", bps(rate))
}

/// What a bucket of this rate is to hold over the round trip that is known, in whole kilobytes: some systems take no fractions.
fn kilobytes(now: &Sending, rate: f64) -> Option<f64> {
    let round = rate * now.round_s? / 8.0;
    Some(libm::ceil(libm::fmax(round, BUCKET_LEAST) / 1e3))
}

/// A bucket that holds more.
fn deeper([holds, wanted]: [f64; 2]) -> String {
    let kilo = libm::ceil(wanted / 1e3);
    format!(
        "ask who runs the policer for a burst of {kilo:.0} kB at least, which its rate fills in a round trip: it holds {}, and each burst of TCP that is larger loses packets ({})",
        bytes(holds),
        spelled(kilo)
    )
}

/// A bucket of which nothing is read, and through which the flow has far less than the rate.
fn unread(now: &Sending, rate: f64) -> Option<String> {
    let own = now.rate.filter(|own| *own < OF_ITS_RATE * rate)?;
    let kilo = kilobytes(now, rate)?;
    Some(format!(
        "ask who runs the policer for its burst, which no text says, and for {kilo:.0} kB at least, which its rate fills in a round trip: {} of the {} that pass are what a short bucket leaves ({})",
        bps(own),
        bps(rate),
        spelled(kilo)
    ))
}

/// A bucket of so many kilobytes, as routers have it.
fn spelled(kilo: f64) -> String {
    format!(
        "burst-size-limit {kilo:.0}k of Junos, bc {:.0} of IOS",
        kilo * 1e3
    )
}

/// A higher rate, with the bucket that goes with it.
fn higher(now: &Sending, rate: f64) -> String {
    let wanted = now.goal.filter(|goal| *goal > rate);
    let fills = kilobytes(now, wanted.unwrap_or(rate));
    let cir = wanted.map_or_else(
        || "RATE".to_owned(),
        |wanted| format!("{:.0}", libm::ceil(wanted / 1e3) * 1e3),
    );
    let bc = fills
        .filter(|_| wanted.is_some())
        .map_or_else(|| "BURST".to_owned(), |kilo| format!("{:.0}", kilo * 1e3));
    let filled = match (now.round_s, fills) {
        (Some(round), Some(kilo)) => format!(
            ", with a bucket of what that rate fills in a round trip of {}: {kilo:.0} kB of {}",
            ms(round),
            bps(wanted.unwrap_or(rate))
        ),
        _ => String::new(),
    };
    if let Some([host, rule]) = &now.nft {
        let at = match host.as_str() {
            "" => "the host with that rule",
            host => host,
        };
        return format!(
            "on {at}, where its owner allows more: nft -a list ruleset, and keep what it prints; nft replace rule FAMILY TABLE CHAIN handle N, with the N behind {rule} and a higher rate in place of its own{filled}"
        );
    }
    match &now.policer {
        Some([router, policy, class]) if !class.is_empty() => {
            let at = match router.as_str() {
                "" => "the router with the policer".to_owned(),
                router => router.to_owned(),
            };
            let map = match policy.as_str() {
                "" => "POLICY",
                policy => policy,
            };
            format!(
                "on {at}, where the contract allows more: policy-map {map}, class {class}, police cir {cir} bc {bc} in place of {}{filled}",
                bps(rate)
            )
        }
        _ => format!(
            "ask who runs the policer for more than its {}, where the contract allows it{filled} (bandwidth-limit and burst-size-limit of Junos, police cir {cir} bc {bc} of IOS)",
            bps(rate)
        ),
    }
}

/// An instance that is allowed more, in Amazon's cloud, whose counters said which limit it met.
pub(crate) fn larger_instance(of: &str) -> String {
    let more = match of.contains("bandwidth") {
        true => {
            ". What a type has for long: aws ec2 describe-instance-types --instance-types TYPE --query 'InstanceTypes[].NetworkInfo.NetworkCards[].BaselineBandwidthInGbps'"
        }
        false => "; larger packets, by an MTU of 9001 where the whole path takes it, are fewer",
    };
    format!(
        "{of}: an instance of a larger type has more, and an \"up to\" is a burst that ends{more}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::systems::{datagrams, pacing};
    use crate::cause::Cause;

    /// 95 % of 200 Mbit/s, where a text states that; of what passed, all.
    #[test]
    fn a_sender_is_held_below_a_stated_rate() {
        let all = |stated: bool| {
            let now = Sending {
                policed: Some(2e8),
                stated,
                streams: 1.0,
                ..Sending::default()
            };
            pacing(Cause::Policer, &now).commands.join("\n")
        };
        assert!(all(true).contains("maxrate 190000kbit"), "{}", all(true));
        assert!(all(false).contains("maxrate 200000kbit"), "{}", all(false));
    }

    #[test]
    fn who_polices_datagrams_is_asked_first() {
        let of = |cause| datagrams(cause, Some(1.95e8), None).commands;
        let policed = of(Cause::Policer);
        assert!(policed[0].starts_with("ask the provider"), "{policed:?}");
        assert!(policed[1].contains("195000 kbit/s"), "{policed:?}");
        assert_eq!(of(Cause::Client).len(), 1);
        // One that a text states is set by whoever reads that text.
        let stated = datagrams(Cause::Policer, Some(4.08e6), Some(5e6)).commands;
        assert!(stated[0].starts_with("at the policer: a higher rate than its 5.00 Mbit/s"));
    }

    /// 10 Mbit/s over 22.1 ms fill 27.6 kB, and 50 Mbit/s five times that.
    #[test]
    fn a_rate_comes_with_its_bucket() {
        let policer = ["br-ce", "POL", "class-default"].map(str::to_owned);
        let now = Sending {
            policer: Some(policer),
            burst: Some(312_500.0),
            round_s: Some(0.0221),
            rate: Some(1.1e7),
            ..Sending::default()
        };
        let all = raised(&now, 1e7);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(
            all[0].starts_with("on br-ce, where the contract allows more: policy-map POL, class class-default, police cir RATE bc BURST in place of 10.0 Mbit/s")
                && all[0].ends_with("in a round trip of 22.1 ms: 28 kB of 10.0 Mbit/s"),
            "{all:?}"
        );
        let fifty = Sending {
            goal: Some(5e7),
            ..now.clone()
        };
        let all = raised(&fifty, 1e7);
        assert!(
            all[0].contains("police cir 50000000 bc 139000 in place of"),
            "{all:?}"
        );
        let by_rule = Sending {
            nft: Some(["fw5", "`limit rate over 1 mbytes/second`"].map(str::to_owned)),
            policer: None,
            ..now.clone()
        };
        let all = raised(&by_rule, 1e7);
        assert!(
            all[0].starts_with("on fw5, where its owner allows more: nft -a list ruleset"),
            "{all:?}"
        );
        assert_eq!(
            back(&now, 1e7),
            "at the policer: 10.0 Mbit/s and 312.5 kB, as it was"
        );
    }

    /// 198 Mbit/s over 18.15 ms fill 449 kB.
    #[test]
    fn a_bucket_that_no_text_says_is_asked_for_where_the_rate_is_far_above() {
        let now = |own: f64| Sending {
            round_s: Some(0.01815),
            rate: Some(own),
            ..Sending::default()
        };
        let all = raised(&now(7.19e7), 1.98e8);
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(
            all[0].contains("for 450 kB at least") && all[0].contains("bc 450000 of IOS"),
            "{all:?}"
        );
        assert_eq!(raised(&now(1.9e8), 1.98e8).len(), 1);
    }
}
