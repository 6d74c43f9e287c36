//! JUN010: queues of classes that hold next to nothing of what is in flight, and what they leave one connection.

use farpath_units::{Duration, Size};

use super::check::slowest;
use super::class::{Scheduler, SchedulerMap};
use super::held::longer;
use super::model::Router;
use crate::finding::{Finding, Severity};
use crate::qos::{FULL_FRAME_BYTES, Options, queued_tcp};
use crate::rules::JUN010;
use crate::source::Place;

/// A port's whole buffer, as a time of its rate: that of many cards without `q-pic-large-buffer` (Junos, "CoS delay buffer").
const WHOLE: Duration = Duration::from_ms(100);

/// A queue of less than one part in so many of what is in flight loses what a connection sends at once.
const PARTS: u64 = 20;

/// The queue of routing protocols, which fill no line (Junos, "Default forwarding classes").
const NETWORK_CONTROL: u8 = 3;

/// JUN010, of the scheduler maps that ports have.
pub(super) fn check(router: &Router, options: &Options) -> Vec<Finding> {
    let cos = &router.class_of_service;
    let mut all = Vec::new();
    for map in &cos.maps {
        for (class, name) in &map.schedulers {
            let mut known = cos.schedulers.iter();
            let scheduler = known.find(|s| s.name.value == name.value);
            let control = cos.queue(class) == Some(NETWORK_CONTROL);
            if let Some(scheduler) = scheduler.filter(|s| !control && !goes_first(s)) {
                all.extend(small(router, map, (class.as_str(), scheduler), options));
            }
        }
    }
    all
}

/// What goes before the others waits for nobody, and its queue is short on purpose.
fn goes_first(scheduler: &Scheduler) -> bool {
    let priority = scheduler.priority.as_ref();
    priority.is_some_and(|p| matches!(p.value.as_str(), "strict-high" | "high"))
}

/// What a scheduler's queue holds as a time of its port's rate, where that is stated, and whether the card's own buffer is taken.
fn held(scheduler: &Scheduler) -> Option<(Duration, bool, &Place)> {
    if let Some(time) = &scheduler.buffer_time {
        return Some((time.value, false, &time.place));
    }
    let percent = scheduler.buffer_percent.as_ref()?;
    let part = WHOLE.as_ps() / 100 * percent.value.min(100);
    Some((Duration::from_ps(part), true, &percent.place))
}

fn small(
    router: &Router,
    map: &SchedulerMap,
    (class, scheduler): (&str, &Scheduler),
    options: &Options,
) -> Option<Finding> {
    let (time, taken, place) = held(scheduler)?;
    let (of_port, port) = slowest(router, map)?;
    let most = scheduler.most(of_port).filter(|(most, _)| *most < of_port);
    let rate = most.map_or(of_port, |(most, _)| most);
    // A part of the port's buffer lasts longer in a class that is slower than the port.
    let time = match taken {
        true => longer(time, of_port, rate),
        false => time,
    };
    let only = most.map_or_else(String::new, |(_, by)| format!(", to which `{by}` holds it"));
    let trip = options.trip(place.file, [port].into_iter());
    if time.as_ps().saturating_mul(PARTS) >= trip.rtt.as_ps() {
        return None;
    }
    let whole = match taken {
        true => format!(", where the buffer of `{port}` is {WHOLE} of its rate, as on many cards"),
        false => String::new(),
    };
    let share = 100.0 * time.as_secs_f64() / trip.rtt.as_secs_f64();
    let held = rate.bytes_in(time);
    let queue = Size::from_bytes(held.as_bytes().max(FULL_FRAME_BYTES));
    let left = queued_tcp(rate, queue, trip.rtt);
    let message = format!(
        "scheduler `{}` holds {held} of class `{class}`, {time} at {rate}{only}{whole}: {share:.1} % of what is in flight over a round trip of {}{}{}",
        scheduler.name.value,
        trip.rtt,
        trip.how(),
        left.map_or_else(String::new, |left| format!("; {}", left.words()))
    );
    let remedy = format!(
        "nothing, where the class carries no transfers; else up to `buffer-size temporal {}`, the microseconds of the round trip, as far as the card takes it",
        trip.rtt.as_ps() / 1_000_000
    );
    let mut finding = Finding::new(&JUN010, message, place.clone(), vec![remedy]);
    if taken {
        finding.severity = Severity::Info;
    }
    Some(finding)
}
