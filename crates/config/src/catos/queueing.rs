//! The commands that set the queues of all ports of a type.

use core::ops::Range;

use crate::ios::{Reader, Words};
use crate::qos::{CosMap, PortType, PortTypeError, Queueing, RandomDetect, Stated};
use crate::qos::{OF_TYPE, faults};
use crate::source::Place;

/// The commands for all ports of a type.
pub(super) fn of_type(
    reader: &mut Reader,
    what: &str,
    words: &mut Words<'_>,
    span: Range<usize>,
) -> Option<()> {
    let word = words.next()?;
    let port_type: PortType = match word.text.parse() {
        Ok(t) => t,
        Err(e) => {
            let e: PortTypeError = e;
            reader.fault(
                &faults::RANGE,
                word.span(),
                e.to_string(),
                "`show port capabilities` names a port's type",
            );
            return None;
        }
    };
    let receive = words.peek().is_some_and(|w| w.text == "rx");
    words.accept("tx");
    words.accept("rx");
    let number = reader.interface(&format!("{OF_TYPE}{port_type}"), span.clone());
    let stated_type = reader.stated(port_type, span.clone());
    let place = reader.place(span);
    if receive {
        let said = &mut reader.device.interfaces[number].queueing;
        said.receive.push(place);
        while words.next().is_some() {}
        return Some(());
    }
    let mut said = core::mem::take(&mut reader.device.interfaces[number].queueing);
    said.port_type = Some(stated_type);
    let done = match what {
        "wrr" => reader.numbers(words, "a weight", 1..=255).map(|value| {
            said.bandwidth = Some(Stated {
                value: small(value),
                place,
            })
        }),
        "txq-ratio" => limits(reader, words, place, port_type, &mut said),
        "map" => cos_map(reader, words, place, port_type, &mut said),
        "drop-threshold" => thresholds(reader, words, place, &mut said),
        _ => wred(reader, words, place, &mut said),
    };
    reader.device.interfaces[number].queueing = said;
    done
}

fn small(list: Vec<u64>) -> Vec<u32> {
    list.into_iter().map(|n| n as u32).collect()
}

fn limits(
    reader: &mut Reader,
    words: &mut Words<'_>,
    place: Place,
    port_type: PortType,
    said: &mut Queueing,
) -> Option<()> {
    let mut value =
        small(reader.numbers(words, "a queue's share of the buffer in percent", 1..=100)?);
    if port_type.strict > 0 && value.len() > usize::from(port_type.weighted) {
        let strict = value.pop().unwrap_or(0);
        said.strict_limit = Some(Stated {
            value: strict,
            place: place.clone(),
        });
    }
    said.limits = Some(Stated { value, place });
    Some(())
}

fn thresholds(
    reader: &mut Reader,
    words: &mut Words<'_>,
    place: Place,
    said: &mut Queueing,
) -> Option<()> {
    words.accept("queue");
    let queue = reader.number(words, "a queue's number", 1..=8)? as u8;
    let value = small(reader.numbers(words, "a threshold in percent", 0..=100)?);
    said.thresholds.retain(|t| t.value.0 != queue);
    said.thresholds.push(Stated {
        value: (queue, value),
        place,
    });
    Some(())
}

/// `Q T cos LIST`, or `Q cos LIST` of a strict queue.
fn cos_map(
    reader: &mut Reader,
    words: &mut Words<'_>,
    place: Place,
    port_type: PortType,
    said: &mut Queueing,
) -> Option<()> {
    let queue = reader.number(words, "a queue's number", 1..=8)? as u8;
    let mut threshold = 1;
    if words.peek().is_some_and(|w| w.text != "cos") || queue <= port_type.weighted {
        threshold = reader.number(words, "a threshold's number", 1..=8)? as u8;
    }
    words.accept("cos");
    let cos: Vec<u8> = reader
        .numbers(words, "a CoS", 0..=7)?
        .into_iter()
        .map(|c| c as u8)
        .collect();
    if port_type.strict_queue() == Some(queue) {
        said.strict_cos = Some(Stated { value: cos, place });
        return Some(());
    }
    // CatOS moves a CoS from where it was.
    for map in &mut said.cos_maps {
        map.value.cos.retain(|c| !cos.contains(c));
    }
    said.cos_maps.push(Stated {
        value: CosMap {
            queue,
            threshold,
            cos,
        },
        place,
    });
    Some(())
}

/// `queue Q MIN:MAX …`, or only maxima.
fn wred(
    reader: &mut Reader,
    words: &mut Words<'_>,
    place: Place,
    said: &mut Queueing,
) -> Option<()> {
    words.accept("queue");
    let queue = reader.number(words, "a queue's number", 1..=8)? as u8;
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for word in words.by_ref() {
        let (min, max) = word.text.split_once(':').unwrap_or(("0", word.text));
        let at = word.at + word.text.len() - max.len();
        low.push(reader.number(
            &mut Words::new(min, word.at),
            "a threshold in percent",
            0..=100,
        )? as u32);
        high.push(
            reader.number(&mut Words::new(max, at), "a threshold in percent", 0..=100)? as u32,
        );
    }
    let mut add = |value| {
        said.random_detect.push(Stated {
            value,
            place: place.clone(),
        });
    };
    add(RandomDetect::Min(queue, low));
    add(RandomDetect::Max(queue, high));
    Some(())
}
