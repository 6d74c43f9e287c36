//! `wrr-queue` and `priority-queue`.

use crate::commands::{COS, Number, OCCUPANCY, QUEUE, STRICT_QUEUE, Statement, THRESHOLD, WEIGHT};
use crate::qos::{Interface, QueueMap, Queueing, RandomDetect, Stated};

/// A statement about the queues of ports.
type Queues<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

/// What a `no` or `default` repeats of the command it takes back is of no interest.
pub(super) fn end(s: Queues<'_, '_, '_>) -> Option<()> {
    if s.off { Some(()) } else { s.finish() }
}

pub(super) fn bandwidth(s: Queues<'_, '_, '_>) -> Option<()> {
    // `percent` and `shape` change the meaning of the numbers on other platforms.
    if !s.off && s.words.accept("percent") {
        return None;
    }
    s.put_numbers(WEIGHT, |i| &mut i.queueing.bandwidth)?;
    end(s)
}

pub(super) fn strict_cos(s: Queues<'_, '_, '_>) -> Option<()> {
    if !s.off {
        s.number::<u8>(STRICT_QUEUE)?;
    }
    s.put_numbers(COS, |i| &mut i.queueing.strict_cos)?;
    end(s)
}

/// `cos-map QUEUE THRESHOLD COS…`, and `dscp-map`.
pub(super) fn map(
    s: Queues<'_, '_, '_>,
    mark: Number,
    maps: fn(&mut Queueing) -> &mut Vec<Stated<QueueMap>>,
) -> Option<()> {
    if s.off {
        return s.each(|i| maps(&mut i.queueing).clear());
    }
    let map = QueueMap {
        queue: s.number(QUEUE)?,
        threshold: s.number(THRESHOLD)?,
        marks: s.numbers(mark)?,
    };
    let stated = s.stated(map);
    s.each(|i| maps(&mut i.queueing).push(stated.clone()));
    s.finish()
}

pub(super) fn thresholds(s: Queues<'_, '_, '_>) -> Option<()> {
    let queue = s.number(QUEUE)?;
    let list = if s.off {
        None
    } else {
        Some(s.numbers(OCCUPANCY)?)
    };
    let stated = list.map(|list| s.stated((queue, list)));
    s.each(|i| {
        i.queueing.thresholds.retain(|t| t.value.0 != queue);
        i.queueing.thresholds.extend(stated.clone());
    });
    end(s)
}

pub(super) fn random_detect(s: Queues<'_, '_, '_>) -> Option<()> {
    s.words.peek()?;
    let queue = s.number(QUEUE)?;
    set_random(s, RandomDetect::Use(queue, !s.off), true)
}

/// `min-threshold` or `max-threshold`, of which `said` makes a statement.
pub(super) fn random_threshold(
    s: Queues<'_, '_, '_>,
    said: fn(u8, Vec<u32>) -> RandomDetect,
) -> Option<()> {
    let queue = s.number(QUEUE)?;
    let list = if s.off {
        Vec::new()
    } else {
        s.numbers(OCCUPANCY)?
    };
    set_random(s, said(queue, list), !s.off)
}

/// Puts a statement in the place of the one it replaces, or only takes that away.
fn set_random(s: Queues<'_, '_, '_>, said: RandomDetect, kept: bool) -> Option<()> {
    let stated = s.stated(said);
    s.each(|i| {
        let all = &mut i.queueing.random_detect;
        all.retain(|r| !stated.value.replaces(&r.value));
        all.extend(kept.then(|| stated.clone()));
    });
    end(s)
}
