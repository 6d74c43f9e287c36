//! Classes of policy maps: what they keep, shape and mark.

use farpath_units::{Duration, Rate, Size};

use super::police::police;
use crate::commands::{
    BANDWIDTH, BURST, BURST_BITS, Marks, Number, PERCENT, RATE, RATIO, Reader, Section, Statement,
    Word, trust,
};
use crate::platform::Platform;
use crate::qos::{Class, QueueLimit, Share};
use crate::rules::faults;

/// A statement of a class.
pub(super) type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Class>;

pub(super) static CLASS: Section<Class> = Section {
    undo: false,
    read: &[
        ("set", set),
        ("trust", |s| {
            let trust = trust(s.next()?)?;
            s.put(Some(trust), |c| &mut c.trust)?;
            s.finish()
        }),
        ("police", police),
        ("bandwidth", |s| {
            let share = match s.words.accept("remaining") {
                true if s.words.accept("ratio") => Share::RemainingRatio(s.number(RATIO)?),
                true if s.words.accept("percent") => Share::RemainingPercent(s.number(PERCENT)?),
                true => return None,
                false => share(s)?,
            };
            s.put(Some(share), |c| &mut c.bandwidth)?;
            encapsulated(s)
        }),
        ("shape ~average|peak", shape),
        ("shape ~min", |s| {
            // NX-OS: `shape min RATE UNIT max RATE UNIT`; the larger is what holds.
            while !s.words.accept("max") {
                s.next()?;
            }
            let most = rate(s, RATE)?;
            s.finish();
            s.put(Some((most, None)), |c| &mut c.shape)
        }),
        ("priority", priority),
        ("queue-limit", queue_limit),
        ("service-policy", |s| {
            let name = s.next()?.to_owned();
            s.put(Some(name), |c| &mut c.service)?;
            s.finish();
            s.pass_over()
        }),
    ],
    over: &[
        "random-detect|queue-buffers|fair-queue|wred",
        "admit|compression|estimate|netflow-sampler",
        "set discard-class|qos-group|atm-clp|fr-de|mpls|traffic-class|forward-class|tunnel-tos",
        "mtu|pause|congestion-control|multicast-optimize|match|encap-sequence|child-conform-aware",
    ],
};

/// What a rate of IOS XR and NX-OS counts, in bit/s.
const UNITS: [(&str, u64); 4] = [
    ("bps", 1),
    ("kbps", 1_000),
    ("mbps", 1_000_000),
    ("gbps", 1_000_000_000),
];

/// A rate in bit/s, as it stands, with `k`, `m` or `g` behind it (IOS-XE), or with a unit as its next word.
pub(super) fn rate(s: Said<'_, '_, '_>, number: Number) -> Option<Rate> {
    let Number(_, least, most) = number;
    let first = s.words.peek();
    let scaled = s.words.peek().and_then(|word| {
        let end = word.text.len().checked_sub(1)?;
        let scale = match word.text.get(end..)? {
            "k" => 1e3,
            "m" => 1e6,
            "g" => 1e9,
            _ => return None,
        };
        let digits = word.text.get(..end).filter(|_| word.is_numeral())?;
        let bps = digits.parse::<f64>().ok()? * scale;
        let fits = (least as f64..=most as f64).contains(&bps);
        fits.then_some(bps.round() as u64)
    });
    let bps = match scaled {
        Some(bps) => {
            s.words.next();
            bps
        }
        None => s.number(number)?,
    };
    let unit = s.choice(&UNITS).unwrap_or(1);
    let bps = bps.saturating_mul(unit);
    let packets = s
        .words
        .peek()
        .is_some_and(|w| ["pps", "cps"].contains(&w.text));
    let bits = !matches!(s.reader.device.platform, Platform::IosXr | Platform::NxOs);
    if let Some(word) = first.filter(|_| bits && !packets && bps < LEAST) {
        too_slow(s.reader, word, bps);
        return None;
    }
    Rate::from_bps(bps)
}

/// The least rate of a shaper or a policer of IOS, bit/s (Cisco, command reference, `shape`, `police`).
pub(super) const LEAST: u64 = 8_000;

/// IOS003, of a rate below [`LEAST`]: one in kbit/s or Mbit/s is probably meant.
pub(super) fn too_slow(reader: &mut Reader, word: Word<'_>, bps: u64) {
    let message = format!("a rate of {bps} bit/s is out of range: {LEAST} is the least");
    let remedy = format!("write bit/s: {bps} kbit/s are {bps}000, {bps} Mbit/s are {bps}000000");
    reader.fault(&faults::RANGE, word.span(), message, &remedy);
}

/// `KBPS` or `percent N`.
fn share(s: Said<'_, '_, '_>) -> Option<Share> {
    if s.words.accept("percent") {
        return Some(Share::Percent(s.number(PERCENT)?));
    }
    let number: u64 = s.number(BANDWIDTH)?;
    let unit = s.choice(&UNITS).unwrap_or(1000);
    Some(Share::Rate(Rate::from_bps(number.saturating_mul(unit))?))
}

