//! `tc`: the queue disciplines of a host's interfaces, and the rates that they hold to.

use farpath_units::{Duration, Size};

use super::Host;
use super::amounts::{bits, in_bytes, odd_unit, percent, size, time};
use super::path::{held, queue, shown};
use crate::commands::{Word, Words};
use crate::finding::{Severity, quoted};
use crate::near::nearest;
use crate::rules::{HOST012, HOST015, HOST020, HOST021, HOST022, HOST023, HOST025};
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

/// What a rate stands behind, besides the words of [`SHAPERS`].
const PEAK: &str = "peakrate";

/// Disciplines whose `limit` is a number of frames.
const IN_FRAMES: [&str; 10] = [
    "codel",
    "fq",
    "fq_codel",
    "fq_pie",
    "hhf",
    "netem",
    "pfifo",
    "pfifo_head_drop",
    "pie",
    "sfq",
];

/// Frames that netem holds unless `limit` says otherwise (tc-netem, 8).
const LIMIT: u64 = 1000;

/// An initial window has so many segments (RFC 6928 §2): a queue that holds fewer frames loses what begins.
const FEW: u64 = 10;

/// The largest packet of an Ethernet without jumbo frames, and the same with the header that a discipline counts, bytes.
const PACKET: u64 = 1500;
const FRAME: u64 = PACKET + 14;

/// What the bucket of a `tbf` stands behind (tc-tbf, 8).
const BUCKET: [&str; 3] = ["burst", "buffer", "maxburst"];

/// The shortest tick of a kernel, and a usual one.
const SHORT_TICK: Duration = Duration::from_ms(1);
const TICK: Duration = Duration::from_ms(4);

/// What netem does to a part of the frames, by the word that the part stands behind (tc-netem, 8).
const HARMS: [(&str, &str); 4] = [
    ("loss", "loses"),
    ("corrupt", "damages"),
    ("duplicate", "doubles"),
    ("reorder", "reorders"),
];

/// A discipline of an interface, or a class of one.
struct Installed<'w, 'a> {
    kind: Word<'a>,
    /// What stands behind its kind.
    options: &'w [Word<'a>],
    device: Option<&'a str>,
    /// The interface sends through it, not a class of another one.
    root: bool,
}

impl<'a> Installed<'_, 'a> {
    /// The word after `key`.
    fn after(&self, key: &str) -> Option<Word<'a>> {
        after(self.options, key)
    }
}

/// Whether it is a line of `tc qdisc show` or `tc class show`: `qdisc netem 8001: dev eth0 root …`, `class htb 1:10 parent 1:1 …`.
pub(super) fn is_listed(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let [what, kind, handle] = [(); 3].map(|()| words.next().unwrap_or_default());
    matches!(what, "qdisc" | "class") && DISCIPLINES.contains(&kind) && handle.contains(':')
}

/// Whether it is a line of counters that `tc -s` prints under such a line.
pub(super) fn is_counters(line: &str) -> bool {
    let sent = line.starts_with("Sent ") && line.contains(" bytes ");
    sent || line.starts_with("backlog ")
}

/// Reads the words after `tc`; what is about filters is passed over.
pub(super) fn read(words: Words<'_>, host: &mut Host) -> bool {
    let all: Vec<Word<'_>> = words.skip_while(|w| w.text.starts_with('-')).collect();
    let Some(one) = put(&all) else {
        return true;
    };
    // A module of another maker's may be any other word.
    if nearest(DISCIPLINES, one.kind.text).is_some() {
        let place = host.at(one.kind.span());
        discipline("tc", one.kind.text, &place, host);
    }
    refused(&one, host);
    judge(&one, host);
    true
}

/// Reads the words after `qdisc` or `class` of what `tc` shows.
pub(super) fn listed(words: Words<'_>, host: &mut Host) -> bool {
    let all: Vec<Word<'_>> = words.collect();
    let Some((kind, options)) = all.split_first() else {
        return false;
    };
    let one = Installed {
        kind: *kind,
        options,
        device: after(options, "dev").map(|w| w.text),
        root: options.iter().any(|w| w.text == "root"),
    };
    judge(&one, host);
    true
}

