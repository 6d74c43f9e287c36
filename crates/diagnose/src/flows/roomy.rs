//! How much other tests between the same hosts had in flight that asked for no buffer: so much room the windows and buffers have that the
//! hosts give by themselves, and nobody needs to ask how large they are.

use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::hosts::counted::asks;
use crate::items::{Item, step};
use crate::read::Facts;
use crate::seen::Test;

/// Tools whose tests say how many connections they have.
const COUNTING: [&str; 5] = ["iperf3", "iperf2", "nuttcp", "netperf", "pscheduler"];

/// From so many times what this flow has in flight on it says something, and fully.
const MORE: [f64; 2] = [1.5, 3.0];

/// What it speaks against a window or buffer of which nothing else is known, decibans: of a tool that only tests or a mount, and of a
/// program that may ask for its own. Choices.
const AGAINST: f64 = -14.0;
const OF_PROGRAM: f64 = -5.0;

/// The highest rate that a connection of another test had, bit/s, and its tool; none where this one asked for a buffer of its own.
pub(crate) fn roomiest(facts: &Facts, flow: &Flow) -> Option<(&'static str, Figure)> {
    if crate::advice::asked(facts, flow) {
        return None;
    }
    let counts = |t: &&Test| !t.udp && COUNTING.contains(&t.tool) && t.streams > 0;
    let tests = flow.beside.iter().filter(counts);
    let each = tests.filter(|t| !asks(facts, t)).filter_map(|test| {
        let (rate, _) = test.goodput()?;
        Some((test.tool, rate.times(1.0 / f64::from(test.streams))))
    });
    each.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

impl Evidence {
    /// What a connection of another test had in flight at least, bytes, how many times what this flow has, and its tool.
    fn roomier(&self) -> Option<(f64, f64, &'static str)> {
        let (tool, rate) = self.counted_else.roomy.as_ref()?;
        let flight = rate.low * self.rtt_by_itself()?.low / 8.0;
        let own = self.settled_flight().filter(|own| own.high > 0.0)?;
        Some((flight, flight / own.high, *tool)).filter(|_| !self.udp)
    }

    /// Whether another test shows that windows and buffers of the hosts have far more room than this flow uses.
    pub(crate) fn has_far_more_room(&self) -> bool {
        self.roomier().is_some_and(|(_, times, _)| times > MORE[1])
    }
}

/// Windows and buffers that nobody measured are not what holds a flow, where others between the same hosts had far more in flight.
pub(crate) fn by_room_of_others(e: &Evidence, items: &mut Vec<Item>) {
    let Some((flight, times, tool)) = e.roomier() else {
        return;
    };
    // The client of a mount is the kernel, which asks for no buffer of its own either.
    let kernel = e.requests.is_some() || e.read_ahead.is_some();
    let weight = match e.tester || kernel {
        true => AGAINST,
        false => OF_PROGRAM,
    };
    let unknown = [
        (e.windows.is_empty(), Cause::ReceiveWindow),
        (e.windows.is_empty(), Cause::NoWindowScaling),
        (e.buffers.is_empty(), Cause::SendBuffer),
    ];
    let against = unknown.into_iter().filter(|(unknown, _)| *unknown);
    let weights: Vec<(Cause, f64)> = against.map(|(_, cause)| (cause, weight)).collect();
    if weights.is_empty() {
        return;
    }
    items.push(Item {
        holds: step(times, MORE[0], MORE[1]),
        weights,
        sentence: match e.tester {
            true => format!(
                "{tool} between the same hosts had {} in flight, {times:.0} times as much: their windows and buffers let that through",
                bytes(flight)
            ),
            false => String::new(),
        },
    });
}
