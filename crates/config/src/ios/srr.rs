//! `srr-queue`, `priority-queue out` and their maps, of Catalyst 2960, 3560 and 3750 switches.

use crate::commands::{COS, DSCP, Number, SHARE, Statement, WEIGHT};
use crate::qos::{Interface, SrrMaps, Stated};

/// Numbers of one statement, one for each queue.
const EACH: usize = 4;
const SHAPE: Number = Number("a shaped weight", 0, 65_535);
const LIMIT: Number = Number("a limit in percent", 10, 90);
const SET: Number = Number("a queue set", 1, 2);
const QUEUE: Number = Number("an egress queue's number", 1, 4);
const THRESHOLD: Number = Number("a threshold's number", 1, 3);

type Port<'s, 'r, 't> = &'s mut Statement<'r, 't, Interface>;

/// `srr-queue bandwidth share|shape A B C D`.
fn four(
    s: Port<'_, '_, '_>,
    number: Number,
    field: fn(&mut Interface) -> &mut Option<Stated<Vec<u32>>>,
) -> Option<()> {
    if s.off {
        return s.put(None, field);
    }
    let list: Vec<u32> = s.numbers(number)?;
    if list.len() != EACH {
        let message = format!(
            "{} for each of the {EACH} egress queues, not {}",
            number.0,
            list.len()
        );
        let remedy = format!("write {EACH} numbers, queue 1 first");
        s.reader.missing(&s.words, &message, remedy);
        return None;
    }
    s.put(Some(list), field)?;
    s.finish()
}

pub(super) fn share(s: Port<'_, '_, '_>) -> Option<()> {
    four(s, WEIGHT, |i| &mut i.srr.share)
}

pub(super) fn shape(s: Port<'_, '_, '_>) -> Option<()> {
    four(s, SHAPE, |i| &mut i.srr.shape)
}

pub(super) fn limit(s: Port<'_, '_, '_>) -> Option<()> {
    s.put_number(LIMIT, |i| &mut i.srr.limit)?;
    super::queueing::end(s)
}

pub(super) fn expedite(s: Port<'_, '_, '_>) -> Option<()> {
    s.finish();
    s.put(Some(()), |i| &mut i.srr.expedite)
}

pub(super) fn queue_set(s: Port<'_, '_, '_>) -> Option<()> {
    s.put_number(SET, |i| &mut i.srr.queue_set)?;
    super::queueing::end(s)
}

/// `mls qos srr-queue output cos-map|dscp-map queue Q [threshold T] MARK…`.
pub(super) fn map(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    let word = s.next()?;
    let fresh = SrrMaps::default();
    let by_cos = match word {
        "cos-map" => true,
        "dscp-map" => false,
        _ => return None,
    };
    if s.off {
        let maps = &mut s.reader.device.srr;
        match by_cos {
            true => maps.cos = fresh.cos,
            false => maps.dscp = fresh.dscp,
        }
        return Some(());
    }
    let queue: Option<u8> = match s.words.accept("queue") {
        true => Some(s.number(QUEUE)?),
        false => None,
    };
    if s.words.accept("threshold") {
        s.number::<u8>(THRESHOLD)?;
    }
    let marks: Vec<u8> = s.numbers(if by_cos { COS } else { DSCP })?;
    s.finish();
    let maps = &mut s.reader.device.srr;
    let table: &mut [u8] = match by_cos {
        true => &mut maps.cos,
        false => &mut maps.dscp,
    };
    for mark in marks {
        if let Some((entry, queue)) = table.get_mut(usize::from(mark)).zip(queue) {
            *entry = queue;
        }
    }
    Some(())
}

/// `mls qos queue-set output N buffers A B C D`; thresholds are passed over.
pub(super) fn buffers(s: &mut Statement<'_, '_, ()>) -> Option<()> {
    let set: u8 = s.number(SET)?;
    if !s.words.accept("buffers") {
        return s.pass_over();
    }
    if s.off {
        s.reader.device.srr.buffers.retain(|b| b.value.0 != set);
        return Some(());
    }
    let list: Vec<u32> = s.numbers(SHARE)?;
    if list.len() != EACH {
        let message = format!(
            "a part of the buffer for each of the {EACH} egress queues, not {}",
            list.len()
        );
        let remedy = format!("write {EACH} numbers, queue 1 first");
        s.reader.missing(&s.words, &message, remedy);
        return None;
    }
    s.finish();
    let stated = s.stated((set, list));
    s.reader.device.srr.buffers.push(stated);
    Some(())
}
