//! The commands that set the queues of all ports of a type.

use super::Command;
use crate::commands::{COS, OCCUPANCY, QUEUE, SHARE, THRESHOLD, Words};
use crate::qos::{OF_TYPE, PortType, QueueMap, RandomDetect, Stated};
use crate::rules::faults;

/// A command for all ports of a type: `read` takes what follows the type.
pub(super) fn of_type(
    s: Command<'_, '_, '_>,
    read: fn(Command<'_, '_, '_>, PortType) -> Option<()>,
) -> Option<()> {
    let word = s.words.next()?;
    let port_type: PortType = match word.text.parse() {
        Ok(t) => t,
        Err(why) => {
            let (why, remedy) = (
                why.to_string(),
                "`show port capabilities` names a port's type",
            );
            s.reader.fault(&faults::RANGE, word.span(), why, remedy);
            return None;
        }
    };
    s.named = format!("{OF_TYPE}{port_type}");
    let receive = s.words.peek().is_some_and(|w| w.text == "rx");
    s.words.accept("tx");
    s.words.accept("rx");
    if receive {
        let place = s.place();
        return s.each(|i| i.queueing.receive.push(place.clone()));
    }
    s.put(Some(port_type), |i| &mut i.queueing.port_type)?;
    read(s, port_type)?;
    s.finish()
}

pub(super) fn limits(s: Command<'_, '_, '_>, port_type: PortType) -> Option<()> {
    let mut limits: Vec<u32> = s.numbers(SHARE)?;
    if port_type.strict > 0 && limits.len() > usize::from(port_type.weighted) {
        let strict = limits.pop();
        s.put(strict, |i| &mut i.queueing.strict_limit)?;
    }
    s.put(Some(limits), |i| &mut i.queueing.limits)
}

pub(super) fn thresholds(s: Command<'_, '_, '_>, _: PortType) -> Option<()> {
    s.words.accept("queue");
    let queue = s.number(QUEUE)?;
    let list = s.numbers(OCCUPANCY)?;
    let stated = s.stated((queue, list));
    s.each(|i| {
        i.queueing.thresholds.retain(|t| t.value.0 != queue);
        i.queueing.thresholds.push(stated.clone());
    })
}

/// `Q T cos LIST`, or `Q cos LIST` of a strict queue.
pub(super) fn cos_map(s: Command<'_, '_, '_>, port_type: PortType) -> Option<()> {
    let queue = s.number(QUEUE)?;
    let mut threshold = 1;
    if s.words.peek().is_some_and(|w| w.text != "cos") || queue <= port_type.weighted {
        threshold = s.number(THRESHOLD)?;
    }
    s.words.accept("cos");
    let marks: Vec<u8> = s.numbers(COS)?;
    if port_type.strict_queue() == Some(queue) {
        return s.put(Some(marks), |i| &mut i.queueing.strict_cos);
    }
    let stated = s.stated(QueueMap {
        queue,
        threshold,
        marks,
    });
    s.each(|i| {
        // CatOS moves a CoS from where it was.
        let maps: &mut Vec<Stated<QueueMap>> = &mut i.queueing.cos_maps;
        for map in maps.iter_mut() {
            map.value.marks.retain(|c| !stated.value.marks.contains(c));
        }
        maps.push(stated.clone());
    })
}

/// `queue Q MIN:MAX …`, or only maxima.
pub(super) fn random_detect(s: Command<'_, '_, '_>, _: PortType) -> Option<()> {
    s.words.accept("queue");
    let queue = s.number(QUEUE)?;
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let words: Vec<_> = s.words.by_ref().collect();
    for word in words {
        let (min, max) = word.text.split_once(':').unwrap_or(("0", word.text));
        let at = word.at + word.text.len() - max.len();
        low.push(s.reader.number(&mut Words::new(min, word.at), OCCUPANCY)?);
        high.push(s.reader.number(&mut Words::new(max, at), OCCUPANCY)?);
    }
    let both = [
        RandomDetect::Min(queue, low),
        RandomDetect::Max(queue, high),
    ];
    let stated = both.map(|said| s.stated(said));
    s.each(|i| i.queueing.random_detect.extend(stated.clone()))
}
