//! The keys of congestion control, and what they mean together.

use farpath_tcp::{Algorithm, Flavour, SlowStart};

use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Choice, Int};
use crate::key::{Key, key};
use crate::model::Congestion;
use crate::network::octets;

const TCP: &[&str] = &["tcp"];
/// max_ssthresh, in segments (RFC 3742 §2).
const USUAL_MAX_SSTHRESH: u32 = 100;

pub(crate) const CC: Key = key("cc", Choice(Algorithm::NAMES), "Congestion control.")
    .default("reno (sender is linux-2004), cubic (linux-6)")
    .only(TCP);

pub(crate) const FLAVOUR: Key = key(
    "flavour",
    Choice(&["rfc", "linux"]),
    "Whose rules the congestion control follows where they differ: the document's or the kernel's.",
)
.default("rfc")
.only(TCP);

pub(crate) const SLOW_START: Key = key(
    "slow_start",
    Choice(&["standard", "limited", "hystart", "hystart++"]),
    "Growth before the first loss: doubling, limited (RFC 3742), or ended early by HyStart (as in \
     Linux's CUBIC) or HyStart++ (RFC 9406).",
)
.default("standard")
.only(TCP)
.instead_of("hystart");

pub(crate) const HYSTART: Key = key(
    "hystart",
    Bool,
    "`true` is `slow_start = \"hystart++\"`, `false` is `\"standard\"`.",
)
.only(TCP)
.instead_of("slow_start");

pub(crate) const MAX_SSTHRESH: Key = key(
    "max_ssthresh",
    Int {
        min: 2,
        max: 1_000_000,
    },
    "With `slow_start = \"limited\"`: from so many segments on, half of it a round trip at most.",
)
.default("100")
.only(TCP);

pub(crate) const REMEMBERED_WINDOW: Key = key(
    "remembered_window",
    Int {
        min: 1,
        max: 1_000_000_000,
    },
    "Window in segments remembered of an earlier connection (RFC 9040): it starts there, in \
     congestion avoidance.",
)
.only(TCP)
.instead_of("initial_window");

pub(crate) const IDLE_RESTART: Key = key(
    "idle_restart",
    Bool,
    "Whether an idle time longer than the RTO brings the window back to its initial size.",
)
.default("true")
.only(TCP);

/// The keys' values, `usual` being the sender's own algorithm.
pub(crate) fn congestion(f: &Fields, usual: Algorithm, faults: &mut Vec<Diagnostic>) -> Congestion {
    let word = |key: &str| f.get::<String>(key);
    let slow_start = match (word("slow_start").as_deref(), f.get::<bool>("hystart")) {
        (Some("limited"), _) => SlowStart::Limited {
            max_ssthresh: octets(f, "max_ssthresh").unwrap_or(USUAL_MAX_SSTHRESH),
        },
        (Some("hystart"), _) => SlowStart::HyStart,
        (Some("hystart++"), _) | (None, Some(true)) => SlowStart::HyStartPlusPlus,
        _ => SlowStart::Standard,
    };
    if f.has("max_ssthresh") && !matches!(slow_start, SlowStart::Limited { .. }) {
        let title = "`max_ssthresh` without limited slow start";
        let help = "add slow_start = \"limited\", or leave max_ssthresh out";
        faults.push(Diagnostic::new(f.place("max_ssthresh"), title).help(help));
    }
    Congestion {
        algorithm: word("cc")
            .and_then(|name| Algorithm::named(&name))
            .unwrap_or(usual),
        flavour: match word("flavour").as_deref() {
            Some("linux") => Flavour::Linux,
            _ => Flavour::Rfc,
        },
        slow_start,
        remembered_window: octets(f, "remembered_window"),
        idle_restart: f.get("idle_restart").unwrap_or(true),
    }
}
