//! How large captures may become.

use farpath_scenario::Scenario;
use farpath_scenario::plan::Plan;
use farpath_units::{Duration, Size};
use farpath_wire::FlowDir;

/// What a frame takes in a capture: its headers and the block around them.
const FRAME_BYTES: u64 = 128;

/// Bytes that the captures of a run may take, if every connection is as fast as its path.
pub(super) fn expected(scenario: &Scenario, plan: &Plan) -> u64 {
    (0..plan.flows.len())
        .map(|number| {
            let there = FlowDir::forward(number as u16);
            let (forward, reverse) = frames(scenario, plan, number);
            let there_frames = forward.saturating_mul(crossings(scenario, plan, there));
            let back_frames = reverse.saturating_mul(crossings(scenario, plan, there.turned()));
            there_frames
                .saturating_add(back_frames)
                .saturating_mul(FRAME_BYTES)
        })
        .fold(0, u64::saturating_add)
}

/// How often a frame passes a tap.
fn crossings(scenario: &Scenario, plan: &Plan, dir: FlowDir) -> u64 {
    let walk = plan.walk(scenario, dir);
    walk.iter()
        .filter(|hop| scenario.links[plan.ports[hop.port].link.0].tap)
        .count() as u64
}

/// Frames of a flow, forward and back.
fn frames(scenario: &Scenario, plan: &Plan, number: usize) -> (u64, u64) {
    let flow = &plan.flows[number];
    let test = &scenario.tests[flow.test];
    let long = test.omit + test.duration.unwrap_or(Duration::ZERO);
    if let Some(udp) = test.kind.udp() {
        let all = udp.rate.bytes_in(long).as_bytes() / u64::from(udp.size.max(1));
        return (all, 0);
    }
    let Some(tcp) = test.kind.tcp() else {
        let count = test.kind.periodic().map_or(0, |all| all.count.into());
        return (count, count);
    };
    let walk = plan.walk(scenario, FlowDir::forward(number as u16));
    let rate = walk.iter().map(|hop| plan.ports[hop.port].rate).min();
    let streams = plan.flows.iter().filter(|f| f.test == flow.test).count() as u64;
    let sent = rate.map_or(0, |r| r.bytes_in(long).as_bytes()) / streams.max(1);
    let asked = test.kind.exchange(flow.stream).and_then(|e| {
        let each = if flow.asks { e.request } else { e.answer };
        Some(Size::from_bytes(e.requests?.saturating_mul(each)))
    });
    let bytes = tcp.bytes.or(asked).map_or(sent, Size::as_bytes);
    let data = bytes / u64::from(plan.mss(scenario, number));
    (data, data / u64::from(tcp.delayed_ack.every.max(1)))
}
