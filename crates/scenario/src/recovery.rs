//! The keys of loss recovery, timers and acknowledgement policy of a TCP test, and their reading.

use farpath_tcp::{Algorithm, Profile, Recovery, Reduction, RtoFloor, RtoRule};
use farpath_units::Duration;

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Choice, Int, Span};
use crate::key::{Key, key};

use crate::kind::words::TCP;

pub(crate) const SACK: Key = key("sack", Bool, "Selective acknowledgements (RFC 2018).")
    .default("true; false (an end is bsd-1999)")
    .only(TCP);

pub(crate) const RACK: Key = key(
    "rack",
    Bool,
    "RACK-TLP (RFC 8985): losses by time, and a probe of a silent tail; needs `sack`.",
)
.default("true with `sack` (sender is linux-5 or linux-6), false (linux-2004, bsd-1999)")
.only(TCP);

pub(crate) const REDUCTION: Key = key(
    "reduction",
    Choice(&["prr", "crb", "ssrb", "rate-halving", "at-once"]),
    "How the window comes down in fast recovery: proportionally (RFC 9937, or with a bound of the older RFC), by halves, at once.",
)
.default("prr (sender is linux-5 or linux-6), rate-halving (linux-2004), at-once (bsd-1999)")
.only(TCP);

pub(crate) const FRTO: Key = key(
    "frto",
    Bool,
    "F-RTO (RFC 5682): a spurious timeout is recognised.",
)
.default("true (sender is linux-5 or linux-6), false (linux-2004, bsd-1999)")
.only(TCP);

pub(crate) const NEWRENO: Key = key(
    "newreno",
    Bool,
    "Without `sack`: a partial ACK shows the next hole (RFC 6582), instead of ending the recovery.",
)
.default("true; false (sender is bsd-1999)")
.only(TCP);

pub(crate) const LIMITED_TRANSMIT: Key = key(
    "limited_transmit",
    Bool,
    "Limited transmit (RFC 3042): duplicate ACKs release new segments.",
)
.default("true; false (sender is bsd-1999)")
.only(TCP);

pub(crate) const DSACK: Key = key(
    "dsack",
    Bool,
    "D-SACK (RFC 2883): duplicates are reported, and a reduction they explain is taken back; needs `sack`.",
)
.default("true with `sack`; false (sender is bsd-1999)")
.only(TCP);

pub(crate) const EIFEL: Key = key(
    "eifel",
    Bool,
    "Eifel (RFC 3522): a reduction is taken back when timestamps show it was a mistake; needs `timestamps`.",
)
.default("true with `timestamps`; false (sender is bsd-1999)")
.only(TCP);

pub(crate) const ECN: Key = key(
    "ecn",
    Bool,
    "Explicit congestion notification (RFC 3168), at both ends.",
)
.default("false")
.only(TCP);

pub(crate) const RTO_MIN: Key = key(
    "rto_min",
    Span { zero: false },
    "Floor of the retransmission timeout.",
)
.default("200 ms; 1 s (sender is bsd-1999)")
.only(TCP);

pub(crate) const RTO_FLOOR: Key = key(
    "rto_floor",
    Choice(&["variation", "timeout"]),
    "What `rto_min` is the floor of: the variation over the round trip, as in Linux, or the whole timeout (RFC 6298).",
)
.default("variation; timeout (sender is bsd-1999)")
.only(TCP);

pub(crate) const RTO_GRANULARITY: Key = key(
    "rto_granularity",
    Span { zero: true },
    "The retransmission timer's tick; 0 is exact.",
)
.default("0 s; 500 ms (sender is bsd-1999)")
.only(TCP);

pub(crate) const RTO_INITIAL: Key = key(
    "rto_initial",
    Span { zero: false },
    "The retransmission timeout before the first measurement.",
)
.default("1 s (sender is linux-5 or linux-6), 3 s (linux-2004, bsd-1999)")
.only(TCP);

pub(crate) const RTO_MAX: Key = key(
    "rto_max",
    Span { zero: false },
    "The largest retransmission timeout.",
)
.default("120 s; 64 s (sender is bsd-1999)")
.only(TCP);

