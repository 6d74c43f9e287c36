//! The queues of a port with shaped round robin.

use farpath_units::Size;

use super::{Queue, Threshold, fitting_unit};
use crate::qos::srr::QUEUES;
use crate::qos::{Device, Interface};

/// The queues of a port, in order; one that is shaped has its default weight, as no model here shapes one of several queues.
pub(super) fn queues(device: &Device, interface: &Interface, mtu: u32) -> (Vec<Queue>, Size) {
    let said = &interface.srr;
    let weights = said.weights();
    let stated: Vec<u32> = weights.iter().flatten().copied().collect();
    let unit = fitting_unit(&stated, mtu);
    let set = said.queue_set.as_ref().map_or(1, |s| s.value);
    let mut sets = device.srr.buffers.iter().rev();
    let buffers = sets.find(|b| b.value.0 == set).map(|b| &b.value.1);
    let queue = |at: usize| {
        let number = at as u8 + 1;
        let first = at == 0 && said.expedite.is_some();
        let weight = if first { 0 } else { weights[at].unwrap_or(1) };
        let mapped = |map: &[u8]| {
            let marks = map
                .iter()
                .enumerate()
                .filter(|(_, queue)| **queue == number);
            marks.map(|(mark, _)| mark as u8).collect::<Vec<u8>>()
        };
        Queue {
            number,
            strict: first,
            weight,
            credit: Size::from_bytes(u64::from(weight) * unit.as_bytes()),
            limit_percent: buffers.and_then(|b| b.get(at).copied()).unwrap_or(25),
            thresholds: vec![Threshold {
                cos: mapped(&device.srr.cos),
                dscp: mapped(&device.srr.dscp),
                tail_percent: 100,
                random: None,
            }],
        }
    };
    ((0..QUEUES).map(queue).collect(), unit)
}
