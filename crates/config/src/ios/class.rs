//! Classes of policy maps: what they keep, shape and mark.

use farpath_units::{Rate, Size};

use super::police::police;
use crate::commands::{
    BANDWIDTH, BURST, BURST_BITS, Marks, Number, PERCENT, RATE, RATIO, Section, Statement, trust,
};
use crate::qos::{Class, Share};

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
        ("priority", priority),
        ("service-policy", |s| {
            let name = s.next()?.to_owned();
            s.put(Some(name), |c| &mut c.service)?;
            s.finish();
            s.pass_over()
        }),
    ],
    over: &[
        "random-detect|queue-limit|queue-buffers|fair-queue|wred",
        "admit|compression|estimate|netflow-sampler",
        "set discard-class|qos-group|atm-clp|fr-de|mpls",
    ],
};

/// A rate in bit/s, as it stands or with `k`, `m` or `g` behind it (IOS-XE).
pub(super) fn rate(s: Said<'_, '_, '_>, number: Number) -> Option<Rate> {
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
        let Number(_, least, most) = number;
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
    Rate::from_bps(bps)
}

/// `KBPS` or `percent N`.
fn share(s: Said<'_, '_, '_>) -> Option<Share> {
    if s.words.accept("percent") {
        return Some(Share::Percent(s.number(PERCENT)?));
    }
    let kbps: u64 = s.number(BANDWIDTH)?;
    Some(Share::Rate(Rate::from_bps(kbps * 1000)?))
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
    let stated = |w: crate::commands::Word<'_>| w.is_numeral() || w.text == "percent";
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
const LEVEL: Number = Number("a level", 1, 2);

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
        // IOS states a shaper's burst in bits.
        burst = Some(Size::from_bytes(s.number::<u64>(BURST_BITS)? / 8));
        if s.words.peek().is_some_and(|w| w.is_numeral()) {
            s.next();
        }
    }
    s.put(Some((rate, burst)), |c| &mut c.shape)?;
    encapsulated(s)
}