pub(crate) const QUICK_ACKS: Key = key(
    "quick_acks",
    Int { min: 0, max: 255 },
    "Most segments acknowledged one by one at the start, after an idle time or a duplicate (Linux).",
)
.default("16; 0 (receiver is bsd-1999)")
.only(TCP);

pub(crate) const DELAYED_ACK_TIMEOUT: Key = key(
    "delayed_ack_timeout",
    Span { zero: false },
    "At the latest after this long; at most 500 ms. With `flavour = \"linux\"` it is the least: a kernel lets it grow with the gaps between segments, up to the round trip of the handshake and 200 ms.",
)
.default("40 ms; 200 ms (receiver is bsd-1999)")
.only(TCP);

/// What the sender does about losses. What needs an option that is off is an error where it was
/// asked for, and off where it was not.
pub(crate) fn recovery(
    f: &Fields,
    (profile, algorithm): (Profile, Algorithm),
    (sack, timestamps): (bool, bool),
    faults: &mut Vec<Diagnostic>,
) -> Recovery {
    let usual = profile.recovery();
    if algorithm.goes_by_marks() && f.get("ecn") == Some(false) {
        let title = format!("`cc = \"{}\"` without `ecn`", algorithm.name());
        let help = "it goes by marks (RFC 8257 §3): write ecn = true, remove `ecn`, or choose another `cc`";
        faults.push(Diagnostic::new(f.place("ecn"), title).help(help));
    }
    let mut needing = |key: &'static str, needed: &'static str, has: bool, usual: bool| {
        let asked = f.get::<bool>(key);
        if asked == Some(true) && !has {
            let title = format!("`{key}` without `{needed}`");
            let help = format!("write {needed} = true, or {key} = false");
            faults.push(Diagnostic::new(f.place(key), title).help(help));
        }
        asked.unwrap_or(usual) && has
    };
    Recovery {
        rack: needing("rack", "sack", sack, usual.rack),
        dsack: needing("dsack", "sack", sack, usual.dsack),
        eifel: needing("eifel", "timestamps", timestamps, usual.eifel),
        reduction: match f.get::<String>("reduction").as_deref() {
            Some("prr") => Reduction::Prr,
            Some("crb") => Reduction::PrrConservative,
            Some("ssrb") => Reduction::PrrSlowStart,
            Some("rate-halving") => Reduction::RateHalving,
            Some("at-once") => Reduction::AtOnce,
            _ => usual.reduction,
        },
        frto: f.get("frto").unwrap_or(usual.frto),
        newreno: f.get("newreno").unwrap_or(usual.newreno),
        limited_transmit: f.get("limited_transmit").unwrap_or(usual.limited_transmit),
        ecn: f
            .get("ecn")
            .unwrap_or(usual.ecn || algorithm.goes_by_marks()),
    }
}

/// The retransmission timer and its floor.
pub(crate) fn rto(
    f: &Fields,
    profile: Profile,
    faults: &mut Vec<Diagnostic>,
) -> (RtoRule, Duration) {
    let usual = profile.rto();
    let rule = RtoRule {
        floor: match f.get::<String>("rto_floor").as_deref() {
            Some("variation") => RtoFloor::Variation,
            Some("timeout") => RtoFloor::Timeout,
            _ => usual.floor,
        },
        granularity: f.get("rto_granularity").unwrap_or(usual.granularity),
        initial: f.get("rto_initial").unwrap_or(usual.initial),
        largest: f.get("rto_max").unwrap_or(usual.largest),
    };
    let min = f.get("rto_min").unwrap_or(profile.rto_min());
    for (key, least) in [("rto_min", min), ("rto_initial", rule.initial)] {
        if least > rule.largest {
            let place = if f.has(key) { key } else { "rto_max" };
            let title = format!(
                "`{key}` is {least}, and no timeout exceeds {}",
                rule.largest
            );
            let help = format!("write a larger rto_max, or a smaller {key}");
            faults.push(Diagnostic::new(f.place(place), title).help(help));
        }
    }
    (rule, min)
}
