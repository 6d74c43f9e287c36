//! Buffers of hosts that end a window between what a path holds and what path and queue hold: the queue is never full.

use farpath_predict::Cc;
use farpath_tcp::UNSCALED_WINDOW;

use super::Path;
use super::flow::Flow;
use crate::model::{Scenario, Test};
use crate::plan::Plan;

/// What is said of a flow whose host's buffers hold more than its path, and less than path and queue: it fills the line, and never the
/// queue. A `window` or `socket_buffer` of the test is its own word, and needs no other.
pub fn buffer_note(scenario: &Scenario, plan: &Plan, flow: usize) -> Option<String> {
    let test = &scenario.tests[plan.flows[flow].test];
    let tcp = test.kind.bulk()?;
    let path = Path::new(scenario, plan, flow);
    let flow = path.flow_of(tcp);
    path.unfilled(test, &flow)
}

/// Payload in bit/s that a flow's path carries, where that is the same all the time: no event changes it, nor a recorded rate, and it
/// is one link.
pub(crate) fn line_bps(scenario: &Scenario, plan: &Plan, flow: usize) -> Option<f64> {
    let tcp = scenario.tests[plan.flows[flow].test].kind.tcp()?;
    let path = Path::new(scenario, plan, flow);
    let narrowest = path.flow_of(tcp).narrowest;
    let traced = path.direction(narrowest.port?).impairments.trace.is_some();
    let steady = scenario.events.is_empty() && scenario.bundles.is_empty() && !traced;
    steady.then_some(narrowest.bps)
}

/// Beside what leaves it the queue, a flow comes to the end of a buffer of up to so many times path and queue before a loss does: headers
/// and bursts fill the queue a little earlier.
const NEAR: f64 = 1.1;

/// Another test on the same port.
struct Beside<'a> {
    name: &'a str,
    /// What it lets be under way at most, bytes.
    window: f64,
    streams: f64,
    /// It keeps what it has under way by a model of the path, and leaves the queue to who fills it.
    is_by_model: bool,
}

impl Path<'_> {
    /// What is said of a transfer whose buffers hold more than its path, and less than path and queue; or of one of several that share a
    /// link, where its buffers end its window before a loss does.
    pub(super) fn unfilled(&self, test: &Test, flow: &Flow) -> Option<String> {
        let tcp = test.kind.bulk()?;
        let by_itself = is_by_model(flow.cc) || flow.cc == Some(Cc::Westwood);
        let stated = tcp.window.is_some() || tcp.socket_buffer.is_some();
        if by_itself || stated || !flow.loses_nothing() || flow.narrowest.place != "link" {
            return None;
        }
        let port = flow.narrowest.port?;
        let mss = f64::from(flow.config.mss);
        let queue = flow.room * mss;
        let pipe = flow.narrowest.bps * flow.base.as_secs_f64() / 8.0;
        let own = flow.window as f64 * flow.streams;
        let sends = flow.config.amount.map_or(f64::INFINITY, |all| all as f64) * flow.streams;
        let others = self.windows_beside(port)?;
        let holds = own + others.iter().map(|other| other.window).sum::<f64>();
        let ends = pipe < holds && holds < pipe + queue;
        let decides = pipe < own && is_in_the_way(own, pipe + queue, flow.streams, &others);
        if !(queue.is_finite() && own < sends && (ends || decides)) {
            return None;
        }
        let (sender, receiver) = test.data_ends();
        let by_sender = flow.config.send_buffer <= flow.config.receive_window;
        let unscaled = flow.config.receive_window == UNSCALED_WINDOW;
        let (key, host) = match flow.config.window_scaling {
            _ if by_sender => ("tcp_wmem", sender),
            [_, false] if unscaled => ("window_scaling = false", receiver),
            [false, _] if unscaled => ("window_scaling = false", sender),
            _ => ("tcp_rmem", receiver),
        };
        let link = self.plan.ports[port].link;
        let mb = |bytes: f64| format!("{:.2} MB", bytes / 1e6);
        let (host, link) = (self.scenario.node_name(host), &self.scenario.links[link.0]);
        let (link, room) = (&link.name, mb(pipe + queue));
        let lets = format!("`{key}` of {host} lets {} be under way", mb(own));
        if others.is_empty() {
            return Some(format!(
                "{lets}, and path and queue of link {link} hold {room}: the window ends there, and by itself it never fills the queue"
            ));
        }
        let names: Vec<String> = others.iter().map(|o| format!("`{}`", o.name)).collect();
        if !ends {
            return Some(format!(
                "{lets}, and path and queue of link {link} hold {room}: beside {} its window ends at the buffer before a loss cuts it, and \
                 their shares follow from that: with a buffer of twice the {room} or so they follow from congestion control",
                names.join(", "),
            ));
        }
        Some(format!(
            "{lets}, {} with {}, and path and queue of link {link} hold {room}: their windows end there and never fill the queue; \
             buffers share the line, and not their congestion control",
            mb(holds),
            names.join(", "),
        ))
    }

    /// Other tests that cross a port at the same time; none where one of them carries something else than bulk, or a port before it
    /// holds it.
    fn windows_beside(&self, port: usize) -> Option<Vec<Beside<'_>>> {
        let number = self.plan.flows[self.flow].test;
        let crossing = self
            .companions(number)
            .filter(|(_, path)| path.there.iter().any(|hop| hop.port == port));
        crossing
            .map(|(n, path)| {
                let test = &self.scenario.tests[n];
                let flow = path.flow_of(test.kind.bulk()?);
                (flow.narrowest.port == Some(port)).then_some(Beside {
                    name: &test.name,
                    window: flow.window as f64 * flow.streams,
                    streams: flow.streams,
                    is_by_model: is_by_model(flow.cc),
                })
            })
            .collect()
    }
}

/// Whether a congestion control holds what is under way by a model of the path or by delay, and not by losses.
fn is_by_model(cc: Option<Cc>) -> bool {
    matches!(cc, Some(Cc::Vegas | Cc::Fast | Cc::Bbr | Cc::Bbr3))
}

/// Whether a window of `own` bytes, of so many streams together, ends before the flow has what it would have of the `room` of path and
/// queue: an equal part of it, or all of it where another leaves that.
fn is_in_the_way(own: f64, room: f64, streams: f64, others: &[Beside<'_>]) -> bool {
    let all = streams + others.iter().map(|other| other.streams).sum::<f64>();
    let leave = others.iter().any(|other| other.is_by_model);
    !others.is_empty() && (own < room * streams / all || leave && own < NEAR * room)
}
