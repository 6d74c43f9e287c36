//! QOS033: queues of classes that hold next to nothing of what is in flight.

use farpath_units::{Rate, Size};

use super::super::{Class, Device, FULL_FRAME_BYTES, QueueLimit, Trip, queued_tcp};
use super::Checker;
use super::rates::{carrying_port, shaped};
use crate::finding::place;
use crate::rules::QOS033;

/// A queue of less than one part in so many of what is in flight loses what a connection sends at once, as for JUN010.
const PARTS: u64 = 20;

/// Full frames of a connection's first flight (RFC 6928 §2): a queue that holds fewer is short on most paths.
const FIRST_FLIGHT: u64 = 10;

impl Checker<'_> {
    /// QOS033, of the classes whose rate is known: shaped ones, those of the policy in them and, where the round trip is
    /// known, those of a port.
    pub(super) fn queue_limits(&mut self, device: &Device) {
        for map in &device.policy_maps {
            let users = device.interfaces.iter().filter(|i| !i.shutdown);
            let users = users.filter(|i| device.applies(i, map));
            let trip = self
                .options
                .trip(device.file, users.map(|i| i.name.as_str()));
            let port = carrying_port(device, map);
            let line = port.as_ref().map(|p| p.rate);
            for class in &map.classes {
                let carrier = shaped(map, class, port.as_ref().map(|p| p.whole));
                let rate = carrier.map(|c| line.map_or(c.rate, |line| line.min(c.rate)));
                let own = rate.or(line.filter(|_| trip.is_known()));
                if let Some(rate) = own {
                    self.queue_limit(class, rate, trip);
                }
                let part = class.service.as_ref().and_then(|s| device.policy(&s.value));
                let Some((rate, part)) = rate.zip(part) else {
                    continue;
                };
                let unshaped = |c: &&Class| c.shape.is_none() && c.shape_percent.is_none();
                for inner in part.classes.iter().filter(unshaped) {
                    self.queue_limit(inner, rate, trip);
                }
            }
        }
    }

    fn queue_limit(&mut self, class: &Class, rate: Rate, trip: Trip) {
        // What goes before the others waits for nobody, and its queue is short on purpose.
        let stated = class.queue_limit.as_ref();
        let Some(stated) = stated.filter(|_| class.priority.is_none()) else {
            return;
        };
        let of_rule = |f: &&crate::Finding| f.rule == QOS033.id;
        let mut found = self.findings.iter().filter(of_rule);
        if found.any(|f| place(f) == &stated.place) {
            return;
        }
        let Some((message, remedy)) = short(&class.name, stated.value, rate, trip) else {
            return;
        };
        let finding = self.find(&QOS033, &stated.place, message, remedy);
        finding.doubt(class.unknown.iter().cloned());
    }
}

/// What is said of a queue before `rate`, and what to write; `None` of one that is long enough.
fn short(name: &str, limit: QueueLimit, rate: Rate, trip: Trip) -> Option<(String, String)> {
    let held = limit.holds(rate);
    let per_rtt = rate.bytes_in(trip.rtt).as_bytes();
    let (bytes, frame) = (held.as_bytes(), FULL_FRAME_BYTES);
    let part = bytes.saturating_mul(PARTS) < per_rtt;
    let short = part && (trip.is_known() || bytes < FIRST_FLIGHT * frame);
    if bytes >= frame && !short {
        return None;
    }
    let queue = queued_tcp(rate, Size::from_bytes(bytes.max(frame)), trip.rtt)?;
    let what = format!("class {name}: a queue of {limit} before {rate} holds {held}");
    let share = 100.0 * bytes as f64 / per_rtt.max(1) as f64;
    let message = match bytes < frame {
        true => format!(
            "{what}, less than one full frame of {frame} B: taken as written, what finds the shaper busy is lost"
        ),
        false => format!(
            "{what}, {share:.1} % of what is in flight over a round trip of {}{}; {}",
            trip.rtt,
            trip.how(),
            queue.words()
        ),
    };
    let packets = |bytes: u64| bytes.div_ceil(frame).max(1);
    let remedy = format!(
        "`queue-limit {} packets` keeps the line busy after a loss over a round trip of {}; up to {} packets, a whole round trip of the rate, take what slow start sends",
        packets(queue.fills.as_bytes()),
        trip.rtt,
        packets(per_rtt)
    );
    Some((message, remedy))
}
