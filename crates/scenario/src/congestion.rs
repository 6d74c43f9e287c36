//! The keys of congestion control, and what they mean together.

use farpath_tcp::{Algorithm, Flavour, Pacing, SlowStart};
use farpath_units::{Rate, Size};

use crate::choice::OBJECT;
use crate::decode::{Fields, octets};
use crate::diagnostic::Diagnostic;
use crate::key::Kind::{Bool, Choice, Int};
use crate::key::{Key, Kind, key};
use crate::model::{Congestion, Qdisc};

use crate::kind::words::TCP;
use crate::stack::Stack;

/// max_ssthresh, in segments (RFC 3742 §2).
const USUAL_MAX_SSTHRESH: u32 = 100;

pub(crate) const CC: Key = key(
    "cc",
    Kind::Control(Algorithm::NAMES),
    "Congestion control. `bpf:FILE.o`, beside the scenario, is your own struct tcp_congestion_ops for real \
     kernels (`--emulate`): no model knows it.",
)
.default("reno (sender is linux-2004 or bsd-1999), cubic (linux-5, linux-6)")
.only(TCP);

pub(crate) const FLAVOUR: Key = key(
    "flavour",
    Choice(&["rfc", "linux"]),
    "Whose rules the congestion control follows where they differ: the document's or the kernel's.",
)
.default("linux (sender is linux-5 or linux-6), rfc (linux-2004, bsd-1999)")
.only(TCP);

pub(crate) const SLOW_START: Key = key(
    "slow_start",
    Choice(&["standard", "limited", "hystart", "hystart++"]),
    "Growth before the first loss: doubling, limited (RFC 3742), or ended early by HyStart (as in \
     Linux's CUBIC) or HyStart++ (RFC 9406).",
)
.default("hystart (cubic, flavour linux), standard")
.only(TCP)
.instead_of("hystart");

pub(crate) const HYSTART: Key = key(
    "hystart",
    Bool,
    "`true` is `slow_start = \"hystart\"` (cubic, flavour linux), else `\"hystart++\"`; `false` is `\"standard\"`.",
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
    "Whether an idle time longer than the RTO brings the window down: to its initial size, or with \
     `flavour = \"linux\"` by half for each RTO.",
)
.default("true")
.only(TCP);

pub(crate) const PACING: Key = key(
    "pacing",
    Bool,
    "Whether the sender spreads its window over the round trip, at 2 (slow start) or 1.2 times cwnd \
     a round trip, in bursts of a millisecond.",
)
.default("true (sender has qdisc = \"fq\", or `pacing_rate` is given), false; bbr always paces, at its own rate")
.only(TCP);

pub(crate) const PACING_RATE: Key = key(
    "pacing_rate",
    Kind::Rate,
    "The rate of payload at which each connection's sender paces at most, as `SO_MAX_PACING_RATE` asks of a kernel; a \
     kernel without `fq` does it by a timer of its own.",
)
.default("none: the window or the algorithm decides")
.only(TCP);

pub(crate) const GSO: Key = key(
    "gso",
    Kind::Size { max: 1 << 20 },
    "Largest burst a paced sender lets go at once; two segments at least.",
)
.default("64 KiB")
.only(TCP);

/// The keys' values; what none says is as the sender's host has it.
pub(crate) fn congestion(f: &Fields, sender: Stack, faults: &mut Vec<Diagnostic>) -> Congestion {
    let host = sender.profile;
    let word = |key: &str| f.get::<String>(key);
    let algorithm = word("cc")
        .and_then(|name| Algorithm::named(&name))
        .unwrap_or(host.algorithm());
    let flavour = match word("flavour").as_deref() {
        Some("linux") => Flavour::Linux,
        Some("rfc") => Flavour::Rfc,
        _ => host.flavour(),
    };
    // HyStart is the kernel's, not the document's.
    let usual = match flavour {
        Flavour::Linux => host.slow_start(algorithm),
        Flavour::Rfc => SlowStart::Standard,
    };
    let slow_start = match (word("slow_start").as_deref(), f.get::<bool>("hystart")) {
        (Some("limited"), _) => SlowStart::Limited {
            max_ssthresh: octets(f, "max_ssthresh").unwrap_or(USUAL_MAX_SSTHRESH),
        },
        (Some("hystart"), _) => SlowStart::HyStart,
        (None, Some(true)) if usual == SlowStart::HyStart => usual,
        (Some("hystart++"), _) | (None, Some(true)) => SlowStart::HyStartPlusPlus,
        (None, None) => usual,
        _ => SlowStart::Standard,
    };
    if f.has("max_ssthresh") && !matches!(slow_start, SlowStart::Limited { .. }) {
        let title = "`max_ssthresh` without limited slow start";
        let help = "add slow_start = \"limited\", or leave max_ssthresh out";
        faults.push(Diagnostic::new(f.place("max_ssthresh"), title).help(help));
    }
    let object = word("cc").and_then(|cc| cc.strip_prefix(OBJECT).map(str::to_owned));
    Congestion {
        algorithm,
        object,
        flavour,
        slow_start,
        remembered_window: octets(f, "remembered_window"),
        idle_restart: f.get("idle_restart").unwrap_or(true),
        pacing: pacing(f, algorithm, sender.qdisc, faults),
    }
}

fn pacing(
    f: &Fields,
    algorithm: Algorithm,
    qdisc: Qdisc,
    faults: &mut Vec<Diagnostic>,
) -> Option<Pacing> {
    let asked = f.get::<bool>("pacing");
    let always = algorithm == Algorithm::Bbr;
    if always && asked == Some(false) {
        let title = "bbr sends at a rate of its own and cannot do without pacing";
        let help = "leave `pacing` out, or write another cc";
        faults.push(Diagnostic::new(f.place("pacing"), title).help(help));
    }
    if always && f.get::<bool>("sack") == Some(false) {
        let title = "bbr measures its rate by selective acknowledgements";
        let help = "write sack = true, or another cc: reno and cubic do without";
        faults.push(Diagnostic::new(f.place("sack"), title).help(help));
    }
    let most = f.get::<Rate>("pacing_rate");
    if most.is_some() && asked == Some(false) {
        let title = "`pacing_rate` without pacing";
        let help = "leave one of pacing = false and pacing_rate out";
        faults.push(Diagnostic::new(f.place("pacing_rate"), title).help(help));
    }
    let paced = always || most.is_some() || asked.unwrap_or(qdisc == Qdisc::Fq);
    if !paced && f.has("gso") {
        let title = "`gso` without pacing";
        let help = "add pacing = true, or qdisc = \"fq\" to the host: without it the window alone decides how much leaves at once";
        faults.push(Diagnostic::new(f.place("gso"), title).help(help));
    }
    let burst = f.get::<Size>("gso").map(Size::as_bytes);
    let usual = Pacing::default();
    paced.then(|| Pacing {
        burst: burst.unwrap_or(usual.burst),
        most,
    })
}