/// `account …`: which headers count. Understood.
fn encapsulated(s: Said<'_, '_, '_>) -> Option<()> {
    if s.words.accept("account") {
        return Some(());
    }
    s.finish()
}

/// `priority [level N] [KBPS|percent N [BURST]]`.
fn priority(s: Said<'_, '_, '_>) -> Option<()> {
    if s.words.accept("level") {
        s.number::<u32>(LEVEL)?;
    }
    let mut most = None;
    let stated = |w: Word<'_>| w.is_numeral() || w.text == "percent";
    if s.words.peek().is_some_and(stated) {
        most = Some(share(s)?);
        if s.words.peek().is_some_and(|w| w.is_numeral()) {
            s.number::<u64>(BURST)?;
        }
    }
    s.put(Some(most), |c| &mut c.priority)?;
    s.finish()
}

/// Strict queues of a router's port.
const LEVEL: Number = Number("a level", 1, 7);

/// What marks may be copied from.
const SOURCES: [&str; 6] = ["cos", "dscp", "precedence", "qos-group", "table", "tunnel"];

fn set(s: Said<'_, '_, '_>) -> Option<()> {
    s.words.accept("ip");
    let (kind, field): (_, fn(&mut Class) -> &mut _) = match s.next()? {
        "dscp" => (Marks::Dscp, |c| &mut c.set_dscp),
        "precedence" => (Marks::Precedence, |c| &mut c.set_precedence),
        "cos" => (Marks::Cos, |c| &mut c.set_cos),
        _ => return None,
    };
    if s.words.peek().is_some_and(|w| SOURCES.contains(&w.text)) {
        return None;
    }
    let mark = s.mark(kind)?;
    s.put(Some(mark), field)?;
    s.finish()
}

/// Bytes of a burst that states its unit, at a rate.
type Burst = fn(u64, Rate) -> u64;

/// Units of a burst in IOS XR and NX-OS.
pub(super) const BURSTS: [(&str, Burst); 6] = [
    ("bytes", |n, _| n),
    ("kbytes", |n, _| n.saturating_mul(1_000)),
    ("mbytes", |n, _| n.saturating_mul(1_000_000)),
    ("gbytes", |n, _| n.saturating_mul(1_000_000_000)),
    ("ms", |n, rate| {
        rate.bytes_in(Duration::from_ms(n)).as_bytes()
    }),
    ("us", |n, rate| {
        rate.bytes_in(Duration::from_us(n)).as_bytes()
    }),
];

/// `shape average|peak RATE [BURST [BURST]]`, or `percent N [TIME ms [TIME ms]]`.
fn shape(s: Said<'_, '_, '_>) -> Option<()> {
    if s.words.accept("percent") {
        s.put_number(PERCENT, |c| &mut c.shape_percent)?;
        while s.words.peek().is_some_and(|w| w.is_numeral()) {
            s.next();
            s.words.accept("ms");
        }
        encapsulated(s)?;
        return s.pass_over();
    }
    let rate = rate(s, RATE)?;
    let mut burst = None;
    if s.words.peek().is_some_and(|w| w.is_numeral()) {
        // IOS states a shaper's burst in bits, IOS XR with a unit.
        let number = s.number::<u64>(BURST_BITS)?;
        let bytes = match s.choice(&BURSTS) {
            Some(per) => per(number, rate),
            None => number / 8,
        };
        burst = Some(Size::from_bytes(bytes));
        if s.words.peek().is_some_and(|w| w.is_numeral()) {
            s.next();
        }
    }
    s.put(Some((rate, burst)), |c| &mut c.shape)?;
    encapsulated(s)
}

/// The longest queue that is taken for one, in whatever unit it is stated.
const LIMIT_MOST: u64 = 1_000_000_000;

/// `queue-limit N [packets|bytes|kbytes|mbytes|ms|us]`; one in percent, dynamic or of marks does not say how much waits.
fn queue_limit(s: Said<'_, '_, '_>) -> Option<()> {
    let number = s.next().and_then(|word| word.parse::<u64>().ok());
    let unit = s.next();
    // NX-OS counts bytes or packets without a unit, by platform.
    let bare = s.reader.device.platform != Platform::NxOs;
    let limit = number.filter(|n| (1..=LIMIT_MOST).contains(n));
    let limit = limit.and_then(|n| {
        Some(match unit {
            None if bare => QueueLimit::Packets(n),
            Some("packets") => QueueLimit::Packets(n),
            Some("bytes") => QueueLimit::Bytes(Size::from_bytes(n)),
            Some("kbytes") => QueueLimit::Bytes(Size::from_bytes(n.saturating_mul(1_000))),
            Some("mbytes") => QueueLimit::Bytes(Size::from_bytes(n.saturating_mul(1_000_000))),
            Some("ms") => QueueLimit::Time(Duration::from_ms(n)),
            Some("us") => QueueLimit::Time(Duration::from_us(n)),
            _ => return None,
        })
    });
    if let Some(limit) = limit {
        s.put(Some(limit), |c| &mut c.queue_limit)?;
    }
    s.pass_over()
}
