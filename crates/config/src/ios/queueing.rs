//! `wrr-queue`, `priority-queue` and `rcv-queue`.

use core::ops::{Range, RangeInclusive};

use super::interface::each;
use super::read::{Reader, Taken};
use super::words::Words;
use crate::qos::{CosMap, DscpMap, RandomDetect};

/// Reads a statement whose first word was `command`.
pub(crate) fn statement(
    reader: &mut Reader,
    command: &str,
    mut words: Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Taken {
    let Some(what) = words.next() else {
        return Taken::Unknown;
    };
    let taken = match (command, what.text) {
        (
            "rcv-queue",
            "bandwidth" | "cos-map" | "queue-limit" | "threshold" | "random-detect" | "dscp-map",
        ) => {
            let place = reader.place(span);
            each(reader, targets, |i| i.queueing.receive.push(place.clone()));
            return Taken::Understood;
        }
        ("wrr-queue", "bandwidth") => bandwidth(reader, &mut words, off, span, targets),
        ("wrr-queue", "queue-limit") => limits(reader, &mut words, off, span, targets),
        ("wrr-queue", "cos-map") => cos_map(reader, &mut words, off, span, targets),
        ("wrr-queue", "dscp-map") => dscp_map(reader, &mut words, off, span, targets),
        ("wrr-queue", "threshold") => thresholds(reader, &mut words, off, span, targets),
        ("wrr-queue", "random-detect") => random_detect(reader, &mut words, off, span, targets),
        ("priority-queue", "cos-map") => strict_cos(reader, &mut words, off, span, targets),
        ("priority-queue", "queue-limit") => strict_limit(reader, &mut words, off, span, targets),
        _ => return Taken::Unknown,
    };
    match taken {
        Some(()) => {
            // What a `no` or `default` repeats of the command it undoes is of no interest.
            if !off {
                reader.finish(words);
            }
            Taken::Understood
        }
        None => Taken::Unknown,
    }
}

type Read = Option<()>;

fn bandwidth(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let mut weights = None;
    if !off {
        // `percent` and `shape` change the meaning of the numbers on other platforms.
        if words.accept("percent") {
            return None;
        }
        let list = list(reader, words, "a weight", 1..=255)?;
        weights = Some(reader.stated(list, span));
    }
    each(reader, targets, |i| i.queueing.bandwidth = weights.clone());
    Some(())
}

fn limits(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let mut limits = None;
    if !off {
        let list = list(reader, words, SHARE, 1..=100)?;
        limits = Some(reader.stated(list, span));
    }
    each(reader, targets, |i| i.queueing.limits = limits.clone());
    Some(())
}

const SHARE: &str = "a queue's share of the buffer in percent";
const STRICT_SHARE: &str = "the strict queue's share of the buffer in percent";

/// Numbers in `range`, which fits what they become.
fn list<T: TryFrom<u64>>(
    reader: &mut Reader,
    words: &mut Words<'_>,
    what: &str,
    range: RangeInclusive<u64>,
) -> Option<Vec<T>> {
    let numbers = reader.numbers(words, what, range)?;
    numbers.into_iter().map(|n| T::try_from(n).ok()).collect()
}

fn threshold(reader: &mut Reader, words: &mut Words<'_>) -> Option<u8> {
    let number = reader.number(words, "a threshold's number", 1..=8)?;
    Some(number as u8)
}

fn queue(reader: &mut Reader, words: &mut Words<'_>) -> Option<u8> {
    reader
        .number(words, "a queue's number", 1..=8)
        .map(|q| q as u8)
}

fn cos_map(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    if off {
        each(reader, targets, |i| i.queueing.cos_maps.clear());
        return Some(());
    }
    let (queue, threshold) = (queue(reader, words)?, threshold(reader, words)?);
    let cos = list(reader, words, "a CoS", 0..=7)?;
    let stated = reader.stated(
        CosMap {
            queue,
            threshold,
            cos,
        },
        span,
    );
    each(reader, targets, |i| {
        i.queueing.cos_maps.push(stated.clone())
    });
    Some(())
}

fn dscp_map(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    if off {
        each(reader, targets, |i| i.queueing.dscp_maps.clear());
        return Some(());
    }
    let (queue, threshold) = (queue(reader, words)?, threshold(reader, words)?);
    let dscp = list(reader, words, "a DSCP", 0..=63)?;
    let stated = reader.stated(
        DscpMap {
            queue,
            threshold,
            dscp,
        },
        span,
    );
    each(reader, targets, |i| {
        i.queueing.dscp_maps.push(stated.clone())
    });
    Some(())
}

fn percents(reader: &mut Reader, words: &mut Words<'_>) -> Option<Vec<u32>> {
    list(reader, words, "a threshold in percent", 0..=100)
}

fn thresholds(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let queue = queue(reader, words)?;
    let mut stated = None;
    if !off {
        let list = percents(reader, words)?;
        stated = Some(reader.stated((queue, list), span));
    }
    each(reader, targets, |i| {
        i.queueing.thresholds.retain(|t| t.value.0 != queue);
        i.queueing.thresholds.extend(stated.clone());
    });
    Some(())
}

fn random_detect(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let kind = words.peek()?.text;
    let said = match kind {
        "min-threshold" | "max-threshold" => {
            words.next();
            let queue = queue(reader, words)?;
            let list = if off {
                Vec::new()
            } else {
                percents(reader, words)?
            };
            match kind {
                "min-threshold" => RandomDetect::Min(queue, list),
                _ => RandomDetect::Max(queue, list),
            }
        }
        _ => RandomDetect::Use(queue(reader, words)?, !off),
    };
    let stated = reader.stated(said, span);
    each(reader, targets, |i| {
        i.queueing
            .random_detect
            .retain(|r| key(&r.value) != key(&stated.value));
        if !(off && matches!(stated.value, RandomDetect::Min(..) | RandomDetect::Max(..))) {
            i.queueing.random_detect.push(stated.clone());
        }
    });
    Some(())
}

fn key(said: &RandomDetect) -> (u8, u8) {
    match said {
        RandomDetect::Use(q, _) => (0, *q),
        RandomDetect::Min(q, _) => (1, *q),
        RandomDetect::Max(q, _) => (2, *q),
    }
}

fn strict_cos(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let mut stated = None;
    if !off {
        reader.number(words, "the strict queue's number", 1..=1)?;
        let cos = list(reader, words, "a CoS", 0..=7)?;
        stated = Some(reader.stated(cos, span));
    }
    each(reader, targets, |i| i.queueing.strict_cos = stated.clone());
    Some(())
}

fn strict_limit(
    reader: &mut Reader,
    words: &mut Words<'_>,
    off: bool,
    span: Range<usize>,
    targets: &[usize],
) -> Read {
    let mut stated = None;
    if !off {
        let limit = reader.number(words, STRICT_SHARE, 1..=100)? as u32;
        stated = Some(reader.stated(limit, span));
    }
    each(reader, targets, |i| {
        i.queueing.strict_limit = stated.clone()
    });
    Some(())
}
