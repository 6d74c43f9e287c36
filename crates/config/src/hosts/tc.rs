//! `tc`: the queue disciplines of a host's interfaces, and the rates that they hold to.

use farpath_units::{Duration, Rate, Size};

use super::Host;
use super::path::{held, shown};
use crate::commands::{Word, Words};
use crate::finding::quoted;
use crate::near::nearest;
use crate::rules::{HOST015, HOST020};
use crate::source::Place;

/// Queue disciplines of Linux, of `net/sched` up to 6.18 and of kernels back to 2.4.
const DISCIPLINES: [&str; 43] = [
    "atm",
    "bfifo",
    "blackhole",
    "cake",
    "cake_mq",
    "cbq",
    "cbs",
    "choke",
    "clsact",
    "codel",
    "drr",
    "dsmark",
    "dualpi2",
    "etf",
    "ets",
    "fq",
    "fq_codel",
    "fq_pie",
    "gred",
    "hfsc",
    "hhf",
    "htb",
    "ingress",
    "mq",
    "mqprio",
    "multiq",
    "netem",
    "noop",
    "noqueue",
    "pfifo",
    "pfifo_fast",
    "pfifo_head_drop",
    "pie",
    "plug",
    "prio",
    "qfq",
    "red",
    "sfb",
    "sfq",
    "skbprio",
    "taprio",
    "tbf",
    "teql0",
];

/// Disciplines that hold what they send to a rate, and the words it stands behind; of several the first one given counts.
const SHAPERS: [(&str, &[&str]); 5] = [
    ("cake", &["bandwidth"]),
    ("fq", &["maxrate"]),
    // A class may borrow up to its ceiling, which is its rate unless stated (tc-htb, 8).
    ("htb", &["ceil", "rate"]),
    ("netem", &["rate"]),
    ("tbf", &["rate"]),
];

/// Frames that netem holds unless `limit` says otherwise (tc-netem, 8).
const LIMIT: u64 = 1000;

/// Reads the words after `tc`; what is about filters is passed over.
pub(super) fn read(words: Words<'_>, host: &mut Host) -> bool {
    let all: Vec<Word<'_>> = words.collect();
    let Some((kind, options)) = kind(&all) else {
        return true;
    };
    let place = host.at(kind.span());
    // A module of another maker's may be any other word.
    if nearest(DISCIPLINES, kind.text).is_some() {
        discipline("tc", kind.text, &place, host);
    }
    shaper(kind.text, options, host);
    if kind.text == "netem" {
        netem(options, &place, host);
    }
    true
}

/// The kind of discipline that a command puts somewhere, the first word that does not say where, and what follows it.
fn kind<'w, 'a>(words: &'w [Word<'a>]) -> Option<(Word<'a>, &'w [Word<'a>])> {
    let (what, rest) = words.split_first()?;
    let (verb, mut rest) = rest.split_first()?;
    let puts = ["add", "replace", "change"].contains(&verb.text);
    if !puts || !["qdisc", "class"].contains(&what.text) {
        return None;
    }
    loop {
        let (word, after) = rest.split_first()?;
        rest = match word.text {
            "dev" | "parent" | "handle" | "classid" => after.get(1..)?,
            "est" | "estimator" => after.get(2..)?,
            "root" => after,
            _ => return Some((*word, after)),
        };
    }
}

/// The word after `key`.
fn after<'a>(options: &[Word<'a>], key: &str) -> Option<Word<'a>> {
    let at = options.iter().position(|w| w.text == key)?;
    options.get(at + 1).copied()
}

/// HOST020, of a discipline that `said` names.
pub(super) fn discipline(said: &str, name: &str, place: &Place, host: &mut Host) {
    if DISCIPLINES.contains(&name) {
        return;
    }
    let message = format!(
        "{said}: no kernel farpath knows has a queue discipline `{}`",
        quoted(name)
    );
    let remedy = match nearest(DISCIPLINES, name) {
        Some(meant) => format!("`{meant}` is one"),
        None => "write fq, fq_codel or another that is loaded".to_owned(),
    };
    host.find(&HOST020, place, message, remedy);
}

/// HOST019, of a discipline with a rate of its own.
fn shaper(kind: &str, options: &[Word<'_>], host: &mut Host) {
    let Some((_, keys)) = SHAPERS.iter().find(|(name, _)| *name == kind) else {
        return;
    };
    let Some(word) = keys.iter().find_map(|key| after(options, key)) else {
        return;
    };
    if let Some(rate) = bits(word.text) {
        let place = host.at(word.span());
        let what = match kind {
            "fq" => "`fq` lets each connection send".to_owned(),
            _ => format!("`{kind}` sends"),
        };
        held(host, &place, &what, rate);
    }
}

/// HOST015: netem, whose queue holds what is delayed.
fn netem(options: &[Word<'_>], place: &Place, host: &mut Host) {
    let value = |key: &str| after(options, key).map(|w| w.text);
    let own = value("rate").and_then(bits);
    let Some((delay, rate)) = value("delay").and_then(time).zip(own.or(host.path.rate)) else {
        return;
    };
    let limit: u64 = value("limit").and_then(|l| l.parse().ok()).unwrap_or(LIMIT);
    let frames = rate.bytes_in(delay).as_bytes().div_ceil(1500);
    if frames > limit {
        let kept = Size::from_bytes(limit.saturating_mul(1500));
        let most =
            u128::from(kept.as_bytes()) * 8 * 1_000_000_000_000 / u128::from(delay.as_ps().max(1));
        let message = format!(
            "netem holds {limit} frames, and {frames} are under way in a delay of {delay} at {rate}: at most {} passes",
            shown(u64::try_from(most).unwrap_or(u64::MAX))
        );
        let remedy = format!("write limit {}", frames.saturating_mul(2));
        host.find(&HOST015, place, message, remedy);
    }
}

/// A number, and the unit behind it.
fn unit_apart(text: &str) -> (&str, &str) {
    let unit = text.find(|c: char| c.is_ascii_alphabetic());
    text.split_at(unit.unwrap_or(text.len()))
}

/// A time as `tc` writes it: `100ms`, `10us`, `1s`; a bare number is microseconds.
fn time(text: &str) -> Option<Duration> {
    let units = [
        ("ms", 1e-3),
        ("msec", 1e-3),
        ("us", 1e-6),
        ("usec", 1e-6),
        ("s", 1.0),
        ("sec", 1.0),
        ("secs", 1.0),
    ];
    let (digits, unit) = unit_apart(text);
    let scale = match unit {
        "" => 1e-6,
        unit => units.iter().find(|(name, _)| *name == unit)?.1,
    };
    let seconds = digits.parse::<f64>().ok()? * scale;
    (0.0..1e6)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// A rate as `tc` writes it: `1gbit`, `100mbit`, `1mbps` of bytes.
fn bits(text: &str) -> Option<Rate> {
    let text = text.to_ascii_lowercase();
    let (digits, unit) = unit_apart(&text);
    let (scale, bytes) = match unit {
        "" | "bit" => (1.0, 1.0),
        "kbit" => (1e3, 1.0),
        "mbit" => (1e6, 1.0),
        "gbit" => (1e9, 1.0),
        "tbit" => (1e12, 1.0),
        "bps" => (1.0, 8.0),
        "kbps" => (1e3, 8.0),
        "mbps" => (1e6, 8.0),
        "gbps" => (1e9, 8.0),
        _ => return None,
    };
    let bps = digits.parse::<f64>().ok()? * scale * bytes;
    (1.0..1e15)
        .contains(&bps)
        .then(|| Rate::from_bps(bps as u64))
        .flatten()
}