/// What a command puts somewhere: its kind is the first word that does not say where.
fn put<'w, 'a>(words: &'w [Word<'a>]) -> Option<Installed<'w, 'a>> {
    let (what, rest) = words.split_first()?;
    let (verb, mut rest) = rest.split_first()?;
    let puts = ["add", "replace", "change"].contains(&verb.text);
    if !puts || !["qdisc", "class"].contains(&what.text) {
        return None;
    }
    let (mut device, mut root) = (None, false);
    loop {
        let (word, after) = rest.split_first()?;
        rest = match word.text {
            "dev" => {
                device = after.first().map(|w| w.text);
                after.get(1..)?
            }
            "parent" | "handle" | "classid" => after.get(1..)?,
            "est" | "estimator" => after.get(2..)?,
            "root" => {
                root = true;
                after
            }
            _ => {
                return Some(Installed {
                    kind: *word,
                    options: after,
                    device,
                    root,
                });
            }
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

/// The words that the rates of a discipline stand behind; none of one without a rate of its own.
fn rate_keys(kind: &str) -> &'static [&'static str] {
    match SHAPERS.iter().find(|(name, _)| *name == kind) {
        Some(&(_, keys)) => keys,
        None => &[],
    }
}

/// HOST025, of a rate of bytes.
fn of_bytes(key: &str, word: Word<'_>, host: &mut Host) {
    let Some(((digits, prefix), rate)) = in_bytes(word.text).zip(bits(word.text)) else {
        return;
    };
    let meant = format!("{key} {}{}bit", quoted(digits), prefix.to_ascii_lowercase());
    let [taken, eighth] = [1, 8].map(|part| shown(rate.as_bps() / part));
    let message = format!(
        "tc takes `{key} {}` as bytes a second: {taken}, not {eighth}",
        quoted(word.text)
    );
    let remedy = format!("`{meant}` where {eighth} are meant");
    let place = host.at(word.span());
    host.find(&HOST025, &place, message, remedy);
}

/// HOST022 and HOST025, of rates with a unit that `tc` does not take, or takes as bytes.
fn refused(one: &Installed<'_, '_>, host: &mut Host) {
    let keys = rate_keys(one.kind.text);
    let peak = (!keys.is_empty()).then_some(PEAK);
    for key in keys.iter().copied().chain(peak) {
        let Some(word) = one.after(key) else { continue };
        let Some((digits, unit)) = odd_unit(word.text) else {
            of_bytes(key, word, host);
            continue;
        };
        let message = format!(
            "tc refuses `{key} {}`: it knows no unit `{}`",
            quoted(word.text),
            quoted(unit)
        );
        let letter = unit.chars().next().map(|c| c.to_ascii_lowercase());
        let remedy = match letter {
            Some(letter @ ('k' | 'm' | 'g' | 't')) => format!(
                "write {}{letter}bit; {letter}bps is of bytes",
                quoted(digits)
            ),
            _ => "write bit, kbit, mbit or gbit; bps, kbps and so on are of bytes".to_owned(),
        };
        let place = host.at(word.span());
        host.find(&HOST022, &place, message, remedy);
    }
}

/// What a discipline that is there does to a path.
fn judge(one: &Installed<'_, '_>, host: &mut Host) {
    shaper(one, host);
    few(one, host);
    match one.kind.text {
        "netem" => {
            room(one, host);
            impaired(one, host);
        }
        "tbf" => bucket(one, host),
        _ => {}
    }
}

/// HOST019, of a discipline with a rate of its own.
fn shaper(one: &Installed<'_, '_>, host: &mut Host) {
    let kind = one.kind.text;
    let Some(word) = rate_keys(kind).iter().find_map(|key| one.after(key)) else {
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

/// The frames that a discipline holds, and the word that says so.
fn holds<'a>(one: &Installed<'_, 'a>) -> Option<(u64, Word<'a>)> {
    let kind = one.kind.text;
    let limit = one.after("limit");
    if IN_FRAMES.contains(&kind) {
        let limit = limit?;
        return Some((limit.text.trim_end_matches('p').parse().ok()?, limit));
    }
    match (kind, limit) {
        ("bfifo" | "tbf", Some(limit)) => Some((size(limit.text)? / FRAME, limit)),
        // Its queue holds what passes in that time, and the bucket.
        ("tbf", None) => {
            let latency = one.after("latency").or_else(|| one.after("lat"))?;
            let waiting = bits(one.after("rate")?.text)?.bytes_in(time(latency.text)?);
            let bucket = in_bucket(one).map_or(0, |(bytes, _)| bytes);
            let bytes = waiting.as_bytes().saturating_add(bucket);
            Some((bytes / FRAME, latency))
        }
        _ => None,
    }
}

/// HOST012: a queue of a few frames, and one that the whole interface waits in and that is short for the path.
fn few(one: &Installed<'_, '_>, host: &mut Host) {
    let Some((frames, said)) = holds(one) else {
        return;
    };
    let place = host.at(said.span());
    let kind = one.kind.text;
    if frames < FEW {
        let message = format!(
            "`{kind}` holds {frames} frames of {PACKET} bytes: a connection begins with {FEW} (RFC 6928 §2), and what does not fit is lost in the host itself"
        );
        let remedy = "hold rate times round-trip time, which keeps a line full after losses, or leave it out";
        host.find(&HOST012, &place, message, remedy);
    } else if one.root && matches!(kind, "pfifo" | "bfifo") {
        queue(frames, PACKET, &place, host);
    }
}

/// The bytes of the bucket of a `tbf`, and the word that says so.
fn in_bucket<'a>(one: &Installed<'_, 'a>) -> Option<(u64, Word<'a>)> {
    let said = BUCKET.iter().find_map(|key| one.after(key))?;
    Some((size(said.text)?, said))
}

/// HOST023: a bucket that no full frame passes, and one below what passes in a tick of the kernel.
fn bucket(one: &Installed<'_, '_>, host: &mut Host) {
    let Some((bytes, said)) = in_bucket(one) else {
        return;
    };
    let place = host.at(said.span());
    let rate = one.after("rate").and_then(|w| bits(w.text));
    let enough = rate.map_or(0, |r| r.bytes_in(TICK).as_bytes()).max(FRAME);
    let remedy = format!("write burst {enough} or more");
    if bytes < FRAME {
        let message = format!(
            "`tbf` with a bucket of {bytes} bytes drops what is larger: a packet of {PACKET} bytes is {FRAME} with its header"
        );
        let finding = host.find(&HOST023, &place, message, remedy);
        finding.severity = Severity::Error;
        return;
    }
    let Some(rate) = rate.filter(|r| bytes < r.bytes_in(SHORT_TICK).as_bytes()) else {
        return;
    };
    let message = format!(
        "`tbf` has a bucket of {bytes} bytes, and {} pass in {SHORT_TICK} at {rate:.1}: a kernel that waits in ticks, of {SHORT_TICK} or longer, does not reach that rate",
        rate.bytes_in(SHORT_TICK).as_bytes()
    );
    host.find(&HOST023, &place, message, remedy);
}

/// HOST015: netem, whose queue holds what is delayed.
fn room(one: &Installed<'_, '_>, host: &mut Host) {
    let value = |key: &str| one.after(key).map(|w| w.text);
    let own = value("rate").and_then(bits);
    let Some((delay, rate)) = value("delay").and_then(time).zip(own.or(host.path.rate)) else {
        return;
    };
    let limit: u64 = value("limit").and_then(|l| l.parse().ok()).unwrap_or(LIMIT);
    let frames = rate.bytes_in(delay).as_bytes().div_ceil(PACKET);
    if frames > limit {
        let kept = Size::from_bytes(limit.saturating_mul(PACKET));
        let most =
            u128::from(kept.as_bytes()) * 8 * 1_000_000_000_000 / u128::from(delay.as_ps().max(1));
        let message = format!(
            "netem holds {limit} frames, and {frames} are under way in a delay of {delay} at {rate}: at most {} passes",
            shown(u64::try_from(most).unwrap_or(u64::MAX))
        );
        let remedy = format!("write limit {}", frames.saturating_mul(2));
        let place = host.at(one.kind.span());
        host.find(&HOST015, &place, message, remedy);
    }
}

/// HOST021: what netem does to frames, besides holding them to a rate.
fn impaired(one: &Installed<'_, '_>, host: &mut Host) {
    let harms = HARMS.iter().filter_map(|(key, does)| {
        let part = part(one.options, key)?;
        Some(format!("{does} {part}"))
    });
    let mut all: Vec<String> = harms.collect();
    let lossless = all.is_empty();
    let delay = one.after("delay").and_then(|w| time(w.text));
    if let Some(delay) = delay.filter(|d| *d > Duration::ZERO) {
        all.push(format!("delays frames by {delay}"));
    }
    if all.is_empty() {
        return;
    }
    let device = one.device.map(quoted);
    let on = device
        .as_ref()
        .map_or_else(String::new, |d| format!(" on {d}"));
    let message = format!("netem{on} {}", all.join(", "));
    let remedy = match device.filter(|_| one.root) {
        Some(device) => {
            format!("`tc qdisc del dev {device} root` takes it away, unless a test means it")
        }
        None => "take it away, unless a test means it".to_owned(),
    };
    let place = host.at(one.kind.span());
    let finding = host.find(&HOST021, &place, message, remedy);
    if lossless {
        finding.severity = Severity::Info;
    }
}

/// The part of the frames that `key` is about: `1 % of frames`, or `frames` where a model says which. `None` where it is none of them.
fn part(options: &[Word<'_>], key: &str) -> Option<String> {
    let at = options.iter().position(|w| w.text == key)?;
    let mut said = options[at + 1..].iter().map(|w| w.text);
    match percent(said.find(|text| *text != "random")?) {
        Some(0.0) => None,
        Some(share) => Some(format!("{share} % of frames")),
        None => Some("frames".to_owned()),
    }
}
