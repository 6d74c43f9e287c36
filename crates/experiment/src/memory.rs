//! Whether the machine can hold what a run keeps in flight.

use farpath_emu::audit::memory_available;
use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;
use farpath_wire::FlowDir;

use crate::Fault;

/// Bytes a frame in flight costs at most: its place in a ring that may be half empty, its ticket
/// in a queue, and the sender's and receiver's own account of it.
const FRAME_BYTES: u64 = 160;

/// Bytes that what is under way in one run of `scenario` may take.
pub(crate) fn needed(scenario: &Scenario, plan: &Plan) -> u64 {
    let mut needed = 0_u64;
    for (flow, f) in plan.flows.iter().enumerate() {
        let kind = &scenario.tests[f.test].kind;
        let frames = if let Some(tcp) = kind.tcp() {
            let config = plan.tcp_config(scenario, flow, tcp);
            let window = config.receive_window.min(config.send_buffer);
            window / u64::from(config.mss)
        } else if let Some(udp) = kind.udp() {
            let walk = plan.walk(scenario, FlowDir::forward(flow as u16));
            let long = plan.propagation(scenario, &walk);
            let long = long.min(scenario.tests[f.test].duration.unwrap_or(long));
            let rate = walk.iter().map(|hop| plan.ports[hop.port].rate).min();
            let rate = rate.map_or(udp.rate, |r| r.min(udp.rate));
            rate.bytes_in(long).as_bytes() / u64::from(udp.size.max(1))
        } else {
            // What came of every packet is kept.
            kind.periodic().map_or(0, |all| all.count.into())
        };
        needed = needed.saturating_add(frames.saturating_mul(FRAME_BYTES));
    }
    needed
}

/// Bytes that runs may take together: three quarters of what is available.
pub(crate) fn room() -> u64 {
    memory_available().map_or(u64::MAX, share)
}

/// Refuses a run that would not fit by itself.
pub(crate) fn check(needed: u64) -> Result<(), Fault> {
    match memory_available() {
        Some(available) if needed > share(available) => Err(Fault::Memory { needed, available }),
        _ => Ok(()),
    }
}

fn share(available: u64) -> u64 {
    available / 4 * 3
}
