//! Classes of policy maps: what they keep, shape and mark.

use farpath_units::{Duration, Rate, Size};

use super::police::police;
use super::rates::{UNITS, rate};
use crate::commands::{
    BANDWIDTH, BURST, BURST_BITS, Marks, Number, PERCENT, RATE, RATIO, Section, Statement, Word,
    trust,
};
use crate::platform::Platform;
use crate::qos::{Class, QueueLimit, Share};

/// A statement of a class.
type Said<'s, 'r, 't> = &'s mut Statement<'r, 't, Class>;

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
